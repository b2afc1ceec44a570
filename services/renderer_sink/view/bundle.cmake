# Makes OUT/app.js (the page) and OUT/embed.js (for pages that show it in a frame) of PAGE/src, of the
# package posewire in clients/typescript and of the packages of PAGE/package-lock.json, by way of OUT,
# and puts three.js's decoder of Draco's meshes next to them, which the page fetches when a file needs
# it. notices.txt has the licences of all
# that is bundled; packaging/ reads the same from components.json.
#   cmake -DNPM=npm -DPAGE=page -DOUT=bundle -DLICENSE=LICENSE -P bundle.cmake
# Nothing is done when nothing has changed. Without npm or its registry the scripts are made empty,
# unless older ones are there. A fault in the sources fails.
#
# -DONLY_FETCH=ON only fetches the packages. ./run and ./test do this in the background while the
# compiler works. Runs at the same time wait for each other. If the environment variable POSEWIRE_JOBS
# names a folder, a failed download is noted there, and not tried again while the note exists.
file(MAKE_DIRECTORY ${OUT})
file(LOCK ${OUT}/lock TIMEOUT 400 RESULT_VARIABLE unused)
set(posewire ${CMAKE_CURRENT_LIST_DIR}/../../../clients/typescript)
file(GLOB sources ${PAGE}/src/*.js)
list(SORT sources)
file(GLOB_RECURSE shared ${posewire}/src/*.js)
list(SORT shared)
set(hashes "")
foreach(file IN LISTS sources shared ITEMS ${posewire}/package.json ${PAGE}/package.json
    ${PAGE}/package-lock.json ${PAGE}/notices.mjs)
  file(SHA256 ${file} hash)
  file(RELATIVE_PATH name ${CMAKE_CURRENT_LIST_DIR} ${file})
  string(APPEND hashes "${name} ${hash}\n")
endforeach()
set(known "")
if(EXISTS ${OUT}/made_of)
  file(READ ${OUT}/made_of known)
endif()
set(made app.js embed.js draco_decoder.js notices.txt components.json)
set(missing "")
foreach(file IN LISTS made)
  if(NOT EXISTS ${OUT}/${file})
    list(APPEND missing ${file})
  endif()
endforeach()
if(known STREQUAL hashes AND NOT missing)
  return()
endif()

function(go_without why)
  if(ONLY_FETCH)
    return()
  endif()
  message("renderer_sink view will have no page: ${why}. All else is built. "
    "Build again once npm is there and reaches its registry.")
  foreach(file IN LISTS missing)
    file(WRITE ${OUT}/${file} "")
  endforeach()
endfunction()

if(NOT NPM)
  find_program(NPM npm)
endif()
if(NOT NPM)
  go_without("npm is not installed")
  return()
endif()
file(SHA256 ${PAGE}/package-lock.json lock)
set(installed "")
if(EXISTS ${OUT}/installed)
  file(READ ${OUT}/installed installed)
endif()
if(NOT installed STREQUAL lock)
  set(failures "")
  if(NOT "$ENV{POSEWIRE_JOBS}" STREQUAL "")
    set(failures $ENV{POSEWIRE_JOBS}/page.failed)
  endif()
  set(failed TRUE)
  if(EXISTS "${failures}")
    file(READ ${failures} said)
  else()
    message("Fetching the packages of the page")
    file(COPY ${PAGE}/package.json ${PAGE}/package-lock.json ${PAGE}/.npmrc DESTINATION ${OUT})
    execute_process(
      COMMAND ${NPM} ci --ignore-scripts --fetch-retries=1 --fetch-timeout=60000
      WORKING_DIRECTORY ${OUT} RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE said
      TIMEOUT 300)
    if(failed AND failures)
      file(WRITE ${failures} "${said}")
    endif()
  endif()
  if(failed)
    message("${said}")
    go_without("npm could not fetch its packages")
    return()
  endif()
  file(WRITE ${OUT}/installed ${lock})
endif()
if(ONLY_FETCH)
  return()
endif()
file(REMOVE_RECURSE ${OUT}/src ${OUT}/own)
file(COPY ${sources} DESTINATION ${OUT}/src)
file(COPY ${posewire}/package.json ${posewire}/src DESTINATION ${OUT}/own/posewire)
foreach(script main:app embed:embed)
  string(REPLACE ":" ";" script ${script})
  list(GET script 0 entry)
  list(GET script 1 out)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env NODE_PATH=${OUT}/own
      ${OUT}/node_modules/.bin/esbuild src/${entry}.js --bundle --minify --format=iife
      --target=es2021 --charset=ascii --legal-comments=eof --log-level=warning
      --outfile=${out}.new.js --metafile=${out}.meta.json
    WORKING_DIRECTORY ${OUT} RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "The page's script ${entry}.js cannot be bundled.")
  endif()
  file(COPY_FILE ${OUT}/${out}.new.js ${OUT}/${out}.js ONLY_IF_DIFFERENT)
endforeach()
set(draco node_modules/three/examples/jsm/libs/draco/gltf/draco_decoder.js)
file(COPY_FILE ${OUT}/${draco} ${OUT}/draco_decoder.js ONLY_IF_DIFFERENT)
find_program(NODE NAMES node nodejs REQUIRED)
execute_process(
  COMMAND ${NODE} ${PAGE}/notices.mjs app.meta.json embed.meta.json --copied ${draco}
    --apache ${LICENSE}
  WORKING_DIRECTORY ${OUT} COMMAND_ERROR_IS_FATAL ANY)
file(WRITE ${OUT}/made_of "${hashes}")

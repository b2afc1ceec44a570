# Makes OUT/app.js of PAGE/src with the packages of PAGE/package-lock.json, by way of OUT, and puts
# three.js's decoder of Draco's meshes beside it, which the page fetches when a file needs it.
#   cmake -DNPM=npm -DPAGE=page -DOUT=bundle -P bundle.cmake
# Nothing is done when nothing has changed. Without npm or its registry the scripts are made empty,
# unless older ones are there. A fault in the sources fails.
file(MAKE_DIRECTORY ${OUT})
file(GLOB sources ${PAGE}/src/*.js)
list(SORT sources)
set(hashes "")
foreach(file IN LISTS sources ITEMS ${PAGE}/package.json ${PAGE}/package-lock.json)
  file(SHA256 ${file} hash)
  get_filename_component(name ${file} NAME)
  string(APPEND hashes "${name} ${hash}\n")
endforeach()
set(known "")
if(EXISTS ${OUT}/made_of)
  file(READ ${OUT}/made_of known)
endif()
if(known STREQUAL hashes AND EXISTS ${OUT}/app.js AND EXISTS ${OUT}/draco_decoder.js)
  return()
endif()

function(go_without why)
  message("renderer_sink view will have no page: ${why}. All else is built. "
    "Build again once npm is there and reaches its registry.")
  foreach(script app.js draco_decoder.js)
    if(NOT EXISTS ${OUT}/${script})
      file(WRITE ${OUT}/${script} "")
    endif()
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
  message("Fetching the packages of the page")
  file(COPY ${PAGE}/package.json ${PAGE}/package-lock.json ${PAGE}/.npmrc DESTINATION ${OUT})
  execute_process(
    COMMAND ${NPM} ci --ignore-scripts --fetch-retries=1 --fetch-timeout=60000
    WORKING_DIRECTORY ${OUT} RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE said
    TIMEOUT 300)
  if(failed)
    message("${said}")
    go_without("npm could not fetch its packages")
    return()
  endif()
  file(WRITE ${OUT}/installed ${lock})
endif()
file(REMOVE_RECURSE ${OUT}/src)
file(COPY ${sources} DESTINATION ${OUT}/src)
execute_process(
  COMMAND ${OUT}/node_modules/.bin/esbuild src/main.js --bundle --minify --format=iife
    --target=es2021 --charset=ascii --legal-comments=eof --log-level=warning --outfile=app.new.js
  WORKING_DIRECTORY ${OUT} RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "The page's script cannot be bundled.")
endif()
file(COPY_FILE ${OUT}/node_modules/three/examples/jsm/libs/draco/gltf/draco_decoder.js
  ${OUT}/draco_decoder.js ONLY_IF_DIFFERENT)
file(COPY_FILE ${OUT}/app.new.js ${OUT}/app.js ONLY_IF_DIFFERENT)
file(WRITE ${OUT}/made_of "${hashes}")

# Brings the GLB files of FROM to TO, empty where there are none; what has not changed stays.
#   cmake -DFROM=characters -DTO=folder -P builtin_files.cmake
foreach(name woman man)
  set(from ${FROM}/${name}.glb)
  if(EXISTS ${from})
    execute_process(COMMAND ${CMAKE_COMMAND} -E copy_if_different ${from} ${TO}/${name}.glb)
  elseif(NOT EXISTS ${TO}/${name}.glb)
    file(WRITE ${TO}/${name}.glb "")
  endif()
endforeach()

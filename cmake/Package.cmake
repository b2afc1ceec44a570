# What `cmake --install` puts in place, and the Debian package that CPack makes of it:
# packaging/make_deb.sh. Manual pages are made from what the programs say of themselves.
if(CMAKE_INSTALL_PREFIX_INITIALIZED_TO_DEFAULT)
  set(CMAKE_INSTALL_PREFIX /usr)
endif()
# Only what is installed has to be built, not all tests.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY TRUE)
set(programs anim_graph a2f_source renderer_sink animclip)
install(TARGETS ${programs} RUNTIME DESTINATION bin)
foreach(program ${programs})
  install(CODE "execute_process(COMMAND_ERROR_IS_FATAL ANY
    COMMAND python3 ${PROJECT_SOURCE_DIR}/packaging/man_page.py $<TARGET_FILE:${program}>
    OUTPUT_FILE ${PROJECT_BINARY_DIR}/${program}.1)
    execute_process(COMMAND_ERROR_IS_FATAL ANY COMMAND gzip -9nf ${PROJECT_BINARY_DIR}/${program}.1)")
  install(FILES ${PROJECT_BINARY_DIR}/${program}.1.gz DESTINATION share/man/man1)
endforeach()
# What others made of it: a list (SPDX) and the notices.
set(made_of --name posewire --version ${PROJECT_VERSION} --build ${PROJECT_BINARY_DIR}
  --ninja ${CMAKE_MAKE_PROGRAM}
  --components ${PROJECT_BINARY_DIR}/services/renderer_sink/view/bundle/components.json
  --components ${PROJECT_BINARY_DIR}/characters/components.json)
foreach(program ${programs})
  list(APPEND made_of $<TARGET_FILE:${program}>)
endforeach()
string(REPLACE ";" " " made_of "${made_of}")
foreach(made IN ITEMS sbom:sbom.spdx.json notices:THIRD-PARTY-NOTICES)
  string(REGEX MATCH "(.*):(.*)" made ${made})
  install(CODE "execute_process(COMMAND_ERROR_IS_FATAL ANY
    COMMAND python3 ${PROJECT_SOURCE_DIR}/packaging/${CMAKE_MATCH_1}.py ${made_of}
    OUTPUT_FILE ${PROJECT_BINARY_DIR}/${CMAKE_MATCH_2})")
  install(FILES ${PROJECT_BINARY_DIR}/${CMAKE_MATCH_2} DESTINATION share/doc/posewire)
endforeach()
file(GLOB units ${PROJECT_SOURCE_DIR}/packaging/*.service)
install(FILES ${units} DESTINATION /lib/systemd/system)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/packaging/etc/ DESTINATION /etc/posewire)
# The voice server's own sources; what it needs is fetched by its `install`, when it is wanted.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/voices/kokoro DESTINATION share/posewire/voices
  USE_SOURCE_PERMISSIONS PATTERN __pycache__ EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docker/observe DESTINATION share/doc/posewire)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION share/doc/posewire RENAME copyright)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME posewire)
set(CPACK_PACKAGE_CONTACT "The authors of Posewire")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_SET_DESTDIR ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION video)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS passwd)
# Loaded by renderer_sink when it draws, called by it for films, and the authorities of https.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libosmesa6, ffmpeg, fonts-dejavu-core, ca-certificates")
# For the voice Kokoro.
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "python3-venv, npm")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(control ${PROJECT_SOURCE_DIR}/packaging/debian)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA
  "${control}/conffiles;${control}/postinst;${control}/postrm;${control}/prerm")
include(CPack)

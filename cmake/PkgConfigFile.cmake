# hardwire.pc twice: for the build tree (BUILD/hardwire.pc), and for `cmake --install`, with everything it points to.

set(PC_PREFIX "${CMAKE_SOURCE_DIR}")
set(PC_RUNTIME_DIR "\${prefix}/runtime")
set(PC_INCLUDE_DIR "\${prefix}/runtime/include")
set(PC_LLHTTP_INCLUDE_DIR "${LLHTTP_INCLUDE_DIR}")
set(PC_LLHTTP_LIBRARY_DIR "${LLHTTP_LIBRARY_DIR}")
configure_file("${CMAKE_SOURCE_DIR}/cmake/hardwire.pc.in" "${CMAKE_BINARY_DIR}/hardwire.pc" @ONLY)

# Relative to where it lies, so that `cmake --install --prefix` may choose another place.
string(REGEX REPLACE "[^/]+" ".." PC_PREFIX "${CMAKE_INSTALL_LIBDIR}")
set(PC_PREFIX "\${pcfiledir}/${PC_PREFIX}/..")
set(PC_RUNTIME_DIR "\${prefix}/${CMAKE_INSTALL_DATADIR}/hardwire/runtime")
set(PC_INCLUDE_DIR "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
if(NOT LLHTTP_FROM_SYSTEM)
    set(PC_LLHTTP_INCLUDE_DIR "\${prefix}/${CMAKE_INSTALL_DATADIR}/hardwire/llhttp/include")
    set(PC_LLHTTP_LIBRARY_DIR "\${prefix}/${CMAKE_INSTALL_LIBDIR}/hardwire")
    install(DIRECTORY "${HARDWIRE_LLHTTP_DIR}/include" DESTINATION "${CMAKE_INSTALL_DATADIR}/hardwire/llhttp")
    install(FILES "${HARDWIRE_LLHTTP_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DATADIR}/hardwire/llhttp")
    install(TARGETS llhttp ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}/hardwire")
endif()
configure_file("${CMAKE_SOURCE_DIR}/cmake/hardwire.pc.in" "${CMAKE_BINARY_DIR}/install/hardwire.pc" @ONLY)

install(FILES "${CMAKE_BINARY_DIR}/install/hardwire.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
install(DIRECTORY "${CMAKE_SOURCE_DIR}/runtime/include/hardwire" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
    FILES_MATCHING PATTERN "*.h")
install(DIRECTORY "${CMAKE_SOURCE_DIR}/runtime" DESTINATION "${CMAKE_INSTALL_DATADIR}/hardwire"
    FILES_MATCHING PATTERN "*.[ch]" PATTERN "include" EXCLUDE)
install(FILES "${CMAKE_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
if(TARGET hardwire)
    install(TARGETS hardwire RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()

# Finds llhttp, at least the version asked for: the system's libllhttp when it is new enough, else the C release in
# HARDWIRE_LLHTTP_DIR (./dev setup). An older one is refused: before 9.2 strict mode lets request smuggling through.
#
# Defines the target llhttp::llhttp and LLHTTP_VERSION, LLHTTP_INCLUDE_DIR, LLHTTP_LIBRARY_DIR, and
# LLHTTP_RELEASE_FILES: the files of the C release, which `hardwire generate --vendor` copies.

set(LLHTTP_RELEASE_FILES include/llhttp.h src/llhttp.c src/api.c src/http.c LICENSE LICENSE-MIT)

function(llhttp_version_read header result)
    set(version "")
    if(EXISTS "${header}")
        foreach(part MAJOR MINOR PATCH)
            file(STRINGS "${header}" line REGEX "^#define LLHTTP_VERSION_${part} +[0-9]+" LIMIT_COUNT 1)
            string(REGEX MATCH "[0-9]+$" number "${line}")
            list(APPEND version "${number}")
        endforeach()
        string(REPLACE ";" "." version "${version}")
    endif()
    set(${result} "${version}" PARENT_SCOPE)
endfunction()

pkg_check_modules(LLHTTP_PC QUIET libllhttp)
find_path(LLHTTP_SYSTEM_INCLUDE_DIR llhttp.h HINTS ${LLHTTP_PC_INCLUDE_DIRS})
find_library(LLHTTP_SYSTEM_LIBRARY llhttp HINTS ${LLHTTP_PC_LIBRARY_DIRS})
mark_as_advanced(LLHTTP_SYSTEM_INCLUDE_DIR LLHTTP_SYSTEM_LIBRARY)
llhttp_version_read("${LLHTTP_SYSTEM_INCLUDE_DIR}/llhttp.h" llhttp_system_version)
llhttp_version_read("${HARDWIRE_LLHTTP_DIR}/include/llhttp.h" llhttp_release_version)

foreach(file IN LISTS LLHTTP_RELEASE_FILES)
    if(NOT EXISTS "${HARDWIRE_LLHTTP_DIR}/${file}")
        message(FATAL_ERROR "llhttp's C release is incomplete: no ${HARDWIRE_LLHTTP_DIR}/${file}.\n"
            "`./dev setup` fetches it (hardwire generate --vendor needs it even where the system has a libllhttp).")
    endif()
endforeach()
if(llhttp_release_version VERSION_LESS LLHTTP_FIND_VERSION)
    message(FATAL_ERROR "${HARDWIRE_LLHTTP_DIR} holds llhttp ${llhttp_release_version}; "
        "${LLHTTP_FIND_VERSION} or newer is needed.")
endif()

if(LLHTTP_SYSTEM_LIBRARY AND llhttp_system_version AND llhttp_system_version VERSION_LESS LLHTTP_FIND_VERSION)
    message(STATUS "The system's llhttp ${llhttp_system_version} is too old and not used (${LLHTTP_SYSTEM_LIBRARY})")
endif()

if(LLHTTP_SYSTEM_LIBRARY AND llhttp_system_version VERSION_GREATER_EQUAL LLHTTP_FIND_VERSION)
    set(LLHTTP_VERSION "${llhttp_system_version}")
    set(LLHTTP_INCLUDE_DIR "${LLHTTP_SYSTEM_INCLUDE_DIR}")
    cmake_path(GET LLHTTP_SYSTEM_LIBRARY PARENT_PATH LLHTTP_LIBRARY_DIR)
    set(LLHTTP_FROM_SYSTEM TRUE)
    add_library(llhttp::llhttp UNKNOWN IMPORTED)
    set_target_properties(llhttp::llhttp PROPERTIES IMPORTED_LOCATION "${LLHTTP_SYSTEM_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${LLHTTP_INCLUDE_DIR}")
else()
    set(LLHTTP_VERSION "${llhttp_release_version}")
    set(LLHTTP_INCLUDE_DIR "${HARDWIRE_LLHTTP_DIR}/include")
    set(LLHTTP_LIBRARY_DIR "${CMAKE_BINARY_DIR}")
    set(LLHTTP_FROM_SYSTEM FALSE)
    add_library(llhttp STATIC "${HARDWIRE_LLHTTP_DIR}/src/llhttp.c" "${HARDWIRE_LLHTTP_DIR}/src/api.c"
        "${HARDWIRE_LLHTTP_DIR}/src/http.c")
    set_target_properties(llhttp PROPERTIES C_EXTENSIONS ON ARCHIVE_OUTPUT_DIRECTORY "${LLHTTP_LIBRARY_DIR}")
    target_include_directories(llhttp SYSTEM PUBLIC "${LLHTTP_INCLUDE_DIR}")
    add_library(llhttp::llhttp ALIAS llhttp)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LLHTTP REQUIRED_VARS LLHTTP_INCLUDE_DIR VERSION_VAR LLHTTP_VERSION)

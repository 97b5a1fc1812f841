# How the project's own C is compiled: warnings as errors, sanitizers, and the function that makes a stage's library.

# For our own sources only; third-party C (llhttp) is compiled without this target.
add_library(hardwire_compiling INTERFACE)
target_compile_options(hardwire_compiling INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes
    -Wmissing-prototypes -Werror)
target_compile_definitions(hardwire_compiling INTERFACE _GNU_SOURCE HARDWIRE_VERSION="${PROJECT_VERSION}")
# The contract headers come second: the memory budget and the list of methods are the runtime's.
target_include_directories(hardwire_compiling INTERFACE "${CMAKE_SOURCE_DIR}/gen" "${CMAKE_SOURCE_DIR}/runtime/include")

# The same flags compile the generator, llhttp and, through HW_TEST_CFLAGS, the servers that the tests build.
set(HARDWIRE_TEST_CFLAGS "-O1 -g")
if(HARDWIRE_SANITIZERS)
    set(HARDWIRE_SANITIZER_FLAGS "-fsanitize=${HARDWIRE_SANITIZERS} -fno-sanitize-recover=all -fno-omit-frame-pointer")
    string(APPEND CMAKE_C_FLAGS " ${HARDWIRE_SANITIZER_FLAGS}")
    string(APPEND HARDWIRE_TEST_CFLAGS " ${HARDWIRE_SANITIZER_FLAGS}")
endif()
if(HARDWIRE_FUZZ)
    string(APPEND CMAKE_C_FLAGS " -fsanitize=fuzzer-no-link")
endif()

# hardwire_library(NAME FOLDER [LIBRARY...]): a static library of all C files of one folder of gen/.
function(hardwire_library name folder)
    file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/${folder}/*.c")
    if(NOT sources)
        add_library(${name} INTERFACE)
        target_link_libraries(${name} INTERFACE ${ARGN})
        return()
    endif()
    add_library(${name} STATIC ${sources})
    target_link_libraries(${name} PUBLIC ${ARGN} PRIVATE hardwire_compiling)
endfunction()

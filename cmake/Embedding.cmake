# gen_embedded: the templates, the runtime and llhttp's C release as bytes inside the generator, so that the one
# executable needs no file of the repository to generate, --vendor included.

file(GLOB_RECURSE embedded_templates CONFIGURE_DEPENDS RELATIVE "${CMAKE_SOURCE_DIR}" "${CMAKE_SOURCE_DIR}/templates/*")
file(GLOB_RECURSE embedded_runtime CONFIGURE_DEPENDS RELATIVE "${CMAKE_SOURCE_DIR}" "${CMAKE_SOURCE_DIR}/runtime/*.[ch]")

set(embedded_pairs "")
set(embedded_files "")
foreach(file IN LISTS embedded_templates embedded_runtime)
    list(APPEND embedded_pairs "${file}=${CMAKE_SOURCE_DIR}/${file}")
    list(APPEND embedded_files "${CMAKE_SOURCE_DIR}/${file}")
endforeach()
foreach(file IN LISTS LLHTTP_RELEASE_FILES)
    list(APPEND embedded_pairs "llhttp/${file}=${HARDWIRE_LLHTTP_DIR}/${file}")
    list(APPEND embedded_files "${HARDWIRE_LLHTTP_DIR}/${file}")
endforeach()

add_executable(embed "${CMAKE_SOURCE_DIR}/gen/embed/embed.c")
target_link_libraries(embed PRIVATE hardwire_compiling gen_base)
add_custom_command(OUTPUT "${CMAKE_BINARY_DIR}/embedded.c"
    COMMAND embed "${CMAKE_BINARY_DIR}/embedded.c" ${embedded_pairs}
    DEPENDS embed ${embedded_files}
    COMMENT "Embedding templates, runtime and llhttp"
    VERBATIM)
add_library(gen_embedded STATIC "${CMAKE_BINARY_DIR}/embedded.c")
target_link_libraries(gen_embedded PRIVATE hardwire_compiling PUBLIC gen_base)

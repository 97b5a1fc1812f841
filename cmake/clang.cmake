# Toolchain: the newest clang there is, by the names that distributions give it.
find_program(HARDWIRE_CLANG NAMES clang-19 clang REQUIRED)
set(CMAKE_C_COMPILER "${HARDWIRE_CLANG}")

/* C text whose layout depends on its length: what a template cannot print and stay readable. In the repository's style:
 * 120 columns, arguments below each other behind their bracket. */
#ifndef GEN_EMIT_LAYOUT_H
#define GEN_EMIT_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/text.h"

#define LAYOUT_COLUMNS 120

/* "head(item, item)tail", broken behind a comma where a line would grow too long. */
struct text layout_call(struct arena *arena, struct text head, const struct text *items, size_t count,
                        const char *tail);

/* A string of a macro, quoted already: on lines of its own, broken behind ':', when it has more than `columns`. */
struct text layout_quoted(struct arena *arena, struct text quoted, size_t columns);

/* Bytes as character constants, for an array: what is longer than the longest string literal that ISO C promises. */
struct text layout_bytes(struct arena *arena, struct text bytes);

/* Numbers for an array, as many a line as fit. */
struct text layout_numbers(struct arena *arena, const uint32_t *numbers, size_t count);

/* A path where make reads a file's name, where a shell started by make does, and between the quotes of CMake. */
struct text layout_make_path(struct arena *arena, struct text path);
struct text layout_shell_path(struct arena *arena, struct text path);
struct text layout_cmake_path(struct arena *arena, struct text path);

/* Whether a path can be written in all three; make has no way to write some characters. */
bool layout_is_path_writable(struct text path);

#endif

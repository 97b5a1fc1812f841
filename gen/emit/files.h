/* Files and paths on disk. Every failure is told in one line. */
#ifndef GEN_EMIT_FILES_H
#define GEN_EMIT_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/text.h"

enum file_state {
    FILE_READ,
    FILE_MISSING,
    FILE_TOO_LARGE,
    FILE_FAILED /* `problem` says why; also for anything that is no regular file */
};

/* Reads a whole file of at most `size_max` bytes. Follows a symbolic link only if `follow`. */
enum file_state file_read(struct arena *arena, struct text path, size_t size_max, bool follow, struct text *bytes,
                          struct text *problem);

/* The folder part of a path: "." when it has none. */
struct text path_folder(struct arena *arena, struct text path);

/* "FOLDER/NAME", or NAME alone when the folder is "." or NAME is absolute. */
struct text path_join(struct arena *arena, struct text folder, struct text name);

/* Adds the segments of a path behind those that are there, each with a '/' before it, taking "." and ".." away. */
void path_segments_add(struct buffer *out, struct text path);

/* An absolute path without ".", ".." and symbolic links, as far as it exists; the rest is taken as it is written. */
bool path_canonical(struct arena *arena, struct text path, struct text *canonical, struct text *problem);

/* The way from one canonical folder to a canonical path: "../shop.c". */
struct text path_relative(struct arena *arena, struct text folder, struct text path);

/* "cannot write X: No space left on device", from errno. */
struct text problem_make(struct arena *arena, const char *verb, struct text path, int error);

#endif

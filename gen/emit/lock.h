/* hardwire.lock: what is known of an output folder between two runs. */
#ifndef GEN_EMIT_LOCK_H
#define GEN_EMIT_LOCK_H

#include <stdbool.h>

#include "base/map.h"
#include "emit/emit.h"

#define LOCK_NAME "hardwire.lock"

struct lock_file {
    struct text path;
    struct text hash;
};

struct lock {
    bool vendor;
    struct lock_file *files; /* in the order of the lock */
    size_t count;
    struct map by_path; /* -> struct lock_file */
};

/* The lock's text for these files, hardwire.lock itself not among them. */
struct text lock_format(struct arena *arena, const struct emit_request *request, const struct emit_output *output);

/* Reads a lock's text. Lines that it does not know are passed over: the lock of another version, or a damaged one, is
 * compared as text anyway. */
struct lock *lock_parse(struct arena *arena, struct text text);

/* The lock of an output folder; an empty one when there is none. False with one line in `problem` when it cannot be
 * read. */
bool lock_read(struct arena *arena, struct text folder, struct lock **lock, struct text *problem);

#endif

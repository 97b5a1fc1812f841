/* Memory that is freed all at once. Every stage of the generator takes from one arena a run; nothing is freed alone. */
#ifndef GEN_BASE_ARENA_H
#define GEN_BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

#include "base/text.h"

struct arena_block;

/* Zero it to begin; arena_free ends it. */
struct arena {
    struct arena_block *blocks;
    char *free;
    size_t left;
};

/* Zeroed memory, aligned for any type. Never NULL: without memory the process prints one line and exits with 2
 * (memory_exhausted). */
void *arena_take(struct arena *arena, size_t size);
void *arena_take_array(struct arena *arena, size_t count, size_t size);

/* A copy followed by a NUL that its size does not count. */
struct text arena_copy(struct arena *arena, struct text text);

/* printf into the arena, NUL behind. Use "%.*s" with TEXT_ARGS for a text. */
__attribute__((format(printf, 2, 3))) struct text arena_format(struct arena *arena, const char *format, ...);
struct text arena_vformat(struct arena *arena, const char *format, va_list arguments);
#define TEXT_ARGS(text) (int)(text).size, (text).bytes

void arena_free(struct arena *arena);

/* malloc, realloc that exit instead of returning NULL. */
void *memory_take(size_t size);
void *memory_resize(void *memory, size_t size);

#endif

/* A growing run of bytes. Zero it to begin; buffer_free ends it. Running out of memory ends the process (arena.h). */
#ifndef GEN_BASE_BUFFER_H
#define GEN_BASE_BUFFER_H

#include <stddef.h>

#include "base/text.h"

struct buffer {
    char *bytes; /* a NUL stands behind the last byte once anything was added */
    size_t size;
    size_t room;
};

void buffer_add(struct buffer *buffer, struct text text);
void buffer_add_char(struct buffer *buffer, char c);
__attribute__((format(printf, 2, 3))) void buffer_format(struct buffer *buffer, const char *format, ...);
void buffer_free(struct buffer *buffer);

static inline struct text buffer_text(const struct buffer *buffer)
{
    return (struct text){buffer->bytes == NULL ? "" : buffer->bytes, buffer->size};
}

#endif

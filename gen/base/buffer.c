#include "base/buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"

static void buffer_reserve(struct buffer *buffer, size_t more)
{
    size_t need = buffer->size + more + 1;
    if (need <= buffer->room)
        return;
    size_t room = buffer->room < 256 ? 256 : buffer->room;
    while (room < need)
        room *= 2;
    buffer->bytes = memory_resize(buffer->bytes, room);
    buffer->room = room;
}

void buffer_add(struct buffer *buffer, struct text text)
{
    buffer_reserve(buffer, text.size);
    if (text.size != 0)
        memcpy(buffer->bytes + buffer->size, text.bytes, text.size);
    buffer->size += text.size;
    buffer->bytes[buffer->size] = '\0';
}

void buffer_add_char(struct buffer *buffer, char c)
{
    buffer_add(buffer, (struct text){&c, 1});
}

void buffer_format(struct buffer *buffer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    va_list again;
    va_copy(again, arguments);
    int size = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (size > 0) {
        buffer_reserve(buffer, (size_t)size);
        vsnprintf(buffer->bytes + buffer->size, (size_t)size + 1, format, again);
        buffer->size += (size_t)size;
    }
    va_end(again);
}

void buffer_free(struct buffer *buffer)
{
    free(buffer->bytes);
    *buffer = (struct buffer){0};
}

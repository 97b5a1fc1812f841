#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ARENA_BLOCK_SIZE ((size_t)64 * 1024)

struct arena_block {
    struct arena_block *next;
    alignas(max_align_t) char bytes[];
};

static _Noreturn void memory_exhausted(void)
{
    static const char line[] = "hardwire: out of memory\n";
    if (write(STDERR_FILENO, line, sizeof line - 1) < 0)
        _exit(2);
    _exit(2);
}

void *memory_take(size_t size)
{
    void *memory = malloc(size == 0 ? 1 : size);
    if (memory == NULL)
        memory_exhausted();
    return memory;
}

void *memory_resize(void *memory, size_t size)
{
    void *resized = realloc(memory, size == 0 ? 1 : size);
    if (resized == NULL)
        memory_exhausted();
    return resized;
}

void *arena_take(struct arena *arena, size_t size)
{
    const size_t align = alignof(max_align_t);
    if (size > SIZE_MAX / 2)
        memory_exhausted();
    size = (size + align - 1) / align * align;
    if (size > arena->left) {
        size_t room = size > ARENA_BLOCK_SIZE ? size : ARENA_BLOCK_SIZE;
        struct arena_block *block = memory_take(sizeof *block + room);
        block->next = arena->blocks;
        arena->blocks = block;
        arena->free = block->bytes;
        arena->left = room;
    }
    void *taken = arena->free;
    arena->free += size;
    arena->left -= size;
    return memset(taken, 0, size);
}

void *arena_take_array(struct arena *arena, size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size)
        memory_exhausted();
    return arena_take(arena, count * size);
}

struct text arena_copy(struct arena *arena, struct text text)
{
    char *bytes = arena_take(arena, text.size + 1);
    if (text.size != 0)
        memcpy(bytes, text.bytes, text.size);
    return (struct text){bytes, text.size};
}

struct text arena_vformat(struct arena *arena, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int size = vsnprintf(NULL, 0, format, arguments);
    if (size < 0)
        memory_exhausted();
    char *bytes = arena_take(arena, (size_t)size + 1);
    vsnprintf(bytes, (size_t)size + 1, format, again);
    va_end(again);
    return (struct text){bytes, (size_t)size};
}

struct text arena_format(struct arena *arena, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    struct text text = arena_vformat(arena, format, arguments);
    va_end(arguments);
    return text;
}

void arena_free(struct arena *arena)
{
    while (arena->blocks != NULL) {
        struct arena_block *next = arena->blocks->next;
        free(arena->blocks);
        arena->blocks = next;
    }
    *arena = (struct arena){0};
}

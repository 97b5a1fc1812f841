/* Slices of bytes, the generator's strings. A text does not own its bytes and need not end with NUL. */
#ifndef GEN_BASE_TEXT_H
#define GEN_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct text {
    const char *bytes;
    size_t size;
};

/* A text of a string literal. */
#define TEXT(literal) ((struct text){(literal), sizeof(literal) - 1})

static inline struct text text_of(const char *string)
{
    return (struct text){string, strlen(string)};
}

static inline bool text_is_equal(struct text a, struct text b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.bytes, b.bytes, a.size) == 0);
}

static inline bool text_is(struct text a, const char *string)
{
    return text_is_equal(a, text_of(string));
}

/* Order by bytes, independent of any locale; a prefix comes first. */
static inline int text_compare(struct text a, struct text b)
{
    size_t size = a.size < b.size ? a.size : b.size;
    int order = size == 0 ? 0 : memcmp(a.bytes, b.bytes, size);
    if (order != 0)
        return order;
    return (a.size > b.size) - (a.size < b.size);
}

#endif

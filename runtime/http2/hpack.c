#include "http2/hpack.h"

#include <string.h>

#include "http/request.h"

/* ---- The heap. */

#define HW_H2_HEAP_UNIT 16u

static void hw_h2_heap_init(struct hw_h2_heap *heap, void *memory, size_t size)
{
    heap->free = memory;
    heap->free->size = size / HW_H2_HEAP_UNIT * HW_H2_HEAP_UNIT;
    heap->free->next = NULL;
    heap->is_short = false;
}

static void *hw_h2_heap_take(struct hw_h2_heap *heap, size_t size)
{
    size_t need = HW_ROUND_UP(size + sizeof(struct hw_h2_heap_block), HW_H2_HEAP_UNIT);
    struct hw_h2_heap_block **link = &heap->free;
    while (*link != NULL && (*link)->size < need)
        link = &(*link)->next;
    struct hw_h2_heap_block *block = *link;
    if (block == NULL || size > HW_H2_HPACK_SIZE) {
        heap->is_short = true;
        return NULL;
    }
    if (block->size - need < 2 * sizeof *block) { /* too little is left for another */
        *link = block->next;
    } else {
        struct hw_h2_heap_block *rest = (void *)((char *)block + need);
        rest->size = block->size - need;
        rest->next = block->next;
        *link = rest;
        block->size = need;
    }
    return block + 1;
}

/* Makes one of two free blocks that touch. */
static void hw_h2_heap_join(struct hw_h2_heap_block *block)
{
    struct hw_h2_heap_block *next = block->next;
    if ((char *)block + block->size != (char *)next)
        return;
    block->size += next->size;
    block->next = next->next;
}

static void hw_h2_heap_give(struct hw_h2_heap *heap, void *memory)
{
    if (memory == NULL)
        return;
    struct hw_h2_heap_block *block = (struct hw_h2_heap_block *)memory - 1;
    struct hw_h2_heap_block *before = NULL;
    struct hw_h2_heap_block *after = heap->free;
    while (after != NULL && after < block) {
        before = after;
        after = after->next;
    }
    block->next = after;
    if (before == NULL)
        heap->free = block;
    else
        before->next = block;
    hw_h2_heap_join(block);
    if (before != NULL)
        hw_h2_heap_join(before);
}

/* ---- The decoder. */

static void *hw_h2_mem_malloc(size_t size, void *heap)
{
    return hw_h2_heap_take(heap, size);
}

static void hw_h2_mem_free(void *memory, void *heap)
{
    hw_h2_heap_give(heap, memory);
}

static void *hw_h2_mem_calloc(size_t count, size_t size, void *heap)
{
    if (size != 0 && count > HW_H2_HPACK_SIZE / size)
        return NULL;
    void *memory = hw_h2_heap_take(heap, count * size);
    return memory == NULL ? NULL : memset(memory, 0, count * size);
}

static void *hw_h2_mem_realloc(void *memory, size_t size, void *heap)
{
    void *larger = hw_h2_heap_take(heap, size);
    if (larger == NULL || memory == NULL)
        return larger;
    size_t old = ((struct hw_h2_heap_block *)memory - 1)->size - sizeof(struct hw_h2_heap_block);
    memcpy(larger, memory, old < size ? old : size);
    hw_h2_heap_give(heap, memory);
    return larger;
}

static bool hw_h2_decoder_init(struct hw_h2_decoder *decoder, void *memory)
{
    hw_h2_heap_init(&decoder->heap, memory, HW_H2_HPACK_SIZE);
    decoder->mem = (nghttp2_mem){&decoder->heap, hw_h2_mem_malloc, hw_h2_mem_free, hw_h2_mem_calloc, hw_h2_mem_realloc};
    decoder->inflater = NULL;
    return nghttp2_hd_inflate_new2(&decoder->inflater, &decoder->mem) == 0;
}

static void hw_h2_decoder_end(struct hw_h2_decoder *decoder)
{
    if (decoder->inflater != NULL)
        nghttp2_hd_inflate_del(decoder->inflater);
    decoder->inflater = NULL;
}

/* ---- The encoder. */

/* An integer behind the first bits of a byte (RFC 7541 section 5.1). */
static char *hw_h2_integer_put(char *at, unsigned pattern, unsigned bits, size_t value)
{
    unsigned most = (1u << bits) - 1;
    if (value < most) {
        *at++ = (char)(pattern | value);
        return at;
    }
    *at++ = (char)(pattern | most);
    value -= most;
    while (value >= 128) {
        *at++ = (char)(value % 128 | 128);
        value /= 128;
    }
    *at++ = (char)value;
    return at;
}

static char *hw_h2_string_put(char *at, const char *text, size_t size)
{
    at = hw_h2_integer_put(at, 0, 7, size);
    memcpy(at, text, size);
    return at + size;
}

static char *hw_h2_status_put(char *at, unsigned status)
{
    static const uint16_t known[] = {200, 204, 206, 304, 400, 404, 500}; /* entries 8 to 14 */
    for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i] == status) {
            *at++ = (char)(0x80 | (8 + i));
            return at;
        }
    const char digits[] = {(char)('0' + status / 100), (char)('0' + status / 10 % 10), (char)('0' + status % 10)};
    return hw_h2_indexed_put(at, 8, digits, sizeof digits);
}

static char *hw_h2_indexed_put(char *at, unsigned index, const char *value, size_t size)
{
    return hw_h2_string_put(hw_h2_integer_put(at, 0, 4, index), value, size);
}

/* Names of answers that stand in the static table (RFC 7541 appendix A). */
static unsigned hw_h2_name_index(const char *name, size_t size)
{
    static const struct {
        const char *name;
        uint8_t size;
        uint8_t index;
    } known[] = {{"content-type", 12, 31}, {"set-cookie", 10, 55},  {"cache-control", 13, 24},
                 {"location", 8, 46},      {"allow", 5, 22},        {"etag", 4, 34},
                 {"vary", 4, 59},          {"retry-after", 11, 53}, {"last-modified", 13, 44}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (hw_name_is_equal(name, size, known[i].name, known[i].size))
            return known[i].index;
    return 0;
}

static char *hw_h2_field_put(char *at, const char *name, size_t name_size, const char *value, size_t value_size)
{
    unsigned index = hw_h2_name_index(name, name_size);
    if (index != 0)
        return hw_h2_indexed_put(at, index, value, value_size);
    *at++ = 0;
    at = hw_h2_integer_put(at, 0, 7, name_size);
    for (size_t i = 0; i < name_size; i++) {
        char c = name[i];
        *at++ = c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
    }
    return hw_h2_string_put(at, value, value_size);
}

/* Header compression (RFC 7541): nghttp2's decoder in a fixed piece of memory, and an encoder without state, which refers
 * to the static table and writes all else as literals that are not indexed. */
#ifndef HW_HTTP2_HPACK_H
#define HW_HTTP2_HPACK_H

#include <nghttp2/nghttp2.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hardwire/generated.h>

/* A heap in one block: what nghttp2 allocates for one connection. Blocks are cut from the front of a list of free ones
 * that is kept in the order of their addresses, and joined again when they are given back. Owned by the connection. */
struct hw_h2_heap_block {
    size_t size; /* with this head; a multiple of 16 */
    struct hw_h2_heap_block *next;
};

struct hw_h2_heap {
    struct hw_h2_heap_block *free;
    bool is_short; /* an allocation has failed */
};

static void hw_h2_heap_init(struct hw_h2_heap *heap, void *memory, size_t size);
static void *hw_h2_heap_take(struct hw_h2_heap *heap, size_t size);
static void hw_h2_heap_give(struct hw_h2_heap *heap, void *memory);

/* ---- The decoder. */

struct hw_h2_decoder {
    struct hw_h2_heap heap;
    nghttp2_mem mem;
    nghttp2_hd_inflater *inflater;
};

/* `memory`: HW_H2_HPACK_SIZE bytes, aligned to 16, that stay the caller's. False: not even the empty table fits. */
static bool hw_h2_decoder_init(struct hw_h2_decoder *decoder, void *memory);
static void hw_h2_decoder_end(struct hw_h2_decoder *decoder);

/* ---- The encoder: each writes to `at` and returns the place behind. */

/* A dynamic table size update to 0 (RFC 7541 section 6.3): at the beginning of the first block, so that whatever size the
 * client allows later needs no answer. */
#define HW_H2_TABLE_NONE "\x20"

/* At most this many bytes besides name and value. */
#define HW_H2_LITERAL_OVERHEAD 10u

static char *hw_h2_status_put(char *at, unsigned status);

/* A field whose name is entry `index` of the static table. */
static char *hw_h2_indexed_put(char *at, unsigned index, const char *value, size_t size);

/* Any field; the name becomes lower case. */
static char *hw_h2_field_put(char *at, const char *name, size_t name_size, const char *value, size_t value_size);

#endif

/* HTTP/1.1 message parsing (RFC 9112): llhttp in strict mode, and above it what llhttp leaves to its user. */
#ifndef HW_HTTP1_PARSE_H
#define HW_HTTP1_PARSE_H

#include <llhttp.h>

#include "http/exchange.h"

#if LLHTTP_VERSION_MAJOR < 9 || (LLHTTP_VERSION_MAJOR == 9 && LLHTTP_VERSION_MINOR < 2)
#error "llhttp 9.2 or newer is needed: older ones end a header at a bare CR and accept a space before the colon"
#endif

/* An exchange of an HTTP/1.1 connection: a block of the pool. Owned as its base is. */
struct hw_h1_exchange {
    struct hw_exchange base;
    llhttp_t parser;
    uint32_t in_size;       /* bytes in `in` */
    uint32_t head_at;       /* where this request begins */
    uint32_t parsed_at;     /* bytes of `in` that the parser has seen */
    uint32_t head_size;     /* 0 until the head is complete */
    uint32_t body_at;       /* decoded body bytes in `in`: from here ... */
    uint32_t body_end;      /* ... to here */
    uint64_t body_limit;    /* limits.body_size that holds for this request; set once its route is known */
    uint64_t body_left;     /* with Content-Length: what is still to come */
    uint64_t framing_bytes; /* chunked: bytes that were not data, and the number of chunks */
    uint64_t decoded_bytes; /* chunked: data so far */
    uint64_t chunk_count;
    uint32_t cookie_count;
    uint16_t refusal; /* the status that a callback decided on; 0: none */
    uint8_t host_count;
    uint8_t coding_count;   /* Transfer-Encoding fields */
    bool is_chunked_coding; /* the only one is `chunked` */
    bool expects_continue;
    bool is_head_done;
    bool is_body_done;
    bool wants_keep_alive; /* what the client and the limits allow; base.keep_alive says what the response will say */
    bool is_stream_open;   /* a stream handler was called and must be told how the body ends */
    char *slot;            /* of the body pool, or NULL; given back with the request */
    uint64_t slot_used;
    uint32_t nul_at; /* where a NUL was put behind a body in `in`, over a byte of the next request; 0: nowhere */
    char nul_over;
};

_Static_assert(sizeof(struct hw_h1_exchange) <= HW_EXCHANGE_SIZE, "HW_EXCHANGE_SIZE of hardwire/memory.h is too small");

enum hw_h1_parsed {
    HW_H1_MORE, /* not complete yet */
    HW_H1_DONE,
    HW_H1_REFUSED /* `refusal` says with which status; the connection cannot be used further */
};

/* Once a process: what llhttp calls. */
static void hw_h1_parse_init(void);

/* Before each request: the next one begins at in + head_at. */
static void hw_h1_parse_reset(struct hw_h1_exchange *exchange);

/* Parses the head as far as it has come, with every limit that acts before routing. When it is done, the request's
 * method, target, fields and host are set and checked, body_left or is_chunked_coding say what follows, and parsed_at is
 * behind the empty line. */
static enum hw_h1_parsed hw_h1_parse_head(struct hw_h1_exchange *exchange);

/* Decodes the chunks from parsed_at to in_size in place, to body_end; afterwards everything there was parsed, or the body
 * is done and the next request begins at parsed_at. */
static enum hw_h1_parsed hw_h1_parse_chunks(struct hw_h1_exchange *exchange);

#endif

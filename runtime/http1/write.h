/* HTTP/1.1 responses as bytes (RFC 9112 sections 4 to 7). */
#ifndef HW_HTTP1_WRITE_H
#define HW_HTTP1_WRITE_H

#include "http1/parse.h"

/* Bodies up to this size are copied behind their head: cheaper than a second element of a vector (measured). */
#define HW_BAKED_COPY_SIZE 4096u

/* The most bytes that a head needs without its fields. */
#define HW_H1_HEAD_SIZE 192u

/* Room that answers put one behind the other leave at the end of `out`, for an interim response and a refusal. */
#define HW_H1_SPARE_SIZE 1024u

/* struct hw_framing.head_write. */
static size_t hw_h1_head_write(struct hw_exchange *exchange, char *at, bool has_length, uint64_t length);

/* Puts a baked answer into `out`, its body by reference when it is large. False when `out` has no room: flush first. */
static bool hw_h1_baked_put(struct hw_exchange *exchange, const struct hw_baked *baked);

/* Puts "100 Continue". */
static void hw_h1_continue_put(struct hw_exchange *exchange);

/* Writes a whole response that closes the connection, for places where no exchange is at hand, without the body when it
 * answers HEAD; returns its size. */
static size_t hw_h1_plain_write(char *at, size_t room, unsigned status, const char *date, bool is_head);

#endif

/* What handlers send (hardwire/hardwire.h), composed in the exchange's `out`; and the server's own short answers.
 *
 * `out` is used in two ways. Answers of known length are put one behind the other from its start and leave together. A
 * stream makes a ring of it: out_head and out_tail count bytes, modulo its size, and the two sides may be two threads.
 */
#ifndef HW_HTTP_RESPONSE_H
#define HW_HTTP_RESPONSE_H

#include "http/exchange.h"

/* Answers with this status, and a line of text that says so. The IO thread, or the handler's. */
static void hw_response_status_send(struct hw_exchange *exchange, unsigned status);

/* Forgets what the response was to be, and answers with this status instead; 503 with Retry-After. The IO thread. */
static void hw_response_refusal_send(struct hw_exchange *exchange, unsigned status);

/* The registered name of an enum hw_method. */
static const char *hw_method_name(unsigned method);

/* Answers with the methods that a path has: 405, or 204 to OPTIONS (RFC 9110 sections 10.2.1 and 15.5.6). OPTIONS is
 * always among them. */
static void hw_response_allow_send(struct hw_exchange *exchange, unsigned status, uint32_t allow);

/* Answers with 308 to the path with '/' behind it, query included. */
static void hw_response_slash_send(struct hw_exchange *exchange);

/* After the handler is done: what it left undone. Ends a stream, answers 500 when nothing was sent. The IO thread. */
static void hw_response_complete(struct hw_exchange *exchange);

/* Bytes of the ring from `head` on that lie in one piece. */
static size_t hw_ring_span(size_t head, size_t tail, const char **bytes, const struct hw_exchange *exchange);

#endif

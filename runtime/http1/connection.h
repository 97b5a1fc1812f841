/* One HTTP/1.1 connection: reads requests, answers them in order, keeps every limit and timeout.
 *
 * A connection is in one state at a time; hw_h1_advance goes from state to state until it must wait for the client or for
 * a handler. Answers to requests that arrived together leave together: they are flushed before waiting, before a worker
 * gets the exchange, and when there is no room for one more.
 */
#ifndef HW_HTTP1_CONNECTION_H
#define HW_HTTP1_CONNECTION_H

#include "http/connection.h"
#include "http1/parse.h"

enum hw_h1_state {
    HW_H1_HEAD,    /* waits for a request or the rest of its head; `exchange` may be NULL */
    HW_H1_BODY,    /* waits for the rest of a body */
    HW_H1_RESPOND, /* the request is complete and is to be answered */
    HW_H1_PIECE,   /* a piece of a body is to be handed to a stream handler */
    HW_H1_LENT,    /* a worker has the exchange, or it is suspended */
    HW_H1_SEND,    /* the response is complete and must leave before anything else */
    HW_H1_CLOSE,   /* what is in `out` leaves, then the connection is closed */
    HW_H1_OVER     /* lingers or is closed; a lent exchange is still waited for */
};

struct hw_h1_connection {
    struct hw_connection base; /* first: the entry is either */
    struct hw_h1_exchange *exchange;
    uint64_t lent_until_ms; /* when a handler that has sent nothing yet is out of time; 0: it has begun to send */
    uint32_t request_count;
    uint8_t state;    /* enum hw_h1_state */
    bool must_linger; /* bytes of the client may be unread when the connection is closed */
    uint16_t stash_size;
    char stash[256]; /* a short unfinished head, while no exchange is held */
};

_Static_assert(sizeof(struct hw_h1_connection) <= HW_CONNECTION_SIZE,
               "HW_CONNECTION_SIZE of hardwire/memory.h is too small");

/* Goes on until the connection must wait. */
static void hw_h1_advance(struct hw_h1_connection *connection);

/* Gives back what the connection holds, and lingers. */
static void hw_h1_linger(struct hw_h1_connection *connection);

/* Refuses the request with this status and closes the connection afterwards. The first for requests in the state HEAD or
 * BODY, behind answers that have not left yet; the second when nothing is to be kept of the exchange. */
static void hw_h1_refuse(struct hw_h1_connection *connection, unsigned status);
static void hw_h1_refuse_plain(struct hw_h1_connection *connection, unsigned status);

/* Takes an exchange and puts the stashed bytes into it. False when there is none: the connection waits in line. */
static bool hw_h1_exchange_take(struct hw_h1_connection *connection);

/* Everything that the request held but the exchange itself. */
static void hw_h1_request_end(struct hw_h1_connection *connection);

/* Gives the exchange back; a stream handler that waits for more is told first. */
static void hw_h1_exchange_drop(struct hw_h1_connection *connection);

static const struct hw_framing hw_h1_framing;

#endif

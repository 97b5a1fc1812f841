/* One HTTP/1.1 connection: reads requests, answers them in order, keeps every limit and timeout.
 *
 * A connection is in one state at a time; hw_h1_advance goes from state to state until it must wait for the client or for
 * a handler. Answers to requests that arrived together leave together: they are flushed before waiting, before a worker
 * gets the exchange, and when there is no room for one more.
 */
#ifndef HW_HTTP1_CONNECTION_H
#define HW_HTTP1_CONNECTION_H

#include "core/pool.h"
#include "http1/parse.h"

enum hw_h1_state {
    HW_H1_HEAD,    /* waits for a request or the rest of its head; `exchange` may be NULL */
    HW_H1_BODY,    /* waits for the rest of a body */
    HW_H1_RESPOND, /* the request is complete and is to be answered */
    HW_H1_PIECE,   /* a piece of a body is to be handed to a stream handler */
    HW_H1_LENT,    /* a worker has the exchange, or it is suspended */
    HW_H1_SEND,    /* the response is complete and must leave before anything else */
    HW_H1_CLOSE,   /* what is in `out` leaves, then the connection is closed */
    HW_H1_LINGER,  /* everything has left; waits for the client to close first */
    HW_H1_CLOSED   /* no descriptor any more; the entry is free unless the exchange is lent */
};

/* What all HTTP/1.1 connections of one IO thread share. Owned by that thread; only the count of connections is shared
 * with the others. */
struct hw_h1 {
    struct hw_io_loop *loop;
    struct hw_pool connections;
    struct hw_pool exchanges;
    struct hw_pool bodies;  /* no blocks when no route reads bodies whole */
    struct hw_list all;     /* every connection that is not free */
    struct hw_list reading; /* those that hold an exchange and wait for the client's bytes, longest first */
    struct hw_list sending; /* those that wait for the client to take bytes, longest first */
    struct hw_list waiting; /* those that wait for an exchange */
    struct hw_list closed;  /* free at the end of this round */
    char *scratch;          /* HW_SCRATCH_SIZE bytes that unread bodies pass through */
    _Atomic uint32_t *connection_count;
    bool draining; /* each response is the last of its connection */
};

struct hw_h1_connection {
    struct hw_io_source source;
    struct hw_timer timer;
    struct hw_h1 *h1;
    struct hw_h1_exchange *exchange;
    struct hw_list all_node;
    struct hw_list node;    /* in reading, sending, waiting or closed */
    uint64_t progress_ms;   /* when the client last sent or took bytes */
    uint64_t since_ms;      /* when the current head began: the accept, or the first byte */
    uint64_t waiting_ms;    /* since when it waits for an exchange */
    uint64_t lent_until_ms; /* when a handler that has sent nothing yet is out of time; 0: it has begun to send */
    uint32_t watched;       /* the events asked of epoll */
    int queued;             /* while is_blocked: bytes that the kernel still held for the client at the last look */
    uint32_t request_count;
    uint8_t state;    /* enum hw_h1_state */
    bool is_blocked;  /* the socket takes no more bytes */
    bool must_linger; /* bytes of the client may be unread when the connection is closed */
    uint16_t stash_size;
    char stash[256]; /* a short unfinished head, while no exchange is held */
};

_Static_assert(sizeof(struct hw_h1_connection) <= HW_CONNECTION_SIZE,
               "HW_CONNECTION_SIZE of hardwire/memory.h is too small");

/* ---- For the thread that owns the connections. */

/* A connection that was accepted: takes the descriptor. False when the kernel cannot watch it; then it is closed. The
 * caller has counted it and made sure that the pool has an entry. */
static bool hw_h1_open(struct hw_h1 *h1, int fd);

/* At the end of each round: frees what was closed, gives exchanges to those that wait. Returns the milliseconds after
 * which it must be called again, or -1. */
static int hw_h1_round_end(struct hw_h1 *h1);

/* Lets requests in progress end and closes the rest; connections that have sent nothing yet get a second. */
static void hw_h1_drain(struct hw_h1 *h1);

/* Closes everything at once; exchanges that are lent come back later. */
static void hw_h1_cut(struct hw_h1 *h1);

/* ---- Between the files of this folder. */

/* Goes on until the connection must wait. */
static void hw_h1_advance(struct hw_h1_connection *connection);

/* Closes the descriptor at once and frees what nobody else holds. */
static void hw_h1_close(struct hw_h1_connection *connection);

/* Ends the sending side and waits for the client to close, so that what was sent last is not lost to a reset. */
static void hw_h1_linger(struct hw_h1_connection *connection);

/* Refuses the request with this status and closes the connection afterwards. The first for requests in the state HEAD or
 * BODY, behind answers that have not left yet; the second when nothing is to be kept of the exchange. */
static void hw_h1_refuse(struct hw_h1_connection *connection, unsigned status);
static void hw_h1_refuse_plain(struct hw_h1_connection *connection, unsigned status);

/* Asks epoll for these events. */
static void hw_h1_watch(struct hw_h1_connection *connection, uint32_t events);

/* Takes an exchange and puts the stashed bytes into it. When there is none: true after an idle one was made to give up
 * its own, else false, and the connection waits in line. */
static bool hw_h1_exchange_take(struct hw_h1_connection *connection);

/* Gives the exchange back; a stream handler that waits for more is told first. */
static void hw_h1_exchange_drop(struct hw_h1_connection *connection);

static const struct hw_framing hw_h1_framing;

#endif

/* One client's connection, whatever its protocol: the socket, its timer, its place in the thread's lists; and what all
 * connections of one IO thread share.
 *
 * Its `protocol` is told what happens. Which one it begins with says http/begin.c; HTTP/1.1: http1/connection.c; HTTP/2:
 * http2/connection.c.
 */
#ifndef HW_HTTP_CONNECTION_H
#define HW_HTTP_CONNECTION_H

#include <stdbool.h>
#include <stdint.h>

#include <hardwire/generated.h>

#include "core/list.h"
#include "core/pool.h"
#include "io/loop.h"
#include "io/stream.h"

/* What all connections of one IO thread share. Owned by that thread; only the count of connections is shared with the
 * others. */
struct hw_connections {
    struct hw_io_loop *loop;
    struct hw_pool entries;   /* HW_CONNECTION_SIZE each: struct hw_h1_connection or struct hw_h2_connection */
    struct hw_pool exchanges; /* HW_EXCHANGE_SIZE each */
    struct hw_pool bodies;    /* HW_BODY_SLOT_SIZE each; no blocks when no route reads bodies whole */
    struct hw_pool sessions;  /* HW_H2_SESSION_SIZE each, one for each entry; no blocks without HTTP/2 */
    struct hw_pool outs;      /* HW_H2_OUT_SIZE each; no blocks without HTTP/2 */
    struct hw_list all;       /* every connection that is not free */
    struct hw_list reading;   /* those that hold an exchange and wait for the client's bytes, longest first */
    struct hw_list sending;   /* those that wait for the client to take bytes, longest first */
    struct hw_list waiting;   /* those that wait for an exchange */
    struct hw_list closed;    /* free at the end of this round */
    char *scratch;            /* HW_SCRATCH_SIZE bytes that unread bodies and HTTP/2's frames pass through */
    _Atomic uint32_t *connection_count;
    bool draining; /* each response is the last of its connection */
};

struct hw_connection;

/* What a protocol does with its connections. Called on the connection's thread. */
struct hw_protocol {
    /* Bytes may be there (EPOLLIN) or may be sent (EPOLLOUT). An error or a hang-up of the socket does not come here: the
     * connection is closed. */
    void (*ready)(struct hw_connection *connection, uint32_t events);
    /* The timer has expired, and the connection is not blocked. */
    void (*expired)(struct hw_connection *connection);
    /* It stands first in `waiting`, and an exchange is there: take it and go on. */
    void (*served)(struct hw_connection *connection);
    /* It stood in `reading` and was silent longest: give the exchanges back, saying goodbye as the protocol does. */
    void (*evicted)(struct hw_connection *connection);
    /* The server drains: let requests in progress end, accept no more. */
    void (*drained)(struct hw_connection *connection);
    /* The descriptor was closed. Free what the connection holds; what is lent comes back later. True when the entry may
     * be freed now; else call hw_connection_free when it may. */
    bool (*closed)(struct hw_connection *connection);
};

struct hw_connection {
    struct hw_io_stream stream;
    struct hw_timer timer;
    struct hw_connections *owner;
    const struct hw_protocol *protocol;
    const struct hw_listener *listener;
    struct hw_list all_node;
    struct hw_list node;  /* in reading, sending, waiting or closed */
    uint64_t progress_ms; /* when the client last sent or took bytes */
    uint64_t since_ms;    /* the accept; protocols let it mean when the current head or body began */
    uint64_t waiting_ms;  /* since when it waits for an exchange */
    uint32_t write_ms;    /* while is_blocked: timeouts.write that holds */
    uint32_t watched;     /* the events asked of epoll */
    int queued;           /* while is_blocked: bytes that the kernel still held for the client at the last look */
    bool is_blocked;      /* the socket takes no more bytes; in `sending` */
    bool is_lingering;    /* our side has ended, the client's is waited for; the protocol has no part in it */
    bool is_closed;       /* no descriptor any more */
};

/* What connections that have sent nothing yet get when the server drains. */
#define HW_CONNECTION_DRAIN_MS 1000

/* ---- For the thread that owns the connections. */

/* Makes everything but pools and scratch. */
static void hw_connections_init(struct hw_connections *connections, struct hw_io_loop *loop,
                                _Atomic uint32_t *connection_count);

/* A connection that was accepted: takes the descriptor. False when the kernel cannot watch it or TLS cannot take it (errno
 * says: EAGAIN when tls.handshakes is reached); then it is closed. The caller has counted it and made sure that the pool
 * has an entry. */
static bool hw_connection_open(struct hw_connections *connections, int fd, const struct hw_listener *listener);

/* At the end of each round: frees what was closed, gives exchanges to those that wait. Returns the milliseconds after
 * which it must be called again, or -1. */
static int hw_connections_round_end(struct hw_connections *connections);

/* Lets requests in progress end and closes the rest. */
static void hw_connections_drain(struct hw_connections *connections);

/* Closes everything at once; exchanges that are lent come back later. */
static void hw_connections_cut(struct hw_connections *connections);

/* ---- For the protocols. */

/* Closes the descriptor at once; see struct hw_protocol.closed. */
static void hw_connection_close(struct hw_connection *connection);

/* Ends the sending side and waits for the client to close, so that what was sent last is not lost to a reset: what comes
 * is thrown away. The protocol holds nothing any more but what is lent. */
static void hw_connection_linger(struct hw_connection *connection);

/* The entry is free at the end of this round. */
static void hw_connection_free(struct hw_connection *connection);

/* Asks epoll for these events. EPOLLIN while TLS holds bytes that were not taken: `ready` is called in the next round. */
static void hw_connection_watch(struct hw_connection *connection, uint32_t events);

/* Sets the timer to a time of the loop's clock. */
static void hw_connection_timer_set(struct hw_connection *connection, uint64_t deadline_ms);

/* Puts the connection behind all others of one of the owner's lists. */
static void hw_connection_list(struct hw_connection *connection, struct hw_list *list);

/* An exchange or NULL. When there is none: makes the client that was silent longest give back its own, if it was silent
 * for long enough. */
static void *hw_connection_exchange_take(struct hw_connections *connections);

/* Makes the client that was silent longest give way. True when there are an exchange and a block for frames now. */
static bool hw_connections_evict(struct hw_connections *connections);

/* Puts the connection into `waiting`: `served` is called when there are an exchange and a block for frames. */
static void hw_connection_wait(struct hw_connection *connection);

/* The socket takes no more bytes: watches for EPOLLOUT, and looks from time to time whether the client takes bytes at all;
 * when it took none for `write_ms` the connection is closed. */
static void hw_connection_blocked(struct hw_connection *connection, uint32_t write_ms);

/* It takes bytes again: everything has left. */
static void hw_connection_unblocked(struct hw_connection *connection);

#endif

/* The sending half of a connection: from a complete request to its last byte on the socket. */
#ifndef HW_HTTP1_RESPOND_H
#define HW_HTTP1_RESPOND_H

#include "http1/connection.h"

/* Sends what is in `out`, and the borrowed body behind it. True when all of it has left. False: the socket takes no more
 * (EPOLLOUT is asked for, the write timeout runs), or the connection was closed. */
static bool hw_h1_flush(struct hw_h1_connection *connection);

/* True when bytes of the client wait in the socket: closing it would reset the connection, and what was sent last with
 * it. */
static bool hw_h1_has_unread(const struct hw_h1_connection *connection);

/* In the state RESPOND or PIECE: answers, or calls the handler. False when the connection must wait. */
static bool hw_h1_respond(struct hw_h1_connection *connection);

/* In the state SEND, when everything has left: on to the next request. */
static void hw_h1_next(struct hw_h1_connection *connection);

/* The connection waits for the client: flushes, gives the exchange back if it can, sets the timer. */
static void hw_h1_rest(struct hw_h1_connection *connection);

/* The timer of a blocked connection: closes it when the client has taken nothing for timeouts.write. */
static void hw_h1_write_look(struct hw_h1_connection *connection);

/* Whether the client of a blocked connection has taken bytes since the last look; then it is the last of `sending`. */
static bool hw_h1_is_taking(struct hw_h1_connection *connection);

#endif

/* The sending half of a connection: from a complete request to its last byte on the socket. */
#ifndef HW_HTTP1_RESPOND_H
#define HW_HTTP1_RESPOND_H

#include "http1/connection.h"

/* Sends what is in `out`, and the borrowed body behind it. True when all of it has left. False: the socket takes no more
 * (EPOLLOUT is asked for, the write timeout runs), or the connection was closed. */
static bool hw_h1_flush(struct hw_h1_connection *connection);

/* In the state RESPOND or PIECE: answers, or calls the handler. False when the connection must wait. */
static bool hw_h1_respond(struct hw_h1_connection *connection);

/* In the state SEND, when everything has left: on to the next request. */
static void hw_h1_next(struct hw_h1_connection *connection);

/* The connection waits for the client: flushes, gives the exchange back if it can, sets the timer. */
static void hw_h1_rest(struct hw_h1_connection *connection);

#endif

/* The receiving half of a connection: heads and bodies, from the socket to a complete request. */
#ifndef HW_HTTP1_RECEIVE_H
#define HW_HTTP1_RECEIVE_H

#include "http1/connection.h"

/* The socket is readable in the state HEAD or BODY: reads. False when there is nothing to go on with: the connection was
 * closed, waits, or is HTTP/2's now. */
static bool hw_h1_head_receive(struct hw_h1_connection *connection);
static bool hw_h1_body_receive(struct hw_h1_connection *connection);

/* Looks at the bytes that are there; false when more are needed. */
static bool hw_h1_head_step(struct hw_h1_connection *connection);
static bool hw_h1_body_step(struct hw_h1_connection *connection);

#endif

/* Which protocol a connection speaks: its listener's, or the one that ALPN chooses in a TLS handshake.
 *
 * A plain listener with both HTTP/1.1 and h2c begins with HTTP/1.1, which hands over when the first bytes are HTTP/2's
 * preface (http1/receive.c): so HTTP/1.1 needs no read of its own for the question.
 */
#ifndef HW_HTTP_BEGIN_H
#define HW_HTTP_BEGIN_H

#include "http/connection.h"

/* A connection was accepted and is watched for EPOLLIN; where its listener has TLS, hw_tls_begin was called. */
static void hw_connection_begin(struct hw_connection *connection);

/* ---- What the protocols' folders define. Each sets `protocol` and the timer; the connection may be closed afterwards. */

/* Makes an entry an HTTP/1.1 connection (http1/connection.c). */
static void hw_h1_begin(struct hw_connection *connection);

/* The client's first bytes of HTTP/2: its connection preface (RFC 9113 section 3.4). */
#define HW_H2_PREFACE "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
#define HW_H2_PREFACE_SIZE 24u

/* What is read at first where it may be HTTP/2: see http2/connection.h, HW_H2_WINDOW_FIRST. */
#define HW_H2_SPILL_SIZE (HW_BUFFERS_SIZE + HW_READ_SLACK_SIZE - HW_LIMITS_HEADER_SIZE - 512)

/* Makes an entry whose first `size` bytes were read already an HTTP/2 connection (http2/connection.c; http2/none.c in
 * servers without HTTP/2). The bytes stand in the owner's scratch: an exchange may be taken before all are read. */
static void hw_h2_begin(struct hw_connection *connection, const char *bytes, size_t size);

#endif

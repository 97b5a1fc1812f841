/* TLS by OpenSSL 3: contexts made at start, handshakes, what was negotiated. io/plain.c has the same functions for a
 * server without TLS.
 *
 * One SSL_CTX an identity (certificate and key) of a listener, shared by all threads; a reload makes new ones, and
 * connections keep the one they began with. Memory: all of OpenSSL's comes from one counted pool of HW_TLS_MEMORY_SIZE
 * bytes when our own main starts the server (hw_tls_memory_count); its hooks can be set only before OpenSSL's first use.
 */
#ifndef HW_IO_TLS_H
#define HW_IO_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hardwire/generated.h>

#include "io/stream.h"

/* Our own main, before anything else: OpenSSL's memory is counted and limited from here on. */
static void hw_tls_memory_count(void);

/* Reads certificates and keys of all listeners that have `tls`. Returns 0, or -1 with one line in `message`. */
static int hw_tls_start(char *message, size_t message_size);
static void hw_tls_stop(void);

/* Reads them again. When anything is wrong the old ones stay, and a line in the log says why. Any thread, one at a time. */
static void hw_tls_reload(void);

/* Begins a connection's TLS: false (errno ENOMEM) when the pool has no room for one more, or EAGAIN when
 * HW_TLS_HANDSHAKES are in progress. */
static bool hw_tls_begin(struct hw_io_stream *stream, const struct hw_listener *listener);

enum hw_tls_step {
    HW_TLS_WANTS_READ,
    HW_TLS_WANTS_WRITE,
    HW_TLS_DONE,
    HW_TLS_FAILED /* close: what the client is to be told has been sent */
};

/* Goes on with the handshake. */
static enum hw_tls_step hw_tls_handshake(struct hw_io_stream *stream);

/* After HW_TLS_DONE: the protocol that ALPN chose, one bit of enum hw_protocols. A client without ALPN gets HTTP/1.1 where the
 * listener has it; 0: none. */
static unsigned hw_tls_protocol(const struct hw_io_stream *stream, const struct hw_listener *listener);

/* The stream's part of these functions, for io/stream.h. */
static ssize_t hw_tls_receive(struct hw_io_stream *stream, void *bytes, size_t room);
static ssize_t hw_tls_send(struct hw_io_stream *stream, struct iovec *vector, int count);
static bool hw_tls_has_pending(const struct hw_io_stream *stream);
static bool hw_tls_shutdown(struct hw_io_stream *stream);
static void hw_tls_end(struct hw_io_stream *stream);

#endif

/* Bytes in and out of one socket, plain or through TLS (io/tls.c; io/plain.c in servers without TLS). */
#ifndef HW_IO_STREAM_H
#define HW_IO_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "io/loop.h"

struct ssl_st;

/* Stands in a connection. Owned by its IO thread. */
struct hw_io_stream {
    struct hw_io_source source;
    struct ssl_st *tls; /* NULL: plain */
};

/* As recv: the bytes received (with TLS at most one record's), 0 when the client has ended, -1 with errno; EAGAIN: nothing
 * is there. */
static ssize_t hw_io_receive(struct hw_io_stream *stream, void *bytes, size_t room);

/* As sendmsg without SIGPIPE: the bytes taken, or -1 with errno. With TLS, what follows after EAGAIN must begin with the
 * same bytes. */
static ssize_t hw_io_send(struct hw_io_stream *stream, struct iovec *vector, int count);

/* True when bytes were read from the socket but not yet handed out: epoll does not tell of them. */
static bool hw_io_has_pending(const struct hw_io_stream *stream);

/* True when the client has sent bytes that were not handed out. */
static bool hw_io_has_unread(struct hw_io_stream *stream);

/* Ends the sending side, with TLS after a close_notify. False when the client has gone. */
static bool hw_io_shutdown(struct hw_io_stream *stream);

/* Frees TLS's part and closes the descriptor. */
static void hw_io_close(struct hw_io_stream *stream);

#endif

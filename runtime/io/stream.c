#include "io/stream.h"

#include <sys/socket.h>
#include <unistd.h>

#include "io/tls.h"

static bool hw_io_is_tls(const struct hw_io_stream *stream)
{
    return HW_TLS && stream->tls != NULL;
}

static ssize_t hw_io_receive(struct hw_io_stream *stream, void *bytes, size_t room)
{
    return hw_io_is_tls(stream) ? hw_tls_receive(stream, bytes, room) : recv(stream->source.fd, bytes, room, 0);
}

static ssize_t hw_io_send(struct hw_io_stream *stream, struct iovec *vector, int count)
{
    if (hw_io_is_tls(stream))
        return hw_tls_send(stream, vector, count);
    if (count == 1) /* cheaper than sendmsg */
        return send(stream->source.fd, vector[0].iov_base, vector[0].iov_len, MSG_NOSIGNAL);
    struct msghdr message = {.msg_iov = vector, .msg_iovlen = (size_t)count};
    return sendmsg(stream->source.fd, &message, MSG_NOSIGNAL);
}

static bool hw_io_has_pending(const struct hw_io_stream *stream)
{
    return hw_io_is_tls(stream) && hw_tls_has_pending(stream);
}

static bool hw_io_has_unread(struct hw_io_stream *stream)
{
    char byte;
    return hw_io_has_pending(stream) || recv(stream->source.fd, &byte, 1, MSG_PEEK) > 0;
}

static bool hw_io_shutdown(struct hw_io_stream *stream)
{
    /* Whether the client hears the close_notify or not, the end is told. */
    bool is_told = !hw_io_is_tls(stream) || hw_tls_shutdown(stream);
    return shutdown(stream->source.fd, SHUT_WR) == 0 && is_told;
}

static void hw_io_close(struct hw_io_stream *stream)
{
    if (hw_io_is_tls(stream))
        hw_tls_end(stream);
    close(stream->source.fd); /* fails only for a descriptor that is not open */
    stream->source.fd = -1;   /* the loop passes over what it still has for it in this round */
}

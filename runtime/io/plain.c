/* io/tls.h for a server without TLS: no connection ever has it, and nothing of OpenSSL is linked. */
#include "io/tls.h"

/* Inline: a server inside a product does not call it. */
static inline void hw_tls_memory_count(void)
{
}

static int hw_tls_start(char *message, size_t message_size)
{
    (void)message;
    (void)message_size;
    return 0;
}

static void hw_tls_stop(void)
{
}

static void hw_tls_reload(void)
{
}

static bool hw_tls_begin(struct hw_io_stream *stream, const struct hw_listener *listener)
{
    (void)stream;
    (void)listener;
    return false;
}

static enum hw_tls_step hw_tls_handshake(struct hw_io_stream *stream)
{
    (void)stream;
    return HW_TLS_FAILED;
}

static unsigned hw_tls_protocol(const struct hw_io_stream *stream, const struct hw_listener *listener)
{
    (void)stream;
    (void)listener;
    return 0;
}

static ssize_t hw_tls_receive(struct hw_io_stream *stream, void *bytes, size_t room)
{
    (void)stream;
    (void)bytes;
    (void)room;
    return -1;
}

static ssize_t hw_tls_send(struct hw_io_stream *stream, struct iovec *vector, int count)
{
    (void)stream;
    (void)vector;
    (void)count;
    return -1;
}

static bool hw_tls_has_pending(const struct hw_io_stream *stream)
{
    (void)stream;
    return false;
}

static bool hw_tls_shutdown(struct hw_io_stream *stream)
{
    (void)stream;
    return false;
}

static void hw_tls_end(struct hw_io_stream *stream)
{
    (void)stream;
}

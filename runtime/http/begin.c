#include "http/begin.h"

#include <sys/epoll.h>

#include "io/tls.h"

static void hw_protocol_begin(struct hw_connection *connection, unsigned protocol)
{
    if (HW_HTTP2 && protocol == HW_PROTOCOL_HTTP2)
        hw_h2_begin(connection, NULL, 0);
    else
        hw_h1_begin(connection);
}

/* ---- The handshake: a protocol that holds nothing, and stands in no list. */

static void hw_handshake_done(struct hw_connection *connection)
{
    unsigned protocol = hw_tls_protocol(&connection->stream, connection->listener);
    if (protocol == 0) {
        hw_connection_close(connection);
        return;
    }
    hw_connection_watch(connection, EPOLLIN); /* the first request may have come with the end of the handshake */
    hw_protocol_begin(connection, protocol);
    if (connection->owner->draining && !connection->is_closed)
        connection->protocol->drained(connection);
}

static void hw_handshake_ready(struct hw_connection *connection, uint32_t events)
{
    (void)events;
    switch (hw_tls_handshake(&connection->stream)) {
    case HW_TLS_WANTS_READ:
        hw_connection_watch(connection, EPOLLIN);
        break;
    case HW_TLS_WANTS_WRITE:
        hw_connection_watch(connection, EPOLLOUT);
        break;
    case HW_TLS_DONE:
        hw_handshake_done(connection);
        break;
    default:
        hw_connection_close(connection);
    }
}

static void hw_handshake_drained(struct hw_connection *connection)
{
    hw_connection_timer_set(connection, connection->owner->loop->now_ms + HW_CONNECTION_DRAIN_MS);
}

static bool hw_handshake_closed(struct hw_connection *connection)
{
    (void)connection;
    return true;
}

static const struct hw_protocol hw_handshake_protocol = {
    .ready = hw_handshake_ready,
    .expired = hw_connection_close,
    .drained = hw_handshake_drained,
    .closed = hw_handshake_closed,
};

static void hw_connection_begin(struct hw_connection *connection)
{
    unsigned protocols = connection->listener->protocols;
    if (HW_TLS && connection->listener->tls != NULL) {
        connection->protocol = &hw_handshake_protocol;
        hw_connection_timer_set(connection, connection->since_ms + HW_TIMEOUTS_HANDSHAKE);
        return;
    }
    hw_protocol_begin(connection, (protocols & HW_PROTOCOL_HTTP1) != 0 ? HW_PROTOCOL_HTTP1 : HW_PROTOCOL_HTTP2);
}

#include "http1/connection.h"

#include <string.h>
#include <sys/epoll.h>

#include "http/begin.h"
#include "http/response.h"
#include "http1/receive.h"
#include "http1/respond.h"
#include "http1/write.h"

static struct hw_h1_connection *hw_h1_of(struct hw_connection *base)
{
    return HW_CONTAINER(base, struct hw_h1_connection, base);
}

/* ---- Exchanges. */

/* Waits in line for an exchange. One that was idle has begun its head now. */
static void hw_h1_exchange_await(struct hw_h1_connection *connection, bool has_waited)
{
    struct hw_connection *base = &connection->base;
    hw_connection_wait(base);
    if (!has_waited && connection->request_count > 0 && connection->stash_size == 0) {
        base->since_ms = base->waiting_ms;
        hw_connection_timer_set(base, base->since_ms + HW_TIMEOUTS_HEADER);
    }
}

static bool hw_h1_exchange_take(struct hw_h1_connection *connection)
{
    struct hw_connection *base = &connection->base;
    struct hw_h1_exchange *exchange = hw_connection_exchange_take(base->owner);
    bool has_waited = hw_list_is_in(&base->node);
    hw_list_remove(&base->node);
    if (exchange == NULL) {
        hw_h1_exchange_await(connection, has_waited);
        return false;
    }
    hw_exchange_init(&exchange->base, base->owner->loop, connection, &hw_h1_framing);
    exchange->slot = NULL;
    exchange->base.response.release = NULL;
    exchange->head_at = 0;
    exchange->in_size = connection->stash_size;
    memcpy(exchange->base.in, connection->stash, connection->stash_size);
    connection->stash_size = 0;
    hw_h1_parse_reset(exchange);
    connection->exchange = exchange;
    return true;
}

static void hw_h1_request_end(struct hw_h1_connection *connection)
{
    struct hw_h1_exchange *exchange = connection->exchange;
    hw_exchange_release(&exchange->base);
    if (exchange->nul_at != 0) {
        exchange->base.in[exchange->nul_at] = exchange->nul_over;
        exchange->nul_at = 0;
    }
    if (exchange->slot != NULL) {
        hw_pool_give(&connection->base.owner->bodies, exchange->slot);
        exchange->slot = NULL;
    }
}

static void hw_h1_exchange_give(struct hw_h1_connection *connection)
{
    struct hw_h1_exchange *exchange = connection->exchange;
    hw_h1_request_end(connection);
    connection->exchange = NULL;
    hw_exchange_end(&exchange->base);
    hw_pool_give(&connection->base.owner->exchanges, exchange);
}

static void hw_h1_exchange_drop(struct hw_h1_connection *connection)
{
    struct hw_h1_exchange *exchange = connection->exchange;
    if (exchange == NULL)
        return;
    if (exchange->base.is_lent) {
        hw_exchange_cancel(&exchange->base);
        return;
    }
    bool was_open = exchange->is_stream_open;
    exchange->is_stream_open = false;
    if (was_open && hw_exchange_abort(&exchange->base))
        return;
    hw_h1_exchange_give(connection);
}

/* ---- The end of a connection. */

/* struct hw_protocol.closed. */
static bool hw_h1_closed(struct hw_connection *base)
{
    struct hw_h1_connection *connection = hw_h1_of(base);
    connection->state = HW_H1_OVER;
    hw_h1_exchange_drop(connection);
    return connection->exchange == NULL;
}

static void hw_h1_linger(struct hw_h1_connection *connection)
{
    connection->state = HW_H1_OVER;
    hw_h1_exchange_drop(connection);
    hw_connection_linger(&connection->base);
}

/* Everything has left, and the connection does not stay. */
static void hw_h1_finish(struct hw_h1_connection *connection)
{
    struct hw_h1_exchange *exchange = connection->exchange;
    if (connection->must_linger || exchange->parsed_at < exchange->in_size ||
        hw_io_has_unread(&connection->base.stream))
        hw_h1_linger(connection);
    else
        hw_connection_close(&connection->base);
}

static void hw_h1_refuse_plain(struct hw_h1_connection *connection, unsigned status)
{
    char response[512];
    const struct hw_h1_exchange *exchange = connection->exchange;
    bool is_head = exchange != NULL && exchange->head_size > 0 && exchange->base.is_head;
    size_t size = hw_h1_plain_write(response, sizeof response, status, connection->base.owner->loop->date, is_head);
    struct iovec vector = {response, size};
    ssize_t sent = hw_io_send(&connection->base.stream, &vector, 1);
    (void)sent; /* a client that does not even take this much is not waited for */
    hw_h1_linger(connection);
}

static void hw_h1_refuse(struct hw_h1_connection *connection, unsigned status)
{
    struct hw_h1_exchange *exchange = connection->exchange;
    struct hw_exchange *base = &exchange->base;
    if (exchange->is_stream_open) { /* a stream handler has the response; nothing of an earlier one is unsent here */
        hw_h1_refuse_plain(connection, status);
        return;
    }
    base->keep_alive = false;
    base->is_head = base->request.method == HW_METHOD_HEAD && exchange->head_size > 0;
    base->request.minor = 1;
    hw_response_refusal_send(base, status);
    connection->must_linger = true;
    connection->state = HW_H1_CLOSE;
}

/* ---- Events. */

static void hw_h1_advance(struct hw_h1_connection *connection)
{
    for (;;) {
        switch (connection->state) {
        case HW_H1_HEAD:
            if (!hw_h1_head_step(connection)) {
                hw_h1_rest(connection);
                return;
            }
            break;
        case HW_H1_BODY:
            if (!hw_h1_body_step(connection)) {
                hw_h1_rest(connection);
                return;
            }
            break;
        case HW_H1_RESPOND:
        case HW_H1_PIECE:
            if (!hw_h1_respond(connection))
                return;
            break;
        case HW_H1_SEND:
            if (!hw_h1_flush(connection))
                return;
            hw_h1_next(connection);
            break;
        case HW_H1_CLOSE:
            if (hw_h1_flush(connection))
                hw_h1_finish(connection);
            return;
        default:
            return;
        }
    }
}

/* The timer of a lent exchange whose bytes have all left. */
static void hw_h1_lent_time(struct hw_h1_connection *connection)
{
    if (connection->lent_until_ms == 0)
        hw_wheel_clear(&connection->base.timer);
    else
        hw_connection_timer_set(&connection->base, connection->lent_until_ms);
}

/* The socket takes bytes again. */
static void hw_h1_unblocked(struct hw_h1_connection *connection)
{
    if (!hw_h1_flush(connection))
        return;
    if (connection->state != HW_H1_LENT) {
        hw_h1_advance(connection);
        return;
    }
    hw_connection_watch(&connection->base, 0);
    hw_h1_lent_time(connection);
    hw_exchange_room(&connection->exchange->base);
}

static void hw_h1_ready(struct hw_connection *base, uint32_t events)
{
    struct hw_h1_connection *connection = hw_h1_of(base);
    (void)events;
    if (base->is_blocked) {
        hw_h1_unblocked(connection);
        return;
    }
    switch (connection->state) {
    case HW_H1_HEAD:
        if (hw_h1_head_receive(connection))
            hw_h1_advance(connection);
        break;
    case HW_H1_BODY:
        if (hw_h1_body_receive(connection))
            hw_h1_advance(connection);
        break;
    default: /* the next request waits until this one is answered */
        hw_connection_watch(base, 0);
    }
}

/* A stream has put bytes into its ring. One that was cancelled learns it with its next piece. */
static void hw_h1_progressed(struct hw_h1_connection *connection)
{
    if (connection->state != HW_H1_LENT)
        return;
    connection->lent_until_ms = 0; /* it has begun: from here on it may take as long as it likes */
    if (connection->base.is_blocked || !hw_h1_flush(connection))
        return;
    hw_h1_lent_time(connection);
    hw_exchange_room(&connection->exchange->base);
}

/* struct hw_framing.returned. */
static void hw_h1_returned(struct hw_exchange *base, bool is_done)
{
    struct hw_h1_connection *connection = base->connection;
    if (!is_done) {
        hw_h1_progressed(connection);
        return;
    }
    if (connection->state != HW_H1_LENT) { /* the client was answered or has gone long ago */
        connection->exchange->is_stream_open = hw_exchange_wants_piece(base);
        hw_h1_exchange_drop(connection);
        if (connection->exchange == NULL && connection->base.is_closed)
            hw_connection_free(&connection->base);
        return;
    }
    hw_h1_responded(connection);
    if (!connection->base.is_blocked)
        hw_h1_advance(connection);
}

static const struct hw_framing hw_h1_framing = {
    .head_write = hw_h1_head_write,
    .head_size = HW_H1_HEAD_SIZE,
    .returned = hw_h1_returned,
};

static void hw_h1_expired(struct hw_connection *base)
{
    struct hw_h1_connection *connection = hw_h1_of(base);
    bool is_silent = connection->exchange == NULL && connection->stash_size == 0;
    switch (connection->state) {
    case HW_H1_HEAD:
        if (hw_list_is_in(&base->node) && connection->exchange == NULL)
            hw_h1_refuse_plain(connection, 503); /* it has waited for an exchange all the time */
        else if (is_silent)
            hw_connection_close(base);
        else
            hw_h1_refuse_plain(connection, 408);
        break;
    case HW_H1_BODY:
        hw_h1_refuse_plain(connection, 408);
        break;
    case HW_H1_LENT:
        hw_h1_refuse_plain(connection, 503);
        break;
    default:
        hw_connection_close(base);
    }
}

static void hw_h1_served(struct hw_connection *base)
{
    struct hw_h1_connection *connection = hw_h1_of(base);
    if (hw_h1_head_receive(connection))
        hw_h1_advance(connection);
}

static void hw_h1_evicted(struct hw_connection *base)
{
    hw_h1_refuse_plain(hw_h1_of(base), 408);
}

static void hw_h1_drained(struct hw_connection *base)
{
    struct hw_h1_connection *connection = hw_h1_of(base);
    if (connection->state != HW_H1_HEAD || connection->exchange != NULL || connection->stash_size > 0 ||
        hw_list_is_in(&base->node))
        return;
    if (connection->request_count == 0)
        hw_connection_timer_set(base, base->owner->loop->now_ms + HW_CONNECTION_DRAIN_MS);
    else
        hw_h1_served(base); /* a request may be there already */
}

static const struct hw_protocol hw_h1_protocol = {
    .ready = hw_h1_ready,
    .expired = hw_h1_expired,
    .served = hw_h1_served,
    .evicted = hw_h1_evicted,
    .drained = hw_h1_drained,
    .closed = hw_h1_closed,
};

static void hw_h1_begin(struct hw_connection *base)
{
    struct hw_h1_connection *connection = hw_h1_of(base);
    base->protocol = &hw_h1_protocol;
    connection->exchange = NULL;
    connection->request_count = 0;
    connection->state = HW_H1_HEAD;
    connection->must_linger = false;
    connection->stash_size = 0;
    hw_connection_timer_set(base, base->since_ms + HW_TIMEOUTS_HEADER);
}

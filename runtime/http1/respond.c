#include "http1/respond.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>

#include "core/log.h"
#include "http/dispatch.h"
#include "http/request.h"
#include "http/response.h"
#include "http1/write.h"

static uint32_t hw_h1_write_ms(const struct hw_h1_connection *connection)
{
    const struct hw_h1_exchange *exchange = connection->exchange;
    return exchange == NULL || exchange->base.route == NULL ? (uint32_t)HW_TIMEOUTS_WRITE
                                                            : exchange->base.route->write_ms;
}

/* ---- Sending. */

/* What is to be sent: up to two pieces of the ring and the borrowed body. */
static int hw_h1_vector(struct hw_exchange *exchange, size_t tail, struct iovec vector[3], size_t *ring_size)
{
    size_t head = atomic_load_explicit(&exchange->out_head, memory_order_relaxed);
    int count = 0;
    *ring_size = tail - head;
    while (head != tail) {
        const char *bytes;
        size_t size = hw_ring_span(head, tail, &bytes, exchange);
        vector[count++] = (struct iovec){exchange->out + (bytes - exchange->out), size};
        head += size;
    }
    if (!exchange->is_lent && exchange->response.borrowed_size > 0) {
        union {
            const char *given;
            void *base; /* an iovec is used to read too, and has no const */
        } body = {exchange->response.borrowed};
        vector[count++] = (struct iovec){body.base, exchange->response.borrowed_size};
    }
    return count;
}

static void hw_h1_sent(struct hw_exchange *exchange, size_t size, size_t ring_size)
{
    size_t of_ring = size < ring_size ? size : ring_size;
    atomic_fetch_add_explicit(&exchange->out_head, of_ring, memory_order_release);
    if (size > of_ring) {
        exchange->response.borrowed += size - of_ring;
        exchange->response.borrowed_size -= size - of_ring;
    }
}

static bool hw_h1_flush(struct hw_h1_connection *connection)
{
    struct hw_h1_exchange *exchange = connection->exchange;
    struct iovec vector[3];
    size_t ring_size;
    int count;
    if (exchange == NULL)
        return true;
    /* What a worker puts behind this has a mail of its own: a quick one must not keep the thread here. */
    size_t tail = atomic_load_explicit(&exchange->base.out_tail, memory_order_acquire);
    while ((count = hw_h1_vector(&exchange->base, tail, vector, &ring_size)) > 0) {
        ssize_t sent = hw_io_send(&connection->base.stream, vector, count);
        if (sent < 0 && errno == EAGAIN) {
            hw_connection_blocked(&connection->base, hw_h1_write_ms(connection));
            return false;
        }
        if (sent < 0 && errno != EINTR) {
            hw_connection_close(&connection->base);
            return false;
        }
        if (sent > 0) {
            hw_h1_sent(&exchange->base, (size_t)sent, ring_size);
            connection->base.progress_ms = connection->base.owner->loop->now_ms;
        }
    }
    if (connection->base.is_blocked)
        hw_connection_unblocked(&connection->base);
    if (!exchange->base.is_lent) {
        atomic_store_explicit(&exchange->base.out_head, 0, memory_order_relaxed);
        atomic_store_explicit(&exchange->base.out_tail, 0, memory_order_relaxed);
    }
    return true;
}

static bool hw_h1_out_is_above(const struct hw_exchange *base, size_t size)
{
    return atomic_load_explicit(&base->out_tail, memory_order_relaxed) > size;
}

/* Makes room in `out`: what is more than `most` bytes leaves first. False when the connection must wait for that. */
static bool hw_h1_room_make(struct hw_h1_connection *connection, size_t most)
{
    return !hw_h1_out_is_above(&connection->exchange->base, most) || hw_h1_flush(connection);
}

/* ---- Between requests. */

static void hw_h1_next(struct hw_h1_connection *connection)
{
    struct hw_h1_exchange *exchange = connection->exchange;
    hw_h1_request_end(connection);
    exchange->head_at = exchange->parsed_at;
    if (exchange->head_at == exchange->in_size) {
        exchange->head_at = 0;
        exchange->in_size = 0;
    }
    hw_h1_parse_reset(exchange);
    connection->state = HW_H1_HEAD;
    connection->base.since_ms = connection->base.owner->loop->now_ms;
    connection->base.progress_ms = connection->base.since_ms;
}

/* An unfinished head: a short one goes into the connection's own entry, a long one keeps the exchange. */
static void hw_h1_head_rest(struct hw_h1_connection *connection)
{
    struct hw_h1_exchange *exchange = connection->exchange;
    while (exchange->head_at < exchange->in_size &&
           (exchange->base.in[exchange->head_at] == '\r' || exchange->base.in[exchange->head_at] == '\n'))
        exchange->head_at++; /* empty lines before a request are nothing (RFC 9112 section 2.2) */
    size_t size = exchange->in_size - exchange->head_at;
    if (size <= sizeof connection->stash) {
        memcpy(connection->stash, exchange->base.in + exchange->head_at, size);
        hw_h1_exchange_drop(connection);
        connection->stash_size = (uint16_t)size;
        return;
    }
    if (exchange->head_at > 0) { /* behind pipelined requests: to the front, and parsed anew */
        memmove(exchange->base.in, exchange->base.in + exchange->head_at, size);
        exchange->head_at = 0;
        exchange->in_size = (uint32_t)size;
        hw_h1_parse_reset(exchange);
    }
    hw_connection_list(&connection->base, &connection->base.owner->reading);
}

static void hw_h1_rest(struct hw_h1_connection *connection)
{
    struct hw_connection *base = &connection->base;
    if (!hw_h1_flush(connection))
        return;
    uint64_t deadline_ms;
    if (connection->state == HW_H1_BODY) {
        const struct hw_route *route = connection->exchange->base.route;
        deadline_ms = base->since_ms + (route == NULL ? HW_TIMEOUTS_BODY : route->body_ms);
        hw_connection_list(base, &base->owner->reading);
    } else {
        if (connection->exchange != NULL)
            hw_h1_head_rest(connection);
        bool is_idle = connection->exchange == NULL && connection->stash_size == 0 && connection->request_count > 0;
        if (is_idle && base->owner->draining && !hw_io_has_unread(&base->stream)) {
            hw_connection_close(&connection->base);
            return;
        }
        deadline_ms = is_idle ? base->owner->loop->now_ms + HW_TIMEOUTS_IDLE : base->since_ms + HW_TIMEOUTS_HEADER;
    }
    hw_connection_timer_set(base, deadline_ms);
    hw_connection_watch(base, EPOLLIN);
}

/* ---- Responding. */

/* The body as handlers see it in mode memory. */
static void hw_h1_body_show(struct hw_h1_exchange *exchange)
{
    struct hw_exchange *base = &exchange->base;
    if (base->route->body_mode != HW_BODY_MEMORY || base->request.body_size == 0 || base->request.body != NULL)
        return; /* shown already: this is the second try, after a flush */
    if (exchange->slot != NULL) {
        exchange->slot[base->request.body_size] = '\0';
        base->request.body = exchange->slot;
        return;
    }
    uint32_t end = exchange->body_at + (uint32_t)base->request.body_size;
    exchange->nul_at = end;
    exchange->nul_over = base->in[end];
    base->in[end] = '\0';
    base->request.body = base->in + exchange->body_at;
}

/* The handler's side is done, or the server has answered by itself. */
static void hw_h1_responded(struct hw_h1_connection *connection)
{
    struct hw_h1_exchange *exchange = connection->exchange;
    struct hw_exchange *base = &exchange->base;
    base->response.is_suspended = false;
    exchange->is_stream_open = hw_exchange_wants_piece(base);
    if (exchange->is_stream_open) {
        connection->state = HW_H1_BODY;
        connection->base.progress_ms = connection->base.owner->loop->now_ms; /* not silent: it was not asked */
        return;
    }
    if (base->is_piece && base->piece.kind == HW_PIECE_DATA)
        connection->must_linger = true; /* answered before the body was read */
    if (base->response.state != HW_RESPONSE_SENT)
        hw_response_complete(base);
    if (!base->keep_alive)
        connection->state = HW_H1_CLOSE;
    else if (base->response.state == HW_RESPONSE_ENDED || base->response.borrowed_size > 0 ||
             hw_h1_out_is_above(base, HW_OUT_SIZE - HW_H1_SPARE_SIZE))
        connection->state = HW_H1_SEND;
    else
        hw_h1_next(connection);
}

/* The exchange is a worker's or a suspension's now: only a hang-up is of interest. */
static void hw_h1_lent(struct hw_h1_connection *connection)
{
    connection->state = HW_H1_LENT;
    connection->lent_until_ms = connection->base.owner->loop->now_ms + connection->exchange->base.route->handler_ms;
    hw_connection_timer_set(&connection->base, connection->lent_until_ms);
}

static bool hw_h1_worker_give(struct hw_h1_connection *connection)
{
    struct hw_exchange *base = &connection->exchange->base;
    if (!hw_h1_flush(connection)) /* `out` becomes the worker's */
        return false;
    if (hw_exchange_lend(base, connection->exchange->is_stream_open)) {
        hw_h1_lent(connection);
        return false;
    }
    hw_log(HW_LOG_WARNING, "503 for \"%s\": threads.queue is full", base->route->pattern);
    hw_field_add(&base->response, "Retry-After", "1");
    hw_response_status_send(base, 503);
    hw_h1_responded(connection);
    return true;
}

static bool hw_h1_handle(struct hw_h1_connection *connection)
{
    struct hw_h1_exchange *exchange = connection->exchange;
    bool is_last = !exchange->base.is_piece || exchange->base.piece.kind == HW_PIECE_LAST;
    exchange->base.keep_alive = exchange->wants_keep_alive && is_last && !connection->base.owner->draining;
    if (exchange->base.route->worker && HW_THREADS_WORKERS > 0)
        return hw_h1_worker_give(connection);
    /* Fields that the handler adds stand behind out_tail, which must be the same when it answers, pieces later. */
    if (!hw_h1_room_make(connection, is_last ? HW_COALESCE_SIZE : 0))
        return false;
    if (!hw_exchange_handle(&exchange->base)) {
        hw_h1_lent(connection);
        hw_h1_flush(connection); /* answers before this one, and the begin of its stream */
        return false;
    }
    hw_h1_responded(connection);
    return true;
}

static bool hw_h1_respond(struct hw_h1_connection *connection)
{
    struct hw_h1_exchange *exchange = connection->exchange;
    struct hw_exchange *base = &exchange->base;
    base->keep_alive = exchange->wants_keep_alive && !connection->base.owner->draining;
    if (base->route != NULL && base->route->baked != NULL) {
        if (!hw_h1_baked_put(base, base->route->baked)) {
            if (!hw_h1_flush(connection))
                return false;
            hw_h1_baked_put(base, base->route->baked); /* an empty `out` has room for any head and a copied body */
        }
        hw_h1_responded(connection);
        return true;
    }
    if (base->route != NULL) {
        if (base->route->body_mode == HW_BODY_STREAM && !base->is_piece) { /* no body at all */
            base->is_piece = true;
            base->piece = (struct hw_piece){"", 0, HW_PIECE_LAST};
        }
        if (connection->state == HW_H1_RESPOND)
            hw_h1_body_show(exchange);
        return hw_h1_handle(connection);
    }
    if (!hw_h1_room_make(connection, HW_COALESCE_SIZE))
        return false;
    memcpy(base->date, base->loop->date, HW_DATE_SIZE);
    hw_dispatch_verdict_send(base);
    hw_h1_responded(connection);
    return true;
}

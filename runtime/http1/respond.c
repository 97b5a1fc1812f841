#include "http1/respond.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "core/log.h"
#include "http/dispatch.h"
#include "http/request.h"
#include "http/response.h"
#include "http1/write.h"

/* How often a connection that takes no more bytes is looked at. The kernel reports room only when a third of its buffer
 * is free, for which a slow client may take longer than timeouts.write: what it takes meanwhile shows in the kernel's
 * queue alone. */
#define HW_H1_LOOK_SENDING_MS 500

static uint64_t hw_h1_write_ms(const struct hw_h1_connection *connection)
{
    const struct hw_h1_exchange *exchange = connection->exchange;
    return exchange == NULL || exchange->base.route == NULL ? HW_TIMEOUTS_WRITE : exchange->base.route->write_ms;
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

/* Sets the timer of a blocked connection for the next look, or for when its time is over. */
static void hw_h1_write_wait(struct hw_h1_connection *connection)
{
    struct hw_h1 *h1 = connection->h1;
    uint64_t look_ms = h1->loop->now_ms + HW_H1_LOOK_SENDING_MS;
    uint64_t over_ms = connection->progress_ms + hw_h1_write_ms(connection);
    hw_wheel_set(&h1->loop->wheel, &connection->timer, look_ms < over_ms ? look_ms : over_ms);
}

/* The client takes bytes, now or since the last look. */
static void hw_h1_write_progressed(struct hw_h1_connection *connection, int queued)
{
    struct hw_h1 *h1 = connection->h1;
    connection->queued = queued;
    connection->progress_ms = h1->loop->now_ms;
    hw_list_remove(&connection->node);
    hw_list_append(&h1->sending, &connection->node);
}

/* What the kernel holds for the client; 0 when it cannot say. */
static int hw_h1_queued(const struct hw_h1_connection *connection)
{
    int queued = 0;
    return ioctl(connection->source.fd, TIOCOUTQ, &queued) == 0 ? queued : 0;
}

static void hw_h1_blocked(struct hw_h1_connection *connection)
{
    connection->is_blocked = true;
    hw_h1_watch(connection, EPOLLOUT);
    hw_h1_write_progressed(connection, hw_h1_queued(connection));
    hw_h1_write_wait(connection);
}

static bool hw_h1_is_taking(struct hw_h1_connection *connection)
{
    int queued = hw_h1_queued(connection);
    if (queued >= connection->queued)
        return false;
    hw_h1_write_progressed(connection, queued);
    return true;
}

static void hw_h1_write_look(struct hw_h1_connection *connection)
{
    if (!hw_h1_is_taking(connection) &&
        connection->h1->loop->now_ms - connection->progress_ms >= hw_h1_write_ms(connection))
        hw_h1_close(connection);
    else
        hw_h1_write_wait(connection);
}

static ssize_t hw_h1_send(int fd, struct iovec *vector, int count)
{
    if (count == 1)
        return send(fd, vector[0].iov_base, vector[0].iov_len, MSG_NOSIGNAL);
    struct msghdr message = {.msg_iov = vector, .msg_iovlen = (size_t)count};
    return sendmsg(fd, &message, MSG_NOSIGNAL);
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
        ssize_t sent = hw_h1_send(connection->source.fd, vector, count);
        if (sent < 0 && errno == EAGAIN) {
            hw_h1_blocked(connection);
            return false;
        }
        if (sent < 0 && errno != EINTR) {
            hw_h1_close(connection);
            return false;
        }
        if (sent > 0) {
            hw_h1_sent(&exchange->base, (size_t)sent, ring_size);
            connection->progress_ms = connection->h1->loop->now_ms;
        }
    }
    if (connection->is_blocked) {
        connection->is_blocked = false;
        hw_list_remove(&connection->node);
    }
    if (!exchange->base.is_lent) {
        atomic_store_explicit(&exchange->base.out_head, 0, memory_order_relaxed);
        atomic_store_explicit(&exchange->base.out_tail, 0, memory_order_relaxed);
    }
    return true;
}

/* ---- Between requests. */

/* Everything that the request held but the exchange itself. */
static void hw_h1_request_end(struct hw_h1_connection *connection)
{
    struct hw_h1_exchange *exchange = connection->exchange;
    hw_exchange_release(&exchange->base);
    if (exchange->nul_at != 0)
        exchange->base.in[exchange->nul_at] = exchange->nul_over;
    exchange->nul_at = 0;
    if (exchange->slot != NULL)
        hw_pool_give(&connection->h1->bodies, exchange->slot);
    exchange->slot = NULL;
}

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
    connection->since_ms = connection->h1->loop->now_ms;
    connection->progress_ms = connection->since_ms;
}

/* An unfinished head: a short one goes into the connection's own entry, a long one keeps the exchange. */
static void hw_h1_head_rest(struct hw_h1_connection *connection)
{
    struct hw_h1 *h1 = connection->h1;
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
    hw_list_remove(&connection->node);
    hw_list_append(&h1->reading, &connection->node);
}

static bool hw_h1_has_unread(const struct hw_h1_connection *connection)
{
    char byte;
    return recv(connection->source.fd, &byte, 1, MSG_PEEK) > 0;
}

static void hw_h1_rest(struct hw_h1_connection *connection)
{
    struct hw_h1 *h1 = connection->h1;
    if (!hw_h1_flush(connection))
        return;
    uint64_t deadline_ms;
    if (connection->state == HW_H1_BODY) {
        const struct hw_route *route = connection->exchange->base.route;
        deadline_ms = connection->since_ms + (route == NULL ? HW_TIMEOUTS_BODY : route->body_ms);
        hw_list_remove(&connection->node);
        hw_list_append(&h1->reading, &connection->node);
    } else {
        if (connection->exchange != NULL)
            hw_h1_head_rest(connection);
        bool is_idle = connection->exchange == NULL && connection->stash_size == 0 && connection->request_count > 0;
        if (is_idle && h1->draining && !hw_h1_has_unread(connection)) {
            hw_h1_close(connection);
            return;
        }
        deadline_ms = is_idle ? h1->loop->now_ms + HW_TIMEOUTS_IDLE : connection->since_ms + HW_TIMEOUTS_HEADER;
    }
    hw_wheel_set(&h1->loop->wheel, &connection->timer, deadline_ms);
    hw_h1_watch(connection, EPOLLIN);
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
    if (base->is_piece && base->piece.kind == HW_PIECE_DATA) {
        exchange->is_stream_open = base->response.state == HW_RESPONSE_OPEN;
        if (exchange->is_stream_open) {
            connection->state = HW_H1_BODY;
            connection->progress_ms = connection->h1->loop->now_ms; /* the client was not silent: it was not asked */
            return;
        }
        connection->must_linger = true; /* answered before the body was read */
    }
    exchange->is_stream_open = false;
    if (base->response.state != HW_RESPONSE_SENT)
        hw_response_complete(base);
    if (!base->keep_alive)
        connection->state = HW_H1_CLOSE;
    else if (base->response.state == HW_RESPONSE_ENDED || base->response.borrowed_size > 0 ||
             atomic_load_explicit(&base->out_tail, memory_order_relaxed) > HW_OUT_SIZE - HW_H1_SPARE_SIZE)
        connection->state = HW_H1_SEND;
    else
        hw_h1_next(connection);
}

/* The exchange is a worker's or a suspension's now: only a hang-up is of interest. */
static void hw_h1_lent(struct hw_h1_connection *connection)
{
    struct hw_h1 *h1 = connection->h1;
    connection->state = HW_H1_LENT;
    connection->lent_until_ms = h1->loop->now_ms + connection->exchange->base.route->handler_ms;
    hw_wheel_set(&h1->loop->wheel, &connection->timer, connection->lent_until_ms);
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
    exchange->base.keep_alive = exchange->wants_keep_alive && is_last && !connection->h1->draining;
    if (exchange->base.route->worker && HW_THREADS_WORKERS > 0)
        return hw_h1_worker_give(connection);
    /* Fields that the handler adds stand behind out_tail, which must be the same when it answers, pieces later. */
    size_t room = is_last ? HW_COALESCE_SIZE : 0;
    if (atomic_load_explicit(&exchange->base.out_tail, memory_order_relaxed) > room && !hw_h1_flush(connection))
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
    base->keep_alive = exchange->wants_keep_alive && !connection->h1->draining;
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
    if (atomic_load_explicit(&base->out_tail, memory_order_relaxed) > HW_COALESCE_SIZE && !hw_h1_flush(connection))
        return false;
    memcpy(base->date, base->loop->date, HW_DATE_SIZE);
    hw_dispatch_verdict_send(base);
    hw_h1_responded(connection);
    return true;
}

#include "http1/connection.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "http/response.h"
#include "http1/receive.h"
#include "http1/respond.h"
#include "http1/write.h"

/* When no exchange is free, one whose client has been silent for this long is taken back. A client that is merely far
 * away is not: its next bytes come within a round trip. */
#define HW_H1_STALL_MS 250
#define HW_H1_STALL_SENDING_MS 2000

/* How long a connection may wait for an exchange while others are silent. The nearer it comes to that, the sooner one is
 * taken back: however many slow clients there are, a quick one does not wait much longer. */
#define HW_H1_WAIT_MS 400

/* How often waiting connections look again for such a one. */
#define HW_H1_LOOK_MS 20

/* What connections that have sent nothing yet get when the server drains. */
#define HW_H1_DRAIN_MS 1000

/* ---- Exchanges. */

static bool hw_h1_exchange_is_there(const struct hw_h1 *h1)
{
    return h1->exchanges.free != NULL || h1->exchanges.fresh != h1->exchanges.end;
}

/* The silence that is allowed just now, of at most `most_ms`. */
static uint64_t hw_h1_stall_ms(const struct hw_h1 *h1, uint64_t most_ms)
{
    if (hw_list_is_empty(&h1->waiting))
        return most_ms;
    const struct hw_h1_connection *first = HW_CONTAINER(h1->waiting.next, struct hw_h1_connection, node);
    uint64_t waited_ms = h1->loop->now_ms - first->waiting_ms;
    uint64_t left_ms = waited_ms >= HW_H1_WAIT_MS ? 0 : HW_H1_WAIT_MS - waited_ms;
    return 1 + most_ms * left_ms / HW_H1_WAIT_MS; /* never 0: who has just been heard of is not silent */
}

/* Takes the exchange of the client that has been silent longest. False when none is free now; one that a worker has
 * comes later. */
static bool hw_h1_evict(struct hw_h1 *h1)
{
    uint64_t now_ms = h1->loop->now_ms;
    if (!hw_list_is_empty(&h1->reading)) {
        struct hw_h1_connection *silent = HW_CONTAINER(h1->reading.next, struct hw_h1_connection, node);
        if (now_ms - silent->progress_ms >= hw_h1_stall_ms(h1, HW_H1_STALL_MS)) {
            hw_h1_refuse_plain(silent, 408);
            return hw_h1_exchange_is_there(h1);
        }
    }
    uint64_t stall_ms = hw_h1_stall_ms(h1, HW_H1_STALL_SENDING_MS);
    while (!hw_list_is_empty(&h1->sending)) {
        struct hw_h1_connection *silent = HW_CONTAINER(h1->sending.next, struct hw_h1_connection, node);
        if (now_ms - silent->progress_ms < stall_ms)
            break;
        if (hw_h1_is_taking(silent)) /* it is the last of the list now */
            continue;
        hw_h1_close(silent);
        return hw_h1_exchange_is_there(h1);
    }
    return false;
}

static bool hw_h1_exchange_take(struct hw_h1_connection *connection)
{
    struct hw_h1 *h1 = connection->h1;
    struct hw_h1_exchange *exchange = hw_pool_take(&h1->exchanges);
    if (exchange == NULL && hw_h1_evict(h1))
        exchange = hw_pool_take(&h1->exchanges);
    bool has_waited = hw_list_is_in(&connection->node);
    hw_list_remove(&connection->node);
    if (exchange == NULL) {
        hw_list_append(&h1->waiting, &connection->node);
        connection->waiting_ms = h1->loop->now_ms;
        hw_h1_watch(connection, 0);
        if (!has_waited && connection->request_count > 0 && connection->stash_size == 0) {
            connection->since_ms = h1->loop->now_ms; /* it was idle; now its head has begun */
            hw_wheel_set(&h1->loop->wheel, &connection->timer, connection->since_ms + HW_TIMEOUTS_HEADER);
        }
        return false;
    }
    hw_exchange_init(&exchange->base, h1->loop, connection, &hw_h1_framing);
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

static void hw_h1_exchange_give(struct hw_h1_connection *connection)
{
    struct hw_h1_exchange *exchange = connection->exchange;
    connection->exchange = NULL;
    exchange->nul_at = 0;
    if (exchange->slot != NULL)
        hw_pool_give(&connection->h1->bodies, exchange->slot);
    hw_exchange_end(&exchange->base);
    hw_pool_give(&connection->h1->exchanges, exchange);
}

/* Tells a stream handler that no more comes. True when that made a worker the owner. */
static bool hw_h1_stream_abort(struct hw_h1_exchange *exchange)
{
    struct hw_exchange *base = &exchange->base;
    exchange->is_stream_open = false;
    atomic_store(&base->cancelled, true); /* nothing that the handler sends now is wanted */
    base->response.is_suspended = false;  /* it may have been, with the piece before */
    base->is_piece = true;
    base->piece = (struct hw_piece){"", 0, HW_PIECE_ABORTED};
    if (base->route->worker && HW_THREADS_WORKERS > 0)
        return hw_exchange_lend(base, true);
    return !hw_exchange_handle(base);
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
    if (exchange->is_stream_open && hw_h1_stream_abort(exchange))
        return;
    hw_h1_exchange_give(connection);
}

/* ---- The end of a connection. */

static void hw_h1_free_later(struct hw_h1_connection *connection)
{
    hw_list_remove(&connection->node);
    hw_list_append(&connection->h1->closed, &connection->node);
}

static void hw_h1_close(struct hw_h1_connection *connection)
{
    if (connection->state == HW_H1_CLOSED)
        return;
    close(connection->source.fd);
    connection->source.fd = -1;
    connection->state = HW_H1_CLOSED;
    hw_wheel_clear(&connection->timer);
    hw_list_remove(&connection->node);
    hw_h1_exchange_drop(connection);
    if (connection->exchange == NULL)
        hw_h1_free_later(connection);
}

static void hw_h1_linger(struct hw_h1_connection *connection)
{
    struct hw_h1 *h1 = connection->h1;
    hw_list_remove(&connection->node);
    hw_h1_exchange_drop(connection);
    if (shutdown(connection->source.fd, SHUT_WR) != 0) {
        hw_h1_close(connection); /* the client has gone */
        return;
    }
    connection->state = HW_H1_LINGER;
    connection->is_blocked = false;
    hw_wheel_set(&h1->loop->wheel, &connection->timer, h1->loop->now_ms + HW_TIMEOUTS_LINGER);
    hw_h1_watch(connection, EPOLLIN);
}

/* Everything has left, and the connection does not stay. */
static void hw_h1_finish(struct hw_h1_connection *connection)
{
    struct hw_h1_exchange *exchange = connection->exchange;
    if (connection->must_linger || exchange->parsed_at < exchange->in_size || hw_h1_has_unread(connection))
        hw_h1_linger(connection);
    else
        hw_h1_close(connection);
}

static void hw_h1_refuse_plain(struct hw_h1_connection *connection, unsigned status)
{
    char response[512];
    const struct hw_h1_exchange *exchange = connection->exchange;
    bool is_head = exchange != NULL && exchange->head_size > 0 && exchange->base.is_head;
    size_t size = hw_h1_plain_write(response, sizeof response, status, connection->h1->loop->date, is_head);
    ssize_t sent = send(connection->source.fd, response, size, MSG_NOSIGNAL);
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
    base->response = (struct hw_response){.state = HW_RESPONSE_OPEN};
    base->keep_alive = false;
    base->is_head = base->request.method == HW_METHOD_HEAD && exchange->head_size > 0;
    base->request.minor = 1;
    memcpy(base->date, base->loop->date, HW_DATE_SIZE);
    if (status == 503)
        hw_field_add(&base->response, "Retry-After", "1");
    hw_response_status_send(base, status);
    connection->must_linger = true;
    connection->state = HW_H1_CLOSE;
}

/* ---- Events. */

static void hw_h1_watch(struct hw_h1_connection *connection, uint32_t events)
{
    if (connection->watched == events || connection->source.fd < 0)
        return;
    connection->watched = events;
    hw_io_rewatch(connection->h1->loop, &connection->source, events);
}

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

static void hw_h1_linger_read(struct hw_h1_connection *connection)
{
    ssize_t size = recv(connection->source.fd, connection->h1->scratch, HW_SCRATCH_SIZE, 0);
    if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR))
        hw_h1_close(connection);
}

/* The timer of a lent exchange whose bytes have all left. */
static void hw_h1_lent_time(struct hw_h1_connection *connection)
{
    if (connection->lent_until_ms == 0)
        hw_wheel_clear(&connection->timer);
    else
        hw_wheel_set(&connection->h1->loop->wheel, &connection->timer, connection->lent_until_ms);
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
    hw_h1_watch(connection, 0);
    hw_h1_lent_time(connection);
    hw_exchange_room(&connection->exchange->base);
}

static void hw_h1_ready(struct hw_io_source *source, uint32_t events)
{
    struct hw_h1_connection *connection = HW_CONTAINER(source, struct hw_h1_connection, source);
    /* While it lingers both sides may have ended: what is unread still has to be read, or closing resets. */
    bool is_ended = (events & EPOLLHUP) != 0 && connection->state != HW_H1_LINGER;
    if (is_ended || (events & EPOLLERR) != 0) {
        hw_h1_close(connection);
        return;
    }
    if (connection->is_blocked) {
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
    case HW_H1_LINGER:
        hw_h1_linger_read(connection);
        break;
    default: /* the next request waits until this one is answered */
        hw_h1_watch(connection, 0);
    }
}

/* A stream has put bytes into its ring. One that was cancelled learns it with its next piece. */
static void hw_h1_progressed(struct hw_h1_connection *connection)
{
    if (connection->state != HW_H1_LENT)
        return;
    connection->lent_until_ms = 0; /* it has begun: from here on it may take as long as it likes */
    if (connection->is_blocked || !hw_h1_flush(connection))
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
        connection->exchange->is_stream_open =
            base->is_piece && base->piece.kind == HW_PIECE_DATA && base->response.state == HW_RESPONSE_OPEN;
        hw_h1_exchange_drop(connection);
        if (connection->exchange == NULL && connection->state == HW_H1_CLOSED)
            hw_h1_free_later(connection);
        return;
    }
    hw_h1_responded(connection);
    if (!connection->is_blocked)
        hw_h1_advance(connection);
}

static const struct hw_framing hw_h1_framing = {
    .head_write = hw_h1_head_write,
    .head_size = HW_H1_HEAD_SIZE,
    .returned = hw_h1_returned,
};

static void hw_h1_expired(struct hw_timer *timer)
{
    struct hw_h1_connection *connection = HW_CONTAINER(timer, struct hw_h1_connection, timer);
    bool is_silent = connection->exchange == NULL && connection->stash_size == 0;
    if (connection->is_blocked) {
        hw_h1_write_look(connection);
        return;
    }
    switch (connection->state) {
    case HW_H1_HEAD:
        if (hw_list_is_in(&connection->node) && connection->exchange == NULL)
            hw_h1_refuse_plain(connection, 503); /* it has waited for an exchange all the time */
        else if (is_silent)
            hw_h1_close(connection);
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
        hw_h1_close(connection);
    }
}

/* ---- The whole. */

static bool hw_h1_open(struct hw_h1 *h1, int fd)
{
    struct hw_h1_connection *connection = hw_pool_take(&h1->connections);
    uint64_t now_ms = h1->loop->now_ms;
    *connection = (struct hw_h1_connection){
        .source = {.ready = hw_h1_ready, .fd = fd},
        .timer = {.expired = hw_h1_expired},
        .h1 = h1,
        .progress_ms = now_ms,
        .since_ms = now_ms,
        .watched = EPOLLIN,
        .state = HW_H1_HEAD,
    };
    if (!hw_io_watch(h1->loop, &connection->source, EPOLLIN)) {
        close(fd);
        hw_pool_give(&h1->connections, connection);
        return false;
    }
    hw_list_append(&h1->all, &connection->all_node);
    hw_wheel_set(&h1->loop->wheel, &connection->timer, now_ms + HW_TIMEOUTS_HEADER);
    return true;
}

static void hw_h1_closed_free(struct hw_h1 *h1)
{
    while (!hw_list_is_empty(&h1->closed)) {
        struct hw_h1_connection *connection = HW_CONTAINER(h1->closed.next, struct hw_h1_connection, node);
        hw_list_remove(&connection->node);
        hw_list_remove(&connection->all_node);
        hw_pool_give(&h1->connections, connection);
        atomic_fetch_sub(h1->connection_count, 1);
    }
}

static bool hw_h1_exchange_is_free(struct hw_h1 *h1)
{
    return hw_h1_exchange_is_there(h1) || hw_h1_evict(h1);
}

static int hw_h1_round_end(struct hw_h1 *h1)
{
    while (!hw_list_is_empty(&h1->waiting) && hw_h1_exchange_is_free(h1)) {
        struct hw_h1_connection *connection = HW_CONTAINER(h1->waiting.next, struct hw_h1_connection, node);
        if (hw_h1_head_receive(connection))
            hw_h1_advance(connection);
    }
    hw_h1_closed_free(h1);
    return hw_list_is_empty(&h1->waiting) ? -1 : HW_H1_LOOK_MS;
}

static void hw_h1_drain(struct hw_h1 *h1)
{
    h1->draining = true;
    for (struct hw_list *node = h1->all.next; node != &h1->all; node = node->next) {
        struct hw_h1_connection *connection = HW_CONTAINER(node, struct hw_h1_connection, all_node);
        if (connection->state != HW_H1_HEAD || connection->exchange != NULL || connection->stash_size > 0 ||
            hw_list_is_in(&connection->node))
            continue;
        if (connection->request_count > 0 && hw_h1_head_receive(connection)) /* a request may be there already */
            hw_h1_advance(connection);
        else if (connection->request_count == 0)
            hw_wheel_set(&h1->loop->wheel, &connection->timer, h1->loop->now_ms + HW_H1_DRAIN_MS);
    }
}

static void hw_h1_cut(struct hw_h1 *h1)
{
    for (struct hw_list *node = h1->all.next; node != &h1->all; node = node->next)
        hw_h1_close(HW_CONTAINER(node, struct hw_h1_connection, all_node));
}

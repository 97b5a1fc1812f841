#include "http/connection.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>

#include "http/begin.h"
#include "io/tls.h"

/* When no exchange is free, one whose client has been silent for this long is taken back. A client that is merely far
 * away is not: its next bytes come within a round trip. */
#define HW_CONNECTION_STALL_MS 250
#define HW_CONNECTION_STALL_SENDING_MS 2000

/* How long a connection may wait for an exchange while others are silent. The nearer it comes to that, the sooner one is
 * taken back: however many slow clients there are, a quick one does not wait much longer. */
#define HW_CONNECTION_WAIT_MS 400

/* How often waiting connections look again for such a one. */
#define HW_CONNECTION_LOOK_MS 20

/* How often a connection that takes no more bytes is looked at. The kernel reports room only when a third of its buffer
 * is free, for which a slow client may take longer than timeouts.write: what it takes meanwhile shows in the kernel's
 * queue alone. */
#define HW_CONNECTION_LOOK_SENDING_MS 500

static struct hw_connection *hw_connection_first(const struct hw_list *list)
{
    return HW_CONTAINER(list->next, struct hw_connection, node);
}

static void hw_connection_timer_set(struct hw_connection *connection, uint64_t deadline_ms)
{
    hw_wheel_set(&connection->owner->loop->wheel, &connection->timer, deadline_ms);
}

static void hw_connection_list(struct hw_connection *connection, struct hw_list *list)
{
    hw_list_move(list, &connection->node);
}

static void hw_connection_watch(struct hw_connection *connection, uint32_t events)
{
    struct hw_io_source *source = &connection->stream.source;
    if (connection->is_closed)
        return;
    if (HW_TLS) {
        hw_list_remove(&source->again);
        if ((events & EPOLLIN) != 0 && hw_io_has_pending(&connection->stream))
            hw_io_again(connection->owner->loop, source);
    }
    if (connection->watched == events)
        return;
    connection->watched = events;
    hw_io_rewatch(connection->owner->loop, source, events);
}

/* ---- The end of a connection. */

static void hw_connection_free(struct hw_connection *connection)
{
    hw_connection_list(connection, &connection->owner->closed);
}

static void hw_connection_close(struct hw_connection *connection)
{
    if (connection->is_closed)
        return;
    connection->is_closed = true;
    if (HW_TLS)
        hw_list_remove(&connection->stream.source.again);
    hw_io_close(&connection->stream);
    hw_wheel_clear(&connection->timer);
    hw_list_remove(&connection->node);
    if (connection->protocol->closed(connection))
        hw_connection_free(connection);
}

static void hw_connection_linger(struct hw_connection *connection)
{
    hw_list_remove(&connection->node);
    if (!hw_io_shutdown(&connection->stream)) {
        hw_connection_close(connection);
        return;
    }
    connection->is_lingering = true;
    connection->is_blocked = false;
    hw_connection_timer_set(connection, connection->owner->loop->now_ms + HW_TIMEOUTS_LINGER);
    hw_connection_watch(connection, EPOLLIN);
}

static void hw_connection_linger_read(struct hw_connection *connection)
{
    ssize_t size = hw_io_receive(&connection->stream, connection->owner->scratch, HW_SCRATCH_SIZE);
    if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR))
        hw_connection_close(connection);
    else
        hw_connection_watch(connection, EPOLLIN);
}

/* ---- Waiting until the client takes bytes. */

/* Sets the timer of a blocked connection for the next look, or for when its time is over. */
static void hw_connection_write_wait(struct hw_connection *connection)
{
    uint64_t look_ms = connection->owner->loop->now_ms + HW_CONNECTION_LOOK_SENDING_MS;
    uint64_t over_ms = connection->progress_ms + connection->write_ms;
    hw_connection_timer_set(connection, look_ms < over_ms ? look_ms : over_ms);
}

/* The client takes bytes, now or since the last look. */
static void hw_connection_write_progressed(struct hw_connection *connection, int queued)
{
    connection->queued = queued;
    connection->progress_ms = connection->owner->loop->now_ms;
    hw_connection_list(connection, &connection->owner->sending);
}

/* What the kernel holds for the client; 0 when it cannot say. */
static int hw_connection_queued(const struct hw_connection *connection)
{
    int queued = 0;
    return ioctl(connection->stream.source.fd, TIOCOUTQ, &queued) == 0 ? queued : 0;
}

static void hw_connection_blocked(struct hw_connection *connection, uint32_t write_ms)
{
    connection->is_blocked = true;
    connection->write_ms = write_ms;
    hw_connection_watch(connection, EPOLLOUT);
    hw_connection_write_progressed(connection, hw_connection_queued(connection));
    hw_connection_write_wait(connection);
}

static void hw_connection_unblocked(struct hw_connection *connection)
{
    connection->is_blocked = false;
    hw_list_remove(&connection->node);
}

/* Whether the client of a blocked connection has taken bytes since the last look; then it is the last of `sending`. */
static bool hw_connection_is_taking(struct hw_connection *connection)
{
    int queued = hw_connection_queued(connection);
    if (queued >= connection->queued)
        return false;
    hw_connection_write_progressed(connection, queued);
    return true;
}

/* The timer of a blocked connection: closes it when the client has taken nothing for write_ms. */
static void hw_connection_write_look(struct hw_connection *connection)
{
    if (!hw_connection_is_taking(connection) &&
        connection->owner->loop->now_ms - connection->progress_ms >= connection->write_ms)
        hw_connection_close(connection);
    else
        hw_connection_write_wait(connection);
}

/* ---- Exchanges. */

/* What a waiting connection needs. */
static bool hw_connections_exchange_is_there(const struct hw_connections *connections)
{
    return hw_pool_has_block(&connections->exchanges) && (!HW_HTTP2 || hw_pool_has_block(&connections->outs));
}

/* The silence that is allowed just now, of at most `most_ms`. */
static uint64_t hw_connections_stall_ms(const struct hw_connections *connections, uint64_t most_ms)
{
    if (hw_list_is_empty(&connections->waiting))
        return most_ms;
    uint64_t waited_ms = connections->loop->now_ms - hw_connection_first(&connections->waiting)->waiting_ms;
    uint64_t left_ms = waited_ms >= HW_CONNECTION_WAIT_MS ? 0 : HW_CONNECTION_WAIT_MS - waited_ms;
    return 1 + most_ms * left_ms / HW_CONNECTION_WAIT_MS; /* never 0: who has just been heard of is not silent */
}

/* Takes the exchange of the client that has been silent longest. False when none is free now; one that a worker has
 * comes later. */
static bool hw_connections_evict(struct hw_connections *connections)
{
    uint64_t now_ms = connections->loop->now_ms;
    if (!hw_list_is_empty(&connections->reading)) {
        struct hw_connection *silent = hw_connection_first(&connections->reading);
        if (now_ms - silent->progress_ms >= hw_connections_stall_ms(connections, HW_CONNECTION_STALL_MS)) {
            silent->protocol->evicted(silent);
            return hw_connections_exchange_is_there(connections);
        }
    }
    uint64_t stall_ms = hw_connections_stall_ms(connections, HW_CONNECTION_STALL_SENDING_MS);
    while (!hw_list_is_empty(&connections->sending)) {
        struct hw_connection *silent = hw_connection_first(&connections->sending);
        if (now_ms - silent->progress_ms < stall_ms)
            break;
        if (hw_connection_is_taking(silent)) /* it is the last of the list now */
            continue;
        hw_connection_close(silent);
        return hw_connections_exchange_is_there(connections);
    }
    return false;
}

static void *hw_connection_exchange_take(struct hw_connections *connections)
{
    void *exchange = hw_pool_take(&connections->exchanges);
    if (exchange == NULL && hw_connections_evict(connections))
        exchange = hw_pool_take(&connections->exchanges);
    return exchange;
}

static void hw_connection_wait(struct hw_connection *connection)
{
    connection->waiting_ms = connection->owner->loop->now_ms;
    hw_connection_list(connection, &connection->owner->waiting);
    hw_connection_watch(connection, 0);
}

/* ---- Events. */

static void hw_connection_ready(struct hw_io_source *source, uint32_t events)
{
    struct hw_connection *connection = HW_CONTAINER(source, struct hw_connection, stream.source);
    /* While it lingers both sides may have ended: what is unread still has to be read, or closing resets. */
    bool is_ended = (events & EPOLLHUP) != 0 && !connection->is_lingering;
    if (is_ended || (events & EPOLLERR) != 0)
        hw_connection_close(connection);
    else if (connection->is_lingering)
        hw_connection_linger_read(connection);
    else
        connection->protocol->ready(connection, events);
}

static void hw_connection_expired(struct hw_timer *timer)
{
    struct hw_connection *connection = HW_CONTAINER(timer, struct hw_connection, timer);
    if (connection->is_blocked)
        hw_connection_write_look(connection);
    else if (connection->is_lingering)
        hw_connection_close(connection);
    else
        connection->protocol->expired(connection);
}

/* ---- The whole. */

static void hw_connections_init(struct hw_connections *connections, struct hw_io_loop *loop,
                                _Atomic uint32_t *connection_count)
{
    connections->loop = loop;
    connections->connection_count = connection_count;
    connections->draining = false;
    hw_list_init(&connections->all);
    hw_list_init(&connections->reading);
    hw_list_init(&connections->sending);
    hw_list_init(&connections->waiting);
    hw_list_init(&connections->closed);
}

static bool hw_connection_open(struct hw_connections *connections, int fd, const struct hw_listener *listener)
{
    struct hw_connection *connection = hw_pool_take(&connections->entries);
    uint64_t now_ms = connections->loop->now_ms;
    *connection = (struct hw_connection){
        .stream = {.source = {.ready = hw_connection_ready, .fd = fd}},
        .timer = {.expired = hw_connection_expired},
        .owner = connections,
        .listener = listener,
        .progress_ms = now_ms,
        .since_ms = now_ms,
        .watched = EPOLLIN,
    };
    bool is_secure = HW_TLS && listener->tls != NULL;
    if ((is_secure && !hw_tls_begin(&connection->stream, listener)) ||
        !hw_io_watch(connections->loop, &connection->stream.source, EPOLLIN)) {
        int error = errno;
        hw_io_close(&connection->stream);
        hw_pool_give(&connections->entries, connection);
        errno = error;
        return false;
    }
    hw_list_append(&connections->all, &connection->all_node);
    hw_connection_begin(connection);
    return true;
}

static void hw_connections_closed_free(struct hw_connections *connections)
{
    while (!hw_list_is_empty(&connections->closed)) {
        struct hw_connection *connection = hw_connection_first(&connections->closed);
        hw_list_remove(&connection->node);
        hw_list_remove(&connection->all_node);
        hw_pool_give(&connections->entries, connection);
        atomic_fetch_sub(connections->connection_count, 1);
    }
}

static int hw_connections_round_end(struct hw_connections *connections)
{
    while (!hw_list_is_empty(&connections->waiting) &&
           (hw_connections_exchange_is_there(connections) || hw_connections_evict(connections))) {
        struct hw_connection *connection = hw_connection_first(&connections->waiting);
        connection->protocol->served(connection);
    }
    hw_connections_closed_free(connections);
    return hw_list_is_empty(&connections->waiting) ? -1 : HW_CONNECTION_LOOK_MS;
}

static void hw_connections_drain(struct hw_connections *connections)
{
    connections->draining = true;
    for (struct hw_list *node = connections->all.next; node != &connections->all; node = node->next) {
        struct hw_connection *connection = HW_CONTAINER(node, struct hw_connection, all_node);
        if (!connection->is_lingering && !connection->is_closed)
            connection->protocol->drained(connection);
    }
}

static void hw_connections_cut(struct hw_connections *connections)
{
    for (struct hw_list *node = connections->all.next; node != &connections->all; node = node->next)
        hw_connection_close(HW_CONTAINER(node, struct hw_connection, all_node));
}

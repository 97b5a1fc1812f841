#include "http2/connection.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>

#include "core/log.h"

/* How often a connection with streams looks for those whose time is over. */
#define HW_H2_LOOK_MS 250

/* How long a client that is told of the end may go on sending requests, if it does not answer the ping before. */
#define HW_H2_DRAIN_MS 1000

/* Reads that one event may do before other connections have their turn, and times that `out` is filled. */
#define HW_H2_READS 4
#define HW_H2_SENDS 16

static const char hw_h2_drain_ping[] = "drained?";

static struct hw_h2_connection *hw_h2_of(struct hw_connection *base)
{
    return HW_CONTAINER(base, struct hw_h2_connection, base);
}

static uint64_t hw_h2_now(const struct hw_h2_connection *connection)
{
    return connection->base.owner->loop->now_ms;
}

/* ---- Begin and end. */

static bool hw_h2_out_take(struct hw_h2_connection *connection)
{
    struct hw_h2_session *session = connection->session;
    if (session->out != NULL)
        return true;
    hw_list_remove(&connection->base.node); /* who needs one is not the one to give way */
    session->out = hw_pool_take(&connection->base.owner->outs);
    if (session->out == NULL && hw_connections_evict(connection->base.owner))
        session->out = hw_pool_take(&connection->base.owner->outs);
    session->out_head = 0;
    session->out_tail = 0;
    return session->out != NULL;
}

static void hw_h2_out_give(struct hw_h2_connection *connection)
{
    struct hw_h2_session *session = connection->session;
    if (session->out != NULL)
        hw_pool_give(&connection->base.owner->outs, session->out);
    session->out = NULL;
    session->out_head = 0;
    session->out_tail = 0;
}

static void hw_h2_goaway_put(struct hw_h2_connection *connection, uint32_t last_id, enum hw_h2_error error)
{
    char *at = hw_h2_out_put(connection, HW_H2_HEAD_SIZE + 8);
    at = hw_h2_frame_put(at, 8, HW_H2_GOAWAY, 0, 0);
    hw_h2_u32_put(hw_h2_u32_put(at, last_id), error);
}

static void hw_h2_fail(struct hw_h2_connection *connection, enum hw_h2_error error, const char *why)
{
    struct hw_h2_session *session = connection->session;
    if (session->is_ending)
        return;
    enum hw_log_level level = error == HW_H2_ENHANCE_YOUR_CALM ? HW_LOG_WARNING : HW_LOG_DEBUG;
    hw_log(level, "an HTTP/2 connection is ended with error %d: %s", (int)error, why);
    hw_h2_goaway_put(connection, session->last_id, error);
    session->is_ending = true;
    session->step = HW_H2_AT_END;
}

static void hw_h2_go(struct hw_h2_connection *connection)
{
    struct hw_h2_session *session = connection->session;
    session->is_draining = false;
    if (session->is_going || session->is_ending)
        return;
    hw_h2_goaway_put(connection, session->last_id, HW_H2_NO_ERROR);
    session->is_going = true;
}

/* Everything that streams hold goes back; what is lent comes home later. */
static void hw_h2_streams_end(struct hw_h2_connection *connection)
{
    struct hw_h2_session *session = connection->session;
    for (size_t i = 0; i < HW_HTTP2_STREAMS && session->count > 0; i++)
        if (session->streams[i].id != 0 && session->streams[i].state != HW_H2_GONE)
            hw_h2_stream_end(connection, &session->streams[i]);
    if (session->building != NULL)
        hw_h2_exchange_give(connection, session->building);
    session->building = NULL;
}

/* Gives the session back, once nothing is lent any more. */
static bool hw_h2_session_end(struct hw_h2_connection *connection)
{
    struct hw_h2_session *session = connection->session;
    if (session->held > 0)
        return false;
    hw_h2_decoder_end(&session->decoder);
    hw_pool_give(&connection->base.owner->sessions, session);
    connection->session = NULL;
    return true;
}

/* Everything has left. */
static void hw_h2_linger(struct hw_h2_connection *connection)
{
    struct hw_connection *base = &connection->base;
    hw_h2_streams_end(connection);
    hw_h2_out_give(connection);
    hw_connection_linger(base);
}

/* ---- Sending and waiting. */

/* Sends what is in `out`; false when the socket takes no more or the connection was closed. */
static bool hw_h2_flush(struct hw_h2_connection *connection)
{
    struct hw_connection *base = &connection->base;
    struct hw_h2_session *session = connection->session;
    while (session->out_head < session->out_tail) {
        struct iovec vector = {session->out + session->out_head, session->out_tail - session->out_head};
        ssize_t sent = hw_io_send(&base->stream, &vector, 1);
        if (sent < 0 && errno == EAGAIN) {
            hw_connection_blocked(base, HW_TIMEOUTS_WRITE);
            return false;
        }
        if (sent < 0 && errno != EINTR) {
            hw_connection_close(base);
            return false;
        }
        if (sent > 0) {
            session->out_head += (uint32_t)sent;
            base->progress_ms = hw_h2_now(connection);
        }
    }
    session->out_head = 0;
    session->out_tail = 0;
    if (base->is_blocked)
        hw_connection_unblocked(base);
    return true;
}

/* Where a connection that waits stands: those that hold exchanges for silent clients may be asked to give them back. */
static void hw_h2_list(struct hw_h2_connection *connection)
{
    struct hw_connection *base = &connection->base;
    struct hw_h2_session *session = connection->session;
    bool reads = session->building != NULL;
    bool sends = false;
    for (size_t i = 0; i < HW_HTTP2_STREAMS && session->held > 0; i++) {
        const struct hw_h2_stream *stream = &session->streams[i];
        if (stream->id == 0 || stream->exchange == NULL)
            continue;
        reads = reads || stream->state == HW_H2_BODY;
        sends = sends || stream->state == HW_H2_RESPOND;
    }
    if (reads)
        hw_connection_list(base, &base->owner->reading);
    else if (sends)
        hw_connection_list(base, &base->owner->sending);
    else
        hw_list_remove(&base->node);
}

static void hw_h2_timer_set(struct hw_h2_connection *connection)
{
    const struct hw_h2_session *session = connection->session;
    uint64_t now_ms = hw_h2_now(connection);
    bool looks =
        session->count > 0 || session->block != HW_H2_BLOCK_NONE || session->request_count == 0 || session->is_draining;
    const struct hw_timer *timer = &connection->base.timer;
    bool is_set = hw_list_is_in(&timer->node) && timer->deadline_ms <= now_ms + HW_H2_LOOK_MS;
    if (!looks || !is_set) /* a look that is due must not be put off for ever */
        hw_connection_timer_set(&connection->base, now_ms + (looks ? HW_H2_LOOK_MS : HW_TIMEOUTS_IDLE));
}

/* Nothing can be done now: waits for the client, or for handlers. */
static void hw_h2_rest(struct hw_h2_connection *connection, bool has_more)
{
    struct hw_h2_session *session = connection->session;
    bool is_over = session->is_ending || (session->is_going && session->count == 0);
    if (is_over && !has_more) {
        hw_h2_linger(connection);
        return;
    }
    if (!has_more)
        hw_h2_out_give(connection);
    hw_h2_list(connection);
    hw_h2_timer_set(connection);
    uint32_t events = (has_more ? (uint32_t)EPOLLOUT : 0) | (hw_h2_read_room(session) > 0 ? (uint32_t)EPOLLIN : 0);
    hw_connection_watch(&connection->base, events);
}

static void hw_h2_go_on(struct hw_h2_connection *connection)
{
    struct hw_connection *base = &connection->base;
    struct hw_h2_session *session = connection->session;
    if (base->is_closed) {
        if (hw_h2_session_end(connection))
            hw_connection_free(base);
        return;
    }
    if (base->is_lingering || (base->is_blocked && session->out_head < session->out_tail))
        return;
    if (session->is_ending)
        hw_h2_streams_end(connection);
    if (!hw_h2_out_take(connection)) {
        hw_connection_wait(base);
        return;
    }
    bool has_more = true;
    for (int i = 0; i < HW_H2_SENDS && has_more; i++) {
        has_more = !session->is_ending && hw_h2_pump(connection);
        if (!hw_h2_flush(connection))
            return;
        if (session->is_ending) /* by what the pump has met */
            break;
    }
    hw_h2_rest(connection, has_more && !session->is_ending);
}

/* ---- Events. */

/* Reads once and takes what came. True when more may be there. */
static bool hw_h2_read(struct hw_h2_connection *connection)
{
    struct hw_connection *base = &connection->base;
    struct hw_h2_session *session = connection->session;
    size_t room = hw_h2_read_room(session);
    if (room == 0)
        return false;
    char *scratch = base->owner->scratch;
    ssize_t size = hw_io_receive(&base->stream, scratch, room);
    if (size < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (size <= 0) { /* the client has gone: nobody reads what would be sent */
        hw_connection_close(base);
        return false;
    }
    base->progress_ms = hw_h2_now(connection);
    hw_h2_take(connection, (const uint8_t *)scratch, (size_t)size);
    return session->step != HW_H2_AT_END && ((size_t)size == room || hw_io_has_pending(&base->stream));
}

/* An exchange is what most requests need: a connection that has none waits in line for one before it reads. */
static bool hw_h2_may_read(struct hw_h2_connection *connection)
{
    struct hw_connections *owner = connection->base.owner;
    bool is_served =
        hw_h2_out_take(connection) &&
        (connection->session->held > 0 || hw_pool_has_block(&owner->exchanges) || hw_connections_evict(owner));
    if (!is_served)
        hw_connection_wait(&connection->base);
    return is_served;
}

static void hw_h2_ready(struct hw_connection *base, uint32_t events)
{
    struct hw_h2_connection *connection = hw_h2_of(base);
    struct hw_h2_session *session = connection->session;
    if (base->is_blocked && !hw_h2_flush(connection))
        return;
    hw_list_remove(&base->node);
    if ((events & EPOLLIN) != 0 && session->step != HW_H2_AT_END) {
        if (!hw_h2_may_read(connection))
            return;
        for (int i = 0; i < HW_H2_READS && hw_h2_read(connection); i++) {
            hw_h2_pump(connection);
            if (!hw_h2_flush(connection))
                return;
        }
        if (base->is_closed)
            return;
    }
    hw_h2_go_on(connection);
}

static void hw_h2_served(struct hw_connection *base)
{
    hw_h2_ready(base, EPOLLIN);
}

/* ---- Time. */

/* What has taken too long of one stream. */
static void hw_h2_stream_look(struct hw_h2_connection *connection, struct hw_h2_stream *stream, uint64_t now_ms)
{
    const struct hw_route *route = stream->exchange == NULL ? NULL : stream->exchange->base.route;
    uint64_t write_ms = route == NULL ? HW_TIMEOUTS_WRITE : route->write_ms;
    bool is_late = stream->until_ms != 0 && now_ms >= stream->until_ms;
    if (stream->state == HW_H2_BODY && is_late) {
        hw_h2_status_answer(connection, stream, 408);
    } else if (stream->state == HW_H2_DRAIN && is_late) {
        hw_h2_stream_reset(connection, stream->id, stream, HW_H2_NO_ERROR); /* RFC 9113 section 8.1 */
    } else if (stream->state == HW_H2_LENT && is_late) {
        hw_h2_bare_answer(connection, stream, 503);
    } else if (stream->state == HW_H2_RESPOND && now_ms - stream->progress_ms >= write_ms) {
        hw_h2_stream_reset(connection, stream->id, stream, HW_H2_CANCEL);
    } else if (stream->state == HW_H2_LENT && stream->until_ms == 0) {
        const struct hw_exchange *exchange = &stream->exchange->base;
        bool is_stalled = atomic_load_explicit(&exchange->out_head, memory_order_relaxed) !=
                          atomic_load_explicit(&exchange->out_tail, memory_order_acquire);
        if (is_stalled && now_ms - stream->progress_ms >= write_ms)
            hw_h2_stream_reset(connection, stream->id, stream, HW_H2_CANCEL);
    }
}

static void hw_h2_look(struct hw_h2_connection *connection, uint64_t now_ms)
{
    struct hw_connection *base = &connection->base;
    struct hw_h2_session *session = connection->session;
    for (size_t i = 0; i < HW_HTTP2_STREAMS; i++)
        if (session->streams[i].id != 0)
            hw_h2_stream_look(connection, &session->streams[i], now_ms);
    if (session->block != HW_H2_BLOCK_NONE && now_ms - session->block_ms >= HW_TIMEOUTS_HEADER)
        hw_h2_fail(connection, HW_H2_ENHANCE_YOUR_CALM, "timeouts.header is over");
    else if (session->request_count == 0 && now_ms - base->since_ms >= HW_TIMEOUTS_HEADER)
        hw_h2_fail(connection, HW_H2_NO_ERROR, "timeouts.header is over");
    else if (session->is_draining && now_ms - session->drained_ms >= HW_H2_DRAIN_MS)
        hw_h2_go(connection);
    else if (session->count == 0 && session->block == HW_H2_BLOCK_NONE && session->request_count > 0 &&
             now_ms - base->progress_ms >= HW_TIMEOUTS_IDLE)
        hw_h2_go(connection);
}

static void hw_h2_expired(struct hw_connection *base)
{
    struct hw_h2_connection *connection = hw_h2_of(base);
    if (!hw_h2_out_take(connection)) {
        hw_connection_close(base);
        return;
    }
    hw_h2_look(connection, hw_h2_now(connection));
    hw_h2_go_on(connection);
}

/* ---- What the server wants. */

static void hw_h2_evicted(struct hw_connection *base)
{
    struct hw_h2_connection *connection = hw_h2_of(base);
    hw_list_remove(&base->node);
    if (connection->session->out == NULL)
        connection->session->out = hw_pool_take(&base->owner->outs); /* without asking others to give way for it */
    if (connection->session->out == NULL) {
        hw_connection_close(base);
        return;
    }
    hw_h2_fail(connection, HW_H2_ENHANCE_YOUR_CALM, "a silent client while others wait");
    hw_h2_go_on(connection);
}

/* RFC 9113 section 6.8: first a GOAWAY that names no stream, then, a round trip later, one that names the last. */
static void hw_h2_drained(struct hw_connection *base)
{
    struct hw_h2_connection *connection = hw_h2_of(base);
    struct hw_h2_session *session = connection->session;
    if (session->is_going || session->is_draining || session->is_ending)
        return;
    session->is_draining = true;
    session->drained_ms = hw_h2_now(connection);
    if (base->is_blocked || !hw_h2_out_take(connection))
        return; /* the last GOAWAY must do */
    hw_h2_goaway_put(connection, HW_H2_ID_MAX, HW_H2_NO_ERROR);
    char *at = hw_h2_out_put(connection, HW_H2_HEAD_SIZE + 8);
    memcpy(hw_h2_frame_put(at, 8, HW_H2_PING, 0, 0), hw_h2_drain_ping, 8);
    hw_h2_go_on(connection);
}

static bool hw_h2_closed(struct hw_connection *base)
{
    struct hw_h2_connection *connection = hw_h2_of(base);
    hw_h2_streams_end(connection);
    hw_h2_out_give(connection);
    return hw_h2_session_end(connection);
}

static const struct hw_protocol hw_h2_protocol = {
    .ready = hw_h2_ready,
    .expired = hw_h2_expired,
    .served = hw_h2_served,
    .evicted = hw_h2_evicted,
    .drained = hw_h2_drained,
    .closed = hw_h2_closed,
};

/* ---- The beginning. */

static void hw_h2_greet(struct hw_h2_connection *connection)
{
    char settings[6 * 6];
    char *at = settings;
    at = hw_h2_setting_put(at, HW_H2_SETTING_STREAMS, (uint32_t)HW_HTTP2_STREAMS);
    at = hw_h2_setting_put(at, HW_H2_SETTING_WINDOW_SIZE, (uint32_t)HW_H2_WINDOW_FIRST);
    at = hw_h2_setting_put(at, HW_H2_SETTING_HEADER_SIZE, (uint32_t)HW_LIMITS_HEADER_SIZE);
    at = hw_h2_setting_put(at, HW_H2_SETTING_NO_OLD_PRIORITIES, 1);
    if (HW_HTTP2_FRAME_SIZE != HW_H2_FRAME_SIZE)
        at = hw_h2_setting_put(at, HW_H2_SETTING_FRAME_SIZE, (uint32_t)HW_HTTP2_FRAME_SIZE);
    if (HW_HTTP2_TABLE_SIZE != 4096)
        at = hw_h2_setting_put(at, HW_H2_SETTING_TABLE_SIZE, (uint32_t)HW_HTTP2_TABLE_SIZE);
    size_t size = (size_t)(at - settings);
    char *frame = hw_h2_out_put(connection, HW_H2_HEAD_SIZE + size);
    memcpy(hw_h2_frame_put(frame, size, HW_H2_SETTINGS, 0, 0), settings, size);
    if (HW_HTTP2_CONNECTION_WINDOW_SIZE > HW_H2_WINDOW_DEFAULT)
        hw_h2_window_put(connection, 0, (uint32_t)(HW_HTTP2_CONNECTION_WINDOW_SIZE - HW_H2_WINDOW_DEFAULT));
}

static struct hw_h2_session *hw_h2_session_begin(struct hw_connections *owner)
{
    struct hw_h2_session *session = hw_pool_take(&owner->sessions); /* one for each entry */
    memset(session, 0, sizeof *session);
    session->step = HW_H2_AT_PREFACE;
    session->send_window = HW_H2_WINDOW_DEFAULT;
    session->peer_window = HW_H2_WINDOW_DEFAULT;
    session->receive_window = (uint32_t)HW_HTTP2_CONNECTION_WINDOW_SIZE;
    session->period_ms = owner->loop->now_ms;
    for (size_t i = 0; i < HW_H2_URGENCIES; i++)
        hw_list_init(&session->ready[i]);
    char *memory = (char *)session + HW_H2_SESSION_SIZE - HW_H2_HPACK_SIZE;
    if (hw_h2_decoder_init(&session->decoder, memory))
        return session;
    hw_pool_give(&owner->sessions, session);
    return NULL;
}

static void hw_h2_begin(struct hw_connection *base, const char *bytes, size_t size)
{
    struct hw_h2_connection *connection = hw_h2_of(base);
    connection->session = hw_h2_session_begin(base->owner);
    if (connection->session == NULL) {
        hw_connection_close(base);
        return;
    }
    base->protocol = &hw_h2_protocol;
    if (!hw_h2_out_take(connection)) {
        hw_connection_close(base);
        return;
    }
    hw_h2_greet(connection);
    if (size > 0)
        hw_h2_take(connection, (const uint8_t *)bytes, size);
    hw_h2_go_on(connection);
    if (!base->is_closed && base->owner->draining)
        hw_h2_drained(base);
}

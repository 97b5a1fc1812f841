/* The slab of streams (RFC 9113 section 5), flow control (section 5.2), and what is counted against abuse. */
#include <string.h>

#include "core/log.h"
#include "http2/connection.h"

#define HW_H2_RESET_BIT 0x80000000u

static struct hw_h2_stream *hw_h2_stream_find(struct hw_h2_session *session, uint32_t id)
{
    if (session->count == 0 || id == 0)
        return NULL;
    for (size_t i = 0; i < HW_HTTP2_STREAMS; i++) {
        struct hw_h2_stream *stream = &session->streams[i];
        if (stream->id == id)
            return stream->state == HW_H2_GONE ? NULL : stream;
    }
    return NULL;
}

static struct hw_h2_stream *hw_h2_stream_open(struct hw_h2_session *session, uint32_t id)
{
    if (session->count == HW_HTTP2_STREAMS)
        return NULL;
    struct hw_h2_stream *stream = session->streams;
    while (stream->id != 0)
        stream++;
    *stream = (struct hw_h2_stream){
        .id = id,
        .state = HW_H2_RESPOND,
        .urgency = HW_H2_URGENCY_DEFAULT,
        .send_window = session->peer_window,
        .receive_window = (int64_t)HW_H2_WINDOW_FIRST,
    };
    if (!session->is_acknowledged && stream->receive_window < HW_H2_WINDOW_DEFAULT)
        stream->receive_window = HW_H2_WINDOW_DEFAULT;
    session->count++;
    return stream;
}

static void hw_h2_closed_note(struct hw_h2_session *session, uint32_t id)
{
    session->closed[session->closed_at++ % HW_H2_CLOSED] = id;
}

static enum hw_h2_ended hw_h2_stream_ended(const struct hw_h2_session *session, uint32_t id)
{
    for (size_t i = 0; i < HW_H2_CLOSED; i++) {
        if (session->closed[i] == id)
            return HW_H2_ENDED_CLOSED;
        if (session->closed[i] == (id | HW_H2_RESET_BIT))
            return HW_H2_ENDED_RESET;
    }
    return HW_H2_ENDED_NOT;
}

/* What the stream holds goes back; a lent exchange when it comes home. */
static void hw_h2_stream_end(struct hw_h2_connection *connection, struct hw_h2_stream *stream)
{
    struct hw_h2_session *session = connection->session;
    struct hw_h2_exchange *exchange = stream->exchange;
    hw_list_remove(&stream->ready);
    if (exchange != NULL && exchange->base.is_lent) {
        stream->state = HW_H2_GONE;
        hw_exchange_cancel(&exchange->base);
        return;
    }
    stream->exchange = NULL;
    stream->id = 0;
    session->count--;
    if (exchange != NULL)
        hw_h2_exchange_free(connection, exchange);
}

static void hw_h2_stream_close(struct hw_h2_connection *connection, struct hw_h2_stream *stream)
{
    hw_h2_closed_note(connection->session, stream->id);
    hw_h2_stream_end(connection, stream);
}

static void hw_h2_stream_reset(struct hw_h2_connection *connection, uint32_t id, struct hw_h2_stream *stream,
                               enum hw_h2_error error)
{
    char *at = hw_h2_out_put(connection, HW_H2_HEAD_SIZE + 4);
    hw_h2_u32_put(hw_h2_frame_put(at, 4, HW_H2_RST_STREAM, 0, id), error);
    hw_h2_closed_note(connection->session, id | HW_H2_RESET_BIT);
    if (stream != NULL)
        hw_h2_stream_end(connection, stream);
    if (error != HW_H2_NO_ERROR) /* the peer provoked it: CVE-2025-8671 */
        hw_h2_count(connection, HW_H2_RESETS);
}

/* ---- Flow control. */

static void hw_h2_window_put(struct hw_h2_connection *connection, uint32_t id, uint32_t size)
{
    char *at = hw_h2_out_put(connection, HW_H2_HEAD_SIZE + 4);
    hw_h2_u32_put(hw_h2_frame_put(at, 4, HW_H2_WINDOW_UPDATE, 0, id), size);
}

static void hw_h2_window_give(struct hw_h2_connection *connection, struct hw_h2_stream *stream, uint32_t size)
{
    struct hw_h2_session *session = connection->session;
    session->consumed += size;
    if (session->consumed >= HW_HTTP2_CONNECTION_WINDOW_SIZE / 2) {
        hw_h2_window_put(connection, 0, session->consumed);
        session->receive_window += session->consumed;
        session->consumed = 0;
    }
    if (stream == NULL || stream->is_remote_ended)
        return;
    stream->consumed += size;
    if (stream->consumed == 0 || (stream->receive_window > 0 && stream->consumed < stream->receive_window))
        return;
    hw_h2_window_put(connection, stream->id, stream->consumed);
    stream->receive_window += stream->consumed;
    stream->consumed = 0;
}

/* ---- Abuse. */

static bool hw_h2_count(struct hw_h2_connection *connection, enum hw_h2_count what)
{
    static const uint64_t most[HW_H2_COUNTS] = {
        [HW_H2_RESETS] = HW_HTTP2_RESETS,
        [HW_H2_CONTROLS] = HW_HTTP2_CONTROLS,
        [HW_H2_EMPTIES] = HW_HTTP2_EMPTIES,
        [HW_H2_UPDATES] = HW_HTTP2_UPDATES,
    };
    static const char *const names[HW_H2_COUNTS] = {
        [HW_H2_RESETS] = "http2.resets",
        [HW_H2_CONTROLS] = "http2.controls",
        [HW_H2_EMPTIES] = "http2.empties",
        [HW_H2_UPDATES] = "http2.updates",
    };
    struct hw_h2_session *session = connection->session;
    uint64_t now_ms = hw_h2_now(connection);
    if (now_ms - session->period_ms >= HW_HTTP2_PERIOD) {
        session->period_ms = now_ms;
        memset(session->counts, 0, sizeof session->counts);
    }
    if (++session->counts[what] <= most[what])
        return true;
    hw_h2_fail(connection, HW_H2_ENHANCE_YOUR_CALM, names[what]);
    return false;
}

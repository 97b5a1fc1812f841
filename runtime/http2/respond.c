/* Responses become frames, in the order of their priorities (RFC 9218 section 10), as windows and `out` have room. */
#include <stdio.h>
#include <string.h>

#include "http/response.h"
#include "http2/connection.h"

/* DATA leaves this much of `out` free for frames about the connection. */
#define HW_H2_RESERVE 16384u

/* A client may send this many window updates for each DATA of at least that size: only others are counted. */
#define HW_H2_UPDATES_FAIR 4u
#define HW_H2_FAIR_SIZE 1024u

/* ---- The block of frames to be sent. */

static size_t hw_h2_room(const struct hw_h2_session *session)
{
    return HW_H2_OUT_SIZE - (session->out_tail - session->out_head);
}

static size_t hw_h2_read_room(const struct hw_h2_session *session)
{
    size_t room = hw_h2_room(session) * 2 / 3;
    if (room > HW_SCRATCH_SIZE)
        room = HW_SCRATCH_SIZE;
    if (!HW_BODY_STREAM_ANY || session->is_acknowledged)
        return room;
    if (room > HW_H2_SPILL_SIZE)
        room = HW_H2_SPILL_SIZE;
    for (size_t i = 0; i < HW_HTTP2_STREAMS; i++) {
        const struct hw_h2_stream *stream = &session->streams[i];
        if (stream->id == 0 || stream->state != HW_H2_LENT)
            continue;
        const struct hw_h2_exchange *exchange = stream->exchange;
        size_t left = HW_IN_SIZE - exchange->spill_at - exchange->piece_size - exchange->spill_size;
        if (exchange->base.route->body_mode == HW_BODY_STREAM && room > left)
            room = left;
    }
    return room;
}

static char *hw_h2_out_put(struct hw_h2_connection *connection, size_t size)
{
    struct hw_h2_session *session = connection->session;
    if (HW_H2_OUT_SIZE - session->out_tail < size) {
        memmove(session->out, session->out + session->out_head, session->out_tail - session->out_head);
        session->out_tail -= session->out_head;
        session->out_head = 0;
    }
    session->out_tail += (uint32_t)size;
    return session->out + session->out_tail - size;
}

/* True when a frame of a stream with this payload may be put. */
static bool hw_h2_has_room(const struct hw_h2_session *session, size_t size)
{
    return hw_h2_room(session) >= size + HW_H2_HEAD_SIZE + HW_H2_RESERVE;
}

static void hw_h2_stream_ready(struct hw_h2_session *session, struct hw_h2_stream *stream)
{
    bool can_send = stream->state == HW_H2_RESPOND || (stream->state == HW_H2_LENT && stream->until_ms == 0);
    if (can_send && !hw_list_is_in(&stream->ready))
        hw_list_append(&session->ready[stream->urgency], &stream->ready);
}

/* ---- Heads. */

/* The begin of a header block: the first of a connection says that the encoder has no table. */
static char *hw_h2_block_start(struct hw_h2_session *session, char *at)
{
    if (!session->has_table_size)
        *at++ = HW_H2_TABLE_NONE[0];
    session->has_table_size = true;
    return at;
}

/* Puts HEADERS of a finished block. */
static void hw_h2_headers_put(struct hw_h2_connection *connection, uint32_t id, uint8_t flags, const char *block,
                              const char *end)
{
    size_t size = (size_t)(end - block);
    char *at = hw_h2_out_put(connection, HW_H2_HEAD_SIZE + size);
    memcpy(hw_h2_frame_put(at, size, HW_H2_HEADERS, flags | HW_H2_END_HEADERS, id), block, size);
}

/* HEADERS of a baked answer; END_STREAM is in its flags when it has no body. */
static void hw_h2_baked_head_put(struct hw_h2_connection *connection, uint32_t id, const struct hw_baked *baked,
                                 bool is_ended)
{
    struct hw_h2_session *session = connection->session;
    const struct hw_baked_head *frame = &baked->frame;
    uint8_t flags = (uint8_t)(HW_H2_END_HEADERS | (is_ended ? HW_H2_END_STREAM : 0));
    size_t extra = session->has_table_size ? 0 : 1;
    char *at = hw_h2_out_put(connection, frame->size + extra);
    memcpy(at + extra, frame->bytes, frame->size);
    memcpy(at + extra + frame->date_at, connection->base.owner->loop->date, HW_DATE_SIZE);
    hw_h2_block_start(session, hw_h2_frame_put(at, frame->size - HW_H2_HEAD_SIZE + extra, HW_H2_HEADERS, flags, id));
}

/* The lines of fields that handlers have composed, up to the empty one; returns the end of the block. */
static char *hw_h2_lines_put(char *at, const char *line, const char *end)
{
    while (line < end) {
        const char *stop = memchr(line, '\r', (size_t)(end - line));
        const char *colon = memchr(line, ':', (size_t)(stop - line));
        at = hw_h2_field_put(at, line, (size_t)(colon - line), colon + 2, (size_t)(stop - colon - 2));
        line = stop + 2;
    }
    return at;
}

/* A block larger than one frame goes on in CONTINUATION. `size` bytes stand behind room for one head; each further frame
 * moves what is behind it. */
static size_t hw_h2_block_frame(char *at, size_t size, uint8_t flags, uint32_t id)
{
    size_t count = (size + HW_H2_FRAME_SIZE - 1) / HW_H2_FRAME_SIZE;
    char *block = at + HW_H2_HEAD_SIZE;
    for (size_t i = count - 1; i > 0; i--) {
        size_t part = i + 1 == count ? size - i * HW_H2_FRAME_SIZE : HW_H2_FRAME_SIZE;
        char *place = block + i * (HW_H2_FRAME_SIZE + HW_H2_HEAD_SIZE);
        memmove(place, block + i * HW_H2_FRAME_SIZE, part);
        hw_h2_frame_put(place - HW_H2_HEAD_SIZE, part, HW_H2_CONTINUATION, i + 1 == count ? HW_H2_END_HEADERS : 0, id);
    }
    hw_h2_frame_put(at, count > 1 ? HW_H2_FRAME_SIZE : size, HW_H2_HEADERS,
                    (uint8_t)(flags | (count > 1 ? 0 : HW_H2_END_HEADERS)), id);
    return size + count * HW_H2_HEAD_SIZE;
}

/* What a head takes at most: names and values with their sizes, which for long ones are larger than ": " and CRLF. */
static size_t hw_h2_head_size_most(const struct hw_exchange *exchange)
{
    size_t lines = exchange->response.fields_size;
    size_t block = lines + lines / 4 + 128;
    return block + (block / HW_H2_FRAME_SIZE + 1) * HW_H2_HEAD_SIZE;
}

/* Status, date, length, and the handler's fields. The IO thread; the handler's side is behind this already. */
static void hw_h2_head_put(struct hw_h2_connection *connection, struct hw_h2_stream *stream, bool is_ended)
{
    struct hw_h2_session *session = connection->session;
    struct hw_exchange *exchange = &stream->exchange->base;
    const struct hw_response *response = &exchange->response;
    char *frame = hw_h2_out_put(connection, hw_h2_head_size_most(exchange));
    char *block = frame + HW_H2_HEAD_SIZE;
    char *at = hw_h2_status_put(hw_h2_block_start(session, block), response->status);
    at = hw_h2_indexed_put(at, 33, exchange->date, HW_DATE_SIZE);
    if (response->has_length && !hw_status_is_bare(response->status)) {
        char digits[24];
        int size = snprintf(digits, sizeof digits, "%llu", (unsigned long long)response->length);
        at = hw_h2_indexed_put(at, 28, digits, (size_t)size);
    }
    size_t lines = response->fields_size;
    at = hw_h2_lines_put(at, exchange->out, exchange->out + lines);
    size_t size = hw_h2_block_frame(frame, (size_t)(at - block), is_ended ? HW_H2_END_STREAM : 0, stream->id);
    session->out_tail = (uint32_t)(frame + size - session->out);
    atomic_fetch_add_explicit(&exchange->out_head, lines + 2, memory_order_release);
}

/* struct hw_framing.head_write: the lines of fields alone stand in `out`; the rest is written when it is sent. */
static size_t hw_h2_head_write(struct hw_exchange *exchange, char *at, bool has_length, uint64_t length)
{
    (void)at;
    (void)has_length;
    (void)length;
    exchange->is_chunked = false;
    return 0;
}

static const struct hw_framing hw_h2_framing = {
    .head_write = hw_h2_head_write,
    .head_size = 0,
    .returned = hw_h2_returned,
};

/* ---- Bodies. */

/* Bytes of the body that are there in one piece; `is_all`: nothing comes behind them. */
static size_t hw_h2_body_span(const struct hw_h2_stream *stream, const char **bytes, bool *is_all)
{
    if (stream->exchange == NULL) {
        *bytes = stream->baked->body + stream->body_at;
        *is_all = true;
        return stream->is_head ? 0 : stream->baked->body_size - stream->body_at;
    }
    const struct hw_exchange *exchange = &stream->exchange->base;
    bool is_done = stream->state == HW_H2_RESPOND;
    size_t head = atomic_load_explicit(&exchange->out_head, memory_order_relaxed);
    size_t tail = atomic_load_explicit(&exchange->out_tail, memory_order_acquire);
    size_t size = hw_ring_span(head, tail, bytes, exchange);
    if (size == 0 && is_done) {
        *bytes = exchange->response.borrowed;
        *is_all = true;
        return exchange->response.borrowed_size;
    }
    *is_all = is_done && size == tail - head && exchange->response.borrowed_size == 0;
    return size;
}

static void hw_h2_body_sent(struct hw_h2_stream *stream, size_t size)
{
    if (stream->exchange == NULL) {
        stream->body_at += size;
        return;
    }
    struct hw_exchange *exchange = &stream->exchange->base;
    size_t head = atomic_load_explicit(&exchange->out_head, memory_order_relaxed);
    if (head == atomic_load_explicit(&exchange->out_tail, memory_order_acquire)) {
        exchange->response.borrowed += size;
        exchange->response.borrowed_size -= size;
        return;
    }
    atomic_fetch_add_explicit(&exchange->out_head, size, memory_order_release);
    if (stream->state == HW_H2_LENT)
        hw_exchange_room(exchange);
}

/* ---- One stream. */

enum hw_h2_put {
    HW_H2_PUT_DONE,  /* the stream has ended */
    HW_H2_PUT_MORE,  /* a frame was put */
    HW_H2_PUT_WAITS, /* for its window, or for its handler */
    HW_H2_PUT_SHUT,  /* the connection's window is used up */
    HW_H2_PUT_FULL   /* `out` is */
};

/* END_STREAM was put. */
static enum hw_h2_put hw_h2_stream_done(struct hw_h2_connection *connection, struct hw_h2_stream *stream)
{
    struct hw_h2_exchange *exchange = stream->exchange;
    if (stream->is_remote_ended) {
        hw_h2_stream_close(connection, stream);
    } else if (exchange != NULL && exchange->base.is_lent) {
        hw_h2_stream_reset(connection, stream->id, stream, HW_H2_NO_ERROR);
    } else {
        hw_list_remove(&stream->ready);
        stream->exchange = NULL;
        stream->state = HW_H2_DRAIN;
        stream->until_ms = hw_h2_now(connection) + HW_TIMEOUTS_LINGER;
        if (exchange != NULL)
            hw_h2_exchange_free(connection, exchange);
    }
    return HW_H2_PUT_DONE;
}

static enum hw_h2_put hw_h2_stream_head_put(struct hw_h2_connection *connection, struct hw_h2_stream *stream)
{
    struct hw_h2_session *session = connection->session;
    if (stream->exchange == NULL) {
        bool is_bare = stream->is_head || stream->baked->body_size == 0;
        if (!hw_h2_has_room(session, stream->baked->frame.size + 1u))
            return HW_H2_PUT_FULL;
        hw_h2_baked_head_put(connection, stream->id, stream->baked, is_bare);
        stream->is_begun = true;
        return is_bare ? hw_h2_stream_done(connection, stream) : HW_H2_PUT_MORE;
    }
    struct hw_exchange *exchange = &stream->exchange->base;
    size_t tail = atomic_load_explicit(&exchange->out_tail, memory_order_acquire);
    if (tail == 0)
        return HW_H2_PUT_WAITS;
    size_t most = hw_h2_head_size_most(exchange);
    if (most + HW_H2_RESERVE > HW_H2_OUT_SIZE) {
        hw_h2_stream_reset(connection, stream->id, stream, HW_H2_INTERNAL_ERROR);
        return HW_H2_PUT_DONE;
    }
    if (!hw_h2_has_room(session, most))
        return HW_H2_PUT_FULL;
    bool is_bare = stream->state == HW_H2_RESPOND && tail == exchange->response.fields_size + 2u &&
                   exchange->response.borrowed_size == 0;
    hw_h2_head_put(connection, stream, is_bare);
    stream->is_begun = true;
    return is_bare ? hw_h2_stream_done(connection, stream) : HW_H2_PUT_MORE;
}

static enum hw_h2_put hw_h2_stream_put(struct hw_h2_connection *connection, struct hw_h2_stream *stream)
{
    struct hw_h2_session *session = connection->session;
    if (!stream->is_begun)
        return hw_h2_stream_head_put(connection, stream);
    const char *bytes;
    bool is_all;
    size_t size = hw_h2_body_span(stream, &bytes, &is_all);
    if (size == 0 && !is_all)
        return HW_H2_PUT_WAITS;
    if (size > 0 && stream->send_window <= 0)
        return HW_H2_PUT_WAITS;
    if (size > 0 && session->send_window <= 0)
        return HW_H2_PUT_SHUT;
    int64_t window = stream->send_window < session->send_window ? stream->send_window : session->send_window;
    size_t part = size < HW_H2_FRAME_SIZE ? size : HW_H2_FRAME_SIZE;
    if (size > 0 && part > (uint64_t)window)
        part = (size_t)window;
    if (!hw_h2_has_room(session, part)) {
        if (!hw_h2_has_room(session, 1024) || part < 1024) /* better a full frame later than a small one now */
            return HW_H2_PUT_FULL;
        part = hw_h2_room(session) - HW_H2_HEAD_SIZE - HW_H2_RESERVE;
    }
    bool is_last = is_all && part == size;
    char *at = hw_h2_out_put(connection, HW_H2_HEAD_SIZE + part);
    at = hw_h2_frame_put(at, part, HW_H2_DATA, is_last ? HW_H2_END_STREAM : 0, stream->id);
    if (part > 0)
        memcpy(at, bytes, part);
    stream->send_window -= (int64_t)part;
    session->send_window -= (int64_t)part;
    stream->progress_ms = hw_h2_now(connection);
    if (part >= HW_H2_FAIR_SIZE)
        session->update_credit += HW_H2_UPDATES_FAIR;
    if (part > 0)
        hw_h2_body_sent(stream, part);
    return is_last ? hw_h2_stream_done(connection, stream) : HW_H2_PUT_MORE;
}

/* ---- All streams. */

/* One turn through a list: all of a stream that is not incremental, a frame of one that is. False when `out` is full. */
static bool hw_h2_list_pump(struct hw_h2_connection *connection, struct hw_list *list, bool *has_put)
{
    for (struct hw_list *node = list->next; node != list;) {
        struct hw_h2_stream *stream = HW_CONTAINER(node, struct hw_h2_stream, ready);
        struct hw_list *next = node->next;
        enum hw_h2_put put;
        do
            put = hw_h2_stream_put(connection, stream);
        while (put == HW_H2_PUT_MORE && !stream->is_incremental);
        if (put == HW_H2_PUT_FULL)
            return false;
        *has_put = *has_put || put == HW_H2_PUT_MORE;
        if (put == HW_H2_PUT_MORE)
            hw_list_move(list, &stream->ready);
        else if (put == HW_H2_PUT_WAITS)
            hw_list_remove(&stream->ready);
        node = next;
        if (connection->session->step == HW_H2_AT_END)
            return true;
    }
    return true;
}

static bool hw_h2_pump(struct hw_h2_connection *connection)
{
    struct hw_h2_session *session = connection->session;
    for (size_t urgency = 0; urgency < HW_H2_URGENCIES; urgency++) {
        struct hw_list *list = &session->ready[urgency];
        bool has_put = !hw_list_is_empty(list);
        while (has_put) {
            has_put = false;
            if (!hw_h2_list_pump(connection, list, &has_put))
                return true;
        }
    }
    return false;
}

/* ---- Answers that need no stream, or do not wait for one. */

static bool hw_h2_baked_put(struct hw_h2_connection *connection, uint32_t id, const struct hw_baked *baked,
                            bool is_head)
{
    struct hw_h2_session *session = connection->session;
    size_t size = is_head ? 0 : baked->body_size;
    int64_t window = session->send_window < session->peer_window ? session->send_window : session->peer_window;
    if (size > HW_H2_FRAME_SIZE || (int64_t)size > window ||
        !hw_h2_has_room(session, baked->frame.size + 1u + HW_H2_HEAD_SIZE + size))
        return false;
    hw_h2_baked_head_put(connection, id, baked, size == 0);
    if (size > 0) {
        char *at = hw_h2_out_put(connection, HW_H2_HEAD_SIZE + size);
        memcpy(hw_h2_frame_put(at, size, HW_H2_DATA, HW_H2_END_STREAM, id), baked->body, size);
        session->send_window -= (int64_t)size;
    }
    hw_h2_closed_note(session, id);
    return true;
}

static void hw_h2_bare_answer(struct hw_h2_connection *connection, struct hw_h2_stream *stream, unsigned status)
{
    bool has_begun = stream->is_begun || (stream->state == HW_H2_LENT && stream->until_ms == 0);
    if (has_begun) { /* another status would be malformed */
        hw_h2_stream_reset(connection, stream->id, stream, HW_H2_CANCEL);
        return;
    }
    char block[64];
    char *at = hw_h2_status_put(hw_h2_block_start(connection->session, block), status);
    at = hw_h2_indexed_put(at, 33, connection->base.owner->loop->date, HW_DATE_SIZE);
    if (status == 503)
        at = hw_h2_indexed_put(at, 53, "1", 1); /* Retry-After */
    hw_h2_headers_put(connection, stream->id, HW_H2_END_STREAM, block, at);
    hw_h2_stream_done(connection, stream);
}

static void hw_h2_status_put_bare(struct hw_h2_connection *connection, uint32_t id, unsigned status)
{
    char block[16];
    char *end = hw_h2_status_put(hw_h2_block_start(connection->session, block), status);
    hw_h2_headers_put(connection, id, 0, block, end);
}

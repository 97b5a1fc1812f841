/* Frames as they come in (RFC 9113 sections 4 and 6). */
#include <string.h>

#include "http2/connection.h"

/* Bytes that have come and were not taken yet. */
struct hw_h2_input {
    const uint8_t *at;
    const uint8_t *end;
};

/* `size` bytes in one piece, or NULL when they are not all there: then what is there was put by. */
static const uint8_t *hw_h2_piece(struct hw_h2_session *session, struct hw_h2_input *input, size_t size)
{
    size_t there = (size_t)(input->end - input->at);
    if (session->stash_size == 0 && there >= size) {
        input->at += size;
        return input->at - size;
    }
    size_t part = size - session->stash_size < there ? size - session->stash_size : there;
    if (part > 0)
        memcpy(session->stash + session->stash_size, input->at, part);
    session->stash_size += (uint32_t)part;
    input->at += part;
    if (session->stash_size < size)
        return NULL;
    session->stash_size = 0;
    return session->stash;
}

/* What is there of the current payload; takes it off `frame.size`. */
static const uint8_t *hw_h2_part(struct hw_h2_session *session, struct hw_h2_input *input, size_t *size)
{
    const uint8_t *part = input->at;
    size_t there = (size_t)(input->end - input->at);
    *size = there < session->frame.size ? there : session->frame.size;
    input->at += *size;
    session->frame.size -= (uint32_t)*size;
    return part;
}

/* ---- The begin of each type. */

/* RFC 9113 section 6.1. */
static void hw_h2_data_begin(struct hw_h2_connection *connection)
{
    struct hw_h2_session *session = connection->session;
    const struct hw_h2_frame *frame = &session->frame;
    if (frame->id == 0 || frame->id > session->last_id) {
        hw_h2_fail(connection, HW_H2_PROTOCOL_ERROR, "DATA on an idle stream");
        return;
    }
    if (frame->size > session->receive_window) {
        hw_h2_fail(connection, HW_H2_FLOW_CONTROL_ERROR, "more DATA than the connection's window");
        return;
    }
    session->receive_window -= frame->size;
    if (frame->size == 0 && (frame->flags & HW_H2_END_STREAM) == 0 && !hw_h2_count(connection, HW_H2_EMPTIES))
        return;
    struct hw_h2_stream *stream = hw_h2_stream_find(session, frame->id);
    if (stream == NULL || stream->is_remote_ended) {
        enum hw_h2_ended ended = hw_h2_stream_ended(session, frame->id);
        bool is_late = stream == NULL && ended == HW_H2_ENDED_RESET; /* it may not know yet */
        session->step = HW_H2_AT_SKIP;
        hw_h2_window_give(connection, NULL, frame->size);
        if (!is_late)
            hw_h2_stream_reset(connection, frame->id, stream, HW_H2_STREAM_CLOSED);
        return;
    }
    if (frame->size > stream->receive_window) {
        session->step = HW_H2_AT_SKIP;
        hw_h2_window_give(connection, NULL, frame->size);
        hw_h2_stream_reset(connection, frame->id, stream, HW_H2_FLOW_CONTROL_ERROR);
        return;
    }
    stream->receive_window -= frame->size;
    session->step = HW_H2_AT_PREFIX;
}

/* RFC 9113 section 6.2. */
static void hw_h2_headers_begin(struct hw_h2_connection *connection)
{
    struct hw_h2_session *session = connection->session;
    if (session->frame.id % 2 == 0) { /* 0 too */
        hw_h2_fail(connection, HW_H2_PROTOCOL_ERROR, "HEADERS on a stream that is no client's");
        return;
    }
    session->block_id = session->frame.id;
    session->block_ends_stream = (session->frame.flags & HW_H2_END_STREAM) != 0;
    session->block_ends = (session->frame.flags & HW_H2_END_HEADERS) != 0;
    session->block_size = 0;
    session->step = HW_H2_AT_PREFIX;
}

/* RFC 9113 section 6.10. */
static void hw_h2_continuation_begin(struct hw_h2_connection *connection)
{
    struct hw_h2_session *session = connection->session;
    session->block_ends = (session->frame.flags & HW_H2_END_HEADERS) != 0;
    session->padding = 0;
    session->step = HW_H2_AT_BLOCK;
    if (session->frame.size == 0)
        hw_h2_count(connection, HW_H2_EMPTIES);
}

/* Frames whose payload has one size only. */
static void hw_h2_sized_begin(struct hw_h2_connection *connection, uint32_t size, bool is_of_stream)
{
    struct hw_h2_session *session = connection->session;
    const struct hw_h2_frame *frame = &session->frame;
    if ((frame->id != 0) != is_of_stream)
        hw_h2_fail(connection, HW_H2_PROTOCOL_ERROR, "a frame on a stream that it may not have");
    else if (frame->size != size && frame->type == HW_H2_PRIORITY) { /* RFC 9113 section 6.3: of the stream only */
        session->step = HW_H2_AT_SKIP;
        hw_h2_stream_reset(connection, frame->id, hw_h2_stream_find(session, frame->id), HW_H2_FRAME_SIZE_ERROR);
    } else if (frame->size != size)
        hw_h2_fail(connection, HW_H2_FRAME_SIZE_ERROR, "a frame of a wrong size");
    else
        session->step = HW_H2_AT_SMALL;
}

/* From here on the client keeps to our settings. */
static void hw_h2_acknowledged(struct hw_h2_session *session)
{
    if (session->is_acknowledged)
        return;
    session->is_acknowledged = true;
    nghttp2_hd_inflate_change_table_size(session->decoder.inflater, HW_HTTP2_TABLE_SIZE);
    int64_t less = HW_H2_WINDOW_DEFAULT - (int64_t)HW_H2_WINDOW_FIRST;
    for (size_t i = 0; i < HW_HTTP2_STREAMS && less > 0; i++)
        session->streams[i].receive_window -= less; /* of streams that were opened before */
}

/* RFC 9113 section 6.5. */
static void hw_h2_settings_begin(struct hw_h2_connection *connection)
{
    struct hw_h2_session *session = connection->session;
    bool is_ack = (session->frame.flags & HW_H2_ACK) != 0;
    if (session->frame.id != 0)
        hw_h2_fail(connection, HW_H2_PROTOCOL_ERROR, "SETTINGS on a stream");
    else if (session->frame.size % 6 != 0 || (is_ack && session->frame.size != 0))
        hw_h2_fail(connection, HW_H2_FRAME_SIZE_ERROR, "SETTINGS of a wrong size");
    else if (is_ack)
        hw_h2_acknowledged(session);
    else if (hw_h2_count(connection, HW_H2_CONTROLS))
        session->step = HW_H2_AT_SETTING;
}

/* Of no interest, but counted: nobody needs many of them. */
static void hw_h2_skipped_begin(struct hw_h2_connection *connection)
{
    if (hw_h2_count(connection, HW_H2_CONTROLS))
        connection->session->step = HW_H2_AT_SKIP;
}

/* RFC 9218 section 7.1; a longer one than anybody needs is left unread. */
static void hw_h2_priority_update_begin(struct hw_h2_connection *connection)
{
    const struct hw_h2_frame *frame = &connection->session->frame;
    if (frame->id != 0)
        hw_h2_fail(connection, HW_H2_PROTOCOL_ERROR, "PRIORITY_UPDATE on a stream");
    else if (frame->size < 4)
        hw_h2_fail(connection, HW_H2_FRAME_SIZE_ERROR, "PRIORITY_UPDATE of a wrong size");
    else if (hw_h2_count(connection, HW_H2_CONTROLS))
        connection->session->step = frame->size <= HW_H2_STASH_SIZE ? HW_H2_AT_SMALL : HW_H2_AT_SKIP;
}

static void hw_h2_type_begin(struct hw_h2_connection *connection)
{
    switch (connection->session->frame.type) {
    case HW_H2_DATA:
        hw_h2_data_begin(connection);
        break;
    case HW_H2_HEADERS:
        hw_h2_headers_begin(connection);
        break;
    case HW_H2_PRIORITY:
        hw_h2_sized_begin(connection, 5, true);
        break;
    case HW_H2_RST_STREAM:
    case HW_H2_WINDOW_UPDATE:
        hw_h2_sized_begin(connection, 4,
                          connection->session->frame.id != 0 || connection->session->frame.type == HW_H2_RST_STREAM);
        break;
    case HW_H2_SETTINGS:
        hw_h2_settings_begin(connection);
        break;
    case HW_H2_PUSH_PROMISE:
        hw_h2_fail(connection, HW_H2_PROTOCOL_ERROR, "PUSH_PROMISE from a client");
        break;
    case HW_H2_PING:
        hw_h2_sized_begin(connection, 8, false);
        break;
    case HW_H2_GOAWAY:
        if (connection->session->frame.id != 0)
            hw_h2_fail(connection, HW_H2_PROTOCOL_ERROR, "GOAWAY on a stream");
        else if (connection->session->frame.size < 8)
            hw_h2_fail(connection, HW_H2_FRAME_SIZE_ERROR, "GOAWAY of a wrong size");
        else
            hw_h2_skipped_begin(connection);
        break;
    case HW_H2_CONTINUATION:
        hw_h2_continuation_begin(connection);
        break;
    case HW_H2_PRIORITY_UPDATE:
        hw_h2_priority_update_begin(connection);
        break;
    default: /* RFC 9113 section 4.1: unknown types are ignored */
        hw_h2_skipped_begin(connection);
    }
}

static void hw_h2_frame_begin(struct hw_h2_connection *connection, const uint8_t *head)
{
    struct hw_h2_session *session = connection->session;
    struct hw_h2_frame *frame = &session->frame;
    bool is_first = !session->has_greeted;
    hw_h2_frame_read(frame, head);
    if (frame->size > HW_HTTP2_FRAME_SIZE) {
        hw_h2_fail(connection, HW_H2_FRAME_SIZE_ERROR, "a frame above http2.frame_size");
        return;
    }
    if (is_first && (frame->type != HW_H2_SETTINGS || (frame->flags & HW_H2_ACK) != 0)) { /* section 3.4 */
        hw_h2_fail(connection, HW_H2_PROTOCOL_ERROR, "the preface has no SETTINGS");
        return;
    }
    session->has_greeted = true;
    bool continues = frame->type == HW_H2_CONTINUATION && frame->id == session->block_id;
    if ((session->block != HW_H2_BLOCK_NONE) != continues) { /* section 6.10 */
        hw_h2_fail(connection, HW_H2_PROTOCOL_ERROR, "a header block that is interrupted, or continued without one");
        return;
    }
    session->step = HW_H2_AT_HEAD; /* unless its type says something else */
    hw_h2_type_begin(connection);
}

/* ---- Payloads that are there whole. */

/* RFC 9218 section 4: "u=3, i" and the like; what is not understood is ignored. */
static void hw_h2_priority_read(const char *text, size_t size, uint8_t *urgency, bool *is_incremental)
{
    for (size_t i = 0; i < size; i++) {
        bool is_key = i == 0 || text[i - 1] == ' ' || text[i - 1] == ',' || text[i - 1] == '\t';
        if (!is_key)
            continue;
        if (text[i] == 'u' && i + 2 < size && text[i + 1] == '=' && text[i + 2] >= '0' && text[i + 2] <= '7')
            *urgency = (uint8_t)(text[i + 2] - '0');
        else if (text[i] == 'i' && (i + 1 == size || text[i + 1] == ',' || text[i + 1] == ' '))
            *is_incremental = true;
        else if (text[i] == 'i' && i + 3 < size && memcmp(text + i, "i=?", 3) == 0)
            *is_incremental = text[i + 3] == '1';
    }
}

static void hw_h2_priority_update(struct hw_h2_connection *connection, const uint8_t *payload, size_t size)
{
    struct hw_h2_session *session = connection->session;
    uint32_t id = hw_h2_u32_read(payload) & HW_H2_ID_MAX;
    if (id == 0) {
        hw_h2_fail(connection, HW_H2_PROTOCOL_ERROR, "PRIORITY_UPDATE of no stream");
        return;
    }
    struct hw_h2_stream *stream = hw_h2_stream_find(session, id);
    if (stream == NULL)
        return;
    bool was_ready = hw_list_is_in(&stream->ready);
    stream->urgency = HW_H2_URGENCY_DEFAULT;
    stream->is_incremental = false;
    hw_h2_priority_read((const char *)payload + 4, size - 4, &stream->urgency, &stream->is_incremental);
    if (was_ready)
        hw_list_move(&session->ready[stream->urgency], &stream->ready);
}

/* RFC 9113 section 6.9. */
static void hw_h2_window_update(struct hw_h2_connection *connection, const uint8_t *payload)
{
    struct hw_h2_session *session = connection->session;
    uint32_t id = session->frame.id;
    uint32_t size = hw_h2_u32_read(payload) & HW_H2_ID_MAX;
    struct hw_h2_stream *stream = id == 0 ? NULL : hw_h2_stream_find(session, id);
    if (session->update_credit > 0)
        session->update_credit--;
    else if (!hw_h2_count(connection, HW_H2_UPDATES))
        return;
    if (id > session->last_id) {
        hw_h2_fail(connection, HW_H2_PROTOCOL_ERROR, "WINDOW_UPDATE on an idle stream");
        return;
    }
    if (id == 0) {
        if (size == 0 || session->send_window + size > HW_H2_WINDOW_MAX)
            hw_h2_fail(connection, size == 0 ? HW_H2_PROTOCOL_ERROR : HW_H2_FLOW_CONTROL_ERROR,
                       "WINDOW_UPDATE by a wrong amount");
        else
            session->send_window += size;
        return;
    }
    if (stream == NULL) /* it has ended meanwhile */
        return;
    if (size == 0 || stream->send_window + size > HW_H2_WINDOW_MAX) {
        hw_h2_stream_reset(connection, id, stream, size == 0 ? HW_H2_PROTOCOL_ERROR : HW_H2_FLOW_CONTROL_ERROR);
        return;
    }
    stream->send_window += size;
    hw_h2_stream_ready(session, stream);
}

/* RFC 9113 section 6.4. */
static void hw_h2_rst_stream(struct hw_h2_connection *connection)
{
    struct hw_h2_session *session = connection->session;
    if (session->frame.id > session->last_id) {
        hw_h2_fail(connection, HW_H2_PROTOCOL_ERROR, "RST_STREAM on an idle stream");
        return;
    }
    if (!hw_h2_count(connection, HW_H2_RESETS))
        return;
    struct hw_h2_stream *stream = hw_h2_stream_find(session, session->frame.id);
    if (stream != NULL)
        hw_h2_stream_close(connection, stream);
}

/* RFC 9113 section 6.7. */
static void hw_h2_ping(struct hw_h2_connection *connection, const uint8_t *payload)
{
    struct hw_h2_session *session = connection->session;
    if (!hw_h2_count(connection, HW_H2_CONTROLS))
        return;
    if ((session->frame.flags & HW_H2_ACK) != 0) {
        if (session->is_draining) /* ours of hw_h2_drained: whatever was under way is here */
            hw_h2_go(connection);
        return;
    }
    char *at = hw_h2_out_put(connection, HW_H2_HEAD_SIZE + 8);
    memcpy(hw_h2_frame_put(at, 8, HW_H2_PING, HW_H2_ACK, 0), payload, 8);
}

static void hw_h2_small(struct hw_h2_connection *connection, const uint8_t *payload)
{
    struct hw_h2_session *session = connection->session;
    session->step = HW_H2_AT_HEAD;
    switch (session->frame.type) {
    case HW_H2_PRIORITY: /* the old scheme is not used, but a stream must not depend on itself (section 5.3.1) */
        if (hw_h2_count(connection, HW_H2_CONTROLS) && (hw_h2_u32_read(payload) & HW_H2_ID_MAX) == session->frame.id)
            hw_h2_stream_reset(connection, session->frame.id, hw_h2_stream_find(session, session->frame.id),
                               HW_H2_PROTOCOL_ERROR);
        break;
    case HW_H2_RST_STREAM:
        hw_h2_rst_stream(connection);
        break;
    case HW_H2_PING:
        hw_h2_ping(connection, payload);
        break;
    case HW_H2_WINDOW_UPDATE:
        hw_h2_window_update(connection, payload);
        break;
    default:
        hw_h2_priority_update(connection, payload, session->frame.size);
    }
}

/* ---- SETTINGS. */

/* RFC 9113 section 6.9.2: the windows of open streams move with it. */
static void hw_h2_peer_window_set(struct hw_h2_connection *connection, uint32_t value)
{
    struct hw_h2_session *session = connection->session;
    int64_t more = (int64_t)value - session->peer_window;
    session->peer_window = value;
    for (size_t i = 0; i < HW_HTTP2_STREAMS; i++) {
        struct hw_h2_stream *stream = &session->streams[i];
        if (stream->id == 0)
            continue;
        if (stream->send_window + more > HW_H2_WINDOW_MAX) {
            hw_h2_fail(connection, HW_H2_FLOW_CONTROL_ERROR, "SETTINGS make a window too large");
            return;
        }
        stream->send_window += more;
        hw_h2_stream_ready(session, stream);
    }
}

static void hw_h2_setting(struct hw_h2_connection *connection, const uint8_t *entry)
{
    uint32_t value = hw_h2_u32_read(entry + 2);
    switch (entry[0] << 8 | entry[1]) {
    case HW_H2_SETTING_PUSH:
        if (value > 1)
            hw_h2_fail(connection, HW_H2_PROTOCOL_ERROR, "SETTINGS_ENABLE_PUSH above 1");
        break;
    case HW_H2_SETTING_WINDOW_SIZE:
        if (value > HW_H2_WINDOW_MAX)
            hw_h2_fail(connection, HW_H2_FLOW_CONTROL_ERROR, "SETTINGS_INITIAL_WINDOW_SIZE above 2^31-1");
        else
            hw_h2_peer_window_set(connection, value);
        break;
    case HW_H2_SETTING_FRAME_SIZE: /* ours are never larger than the smallest that is allowed */
        if (value < HW_H2_FRAME_SIZE || value > 0xffffff)
            hw_h2_fail(connection, HW_H2_PROTOCOL_ERROR, "SETTINGS_MAX_FRAME_SIZE out of range");
        break;
    default: /* the rest says nothing to an encoder without table, or is unknown */
        break;
    }
}

static void hw_h2_settings_step(struct hw_h2_connection *connection, struct hw_h2_input *input)
{
    struct hw_h2_session *session = connection->session;
    while (session->frame.size > 0) {
        const uint8_t *entry = hw_h2_piece(session, input, 6);
        if (entry == NULL)
            return;
        session->frame.size -= 6;
        hw_h2_setting(connection, entry);
        if (session->step != HW_H2_AT_SETTING)
            return;
    }
    hw_h2_frame_put(hw_h2_out_put(connection, HW_H2_HEAD_SIZE), 0, HW_H2_SETTINGS, HW_H2_ACK, 0);
    session->step = HW_H2_AT_HEAD;
}

/* ---- Payloads that are taken in pieces. */

/* Padding's length and the old priority, before the payload proper of DATA and HEADERS. */
static void hw_h2_prefix_step(struct hw_h2_connection *connection, struct hw_h2_input *input)
{
    struct hw_h2_session *session = connection->session;
    struct hw_h2_frame *frame = &session->frame;
    bool is_headers = frame->type == HW_H2_HEADERS;
    bool is_padded = (frame->flags & HW_H2_PADDED) != 0;
    bool has_priority = is_headers && (frame->flags & HW_H2_HAS_PRIORITY) != 0;
    uint32_t need = (is_padded ? 1u : 0u) + (has_priority ? 5u : 0u);
    if (frame->size < need) {
        hw_h2_fail(connection, HW_H2_FRAME_SIZE_ERROR, "a frame that is shorter than its fields");
        return;
    }
    const uint8_t *prefix = hw_h2_piece(session, input, need);
    if (prefix == NULL)
        return;
    session->padding = is_padded ? prefix[0] : 0;
    frame->size -= need;
    if (session->padding > frame->size) {
        hw_h2_fail(connection, HW_H2_PROTOCOL_ERROR, "more padding than payload");
        return;
    }
    bool is_own = has_priority && (hw_h2_u32_read(prefix + need - 5) & HW_H2_ID_MAX) == frame->id;
    frame->size -= session->padding;
    if (is_headers) {
        session->step = HW_H2_AT_BLOCK;
        hw_h2_block_begin(connection);
        if (is_own && session->step == HW_H2_AT_BLOCK && session->block_error == 0)
            session->block_error = HW_H2_PROTOCOL_ERROR; /* section 5.3.1 */
    } else {
        session->step = HW_H2_AT_DATA;
        if (need + session->padding > 0)
            hw_h2_window_give(connection, hw_h2_stream_find(session, frame->id), need + session->padding);
    }
}

static void hw_h2_payload_ended(struct hw_h2_session *session)
{
    session->frame.size = session->padding;
    session->padding = 0;
    session->step = HW_H2_AT_SKIP;
}

static void hw_h2_block_step(struct hw_h2_connection *connection, struct hw_h2_input *input)
{
    struct hw_h2_session *session = connection->session;
    size_t size;
    const uint8_t *part = hw_h2_part(session, input, &size);
    bool is_frame_ended = session->frame.size == 0;
    hw_h2_block_part(connection, part, size, is_frame_ended && session->block_ends);
    if (session->step != HW_H2_AT_BLOCK || !is_frame_ended)
        return;
    hw_h2_payload_ended(session);
    if (session->block_ends)
        hw_h2_block_end(connection);
}

static void hw_h2_data_step(struct hw_h2_connection *connection, struct hw_h2_input *input)
{
    struct hw_h2_session *session = connection->session;
    size_t size;
    const char *part = (const char *)hw_h2_part(session, input, &size);
    uint32_t id = session->frame.id;
    struct hw_h2_stream *stream = hw_h2_stream_find(session, id);
    bool is_live = stream != NULL && !stream->is_remote_ended;
    if (size > 0 && is_live)
        hw_h2_data_arrived(connection, stream, part, size);
    else
        hw_h2_window_give(connection, NULL, (uint32_t)size); /* it ended while the frame came in */
    if (session->frame.size > 0 || session->step != HW_H2_AT_DATA)
        return;
    hw_h2_payload_ended(session);
    stream = hw_h2_stream_find(session, id);
    if ((session->frame.flags & HW_H2_END_STREAM) != 0 && stream != NULL && !stream->is_remote_ended)
        hw_h2_data_ended(connection, stream);
}

static void hw_h2_skip_step(struct hw_h2_session *session, struct hw_h2_input *input)
{
    size_t size;
    hw_h2_part(session, input, &size);
    if (session->frame.size == 0)
        session->step = HW_H2_AT_HEAD;
}

/* RFC 9113 section 3.4. */
static void hw_h2_preface_step(struct hw_h2_connection *connection, struct hw_h2_input *input)
{
    struct hw_h2_session *session = connection->session;
    while (input->at < input->end && session->stash_size < HW_H2_PREFACE_SIZE) {
        if (*input->at++ != (uint8_t)HW_H2_PREFACE[session->stash_size++]) {
            hw_h2_fail(connection, HW_H2_PROTOCOL_ERROR, "no HTTP/2 preface");
            return;
        }
    }
    if (session->stash_size < HW_H2_PREFACE_SIZE)
        return;
    session->stash_size = 0;
    session->step = HW_H2_AT_HEAD;
}

static void hw_h2_head_step(struct hw_h2_connection *connection, struct hw_h2_input *input)
{
    const uint8_t *head = hw_h2_piece(connection->session, input, HW_H2_HEAD_SIZE);
    if (head != NULL)
        hw_h2_frame_begin(connection, head);
}

static void hw_h2_small_step(struct hw_h2_connection *connection, struct hw_h2_input *input)
{
    const uint8_t *payload = hw_h2_piece(connection->session, input, connection->session->frame.size);
    if (payload != NULL)
        hw_h2_small(connection, payload);
}

/* True when the step needs no byte to go on. */
static bool hw_h2_is_due(const struct hw_h2_session *session)
{
    const struct hw_h2_frame *frame = &session->frame;
    switch (session->step) {
    case HW_H2_AT_SETTING:
    case HW_H2_AT_BLOCK:
    case HW_H2_AT_DATA:
    case HW_H2_AT_SKIP:
        return frame->size == 0;
    case HW_H2_AT_PREFIX:
        return frame->size == 0 ||
               (frame->flags & (HW_H2_PADDED | (frame->type == HW_H2_HEADERS ? HW_H2_HAS_PRIORITY : 0))) == 0;
    default:
        return false;
    }
}

static void hw_h2_take(struct hw_h2_connection *connection, const uint8_t *bytes, size_t size)
{
    struct hw_h2_session *session = connection->session;
    struct hw_h2_input input = {bytes, bytes + size};
    while (session->step != HW_H2_AT_END && (input.at < input.end || hw_h2_is_due(session))) {
        switch (session->step) {
        case HW_H2_AT_PREFACE:
            hw_h2_preface_step(connection, &input);
            break;
        case HW_H2_AT_HEAD:
            hw_h2_head_step(connection, &input);
            break;
        case HW_H2_AT_SMALL:
            hw_h2_small_step(connection, &input);
            break;
        case HW_H2_AT_SETTING:
            hw_h2_settings_step(connection, &input);
            break;
        case HW_H2_AT_PREFIX:
            hw_h2_prefix_step(connection, &input);
            break;
        case HW_H2_AT_BLOCK:
            hw_h2_block_step(connection, &input);
            break;
        case HW_H2_AT_DATA:
            hw_h2_data_step(connection, &input);
            break;
        default:
            hw_h2_skip_step(session, &input);
        }
    }
}

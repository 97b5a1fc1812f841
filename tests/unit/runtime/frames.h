/* An HTTP/2 client for tests on the rig: builds frames, and reads those that come as strictly as RFC 9113 allows. What
 * must never come is kept in `fault`. A test includes this file behind a rig.h with RIG_HTTP2. */
#ifndef HW_TEST_FRAMES_H
#define HW_TEST_FRAMES_H

#include <nghttp2/nghttp2.h>
#include <stdarg.h>

#define PEER_ROOM (1u << 21)
#define PEER_STREAMS 512u
#define PEER_BODY 128u
#define PEER_WINDOW 65535

/* What has come for one stream. */
struct peer_stream {
    uint32_t id;
    unsigned status; /* of the last HEADERS */
    unsigned interim_count;
    unsigned frame_count; /* DATA */
    unsigned continuation_count;
    unsigned update_count;
    unsigned order; /* of the END_STREAM among all streams */
    int64_t window; /* what the server may still send */
    uint64_t given; /* what it lets the client send besides the first window */
    uint64_t body_size;
    uint32_t body_hash;
    bool is_ended;
    bool is_reset;
    uint32_t error; /* of the RST_STREAM */
    char body[PEER_BODY];
    char fields[4096]; /* "name: value\n" */
};

struct peer {
    int fd;
    enum rig_end end;
    const char *fault;
    uint8_t *bytes; /* what has come */
    size_t size;
    size_t at; /* up to here it was looked at */
    char *out; /* what is to be sent */
    size_t out_size;
    nghttp2_hd_inflater *inflater;
    uint32_t block_id; /* of the header block that is not complete, or 0 */
    bool block_ends;
    uint8_t block[1u << 17];
    size_t block_size;
    int64_t window;
    int64_t first_window; /* SETTINGS_INITIAL_WINDOW_SIZE, as it is in force */
    uint64_t given;
    uint32_t highest; /* the highest id that the client may have opened */
    unsigned settings_count;
    unsigned ack_count;
    unsigned ping_count;       /* acknowledged ones */
    unsigned drain_ping_count; /* the server's own */
    unsigned goaway_count;
    uint32_t goaway_ids[4];
    uint32_t goaway_error;
    unsigned ended_count;
    unsigned stream_count;
    struct peer_stream streams[PEER_STREAMS];
};

static struct peer *peer_open(const struct hw_listener *listener, int buffer)
{
    struct peer *peer = rig_memory(sizeof *peer);
    peer->bytes = rig_memory(PEER_ROOM);
    peer->out = rig_memory(PEER_ROOM);
    peer->window = PEER_WINDOW;
    peer->first_window = PEER_WINDOW;
    peer->highest = HW_H2_ID_MAX;
    if (nghttp2_hd_inflate_new(&peer->inflater) != 0)
        abort();
    peer->fd = rig_connect_to(listener, buffer);
    return peer;
}

static void peer_close(struct peer *peer)
{
    if (peer->fd >= 0)
        close(peer->fd);
    nghttp2_hd_inflate_del(peer->inflater);
    free(peer->bytes);
    free(peer->out);
    free(peer);
}

/* ---- What is sent. */

static void peer_bytes(struct peer *peer, const void *bytes, size_t size)
{
    if (size > PEER_ROOM - peer->out_size)
        abort();
    if (size > 0)
        memcpy(peer->out + peer->out_size, bytes, size);
    peer->out_size += size;
}

static void peer_frame(struct peer *peer, uint8_t type, uint8_t flags, uint32_t id, const void *payload, size_t size)
{
    char head[HW_H2_HEAD_SIZE];
    hw_h2_frame_put(head, size, type, flags, id);
    peer_bytes(peer, head, sizeof head);
    peer_bytes(peer, payload, size);
}

static void peer_u32(struct peer *peer, uint8_t type, uint32_t id, uint32_t value)
{
    char payload[4];
    hw_h2_u32_put(payload, value);
    peer_frame(peer, type, 0, id, payload, sizeof payload);
}

static void peer_setting(struct peer *peer, unsigned setting, uint32_t value)
{
    char payload[6] = {(char)(setting >> 8), (char)setting};
    hw_h2_u32_put(payload + 2, value);
    peer_frame(peer, HW_H2_SETTINGS, 0, 0, payload, sizeof payload);
}

static void peer_preface(struct peer *peer)
{
    peer_bytes(peer, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 24);
    peer_frame(peer, HW_H2_SETTINGS, 0, 0, NULL, 0);
    peer_frame(peer, HW_H2_SETTINGS, HW_H2_ACK, 0, NULL, 0);
}

/* Literals that are not indexed, without Huffman: an integer of seven bits, then the text. */
static size_t peer_text_put(uint8_t *at, const char *text, size_t size)
{
    size_t used = 0;
    size_t left = size;
    if (size < 127) {
        at[used++] = (uint8_t)size;
    } else {
        at[used++] = 127;
        for (left -= 127; left >= 128; left /= 128)
            at[used++] = (uint8_t)(left % 128 | 128);
        at[used++] = (uint8_t)left;
    }
    memcpy(at + used, text, size);
    return used + size;
}

static size_t peer_field_put(uint8_t *at, const char *name, const char *value)
{
    size_t used = 1;
    at[0] = 0;
    used += peer_text_put(at + used, name, strlen(name));
    return used + peer_text_put(at + used, value, strlen(value));
}

/* Names and values in turn, NULL at the end. Returns the size of the block. */
static size_t peer_fields_put(uint8_t *at, const char *const *fields)
{
    size_t used = 0;
    for (; fields[0] != NULL; fields += 2)
        used += peer_field_put(at + used, fields[0], fields[1]);
    return used;
}

/* A block in one HEADERS frame. */
static void peer_block(struct peer *peer, uint32_t id, uint8_t flags, const char *const *fields)
{
    uint8_t block[16384];
    size_t size = peer_fields_put(block, fields);
    peer_frame(peer, HW_H2_HEADERS, (uint8_t)(flags | HW_H2_END_HEADERS), id, block, size);
}

/* An ordinary request; `name` may be NULL: no field besides. */
static void peer_request(struct peer *peer, uint32_t id, uint8_t flags, const char *method, const char *path,
                         const char *name, const char *value)
{
    const char *const fields[] = {":method",    method,      ":scheme", "http", ":path", path,
                                  ":authority", "a.example", name,      value,  NULL};
    peer_block(peer, id, flags, fields);
}

static void peer_get(struct peer *peer, uint32_t id, const char *path)
{
    peer_request(peer, id, HW_H2_END_STREAM, "GET", path, NULL, NULL);
}

static void peer_post(struct peer *peer, uint32_t id, const char *path)
{
    peer_request(peer, id, 0, "POST", path, NULL, NULL);
}

/* A part of a body: `size` times this byte. */
static void peer_data(struct peer *peer, uint32_t id, uint8_t flags, char byte, size_t size)
{
    static char bytes[HW_H2_FRAME_SIZE];
    memset(bytes, byte, sizeof bytes);
    peer_frame(peer, HW_H2_DATA, flags, id, bytes, size);
}

/* ---- What comes. */

static struct peer_stream *peer_stream(struct peer *peer, uint32_t id)
{
    for (unsigned i = 0; i < peer->stream_count; i++)
        if (peer->streams[i].id == id)
            return &peer->streams[i];
    if (peer->stream_count == PEER_STREAMS)
        abort();
    struct peer_stream *stream = &peer->streams[peer->stream_count++];
    memset(stream, 0, sizeof *stream);
    stream->id = id;
    stream->window = peer->first_window;
    stream->body_hash = APP_HASH_BEGIN;
    return stream;
}

static void peer_fault(struct peer *peer, const char *what)
{
    if (peer->fault == NULL)
        peer->fault = what;
}

static void peer_field_keep(struct peer *peer, struct peer_stream *stream, const nghttp2_nv *nv)
{
    size_t used = strlen(stream->fields);
    if (nv->namelen == 7 && memcmp(nv->name, ":status", 7) == 0) {
        if (stream->status >= 200)
            peer_fault(peer, "a second status");
        stream->status = (unsigned)strtoul((const char *)nv->value, NULL, 10);
        if (nv->valuelen != 3 || stream->status < 100 || stream->status > 599)
            peer_fault(peer, "a wrong status");
    }
    for (size_t i = 0; i < nv->namelen; i++)
        if (nv->name[i] >= 'A' && nv->name[i] <= 'Z')
            peer_fault(peer, "capitals");
    if (used + nv->namelen + nv->valuelen + 4 < sizeof stream->fields)
        snprintf(stream->fields + used, sizeof stream->fields - used, "%.*s: %.*s\n", (int)nv->namelen,
                 (const char *)nv->name, (int)nv->valuelen, (const char *)nv->value);
}

static void peer_stream_ended(struct peer *peer, struct peer_stream *stream)
{
    stream->is_ended = true;
    stream->order = ++peer->ended_count;
}

static void peer_block_read(struct peer *peer)
{
    struct peer_stream *stream = peer_stream(peer, peer->block_id);
    const uint8_t *at = peer->block;
    size_t left = peer->block_size;
    peer->block_id = 0;
    stream->fields[0] = '\0';
    for (;;) {
        nghttp2_nv nv;
        int flags = 0;
        ssize_t used = nghttp2_hd_inflate_hd2(peer->inflater, &nv, &flags, at, left, 1);
        if (used < 0) {
            peer_fault(peer, "a block that cannot be decoded");
            return;
        }
        at += used;
        left -= (size_t)used;
        if ((flags & NGHTTP2_HD_INFLATE_EMIT) != 0)
            peer_field_keep(peer, stream, &nv);
        if ((flags & NGHTTP2_HD_INFLATE_FINAL) != 0)
            break;
    }
    nghttp2_hd_inflate_end_headers(peer->inflater);
    if (stream->status < 200) {
        stream->interim_count++;
        if (peer->block_ends || stream->status == 0)
            peer_fault(peer, "HEADERS without a final status");
    }
    if (peer->block_ends)
        peer_stream_ended(peer, stream);
}

static void peer_block_add(struct peer *peer, const struct hw_h2_frame *frame, const uint8_t *payload)
{
    if (frame->type == HW_H2_HEADERS) {
        peer->block_id = frame->id;
        peer->block_ends = (frame->flags & HW_H2_END_STREAM) != 0;
        peer->block_size = 0;
    } else {
        peer_stream(peer, frame->id)->continuation_count++;
    }
    if (frame->size > sizeof peer->block - peer->block_size) {
        peer_fault(peer, "a very large block");
        return;
    }
    memcpy(peer->block + peer->block_size, payload, frame->size);
    peer->block_size += frame->size;
    if ((frame->flags & HW_H2_END_HEADERS) != 0)
        peer_block_read(peer);
}

static void peer_data_read(struct peer *peer, const struct hw_h2_frame *frame, const uint8_t *payload)
{
    struct peer_stream *stream = peer_stream(peer, frame->id);
    if (stream->status < 200)
        peer_fault(peer, "DATA before HEADERS");
    stream->window -= frame->size;
    peer->window -= frame->size;
    if (frame->size > 0 && (stream->window < 0 || peer->window < 0))
        peer_fault(peer, "more DATA than the window");
    for (uint32_t i = 0; i < frame->size && stream->body_size + i < PEER_BODY - 1; i++)
        stream->body[stream->body_size + i] = (char)payload[i];
    stream->frame_count++;
    stream->body_size += frame->size;
    stream->body_hash = app_hash(stream->body_hash, (const char *)payload, frame->size);
    if ((frame->flags & HW_H2_END_STREAM) != 0)
        peer_stream_ended(peer, stream);
}

static void peer_connection_frame(struct peer *peer, const struct hw_h2_frame *frame, const uint8_t *payload)
{
    bool is_ack = (frame->flags & HW_H2_ACK) != 0;
    if (frame->type == HW_H2_SETTINGS && frame->size % 6 == 0 && (!is_ack || frame->size == 0)) {
        peer->settings_count += is_ack ? 0 : 1;
        peer->ack_count += is_ack ? 1 : 0;
    } else if (frame->type == HW_H2_PING && frame->size == 8) {
        peer->ping_count += is_ack ? 1 : 0;
        peer->drain_ping_count += is_ack ? 0 : 1;
    } else if (frame->type == HW_H2_GOAWAY && frame->size == 8) {
        uint32_t last = hw_h2_u32_read(payload);
        if (peer->goaway_count == 4 || (peer->goaway_count > 0 && last > peer->goaway_ids[peer->goaway_count - 1])) {
            peer_fault(peer, "a wrong GOAWAY");
            return;
        }
        peer->goaway_ids[peer->goaway_count++] = last;
        peer->goaway_error = hw_h2_u32_read(payload + 4);
    } else if (frame->type == HW_H2_WINDOW_UPDATE && frame->size == 4) {
        if (hw_h2_u32_read(payload) == 0)
            peer_fault(peer, "a window update of nothing");
        peer->given += hw_h2_u32_read(payload);
    } else {
        peer_fault(peer, "a frame that a connection cannot have");
    }
}

static void peer_stream_frame(struct peer *peer, const struct hw_h2_frame *frame, const uint8_t *payload)
{
    struct peer_stream *stream = peer_stream(peer, frame->id);
    if (frame->id % 2 == 0 || frame->id > peer->highest)
        peer_fault(peer, "a frame on a stream that the client has not opened");
    bool is_rest = frame->type == HW_H2_RST_STREAM || frame->type == HW_H2_WINDOW_UPDATE;
    if (!is_rest && (stream->is_ended || stream->is_reset))
        peer_fault(peer, "a frame on a stream that has ended");
    if (frame->type == HW_H2_DATA) {
        peer_data_read(peer, frame, payload);
    } else if (frame->type == HW_H2_HEADERS || frame->type == HW_H2_CONTINUATION) {
        peer_block_add(peer, frame, payload);
    } else if (frame->type == HW_H2_RST_STREAM && frame->size == 4) {
        stream->is_reset = true;
        stream->error = hw_h2_u32_read(payload);
    } else if (frame->type == HW_H2_WINDOW_UPDATE && frame->size == 4) {
        if (hw_h2_u32_read(payload) == 0)
            peer_fault(peer, "a window update of nothing");
        stream->given += hw_h2_u32_read(payload);
        stream->update_count++;
    } else {
        peer_fault(peer, "a frame that a stream cannot have");
    }
}

/* Looks at all frames that are complete. */
static void peer_read(struct peer *peer)
{
    while (peer->size - peer->at >= HW_H2_HEAD_SIZE) {
        struct hw_h2_frame frame;
        hw_h2_frame_read(&frame, peer->bytes + peer->at);
        const uint8_t *payload = peer->bytes + peer->at + HW_H2_HEAD_SIZE;
        if (frame.size > HW_H2_FRAME_SIZE)
            peer_fault(peer, "a frame that is too large");
        if (frame.size > HW_H2_FRAME_SIZE || peer->size - peer->at - HW_H2_HEAD_SIZE < frame.size)
            return;
        if (peer->settings_count == 0 && frame.type != HW_H2_SETTINGS)
            peer_fault(peer, "no SETTINGS first");
        bool continues = frame.type == HW_H2_CONTINUATION && frame.id == peer->block_id;
        if ((peer->block_id != 0) != continues)
            peer_fault(peer, "a header block that is interrupted");
        if (frame.id == 0)
            peer_connection_frame(peer, &frame, payload);
        else
            peer_stream_frame(peer, &frame, payload);
        peer->at += HW_H2_HEAD_SIZE + frame.size;
    }
}

/* What the client's own updates do to the windows that it watches; called before they are sent. */
static void peer_update(struct peer *peer, uint32_t id, uint32_t size)
{
    peer_u32(peer, HW_H2_WINDOW_UPDATE, id, size);
    if (id == 0)
        peer->window += size;
    else
        peer_stream(peer, id)->window += size;
}

static void peer_window_set(struct peer *peer, uint32_t size)
{
    peer_setting(peer, HW_H2_SETTING_WINDOW_SIZE, size);
    for (unsigned i = 0; i < peer->stream_count; i++)
        peer->streams[i].window += (int64_t)size - peer->first_window;
    peer->first_window = size;
}

static void peer_receive(struct peer *peer)
{
    if (peer->end == RIG_OPEN)
        peer->end = rig_receive(peer->fd, (char *)peer->bytes, PEER_ROOM - peer->size, &peer->size);
    peer_read(peer);
}

/* Sends what was built, in pieces of `part` bytes, and reads what comes until nothing happens any more. */
static void peer_go_in(struct peer *peer, size_t part)
{
    size_t sent = 0;
    for (int i = 0; sent < peer->out_size && i < 100000; i++) {
        size_t left = peer->out_size - sent;
        size_t now = rig_send(peer->fd, peer->out + sent, left < part ? left : part);
        sent += now;
        rig_settle();
        peer_receive(peer);
        if (now == 0 && peer->end != RIG_OPEN)
            break;
    }
    peer->out_size = 0;
    rig_settle();
    peer_receive(peer);
}

static void peer_go(struct peer *peer)
{
    peer_go_in(peer, SIZE_MAX);
}

#endif

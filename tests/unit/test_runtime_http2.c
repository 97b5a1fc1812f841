/* HTTP/2 connections rule by rule: frames, streams, flow control, bodies, limits, time, abuse, and what is given back. */
#define RIG_HTTP2
#define HW_BUFFERS_COUNT 6ull
#define HW_LIMITS_CONNECTIONS 8ull
#define HW_LIMITS_REQUESTS 60ull
#include "runtime/rig.h"

#include "runtime/frames.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const struct hw_listener h2c_listener = {.kind = HW_LISTEN_UNIX, .protocols = HW_PROTOCOL_HTTP2};

static struct peer *peer;

static int start(void **state)
{
    (void)state;
    rig_start();
    peer = peer_open(&rig_listener, 0);
    peer_preface(peer);
    peer_go(peer);
    return 0;
}

/* Whatever a test has left: time alone ends it, and everything comes back. */
static int stop(void **state)
{
    (void)state;
    for (int i = 0; i < 40; i++) {
        rig_wait(500);
        while (app_resume_one())
            rig_settle();
    }
    rig_settle();
    const char *fault = peer->fault;
    if (fault != NULL)
        fprintf(stderr, "the server sent %s\n", fault);
    bool is_clean = rig_is_clean();
    peer_close(peer);
    rig_stop();
    return fault == NULL && is_clean ? 0 : -1;
}

static void expect_answer(uint32_t id, unsigned status, const char *body)
{
    const struct peer_stream *stream = peer_stream(peer, id);
    assert_int_equal(stream->status, status);
    assert_true(stream->is_ended);
    if (body != NULL)
        assert_string_equal(stream->body, body);
}

static void expect_status(uint32_t id, unsigned status)
{
    expect_answer(id, status, NULL);
}

static void expect_nothing(uint32_t id)
{
    const struct peer_stream *stream = peer_stream(peer, id);
    assert_int_equal(stream->status, 0);
    assert_false(stream->is_ended || stream->is_reset);
}

static void expect_reset(uint32_t id, uint32_t error)
{
    const struct peer_stream *stream = peer_stream(peer, id);
    assert_true(stream->is_reset);
    assert_int_equal(stream->error, error);
}

static void expect_goaway(uint32_t error)
{
    assert_int_equal(peer->goaway_count, 1);
    assert_int_equal(peer->goaway_error, error);
    assert_int_equal(peer->end, RIG_CLOSED);
}

/* The connection is as good as before. */
static void expect_open(uint32_t id)
{
    assert_int_equal(peer->goaway_count, 0);
    peer_get(peer, id, "/b");
    peer_go(peer);
    expect_answer(id, 200, "small");
}

/* ---- The preface. */

static void test_preface_in_pieces(void **state)
{
    (void)state;
    static const size_t parts[] = {1, 2, 3, 5, 7, 11, 23, 24, 25, 40};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        peer_close(peer);
        peer = peer_open(i % 2 == 0 ? &rig_listener : &h2c_listener, 0);
        peer_preface(peer);
        peer_get(peer, 1, "/b");
        peer_go_in(peer, parts[i]);
        expect_answer(1, 200, "small");
        assert_int_equal(peer->ack_count, 1);
        assert_null(peer->fault);
    }
}

static void test_preface_that_is_wrong(void **state)
{
    (void)state;
    peer_close(peer);
    peer = peer_open(&h2c_listener, 0);
    peer_bytes(peer, "PRI * HTTP/2.0\r\n\r\nSM\r\n\rX", 24);
    peer_go(peer);
    expect_goaway(HW_H2_PROTOCOL_ERROR);
}

static void test_preface_without_settings(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        peer_close(peer);
        peer = peer_open(&rig_listener, 0);
        peer_bytes(peer, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 24);
        peer_frame(peer, i == 0 ? HW_H2_PING : HW_H2_SETTINGS, HW_H2_ACK, 0, "12345678", i == 0 ? 8 : 0);
        peer_go(peer);
        expect_goaway(HW_H2_PROTOCOL_ERROR);
    }
}

/* ---- Frames that end the connection. Stream 1 has ended, 3 is open, 5 is idle. */

static const struct wrong_frame {
    const char *what;
    uint32_t error;
    uint8_t type;
    uint8_t flags;
    uint32_t id;
    uint32_t size;
    const char *payload; /* NULL: zeros */
} wrong_frames[] = {
    {"DATA on 0", HW_H2_PROTOCOL_ERROR, HW_H2_DATA, 0, 0, 1, NULL},
    {"DATA on idle", HW_H2_PROTOCOL_ERROR, HW_H2_DATA, 0, 5, 1, NULL},
    {"DATA without pad length", HW_H2_FRAME_SIZE_ERROR, HW_H2_DATA, HW_H2_PADDED, 3, 0, NULL},
    {"DATA padded by its size", HW_H2_PROTOCOL_ERROR, HW_H2_DATA, HW_H2_PADDED, 3, 3, "\x03xx"},
    {"HEADERS on 0", HW_H2_PROTOCOL_ERROR, HW_H2_HEADERS, 4, 0, 1, "\x82"},
    {"HEADERS on 2", HW_H2_PROTOCOL_ERROR, HW_H2_HEADERS, 4, 2, 1, "\x82"},
    {"HEADERS on closed", HW_H2_STREAM_CLOSED, HW_H2_HEADERS, 4, 1, 1, "\x82"},
    {"HEADERS without pad length", HW_H2_FRAME_SIZE_ERROR, HW_H2_HEADERS, 12, 5, 0, NULL},
    {"HEADERS without priority", HW_H2_FRAME_SIZE_ERROR, HW_H2_HEADERS, 0x24, 5, 4, NULL},
    {"HEADERS padded by its size", HW_H2_PROTOCOL_ERROR, HW_H2_HEADERS, 12, 5, 3, "\x03xx"},
    {"HEADERS that are no HPACK", HW_H2_COMPRESSION_ERROR, HW_H2_HEADERS, 5, 5, 1, "\x80"},
    {"PRIORITY on 0", HW_H2_PROTOCOL_ERROR, HW_H2_PRIORITY, 0, 0, 5, NULL},
    {"RST_STREAM on 0", HW_H2_PROTOCOL_ERROR, HW_H2_RST_STREAM, 0, 0, 4, NULL},
    {"RST_STREAM on idle", HW_H2_PROTOCOL_ERROR, HW_H2_RST_STREAM, 0, 5, 4, NULL},
    {"RST_STREAM of 3", HW_H2_FRAME_SIZE_ERROR, HW_H2_RST_STREAM, 0, 3, 3, NULL},
    {"RST_STREAM of 5", HW_H2_FRAME_SIZE_ERROR, HW_H2_RST_STREAM, 0, 3, 5, NULL},
    {"SETTINGS on a stream", HW_H2_PROTOCOL_ERROR, HW_H2_SETTINGS, 0, 3, 0, NULL},
    {"SETTINGS of 5", HW_H2_FRAME_SIZE_ERROR, HW_H2_SETTINGS, 0, 0, 5, NULL},
    {"SETTINGS of 7", HW_H2_FRAME_SIZE_ERROR, HW_H2_SETTINGS, 0, 0, 7, NULL},
    {"ACK with settings", HW_H2_FRAME_SIZE_ERROR, HW_H2_SETTINGS, HW_H2_ACK, 0, 6, NULL},
    {"ENABLE_PUSH 2", HW_H2_PROTOCOL_ERROR, HW_H2_SETTINGS, 0, 0, 6, "\0\2\0\0\0\2"},
    {"window 2^31", HW_H2_FLOW_CONTROL_ERROR, HW_H2_SETTINGS, 0, 0, 6, "\0\4\x80\0\0\0"},
    {"frame size 16383", HW_H2_PROTOCOL_ERROR, HW_H2_SETTINGS, 0, 0, 6, "\0\5\0\0\x3f\xff"},
    {"frame size 2^24", HW_H2_PROTOCOL_ERROR, HW_H2_SETTINGS, 0, 0, 6, "\0\5\1\0\0\0"},
    {"PUSH_PROMISE", HW_H2_PROTOCOL_ERROR, HW_H2_PUSH_PROMISE, 4, 3, 4, NULL},
    {"PING on a stream", HW_H2_PROTOCOL_ERROR, HW_H2_PING, 0, 3, 8, NULL},
    {"PING of 7", HW_H2_FRAME_SIZE_ERROR, HW_H2_PING, 0, 0, 7, NULL},
    {"PING of 9", HW_H2_FRAME_SIZE_ERROR, HW_H2_PING, 0, 0, 9, NULL},
    {"GOAWAY on a stream", HW_H2_PROTOCOL_ERROR, HW_H2_GOAWAY, 0, 3, 8, NULL},
    {"GOAWAY of 7", HW_H2_FRAME_SIZE_ERROR, HW_H2_GOAWAY, 0, 0, 7, NULL},
    {"WINDOW_UPDATE of 3", HW_H2_FRAME_SIZE_ERROR, HW_H2_WINDOW_UPDATE, 0, 0, 3, NULL},
    {"WINDOW_UPDATE by 0", HW_H2_PROTOCOL_ERROR, HW_H2_WINDOW_UPDATE, 0, 0, 4, NULL},
    {"WINDOW_UPDATE on idle", HW_H2_PROTOCOL_ERROR, HW_H2_WINDOW_UPDATE, 0, 5, 4, "\0\0\0\1"},
    {"WINDOW_UPDATE too far", HW_H2_FLOW_CONTROL_ERROR, HW_H2_WINDOW_UPDATE, 0, 0, 4, "\x7f\xff\xff\xff"},
    {"CONTINUATION of nothing", HW_H2_PROTOCOL_ERROR, HW_H2_CONTINUATION, 4, 3, 0, NULL},
    {"PRIORITY_UPDATE on a stream", HW_H2_PROTOCOL_ERROR, HW_H2_PRIORITY_UPDATE, 0, 3, 4, "\0\0\0\3"},
    {"PRIORITY_UPDATE of 3", HW_H2_FRAME_SIZE_ERROR, HW_H2_PRIORITY_UPDATE, 0, 0, 3, NULL},
    {"PRIORITY_UPDATE of 0", HW_H2_PROTOCOL_ERROR, HW_H2_PRIORITY_UPDATE, 0, 0, 4, NULL},
    {"an unknown frame above frame_size", HW_H2_FRAME_SIZE_ERROR, 77, 0, 0, 16385, NULL},
};

static void test_frames_that_end_the_connection(void **state)
{
    (void)state;
    static const char zeros[16385];
    for (size_t i = 0; i < 2 * sizeof wrong_frames / sizeof wrong_frames[0]; i++) {
        const struct wrong_frame *wrong = &wrong_frames[i / 2];
        peer_close(peer);
        rig_wait(HW_TIMEOUTS_LINGER + 200);
        peer = peer_open(&rig_listener, 0);
        peer_preface(peer);
        peer_get(peer, 1, "/b");
        peer_post(peer, 3, "/d");
        peer_go(peer);
        peer_frame(peer, wrong->type, wrong->flags, wrong->id, wrong->payload == NULL ? zeros : wrong->payload,
                   wrong->size);
        peer_go_in(peer, i % 2 == 0 ? SIZE_MAX : 1);
        if (peer->goaway_count != 1 || peer->goaway_error != wrong->error || peer->end != RIG_CLOSED)
            fail_msg("%s: GOAWAY %u with %u, end %d", wrong->what, peer->goaway_count, peer->goaway_error,
                     (int)peer->end);
        assert_int_equal(peer->goaway_ids[0], peer->goaway_ids[0] == 5 ? 5 : 3);
        assert_null(peer->fault);
    }
}

/* ---- Frames that end a stream, or nothing. */

static void test_stream_errors(void **state)
{
    (void)state;
    peer_get(peer, 1, "/b");
    peer_post(peer, 3, "/d");
    peer_post(peer, 5, "/d");
    peer_post(peer, 7, "/d");
    peer_frame(peer, HW_H2_PRIORITY, 0, 3, "1234", 4);
    peer_u32(peer, HW_H2_WINDOW_UPDATE, 5, 0);
    peer_u32(peer, HW_H2_WINDOW_UPDATE, 7, 0x7fffffff);
    peer_data(peer, 1, 0, 'x', 5);
    peer_go(peer);
    expect_reset(3, HW_H2_FRAME_SIZE_ERROR);
    expect_reset(5, HW_H2_PROTOCOL_ERROR);
    expect_reset(7, HW_H2_FLOW_CONTROL_ERROR);
    expect_reset(1, HW_H2_STREAM_CLOSED);
    expect_open(9);
}

static void test_stream_depends_on_itself(void **state)
{
    (void)state;
    uint8_t block[256] = {0, 0, 0, 3, 1};
    const char *const fields[] = {":method", "GET", ":scheme", "http", ":path", "/b", ":authority", "a", NULL};
    size_t size = 5 + peer_fields_put(block + 5, fields);
    peer_post(peer, 1, "/d");
    peer_frame(peer, HW_H2_PRIORITY, 0, 1, "\0\0\0\1\1", 5);
    peer_frame(peer, HW_H2_HEADERS, 0x25, 3, block, size);
    peer_frame(peer, HW_H2_HEADERS, 0x25, 5, block, size);
    peer_go(peer);
    expect_reset(1, HW_H2_PROTOCOL_ERROR);
    expect_reset(3, HW_H2_PROTOCOL_ERROR);
    expect_answer(5, 200, "small");
}

static void test_late_frames_after_our_reset(void **state)
{
    (void)state;
    peer_post(peer, 1, "/d");
    peer_u32(peer, HW_H2_WINDOW_UPDATE, 1, 0);
    peer_data(peer, 1, 0, 'x', 100);
    peer_u32(peer, HW_H2_WINDOW_UPDATE, 1, 5);
    const char *const trailers[] = {"a", "b", NULL};
    peer_block(peer, 1, HW_H2_END_STREAM, trailers);
    peer_u32(peer, HW_H2_RST_STREAM, 1, HW_H2_CANCEL);
    peer_go(peer);
    expect_reset(1, HW_H2_PROTOCOL_ERROR);
    expect_open(3);
}

static void test_half_closed(void **state)
{
    (void)state;
    peer_get(peer, 1, "/u");
    peer_get(peer, 3, "/u");
    peer_go(peer);
    const char *const trailers[] = {"a", "b", NULL};
    peer_data(peer, 1, 0, 'x', 1);
    peer_block(peer, 3, HW_H2_END_STREAM, trailers);
    peer_go(peer);
    expect_reset(1, HW_H2_STREAM_CLOSED);
    expect_reset(3, HW_H2_STREAM_CLOSED);
    expect_open(5);
}

static void test_frames_of_no_interest(void **state)
{
    (void)state;
    peer_frame(peer, 77, 0xff, 9, "what", 4);
    peer_frame(peer, 77, 0, 0, NULL, 0);
    peer_frame(peer, HW_H2_GOAWAY, 0, 0, "\0\0\0\0\0\0\0\0bye", 11);
    peer_frame(peer, HW_H2_PING, HW_H2_ACK, 0, "12345678", 8);
    peer_frame(peer, HW_H2_PING, 0, 0, "12345678", 8);
    peer_frame(peer, HW_H2_PRIORITY, 0, 99, "\0\0\0\1\1", 5);
    peer_frame(peer, HW_H2_SETTINGS, 0, 0, "\0\2\0\0\0\1\xff\xff\0\0\0\0\0\5\0\0\x40\0\0\5\0\xff\xff\xff", 24);
    peer_go_in(peer, 1);
    assert_int_equal(peer->ping_count, 1);
    assert_int_equal(peer->ack_count, 2);
    expect_open(1);
}

static void test_padding(void **state)
{
    (void)state;
    uint8_t block[256] = {4, 0, 0, 0, 0, 1};
    const char *const fields[] = {":method", "POST", ":scheme", "http", ":path", "/m", ":authority", "a", NULL};
    size_t size = 6 + peer_fields_put(block + 6, fields);
    memset(block + size, 0, 4);
    peer_frame(peer, HW_H2_HEADERS, 0x2c, 1, block, size + 4);
    peer_frame(peer, HW_H2_DATA, HW_H2_PADDED, 1, "\3abc\0\0\0", 7);
    peer_frame(peer, HW_H2_DATA, HW_H2_PADDED, 1, "\3\0\0\0", 4);
    peer_frame(peer, HW_H2_DATA, HW_H2_PADDED | HW_H2_END_STREAM, 1, "\0def", 4);
    peer_go_in(peer, 1);
    expect_answer(1, 200, "abcdef");
}

/* ---- Header blocks. */

static void test_continuation(void **state)
{
    (void)state;
    uint8_t block[256];
    const char *const fields[] = {":method", "GET", ":scheme", "http", ":path", "/b", ":authority", "a", NULL};
    size_t size = peer_fields_put(block, fields);
    peer_frame(peer, HW_H2_HEADERS, HW_H2_END_STREAM, 1, block, 5);
    peer_frame(peer, HW_H2_CONTINUATION, 0, 1, block + 5, size - 7);
    peer_frame(peer, HW_H2_CONTINUATION, 0, 1, NULL, 0);
    peer_frame(peer, HW_H2_CONTINUATION, HW_H2_END_HEADERS, 1, block + size - 2, 2);
    peer_go_in(peer, 3);
    expect_answer(1, 200, "small");
    peer_frame(peer, HW_H2_HEADERS, HW_H2_END_STREAM, 3, block, 5);
    peer_frame(peer, HW_H2_PING, 0, 0, "12345678", 8);
    peer_go(peer);
    expect_goaway(HW_H2_PROTOCOL_ERROR);
}

static void test_continuation_of_another(void **state)
{
    (void)state;
    peer_frame(peer, HW_H2_HEADERS, HW_H2_END_STREAM, 1, "\x82", 1);
    peer_frame(peer, HW_H2_CONTINUATION, HW_H2_END_HEADERS, 3, "\x82", 1);
    peer_go(peer);
    expect_goaway(HW_H2_PROTOCOL_ERROR);
}

static void test_trailers(void **state)
{
    (void)state;
    const char *const good[] = {"x-checksum", "1", NULL};
    const char *const bad[] = {":status", "200", NULL};
    peer_post(peer, 1, "/m");
    peer_data(peer, 1, 0, 'a', 3);
    peer_block(peer, 1, HW_H2_END_STREAM, good);
    peer_post(peer, 3, "/m");
    peer_block(peer, 3, HW_H2_END_STREAM, bad);
    peer_post(peer, 5, "/m");
    peer_block(peer, 5, 0, good);
    peer_go(peer);
    expect_answer(1, 200, "aaa");
    expect_reset(3, HW_H2_PROTOCOL_ERROR);
    expect_reset(5, HW_H2_PROTOCOL_ERROR);
    expect_open(7);
}

static const struct malformed {
    const char *fields[16];
} malformed[] = {
    {{":method", "GET", ":scheme", "http", NULL}},
    {{":method", "GET", ":path", "/b", ":authority", "a", NULL}},
    {{":scheme", "http", ":path", "/b", ":authority", "a", NULL}},
    {{":method", "GET", ":scheme", "http", ":path", "", ":authority", "a", NULL}},
    {{":method", "GET", ":method", "GET", ":scheme", "http", ":path", "/b", ":authority", "a", NULL}},
    {{":method", "GET", ":scheme", "http", ":path", "/b", ":authority", "a", ":status", "200", NULL}},
    {{":method", "GET", ":scheme", "http", ":path", "/b", "a", "b", ":authority", "a", NULL}},
    {{":method", "GET", ":scheme", "http", ":path", "/b", ":authority", "a", "Upper", "b", NULL}},
    {{":method", "GET", ":scheme", "http", ":path", "/b", ":authority", "a", "", "b", NULL}},
    {{":method", "GET", ":scheme", "http", ":path", "/b", ":authority", "a", "a b", "b", NULL}},
    {{":method", "GET", ":scheme", "http", ":path", "/b", ":authority", "a", "a", "b\r\nc: d", NULL}},
    {{":method", "GET", ":scheme", "http", ":path", "/b", ":authority", "a", "a", " b", NULL}},
    {{":method", "GET", ":scheme", "http", ":path", "/b", ":authority", "a", "a", "b\t", NULL}},
    {{":method", "GET", ":scheme", "http", ":path", "/b", ":authority", "a", "connection", "close", NULL}},
    {{":method", "GET", ":scheme", "http", ":path", "/b", ":authority", "a", "transfer-encoding", "chunked", NULL}},
    {{":method", "GET", ":scheme", "http", ":path", "/b", ":authority", "a", "te", "gzip", NULL}},
    {{":method", "GET", ":scheme", "http", ":path", "/b", ":authority", "a", "content-length", "x", NULL}},
    {{":method", "GET", ":scheme", "http", ":path", "/b", ":authority", "a", "content-length", "1", NULL}},
};

static void test_malformed_requests(void **state)
{
    (void)state;
    uint32_t id = 1;
    for (size_t i = 0; i < sizeof malformed / sizeof malformed[0]; i++, id += 4) {
        peer_block(peer, id, HW_H2_END_STREAM, malformed[i].fields);
        peer_go(peer);
        const struct peer_stream *stream = peer_stream(peer, id);
        if (!stream->is_reset || stream->error != HW_H2_PROTOCOL_ERROR)
            fail_msg("malformed request %u: status %u", (unsigned)i, stream->status);
        expect_open(id + 2);
        if (i % 8 == 7)
            rig_wait(HW_HTTP2_PERIOD / 4 + 200); /* in which there may be but so many resets */
        for (int k = 0; k < 4 && i % 8 == 7; k++) {
            peer_get(peer, id += 4, "/b");
            peer_go(peer);
            rig_wait(HW_HTTP2_PERIOD / 4);
        }
    }
}

static void test_limits_of_heads(void **state)
{
    (void)state;
    char text[HW_LIMITS_HEADER_SIZE + 1];
    memset(text, 'a', sizeof text);
    text[0] = '/';
    text[HW_LIMITS_TARGET_SIZE] = '\0';
    peer_get(peer, 1, text);
    text[HW_LIMITS_TARGET_SIZE] = 'a';
    text[HW_LIMITS_TARGET_SIZE + 1] = '\0';
    peer_get(peer, 3, text);
    text[HW_LIMITS_TARGET_SIZE + 1] = 'a';
    text[HW_LIMITS_HEADER_SIZE] = '\0';
    peer_request(peer, 5, HW_H2_END_STREAM, "GET", "/b", "a", text);
    const char *many[2 * (HW_LIMITS_HEADERS + 4) + 1] = {":method", "GET", ":scheme",    "http",
                                                         ":path",   "/b",  ":authority", "a"};
    for (size_t i = 8; i < 2 * (HW_LIMITS_HEADERS + 3); i++)
        many[i] = "x";
    peer_block(peer, 7, HW_H2_END_STREAM, many); /* :authority counts as one */
    many[2 * (HW_LIMITS_HEADERS + 3)] = many[2 * (HW_LIMITS_HEADERS + 3) + 1] = "x";
    peer_block(peer, 9, HW_H2_END_STREAM, many);
    peer_request(peer, 11, HW_H2_END_STREAM, "BREW", "/b", NULL, NULL);
    peer_request(peer, 13, HW_H2_END_STREAM, "GET", "/b", "expect", "much");
    peer_request(peer, 15, HW_H2_END_STREAM, "GET", "b", NULL, NULL);
    peer_request(peer, 17, HW_H2_END_STREAM, "GET", "/b", "host", "b.example");
    peer_go_in(peer, 400);
    expect_status(1, 404);
    expect_status(3, 414);
    expect_status(5, 431);
    expect_status(7, 200);
    expect_status(9, 431);
    expect_status(11, 501);
    expect_status(13, 417);
    expect_status(15, 400);
    expect_status(17, 400);
    expect_open(19);
}

/* Crumbs come before, between and behind other fields: all of them are one Cookie, and no text is lost. */
static void test_cookie_crumbs(void **state)
{
    (void)state;
    for (unsigned order = 0; order < 64; order++) {
        struct hw_h2_exchange *exchange = hw_pool_take(&rig.connections.exchanges);
        memset(exchange, 0, sizeof *exchange);
        hw_exchange_reset(&exchange->base);
        char expected[64] = "";
        char other[2] = "a";
        for (unsigned i = 0; i < 6; i++) {
            nghttp2_nv nv = {(uint8_t *)other, (uint8_t *)"v", 1, 1, 0};
            char crumb[8];
            snprintf(crumb, sizeof crumb, "c%u=%.*s", i, (int)(i % 3), "xy");
            bool is_crumb = (order >> i & 1) != 0 && exchange->crumb_count < HW_LIMITS_COOKIES;
            if (is_crumb) {
                snprintf(expected + strlen(expected), sizeof expected - strlen(expected), "%s%s",
                         expected[0] == '\0' ? "" : "; ", crumb);
                nv = (nghttp2_nv){(uint8_t *)"cookie", (uint8_t *)crumb, 6, strlen(crumb), 0};
            }
            hw_h2_field_read(exchange, &nv);
            other[0]++;
        }
        assert_int_equal(exchange->refusal, 0);
        assert_false(exchange->is_malformed);
        struct hw_text cookie = hw_field_get(&exchange->base.request, "cookie");
        assert_string_equal(cookie.bytes == NULL ? "" : cookie.bytes, expected);
        for (char name = 'a'; name < 'g'; name++) {
            char text[2] = {name, '\0'};
            struct hw_text value = hw_field_get(&exchange->base.request, text);
            if (value.bytes != NULL)
                assert_string_equal(value.bytes, "v");
            else
                assert_true((order >> (name - 'a') & 1) != 0);
        }
        hw_pool_give(&rig.connections.exchanges, exchange);
    }
}

static void test_hpack_memory_runs_out(void **state)
{
    (void)state;
    static uint8_t block[HW_H2_FRAME_SIZE];
    size_t used = 0;
    block[used++] = 0;
    block[used++] = 1;
    block[used++] = 'a';
    block[used++] = 127; /* a value of 16000 bytes */
    block[used++] = (16000 - 127) % 128 | 128;
    block[used++] = (16000 - 127) / 128;
    memset(block + used, 'v', 16000);
    peer_frame(peer, HW_H2_HEADERS, 5, 1, block, used + 16000);
    peer_go(peer);
    expect_goaway(HW_H2_ENHANCE_YOUR_CALM);
}

/* ---- Flow control. */

static void test_windows_of_answers(void **state)
{
    (void)state;
    peer_window_set(peer, 10);
    peer_get(peer, 1, "/l");
    peer_go(peer);
    assert_int_equal(peer_stream(peer, 1)->body_size, 10);
    peer_update(peer, 1, 1);
    peer_go(peer);
    assert_int_equal(peer_stream(peer, 1)->body_size, 11);
    peer_window_set(peer, 5); /* now below zero */
    peer_update(peer, 1, 5);
    peer_go(peer);
    assert_int_equal(peer_stream(peer, 1)->body_size, 11);
    peer_window_set(peer, 12);
    peer_go(peer);
    assert_int_equal(peer_stream(peer, 1)->body_size, 18);
    peer_update(peer, 1, APP_LARGE_SIZE);
    peer_go(peer);
    expect_status(1, 200);
    assert_int_equal(peer_stream(peer, 1)->body_size, APP_LARGE_SIZE);
}

static void test_window_of_the_connection(void **state)
{
    (void)state;
    const unsigned whole = PEER_WINDOW / APP_LARGE_SIZE;
    for (uint32_t id = 1; id < 17; id += 2) {
        peer_get(peer, id, "/l");
        peer_go(peer);
    }
    const struct peer_stream *last = peer_stream(peer, 15);
    assert_int_equal(whole, 7);
    expect_status(13, 200);
    assert_int_equal(last->body_size, PEER_WINDOW - whole * APP_LARGE_SIZE);
    assert_int_equal(peer->window, 0);
    peer_update(peer, 0, 3);
    peer_go(peer);
    assert_int_equal(peer->window, 0);
    peer_update(peer, 0, APP_LARGE_SIZE);
    peer_go(peer);
    expect_status(15, 200);
    assert_int_equal(last->body_size, APP_LARGE_SIZE);
}

static void test_settings_overflow_a_window(void **state)
{
    (void)state;
    peer_post(peer, 1, "/d");
    peer_u32(peer, HW_H2_WINDOW_UPDATE, 1, 1);
    peer_setting(peer, HW_H2_SETTING_WINDOW_SIZE, 0x7ffffffe);
    peer_go(peer);
    assert_int_equal(peer->goaway_count, 0);
    peer_setting(peer, HW_H2_SETTING_WINDOW_SIZE, 0x7fffffff);
    peer_go(peer);
    expect_goaway(HW_H2_FLOW_CONTROL_ERROR);
}

static void test_the_connections_window_is_given_back(void **state)
{
    (void)state;
    peer_post(peer, 1, "/S"); /* a worker that never comes would hold it; the connection's window counts all the same */
    for (uint32_t id = 3; id < 7; id += 2)
        peer_post(peer, id, "/d");
    for (int i = 0; i < 12; i++) {
        peer_data(peer, i % 2 == 0 ? 3 : 5, 0, 'x', 8000);
        peer_go(peer);
    }
    assert_int_equal(peer->goaway_count, 0); /* what was taken was given back */
    expect_status(3, 413);
    assert_true(peer->given >= 12 * 8000 - HW_HTTP2_CONNECTION_WINDOW_SIZE / 2);
}

/* ---- Bodies. */

static void test_body_modes(void **state)
{
    (void)state;
    static const char *const paths[] = {"/d", "/m", "/M", "/s", "/S"};
    uint32_t id = 1;
    for (size_t size = 1; size <= 5000; size = size * 4 + 3)
        for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++, id += 2) {
            peer_post(peer, id, paths[i]);
            for (size_t sent = 0; sent < size; sent += 700) {
                bool is_last = size - sent <= 700;
                peer_data(peer, id, is_last && i % 2 == 0 ? HW_H2_END_STREAM : 0, 'a', is_last ? size - sent : 700);
            }
            if (i % 2 != 0)
                peer_data(peer, id, HW_H2_END_STREAM, 'a', 0);
            peer_go_in(peer, 800);
            expect_status(id, 200);
            char text[64];
            uint32_t hash = APP_HASH_BEGIN;
            for (size_t k = 0; k < size; k++)
                hash = app_hash(hash, "a", 1);
            snprintf(text, sizeof text, i == 0 ? "%zu" : "%zu %08x", size, hash);
            if (i == 1 || i == 2)
                assert_int_equal(peer_stream(peer, id)->body_hash, hash);
            else
                assert_string_equal(peer_stream(peer, id)->body, text);
        }
}

static void test_stream_waits_for_its_handler(void **state)
{
    (void)state;
    peer_post(peer, 1, "/s");
    peer_data(peer, 1, 0, 'P', 10);
    peer_go(peer);
    assert_int_equal(app_suspended_count, 1);
    peer_data(peer, 1, 0, 'a', 300);
    peer_data(peer, 1, HW_H2_END_STREAM, 'a', 300);
    peer_go(peer);
    expect_nothing(1);
    assert_true(app_resume_one());
    rig_settle();
    peer_go(peer);
    expect_status(1, 200);
    assert_memory_equal(peer_stream(peer, 1)->body, "610 ", 4);
}

static void test_refused_bodies(void **state)
{
    (void)state;
    peer_request(peer, 1, 0, "POST", "/d", "content-length", "20001");
    peer_request(peer, 3, 0, "POST", "/d", "content-length", "5");
    peer_data(peer, 3, HW_H2_END_STREAM, 'a', 4);
    peer_request(peer, 5, 0, "POST", "/d", "content-length", "5");
    peer_data(peer, 5, 0, 'a', 6);
    peer_request(peer, 7, 0, "POST", "/m", "content-length", "6001");
    peer_request(peer, 9, 0, "POST", "/d", "expect", "100-continue");
    peer_go(peer);
    expect_status(1, 413);
    expect_reset(3, HW_H2_PROTOCOL_ERROR);
    expect_reset(5, HW_H2_PROTOCOL_ERROR);
    expect_status(7, 413);
    assert_int_equal(peer_stream(peer, 9)->interim_count, 1);
    peer_data(peer, 9, HW_H2_END_STREAM, 'a', 4);
    peer_go(peer);
    expect_answer(9, 200, "4");
}

static void test_drain_after_an_early_answer(void **state)
{
    (void)state;
    peer_request(peer, 1, 0, "POST", "/d", "content-length", "20001");
    peer_go(peer);
    expect_status(1, 413);
    peer_data(peer, 1, 0, 'a', 500);
    rig_wait(HW_TIMEOUTS_LINGER - 100);
    peer_go(peer);
    assert_false(peer_stream(peer, 1)->is_reset);
    rig_wait(500);
    peer_go(peer);
    expect_reset(1, HW_H2_NO_ERROR);
    peer_request(peer, 3, 0, "POST", "/d", "content-length", "20001");
    peer_data(peer, 3, HW_H2_END_STREAM, 'a', 500);
    peer_go(peer);
    rig_wait(HW_TIMEOUTS_LINGER + 500);
    peer_go(peer);
    assert_false(peer_stream(peer, 3)->is_reset); /* it had sent all */
    expect_open(5);
}

/* ---- Time. */

static void test_times(void **state)
{
    (void)state;
    peer_window_set(peer, 10);
    peer_post(peer, 1, "/d");
    peer_get(peer, 3, "/u");
    peer_get(peer, 5, "/l");
    peer_go(peer);
    rig_wait(HW_TIMEOUTS_HANDLER + 400);
    peer_go(peer);
    expect_status(3, 503);
    expect_nothing(1);
    rig_wait(HW_TIMEOUTS_BODY - HW_TIMEOUTS_HANDLER + 400);
    peer_go(peer);
    assert_int_equal(peer_stream(peer, 1)->status, 408);
    expect_reset(5, HW_H2_CANCEL);
    assert_true(app_resume_one());
    rig_settle();
}

static void test_head_times_out(void **state)
{
    (void)state;
    peer_get(peer, 1, "/b");
    peer_frame(peer, HW_H2_HEADERS, HW_H2_END_STREAM, 3, "\x82", 1);
    peer_go(peer);
    rig_wait(HW_TIMEOUTS_HEADER - 200);
    peer_go(peer);
    assert_int_equal(peer->goaway_count, 0);
    rig_wait(600);
    peer_go(peer);
    expect_goaway(HW_H2_ENHANCE_YOUR_CALM);
}

static void test_silence_from_the_start(void **state)
{
    (void)state;
    rig_wait(HW_TIMEOUTS_HEADER + 400);
    peer_go(peer);
    expect_goaway(HW_H2_NO_ERROR);
}

static void test_idle(void **state)
{
    (void)state;
    peer_get(peer, 1, "/b");
    peer_go(peer);
    rig_wait(HW_TIMEOUTS_IDLE - 300);
    peer_go(peer);
    assert_int_equal(peer->goaway_count, 0);
    assert_int_equal(rig.connections.exchanges.used + rig.connections.outs.used, 0);
    rig_wait(900);
    peer_go(peer);
    expect_goaway(HW_H2_NO_ERROR);
    assert_int_equal(peer->goaway_ids[0], 1);
}

static void test_drain_says_goodbye_twice(void **state)
{
    (void)state;
    peer_get(peer, 1, "/u");
    peer_go(peer);
    rig_drain();
    peer_go(peer);
    assert_int_equal(peer->goaway_count, 1);
    assert_int_equal(peer->goaway_ids[0], HW_H2_ID_MAX);
    assert_int_equal(peer->drain_ping_count, 1);
    peer_get(peer, 3, "/b"); /* it had not seen it */
    peer_frame(peer, HW_H2_PING, HW_H2_ACK, 0, "drained?", 8);
    peer_get(peer, 5, "/b");
    peer_go(peer);
    assert_int_equal(peer->goaway_count, 2);
    assert_int_equal(peer->goaway_ids[1], 3);
    expect_answer(3, 200, "small");
    expect_nothing(5);
    assert_true(app_resume_one());
    rig_settle();
    peer_go(peer);
    expect_answer(1, 200, "resumed");
    assert_int_equal(peer->end, RIG_CLOSED);
}

static void test_requests_of_one_connection(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < HW_LIMITS_REQUESTS; i++) {
        assert_int_equal(peer->goaway_count, 0);
        peer_get(peer, 2 * i + 1, "/b");
        peer_go(peer);
        expect_status(2 * i + 1, 200);
    }
    expect_goaway(HW_H2_NO_ERROR);
}

/* ---- Many streams. */

static void test_streams_above_the_most(void **state)
{
    (void)state;
    for (uint32_t id = 1; id < 11; id += 2)
        peer_post(peer, id, "/d");
    peer_go(peer);
    expect_nothing(7);
    expect_reset(9, HW_H2_REFUSED_STREAM);
    peer_u32(peer, HW_H2_RST_STREAM, 7, HW_H2_CANCEL);
    peer_go(peer);
    expect_open(11);
}

static void test_urgent_streams_first(void **state)
{
    (void)state;
    peer_window_set(peer, 0);
    peer_request(peer, 1, HW_H2_END_STREAM, "GET", "/l", "priority", "u=5");
    peer_request(peer, 3, HW_H2_END_STREAM, "GET", "/l", NULL, NULL);
    peer_request(peer, 5, HW_H2_END_STREAM, "GET", "/l", "priority", "u=7");
    peer_request(peer, 7, HW_H2_END_STREAM, "GET", "/l", "priority", "u=1, i");
    peer_frame(peer, HW_H2_PRIORITY_UPDATE, 0, 0, "\0\0\0\5u=0", 7);
    peer_go(peer);
    peer_window_set(peer, 20000);
    peer_go(peer);
    assert_int_equal(peer_stream(peer, 5)->order, 1);
    assert_int_equal(peer_stream(peer, 7)->order, 2);
    assert_int_equal(peer_stream(peer, 3)->order, 3);
    assert_int_equal(peer_stream(peer, 1)->order, 4);
}

/* ---- Abuse: each count is crossed by one. */

static void abuse(void (*once)(uint32_t i), unsigned most)
{
    for (unsigned i = 0; i < most; i++)
        once(i);
    peer_go(peer);
    assert_int_equal(peer->goaway_count, 0);
    once(most);
    peer_go(peer);
    expect_goaway(HW_H2_ENHANCE_YOUR_CALM);
}

static void reset_once(uint32_t i)
{
    peer_post(peer, 2 * i + 1, "/d");
    peer_u32(peer, HW_H2_RST_STREAM, 2 * i + 1, HW_H2_CANCEL);
}

static void reset_by_us_once(uint32_t i)
{
    peer_post(peer, 2 * i + 1, "/d");
    peer_u32(peer, HW_H2_WINDOW_UPDATE, 2 * i + 1, 0);
}

static void ping_once(uint32_t i)
{
    (void)i;
    peer_frame(peer, HW_H2_PING, 0, 0, "12345678", 8);
}

static void settings_once(uint32_t i)
{
    (void)i;
    peer_frame(peer, HW_H2_SETTINGS, 0, 0, NULL, 0);
}

static void update_once(uint32_t i)
{
    (void)i;
    peer_u32(peer, HW_H2_WINDOW_UPDATE, 0, 1);
}

static void empty_once(uint32_t i)
{
    if (i == 0)
        peer_post(peer, 1, "/d");
    peer_data(peer, 1, 0, 'x', 0);
}

static void test_resets(void **state)
{
    (void)state;
    abuse(reset_once, HW_HTTP2_RESETS);
}

static void test_resets_by_us(void **state)
{
    (void)state;
    abuse(reset_by_us_once, HW_HTTP2_RESETS);
}

static void test_pings(void **state)
{
    (void)state;
    abuse(ping_once, HW_HTTP2_CONTROLS - 1); /* the preface's SETTINGS was one */
}

static void test_settings(void **state)
{
    (void)state;
    abuse(settings_once, HW_HTTP2_CONTROLS - 1);
}

static void test_updates(void **state)
{
    (void)state;
    abuse(update_once, HW_HTTP2_UPDATES);
}

static void test_empties(void **state)
{
    (void)state;
    abuse(empty_once, HW_HTTP2_EMPTIES);
}

/* ---- The heap and the encoder. */

static void test_heap(void **state)
{
    (void)state;
    enum { BLOCKS = 24 };
    _Alignas(16) static char memory[4096];
    struct hw_h2_heap heap;
    hw_h2_heap_init(&heap, memory, sizeof memory);
    char *blocks[BLOCKS] = {NULL};
    size_t sizes[BLOCKS] = {0};
    uint32_t seed = 7;
    for (int i = 0; i < 20000; i++) {
        seed = seed * 1664525u + 1013904223u;
        unsigned k = (seed >> 16) % BLOCKS;
        if (blocks[k] != NULL) {
            for (size_t n = 0; n < sizes[k]; n++)
                assert_int_equal(blocks[k][n], (char)k);
            hw_h2_heap_give(&heap, blocks[k]);
            blocks[k] = NULL;
            continue;
        }
        sizes[k] = (seed >> 8) % 400;
        blocks[k] = hw_h2_heap_take(&heap, sizes[k]);
        if (blocks[k] == NULL)
            continue;
        assert_true(blocks[k] >= memory && blocks[k] + sizes[k] <= memory + sizeof memory);
        assert_int_equal((uintptr_t)blocks[k] % 16, 0);
        memset(blocks[k], (int)k, sizes[k]);
    }
    assert_true(heap.is_short);
    for (int k = 0; k < BLOCKS; k++)
        hw_h2_heap_give(&heap, blocks[k]);
    assert_ptr_equal(heap.free, memory);
    assert_int_equal(heap.free->size, sizeof memory);
    assert_null(heap.free->next);
}

static void encoder_check(const char *block, const char *end, const char *name, const char *value)
{
    nghttp2_hd_inflater *inflater;
    assert_int_equal(nghttp2_hd_inflate_new(&inflater), 0);
    nghttp2_nv nv;
    int flags = 0;
    size_t size = (size_t)(end - block);
    ssize_t used = nghttp2_hd_inflate_hd2(inflater, &nv, &flags, (const uint8_t *)block, size, 1);
    assert_int_equal(used, size);
    assert_true((flags & NGHTTP2_HD_INFLATE_EMIT) != 0);
    assert_int_equal(nv.namelen, strlen(name));
    assert_memory_equal(nv.name, name, nv.namelen);
    assert_int_equal(nv.valuelen, strlen(value));
    assert_memory_equal(nv.value, value, nv.valuelen);
    nghttp2_hd_inflate_del(inflater);
}

static void test_encoder(void **state)
{
    (void)state;
    char block[1024];
    char text[600] = "";
    for (unsigned status = 200; status < 600; status++) {
        char digits[4];
        snprintf(digits, sizeof digits, "%u", status);
        encoder_check(block, hw_h2_status_put(block, status), ":status", digits);
    }
    for (size_t size = 0; size < sizeof text - 1; size++) {
        text[size] = '\0';
        encoder_check(block, hw_h2_field_put(block, "X-Name", 6, text, size), "x-name", text);
        encoder_check(block, hw_h2_field_put(block, "Content-Type", 12, text, size), "content-type", text);
        text[size] = 'v';
    }
    static const char *const names[] = {"set-cookie", "cache-control", "location",    "allow",
                                        "etag",       "vary",          "retry-after", "last-modified"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        encoder_check(block, hw_h2_field_put(block, names[i], strlen(names[i]), "1", 1), names[i], "1");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)
    const struct CMUnitTest tests[] = {
        TEST(test_preface_in_pieces),
        TEST(test_preface_that_is_wrong),
        TEST(test_preface_without_settings),
        TEST(test_frames_that_end_the_connection),
        TEST(test_stream_errors),
        TEST(test_stream_depends_on_itself),
        TEST(test_late_frames_after_our_reset),
        TEST(test_half_closed),
        TEST(test_frames_of_no_interest),
        TEST(test_padding),
        TEST(test_continuation),
        TEST(test_continuation_of_another),
        TEST(test_trailers),
        TEST(test_malformed_requests),
        TEST(test_limits_of_heads),
        TEST(test_cookie_crumbs),
        TEST(test_hpack_memory_runs_out),
        TEST(test_windows_of_answers),
        TEST(test_window_of_the_connection),
        TEST(test_settings_overflow_a_window),
        TEST(test_the_connections_window_is_given_back),
        TEST(test_body_modes),
        TEST(test_stream_waits_for_its_handler),
        TEST(test_refused_bodies),
        TEST(test_drain_after_an_early_answer),
        TEST(test_times),
        TEST(test_head_times_out),
        TEST(test_silence_from_the_start),
        TEST(test_idle),
        TEST(test_drain_says_goodbye_twice),
        TEST(test_requests_of_one_connection),
        TEST(test_streams_above_the_most),
        TEST(test_urgent_streams_first),
        TEST(test_resets),
        TEST(test_resets_by_us),
        TEST(test_pings),
        TEST(test_settings),
        TEST(test_updates),
        TEST(test_empties),
        TEST(test_heap),
        TEST(test_encoder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Which protocol a connection gets: by its listener, its first bytes, or ALPN (runtime/http/begin.c). TLS and HTTP/2 are
 * made up here: a handshake of single letters, and a protocol that writes down what it is given. */
#define HW_TLS 1
#define HW_HTTP2 1
#include "runtime/rig.h"

#include "io/tls.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define GET "GET /b HTTP/1.1\r\nHost: a\r\n\r\n"

static const struct hw_tls_settings tls_settings = {.client_auth = HW_CLIENT_AUTH_NONE};
static const struct hw_listener listener_both = {.protocols = HW_PROTOCOL_HTTP1 | HW_PROTOCOL_HTTP2};
static const struct hw_listener listener_h2c = {.protocols = HW_PROTOCOL_HTTP2};
static const struct hw_listener listener_tls = {.protocols = HW_PROTOCOL_HTTP1 | HW_PROTOCOL_HTTP2,
                                                .tls = &tls_settings};

/* ---- TLS: one connection's. It reads more from the socket than it hands out, as a record is. */

static struct {
    bool is_full; /* no room for one more */
    unsigned protocol;
    size_t size;
    size_t used;
    char bytes[4096];
} tls;

static bool hw_tls_begin(struct hw_io_stream *stream, const struct hw_listener *listener)
{
    assert_non_null(listener->tls);
    errno = EAGAIN;
    stream->tls = tls.is_full ? NULL : (void *)&tls;
    return !tls.is_full;
}

/* Everything that is there, if nothing is left of what was there before. */
static void tls_fill(struct hw_io_stream *stream)
{
    if (tls.used < tls.size)
        return;
    ssize_t size = recv(stream->source.fd, tls.bytes, sizeof tls.bytes, 0);
    tls.used = 0;
    tls.size = size > 0 ? (size_t)size : 0;
}

/* '.': nothing; 'w': wants to write first; '1' and '2': done, with HTTP/1.1 or HTTP/2; '0': done, with neither. */
static enum hw_tls_step hw_tls_handshake(struct hw_io_stream *stream)
{
    for (;;) {
        tls_fill(stream);
        if (tls.used == tls.size)
            return HW_TLS_WANTS_READ;
        char letter = tls.bytes[tls.used++];
        if (letter == 'w')
            return HW_TLS_WANTS_WRITE;
        if (letter >= '0' && letter <= '2') {
            tls.protocol = (unsigned)letter - '0';
            return HW_TLS_DONE;
        }
        if (letter != '.')
            return HW_TLS_FAILED;
    }
}

static unsigned hw_tls_protocol(const struct hw_io_stream *stream, const struct hw_listener *listener)
{
    assert_ptr_equal(stream->tls, &tls);
    assert_ptr_equal(listener->tls, &tls_settings);
    return tls.protocol;
}

static ssize_t hw_tls_receive(struct hw_io_stream *stream, void *bytes, size_t room)
{
    tls_fill(stream);
    size_t size = tls.size - tls.used;
    if (size == 0)
        return recv(stream->source.fd, bytes, room, 0); /* the end, or EAGAIN */
    size = size < 5 ? size : 5;
    size = size < room ? size : room;
    memcpy(bytes, tls.bytes + tls.used, size);
    tls.used += size;
    return (ssize_t)size;
}

static ssize_t hw_tls_send(struct hw_io_stream *stream, struct iovec *vector, int count)
{
    assert_in_range(count, 1, 3);
    return send(stream->source.fd, vector[0].iov_base, vector[0].iov_len, MSG_NOSIGNAL);
}

static bool hw_tls_has_pending(const struct hw_io_stream *stream)
{
    assert_ptr_equal(stream->tls, &tls);
    return tls.used < tls.size;
}

static bool hw_tls_shutdown(struct hw_io_stream *stream)
{
    return stream->tls != NULL;
}

static void hw_tls_end(struct hw_io_stream *stream)
{
    stream->tls = NULL;
    tls.used = tls.size = 0;
}

/* ---- HTTP/2: one connection's. */

static struct {
    unsigned begun;
    unsigned drained;
    size_t first_size; /* what it was given at its begin */
    size_t size;
    char bytes[4096];
} h2;

static void h2_add(const char *bytes, size_t size)
{
    assert_in_range(h2.size + size, 0, sizeof h2.bytes);
    if (size > 0)
        memcpy(h2.bytes + h2.size, bytes, size);
    h2.size += size;
}

static void h2_ready(struct hw_connection *connection, uint32_t events)
{
    char bytes[64];
    assert_true((events & EPOLLIN) != 0);
    ssize_t size = hw_io_receive(&connection->stream, bytes, sizeof bytes);
    if (size == 0 || (size < 0 && errno != EAGAIN)) {
        hw_connection_close(connection);
        return;
    }
    h2_add(bytes, size < 0 ? 0 : (size_t)size);
    hw_connection_watch(connection, EPOLLIN);
}

static void h2_drained(struct hw_connection *connection)
{
    h2.drained++;
    hw_connection_linger(connection);
}

static bool h2_closed(struct hw_connection *connection)
{
    assert_true(connection->is_closed);
    return true;
}

static const struct hw_protocol h2_protocol = {
    .ready = h2_ready,
    .expired = hw_connection_close,
    .drained = h2_drained,
    .closed = h2_closed,
};

static void hw_h2_begin(struct hw_connection *connection, const char *bytes, size_t size)
{
    h2.begun++;
    h2.first_size = size;
    h2_add(bytes, size);
    connection->protocol = &h2_protocol;
    hw_connection_timer_set(connection, connection->since_ms + HW_TIMEOUTS_IDLE);
}

/* ---- The client. */

static int client;
static char answers[4096];
static size_t answers_size;

static int start(void **state)
{
    (void)state;
    rig_start();
    memset(&tls, 0, sizeof tls);
    memset(&h2, 0, sizeof h2);
    memset(answers, 0, sizeof answers);
    answers_size = 0;
    return 0;
}

static int stop(void **state)
{
    (void)state;
    close(client);
    rig_settle();
    bool is_clean = rig_is_clean();
    rig_stop();
    return is_clean ? 0 : -1;
}

static void say(const char *text)
{
    assert_int_equal(rig_send(client, text, strlen(text)), strlen(text));
    rig_settle();
}

static enum rig_end answers_read(void)
{
    enum rig_end end = rig_receive(client, answers, sizeof answers - 1 - answers_size, &answers_size);
    rig_settle();
    return end;
}

static void expect_answer(const char *status_line, enum rig_end end)
{
    assert_int_equal(answers_read(), end);
    assert_memory_equal(answers, status_line, strlen(status_line));
    assert_int_equal(h2.begun, 0);
}

/* ---- Plain. */

static void test_preface_is_http2(void **state)
{
    (void)state;
    client = rig_connect_to(&listener_both, 0);
    say(HW_H2_PREFACE "frames");
    assert_int_equal(h2.begun, 1);
    assert_int_equal(h2.first_size, HW_H2_PREFACE_SIZE + 6);
    assert_memory_equal(h2.bytes, HW_H2_PREFACE "frames", h2.first_size);
    assert_int_equal(rig.connections.exchanges.used, 0);
    say("more");
    assert_int_equal(h2.size, HW_H2_PREFACE_SIZE + 10);
    assert_memory_equal(h2.bytes + HW_H2_PREFACE_SIZE, "framesmore", 10);
}

static void test_preface_in_pieces(void **state)
{
    (void)state;
    client = rig_connect_to(&listener_both, 0);
    for (size_t i = 0; i < HW_H2_PREFACE_SIZE; i++) {
        assert_int_equal(h2.begun, 0);
        assert_int_equal(rig.connections.exchanges.used, 0); /* what is waited for is in the connection's entry */
        say((const char[]){HW_H2_PREFACE[i], '\0'});
    }
    assert_int_equal(h2.begun, 1);
    assert_int_equal(h2.size, HW_H2_PREFACE_SIZE);
    assert_memory_equal(h2.bytes, HW_H2_PREFACE, HW_H2_PREFACE_SIZE);
}

static void test_others_are_http1(void **state)
{
    (void)state;
    client = rig_connect_to(&listener_both, 0);
    say("G");
    say(&GET[1]);
    expect_answer("HTTP/1.1 200 OK\r\n", RIG_OPEN);
    answers_size = 0;
    say(HW_H2_PREFACE); /* too late */
    expect_answer("HTTP/1.1 505 ", RIG_CLOSED);
}

static void test_nearly_preface_is_http1(void **state)
{
    (void)state;
    client = rig_connect_to(&listener_both, 0);
    say("PRI * HTTP/2.0\r\n\r\n");
    assert_int_equal(answers_read(), RIG_OPEN);
    assert_int_equal(answers_size, 0);
    say("SX");
    expect_answer("HTTP/1.1 ", RIG_CLOSED);
}

static void test_preface_that_stops(void **state)
{
    (void)state;
    client = rig_connect_to(&listener_both, 0);
    say("PRI");
    rig_wait(HW_TIMEOUTS_HEADER + 100);
    expect_answer("HTTP/1.1 408 ", RIG_CLOSED);
}

static void test_preface_without_http2(void **state)
{
    (void)state;
    client = rig_connect(0);
    say(HW_H2_PREFACE);
    expect_answer("HTTP/1.1 ", RIG_CLOSED);
}

static void test_only_http2(void **state)
{
    (void)state;
    client = rig_connect_to(&listener_h2c, 0);
    assert_int_equal(h2.begun, 1);
    assert_int_equal(h2.size, 0);
    say("anything");
    assert_int_equal(h2.size, 8);
}

/* ---- TLS. */

/* What TLS has read from the socket is taken although epoll does not tell of it. */
static void test_tls_http1(void **state)
{
    (void)state;
    client = rig_connect_to(&listener_tls, 0);
    say("..");
    say(".w.1" GET GET);
    expect_answer("HTTP/1.1 200 OK\r\n", RIG_OPEN);
    assert_non_null(strstr(answers + 10, "HTTP/1.1 200 OK\r\n"));
    say(GET);
    assert_int_equal(answers_read(), RIG_OPEN);
}

static void test_tls_http2(void **state)
{
    (void)state;
    client = rig_connect_to(&listener_tls, 0);
    say("..2" HW_H2_PREFACE);
    assert_int_equal(h2.begun, 1);
    assert_int_equal(h2.first_size, 0);
    assert_int_equal(h2.size, HW_H2_PREFACE_SIZE);
}

/* With TLS, ALPN alone decides (RFC 9113 section 3.3). */
static void test_tls_http1_stays(void **state)
{
    (void)state;
    client = rig_connect_to(&listener_tls, 0);
    say("1" HW_H2_PREFACE);
    expect_answer("HTTP/1.1 ", RIG_CLOSED);
}

static void test_tls_fails(void **state)
{
    (void)state;
    static const char *const endings[] = {".!", "0"};
    for (unsigned i = 0; i < 2; i++) {
        client = rig_connect_to(&listener_tls, 0);
        say(endings[i]);
        assert_int_equal(answers_read(), RIG_CLOSED);
        assert_int_equal(answers_size, 0);
        close(client);
    }
    client = -1;
}

static void test_tls_handshake_has_its_time(void **state)
{
    (void)state;
    client = rig_connect_to(&listener_tls, 0);
    rig_wait(HW_TIMEOUTS_HANDSHAKE - 40);
    say(".");
    assert_int_equal(answers_read(), RIG_OPEN);
    rig_wait(HW_WHEEL_TICK_MS + 60);
    assert_int_equal(answers_read(), RIG_CLOSED);
    assert_int_equal(answers_size, 0);
}

static void test_tls_begin_fails(void **state)
{
    (void)state;
    tls.is_full = true;
    int fds[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds), 0);
    assert_false(hw_connection_open(&rig.connections, fds[0], &listener_tls));
    assert_int_equal(errno, EAGAIN);
    client = fds[1];
    assert_int_equal(answers_read(), RIG_CLOSED);
}

/* A client that shakes hands while the server drains has the time of one that has sent nothing yet; what comes of it is
 * told that the server drains. */
static void test_tls_drain(void **state)
{
    (void)state;
    client = rig_connect_to(&listener_tls, 0);
    int other = rig_connect_to(&listener_tls, 0);
    rig_settle();
    rig_drain();
    rig_wait(HW_CONNECTION_DRAIN_MS - 40);
    say("2");
    assert_int_equal(h2.drained, 1);
    rig_wait(HW_WHEEL_TICK_MS + 60);
    size_t size = 0;
    assert_int_equal(rig_receive(other, answers, 1, &size), RIG_CLOSED);
    close(other);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)
    const struct CMUnitTest tests[] = {
        TEST(test_preface_is_http2),   TEST(test_preface_in_pieces),
        TEST(test_others_are_http1),   TEST(test_nearly_preface_is_http1),
        TEST(test_preface_that_stops), TEST(test_preface_without_http2),
        TEST(test_only_http2),         TEST(test_tls_http1),
        TEST(test_tls_http2),          TEST(test_tls_http1_stays),
        TEST(test_tls_fails),          TEST(test_tls_handshake_has_its_time),
        TEST(test_tls_begin_fails),    TEST(test_tls_drain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

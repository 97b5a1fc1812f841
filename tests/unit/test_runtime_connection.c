/* Whole HTTP/1.1 connections: what a client sees, and what is given back (runtime/http1/). */
#include "runtime/rig.h"

#include "runtime/answers.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define HOST "Host: a\r\n\r\n"
#define GET(path) "GET " path " HTTP/1.1\r\n" HOST

/* A client, and what it has received. */
struct client {
    int fd;
    enum rig_end end;
    size_t size;
    size_t read_at;
    char bytes[1 << 17];
};

static int start(void **state)
{
    rig_start();
    struct client *client = calloc(1, sizeof *client);
    client->fd = rig_connect(0);
    *state = client;
    return 0;
}

static int stop(void **state)
{
    struct client *client = *state;
    close(client->fd);
    rig_settle();
    while (app_suspended_count > 0)
        app_resume_one();
    rig_settle();
    bool is_clean = rig_is_clean();
    rig_stop();
    free(client);
    return is_clean ? 0 : -1;
}

static void say(struct client *client, const char *text)
{
    assert_int_equal(rig_send(client->fd, text, strlen(text)), strlen(text));
}

static void listen_to(struct client *client)
{
    rig_settle();
    client->end = rig_receive(client->fd, client->bytes, sizeof client->bytes - client->size - 1, &client->size);
    client->bytes[client->size] = '\0';
    rig_settle();
}

/* The next response. */
static struct answer answer_to(struct client *client, bool is_head)
{
    struct answer answer;
    enum answer_read result =
        answer_read(&answer, client->bytes + client->read_at, client->size - client->read_at, is_head, false);
    if (result != ANSWER_GOOD)
        print_error("not a response: %s\n", client->bytes + client->read_at);
    assert_int_equal(result, ANSWER_GOOD);
    client->read_at += answer.size;
    return answer;
}

static void expect(struct client *client, unsigned status, const char *body)
{
    struct answer answer = answer_to(client, false);
    assert_int_equal(answer.status, status);
    assert_int_equal(answer.body_size, strlen(body));
    if (!answer.is_chunked)
        assert_memory_equal(answer.body, body, strlen(body));
}

static void expect_no_more(const struct client *client)
{
    assert_int_equal(client->read_at, client->size);
}

/* ---- */

static void test_pipelined_in_order(void **state)
{
    struct client *client = *state;
    say(client,
        GET("/b") GET("/w/1/x%2Fy?q=a+b") "POST /d HTTP/1.1\r\nContent-Length: 3\r\n" HOST "abc" GET("/c") GET("/l"));
    listen_to(client);
    expect(client, 200, "small");
    expect(client, 200, "1|x/y|a b");
    expect(client, 200, "3");
    assert_int_equal(answer_to(client, false).body_size, APP_CHUNKS * APP_CHUNK_SIZE);
    assert_int_equal(answer_to(client, false).body_size, APP_LARGE_SIZE);
    expect_no_more(client);
    assert_int_equal(client->end, RIG_OPEN);
}

/* A refusal behind answers that nearly fill `out` must find room. */
static void test_refusal_behind_full_out(void **state)
{
    struct client *client = *state;
    say(client, GET("/k") GET("/k") GET("/k") GET("/k") GET("/b") GET("/b") GET("/b") GET("/b")
                    GET("/k") "GET /b HTTP/1.1\r\n\r\n");
    listen_to(client);
    for (int i = 0; i < 9; i++)
        assert_int_equal(answer_to(client, false).status, 200);
    expect(client, 400, "400 Bad Request\n");
    expect_no_more(client);
}

/* So must "100 Continue". */
static void test_continue_behind_full_out(void **state)
{
    struct client *client = *state;
    for (int small = 0; small < 5; small++) {
        say(client, GET("/k") GET("/k") GET("/k") GET("/k"));
        for (int i = 0; i < small; i++)
            say(client, GET("/b"));
        say(client, GET("/k") "POST /d HTTP/1.1\r\nContent-Length: 2\r\nExpect: 100-continue\r\n" HOST);
        listen_to(client);
        for (int i = 0; i < 5 + small; i++)
            assert_int_equal(answer_to(client, false).status, 200);
        assert_int_equal(answer_to(client, false).status, 100);
        say(client, "ab");
        listen_to(client);
        expect(client, 200, "2");
    }
}

/* A stream that began before its handler was suspended has no deadline any more. */
static void test_suspended_stream_has_time(void **state)
{
    struct client *client = *state;
    say(client, GET("/v"));
    listen_to(client);
    rig_wait(2 * HW_TIMEOUTS_HANDLER);
    listen_to(client);
    assert_int_equal(client->end, RIG_OPEN);
    app_resume_one();
    listen_to(client);
    struct answer answer = answer_to(client, false);
    assert_int_equal(answer.status, 200);
    assert_int_equal(answer.body_size, 8);
    expect_no_more(client);
}

/* A stream that waits for its client goes on when the client has read, and the server is idle meanwhile. */
static void test_suspended_stream_goes_on(void **state)
{
    struct client *client = *state;
    close(client->fd);
    client->fd = rig_connect(4096);
    say(client, GET("/e"));
    rig_settle();
    char bytes[500] = {0};
    uint64_t sent = 0;
    for (int turn = 0; turn < 5; turn++) {
        uint64_t before = sent;
        while (hw_chunk_send(app_suspended[0], bytes, sizeof bytes) == 0) {
            sent += sizeof bytes;
            rig_settle();
        }
        assert_true(sent > before);
        assert_int_equal(rig_round(), 0);
        for (int i = 0; i < 20; i++)
            listen_to(client);
    }
    assert_int_equal(hw_stream_end(app_suspended[0]), 0);
    listen_to(client);
    struct answer answer = answer_to(client, false); /* all of it, before the handler is back */
    assert_int_equal(answer.body_size, sent);
    app_resume_one();
    say(client, GET("/b"));
    listen_to(client);
    expect(client, 200, "small");
}

static void test_suspended_is_answered(void **state)
{
    struct client *client = *state;
    say(client, GET("/u") GET("/b"));
    rig_settle();
    assert_int_equal(app_suspended_count, 1);
    rig_wait(HW_TIMEOUTS_HANDLER - 100);
    app_resume_one();
    listen_to(client);
    expect(client, 200, "resumed");
    expect(client, 200, "small");
}

static void test_suspended_times_out(void **state)
{
    struct client *client = *state;
    say(client, GET("/u"));
    rig_settle();
    rig_wait(HW_TIMEOUTS_HANDLER - 1);
    listen_to(client);
    assert_int_equal(client->size, 0);
    rig_wait(HW_WHEEL_TICK_MS + 40);
    listen_to(client);
    expect(client, 503, "503 Service Unavailable\n");
    assert_int_equal(client->end, RIG_CLOSED);
    assert_true(hw_is_cancelled(app_suspended[0]));
}

/* What answers HEAD has no body, whoever answers. */
static void test_head_times_out_without_body(void **state)
{
    struct client *client = *state;
    say(client, "HEAD /u HTTP/1.1\r\n" HOST);
    rig_settle();
    rig_wait(HW_TIMEOUTS_HANDLER + 100);
    listen_to(client);
    assert_int_equal(answer_to(client, true).status, 503);
    expect_no_more(client);
}

/* Fields that a stream handler adds with an early piece are still there when it answers. */
static void test_stream_fields_behind_pipelined(void **state)
{
    struct client *client = *state;
    say(client, GET("/b") "POST /s HTTP/1.1\r\nContent-Length: 6\r\n" HOST "Fab");
    rig_settle();
    say(client, "cde");
    listen_to(client);
    expect(client, 200, "small");
    struct answer answer = answer_to(client, false);
    assert_int_equal(answer.status, 200);
    assert_non_null(memmem(answer.fields, answer.fields_size, "X-Piece: abcdefghijklmnopqrstuvwxyz\r\n", 37));
    expect_no_more(client);
}

/* A head that ends where the buffer ends leaves no byte to read its body through. */
static void test_head_at_the_end_of_the_buffer(void **state)
{
    struct client *client = *state;
    static const char *const paths[] = {"/d", "/s", "/S", "/m", "/M"};
    static const char *const framings[] = {"Content-Length: 3\r\n", "Transfer-Encoding: chunked\r\n"};
    static const char *const bodies[] = {"abc", "3\r\nabc\r\n0\r\n\r\n"};
    for (unsigned i = 0; i < 10; i++) {
        char text[HW_IN_SIZE + 1];
        char head[256];
        size_t at = 0;
        int head_size =
            snprintf(head, sizeof head, "POST %s HTTP/1.1\r\n%sX: %u\r\n" HOST, paths[i / 2], framings[i % 2], i);
        size_t left = (size_t)HW_IN_SIZE - (size_t)head_size;
        while (left - at > 100)
            at += (size_t)snprintf(text + at, sizeof text - at, "%s", GET("/b"));
        at += (size_t)snprintf(text + at, sizeof text - at, "GET /b HTTP/1.1\r\nX: %0*d\r\n" HOST,
                               (int)(left - at - sizeof("GET /b HTTP/1.1\r\nX: \r\n" HOST) + 1), 0);
        at += (size_t)snprintf(text + at, sizeof text - at, "%s", head);
        assert_int_equal(at, HW_IN_SIZE);
        say(client, text);
        rig_settle();
        say(client, bodies[i % 2]);
        listen_to(client);
        while (client->size - client->read_at > 4 && answer_to(client, false).body_size == 5)
            assert_int_equal(client->end, RIG_OPEN);
        assert_true(memcmp(client->bytes + client->size - 3, "abc", 3) == 0 || client->bytes[client->size - 1] == '3' ||
                    memcmp(client->bytes + client->size - 10, "3 1a47e90b", 10) == 0);
    }
}

/* Old clients send CRLF behind a body; the connection is idle all the same (RFC 9112 section 2.2). */
static void test_empty_line_is_idle(void **state)
{
    struct client *client = *state;
    say(client, "POST /d HTTP/1.1\r\nContent-Length: 1\r\n" HOST "x\r\n");
    listen_to(client);
    expect(client, 200, "1");
    rig_wait(HW_TIMEOUTS_HEADER + 200);
    listen_to(client);
    assert_int_equal(client->end, RIG_OPEN);
    say(client, GET("/b"));
    listen_to(client);
    expect(client, 200, "small");
}

static void test_idle_ends(void **state)
{
    struct client *client = *state;
    say(client, GET("/b"));
    listen_to(client);
    rig_wait(HW_TIMEOUTS_IDLE - 50);
    listen_to(client);
    assert_int_equal(client->end, RIG_OPEN);
    rig_wait(HW_WHEEL_TICK_MS + 60);
    listen_to(client);
    assert_int_equal(client->end, RIG_CLOSED);
    expect(client, 200, "small");
    expect_no_more(client);
}

static void test_head_and_body_time_out(void **state)
{
    struct client *client = *state;
    say(client, "GET /b HT");
    rig_wait(HW_TIMEOUTS_HEADER - 1);
    say(client, "T");
    listen_to(client);
    assert_int_equal(client->size, 0);
    rig_wait(HW_WHEEL_TICK_MS + 40);
    listen_to(client);
    expect(client, 408, "408 Request Timeout\n");
    close(client->fd);
    client->fd = rig_connect(0);
    client->read_at = client->size = 0;
    say(client, "POST /s HTTP/1.1\r\nContent-Length: 9\r\n" HOST "abc");
    rig_wait(HW_TIMEOUTS_BODY - 1);
    listen_to(client);
    assert_int_equal(client->size, 0);
    rig_wait(HW_WHEEL_TICK_MS + 40);
    listen_to(client);
    expect(client, 408, "408 Request Timeout\n");
    assert_int_equal(atomic_load(&app_states), 0);
}

static void test_reset_content_has_none(void **state)
{
    struct client *client = *state;
    say(client, GET("/r") GET("/b"));
    listen_to(client);
    expect(client, 205, "");
    expect(client, 200, "small");
}

static void test_head_has_no_body(void **state)
{
    struct client *client = *state;
    static const char *const paths[] = {"/b", "/l", "/c", "/C", "/u", "/k", "/f", "/none", "/w/1/2"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        char text[128];
        snprintf(text, sizeof text, "HEAD %s HTTP/1.1\r\n" HOST, paths[i]);
        say(client, text);
        rig_settle();
        while (app_suspended_count > 0)
            app_resume_one();
        listen_to(client);
        answer_to(client, true);
        expect_no_more(client);
    }
}

/* ---- Pools that are empty. */

/* Takes every exchange with heads that are too long for the connection's own entry; the last of them said something
 * `age_ms` ago. */
static void exchanges_hold(int fds[HW_BUFFERS_COUNT], uint64_t age_ms)
{
    char head[400];
    memset(head, 'x', sizeof head);
    memcpy(head, "GET /b HTTP/1.1\r\nX: ", 20);
    for (unsigned i = 0; i < HW_BUFFERS_COUNT; i++) {
        fds[i] = rig_connect(0);
        rig_send(fds[i], head, 200);
        rig_round();
        rig_round();
        rig_send(fds[i], head + 100, 99);
        rig_settle();
    }
    rig_wait(age_ms);
}

static void fds_close(const int *fds, size_t count)
{
    for (size_t i = 0; i < count; i++)
        close(fds[i]);
}

static void test_silent_head_gives_way(void **state)
{
    struct client *client = *state;
    int fds[HW_BUFFERS_COUNT];
    exchanges_hold(fds, 300);
    assert_int_equal(rig.connections.exchanges.used, HW_BUFFERS_COUNT);
    say(client, GET("/b"));
    listen_to(client);
    expect(client, 200, "small");
    fds_close(fds, HW_BUFFERS_COUNT);
}

/* An exchange that is a handler's comes back when the handler has learned that its client was given up. */
static void test_stalled_stream_gives_way(void **state)
{
    struct client *client = *state;
    say(client, GET("/b"));
    listen_to(client);
    expect(client, 200, "small");
    int fds[2] = {rig_connect(4096), rig_connect(4096)};
    for (int i = 0; i < 2; i++)
        rig_send(fds[i], GET("/e"), strlen(GET("/e")));
    rig_settle();
    assert_int_equal(app_suspended_count, 2);
    char bytes[1000] = {0};
    for (int k = 0; k < 2; k++)
        while (hw_chunk_send(app_suspended[k], bytes, sizeof bytes) == 0)
            rig_settle();
    rig_wait(2100); /* silent for longer than HW_CONNECTION_STALL_SENDING_MS */
    say(client, GET("/b"));
    rig_settle();
    assert_true(hw_is_cancelled(app_suspended[0]));
    assert_int_equal(hw_chunk_send(app_suspended[0], bytes, sizeof bytes), HW_ECANCELED);
    assert_int_equal(client->read_at, client->size);
    app_resume_one();
    listen_to(client);
    expect(client, 200, "small");
    fds_close(fds, 2);
}

/* Who waits for an exchange has the time of a head, however long it was idle before. */
static void test_waiting_has_its_own_time(void **state)
{
    struct client *client = *state;
    say(client, GET("/b"));
    listen_to(client);
    int fds[2] = {rig_connect(0), rig_connect(0)};
    for (int i = 0; i < 2; i++)
        rig_send(fds[i], GET("/u"), strlen(GET("/u")));
    rig_settle();
    rig_wait(2000);
    say(client, GET("/b"));
    rig_wait(400);
    app_resume_one();
    listen_to(client);
    expect(client, 200, "small");
    expect(client, 200, "small");
    rig_send(fds[0], GET("/u"), strlen(GET("/u")));
    app_resume_one();
    rig_send(fds[1], GET("/u"), strlen(GET("/u")));
    rig_settle();
    assert_int_equal(app_suspended_count, 2);
    rig_wait(100);
    uint64_t began_ms = rig_now_ms;
    say(client, GET("/b"));
    while (client->end == RIG_OPEN && rig_now_ms < began_ms + HW_TIMEOUTS_HEADER + 200) {
        rig_wait(20);
        listen_to(client);
    }
    expect(client, 503, "503 Service Unavailable\n");
    assert_in_range(rig_now_ms, began_ms + HW_TIMEOUTS_HEADER, began_ms + HW_TIMEOUTS_HEADER + 100);
    fds_close(fds, 2);
}

static void test_no_body_slot_is_503(void **state)
{
    struct client *client = *state;
    int other = rig_connect(0);
    const char *head = "POST /m HTTP/1.1\r\nContent-Length: 5000\r\n" HOST;
    rig_send(other, head, strlen(head));
    rig_settle();
    assert_int_equal(rig.connections.bodies.used, 1);
    say(client, head);
    listen_to(client);
    struct answer answer = answer_to(client, false);
    assert_int_equal(answer.status, 503);
    assert_non_null(memmem(answer.fields, answer.fields_size, "Retry-After: 1\r\n", 16));
    close(other);
}

static void test_full_queue_is_503(void **state)
{
    struct client *client = *state;
    struct hw_job jobs[HW_THREADS_QUEUE] = {{0}};
    for (unsigned i = 0; i < HW_THREADS_QUEUE; i++)
        assert_true(hw_workers_give(&jobs[i], false));
    say(client, GET("/C") GET("/b"));
    rig_round();
    rig_round();
    rig_round();
    rig_job_count = 0;
    listen_to(client);
    expect(client, 503, "503 Service Unavailable\n");
    expect(client, 200, "small");
}

/* ---- Draining. */

/* A request that came while the one before it was worked on is answered, not reset. */
static void test_drain_answers_what_came(void **state)
{
    struct client *client = *state;
    say(client, GET("/u"));
    rig_settle();
    rig_drain();
    say(client, GET("/b"));
    rig_settle();
    app_resume_one();
    listen_to(client);
    expect(client, 200, "resumed");
    struct answer answer = answer_to(client, false);
    assert_int_equal(answer.status, 200);
    assert_true(answer.is_closing);
    assert_int_equal(client->end, RIG_CLOSED);
}

/* The last answer is not lost although the client, which cannot know that it is the last, has sent more. */
static void test_drain_does_not_reset(void **state)
{
    struct client *client = *state;
    say(client, GET("/b"));
    listen_to(client);
    rig.connections.draining = true;
    say(client, GET("/u"));
    rig_settle();
    say(client, GET("/b") GET("/b"));
    app_resume_one();
    listen_to(client);
    expect(client, 200, "small");
    assert_true(answer_to(client, false).is_closing);
    assert_int_equal(client->end, RIG_CLOSED);
}

static void test_drain_closes_the_idle(void **state)
{
    struct client *client = *state;
    int silent = rig_connect(0);
    say(client, GET("/b"));
    listen_to(client);
    rig_drain();
    listen_to(client);
    expect(client, 200, "small");
    assert_int_equal(client->end, RIG_CLOSED);
    char byte;
    size_t size = 0;
    assert_int_equal(rig_receive(silent, &byte, 1, &size), RIG_OPEN);
    rig_wait(1100);
    assert_int_equal(rig_receive(silent, &byte, 1, &size), RIG_CLOSED);
    close(silent);
}

/* ---- Clients that go. */

static void test_hang_up_while_lent(void **state)
{
    struct client *client = *state;
    static const char *const requests[] = {GET("/u"),
                                           GET("/v"),
                                           GET("/C"),
                                           GET("/x"),
                                           "POST /s HTTP/1.1\r\nContent-Length: 9\r\n" HOST "Pab",
                                           "POST /S HTTP/1.1\r\nContent-Length: 9\r\n" HOST "Pab",
                                           "POST /S HTTP/1.1\r\nContent-Length: 3\r\n" HOST "Pab",
                                           "POST /M HTTP/1.1\r\nContent-Length: 3\r\n" HOST "abc"};
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        int fd = rig_connect(0);
        rig_send(fd, requests[i], strlen(requests[i]));
        for (int k = 0; k < 4; k++)
            rig_round();
        close(fd);
        for (int k = 0; k < 4; k++)
            rig_round();
        while (rig_work())
            rig_round();
        while (app_suspended_count > 0)
            app_resume_one();
        rig_settle();
        assert_int_equal(rig.connections.exchanges.used, 0);
        assert_int_equal(rig.connections.entries.used, 1);
        assert_int_equal(atomic_load(&app_states), 0);
        assert_int_equal(atomic_load(&app_borrowed), 0);
    }
    say(client, GET("/b"));
    listen_to(client);
    expect(client, 200, "small");
}

static void test_slow_reader_is_closed(void **state)
{
    struct client *client = *state;
    close(client->fd);
    client->fd = rig_connect(4096);
    say(client, GET("/l") GET("/l") GET("/l"));
    rig_settle();
    rig_wait(HW_TIMEOUTS_WRITE - 40);
    assert_int_equal(rig.connections.entries.used, 1);
    client->end = rig_receive(client->fd, client->bytes, sizeof client->bytes, &client->size);
    assert_in_range(client->size, 1, APP_LARGE_SIZE * 2);
    rig_settle();
    rig_wait(HW_TIMEOUTS_WRITE - 40); /* each byte taken gives new time */
    assert_int_equal(rig.connections.entries.used, 1);
    rig_wait(HW_WHEEL_TICK_MS + 60);
    rig_settle();
    assert_int_equal(rig.connections.entries.used, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)
    const struct CMUnitTest tests[] = {
        TEST(test_pipelined_in_order),
        TEST(test_refusal_behind_full_out),
        TEST(test_continue_behind_full_out),
        TEST(test_suspended_stream_has_time),
        TEST(test_suspended_stream_goes_on),
        TEST(test_suspended_is_answered),
        TEST(test_suspended_times_out),
        TEST(test_head_times_out_without_body),
        TEST(test_stream_fields_behind_pipelined),
        TEST(test_head_at_the_end_of_the_buffer),
        TEST(test_empty_line_is_idle),
        TEST(test_idle_ends),
        TEST(test_head_and_body_time_out),
        TEST(test_reset_content_has_none),
        TEST(test_head_has_no_body),
        TEST(test_silent_head_gives_way),
        TEST(test_stalled_stream_gives_way),
        TEST(test_waiting_has_its_own_time),
        TEST(test_no_body_slot_is_503),
        TEST(test_full_queue_is_503),
        TEST(test_drain_answers_what_came),
        TEST(test_drain_does_not_reset),
        TEST(test_drain_closes_the_idle),
        TEST(test_hang_up_while_lent),
        TEST(test_slow_reader_is_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What is accepted of HTTP/1.1 and what is refused with which status (runtime/http1/parse.c, receive.c): every limit
 * crossed by one, bodies of all sizes around the buffer's, and each request in one piece and byte by byte. */
#include "runtime/rig.h"

#include "runtime/answers.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define HOST "Host: a\r\n"

static char request[1 << 16];
static size_t request_size;

static void add(const char *text)
{
    size_t size = strlen(text);
    memcpy(request + request_size, text, size);
    request_size += size;
}

static void add_fill(char byte, size_t size)
{
    memset(request + request_size, byte, size);
    request_size += size;
}

static void begin(const char *text)
{
    request_size = 0;
    add(text);
}

/* Sends the request, cut into pieces of this size, and reads one answer; its status. */
static unsigned status_of(size_t piece, struct answer *answer)
{
    static char bytes[1 << 16];
    size_t size = 0;
    int fd = rig_connect(0);
    for (size_t at = 0; at < request_size;) {
        size_t part = request_size - at < piece ? request_size - at : piece;
        size_t sent = rig_send(fd, request + at, part);
        at += sent;
        if (sent == 0 && rig_receive(fd, bytes, sizeof bytes, &size) != RIG_OPEN)
            break;
        rig_settle();
    }
    rig_settle();
    enum rig_end end = rig_receive(fd, bytes, sizeof bytes, &size);
    assert_int_equal(answer_read(answer, bytes, size, false, false), ANSWER_GOOD);
    assert_int_equal(answer->size, size); /* one answer to one request */
    assert_int_equal(end == RIG_OPEN, !answer->is_closing);
    shutdown(fd, SHUT_WR);
    rig_settle();
    rig_wait(HW_TIMEOUTS_LINGER + 100);
    close(fd);
    rig_settle();
    assert_true(rig_is_clean());
    return answer->status;
}

static void expect(unsigned status)
{
    struct answer answer;
    unsigned whole = status_of(SIZE_MAX, &answer);
    unsigned bytewise = status_of(1, &answer);
    if (whole != status || bytewise != status)
        fail_msg("%u and %u instead of %u for:\n%.*s", whole, bytewise, status,
                 (int)(request_size < 400 ? request_size : 400), request);
}

static int start(void **state)
{
    (void)state;
    rig_start();
    return 0;
}

static int stop(void **state)
{
    (void)state;
    rig_stop();
    return 0;
}

/* ---- Limits. */

static void request_fields(unsigned count)
{
    begin("GET /b HTTP/1.1\r\n" HOST);
    for (unsigned i = 1; i < count; i++)
        add("X: y\r\n");
    add("\r\n");
}

static void test_headers(void **state)
{
    (void)state;
    request_fields(HW_LIMITS_HEADERS);
    expect(200);
    request_fields(HW_LIMITS_HEADERS + 1);
    expect(431);
}

static void request_head(size_t size)
{
    begin("GET /b HTTP/1.1\r\n" HOST "X: ");
    add_fill('x', size - request_size - 4);
    add("\r\n\r\n");
}

static void test_header_size(void **state)
{
    (void)state;
    request_head(HW_LIMITS_HEADER_SIZE);
    expect(200);
    request_head(HW_LIMITS_HEADER_SIZE + 1);
    expect(431);
    request_head(HW_LIMITS_HEADER_SIZE + 3000);
    expect(431);
    begin("");
    add_fill('\n', HW_LIMITS_HEADER_SIZE * 4); /* empty lines for ever are no request */
    add("GET /b HTTP/1.1\r\n" HOST "\r\n");
    struct answer answer;
    assert_int_equal(status_of(SIZE_MAX, &answer), 431);
}

static void request_target(size_t size)
{
    begin("GET /");
    add_fill('x', size - 1);
    add(" HTTP/1.1\r\n" HOST "\r\n");
}

static void test_target_size(void **state)
{
    (void)state;
    request_target(HW_LIMITS_TARGET_SIZE);
    expect(404);
    request_target(HW_LIMITS_TARGET_SIZE + 1);
    expect(414);
}

static void test_cookies_and_parameters(void **state)
{
    (void)state;
    begin("GET /b HTTP/1.1\r\n" HOST "Cookie: a=1; b=2; c=3; d=4\r\n\r\n");
    expect(200);
    begin("GET /b HTTP/1.1\r\n" HOST "Cookie: a=1; b=2; c=3; d=4; e=5\r\n\r\n");
    expect(431);
    begin("GET /b HTTP/1.1\r\n" HOST "Cookie: a=1; b=2\r\nCookie: c=3; d=4; e=5\r\n\r\n");
    expect(431);
    begin("GET /b?a&b&c&d HTTP/1.1\r\n" HOST "\r\n");
    expect(200);
    begin("GET /b?a&b&c&d&e HTTP/1.1\r\n" HOST "\r\n");
    expect(400);
}

/* ---- Bodies. */

static void request_length(const char *path, size_t size)
{
    char head[128];
    snprintf(head, sizeof head, "POST %s HTTP/1.1\r\n" HOST "Content-Length: %zu\r\n\r\n", path, size);
    begin(head);
    for (size_t i = 0; i < size; i++)
        request[request_size++] = (char)('a' + i % 23);
}

static void request_chunks(const char *path, size_t size, size_t chunk)
{
    char line[32];
    begin("POST ");
    add(path);
    add(" HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n");
    for (size_t at = 0; at < size;) {
        size_t part = size - at < chunk ? size - at : chunk;
        snprintf(line, sizeof line, "%zX\r\n", part);
        add(line);
        for (; part > 0; part--, at++)
            request[request_size++] = (char)('a' + at % 23);
        add("\r\n");
    }
    add("0\r\n\r\n");
}

/* Whether the answer says that exactly these bytes arrived. */
static void answer_is_of(const char *path, size_t size, const struct answer *answer)
{
    char bytes[1 << 15];
    char text[64];
    for (size_t i = 0; i < size; i++)
        bytes[i] = (char)('a' + i % 23);
    uint32_t hash = app_hash(APP_HASH_BEGIN, bytes, size);
    assert_int_equal(answer->status, 200);
    if ((path[1] | 32) == 'm') {
        assert_int_equal(answer->body_size, size);
        assert_int_equal(answer->body_hash, hash);
        return;
    }
    if (path[1] == 'd')
        snprintf(text, sizeof text, "%zu", size);
    else
        snprintf(text, sizeof text, "%zu %08x", size, hash);
    assert_int_equal(answer->body_size, strlen(text));
    assert_memory_equal(answer->body, text, strlen(text));
}

static const char *const paths[] = {"/d", "/m", "/M", "/s", "/S"};

static void test_bodies_around_the_buffer(void **state)
{
    (void)state;
    static const size_t marks[] = {1, 510, HW_BUFFERS_SIZE, HW_IN_SIZE - 512, HW_IN_SIZE, 5800};
    static const size_t chunks[] = {1 << 20, 1000, 100, 7};
    struct answer answer;
    for (size_t i = 0; i < 5 * (sizeof marks / sizeof marks[0]); i++) {
        const char *path = paths[i % 5];
        size_t mark = marks[i / 5];
        size_t reach = mark == HW_IN_SIZE ? 90 : 3; /* the head takes its part of the buffer */
        for (size_t size = mark < reach ? 0 : mark - reach; size <= mark + 3; size++) {
            request_length(path, size);
            status_of(size % 2 == 0 ? SIZE_MAX : 700, &answer);
            answer_is_of(path, size, &answer);
            request_chunks(path, size, chunks[size % 4]);
            status_of(size % 3 == 0 ? SIZE_MAX : 300 + size % 400, &answer);
            answer_is_of(path, size, &answer);
        }
    }
}

static void test_body_limits(void **state)
{
    (void)state;
    static const size_t limits[] = {HW_LIMITS_BODY_SIZE, HW_BODY_MEMORY_SIZE, HW_BODY_MEMORY_SIZE - 100,
                                    HW_LIMITS_BODY_SIZE, HW_LIMITS_BODY_SIZE};
    struct answer answer;
    for (int i = 0; i < 5; i++) {
        request_length(paths[i], limits[i]);
        status_of(1000, &answer);
        answer_is_of(paths[i], limits[i], &answer);
        request_length(paths[i], limits[i] + 1);
        assert_int_equal(status_of(SIZE_MAX, &answer), 413);
        for (size_t chunk = 900; chunk < 1 << 16; chunk *= 70) {
            request_chunks(paths[i], limits[i], chunk);
            status_of(1000, &answer);
            answer_is_of(paths[i], limits[i], &answer);
            request_chunks(paths[i], limits[i] + 1, chunk);
            assert_int_equal(status_of(1000, &answer), 413);
        }
    }
}

static void request_extension(size_t size)
{
    begin("POST /d HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n1;");
    add_fill('e', size);
    add("\r\nx\r\n0\r\n\r\n");
}

static void test_chunk_overhead(void **state)
{
    (void)state;
    request_extension(HW_LIMITS_HEADER_SIZE - 40);
    expect(200);
    request_extension(HW_LIMITS_HEADER_SIZE + 40);
    expect(400);
    begin("POST /d HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n0\r\n");
    for (int i = 0; i < 300; i++)
        add("X: y\r\n");
    add("\r\n");
    expect(400);
    request_chunks("/d", 5000, 1); /* small chunks are no attack */
    expect(200);
}

/* ---- Requests that are wrong, and some that only look so. */

static const struct {
    const char *text;
    unsigned status;
} refusals[] = {
    {"GET /b HTTP/1.1\r\nHost: a\r\n\r\n", 200},
    {"\r\n\r\nGET /b HTTP/1.1\r\nHost: a\r\n\r\n", 200},
    {"GET /b HTTP/1.1\r\nHost: a\r\nX:\r\nY: \t \r\n\r\n", 200},
    {"GET /b HTTP/1.1\r\nhOST:a\r\n\r\n", 200},
    {"GET /b HTTP/1.1\r\nHost:\r\n\r\n", 200},
    {"GET http://x:1/b HTTP/1.1\r\nHost: a\r\n\r\n", 200},
    {"GET HTTPS://x/b?q HTTP/1.1\r\nHost: a\r\n\r\n", 200},
    {"GET /b HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, X\r\n\r\n", 200},
    {"GET /b HTTP/1.1\r\nHost: a\r\nConnection: CLOSE\r\n\r\n", 200},
    {"OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", 204},
    {"OPTIONS /b HTTP/1.1\r\nHost: a\r\n\r\n", 204},
    {"GET /dir HTTP/1.1\r\nHost: a\r\n\r\n", 308},
    {"PUT /b HTTP/1.1\r\nHost: a\r\n\r\n", 405},
    {"TRACE /b HTTP/1.1\r\nHost: a\r\n\r\n", 405},
    {"GET /none HTTP/1.1\r\nHost: a\r\n\r\n", 404},
    {"GET /B HTTP/1.1\r\nHost: a\r\n\r\n", 404},
    {"GET /b HTTP/1.1\r\n\r\n", 400},
    {"GET /b HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", 400},
    {"GET /b HTTP/1.1\r\nHost: a b\r\n\r\n", 400},
    {"GET /b HTTP/1.1\r\nHost: a\nX: y\r\n\r\n", 400},
    {"GET /b HTTP/1.1\r\nHost: a\rX: y\r\n\r\n", 400},
    {"GET /b HTTP/1.1\r\nHost : a\r\n\r\n", 400},
    {"GET /b HTTP/1.1\r\n Host: a\r\n\r\n", 400},
    {"GET /b HTTP/1.1\r\nHost: a\r\nX: y\r\n z\r\n\r\n", 400},
    {"GET /b HTTP/1.1\r\nHost: a\r\n: y\r\n\r\n", 400},
    {"GET /b HTTP/1.1\r\nHost: a\r\nX\r\n\r\n", 400},
    {"GET /b HTTP/1.1\r\nHost: a\r\nX: \x01\r\n\r\n", 400},
    {"GET b HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    {"GET * HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    {"GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    {"GET /../b HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    {"GET /b#c HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    {"GET ftp://x/b HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    {"GET http://u@x/b HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    {"GET /b HTTP/2.0\r\nHost: a\r\n\r\n", 505},
    {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
    {"CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n", 501},
    {"BREW /b HTTP/1.1\r\nHost: a\r\n\r\n", 501},
    {"get /b HTTP/1.1\r\nHost: a\r\n\r\n", 501},
    {"POST /d HTTP/1.1\r\nHost: a\r\nExpect: x\r\n\r\n", 417},
    {"POST /d HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", 501},
    {"POST /d HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501},
    {"POST /d HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
    {"POST /d HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: CHUNKED\r\n\r\n0\r\n\r\n", 200},
    {"POST /d HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
    {"POST /d HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n0\r\n\r\n", 400},
    {"POST /d HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
    {"POST /d HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\nx", 400},
    {"POST /d HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\nx", 400},
    {"POST /d HTTP/1.1\r\nHost: a\r\nContent-Length: 1, 1\r\n\r\nx", 400},
    {"POST /d HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx", 400},
    {"POST /d HTTP/1.1\r\nHost: a\r\nContent-Length: 0x1\r\n\r\nx", 400},
    {"POST /d HTTP/1.1\r\nHost: a\r\nContent-Length: 18446744073709551616\r\n\r\nx", 400},
    {"POST /d HTTP/1.1\r\nHost: a\r\nContent-Length: 18446744073709551615\r\n\r\nx", 413},
    {"POST /d HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", 400},
    {"POST /d HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nxy\r\n", 400},
    {"POST /d HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1 \r\nx\r\n0\r\n\r\n", 400},
    {"POST /d HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n", 400},
    {"POST /d HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nffffffff\r\n", 413},
    {"POST /d HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: y\r\n\r\n", 200},
    {"POST /none HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nExpect: 100-continue\r\n\r\n", 404},
};

static void test_refusals(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        begin(refusals[i].text);
        expect(refusals[i].status);
    }
}

static void test_allow(void **state)
{
    (void)state;
    struct answer answer;
    begin("PUT /d HTTP/1.1\r\n" HOST "\r\n");
    assert_int_equal(status_of(SIZE_MAX, &answer), 405);
    assert_non_null(memmem(answer.fields, answer.fields_size, "Allow: POST, OPTIONS\r\n", 22));
    begin("OPTIONS /b HTTP/1.1\r\n" HOST "\r\n");
    assert_int_equal(status_of(SIZE_MAX, &answer), 204);
    assert_non_null(memmem(answer.fields, answer.fields_size, "Allow: GET, HEAD, OPTIONS\r\n", 27));
    begin("GET /dir?q=%41 HTTP/1.1\r\n" HOST "\r\n");
    assert_int_equal(status_of(SIZE_MAX, &answer), 308);
    assert_non_null(memmem(answer.fields, answer.fields_size, "Location: /dir/?q=%41\r\n", 23));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)
    const struct CMUnitTest tests[] = {
        TEST(test_headers),
        TEST(test_header_size),
        TEST(test_target_size),
        TEST(test_cookies_and_parameters),
        TEST(test_bodies_around_the_buffer),
        TEST(test_body_limits),
        TEST(test_chunk_overhead),
        TEST(test_refusals),
        TEST(test_allow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

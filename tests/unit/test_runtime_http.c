/* Requests and responses whatever the framing: paths, hosts, forms, cookies, captures, and the response functions that
 * handlers call (runtime/http/). */
#include "runtime/rig.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static uint32_t random_state = 88172645u;

static uint32_t random_next(uint32_t limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state % limit;
}

/* ---- Paths. */

/* A path in a buffer of exactly its size, so that a sanitizer sees every byte too many. */
static size_t path_decode(const char *text, size_t size, char *out)
{
    char *given = malloc(size + 1);
    char *room = malloc(size + 1);
    assert_non_null(given);
    assert_non_null(room);
    memcpy(given, text, size);
    char *exact = realloc(given, size > 0 ? size : 1);
    size_t result = hw_path_decode(exact, size, room);
    memcpy(out, room, result > 0 ? result + 1 : 0);
    free(exact);
    free(room);
    return result;
}

static const struct {
    const char *path;
    const char *decoded; /* '|' for the NUL that stands for an encoded '/'; NULL: refused */
} path_rows[] = {
    {"/", "/"},
    {"/a", "/a"},
    {"/a/", "/a/"},
    {"/a/b", "/a/b"},
    {"//", "/"},
    {"///a//b//", "/a/b/"},
    {"/.", "/"},
    {"/./", "/"},
    {"/a/.", "/a/"},
    {"/a/./b", "/a/b"},
    {"/a/..", "/"},
    {"/a/../", "/"},
    {"/a/../b", "/b"},
    {"/a/b/../../c", "/c"},
    {"/a//../b", "/b"},
    {"/..", NULL},
    {"/../a", NULL},
    {"/a/../..", NULL},
    {"/a/../../b", NULL},
    {"/...", "/..."},
    {"/.a", "/.a"},
    {"/a.", "/a."},
    {"/..a/b", "/..a/b"},
    {"/%61", "/a"},
    {"/%2e", "/"},
    {"/%2E%2e/", NULL},
    {"/a/%2e%2E/b", "/b"},
    {"/a/.%2e", "/"},
    {"/%2f", "/|"},
    {"/a%2Fb", "/a|b"},
    {"/..%2f", "/..|"},
    {"/%2f..", "/|.."},
    {"/a/%2f/../b", "/a/b"},
    {"/%", NULL},
    {"/%4", NULL},
    {"/%4g", NULL},
    {"/%g4", NULL},
    {"/a%", NULL},
    {"/%00", NULL},
    {"/a%00b", NULL},
    {"/%252e", "/%2e"},
    {"/%25%32%66", "/%2f"},
    {"/%C3%A4", "/\xc3\xa4"},
    {"/%ff", "/\xff"},
    {"", NULL},
    {"a", NULL},
    {"%2f", NULL},
    {"/a;b=c/d", "/a;b=c/d"},
    {"/a+b", "/a+b"},
    {"/%01", "/\x01"},
    {"/ /a", "/ /a"},
    {"/a/b/..", "/a/"},
};

static void test_path_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof path_rows / sizeof path_rows[0]; i++) {
        char out[64];
        size_t size = path_decode(path_rows[i].path, strlen(path_rows[i].path), out);
        if (path_rows[i].decoded == NULL) {
            assert_int_equal(size, 0);
            continue;
        }
        assert_int_equal(size, strlen(path_rows[i].decoded));
        for (size_t k = 0; k < size; k++)
            assert_int_equal(out[k], path_rows[i].decoded[k] == '|' ? '\0' : path_rows[i].decoded[k]);
        assert_int_equal(out[size], '\0');
    }
}

/* One segment of the slow reference, decoded (RFC 3986 section 2.1). */
struct segment {
    char bytes[64];
    size_t size;
};

static bool segment_decode(struct segment *segment, const char *at, const char *end)
{
    segment->size = 0;
    while (at < end) {
        char digits[3] = {0};
        if (*at != '%') {
            segment->bytes[segment->size++] = *at++;
            continue;
        }
        if (end - at < 3 || strspn(at + 1, "0123456789abcdefABCDEF") < 2)
            return false;
        memcpy(digits, at + 1, 2);
        char byte = (char)strtol(digits, NULL, 16);
        if (byte == '\0')
            return false;
        segment->bytes[segment->size++] = (char)(byte == '/' ? '\0' : byte);
        at += 3;
    }
    return true;
}

/* The slow reference: a list of segments, and remove_dot_segments of RFC 3986 section 5.2.4 on it, but that climbing
 * above the root is refused. */
static size_t reference_decode(const char *path, char *out)
{
    static struct segment segments[64];
    size_t count = 0;
    bool is_folder = false;
    for (const char *at = path; *at == '/';) {
        const char *end = strchr(at + 1, '/');
        if (end == NULL)
            end = at + strlen(at);
        struct segment *segment = &segments[count];
        if (!segment_decode(segment, at + 1, end))
            return 0;
        bool is_dot = segment->size == 1 && segment->bytes[0] == '.';
        bool is_up = segment->size == 2 && memcmp(segment->bytes, "..", 2) == 0;
        if (is_up && count == 0)
            return 0;
        is_folder = is_dot || is_up || segment->size == 0;
        if (is_up)
            count--;
        else if (!is_folder)
            count++;
        at = end;
    }
    size_t size = 0;
    for (size_t i = 0; i < count; i++) {
        out[size++] = '/';
        memcpy(out + size, segments[i].bytes, segments[i].size);
        size += segments[i].size;
    }
    if (is_folder || count == 0)
        out[size++] = '/';
    return size;
}

static void test_path_against_reference(void **state)
{
    (void)state;
    static const char *const parts[] = {"/",   "/",   "/",   ".", ".",  "..",   "a",  "b",
                                        "%2e", "%2F", "%61", "%", "%0", "%41x", "%00"};
    for (int i = 0; i < 400000; i++) {
        char path[64] = "/";
        char out[64];
        char expected[128];
        unsigned count = random_next(9);
        for (unsigned k = 0; k < count; k++)
            strcat(path, parts[random_next(i % 3 == 0 ? 15 : 11)]);
        size_t size = path_decode(path, strlen(path), out);
        size_t expected_size = reference_decode(path, expected);
        if (size != expected_size || memcmp(out, expected, size) != 0)
            fail_msg("%s", path);
    }
}

/* ---- Hosts. */

static void test_host(void **state)
{
    (void)state;
    static const struct {
        const char *value;
        const char *host; /* NULL: refused */
    } rows[] = {
        {"", ""},
        {"a", "a"},
        {"A.Example", "a.example"},
        {"a:80", "a"},
        {"a:", "a"},
        {"a:080", "a"},
        {":80", NULL},
        {":", NULL},
        {"a:b", NULL},
        {"a:8 0", NULL},
        {"a:80:80", NULL},
        {"a b", NULL},
        {"a,b", "a,b"},
        {"a/b", NULL},
        {"u@a", NULL},
        {"a?b", NULL},
        {"a#b", NULL},
        {"a\\b", NULL},
        {"a%41", "a%41"},
        {"a%4A", "a%4a"},
        {"a%4", NULL},
        {"a%zz", NULL},
        {"%", NULL},
        {"[::1]", "[::1]"},
        {"[::1]:80", "[::1]"},
        {"[::1]80", NULL},
        {"[::1", NULL},
        {"[]", NULL},
        {"[", NULL},
        {"[::1]:x", NULL},
        {"[FE80::1]", "[fe80::1]"},
        {"127.0.0.1:8080", "127.0.0.1"},
        {"a_b-c~d", "a_b-c~d"},
        {"\xe4", NULL},
        {"a\"", NULL},
        {"<a>", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char host[64];
        size_t size = 0;
        bool is_valid = hw_host_read(rows[i].value, strlen(rows[i].value), host, sizeof host, &size);
        if (is_valid != (rows[i].host != NULL))
            fail_msg("%s", rows[i].value);
        if (is_valid)
            assert_string_equal(host, rows[i].host);
        if (is_valid)
            assert_int_equal(size, strlen(rows[i].host));
    }
    char host[4];
    size_t size;
    assert_true(hw_host_read("abc:1", 5, host, sizeof host, &size));
    assert_false(hw_host_read("abcd:1", 6, host, sizeof host, &size));
}

/* ---- Forms, queries, cookies. */

/* What Python's urllib.parse.unquote_plus makes of the same bytes. */
static void test_form_decode(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *decoded;
        size_t size;
    } rows[] = {
        {"", "", 0},
        {"a", "a", 1},
        {"a+b", "a b", 3},
        {"a%20b", "a b", 3},
        {"%41%5a%7a", "AZz", 3},
        {"%e4%f6", "\344\366", 2},
        {"%E4%F6", "\344\366", 2},
        {"a%2Bb", "a+b", 3},
        {"100%", "100%", 4},
        {"%", "%", 1},
        {"%4", "%4", 2},
        {"%zz", "%zz", 3},
        {"%%41", "%A", 2},
        {"%4g", "%4g", 3},
        {"%g4", "%g4", 3},
        {"a%00b", "a\000b", 3},
        {"+%2b+", " + ", 3},
        {"%c3%a4", "\303\244", 2},
        {"%25", "%", 1},
        {"%2525", "%25", 3},
        {"a;b", "a;b", 3},
        {"~-._", "~-._", 4},
        {"%2F%3f", "/?", 2},
        {"%u0041", "%u0041", 6},
        {"%41%", "A%", 2},
        {"++", "  ", 2},
        {"%C3%A4+%e2%82%ac", "\303\244 \342\202\254", 6},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t size = strlen(rows[i].text);
        char *out = malloc(size + 1);
        assert_non_null(out);
        assert_int_equal(hw_form_decode(rows[i].text, size, out), rows[i].size);
        assert_memory_equal(out, rows[i].decoded, rows[i].size + 1);
        free(out);
    }
}

static struct hw_h1_exchange *exchange;
static struct hw_request *request;
static struct hw_response *response;

static int start(void **state)
{
    (void)state;
    rig_start();
    exchange = rig_memory(HW_EXCHANGE_SIZE);
    hw_exchange_init(&exchange->base, &rig.loop, NULL, &hw_h1_framing);
    exchange->head_at = 0;
    hw_h1_parse_reset(exchange);
    hw_exchange_prepare(&exchange->base);
    exchange->base.keep_alive = true;
    exchange->base.request.minor = 1;
    request = &exchange->base.request;
    response = &exchange->base.response;
    hw_exchange_handling = &exchange->base;
    return 0;
}

static int stop(void **state)
{
    (void)state;
    hw_exchange_handling = NULL;
    hw_exchange_end(&exchange->base);
    free(exchange);
    rig_stop();
    return 0;
}

/* Lets the response begin anew. */
static void again(void)
{
    hw_exchange_release(&exchange->base);
    *response = (struct hw_response){.state = HW_RESPONSE_OPEN};
    atomic_store(&exchange->base.out_head, 0);
    atomic_store(&exchange->base.out_tail, 0);
    atomic_store(&exchange->base.cancelled, false);
}

/* `path` and `query` as the target of the request. */
static void query_set(const char *query)
{
    exchange->base.request.texts_used = 0;
    request->query_read = false;
    request->parameter_count = 0;
    request->query_at = 10;
    request->query_size = (uint32_t)strlen(query);
    memcpy(exchange->base.in + 10, query, strlen(query));
}

static void parameter_is(const char *name, const char *value)
{
    struct hw_text text = hw_parameter_get(request, name);
    if (value == NULL) {
        assert_null(text.bytes);
        return;
    }
    assert_non_null(text.bytes);
    assert_string_equal(text.bytes, value);
    assert_int_equal(text.size, strlen(value));
}

/* As Python's urllib.parse.parse_qsl does, blank values kept. */
static void test_query(void **state)
{
    (void)state;
    static const char *const rows[][3] = {
        {"a=1&b=2", "b", "2"},     {"a=1&b=2", "c", NULL},    {"a=&b", "a", ""},       {"a=&b", "b", ""},
        {"a&b=", "a", ""},         {"a&b=", "b", ""},         {"=x&a=1", "", "x"},     {"=x&a=1", "a", "1"},
        {"&&a=1&&", "a", "1"},     {"a=b=c", "a", "b=c"},     {"a=1&a=2", "a", "1"},   {"%61=%62", "a", "b"},
        {"a+b=c+d", "a b", "c d"}, {"a=1;b=2", "a", "1;b=2"}, {"", "a", NULL},         {"A=1", "a", NULL},
        {"a=%26&b=%3D", "a", "&"}, {"a=%26&b=%3D", "b", "="}, {"a%3Db=1", "a=b", "1"}, {"aa=1", "a", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        query_set(rows[i][0]);
        parameter_is(rows[i][1], rows[i][2]);
        parameter_is(rows[i][1], rows[i][2]); /* the second question as the first */
    }
}

/* The longest target with the most parameters and captures: every text has its place. */
static void test_texts_fit(void **state)
{
    (void)state;
    char query[HW_LIMITS_TARGET_SIZE];
    struct hw_match match = {.capture_count = HW_CAPTURES_MAX};
    size_t path_size = 2 * HW_CAPTURES_MAX;
    for (unsigned i = 0; i < HW_CAPTURES_MAX; i++) {
        memcpy(exchange->base.path + (size_t)2 * i, "/c", 2);
        match.captures[i] = (struct hw_capture){exchange->base.path + (size_t)2 * i + 1, 1};
    }
    size_t size = HW_LIMITS_TARGET_SIZE - path_size - 1;
    memset(query, 'q', size);
    memcpy(query, "a&b&c&d=", 8);
    query[size] = '\0';
    query_set(query);
    request->path_size = (uint32_t)path_size;
    hw_request_captures_keep(&exchange->base, &match);
    parameter_is("c", "");
    struct hw_text last = hw_parameter_get(request, "d");
    assert_int_equal(last.size, size - 8);
    assert_in_range(exchange->base.request.texts_used, 1, HW_TEXT_AREA_SIZE);
    for (unsigned i = 0; i < HW_CAPTURES_MAX; i++)
        assert_string_equal(hw_capture_get(request, i).bytes, "c");
}

static void test_captures(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool is_u64;
        bool is_i64;
    } rows[] = {
        {"0", true, true},
        {"7", true, true},
        {"255", true, true},
        {"256", false, false},
        {"", false, false},
        {"-1", false, true},
        {"-128", false, true},
        {"-129", false, false},
        {"+1", false, false},
        {"01", false, false},
        {"00", false, false},
        {"-", false, false},
        {"--1", false, false},
        {"1 ", false, false},
        {"0x1", false, false},
        {"18446744073709551616", false, false},
        {"99999999999999999999", false, false},
        {"-9223372036854775809", false, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct hw_match match = {.capture_count = 1, .captures = {{rows[i].text, strlen(rows[i].text)}}};
        uint64_t value;
        int64_t number;
        request->texts_used = 0;
        hw_request_captures_keep(&exchange->base, &match);
        if (hw_capture_u64(request, 0, 0, 255, &value) != rows[i].is_u64 ||
            hw_capture_i64(request, 0, -128, 255, &number) != rows[i].is_i64)
            fail_msg("%s", rows[i].text);
    }
    uint64_t value;
    int64_t number;
    struct hw_match match = {.capture_count = 2,
                             .captures = {{"18446744073709551615", 20}, {"-9223372036854775808", 20}}};
    request->texts_used = 0;
    hw_request_captures_keep(&exchange->base, &match);
    assert_true(hw_capture_u64(request, 0, 0, UINT64_MAX, &value));
    assert_true(value == UINT64_MAX);
    assert_true(hw_capture_i64(request, 1, INT64_MIN, INT64_MAX, &number));
    assert_true(number == INT64_MIN);
}

static void test_cookies(void **state)
{
    (void)state;
    static const char *const rows[][3] = {
        {"a=1", "a", "1"},       {"a=1; b=2", "b", "2"},    {"a=1;b=2", "b", "2"},
        {"a=1; b=2", "c", NULL}, {"a=\"1\"", "a", "\"1\""}, {"a=", "a", ""},
        {"a", "a", NULL},        {"a=1=2", "a", "1=2"},     {" a=1 ", "a", "1"},
        {"ab=1; a=2", "a", "2"}, {"a=1; a=2", "a", "1"},    {"A=1", "a", NULL},
        {";;a=1;", "a", "1"},    {"", "a", NULL},           {"a=\"x; b=y\"", "b", "y\""},
        {"=1", "", "1"},         {"a\t=1", "a", NULL},      {"a=\t1", "a", "\t1"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct hw_text text = hw_cookie_find(rows[i][0], strlen(rows[i][0]), rows[i][1]);
        if ((text.bytes == NULL) != (rows[i][2] == NULL))
            fail_msg("%s: %s", rows[i][0], rows[i][1]);
        if (text.bytes == NULL)
            continue;
        assert_int_equal(text.size, strlen(rows[i][2]));
        assert_memory_equal(text.bytes, rows[i][2], text.size);
    }
    assert_int_equal(hw_cookie_count("a=1; b=2", 8), 2);
    assert_int_equal(hw_cookie_count("", 0), 0);
}

/* ---- Responses. */

static unsigned released;

static void release(void *user)
{
    assert_ptr_equal(user, &released);
    released++;
}

static void sent_is(const char *text)
{
    size_t size = atomic_load(&exchange->base.out_tail);
    assert_int_equal(size, strlen(text));
    assert_memory_equal(exchange->base.out, text, size);
}

#define DATE "Date: Thu, 01 Jan 1970 00:16:40 GMT\r\n"

static void test_response_bytes(void **state)
{
    (void)state;
    assert_int_equal(hw_status_set(response, 201), 0);
    assert_int_equal(hw_field_add(response, "X-A", "b"), 0);
    assert_int_equal(hw_field_add(response, "X-Empty", ""), 0);
    assert_int_equal(hw_json_send(response, "{}"), 0);
    sent_is("HTTP/1.1 201 Created\r\n" DATE "Content-Length: 2\r\nX-A: b\r\nX-Empty: \r\n"
            "Content-Type: application/json\r\n\r\n{}");
    again();
    assert_int_equal(hw_empty_send(response), 0);
    sent_is("HTTP/1.1 204 No Content\r\n" DATE "\r\n");
    again();
    hw_status_set(response, 304);
    assert_int_equal(hw_text_send(response, "no content here"), 0);
    sent_is("HTTP/1.1 304 Not Modified\r\n" DATE "Content-Type: text/plain; charset=utf-8\r\n\r\n");
    again();
    hw_status_set(response, 299);
    exchange->base.keep_alive = false;
    assert_int_equal(hw_bytes_send(response, NULL, "", 0), 0);
    sent_is("HTTP/1.1 299 Unknown\r\n" DATE "Content-Length: 0\r\nConnection: close\r\n\r\n");
}

static void test_response_invalid(void **state)
{
    (void)state;
    static const char *const names[] = {"",
                                        "a b",
                                        "a:",
                                        "a\r\nb",
                                        "a\n",
                                        "\xe4",
                                        "a\x7f",
                                        "(a)",
                                        "Date",
                                        "dAtE",
                                        "Content-Type",
                                        "connection",
                                        "Upgrade",
                                        "Content-Length",
                                        "TRANSFER-ENCODING",
                                        "te",
                                        "Trailer",
                                        "Keep-Alive"};
    static const char *const values[] = {"a\r\nSet-Cookie: b", "a\nb", "a\rb", "\x01", "a\x7f", "\n"};
    static const unsigned statuses[] = {0, 1, 99, 100, 101, 199, 600, 1000, 4294967295u};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_int_equal(hw_field_add(response, names[i], "v"), HW_EINVAL);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        assert_int_equal(hw_field_add(response, "X", values[i]), HW_EINVAL);
        assert_int_equal(hw_bytes_send(response, values[i], "", 0), HW_EINVAL);
        assert_int_equal(hw_media_type_set(response, values[i]), HW_EINVAL);
        released = 0;
        assert_int_equal(hw_borrowed_send(response, values[i], "", 0, release, &released), HW_EINVAL);
        assert_int_equal(released, 1);
    }
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++)
        assert_int_equal(hw_status_set(response, statuses[i]), HW_EINVAL);
    assert_int_equal(hw_media_type_set(response, ""), HW_EINVAL);
    assert_int_equal(hw_field_add(response, "X", "\t\xc3\xa4 ok"), 0);
    assert_int_equal(hw_text_send(response, "x"), 0); /* nothing of it was sent or kept */
    sent_is("HTTP/1.1 200 OK\r\n" DATE "Content-Length: 1\r\nX: \t\xc3\xa4 ok\r\n"
            "Content-Type: text/plain; charset=utf-8\r\n\r\nx");
}

static void everything_is_too_late(void)
{
    released = 0;
    assert_int_equal(hw_status_set(response, 200), HW_ESTATE);
    assert_int_equal(hw_field_add(response, "X", "y"), HW_ESTATE);
    assert_int_equal(hw_media_type_set(response, "a/b"), HW_ESTATE);
    assert_int_equal(hw_bytes_send(response, NULL, "x", 1), HW_ESTATE);
    assert_int_equal(hw_empty_send(response), HW_ESTATE);
    assert_int_equal(hw_borrowed_send(response, NULL, "x", 1, release, &released), HW_ESTATE);
    assert_int_equal(released, 1);
    assert_int_equal(hw_resume(response), HW_ESTATE);
}

static void test_response_too_late(void **state)
{
    (void)state;
    hw_text_send(response, "x");
    everything_is_too_late();
    assert_int_equal(hw_chunk_send(response, "x", 1), HW_ESTATE);
    assert_int_equal(hw_stream_end(response), HW_ESTATE);
    assert_int_equal(hw_suspend(response), HW_ESTATE);
    again();
    assert_int_equal(hw_chunk_send(response, "x", 1), 0);
    everything_is_too_late();
    assert_int_equal(hw_stream_end(response), 0);
    everything_is_too_late();
    assert_int_equal(hw_stream_end(response), HW_ESTATE);
    assert_int_equal(hw_chunk_send(response, "x", 1), HW_ESTATE);
    assert_int_equal(hw_suspend(response), HW_ESTATE);
}

static void test_response_cancelled(void **state)
{
    (void)state;
    atomic_store(&exchange->base.cancelled, true);
    released = 0;
    assert_true(hw_is_cancelled(response));
    assert_int_equal(hw_text_send(response, "x"), HW_ECANCELED);
    assert_int_equal(hw_empty_send(response), HW_ECANCELED);
    assert_int_equal(hw_chunk_send(response, "x", 1), HW_ECANCELED);
    assert_int_equal(hw_borrowed_send(response, NULL, "x", 1, release, &released), HW_ECANCELED);
    assert_int_equal(released, 1);
    atomic_store(&exchange->base.cancelled, false);
    assert_int_equal(hw_chunk_send(response, "x", 1), 0);
    atomic_store(&exchange->base.cancelled, true);
    assert_int_equal(hw_chunk_send(response, "x", 1), HW_ECANCELED);
    exchange->base.is_head = true; /* that no body is sent is no reason to go on for ever */
    assert_int_equal(hw_chunk_send(response, "x", 1), HW_ECANCELED);
}

/* The largest of everything fits, behind as many bytes of earlier answers as there may be; one more does not. */
static void test_response_sizes(void **state)
{
    (void)state;
    static char bytes[2 * HW_BUFFERS_SIZE];
    memset(bytes, 'b', sizeof bytes);
    size_t size = HW_BUFFERS_SIZE - HW_H1_HEAD_SIZE - 2;
    atomic_store(&exchange->base.out_tail, HW_COALESCE_SIZE);
    assert_int_equal(hw_bytes_send(response, NULL, bytes, size + 1), HW_ETOOBIG);
    assert_int_equal(hw_bytes_send(response, NULL, bytes, SIZE_MAX), HW_ETOOBIG);
    assert_int_equal(hw_bytes_send(response, NULL, bytes, size), 0);
    assert_in_range(atomic_load(&exchange->base.out_tail), HW_COALESCE_SIZE + size, HW_OUT_SIZE);
    again();
    atomic_store(&exchange->base.out_tail, HW_COALESCE_SIZE);
    bytes[size - 5] = '\0';
    assert_int_equal(hw_field_add(response, "XX", bytes), HW_ETOOBIG);
    bytes[size - 6] = '\0';
    assert_int_equal(hw_field_add(response, "XX", bytes), 0);
    assert_int_equal(hw_field_add(response, "X", ""), HW_ETOOBIG);
    assert_int_equal(hw_text_send(response, ""), HW_ETOOBIG);
    assert_int_equal(hw_bytes_send(response, NULL, NULL, 0), 0);
    assert_in_range(atomic_load(&exchange->base.out_tail), HW_COALESCE_SIZE + size, HW_OUT_SIZE);
}

/* On an IO thread a stream takes what there is room for, and always keeps room for its end. */
static void test_stream_fills_the_ring(void **state)
{
    (void)state;
    static char bytes[HW_OUT_SIZE];
    for (size_t piece = 1; piece < 700; piece += 37) {
        again();
        int error;
        while ((error = hw_chunk_send(response, bytes, piece)) == 0)
            continue;
        assert_int_equal(error, HW_EAGAIN);
        assert_in_range(atomic_load(&exchange->base.out_tail), HW_OUT_SIZE - piece - 30,
                        HW_OUT_SIZE - HW_CHUNK_LAST_SIZE);
        assert_int_equal(hw_stream_end(response), 0);
        assert_in_range(atomic_load(&exchange->base.out_tail), 1, HW_OUT_SIZE);
    }
    again();
    assert_int_equal(hw_chunk_send(response, bytes, sizeof bytes), HW_ETOOBIG);
    assert_int_equal(hw_chunk_send(response, bytes, 0), 0); /* no chunk: it would be the last */
    assert_int_equal(hw_stream_end(response), 0);
    sent_is("HTTP/1.1 200 OK\r\n" DATE "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
}

static void test_borrowed_is_released_once(void **state)
{
    (void)state;
    released = 0;
    assert_int_equal(hw_borrowed_send(response, "a/b", "0123456789", 10, release, &released), 0);
    sent_is("HTTP/1.1 200 OK\r\n" DATE "Content-Length: 10\r\nContent-Type: a/b\r\n\r\n");
    assert_int_equal(released, 0);
    hw_exchange_release(&exchange->base);
    assert_int_equal(released, 1);
    hw_exchange_release(&exchange->base);
    assert_int_equal(released, 1);
    again();
    released = 0;
    exchange->base.is_head = true;
    assert_int_equal(hw_borrowed_send(response, NULL, "0123456789", 10, release, &released), 0);
    assert_int_equal(response->borrowed_size, 0);
    hw_exchange_release(&exchange->base);
    assert_int_equal(released, 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_path_table),
        cmocka_unit_test(test_path_against_reference),
        cmocka_unit_test(test_host),
        cmocka_unit_test(test_form_decode),
        TEST(test_query),
        TEST(test_texts_fit),
        TEST(test_captures),
        TEST(test_cookies),
        TEST(test_response_bytes),
        TEST(test_response_invalid),
        TEST(test_response_too_late),
        TEST(test_response_cancelled),
        TEST(test_response_sizes),
        TEST(test_stream_fills_the_ring),
        TEST(test_borrowed_is_released_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

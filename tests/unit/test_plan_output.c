/* What the plan says besides the dispatch: baked answers, constants, the memory budget, the author's sources. */
#include "test_plan.h"

static const struct plan_constant *constant_find(const struct plan *plan, const char *name)
{
    for (size_t i = 0; i < plan->section_count; i++)
        for (size_t k = 0; k < plan->sections[i].count; k++)
            if (text_is(plan->sections[i].constants[k].name, name))
                return &plan->sections[i].constants[k];
    fail_msg("no constant %s", name);
    return NULL;
}

static void heads(void **state)
{
    (void)state;
    struct test_spec test = {0};
    struct plan *plan = test_plan_take(&test, "",
                                       "  GET /a: {text: \"hi\\n\"}\n  /b: {redirect: /a, status: 301}\n"
                                       "  GET /c: {json: '{\"a\":1}', status: 503}\n");
    assert_int_equal(plan->answer_count, 3);
    test_text_equal(plan->answers[0].heads[0].bytes,
                    "HTTP/1.1 200 OK\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\n"
                    "Content-Type: text/plain; charset=utf-8\r\nContent-Length: 3\r\n\r\n");
    test_text_equal(plan->answers[0].heads[2].bytes,
                    "HTTP/1.1 200 OK\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\n"
                    "Content-Type: text/plain; charset=utf-8\r\nContent-Length: 3\r\nConnection: keep-alive\r\n\r\n");
    test_text_equal(plan->answers[1].heads[1].bytes,
                    "HTTP/1.1 301 Moved Permanently\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\nLocation: /a\r\n"
                    "Content-Length: 0\r\nConnection: close\r\n\r\n");
    test_text_equal(plan->answers[2].heads[0].bytes,
                    "HTTP/1.1 503 Service Unavailable\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\n"
                    "Content-Type: application/json\r\nContent-Length: 7\r\n\r\n");
    for (size_t i = 0; i < plan->answer_count; i++)
        for (size_t k = 0; k < 3; k++)
            assert_memory_equal(plan->answers[i].heads[k].bytes.bytes + plan->answers[i].heads[k].date_at,
                                "Thu, 01 Jan 1970 00:00:00 GMT\r\n", 31);
    test_spec_free(&test);
}

#define H2C "listen: {port: 1, protocols: [http/1.1, h2c]}\n"
#define TLS "listen: {port: 1, protocols: [http/1.1], tls: {certificate: a, key: b}}\n"
#define DATE "\017\022\035Thu, 01 Jan 1970 00:00:00 GMT"

static void frame_equal(const struct plan_answer *answer, const char *bytes, size_t size)
{
    assert_int_equal(answer->frame.head.bytes.size, size);
    assert_memory_equal(answer->frame.head.bytes.bytes, bytes, size);
    assert_int_equal(answer->frame.ends[answer->frame.part_count - 1], size);
    assert_memory_equal(answer->frame.head.bytes.bytes + answer->frame.head.date_at, "Thu, 01 Jan 1970 00:00:00 GMT",
                        29);
}

/* The HEADERS frame of each kind of answer, byte for byte. */
static void frames(void **state)
{
    (void)state;
    struct test_spec test = {0};
    struct plan *plan =
        test_plan_take(&test, H2C,
                       "  GET /a: {text: \"hi\\n\"}\n  /b: {redirect: /a, status: 301}\n"
                       "  GET /c: {json: '{\"a\":1}', status: 503}\n  GET /d: {text: \"\", status: 404}\n");
    static const char text[] = "\0\0\101\1\4\0\0\0\0\210" DATE "\017\020\031text/plain; charset=utf-8\017\015\0013";
    static const char redirect[] = "\0\0\056\1\5\0\0\0\0\010\003301" DATE "\017\015\0010\017\037\002/a";
    static const char json[] = "\0\0\074\1\4\0\0\0\0\010\003503" DATE "\017\020\020application/json\017\015\0017";
    static const char empty[] = "\0\0\101\1\5\0\0\0\0\215" DATE "\017\020\031text/plain; charset=utf-8\017\015\0010";
    assert_int_equal(plan->answer_count, 4);
    frame_equal(&plan->answers[0], text, sizeof text - 1);
    frame_equal(&plan->answers[1], redirect, sizeof redirect - 1);
    frame_equal(&plan->answers[2], json, sizeof json - 1);
    frame_equal(&plan->answers[3], empty, sizeof empty - 1);
    plan = test_plan_take(&test, TLS, "  GET /a: {text: x}\n");
    assert_int_equal(plan->answers[0].frame.part_count, 0);
    test_spec_free(&test);
}

/* A size around the prefix of seven bits (RFC 7541 section 5.1), and the longest target. */
static void frames_of_long_values(void **state)
{
    (void)state;
    static const struct {
        size_t size;
        const char *coded;
        size_t coded_size;
    } rows[] = {{126, "\176", 1},     {127, "\177\0", 2},     {128, "\177\1", 2},
                {254, "\177\177", 2}, {255, "\177\200\1", 3}, {4096, "\177\201\037", 3}};
    struct test_spec test = {0};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *target = arena_take(&test.arena, rows[i].size);
        memset(target, 'a', rows[i].size);
        target[0] = '/';
        struct text route = arena_format(&test.arena, "  /b: {redirect: %.*s}\n", (int)rows[i].size, target);
        struct text frame = test_plan_take(&test, H2C, route.bytes)->answers[0].frame.head.bytes;
        const unsigned char *head = (const unsigned char *)frame.bytes;
        assert_int_equal(head[0] * 65536 + head[1] * 256 + head[2], frame.size - 9);
        const char *value = frame.bytes + frame.size - rows[i].size;
        assert_memory_equal(value, target, rows[i].size);
        assert_memory_equal(value - rows[i].coded_size, rows[i].coded, rows[i].coded_size);
        assert_memory_equal(value - rows[i].coded_size - 2, "\017\037", 2);
    }
    test_spec_free(&test);
}

static bool has_file(const struct plan *plan, const char *path)
{
    for (size_t i = 0; i < plan->runtime_file_count; i++)
        if (strcmp(plan->runtime_files[i], path) == 0)
            return true;
    return false;
}

static void features_check(const struct plan *plan, bool has_tls, bool has_http2)
{
    assert_int_equal(has_file(plan, "io/tls.c"), has_tls);
    assert_int_equal(has_file(plan, "io/plain.c"), !has_tls);
    assert_int_equal(has_file(plan, "http2/connection.c"), has_http2);
    assert_int_equal(has_file(plan, "http2/none.c"), !has_http2);
    test_text_equal(constant_find(plan, "HW_TLS")->value, has_tls ? "1" : "0");
    test_text_equal(constant_find(plan, "HW_HTTP2")->value, has_http2 ? "1" : "0");
    assert_int_equal(plan->library_count, has_tls + has_http2);
    if (has_tls)
        test_text_equal(plan->libraries[0].module, "openssl");
    if (has_http2)
        test_text_equal(plan->libraries[has_tls].module, "libnghttp2");
    for (size_t line = 0; line < plan->memory.count; line++) {
        const struct plan_memory_line *row = &plan->memory.lines[line];
        if (strncmp(row->text, "TLS", 3) == 0)
            assert_int_equal(row->bytes, has_tls ? 67108864 : 0);
        if (strncmp(row->text, "HTTP/2", 6) == 0)
            assert_int_equal(row->bytes != 0, has_http2);
    }
}

/* Only what the listeners need is compiled, linked and counted. */
static void features(void **state)
{
    (void)state;
    static const struct {
        const char *head;
        bool has_tls, has_http2;
    } rows[] = {{"", false, false},
                {H2C, false, true},
                {TLS, true, false},
                {"listen: {port: 1, tls: {certificate: a, key: b}}\n", true, true}};
    struct test_spec test = {0};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        features_check(test_plan_take(&test, rows[i].head, "  GET /a: {text: x}\n"), rows[i].has_tls,
                       rows[i].has_http2);
    struct plan *plan = test_plan_take(&test, TLS "tls: {min_version: 1.3, groups: P-256}\n", "  GET /a: {text: x}\n");
    test_text_equal(constant_find(plan, "HW_TLS_MIN_VERSION")->value, "0x0304");
    test_text_equal(constant_find(plan, "HW_TLS_GROUPS")->value, "\"P-256\"");
    test_text_equal(constant_find(plan, "HW_TLS_GROUPS")->comment, "tls.groups");
    test_spec_free(&test);
}

static void same_answers_are_shared(void **state)
{
    (void)state;
    struct test_spec test = {0};
    struct plan *plan = test_plan_take(&test, "",
                                       "  GET /a: {text: x}\n  GET /b: {text: x}\n  GET /c: {json: '1'}\n"
                                       "  GET /d: {text: '1'}\n  GET /e: {text: x, status: 404}\n");
    assert_int_equal(plan->answer_count, 4);
    assert_int_equal(plan->routes[0].answer, plan->routes[1].answer);
    assert_int_equal(plan->answers[0].route_count, 2);
    test_spec_free(&test);
}

static void constants(void **state)
{
    (void)state;
    struct test_spec test = {0};
    struct plan *plan =
        test_plan_take(&test, "limits: {headers: 7, body_size: 2MB, requests: off}\ntimeouts: {idle: 1m}\n",
                       "  POST /up: {handler: up, body: {mode: memory}, limits: {body_size: 5MiB}}\n");
    test_text_equal(constant_find(plan, "HW_LIMITS_HEADERS")->value, "7ull");
    test_text_equal(constant_find(plan, "HW_LIMITS_HEADERS")->comment, "limits.headers");
    test_text_equal(constant_find(plan, "HW_LIMITS_BODY_SIZE")->value, "2000000ull");
    test_text_equal(constant_find(plan, "HW_LIMITS_BODY_SIZE")->comment, "limits.body_size: 2MB");
    test_text_equal(constant_find(plan, "HW_LIMITS_REQUESTS")->comment, "limits.requests: off");
    test_text_equal(constant_find(plan, "HW_TIMEOUTS_IDLE")->value, "60000ull");
    test_text_equal(constant_find(plan, "HW_ROUTE_POST_UP_LIMITS_BODY_SIZE")->value, "5242880ull");
    test_text_equal(constant_find(plan, "HW_BODY_MEMORY_SIZE")->value, "HW_ROUTE_POST_UP_LIMITS_BODY_SIZE");
    test_text_equal(plan->routes[0].body_size, "HW_ROUTE_POST_UP_LIMITS_BODY_SIZE");
    test_text_equal(plan->routes[0].write_ms, "HW_TIMEOUTS_WRITE");
    test_spec_free(&test);
}

/* Every number of the table of keys has its constant, but `main`, which chooses a file. */
static void every_number_is_a_constant(void **state)
{
    (void)state;
    struct test_spec test = {0};
    struct plan *plan = test_plan_take(&test, "", "  GET /a: a\n");
    for (int key = 0; key < SPEC_KEY_COUNT; key++) {
        if (!spec_key_is_number((enum spec_key)key) || key == KEY_MAIN)
            continue;
        struct text name = arena_format(&test.arena, "HW_%s", spec_key_row((enum spec_key)key)->id);
        assert_non_null(constant_find(plan, name.bytes));
    }
    test_spec_free(&test);
}

static void budget(void **state)
{
    (void)state;
    struct test_spec test = {0};
    struct plan *plan = test_plan_take(&test, "buffers: {bodies: 4}\nthreads: {io: 2}\n", "  GET /a: a\n");
    uint64_t without = plan->memory.sum;
    uint64_t sum = 0;
    for (size_t i = 0; i < plan->memory.count; i++)
        sum += plan->memory.lines[i].bytes;
    assert_int_equal(sum, without);
    plan = test_plan_take(&test, "buffers: {bodies: 4}\nthreads: {io: 2}\n",
                          "  POST /a: {handler: a, body: {mode: memory}, limits: {body_size: 1MiB}}\n");
    /* A slot has room for the body and the NUL behind it, in whole pages. */
    assert_int_equal(plan->memory.sum, without + 4 * ((1 << 20) + 4096));
    test_spec_free(&test);
}

static void budget_above_the_limit(void **state)
{
    (void)state;
    struct test_spec test = {0};
    struct spec_model *model = test_spec_take(&test, TEST_SPEC_HEAD "limits: {memory_size: 8MiB}\n"
                                                                    "buffers: {count: 10000}\nroutes: {GET /a: a}\n");
    assert_null(plan_make(&test.arena, model, &test.diagnostics));
    assert_int_equal(test.diagnostics.count, 1);
    const struct diagnostic *diagnostic = test.diagnostics.list;
    assert_int_equal(diagnostic->code, DIAGNOSTIC_MEMORY_OVER);
    assert_int_equal(diagnostic->place.line, 3);
    assert_int_equal(diagnostic->second.line, 4);

    model = test_spec_take(&test, TEST_SPEC_HEAD "buffers: {count: 1000000}\nroutes: {GET /a: a}\n");
    assert_null(plan_make(&test.arena, model, &test.diagnostics));
    assert_int_equal(test.diagnostics.list->place.line, 3);
    assert_int_equal(test.diagnostics.list->second.line, 0);
    test_spec_free(&test);
}

static void sizes_for_people(void **state)
{
    (void)state;
    struct arena arena = {0};
    test_text_equal(plan_size_format(&arena, 1023), "1023 bytes");
    test_text_equal(plan_size_format(&arena, 1024), "1 KiB");
    test_text_equal(plan_size_format(&arena, 1025), "1.1 KiB");
    test_text_equal(plan_size_format(&arena, 3 << 19), "1.5 MiB");
    test_text_equal(plan_size_format(&arena, UINT64_MAX), "16384 PiB");
    arena_free(&arena);
}

static void sources(void **state)
{
    (void)state;
    struct test_spec test = {0};
    struct plan *plan = test_plan_take(&test, "sources: [a.c, src/a.c, ../lib/x-y.c, lib/x-y.c]\n", "  GET /a: a\n");
    static const char *const expected[][2] = {
        {"a", "app/a.c"}, {"a_2", "app/src/a.c"}, {"x_y", "app/lib/x-y.c"}, {"x_y_2", "app/2/lib/x-y.c"}};
    assert_int_equal(plan->source_count, 4);
    for (size_t i = 0; i < plan->source_count; i++) {
        test_text_equal(plan->sources[i].object, expected[i][0]);
        test_text_equal(plan->sources[i].vendored, expected[i][1]);
        assert_false(plan->sources[i].is_scaffold);
    }
    plan = test_plan_take(&test, "", "  GET /a: a\n");
    assert_int_equal(plan->source_count, 1);
    assert_true(plan->sources[0].is_scaffold);
    assert_int_equal(test_plan_take(&test, "", "  GET /a: {text: x}\n")->source_count, 0);
    assert_int_equal(test_plan_take(&test, "sources: []\n", "  GET /a: a\n")->source_count, 0);
    test_spec_free(&test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heads),
        cmocka_unit_test(frames),
        cmocka_unit_test(frames_of_long_values),
        cmocka_unit_test(features),
        cmocka_unit_test(same_answers_are_shared),
        cmocka_unit_test(constants),
        cmocka_unit_test(every_number_is_a_constant),
        cmocka_unit_test(budget),
        cmocka_unit_test(budget_above_the_limit),
        cmocka_unit_test(sizes_for_people),
        cmocka_unit_test(sources),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

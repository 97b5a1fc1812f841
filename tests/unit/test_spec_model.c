/* From a whole spec to its model: every kind of key, the defaults, inheritance. What is refused has its cases in
 * diagnostics/. */
#include "test_spec.h"

#define HW_PREFIX test
#include <hardwire/hardwire.h>

#include "spec/listen.h"

static const struct spec_route *route_find(const struct spec_model *model, const char *written)
{
    for (size_t i = 0; i < model->route_count; i++)
        if (text_is(model->routes[i].pattern.written, written))
            return &model->routes[i];
    fail_msg("no route %s", written);
    return NULL;
}

static void defaults(void **state)
{
    (void)state;
    struct test_spec test = {0};
    struct spec_model *model = test_spec_take(&test, "hardwire: 1\nname: shop\nroutes:\n  GET /a: a\n");
    test_text_equal(model->file, "dir/demo.yaml");
    test_text_equal(model->base, "demo.yaml");
    test_text_equal(model->name, "shop");
    assert_int_equal(model->name_place.line, 2);
    assert_int_equal(model->name_place.column, 7);
    assert_false(model->has_sources);
    assert_int_equal(model->listener_count, 1);
    test_text_equal(model->listeners[0].address, "0.0.0.0");
    assert_int_equal(model->listeners[0].port, 8080);
    assert_int_equal(model->listeners[0].place.line, 0);
    for (int key = 0; key < SPEC_KEY_COUNT; key++) {
        const struct spec_number *number = &model->numbers[key];
        const struct spec_key_row *row = spec_key_row((enum spec_key)key);
        assert_false(number->is_set);
        test_text_equal(number->written, row->standard);
        if (!spec_key_is_number((enum spec_key)key) || row->type == SPEC_COUNT_OR_OFF)
            continue;
        assert_true(number->value >= row->minimum && number->value <= row->maximum);
        assert_true(strlen(row->text) > 10);
    }
    assert_int_equal(model->numbers[KEY_BUFFERS_SIZE].value, 16384);
    assert_int_equal(model->numbers[KEY_TIMEOUTS_HEADER].value, 10000);
    assert_int_equal(model->numbers[KEY_LIMITS_REQUESTS].value, 0);
    assert_int_equal(model->numbers[KEY_MAIN].value, 1);
    assert_int_equal(model->numbers[KEY_LOG_LEVEL].value, 2);
    assert_string_equal(spec_key_row(KEY_LIMITS_BODY_SIZE)->id, "LIMITS_BODY_SIZE");
    assert_true(spec_key_row(KEY_LIMITS_BODY_SIZE)->on_route);
    assert_true(spec_key_row(KEY_LIMITS_BODY_SIZE)->on_server);
    assert_false(spec_key_row(KEY_LIMITS_HEADERS)->on_route);
    test_spec_free(&test);
}

static void everything(void **state)
{
    (void)state;
    struct test_spec test = {0};
    struct spec_model *model = test_spec_take(
        &test, "hardwire: 1\nname: shop\nmain: false\nsources: [shop.c, ../lib/x-1.c]\n"
               "threads: {io: 4, workers: 32}\nbuffers: {size: 32KiB}\nlimits: {requests: 10, body_size: 1MiB}\n"
               "timeouts: {idle: 1m30s}\nsocket: {nodelay: false}\nlog: {level: debug}\nroutes:\n"
               "  GET /t: {text: \"x\\0y\", status: 404, description: 'why'}\n"
               "  GET /j: {json: ' {\"a\": 1} '}\n"
               "  /r: {redirect: /t}\n"
               "  /s: {redirect: 'https://example.com/?a=b#c', status: 301}\n"
               "  POST /h:\n    handler: on_post\n    run: worker\n    body: {mode: memory}\n"
               "    limits: {body_size: 10MB}\n    timeouts: {handler: 5s}\n"
               "  GET /short: short_one\n");
    assert_int_equal(model->numbers[KEY_MAIN].value, 0);
    assert_true(model->has_sources);
    assert_int_equal(model->source_count, 2);
    test_text_equal(model->sources[1].path, "../lib/x-1.c");
    assert_int_equal(model->numbers[KEY_TIMEOUTS_IDLE].value, 90000);
    test_text_equal(model->numbers[KEY_TIMEOUTS_IDLE].written, "1m30s");
    assert_int_equal(model->numbers[KEY_TIMEOUTS_IDLE].place.line, 8);
    assert_int_equal(model->numbers[KEY_LIMITS_REQUESTS].value, 10);
    assert_int_equal(model->numbers[KEY_LOG_LEVEL].value, 3);
    assert_int_equal(model->route_count, 6);
    const struct spec_route *route = &model->routes[0];
    assert_int_equal(route->answer, SPEC_ANSWER_TEXT);
    assert_true(text_is_equal(route->content, (struct text){"x\0y", 3}));
    assert_int_equal(route->status, 404);
    test_text_equal(route->description, "why");
    assert_null(route->numbers);
    assert_int_equal(model->routes[1].answer, SPEC_ANSWER_JSON);
    test_text_equal(model->routes[1].content, " {\"a\": 1} ");
    assert_int_equal(model->routes[1].status, 200);
    assert_int_equal(model->routes[2].status, 308);
    assert_int_equal(model->routes[2].pattern.method, SPEC_METHOD_ANY);
    assert_int_equal(model->routes[3].status, 301);
    route = &model->routes[4];
    assert_int_equal(route->answer, SPEC_ANSWER_HANDLER);
    test_text_equal(route->content, "on_post");
    assert_int_equal(route->content_place.line, 17);
    assert_int_equal(route->body_mode, SPEC_BODY_MEMORY);
    assert_true(route->worker);
    assert_int_equal(spec_route_number(model, route, KEY_LIMITS_BODY_SIZE)->value, 10000000);
    assert_int_equal(spec_route_number(model, route, KEY_TIMEOUTS_HANDLER)->value, 5000);
    assert_int_equal(spec_route_number(model, route, KEY_TIMEOUTS_WRITE)->value, 30000);
    assert_int_equal(spec_route_number(model, &model->routes[5], KEY_LIMITS_BODY_SIZE)->value, 1048576);
    assert_int_equal(model->routes[5].answer, SPEC_ANSWER_HANDLER);
    assert_int_equal(model->routes[5].status, 200);
    test_spec_free(&test);
}

static void params(void **state)
{
    (void)state;
    struct test_spec test = {0};
    struct spec_model *model =
        test_spec_take(&test, TEST_SPEC_HEAD
                       "routes:\n"
                       "  GET /{a}/{b}/{c}/{d}/{e}/{rest...}:\n    handler: h\n    params:\n"
                       "      e: i64\n      b: {type: u32, min: 1}\n      c: {type: i32, max: -5, min: -2147483648}\n"
                       "      d: {type: u64, max: 18446744073709551615, min: 18446744073709551615}\n"
                       "      a: text\n"
                       "  GET /baked/{x}: {text: hi}\n");
    const struct spec_param *list = model->routes[0].params;
    assert_int_equal(model->routes[0].param_count, 6);
    test_text_equal(list[0].name, "a");
    assert_int_equal(list[0].type, SPEC_PARAM_TEXT);
    assert_int_equal(list[1].type, SPEC_PARAM_U32);
    assert_int_equal(list[1].min_u, 1);
    assert_int_equal(list[1].max_u, UINT32_MAX);
    assert_int_equal(list[2].type, SPEC_PARAM_I32);
    assert_int_equal(list[2].min_i, INT32_MIN);
    assert_int_equal(list[2].max_i, -5);
    assert_int_equal(list[3].min_u, UINT64_MAX);
    assert_int_equal(list[4].type, SPEC_PARAM_I64);
    assert_true(list[4].min_i == INT64_MIN && list[4].max_i == INT64_MAX);
    test_text_equal(list[5].name, "rest");
    assert_int_equal(model->routes[1].param_count, 1);
    static const char *const wrong[] = {"-2147483649", "-0", "--1", "+1", "1.0", "-", "2147483648", "007"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct buffer source = {0};
        buffer_format(&source,
                      TEST_SPEC_HEAD "routes:\n  GET /{a}: {handler: h, params: {a: {type: i32, min: '%s'}}}\n",
                      wrong[i]);
        test_spec_refuse(&test, source.bytes, 1, "[HW3019]");
        buffer_free(&source);
    }
    test_spec_free(&test);
}

static void groups(void **state)
{
    (void)state;
    struct test_spec test = {0};
    struct spec_model *model = test_spec_take(
        &test, TEST_SPEC_HEAD "threads: {workers: 1}\nroutes:\n"
                              "  /admin/{org}/:\n"
                              "    limits: {body_size: 1KiB}\n    run: worker\n    body: {mode: memory}\n"
                              "    params: {org: {type: u32, max: 9}}\n"
                              "    routes:\n"
                              "      POST /admin/{org}/put: put\n"
                              "      GET /admin/{org}/text: {text: fixed}\n"
                              "      /admin/{org}/deep:\n"
                              "        timeouts: {write: 1s}\n        run: io\n"
                              "        routes:\n"
                              "          GET /admin/{org}/deep: {handler: deep, limits: {body_size: 2KiB}}\n"
                              "          GET /admin/{org}/deep/{id}: {handler: deeper, params: {id: u64, org: u32}}\n"
                              "  POST /put: put2\n");
    const struct spec_route *put = route_find(model, "POST /admin/{org}/put");
    assert_int_equal(model->route_count, 5);
    assert_true(put->worker);
    assert_int_equal(put->body_mode, SPEC_BODY_MEMORY);
    assert_int_equal(put->params[0].type, SPEC_PARAM_U32);
    assert_int_equal(put->params[0].max_u, 9);
    assert_int_equal(spec_route_number(model, put, KEY_LIMITS_BODY_SIZE)->value, 1024);
    assert_false(put->numbers[KEY_TIMEOUTS_WRITE].is_set);
    const struct spec_route *fixed = route_find(model, "GET /admin/{org}/text");
    assert_false(fixed->worker);
    assert_int_equal(fixed->body_mode, SPEC_BODY_DISCARD);
    assert_int_equal(fixed->params[0].type, SPEC_PARAM_TEXT);
    assert_ptr_equal(fixed->numbers, put->numbers);
    const struct spec_route *deep = route_find(model, "GET /admin/{org}/deep");
    assert_false(deep->worker);
    assert_int_equal(spec_route_number(model, deep, KEY_LIMITS_BODY_SIZE)->value, 2048);
    assert_int_equal(spec_route_number(model, deep, KEY_TIMEOUTS_WRITE)->value, 1000);
    const struct spec_route *deeper = route_find(model, "GET /admin/{org}/deep/{id}");
    assert_int_equal(spec_route_number(model, deeper, KEY_LIMITS_BODY_SIZE)->value, 1024);
    assert_int_equal(deeper->params[0].max_u, UINT32_MAX);
    assert_int_equal(deeper->params[1].type, SPEC_PARAM_U64);
    assert_null(route_find(model, "POST /put")->numbers);
    test_spec_take(&test, TEST_SPEC_HEAD "routes:\n  a.com/:\n    routes:\n      GET A.com/x: x\n"
                                         "  /:\n    routes:\n      GET b.com/y: y\n      GET /{$}: z\n");
    test_spec_free(&test);
}

static void handlers_may_be_shared(void **state)
{
    (void)state;
    struct test_spec test = {0};
    test_spec_take(&test, TEST_SPEC_HEAD "routes:\n"
                                         "  GET /a/{x}/{y}: {handler: h, params: {x: u32}}\n"
                                         "  GET /b/{y}/{x}: {handler: h, params: {x: {type: u32, min: 4}}}\n"
                                         "  POST /c: {handler: g, body: {mode: memory}}\n"
                                         "  PUT /c: {handler: g, body: {mode: discard}}\n");
    test_spec_free(&test);
}

struct listen_row {
    const char *value;
    enum spec_listener_kind kind;
    const char *address;
    uint16_t port;
};

static void listeners(void **state)
{
    (void)state;
    static const struct listen_row rows[] = {
        {"8080", SPEC_LISTEN_IPV4, "0.0.0.0", 8080},
        {"0", SPEC_LISTEN_IPV4, "0.0.0.0", 0},
        {"127.0.0.1:65535", SPEC_LISTEN_IPV4, "127.0.0.1", 65535},
        {"localhost:80", SPEC_LISTEN_IPV4, "127.0.0.1", 80},
        {"\"[::1]:80\"", SPEC_LISTEN_IPV6, "::1", 80},
        {"\"[0:0:0:0:0:0:0:0]:80\"", SPEC_LISTEN_IPV6, "::", 80},
        {"\"[2001:DB8::0:1]:80\"", SPEC_LISTEN_IPV6, "2001:db8::1", 80},
        {"unix:/run/x.sock", SPEC_LISTEN_UNIX, "/run/x.sock", 0},
        {"{port: 1}", SPEC_LISTEN_IPV4, "0.0.0.0", 1},
        {"{port: 1, address: \"::\", protocols: [http/1.1]}", SPEC_LISTEN_IPV6, "::", 1},
        {"{unix: x.sock}", SPEC_LISTEN_UNIX, "x.sock", 0},
    };
    struct test_spec test = {0};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct buffer source = {0};
        buffer_format(&source, TEST_SPEC_HEAD "listen: %s\nroutes:\n  GET /a: a\n", rows[i].value);
        struct spec_model *model = test_spec_take(&test, source.bytes);
        assert_int_equal(model->listener_count, 1);
        assert_int_equal(model->listeners[0].kind, rows[i].kind);
        test_text_equal(model->listeners[0].address, rows[i].address);
        assert_int_equal(model->listeners[0].port, rows[i].port);
        assert_int_equal(model->listeners[0].address_env.size + model->listeners[0].port_env.size, 0);
        buffer_free(&source);
    }
    struct spec_model *model =
        test_spec_take(&test, TEST_SPEC_HEAD
                       "listen:\n  - {port: {env: PORT, default: 80}, address: {env: HOST_1, default: localhost}}\n"
                       "  - {port: {env: PORT_2, default: 80}}\n  - 81\n  - \"[::]:81\"\n  - 0\n  - 0\n"
                       "routes:\n  GET /a: a\n");
    assert_int_equal(model->listener_count, 6);
    test_text_equal(model->listeners[0].port_env, "PORT");
    test_text_equal(model->listeners[0].address_env, "HOST_1");
    test_text_equal(model->listeners[0].address, "127.0.0.1");
    assert_int_equal(model->listeners[0].port, 80);
    test_spec_free(&test);
}

static void listeners_of_tls(void **state)
{
    (void)state;
    struct test_spec test = {0};
    struct spec_model *model = test_spec_take(
        &test, TEST_SPEC_HEAD
        "listen:\n  - 1\n  - {port: 2, protocols: [h2c]}\n  - {unix: a.sock, protocols: [http/1.1, h2c]}\n"
        "  - {port: 3, tls: {certificate: {env: CERT, default: a.pem}, key: a.key}}\n"
        "  - port: 4\n    protocols: [http/1.1]\n    tls:\n      pkcs12: b.p12\n      password_env: WORD\n"
        "      ocsp: b.der\n      client_auth: want\n      client_ca: {env: CA, default: ca.pem}\n"
        "      others: [{certificate: c.pem, key: c.key}, {pkcs12: d.p12}]\n"
        "  - {port: 5, protocols: [h2], tls: {certificate: a.pem, key: a.pem, client_auth: none}}\n"
        "routes:\n  GET /a: a\n");
    static const uint8_t protocols[] = {
        SPEC_PROTOCOL_HTTP1,
        SPEC_PROTOCOL_HTTP2,
        SPEC_PROTOCOL_HTTP1 | SPEC_PROTOCOL_HTTP2,
        SPEC_PROTOCOL_HTTP1 | SPEC_PROTOCOL_HTTP2,
        SPEC_PROTOCOL_HTTP1,
        SPEC_PROTOCOL_HTTP2,
    };
    assert_int_equal(model->listener_count, 6);
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(model->listeners[i].protocols, protocols[i]);
        assert_int_equal(model->listeners[i].tls != NULL, i >= 3);
    }
    const struct spec_tls *tls = model->listeners[3].tls;
    assert_int_equal(tls->identity_count, 1);
    assert_int_equal(tls->client_auth, SPEC_CLIENT_AUTH_NONE);
    test_text_equal(tls->identities[0].certificate.text, "a.pem");
    test_text_equal(tls->identities[0].certificate.variable, "CERT");
    test_text_equal(tls->identities[0].key.text, "a.key");
    test_text_equal(tls->identities[0].key.variable, "");
    test_text_equal(tls->identities[0].pkcs12.text, "");
    test_text_equal(tls->identities[0].password_env, "");
    tls = model->listeners[4].tls;
    assert_int_equal(tls->identity_count, 3);
    assert_int_equal(tls->client_auth, SPEC_CLIENT_AUTH_WANT);
    test_text_equal(tls->client_ca.text, "ca.pem");
    test_text_equal(tls->client_ca.variable, "CA");
    test_text_equal(tls->identities[0].pkcs12.text, "b.p12");
    test_text_equal(tls->identities[0].password_env, "WORD");
    test_text_equal(tls->identities[0].ocsp.text, "b.der");
    test_text_equal(tls->identities[1].key.text, "c.key");
    test_text_equal(tls->identities[2].pkcs12.text, "d.p12");
    assert_true(spec_has_tls(model) && spec_has_protocol(model, SPEC_PROTOCOL_HTTP2));
    model = test_spec_take(&test, TEST_SPEC_HEAD "routes:\n  GET /a: a\n");
    assert_false(spec_has_tls(model) || spec_has_protocol(model, SPEC_PROTOCOL_HTTP2));
    assert_true(spec_has_protocol(model, SPEC_PROTOCOL_HTTP1));
    test_spec_free(&test);
}

/* As many certificates as a listener may have, and one more. */
static void certificates_are_counted(void **state)
{
    (void)state;
    struct test_spec test = {0};
    for (size_t others = 63; others <= 64; others++) {
        struct buffer source = {0};
        buffer_add(&source, TEXT(TEST_SPEC_HEAD "listen: {port: 1, tls: {pkcs12: a, others: ["));
        for (size_t i = 0; i < others; i++)
            buffer_add(&source, TEXT("{pkcs12: b},"));
        buffer_add(&source, TEXT("]}}\nroutes:\n  GET /a: a\n"));
        if (others == 63)
            assert_int_equal(test_spec_take(&test, source.bytes)->listeners[0].tls->identity_count, 64);
        else
            test_spec_refuse(&test, source.bytes, 1, "64 other certificates [HW2010]");
        buffer_free(&source);
    }
    test_spec_free(&test);
}

/* One mistake gives one message, wherever it leads. */
static void no_cascades(void **state)
{
    (void)state;
    struct test_spec test = {0};
    /* The listener that was refused may be the one that uses the keys. */
    test_spec_refuse(&test,
                     TEST_SPEC_HEAD "listen: {port: 1, tls: {certificate: a, key: b, hsts: 1}}\ntls: {sessions: 1}\n"
                                    "http2: {streams: 1}\nroutes:\n  GET /a: a\n",
                     1, "HW2001");
    test_spec_refuse(&test, TEST_SPEC_HEAD "threads: {workers: x}\nroutes:\n  GET /a: {handler: a, run: worker}\n", 1,
                     "HW2007");
    test_spec_refuse(&test, TEST_SPEC_HEAD "buffers: {size: 1}\nroutes:\n  GET /a: a\n", 1, "HW2008");
    test_spec_refuse(&test, TEST_SPEC_HEAD "routes:\n  GET /a: *x\n", 1, "HW1010");
    test_spec_refuse(&test, TEST_SPEC_HEAD "routes: !x {}\n", 1, "HW1012");
    test_spec_refuse(&test, TEST_SPEC_HEAD "routes:\n  GTE /a/{id}: {handler: h, params: {id: u32}}\n", 1, "HW3001");
    test_spec_refuse(&test, TEST_SPEC_HEAD "routes:\n  GTE /a/:\n    routes:\n      GET /a/b: b\n", 1, "HW3001");
    test_spec_refuse(&test, TEST_SPEC_HEAD "routes:\n  GET /a: {handlr: a}\n", 1, "HW2001");
    test_spec_refuse(&test, TEST_SPEC_HEAD "routes:\n  GET /a/{id}: {handler: int}\n  GET /b: {handler: int}\n", 2,
                     "HW3014");
    test_spec_refuse(&test, "hardwire: 1\nname: 1\nroutes:\n  GET /a: demo_x\n", 1, "HW2013");
    test_spec_refuse(&test, "- a\n- b\n", 1, "HW2006");
    test_spec_refuse(&test, "text\n", 1, "HW2006");
    test_spec_refuse(&test, "~\n", 1, "HW2005");
    test_spec_free(&test);
}

static void methods(void **state)
{
    (void)state;
    assert_string_equal(spec_method_name(HW_METHOD_GET), "GET");
    assert_string_equal(spec_method_name(HW_METHOD_UNLINK), "UNLINK");
    assert_string_equal(spec_method_name(SPEC_METHOD_ANY), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),
        cmocka_unit_test(everything),
        cmocka_unit_test(params),
        cmocka_unit_test(groups),
        cmocka_unit_test(handlers_may_be_shared),
        cmocka_unit_test(listeners),
        cmocka_unit_test(listeners_of_tls),
        cmocka_unit_test(certificates_are_counted),
        cmocka_unit_test(no_cascades),
        cmocka_unit_test(methods),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

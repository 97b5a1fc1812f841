/* "Did you mean". */
#include "test_spec.h"

#include "spec/keys.h"
#include "spec/suggest.h"

static void distances(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        size_t distance;
    } rows[] = {
        {"", "", 0},       {"a", "", 1},      {"abc", "abc", 0},    {"abc", "ABC", 0},        {"abc", "acb", 1},
        {"abc", "abd", 1}, {"abc", "ab", 1},  {"abc", "abcd", 1},   {"abc", "cab", 2},        {"abcd", "badc", 2},
        {"GTE", "GET", 1}, {"abc", "xyz", 3}, {"abc", "abcdef", 3}, {"kitten", "sitting", 3},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(suggestion_distance(text_of(rows[i].a), text_of(rows[i].b)), rows[i].distance);
        assert_int_equal(suggestion_distance(text_of(rows[i].b), text_of(rows[i].a)), rows[i].distance);
    }
}

static void keys(void **state)
{
    (void)state;
    test_text_equal(key_suggest(TEXT(""), TEXT("limts"), false), "limits");
    test_text_equal(key_suggest(TEXT(""), TEXT("timeout"), false), "timeouts");
    test_text_equal(key_suggest(TEXT(""), TEXT("x"), false), "");
    test_text_equal(key_suggest(TEXT(""), TEXT("include"), false), "");
    test_text_equal(key_suggest(TEXT("threads"), TEXT("worker"), false), "workers");
    test_text_equal(key_suggest(TEXT("limits"), TEXT("header"), false), "headers");
    test_text_equal(key_suggest(TEXT("limits"), TEXT("bodysize"), true), "body_size");
    test_text_equal(key_suggest(TEXT("limits"), TEXT("header"), true), "");
    assert_int_equal(key_find(TEXT("limits"), TEXT("headers")), KEY_LIMITS_HEADERS);
    assert_int_equal(key_find(TEXT(""), TEXT("limits")), KEY_LIMITS);
    assert_int_equal(key_find(TEXT(""), TEXT("limits.headers")), SPEC_KEY_COUNT);
    assert_int_equal(key_find(TEXT("limit"), TEXT("headers")), SPEC_KEY_COUNT);
    assert_int_equal(key_find(TEXT("limits"), TEXT("")), SPEC_KEY_COUNT);
    assert_int_equal(key_find_elsewhere(TEXT(""), TEXT("backlog")), KEY_SOCKET_BACKLOG);
    assert_int_equal(key_find_elsewhere(TEXT("socket"), TEXT("backlog")), SPEC_KEY_COUNT);
    assert_true(key_is_planned(TEXT("websocket")));
    assert_false(key_is_planned(TEXT("")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(distances), cmocka_unit_test(keys)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Strict JSON. */
#include "test_spec.h"

#include "spec/json.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static void valid(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "{}",
        "[]",
        "0",
        "-0",
        "1.5e-10",
        "1E+2",
        "true",
        "false",
        "null",
        "\"\"",
        " \t\r\n1 \n",
        "{\"a\":1}",
        "{\"a\":{\"b\":[1,2,{\"c\":null}]},\"d\":\"e\"}",
        "[[],[[]],{}]",
        "\"\\u00e9\\\\\\/\\b\\f\\n\\r\\t\\\"\"",
        "\"na\xC3\xAFve\"",
        "\"\\ud800\"",
        "[1 , 2]",
        "{ \"a\" : 1 }",
    };
    size_t offset;
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        if (json_problem(text_of(texts[i]), &offset) != NULL)
            fail_msg("%s: %s at %zu", texts[i], json_problem(text_of(texts[i]), &offset), offset);
}

static void invalid(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t offset;
    } rows[] = {
        {"", 0},
        {" ", 1},
        {"{", 1},
        {"[", 1},
        {"}", 0},
        {"]", 0},
        {"[1,]", 3},
        {"{\"a\":1,}", 7},
        {"[1 2]", 3},
        {"{a:1}", 1},
        {"{'a':1}", 1},
        {"{\"a\" 1}", 5},
        {"{\"a\":}", 5},
        {"{\"a\"}", 4},
        {"01", 1},
        {"-", 1},
        {"+1", 0},
        {".5", 0},
        {"1.", 2},
        {"1e", 2},
        {"0x1", 1},
        {"NaN", 0},
        {"Infinity", 0},
        {"tru", 0},
        {"True", 0},
        {"\"abc", 4},
        {"\"\\x\"", 2},
        {"\"\\u12g4\"", 5},
        {"\"a\nb\"", 2},
        {"\"\t\"", 1},
        {"1 2", 2},
        {"{} {}", 3},
        {"[1}", 2},
        {"{\"a\":1]", 6},
        {"// c\n1", 0},
        {"\"\xFF\"", 0},
        {"\xEF\xBB\xBF{}", 0},
        {"{\"a\":1,,\"b\":2}", 7},
        {"[,1]", 1},
    };
    size_t offset;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        if (json_problem(text_of(rows[i].text), &offset) == NULL)
            fail_msg("taken: %s", rows[i].text);
        if (offset != rows[i].offset)
            fail_msg("%s: at %zu instead of %zu", rows[i].text, offset, rows[i].offset);
    }
    assert_non_null(json_problem((struct text){"1\0", 2}, &offset));
    assert_non_null(json_problem((struct text){"\"\\\0\"", 4}, &offset));
}

static void depth(void **state)
{
    (void)state;
    struct buffer text = {0};
    for (int deep = JSON_DEPTH_MAX; deep <= JSON_DEPTH_MAX + 1; deep++) {
        size_t offset;
        text.size = 0;
        for (int i = 0; i < deep; i++)
            buffer_add(&text, TEXT("[1,"));
        buffer_add(&text, TEXT("1"));
        for (int i = 0; i < deep; i++)
            buffer_add_char(&text, ']');
        assert_int_equal(json_problem(buffer_text(&text), &offset) == NULL, deep == JSON_DEPTH_MAX);
    }
    buffer_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(valid), cmocka_unit_test(invalid), cmocka_unit_test(depth)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The located tree: texts byte for byte, and where they stand. */
#include "test_spec.h"

#include "spec/yaml.h"

struct reading {
    struct arena arena;
    struct diagnostics diagnostics;
};

static struct yaml_node *read_bytes(struct reading *reading, struct text source)
{
    reading->diagnostics = (struct diagnostics){.arena = &reading->arena, .file = TEXT("t"), .source = source};
    return yaml_read(&reading->arena, &reading->diagnostics);
}

static struct yaml_node *read_text(struct reading *reading, const char *source)
{
    struct yaml_node *root = read_bytes(reading, text_of(source));
    if (reading->diagnostics.count != 0)
        fail_msg("%s: %.*s", source, TEXT_ARGS(reading->diagnostics.list->message));
    assert_non_null(root);
    return root;
}

static void place_is(struct spec_place place, uint32_t line, uint32_t column, uint32_t offset, uint32_t size)
{
    assert_int_equal(place.line, line);
    assert_int_equal(place.column, column);
    assert_int_equal(place.offset, offset);
    assert_int_equal(place.size, size);
}

/* The value of the key "a" is this text. */
static void gives(const char *source, const char *expected, size_t size)
{
    struct reading reading = {0};
    struct yaml_node *root = read_text(&reading, source);
    assert_int_equal(root->kind, YAML_MAPPING);
    test_text_equal(root->first->key, "a");
    assert_int_equal(root->first->kind, YAML_SCALAR);
    if (!text_is_equal(root->first->text, (struct text){expected, size}))
        fail_msg("%s gives \"%.*s\"", source, TEXT_ARGS(root->first->text));
    assert_int_equal(root->first->text.bytes[size], '\0');
    arena_free(&reading.arena);
}

#define GIVES(source, expected) gives(source, expected, sizeof(expected) - 1)

static void scalars_are_exact(void **state)
{
    (void)state;
    GIVES("a: plain text # comment\n", "plain text");
    GIVES("a: 100\t# note\n", "100");
    GIVES("a: no\n", "no");
    GIVES("a: x#y\n", "x#y");
    GIVES("a: http://x:80/\n", "http://x:80/");
    GIVES("a: one\n two\n\n three\n", "one two\nthree");
    GIVES("a: \"\"\n", "");
    GIVES("a: \"\\0007 \\x0712\"\n", "\0"
                                     "007 \x07"
                                     "12");
    GIVES("a: \"line1\\nline2\\r\\nline3\"\n", "line1\nline2\r\nline3");
    GIVES("a: \"\\ud83d\\ude00 \\xe9 \\u00e9\"\n", "\xF0\x9F\x98\x80 \xC3\xA9 \xC3\xA9");
    GIVES("a: \"x  \n   y\\\n   z\"\n", "x yz");
    GIVES("a: 'it''s'\n", "it's");
    GIVES("a: 'x''''''''''''''''''''''''''''''''''''''''''''''''''''''''''''y'\n", "x''''''''''''''''''''''''''''''y");
    GIVES("a: 'a\\b\\\\c\"d\\'\n", "a\\b\\\\c\"d\\");
    GIVES("a: '{{ name }} {% x %} ${X}'\n", "{{ name }} {% x %} ${X}");
    GIVES("a: |\n  x\n   y\n\n  z\n\n\n", "x\n y\n\nz\n");
    GIVES("a: |-\n  x\n  y\n", "x\ny");
    GIVES("a: |+\n  x\n\n", "x\n\n");
    GIVES("a: |2\n    x\n", "  x\n");
    GIVES("a: >-\n  one\n  two\n\n  three\n", "one two\nthree");
    GIVES("a: >\n  p\n    q\n  r\n", "p\n  q\nr\n");
    GIVES("a: |\r\n  x\r\n  y\r\n", "x\ny\n");
    GIVES("a: \"x\r\n  y\"\r\n", "x y");
    GIVES("a: na\xC3\xAFve \xE2\x9C\x93\n", "na\xC3\xAFve \xE2\x9C\x93");
    GIVES("a: x\xE2\x80\xA8y\n", "x\xE2\x80\xA8y");
    GIVES("\xEF\xBB\xBF"
          "a: x\n",
          "x");
    GIVES("%YAML 1.2\n---\na: x\n", "x");
    GIVES("a: x", "x");
}

/* What libfyaml 0.7.12 gets wrong, and what is near to it. */
static void scalars_of_our_own(void **state)
{
    (void)state;
    GIVES("a: 'x''''y'\n", "x''y");
    GIVES("a: ''''\n", "'");
    GIVES("a: '''x'' ''y'''\n", "'x' 'y'");
    GIVES("a: ' x \n\n  \t y \n  '\n", " x\ny ");
    GIVES("a: \"\\\\ \\\n   \\\\ \\\n  x\"\n", "\\ \\ x");
    GIVES("a: \"\\ \n\n  \\\"x\"\n", " \n\"x");
    GIVES("a: \"x\\t \n  \\t y\"\n", "x\t \t y");
    GIVES("a: \"x\\\n\n\n  y\"\n", "x\n\ny");
    GIVES("a: \"\\0\\a\\b\\t\\n\\v\\f\\r\\e\\ \\\"\\/\\\\\\N\\_\\L\\P\\U0001F600\"\n",
          "\0\a\b\t\n\v\f\r\033 \"/\\\xC2\x85\xC2\xA0\xE2\x80\xA8\xE2\x80\xA9\xF0\x9F\x98\x80");
    GIVES("a: >\n  x\n\n   y\n  z\n", "x\n\n y\nz\n");
    GIVES("a: >-\n   x\n\n\n    y\n\n   z\n   w\n\n\n", "x\n\n\n y\n\nz w");
    GIVES("a: >+\n\n  x\r\n  y\n\n", "\nx y\n\n");
    GIVES("a: >\n   \n", "");
}

static void escapes_of_no_character(void **state)
{
    (void)state;
    static const char *const sources[] = {"a: \"\\ud800\"\n", "a: \"\\ud800\\u0041\"\n", "a: \"\\udc00\"\n",
                                          "a: \"\\U00110000\"\n", "a: \"\\UFFFFFFFF\"\n"};
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
        struct reading reading = {0};
        read_bytes(&reading, text_of(sources[i]));
        assert_int_equal(reading.diagnostics.count, 1);
        assert_int_equal(reading.diagnostics.list->code, DIAGNOSTIC_SYNTAX);
        assert_int_equal(reading.diagnostics.list->place.line, 1);
        arena_free(&reading.arena);
    }
}

static void long_scalars(void **state)
{
    (void)state;
    struct buffer source = {0};
    buffer_add(&source, TEXT("a: '"));
    for (int i = 0; i < 70000; i++)
        buffer_add_char(&source, 'L');
    buffer_add(&source, TEXT("'\n"));
    struct reading reading = {0};
    assert_int_equal(read_bytes(&reading, buffer_text(&source))->first->text.size, 70000);
    arena_free(&reading.arena);
    buffer_free(&source);
}

static void places(void **state)
{
    (void)state;
    struct reading reading = {0};
    struct yaml_node *root = read_text(&reading, "a: bc\nh\xC3\xA9: \"d\xC3\xA9\" # x\nc:\n  - x\n  - {k: 'v'}\n"
                                                 "d: |\n    block\n    more\ne:\n");
    struct yaml_node *node = root->first;
    place_is(node->key_place, 1, 1, 0, 1);
    place_is(node->place, 1, 4, 3, 2);
    node = node->next;
    place_is(node->key_place, 2, 1, 6, 3);
    place_is(node->place, 2, 5, 11, 5);
    assert_int_equal(node->style, YAML_QUOTED);
    node = node->next;
    assert_int_equal(node->kind, YAML_SEQUENCE);
    assert_int_equal(node->style, YAML_BLOCK);
    assert_int_equal(node->count, 2);
    place_is(node->first->place, 4, 5, 28, 1);
    struct yaml_node *flow = node->first->next;
    assert_int_equal(flow->kind, YAML_MAPPING);
    assert_int_equal(flow->style, YAML_FLOW);
    place_is(flow->place, 5, 5, 34, 1);
    place_is(flow->first->key_place, 5, 6, 35, 1);
    place_is(flow->first->place, 5, 9, 38, 3);
    node = node->next;
    assert_int_equal(node->style, YAML_BLOCK);
    place_is(node->place, 7, 5, 52, 5);
    node = node->next;
    assert_int_equal(node->kind, YAML_EMPTY);
    place_is(node->place, 9, 1, 67, 1);
    assert_null(node->next);
    arena_free(&reading.arena);
}

static void places_in_crlf_and_cr(void **state)
{
    (void)state;
    struct reading reading = {0};
    struct yaml_node *node = read_text(&reading, "\xEF\xBB\xBF"
                                                 "a: b\r\nc: d\re: f\n")
                                 ->first;
    place_is(node->key_place, 1, 1, 3, 1);
    place_is(node->next->place, 2, 4, 12, 1);
    place_is(node->next->next->place, 3, 4, 17, 1);
    arena_free(&reading.arena);
}

/* Many keys: the map is used, order is kept, a late duplicate is found. */
static void duplicate_keys(void **state)
{
    (void)state;
    struct buffer source = {0};
    for (int i = 0; i < 5000; i++)
        buffer_format(&source, "k%d: %d\n", i, i);
    buffer_add(&source, TEXT("\"k4\\x37\": x\nlast: 1\n"));
    struct reading reading = {0};
    struct yaml_node *root = read_bytes(&reading, buffer_text(&source));
    assert_int_equal(reading.diagnostics.count, 1);
    assert_int_equal(reading.diagnostics.list->code, DIAGNOSTIC_DUPLICATE_KEY);
    assert_int_equal(reading.diagnostics.list->place.line, 5001);
    assert_int_equal(reading.diagnostics.list->second.line, 48);
    assert_int_equal(root->count, 5001);
    test_text_equal(root->first->next->key, "k1");
    arena_free(&reading.arena);
    buffer_free(&source);
}

static void refused_bytes(void **state)
{
    (void)state;
    static const struct {
        const char *source;
        enum diagnostic_code code;
        uint32_t line, column;
    } rows[] = {
        {"a: b\nc: \xFF\n", DIAGNOSTIC_BAD_UTF8, 2, 4},
        {"a: \xC0\xAF\n", DIAGNOSTIC_BAD_UTF8, 1, 4},         /* overlong */
        {"a: \xED\xA0\x80\n", DIAGNOSTIC_BAD_UTF8, 1, 4},     /* a surrogate */
        {"a: \xF4\x90\x80\x80\n", DIAGNOSTIC_BAD_UTF8, 1, 4}, /* above U+10FFFF */
        {"a: \xE2\x82", DIAGNOSTIC_BAD_UTF8, 1, 4},           /* cut short */
        {"\xFF\xFE"
         "a\0",
         DIAGNOSTIC_BAD_UTF8, 1, 1}, /* UTF-16 */
        {"a: \x7F\n", DIAGNOSTIC_BAD_CHARACTER, 1, 4},
        {"a: \xC2\x80\n", DIAGNOSTIC_BAD_CHARACTER, 1, 4},
        {"a: \xEF\xBB\xBF\n", DIAGNOSTIC_BAD_CHARACTER, 1, 4}, /* a byte order mark inside */
        {"a: \xEF\xBF\xBE\n", DIAGNOSTIC_BAD_CHARACTER, 1, 4},
        {"", DIAGNOSTIC_EMPTY_SPEC, 1, 1},
        {"\n# nothing\n", DIAGNOSTIC_EMPTY_SPEC, 1, 1},
        {"---\n", DIAGNOSTIC_EMPTY_SPEC, 1, 1},
        {"%YAML 1.1\n---\na: b\n", DIAGNOSTIC_DIRECTIVE, 1, 1},
        {"# c\n%FOO\n---\na: b\n", DIAGNOSTIC_DIRECTIVE, 2, 1},
        {"a: b\n...\nc: d\n", DIAGNOSTIC_SECOND_DOCUMENT, 2, 1},
        {"a: *b\n", DIAGNOSTIC_ALIAS, 1, 4},
        {"*a : b\n", DIAGNOSTIC_ALIAS, 1, 1},
        {"a: !local b\n", DIAGNOSTIC_TAG, 1, 4},
        {"a: !!map {b: c}\n", DIAGNOSTIC_TAG, 1, 4},
        {": b\n", DIAGNOSTIC_BAD_KEY, 1, 1},
        {"{a: b}: c\n", DIAGNOSTIC_BAD_KEY, 1, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct reading reading = {0};
        read_bytes(&reading, text_of(rows[i].source));
        if (reading.diagnostics.count != 1)
            fail_msg("row %zu: %zu errors", i, reading.diagnostics.count);
        const struct diagnostic *error = reading.diagnostics.list;
        if (error->code != rows[i].code || error->place.line != rows[i].line || error->place.column != rows[i].column)
            fail_msg("row %zu: %s at %u:%u", i, diagnostic_code_name(error->code), error->place.line,
                     error->place.column);
        arena_free(&reading.arena);
    }
}

static void depth(void **state)
{
    (void)state;
    for (int deep = YAML_DEPTH_MAX; deep <= 100000; deep = deep == YAML_DEPTH_MAX ? deep + 1 : deep * 10) {
        struct buffer source = {0};
        for (int i = 0; i < deep; i++)
            buffer_add_char(&source, '[');
        for (int i = 0; i < deep; i++)
            buffer_add_char(&source, ']');
        struct reading reading = {0};
        struct yaml_node *root = read_bytes(&reading, buffer_text(&source));
        assert_int_equal(root != NULL, deep == YAML_DEPTH_MAX);
        assert_int_equal(reading.diagnostics.count, deep == YAML_DEPTH_MAX ? 0 : 1);
        arena_free(&reading.arena);
        buffer_free(&source);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalars_are_exact),
        cmocka_unit_test(scalars_of_our_own),
        cmocka_unit_test(escapes_of_no_character),
        cmocka_unit_test(long_scalars),
        cmocka_unit_test(places),
        cmocka_unit_test(places_in_crlf_and_cr),
        cmocka_unit_test(duplicate_keys),
        cmocka_unit_test(refused_bytes),
        cmocka_unit_test(depth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Patterns: what is taken, as what, and where what is wrong stands. The messages have their cases in diagnostics/. */
#include "test_spec.h"

#define HW_PREFIX test
#include <hardwire/generated.h>

#include "spec/pattern.h"

/* The parts of a pattern in short: =literal, {name}, {name...}, ... and $. */
static void shape_add(struct buffer *out, const struct spec_pattern *pattern)
{
    for (size_t i = 0; i < pattern->segment_count; i++) {
        const struct spec_segment *segment = &pattern->segments[i];
        static const char *const forms[] = {"=%.*s ", "{%.*s} ", "{%.*s...} ", "$%.*s "};
        buffer_format(out, forms[segment->kind], TEXT_ARGS(segment->text));
    }
}

static void takes(const char *text, int method, const char *host, const char *shape, const char *written)
{
    struct arena arena = {0};
    struct diagnostics diagnostics = {.arena = &arena, .source = text_of(text)};
    struct spec_place place = {1, 1, 0, (uint32_t)strlen(text)};
    struct spec_pattern pattern;
    struct buffer actual = {0};
    if (!pattern_parse(&arena, &diagnostics, text_of(text), place, &pattern))
        fail_msg("%s: %.*s", text, TEXT_ARGS(diagnostics.list->message));
    assert_int_equal(pattern.method, method);
    test_text_equal(pattern.host, host);
    shape_add(&actual, &pattern);
    test_text_equal(buffer_text(&actual), shape);
    test_text_equal(pattern.written, written);
    buffer_free(&actual);
    arena_free(&arena);
}

static void refuses(const char *text, enum diagnostic_code code, uint32_t column, uint32_t size)
{
    struct arena arena = {0};
    struct diagnostics diagnostics = {.arena = &arena, .source = text_of(text)};
    struct spec_place place = {1, 1, 0, (uint32_t)strlen(text)};
    struct spec_pattern pattern;
    if (pattern_parse(&arena, &diagnostics, text_of(text), place, &pattern))
        fail_msg("%s is taken", text);
    const struct diagnostic *error = diagnostics.list;
    assert_int_equal(diagnostics.count, 1);
    if (error->code != code || error->place.column != column || error->place.size != size)
        fail_msg("%s: %s at %u, %u bytes: %.*s", text, diagnostic_code_name(error->code), error->place.column,
                 error->place.size, TEXT_ARGS(error->message));
    assert_true(error->help.size != 0);
    arena_free(&arena);
}

static void taken(void **state)
{
    (void)state;
    takes("/", SPEC_METHOD_ANY, "", "{...} ", "/");
    takes("GET /", HW_METHOD_GET, "", "{...} ", "GET /");
    takes("GET \t /a", HW_METHOD_GET, "", "=a ", "GET /a");
    takes("PROPFIND /a/", HW_METHOD_PROPFIND, "", "=a {...} ", "PROPFIND /a/");
    takes("/{$}", SPEC_METHOD_ANY, "", "$ ", "/{$}");
    takes("/a/{$}", SPEC_METHOD_ANY, "", "=a $ ", "/a/{$}");
    takes("/a/{b}/c/{d...}", SPEC_METHOD_ANY, "", "=a {b} =c {d...} ", "/a/{b}/c/{d...}");
    takes("Example.COM/a", SPEC_METHOD_ANY, "example.com", "=a ", "example.com/a");
    takes("GET 127.0.0.1/", HW_METHOD_GET, "127.0.0.1", "{...} ", "GET 127.0.0.1/");
    takes("POST /v1/items:batch", HW_METHOD_POST, "", "=v1 =items:batch ", "POST /v1/items:batch");
    takes("GET /h%65llo", HW_METHOD_GET, "", "=hello ", "GET /hello");
    takes("GET /caf\xC3\xA9", HW_METHOD_GET, "", "=caf\xC3\xA9 ", "GET /caf\xC3\xA9");
    takes("GET /caf%c3%A9", HW_METHOD_GET, "", "=caf\xC3\xA9 ", "GET /caf\xC3\xA9");
    takes("/a%20b", SPEC_METHOD_ANY, "", "=a b ", "/a%20b");
    takes("/%7Bid%7D", SPEC_METHOD_ANY, "", "={id} ", "/%7Bid%7D");
    takes("/%25%3F%23%2a", SPEC_METHOD_ANY, "", "=%?#* ", "/%25%3F%23%2A");
    takes("/...", SPEC_METHOD_ANY, "", "=... ", "/...");
    takes("/a\"b", SPEC_METHOD_ANY, "", "=a\"b ", "/a\"b");
}

static void refused(void **state)
{
    (void)state;
    refuses("", DIAGNOSTIC_PATTERN_SLASH, 1, 0);
    refuses("GET ", DIAGNOSTIC_PATTERN_SLASH, 5, 0);
    refuses("GET hello", DIAGNOSTIC_PATTERN_SLASH, 5, 5);
    refuses("GTE /a", DIAGNOSTIC_PATTERN_METHOD, 1, 3);
    refuses("get /a", DIAGNOSTIC_PATTERN_METHOD, 1, 3);
    refuses("CONNECT /a", DIAGNOSTIC_PATTERN_METHOD, 1, 7);
    refuses(" /a", DIAGNOSTIC_PATTERN_METHOD, 1, 0);
    refuses("a.com:80/", DIAGNOSTIC_PATTERN_HOST, 6, 3);
    refuses("{a}.com/", DIAGNOSTIC_PATTERN_HOST, 1, 1);
    refuses(".a/", DIAGNOSTIC_PATTERN_HOST, 1, 1);
    refuses("a./", DIAGNOSTIC_PATTERN_HOST, 2, 1);
    refuses("[::1]/", DIAGNOSTIC_PATTERN_HOST, 1, 1);
    refuses("/a?b", DIAGNOSTIC_PATTERN_CHARACTER, 3, 1);
    refuses("/\xC3\xA9#b", DIAGNOSTIC_PATTERN_CHARACTER, 3, 1);
    refuses("/a/*", DIAGNOSTIC_PATTERN_CHARACTER, 4, 1);
    refuses("GET /a b", DIAGNOSTIC_PATTERN_CHARACTER, 7, 1);
    refuses("/a b", DIAGNOSTIC_PATTERN_CHARACTER, 3, 1);
    refuses("/a}", DIAGNOSTIC_PATTERN_CHARACTER, 3, 1);
    refuses("/a%", DIAGNOSTIC_PATTERN_ESCAPE, 3, 1);
    refuses("/a%4", DIAGNOSTIC_PATTERN_ESCAPE, 3, 2);
    refuses("/a%4g", DIAGNOSTIC_PATTERN_ESCAPE, 3, 3);
    refuses("/a%2f", DIAGNOSTIC_PATTERN_ESCAPE, 3, 3);
    refuses("/%00", DIAGNOSTIC_PATTERN_ESCAPE, 2, 3);
    refuses("/%0a", DIAGNOSTIC_PATTERN_ESCAPE, 2, 3);
    refuses("/%E9", DIAGNOSTIC_PATTERN_ESCAPE, 2, 3);
    refuses("//", DIAGNOSTIC_PATTERN_SEGMENT, 1, 2);
    refuses("/a//b", DIAGNOSTIC_PATTERN_SEGMENT, 3, 2);
    refuses("/a/./b", DIAGNOSTIC_PATTERN_SEGMENT, 4, 1);
    refuses("/a/%2E%2e", DIAGNOSTIC_PATTERN_SEGMENT, 4, 6);
    refuses("/{", DIAGNOSTIC_PATTERN_WILDCARD, 2, 1);
    refuses("/{}", DIAGNOSTIC_PATTERN_WILDCARD, 2, 2);
    refuses("/{...}", DIAGNOSTIC_PATTERN_WILDCARD, 2, 5);
    refuses("/a{b}", DIAGNOSTIC_PATTERN_WILDCARD, 2, 4);
    refuses("/{b}a", DIAGNOSTIC_PATTERN_WILDCARD, 2, 4);
    refuses("/{a}{b}", DIAGNOSTIC_PATTERN_WILDCARD, 2, 6);
    refuses("/{a...}/b", DIAGNOSTIC_PATTERN_WILDCARD, 2, 6);
    refuses("/{a...}/", DIAGNOSTIC_PATTERN_WILDCARD, 2, 6);
    refuses("/{$}/", DIAGNOSTIC_PATTERN_WILDCARD, 2, 3);
    refuses("/{$...}", DIAGNOSTIC_PATTERN_NAME, 3, 1);
    refuses("/{id:int}", DIAGNOSTIC_PATTERN_WILDCARD, 2, 8);
    refuses("/{*path}", DIAGNOSTIC_PATTERN_WILDCARD, 2, 7);
    refuses("/{int}", DIAGNOSTIC_PATTERN_NAME, 3, 3);
    refuses("/{a-b}", DIAGNOSTIC_PATTERN_NAME, 3, 3);
    refuses("/{a}/{a...}", DIAGNOSTIC_PATTERN_TWICE, 7, 1);
}

static void caps(void **state)
{
    (void)state;
    struct buffer text = {0};
    for (int i = 0; i < HW_CAPTURES_MAX; i++)
        buffer_format(&text, "/{a%d}", i);
    struct arena arena = {0};
    struct diagnostics diagnostics = {.arena = &arena, .source = buffer_text(&text)};
    struct spec_place place = {1, 1, 0, (uint32_t)text.size};
    struct spec_pattern pattern;
    assert_true(pattern_parse(&arena, &diagnostics, buffer_text(&text), place, &pattern));
    buffer_add(&text, TEXT("/{b...}"));
    assert_false(pattern_parse(&arena, &diagnostics, buffer_text(&text), place, &pattern));
    assert_int_equal(diagnostics.list->code, DIAGNOSTIC_PATTERN_SIZE);
    text.size = 0;
    for (int i = 0; i < PATTERN_SEGMENTS_MAX; i++)
        buffer_add(&text, TEXT("/a"));
    assert_true(pattern_parse(&arena, &diagnostics, buffer_text(&text), place, &pattern));
    buffer_add(&text, TEXT("/"));
    assert_false(pattern_parse(&arena, &diagnostics, buffer_text(&text), place, &pattern));
    buffer_free(&text);
    arena_free(&arena);
}

/* What is written parses to itself. */
static void written_is_canonical(void **state)
{
    (void)state;
    static const char *const patterns[] = {"GET /a%20b/{x}/%7B%7D/", "a.com/%25/{y...}", "/%3f/{$}", "POST /caf%C3%A9"};
    struct arena arena = {0};
    struct diagnostics diagnostics = {.arena = &arena};
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        struct spec_pattern first, second;
        assert_true(pattern_parse(&arena, &diagnostics, text_of(patterns[i]), (struct spec_place){0}, &first));
        assert_true(pattern_parse(&arena, &diagnostics, first.written, (struct spec_place){0}, &second));
        assert_true(text_is_equal(first.written, second.written));
    }
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(taken),
        cmocka_unit_test(refused),
        cmocka_unit_test(caps),
        cmocka_unit_test(written_is_canonical),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Conflicts of patterns, against net/http.ServeMux's rules written down pair by pair. */
#include "test_spec.h"

#include <stdlib.h>
#include <time.h>

#define HW_PREFIX test
#include <hardwire/generated.h>

#include "spec/conflict.h"
#include "spec/pattern.h"

/* ---- The oracle: pattern.go of net/http, two patterns at a time. */

enum relation { EQUIVALENT, MORE_GENERAL, MORE_SPECIFIC, OVERLAPS, DISJOINT };

static enum relation combine(enum relation a, enum relation b)
{
    if (a == EQUIVALENT)
        return b;
    if (a == DISJOINT || b == DISJOINT)
        return DISJOINT;
    if (a == OVERLAPS)
        return OVERLAPS;
    if (b == EQUIVALENT)
        return a;
    return a == b ? b : OVERLAPS;
}

static enum relation methods_compare(int a, int b)
{
    if (a == b)
        return EQUIVALENT;
    if (a == SPEC_METHOD_ANY || (a == HW_METHOD_GET && b == HW_METHOD_HEAD))
        return MORE_GENERAL;
    if (b == SPEC_METHOD_ANY || (b == HW_METHOD_GET && a == HW_METHOD_HEAD))
        return MORE_SPECIFIC;
    return DISJOINT;
}

static enum relation segments_compare(const struct spec_segment *a, const struct spec_segment *b)
{
    if (a->kind == SPEC_SEGMENT_REST)
        return b->kind == SPEC_SEGMENT_REST ? EQUIVALENT : MORE_GENERAL;
    if (b->kind == SPEC_SEGMENT_REST)
        return MORE_SPECIFIC;
    if (a->kind == SPEC_SEGMENT_ONE)
        return b->kind == SPEC_SEGMENT_ONE ? EQUIVALENT : b->kind == SPEC_SEGMENT_END ? DISJOINT : MORE_GENERAL;
    if (b->kind == SPEC_SEGMENT_ONE)
        return a->kind == SPEC_SEGMENT_END ? DISJOINT : MORE_SPECIFIC;
    return a->kind == b->kind && text_is_equal(a->text, b->text) ? EQUIVALENT : DISJOINT;
}

static enum relation paths_compare(const struct spec_pattern *a, const struct spec_pattern *b)
{
    bool a_rest = a->segments[a->segment_count - 1].kind == SPEC_SEGMENT_REST;
    bool b_rest = b->segments[b->segment_count - 1].kind == SPEC_SEGMENT_REST;
    enum relation relation = EQUIVALENT;
    size_t i = 0;
    for (; i < a->segment_count && i < b->segment_count; i++)
        relation = combine(relation, segments_compare(&a->segments[i], &b->segments[i]));
    if (a->segment_count == b->segment_count)
        return relation;
    if (a->segment_count < b->segment_count)
        return a_rest ? combine(relation, MORE_GENERAL) : DISJOINT;
    return b_rest ? combine(relation, MORE_SPECIFIC) : DISJOINT;
}

static enum relation patterns_compare(const struct spec_pattern *a, const struct spec_pattern *b)
{
    if (!text_is_equal(a->host, b->host))
        return DISJOINT;
    return combine(methods_compare(a->method, b->method), paths_compare(a, b));
}

/* ---- */

struct checking {
    struct arena arena;
    struct diagnostics diagnostics;
    struct spec_route *routes;
    size_t count;
};

static void check(struct checking *checking, const char *const *patterns, size_t count)
{
    checking->diagnostics = (struct diagnostics){.arena = &checking->arena};
    checking->count = count;
    checking->routes = arena_take_array(&checking->arena, count, sizeof *checking->routes);
    for (size_t i = 0; i < count; i++) {
        checking->routes[i].place = (struct spec_place){(uint32_t)i + 1, 1, 0, 0};
        if (!pattern_parse(&checking->arena, &checking->diagnostics, text_of(patterns[i]), checking->routes[i].place,
                           &checking->routes[i].pattern))
            fail_msg("%s", patterns[i]);
    }
    conflict_check(&checking->arena, &checking->diagnostics, checking->routes, count);
}

/* Every route has a message exactly when the oracle finds an earlier one, and names one of them. */
static void compare_with_oracle(struct checking *checking)
{
    const struct spec_route *routes = checking->routes;
    for (size_t i = 0; i < checking->count; i++) {
        enum diagnostic_code code = DIAGNOSTIC_COUNT;
        size_t second = 0;
        for (const struct diagnostic *error = checking->diagnostics.list; error != NULL; error = error->next) {
            if (error->place.line != i + 1)
                continue;
            code = error->code;
            second = error->second.line - 1;
        }
        bool is_duplicate = false, is_conflict = false;
        for (size_t j = 0; j < i; j++) {
            enum relation relation = patterns_compare(&routes[j].pattern, &routes[i].pattern);
            is_duplicate = is_duplicate || relation == EQUIVALENT;
            is_conflict = is_conflict || relation == OVERLAPS;
        }
        enum diagnostic_code expected = is_duplicate  ? DIAGNOSTIC_ROUTE_DUPLICATE
                                        : is_conflict ? DIAGNOSTIC_ROUTE_CONFLICT
                                                      : DIAGNOSTIC_COUNT;
        bool has_right_partner =
            expected == DIAGNOSTIC_COUNT ||
            patterns_compare(&routes[second].pattern, &routes[i].pattern) == (is_duplicate ? EQUIVALENT : OVERLAPS);
        if (code == expected && has_right_partner)
            continue;
        for (size_t j = 0; j <= i; j++)
            print_error("%.*s\n", TEXT_ARGS(routes[j].pattern.written));
        fail_msg("%d instead of %d, partner %zu", (int)code, (int)expected, second);
    }
}

static void pairs(void **state)
{
    (void)state;
    static const struct {
        const char *first, *second;
        bool is_wrong;
    } rows[] = {
        {"/a", "/b", false},
        {"/a", "/a", true},
        {"/a", "/a/", false},
        {"/a/", "/a/{$}", false},
        {"/a/{x}", "/a/{$}", false},
        {"/a/{x...}", "/a/", true},
        {"/a/{x}", "/a/{y}", true},
        {"/a/{x}", "/a/b", false},
        {"/a/{x}", "/{y}/b", true},
        {"/a/{x}/", "/{y}/b", false},
        {"/a/{x}/c", "/{y}/b/d", false},
        {"/a/{x...}", "/{y}/b", true},
        {"/{x}/b/{z...}", "/a/{y}/c", true},
        {"GET /a", "/a", false},
        {"GET /a", "HEAD /a", false},
        {"GET /a", "POST /a", false},
        {"GET /{x}", "HEAD /a", false},
        {"HEAD /{x}", "GET /a", true},
        {"HEAD /{x}", "POST /a", false},
        {"GET /{x...}", "/a/b", true},
        {"GET /a/b", "/{x...}", false},
        {"POST /{x}", "GET /a", false},
        {"a.com/{x}", "a.com/b", false},
        {"a.com/{x}/b", "b.com/a/{y}", false},
        {"a.com/{x}/b", "/a/{y}", false},
        {"a.com/{x}/b", "A.com/a/{y}", true},
        {"GET a.com/x", "/x", false},
        {"/h%65llo", "/hello", true},
        {"/%7Bx%7D", "/{x}", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (int swapped = 0; swapped < 2; swapped++) {
            const char *patterns[] = {swapped ? rows[i].second : rows[i].first,
                                      swapped ? rows[i].first : rows[i].second};
            struct checking checking = {0};
            check(&checking, patterns, 2);
            if (checking.diagnostics.count != rows[i].is_wrong)
                fail_msg("%s and %s: %zu errors", patterns[0], patterns[1], checking.diagnostics.count);
            compare_with_oracle(&checking);
            arena_free(&checking.arena);
        }
}

/* A random pattern over a small alphabet, so that overlaps are frequent. */
static char *pattern_random(struct arena *arena, unsigned *seed)
{
    static const char *const methods[] = {"", "GET ", "HEAD ", "POST "};
    static const char *const segments[] = {"a", "b", "{%d}", "{%d}"};
    static const char *const ends[] = {"", "", "/", "/{$}", "/{r...}"};
    struct buffer out = {0};
    *seed = *seed * 1103515245u + 12345u;
    unsigned bits = *seed >> 8;
    buffer_format(&out, "%s%s", methods[bits & 3], (bits & 28) == 28 ? "h.com" : "");
    bits >>= 5;
    int count = (int)(bits & 3);
    for (int i = 0; i < count; i++) {
        bits >>= 2;
        buffer_add_char(&out, '/');
        const char *segment = segments[bits & 3];
        if (*segment == '{')
            buffer_format(&out, "{x%d}", i);
        else
            buffer_add(&out, text_of(segment));
    }
    const char *end = ends[(bits >> 2) % 5];
    buffer_add(&out, text_of(count == 0 && *end == '\0' ? "/" : end));
    struct text text = arena_copy(arena, buffer_text(&out));
    buffer_free(&out);
    return (char *)(uintptr_t)text.bytes;
}

static void random_sets(void **state)
{
    (void)state;
    unsigned seed = 7;
    size_t conflicts = 0, duplicates = 0;
    for (int run = 0; run < 3000; run++) {
        struct checking checking = {0};
        const char *patterns[12];
        size_t count = 2 + (size_t)run % 11;
        for (size_t i = 0; i < count; i++)
            patterns[i] = pattern_random(&checking.arena, &seed);
        check(&checking, patterns, count);
        compare_with_oracle(&checking);
        for (const struct diagnostic *error = checking.diagnostics.list; error != NULL; error = error->next) {
            conflicts += error->code == DIAGNOSTIC_ROUTE_CONFLICT;
            duplicates += error->code == DIAGNOSTIC_ROUTE_DUPLICATE;
        }
        arena_free(&checking.arena);
    }
    assert_true(conflicts > 1000);
    assert_true(duplicates > 100);
}

/* The request named in the message is one that both match. */
static void examples(void **state)
{
    (void)state;
    static const struct {
        const char *first, *second, *example;
    } rows[] = {
        {"GET /posts/{id}", "GET /{resource}/latest", "both match GET /posts/latest,"},
        {"/index.html", "GET /{rest...}", "both match GET /index.html,"},
        {"GET /a", "HEAD /{x}", "both match HEAD /a,"},
        {"/a/{x...}", "/{y}/b", "both match /a/b,"},
        {"/a/{x...}", "/{y}/{z}/c", "both match /a/x/c,"},
        {"/a/{x}/", "/{y}/b/{z...}", "both match /a/b/,"},
        {"/a%20b/{x}", "/{y}/{$}", NULL},
        {"a.com/c%20d/{x}", "a.com/{y}/e", "both match a.com/c%20d/e,"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *patterns[] = {rows[i].first, rows[i].second};
        struct checking checking = {0};
        check(&checking, patterns, 2);
        if (rows[i].example == NULL)
            assert_int_equal(checking.diagnostics.count, 0);
        else if (checking.diagnostics.count != 1 ||
                 strstr(checking.diagnostics.list->message.bytes, rows[i].example) == NULL)
            fail_msg("%s, %s: %zu errors", patterns[0], patterns[1], checking.diagnostics.count);
        arena_free(&checking.arena);
    }
}

/* Sets on which a comparison of each with each takes minutes. */
static void large_sets(void **state)
{
    (void)state;
    static const char *const forms[][2] = {
        {"  GET /common/prefix/%d: h\n", "  GET /common/prefix/x%d: h\n"},
        {"  GET /svc%d/item/{id}: h\n", "  GET /svc%d/other/{id}: h\n"},
        {"  GET /{x}/p%d: h\n", "  GET /lit%d/q/{x}: h\n"},
        {"  GET /a%d/{x...}: h\n", "  GET /b%d/c/{x...}: h\n"},
    };
    for (size_t form = 0; form < 4; form++) {
        struct buffer source = {0};
        struct test_spec test = {0};
        buffer_add(&source, TEXT(TEST_SPEC_HEAD "routes:\n"));
        for (int i = 0; i < 50000; i++)
            buffer_format(&source, forms[form][0], i);
        for (int i = 0; i < 50000; i++)
            buffer_format(&source, forms[form][1], i);
        clock_t start = clock();
        assert_int_equal(test_spec_take(&test, source.bytes)->route_count, 100000);
        assert_true((clock() - start) / CLOCKS_PER_SEC < 20);
        buffer_free(&source);
        test_spec_free(&test);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs),
        cmocka_unit_test(random_sets),
        cmocka_unit_test(examples),
        cmocka_unit_test(large_sets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

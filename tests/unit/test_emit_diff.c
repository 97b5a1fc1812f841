/* Unified diffs: known ones, and random ones that are applied again. */
#include "test_spec.h"

#include <stdio.h>
#include <stdlib.h>

#include "emit/diff.h"

static void check(const char *before, const char *after, const char *expected)
{
    struct buffer out = {0};
    diff_add(&out, TEXT("f"), text_of(before), text_of(after));
    test_text_equal(buffer_text(&out), expected);
    buffer_free(&out);
}

static void known(void **state)
{
    (void)state;
    check("same\n", "same\n", "");
    check("a\n", "b\n", "--- f\n+++ f\n@@ -1,1 +1,1 @@\n-a\n+b\n");
    check("", "b\n", "--- f\n+++ f\n@@ -0,0 +1,1 @@\n+b\n");
    check("a\n", "", "--- f\n+++ f\n@@ -1,1 +0,0 @@\n-a\n");
    check("a", "a\n", "--- f\n+++ f\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n");
    check("1\n2\n3\n4\n5\n6\n7\n8\n", "1\n2\n3\n4\nx\n6\n7\n8\n",
          "--- f\n+++ f\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n");
}

static void far_changes_are_two_hunks(void **state)
{
    (void)state;
    check("a\n1\n2\n3\n4\n5\n6\n7\nb\n", "A\n1\n2\n3\n4\n5\n6\n7\nB\n",
          "--- f\n+++ f\n@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-b\n+B\n");
    check("a\n1\n2\n3\n4\n5\n6\nb\n", "A\n1\n2\n3\n4\n5\n6\nB\n",
          "--- f\n+++ f\n@@ -1,8 +1,8 @@\n-a\n+A\n 1\n 2\n 3\n 4\n 5\n 6\n-b\n+B\n");
}

/* Lines of a diff in order: copies context and added lines, checks context and removed ones against `before`. */
static void apply(struct text before, struct text diff, struct buffer *after)
{
    size_t line = 1;
    const char *at = before.bytes, *end = before.bytes + before.size;
    for (const char *p = diff.bytes; p < diff.bytes + diff.size;) {
        const char *next = (const char *)memchr(p, '\n', (size_t)(diff.bytes + diff.size - p)) + 1;
        if (*p == '@') {
            size_t first, count;
            assert_int_equal(sscanf(p, "@@ -%zu,%zu", &first, &count), 2);
            for (first += count == 0; line < first; line++) {
                const char *stop = (const char *)memchr(at, '\n', (size_t)(end - at)) + 1;
                buffer_add(after, (struct text){at, (size_t)(stop - at)});
                at = stop;
            }
        } else if (*p == ' ' || *p == '+' || *p == '-') {
            size_t size = (size_t)(next - p) - 1;
            if (*p != '+') {
                assert_memory_equal(at, p + 1, size);
                at += size;
                line++;
            }
            if (*p != '-')
                buffer_add(after, (struct text){p + 1, size});
        }
        p = next;
    }
    buffer_add(after, (struct text){at, (size_t)(end - at)});
}

static void random_text(struct buffer *out, unsigned *seed, size_t lines)
{
    for (size_t i = 0; i < lines; i++)
        buffer_format(out, "%c\n", 'a' + (char)(rand_r(seed) % 4));
}

static void check_applied(struct text before, struct text after)
{
    struct buffer diff = {0}, result = {0};
    diff_add(&diff, TEXT("f"), before, after);
    struct text text = buffer_text(&diff);
    size_t header = strlen("--- f\n+++ f\n");
    if (text.size != 0)
        text = (struct text){text.bytes + header, text.size - header};
    apply(before, text, &result);
    if (!text_is_equal(buffer_text(&result), after))
        fail_msg("the diff does not give\n%.*s", TEXT_ARGS(after));
    buffer_free(&diff);
    buffer_free(&result);
}

static void random_ones_apply(void **state)
{
    (void)state;
    unsigned seed = 7;
    for (int i = 0; i < 3000; i++) {
        struct buffer before = {0}, after = {0};
        random_text(&before, &seed, (size_t)rand_r(&seed) % 30);
        random_text(&after, &seed, (size_t)rand_r(&seed) % 30);
        check_applied(buffer_text(&before), buffer_text(&after));
        buffer_free(&before);
        buffer_free(&after);
    }
}

/* Beyond the distance that is searched for: the whole middle is replaced. */
static void very_different_ones_apply(void **state)
{
    (void)state;
    struct buffer before = {0}, after = {0};
    for (int i = 0; i < 3000; i++) {
        buffer_format(&before, "old %d\n", i);
        buffer_format(&after, "new %d\n", i);
    }
    check_applied(buffer_text(&before), buffer_text(&after));
    buffer_free(&before);
    buffer_free(&after);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known),
        cmocka_unit_test(far_changes_are_two_hunks),
        cmocka_unit_test(random_ones_apply),
        cmocka_unit_test(very_different_ones_apply),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What the tests of gen/spec share: a spec from a string, and its model or messages. */
#ifndef TEST_SPEC_H
#define TEST_SPEC_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "spec/spec.h"

#define TEST_SPEC_HEAD "hardwire: 1\nname: demo\n"

/* One reading; zero it to begin, test_spec_free ends it. */
struct test_spec {
    struct arena arena;
    struct diagnostics diagnostics;
    struct buffer messages; /* what would be printed */
};

static inline struct spec_model *test_spec_read(struct test_spec *test, const char *source)
{
    test->diagnostics = (struct diagnostics){.arena = &test->arena};
    test->messages.size = 0;
    struct spec_model *model =
        spec_read(&test->arena, TEXT("dir/demo.yaml"), arena_copy(&test->arena, text_of(source)), &test->diagnostics);
    diagnostics_render(&test->diagnostics, &test->messages);
    return model;
}

static inline void test_spec_free(struct test_spec *test)
{
    buffer_free(&test->messages);
    arena_free(&test->arena);
}

static inline void test_text_equal(struct text text, const char *string)
{
    if (!text_is(text, string))
        fail_msg("\"%.*s\" is not \"%s\"", TEXT_ARGS(text), string);
}

/* Fails unless the spec is taken; returns its model. */
static inline struct spec_model *test_spec_take(struct test_spec *test, const char *source)
{
    struct spec_model *model = test_spec_read(test, source);
    if (model == NULL)
        fail_msg("refused: %s\n%s", source, test->messages.bytes);
    return model;
}

/* Fails unless the spec is refused with exactly `count` errors and `expected` in the messages. */
static inline void test_spec_refuse(struct test_spec *test, const char *source, size_t count, const char *expected)
{
    if (test_spec_read(test, source) != NULL)
        fail_msg("taken: %s", source);
    if (strstr(test->messages.bytes, expected) == NULL)
        fail_msg("no \"%s\" in\n%s", expected, test->messages.bytes);
    if (test->diagnostics.count != count)
        fail_msg("%zu errors instead of %zu:\n%s", test->diagnostics.count, count, test->messages.bytes);
}

#endif

/* Every message about a spec: each NNN-slug.yaml of tests/diagnostics gives exactly its NNN-slug.expect, and every row
 * of diagnostics.def that gen/spec reports has a case. With HW_TEST_ACCEPT=1 in the environment what comes out becomes
 * what is expected. */
#include "test_spec.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#define FOLDER HW_TEST_DATA "/diagnostics"
#define PADDED "# The test pads this spec with blanks"
#define PADDED_SIZE ((size_t)16 * 1024 * 1024 + 1)

/* Rows that stages behind gen/spec report; their own tests see them. */
static const enum diagnostic_code later_stages[] = {DIAGNOSTIC_MEMORY_OVER, DIAGNOSTIC_SOURCE_MISSING};

static bool is_of_later_stage(int code)
{
    for (size_t i = 0; i < sizeof later_stages / sizeof later_stages[0]; i++)
        if ((int)later_stages[i] == code)
            return true;
    return false;
}

static struct buffer file_read(const char *path)
{
    struct buffer content = {0};
    char piece[4096];
    size_t size;
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        fail_msg("cannot open %s", path);
    while ((size = fread(piece, 1, sizeof piece, file)) > 0)
        buffer_add(&content, (struct text){piece, size});
    assert_int_equal(fclose(file), 0);
    return content;
}

static void file_write(const char *path, struct text content)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(content.bytes, 1, content.size, file), content.size);
    assert_int_equal(fclose(file), 0);
}

static int is_case(const struct dirent *entry)
{
    size_t size = strlen(entry->d_name);
    return size > 5 && strcmp(entry->d_name + size - 5, ".yaml") == 0;
}

/* The messages of one case. */
static struct buffer case_run(const char *name)
{
    struct test_spec test = {.diagnostics = {.arena = &test.arena}};
    struct buffer path = {0};
    buffer_format(&path, FOLDER "/%s", name);
    struct buffer source = file_read(path.bytes);
    if (source.size > sizeof PADDED && memcmp(source.bytes, PADDED, sizeof PADDED - 1) == 0)
        while (source.size < PADDED_SIZE)
            buffer_add_char(&source, ' ');
    assert_null(spec_read(&test.arena, text_of(name), buffer_text(&source), &test.diagnostics));
    assert_true(test.diagnostics.count > 0);
    diagnostics_render(&test.diagnostics, &test.messages);
    buffer_free(&source);
    buffer_free(&path);
    arena_free(&test.arena);
    return test.messages;
}

static void every_case_is_as_expected(void **state)
{
    (void)state;
    struct dirent **entries;
    struct buffer all = {0}, path = {0};
    int count = scandir(FOLDER, &entries, is_case, alphasort), failed = 0;
    assert_true(count > 0);
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        struct buffer actual = case_run(name);
        path.size = 0;
        buffer_format(&path, FOLDER "/%.*s.expect", (int)strlen(name) - 5, name);
        if (getenv("HW_TEST_ACCEPT") != NULL)
            file_write(path.bytes, buffer_text(&actual));
        struct buffer expected = file_read(path.bytes);
        if (!text_is_equal(buffer_text(&actual), buffer_text(&expected))) {
            print_error("%s: expected\n%s\nbut it is\n%s\n", name, expected.bytes, actual.bytes);
            failed++;
        }
        buffer_add(&all, buffer_text(&actual));
        buffer_free(&actual);
        buffer_free(&expected);
        free(entries[i]);
    }
    free(entries);
    buffer_free(&path);
    assert_int_equal(failed, 0);
    for (int code = 0; code < DIAGNOSTIC_COUNT; code++) {
        char shown[32];
        snprintf(shown, sizeof shown, "[%s]\n", diagnostic_code_name((enum diagnostic_code)code));
        if (!is_of_later_stage(code) && strstr(all.bytes, shown) == NULL)
            fail_msg("no case in " FOLDER " gives %s", shown);
    }
    buffer_free(&all);
}

static void codes_are_unique(void **state)
{
    (void)state;
    for (int a = 0; a < DIAGNOSTIC_COUNT; a++)
        for (int b = 0; b < a; b++)
            assert_string_not_equal(diagnostic_code_name((enum diagnostic_code)a),
                                    diagnostic_code_name((enum diagnostic_code)b));
}

/* More than are kept: the count is right, the first ones by place are shown. */
static void many_are_counted(void **state)
{
    (void)state;
    struct test_spec test = {0};
    struct buffer source = {0};
    buffer_add(&source, TEXT(TEST_SPEC_HEAD "limits:\n"));
    for (int i = 0; i < 12000; i++)
        buffer_format(&source, "  zzzzzz%d: 1\n", i);
    buffer_add(&source, TEXT("routes:\n  GET /a: a\n"));
    assert_null(test_spec_read(&test, source.bytes));
    assert_int_equal(test.diagnostics.count, 12000);
    assert_non_null(strstr(test.messages.bytes, "demo.yaml:4:3: error: there is no key \"zzzzzz0\""));
    assert_non_null(strstr(test.messages.bytes, "\n11980 more errors\n"));
    buffer_free(&source);
    test_spec_free(&test);
}

/* Nothing of a spec reaches a terminal as a control sequence. */
static void controls_are_escaped(void **state)
{
    (void)state;
    struct test_spec test = {0};
    assert_null(test_spec_read(&test, TEST_SPEC_HEAD "\"a\\e[31m\\u202e\\r\\n\": 1\nroutes:\n  GET /a: \"\\u0007\"\n"));
    assert_non_null(strstr(test.messages.bytes, "\"a\\x1b[31m\\u202e\\x0d\\x0a\""));
    for (size_t i = 0; i < test.messages.size; i++)
        assert_true((unsigned char)test.messages.bytes[i] >= ' ' || test.messages.bytes[i] == '\n');
    test_spec_free(&test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_case_is_as_expected),
        cmocka_unit_test(codes_are_unique),
        cmocka_unit_test(many_are_counted),
        cmocka_unit_test(controls_are_escaped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

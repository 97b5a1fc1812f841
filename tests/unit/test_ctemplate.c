/* The template engine from its C side: values, places of errors, limits, sources. What templates print is compared with
 * Jinja2 in tests/ctemplate. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ctemplate/render.h"
#include "ctemplate/unicode.h"

/* Templates by name, and how often one was asked for. */
struct sources {
    const char *names[4];
    const char *texts[4];
    unsigned asked[4];
};

struct run {
    struct arena arena;
    struct buffer out;
    struct ct_error error;
    struct ct_value *context;
    struct sources sources;
};

static bool source_give(void *user, struct text name, struct text *source)
{
    struct sources *sources = user;
    for (size_t i = 0; i < 4 && sources->names[i] != NULL; i++) {
        if (!text_is(name, sources->names[i]))
            continue;
        sources->asked[i]++;
        *source = text_of(sources->texts[i]);
        return true;
    }
    return false;
}

static void run_begin(struct run *run, const char *main)
{
    *run = (struct run){.sources = {.names = {"main"}, .texts = {main}}};
    run->context = ct_map(&run->arena);
}

static void run_add(struct run *run, const char *name, const char *text)
{
    size_t i = 0;
    while (run->sources.names[i] != NULL)
        i++;
    run->sources.names[i] = name;
    run->sources.texts[i] = text;
}

static void run_set_text(struct run *run, const char *key, struct text text)
{
    ct_map_set(&run->arena, run->context, key, ct_text(&run->arena, text));
}

static bool run_within(struct run *run, struct ct_limits limits)
{
    return ct_render_within(limits, &run->arena, source_give, &run->sources, "main", run->context, &run->out,
                            &run->error);
}

static bool run_it(struct run *run)
{
    return ct_render(&run->arena, source_give, &run->sources, "main", run->context, &run->out, &run->error);
}

static void run_end(struct run *run)
{
    buffer_free(&run->out);
    arena_free(&run->arena);
}

static void assert_text(struct text text, const char *expected)
{
    if (!text_is(text, expected))
        fail_msg("got \"%.*s\", expected \"%s\"", TEXT_ARGS(text), expected);
}

static void assert_prints(struct run *run, const char *expected)
{
    if (!run_it(run))
        fail_msg("%.*s:%u:%u: %.*s", TEXT_ARGS(run->error.file), run->error.line, run->error.column,
                 TEXT_ARGS(run->error.message));
    assert_text(buffer_text(&run->out), expected);
    run_end(run);
}

static void assert_fails(struct run *run, const char *file, unsigned line, unsigned column, const char *message)
{
    assert_false(run_it(run));
    assert_text(run->error.message, message);
    assert_text(run->error.file, file);
    if (run->error.line != line || run->error.column != column)
        fail_msg("\"%s\" fails at %u:%u, expected %u:%u", run->sources.texts[0], run->error.line, run->error.column,
                 line, column);
    run_end(run);
}

/* ---- Values. */

static void values_of_all_kinds(void **state)
{
    (void)state;
    struct run run;
    run_begin(&run, "{{ i }} {{ t }} {{ s }} {% if b and not n and l and m %}{{ l[1] }} {{ m.k }}{% endif %}");
    struct arena *arena = &run.arena;
    struct ct_value *list = ct_list(arena);
    ct_map_set(arena, run.context, "l", list);
    /* Adding goes on after the list was put into a map. */
    ct_list_add(arena, list, ct_integer(arena, INT64_MIN));
    ct_list_add(arena, list, ct_integer(arena, INT64_MAX));
    struct ct_value *map = ct_map(arena);
    ct_map_set(arena, map, "k", ct_bool(true));
    ct_map_set(arena, map, "k", ct_integer(arena, 5));
    ct_map_set(arena, run.context, "m", map);
    ct_map_set(arena, run.context, "i", ct_integer(arena, -1));
    ct_map_set(arena, run.context, "t", ct_text(arena, TEXT("name")));
    ct_map_set(arena, run.context, "s", ct_safe(arena, TEXT("a = b;")));
    ct_map_set(arena, run.context, "b", ct_bool(true));
    ct_map_set(arena, run.context, "n", ct_none());
    assert_prints(&run, "-1 name a = b; 9223372036854775807 5");
}

static void maps_keep_order_at_any_size(void **state)
{
    (void)state;
    static const size_t counts[] = {0, 1, 7, 8, 9, 10, 17, 1000};
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        struct run run;
        struct buffer expected = {0};
        run_begin(&run, "{% for k, v in m %}{{ k }}={{ v }}={{ m[k] }},{% endfor %}{{ m.nope is defined and 1 or 0 }}");
        struct ct_value *map = ct_map(&run.arena);
        for (size_t i = 0; i < counts[c]; i++) {
            struct text key = arena_format(&run.arena, "k%zu", (i * 7919) % 1009);
            ct_map_set(&run.arena, map, key.bytes, ct_integer(&run.arena, 0));
        }
        for (size_t i = 0; i < counts[c]; i++) {
            struct text key = arena_format(&run.arena, "k%zu", (i * 7919) % 1009);
            ct_map_set(&run.arena, map, key.bytes, ct_integer(&run.arena, (int64_t)i));
            buffer_format(&expected, "%.*s=%zu=%zu,", TEXT_ARGS(key), i, i);
        }
        buffer_add_char(&expected, '0');
        ct_map_set(&run.arena, run.context, "m", map);
        assert_prints(&run, buffer_text(&expected).bytes);
        buffer_free(&expected);
    }
}

static void output_is_appended(void **state)
{
    (void)state;
    struct run run;
    run_begin(&run, "{% set x %}captured{% endset %}b{{ x }}");
    buffer_add(&run.out, TEXT("a"));
    assert_prints(&run, "abcaptured");
}

/* ---- Bytes that are no text. */

static void filters_take_any_bytes(void **state)
{
    (void)state;
    struct run run;
    run_begin(&run, "{{ x|c_string }} {{ x|c_bytes }} {{ x|c_ident }} {{ x|c_comment }} {{ x|length }}");
    run_set_text(&run, "x", (struct text){"a\0\377\303", 4});
    assert_prints(&run, "\"a\\000\\377\\303\" 'a', '\\000', '\\377', '\\303' a___ a<00><ff><c3> 4");
    run_begin(&run, "{{ x|json }}");
    run_set_text(&run, "x", TEXT("\377"));
    assert_fails(&run, "main", 1, 6, "json: the text is not UTF-8");
}

static void text_is_taken_apart_as_utf8(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t characters;
    } rows[] = {
        {"", 0},
        {"abc", 3},
        {"\303\251", 1},
        {"\303", 1},
        {"\303\303\251", 2},
        {"\300\200", 2},
        {"\340\200\200", 3},
        {"\355\240\200", 3},
        {"\360\237\230\200", 1},
        {"\364\220\200\200", 4},
        {"\360\237\230", 3},
        {"\200", 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(ct_unicode_count(text_of(rows[i].text)), rows[i].characters);
    for (uint32_t point = 0; point <= 0x10FFFF; point++) {
        if (point >= 0xD800 && point <= 0xDFFF)
            continue;
        char bytes[4];
        size_t at = 0;
        size_t size = ct_unicode_put(point, bytes);
        assert_int_equal(ct_unicode_take((struct text){bytes, size}, &at), point);
        assert_int_equal(at, size);
    }
}

/* ---- Where errors are. */

static void errors_have_places(void **state)
{
    (void)state;
    static const struct {
        const char *source;
        unsigned line;
        unsigned column;
        const char *message;
    } rows[] = {
        {"a\n  {{ nope }}", 2, 6, "'nope' is undefined"},
        {"\303\251\303\251{{ nope }}", 1, 6, "'nope' is undefined"},
        {"a\r\nb\r{{ nope }}", 3, 4, "'nope' is undefined"},
        {"{{ x.y.z }}", 1, 8, "'y' is undefined"},
        {"{{ 1 + 'a' }}", 1, 6, "there is no an integer + a text"},
        {"{{ 1 //\n 0 }}", 1, 6, "division by zero"},
        {"{{ 9223372036854775807 + 1 }}", 1, 24, "the result does not fit into 64 bits"},
        {"{{ 9223372036854775808 }}", 1, 4, "this integer does not fit into 64 bits"},
        {"{{ w }}", 1, 4,
         "this text is no C identifier, say what it becomes by a filter: c_string, c_char, c_ident, c_comment, "
         "c_bytes, json, raw"},
        {"{{ x }}", 1, 4, "a map cannot be printed, only integers and texts can"},
        {"{{ -1|hex }}", 1, 7, "hex: an integer from 0 to 9223372036854775807 is due, not -1"},
        {"{{ 1|nope }}", 1, 6, "there is no filter nope"},
        {"{% if 1 is nope %}", 1, 12, "there is no test nope"},
        {"{% block a %}", 1, 4, "the tag 'block' of Jinja2 is not in this template language"},
        {"{% extends 'a' %}", 1, 4, "the tag 'extends' of Jinja2 is not in this template language"},
        {"\n{% if x %}\n{% endfor %}", 3, 4, "unknown tag 'endfor', the 'if' of line 2 is not closed"},
        {"{% for a in x %}\n\nend", 2, 1, "the template ends, the 'for' of line 1 is not closed"},
        {"{{ (1 ]", 1, 7, "unexpected ']', ')' is due"},
        {"a {# b", 1, 3, "this comment is not closed, '#}' is missing"},
        {"a {% raw %} b", 1, 3, "this raw block is not closed, '{% endraw %}' is missing"},
        {"{{ 'a", 1, 4, "this string is not closed"},
        {"{{ 1.5 }}", 1, 4, "there are no floats in templates, only integers"},
        {"{{ 1 $ }}", 1, 6, "unexpected '$'"},
        {"{{ 1 if x }}", 1, 6, "a conditional expression needs its 'else'"},
        {"{{ x.items() }}", 1, 6,
         "there are no methods in templates, write ['items'] for a key, |items for the pairs of a map"},
        {"{% for a, b in [[1, 2, 3]] %}{% endfor %}", 1, 8, "a list of 3 cannot be taken apart into 2 names"},
        {"{% include 'nowhere' %}", 1, 12, "there is no template \"nowhere\""},
        {"{% macro m(a) %}{% endmacro %}{{ m(1, 2) }}", 1, 39, "macro m takes at most 1 arguments"},
        {"{% macro m(a) %}{% endmacro %}{{ m(b=2) }}", 1, 38, "macro m takes no argument b here"},
        {"{% for i in [1] %}{{ loop.cycle }}{% endfor %}", 1, 27,
         "loop has no 'cycle', only index, index0, revindex, revindex0, length, first, last"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct run run;
        run_begin(&run, rows[i].source);
        run_set_text(&run, "w", TEXT("two words"));
        ct_map_set(&run.arena, run.context, "x", ct_map(&run.arena));
        assert_fails(&run, "main", rows[i].line, rows[i].column, rows[i].message);
    }
}

static void errors_have_chains(void **state)
{
    (void)state;
    struct run run;
    run_begin(&run, "{% from 'lib' import outer %}\n{% macro m() %}\n  {{ outer(1) }}\n{% endmacro %}\n{{ m() }}");
    run_add(&run, "lib", "{% macro outer(x) %}{% include 'part' %}{% endmacro %}");
    run_add(&run, "part", "ok\n{{ nope }}");
    assert_fails(&run, "part", 2, 4,
                 "'nope' is undefined\n"
                 "included from lib:1:24\n"
                 "in macro outer, called from main:3:6\n"
                 "in macro m, called from main:5:4");
    run_begin(&run, "\n{% import 'bad' as b %}");
    run_add(&run, "bad", "{{ 1 + }}");
    assert_fails(&run, "bad", 1, 8, "an expression is due, not '}}'\nimported from main:2:4");
    run_begin(&run, "{% import 'bad' as b %}");
    run_add(&run, "bad", "{% macro m(x=nope.a) %}{% endmacro %}{{ m() }}");
    assert_fails(&run, "bad", 1, 19, "'nope' is undefined\nin macro m, called from bad:1:41\nimported from main:1:4");
}

static void missing_main_template_is_an_error(void **state)
{
    (void)state;
    struct run run;
    run_begin(&run, "");
    run.sources.names[0] = "other";
    assert_fails(&run, "main", 1, 1, "there is no template \"main\"");
}

/* ---- Sources. */

static void templates_are_parsed_once(void **state)
{
    (void)state;
    struct run run;
    run_begin(&run, "{% for i in range(5) %}{% include 'part' %}{% from 'lib' import m %}{{ m(i) }}{% endfor %}");
    run_add(&run, "part", "{{ i }}");
    run_add(&run, "lib", "{% macro m(x) %}<{{ x }}>{% endmacro %}");
    assert_true(run_it(&run));
    assert_text(buffer_text(&run.out), "0<0>1<1>2<2>3<3>4<4>");
    for (size_t i = 1; i < 3; i++)
        assert_int_equal(run.sources.asked[i], 1);
    run_end(&run);
}

/* ---- Limits. */

static void limits_are_kept(void **state)
{
    (void)state;
    static const struct {
        const char *source;
        const char *message;
    } rows[] = {
        {"{% set x = 'x' * 900 %}{{ x|raw }}{{ x|raw }}", "the output has more than 1000 bytes"},
        {"{% set x = 'x' * 2000 %}", "the expressions made more than 1500 bytes"},
        {"{% set x = 'x' * 400 %}{% set y = x ~ x %}{% set z = y + y %}", "the expressions made more than 1500 bytes"},
        {"{% set x = range(1000000000) %}", "the expressions made more than 1500 bytes"},
        {"{% for i in 'abcdefghij' %}{% for j in 'abcdefghij' %}{% endfor %}{% endfor %}",
         "the loops ran more than 50 times"},
        {"{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "macros call each other more than 4 deep"},
        {"{% include 'main' %}", "includes and imports are nested more than 3 deep"},
        {"{% import 'main' as x %}", "includes and imports are nested more than 3 deep"},
        {"{{ ((((((((((((((((((((1))))))))))))))))))))  ~ 1 ~ (1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1) }}",
         "templates run more than 20 levels deep"},
    };
    static const struct ct_limits limits = {
        .output_size = 1000, .made_size = 1500, .iterations = 50, .depth = 20, .macros = 4, .includes = 3};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct run run;
        run_begin(&run, rows[i].source);
        assert_false(run_within(&run, limits));
        size_t size = strlen(rows[i].message);
        assert_true(run.error.message.size >= size);
        assert_text((struct text){run.error.message.bytes, size}, rows[i].message);
        run_end(&run);
    }
    struct run run;
    run_begin(&run, "{% macro m(i) %}{% if i %}{{ m(i - 1) }}{% endif %}x{% endmacro %}{{ m(3) }}");
    assert_true(run_within(&run, limits));
    run_end(&run);
}

/* The output's limit counts what this rendering adds. */
static void limit_of_output_counts_from_its_begin(void **state)
{
    (void)state;
    struct run run;
    struct ct_limits limits = ct_limits_default;
    limits.output_size = 4;
    run_begin(&run, "abcd");
    buffer_add(&run.out, TEXT("0123456789"));
    assert_true(run_within(&run, limits));
    run.sources.texts[0] = "abcde";
    assert_false(run_within(&run, limits));
    run_end(&run);
}

static void add_times(struct buffer *buffer, const char *string, size_t times)
{
    for (size_t i = 0; i < times; i++)
        buffer_add(buffer, text_of(string));
}

/* Nests `times` pairs of strings around a middle and renders that. */
static void nest(const char *begin, const char *middle, const char *end, size_t times, const char *message)
{
    struct buffer source = {0};
    add_times(&source, begin, times);
    buffer_add(&source, text_of(middle));
    add_times(&source, end, times);
    struct run run;
    run_begin(&run, buffer_text(&source).bytes);
    bool is_good = run_it(&run);
    assert_int_equal(is_good, message == NULL);
    if (message != NULL)
        assert_text(run.error.message, message);
    run_end(&run);
    buffer_free(&source);
}

static void nesting_ends(void **state)
{
    (void)state;
    nest("{% if 1 %}", "x", "{% endif %}", 64, NULL);
    nest("{% if 1 %}", "x", "{% endif %}", 65, "blocks are nested more than 64 deep");
    nest("{% if 1 %}", "x", "{% endif %}", 100000, "blocks are nested more than 64 deep");
    nest("(", "", "", 100000, NULL); /* text */
    nest("{{ 1", " + 1", " }}", 1, NULL);
}

static void expressions_end(void **state)
{
    (void)state;
    static const struct {
        const char *begin, *repeated, *end;
        size_t good, bad;
    } rows[] = {
        {"{{ ", "(", "1", 0, 64},
        {"{{ 1 if ", "not ", "1 else 2 }}", 60, 64},
        {"{{ ", "- ", "1 }}", 60, 64},
        {"{{ 1", " + 1", " }}", 190, 200},
        {"{{ 'a'", "|upper", " }}", 190, 200},
        {"{{ 1", " if 1 else 1", " }}", 60, 64},
        {"{{ 1", " or 1", " }}", 190, 200},
        {"{{ 'a'", " ~ 'a'", " }}", 5000, 0},
        {"{% if 1", " < 2 > 1", " %}{% endif %}", 5000, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (int is_bad = 0; is_bad < 2; is_bad++) {
            size_t times = is_bad ? rows[i].bad : rows[i].good;
            if (times == 0)
                continue;
            struct buffer source = {0};
            buffer_add(&source, text_of(rows[i].begin));
            add_times(&source, rows[i].repeated, times);
            buffer_add(&source, text_of(rows[i].end));
            struct run run;
            run_begin(&run, buffer_text(&source).bytes);
            if (run_it(&run) == (is_bad != 0))
                fail_msg("%zu times \"%s\"", times, rows[i].repeated);
            run_end(&run);
            buffer_free(&source);
        }
    }
}

/* The deepest that the default limits allow must fit onto the stack. */
static void deepest_run_fits_the_stack(void **state)
{
    (void)state;
    struct buffer source = {0};
    struct run run;
    buffer_add(&source, TEXT("{% macro m(i) %}"));
    add_times(&source, "{% if i %}", 20);
    buffer_add(&source, TEXT("{{ 1"));
    add_times(&source, " or 1", 5);
    buffer_add(&source, TEXT("}}{{ m(i - 1) ~ ''}}"));
    add_times(&source, "{% endif %}", 20);
    buffer_add(&source, TEXT("{% endmacro %}{{ m(63) }}"));
    run_begin(&run, buffer_text(&source).bytes);
    bool is_good = run_it(&run);
    assert_true(is_good);
    run_end(&run);
    source.size = 0;
    buffer_add(&source, TEXT("{% macro m(i) %}"));
    add_times(&source, "{% if i %}", 60);
    buffer_add(&source, TEXT("{{ m(i - 1) }}"));
    add_times(&source, "{% endif %}", 60);
    buffer_add(&source, TEXT("{% endmacro %}{{ m(63) }}"));
    run_begin(&run, buffer_text(&source).bytes);
    assert_false(run_it(&run));
    static const char expected[] = "templates run more than 2000 levels deep";
    assert_text((struct text){run.error.message.bytes, sizeof expected - 1}, expected);
    run_end(&run);
    buffer_free(&source);
}

/* ---- What only we have. */

static void pairs_of_maps(void **state)
{
    (void)state;
    struct run run;
    run_begin(&run, "{% for k, v in {'a': 1, 'b': 2} if v > 1 %}{{ k }}{{ v }}{{ loop.length }}{% endfor %}");
    assert_prints(&run, "b21");
}

static void generators_are_walked_once(void **state)
{
    (void)state;
    static const char *const sources[] = {
        "{% set x = [1]|map('string') %}",
        "{{ [1]|select|length }}",
        "{{ [[1]|select] }}",
        "{% macro m(x) %}{% endmacro %}{{ m([1]|unique) }}",
        "{% if [1]|select('odd') %}{% endif %}",
    };
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
        struct run run;
        run_begin(&run, sources[i]);
        assert_false(run_it(&run));
        assert_text(run.error.message, "Jinja2 gives a generator here that can be walked only once, add |list");
        run_end(&run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_all_kinds),
        cmocka_unit_test(maps_keep_order_at_any_size),
        cmocka_unit_test(output_is_appended),
        cmocka_unit_test(filters_take_any_bytes),
        cmocka_unit_test(text_is_taken_apart_as_utf8),
        cmocka_unit_test(errors_have_places),
        cmocka_unit_test(errors_have_chains),
        cmocka_unit_test(missing_main_template_is_an_error),
        cmocka_unit_test(templates_are_parsed_once),
        cmocka_unit_test(limits_are_kept),
        cmocka_unit_test(limit_of_output_counts_from_its_begin),
        cmocka_unit_test(nesting_ends),
        cmocka_unit_test(expressions_end),
        cmocka_unit_test(deepest_run_fits_the_stack),
        cmocka_unit_test(pairs_of_maps),
        cmocka_unit_test(generators_are_walked_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

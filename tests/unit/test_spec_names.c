/* Names that become names of C. */
#include "test_spec.h"

#include "spec/names.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static void handlers(void **state)
{
    (void)state;
    static const char *const fine[] = {"hello", "get_user",   "a",   "X9",      "index",  "on_read",
                                       "demo",  "demolition", "hwy", "h",       "mainly", "reader",
                                       "class", "delete",     "new", "template"};
    for (size_t i = 0; i < COUNT_OF(fine); i++)
        if (name_handler_problem(text_of(fine[i]), TEXT("demo")) != NULL)
            fail_msg("%s %s", fine[i], name_handler_problem(text_of(fine[i]), TEXT("demo")));
    static const char *const keywords[] = {
        "default",       "auto",      "while",   "bool",          "true",         "false",    "nullptr", "typeof",
        "typeof_unqual", "constexpr", "alignas", "static_assert", "thread_local", "restrict", "inline",  "asm"};
    for (size_t i = 0; i < COUNT_OF(keywords); i++)
        assert_string_equal(spec_function_name_problem(text_of(keywords[i])), "is a C keyword");
    static const char *const library[] = {"printf", "malloc", "abs",    "log",     "exit", "remove", "signal",  "NULL",
                                          "errno",  "assert", "size_t", "wmemset", "and",  "strdup", "memccpy", "tm"};
    for (size_t i = 0; i < COUNT_OF(library); i++)
        assert_string_equal(spec_function_name_problem(text_of(library[i])), "is a name of the C library");
    static const char *const calls[] = {"read", "write", "send", "accept", "close", "epoll_wait", "writev"};
    for (size_t i = 0; i < COUNT_OF(calls); i++)
        assert_string_equal(spec_function_name_problem(text_of(calls[i])),
                            "is a function of the system, which the server calls itself");
    static const char *const libraries[] = {"SSL_new", "BIO_read", "X509_free", "EVP_x", "nghttp2_hd_inflate_new"};
    for (size_t i = 0; i < COUNT_OF(libraries); i++)
        assert_string_equal(spec_function_name_problem(text_of(libraries[i])),
                            "begins as OpenSSL's and nghttp2's functions do, which the server may call");
    assert_string_equal(spec_function_name_problem(TEXT("main")), "is the program's own function");
    assert_string_equal(spec_function_name_problem(TEXT("")), "is empty");
    assert_string_equal(spec_function_name_problem(TEXT("_x")), "begins with an underscore, which C reserves");
    static const char *const no_identifiers[] = {"foo-bar", "1a", "a b", "v1.x", "h\xC3\xA9llo", "../x", "a;b", "a\n"};
    for (size_t i = 0; i < COUNT_OF(no_identifiers); i++)
        assert_string_equal(spec_function_name_problem(text_of(no_identifiers[i])), "is not a C identifier");
    assert_string_equal(spec_function_name_problem((struct text){"a\0b", 3}), "is not a C identifier");
    char longest[65];
    memset(longest, 'a', 64);
    longest[64] = '\0';
    assert_non_null(spec_function_name_problem(text_of(longest)));
    assert_null(spec_function_name_problem(text_of(longest + 1)));
    assert_non_null(name_handler_problem(TEXT("hw_get"), TEXT("demo")));
    assert_non_null(name_handler_problem(TEXT("HW_GET"), TEXT("demo")));
    assert_non_null(name_handler_problem(TEXT("demo_start"), TEXT("demo")));
    assert_non_null(name_handler_problem(TEXT("demo_hw_log"), TEXT("demo")));
    assert_null(name_handler_problem(TEXT("demo_get"), TEXT("demo")));
    assert_null(name_handler_problem(TEXT("demo_start"), TEXT("")));
}

static void parameters(void **state)
{
    (void)state;
    static const char *const fine[] = {"id", "X", "i", "req", "res", "ctx", "len", "read", "printf", "time", "main"};
    for (size_t i = 0; i < COUNT_OF(fine); i++)
        assert_null(name_parameter_problem(text_of(fine[i])));
    static const char *const bad[] = {"int",    "true",  "errno", "NULL", "EOF", "stdin",
                                      "assert", "linux", "unix",  "_x",   "a-b"};
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        assert_non_null(name_parameter_problem(text_of(bad[i])));
}

static void products(void **state)
{
    (void)state;
    static const char *const fine[] = {"demo", "no", "null", "Shop", "hwy", "a1", "main"};
    for (size_t i = 0; i < COUNT_OF(fine); i++)
        assert_null(name_product_problem(text_of(fine[i])));
    static const char *const bad[] = {"my-game", "../x",  "",      "_x",   "int",    "hw",       "HW",    "hw_x",
                                      "string",  "stdio", "errno", "unix", "printf", "hardwire", "llhttp"};
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        if (name_product_problem(text_of(bad[i])) == NULL)
            fail_msg("%s may be a product", bad[i]);
}

static void variables(void **state)
{
    (void)state;
    assert_true(name_is_variable(TEXT("PORT")));
    assert_true(name_is_variable(TEXT("_P0")));
    assert_false(name_is_variable(TEXT("port")));
    assert_false(name_is_variable(TEXT("0P")));
    assert_false(name_is_variable(TEXT("A=B")));
    assert_false(name_is_variable(TEXT("")));
}

static void repairs(void **state)
{
    (void)state;
    struct arena arena = {0};
    test_text_equal(name_repair(&arena, TEXT("foo-bar")), "foo_bar");
    test_text_equal(name_repair(&arena, TEXT("../../evil")), "evil");
    test_text_equal(name_repair(&arena, TEXT("Get(huge)data()")), "Get_huge_data");
    test_text_equal(name_repair(&arena, TEXT("...")), "");
    test_text_equal(name_repair(&arena, TEXT("int ")), "");
    test_text_equal(name_repair(&arena, TEXT("12ab")), "ab");
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handlers),  cmocka_unit_test(parameters), cmocka_unit_test(products),
        cmocka_unit_test(variables), cmocka_unit_test(repairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Numbers with and without units. */
#include "test_spec.h"

#include "spec/scalar.h"

static const struct spec_key_row *row_of(enum spec_key key)
{
    return spec_key_row(key);
}

static void takes(enum spec_key key, const char *text, uint64_t expected)
{
    struct arena arena = {0};
    struct scalar_fault fault;
    uint64_t value = 0;
    if (!scalar_read(&arena, row_of(key), text_of(text), &value, &fault))
        fail_msg("%s: %.*s", text, TEXT_ARGS(fault.message));
    assert_int_equal(value, expected);
    arena_free(&arena);
}

static void refuses(enum spec_key key, const char *text, enum diagnostic_code code, const char *help)
{
    struct arena arena = {0};
    struct scalar_fault fault = {0};
    uint64_t value = 0;
    if (scalar_read(&arena, row_of(key), text_of(text), &value, &fault))
        fail_msg("%s is taken as %llu", text, (unsigned long long)value);
    if (fault.code != code)
        fail_msg("%s: %s %.*s", text, diagnostic_code_name(fault.code), TEXT_ARGS(fault.message));
    assert_true(fault.message.size != 0);
    test_text_equal(fault.help, help);
    arena_free(&arena);
}

static void counts(void **state)
{
    (void)state;
    takes(KEY_LIMITS_HEADERS, "1", 1);
    takes(KEY_LIMITS_HEADERS, "10000", 10000);
    takes(KEY_THREADS_WORKERS, "0", 0);
    takes(KEY_LIMITS_REQUESTS, "off", 0);
    takes(KEY_LIMITS_REQUESTS, "4294967295", 4294967295u);
    const char *range = "limits.headers is a count from 1 to 10000";
    refuses(KEY_LIMITS_HEADERS, "0", DIAGNOSTIC_OUT_OF_RANGE, range);
    refuses(KEY_LIMITS_HEADERS, "10001", DIAGNOSTIC_OUT_OF_RANGE, range);
    refuses(KEY_LIMITS_HEADERS, "18446744073709551616", DIAGNOSTIC_OUT_OF_RANGE, range);
    refuses(KEY_LIMITS_HEADERS, "18446744073709551617", DIAGNOSTIC_OUT_OF_RANGE, range);
    refuses(KEY_LIMITS_HEADERS, "010", DIAGNOSTIC_BAD_NUMBER, "numbers are decimal: write 10");
    refuses(KEY_LIMITS_HEADERS, "00", DIAGNOSTIC_BAD_NUMBER, "numbers are decimal: write 0");
    refuses(KEY_LIMITS_HEADERS, "1 000", DIAGNOSTIC_BAD_NUMBER, "write 1000");
    refuses(KEY_LIMITS_HEADERS, "1_000_000", DIAGNOSTIC_BAD_NUMBER, range);
    static const char *const others[] = {"",    " 1",   "1 ",   "+1",  "-1", "1.0",
                                         "1e3", "0x10", "0o10", "one", "1k", "\xEF\xBC\x91"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        refuses(KEY_LIMITS_HEADERS, others[i], DIAGNOSTIC_BAD_NUMBER, i == 1 || i == 2 ? "write 1" : range);
    refuses(KEY_LIMITS_REQUESTS, "0", DIAGNOSTIC_OUT_OF_RANGE, "zero never means unlimited: write off");
    refuses(KEY_LIMITS_HEADERS, "off", DIAGNOSTIC_BAD_NUMBER,
            "limits.headers cannot be switched off; limits.headers is a count from 1 to 10000");
}

static void sizes(void **state)
{
    (void)state;
    takes(KEY_LIMITS_BODY_SIZE, "0B", 0);
    takes(KEY_LIMITS_BODY_SIZE, "1kB", 1000);
    takes(KEY_LIMITS_BODY_SIZE, "1KiB", 1024);
    takes(KEY_LIMITS_BODY_SIZE, "10MB", 10000000);
    takes(KEY_LIMITS_BODY_SIZE, "10MiB", 10485760);
    takes(KEY_LIMITS_BODY_SIZE, "1GB", 1000000000);
    takes(KEY_LIMITS_BODY_SIZE, "1GiB", 1073741824);
    takes(KEY_LIMITS_BODY_SIZE, "1TB", 1000000000000);
    takes(KEY_LIMITS_BODY_SIZE, "1TiB", 1099511627776);
    const char *range = "limits.body_size is a size from 0B to 1TiB";
    refuses(KEY_LIMITS_BODY_SIZE, "2TiB", DIAGNOSTIC_OUT_OF_RANGE, range);
    refuses(KEY_LIMITS_BODY_SIZE, "17179869184GiB", DIAGNOSTIC_OUT_OF_RANGE, range);
    refuses(KEY_LIMITS_BODY_SIZE, "18446744073709551615TiB", DIAGNOSTIC_OUT_OF_RANGE, range);
    refuses(KEY_LIMITS_BODY_SIZE, "99999999999999999999B", DIAGNOSTIC_OUT_OF_RANGE, range);
    refuses(KEY_LIMITS_BODY_SIZE, "16", DIAGNOSTIC_UNIT_MISSING, "write 16KiB or 16B");
    refuses(KEY_LIMITS_HEADER_SIZE, "16", DIAGNOSTIC_UNIT_MISSING, "write 16KiB or 16B");
    refuses(KEY_BUFFERS_SIZE, "16384", DIAGNOSTIC_UNIT_MISSING, "write 16384KiB or 16384B");
    refuses(KEY_LIMITS_BODY_SIZE, "16K", DIAGNOSTIC_BAD_UNIT, "write 16kB or 16KiB");
    refuses(KEY_LIMITS_BODY_SIZE, "16kib", DIAGNOSTIC_BAD_UNIT, "write 16KiB");
    refuses(KEY_LIMITS_BODY_SIZE, "10 KiB", DIAGNOSTIC_BAD_NUMBER, "write 10KiB");
    refuses(KEY_LIMITS_BODY_SIZE, "1.5MiB", DIAGNOSTIC_BAD_NUMBER, range);
    refuses(KEY_LIMITS_BODY_SIZE, "1MiB1B", DIAGNOSTIC_BAD_NUMBER, range);
    refuses(KEY_LIMITS_BODY_SIZE, "KiB", DIAGNOSTIC_BAD_NUMBER, range);
    refuses(KEY_LIMITS_BODY_SIZE, "08KiB", DIAGNOSTIC_BAD_NUMBER, "numbers are decimal: write 8KiB");
    refuses(KEY_LIMITS_BODY_SIZE, "off", DIAGNOSTIC_BAD_NUMBER,
            "limits.body_size cannot be switched off; limits.body_size is a size from 0B to 1TiB");
    refuses(KEY_LIMITS_BODY_SIZE, "10s", DIAGNOSTIC_BAD_UNIT,
            "units are B, kB, MB, GB, TB (powers of 1000) and KiB, MiB, GiB, TiB (powers of 1024)");
}

static void durations(void **state)
{
    (void)state;
    takes(KEY_TIMEOUTS_BODY, "250ms", 250);
    takes(KEY_TIMEOUTS_BODY, "30s", 30000);
    takes(KEY_TIMEOUTS_BODY, "1m30s", 90000);
    takes(KEY_TIMEOUTS_BODY, "1h2m3s4ms", 3723004);
    takes(KEY_TIMEOUTS_BODY, "24h", 86400000);
    const char *range = "timeouts.body is a duration from 10ms to 24h";
    refuses(KEY_TIMEOUTS_BODY, "0s", DIAGNOSTIC_OUT_OF_RANGE, range);
    refuses(KEY_TIMEOUTS_BODY, "9ms", DIAGNOSTIC_OUT_OF_RANGE, range);
    refuses(KEY_TIMEOUTS_BODY, "24h1ms", DIAGNOSTIC_OUT_OF_RANGE, range);
    refuses(KEY_TIMEOUTS_BODY, "99999999999999h", DIAGNOSTIC_OUT_OF_RANGE, range);
    refuses(KEY_TIMEOUTS_BODY, "5124095576030h999999999999999999m", DIAGNOSTIC_OUT_OF_RANGE, range);
    refuses(KEY_TIMEOUTS_BODY, "100", DIAGNOSTIC_UNIT_MISSING, "write 100s or 100ms");
    refuses(KEY_TIMEOUTS_BODY, "2", DIAGNOSTIC_UNIT_MISSING, "write 2s or 2m");
    refuses(KEY_TIMEOUTS_BODY, "1m30", DIAGNOSTIC_UNIT_MISSING, "write 1m30s or 1m30ms");
    refuses(KEY_TIMEOUTS_BODY, "30s1m", DIAGNOSTIC_BAD_UNIT, "the units of a duration fall, as in 1h30m or 1m30s");
    refuses(KEY_TIMEOUTS_BODY, "1s1s", DIAGNOSTIC_BAD_UNIT, "the units of a duration fall, as in 1h30m or 1m30s");
    refuses(KEY_TIMEOUTS_BODY, "5min", DIAGNOSTIC_BAD_UNIT, "write 5m");
    refuses(KEY_TIMEOUTS_BODY, "1d", DIAGNOSTIC_BAD_UNIT, "write days in hours, as in 24h");
    refuses(KEY_TIMEOUTS_BODY, "-2s", DIAGNOSTIC_BAD_NUMBER, range);
    refuses(KEY_TIMEOUTS_BODY, "1m 30s", DIAGNOSTIC_BAD_NUMBER, "write 1m30s");
    refuses(KEY_TIMEOUTS_BODY, "2 fortnights", DIAGNOSTIC_BAD_NUMBER, range);
}

static void words(void **state)
{
    (void)state;
    takes(KEY_MAIN, "true", 1);
    takes(KEY_MAIN, "false", 0);
    refuses(KEY_MAIN, "yes", DIAGNOSTIC_BAD_CHOICE, "write true");
    refuses(KEY_MAIN, "off", DIAGNOSTIC_BAD_CHOICE, "write false");
    refuses(KEY_MAIN, "", DIAGNOSTIC_BAD_CHOICE, "main is true or false");
    takes(KEY_LOG_LEVEL, "error", 0);
    takes(KEY_LOG_LEVEL, "warning", 1);
    takes(KEY_LOG_LEVEL, "info", 2);
    takes(KEY_LOG_LEVEL, "debug", 3);
    refuses(KEY_LOG_LEVEL, "warn", DIAGNOSTIC_BAD_CHOICE, "did you mean warning?");
    refuses(KEY_LOG_LEVEL, "x", DIAGNOSTIC_BAD_CHOICE, "log.level is error, warning, info or debug");
}

static void versions_and_tokens(void **state)
{
    (void)state;
    takes(KEY_TLS_MIN_VERSION, "1.2", 0x0303);
    takes(KEY_TLS_MIN_VERSION, "1.3", 0x0304);
    refuses(KEY_TLS_MIN_VERSION, "1.1", DIAGNOSTIC_BAD_CHOICE, "tls.min_version is 1.2 or 1.3");
    refuses(KEY_TLS_MIN_VERSION, "", DIAGNOSTIC_BAD_CHOICE, "tls.min_version is 1.2 or 1.3");
    takes(KEY_TLS_GROUPS, "X25519", 6);
    takes(KEY_TLS_GROUPS, "a:B-1:c_2", 9);
    const char *help = "tls.groups is names of OpenSSL with ':' between them, as in X25519:P-256";
    static const char *const bad[] = {"",     ":",    "a:", ":a",  "a::b",      "a b",     "a,b",
                                      "a\"b", "a\\b", "!a", "a+b", "@STRENGTH", "\xC3\xA9"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        refuses(KEY_TLS_GROUPS, bad[i], DIAGNOSTIC_BAD_TOKENS, help);
    char longest[65 + 1];
    memset(longest, 'a', sizeof longest);
    longest[65] = '\0';
    refuses(KEY_TLS_GROUPS, longest, DIAGNOSTIC_BAD_TOKENS, help);
    longest[64] = '\0';
    takes(KEY_TLS_GROUPS, longest, 64);
    char list[2001 + 1];
    for (size_t i = 0; i < sizeof list; i++)
        list[i] = i % 2 == 0 ? 'a' : ':';
    list[2001] = '\0';
    refuses(KEY_TLS_GROUPS, list, DIAGNOSTIC_BAD_TOKENS, help);
    list[1999] = '\0';
    takes(KEY_TLS_GROUPS, list, 1999);
}

static void writing(void **state)
{
    (void)state;
    struct arena arena = {0};
    test_text_equal(scalar_format(&arena, SPEC_SIZE, 0), "0B");
    test_text_equal(scalar_format(&arena, SPEC_SIZE, 65536), "64KiB");
    test_text_equal(scalar_format(&arena, SPEC_SIZE, 1000000), "1MB");
    test_text_equal(scalar_format(&arena, SPEC_SIZE, 1001), "1001B");
    test_text_equal(scalar_format(&arena, SPEC_DURATION, 86400000), "24h");
    test_text_equal(scalar_format(&arena, SPEC_DURATION, 90000), "90s");
    test_text_equal(scalar_format(&arena, SPEC_COUNT, UINT64_MAX), "18446744073709551615");
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts),
        cmocka_unit_test(sizes),
        cmocka_unit_test(durations),
        cmocka_unit_test(words),
        cmocka_unit_test(versions_and_tokens),
        cmocka_unit_test(writing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

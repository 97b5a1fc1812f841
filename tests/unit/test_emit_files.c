/* Paths, the layout of C text, and hardwire.lock. */
#include "test_spec.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "emit/files.h"
#include "emit/layout.h"
#include "emit/lock.h"

static void relative_paths(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        {"/a/b", "/a/b/c/d.c", "c/d.c"}, {"/a/b", "/a/x.c", "../x.c"},
        {"/a/b/c", "/a/x", "../../x"},   {"/", "/x.c", "x.c"},
        {"/ab", "/abc/x", "../abc/x"},   {"/a/b", "/c/d", "../../c/d"},
        {"/abc", "/ab/x", "../ab/x"},    {"/a/b", "/a/bb/x", "../bb/x"},
    };
    struct arena arena = {0};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        test_text_equal(path_relative(&arena, text_of(cases[i][0]), text_of(cases[i][1])), cases[i][2]);
    arena_free(&arena);
}

static void canonical_paths(void **state)
{
    (void)state;
    struct arena arena = {0};
    char folder[] = "/tmp/hardwire-test-XXXXXX";
    assert_non_null(mkdtemp(folder));
    char before[4096];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(mkdir("real", 0700), 0);
    assert_int_equal(symlink("real", "link"), 0);
    static const char *const cases[][2] = {
        {".", ""},           {"real", "/real"},       {"link/x/y", "/real/x/y"}, {"none/./x/../y", "/none/y"},
        {"./none", "/none"}, {".hidden", "/.hidden"}, {"real/../link", "/real"}, {"..x/y", "/..x/y"},
    };
    struct text root, path, problem;
    assert_true(path_canonical(&arena, text_of(folder), &root, &problem));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_true(path_canonical(&arena, text_of(cases[i][0]), &path, &problem));
        struct text expected = arena_format(&arena, "%.*s%s", TEXT_ARGS(root), cases[i][1]);
        test_text_equal(path, expected.bytes);
    }
    assert_int_equal(unlink("link") | rmdir("real") | chdir(before) | rmdir(folder), 0);
    arena_free(&arena);
}

static void folders_and_joins(void **state)
{
    (void)state;
    struct arena arena = {0};
    test_text_equal(path_folder(&arena, TEXT("a")), ".");
    test_text_equal(path_folder(&arena, TEXT("a//b")), "a");
    test_text_equal(path_folder(&arena, TEXT("/a")), "/");
    test_text_equal(path_join(&arena, TEXT("."), TEXT("x")), "x");
    test_text_equal(path_join(&arena, TEXT("a"), TEXT("x")), "a/x");
    test_text_equal(path_join(&arena, TEXT("/"), TEXT("x")), "/x");
    test_text_equal(path_join(&arena, TEXT("a"), TEXT("/x")), "/x");
    arena_free(&arena);
}

static void calls_are_broken_at_the_edge(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct text items[] = {TEXT("int first"), TEXT("int second")};
    test_text_equal(layout_call(&arena, TEXT("void f"), items, 2, ";"), "void f(int first, int second);");
    char name[LAYOUT_COLUMNS];
    memset(name, 'x', sizeof name);
    /* "(int first, int second);" takes 24 columns. */
    struct text head = {name, LAYOUT_COLUMNS - 24};
    struct text fits = layout_call(&arena, head, items, 2, ";");
    assert_int_equal(fits.size, LAYOUT_COLUMNS);
    assert_null(memchr(fits.bytes, '\n', fits.size));
    head.size++;
    struct text broken = layout_call(&arena, head, items, 2, ";");
    assert_non_null(strstr(broken.bytes, "int first,\n"));
    assert_int_equal(broken.bytes[strlen(broken.bytes) - 1], ';');
    arena_free(&arena);
}

static void bytes_as_constants(void **state)
{
    (void)state;
    struct arena arena = {0};
    test_text_equal(layout_bytes(&arena, (struct text){"a'\\\n\0\xe2", 6}),
                    "    'a', '\\'', '\\\\', '\\n', '\\x00', '\\xe2',");
    arena_free(&arena);
}

static void paths_for_build_tools(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct text path = TEXT("../my $x/a#b.c");
    test_text_equal(layout_make_path(&arena, path), "../my\\ $$x/a\\#b.c");
    test_text_equal(layout_shell_path(&arena, path), "../my\\ \\$$x/a\\#b.c");
    test_text_equal(layout_cmake_path(&arena, path), "../my \\$x/a#b.c");
    assert_true(layout_is_path_writable(path));
    assert_false(layout_is_path_writable(TEXT("a;b.c")));
    assert_false(layout_is_path_writable(TEXT("a\nb.c")));
    arena_free(&arena);
}

#define HASH "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void locks(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct lock *lock =
        lock_parse(&arena, TEXT("# comment\ngenerator 9\noption vendor\nnew-word x\nfile " HASH " Makefile\n"
                                "file " HASH " a b/c\nfile " HASH " Makefile\nfile short x\n"));
    assert_true(lock->vendor);
    assert_int_equal(lock->count, 2);
    test_text_equal(lock->files[0].path, "Makefile");
    test_text_equal(lock->files[0].hash, HASH);
    test_text_equal(lock->files[1].path, "a b/c");
    assert_ptr_equal(map_find(&lock->by_path, TEXT("a b/c")), &lock->files[1]);
    arena_free(&arena);
}

/* What a lock lists may be removed: it must not lead out of its folder. */
static void locks_stay_in_their_folder(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct lock *lock =
        lock_parse(&arena, TEXT("file " HASH " ../x\nfile " HASH " /etc/passwd\nfile " HASH " a/../../x\n"
                                "file " HASH " ./a\nfile " HASH " a//b\n"));
    assert_int_equal(lock->count, 0);
    assert_false(lock->vendor);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(relative_paths),
        cmocka_unit_test(canonical_paths),
        cmocka_unit_test(folders_and_joins),
        cmocka_unit_test(calls_are_broken_at_the_edge),
        cmocka_unit_test(bytes_as_constants),
        cmocka_unit_test(paths_for_build_tools),
        cmocka_unit_test(locks),
        cmocka_unit_test(locks_stay_in_their_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

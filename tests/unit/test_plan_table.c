/* Perfect hash tables: every text finds its own child, no other text finds any, and building is linear. */
#include <stdio.h>

#include "test_spec.h"

#include <stdio.h>

#include "plan/table.h"

static struct plan_child *children_make(struct arena *arena, size_t count, const char *format)
{
    struct plan_child *children = arena_take_array(arena, count, sizeof *children);
    for (size_t i = 0; i < count; i++) {
        char text[64];
        snprintf(text, sizeof text, format, i);
        children[i].bytes = arena_copy(arena, text_of(text));
    }
    return children;
}

static void check(size_t count, const char *format)
{
    struct arena arena = {0};
    struct plan_child *children = children_make(&arena, count, format);
    const struct plan_table *table = plan_table_build(&arena, children, count);
    size_t used = 0;
    for (size_t i = 0; i < table->slot_count; i++)
        used += table->slots[i] != 0;
    assert_int_equal(used, count);
    assert_true(table->slot_count < 4 * count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(plan_table_find(table, children, children[i].bytes), i + 1);
    assert_int_equal(plan_table_find(table, children, TEXT("stranger")), 0);
    assert_int_equal(plan_table_find(table, children, TEXT("")), 0);
    arena_free(&arena);
}

static void few_and_many(void **state)
{
    (void)state;
    for (size_t count = 17; count < 200; count++)
        check(count, "segment%zu");
    check(100000, "segment%zu");
}

static void alike_texts(void **state)
{
    (void)state;
    check(1000, "%zu");
    check(1000, "the same long beginning of a segment, and then %zu");
    check(1000, "%020zu");
}

static void seeds_fit_the_emitted_type(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct plan_child *children = children_make(&arena, 20000, "x%zu");
    const struct plan_table *table = plan_table_build(&arena, children, 20000);
    for (size_t i = 0; i < table->seed_count; i++)
        assert_true(table->seeds[i] <= UINT16_MAX);
    arena_free(&arena);
}

static void same_every_time(void **state)
{
    (void)state;
    struct arena arena = {0};
    const struct plan_table *tables[2];
    for (size_t i = 0; i < 2; i++)
        tables[i] = plan_table_build(&arena, children_make(&arena, 500, "k%zu"), 500);
    assert_int_equal(tables[0]->key, tables[1]->key);
    assert_memory_equal(tables[0]->seeds, tables[1]->seeds, tables[0]->seed_count * sizeof *tables[0]->seeds);
    assert_memory_equal(tables[0]->slots, tables[1]->slots, tables[0]->slot_count * sizeof *tables[0]->slots);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_and_many),
        cmocka_unit_test(alike_texts),
        cmocka_unit_test(seeds_fit_the_emitted_type),
        cmocka_unit_test(same_every_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

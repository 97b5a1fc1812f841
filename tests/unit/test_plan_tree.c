/* The dispatch as data: which nodes there are, what they lead to, how routes and functions are named. That the code made
 * of it answers as it should is tested by blackbox/test_dispatch.py. */
#include "test_plan.h"

#define HW_PREFIX test
#include <hardwire/hardwire.h>

static const struct plan_node *literal_find(const struct plan_node *node, const char *text)
{
    for (size_t i = 0; i < node->literals.count; i++)
        if (text_is(node->literals.list[i].bytes, text))
            return node->literals.list[i].node;
    fail_msg("no child %s", text);
    return NULL;
}

static void order_of_the_spec_does_not_matter(void **state)
{
    (void)state;
    struct test_spec test = {0};
    struct plan *plan = test_plan_take(&test, "",
                                       "  POST /b: b\n  GET /b: a\n  /b: any\n  GET h/: h\n  GET /a/{x}: x\n"
                                       "  /: r\n  GET /{$}: e\n");
    static const char *const expected[] = {"GET /{$}", "/", "GET /a/{x}", "GET /b", "POST /b", "/b", "GET h/"};
    assert_int_equal(plan->route_count, 7);
    for (size_t i = 0; i < plan->route_count; i++)
        test_text_equal(plan->routes[i].spec->pattern.written, expected[i]);
    test_spec_free(&test);
}

static void shared_segments_are_nodes(void **state)
{
    (void)state;
    struct test_spec test = {0};
    struct plan *plan = test_plan_take(&test, "",
                                       "  GET /users: list\n  POST /users: create\n  GET /users/{id}: one\n"
                                       "  GET /users/{id}/posts/{post}: post\n  GET /health: {text: ok}\n");
    const struct plan_node *root = plan->tree;
    assert_true(root->is_root);
    assert_int_equal(root->literals.count, 2);
    test_text_equal(root->literals.list[0].bytes, "users"); /* ordered by size */

    const struct plan_node *users = root->literals.list[0].node;
    test_text_equal(users->name, "node_users");
    test_text_equal(users->path, "/users");
    assert_int_equal(users->exact.count, 2);
    assert_int_equal(users->literals.count, 0);
    assert_non_null(users->one);
    test_text_equal(users->one->name, "node_users_id");
    assert_int_equal(users->one->capture_count, 1);
    assert_int_equal(users->one->exact.count, 1);

    const struct plan_tail *tail = literal_find(users->one, "posts")->tail;
    assert_non_null(tail);
    test_text_equal(tail->text, "/");
    assert_true(tail->has_wildcards);
    assert_int_equal(tail->ending, PLAN_ENDING_EXACT);

    /* A function stands behind those that it calls. */
    assert_int_equal(plan->node_count, 3);
    assert_ptr_equal(plan->nodes[0], users->one);
    assert_ptr_equal(plan->nodes[1], users);
    assert_ptr_equal(plan->nodes[2], root);
    test_spec_free(&test);
}

static void tails_of_every_ending(void **state)
{
    (void)state;
    struct test_spec test = {0};
    struct plan *plan = test_plan_take(&test, "",
                                       "  GET /a/b/c: a\n  GET /d/{x}/{$}: d\n  GET /e/{x}/f/: e\n"
                                       "  GET /g/{rest...}: g\n");
    static const struct {
        const char *child, *text;
        enum plan_ending ending;
        bool has_wildcards, rest_is_captured;
    } expected[] = {
        {"a", "/b/c", PLAN_ENDING_EXACT, false, false},
        {"d", "/", PLAN_ENDING_SLASH, true, false},
        {"e", "//f", PLAN_ENDING_REST, true, false},
        {"g", "", PLAN_ENDING_REST, false, true},
    };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        const struct plan_tail *tail = literal_find(plan->tree, expected[i].child)->tail;
        assert_non_null(tail);
        test_text_equal(tail->text, expected[i].text);
        assert_int_equal(tail->ending, expected[i].ending);
        assert_int_equal(tail->has_wildcards, expected[i].has_wildcards);
        assert_int_equal(tail->rest_is_captured, expected[i].rest_is_captured);
    }
    test_spec_free(&test);
}

static uint32_t methods_of(const struct plan *plan, const char *pattern)
{
    for (size_t i = 0; i < plan->route_count; i++)
        if (text_is(plan->routes[i].spec->pattern.written, pattern))
            return plan->routes[i].methods;
    fail_msg("no route %s", pattern);
    return 0;
}

static void get_takes_head_unless_another_does(void **state)
{
    (void)state;
    struct test_spec test = {0};
    const uint32_t get = 1u << HW_METHOD_GET, head = 1u << HW_METHOD_HEAD;
    struct plan *plan = test_plan_take(&test, "", "  GET /a: a\n  HEAD /a: h\n  GET /b: b\n  /b: any\n");
    assert_int_equal(methods_of(plan, "GET /a"), get);
    assert_int_equal(methods_of(plan, "HEAD /a"), head);
    assert_int_equal(methods_of(plan, "GET /b"), get | head);
    assert_int_equal(methods_of(plan, "/b"), PLAN_METHODS_ANY);
    assert_int_equal(plan->methods, get | head);
    test_spec_free(&test);
}

static void names_are_unique_and_never_the_authors(void **state)
{
    (void)state;
    struct test_spec test = {0};
    struct plan *plan = test_plan_take(&test, "",
                                       "  GET /a_b: route_GET_a_b\n  GET /a/b: request\n  GET /a-b: node_root\n"
                                       "  GET /%C3%A9/x: x\n  GET /%C3%A9/y: y\n");
    test_text_equal(plan->routes[0].thunk, "route_GET_a_b_2");
    test_text_equal(plan->routes[0].suffix, "_given");
    test_text_equal(plan->routes[1].thunk, "route_GET_a_b_3");
    test_text_equal(plan->routes[2].thunk, "route_GET_a_b_4");
    test_text_equal(plan->routes[2].suffix, "");
    test_text_equal(plan->tree->name, "node_root_2");
    for (size_t i = 0; i < plan->route_count; i++)
        for (size_t k = 0; k < i; k++)
            assert_false(text_is_equal(plan->routes[i].id, plan->routes[k].id));
    test_spec_free(&test);
}

static void same_thunks_are_shared(void **state)
{
    (void)state;
    struct test_spec test = {0};
    struct plan *plan = test_plan_take(&test, "", "  GET /a/{x}: h\n  GET /b/{x}: h\n  GET /c: {text: ok}\n");
    assert_true(plan->routes[0].owns_thunk);
    assert_false(plan->routes[1].owns_thunk);
    test_text_equal(plan->routes[1].thunk, "route_GET_a_x");
    assert_int_equal(plan->routes[2].thunk.size, 0);
    assert_int_equal(plan->handler_count, 1);
    assert_int_equal(plan->handlers[0]->route_count, 2);
    test_spec_free(&test);
}

static void many_children_get_a_table(void **state)
{
    (void)state;
    struct test_spec test = {0};
    struct buffer routes = {0};
    for (int i = 0; i < PLAN_SWITCH_MAX; i++)
        buffer_format(&routes, "  GET /p%d: h\n", i);
    assert_null(test_plan_take(&test, "", routes.bytes)->tree->literals.table);
    buffer_add(&routes, TEXT("  GET /more: h\n"));
    struct plan *plan = test_plan_take(&test, "", routes.bytes);
    assert_non_null(plan->tree->literals.table);
    assert_int_equal(plan->table_count, 1);
    buffer_free(&routes);
    test_spec_free(&test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_of_the_spec_does_not_matter),
        cmocka_unit_test(shared_segments_are_nodes),
        cmocka_unit_test(tails_of_every_ending),
        cmocka_unit_test(get_takes_head_unless_another_does),
        cmocka_unit_test(names_are_unique_and_never_the_authors),
        cmocka_unit_test(same_thunks_are_shared),
        cmocka_unit_test(many_children_get_a_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

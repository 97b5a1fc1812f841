/* What the tests of gen/plan and gen/emit share: a plan from a spec's text. */
#ifndef TEST_PLAN_H
#define TEST_PLAN_H

#include "test_spec.h"

#include "plan/plan.h"

/* Fails unless the spec is taken; returns its plan. `routes` is what stands below `routes:`. */
static inline struct plan *test_plan_take(struct test_spec *test, const char *head, const char *routes)
{
    struct text source = arena_format(&test->arena, TEST_SPEC_HEAD "%sroutes:\n%s", head, routes);
    struct spec_model *model = test_spec_take(test, source.bytes);
    struct plan *plan = plan_make(&test->arena, model, &test->diagnostics);
    if (plan == NULL) {
        diagnostics_render(&test->diagnostics, &test->messages);
        fail_msg("not planned: %s\n%s", source.bytes, test->messages.bytes);
    }
    return plan;
}

#endif

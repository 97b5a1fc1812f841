/* See plan.h. */
#include "plan/plan.h"

#include "plan/stages.h"
#include "plan/tree.h"
#include "spec/spec.h"

struct plan *plan_make(struct arena *arena, const struct spec_model *model, struct diagnostics *diagnostics)
{
    struct plan *plan = arena_take(arena, sizeof *plan);
    plan->model = model;
    plan->name = model->name;
    plan->upper = plan_name_upper(arena, model->name);
    plan->has_main = model->numbers[KEY_MAIN].value != 0;

    plan->has_tls = spec_has_tls(model);
    plan->has_http2 = spec_has_protocol(model, SPEC_PROTOCOL_HTTP2);

    struct plan_names names = {0};
    for (size_t i = 0; i < model->route_count; i++)
        if (model->routes[i].answer == SPEC_ANSWER_HANDLER)
            plan_name_reserve(&names, arena, model->routes[i].content);

    plan_routes_make(plan, arena, &names);
    plan_tree_build(plan, arena, &names);
    plan_handlers_make(plan, arena);
    plan_answers_make(plan, arena);
    plan_memory_count(&plan->memory, model, plan_config_make(plan, arena));
    plan_build_make(plan, arena);
    return plan_memory_check(&plan->memory, model, diagnostics) ? plan : NULL;
}

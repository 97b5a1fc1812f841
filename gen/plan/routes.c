/* The routes in the order of the output, their thunks' names, and the constants that hold for them. */
#include <stdlib.h>

#include "base/buffer.h"
#include "plan/stages.h"
#include "plan/tree.h"
#include "spec/spec.h"

#define THUNK_PREFIX "route_"

/* The names of a thunk's parameters and variables. A handler may have one of them: it could not be called then. */
static const char *const thunk_locals[] = {"request", "response", "piece", "params", "natural", "integer"};

static struct text thunk_suffix(struct text handler)
{
    for (size_t i = 0; i < sizeof thunk_locals / sizeof thunk_locals[0]; i++)
        if (text_is(handler, thunk_locals[i]))
            return TEXT("_given");
    return TEXT("");
}

/* What a thunk does: two routes with the same text share one. */
static struct text thunk_key(struct arena *arena, const struct spec_route *route)
{
    struct buffer out = {0};
    buffer_add(&out, route->content);
    for (size_t i = 0; i < route->param_count; i++) {
        const struct spec_param *param = &route->params[i];
        buffer_format(&out, " %.*s %d %lld %lld %llu %llu", TEXT_ARGS(param->name), (int)param->type,
                      (long long)param->min_i, (long long)param->max_i, (unsigned long long)param->min_u,
                      (unsigned long long)param->max_u);
    }
    struct text key = arena_copy(arena, buffer_text(&out));
    buffer_free(&out);
    return key;
}

static void overrides_make(struct plan_route *route, struct arena *arena, struct plan_names *constants)
{
    const struct spec_number *numbers = route->spec->numbers;
    if (numbers == NULL)
        return;
    route->overrides = arena_take_array(arena, SPEC_KEY_COUNT, sizeof *route->overrides);
    const struct spec_pattern *pattern = &route->spec->pattern;
    struct text name = plan_name_upper(arena, plan_name_of_pattern(arena, pattern, pattern->segment_count, true));
    for (int key = 0; key < SPEC_KEY_COUNT; key++) {
        const struct spec_key_row *row = spec_key_row((enum spec_key)key);
        if (!row->on_route || !spec_key_is_number((enum spec_key)key) || !numbers[key].is_set)
            continue;
        struct text constant = arena_format(arena, "HW_ROUTE_%.*s_%s", TEXT_ARGS(name), row->id);
        route->overrides[route->override_count++] = (struct plan_override){
            .key = (enum spec_key)key,
            .constant = plan_name_take(constants, arena, constant),
            .number = &numbers[key],
        };
    }
}

/* The constant that holds for a route. */
static struct text constant_of(const struct plan_route *route, struct arena *arena, enum spec_key key)
{
    for (size_t i = 0; i < route->override_count; i++)
        if (route->overrides[i].key == key)
            return route->overrides[i].constant;
    return arena_format(arena, "HW_%s", spec_key_row(key)->id);
}

void plan_routes_make(struct plan *plan, struct arena *arena, struct plan_names *names)
{
    const struct spec_model *model = plan->model;
    plan->route_count = model->route_count;
    plan->routes = arena_take_array(arena, plan->route_count, sizeof *plan->routes);
    for (size_t i = 0; i < plan->route_count; i++)
        plan->routes[i].spec = &model->routes[i];
    if (plan->route_count != 0)
        qsort(plan->routes, plan->route_count, sizeof *plan->routes, plan_route_compare);

    struct plan_names constants = {0};
    struct map thunks = {0};
    for (size_t i = 0; i < plan->route_count; i++) {
        struct plan_route *route = &plan->routes[i];
        const struct spec_pattern *pattern = &route->spec->pattern;
        overrides_make(route, arena, &constants);
        route->body_size = constant_of(route, arena, KEY_LIMITS_BODY_SIZE);
        route->body_ms = constant_of(route, arena, KEY_TIMEOUTS_BODY);
        route->write_ms = constant_of(route, arena, KEY_TIMEOUTS_WRITE);
        route->handler_ms = constant_of(route, arena, KEY_TIMEOUTS_HANDLER);
        route->answer = PLAN_NO_ANSWER;
        struct text name = plan_name_of_pattern(arena, pattern, pattern->segment_count, true);
        struct text thunk = plan_name_take(names, arena, arena_format(arena, THUNK_PREFIX "%.*s", TEXT_ARGS(name)));
        route->id = (struct text){thunk.bytes + strlen(THUNK_PREFIX), thunk.size - strlen(THUNK_PREFIX)};
        if (route->spec->answer != SPEC_ANSWER_HANDLER)
            continue;
        struct plan_route *same = map_add(&thunks, arena, thunk_key(arena, route->spec), route);
        route->owns_thunk = same == NULL;
        plan->thunk_count += same == NULL;
        route->thunk = same == NULL ? thunk : same->thunk;
        route->suffix = thunk_suffix(route->spec->content);
    }
}

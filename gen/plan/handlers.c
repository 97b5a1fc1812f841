/* The author's functions, one prototype each. That its routes agree about it, and that it may have its name, gen/spec
 * has seen to. */
#include "plan/lists.h"
#include "plan/stages.h"

static bool ranges_are_same(const struct plan_handler *handler, const struct spec_route *route)
{
    for (size_t i = 0; i < handler->param_count; i++) {
        const struct spec_param *a = &handler->params[i];
        const struct spec_param *b = &route->params[i];
        if (!text_is_equal(a->name, b->name) || a->min_i != b->min_i || a->max_i != b->max_i || a->min_u != b->min_u ||
            a->max_u != b->max_u)
            return false;
    }
    return true;
}

void plan_handlers_make(struct plan *plan, struct arena *arena)
{
    struct map by_name = {0};
    plan->handlers = arena_take_array(arena, plan->route_count, sizeof(struct plan_handler *));
    for (size_t i = 0; i < plan->route_count; i++) {
        const struct spec_route *route = plan->routes[i].spec;
        if (route->answer != SPEC_ANSWER_HANDLER)
            continue;
        struct plan_handler *handler = map_find(&by_name, route->content);
        if (handler == NULL) {
            handler = arena_take(arena, sizeof *handler);
            *handler = (struct plan_handler){
                .name = route->content,
                .takes_piece = route->body_mode == SPEC_BODY_STREAM,
                .params = route->params,
                .param_count = route->param_count,
                .same_ranges = true,
            };
            map_add(&by_name, arena, route->content, handler);
            plan->handlers[plan->handler_count++] = handler;
        }
        handler->same_ranges = handler->same_ranges && ranges_are_same(handler, route);
        plan_index_add(arena, &handler->routes, &handler->route_count, i);
        plan->routes[i].handler = handler;
    }
}

/* The constants of NAME_config.h: a row of the table of keys each, the routes' own numbers, and what follows from the
 * spec as a whole. */
#include "plan/stages.h"
#include "spec/spec.h"

/* "limits.body_size: 1MiB"; what a plain number says already is not said again. */
static struct text comment_of(struct arena *arena, const struct spec_key_row *row, const struct spec_number *number)
{
    if (row->type == SPEC_COUNT || (row->type == SPEC_COUNT_OR_OFF && number->value != 0))
        return text_of(row->path);
    return arena_format(arena, "%s: %.*s", row->path, TEXT_ARGS(number->written));
}

static struct plan_constant constant_make(struct arena *arena, struct text name, const struct spec_key_row *row,
                                          const struct spec_number *number)
{
    if (row->type == SPEC_TOKENS)
        return (struct plan_constant){
            .name = name,
            .value = arena_format(arena, "\"%.*s\"", TEXT_ARGS(number->written)),
            .comment = text_of(row->path),
        };
    return (struct plan_constant){
        .name = name,
        .value = arena_format(arena, row->type == SPEC_TLS_VERSION ? "0x%04llx" : "%lluull",
                              (unsigned long long)number->value),
        .comment = comment_of(arena, row, number),
    };
}

static struct plan_section *section_add(struct plan *plan, struct arena *arena, struct text title, size_t room)
{
    struct plan_section *section = &plan->sections[plan->section_count++];
    section->title = title;
    section->constants = arena_take_array(arena, room, sizeof *section->constants);
    return section;
}

/* One section a mapping of the table, in its order. `main` chooses a file and is no constant. */
static void server_sections_make(struct plan *plan, struct arena *arena)
{
    struct plan_section *section = NULL;
    for (int key = 0; key < SPEC_KEY_COUNT; key++) {
        const struct spec_key_row *row = spec_key_row((enum spec_key)key);
        if (row->type == SPEC_MAPPING)
            section = section_add(plan, arena, text_of(row->path), SPEC_KEY_COUNT);
        else if (section != NULL && spec_key_is_number((enum spec_key)key))
            section->constants[section->count++] =
                constant_make(arena, arena_format(arena, "HW_%s", row->id), row, &plan->model->numbers[key]);
    }
}

static void route_section_make(struct plan *plan, struct arena *arena, const struct plan_route *route)
{
    if (route->override_count == 0)
        return;
    struct plan_section *section = section_add(plan, arena, route->spec->pattern.written, route->override_count);
    for (size_t i = 0; i < route->override_count; i++) {
        const struct plan_override *override = &route->overrides[i];
        section->constants[section->count++] =
            constant_make(arena, override->constant, spec_key_row(override->key), override->number);
    }
}

/* The route of mode memory whose bodies may be the largest, or NULL. */
static const struct plan_route *route_biggest(const struct plan *plan)
{
    const struct plan_route *biggest = NULL;
    uint64_t size = 0;
    for (size_t i = 0; i < plan->route_count; i++) {
        const struct plan_route *route = &plan->routes[i];
        if (route->spec->answer != SPEC_ANSWER_HANDLER || route->spec->body_mode != SPEC_BODY_MEMORY)
            continue;
        uint64_t own = spec_route_number(plan->model, route->spec, KEY_LIMITS_BODY_SIZE)->value;
        if (biggest == NULL || own > size) {
            biggest = route;
            size = own;
        }
    }
    return biggest;
}

static bool has_listener(const struct spec_model *model, bool is_unix)
{
    for (size_t i = 0; i < model->listener_count; i++)
        if ((model->listeners[i].kind == SPEC_LISTEN_UNIX) == is_unix)
            return true;
    return false;
}

static bool has_stream(const struct plan *plan)
{
    for (size_t i = 0; i < plan->handler_count; i++)
        if (plan->handlers[i]->takes_piece)
            return true;
    return false;
}

static void derived_section_make(struct plan *plan, struct arena *arena, const struct plan_route *biggest)
{
    struct plan_section *section = section_add(plan, arena, TEXT("features and derived numbers"), 8);
    const struct plan_constant constants[] = {
        {TEXT("HW_LISTENERS"), arena_format(arena, "%zu", plan->model->listener_count), TEXT("entries of listen")},
        {TEXT("HW_LISTEN_TCP"), has_listener(plan->model, false) ? TEXT("1") : TEXT("0"), TEXT("some listener is TCP")},
        {TEXT("HW_LISTEN_UNIX_ANY"), has_listener(plan->model, true) ? TEXT("1") : TEXT("0"),
         TEXT("some listener is a unix socket")},
        {TEXT("HW_TLS"), plan->has_tls ? TEXT("1") : TEXT("0"), TEXT("some listener has TLS")},
        {TEXT("HW_HTTP2"), plan->has_http2 ? TEXT("1") : TEXT("0"), TEXT("some listener has HTTP/2")},
        {TEXT("HW_BODY_MEMORY_SIZE"), biggest == NULL ? TEXT("0ull") : biggest->body_size,
         biggest == NULL ? TEXT("no route reads a body whole") : TEXT("the largest body that a route reads whole")},
        {TEXT("HW_BODY_STREAM_ANY"), has_stream(plan) ? TEXT("1") : TEXT("0"), TEXT("some route has body mode stream")},
        {TEXT("HW_HANDLERS"), plan->handler_count != 0 ? TEXT("1") : TEXT("0"), TEXT("some route has a handler")},
    };
    section->count = sizeof constants / sizeof constants[0];
    memcpy(section->constants, constants, sizeof constants);
}

uint64_t plan_config_make(struct plan *plan, struct arena *arena)
{
    plan->sections = arena_take_array(arena, SPEC_KEY_COUNT + plan->route_count + 1, sizeof *plan->sections);
    server_sections_make(plan, arena);
    for (size_t i = 0; i < plan->route_count; i++)
        route_section_make(plan, arena, &plan->routes[i]);
    const struct plan_route *biggest = route_biggest(plan);
    derived_section_make(plan, arena, biggest);
    return biggest == NULL ? 0 : spec_route_number(plan->model, biggest->spec, KEY_LIMITS_BODY_SIZE)->value;
}

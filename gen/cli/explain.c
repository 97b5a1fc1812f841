/* hardwire explain SPEC */
#include "cli/cli.h"
#include "spec/spec.h"

static void value_add(struct buffer *out, const char *key, struct text value, const struct spec_model *model,
                      struct spec_place place)
{
    buffer_format(out, "  %-24s %-24.*s ", key, TEXT_ARGS(value));
    if (place.line == 0)
        buffer_add(out, TEXT("default\n"));
    else
        buffer_format(out, "%.*s:%u\n", TEXT_ARGS(model->file), place.line);
}

/* The protocols of a listener that has more than HTTP/1.1, or TLS. */
static struct text protocols_format(struct arena *arena, const struct spec_listener *listener)
{
    const char *http2 = listener->tls != NULL ? "h2" : "h2c";
    bool has_http1 = (listener->protocols & SPEC_PROTOCOL_HTTP1) != 0;
    bool has_http2 = (listener->protocols & SPEC_PROTOCOL_HTTP2) != 0;
    return arena_format(arena, "%s%s%s%s", listener->tls != NULL ? "TLS with " : "", has_http2 ? http2 : "",
                        has_http1 && has_http2 ? " and " : "", has_http1 ? "http/1.1" : "");
}

static void listeners_add(struct buffer *out, struct arena *arena, const struct spec_model *model)
{
    for (size_t i = 0; i < model->listener_count; i++) {
        const struct spec_listener *listener = &model->listeners[i];
        struct text value;
        if (listener->kind == SPEC_LISTEN_UNIX)
            value = arena_format(arena, "unix:%.*s", TEXT_ARGS(listener->address));
        else
            value = arena_format(arena, listener->kind == SPEC_LISTEN_IPV6 ? "[%.*s]:%u" : "%.*s:%u",
                                 TEXT_ARGS(listener->address), listener->port);
        if (listener->address_env.size != 0)
            value = arena_format(arena, "%.*s, or address $%.*s", TEXT_ARGS(value), TEXT_ARGS(listener->address_env));
        if (listener->port_env.size != 0)
            value = arena_format(arena, "%.*s, or port $%.*s", TEXT_ARGS(value), TEXT_ARGS(listener->port_env));
        if (listener->tls != NULL || (listener->protocols & SPEC_PROTOCOL_HTTP2) != 0) {
            struct text protocols = protocols_format(arena, listener);
            value = arena_format(arena, "%.*s, %.*s", TEXT_ARGS(value), TEXT_ARGS(protocols));
        }
        value_add(out, "listen", value, model, listener->place);
    }
}

static void values_add(struct buffer *out, struct arena *arena, const struct spec_model *model)
{
    buffer_add(out, TEXT("Values\n"));
    value_add(out, "name", model->name, model, model->name_place);
    for (size_t i = 0; i < model->source_count; i++)
        value_add(out, "sources", model->sources[i].path, model, model->sources[i].place);
    listeners_add(out, arena, model);
    for (int key = 0; key < SPEC_KEY_COUNT; key++)
        if (spec_key_is_number((enum spec_key)key)) {
            const struct spec_number *number = &model->numbers[key];
            value_add(out, spec_key_row((enum spec_key)key)->path, number->written, model, number->place);
        }
}

static void memory_add(struct buffer *out, struct arena *arena, const struct plan *plan)
{
    buffer_add(out, TEXT("\nMemory, all of it reserved at start\n"));
    for (size_t i = 0; i <= plan->memory.count; i++) {
        bool is_sum = i == plan->memory.count;
        uint64_t bytes = is_sum ? plan->memory.sum : plan->memory.lines[i].bytes;
        if (bytes == 0) /* of a feature that the spec does not use */
            continue;
        struct text size = plan_size_format(arena, bytes);
        buffer_format(out, "  %12llu  %10.*s  %s\n", (unsigned long long)bytes, TEXT_ARGS(size),
                      is_sum ? "in all" : plan->memory.lines[i].text);
    }
    const struct spec_number *limit = &plan->model->numbers[KEY_LIMITS_MEMORY_SIZE];
    buffer_format(out, "  %12llu  %10s  limits.memory_size: %.*s\n", (unsigned long long)limit->value, "",
                  TEXT_ARGS(limit->written));
}

static void route_add(struct buffer *out, const struct plan *plan, const struct plan_route *route)
{
    static const char *const modes[] = {"discard", "memory", "stream"};
    const struct spec_route *spec = route->spec;
    buffer_format(out, "  %-36.*s ", TEXT_ARGS(spec->pattern.written));
    if (spec->answer == SPEC_ANSWER_HANDLER)
        buffer_format(out, "handler %.*s, body %s%s", TEXT_ARGS(spec->content), modes[spec->body_mode],
                      spec->worker ? ", on a worker" : "");
    else if (spec->answer == SPEC_ANSWER_REDIRECT)
        buffer_format(out, "baked: %u to %.*s", spec->status, TEXT_ARGS(spec->content));
    else
        buffer_format(out, "baked: %u, %s, %zu bytes", spec->status, spec->answer == SPEC_ANSWER_JSON ? "JSON" : "text",
                      plan->answers[route->answer].body.size);
    for (size_t i = 0; i < route->override_count; i++)
        buffer_format(out, ", %s %.*s", spec_key_row(route->overrides[i].key)->path,
                      TEXT_ARGS(route->overrides[i].number->written));
    buffer_format(out, "  (%.*s:%u)\n", TEXT_ARGS(plan->model->file), spec->place.line);
}

int cli_explain(const struct cli_arguments *arguments)
{
    struct cli_spec spec = {0};
    int status = cli_spec_read(&spec, arguments);
    if (status == CLI_FINE) {
        struct buffer out = {0};
        values_add(&out, &spec.arena, spec.model);
        memory_add(&out, &spec.arena, spec.plan);
        buffer_add(&out, TEXT("\nRoutes\n"));
        for (size_t i = 0; i < spec.plan->route_count; i++)
            route_add(&out, spec.plan, &spec.plan->routes[i]);
        status = cli_print(&out);
        buffer_free(&out);
    }
    cli_spec_free(&spec);
    return status;
}

/* See values.h. Each function makes the value of one notion of the plan; templates/README.md lists what they hold. */
#include "emit/values.h"

#define HW_PREFIX hardwire
#include <hardwire/generated.h>
#include <stdio.h>

#include "emit/layout.h"
#include "spec/spec.h"

/* The longest string literal that ISO C promises, without what concatenation and the NUL may need. */
#define LITERAL_SIZE_MAX 4000

/* How many routes a comment names. */
#define COMMENT_ROUTES_MAX 8

static void text_set(struct arena *arena, struct ct_value *map, const char *key, struct text text)
{
    ct_map_set(arena, map, key, ct_text(arena, text));
}

static void safe_set(struct arena *arena, struct ct_value *map, const char *key, struct text text)
{
    ct_map_set(arena, map, key, ct_safe(arena, text));
}

static void number_set(struct arena *arena, struct ct_value *map, const char *key, size_t number)
{
    ct_map_set(arena, map, key, ct_integer(arena, (int64_t)number));
}

static void bool_set(struct arena *arena, struct ct_value *map, const char *key, bool truth)
{
    ct_map_set(arena, map, key, ct_bool(truth));
}

/* ---- Routes and what answers them. */

/* "HW_BIT(GET) | HW_BIT(HEAD)" */
static struct text methods_expression(struct arena *arena, uint32_t methods, const char *none)
{
    if (methods == PLAN_METHODS_ANY)
        return TEXT("HW_BIT_ANY");
    struct buffer out = {0};
    for (int method = 0; method < HW_METHOD_COUNT; method++)
        if ((methods >> method & 1) != 0)
            buffer_format(&out, "%sHW_BIT(%s)", out.size == 0 ? "" : " | ", spec_method_name(method));
    struct text expression = out.size == 0 ? text_of(none) : arena_copy(arena, buffer_text(&out));
    buffer_free(&out);
    return expression;
}

/* The numbers between which a parameter may be, as C writes them. */
static void range_set(struct arena *arena, struct ct_value *map, const struct spec_param *param)
{
    if (param->type == SPEC_PARAM_U32 || param->type == SPEC_PARAM_U64) {
        safe_set(arena, map, "minimum", arena_format(arena, "%lluu", (unsigned long long)param->min_u));
        safe_set(arena, map, "maximum", arena_format(arena, "%lluu", (unsigned long long)param->max_u));
        safe_set(
            arena, map, "range",
            arena_format(arena, "%llu to %llu", (unsigned long long)param->min_u, (unsigned long long)param->max_u));
        return;
    }
    safe_set(arena, map, "minimum",
             param->min_i == INT64_MIN ? TEXT("INT64_MIN") : arena_format(arena, "%lld", (long long)param->min_i));
    safe_set(arena, map, "maximum", arena_format(arena, "%lld", (long long)param->max_i));
    safe_set(arena, map, "range",
             arena_format(arena, "%lld to %lld", (long long)param->min_i, (long long)param->max_i));
}

static struct ct_value *params_value(struct arena *arena, const struct spec_param *params, size_t count,
                                     bool has_ranges)
{
    static const char *const types[] = {"text", "u32", "u64", "i32", "i64"};
    static const char *const ctypes[] = {"struct hw_text", "uint32_t", "uint64_t", "int32_t", "int64_t"};
    struct ct_value *list = ct_list(arena);
    for (size_t i = 0; i < count; i++) {
        struct ct_value *map = ct_map(arena);
        number_set(arena, map, "number", i);
        text_set(arena, map, "name", params[i].name);
        text_set(arena, map, "type", text_of(types[params[i].type]));
        safe_set(arena, map, "ctype", text_of(ctypes[params[i].type]));
        bool is_number = params[i].type != SPEC_PARAM_TEXT;
        if (is_number)
            range_set(arena, map, &params[i]);
        bool_set(arena, map, "has_range", is_number && has_ranges);
        ct_list_add(arena, list, map);
    }
    return list;
}

/* The parameters of a handler's prototype, or of a thunk with a suffix behind their names. */
static struct text signature(struct arena *arena, struct text head, struct text params_struct, bool has_piece,
                             struct text suffix, const char *tail)
{
    struct text items[4];
    size_t count = 0;
    items[count++] = arena_format(arena, "const struct hw_request *request%.*s", TEXT_ARGS(suffix));
    items[count++] = arena_format(arena, "struct hw_response *response%.*s", TEXT_ARGS(suffix));
    if (has_piece)
        items[count++] = arena_format(arena, "const struct hw_piece *piece%.*s", TEXT_ARGS(suffix));
    if (params_struct.size != 0)
        items[count++] = arena_format(arena, "const struct %.*s *params", TEXT_ARGS(params_struct));
    return layout_call(arena, head, items, count, tail);
}

static struct text params_struct_name(struct arena *arena, const struct plan *plan, const struct plan_handler *handler)
{
    if (handler->param_count == 0)
        return TEXT("");
    return arena_format(arena, "%.*s_%.*s_params", TEXT_ARGS(plan->name), TEXT_ARGS(handler->name));
}

static struct ct_value *route_value(struct arena *arena, const struct plan *plan, const struct plan_route *route)
{
    struct ct_value *map = ct_map(arena);
    text_set(arena, map, "id", route->id);
    text_set(arena, map, "pattern", route->spec->pattern.written);
    text_set(arena, map, "body_size", route->body_size);
    text_set(arena, map, "body_ms", route->body_ms);
    text_set(arena, map, "write_ms", route->write_ms);
    text_set(arena, map, "handler_ms", route->handler_ms);
    bool has_handler = route->handler != NULL;
    bool_set(arena, map, "has_handler", has_handler);
    if (!has_handler) {
        number_set(arena, map, "answer", route->answer);
        return map;
    }
    static const char *const modes[] = {"HW_BODY_DISCARD", "HW_BODY_MEMORY", "HW_BODY_STREAM"};
    text_set(arena, map, "mode", text_of(modes[route->spec->body_mode]));
    bool_set(arena, map, "worker", route->spec->worker);
    text_set(arena, map, "thunk", route->thunk);
    bool_set(arena, map, "owns_thunk", route->owns_thunk);
    if (!route->owns_thunk)
        return map;
    text_set(arena, map, "suffix", route->suffix);
    text_set(arena, map, "handler", route->handler->name);
    text_set(arena, map, "struct", params_struct_name(arena, plan, route->handler));
    bool_set(arena, map, "piece", route->handler->takes_piece);
    safe_set(arena, map, "signature",
             signature(arena, arena_format(arena, "static void %.*s", TEXT_ARGS(route->thunk)), TEXT(""), true,
                       route->suffix, ""));
    const struct spec_route *spec = route->spec;
    ct_map_set(arena, map, "params", params_value(arena, spec->params, spec->param_count, true));
    bool has_natural = false, has_integer = false;
    for (size_t i = 0; i < spec->param_count; i++) {
        has_natural |= spec->params[i].type == SPEC_PARAM_U32;
        has_integer |= spec->params[i].type == SPEC_PARAM_I32;
    }
    bool_set(arena, map, "has_natural", has_natural);
    bool_set(arena, map, "has_integer", has_integer);
    return map;
}

static struct ct_value *routes_value(struct arena *arena, const struct plan *plan)
{
    struct ct_value *list = ct_list(arena);
    for (size_t i = 0; i < plan->route_count; i++)
        ct_list_add(arena, list, route_value(arena, plan, &plan->routes[i]));
    return list;
}

/* Adds the lines of a text, one a list item; a comment is no place for other controls, c_comment sees to them. */
static void comment_lines_add(struct arena *arena, struct ct_value *list, struct text text)
{
    while (text.size != 0) {
        const char *newline = memchr(text.bytes, '\n', text.size);
        size_t size = newline == NULL ? text.size : (size_t)(newline - text.bytes);
        struct text line = {text.bytes, size};
        while (line.size != 0 && strchr(" \t\r", line.bytes[line.size - 1]) != NULL)
            line.size--;
        if (line.size != 0)
            ct_list_add(arena, list, ct_text(arena, line));
        size += newline != NULL;
        text = (struct text){text.bytes + size, text.size - size};
    }
}

/* What a comment says about some routes: their patterns, how they run, what the spec says about them. */
static struct ct_value *comment_value(struct arena *arena, const struct plan *plan, const size_t *routes, size_t count)
{
    struct ct_value *list = ct_list(arena);
    for (size_t i = 0; i < count && i < COMMENT_ROUTES_MAX; i++) {
        const struct spec_route *route = plan->routes[routes[i]].spec;
        bool is_stream = route->answer == SPEC_ANSWER_HANDLER && route->body_mode == SPEC_BODY_STREAM;
        struct text line =
            arena_format(arena, "%.*s%s%s", TEXT_ARGS(route->pattern.written), route->worker ? ", on a worker" : "",
                         is_stream ? ", for each piece of the body" : "");
        ct_list_add(arena, list, ct_text(arena, line));
        comment_lines_add(arena, list, route->description);
    }
    if (count > COMMENT_ROUTES_MAX)
        ct_list_add(arena, list,
                    ct_text(arena, arena_format(arena, "and %zu more routes", count - COMMENT_ROUTES_MAX)));
    return list;
}

static struct ct_value *handlers_value(struct arena *arena, const struct plan *plan)
{
    struct ct_value *list = ct_list(arena);
    for (size_t i = 0; i < plan->handler_count; i++) {
        const struct plan_handler *handler = plan->handlers[i];
        struct text params_struct = params_struct_name(arena, plan, handler);
        struct text head = arena_format(arena, "void %.*s", TEXT_ARGS(handler->name));
        struct ct_value *map = ct_map(arena);
        text_set(arena, map, "name", handler->name);
        text_set(arena, map, "struct", params_struct);
        bool_set(arena, map, "piece", handler->takes_piece);
        safe_set(arena, map, "prototype", signature(arena, head, params_struct, handler->takes_piece, TEXT(""), ";"));
        safe_set(arena, map, "definition", signature(arena, head, params_struct, handler->takes_piece, TEXT(""), ""));
        ct_map_set(arena, map, "params",
                   params_value(arena, handler->params, handler->param_count, handler->same_ranges));
        ct_map_set(arena, map, "comment", comment_value(arena, plan, handler->routes, handler->route_count));
        ct_list_add(arena, list, map);
    }
    return list;
}

/* ---- Baked answers. */

static struct ct_value *head_value(struct arena *arena, const struct plan_head *head, struct text name)
{
    struct ct_value *map = ct_map(arena);
    text_set(arena, map, "name", name);
    text_set(arena, map, "bytes", head->bytes);
    number_set(arena, map, "date_at", head->date_at);
    number_set(arena, map, "indent", strlen("static const char [] = ") + name.size);
    return map;
}

/* The frame's bytes part by part, each on a line of its own. */
static struct ct_value *frame_value(struct arena *arena, const struct plan_frame *frame, size_t number)
{
    struct ct_value *map = head_value(arena, &frame->head, arena_format(arena, "head_%zu_frame", number));
    struct ct_value *parts = ct_list(arena);
    size_t start = 0;
    for (size_t i = 0; i < frame->part_count; i++) {
        ct_list_add(arena, parts,
                    ct_text(arena, (struct text){frame->head.bytes.bytes + start, frame->ends[i] - start}));
        start = frame->ends[i];
    }
    ct_map_set(arena, map, "parts", parts);
    int indent = (int)(strlen("static const char [] = head__frame") + (size_t)snprintf(NULL, 0, "%zu", number));
    safe_set(arena, map, "padding", arena_format(arena, "%*s", indent, ""));
    return map;
}

static struct ct_value *answers_value(struct arena *arena, const struct plan *plan)
{
    static const char *const variants[] = {"keep", "close", "keep_10"};
    struct ct_value *list = ct_list(arena);
    for (size_t i = 0; i < plan->answer_count; i++) {
        const struct plan_answer *answer = &plan->answers[i];
        struct ct_value *map = ct_map(arena);
        struct ct_value *heads = ct_list(arena);
        for (size_t variant = 0; variant < 3; variant++) {
            struct text name = arena_format(arena, "head_%zu_%s", i, variants[variant]);
            ct_list_add(arena, heads, head_value(arena, &answer->heads[variant], name));
        }
        ct_map_set(arena, map, "heads", heads);
        ct_map_set(arena, map, "frame",
                   answer->frame.part_count == 0 ? ct_none() : frame_value(arena, &answer->frame, i));
        bool is_literal = answer->body.size <= LITERAL_SIZE_MAX;
        number_set(arena, map, "body_size", answer->body.size);
        bool_set(arena, map, "is_literal", is_literal);
        text_set(arena, map, "body", answer->body);
        number_set(arena, map, "indent", (size_t)snprintf(NULL, 0, "static const char body_%zu[] = ", i));
        safe_set(arena, map, "bytes", is_literal ? TEXT("") : layout_bytes(arena, answer->body));
        ct_map_set(arena, map, "comment", comment_value(arena, plan, answer->routes, answer->route_count));
        ct_list_add(arena, list, map);
    }
    return list;
}

/* ---- The dispatch. */

/* The routes that stand at one place, to be tried in this order. */
static struct ct_value *run_value(struct arena *arena, const struct plan *plan, const struct plan_run *run)
{
    struct ct_value *list = ct_list(arena);
    for (size_t i = run->first; i < run->first + run->count; i++) {
        struct ct_value *map = ct_map(arena);
        safe_set(arena, map, "methods", methods_expression(arena, plan->routes[i].methods, "0"));
        text_set(arena, map, "id", plan->routes[i].id);
        number_set(arena, map, "captures", plan->routes[i].spec->param_count);
        ct_list_add(arena, list, map);
    }
    return list;
}

static uint32_t run_methods(const struct plan *plan, const struct plan_run *run)
{
    uint32_t methods = 0;
    for (size_t i = run->first; i < run->first + run->count; i++)
        methods |= plan->routes[i].methods;
    return methods;
}

/* What is left of one route's path, at a place with some wildcards before it. */
static void tail_set(struct arena *arena, const struct plan *plan, struct ct_value *map, const struct plan_tail *tail,
                     size_t first_capture)
{
    static const char *const endings[] = {"HW_ENDS", "HW_ENDS_SLASH", "HW_ENDS_TREE", "HW_ENDS_REST"};
    const struct plan_route *route = &plan->routes[tail->route];
    text_set(arena, map, "id", route->id);
    safe_set(arena, map, "methods", methods_expression(arena, route->methods, "0"));
    number_set(arena, map, "captures", route->spec->param_count);
    number_set(arena, map, "first_capture", first_capture);
    text_set(arena, map, "tail", tail->text);
    number_set(arena, map, "tail_size", tail->text.size);
    text_set(arena, map, "ending", text_of(endings[tail->ending + tail->rest_is_captured]));
    bool_set(arena, map, "is_literal", tail->ending == PLAN_ENDING_EXACT && !tail->has_wildcards);
}

/* Where a segment leads: to a node's function, or to what is left of one route's path. */
static void target_set(struct arena *arena, const struct plan *plan, struct ct_value *map, const struct plan_node *node)
{
    text_set(arena, map, "node", node->name);
    if (node->tail != NULL)
        tail_set(arena, plan, map, node->tail, node->capture_count);
}

static struct ct_value *child_value(struct arena *arena, const struct plan *plan, const struct plan_child *child)
{
    struct ct_value *map = ct_map(arena);
    text_set(arena, map, "bytes", child->bytes);
    number_set(arena, map, "size", child->bytes.size);
    target_set(arena, plan, map, child->node);
    return map;
}

/* The children of one size together. */
static struct ct_value *sizes_value(struct arena *arena, const struct plan *plan, const struct plan_children *children)
{
    struct ct_value *list = ct_list(arena);
    struct ct_value *same = NULL;
    for (size_t i = 0; i < children->count; i++) {
        const struct plan_child *child = &children->list[i];
        if (i == 0 || child->bytes.size != children->list[i - 1].bytes.size) {
            struct ct_value *group = ct_map(arena);
            same = ct_list(arena);
            number_set(arena, group, "size", child->bytes.size);
            ct_map_set(arena, group, "children", same);
            ct_list_add(arena, list, group);
        }
        ct_list_add(arena, same, child_value(arena, plan, child));
    }
    return list;
}

static struct ct_value *table_value(struct arena *arena, const struct plan *plan, const struct plan_children *children)
{
    const struct plan_table *table = children->table;
    struct ct_value *map = ct_map(arena);
    safe_set(arena, map, "key", arena_format(arena, "%luu", (unsigned long)table->key));
    number_set(arena, map, "size_max", children->size_max);
    number_set(arena, map, "seed_count", table->seed_count);
    number_set(arena, map, "slot_count", table->slot_count);
    safe_set(arena, map, "seeds", layout_numbers(arena, table->seeds, table->seed_count));
    struct ct_value *slots = ct_list(arena);
    bool has_leaves = false;
    for (size_t i = 0; i < table->slot_count; i++)
        if (table->slots[i] != 0) {
            const struct plan_child *child = &children->list[table->slots[i] - 1];
            struct ct_value *slot = child_value(arena, plan, child);
            has_leaves |= child->node->tail != NULL;
            number_set(arena, slot, "slot", i);
            ct_list_add(arena, slots, slot);
        }
    ct_map_set(arena, map, "slots", slots);
    bool_set(arena, map, "has_leaves", has_leaves);
    return map;
}

static void children_set(struct arena *arena, const struct plan *plan, struct ct_value *map,
                         const struct plan_children *children)
{
    ct_map_set(arena, map, "table", children->table == NULL ? ct_none() : table_value(arena, plan, children));
    ct_map_set(arena, map, "sizes", children->table != NULL ? ct_list(arena) : sizes_value(arena, plan, children));
    bool_set(arena, map, "has_children", children->count != 0);
}

/* The routes of a node as tails without text: what a node that is a table holds. Those with an ending come first,
 * because they have a say about the path without its last '/' before an exact route is taken. */
static struct ct_value *node_tails_value(struct arena *arena, const struct plan *plan, const struct plan_node *node)
{
    const struct plan_run runs[] = {node->end, node->rest, node->exact};
    static const enum plan_ending endings[] = {PLAN_ENDING_SLASH, PLAN_ENDING_REST, PLAN_ENDING_EXACT};
    struct ct_value *list = ct_list(arena);
    for (size_t r = 0; r < 3; r++)
        for (size_t i = runs[r].first; i < runs[r].first + runs[r].count; i++) {
            /* A route has one wildcard more than the place if that of the rest has a name. */
            bool is_captured = plan->routes[i].spec->param_count > node->capture_count;
            struct plan_tail tail = {.ending = endings[r], .rest_is_captured = is_captured, .route = i};
            struct ct_value *map = ct_map(arena);
            tail_set(arena, plan, map, &tail, node->capture_count);
            ct_list_add(arena, list, map);
        }
    return list;
}

static struct ct_value *node_value(struct arena *arena, const struct plan *plan, const struct plan_node *node)
{
    struct ct_value *map = ct_map(arena);
    text_set(arena, map, "name", node->name);
    text_set(arena, map, "path", node->path);
    bool_set(arena, map, "is_root", node->is_root);
    if (plan->nodes_are_tables)
        ct_map_set(arena, map, "tails", node_tails_value(arena, plan, node));
    number_set(arena, map, "captures", node->capture_count);
    ct_map_set(arena, map, "exact", run_value(arena, plan, &node->exact));
    ct_map_set(arena, map, "end", run_value(arena, plan, &node->end));
    ct_map_set(arena, map, "rest", run_value(arena, plan, &node->rest));
    bool_set(arena, map, "rest_is_captured", node->rest_is_captured);
    safe_set(arena, map, "below",
             methods_expression(arena, run_methods(plan, &node->end) | run_methods(plan, &node->rest), ""));
    children_set(arena, plan, map, &node->literals);
    if (node->one == NULL) {
        ct_map_set(arena, map, "one", ct_none());
    } else {
        struct ct_value *one = ct_map(arena);
        target_set(arena, plan, one, node->one);
        ct_map_set(arena, map, "one", one);
    }
    return map;
}

/* Which helpers the dispatch needs: an unused function is a warning. And the tails that need a table's row or a
 * structure of their own, because they are no plain text. */
struct dispatch_needs {
    bool routes, rests, slashes, segments, literals, tails;
};

static void target_note(struct dispatch_needs *needs, const struct plan_node *node, bool is_in_table)
{
    if (node->tail == NULL)
        return;
    bool is_literal = node->tail->ending == PLAN_ENDING_EXACT && !node->tail->has_wildcards;
    needs->routes |= is_literal && !is_in_table;
    needs->literals |= is_literal && !is_in_table && node->tail->text.size != 0;
    needs->tails |= !is_literal || is_in_table;
}

static void needs_note(struct dispatch_needs *needs, const struct plan_node *node)
{
    needs->routes |= node->exact.count + node->end.count != 0;
    needs->rests |= node->rest.count != 0;
    needs->slashes |= !node->is_root && node->end.count + node->rest.count != 0;
    needs->segments |= node->literals.count != 0 || node->one != NULL || node->end.count != 0;
    for (size_t i = 0; i < node->literals.count; i++)
        target_note(needs, node->literals.list[i].node, node->literals.table != NULL);
    if (node->one != NULL)
        target_note(needs, node->one, false);
}

static void dispatch_set(struct arena *arena, struct ct_value *context, const struct plan *plan)
{
    struct dispatch_needs needs = {0};
    struct ct_value *nodes = ct_list(arena);
    for (size_t i = 0; i < plan->node_count; i++) {
        needs_note(&needs, plan->nodes[i]);
        ct_list_add(arena, nodes, node_value(arena, plan, plan->nodes[i]));
    }
    ct_map_set(arena, context, "nodes", nodes);
    struct ct_value *hosts = ct_map(arena);
    text_set(arena, hosts, "name", TEXT("hosts"));
    children_set(arena, plan, hosts, &plan->hosts);
    ct_map_set(arena, context, "hosts", hosts);
    text_set(arena, context, "tree", plan->tree == NULL ? TEXT("") : plan->tree->name);
    needs.tails |= plan->nodes_are_tables;
    bool_set(arena, context, "nodes_are_tables", plan->nodes_are_tables);
    bool_set(arena, context, "has_many_thunks", plan->thunk_count > PLAN_THUNKS_MAX);
    bool_set(arena, context, "has_tables", plan->table_count != 0);
    /* A tail may end in each way, and walks segments. */
    bool_set(arena, context, "has_routes", needs.routes || needs.tails);
    bool_set(arena, context, "has_rests", needs.rests || needs.tails);
    bool_set(arena, context, "has_slashes", needs.slashes || needs.tails);
    bool_set(arena, context, "has_segments", needs.segments || needs.tails);
    bool_set(arena, context, "has_literals", needs.literals && !plan->nodes_are_tables);
    bool_set(arena, context, "has_tails", needs.tails);
    safe_set(arena, context, "methods", methods_expression(arena, plan->methods, "0"));
}

/* ---- Configuration, listeners and build. */

static struct ct_value *sections_value(struct arena *arena, const struct plan *plan)
{
    struct ct_value *list = ct_list(arena);
    for (size_t i = 0; i < plan->section_count; i++) {
        const struct plan_section *section = &plan->sections[i];
        struct ct_value *map = ct_map(arena);
        struct ct_value *constants = ct_list(arena);
        for (size_t k = 0; k < section->count; k++) {
            struct ct_value *constant = ct_map(arena);
            const struct plan_constant *row = &section->constants[k];
            text_set(arena, constant, "name", row->name);
            size_t around = strlen("#define   /*  */") + row->name.size + row->comment.size;
            bool is_string = row->value.size != 0 && row->value.bytes[0] == '"';
            safe_set(arena, constant, "value",
                     is_string && around < LAYOUT_COLUMNS ? layout_quoted(arena, row->value, LAYOUT_COLUMNS - around)
                                                          : row->value);
            text_set(arena, constant, "comment", row->comment);
            ct_list_add(arena, constants, constant);
        }
        text_set(arena, map, "title", section->title);
        ct_map_set(arena, map, "constants", constants);
        ct_list_add(arena, list, map);
    }
    return list;
}

/* Adds an initialiser ".name = value" to a list, from a text of the spec; nothing when it is empty. */
static void member_add(struct arena *arena, struct ct_value *list, const char *name, struct text text,
                       struct text variable)
{
    if (text.size == 0)
        return;
    struct ct_value *map = ct_map(arena);
    text_set(arena, map, "name", text_of(name));
    text_set(arena, map, "text", text);
    text_set(arena, map, "env", variable);
    ct_list_add(arena, list, map);
}

static struct ct_value *identities_value(struct arena *arena, const struct spec_tls *tls)
{
    struct ct_value *list = ct_list(arena);
    for (size_t i = 0; i < tls->identity_count; i++) {
        const struct spec_identity *identity = &tls->identities[i];
        struct ct_value *map = ct_map(arena);
        struct ct_value *files = ct_list(arena);
        member_add(arena, files, "certificate", identity->certificate.text, identity->certificate.variable);
        member_add(arena, files, "key", identity->key.text, identity->key.variable);
        member_add(arena, files, "pkcs12", identity->pkcs12.text, identity->pkcs12.variable);
        member_add(arena, files, "ocsp", identity->ocsp.text, identity->ocsp.variable);
        ct_map_set(arena, map, "files", files);
        text_set(arena, map, "password_env", identity->password_env);
        ct_list_add(arena, list, map);
    }
    return list;
}

static struct ct_value *tls_value(struct arena *arena, const struct spec_tls *tls)
{
    static const char *const auths[] = {"HW_CLIENT_AUTH_NONE", "HW_CLIENT_AUTH_WANT", "HW_CLIENT_AUTH_NEED"};
    struct ct_value *map = ct_map(arena);
    struct ct_value *authorities = ct_list(arena);
    ct_map_set(arena, map, "identities", identities_value(arena, tls));
    number_set(arena, map, "identity_count", tls->identity_count);
    text_set(arena, map, "client_auth", text_of(auths[tls->client_auth]));
    member_add(arena, authorities, "client_ca", tls->client_ca.text, tls->client_ca.variable);
    ct_map_set(arena, map, "authorities", authorities);
    return map;
}

static struct ct_value *listeners_value(struct arena *arena, const struct spec_model *model)
{
    static const char *const kinds[] = {"HW_LISTEN_IPV4", "HW_LISTEN_IPV6", "HW_LISTEN_UNIX"};
    static const char *const protocols[] = {"", "HW_PROTOCOL_HTTP1", "HW_PROTOCOL_HTTP2",
                                            "HW_PROTOCOL_HTTP1 | HW_PROTOCOL_HTTP2"};
    struct ct_value *list = ct_list(arena);
    for (size_t i = 0; i < model->listener_count; i++) {
        const struct spec_listener *listener = &model->listeners[i];
        struct ct_value *map = ct_map(arena);
        text_set(arena, map, "kind", text_of(kinds[listener->kind]));
        text_set(arena, map, "address", listener->address);
        text_set(arena, map, "address_env", listener->address_env);
        number_set(arena, map, "port", listener->port);
        text_set(arena, map, "port_env", listener->port_env);
        bool_set(arena, map, "is_unix", listener->kind == SPEC_LISTEN_UNIX);
        safe_set(arena, map, "protocols", text_of(protocols[listener->protocols]));
        ct_map_set(arena, map, "tls", listener->tls == NULL ? ct_none() : tls_value(arena, listener->tls));
        ct_list_add(arena, list, map);
    }
    return list;
}

/* The libraries of the system that the build files ask pkg-config for. */
static struct ct_value *libraries_value(struct arena *arena, const struct plan *plan)
{
    struct ct_value *list = ct_list(arena);
    for (size_t i = 0; i < plan->library_count; i++) {
        const struct plan_library *library = &plan->libraries[i];
        struct ct_value *map = ct_map(arena);
        safe_set(arena, map, "module", library->module);
        safe_set(arena, map, "minimum", library->minimum);
        safe_set(arena, map, "cmake", library->id);
        safe_set(arena, map, "title", library->title);
        safe_set(arena, map, "purpose", library->purpose);
        ct_list_add(arena, list, map);
    }
    return list;
}

static struct ct_value *sources_value(struct arena *arena, const struct plan *plan, const struct emit_build *build)
{
    struct ct_value *list = ct_list(arena);
    for (size_t i = 0; i < plan->source_count; i++) {
        struct ct_value *map = ct_map(arena);
        text_set(arena, map, "object", plan->sources[i].object);
        safe_set(arena, map, "make", layout_make_path(arena, build->sources[i]));
        safe_set(arena, map, "shell", layout_shell_path(arena, build->sources[i]));
        safe_set(arena, map, "cmake", layout_cmake_path(arena, build->sources[i]));
        ct_list_add(arena, list, map);
    }
    return list;
}

/* The spec's base name where it stands in comments of C, make and CMake: printable, on one line. */
static struct text base_printable(struct arena *arena, struct text base)
{
    char *bytes = arena_take(arena, base.size + 1);
    for (size_t i = 0; i < base.size; i++) {
        bool is_printable = base.bytes[i] >= ' ' && base.bytes[i] < 0x7F && strchr("\"\\?*", base.bytes[i]) == NULL;
        bytes[i] = is_printable ? base.bytes[i] : '_';
    }
    return (struct text){bytes, base.size};
}

static struct ct_value *units_value(struct arena *arena, const struct plan *plan)
{
    static const char *const parts[] = {"routes", "responses", "runtime", "main"};
    struct ct_value *list = ct_list(arena);
    for (size_t i = 0; i < (plan->has_main ? 4 : 3); i++)
        ct_list_add(arena, list, ct_text(arena, arena_format(arena, "%.*s_%s", TEXT_ARGS(plan->name), parts[i])));
    return list;
}

struct ct_value *values_make(struct arena *arena, const struct plan *plan, const struct emit_build *build)
{
    struct ct_value *context = ct_map(arena);
    safe_set(arena, context, "spec", base_printable(arena, plan->model->base));
    text_set(arena, context, "name", plan->name);
    text_set(arena, context, "upper", plan->upper);
    number_set(arena, context, "interface", HW_INTERFACE);
    bool_set(arena, context, "has_main", plan->has_main);
    bool_set(arena, context, "vendor", build->vendor);
    ct_map_set(arena, context, "routes", routes_value(arena, plan));
    ct_map_set(arena, context, "handlers", handlers_value(arena, plan));
    ct_map_set(arena, context, "answers", answers_value(arena, plan));
    dispatch_set(arena, context, plan);
    ct_map_set(arena, context, "sections", sections_value(arena, plan));
    ct_map_set(arena, context, "listeners", listeners_value(arena, plan->model));
    ct_map_set(arena, context, "libraries", libraries_value(arena, plan));
    ct_map_set(arena, context, "sources", sources_value(arena, plan, build));
    ct_map_set(arena, context, "units", units_value(arena, plan));
    struct ct_value *llhttp = ct_list(arena);
    for (size_t i = 0; i < build->llhttp_unit_count; i++)
        ct_list_add(arena, llhttp, ct_text(arena, build->llhttp_units[i]));
    ct_map_set(arena, context, "llhttp_units", llhttp);
    struct ct_value *files = ct_list(arena);
    for (size_t i = 0; i < plan->runtime_file_count; i++)
        ct_list_add(arena, files, ct_safe(arena, text_of(plan->runtime_files[i])));
    ct_map_set(arena, context, "runtime_files", files);
    return context;
}

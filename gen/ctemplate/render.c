/* Statements that run, and ct_render. */
#include "ctemplate/render.h"

#include <inttypes.h>
#include <stdio.h>

/* Frames of C a level: see the unit test that runs at the limit. */
const struct ct_limits ct_limits_default = {
    .output_size = (size_t)512 * 1024 * 1024,
    .made_size = (size_t)1024 * 1024 * 1024,
    .iterations = UINT64_C(100) * 1000 * 1000,
    .depth = 2000,
    .macros = 64,
    .includes = 16,
};

bool ct_depth_enter(struct ct_render *render, const struct ct_activation *activation, size_t offset)
{
    if (render->depth == render->limits.depth)
        return ct_fail(&render->report, activation->template, offset, "templates run more than %u levels deep",
                       render->limits.depth);
    render->depth++;
    return true;
}

bool ct_made_add(struct ct_render *render, const struct ct_activation *activation, size_t offset, size_t size)
{
    if (size > render->limits.made_size - render->made)
        return ct_fail(&render->report, activation->template, offset, "the expressions made more than %zu bytes",
                       render->limits.made_size);
    render->made += size;
    return true;
}

static bool output_add(struct ct_render *render, const struct ct_activation *activation, size_t offset,
                       struct text text)
{
    if (text.size > render->limits.output_size - (render->out->size - render->out_begin))
        return ct_fail(&render->report, activation->template, offset, "the output has more than %zu bytes",
                       render->limits.output_size);
    buffer_add(render->out, text);
    return true;
}

const struct ct_value *ct_ref_read(const struct ct_activation *activation, struct ct_ref ref)
{
    if (ref.free)
        return &activation->root->free[ref.slot];
    for (unsigned i = 0; i < ref.hops; i++)
        activation = activation->outer;
    return &activation->slots[ref.slot];
}

void ct_frame_begin(struct ct_activation *activation, const struct ct_frame *frame)
{
    static const struct ct_value missing = {.kind = CT_MISSING};
    for (size_t i = 0; i < frame->count; i++) {
        const struct ct_load *load = &frame->loads[i];
        activation->slots[load->slot] = load->is_copied ? *ct_ref_read(activation, load->from) : missing;
    }
}

/* Stores go to the own function's slots only. */
struct ct_value *ct_slot_of(struct ct_activation *activation, struct ct_ref ref)
{
    return &activation->slots[ref.slot];
}

struct ct_value ct_captured_take(struct ct_render *render, size_t begin)
{
    struct text text = {"", 0};
    if (render->out->size > begin) {
        text = (struct text){render->out->bytes + begin, render->out->size - begin};
        text = arena_copy(render->arena, text);
        render->out->size = begin;
        render->out->bytes[begin] = '\0';
    }
    return ct_value_text(text, true);
}

static bool print_run(struct ct_render *render, struct ct_activation *activation, const struct ct_statement *statement)
{
    struct ct_value value = {0};
    bool is_call = statement->print->kind == CT_EX_CALL;
    if (is_call ? !ct_call_evaluate(render, activation, statement->print, true, &value)
                : !ct_evaluate(render, activation, statement->print, &value))
        return false;
    if (value.kind == CT_UNDEFINED)
        return ct_fail_undefined(render, activation, statement->offset, &value);
    if (!ct_value_is_printable(&value) && value.kind == CT_TEXT)
        return ct_fail(&render->report, activation->template, statement->offset,
                       "this text is no C identifier, say what it becomes by a filter: c_string, c_char, c_ident, "
                       "c_comment, c_bytes, json, raw");
    if (!ct_value_is_printable(&value))
        return ct_fail(&render->report, activation->template, statement->offset,
                       "%s cannot be printed, only integers and texts can", ct_value_noun(&value));
    if (value.kind == CT_TEXT)
        return output_add(render, activation, statement->offset, value.text);
    char digits[24];
    int size = snprintf(digits, sizeof digits, "%" PRId64, value.integer);
    return output_add(render, activation, statement->offset, (struct text){digits, (size_t)size});
}

static bool if_run(struct ct_render *render, struct ct_activation *activation, const struct ct_branch *branch)
{
    for (; branch != NULL; branch = branch->next) {
        bool is_true = true;
        if (branch->condition != NULL && !ct_evaluate_truth(render, activation, branch->condition, &is_true))
            return false;
        if (is_true)
            return ct_run(render, activation, branch->body);
    }
    return true;
}

/* ---- Loops. */

/* Stores an item of a loop into its names. */
static bool targets_store(struct ct_render *render, struct ct_activation *activation, const struct ct_targets *targets,
                          bool is_unpacked, const struct ct_value *item)
{
    if (!is_unpacked) {
        *ct_slot_of(activation, targets->items[0].ref) = *item;
        return true;
    }
    size_t offset = targets->items[0].offset;
    if (item->kind == CT_UNDEFINED)
        return ct_fail_undefined(render, activation, offset, item);
    if (item->kind != CT_LIST)
        return ct_fail(&render->report, activation->template, offset, "%s cannot be taken apart into %zu names",
                       ct_value_noun(item), targets->count);
    if (item->list->count != targets->count)
        return ct_fail(&render->report, activation->template, offset,
                       "a list of %zu cannot be taken apart into %zu "
                       "names",
                       item->list->count, targets->count);
    for (size_t i = 0; i < targets->count; i++)
        *ct_slot_of(activation, targets->items[i].ref) = item->list->items[i];
    return true;
}

/* Keeps the items for which the loop's filter holds. */
static bool loop_filter(struct ct_render *render, struct ct_activation *activation, const struct ct_loop_parts *loop,
                        struct ct_items *items)
{
    struct ct_items kept = {0};
    for (size_t i = 0; i < items->count; i++) {
        bool is_true = false;
        ct_frame_begin(activation, &loop->filter_frame);
        if (!targets_store(render, activation, &loop->tested, loop->is_unpacked, &items->items[i]) ||
            !ct_evaluate_truth(render, activation, loop->filter, &is_true))
            return false;
        if (is_true)
            ct_items_add(render->arena, &kept, items->items[i]);
    }
    *items = kept;
    return true;
}

/* The pairs of a map, for `for key, value in map`. */
static void loop_pairs(struct arena *arena, const struct ct_entries *map, struct ct_items *items)
{
    *items = (struct ct_items){0};
    for (size_t i = 0; i < map->count; i++) {
        struct ct_value pair = ct_value_list(arena, 2);
        ct_items_add(arena, pair.list, ct_value_text(map->entries[i].key, false));
        ct_items_add(arena, pair.list, map->entries[i].value);
        ct_items_add(arena, items, pair);
    }
}

static bool loop_items(struct ct_render *render, struct ct_activation *activation, const struct ct_loop_parts *loop,
                       struct ct_items *items)
{
    struct ct_value value = {0};
    size_t offset = loop->items->offset;
    if (!ct_evaluate_lazy(render, activation, loop->items, &value))
        return false;
    if (value.kind == CT_UNDEFINED)
        return ct_fail_undefined(render, activation, offset, &value);
    if (value.kind == CT_MAP && loop->targets.count == 2)
        loop_pairs(render->arena, value.map, items);
    else if (!ct_value_items(render->arena, &value, items))
        return ct_fail(&render->report, activation->template, offset, "%s cannot be looped over",
                       ct_value_noun(&value));
    return loop->filter == NULL || loop_filter(render, activation, loop, items);
}

static bool for_run(struct ct_render *render, struct ct_activation *activation, const struct ct_statement *statement)
{
    const struct ct_loop_parts *loop = statement->loop;
    struct ct_items items = {0};
    if (!loop_items(render, activation, loop, &items))
        return false;
    if (items.count == 0) {
        ct_frame_begin(activation, &loop->else_frame);
        return ct_run(render, activation, loop->otherwise);
    }
    struct ct_loop state = {.count = items.count};
    for (; state.index < items.count; state.index++) {
        if (render->iterations++ >= render->limits.iterations)
            return ct_fail(&render->report, activation->template, statement->offset,
                           "the loops ran more than %" PRIu64 " times", render->limits.iterations);
        ct_frame_begin(activation, &loop->body_frame);
        if (!loop->loop.free)
            *ct_slot_of(activation, loop->loop) = (struct ct_value){.kind = CT_LOOP, .loop = &state};
        if (!targets_store(render, activation, &loop->targets, loop->is_unpacked, &items.items[state.index]) ||
            !ct_run(render, activation, loop->body))
            return false;
    }
    return true;
}

/* ---- Assignments. */

static bool set_run(struct ct_render *render, struct ct_activation *activation, const struct ct_statement *statement)
{
    struct ct_value value = {0};
    if (!ct_evaluate(render, activation, statement->set.value, &value))
        return false;
    *ct_slot_of(activation, statement->set.target.ref) = value;
    return true;
}

static bool capture_run(struct ct_render *render, struct ct_activation *activation,
                        const struct ct_capture_parts *capture)
{
    size_t begin = render->out->size;
    ct_frame_begin(activation, &capture->frame);
    if (!ct_run(render, activation, capture->body))
        return false;
    struct ct_value value = ct_captured_take(render, begin);
    if (capture->filter != NULL) {
        render->captured = value;
        if (!ct_evaluate(render, activation, capture->filter, &value))
            return false;
    }
    *ct_slot_of(activation, capture->target.ref) = value;
    return true;
}

static void macro_define(struct ct_render *render, struct ct_activation *activation, struct ct_macro_parts *macro)
{
    struct ct_closure *closure = arena_take(render->arena, sizeof *closure);
    *closure = (struct ct_closure){macro, activation};
    *ct_slot_of(activation, macro->target.ref) = (struct ct_value){.kind = CT_MACRO, .macro = closure};
}

static bool statement_run(struct ct_render *render, struct ct_activation *activation,
                          const struct ct_statement *statement)
{
    switch (statement->kind) {
    case CT_ST_TEXT:
        return output_add(render, activation, statement->offset, statement->text);
    case CT_ST_PRINT:
        return print_run(render, activation, statement);
    case CT_ST_IF:
        return if_run(render, activation, statement->branches);
    case CT_ST_FOR:
        return for_run(render, activation, statement);
    case CT_ST_SET:
        return set_run(render, activation, statement);
    case CT_ST_CAPTURE:
        return capture_run(render, activation, statement->capture);
    case CT_ST_MACRO:
        macro_define(render, activation, statement->macro);
        return true;
    case CT_ST_INCLUDE:
        return ct_include_run(render, activation, statement);
    case CT_ST_IMPORT:
    case CT_ST_FROM:
        return ct_import_run(render, activation, statement);
    }
    return true;
}

bool ct_run(struct ct_render *render, struct ct_activation *activation, const struct ct_statement *first)
{
    if (first == NULL)
        return true;
    if (!ct_depth_enter(render, activation, first->offset))
        return false;
    for (const struct ct_statement *statement = first; statement != NULL; statement = statement->next)
        if (!statement_run(render, activation, statement))
            return false;
    render->depth--;
    return true;
}

bool ct_render_within(struct ct_limits limits, struct arena *arena, ct_source_fn source, void *user, const char *name,
                      const struct ct_value *context, struct buffer *out, struct ct_error *error)
{
    struct ct_render render = {
        .arena = arena,
        .source = source,
        .user = user,
        .out = out,
        .out_begin = out->size,
        .report = {.arena = arena, .error = error},
        .limits = limits,
    };
    struct ct_scope scope = {.map = context->map};
    *error = (struct ct_error){.file = text_of(name), .line = 1, .column = 1, .message = TEXT("")};
    struct ct_template *template = ct_template_first(&render, text_of(name));
    return template != NULL && ct_template_run(&render, template, &scope) != NULL;
}

bool ct_render(struct arena *arena, ct_source_fn source, void *user, const char *name, const struct ct_value *context,
               struct buffer *out, struct ct_error *error)
{
    return ct_render_within(ct_limits_default, arena, source, user, name, context, out, error);
}

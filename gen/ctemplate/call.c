/* Calls of macros and of `range`. */
#include <inttypes.h>

#include "ctemplate/render.h"

/* ---- range. */

static bool range_bounds(struct ct_render *render, struct ct_activation *activation,
                         const struct ct_expression *expression, int64_t bounds[3])
{
    size_t count = expression->count - 1;
    if (count < 1 || count > 3 || expression->named != 0)
        return ct_fail(&render->report, activation->template, expression->offset, "range takes one to three integers");
    for (size_t i = 0; i < count; i++) {
        const struct ct_expression *kid = expression->kids[i + 1];
        struct ct_value value = {0};
        if (!ct_evaluate(render, activation, kid, &value))
            return false;
        if (value.kind != CT_INTEGER)
            return ct_fail(&render->report, activation->template, kid->offset, "range takes integers, not %s",
                           ct_value_noun(&value));
        bounds[count == 1 ? 1 : i] = value.integer;
    }
    return true;
}

static bool range_call(struct ct_render *render, struct ct_activation *activation,
                       const struct ct_expression *expression, struct ct_value *value)
{
    int64_t bounds[3] = {0, 0, 1};
    if (!range_bounds(render, activation, expression, bounds))
        return false;
    int64_t step = bounds[2];
    if (step == 0)
        return ct_fail(&render->report, activation->template, expression->offset, "the step of range is zero");
    struct ct_value list = ct_value_list(render->arena, 0);
    int64_t at = bounds[0];
    while (step > 0 ? at < bounds[1] : at > bounds[1]) {
        if (!ct_made_add(render, activation, expression->offset, sizeof *value))
            return false;
        ct_items_add(render->arena, list.list, ct_value_integer(at));
        if (__builtin_add_overflow(at, step, &at))
            break;
    }
    *value = list;
    return true;
}

/* ---- Macros. */

static bool fail_call(struct ct_render *render, const struct ct_activation *activation, size_t offset,
                      const struct ct_macro_parts *macro, struct text argument)
{
    if (argument.size == 0)
        return ct_fail(&render->report, activation->template, offset, "macro %.*s takes at most %zu arguments",
                       TEXT_ARGS(macro->target.name), macro->parameters.count);
    return ct_fail(&render->report, activation->template, offset, "macro %.*s takes no argument %.*s here",
                   TEXT_ARGS(macro->target.name), TEXT_ARGS(argument));
}

/* The parameter that a keyword names, among those that positions did not fill; SIZE_MAX when there is none. */
static size_t parameter_find(const struct ct_macro_parts *macro, size_t filled, struct text name)
{
    for (size_t i = filled; i < macro->parameters.count; i++)
        if (text_is_equal(macro->parameters.items[i].name, name))
            return i;
    return SIZE_MAX;
}

static bool arguments_store(struct ct_render *render, struct ct_activation *caller,
                            const struct ct_expression *expression, const struct ct_macro_parts *macro,
                            struct ct_activation *called)
{
    const struct ct_targets *parameters = &macro->parameters;
    size_t positional = expression->count - 1 - expression->named;
    for (size_t i = 0; i < parameters->count; i++)
        ct_slot_of(called, parameters->items[i].ref)->kind = CT_MISSING;
    for (size_t i = 0; i + 1 < expression->count; i++) {
        const struct ct_expression *kid = expression->kids[i + 1];
        bool is_named = i >= positional;
        struct text name = is_named ? expression->names[i - positional] : (struct text){"", 0};
        size_t place = is_named ? parameter_find(macro, positional, name) : i;
        if (place >= parameters->count)
            return fail_call(render, caller, kid->offset, macro, name);
        struct ct_value value = {0};
        if (!ct_evaluate(render, caller, kid, &value))
            return false;
        *ct_slot_of(called, parameters->items[place].ref) = value;
    }
    return true;
}

static bool defaults_store(struct ct_render *render, const struct ct_macro_parts *macro, struct ct_activation *called)
{
    for (size_t i = 0; i < macro->parameters.count; i++) {
        const struct ct_target *parameter = &macro->parameters.items[i];
        struct ct_value *slot = ct_slot_of(called, parameter->ref);
        if (slot->kind != CT_MISSING)
            continue;
        if (macro->defaults[i] == NULL)
            *slot = ct_value_undefined(parameter->name);
        else if (!ct_evaluate(render, called, macro->defaults[i], slot))
            return false;
    }
    return true;
}

/* With `is_printed` the text stays in the output and the value is empty. */
static bool macro_run(struct ct_render *render, struct ct_activation *called, const struct ct_macro_parts *macro,
                      bool is_printed, struct ct_value *value)
{
    size_t begin = render->out->size;
    ct_frame_begin(called, &macro->frame);
    if (!defaults_store(render, macro, called) || !ct_run(render, called, macro->body))
        return false;
    *value = ct_captured_take(render, is_printed ? render->out->size : begin);
    return true;
}

static bool macro_call(struct ct_render *render, struct ct_activation *caller, const struct ct_expression *expression,
                       const struct ct_closure *closure, bool is_printed, struct ct_value *value)
{
    struct ct_macro_parts *macro = closure->macro;
    size_t offset = expression->kids[0]->offset;
    struct ct_activation *called =
        ct_activation_take(render, &macro->spare, closure->outer->template, macro->slots_count);
    called->outer = closure->outer;
    called->root = closure->outer->root;
    if (!arguments_store(render, caller, expression, macro, called))
        return false;
    if (render->macros == render->limits.macros)
        return ct_fail(&render->report, caller->template, offset, "macros call each other more than %u deep",
                       render->limits.macros);
    struct ct_chain chain = {
        .link = CT_LINK_MACRO,
        .name = macro->target.name,
        .template = caller->template,
        .offset = offset,
        .outer = render->report.chain,
    };
    render->macros++;
    render->report.chain = &chain;
    bool is_good = macro_run(render, called, macro, is_printed, value);
    render->report.chain = chain.outer;
    render->macros--;
    called->next_spare = macro->spare;
    macro->spare = called;
    return is_good && ct_made_add(render, caller, offset, value->text.size);
}

bool ct_call_evaluate(struct ct_render *render, struct ct_activation *activation,
                      const struct ct_expression *expression, bool is_printed, struct ct_value *value)
{
    const struct ct_expression *callee = expression->kids[0];
    struct ct_value function = {0};
    if (!ct_evaluate(render, activation, callee, &function))
        return false;
    if (function.kind == CT_MACRO)
        return macro_call(render, activation, expression, function.macro, is_printed, value);
    if (function.kind == CT_RANGE)
        return range_call(render, activation, expression, value);
    if (function.kind == CT_UNDEFINED)
        return ct_fail_undefined(render, activation, callee->offset, &function);
    return ct_fail(&render->report, activation->template, callee->offset, "%s cannot be called",
                   ct_value_noun(&function));
}

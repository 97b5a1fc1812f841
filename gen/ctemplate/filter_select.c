/* map, select and their like: filters that use attributes, other filters and tests. */
#include "ctemplate/test.h"

/* ---- map. */

/* The call of the filter that map applies to each item. */
static bool map_inner(struct ct_call *call, const struct ct_filter **filter, struct ct_call *inner)
{
    struct text name = {"", 0};
    if (!ct_argument_text(call, 0, &name))
        return false;
    *filter = ct_filter_find(name);
    if (*filter == NULL)
        return ct_call_fail(call, "there is no filter %.*s", TEXT_ARGS(name));
    *inner = *call;
    inner->name = (*filter)->name;
    for (size_t i = 0; i < CT_ARGUMENTS_MAX; i++)
        inner->arguments[i].kind = CT_MISSING;
    size_t room = ct_parameters_count((*filter)->parameters);
    for (size_t i = 0; i < 2; i++) {
        inner->arguments[i] = call->arguments[i + 1];
        if (inner->arguments[i].kind != CT_MISSING && i >= room)
            return ct_call_fail(call, "there are too many arguments for %s", inner->name);
    }
    return ct_call_check(inner, (*filter)->parameters);
}

static bool map_filter(struct ct_call *call, const struct ct_items *items, struct ct_value *result)
{
    const struct ct_filter *filter = NULL;
    struct ct_call inner;
    if (!map_inner(call, &filter, &inner))
        return false;
    for (size_t i = 0; i < items->count; i++) {
        struct ct_value mapped = {0};
        inner.subject = &items->items[i];
        if (!ct_filter_run(&inner, filter, &mapped))
            return false;
        ct_items_add(call->render->arena, result->list, mapped);
    }
    return true;
}

static bool map_attribute(struct ct_call *call, const struct ct_items *items, struct ct_value *result)
{
    struct text path = {"", 0};
    if (!ct_argument_text(call, 3, &path))
        return false;
    for (size_t i = 0; i < items->count; i++) {
        struct ct_value mapped = {0};
        if (!ct_call_attribute(call, &items->items[i], path, &mapped))
            return false;
        if (mapped.kind == CT_UNDEFINED && call->arguments[4].kind != CT_MISSING)
            mapped = call->arguments[4];
        ct_items_add(call->render->arena, result->list, mapped);
    }
    return true;
}

bool ct_filter_map(struct ct_call *call, struct ct_value *result)
{
    struct ct_items items = {0};
    bool by_attribute = call->arguments[3].kind != CT_MISSING;
    bool by_filter = call->arguments[0].kind != CT_MISSING;
    if (by_attribute == by_filter)
        return ct_call_fail(call, "one of attribute=\"...\" and the name of a filter is due");
    if (!ct_subject_items(call, &items) ||
        !ct_made_add(call->render, call->activation, call->offset, items.count * sizeof *result))
        return false;
    *result = ct_value_list(call->render->arena, items.count);
    result->lazy = true;
    return by_attribute ? map_attribute(call, &items, result) : map_filter(call, &items, result);
}

/* ---- select, reject, selectattr, rejectattr. */

/* What decides whether an item stays: an attribute of it, or itself; a test of that, or its truth. */
struct choice {
    struct text path;
    const struct ct_test *test;
    struct ct_call inner;
    bool keeps;
};

static bool choice_begin(struct ct_call *call, bool has_path, bool keeps, struct choice *choice)
{
    struct text name = {"", 0};
    size_t first = has_path ? 1 : 0;
    *choice = (struct choice){.keeps = keeps, .inner = *call};
    if ((has_path && !ct_argument_text(call, 0, &choice->path)) || !ct_argument_text(call, first, &name))
        return false;
    for (size_t i = 0; i < CT_ARGUMENTS_MAX; i++)
        choice->inner.arguments[i].kind = CT_MISSING;
    choice->inner.arguments[0] = call->arguments[first + 1];
    if (call->arguments[first].kind == CT_MISSING)
        return true;
    choice->test = ct_test_find(name);
    if (choice->test == NULL)
        return ct_call_fail(call, "there is no test %.*s", TEXT_ARGS(name));
    choice->inner.name = choice->test->name;
    bool takes_argument = choice->test->parameters[0] != '\0';
    if (takes_argument != (choice->inner.arguments[0].kind != CT_MISSING))
        return ct_call_fail(call, "the test %s takes %s argument", choice->test->name, takes_argument ? "an" : "no");
    return true;
}

static bool choice_make(const struct choice *choice, const struct ct_value *item, bool *stays)
{
    struct ct_call inner = choice->inner;
    struct ct_value subject = *item;
    bool holds = false;
    if (choice->path.size != 0 && !ct_call_attribute(&inner, item, choice->path, &subject))
        return false;
    inner.subject = &subject;
    if (choice->test != NULL && !ct_test_run(&inner, choice->test, &holds))
        return false;
    if (choice->test == NULL && subject.kind == CT_UNDEFINED)
        return ct_fail_undefined(inner.render, inner.activation, inner.offset, &subject);
    if (choice->test == NULL)
        holds = ct_value_is_true(&subject);
    *stays = holds == choice->keeps;
    return true;
}

static bool choose(struct ct_call *call, bool has_path, bool keeps, struct ct_value *result)
{
    struct ct_items items = {0};
    struct choice choice;
    if (!ct_subject_items(call, &items) || !choice_begin(call, has_path, keeps, &choice) ||
        !ct_made_add(call->render, call->activation, call->offset, items.count * sizeof *result))
        return false;
    *result = ct_value_list(call->render->arena, 0);
    result->lazy = true;
    for (size_t i = 0; i < items.count; i++) {
        bool stays = false;
        if (!choice_make(&choice, &items.items[i], &stays))
            return false;
        if (stays)
            ct_items_add(call->render->arena, result->list, items.items[i]);
    }
    return true;
}

bool ct_filter_select(struct ct_call *call, struct ct_value *result)
{
    return choose(call, false, true, result);
}

bool ct_filter_reject(struct ct_call *call, struct ct_value *result)
{
    return choose(call, false, false, result);
}

bool ct_filter_selectattr(struct ct_call *call, struct ct_value *result)
{
    return choose(call, true, true, result);
}

bool ct_filter_rejectattr(struct ct_call *call, struct ct_value *result)
{
    return choose(call, true, false, result);
}

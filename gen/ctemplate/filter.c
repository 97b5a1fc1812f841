/* The table of filters, and how their arguments are bound. */
#include "ctemplate/filter.h"

static const struct ct_filter filters[] = {
    /* text */
    {"upper", "", ct_filter_upper, false, false},
    {"lower", "", ct_filter_lower, false, false},
    {"replace", "old! new! count", ct_filter_replace, false, false},
    {"indent", "width first blank", ct_filter_indent, false, false},
    {"trim", "chars", ct_filter_trim, false, false},
    {"align", "column!", ct_filter_align, false, false},
    {"raw", "", ct_filter_raw, false, false},
    {"string", "", ct_filter_string, false, false},
    /* lists and maps */
    {"default", "default_value boolean", ct_filter_default, false, true},
    {"d", "default_value boolean", ct_filter_default, false, true},
    {"length", "", ct_filter_length, false, false},
    {"count", "", ct_filter_length, false, false},
    {"first", "", ct_filter_first, true, false},
    {"last", "", ct_filter_last, false, false},
    {"list", "", ct_filter_list, true, false},
    {"join", "d attribute", ct_filter_join, true, false},
    {"sort", "reverse case_sensitive attribute", ct_filter_sort, true, false},
    {"unique", "case_sensitive attribute", ct_filter_unique, true, false},
    {"items", "", ct_filter_items, false, true},
    {"dictsort", "case_sensitive by reverse", ct_filter_dictsort, false, false},
    {"map", "name a b attribute default", ct_filter_map, true, false},
    {"select", "name a", ct_filter_select, true, false},
    {"reject", "name a", ct_filter_reject, true, false},
    {"selectattr", "attribute! name a", ct_filter_selectattr, true, false},
    {"rejectattr", "attribute! name a", ct_filter_rejectattr, true, false},
    /* C */
    {"c_string", "indent", ct_filter_c_string, false, false},
    {"c_bytes", "indent", ct_filter_c_bytes, false, false},
    {"c_char", "", ct_filter_c_char, false, false},
    {"c_ident", "", ct_filter_c_ident, false, false},
    {"c_comment", "", ct_filter_c_comment, false, false},
    {"hex", "digits", ct_filter_hex, false, false},
    {"u", "", ct_filter_u, false, false},
    {"ull", "", ct_filter_ull, false, false},
    {"json", "", ct_filter_json, false, false},
};

const struct ct_filter *ct_filter_find(struct text name)
{
    for (size_t i = 0; i < sizeof filters / sizeof filters[0]; i++)
        if (text_is(name, filters[i].name))
            return &filters[i];
    return NULL;
}

bool ct_call_fail(struct ct_call *call, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    struct text text = arena_vformat(call->render->arena, format, arguments);
    va_end(arguments);
    return ct_fail(&call->render->report, call->activation->template, call->offset, "%s: %.*s", call->name,
                   TEXT_ARGS(text));
}

/* ---- Arguments. */

/* The i-th name of a list of parameters, without the mark of required ones. */
static bool parameter_at(const char *parameters, size_t i, struct text *name, bool *is_required)
{
    for (; i > 0 && *parameters != '\0'; i--) {
        parameters += strcspn(parameters, " ");
        parameters += *parameters == ' ';
    }
    *name = (struct text){parameters, strcspn(parameters, " !")};
    *is_required = parameters[name->size] == '!';
    return name->size != 0;
}

static size_t parameter_find(const char *parameters, struct text wanted)
{
    struct text name = {"", 0};
    bool is_required;
    for (size_t i = 0; parameter_at(parameters, i, &name, &is_required); i++)
        if (text_is_equal(name, wanted))
            return i;
    return SIZE_MAX;
}

size_t ct_parameters_count(const char *parameters)
{
    struct text name = {"", 0};
    bool is_required;
    size_t count = 0;
    while (parameter_at(parameters, count, &name, &is_required))
        count++;
    return count;
}

bool ct_call_check(struct ct_call *call, const char *parameters)
{
    struct text name = {"", 0};
    bool is_required;
    for (size_t i = 0; parameter_at(parameters, i, &name, &is_required); i++)
        if (is_required && call->arguments[i].kind == CT_MISSING)
            return ct_call_fail(call, "the argument %.*s is missing", TEXT_ARGS(name));
    return true;
}

bool ct_call_bind(struct ct_call *call, const struct ct_expression *expression, const char *parameters)
{
    size_t positional = expression->count - 1 - expression->named;
    for (size_t i = 0; i < CT_ARGUMENTS_MAX; i++)
        call->arguments[i].kind = CT_MISSING;
    for (size_t i = 0; i + 1 < expression->count; i++) {
        struct text name = {"", 0};
        bool is_required;
        size_t place = i;
        if (i >= positional) {
            name = expression->names[i - positional];
            place = parameter_find(parameters, name);
        }
        if (place == SIZE_MAX || call->arguments[place % CT_ARGUMENTS_MAX].kind != CT_MISSING)
            return ct_call_fail(call, "there is no argument %.*s here", TEXT_ARGS(name));
        if (!parameter_at(parameters, place, &name, &is_required))
            return ct_call_fail(call, "there are too many arguments");
        if (!ct_evaluate(call->render, call->activation, expression->kids[i + 1], &call->arguments[place]))
            return false;
    }
    return ct_call_check(call, parameters);
}

bool ct_filter_run(struct ct_call *call, const struct ct_filter *filter, struct ct_value *result)
{
    if (filter->takes_undefined)
        return filter->run(call, result);
    if (call->subject->kind == CT_UNDEFINED)
        return ct_fail_undefined(call->render, call->activation, call->offset, call->subject);
    for (size_t i = 0; i < CT_ARGUMENTS_MAX; i++)
        if (call->arguments[i].kind == CT_UNDEFINED)
            return ct_fail_undefined(call->render, call->activation, call->offset, &call->arguments[i]);
    return filter->run(call, result);
}

bool ct_filter_evaluate(struct ct_render *render, struct ct_activation *activation,
                        const struct ct_expression *expression, struct ct_value *value)
{
    const struct ct_filter *filter = expression->filter;
    struct ct_value subject = {0};
    struct ct_call call = {
        .render = render,
        .activation = activation,
        .offset = expression->offset,
        .name = filter->name,
        .subject = &subject,
    };
    bool is_good = filter->takes_lazy ? ct_evaluate_lazy(render, activation, expression->kids[0], &subject)
                                      : ct_evaluate(render, activation, expression->kids[0], &subject);
    return is_good && ct_call_bind(&call, expression, filter->parameters) && ct_filter_run(&call, filter, value);
}

/* ---- For filters. */

bool ct_subject_text(struct ct_call *call, struct text *text)
{
    if (ct_value_bytes(call->render->arena, call->subject, text))
        return true;
    return ct_call_fail(call, "a text is due, not %s", ct_value_noun(call->subject));
}

bool ct_subject_integer(struct ct_call *call, int64_t *integer)
{
    *integer = call->subject->integer;
    return call->subject->kind == CT_INTEGER ||
           ct_call_fail(call, "an integer is due, not %s", ct_value_noun(call->subject));
}

bool ct_subject_items(struct ct_call *call, struct ct_items *items)
{
    return ct_value_items(call->render->arena, call->subject, items) ||
           ct_call_fail(call, "a list is due, not %s", ct_value_noun(call->subject));
}

bool ct_argument_text(struct ct_call *call, size_t i, struct text *text)
{
    const struct ct_value *argument = &call->arguments[i];
    if (argument->kind == CT_TEXT)
        *text = argument->text;
    return argument->kind == CT_TEXT || argument->kind == CT_MISSING ||
           ct_call_fail(call, "an argument is a text, not %s", ct_value_noun(argument));
}

bool ct_argument_integer(struct ct_call *call, size_t i, int64_t *integer)
{
    const struct ct_value *argument = &call->arguments[i];
    if (argument->kind == CT_INTEGER)
        *integer = argument->integer;
    return argument->kind == CT_INTEGER || argument->kind == CT_MISSING ||
           ct_call_fail(call, "an argument is an integer, not %s", ct_value_noun(argument));
}

bool ct_argument_bool(struct ct_call *call, size_t i, bool *truth)
{
    const struct ct_value *argument = &call->arguments[i];
    if (argument->kind == CT_BOOL)
        *truth = argument->truth;
    return argument->kind == CT_BOOL || argument->kind == CT_MISSING ||
           ct_call_fail(call, "an argument is true or false, not %s", ct_value_noun(argument));
}

bool ct_call_is_safe(const struct ct_call *call)
{
    for (size_t i = 0; i < CT_ARGUMENTS_MAX; i++)
        if (call->arguments[i].kind == CT_TEXT && !ct_value_is_printable(&call->arguments[i]))
            return false;
    return ct_value_is_printable(call->subject);
}

bool ct_call_return(struct ct_call *call, struct buffer *made, bool safe, struct ct_value *result)
{
    bool is_good = ct_made_add(call->render, call->activation, call->offset, made->size);
    if (is_good)
        *result = ct_value_text(arena_copy(call->render->arena, buffer_text(made)), safe);
    buffer_free(made);
    return is_good;
}

/* A part of an attribute path: digits select an item of a list. */
static struct ct_value path_key(struct text part)
{
    int64_t index = 0;
    for (size_t i = 0; i < part.size; i++) {
        if (part.bytes[i] < '0' || part.bytes[i] > '9' || i == 9)
            return ct_value_text(part, false);
        index = index * 10 + part.bytes[i] - '0';
    }
    return ct_value_integer(index);
}

bool ct_call_attribute(struct ct_call *call, const struct ct_value *value, struct text path, struct ct_value *result)
{
    *result = *value;
    for (size_t at = 0; at <= path.size;) {
        size_t end = at;
        while (end < path.size && path.bytes[end] != '.')
            end++;
        struct ct_value key = path_key((struct text){path.bytes + at, end - at});
        struct ct_value object = *result;
        size_t hint = 0;
        if (!ct_item_get(call->render, call->activation, call->offset, &object, &key, &hint, result))
            return false;
        at = end + 1;
    }
    return true;
}

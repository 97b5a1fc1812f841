/* The tests. */
#include "ctemplate/test.h"

static bool test_defined(struct ct_call *call, bool *holds)
{
    *holds = call->subject->kind != CT_UNDEFINED;
    return true;
}

static bool test_undefined(struct ct_call *call, bool *holds)
{
    *holds = call->subject->kind == CT_UNDEFINED;
    return true;
}

static bool test_none(struct ct_call *call, bool *holds)
{
    *holds = call->subject->kind == CT_NONE;
    return true;
}

static bool test_boolean(struct ct_call *call, bool *holds)
{
    *holds = call->subject->kind == CT_BOOL;
    return true;
}

static bool test_true(struct ct_call *call, bool *holds)
{
    *holds = call->subject->kind == CT_BOOL && call->subject->truth;
    return true;
}

static bool test_false(struct ct_call *call, bool *holds)
{
    *holds = call->subject->kind == CT_BOOL && !call->subject->truth;
    return true;
}

static bool test_integer(struct ct_call *call, bool *holds)
{
    *holds = call->subject->kind == CT_INTEGER;
    return true;
}

/* As in Python, booleans are numbers. */
static bool test_number(struct ct_call *call, bool *holds)
{
    *holds = ct_value_is_number(call->subject);
    return true;
}

static bool test_string(struct ct_call *call, bool *holds)
{
    *holds = call->subject->kind == CT_TEXT;
    return true;
}

static bool test_mapping(struct ct_call *call, bool *holds)
{
    *holds = call->subject->kind == CT_MAP;
    return true;
}

/* As in Jinja2, maps and texts are sequences. */
static bool test_sequence(struct ct_call *call, bool *holds)
{
    *holds = call->subject->kind == CT_LIST || call->subject->kind == CT_MAP || call->subject->kind == CT_TEXT;
    return true;
}

static bool divides(struct ct_call *call, int64_t divisor, bool *holds)
{
    int64_t integer;
    if (!ct_subject_integer(call, &integer))
        return false;
    if (divisor == 0)
        return ct_call_fail(call, "division by zero");
    *holds = divisor == -1 || integer % divisor == 0;
    return true;
}

static bool test_even(struct ct_call *call, bool *holds)
{
    return divides(call, 2, holds);
}

static bool test_odd(struct ct_call *call, bool *holds)
{
    bool is_good = divides(call, 2, holds);
    *holds = !*holds;
    return is_good;
}

static bool test_divisibleby(struct ct_call *call, bool *holds)
{
    int64_t divisor = 0;
    return ct_argument_integer(call, 0, &divisor) && divides(call, divisor, holds);
}

static bool test_eq(struct ct_call *call, bool *holds)
{
    *holds = ct_value_is_equal(call->subject, &call->arguments[0]);
    return true;
}

static bool test_ne(struct ct_call *call, bool *holds)
{
    *holds = !ct_value_is_equal(call->subject, &call->arguments[0]);
    return true;
}

static bool test_order(struct ct_call *call, int *order)
{
    return ct_value_compare(call->subject, &call->arguments[0], order) ||
           ct_call_fail(call, "%s and %s have no order", ct_value_noun(call->subject),
                        ct_value_noun(&call->arguments[0]));
}

static bool test_lt(struct ct_call *call, bool *holds)
{
    int order = 0;
    bool is_good = test_order(call, &order);
    *holds = order < 0;
    return is_good;
}

static bool test_le(struct ct_call *call, bool *holds)
{
    int order = 0;
    bool is_good = test_order(call, &order);
    *holds = order <= 0;
    return is_good;
}

static bool test_gt(struct ct_call *call, bool *holds)
{
    int order = 0;
    bool is_good = test_order(call, &order);
    *holds = order > 0;
    return is_good;
}

static bool test_ge(struct ct_call *call, bool *holds)
{
    int order = 0;
    bool is_good = test_order(call, &order);
    *holds = order >= 0;
    return is_good;
}

static bool test_in(struct ct_call *call, bool *holds)
{
    return ct_contains(call->render, call->activation, call->offset, call->subject, &call->arguments[0], holds);
}

static const struct ct_test tests[] = {
    {"defined", "", test_defined, true},   {"undefined", "", test_undefined, true},
    {"none", "", test_none, true},         {"boolean", "", test_boolean, true},
    {"true", "", test_true, true},         {"false", "", test_false, true},
    {"integer", "", test_integer, true},   {"number", "", test_number, true},
    {"string", "", test_string, true},     {"mapping", "", test_mapping, true},
    {"sequence", "", test_sequence, true}, {"even", "", test_even, false},
    {"odd", "", test_odd, false},          {"divisibleby", "num!", test_divisibleby, false},
    {"eq", "b!", test_eq, false},          {"equalto", "b!", test_eq, false},
    {"==", "b!", test_eq, false},          {"ne", "b!", test_ne, false},
    {"!=", "b!", test_ne, false},          {"lt", "b!", test_lt, false},
    {"lessthan", "b!", test_lt, false},    {"<", "b!", test_lt, false},
    {"le", "b!", test_le, false},          {"<=", "b!", test_le, false},
    {"gt", "b!", test_gt, false},          {"greaterthan", "b!", test_gt, false},
    {">", "b!", test_gt, false},           {"ge", "b!", test_ge, false},
    {">=", "b!", test_ge, false},          {"in", "seq!", test_in, false},
};

const struct ct_test *ct_test_find(struct text name)
{
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
        if (text_is(name, tests[i].name))
            return &tests[i];
    return NULL;
}

bool ct_test_run(struct ct_call *call, const struct ct_test *test, bool *holds)
{
    if (call->subject->kind == CT_UNDEFINED && !test->takes_undefined)
        return ct_fail_undefined(call->render, call->activation, call->offset, call->subject);
    if (call->arguments[0].kind == CT_UNDEFINED)
        return ct_fail_undefined(call->render, call->activation, call->offset, &call->arguments[0]);
    return test->run(call, holds);
}

bool ct_test_evaluate(struct ct_render *render, struct ct_activation *activation,
                      const struct ct_expression *expression, struct ct_value *value)
{
    const struct ct_test *test = expression->test;
    struct ct_value subject = {0};
    bool holds = false;
    struct ct_call call = {
        .render = render,
        .activation = activation,
        .offset = expression->offset,
        .name = test->name,
        .subject = &subject,
    };
    if (!ct_evaluate(render, activation, expression->kids[0], &subject) ||
        !ct_call_bind(&call, expression, test->parameters) || !ct_test_run(&call, test, &holds))
        return false;
    *value = ct_value_bool(holds);
    return true;
}

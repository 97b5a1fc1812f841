/* Expressions that run. */
#include <inttypes.h>

#include "ctemplate/filter.h"
#include "ctemplate/test.h"
#include "ctemplate/unicode.h"

bool ct_fail_undefined(struct ct_render *render, const struct ct_activation *activation, size_t offset,
                       const struct ct_value *value)
{
    return ct_fail(&render->report, activation->template, offset, "'%.*s' is undefined", TEXT_ARGS(value->text));
}

/* ---- Members. */

static bool loop_get(struct ct_render *render, const struct ct_activation *activation, size_t offset,
                     const struct ct_loop *loop, struct text name, struct ct_value *value)
{
    int64_t index = (int64_t)loop->index;
    int64_t count = (int64_t)loop->count;
    if (text_is(name, "index"))
        *value = ct_value_integer(index + 1);
    else if (text_is(name, "index0"))
        *value = ct_value_integer(index);
    else if (text_is(name, "revindex"))
        *value = ct_value_integer(count - index);
    else if (text_is(name, "revindex0"))
        *value = ct_value_integer(count - index - 1);
    else if (text_is(name, "length"))
        *value = ct_value_integer(count);
    else if (text_is(name, "first"))
        *value = ct_value_bool(index == 0);
    else if (text_is(name, "last"))
        *value = ct_value_bool(index + 1 == count);
    else
        return ct_fail(&render->report, activation->template, offset,
                       "loop has no '%.*s', only index, index0, revindex, revindex0, length, first, last",
                       TEXT_ARGS(name));
    return true;
}

bool ct_attribute_get(struct ct_render *render, const struct ct_activation *activation, size_t offset,
                      const struct ct_value *object, struct text name, size_t *hint, struct ct_value *value)
{
    size_t found;
    switch (object->kind) {
    case CT_MAP:
        found = ct_entries_find(object->map, name, *hint);
        *value = found == SIZE_MAX ? ct_value_undefined(name) : object->map->entries[found].value;
        *hint = found;
        return true;
    case CT_MODULE:
        *value = ct_module_get(object->module, name);
        return true;
    case CT_LOOP:
        return loop_get(render, activation, offset, object->loop, name, value);
    case CT_UNDEFINED:
        return ct_fail_undefined(render, activation, offset, object);
    default:
        return ct_fail(&render->report, activation->template, offset, "%s has no '%.*s'", ct_value_noun(object),
                       TEXT_ARGS(name));
    }
}

/* The character of a text at an index; an empty text when there is none. */
static struct text text_character(struct text text, size_t index)
{
    size_t at = 0;
    for (size_t i = 0; at < text.size; i++) {
        size_t from = at;
        ct_unicode_take(text, &at);
        if (i == index)
            return (struct text){text.bytes + from, at - from};
    }
    return (struct text){"", 0};
}

static struct ct_value item_at(struct ct_render *render, const struct ct_value *object, int64_t index)
{
    bool is_list = object->kind == CT_LIST;
    int64_t count = (int64_t)(is_list ? object->list->count : ct_unicode_count(object->text));
    int64_t at = index < 0 ? index + count : index;
    if (at < 0 || at >= count)
        return ct_value_undefined(arena_format(render->arena, "[%" PRId64 "]", index));
    if (is_list)
        return object->list->items[at];
    return ct_value_text(text_character(object->text, (size_t)at), object->safe);
}

bool ct_item_get(struct ct_render *render, const struct ct_activation *activation, size_t offset,
                 const struct ct_value *object, const struct ct_value *key, size_t *hint, struct ct_value *value)
{
    if (object->kind == CT_UNDEFINED)
        return ct_fail_undefined(render, activation, offset, object);
    if (key->kind == CT_UNDEFINED)
        return ct_fail_undefined(render, activation, offset, key);
    if (key->kind == CT_TEXT && (object->kind == CT_MAP || object->kind == CT_MODULE))
        return ct_attribute_get(render, activation, offset, object, key->text, hint, value);
    if (key->kind == CT_INTEGER && (object->kind == CT_LIST || object->kind == CT_TEXT)) {
        *value = item_at(render, object, key->integer);
        return true;
    }
    return ct_fail(&render->report, activation->template, offset, "%s has no items that %s selects",
                   ct_value_noun(object), ct_value_noun(key));
}

static bool attribute_evaluate(struct ct_render *render, struct ct_activation *activation,
                               struct ct_expression *expression, struct ct_value *value)
{
    struct ct_value object = {0};
    return ct_evaluate(render, activation, expression->kids[0], &object) &&
           ct_attribute_get(render, activation, expression->offset, &object, expression->name, &expression->hint,
                            value);
}

static bool item_evaluate(struct ct_render *render, struct ct_activation *activation, struct ct_expression *expression,
                          struct ct_value *value)
{
    struct ct_value object = {0};
    struct ct_value key = {0};
    return ct_evaluate(render, activation, expression->kids[0], &object) &&
           ct_evaluate(render, activation, expression->kids[1], &key) &&
           ct_item_get(render, activation, expression->offset, &object, &key, &expression->hint, value);
}

/* ---- Lists and maps that the template writes. */

static bool list_evaluate(struct ct_render *render, struct ct_activation *activation,
                          const struct ct_expression *expression, struct ct_value *value)
{
    if (!ct_made_add(render, activation, expression->offset, expression->count * sizeof *value))
        return false;
    struct ct_value list = ct_value_list(render->arena, expression->count);
    for (size_t i = 0; i < expression->count; i++) {
        struct ct_value item = {0};
        if (!ct_evaluate(render, activation, expression->kids[i], &item))
            return false;
        ct_items_add(render->arena, list.list, item);
    }
    *value = list;
    return true;
}

static bool map_evaluate(struct ct_render *render, struct ct_activation *activation,
                         const struct ct_expression *expression, struct ct_value *value)
{
    if (!ct_made_add(render, activation, expression->offset, expression->count * sizeof *value))
        return false;
    struct ct_value map = ct_value_map(render->arena);
    for (size_t i = 0; i < expression->count; i += 2) {
        struct ct_value key = {0};
        struct ct_value item = {0};
        if (!ct_evaluate(render, activation, expression->kids[i], &key) ||
            !ct_evaluate(render, activation, expression->kids[i + 1], &item))
            return false;
        if (key.kind != CT_TEXT)
            return ct_fail(&render->report, activation->template, expression->kids[i]->offset,
                           "the keys of maps are texts, not %s", ct_value_noun(&key));
        ct_entries_set(render->arena, map.map, key.text, item);
    }
    *value = map;
    return true;
}

/* ---- Arithmetic. */

static bool fail_operands(struct ct_render *render, const struct ct_activation *activation,
                          const struct ct_expression *expression, const struct ct_value *a, const struct ct_value *b)
{
    static const char *const words[] = {
        [CT_OP_ADD] = "+", [CT_OP_SUBTRACT] = "-", [CT_OP_MULTIPLY] = "*", [CT_OP_DIVIDE] = "//", [CT_OP_MODULO] = "%"};
    return ct_fail(&render->report, activation->template, expression->offset, "there is no %s %s %s", ct_value_noun(a),
                   words[expression->operators[0]], ct_value_noun(b));
}

/* Both round down, as in Python. False on overflow. */
static bool integer_divide(int64_t a, int64_t b, bool is_modulo, int64_t *result)
{
    if (b == -1) {
        *result = 0;
        return is_modulo || !__builtin_sub_overflow(0, a, result);
    }
    int64_t quotient = a / b;
    int64_t rest = a % b;
    bool is_between = rest != 0 && (rest < 0) != (b < 0);
    *result = is_modulo ? rest + (is_between ? b : 0) : quotient - is_between;
    return true;
}

static bool integers_evaluate(struct ct_render *render, const struct ct_activation *activation,
                              const struct ct_expression *expression, int64_t a, int64_t b, struct ct_value *value)
{
    int64_t result = 0;
    bool is_good = false;
    switch (expression->operators[0]) {
    case CT_OP_ADD:
        is_good = !__builtin_add_overflow(a, b, &result);
        break;
    case CT_OP_SUBTRACT:
        is_good = !__builtin_sub_overflow(a, b, &result);
        break;
    case CT_OP_MULTIPLY:
        is_good = !__builtin_mul_overflow(a, b, &result);
        break;
    default:
        if (b == 0)
            return ct_fail(&render->report, activation->template, expression->offset, "division by zero");
        is_good = integer_divide(a, b, expression->operators[0] == CT_OP_MODULO, &result);
        break;
    }
    *value = ct_value_integer(result);
    return is_good ||
           ct_fail(&render->report, activation->template, expression->offset, "the result does not fit into 64 bits");
}

static bool texts_add(struct ct_render *render, const struct ct_activation *activation, size_t offset,
                      const struct ct_value *a, const struct ct_value *b, struct ct_value *value)
{
    size_t size = a->text.size + b->text.size;
    if (!ct_made_add(render, activation, offset, size))
        return false;
    char *bytes = arena_take(render->arena, size + 1);
    if (a->text.size != 0)
        memcpy(bytes, a->text.bytes, a->text.size);
    if (b->text.size != 0)
        memcpy(bytes + a->text.size, b->text.bytes, b->text.size);
    *value = ct_value_text((struct text){bytes, size}, ct_value_is_printable(a) && ct_value_is_printable(b));
    return true;
}

static bool lists_add(struct ct_render *render, const struct ct_activation *activation, size_t offset,
                      const struct ct_items *a, const struct ct_items *b, struct ct_value *value)
{
    size_t count = a->count + b->count;
    if (!ct_made_add(render, activation, offset, count * sizeof *a->items))
        return false;
    *value = ct_value_list(render->arena, count);
    for (size_t i = 0; i < a->count; i++)
        ct_items_add(render->arena, value->list, a->items[i]);
    for (size_t i = 0; i < b->count; i++)
        ct_items_add(render->arena, value->list, b->items[i]);
    return true;
}

static bool text_repeat(struct ct_render *render, const struct ct_activation *activation, size_t offset,
                        const struct ct_value *text, int64_t times, struct ct_value *value)
{
    size_t count = times < 0 ? 0 : (size_t)times;
    size_t size = 0;
    if (__builtin_mul_overflow(text->text.size, count, &size))
        size = SIZE_MAX;
    if (!ct_made_add(render, activation, offset, size))
        return false;
    char *bytes = arena_take(render->arena, size + 1);
    for (size_t at = 0; at < size; at += text->text.size)
        memcpy(bytes + at, text->text.bytes, text->text.size);
    *value = ct_value_text((struct text){bytes, size}, text->safe);
    return true;
}

static bool arithmetic_evaluate(struct ct_render *render, struct ct_activation *activation,
                                const struct ct_expression *expression, struct ct_value *value)
{
    struct ct_value a = {0};
    struct ct_value b = {0};
    enum ct_operator op = expression->operators[0];
    size_t offset = expression->offset;
    if (!ct_evaluate(render, activation, expression->kids[0], &a) ||
        !ct_evaluate(render, activation, expression->kids[1], &b))
        return false;
    if (a.kind == CT_INTEGER && b.kind == CT_INTEGER)
        return integers_evaluate(render, activation, expression, a.integer, b.integer, value);
    if (a.kind == CT_UNDEFINED || b.kind == CT_UNDEFINED)
        return ct_fail_undefined(render, activation, expression->kids[a.kind == CT_UNDEFINED ? 0 : 1]->offset,
                                 a.kind == CT_UNDEFINED ? &a : &b);
    if (op == CT_OP_ADD && a.kind == CT_TEXT && b.kind == CT_TEXT)
        return texts_add(render, activation, offset, &a, &b, value);
    if (op == CT_OP_ADD && a.kind == CT_LIST && b.kind == CT_LIST)
        return lists_add(render, activation, offset, a.list, b.list, value);
    if (op == CT_OP_MULTIPLY && a.kind == CT_TEXT && b.kind == CT_INTEGER)
        return text_repeat(render, activation, offset, &a, b.integer, value);
    if (op == CT_OP_MULTIPLY && a.kind == CT_INTEGER && b.kind == CT_TEXT)
        return text_repeat(render, activation, offset, &b, a.integer, value);
    return fail_operands(render, activation, expression, &a, &b);
}

static bool sign_evaluate(struct ct_render *render, struct ct_activation *activation,
                          const struct ct_expression *expression, struct ct_value *value)
{
    if (!ct_evaluate(render, activation, expression->kids[0], value))
        return false;
    if (value->kind == CT_UNDEFINED)
        return ct_fail_undefined(render, activation, expression->offset, value);
    if (value->kind != CT_INTEGER)
        return ct_fail(&render->report, activation->template, expression->offset, "%s has no sign",
                       ct_value_noun(value));
    if (expression->kind == CT_EX_NEGATE && __builtin_sub_overflow(0, value->integer, &value->integer))
        return ct_fail(&render->report, activation->template, expression->offset,
                       "the result does not fit into 64 bits");
    return true;
}

static bool concat_evaluate(struct ct_render *render, struct ct_activation *activation,
                            const struct ct_expression *expression, struct ct_value *value)
{
    struct buffer made = {0};
    bool is_safe = true;
    bool is_good = true;
    for (size_t i = 0; is_good && i < expression->count; i++) {
        const struct ct_expression *kid = expression->kids[i];
        struct ct_value part = {0};
        struct text bytes = {"", 0};
        is_good = ct_evaluate(render, activation, kid, &part);
        if (is_good && part.kind == CT_UNDEFINED)
            is_good = ct_fail_undefined(render, activation, kid->offset, &part);
        else if (is_good && !ct_value_bytes(render->arena, &part, &bytes))
            is_good = ct_fail(&render->report, activation->template, kid->offset,
                              "'~' joins texts and integers, not %s", ct_value_noun(&part));
        is_good = is_good && ct_made_add(render, activation, kid->offset, bytes.size);
        is_safe = is_safe && is_good && ct_value_is_printable(&part);
        if (is_good)
            buffer_add(&made, bytes);
    }
    if (is_good)
        *value = ct_value_text(arena_copy(render->arena, buffer_text(&made)), is_safe);
    buffer_free(&made);
    return is_good;
}

/* ---- Conditions. */

bool ct_evaluate_truth(struct ct_render *render, struct ct_activation *activation,
                       const struct ct_expression *expression, bool *is_true)
{
    struct ct_value value = {0};
    if (!ct_evaluate(render, activation, expression, &value))
        return false;
    if (value.kind == CT_UNDEFINED)
        return ct_fail_undefined(render, activation, expression->offset, &value);
    *is_true = ct_value_is_true(&value);
    return true;
}

static bool logic_evaluate(struct ct_render *render, struct ct_activation *activation,
                           const struct ct_expression *expression, struct ct_value *value)
{
    const struct ct_expression *left = expression->kids[0];
    if (!ct_evaluate(render, activation, left, value))
        return false;
    if (value->kind == CT_UNDEFINED)
        return ct_fail_undefined(render, activation, left->offset, value);
    if (ct_value_is_true(value) == (expression->kind == CT_EX_OR))
        return true;
    return ct_evaluate(render, activation, expression->kids[1], value);
}

bool ct_contains(struct ct_render *render, const struct ct_activation *activation, size_t offset,
                 const struct ct_value *item, const struct ct_value *container, bool *holds)
{
    *holds = false;
    /* As in Python, what is undefined is in no empty list. */
    if (container->kind == CT_LIST && container->list->count == 0)
        return true;
    if (item->kind == CT_UNDEFINED || container->kind == CT_UNDEFINED)
        return ct_fail_undefined(render, activation, offset, item->kind == CT_UNDEFINED ? item : container);
    if (container->kind == CT_LIST) {
        for (size_t i = 0; !*holds && i < container->list->count; i++) {
            const struct ct_value *member = &container->list->items[i];
            if (member->kind == CT_UNDEFINED)
                return ct_fail_undefined(render, activation, offset, member);
            *holds = ct_value_is_equal(item, member);
        }
        return true;
    }
    if (item->kind == CT_TEXT && container->kind == CT_MAP) {
        *holds = ct_entries_find(container->map, item->text, SIZE_MAX) != SIZE_MAX;
        return true;
    }
    if (item->kind == CT_TEXT && container->kind == CT_TEXT) {
        struct text needle = item->text;
        *holds =
            needle.size == 0 || memmem(container->text.bytes, container->text.size, needle.bytes, needle.size) != NULL;
        return true;
    }
    return ct_fail(&render->report, activation->template, offset, "%s cannot be in %s", ct_value_noun(item),
                   ct_value_noun(container));
}

static bool order_holds(enum ct_operator op, int order)
{
    switch (op) {
    case CT_OP_LT:
        return order < 0;
    case CT_OP_LE:
        return order <= 0;
    case CT_OP_GT:
        return order > 0;
    default:
        return order >= 0;
    }
}

static bool pair_compare(struct ct_render *render, struct ct_activation *activation, size_t offset, enum ct_operator op,
                         const struct ct_value *a, const struct ct_value *b, bool *holds)
{
    if (op == CT_OP_IN || op == CT_OP_NOT_IN) {
        bool is_good = ct_contains(render, activation, offset, a, b, holds);
        *holds = *holds == (op == CT_OP_IN);
        return is_good;
    }
    if (a->kind == CT_UNDEFINED || b->kind == CT_UNDEFINED)
        return ct_fail_undefined(render, activation, offset, a->kind == CT_UNDEFINED ? a : b);
    if (op == CT_OP_EQ || op == CT_OP_NE) {
        *holds = ct_value_is_equal(a, b) == (op == CT_OP_EQ);
        return true;
    }
    int order = 0;
    if (!ct_value_compare(a, b, &order))
        return ct_fail(&render->report, activation->template, offset, "%s and %s have no order", ct_value_noun(a),
                       ct_value_noun(b));
    *holds = order_holds(op, order);
    return true;
}

/* a < b < c: each pair, and the middle ones are evaluated once. */
static bool compare_evaluate(struct ct_render *render, struct ct_activation *activation,
                             const struct ct_expression *expression, struct ct_value *value)
{
    struct ct_value left = {0};
    bool holds = true;
    if (!ct_evaluate(render, activation, expression->kids[0], &left))
        return false;
    for (size_t i = 1; holds && i < expression->count; i++) {
        enum ct_operator op = expression->operators[i - 1];
        bool is_member = op == CT_OP_IN || op == CT_OP_NOT_IN;
        struct ct_value right = {0};
        bool is_good = is_member ? ct_evaluate_lazy(render, activation, expression->kids[i], &right)
                                 : ct_evaluate(render, activation, expression->kids[i], &right);
        if (!is_good || !pair_compare(render, activation, expression->offset, op, &left, &right, &holds))
            return false;
        left = right;
    }
    *value = ct_value_bool(holds);
    return true;
}

static bool not_evaluate(struct ct_render *render, struct ct_activation *activation,
                         const struct ct_expression *expression, struct ct_value *value)
{
    bool is_true = false;
    if (!ct_evaluate_truth(render, activation, expression->kids[0], &is_true))
        return false;
    *value = ct_value_bool(!is_true);
    return true;
}

static bool condition_evaluate(struct ct_render *render, struct ct_activation *activation,
                               const struct ct_expression *expression, struct ct_value *value)
{
    bool is_true = false;
    return ct_evaluate_truth(render, activation, expression->kids[0], &is_true) &&
           ct_evaluate(render, activation, expression->kids[is_true ? 1 : 2], value);
}

/* ---- All. */

static bool kind_evaluate(struct ct_render *render, struct ct_activation *activation, struct ct_expression *expression,
                          struct ct_value *value)
{
    switch (expression->kind) {
    case CT_EX_CONSTANT:
        *value = expression->constant;
        return true;
    case CT_EX_CAPTURED:
        *value = render->captured;
        return true;
    case CT_EX_NAME:
        *value = *ct_ref_read(activation, expression->ref);
        if (value->kind == CT_MISSING)
            *value = ct_value_undefined(expression->name);
        return true;
    case CT_EX_LIST:
        return list_evaluate(render, activation, expression, value);
    case CT_EX_MAP:
        return map_evaluate(render, activation, expression, value);
    case CT_EX_ATTRIBUTE:
        return attribute_evaluate(render, activation, expression, value);
    case CT_EX_ITEM:
        return item_evaluate(render, activation, expression, value);
    case CT_EX_CALL:
        return ct_call_evaluate(render, activation, expression, false, value);
    case CT_EX_FILTER:
        return ct_filter_evaluate(render, activation, expression, value);
    case CT_EX_TEST:
        return ct_test_evaluate(render, activation, expression, value);
    case CT_EX_NOT:
        return not_evaluate(render, activation, expression, value);
    case CT_EX_NEGATE:
    case CT_EX_PLUS:
        return sign_evaluate(render, activation, expression, value);
    case CT_EX_AND:
    case CT_EX_OR:
        return logic_evaluate(render, activation, expression, value);
    case CT_EX_COMPARE:
        return compare_evaluate(render, activation, expression, value);
    case CT_EX_CONCAT:
        return concat_evaluate(render, activation, expression, value);
    case CT_EX_ARITHMETIC:
        return arithmetic_evaluate(render, activation, expression, value);
    case CT_EX_CONDITION:
        return condition_evaluate(render, activation, expression, value);
    }
    return false;
}

bool ct_evaluate_lazy(struct ct_render *render, struct ct_activation *activation,
                      const struct ct_expression *expression, struct ct_value *value)
{
    if (!ct_depth_enter(render, activation, expression->offset) ||
        !kind_evaluate(render, activation, (struct ct_expression *)expression, value))
        return false;
    render->depth--;
    return true;
}

bool ct_evaluate(struct ct_render *render, struct ct_activation *activation, const struct ct_expression *expression,
                 struct ct_value *value)
{
    if (!ct_evaluate_lazy(render, activation, expression, value))
        return false;
    if (!value->lazy)
        return true;
    return ct_fail(&render->report, activation->template, expression->offset,
                   "Jinja2 gives a generator here that can be walked only once, add |list");
}

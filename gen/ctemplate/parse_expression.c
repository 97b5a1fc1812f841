/* Expressions, with Jinja2's precedence (parser.py): condition, or, and, not, comparison, + -, ~, * // %, sign, filters and
 * tests, attribute and call. */
#include "ctemplate/filter.h"
#include "ctemplate/parse.h"
#include "ctemplate/test.h"

struct kids {
    struct ct_expression **items;
    size_t count;
    size_t room;
};

static void *grow(struct arena *arena, void *items, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return items;
    *room = *room == 0 ? 2 : *room * 2;
    void *grown = arena_take_array(arena, *room, size);
    if (count != 0)
        memcpy(grown, items, count * size);
    return grown;
}

static void kids_add(struct ct_parser *parser, struct kids *kids, struct ct_expression *kid)
{
    kids->items = grow(parser->arena, kids->items, kids->count, &kids->room, sizeof *kids->items);
    kids->items[kids->count++] = kid;
}

struct ct_expression *ct_expression_make(struct ct_parser *parser, enum ct_expression_kind kind, size_t offset)
{
    struct ct_expression *made = arena_take(parser->arena, sizeof *made);
    made->kind = kind;
    made->offset = offset;
    made->depth = 1;
    return made;
}

/* Gives an expression its kids; NULL when the tree becomes too high. */
static struct ct_expression *expression_close(struct ct_parser *parser, struct ct_expression *made, struct kids kids)
{
    for (size_t i = 0; i < kids.count; i++)
        if (kids.items[i]->depth >= made->depth)
            made->depth = kids.items[i]->depth + 1;
    made->kids = kids.items;
    made->count = kids.count;
    if (made->depth <= CT_EXPRESSION_DEPTH_MAX)
        return made;
    ct_parser_fail(parser, made->offset, "this expression is nested more than %d deep", CT_EXPRESSION_DEPTH_MAX);
    return NULL;
}

static struct ct_expression *make_unary(struct ct_parser *parser, enum ct_expression_kind kind, size_t offset,
                                        struct ct_expression *kid)
{
    struct kids kids = {0};
    if (kid == NULL)
        return NULL;
    kids_add(parser, &kids, kid);
    return expression_close(parser, ct_expression_make(parser, kind, offset), kids);
}

static struct ct_expression *make_binary(struct ct_parser *parser, enum ct_expression_kind kind, size_t offset,
                                         struct ct_expression *left, struct ct_expression *right)
{
    struct kids kids = {0};
    if (left == NULL || right == NULL)
        return NULL;
    kids_add(parser, &kids, left);
    kids_add(parser, &kids, right);
    return expression_close(parser, ct_expression_make(parser, kind, offset), kids);
}

/* ---- Primary expressions. */

static struct ct_expression *parse_name(struct ct_parser *parser)
{
    struct ct_expression *made = ct_expression_make(parser, CT_EX_CONSTANT, parser->token.offset);
    struct text name = parser->token.text;
    if (text_is(name, "true") || text_is(name, "True")) {
        made->constant = ct_value_bool(true);
    } else if (text_is(name, "false") || text_is(name, "False")) {
        made->constant = ct_value_bool(false);
    } else if (text_is(name, "none") || text_is(name, "None")) {
        made->constant = *ct_none();
    } else {
        made->kind = CT_EX_NAME;
        made->name = name;
        made->number = ct_parser_number(parser, name);
    }
    return ct_parser_next(parser) ? made : NULL;
}

/* A string; strings side by side are one. */
static struct ct_expression *parse_string(struct ct_parser *parser)
{
    struct ct_expression *made = ct_expression_make(parser, CT_EX_CONSTANT, parser->token.offset);
    struct buffer joined = {0};
    struct text text = parser->token.text;
    bool is_good = ct_parser_next(parser);
    while (is_good && ct_parser_sees(parser, CT_TK_STRING)) {
        if (joined.size == 0)
            buffer_add(&joined, text);
        buffer_add(&joined, parser->token.text);
        text = buffer_text(&joined);
        is_good = ct_parser_next(parser);
    }
    made->constant = ct_value_text(joined.size == 0 ? text : arena_copy(parser->arena, text), true);
    buffer_free(&joined);
    return is_good ? made : NULL;
}

static struct ct_expression *parse_integer(struct ct_parser *parser)
{
    struct ct_expression *made = ct_expression_make(parser, CT_EX_CONSTANT, parser->token.offset);
    made->constant = ct_value_integer(parser->token.integer);
    return ct_parser_next(parser) ? made : NULL;
}

static struct ct_expression *parse_list(struct ct_parser *parser)
{
    struct ct_expression *made = ct_expression_make(parser, CT_EX_LIST, parser->token.offset);
    struct kids kids = {0};
    if (!ct_parser_next(parser))
        return NULL;
    while (!ct_parser_sees(parser, CT_TK_RIGHT_BRACKET)) {
        if (kids.count != 0 && !ct_parser_expect(parser, CT_TK_COMMA))
            return NULL;
        if (ct_parser_sees(parser, CT_TK_RIGHT_BRACKET))
            break;
        struct ct_expression *kid = ct_parse_expression(parser, true);
        if (kid == NULL)
            return NULL;
        kids_add(parser, &kids, kid);
    }
    return ct_parser_next(parser) ? expression_close(parser, made, kids) : NULL;
}

static bool parse_pair(struct ct_parser *parser, struct kids *kids)
{
    struct ct_expression *key = ct_parse_expression(parser, true);
    if (key == NULL || !ct_parser_expect(parser, CT_TK_COLON))
        return false;
    struct ct_expression *value = ct_parse_expression(parser, true);
    if (value == NULL)
        return false;
    kids_add(parser, kids, key);
    kids_add(parser, kids, value);
    return true;
}

static struct ct_expression *parse_map(struct ct_parser *parser)
{
    struct ct_expression *made = ct_expression_make(parser, CT_EX_MAP, parser->token.offset);
    struct kids kids = {0};
    if (!ct_parser_next(parser))
        return NULL;
    while (!ct_parser_sees(parser, CT_TK_RIGHT_BRACE)) {
        if (kids.count != 0 && !ct_parser_expect(parser, CT_TK_COMMA))
            return NULL;
        if (ct_parser_sees(parser, CT_TK_RIGHT_BRACE))
            break;
        if (!parse_pair(parser, &kids))
            return NULL;
    }
    return ct_parser_next(parser) ? expression_close(parser, made, kids) : NULL;
}

static struct ct_expression *parse_parentheses(struct ct_parser *parser)
{
    size_t offset = parser->token.offset;
    if (!ct_parser_next(parser))
        return NULL;
    bool is_empty = ct_parser_sees(parser, CT_TK_RIGHT_PARENTHESIS);
    struct ct_expression *made = is_empty ? NULL : ct_parse_expression(parser, true);
    if (is_empty || (made != NULL && ct_parser_sees(parser, CT_TK_COMMA))) {
        ct_parser_fail(parser, offset, "there are no tuples in templates, write a list: [...]");
        return NULL;
    }
    return made != NULL && ct_parser_expect(parser, CT_TK_RIGHT_PARENTHESIS) ? made : NULL;
}

static struct ct_expression *parse_primary(struct ct_parser *parser)
{
    switch (parser->token.kind) {
    case CT_TK_NAME:
        return parse_name(parser);
    case CT_TK_STRING:
        return parse_string(parser);
    case CT_TK_INTEGER:
        return parse_integer(parser);
    case CT_TK_LEFT_PARENTHESIS:
        return parse_parentheses(parser);
    case CT_TK_LEFT_BRACKET:
        return parse_list(parser);
    case CT_TK_LEFT_BRACE:
        return parse_map(parser);
    default:
        ct_parser_fail(parser, parser->token.offset, "an expression is due, not %s", ct_token_noun(parser->token.kind));
        return NULL;
    }
}

/* ---- Postfix: attributes, items, calls, filters, tests. */

/* In Jinja2 these are methods of a map, whatever its keys. */
static bool attribute_is_taken(struct text name)
{
    static const char *const methods[] = {"clear", "copy",    "fromkeys",   "get",    "items", "keys",
                                          "pop",   "popitem", "setdefault", "update", "values"};
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++)
        if (text_is(name, methods[i]))
            return true;
    return name.size > 2 && memcmp(name.bytes, "__", 2) == 0;
}

static struct ct_expression *parse_attribute(struct ct_parser *parser, struct ct_expression *object)
{
    if (!ct_parser_next(parser))
        return NULL;
    size_t offset = parser->token.offset;
    if (ct_parser_sees(parser, CT_TK_INTEGER))
        return make_binary(parser, CT_EX_ITEM, offset, object, parse_integer(parser));
    if (!ct_parser_sees(parser, CT_TK_NAME)) {
        ct_parser_fail(parser, offset, "a name or a number is due behind '.', not %s",
                       ct_token_noun(parser->token.kind));
        return NULL;
    }
    struct text name = parser->token.text;
    if (attribute_is_taken(name)) {
        ct_parser_fail(parser, offset, "there are no methods in templates, write ['%.*s'] for a key%s", TEXT_ARGS(name),
                       text_is(name, "items") ? ", |items for the pairs of a map" : "");
        return NULL;
    }
    struct ct_expression *made = make_unary(parser, CT_EX_ATTRIBUTE, offset, object);
    if (made == NULL || !ct_parser_next(parser))
        return NULL;
    made->name = name;
    return made;
}

static struct ct_expression *parse_item(struct ct_parser *parser, struct ct_expression *object)
{
    size_t offset = parser->token.offset;
    if (!ct_parser_next(parser))
        return NULL;
    struct ct_expression *key = NULL;
    if (ct_parser_sees(parser, CT_TK_RIGHT_BRACKET)) {
        ct_parser_fail(parser, offset, "there is no index between '[' and ']'");
        return NULL;
    }
    if (!ct_parser_sees(parser, CT_TK_COLON)) {
        key = ct_parse_expression(parser, true);
        if (key == NULL)
            return NULL;
    }
    if (ct_parser_sees(parser, CT_TK_COLON) || ct_parser_sees(parser, CT_TK_COMMA)) {
        ct_parser_fail(parser, parser->token.offset, "there are no slices in templates");
        return NULL;
    }
    if (!ct_parser_expect(parser, CT_TK_RIGHT_BRACKET))
        return NULL;
    return make_binary(parser, CT_EX_ITEM, offset, object, key);
}

/* One argument; keyword arguments come last and their names in made->names. */
static bool parse_argument(struct ct_parser *parser, struct ct_expression *made, struct kids *kids, size_t *names_room)
{
    if (ct_parser_sees(parser, CT_TK_MULTIPLY) || ct_parser_sees(parser, CT_TK_POWER))
        return ct_parser_fail(parser, parser->token.offset, "there are no '*' and '**' arguments in templates");
    bool is_named = false;
    if (ct_parser_sees(parser, CT_TK_NAME)) {
        if (!ct_parser_look(parser))
            return false;
        is_named = parser->ahead.kind == CT_TK_ASSIGN;
    }
    if (!is_named && made->named != 0)
        return ct_parser_fail(parser, parser->token.offset, "a positional argument stands behind keyword arguments");
    if (is_named) {
        for (size_t i = 0; i < made->named; i++)
            if (text_is_equal(made->names[i], parser->token.text))
                return ct_parser_fail(parser, parser->token.offset, "the argument %.*s is given twice",
                                      TEXT_ARGS(parser->token.text));
        made->names = grow(parser->arena, made->names, made->named, names_room, sizeof *made->names);
        made->names[made->named++] = parser->token.text;
        if (!ct_parser_next(parser) || !ct_parser_next(parser))
            return false;
    }
    struct ct_expression *value = ct_parse_expression(parser, true);
    if (value == NULL)
        return false;
    kids_add(parser, kids, value);
    return true;
}

/* "(a, b=c)" behind a call's, filter's or test's name; `first` is the callee or subject. */
static struct ct_expression *parse_arguments(struct ct_parser *parser, struct ct_expression *made,
                                             struct ct_expression *first)
{
    struct kids kids = {0};
    size_t names_room = 0;
    kids_add(parser, &kids, first);
    if (!ct_parser_expect(parser, CT_TK_LEFT_PARENTHESIS))
        return NULL;
    while (!ct_parser_sees(parser, CT_TK_RIGHT_PARENTHESIS)) {
        if (kids.count > 1 && !ct_parser_expect(parser, CT_TK_COMMA))
            return NULL;
        if (ct_parser_sees(parser, CT_TK_RIGHT_PARENTHESIS))
            break;
        if (!parse_argument(parser, made, &kids, &names_room))
            return NULL;
    }
    return ct_parser_next(parser) ? expression_close(parser, made, kids) : NULL;
}

static struct ct_expression *parse_postfix(struct ct_parser *parser, struct ct_expression *node)
{
    while (node != NULL) {
        if (ct_parser_sees(parser, CT_TK_DOT))
            node = parse_attribute(parser, node);
        else if (ct_parser_sees(parser, CT_TK_LEFT_BRACKET))
            node = parse_item(parser, node);
        else if (ct_parser_sees(parser, CT_TK_LEFT_PARENTHESIS))
            node = parse_arguments(parser, ct_expression_make(parser, CT_EX_CALL, parser->token.offset), node);
        else
            break;
    }
    return node;
}

static struct ct_expression *parse_filter(struct ct_parser *parser, struct ct_expression *subject)
{
    if (!ct_parser_next(parser))
        return NULL;
    struct ct_token token = parser->token;
    if (!ct_parser_expect(parser, CT_TK_NAME))
        return NULL;
    struct ct_expression *made = ct_expression_make(parser, CT_EX_FILTER, token.offset);
    made->name = token.text;
    made->filter = ct_filter_find(token.text);
    if (made->filter == NULL) {
        ct_parser_fail(parser, token.offset, "there is no filter %.*s", TEXT_ARGS(token.text));
        return NULL;
    }
    if (ct_parser_sees(parser, CT_TK_LEFT_PARENTHESIS))
        return parse_arguments(parser, made, subject);
    struct kids kids = {0};
    kids_add(parser, &kids, subject);
    return expression_close(parser, made, kids);
}

struct ct_expression *ct_parse_filters(struct ct_parser *parser, struct ct_expression *subject)
{
    while (subject != NULL && ct_parser_sees(parser, CT_TK_PIPE))
        subject = parse_filter(parser, subject);
    return subject;
}

/* True when the argument of a test stands here without parentheses: "is divisibleby 3". */
static bool sees_bare_argument(const struct ct_parser *parser)
{
    switch (parser->token.kind) {
    case CT_TK_NAME:
        return !ct_parser_sees_name(parser, "else") && !ct_parser_sees_name(parser, "or") &&
               !ct_parser_sees_name(parser, "and");
    case CT_TK_STRING:
    case CT_TK_INTEGER:
    case CT_TK_LEFT_BRACKET:
    case CT_TK_LEFT_BRACE:
        return true;
    default:
        return false;
    }
}

static struct ct_expression *parse_test_arguments(struct ct_parser *parser, struct ct_expression *made,
                                                  struct ct_expression *subject)
{
    struct kids kids = {0};
    if (ct_parser_sees(parser, CT_TK_LEFT_PARENTHESIS))
        return parse_arguments(parser, made, subject);
    kids_add(parser, &kids, subject);
    if (sees_bare_argument(parser)) {
        if (ct_parser_sees_name(parser, "is")) {
            ct_parser_fail(parser, parser->token.offset, "tests cannot be chained with 'is'");
            return NULL;
        }
        struct ct_expression *argument = parse_postfix(parser, parse_primary(parser));
        if (argument == NULL)
            return NULL;
        kids_add(parser, &kids, argument);
    }
    return expression_close(parser, made, kids);
}

static struct ct_expression *parse_test(struct ct_parser *parser, struct ct_expression *subject)
{
    size_t offset = parser->token.offset;
    if (!ct_parser_next(parser))
        return NULL;
    bool is_negated = ct_parser_sees_name(parser, "not");
    if (is_negated && !ct_parser_next(parser))
        return NULL;
    struct ct_token token = parser->token;
    if (!ct_parser_expect(parser, CT_TK_NAME))
        return NULL;
    struct ct_expression *made = ct_expression_make(parser, CT_EX_TEST, token.offset);
    made->name = token.text;
    made->test = ct_test_find(token.text);
    if (made->test == NULL) {
        ct_parser_fail(parser, token.offset, "there is no test %.*s", TEXT_ARGS(token.text));
        return NULL;
    }
    made = parse_test_arguments(parser, made, subject);
    return is_negated ? make_unary(parser, CT_EX_NOT, offset, made) : made;
}

/* ---- Operators, the tightest first. */

static struct ct_expression *parse_unary(struct ct_parser *parser, bool with_filters)
{
    size_t offset = parser->token.offset;
    bool is_minus = ct_parser_sees(parser, CT_TK_SUBTRACT);
    struct ct_expression *node;
    if (is_minus || ct_parser_sees(parser, CT_TK_ADD)) {
        if (parser->expressions_depth == CT_NESTING_MAX) {
            ct_parser_fail(parser, offset, "expressions are nested more than %d deep", CT_NESTING_MAX);
            return NULL;
        }
        if (!ct_parser_next(parser))
            return NULL;
        parser->expressions_depth++;
        node = make_unary(parser, is_minus ? CT_EX_NEGATE : CT_EX_PLUS, offset, parse_unary(parser, false));
        parser->expressions_depth--;
    } else {
        node = parse_primary(parser);
    }
    node = parse_postfix(parser, node);
    while (with_filters && node != NULL) {
        if (ct_parser_sees(parser, CT_TK_PIPE))
            node = parse_filter(parser, node);
        else if (ct_parser_sees_name(parser, "is"))
            node = parse_test(parser, node);
        else if (ct_parser_sees(parser, CT_TK_LEFT_PARENTHESIS))
            node = parse_arguments(parser, ct_expression_make(parser, CT_EX_CALL, parser->token.offset), node);
        else
            break;
    }
    return node;
}

static struct ct_expression *make_arithmetic(struct ct_parser *parser, enum ct_operator op, size_t offset,
                                             struct ct_expression *left, struct ct_expression *right)
{
    struct ct_expression *made = make_binary(parser, CT_EX_ARITHMETIC, offset, left, right);
    if (made != NULL) {
        made->operators = arena_take(parser->arena, sizeof *made->operators);
        made->operators[0] = op;
    }
    return made;
}

static struct ct_expression *parse_product(struct ct_parser *parser)
{
    struct ct_expression *node = parse_unary(parser, true);
    while (node != NULL) {
        size_t offset = parser->token.offset;
        enum ct_token_kind kind = parser->token.kind;
        if (kind == CT_TK_DIVIDE || kind == CT_TK_POWER) {
            ct_parser_fail(parser, offset, "there is no %s in templates%s", ct_token_noun(kind),
                           kind == CT_TK_DIVIDE ? ", only '//' that rounds down" : "");
            return NULL;
        }
        if (kind != CT_TK_MULTIPLY && kind != CT_TK_FLOOR_DIVIDE && kind != CT_TK_MODULO)
            break;
        enum ct_operator op = kind == CT_TK_MULTIPLY ? CT_OP_MULTIPLY
                              : kind == CT_TK_MODULO ? CT_OP_MODULO
                                                     : CT_OP_DIVIDE;
        if (!ct_parser_next(parser))
            return NULL;
        node = make_arithmetic(parser, op, offset, node, parse_unary(parser, true));
    }
    return node;
}

static struct ct_expression *parse_concat(struct ct_parser *parser)
{
    struct ct_expression *node = parse_product(parser);
    if (node == NULL || !ct_parser_sees(parser, CT_TK_TILDE))
        return node;
    struct ct_expression *made = ct_expression_make(parser, CT_EX_CONCAT, node->offset);
    struct kids kids = {0};
    kids_add(parser, &kids, node);
    while (ct_parser_sees(parser, CT_TK_TILDE)) {
        node = ct_parser_next(parser) ? parse_product(parser) : NULL;
        if (node == NULL)
            return NULL;
        kids_add(parser, &kids, node);
    }
    return expression_close(parser, made, kids);
}

static struct ct_expression *parse_sum(struct ct_parser *parser)
{
    struct ct_expression *node = parse_concat(parser);
    while (node != NULL && (ct_parser_sees(parser, CT_TK_ADD) || ct_parser_sees(parser, CT_TK_SUBTRACT))) {
        size_t offset = parser->token.offset;
        enum ct_operator op = ct_parser_sees(parser, CT_TK_ADD) ? CT_OP_ADD : CT_OP_SUBTRACT;
        if (!ct_parser_next(parser))
            return NULL;
        node = make_arithmetic(parser, op, offset, node, parse_concat(parser));
    }
    return node;
}

/* Steps over a comparison operator; `found` says whether there was one. */
static bool take_comparison(struct ct_parser *parser, enum ct_operator *op, bool *found)
{
    static const enum ct_operator operators[] = {
        [CT_TK_EQ] = CT_OP_EQ, [CT_TK_NE] = CT_OP_NE, [CT_TK_GT] = CT_OP_GT,
        [CT_TK_GE] = CT_OP_GE, [CT_TK_LT] = CT_OP_LT, [CT_TK_LE] = CT_OP_LE,
    };
    *found = true;
    if (parser->token.kind >= CT_TK_EQ && parser->token.kind <= CT_TK_LE) {
        *op = operators[parser->token.kind];
        return ct_parser_next(parser);
    }
    if (ct_parser_sees_name(parser, "in")) {
        *op = CT_OP_IN;
        return ct_parser_next(parser);
    }
    *found = false;
    if (!ct_parser_sees_name(parser, "not"))
        return true;
    if (!ct_parser_look(parser))
        return false;
    *found = parser->ahead.kind == CT_TK_NAME && text_is(parser->ahead.text, "in");
    *op = CT_OP_NOT_IN;
    return !*found || (ct_parser_next(parser) && ct_parser_next(parser));
}

static struct ct_expression *parse_comparison(struct ct_parser *parser)
{
    struct ct_expression *node = parse_sum(parser);
    if (node == NULL)
        return NULL;
    struct ct_expression *made = ct_expression_make(parser, CT_EX_COMPARE, parser->token.offset);
    struct kids kids = {0};
    size_t operators_room = 0;
    kids_add(parser, &kids, node);
    for (;;) {
        enum ct_operator op = CT_OP_EQ;
        bool found = false;
        if (!take_comparison(parser, &op, &found))
            return NULL;
        if (!found)
            break;
        node = parse_sum(parser);
        if (node == NULL)
            return NULL;
        made->operators =
            grow(parser->arena, made->operators, kids.count - 1, &operators_room, sizeof *made->operators);
        made->operators[kids.count - 1] = op;
        kids_add(parser, &kids, node);
    }
    return kids.count == 1 ? node : expression_close(parser, made, kids);
}

static struct ct_expression *parse_not(struct ct_parser *parser)
{
    if (!ct_parser_sees_name(parser, "not"))
        return parse_comparison(parser);
    size_t offset = parser->token.offset;
    if (parser->expressions_depth == CT_NESTING_MAX) {
        ct_parser_fail(parser, offset, "expressions are nested more than %d deep", CT_NESTING_MAX);
        return NULL;
    }
    if (!ct_parser_next(parser))
        return NULL;
    parser->expressions_depth++;
    struct ct_expression *made = make_unary(parser, CT_EX_NOT, offset, parse_not(parser));
    parser->expressions_depth--;
    return made;
}

static struct ct_expression *parse_and(struct ct_parser *parser)
{
    struct ct_expression *node = parse_not(parser);
    while (node != NULL && ct_parser_sees_name(parser, "and")) {
        size_t offset = parser->token.offset;
        if (!ct_parser_next(parser))
            return NULL;
        node = make_binary(parser, CT_EX_AND, offset, node, parse_not(parser));
    }
    return node;
}

static struct ct_expression *parse_or(struct ct_parser *parser)
{
    struct ct_expression *node = parse_and(parser);
    while (node != NULL && ct_parser_sees_name(parser, "or")) {
        size_t offset = parser->token.offset;
        if (!ct_parser_next(parser))
            return NULL;
        node = make_binary(parser, CT_EX_OR, offset, node, parse_and(parser));
    }
    return node;
}

/* What follows `then` in "then if condition else otherwise". */
static struct ct_expression *parse_condition_tail(struct ct_parser *parser, struct ct_expression *then)
{
    struct ct_expression *made = ct_expression_make(parser, CT_EX_CONDITION, parser->token.offset);
    struct kids kids = {0};
    struct ct_expression *condition = ct_parser_next(parser) ? parse_or(parser) : NULL;
    if (condition == NULL)
        return NULL;
    if (!ct_parser_sees_name(parser, "else")) {
        ct_parser_fail(parser, made->offset, "a conditional expression needs its 'else'");
        return NULL;
    }
    struct ct_expression *otherwise = ct_parser_next(parser) ? ct_parse_expression(parser, true) : NULL;
    if (otherwise == NULL)
        return NULL;
    kids_add(parser, &kids, condition);
    kids_add(parser, &kids, then);
    kids_add(parser, &kids, otherwise);
    return expression_close(parser, made, kids);
}

struct ct_expression *ct_parse_expression(struct ct_parser *parser, bool with_condition)
{
    if (parser->expressions_depth == CT_NESTING_MAX) {
        ct_parser_fail(parser, parser->token.offset, "expressions are nested more than %d deep", CT_NESTING_MAX);
        return NULL;
    }
    parser->expressions_depth++;
    struct ct_expression *node = parse_or(parser);
    while (with_condition && node != NULL && ct_parser_sees_name(parser, "if"))
        node = parse_condition_tail(parser, node);
    parser->expressions_depth--;
    return node;
}

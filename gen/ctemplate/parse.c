/* Statements: the tags and the text between them. */
#include "ctemplate/parse.h"

bool ct_parser_next(struct ct_parser *parser)
{
    if (parser->has_ahead) {
        parser->token = parser->ahead;
        parser->has_ahead = false;
        return true;
    }
    return ct_lexer_take(&parser->lexer, &parser->token);
}

bool ct_parser_look(struct ct_parser *parser)
{
    if (!parser->has_ahead && !ct_lexer_take(&parser->lexer, &parser->ahead))
        return false;
    parser->has_ahead = true;
    return true;
}

bool ct_parser_sees(const struct ct_parser *parser, enum ct_token_kind kind)
{
    return parser->token.kind == kind;
}

bool ct_parser_sees_name(const struct ct_parser *parser, const char *name)
{
    return parser->token.kind == CT_TK_NAME && text_is(parser->token.text, name);
}

bool ct_parser_fail(struct ct_parser *parser, size_t offset, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    struct text text = arena_vformat(parser->arena, format, arguments);
    va_end(arguments);
    return ct_fail(parser->report, parser->template, offset, "%.*s", TEXT_ARGS(text));
}

bool ct_parser_expect(struct ct_parser *parser, enum ct_token_kind kind)
{
    if (ct_parser_sees(parser, kind))
        return ct_parser_next(parser);
    if (ct_parser_sees(parser, CT_TK_NAME))
        return ct_parser_fail(parser, parser->token.offset, "%s is due, not '%.*s'", ct_token_noun(kind),
                              TEXT_ARGS(parser->token.text));
    return ct_parser_fail(parser, parser->token.offset, "%s is due, not %s", ct_token_noun(kind),
                          ct_token_noun(parser->token.kind));
}

static bool parser_expect_word(struct ct_parser *parser, const char *word)
{
    if (ct_parser_sees_name(parser, word))
        return ct_parser_next(parser);
    return ct_parser_fail(parser, parser->token.offset, "'%s' is due, not %s", word, ct_token_noun(parser->token.kind));
}

/* Steps over a word if it stands here. */
static bool parser_skip_word(struct ct_parser *parser, const char *word, bool *was_there)
{
    *was_there = ct_parser_sees_name(parser, word);
    return !*was_there || ct_parser_next(parser);
}

unsigned ct_parser_number(struct ct_parser *parser, struct text name)
{
    struct ct_template *template = parser->template;
    const unsigned *known = map_find(&template->numbers, name);
    if (known != NULL)
        return *known;
    unsigned *number = arena_take(parser->arena, sizeof *number);
    *number = template->names_count;
    map_add(&template->numbers, parser->arena, name, number);
    if (template->names_count == template->names_room) {
        unsigned room = template->names_room == 0 ? 16 : template->names_room * 2;
        struct text *names = arena_take_array(parser->arena, room, sizeof *names);
        if (template->names_count != 0)
            memcpy(names, template->names, template->names_count * sizeof *names);
        template->names = names;
        template->names_room = room;
    }
    template->names[template->names_count] = name;
    return template->names_count++;
}

/* ---- What is assigned to. */

static bool name_is_assignable(struct text name)
{
    static const char *const taken[] = {"true", "false", "none", "True", "False", "None", "loop"};
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++)
        if (text_is(name, taken[i]))
            return false;
    return true;
}

static bool parse_target(struct ct_parser *parser, struct ct_target *target)
{
    struct ct_token token = parser->token;
    if (!ct_parser_expect(parser, CT_TK_NAME))
        return false;
    if (!name_is_assignable(token.text))
        return ct_parser_fail(parser, token.offset, "nothing can be assigned to '%.*s'", TEXT_ARGS(token.text));
    *target =
        (struct ct_target){.name = token.text, .number = ct_parser_number(parser, token.text), .offset = token.offset};
    return true;
}

static struct ct_target *targets_add(struct ct_parser *parser, struct ct_targets *targets, struct ct_target target)
{
    if (targets->count == targets->room) {
        size_t room = targets->room == 0 ? 2 : targets->room * 2;
        struct ct_target *items = arena_take_array(parser->arena, room, sizeof *items);
        if (targets->count != 0)
            memcpy(items, targets->items, targets->count * sizeof *items);
        targets->items = items;
        targets->room = room;
    }
    targets->items[targets->count++] = target;
    return &targets->items[targets->count - 1];
}

/* ---- Blocks. */

static bool parse_block(struct ct_parser *parser, struct ct_statement **body, const char *const ends[]);

static struct ct_statement *statement_make(struct ct_parser *parser, enum ct_statement_kind kind, size_t offset)
{
    struct ct_statement *made = arena_take(parser->arena, sizeof *made);
    made->kind = kind;
    made->offset = offset;
    return made;
}

/* The rest of a tag, then statements up to one of the words, which becomes the current token. */
static bool parse_body(struct ct_parser *parser, const struct ct_statement *owner, const char *word,
                       struct ct_statement **body, const char *const ends[])
{
    if (ct_parser_sees(parser, CT_TK_COLON) && !ct_parser_next(parser))
        return false;
    if (!ct_parser_expect(parser, CT_TK_BLOCK_END))
        return false;
    if (parser->blocks_depth == CT_NESTING_MAX)
        return ct_parser_fail(parser, owner->offset, "blocks are nested more than %d deep", CT_NESTING_MAX);
    const struct ct_statement *outer = parser->open;
    const char *outer_word = parser->open_word;
    parser->open = owner;
    parser->open_word = word;
    parser->blocks_depth++;
    if (!parse_block(parser, body, ends))
        return false;
    parser->blocks_depth--;
    parser->open = outer;
    parser->open_word = outer_word;
    return true;
}

static bool parse_if(struct ct_parser *parser, struct ct_statement *statement)
{
    static const char *const ends[] = {"elif", "else", "endif", NULL};
    struct ct_branch **next = &statement->branches;
    for (bool is_last = false; !is_last;) {
        struct ct_branch *branch = arena_take(parser->arena, sizeof *branch);
        *next = branch;
        next = &branch->next;
        is_last = ct_parser_sees_name(parser, "else");
        if (!ct_parser_next(parser))
            return false;
        if (!is_last && (branch->condition = ct_parse_expression(parser, false)) == NULL)
            return false;
        if (!parse_body(parser, statement, "if", &branch->body, is_last ? ends + 2 : ends))
            return false;
        if (ct_parser_sees_name(parser, "endif"))
            break;
    }
    return ct_parser_next(parser);
}

static bool parse_for_targets(struct ct_parser *parser, struct ct_loop_parts *loop)
{
    while (loop->targets.count == 0 || !ct_parser_sees_name(parser, "in")) {
        struct ct_target target = {0};
        if (!parse_target(parser, &target))
            return false;
        targets_add(parser, &loop->targets, target);
        targets_add(parser, &loop->tested, target);
        if (!ct_parser_sees(parser, CT_TK_COMMA))
            break;
        loop->is_unpacked = true;
        if (!ct_parser_next(parser))
            return false;
    }
    return parser_expect_word(parser, "in");
}

static bool parse_for(struct ct_parser *parser, struct ct_statement *statement)
{
    static const char *const ends[] = {"endfor", "else", NULL};
    static const char *const last[] = {"endfor", NULL};
    struct ct_loop_parts *loop = arena_take(parser->arena, sizeof *loop);
    statement->loop = loop;
    if (!ct_parser_next(parser) || !parse_for_targets(parser, loop))
        return false;
    loop->items = ct_parse_expression(parser, false);
    if (loop->items == NULL)
        return false;
    bool found = false;
    if (!parser_skip_word(parser, "if", &found) ||
        (found && (loop->filter = ct_parse_expression(parser, true)) == NULL))
        return false;
    if (ct_parser_sees_name(parser, "recursive"))
        return ct_parser_fail(parser, parser->token.offset, "there are no recursive loops in templates");
    if (!parse_body(parser, statement, "for", &loop->body, ends) || !parser_skip_word(parser, "else", &found))
        return false;
    if (found && !parse_body(parser, statement, "for", &loop->otherwise, last))
        return false;
    return ct_parser_next(parser);
}

static bool parse_set(struct ct_parser *parser, struct ct_statement *statement)
{
    static const char *const ends[] = {"endset", NULL};
    struct ct_target target = {0};
    if (!ct_parser_next(parser) || !parse_target(parser, &target))
        return false;
    if (ct_parser_sees(parser, CT_TK_DOT) || ct_parser_sees(parser, CT_TK_COMMA))
        return ct_parser_fail(parser, parser->token.offset, "set assigns to one name only");
    if (ct_parser_sees(parser, CT_TK_ASSIGN)) {
        statement->set.target = target;
        if (!ct_parser_next(parser))
            return false;
        statement->set.value = ct_parse_expression(parser, true);
        return statement->set.value != NULL;
    }
    struct ct_capture_parts *capture = arena_take(parser->arena, sizeof *capture);
    statement->kind = CT_ST_CAPTURE;
    statement->capture = capture;
    capture->target = target;
    if (ct_parser_sees(parser, CT_TK_PIPE)) {
        capture->filter = ct_parse_filters(parser, ct_expression_make(parser, CT_EX_CAPTURED, parser->token.offset));
        if (capture->filter == NULL)
            return false;
    }
    return parse_body(parser, statement, "set", &capture->body, ends) && ct_parser_next(parser);
}

static bool parse_parameter(struct ct_parser *parser, struct ct_macro_parts *macro, struct ct_targets *defaults)
{
    struct ct_target target = {0};
    if (!parse_target(parser, &target))
        return false;
    for (size_t i = 0; i < macro->parameters.count; i++)
        if (macro->parameters.items[i].number == target.number)
            return ct_parser_fail(parser, target.offset, "the parameter %.*s is there twice", TEXT_ARGS(target.name));
    targets_add(parser, &macro->parameters, target);
    struct ct_expression *value = NULL;
    if (ct_parser_sees(parser, CT_TK_ASSIGN)) {
        if (!ct_parser_next(parser) || (value = ct_parse_expression(parser, true)) == NULL)
            return false;
    } else if (macro->parameters.count > 1 && macro->defaults[macro->parameters.count - 2] != NULL) {
        return ct_parser_fail(parser, parser->token.offset, "a parameter without default stands behind one with");
    }
    size_t room = macro->parameters.room;
    if (room != defaults->room) {
        struct ct_expression **grown = arena_take_array(parser->arena, room, sizeof(struct ct_expression *));
        for (size_t i = 0; i + 1 < macro->parameters.count; i++)
            grown[i] = macro->defaults[i];
        macro->defaults = grown;
        defaults->room = room;
    }
    macro->defaults[macro->parameters.count - 1] = value;
    return true;
}

static bool parse_macro(struct ct_parser *parser, struct ct_statement *statement)
{
    static const char *const ends[] = {"endmacro", NULL};
    struct ct_macro_parts *macro = arena_take(parser->arena, sizeof *macro);
    struct ct_targets defaults = {0};
    statement->macro = macro;
    if (!ct_parser_next(parser) || !parse_target(parser, &macro->target) ||
        !ct_parser_expect(parser, CT_TK_LEFT_PARENTHESIS))
        return false;
    while (!ct_parser_sees(parser, CT_TK_RIGHT_PARENTHESIS)) {
        if (macro->parameters.count != 0 && !ct_parser_expect(parser, CT_TK_COMMA))
            return false;
        if (!parse_parameter(parser, macro, &defaults))
            return false;
    }
    return ct_parser_next(parser) && parse_body(parser, statement, "macro", &macro->body, ends) &&
           ct_parser_next(parser);
}

/* ---- Other templates. */

/* "with context" or "without context", if it stands here. */
static bool parse_context(struct ct_parser *parser, struct ct_source_parts *source)
{
    bool is_with = ct_parser_sees_name(parser, "with");
    if (!is_with && !ct_parser_sees_name(parser, "without"))
        return true;
    if (!ct_parser_look(parser))
        return false;
    if (parser->ahead.kind != CT_TK_NAME || !text_is(parser->ahead.text, "context"))
        return true;
    source->has_context = is_with;
    return ct_parser_next(parser) && ct_parser_next(parser);
}

static bool parse_source(struct ct_parser *parser, struct ct_statement *statement)
{
    statement->source = arena_take(parser->arena, sizeof *statement->source);
    if (!ct_parser_next(parser))
        return false;
    statement->source->source = ct_parse_expression(parser, true);
    return statement->source->source != NULL;
}

static bool parse_include(struct ct_parser *parser, struct ct_statement *statement)
{
    if (!parse_source(parser, statement))
        return false;
    struct ct_source_parts *source = statement->source;
    source->has_context = true;
    if (ct_parser_sees_name(parser, "ignore")) {
        source->may_miss = true;
        if (!ct_parser_next(parser) || !parser_expect_word(parser, "missing"))
            return false;
    }
    return parse_context(parser, source);
}

static bool parse_import(struct ct_parser *parser, struct ct_statement *statement)
{
    struct ct_target target = {0};
    if (!parse_source(parser, statement) || !parser_expect_word(parser, "as") || !parse_target(parser, &target))
        return false;
    targets_add(parser, &statement->source->targets, target);
    return parse_context(parser, statement->source);
}

static bool parse_imported(struct ct_parser *parser, struct ct_targets *targets)
{
    struct ct_target target = {0};
    if (!parse_target(parser, &target))
        return false;
    if (target.name.size != 0 && target.name.bytes[0] == '_')
        return ct_parser_fail(parser, target.offset, "names that begin with '_' cannot be imported");
    struct ct_target *added = targets_add(parser, targets, target);
    struct text wanted = target.name;
    if (ct_parser_sees_name(parser, "as") && (!ct_parser_next(parser) || !parse_target(parser, added)))
        return false;
    added->wanted = wanted;
    return true;
}

static bool parse_from(struct ct_parser *parser, struct ct_statement *statement)
{
    if (!parse_source(parser, statement) || !parser_expect_word(parser, "import"))
        return false;
    for (;;) {
        if (!parse_imported(parser, &statement->source->targets))
            return false;
        if (!ct_parser_sees(parser, CT_TK_COMMA))
            return parse_context(parser, statement->source);
        if (!ct_parser_next(parser))
            return false;
    }
}

/* ---- Tags. */

static const struct tag {
    const char *word;
    enum ct_statement_kind kind;
    bool (*parse)(struct ct_parser *parser, struct ct_statement *statement);
} tags[] = {
    {"if", CT_ST_IF, parse_if},
    {"for", CT_ST_FOR, parse_for},
    {"set", CT_ST_SET, parse_set},
    {"macro", CT_ST_MACRO, parse_macro},
    {"include", CT_ST_INCLUDE, parse_include},
    {"import", CT_ST_IMPORT, parse_import},
    {"from", CT_ST_FROM, parse_from},
};

static bool fail_unknown_tag(struct ct_parser *parser)
{
    static const char *const foreign[] = {"extends", "block", "call",  "filter", "with",    "autoescape",
                                          "do",      "trans", "break", "print",  "continue"};
    struct text word = parser->token.text;
    size_t offset = parser->token.offset;
    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++)
        if (text_is(word, foreign[i]))
            return ct_parser_fail(parser, offset, "the tag '%s' of Jinja2 is not in this template language",
                                  foreign[i]);
    if (parser->open != NULL)
        return ct_parser_fail(parser, offset, "unknown tag '%.*s', the '%s' of line %u is not closed", TEXT_ARGS(word),
                              parser->open_word, ct_line_of(parser->template, parser->open->offset));
    return ct_parser_fail(parser, offset, "unknown tag '%.*s'", TEXT_ARGS(word));
}

static struct ct_statement *parse_tag(struct ct_parser *parser)
{
    if (!ct_parser_sees(parser, CT_TK_NAME)) {
        ct_parser_fail(parser, parser->token.offset, "the name of a tag is due, not %s",
                       ct_token_noun(parser->token.kind));
        return NULL;
    }
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++) {
        if (!text_is(parser->token.text, tags[i].word))
            continue;
        struct ct_statement *statement = statement_make(parser, tags[i].kind, parser->token.offset);
        bool is_good = tags[i].parse(parser, statement) && ct_parser_expect(parser, CT_TK_BLOCK_END);
        return is_good ? statement : NULL;
    }
    fail_unknown_tag(parser);
    return NULL;
}

static struct ct_statement *parse_print(struct ct_parser *parser)
{
    if (!ct_parser_next(parser))
        return NULL;
    struct ct_statement *statement = statement_make(parser, CT_ST_PRINT, parser->token.offset);
    statement->print = ct_parse_expression(parser, true);
    if (statement->print == NULL)
        return NULL;
    if (ct_parser_sees(parser, CT_TK_COMMA)) {
        ct_parser_fail(parser, parser->token.offset, "there are no tuples in templates, write a list: [...]");
        return NULL;
    }
    return ct_parser_expect(parser, CT_TK_PRINT_END) ? statement : NULL;
}

static struct ct_statement *parse_text(struct ct_parser *parser)
{
    struct ct_statement *statement = statement_make(parser, CT_ST_TEXT, parser->token.offset);
    statement->text = parser->token.text;
    return ct_parser_next(parser) ? statement : NULL;
}

static bool sees_end(const struct ct_parser *parser, const char *const ends[])
{
    for (size_t i = 0; ends[i] != NULL; i++)
        if (ct_parser_sees_name(parser, ends[i]))
            return true;
    return false;
}

static bool fail_unclosed(struct ct_parser *parser)
{
    return ct_parser_fail(parser, parser->token.offset, "the template ends, the '%s' of line %u is not closed",
                          parser->open_word, ct_line_of(parser->template, parser->open->offset));
}

/* Statements up to a tag that is one of `ends`, or to the end of the template when there are none. */
static bool parse_block(struct ct_parser *parser, struct ct_statement **body, const char *const ends[])
{
    for (struct ct_statement **next = body;; next = &(*next)->next) {
        if (ct_parser_sees(parser, CT_TK_END))
            return ends[0] == NULL || fail_unclosed(parser);
        if (ct_parser_sees(parser, CT_TK_DATA)) {
            *next = parse_text(parser);
        } else if (ct_parser_sees(parser, CT_TK_PRINT_BEGIN)) {
            *next = parse_print(parser);
        } else {
            if (!ct_parser_next(parser))
                return false;
            if (sees_end(parser, ends))
                return true;
            *next = parse_tag(parser);
        }
        if (*next == NULL)
            return false;
    }
}

bool ct_template_parse(struct arena *arena, struct ct_report *report, struct ct_template *template)
{
    static const char *const no_ends[] = {NULL};
    struct ct_parser parser = {
        .arena = arena,
        .report = report,
        .template = template,
        .lexer = {.report = report, .template = template},
    };
    return ct_parser_next(&parser) && parse_block(&parser, &template->body, no_ends);
}

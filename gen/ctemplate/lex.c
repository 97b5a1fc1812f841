/* The lexer. It follows Jinja2's rules (lexer.py) with trim_blocks, lstrip_blocks and keep_trailing_newline on. */
#include "ctemplate/lex.h"

#include "ctemplate/unicode.h"

static const char *const token_nouns[] = {
    [CT_TK_END] = "the end of the template",
    [CT_TK_DATA] = "text",
    [CT_TK_PRINT_BEGIN] = "'{{'",
    [CT_TK_PRINT_END] = "'}}'",
    [CT_TK_BLOCK_BEGIN] = "'{%'",
    [CT_TK_BLOCK_END] = "'%}'",
    [CT_TK_NAME] = "a name",
    [CT_TK_INTEGER] = "an integer",
    [CT_TK_STRING] = "a string",
    [CT_TK_ADD] = "'+'",
    [CT_TK_SUBTRACT] = "'-'",
    [CT_TK_DIVIDE] = "'/'",
    [CT_TK_FLOOR_DIVIDE] = "'//'",
    [CT_TK_MULTIPLY] = "'*'",
    [CT_TK_MODULO] = "'%'",
    [CT_TK_POWER] = "'**'",
    [CT_TK_TILDE] = "'~'",
    [CT_TK_LEFT_BRACKET] = "'['",
    [CT_TK_RIGHT_BRACKET] = "']'",
    [CT_TK_LEFT_PARENTHESIS] = "'('",
    [CT_TK_RIGHT_PARENTHESIS] = "')'",
    [CT_TK_LEFT_BRACE] = "'{'",
    [CT_TK_RIGHT_BRACE] = "'}'",
    [CT_TK_EQ] = "'=='",
    [CT_TK_NE] = "'!='",
    [CT_TK_GT] = "'>'",
    [CT_TK_GE] = "'>='",
    [CT_TK_LT] = "'<'",
    [CT_TK_LE] = "'<='",
    [CT_TK_ASSIGN] = "'='",
    [CT_TK_DOT] = "'.'",
    [CT_TK_COLON] = "':'",
    [CT_TK_PIPE] = "'|'",
    [CT_TK_COMMA] = "','",
    [CT_TK_SEMICOLON] = "';'",
};

const char *ct_token_noun(enum ct_token_kind kind)
{
    return token_nouns[kind];
}

struct text ct_source_normalise(struct arena *arena, struct text source)
{
    if (source.size == 0 || memchr(source.bytes, '\r', source.size) == NULL)
        return source;
    char *bytes = arena_take(arena, source.size);
    size_t size = 0;
    for (size_t i = 0; i < source.size; i++) {
        if (source.bytes[i] == '\n' && i > 0 && source.bytes[i - 1] == '\r')
            continue;
        bytes[size++] = source.bytes[i] == '\r' ? '\n' : source.bytes[i];
    }
    return (struct text){bytes, size};
}

static struct text lexer_source(const struct ct_lexer *lexer)
{
    return lexer->template->source;
}

/* The byte at an offset, or NUL behind the end. */
static char lexer_peek(const struct ct_lexer *lexer, size_t offset)
{
    return offset < lexer_source(lexer).size ? lexer_source(lexer).bytes[offset] : '\0';
}

static bool lexer_sees(const struct ct_lexer *lexer, size_t offset, const char *string)
{
    struct text source = lexer_source(lexer);
    size_t size = strlen(string);
    return offset <= source.size && source.size - offset >= size && memcmp(source.bytes + offset, string, size) == 0;
}

static void lexer_move(struct ct_lexer *lexer, size_t at)
{
    if (at > lexer->at)
        lexer->is_line_begun = lexer_source(lexer).bytes[at - 1] != '\n';
    lexer->at = at;
}

/* Where the first `string` at or behind an offset begins; the source's size when there is none. */
static size_t lexer_find(const struct ct_lexer *lexer, size_t offset, const char *string)
{
    struct text source = lexer_source(lexer);
    while (offset < source.size) {
        const char *found = memchr(source.bytes + offset, string[0], source.size - offset);
        if (found == NULL)
            return source.size;
        offset = (size_t)(found - source.bytes);
        if (lexer_sees(lexer, offset, string))
            return offset;
        offset++;
    }
    return source.size;
}

/* Behind a closing tag: its newline goes, or after '-' all white space, or after '+' nothing. */
static size_t lexer_skip_after(const struct ct_lexer *lexer, size_t offset, char sign)
{
    if (sign == '-')
        return ct_unicode_skip_space(lexer_source(lexer), offset);
    return offset + (sign != '+' && lexer_peek(lexer, offset) == '\n');
}

/* The end of "endraw %}" behind `{%-`, or 0. Sets where white space control leads. */
static size_t lexer_match_word(const struct ct_lexer *lexer, size_t offset, const char *word, bool may_plus)
{
    struct text source = lexer_source(lexer);
    offset = ct_unicode_skip_space(source, offset);
    if (!lexer_sees(lexer, offset, word))
        return 0;
    offset = ct_unicode_skip_space(source, offset + strlen(word));
    char sign = lexer_peek(lexer, offset);
    if (sign != '-' && !(sign == '+' && may_plus))
        sign = '\0';
    offset += sign != '\0';
    if (!lexer_sees(lexer, offset, "%}"))
        return 0;
    offset += 2;
    /* The newline behind {% raw %} stays, the one behind {% endraw %} goes. */
    if (!may_plus && sign == '\0')
        return offset;
    return lexer_skip_after(lexer, offset, sign);
}

/* What stays of the text before a tag. */
static struct text lexer_trim_before(const struct ct_lexer *lexer, struct text text, char sign, bool is_print)
{
    if (sign == '-')
        return ct_unicode_trim_end(text);
    if (sign == '+' || is_print)
        return text;
    size_t line = text.size;
    while (line > 0 && text.bytes[line - 1] != '\n')
        line--;
    if (line == 0 && lexer->is_line_begun)
        return text;
    return ct_unicode_skip_space(text, line) == text.size ? (struct text){text.bytes, line} : text;
}

static size_t lexer_find_tag(const struct ct_lexer *lexer)
{
    struct text source = lexer_source(lexer);
    for (size_t at = lexer->at; (at = lexer_find(lexer, at, "{")) < source.size; at++) {
        char next = lexer_peek(lexer, at + 1);
        if (next == '{' || next == '%' || next == '#')
            return at;
    }
    return source.size;
}

static bool lexer_skip_comment(struct ct_lexer *lexer, size_t begin)
{
    size_t end = lexer_find(lexer, lexer->at, "#}");
    if (end == lexer_source(lexer).size)
        return ct_fail(lexer->report, lexer->template, begin, "this comment is not closed, '#}' is missing");
    char sign = end > lexer->at ? lexer_peek(lexer, end - 1) : '\0';
    lexer_move(lexer, lexer_skip_after(lexer, end + 2, sign));
    return true;
}

/* Moves behind the tag that begins at `begin`; raw and print blocks change the mode. */
static bool lexer_enter(struct ct_lexer *lexer, size_t begin)
{
    char kind = lexer_peek(lexer, begin + 1);
    char sign = lexer_peek(lexer, begin + 2);
    size_t behind = begin + 2 + (sign == '-' || sign == '+');
    size_t raw = kind == '%' ? lexer_match_word(lexer, behind, "raw", false) : 0;
    lexer_move(lexer, raw != 0 ? raw : behind);
    if (kind == '#')
        return lexer_skip_comment(lexer, begin);
    if (raw != 0) {
        lexer->mode = CT_LEX_RAW;
        lexer->pending.offset = begin;
        return true;
    }
    lexer->mode = kind == '%' ? CT_LEX_BLOCK : CT_LEX_PRINT;
    lexer->has_pending = true;
    lexer->pending = (struct ct_token){
        .kind = kind == '%' ? CT_TK_BLOCK_BEGIN : CT_TK_PRINT_BEGIN,
        .offset = begin,
        .text = {lexer_source(lexer).bytes + begin, 2},
    };
    return true;
}

/* Text up to the next tag. The token's text is empty when nothing stays of it. */
static bool lexer_take_text(struct ct_lexer *lexer, struct ct_token *token)
{
    struct text source = lexer_source(lexer);
    size_t begin = lexer_find_tag(lexer);
    struct text text = {source.bytes + lexer->at, begin - lexer->at};
    *token = (struct ct_token){.kind = CT_TK_DATA, .offset = lexer->at, .text = text};
    if (begin == source.size) {
        lexer_move(lexer, begin);
        return true;
    }
    token->text = lexer_trim_before(lexer, text, lexer_peek(lexer, begin + 2), lexer_peek(lexer, begin + 1) == '{');
    return lexer_enter(lexer, begin);
}

static bool lexer_take_raw(struct ct_lexer *lexer, struct ct_token *token)
{
    struct text source = lexer_source(lexer);
    size_t end = lexer->at;
    size_t behind = 0;
    char sign = '\0';
    for (; (end = lexer_find(lexer, end, "{%")) < source.size; end++) {
        sign = lexer_peek(lexer, end + 2);
        behind = lexer_match_word(lexer, end + 2 + (sign == '-' || sign == '+'), "endraw", true);
        if (behind != 0)
            break;
    }
    if (behind == 0)
        return ct_fail(lexer->report, lexer->template, lexer->pending.offset,
                       "this raw block is not closed, '{%% endraw %%}' is missing");
    struct text text = {source.bytes + lexer->at, end - lexer->at};
    *token = (struct ct_token){.kind = CT_TK_DATA, .offset = lexer->at};
    token->text = lexer_trim_before(lexer, text, sign, false);
    lexer->mode = CT_LEX_TEXT;
    lexer_move(lexer, behind);
    return true;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
}

static int digit_of(char c)
{
    if (is_digit(c))
        return c - '0';
    char lower = (char)(c | 0x20);
    return lower >= 'a' && lower <= 'z' ? lower - 'a' + 10 : 99;
}

/* The end of digits of a base, single underscores between them. */
static size_t lexer_skip_digits(const struct ct_lexer *lexer, size_t at, int base)
{
    for (;;) {
        size_t next = at + (lexer_peek(lexer, at) == '_');
        if (digit_of(lexer_peek(lexer, next)) >= base)
            return at;
        at = next + 1;
    }
}

/* True when a float begins here: digits with a fraction or an exponent. */
static bool lexer_sees_float(const struct ct_lexer *lexer)
{
    size_t at = lexer->at;
    if (at > 0 && lexer_peek(lexer, at - 1) == '.')
        return false;
    at = lexer_skip_digits(lexer, at, 10);
    if (lexer_peek(lexer, at) == '.')
        return is_digit(lexer_peek(lexer, at + 1));
    if ((lexer_peek(lexer, at) | 0x20) != 'e')
        return false;
    char sign = lexer_peek(lexer, at + 1);
    return is_digit(lexer_peek(lexer, at + 1 + (sign == '+' || sign == '-')));
}

static bool lexer_take_integer(struct ct_lexer *lexer, struct ct_token *token)
{
    if (lexer_sees_float(lexer))
        return ct_fail(lexer->report, lexer->template, lexer->at, "there are no floats in templates, only integers");
    size_t at = lexer->at;
    char letter = (char)(lexer_peek(lexer, at + 1) | 0x20);
    int base = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 10;
    bool is_zero = lexer_peek(lexer, at) == '0';
    size_t end = lexer_skip_digits(lexer, at + 2, base);
    if (!is_zero || base == 10 || end == at + 2) {
        base = 10;
        end = lexer_skip_digits(lexer, at + 1, is_zero ? 1 : 10);
    } else {
        at += 2;
    }
    int64_t value = 0;
    for (size_t i = at; i < end; i++) {
        char c = lexer_peek(lexer, i);
        if (c != '_' &&
            (__builtin_mul_overflow(value, base, &value) || __builtin_add_overflow(value, digit_of(c), &value)))
            return ct_fail(lexer->report, lexer->template, lexer->at, "this integer does not fit into 64 bits");
    }
    token->kind = CT_TK_INTEGER;
    token->integer = value;
    lexer_move(lexer, end);
    return true;
}

/* Reads `count` digits of a base, or up to that many when `is_exact` is false. */
static bool escape_number(struct text text, size_t *at, size_t count, int base, bool is_exact, uint32_t *point)
{
    size_t taken = 0;
    uint32_t value = 0;
    for (; taken < count && *at < text.size && digit_of(text.bytes[*at]) < base; taken++)
        value = value * (uint32_t)base + (uint32_t)digit_of(text.bytes[(*at)++]);
    *point = value;
    return (taken == count || !is_exact) && value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF);
}

/* Decodes the escape whose backslash stands before `*at`, as Python's unicode-escape does. */
static bool escape_decode(struct text text, size_t *at, struct buffer *decoded)
{
    static const char letters[] = "\n\\'\"abfnrtv";
    static const char *const meanings[] = {"", "\\", "'", "\"", "\a", "\b", "\f", "\n", "\r", "\t", "\v"};
    char c = text.bytes[*at];
    const char *letter = c == '\0' ? NULL : strchr(letters, c);
    if (letter != NULL) {
        buffer_add(decoded, text_of(meanings[letter - letters]));
        ++*at;
        return true;
    }
    uint32_t point = 0;
    bool is_octal = c >= '0' && c <= '7';
    size_t digits = is_octal ? 3 : c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    if (digits == 0) {
        if (c == 'N' || (unsigned char)c >= 0x80)
            return false;
        buffer_add_char(decoded, '\\');
        return true;
    }
    *at += !is_octal;
    if (!escape_number(text, at, digits, is_octal ? 8 : 16, !is_octal, &point))
        return false;
    char bytes[4];
    buffer_add(decoded, (struct text){bytes, ct_unicode_put(point, bytes)});
    return true;
}

static bool string_decode(struct arena *arena, struct text *text)
{
    struct buffer decoded = {0};
    bool is_good = true;
    for (size_t at = 0; is_good && at < text->size;) {
        char c = text->bytes[at++];
        if (c != '\\')
            buffer_add_char(&decoded, c);
        else
            is_good = at < text->size && escape_decode(*text, &at, &decoded);
    }
    *text = arena_copy(arena, buffer_text(&decoded));
    buffer_free(&decoded);
    return is_good;
}

static bool lexer_take_string(struct ct_lexer *lexer, struct ct_token *token)
{
    struct text source = lexer_source(lexer);
    char quote = lexer_peek(lexer, lexer->at);
    size_t end = lexer->at + 1;
    bool is_escaped = false;
    while (end < source.size && source.bytes[end] != quote) {
        bool escapes = source.bytes[end] == '\\';
        is_escaped = is_escaped || escapes;
        end += escapes ? 2 : 1;
    }
    if (end >= source.size)
        return ct_fail(lexer->report, lexer->template, lexer->at, "this string is not closed");
    token->kind = CT_TK_STRING;
    token->text = (struct text){source.bytes + lexer->at + 1, end - lexer->at - 1};
    if (is_escaped && !string_decode(lexer->report->arena, &token->text))
        return ct_fail(lexer->report, lexer->template, lexer->at, "this string has a wrong escape");
    lexer_move(lexer, end + 1);
    return true;
}

static bool lexer_balance(struct ct_lexer *lexer, char c)
{
    static const char opening[] = "([{";
    static const char closing[] = ")]}";
    const char *open = strchr(opening, c);
    if (open != NULL) {
        if (lexer->brackets_count == CT_BRACKETS_MAX)
            return ct_fail(lexer->report, lexer->template, lexer->at, "brackets are nested more than %d deep",
                           CT_BRACKETS_MAX);
        lexer->brackets[lexer->brackets_count++] = closing[open - opening];
        return true;
    }
    if (strchr(closing, c) == NULL)
        return true;
    if (lexer->brackets_count == 0)
        return ct_fail(lexer->report, lexer->template, lexer->at, "unexpected '%c'", c);
    char due = lexer->brackets[--lexer->brackets_count];
    if (due != c)
        return ct_fail(lexer->report, lexer->template, lexer->at, "unexpected '%c', '%c' is due", c, due);
    return true;
}

static bool lexer_take_operator(struct ct_lexer *lexer, struct ct_token *token)
{
    static const struct {
        const char *string;
        enum ct_token_kind kind;
    } operators[] = {
        {"//", CT_TK_FLOOR_DIVIDE},
        {"**", CT_TK_POWER},
        {"==", CT_TK_EQ},
        {"!=", CT_TK_NE},
        {">=", CT_TK_GE},
        {"<=", CT_TK_LE},
        {"+", CT_TK_ADD},
        {"-", CT_TK_SUBTRACT},
        {"/", CT_TK_DIVIDE},
        {"*", CT_TK_MULTIPLY},
        {"%", CT_TK_MODULO},
        {"~", CT_TK_TILDE},
        {"[", CT_TK_LEFT_BRACKET},
        {"]", CT_TK_RIGHT_BRACKET},
        {"(", CT_TK_LEFT_PARENTHESIS},
        {")", CT_TK_RIGHT_PARENTHESIS},
        {"{", CT_TK_LEFT_BRACE},
        {"}", CT_TK_RIGHT_BRACE},
        {">", CT_TK_GT},
        {"<", CT_TK_LT},
        {"=", CT_TK_ASSIGN},
        {".", CT_TK_DOT},
        {":", CT_TK_COLON},
        {"|", CT_TK_PIPE},
        {",", CT_TK_COMMA},
        {";", CT_TK_SEMICOLON},
    };
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
        if (!lexer_sees(lexer, lexer->at, operators[i].string))
            continue;
        size_t size = strlen(operators[i].string);
        if (size == 1 && !lexer_balance(lexer, operators[i].string[0]))
            return false;
        token->kind = operators[i].kind;
        token->text = (struct text){lexer_source(lexer).bytes + lexer->at, size};
        lexer_move(lexer, lexer->at + size);
        return true;
    }
    char c = lexer_peek(lexer, lexer->at);
    if (c > ' ' && c < 0x7f)
        return ct_fail(lexer->report, lexer->template, lexer->at, "unexpected '%c'", c);
    return ct_fail(lexer->report, lexer->template, lexer->at, "unexpected byte 0x%02x", (unsigned char)c);
}

/* Ends the tag when its end stands here; `was_ended` says so. */
static void lexer_end_tag(struct ct_lexer *lexer, struct ct_token *token, bool *was_ended)
{
    bool is_block = lexer->mode == CT_LEX_BLOCK;
    char sign = lexer_peek(lexer, lexer->at);
    if (sign != '-' && !(sign == '+' && is_block))
        sign = '\0';
    size_t at = lexer->at + (sign != '\0');
    *was_ended = lexer->brackets_count == 0 && lexer_sees(lexer, at, is_block ? "%}" : "}}");
    if (!*was_ended)
        return;
    token->kind = is_block ? CT_TK_BLOCK_END : CT_TK_PRINT_END;
    lexer->mode = CT_LEX_TEXT;
    /* A newline behind {{ }} always stays. */
    lexer_move(lexer, lexer_skip_after(lexer, at + 2, is_block || sign == '-' ? sign : '+'));
}

static bool lexer_take_in_tag(struct ct_lexer *lexer, struct ct_token *token)
{
    struct text source = lexer_source(lexer);
    bool was_ended = false;
    *token = (struct ct_token){.offset = lexer->at};
    lexer_end_tag(lexer, token, &was_ended);
    if (was_ended)
        return true;
    lexer_move(lexer, ct_unicode_skip_space(source, lexer->at));
    token->offset = lexer->at;
    lexer_end_tag(lexer, token, &was_ended);
    if (was_ended)
        return true;
    if (lexer->at == source.size) {
        token->kind = CT_TK_END;
        return true;
    }
    char c = lexer_peek(lexer, lexer->at);
    if (is_digit(c))
        return lexer_take_integer(lexer, token);
    if (c == '"' || c == '\'')
        return lexer_take_string(lexer, token);
    if (!is_word(c))
        return lexer_take_operator(lexer, token);
    size_t end = lexer->at;
    while (is_word(lexer_peek(lexer, end)))
        end++;
    token->kind = CT_TK_NAME;
    token->text = (struct text){source.bytes + lexer->at, end - lexer->at};
    lexer_move(lexer, end);
    return true;
}

bool ct_lexer_take(struct ct_lexer *lexer, struct ct_token *token)
{
    do {
        if (lexer->has_pending) {
            *token = lexer->pending;
            lexer->has_pending = false;
        } else if (lexer->mode == CT_LEX_RAW) {
            if (!lexer_take_raw(lexer, token))
                return false;
        } else if (lexer->at == lexer_source(lexer).size) {
            *token = (struct ct_token){.kind = CT_TK_END, .offset = lexer->last};
        } else if (lexer->mode == CT_LEX_TEXT) {
            if (!lexer_take_text(lexer, token))
                return false;
        } else if (!lexer_take_in_tag(lexer, token)) {
            return false;
        }
        if (token->kind == CT_TK_END)
            token->offset = lexer->last;
    } while (token->kind == CT_TK_DATA && token->text.size == 0);
    lexer->last = token->offset;
    return true;
}

/* Filters that make C of anything: literals, comments, identifiers. What they make compiles whatever the bytes are. */
#include <inttypes.h>

#include "ctemplate/filter.h"
#include "ctemplate/unicode.h"

/* Columns of a line of literals; indented ones get less, but never fewer than the least. */
enum { LINE_COLUMNS = 100, LINE_COLUMNS_LEAST = 32, INDENT_MAX = 200 };

static bool is_plain(unsigned char c)
{
    return c >= 0x20 && c < 0x7F;
}

/* How a byte is written between `quote`s. `before` is the byte in front of it: "??" may begin a trigraph. */
static size_t byte_escape(unsigned char byte, unsigned char before, char quote, char escaped[5])
{
    static const char specials[] = "\n\r\t\\";
    static const char letters[] = "nrt\\";
    const char *special = byte == '\0' ? NULL : strchr(specials, byte);
    size_t size = 0;
    escaped[size++] = '\\';
    if (special != NULL) {
        escaped[size++] = letters[special - specials];
    } else if (byte == (unsigned char)quote || (byte == '?' && before == '?')) {
        escaped[size++] = (char)byte;
    } else if (is_plain(byte)) {
        escaped[0] = (char)byte;
    } else {
        escaped[size++] = (char)('0' + (byte >> 6));
        escaped[size++] = (char)('0' + (byte >> 3 & 7));
        escaped[size++] = (char)('0' + (byte & 7));
    }
    return size;
}

/* Reads the indentation of continued lines and the columns that a line may have behind it. */
static bool lines_begin(struct ct_call *call, int64_t *indent, size_t *columns)
{
    *indent = 4;
    if (!ct_argument_integer(call, 0, indent))
        return false;
    if (*indent < 0 || *indent > INDENT_MAX)
        return ct_call_fail(call, "the indentation is 0 to %d", INDENT_MAX);
    int64_t left = LINE_COLUMNS - *indent;
    *columns = (size_t)(left < LINE_COLUMNS_LEAST ? LINE_COLUMNS_LEAST : left);
    return true;
}

static void line_break(struct buffer *made, int64_t indent)
{
    buffer_add_char(made, '\n');
    for (int64_t i = 0; i < indent; i++)
        buffer_add_char(made, ' ');
}

bool ct_filter_c_string(struct ct_call *call, struct ct_value *result)
{
    struct text text = {"", 0};
    int64_t indent = 0;
    size_t columns = 0;
    if (!ct_subject_text(call, &text) || !lines_begin(call, &indent, &columns))
        return false;
    struct buffer made = {0};
    char line[LINE_COLUMNS] = {'"'};
    size_t used = 1;
    for (size_t i = 0; i < text.size; i++) {
        char escaped[5];
        unsigned char before = i == 0 ? '\0' : (unsigned char)text.bytes[i - 1];
        size_t size = byte_escape((unsigned char)text.bytes[i], before, '"', escaped);
        if (used + size + 1 > columns || before == '\n') {
            line[used++] = '"';
            buffer_add(&made, (struct text){line, used});
            line_break(&made, indent);
            used = 1;
        }
        memcpy(line + used, escaped, size);
        used += size;
    }
    line[used++] = '"';
    buffer_add(&made, (struct text){line, used});
    return ct_call_return(call, &made, true, result);
}

/* The bytes as elements of an array of char: ISO C need not take string literals of more than 4095 bytes. */
bool ct_filter_c_bytes(struct ct_call *call, struct ct_value *result)
{
    struct text text = {"", 0};
    int64_t indent = 0;
    size_t columns = 0;
    if (!ct_subject_text(call, &text) || !lines_begin(call, &indent, &columns))
        return false;
    struct buffer made = {0};
    size_t used = 0;
    for (size_t i = 0; i < text.size; i++) {
        char escaped[5];
        size_t size = byte_escape((unsigned char)text.bytes[i], '\0', '\'', escaped);
        size_t columns_more = size + strlen("'', ");
        if (used + columns_more > columns) {
            line_break(&made, indent);
            used = 0;
        } else if (i != 0) {
            buffer_add_char(&made, ' ');
        }
        buffer_format(&made, "'%.*s'%s", (int)size, escaped, i + 1 == text.size ? "" : ",");
        used += columns_more;
    }
    return ct_call_return(call, &made, true, result);
}

bool ct_filter_c_char(struct ct_call *call, struct ct_value *result)
{
    const struct ct_value *subject = call->subject;
    unsigned char byte = 0;
    if (subject->kind == CT_TEXT && subject->text.size == 1)
        byte = (unsigned char)subject->text.bytes[0];
    else if (subject->kind == CT_INTEGER && subject->integer >= 0 && subject->integer <= 255)
        byte = (unsigned char)subject->integer;
    else
        return ct_call_fail(call, "a text of one byte or an integer from 0 to 255 is due");
    char escaped[5];
    size_t size = byte_escape(byte, '\0', '\'', escaped);
    struct buffer made = {0};
    buffer_format(&made, "'%.*s'", (int)size, escaped);
    return ct_call_return(call, &made, true, result);
}

static bool is_keyword(struct text text)
{
    static const char *const keywords[] = {
        "alignas",       "alignof",       "asm",      "auto",     "bool",         "break",  "case",    "char",
        "const",         "constexpr",     "continue", "default",  "do",           "double", "else",    "enum",
        "extern",        "false",         "float",    "for",      "goto",         "if",     "inline",  "int",
        "long",          "nullptr",       "register", "restrict", "return",       "short",  "signed",  "sizeof",
        "static",        "static_assert", "struct",   "switch",   "thread_local", "true",   "typedef", "typeof",
        "typeof_unqual", "union",         "unsigned", "void",     "volatile",     "while",
    };
    for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++)
        if (text_is(text, keywords[i]))
            return true;
    return false;
}

/* What is no part of an identifier becomes '_'; a digit in front gets one before it, a keyword one behind. */
bool ct_filter_c_ident(struct ct_call *call, struct ct_value *result)
{
    struct text text = {"", 0};
    if (!ct_subject_text(call, &text))
        return false;
    struct buffer made = {0};
    if (text.size == 0 || (text.bytes[0] >= '0' && text.bytes[0] <= '9'))
        buffer_add_char(&made, '_');
    for (size_t i = 0; i < text.size; i++) {
        char c = text.bytes[i];
        bool is_part = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        buffer_add_char(&made, is_part ? c : '_');
    }
    if (is_keyword(buffer_text(&made)))
        buffer_add_char(&made, '_');
    return ct_call_return(call, &made, true, result);
}

/* ---- c_comment. */

/* True for what may stand in a comment as it is: no control characters, no marks that turn the direction of text. */
static bool comment_allows(uint32_t point)
{
    if (point < 0x20 || (point >= 0x7F && point < 0xA0) || point >= CT_UNICODE_INVALID)
        return false;
    return !((point >= 0x200E && point <= 0x200F) || (point >= 0x2028 && point <= 0x202E) ||
             (point >= 0x2066 && point <= 0x2069) || point == 0x061C || point == 0xFEFF);
}

/* What needs no second look; most of a comment does not. */
static bool comment_is_harmless(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == ' ' || c == '_';
}

static void comment_add(struct buffer *made, struct text character, uint32_t point)
{
    char before = made->size == 0 ? '\0' : made->bytes[made->size - 1];
    bool is_mark =
        (before == '*' && point == '/') || (before == '/' && point == '*') || (before == '?' && point == '?');
    if (is_mark)
        buffer_add_char(made, ' ');
    if (point == '\n' || point == '\r' || point == '\t') {
        buffer_add_char(made, ' ');
    } else if (comment_allows(point)) {
        buffer_add(made, character);
    } else {
        for (size_t i = 0; i < character.size; i++)
            buffer_format(made, "<%02x>", (unsigned)(unsigned char)character.bytes[i]);
    }
}

/* Text for the inside of a comment of either kind, on one line. What stands around it in the template cannot close the
 * comment either: '/' in front and '*' or '/' at the end are kept apart, a backslash at the end is followed by a dot. */
bool ct_filter_c_comment(struct ct_call *call, struct ct_value *result)
{
    struct text text = {"", 0};
    if (!ct_subject_text(call, &text))
        return false;
    struct buffer made = {0};
    if (text.size != 0 && (text.bytes[0] == '/' || text.bytes[0] == '*'))
        buffer_add_char(&made, ' ');
    for (size_t at = 0; at < text.size;) {
        size_t from = at;
        while (at < text.size && comment_is_harmless(text.bytes[at]))
            at++;
        buffer_add(&made, (struct text){text.bytes + from, at - from});
        if (at == text.size)
            break;
        from = at;
        uint32_t point = ct_unicode_take(text, &at);
        comment_add(&made, (struct text){text.bytes + from, at - from}, point);
    }
    struct text trimmed = ct_unicode_trim_end(buffer_text(&made));
    char last = made.size == 0 ? '\0' : made.bytes[made.size - 1];
    if (trimmed.size != 0 && trimmed.bytes[trimmed.size - 1] == '\\')
        buffer_add_char(&made, '.');
    else if (last == '*' || last == '/' || last == '?')
        buffer_add_char(&made, ' ');
    return ct_call_return(call, &made, true, result);
}

/* ---- Integers. */

static bool subject_natural(struct ct_call *call, int64_t most, int64_t *integer)
{
    if (!ct_subject_integer(call, integer))
        return false;
    if (*integer < 0 || *integer > most)
        return ct_call_fail(call, "an integer from 0 to %" PRId64 " is due, not %" PRId64, most, *integer);
    return true;
}

static bool return_formatted(struct ct_call *call, struct text text, struct ct_value *result)
{
    *result = ct_value_text(text, true);
    return ct_made_add(call->render, call->activation, call->offset, text.size);
}

bool ct_filter_hex(struct ct_call *call, struct ct_value *result)
{
    int64_t integer;
    int64_t digits = 1;
    if (!subject_natural(call, INT64_MAX, &integer) || !ct_argument_integer(call, 0, &digits))
        return false;
    if (digits < 1 || digits > 16)
        return ct_call_fail(call, "there are 1 to 16 digits");
    return return_formatted(call, arena_format(call->render->arena, "0x%0*" PRIx64, (int)digits, (uint64_t)integer),
                            result);
}

bool ct_filter_u(struct ct_call *call, struct ct_value *result)
{
    int64_t integer;
    return subject_natural(call, UINT32_MAX, &integer) &&
           return_formatted(call, arena_format(call->render->arena, "%" PRId64 "u", integer), result);
}

bool ct_filter_ull(struct ct_call *call, struct ct_value *result)
{
    int64_t integer;
    return subject_natural(call, INT64_MAX, &integer) &&
           return_formatted(call, arena_format(call->render->arena, "%" PRId64 "ull", integer), result);
}

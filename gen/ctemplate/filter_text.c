/* Filters that make texts of texts. What they make of safe texts is safe. */
#include "ctemplate/filter.h"
#include "ctemplate/unicode.h"

static bool change_case(struct ct_call *call, char first, char last, struct ct_value *result)
{
    struct text text;
    if (!ct_subject_text(call, &text))
        return false;
    if (!ct_text_is_ascii(text))
        return ct_call_fail(call, "only ASCII has upper and lower case here");
    struct buffer made = {0};
    buffer_add(&made, text);
    for (size_t i = 0; i < made.size; i++)
        if (made.bytes[i] >= first && made.bytes[i] <= last)
            made.bytes[i] = (char)(made.bytes[i] ^ 0x20);
    return ct_call_return(call, &made, ct_call_is_safe(call), result);
}

bool ct_filter_upper(struct ct_call *call, struct ct_value *result)
{
    return change_case(call, 'a', 'z', result);
}

bool ct_filter_lower(struct ct_call *call, struct ct_value *result)
{
    return change_case(call, 'A', 'Z', result);
}

/* Where the next `old` stands at or behind `at`; an empty one stands before each character and at the end. */
static size_t replace_find(struct text text, struct text old, size_t at, bool is_first)
{
    if (old.size == 0) {
        if (!is_first && at < text.size)
            ct_unicode_take(text, &at);
        else if (!is_first)
            return SIZE_MAX;
        return at;
    }
    const char *found = memmem(text.bytes + at, text.size - at, old.bytes, old.size);
    return found == NULL ? SIZE_MAX : (size_t)(found - text.bytes);
}

bool ct_filter_replace(struct ct_call *call, struct ct_value *result)
{
    struct text text;
    struct text old = {"", 0};
    struct text new = {"", 0};
    int64_t count = -1;
    if (!ct_subject_text(call, &text) || !ct_argument_text(call, 0, &old) || !ct_argument_text(call, 1, &new) ||
        !ct_argument_integer(call, 2, &count))
        return false;
    struct buffer made = {0};
    size_t at = 0;
    for (bool is_first = true; count != 0; count--, is_first = false) {
        size_t found = replace_find(text, old, at, is_first);
        if (found == SIZE_MAX || made.size > call->render->limits.made_size)
            break;
        buffer_add(&made, (struct text){text.bytes + at, found - at});
        buffer_add(&made, new);
        at = found + old.size;
    }
    buffer_add(&made, (struct text){text.bytes + at, text.size - at});
    return ct_call_return(call, &made, ct_call_is_safe(call), result);
}

/* The end of the line that begins at `at`, and behind what ends it: all that ends a line for Python's splitlines. */
static size_t line_end(struct text text, size_t at, size_t *behind)
{
    while (at < text.size) {
        size_t next = at;
        uint32_t point = ct_unicode_take(text, &next);
        bool is_end = (point >= 0x0A && point <= 0x0D) || (point >= 0x1C && point <= 0x1E) || point == 0x85 ||
                      point == 0x2028 || point == 0x2029;
        if (is_end) {
            bool is_pair = point == '\r' && next < text.size && text.bytes[next] == '\n';
            *behind = next + is_pair;
            return at;
        }
        at = next;
    }
    *behind = SIZE_MAX;
    return at;
}

/* The indentation: a text, or a number of blanks. */
static bool indent_width(struct ct_call *call, struct buffer *indentation)
{
    int64_t width = 4;
    if (call->arguments[0].kind == CT_TEXT) {
        buffer_add(indentation, call->arguments[0].text);
        return true;
    }
    if (!ct_argument_integer(call, 0, &width))
        return false;
    if (width > 1000)
        return ct_call_fail(call, "the width is at most 1000");
    for (int64_t i = 0; i < width; i++)
        buffer_add_char(indentation, ' ');
    return true;
}

static bool indent_lines(struct ct_call *call, struct text text, struct text indentation, struct ct_value *result)
{
    bool with_first = false;
    bool with_blank = false;
    if (!ct_argument_bool(call, 1, &with_first) || !ct_argument_bool(call, 2, &with_blank))
        return false;
    struct buffer made = {0};
    size_t at = 0;
    for (bool is_first = true; at != SIZE_MAX && made.size <= call->render->limits.made_size; is_first = false) {
        size_t behind;
        size_t end = line_end(text, at, &behind);
        if (!is_first)
            buffer_add_char(&made, '\n');
        if (is_first ? with_first : with_blank || end > at)
            buffer_add(&made, indentation);
        buffer_add(&made, (struct text){text.bytes + at, end - at});
        at = behind;
    }
    return ct_call_return(call, &made, ct_call_is_safe(call), result);
}

bool ct_filter_indent(struct ct_call *call, struct ct_value *result)
{
    struct text text;
    struct buffer indentation = {0};
    bool is_good = ct_subject_text(call, &text) && indent_width(call, &indentation) &&
                   indent_lines(call, text, buffer_text(&indentation), result);
    buffer_free(&indentation);
    return is_good;
}

/* True when a character is to be trimmed: white space, or one of the given. */
static bool is_trimmed(uint32_t point, bool has_chars, struct text chars)
{
    if (!has_chars)
        return ct_unicode_is_space(point);
    for (size_t at = 0; at < chars.size;)
        if (ct_unicode_take(chars, &at) == point)
            return true;
    return false;
}

bool ct_filter_trim(struct ct_call *call, struct ct_value *result)
{
    struct text text;
    struct text chars = {"", 0};
    bool has_chars = call->arguments[0].kind == CT_TEXT;
    if (!ct_subject_text(call, &text) || !ct_argument_text(call, 0, &chars))
        return false;
    size_t begin = SIZE_MAX;
    size_t end = 0;
    for (size_t at = 0; at < text.size;) {
        size_t from = at;
        if (is_trimmed(ct_unicode_take(text, &at), has_chars, chars))
            continue;
        if (begin == SIZE_MAX)
            begin = from;
        end = at;
    }
    struct text kept = {text.bytes, 0};
    if (begin != SIZE_MAX)
        kept = (struct text){text.bytes + begin, end - begin};
    *result = ct_value_text(kept, ct_value_is_printable(call->subject));
    return true;
}

bool ct_filter_align(struct ct_call *call, struct ct_value *result)
{
    struct text text;
    int64_t column = 0;
    if (!ct_subject_text(call, &text) || !ct_argument_integer(call, 0, &column))
        return false;
    if (column > 1000)
        return ct_call_fail(call, "the column is at most 1000");
    struct buffer made = {0};
    buffer_add(&made, text);
    for (int64_t width = (int64_t)ct_unicode_count(text); width < column; width++)
        buffer_add_char(&made, ' ');
    return ct_call_return(call, &made, ct_call_is_safe(call), result);
}

bool ct_filter_raw(struct ct_call *call, struct ct_value *result)
{
    struct text text;
    if (!ct_subject_text(call, &text))
        return false;
    *result = ct_value_text(text, true);
    return true;
}

bool ct_filter_string(struct ct_call *call, struct ct_value *result)
{
    struct text text;
    if (!ct_subject_text(call, &text))
        return false;
    *result = ct_value_text(text, ct_value_is_printable(call->subject));
    return true;
}

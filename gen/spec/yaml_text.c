/* See yaml_text.h. */
#include "spec/yaml_text.h"

#include <stdint.h>

/* The size of the line break at byte i: LF, CR LF or CR; 0 when there is none. */
static size_t break_size(struct text raw, size_t i)
{
    if (i >= raw.size || (raw.bytes[i] != '\n' && raw.bytes[i] != '\r'))
        return 0;
    return raw.bytes[i] == '\r' && i + 1 < raw.size && raw.bytes[i + 1] == '\n' ? 2 : 1;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static void breaks_add(struct buffer *out, size_t count)
{
    while (count-- > 0)
        buffer_add_char(out, '\n');
}

/* ---- Quoted scalars. */

/* Steps from the line break at *at over the empty lines behind it and the next line's indentation; returns the number of
 * breaks. */
static size_t breaks_skip(struct text raw, size_t *at)
{
    size_t count = 0, size;
    while ((size = break_size(raw, *at)) != 0) {
        count++;
        *at += size;
        while (*at < raw.size && is_blank(raw.bytes[*at]))
            (*at)++;
    }
    return count;
}

/* Folds the line break at *at: blanks before it go, but not those before `kept`; one break is a blank, each more is
 * kept. */
static void break_fold(struct text raw, size_t *at, size_t kept, struct buffer *out)
{
    while (out->size > kept && is_blank(out->bytes[out->size - 1]))
        out->size--;
    size_t count = breaks_skip(raw, at);
    if (count == 1)
        buffer_add_char(out, ' ');
    breaks_add(out, count - 1);
}

void yaml_single_decode(struct text raw, struct buffer *out)
{
    size_t kept = out->size;
    for (size_t i = 0; i < raw.size;) {
        if (break_size(raw, i) != 0) {
            break_fold(raw, &i, kept, out);
            continue;
        }
        buffer_add_char(out, raw.bytes[i]);
        i += raw.bytes[i] == '\'' ? 2 : 1;
    }
}

static void code_point_add(struct buffer *out, uint32_t c)
{
    if (c < 0x80) {
        buffer_add_char(out, (char)c);
        return;
    }
    unsigned more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const unsigned char first[] = {0, 0xC0, 0xE0, 0xF0};
    buffer_add_char(out, (char)(first[more] | (c >> (6 * more))));
    while (more-- > 0)
        buffer_add_char(out, (char)(0x80 | ((c >> (6 * more)) & 0x3F)));
}

/* Takes `count` hexadecimal digits at *at; UINT32_MAX when they are not there. */
static uint32_t hex_take(struct text raw, size_t *at, size_t count)
{
    uint32_t value = 0;
    if (raw.size - *at < count)
        return UINT32_MAX;
    for (size_t end = *at + count; *at < end; (*at)++) {
        char c = raw.bytes[*at];
        uint32_t digit = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
                         : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a' + 10)
                         : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A' + 10)
                                                : 16;
        if (digit == 16 || value >> 28 != 0)
            return UINT32_MAX;
        value = value << 4 | digit;
    }
    return value;
}

/* Takes the character that the escape stands for, *at behind its backslash; UINT32_MAX when there is none. Two escapes
 * for a pair of surrogates are one character, as in JSON. */
static uint32_t escape_take(struct text raw, size_t *at)
{
    static const char letters[] = "0abtnvfre \"/\\N_LP\t";
    static const uint32_t values[] = {0,   7,   8,   9,    10,   11,   12,     13,     27,
                                      ' ', '"', '/', '\\', 0x85, 0xA0, 0x2028, 0x2029, '\t'};
    if (*at >= raw.size || raw.bytes[*at] == '\0')
        return UINT32_MAX;
    char letter = raw.bytes[(*at)++];
    const char *found = strchr(letters, letter);
    if (found != NULL)
        return values[found - letters];
    if (letter != 'x' && letter != 'u' && letter != 'U')
        return UINT32_MAX;
    uint32_t c = hex_take(raw, at, letter == 'x' ? 2 : letter == 'u' ? 4 : 8);
    if (c >= 0xD800 && c <= 0xDBFF && raw.size - *at >= 6 && memcmp(raw.bytes + *at, "\\u", 2) == 0) {
        *at += 2;
        uint32_t low = hex_take(raw, at, 4);
        return low >= 0xDC00 && low <= 0xDFFF ? 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00) : UINT32_MAX;
    }
    return c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF) ? UINT32_MAX : c;
}

bool yaml_double_decode(struct text raw, struct buffer *out)
{
    size_t kept = out->size;
    for (size_t i = 0; i < raw.size;) {
        if (break_size(raw, i) != 0) {
            break_fold(raw, &i, kept, out);
        } else if (raw.bytes[i] != '\\') {
            buffer_add_char(out, raw.bytes[i++]);
        } else if (break_size(raw, i + 1) != 0) {
            i++;
            breaks_add(out, breaks_skip(raw, &i) - 1);
            kept = out->size;
        } else {
            i++;
            uint32_t c = escape_take(raw, &i);
            if (c == UINT32_MAX)
                return false;
            code_point_add(out, c);
            kept = out->size;
        }
    }
    return true;
}

/* ---- Folded scalars. */

/* The blanks before the first character of a text that is neither blank nor break, on its line. */
static size_t first_indent(struct text text)
{
    size_t count = 0;
    for (size_t i = 0; i < text.size; i++) {
        if (text.bytes[i] == '\n' || text.bytes[i] == '\r')
            count = 0;
        else if (text.bytes[i] == ' ')
            count++;
        else
            break;
    }
    return count;
}

static bool has_blanks_alone(struct text text)
{
    size_t i = 0;
    while (i < text.size && (is_blank(text.bytes[i]) || text.bytes[i] == '\n'))
        i++;
    return i == text.size;
}

static size_t trailing_breaks(struct text text)
{
    size_t count = 0;
    while (count < text.size && text.bytes[text.size - 1 - count] == '\n')
        count++;
    return count;
}

void yaml_folded_decode(struct text raw, struct text almost, struct buffer *out)
{
    size_t source = first_indent(raw), made = first_indent(almost), indent = source > made ? source - made : 0;
    size_t start = out->size, breaks = 0;
    if (has_blanks_alone(almost)) {
        buffer_add(out, almost);
        return;
    }
    bool was_spaced = true; /* the line before begins with a blank, or there is none: the break behind it is kept */
    for (size_t i = 0; i < raw.size;) {
        size_t end = i, begin = i;
        while (end < raw.size && break_size(raw, end) == 0)
            end++;
        while (begin < end && begin - i < indent && raw.bytes[begin] == ' ')
            begin++;
        struct text line = {raw.bytes + begin, end - begin};
        i = end + break_size(raw, end);
        if (line.size == 0) {
            breaks++;
            continue;
        }
        bool is_spaced = is_blank(line.bytes[0]);
        if (out->size == start || was_spaced || is_spaced)
            breaks_add(out, breaks + (out->size == start ? 0 : 1));
        else if (breaks == 0)
            buffer_add_char(out, ' ');
        else
            breaks_add(out, breaks);
        buffer_add(out, line);
        was_spaced = is_spaced;
        breaks = 0;
    }
    breaks_add(out, trailing_breaks(almost));
}

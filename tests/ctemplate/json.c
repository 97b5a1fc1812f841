/* A strict JSON reader for test data. */
#include "json.h"

#include "base/map.h"
#include "ctemplate/unicode.h"

enum { JSON_DEPTH_MAX = 64 };

struct json_reader {
    struct arena *arena;
    struct text source;
    size_t at;
    const char *problem;
};

static const struct ct_value *read_value(struct json_reader *reader, unsigned depth);

static void *fail(struct json_reader *reader, const char *problem)
{
    if (reader->problem == NULL)
        reader->problem = problem;
    return NULL;
}

static char peek(const struct json_reader *reader)
{
    return reader->at < reader->source.size ? reader->source.bytes[reader->at] : '\0';
}

static void skip_space(struct json_reader *reader)
{
    while (peek(reader) == ' ' || peek(reader) == '\t' || peek(reader) == '\n' || peek(reader) == '\r')
        reader->at++;
}

static bool skip(struct json_reader *reader, char c)
{
    if (peek(reader) != c)
        return false;
    reader->at++;
    return true;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static const struct ct_value *read_number(struct json_reader *reader)
{
    bool is_negative = skip(reader, '-');
    if (!is_digit(peek(reader)))
        return fail(reader, "a digit is due");
    int64_t value = 0;
    bool is_zero = peek(reader) == '0';
    for (size_t i = 0; is_digit(peek(reader)); i++) {
        int digit = peek(reader) - '0';
        if (i > 0 && is_zero)
            return fail(reader, "a number has a leading zero");
        if (__builtin_mul_overflow(value, 10, &value) || __builtin_sub_overflow(value, digit, &value))
            return fail(reader, "a number does not fit into 64 bits");
        reader->at++;
    }
    if (peek(reader) == '.' || peek(reader) == 'e' || peek(reader) == 'E')
        return fail(reader, "numbers are integers here");
    if (!is_negative && __builtin_sub_overflow(0, value, &value))
        return fail(reader, "a number does not fit into 64 bits");
    return ct_integer(reader->arena, value);
}

static bool read_hex(struct json_reader *reader, uint32_t *unit)
{
    *unit = 0;
    for (int i = 0; i < 4; i++) {
        char c = peek(reader);
        char lower = (char)(c | 0x20);
        if (!is_digit(c) && !(lower >= 'a' && lower <= 'f'))
            return fail(reader, "four hexadecimal digits are due") != NULL;
        *unit = *unit * 16 + (uint32_t)(is_digit(c) ? c - '0' : lower - 'a' + 10);
        reader->at++;
    }
    return true;
}

static bool read_unicode_escape(struct json_reader *reader, struct buffer *made)
{
    uint32_t point;
    uint32_t low;
    if (!read_hex(reader, &point))
        return false;
    if (point >= 0xDC00 && point <= 0xDFFF)
        return fail(reader, "a surrogate stands alone") != NULL;
    if (point >= 0xD800 && point <= 0xDBFF) {
        if (!skip(reader, '\\') || !skip(reader, 'u') || !read_hex(reader, &low) || low < 0xDC00 || low > 0xDFFF)
            return fail(reader, "a surrogate stands alone") != NULL;
        point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
    }
    char bytes[4];
    buffer_add(made, (struct text){bytes, ct_unicode_put(point, bytes)});
    return true;
}

static bool read_escape(struct json_reader *reader, struct buffer *made)
{
    static const char letters[] = "\"\\/bfnrt";
    static const char meanings[] = "\"\\/\b\f\n\r\t";
    char c = peek(reader);
    const char *letter = c == '\0' ? NULL : strchr(letters, c);
    if (letter != NULL) {
        buffer_add_char(made, meanings[letter - letters]);
        reader->at++;
        return true;
    }
    if (!skip(reader, 'u'))
        return fail(reader, "this escape is unknown") != NULL;
    return read_unicode_escape(reader, made);
}

static bool read_character(struct json_reader *reader, struct buffer *made)
{
    size_t from = reader->at;
    if ((unsigned char)peek(reader) < 0x20)
        return fail(reader, "a string has a control character or no end") != NULL;
    if (skip(reader, '\\'))
        return read_escape(reader, made);
    if (ct_unicode_take(reader->source, &reader->at) >= CT_UNICODE_INVALID)
        return fail(reader, "a string is not UTF-8") != NULL;
    buffer_add(made, (struct text){reader->source.bytes + from, reader->at - from});
    return true;
}

static bool read_string(struct json_reader *reader, struct text *text)
{
    struct buffer made = {0};
    bool is_good = skip(reader, '"') || fail(reader, "a string is due") != NULL;
    while (is_good && !skip(reader, '"'))
        is_good = read_character(reader, &made);
    *text = arena_copy(reader->arena, buffer_text(&made));
    buffer_free(&made);
    return is_good;
}

static const struct ct_value *read_list(struct json_reader *reader, unsigned depth)
{
    struct ct_value *list = ct_list(reader->arena);
    skip_space(reader);
    if (skip(reader, ']'))
        return list;
    do {
        const struct ct_value *item = read_value(reader, depth);
        if (item == NULL)
            return NULL;
        ct_list_add(reader->arena, list, item);
    } while (skip(reader, ','));
    return skip(reader, ']') ? list : fail(reader, "',' or ']' is due");
}

static bool read_member(struct json_reader *reader, struct ct_value *map, struct map *names, unsigned depth)
{
    struct text name;
    skip_space(reader);
    if (!read_string(reader, &name))
        return false;
    if (memchr(name.bytes, '\0', name.size) != NULL)
        return fail(reader, "a name has a NUL") != NULL;
    if (map_add(names, reader->arena, name, map) != NULL)
        return fail(reader, "a name is there twice") != NULL;
    skip_space(reader);
    if (!skip(reader, ':'))
        return fail(reader, "':' is due") != NULL;
    const struct ct_value *value = read_value(reader, depth);
    if (value == NULL)
        return false;
    ct_map_set(reader->arena, map, name.bytes, value);
    return true;
}

static const struct ct_value *read_map(struct json_reader *reader, unsigned depth)
{
    struct ct_value *map = ct_map(reader->arena);
    struct map names = {0};
    skip_space(reader);
    if (skip(reader, '}'))
        return map;
    do {
        if (!read_member(reader, map, &names, depth))
            return NULL;
    } while (skip(reader, ','));
    return skip(reader, '}') ? map : fail(reader, "',' or '}' is due");
}

static const struct ct_value *read_word(struct json_reader *reader)
{
    static const struct {
        const char *word;
        int value;
    } words[] = {{"true", 1}, {"false", 0}, {"null", -1}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        size_t size = strlen(words[i].word);
        if (reader->source.size - reader->at < size ||
            memcmp(reader->source.bytes + reader->at, words[i].word, size) != 0)
            continue;
        reader->at += size;
        return words[i].value < 0 ? ct_none() : ct_bool(words[i].value != 0);
    }
    return fail(reader, "a value is due");
}

/* A value and the white space around it. */
static const struct ct_value *read_value(struct json_reader *reader, unsigned depth)
{
    const struct ct_value *value;
    struct text text;
    if (depth == JSON_DEPTH_MAX)
        return fail(reader, "the values are nested too deep");
    skip_space(reader);
    if (skip(reader, '['))
        value = read_list(reader, depth + 1);
    else if (skip(reader, '{'))
        value = read_map(reader, depth + 1);
    else if (peek(reader) == '"')
        value = read_string(reader, &text) ? ct_text(reader->arena, text) : NULL;
    else if (peek(reader) == '-' || is_digit(peek(reader)))
        value = read_number(reader);
    else
        value = read_word(reader);
    skip_space(reader);
    return value;
}

const struct ct_value *json_read(struct arena *arena, struct text source, size_t *offset, const char **problem)
{
    struct json_reader reader = {.arena = arena, .source = source};
    const struct ct_value *value = read_value(&reader, 0);
    if (value != NULL && reader.at != source.size)
        value = fail(&reader, "something follows the value");
    *offset = reader.at;
    *problem = reader.problem;
    return value;
}

/* The filter json: compact, ASCII only, members in the map's order. */
#include <inttypes.h>

#include "ctemplate/filter.h"
#include "ctemplate/unicode.h"

enum { JSON_DEPTH_MAX = 64 };

static bool json_add(struct ct_call *call, struct buffer *made, const struct ct_value *value, unsigned depth);

static void json_add_point(struct buffer *made, uint32_t point)
{
    static const char specials[] = "\"\\\b\f\n\r\t";
    static const char letters[] = "\"\\bfnrt";
    const char *special = point == 0 || point > 0x7F ? NULL : strchr(specials, (int)point);
    if (special != NULL)
        buffer_format(made, "\\%c", letters[special - specials]);
    else if (point >= 0x20 && point < 0x7F)
        buffer_add_char(made, (char)point);
    else if (point < 0x10000)
        buffer_format(made, "\\u%04x", (unsigned)point);
    else
        buffer_format(made, "\\u%04x\\u%04x", (unsigned)(0xD800 + ((point - 0x10000) >> 10)),
                      (unsigned)(0xDC00 + ((point - 0x10000) & 0x3FF)));
}

static bool json_add_text(struct ct_call *call, struct buffer *made, struct text text)
{
    buffer_add_char(made, '"');
    for (size_t at = 0; at < text.size;) {
        uint32_t point = ct_unicode_take(text, &at);
        if (point >= CT_UNICODE_INVALID)
            return ct_call_fail(call, "the text is not UTF-8");
        json_add_point(made, point);
    }
    buffer_add_char(made, '"');
    return true;
}

static bool json_add_list(struct ct_call *call, struct buffer *made, const struct ct_items *list, unsigned depth)
{
    buffer_add_char(made, '[');
    for (size_t i = 0; i < list->count; i++) {
        if (i != 0)
            buffer_add_char(made, ',');
        if (!json_add(call, made, &list->items[i], depth))
            return false;
    }
    buffer_add_char(made, ']');
    return true;
}

static bool json_add_map(struct ct_call *call, struct buffer *made, const struct ct_entries *map, unsigned depth)
{
    buffer_add_char(made, '{');
    for (size_t i = 0; i < map->count; i++) {
        if (i != 0)
            buffer_add_char(made, ',');
        if (!json_add_text(call, made, map->entries[i].key))
            return false;
        buffer_add_char(made, ':');
        if (!json_add(call, made, &map->entries[i].value, depth))
            return false;
    }
    buffer_add_char(made, '}');
    return true;
}

static bool json_add(struct ct_call *call, struct buffer *made, const struct ct_value *value, unsigned depth)
{
    if (depth == JSON_DEPTH_MAX || made->size > call->render->limits.made_size)
        return ct_call_fail(call, "the value is too large");
    switch (value->kind) {
    case CT_NONE:
        buffer_add(made, TEXT("null"));
        return true;
    case CT_BOOL:
        buffer_add(made, value->truth ? TEXT("true") : TEXT("false"));
        return true;
    case CT_INTEGER:
        buffer_format(made, "%" PRId64, value->integer);
        return true;
    case CT_TEXT:
        return json_add_text(call, made, value->text);
    case CT_LIST:
        return json_add_list(call, made, value->list, depth + 1);
    case CT_MAP:
        return json_add_map(call, made, value->map, depth + 1);
    case CT_UNDEFINED:
        return ct_fail_undefined(call->render, call->activation, call->offset, value);
    default:
        return ct_call_fail(call, "%s has no JSON form", ct_value_noun(value));
    }
}

bool ct_filter_json(struct ct_call *call, struct ct_value *result)
{
    struct buffer made = {0};
    if (json_add(call, &made, call->subject, 0))
        return ct_call_return(call, &made, true, result);
    buffer_free(&made);
    return false;
}

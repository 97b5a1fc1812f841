/* UTF-8: see unicode.h. */
#include "ctemplate/unicode.h"

static bool unicode_is_continued(struct text text, size_t at, size_t count)
{
    if (text.size - at <= count)
        return false;
    for (size_t i = 1; i <= count; i++)
        if (((unsigned char)text.bytes[at + i] & 0xC0) != 0x80)
            return false;
    return true;
}

uint32_t ct_unicode_take(struct text text, size_t *at)
{
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    const unsigned char *bytes = (const unsigned char *)text.bytes + *at;
    size_t more = bytes[0] < 0x80 ? 0 : bytes[0] >= 0xF0 ? 3 : bytes[0] >= 0xE0 ? 2 : 1;
    uint32_t invalid = CT_UNICODE_INVALID | bytes[0];
    if (more == 0) {
        *at += 1;
        return bytes[0];
    }
    if (bytes[0] < 0xC2 || bytes[0] > 0xF4 || !unicode_is_continued(text, *at, more)) {
        *at += 1;
        return invalid;
    }
    uint32_t point = bytes[0] & (0x3Fu >> more);
    for (size_t i = 1; i <= more; i++)
        point = point << 6 | (bytes[i] & 0x3Fu);
    if (point < least[more] || point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF)) {
        *at += 1;
        return invalid;
    }
    *at += more + 1;
    return point;
}

size_t ct_unicode_put(uint32_t point, char *bytes)
{
    size_t more = point < 0x80 ? 0 : point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
    static const unsigned char lead[] = {0, 0xC0, 0xE0, 0xF0};
    for (size_t i = more; i > 0; i--) {
        bytes[i] = (char)(0x80 | (point & 0x3F));
        point >>= 6;
    }
    bytes[0] = (char)(lead[more] | point);
    return more + 1;
}

size_t ct_unicode_count(struct text text)
{
    size_t count = 0;
    for (size_t at = 0; at < text.size; count++)
        ct_unicode_take(text, &at);
    return count;
}

bool ct_unicode_is_space(uint32_t point)
{
    if (point < 0x80)
        return point == ' ' || (point >= 9 && point <= 13) || (point >= 28 && point <= 31);
    return point == 0x85 || point == 0xA0 || point == 0x1680 || (point >= 0x2000 && point <= 0x200A) ||
           point == 0x2028 || point == 0x2029 || point == 0x202F || point == 0x205F || point == 0x3000;
}

size_t ct_unicode_skip_space(struct text text, size_t at)
{
    for (size_t next = at; next < text.size; at = next)
        if (!ct_unicode_is_space(ct_unicode_take(text, &next)))
            break;
    return at;
}

struct text ct_unicode_trim_end(struct text text)
{
    size_t end = 0;
    for (size_t at = 0; at < text.size;)
        if (!ct_unicode_is_space(ct_unicode_take(text, &at)))
            end = at;
    return (struct text){text.bytes, end};
}

bool ct_text_is_ascii(struct text text)
{
    for (size_t i = 0; i < text.size; i++)
        if ((unsigned char)text.bytes[i] >= 0x80)
            return false;
    return true;
}

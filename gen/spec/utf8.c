/* See utf8.h. */
#include "spec/utf8.h"

size_t utf8_decode(const char *bytes, size_t left, uint32_t *code_point)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char first = (unsigned char)bytes[0];
    if (first < 0x80) {
        *code_point = first;
        return 1;
    }
    size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || size > left)
        return 0;
    uint32_t value = first & (0xFFu >> (size + 1));
    for (size_t i = 1; i < size; i++) {
        unsigned char next = (unsigned char)bytes[i];
        if ((next & 0xC0) != 0x80)
            return 0;
        value = value << 6 | (next & 0x3Fu);
    }
    if (value < least[size] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF))
        return 0;
    *code_point = value;
    return size;
}

bool utf8_is_valid(struct text text)
{
    uint32_t code_point;
    for (size_t i = 0, size; i < text.size; i += size) {
        size = utf8_decode(text.bytes + i, text.size - i, &code_point);
        if (size == 0)
            return false;
    }
    return true;
}

size_t utf8_count(struct text text)
{
    size_t count = 0;
    uint32_t code_point;
    for (size_t i = 0, size; i < text.size; i += size, count++) {
        size = utf8_decode(text.bytes + i, text.size - i, &code_point);
        if (size == 0)
            size = 1;
    }
    return count;
}

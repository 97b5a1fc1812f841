#include "http/host.h"

#include <stdint.h>

#include "http/path.h"

/* unreserved and sub-delims of RFC 3986, the characters of a reg-name but for escapes. */
static bool hw_host_is_name_byte(unsigned char c)
{
    static const uint64_t allowed[2] = {
        /* ! $ & ' ( ) * + , - . 0-9 ; = */
        1ull << '!' | 1ull << '$' | 1ull << '&' | 1ull << '\'' | 1ull << '(' | 1ull << ')' | 1ull << '*' | 1ull << '+' |
            1ull << ',' | 1ull << '-' | 1ull << '.' | 0x3ffull << '0' | 1ull << ';' | 1ull << '=',
        /* A-Z _ a-z ~ */
        0x3ffffffull << ('A' - 64) | 1ull << ('_' - 64) | 0x3ffffffull << ('a' - 64) | 1ull << ('~' - 64),
    };
    return c < 128 && (allowed[c / 64] >> c % 64 & 1) != 0;
}

/* The size of the host part, or -1. */
static long hw_host_span(const char *value, size_t size)
{
    size_t i = 0;
    if (size > 0 && value[0] == '[') { /* an IP literal: hexadecimal digits, ':', '.', and v1.x forms */
        for (i = 1; i < size && value[i] != ']'; i++)
            if (value[i] != ':' && !hw_host_is_name_byte((unsigned char)value[i]))
                return -1;
        return i < size && i > 1 ? (long)(i + 1) : -1;
    }
    while (i < size && value[i] != ':') {
        if (value[i] == '%') {
            if (i + 2 >= size || hw_hex_value(value[i + 1]) < 0 || hw_hex_value(value[i + 2]) < 0)
                return -1;
            i += 3;
        } else if (hw_host_is_name_byte((unsigned char)value[i])) {
            i++;
        } else {
            return -1;
        }
    }
    return (long)i;
}

static bool hw_host_read(const char *value, size_t size, char *host, size_t room, size_t *host_size)
{
    long span = hw_host_span(value, size);
    if (span < 0 || (size_t)span >= room)
        return false;
    if ((size_t)span < size) {
        if (value[span] != ':' || span == 0)
            return false;
        for (size_t i = (size_t)span + 1; i < size; i++)
            if (value[i] < '0' || value[i] > '9')
                return false;
    }
    for (long i = 0; i < span; i++)
        host[i] = (char)(value[i] >= 'A' && value[i] <= 'Z' ? value[i] + ('a' - 'A') : value[i]);
    host[span] = '\0';
    *host_size = (size_t)span;
    return true;
}

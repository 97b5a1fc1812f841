#include "http/path.h"

#include <stdbool.h>
#include <string.h>

static int hw_hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/* True when nothing is to be decoded or removed: no '%', no segment that is empty (but for the last) or begins with a
 * dot. */
static bool hw_path_is_plain(const char *path, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (path[i] == '%')
            return false;
        if (path[i] == '/' && i + 1 < size && (path[i + 1] == '/' || path[i + 1] == '.'))
            return false;
    }
    return true;
}

/* Decodes one segment behind out[at - 1] == '/'. Returns the new end, or 0. */
static size_t hw_path_segment(const char *segment, size_t size, char *out, size_t at)
{
    for (size_t i = 0; i < size; i++) {
        char c = segment[i];
        if (c == '%') {
            int high = i + 2 < size ? hw_hex_value(segment[i + 1]) : -1;
            int low = high < 0 ? -1 : hw_hex_value(segment[i + 2]);
            if (low < 0 || (high == 0 && low == 0))
                return 0;
            c = (char)(high << 4 | low);
            i += 2;
            if (c == '/')
                c = '\0';
        }
        out[at++] = c;
    }
    return at;
}

static bool hw_path_is_dots(const char *segment, size_t size, size_t count)
{
    return size == count && memcmp(segment, "..", count) == 0;
}

/* Back to behind the '/' before the segment that ends at out[at - 1] == '/'. Returns 0 above the root. */
static size_t hw_path_climb(const char *out, size_t at)
{
    if (at <= 1)
        return 0;
    at--;
    while (out[at - 1] != '/')
        at--;
    return at;
}

static size_t hw_path_decode(const char *path, size_t size, char *out)
{
    if (size == 0 || path[0] != '/')
        return 0;
    if (hw_path_is_plain(path, size)) {
        memcpy(out, path, size);
        out[size] = '\0';
        return size;
    }
    size_t at = 0;
    out[at++] = '/';
    for (size_t i = 1; i <= size;) {
        const char *end = memchr(path + i, '/', size - i);
        size_t segment_size = end == NULL ? size - i : (size_t)(end - (path + i));
        size_t begin = at;
        at = hw_path_segment(path + i, segment_size, out, at);
        if (at == 0)
            return 0;
        if (hw_path_is_dots(out + begin, at - begin, 1))
            at = begin;
        else if (hw_path_is_dots(out + begin, at - begin, 2))
            at = hw_path_climb(out, begin);
        else if (end != NULL && at != begin)
            out[at++] = '/';
        if (at == 0)
            return 0;
        i += segment_size + 1;
    }
    out[at] = '\0';
    return at;
}

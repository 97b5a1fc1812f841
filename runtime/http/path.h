/* The path of a request target: decoded once, normalised once, before it is matched. */
#ifndef HW_HTTP_PATH_H
#define HW_HTTP_PATH_H

#include <stddef.h>

/* Decodes the path of a target (without its query) into `out`, which has room for size + 1 bytes, and ends it with NUL:
 * percent-encoded bytes are decoded (RFC 3986 section 2.1), dot segments removed (5.2.4, also encoded ones), empty
 * segments merged. An encoded '/' becomes a NUL byte, so that it cannot separate segments. Returns the size, or 0 when
 * the path is wrong: it does not begin with '/', has a broken escape or an encoded NUL, or climbs above the root. */
static size_t hw_path_decode(const char *path, size_t size, char *out);

/* The value of a hexadecimal digit, or -1. */
static int hw_hex_value(char c);

#endif

/* Decoding of UTF-8, strict as RFC 3629 has it. */
#ifndef GEN_SPEC_UTF8_H
#define GEN_SPEC_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* Decodes the code point that begins at `bytes`, of which `left` (at least 1) are there. Returns its size in bytes, or
 * 0 when it is malformed: cut short, overlong, a surrogate, above U+10FFFF. */
size_t utf8_decode(const char *bytes, size_t left, uint32_t *code_point);

/* Whether all of a text is UTF-8. */
bool utf8_is_valid(struct text text);

/* The number of code points in a text; a byte that is not UTF-8 counts as one. */
size_t utf8_count(struct text text);

#endif

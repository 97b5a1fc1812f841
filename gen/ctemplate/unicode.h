/* UTF-8, as far as templates need it. Bytes that are no UTF-8 count as one character each. */
#ifndef GEN_CTEMPLATE_UNICODE_H
#define GEN_CTEMPLATE_UNICODE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

#define CT_UNICODE_INVALID UINT32_C(0x80000000)

/* The code point at `*at`, which moves behind it. For a byte that is no UTF-8: CT_UNICODE_INVALID | byte. */
uint32_t ct_unicode_take(struct text text, size_t *at);

/* Writes a code point's UTF-8 to `bytes` (of 4) and returns its length. */
size_t ct_unicode_put(uint32_t point, char *bytes);

/* How many characters a text has. */
size_t ct_unicode_count(struct text text);

/* White space as Python's str.isspace has it. */
bool ct_unicode_is_space(uint32_t point);

/* Where the white space at `at` ends; `text` without white space at its end. */
size_t ct_unicode_skip_space(struct text text, size_t at);
struct text ct_unicode_trim_end(struct text text);

bool ct_text_is_ascii(struct text text);

#endif

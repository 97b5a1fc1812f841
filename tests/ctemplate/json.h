/* Test data: JSON (RFC 8259, strict) to template values. Numbers are integers of 64 bits, names in objects unique. */
#ifndef TESTS_CTEMPLATE_JSON_H
#define TESTS_CTEMPLATE_JSON_H

#include "ctemplate/ctemplate.h"

/* NULL when the text is no JSON; `problem` then says what and `offset` where. Texts of the value are in the arena or in
 * the source, which must outlive it. */
const struct ct_value *json_read(struct arena *arena, struct text source, size_t *offset, const char **problem);

#endif

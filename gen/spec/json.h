/* Whether a text is JSON, strictly as RFC 8259 has it. */
#ifndef GEN_SPEC_JSON_H
#define GEN_SPEC_JSON_H

#include <stddef.h>

#include "base/text.h"

#define JSON_DEPTH_MAX 256

/* NULL when `text` is one JSON value with nothing but white space around it; else what is due, as in "a value is due",
 * and the offset where. */
const char *json_problem(struct text text, size_t *offset);

#endif

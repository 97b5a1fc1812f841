/* Numbers with and without units, and words that stand for numbers: from their text to their value.
 *
 * Nothing here knows YAML. A value is checked against its row of the table of keys before it is converted.
 */
#ifndef GEN_SPEC_SCALAR_H
#define GEN_SPEC_SCALAR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "spec/diagnostics.h"
#include "spec/spec.h"

/* Why a value was refused. */
struct scalar_fault {
    enum diagnostic_code code;
    struct text message;
    struct text help;
};

/* Reads the value of a key of a number type: a count, bytes, milliseconds, 0 or 1, a level's number, a version of TLS as
 * the protocol has it, the size of a list of tokens; `off` is 0.
 * Returns false and fills `fault` (texts in the arena) when it is not one or outside the row's range. */
bool scalar_read(struct arena *arena, const struct spec_key_row *row, struct text text, uint64_t *value,
                 struct scalar_fault *fault);

/* Reads decimal digits without leading zeros, at most `maximum`. */
bool scalar_digits_read(struct text text, uint64_t maximum, uint64_t *value);

/* A number of this type as a person would write it: "8KiB", "30s", "100". */
struct text scalar_format(struct arena *arena, enum spec_type type, uint64_t value);

#endif

/* Patterns of net/http.ServeMux: [METHOD ][HOST]/PATH, from their text to their parts. */
#ifndef GEN_SPEC_PATTERN_H
#define GEN_SPEC_PATTERN_H

#include <stdbool.h>

#include "base/arena.h"
#include "spec/diagnostics.h"
#include "spec/model.h"

#define PATTERN_SEGMENTS_MAX 256

/* Parses `text`, the key at `place`. Returns false after reporting what is wrong, at the part that is. */
bool pattern_parse(struct arena *arena, struct diagnostics *diagnostics, struct text text, struct spec_place place,
                   struct spec_pattern *pattern);

/* Appends a decoded path segment as it is written in a pattern: what would mean something else there is encoded. */
struct buffer;
void pattern_segment_add(struct buffer *out, struct text decoded);

#endif

/* The table of keys at work: look-up by path and by name, the words that are planned, "did you mean". */
#ifndef GEN_SPEC_KEYS_H
#define GEN_SPEC_KEYS_H

#include <stdbool.h>

#include "base/text.h"
#include "spec/spec.h"

/* The key `name` below `parent` ("limits"; empty for the top of the spec), or SPEC_KEY_COUNT. */
enum spec_key key_find(struct text parent, struct text name);

/* The first key of this name below any parent but `parent`, or SPEC_KEY_COUNT: a key that stands in the wrong place. */
enum spec_key key_find_elsewhere(struct text parent, struct text name);

/* The name of the key below `parent` that `name` was meant to be; empty when there is none near. `is_route`: only keys
 * that a route may have. */
struct text key_suggest(struct text parent, struct text name, bool is_route);

/* Whether the design has a key of this name that this version does not know yet. */
bool key_is_planned(struct text name);

#endif

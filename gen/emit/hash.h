/* SHA-256 as hexadecimal text. */
#ifndef GEN_EMIT_HASH_H
#define GEN_EMIT_HASH_H

#include "base/arena.h"
#include "base/text.h"
#include "plan/plan.h"

struct text hash_of_bytes(struct arena *arena, struct text bytes);

/* The hash of what a spec means: comments, blank lines, the order of keys and how numbers are written do not matter. */
struct text hash_of_meaning(struct arena *arena, const struct plan *plan);

#endif

/* Unified diffs, as `diff -u` prints them. */
#ifndef GEN_EMIT_DIFF_H
#define GEN_EMIT_DIFF_H

#include "base/buffer.h"
#include "base/text.h"

/* Adds the diff from `before` to `after`, both called `path`; nothing when they are equal. */
void diff_add(struct buffer *out, struct text path, struct text before, struct text after);

#endif

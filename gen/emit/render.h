/* One template that is compiled into the generator. */
#ifndef GEN_EMIT_RENDER_H
#define GEN_EMIT_RENDER_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/text.h"
#include "ctemplate/ctemplate.h"

/* Renders it with a map of values. Our own templates with our own values: that it fails is a bug, and `problem` begins
 * with "bug: ". */
bool render_template(struct arena *arena, const char *template, const struct ct_value *context, struct text *bytes,
                     struct text *problem);

#endif

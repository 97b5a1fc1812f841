/* The plan as values for the templates: names and numbers, nothing left to decide. */
#ifndef GEN_EMIT_VALUES_H
#define GEN_EMIT_VALUES_H

#include "ctemplate/ctemplate.h"
#include "plan/plan.h"

/* What the build files list, as paths relative to the output folder. */
struct emit_build {
    bool vendor;
    const struct text *sources;      /* one a source of the plan: where it lies */
    const struct text *llhttp_units; /* names of the parser's C files, without folder and suffix */
    size_t llhttp_unit_count;
};

/* The context of all templates of an output folder. */
struct ct_value *values_make(struct arena *arena, const struct plan *plan, const struct emit_build *build);

#endif

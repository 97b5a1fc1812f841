/* The author's C files: where they lie seen from the output folder, and copies of them for --vendor. */
#ifndef GEN_EMIT_SOURCES_H
#define GEN_EMIT_SOURCES_H

#include "emit/emit.h"

struct sources {
    struct text *paths;       /* one a source of the plan, relative to the output folder */
    struct emit_file *copies; /* for --vendor: the sources and the headers beside them that they include */
    size_t copy_count;
};

/* Looks at every source. Adds an error for each that cannot be read; false then, or with one line in `problem`. */
bool sources_find(struct arena *arena, const struct emit_request *request, struct sources *sources,
                  struct diagnostics *diagnostics, struct text *problem);

#endif

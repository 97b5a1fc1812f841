/* Which patterns of a spec cannot stand beside each other: net/http.ServeMux's rules, checked before anything runs. */
#ifndef GEN_SPEC_CONFLICT_H
#define GEN_SPEC_CONFLICT_H

#include "base/arena.h"
#include "spec/diagnostics.h"
#include "spec/model.h"

/* Reports, at the later of two routes, that it has the pattern of an earlier one, or that both match a request and
 * neither is more specific. Linear for patterns without wildcards; a route is compared only with those whose paths can
 * overlap its own. */
void conflict_check(struct arena *arena, struct diagnostics *diagnostics, const struct spec_route *routes,
                    size_t count);

#endif

/* The parts of plan_make, each in a file of its name. They fill the plan in this order; a later one uses what the
 * earlier ones left. */
#ifndef GEN_PLAN_STAGES_H
#define GEN_PLAN_STAGES_H

#include "plan/names.h"
#include "plan/plan.h"

/* routes.c: the ordered routes, with their thunks' names and their own numbers. */
void plan_routes_make(struct plan *plan, struct arena *arena, struct plan_names *names);

/* handlers.c: the prototypes. */
void plan_handlers_make(struct plan *plan, struct arena *arena);

/* answers.c: the baked answers, each once. */
void plan_answers_make(struct plan *plan, struct arena *arena);

/* config.c: the constants. Returns the largest body that a route reads whole, 0 when none does. */
uint64_t plan_config_make(struct plan *plan, struct arena *arena);

/* build.c: the files that are compiled. */
void plan_build_make(struct plan *plan, struct arena *arena);

#endif

/* The dispatch: from the ordered routes to a tree of segments for each host. */
#ifndef GEN_PLAN_TREE_H
#define GEN_PLAN_TREE_H

#include "base/arena.h"
#include "plan/names.h"
#include "plan/plan.h"

/* Orders routes by host, path and method, so that those at one place of the tree are neighbours; qsort's form. The
 * names of wildcards do not matter. */
int plan_route_compare(const void *a, const void *b);

/* Fills tree, hosts, nodes, node_count and table_count of the plan, and the methods of each route. The routes must be
 * ordered. */
void plan_tree_build(struct plan *plan, struct arena *arena, struct plan_names *names);

#endif

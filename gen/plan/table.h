/* Perfect hash tables: a set of texts without a collision, found by hash and displace.
 *
 * The texts fall into groups by one part of their hash; each group gets the first seed with which all its texts land in
 * free slots. Built in expected linear time, and the same on every machine. templates/routes.c.j2 has the other half,
 * the look-up.
 */
#ifndef GEN_PLAN_TABLE_H
#define GEN_PLAN_TABLE_H

#include "base/arena.h"
#include "plan/plan.h"

/* Builds the table of these children, whose texts all differ. Never fails. */
const struct plan_table *plan_table_build(struct arena *arena, const struct plan_child *children, size_t count);

/* The child with this text, as the emitted code looks it up: index + 1, or 0. */
size_t plan_table_find(const struct plan_table *table, const struct plan_child *children, struct text text);

#endif

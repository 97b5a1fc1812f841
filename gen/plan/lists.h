/* Lists of indices that grow, in the arena. */
#ifndef GEN_PLAN_LISTS_H
#define GEN_PLAN_LISTS_H

#include "base/arena.h"

/* Adds to a list whose room is the power of two that its count has reached. */
static inline void plan_index_add(struct arena *arena, size_t **list, size_t *count, size_t index)
{
    if ((*count & (*count - 1)) == 0) {
        size_t *grown = arena_take_array(arena, *count == 0 ? 1 : *count * 2, sizeof *grown);
        if (*count != 0)
            memcpy(grown, *list, *count * sizeof *grown);
        *list = grown;
    }
    (*list)[(*count)++] = index;
}

#endif

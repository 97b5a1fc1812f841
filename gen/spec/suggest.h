/* "Did you mean": the one name of several that a misspelt word was most likely meant to be. */
#ifndef GEN_SPEC_SUGGEST_H
#define GEN_SPEC_SUGGEST_H

#include <stddef.h>

#include "base/text.h"

/* Begin with {.word = ...}; offer each candidate; `best` is empty when none is near. */
struct suggestion {
    struct text word;
    struct text best;
    size_t distance;
};

/* A candidate is near when at most two letters differ (added, left out, changed, or two neighbours swapped) and at
 * least half agree, or when one is the beginning of the other. The first of equally near candidates wins. */
void suggestion_offer(struct suggestion *suggestion, struct text candidate);

/* The number of letters that differ, letter case ignored; more than 2 is said as 3. */
size_t suggestion_distance(struct text a, struct text b);

#endif

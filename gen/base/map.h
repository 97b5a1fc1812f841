/* A hash map from texts to pointers. The order of insertion is kept by whoever needs it: a map is asked, never walked,
 * so that no hash order can reach the output. Zero it to begin; its memory is the arena's. */
#ifndef GEN_BASE_MAP_H
#define GEN_BASE_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/text.h"

struct map_slot {
    struct text key;
    uint64_t hash;
    void *value; /* NULL: an empty slot */
};

struct map {
    struct map_slot *slots;
    size_t room;
    size_t count;
};

/* The value of this key, or NULL. */
void *map_find(const struct map *map, struct text key);

/* Adds a value that is not NULL, unless the key is there already: returns the earlier value then, else NULL. The key's
 * bytes must outlive the map. */
void *map_add(struct map *map, struct arena *arena, struct text key, void *value);

#endif

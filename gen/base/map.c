#include "base/map.h"

/* FNV-1a with a final mix; specs come from their authors, so that a seed against chosen collisions is not needed. */
static uint64_t map_hash(struct text key)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < key.size; i++)
        hash = (hash ^ (unsigned char)key.bytes[i]) * 1099511628211u;
    hash ^= hash >> 32;
    return hash * 0x9E3779B97F4A7C15u;
}

static struct map_slot *map_slot_find(const struct map *map, struct text key, uint64_t hash)
{
    size_t i = (size_t)(hash >> 16) & (map->room - 1);
    while (map->slots[i].value != NULL) {
        if (map->slots[i].hash == hash && text_is_equal(map->slots[i].key, key))
            break;
        i = (i + 1) & (map->room - 1);
    }
    return &map->slots[i];
}

void *map_find(const struct map *map, struct text key)
{
    return map->room == 0 ? NULL : map_slot_find(map, key, map_hash(key))->value;
}

static void map_grow(struct map *map, struct arena *arena)
{
    struct map grown = {.room = map->room == 0 ? 16 : map->room * 2, .count = map->count};
    grown.slots = arena_take_array(arena, grown.room, sizeof *grown.slots);
    for (size_t i = 0; i < map->room; i++)
        if (map->slots[i].value != NULL)
            *map_slot_find(&grown, map->slots[i].key, map->slots[i].hash) = map->slots[i];
    *map = grown;
}

void *map_add(struct map *map, struct arena *arena, struct text key, void *value)
{
    if (map->count * 2 >= map->room)
        map_grow(map, arena);
    uint64_t hash = map_hash(key);
    struct map_slot *slot = map_slot_find(map, key, hash);
    if (slot->value != NULL)
        return slot->value;
    *slot = (struct map_slot){key, hash, value};
    map->count++;
    return NULL;
}

/* See table.h. */
#include "plan/table.h"

/* Texts a group on average, and how full the slots may get. */
#define GROUP_SIZE 4
#define SLOTS_FOR(count) ((count) + (count) / 4)

#define SEED_MAX UINT16_MAX

/* FNV-1a and the finish of MurmurHash3. Bytes one by one, so that every machine gets the same. */
static uint64_t text_hash(struct text text, uint32_t key)
{
    uint64_t hash = 14695981039346656037u ^ key;
    for (size_t i = 0; i < text.size; i++)
        hash = (hash ^ (unsigned char)text.bytes[i]) * 1099511628211u;
    hash = (hash ^ hash >> 33) * 0xFF51AFD7ED558CCDu;
    return hash ^ hash >> 33;
}

static size_t group_of(const struct plan_table *table, uint64_t hash)
{
    return (size_t)(hash >> 44) & (table->seed_count - 1);
}

static size_t slot_of(const struct plan_table *table, uint64_t hash, uint32_t seed)
{
    uint64_t step = (hash >> 22 & 0x3FFFFF) | 1;
    return (size_t)((hash & 0x3FFFFF) + seed * step) & (table->slot_count - 1);
}

static size_t power_of_two(size_t at_least)
{
    size_t power = 1;
    while (power < at_least)
        power *= 2;
    return power;
}

/* The children ordered by group, and the groups by falling size: big groups need the room of an empty table. */
struct grouping {
    uint64_t *hashes; /* of each child */
    size_t *starts;   /* of each group in members; one more than there are groups */
    size_t *members;  /* children */
    size_t *by_size;  /* groups */
};

static void grouping_fill(struct grouping *grouping, const struct plan_table *table, size_t count, size_t *scratch)
{
    size_t groups = table->seed_count;
    memset(grouping->starts, 0, (groups + 1) * sizeof *grouping->starts);
    for (size_t i = 0; i < count; i++)
        grouping->starts[group_of(table, grouping->hashes[i]) + 1]++;
    for (size_t g = 0; g < groups; g++)
        grouping->starts[g + 1] += grouping->starts[g];
    memcpy(scratch, grouping->starts, groups * sizeof *scratch);
    for (size_t i = 0; i < count; i++)
        grouping->members[scratch[group_of(table, grouping->hashes[i])]++] = i;

    /* A counting sort by size; scratch has room for one count a size. */
    memset(scratch, 0, (count + 1) * sizeof *scratch);
    for (size_t g = 0; g < groups; g++)
        scratch[grouping->starts[g + 1] - grouping->starts[g]]++;
    size_t place = 0;
    for (size_t size = count + 1; size-- > 0;) {
        size_t number = scratch[size];
        scratch[size] = place;
        place += number;
    }
    for (size_t g = 0; g < groups; g++)
        grouping->by_size[scratch[grouping->starts[g + 1] - grouping->starts[g]]++] = g;
}

/* Puts one group's children into free slots with this seed, or leaves the slots as they were. */
static bool group_place(struct plan_table *table, const struct grouping *grouping, size_t group, uint32_t seed)
{
    size_t first = grouping->starts[group];
    size_t end = grouping->starts[group + 1];
    for (size_t i = first; i < end; i++) {
        size_t child = grouping->members[i];
        size_t *slot = &table->slots[slot_of(table, grouping->hashes[child], seed)];
        if (*slot == 0) {
            *slot = child + 1;
            continue;
        }
        while (i-- > first)
            table->slots[slot_of(table, grouping->hashes[grouping->members[i]], seed)] = 0;
        return false;
    }
    table->seeds[group] = seed;
    return true;
}

static bool groups_place(struct plan_table *table, const struct grouping *grouping)
{
    memset(table->slots, 0, table->slot_count * sizeof *table->slots);
    for (size_t i = 0; i < table->seed_count; i++) {
        uint32_t seed = 0;
        while (!group_place(table, grouping, grouping->by_size[i], seed))
            if (seed++ == SEED_MAX)
                return false;
    }
    return true;
}

const struct plan_table *plan_table_build(struct arena *arena, const struct plan_child *children, size_t count)
{
    struct plan_table *table = arena_take(arena, sizeof *table);
    table->seed_count = power_of_two((count + GROUP_SIZE - 1) / GROUP_SIZE);
    table->slot_count = power_of_two(SLOTS_FOR(count));
    table->seeds = arena_take_array(arena, table->seed_count, sizeof *table->seeds);
    table->slots = arena_take_array(arena, table->slot_count, sizeof *table->slots);

    struct arena scratch = {0};
    struct grouping grouping = {
        .hashes = arena_take_array(&scratch, count, sizeof *grouping.hashes),
        .starts = arena_take_array(&scratch, table->seed_count + 1, sizeof *grouping.starts),
        .members = arena_take_array(&scratch, count, sizeof *grouping.members),
        .by_size = arena_take_array(&scratch, table->seed_count, sizeof *grouping.by_size),
    };
    size_t *counts = arena_take_array(&scratch, count + table->seed_count + 1, sizeof *counts);
    for (;; table->key++) {
        for (size_t i = 0; i < count; i++)
            grouping.hashes[i] = text_hash(children[i].bytes, table->key);
        grouping_fill(&grouping, table, count, counts);
        if (groups_place(table, &grouping))
            break;
    }
    arena_free(&scratch);
    return table;
}

size_t plan_table_find(const struct plan_table *table, const struct plan_child *children, struct text text)
{
    uint64_t hash = text_hash(text, table->key);
    size_t child = table->slots[slot_of(table, hash, table->seeds[group_of(table, hash)])];
    return child != 0 && text_is_equal(children[child - 1].bytes, text) ? child : 0;
}

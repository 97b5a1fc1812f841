/* Values: making them, and what Python says of their truth, equality and order. */
#include "ctemplate/value.h"

#include <inttypes.h>

#include "ctemplate/unicode.h"

/* A map this small is walked; hashing the key costs more. */
#define ENTRIES_WALKED_MAX 8

const struct ct_value *ct_none(void)
{
    static const struct ct_value none = {.kind = CT_NONE};
    return &none;
}

const struct ct_value *ct_bool(bool value)
{
    static const struct ct_value values[] = {{.kind = CT_BOOL, .truth = false}, {.kind = CT_BOOL, .truth = true}};
    return &values[value ? 1 : 0];
}

static struct ct_value *value_keep(struct arena *arena, struct ct_value value)
{
    struct ct_value *kept = arena_take(arena, sizeof *kept);
    *kept = value;
    return kept;
}

struct ct_value *ct_integer(struct arena *arena, int64_t value)
{
    return value_keep(arena, ct_value_integer(value));
}

struct ct_value *ct_text(struct arena *arena, struct text text)
{
    return value_keep(arena, ct_value_text(text, false));
}

struct ct_value *ct_safe(struct arena *arena, struct text text)
{
    return value_keep(arena, ct_value_text(text, true));
}

struct ct_value *ct_list(struct arena *arena)
{
    return value_keep(arena, ct_value_list(arena, 0));
}

void ct_list_add(struct arena *arena, struct ct_value *list, const struct ct_value *item)
{
    ct_items_add(arena, list->list, *item);
}

struct ct_value *ct_map(struct arena *arena)
{
    return value_keep(arena, ct_value_map(arena));
}

void ct_map_set(struct arena *arena, struct ct_value *map, const char *key, const struct ct_value *value)
{
    ct_entries_set(arena, map->map, text_of(key), *value);
}

struct ct_value ct_value_bool(bool truth)
{
    return (struct ct_value){.kind = CT_BOOL, .truth = truth};
}

struct ct_value ct_value_integer(int64_t integer)
{
    return (struct ct_value){.kind = CT_INTEGER, .integer = integer};
}

struct ct_value ct_value_text(struct text text, bool safe)
{
    return (struct ct_value){.kind = CT_TEXT, .safe = safe, .text = text};
}

struct ct_value ct_value_undefined(struct text name)
{
    return (struct ct_value){.kind = CT_UNDEFINED, .text = name};
}

struct ct_value ct_value_list(struct arena *arena, size_t room)
{
    struct ct_items *list = arena_take(arena, sizeof *list);
    if (room != 0)
        *list = (struct ct_items){.items = arena_take_array(arena, room, sizeof *list->items), .room = room};
    return (struct ct_value){.kind = CT_LIST, .list = list};
}

struct ct_value ct_value_map(struct arena *arena)
{
    return (struct ct_value){.kind = CT_MAP, .map = arena_take(arena, sizeof(struct ct_entries))};
}

void ct_items_add(struct arena *arena, struct ct_items *list, struct ct_value item)
{
    if (list->count == list->room) {
        size_t room = list->room == 0 ? 4 : list->room * 2;
        struct ct_value *items = arena_take_array(arena, room, sizeof *items);
        if (list->count != 0)
            memcpy(items, list->items, list->count * sizeof *items);
        list->items = items;
        list->room = room;
    }
    list->items[list->count++] = item;
}

static void entries_index_add(struct arena *arena, struct ct_entries *map, size_t i)
{
    size_t *index = arena_take(arena, sizeof *index);
    *index = i;
    map_add(&map->index, arena, map->entries[i].key, index);
}

void ct_entries_set(struct arena *arena, struct ct_entries *map, struct text key, struct ct_value value)
{
    size_t found = ct_entries_find(map, key, 0);
    if (found != SIZE_MAX) {
        map->entries[found].value = value;
        return;
    }
    if (map->count == map->room) {
        size_t room = map->room == 0 ? 4 : map->room * 2;
        struct ct_entry *entries = arena_take_array(arena, room, sizeof *entries);
        if (map->count != 0)
            memcpy(entries, map->entries, map->count * sizeof *entries);
        map->entries = entries;
        map->room = room;
    }
    map->entries[map->count++] = (struct ct_entry){key, value};
    if (map->count <= ENTRIES_WALKED_MAX)
        return;
    for (size_t i = map->index.count; i < map->count; i++)
        entries_index_add(arena, map, i);
}

size_t ct_entries_find(const struct ct_entries *map, struct text key, size_t hint)
{
    if (hint < map->count && text_is_equal(map->entries[hint].key, key))
        return hint;
    if (map->count > ENTRIES_WALKED_MAX) {
        const size_t *index = map_find(&map->index, key);
        return index == NULL ? SIZE_MAX : *index;
    }
    for (size_t i = 0; i < map->count; i++)
        if (text_is_equal(map->entries[i].key, key))
            return i;
    return SIZE_MAX;
}

const char *ct_value_noun(const struct ct_value *value)
{
    static const char *const nouns[] = {
        [CT_NONE] = "none",     [CT_BOOL] = "a boolean",  [CT_INTEGER] = "an integer",   [CT_TEXT] = "a text",
        [CT_LIST] = "a list",   [CT_MAP] = "a map",       [CT_UNDEFINED] = "undefined",  [CT_MISSING] = "undefined",
        [CT_MACRO] = "a macro", [CT_MODULE] = "a module", [CT_LOOP] = "the loop object", [CT_RANGE] = "a function",
    };
    return nouns[value->kind];
}

bool ct_value_is_number(const struct ct_value *value)
{
    return value->kind == CT_INTEGER || value->kind == CT_BOOL;
}

int64_t ct_value_number(const struct ct_value *value)
{
    return value->kind == CT_BOOL ? value->truth : value->integer;
}

bool ct_value_is_true(const struct ct_value *value)
{
    switch (value->kind) {
    case CT_NONE:
        return false;
    case CT_BOOL:
        return value->truth;
    case CT_INTEGER:
        return value->integer != 0;
    case CT_TEXT:
        return value->text.size != 0;
    case CT_LIST:
        return value->list->count != 0;
    case CT_MAP:
        return value->map->count != 0;
    default:
        return true;
    }
}

static bool items_are_equal(const struct ct_items *a, const struct ct_items *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (!ct_value_is_equal(&a->items[i], &b->items[i]))
            return false;
    return true;
}

static bool entries_are_equal(const struct ct_entries *a, const struct ct_entries *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++) {
        size_t j = ct_entries_find(b, a->entries[i].key, i);
        if (j == SIZE_MAX || !ct_value_is_equal(&a->entries[i].value, &b->entries[j].value))
            return false;
    }
    return true;
}

bool ct_value_is_equal(const struct ct_value *a, const struct ct_value *b)
{
    if (ct_value_is_number(a) && ct_value_is_number(b))
        return ct_value_number(a) == ct_value_number(b);
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case CT_TEXT:
        return text_is_equal(a->text, b->text);
    case CT_LIST:
        return items_are_equal(a->list, b->list);
    case CT_MAP:
        return entries_are_equal(a->map, b->map);
    case CT_MACRO:
        return a->macro == b->macro;
    case CT_MODULE:
        return a->module == b->module;
    case CT_LOOP:
        return a->loop == b->loop;
    default:
        return true;
    }
}

/* As Python orders lists: the first items that differ decide, else the longer list is greater. */
static bool items_compare(const struct ct_items *a, const struct ct_items *b, int *order)
{
    for (size_t i = 0; i < a->count && i < b->count; i++)
        if (!ct_value_is_equal(&a->items[i], &b->items[i]))
            return ct_value_compare(&a->items[i], &b->items[i], order);
    *order = (a->count > b->count) - (a->count < b->count);
    return true;
}

bool ct_value_compare(const struct ct_value *a, const struct ct_value *b, int *order)
{
    if (ct_value_is_number(a) && ct_value_is_number(b)) {
        int64_t x = ct_value_number(a);
        int64_t y = ct_value_number(b);
        *order = (x > y) - (x < y);
        return true;
    }
    if (a->kind == CT_TEXT && b->kind == CT_TEXT) {
        *order = text_compare(a->text, b->text);
        return true;
    }
    if (a->kind == CT_LIST && b->kind == CT_LIST)
        return items_compare(a->list, b->list, order);
    return false;
}

static void items_of_text(struct arena *arena, const struct ct_value *value, struct ct_items *items)
{
    for (size_t at = 0; at < value->text.size;) {
        size_t from = at;
        ct_unicode_take(value->text, &at);
        struct text character = {value->text.bytes + from, at - from};
        ct_items_add(arena, items, ct_value_text(character, value->safe));
    }
}

bool ct_value_items(struct arena *arena, const struct ct_value *value, struct ct_items *items)
{
    *items = (struct ct_items){0};
    switch (value->kind) {
    case CT_LIST:
        *items = *value->list;
        return true;
    case CT_MAP:
        for (size_t i = 0; i < value->map->count; i++)
            ct_items_add(arena, items, ct_value_text(value->map->entries[i].key, false));
        return true;
    case CT_TEXT:
        items_of_text(arena, value, items);
        return true;
    default:
        return false;
    }
}

static bool text_is_identifier(struct text text)
{
    if (text.size == 0 || (text.bytes[0] >= '0' && text.bytes[0] <= '9'))
        return false;
    for (size_t i = 0; i < text.size; i++) {
        char c = text.bytes[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'))
            return false;
    }
    return true;
}

bool ct_value_is_printable(const struct ct_value *value)
{
    if (value->kind == CT_TEXT)
        return value->safe || text_is_identifier(value->text);
    return value->kind == CT_INTEGER;
}

bool ct_value_bytes(struct arena *arena, const struct ct_value *value, struct text *bytes)
{
    if (value->kind == CT_INTEGER)
        *bytes = arena_format(arena, "%" PRId64, value->integer);
    else if (value->kind == CT_TEXT)
        *bytes = value->text;
    else
        return false;
    return true;
}

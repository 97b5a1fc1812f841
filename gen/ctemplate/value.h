/* Values as the engine sees them: small structs copied freely, whose lists, maps and texts live in the arena. */
#ifndef GEN_CTEMPLATE_VALUE_H
#define GEN_CTEMPLATE_VALUE_H

#include "base/map.h"
#include "ctemplate/ctemplate.h"

struct ct_activation;
struct ct_closure;
struct ct_loop;

/* Kinds that only a running template meets; they continue enum ct_kind. */
enum {
    CT_UNDEFINED = CT_MAP + 1, /* text: the name that was asked for */
    CT_MISSING,                /* a variable that nothing was stored in yet */
    CT_MACRO,
    CT_MODULE, /* what `import ... as` gives */
    CT_LOOP,
    CT_RANGE, /* the function `range` */
};

struct ct_value {
    uint8_t kind;
    bool safe; /* a text that `{{ }}` prints as it is */
    bool lazy; /* a list that Jinja2 would give as a generator: it may be walked once, by whoever asked for it */
    union {
        bool truth;
        int64_t integer;
        struct text text;
        struct ct_items *list;
        struct ct_entries *map;
        const struct ct_closure *macro;
        const struct ct_activation *module;
        const struct ct_loop *loop;
    };
};

struct ct_items {
    struct ct_value *items;
    size_t count;
    size_t room;
};

struct ct_entry {
    struct text key;
    struct ct_value value;
};

struct ct_entries {
    struct ct_entry *entries;
    size_t count;
    size_t room;
    struct map index; /* key -> index (size_t), once there are more entries than a walk should see */
};

/* New values. */
struct ct_value ct_value_bool(bool truth);
struct ct_value ct_value_integer(int64_t integer);
struct ct_value ct_value_text(struct text text, bool safe);
struct ct_value ct_value_undefined(struct text name);
struct ct_value ct_value_list(struct arena *arena, size_t room);
struct ct_value ct_value_map(struct arena *arena);

/* Adds to a list or map made above. */
void ct_items_add(struct arena *arena, struct ct_items *list, struct ct_value item);
void ct_entries_set(struct arena *arena, struct ct_entries *map, struct text key, struct ct_value value);

/* The index of a key, or SIZE_MAX. `hint` is where it was found last time, or any number. */
size_t ct_entries_find(const struct ct_entries *map, struct text key, size_t hint);

/* What a value is called in messages: "a list". */
const char *ct_value_noun(const struct ct_value *value);

bool ct_value_is_number(const struct ct_value *value); /* integers, and booleans as Python has it */
int64_t ct_value_number(const struct ct_value *value);

/* Truth as Python defines it; the value is not undefined. */
bool ct_value_is_true(const struct ct_value *value);

bool ct_value_is_equal(const struct ct_value *a, const struct ct_value *b);

/* Sets `order` below, at or above 0. False when the two have no order. */
bool ct_value_compare(const struct ct_value *a, const struct ct_value *b, int *order);

/* What a `for` walks: a list's items, a map's keys, a text's characters. False for anything else. */
bool ct_value_items(struct arena *arena, const struct ct_value *value, struct ct_items *items);

/* True when `{{ }}` prints it: an integer, a safe text, or a text that is a C identifier. */
bool ct_value_is_printable(const struct ct_value *value);

/* The bytes of a text or integer. False for anything else. */
bool ct_value_bytes(struct arena *arena, const struct ct_value *value, struct text *bytes);

#endif

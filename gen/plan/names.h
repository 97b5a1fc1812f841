/* C identifiers made from routes: readable, unique, and never a name of the author's. */
#ifndef GEN_PLAN_NAMES_H
#define GEN_PLAN_NAMES_H

#include "base/arena.h"
#include "base/map.h"
#include "base/text.h"
#include "spec/model.h"

/* The names that are taken. Zero it to begin. */
struct plan_names {
    struct map taken;
};

/* Takes a name that nobody may get. */
void plan_name_reserve(struct plan_names *names, struct arena *arena, struct text name);

/* `wanted`, or `wanted` with the first number behind it that makes it new. */
struct text plan_name_take(struct plan_names *names, struct arena *arena, struct text wanted);

/* A pattern as an identifier: "GET_users_id", with the first `segment_count` segments; without the method on demand. */
struct text plan_name_of_pattern(struct arena *arena, const struct spec_pattern *pattern, size_t segment_count,
                                 bool has_method);

/* Any text as a part of an identifier: what is no letter, digit or underscore of ASCII becomes an underscore. */
struct text plan_name_of_text(struct arena *arena, struct text text);

struct text plan_name_upper(struct arena *arena, struct text name);

#endif

/* The memory budget, from the list that the runtime sums up too (<hardwire/memory.h>). */
#ifndef GEN_PLAN_MEMORY_H
#define GEN_PLAN_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spec/diagnostics.h"
#include "spec/model.h"

struct plan_memory_line {
    const char *text;
    uint64_t bytes;
    enum spec_key keys[3]; /* the numbers that make the line big */
    size_t key_count;
};

#define PLAN_MEMORY_LINES_MAX 16

struct plan_memory {
    struct plan_memory_line lines[PLAN_MEMORY_LINES_MAX];
    size_t count;
    uint64_t sum;
};

/* `body_size` is the largest body that a route reads whole, 0 when none does. */
void plan_memory_count(struct plan_memory *memory, const struct spec_model *model, uint64_t body_size);

/* Adds an error when the sum is above limits.memory_size; false then. */
bool plan_memory_check(const struct plan_memory *memory, const struct spec_model *model,
                       struct diagnostics *diagnostics);

/* A number of bytes for people: "12.5 MiB", or with exact decimal digits below 1 KiB. */
struct text plan_size_format(struct arena *arena, uint64_t bytes);

#endif

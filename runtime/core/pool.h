/* Memory that is reserved at start, and pools of blocks of one size in it. */
#ifndef HW_CORE_POOL_H
#define HW_CORE_POOL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Owned by one thread. The block given back last is taken first, while it is still in the cache; a block that was never
 * taken is never touched, so that its pages cost nothing. */
struct hw_pool {
    void *free;  /* given back, linked through their first bytes */
    char *fresh; /* the first block that was never taken */
    char *end;
    size_t block_size;
    uint32_t used; /* taken now */
    uint32_t peak; /* the most that were taken at a time */
};

/* `memory` holds `count` blocks of `block_size` bytes (at least a pointer) and stays the caller's. */
static void hw_pool_init(struct hw_pool *pool, void *memory, size_t count, size_t block_size);

/* A block with whatever bytes were left in it, or NULL when all are taken. */
static void *hw_pool_take(struct hw_pool *pool);

static void hw_pool_give(struct hw_pool *pool, void *block);

/* True when hw_pool_take would give one. */
static bool hw_pool_has_block(const struct hw_pool *pool);

/* Memory from the system, zeroed, whole pages, or NULL. Untouched pages cost nothing. */
static void *hw_memory_reserve(size_t size);
static void hw_memory_release(void *memory, size_t size);

/* Makes `size` bytes at `memory` a thread's stack. Its lowest page becomes inaccessible, so that running over it is a
 * crash and not another thread's data. Returns 0 or an errno. */
static int hw_stack_set(pthread_attr_t *attributes, char *memory, size_t size);

#endif

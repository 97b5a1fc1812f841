#include "core/pool.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

static void hw_pool_init(struct hw_pool *pool, void *memory, size_t count, size_t block_size)
{
    *pool = (struct hw_pool){.fresh = memory, .end = (char *)memory + count * block_size, .block_size = block_size};
}

static void *hw_pool_take(struct hw_pool *pool)
{
    void *block = pool->free;
    if (block != NULL) {
        memcpy(&pool->free, block, sizeof pool->free);
    } else if (pool->fresh != pool->end) {
        block = pool->fresh;
        pool->fresh += pool->block_size;
    } else {
        return NULL;
    }
    if (++pool->used > pool->peak)
        pool->peak = pool->used;
    return block;
}

static bool hw_pool_has_block(const struct hw_pool *pool)
{
    return pool->free != NULL || pool->fresh != pool->end;
}

static void hw_pool_give(struct hw_pool *pool, void *block)
{
    memcpy(block, &pool->free, sizeof pool->free);
    pool->free = block;
    pool->used--;
}

static void *hw_memory_reserve(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static void hw_memory_release(void *memory, size_t size)
{
    if (memory != NULL)
        munmap(memory, size); /* fails only for a range that was not reserved */
}

static int hw_stack_set(pthread_attr_t *attributes, char *memory, size_t size)
{
    if (mprotect(memory, HW_PAGE_SIZE, PROT_NONE) != 0)
        return errno;
    return pthread_attr_setstack(attributes, memory + HW_PAGE_SIZE, size - HW_PAGE_SIZE);
}

#include "io/tls_memory.h"

#include <stdalign.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/crypto.h>

#include "io/tls.h"

/* Stands before each block; as large as the strictest alignment. */
struct hw_tls_block {
    alignas(16) size_t size; /* with this header */
};

static struct {
    _Atomic bool is_counted;
    _Atomic size_t used;
} hw_tls_memory;

static _Thread_local struct hw_tls_account *hw_tls_account_here;

static void hw_tls_account_set(struct hw_tls_account *account)
{
    hw_tls_account_here = account;
}

static size_t hw_tls_memory_used(void)
{
    return atomic_load(&hw_tls_memory.used);
}

static bool hw_tls_memory_is_counted(void)
{
    return atomic_load(&hw_tls_memory.is_counted);
}

/* Counts a block of `size` bytes for the pool; false when it is not there. */
static bool hw_tls_memory_take(size_t size)
{
    size_t before = atomic_fetch_add(&hw_tls_memory.used, size);
    if (size <= HW_TLS_MEMORY_SIZE && before <= HW_TLS_MEMORY_SIZE - size)
        return true;
    atomic_fetch_sub(&hw_tls_memory.used, size);
    return false;
}

/* The same for the account of this thread. */
static bool hw_tls_account_charge(size_t size)
{
    struct hw_tls_account *account = hw_tls_account_here;
    if (account == NULL)
        return hw_tls_memory_take(size);
    if (size > account->limit || account->used > account->limit - size || !hw_tls_memory_take(size)) {
        account->was_refused = true;
        return false;
    }
    account->used += size;
    return true;
}

static void hw_tls_account_credit(size_t size)
{
    struct hw_tls_account *account = hw_tls_account_here;
    atomic_fetch_sub(&hw_tls_memory.used, size);
    if (account != NULL)
        account->used -= account->used < size ? account->used : size;
}

static void *hw_tls_block_allocate(size_t size, const char *file, int line)
{
    (void)file;
    (void)line;
    if (size == 0 || size > HW_TLS_MEMORY_SIZE)
        return NULL;
    size += sizeof(struct hw_tls_block);
    if (!hw_tls_account_charge(size))
        return NULL;
    struct hw_tls_block *block = malloc(size);
    if (block == NULL) {
        hw_tls_account_credit(size);
        return NULL;
    }
    block->size = size;
    return block + 1;
}

static void hw_tls_block_free(void *bytes, const char *file, int line)
{
    (void)file;
    (void)line;
    if (bytes == NULL)
        return;
    struct hw_tls_block *block = (struct hw_tls_block *)bytes - 1;
    hw_tls_account_credit(block->size);
    free(block);
}

static void *hw_tls_block_resize(void *bytes, size_t size, const char *file, int line)
{
    if (bytes == NULL)
        return hw_tls_block_allocate(size, file, line);
    if (size == 0) {
        hw_tls_block_free(bytes, file, line);
        return NULL;
    }
    size_t before = ((struct hw_tls_block *)bytes - 1)->size - sizeof(struct hw_tls_block);
    void *moved = hw_tls_block_allocate(size, file, line); /* both are charged while both exist */
    if (moved == NULL)
        return NULL;
    memcpy(moved, bytes, before < size ? before : size);
    hw_tls_block_free(bytes, file, line);
    return moved;
}

/* Inline: a server inside a product does not call it. */
static inline void hw_tls_memory_count(void)
{
    if (CRYPTO_set_mem_functions(hw_tls_block_allocate, hw_tls_block_resize, hw_tls_block_free) == 1)
        atomic_store(&hw_tls_memory.is_counted, true);
}

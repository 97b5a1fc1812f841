/* OpenSSL's memory: counted, limited, and promised to connections before they begin.
 *
 * Each connection holds at most what was promised to it, HW_TLS_HANDSHAKE_SIZE until its handshake is done and
 * HW_TLS_OPEN_SIZE from then on, both with HW_TLS_CLIENT_SIZE where clients have certificates: the allocator refuses
 * whatever it asks for above that, and so ends this connection alone. A newcomer is refused when the promises and what all
 * share would exceed HW_TLS_MEMORY_SIZE together. So nobody who was let in ever meets an empty pool, whatever the others
 * do. (What the author's own code does with OpenSSL comes from the same pool.)
 */
#ifndef HW_IO_TLS_MEMORY_H
#define HW_IO_TLS_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* Measured with OpenSSL 3.0 on 64 bits, with room for later versions; tests/unit/test_runtime_tls.c holds these numbers
 * against what connections take. An open connection has 14 KiB, and 33 KiB more for records while they are read or
 * written; a handshake peaks at 73 KiB. The first connections of a process pay for what OpenSSL makes once: they took
 * between 64 and 80 KiB. A client's certificates add 25 KiB. */
#define HW_TLS_OPEN_SIZE (96 * 1024ull)
#define HW_TLS_HANDSHAKE_SIZE (128 * 1024ull)
#define HW_TLS_CLIENT_SIZE (48 * 1024ull)

/* A session in the cache. */
#define HW_TLS_SESSION_SIZE 1536ull

/* What a thread has of its own: error queue, random generator. */
#define HW_TLS_THREAD_SIZE (16 * 1024ull)

/* What one connection, or whatever else is to be measured, holds. */
struct hw_tls_account {
    size_t used;
    size_t limit;
    bool was_refused; /* it wanted more than there was */
};

/* From here on this thread's allocations are charged to the account; NULL: to nobody. What was allocated elsewhere and is
 * freed here is credited here: an account is exact but for what connections share. */
static void hw_tls_account_set(struct hw_tls_account *account);

/* Bytes that are allocated; 0 when they are not counted. */
static size_t hw_tls_memory_used(void);

/* False when they are not counted: there is no limit then. */
static bool hw_tls_memory_is_counted(void);

#endif

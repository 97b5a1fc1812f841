/* Loaded before libc by test_memory.py: counts the calls that take memory, in a file that the test reads.
 *
 * HW_COUNT_FILE names a file of at least COUNT_KINDS * 8 bytes. libc's own calls inside itself are not seen here (strace
 * sees what they ask of the kernel), those of everybody else are.
 */
#define _GNU_SOURCE

#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { COUNT_MALLOC, COUNT_CALLOC, COUNT_REALLOC, COUNT_ALIGNED, COUNT_MMAP, COUNT_BRK, COUNT_KINDS };

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static _Atomic uint64_t before_start[COUNT_KINDS];
static _Atomic uint64_t *counts = before_start;

static void count(unsigned kind)
{
    atomic_fetch_add_explicit(&counts[kind], 1, memory_order_relaxed);
}

__attribute__((constructor)) static void counts_open(void)
{
    const char *path = getenv("HW_COUNT_FILE");
    int fd = path == NULL ? -1 : open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return;
    void *shared = (void *)syscall(SYS_mmap, NULL, sizeof before_start, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (shared != MAP_FAILED)
        counts = shared;
}

void *malloc(size_t size)
{
    count(COUNT_MALLOC);
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size)
{
    count(COUNT_CALLOC);
    return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size)
{
    count(COUNT_REALLOC);
    return __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size)
{
    count(COUNT_ALIGNED);
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
    *memory = memalign(alignment, size);
    return *memory == NULL ? 12 /* ENOMEM */ : 0;
}

void *mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
    count(COUNT_MMAP);
    return (void *)syscall(SYS_mmap, address, size, protection, flags, fd, offset);
}

int brk(void *end)
{
    count(COUNT_BRK);
    return (void *)syscall(SYS_brk, end) == end ? 0 : -1;
}

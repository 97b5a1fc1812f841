#include "serve/server.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "core/log.h"
#include "http1/parse.h"
#include "io/tls.h"
#include "serve/thread.h"

/* Descriptors besides connections: standard streams, and what the author's code opens. */
#define HW_SERVER_SPARE_FDS 32

/* A worker's stack: whole pages, since the lowest is made inaccessible. */
#define HW_SERVER_STACK_SIZE HW_ROUND_UP(HW_THREADS_STACK_SIZE, HW_PAGE_SIZE)

/* One server of a product a process. Owned by whoever calls hw_server_start and hw_server_stop, one at a time. */
static struct {
    bool is_running;
    char *memory;
    unsigned listener_count; /* open ones */
    struct hw_io_listener listeners[HW_LISTENERS];
    unsigned thread_count; /* started ones */
    struct hw_serve_thread *threads[HW_THREADS_IO];
    _Atomic uint32_t connection_count;
} hw_server;

static size_t hw_server_memory_size(void)
{
    return HW_THREADS_IO * hw_serve_thread_size() + HW_THREADS_WORKERS * HW_SERVER_STACK_SIZE;
}

/* The start line prints HW_MEMORY_SIZE; what is reserved here, and the program itself, is no more than that. */
static bool hw_server_memory_is_stated(void)
{
    return hw_server_memory_size() + HW_TLS * HW_TLS_MEMORY_SIZE + HW_PROCESS_SIZE <= HW_MEMORY_SIZE;
}

static int hw_server_fail(char *message, size_t message_size, const char *what, int error)
{
    snprintf(message, message_size, "cannot %s: %s", what, strerror(error));
    return -1;
}

/* Raises the soft limit of descriptors to what the spec needs. */
static int hw_server_files_raise(char *message, size_t message_size)
{
    const rlim_t need = HW_LIMITS_CONNECTIONS + HW_THREADS_IO * (HW_LISTENERS + 2) + HW_SERVER_SPARE_FDS;
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return hw_server_fail(message, message_size, "read the limit of open files", errno);
    if (limit.rlim_cur >= need)
        return 0;
    if (limit.rlim_max < need) {
        snprintf(message, message_size,
                 "%lu open files are needed for limits.connections, but the system allows %lu: raise the hard limit "
                 "(ulimit -Hn) or lower limits.connections",
                 (unsigned long)need, (unsigned long)limit.rlim_max);
        return -1;
    }
    limit.rlim_cur = need;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
        return hw_server_fail(message, message_size, "raise the limit of open files", errno);
    return 0;
}

static int hw_server_listen(char *message, size_t message_size)
{
    while (hw_server.listener_count < HW_LISTENERS) {
        struct hw_io_listener *listener = &hw_server.listeners[hw_server.listener_count];
        if (hw_io_listener_open(listener, &hw_listeners[hw_server.listener_count], message, message_size) != 0)
            return -1;
        hw_server.listener_count++;
    }
    return 0;
}

static char *hw_server_thread_memory(unsigned index)
{
    return hw_server.memory + index * hw_serve_thread_size();
}

static int hw_server_threads_start(char *message, size_t message_size)
{
    for (unsigned i = 0; i < HW_THREADS_IO; i++) {
        char *memory = hw_server_thread_memory(i);
        int error =
            hw_serve_thread_init(memory, i, hw_server.listeners, &hw_server.connection_count, &hw_server.threads[i]);
        if (error != 0)
            return hw_server_fail(message, message_size, "make an event loop", error);
        error = hw_serve_thread_start(hw_server.threads[i], memory);
        if (error != 0) {
            hw_serve_thread_end(hw_server.threads[i]);
            return hw_server_fail(message, message_size, "start an IO thread", error);
        }
        hw_server.thread_count++;
    }
    return 0;
}

static int hw_server_workers_start(char *message, size_t message_size)
{
    int error = hw_workers_start((unsigned)HW_THREADS_WORKERS, hw_server_thread_memory((unsigned)HW_THREADS_IO),
                                 HW_SERVER_STACK_SIZE);
    return error == 0 ? 0 : hw_server_fail(message, message_size, "start the workers (threads.workers)", error);
}

/* Waits for the IO threads; `until` NULL: for ever. */
static bool hw_server_threads_join(const struct timespec *until)
{
    for (unsigned i = 0; i < hw_server.thread_count; i++) {
        int error = until == NULL ? pthread_join(hw_server.threads[i]->id, NULL)
                                  : pthread_timedjoin_np(hw_server.threads[i]->id, NULL, until);
        if (error != 0)
            return false;
    }
    return true;
}

/* Frees what was started, in whatever state it is. */
static void hw_server_end(void)
{
    for (unsigned i = 0; i < hw_server.thread_count; i++)
        hw_serve_thread_end(hw_server.threads[i]);
    hw_server.thread_count = 0;
    for (unsigned i = 0; i < hw_server.listener_count; i++)
        hw_io_listener_close(&hw_server.listeners[i]);
    hw_server.listener_count = 0;
    if (HW_TLS)
        hw_tls_stop();
    hw_memory_release(hw_server.memory, hw_server_memory_size());
    hw_server.memory = NULL;
    hw_server.is_running = false;
}

static bool hw_server_stop_until(const struct timespec *until)
{
    for (unsigned i = 0; i < hw_server.thread_count; i++)
        hw_serve_thread_stop(hw_server.threads[i]);
    if (!hw_server_threads_join(until))
        return false;
    hw_workers_stop();
    hw_server_end();
    return true;
}

static int hw_server_start_parts(char *message, size_t message_size)
{
    if (hw_server_files_raise(message, message_size) != 0)
        return -1;
    hw_server.memory = hw_memory_reserve(hw_server_memory_size());
    if (hw_server.memory == NULL)
        return hw_server_fail(message, message_size, "reserve the memory that the spec needs", errno);
    if (HW_TLS && hw_tls_start(message, message_size) != 0)
        return -1;
    if (hw_server_listen(message, message_size) != 0)
        return -1;
    if (hw_server_workers_start(message, message_size) != 0)
        return -1;
    return hw_server_threads_start(message, message_size);
}

int hw_server_start(char *message, size_t message_size)
{
    if (hw_server.is_running || !hw_server_memory_is_stated()) {
        snprintf(message, message_size,
                 hw_server.is_running ? "the server runs already" : "the memory budget and the server disagree");
        return 2;
    }
    hw_server.is_running = true;
    atomic_store(&hw_server.connection_count, 0);
    hw_h1_parse_init();
    /* Signals are for the thread that runs main, or the product's. */
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    int error = hw_server_start_parts(message, message_size);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error == 0)
        return 0;
    hw_server_stop_until(NULL);
    return 2;
}

void hw_server_stop(void)
{
    if (hw_server.is_running)
        hw_server_stop_until(NULL);
}

void hw_server_reload(void)
{
    if (HW_TLS && hw_server.is_running)
        hw_tls_reload();
}

uint16_t hw_server_port(unsigned listener)
{
    return listener < hw_server.listener_count ? hw_server.listeners[listener].port : 0;
}

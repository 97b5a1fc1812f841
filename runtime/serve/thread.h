/* One IO thread: its loop, its part of every listener, its connections. */
#ifndef HW_SERVE_THREAD_H
#define HW_SERVE_THREAD_H

#include <pthread.h>

#include "http/connection.h"
#include "io/listener.h"

/* The thread's part of one listener. */
struct hw_serve_acceptor {
    struct hw_io_source source; /* fd -1: not accepting any more */
    struct hw_serve_thread *thread;
    const struct hw_listener *listener;
    bool is_shared; /* a unix socket: in every thread's set */
};

/* Owned by its thread once it runs; lives in the thread's part of the reserved memory. */
struct hw_serve_thread {
    struct hw_io_loop loop;
    struct hw_connections connections;
    struct hw_serve_acceptor acceptors[HW_LISTENERS];
    struct hw_timer pause_timer; /* accepting goes on when it expires: the system was out of descriptors */
    struct hw_timer drain_timer; /* requests in progress are cut off when it expires */
    struct hw_mail stop_mail;
    pthread_t id;
};

_Static_assert(sizeof(struct hw_serve_thread) + HW_IO_EVENTS * 16 <= HW_IO_FIXED_SIZE,
               "HW_IO_FIXED_SIZE of hardwire/memory.h is too small");

/* The bytes of one thread's part of the memory, stack included, and how `memory` (that many bytes) is divided. */
static size_t hw_serve_thread_size(void);

/* Prepares everything but the thread itself. `index`: which of the listeners' sockets are its own. Returns 0 or an
 * errno; then nothing is left open. */
static int hw_serve_thread_init(char *memory, unsigned index, struct hw_io_listener *listeners,
                                _Atomic uint32_t *connection_count, struct hw_serve_thread **thread);

/* Starts the thread; returns 0 or an errno. */
static int hw_serve_thread_start(struct hw_serve_thread *thread, char *memory);

/* Any thread: asks it to drain and end. */
static void hw_serve_thread_stop(struct hw_serve_thread *thread);

/* After it has ended, or if it never ran. */
static void hw_serve_thread_end(struct hw_serve_thread *thread);

#endif

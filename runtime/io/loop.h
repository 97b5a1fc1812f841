/* The event loop of one IO thread: an epoll set, a timer wheel, a mailbox, and the time.
 *
 * Level-triggered: a connection that was not read to the end comes again in the next round, after the others.
 */
#ifndef HW_IO_LOOP_H
#define HW_IO_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "core/clock.h"
#include "core/mailbox.h"
#include "core/wheel.h"

/* Stands in whatever has a descriptor in the set. */
struct hw_io_source {
    void (*ready)(struct hw_io_source *source, uint32_t events); /* EPOLLIN, ... */
    int fd;
    struct hw_list again; /* in the loop's list, while it is to be called without an event */
};

#define HW_IO_EVENTS 256

/* Owned by its IO thread; only the mailbox may be touched by others. */
struct hw_io_loop {
    int epoll_fd;
    uint64_t now_ms;     /* when this round began */
    int64_t date_second; /* what `date` says */
    char date[HW_DATE_SIZE];
    struct hw_wheel wheel;
    struct hw_mailbox mailbox;
    struct hw_io_source mailbox_source;
    struct hw_list again; /* sources to be called in the next round */
    /* Called at the end of each round; returns the milliseconds after which the next round must come at the latest, -1:
     * when something happens. */
    int (*round_ended)(struct hw_io_loop *loop);
    bool stopping; /* the loop ends after this round */
};

/* True on a thread that is in hw_io_loop_run. */
static _Thread_local bool hw_io_loop_is_here;

/* Returns 0 or an errno; then nothing is left open. */
static int hw_io_loop_init(struct hw_io_loop *loop, int (*round_ended)(struct hw_io_loop *loop));
static void hw_io_loop_end(struct hw_io_loop *loop);

/* One round without its end: waits for events, at most `wait_ms` (-1: for ever), and deals with them and with timers.
 * Returns how many sources were called. */
static int hw_io_loop_turn(struct hw_io_loop *loop, int wait_ms);

/* Runs until `stopping`. */
static void hw_io_loop_run(struct hw_io_loop *loop);

/* Adds, changes and removes what the set tells about a descriptor. Adding fails with false when the kernel has no memory
 * or the user too many watches (errno is set). */
static bool hw_io_watch(struct hw_io_loop *loop, struct hw_io_source *source, uint32_t events);
static void hw_io_rewatch(struct hw_io_loop *loop, struct hw_io_source *source, uint32_t events);
static void hw_io_unwatch(struct hw_io_loop *loop, struct hw_io_source *source);

/* Calls the source with EPOLLIN in the next round, whatever epoll says: TLS holds bytes that it does not know of. Only in
 * servers with TLS; hw_list_remove(&source->again) takes it back, and must before the source is gone. */
static void hw_io_again(struct hw_io_loop *loop, struct hw_io_source *source);

#endif

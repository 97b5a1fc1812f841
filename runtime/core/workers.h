/* The worker pool: threads that may block, behind a bounded queue. */
#ifndef HW_CORE_WORKERS_H
#define HW_CORE_WORKERS_H

#include <stdbool.h>
#include <stddef.h>

/* Stands in the struct that is worked on; belongs to the pool from hw_workers_give until `run` is called, and to `run`
 * from then on. */
struct hw_job {
    struct hw_job *next;
    void (*run)(struct hw_job *job); /* called on a worker */
};

/* Starts the threads on stacks of `stack_size` bytes each, at `stacks`. Returns 0 or an errno; then none runs. */
static int hw_workers_start(unsigned count, char *stacks, size_t stack_size);

/* Any thread. False when HW_THREADS_QUEUE jobs wait already; a job that continues one that was admitted (`is_admitted`)
 * is always taken: there are never more of those than requests in progress. */
static bool hw_workers_give(struct hw_job *job, bool is_admitted);

/* Waits for the jobs that run or wait, ends the threads. */
static void hw_workers_stop(void);

#endif

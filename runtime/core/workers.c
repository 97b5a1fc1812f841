#include "core/workers.h"

#include <pthread.h>

#include "core/pool.h"

/* One pool a process. All members but the threads are guarded by the lock. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    struct hw_job *oldest;
    struct hw_job *newest;
    unsigned waiting;
    bool stopping;
    unsigned thread_count;
    pthread_t threads[HW_THREADS_WORKERS == 0 ? 1 : HW_THREADS_WORKERS];
} hw_workers = {.lock = PTHREAD_MUTEX_INITIALIZER, .filled = PTHREAD_COND_INITIALIZER};

static struct hw_job *hw_workers_wait(void)
{
    pthread_mutex_lock(&hw_workers.lock);
    while (hw_workers.oldest == NULL && !hw_workers.stopping)
        pthread_cond_wait(&hw_workers.filled, &hw_workers.lock);
    struct hw_job *job = hw_workers.oldest;
    if (job != NULL) {
        hw_workers.oldest = job->next;
        hw_workers.waiting--;
    }
    pthread_mutex_unlock(&hw_workers.lock);
    return job;
}

static void *hw_workers_run(void *unused)
{
    (void)unused;
    for (;;) {
        struct hw_job *job = hw_workers_wait();
        if (job == NULL)
            return NULL;
        job->run(job);
    }
}

static bool hw_workers_give(struct hw_job *job, bool is_admitted)
{
    job->next = NULL;
    pthread_mutex_lock(&hw_workers.lock);
    bool is_taken = is_admitted || hw_workers.waiting < HW_THREADS_QUEUE;
    if (is_taken) {
        if (hw_workers.oldest == NULL)
            hw_workers.oldest = job;
        else
            hw_workers.newest->next = job;
        hw_workers.newest = job;
        hw_workers.waiting++;
        pthread_cond_signal(&hw_workers.filled);
    }
    pthread_mutex_unlock(&hw_workers.lock);
    return is_taken;
}

static int hw_workers_start(unsigned count, char *stacks, size_t stack_size)
{
    hw_workers.stopping = false;
    hw_workers.thread_count = 0;
    pthread_attr_t attributes;
    int error = pthread_attr_init(&attributes);
    if (error != 0)
        return error;
    while (error == 0 && hw_workers.thread_count < count) {
        error = hw_stack_set(&attributes, stacks + hw_workers.thread_count * stack_size, stack_size);
        if (error == 0)
            error = pthread_create(&hw_workers.threads[hw_workers.thread_count], &attributes, hw_workers_run, NULL);
        if (error == 0)
            hw_workers.thread_count++;
    }
    pthread_attr_destroy(&attributes);
    if (error != 0)
        hw_workers_stop();
    return error;
}

static void hw_workers_stop(void)
{
    pthread_mutex_lock(&hw_workers.lock);
    hw_workers.stopping = true;
    pthread_cond_broadcast(&hw_workers.filled);
    pthread_mutex_unlock(&hw_workers.lock);
    for (unsigned i = 0; i < hw_workers.thread_count; i++)
        pthread_join(hw_workers.threads[i], NULL);
    hw_workers.thread_count = 0;
}

/* The worker pool (runtime/core/workers.c). */
#include "runtime/config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/pool.c"
#include "core/workers.c"

static char *stacks;
static _Atomic unsigned run_count;
static _Atomic bool may_end;
static _Atomic unsigned busy_count;

static void job_quick(struct hw_job *job)
{
    (void)job;
    atomic_fetch_add(&run_count, 1);
}

static void job_slow(struct hw_job *job)
{
    (void)job;
    atomic_fetch_add(&busy_count, 1);
    while (!atomic_load(&may_end))
        usleep(200);
    atomic_fetch_add(&run_count, 1);
}

static int start(void **state)
{
    (void)state;
    atomic_store(&run_count, 0);
    atomic_store(&busy_count, 0);
    atomic_store(&may_end, false);
    stacks = hw_memory_reserve(HW_THREADS_WORKERS * HW_THREADS_STACK_SIZE);
    return stacks == NULL ? -1 : hw_workers_start(HW_THREADS_WORKERS, stacks, HW_THREADS_STACK_SIZE);
}

static int stop(void **state)
{
    (void)state;
    atomic_store(&may_end, true);
    hw_workers_stop();
    hw_memory_release(stacks, HW_THREADS_WORKERS * HW_THREADS_STACK_SIZE);
    return 0;
}

static void workers_busy(struct hw_job jobs[HW_THREADS_WORKERS])
{
    for (unsigned i = 0; i < HW_THREADS_WORKERS; i++) {
        jobs[i].run = job_slow;
        assert_true(hw_workers_give(&jobs[i], false));
    }
    for (int i = 0; i < 10000 && atomic_load(&busy_count) < HW_THREADS_WORKERS; i++)
        usleep(1000);
    assert_int_equal(atomic_load(&busy_count), HW_THREADS_WORKERS);
}

static void test_queue_is_bounded(void **state)
{
    (void)state;
    struct hw_job slow[HW_THREADS_WORKERS];
    struct hw_job quick[HW_THREADS_QUEUE + 2];
    workers_busy(slow);
    for (unsigned i = 0; i < HW_THREADS_QUEUE + 2; i++)
        quick[i].run = job_quick;
    for (unsigned i = 0; i < HW_THREADS_QUEUE; i++)
        assert_true(hw_workers_give(&quick[i], false));
    assert_false(hw_workers_give(&quick[HW_THREADS_QUEUE], false));
    assert_true(hw_workers_give(&quick[HW_THREADS_QUEUE + 1], true)); /* what was admitted before is never refused */
    assert_false(hw_workers_give(&quick[HW_THREADS_QUEUE], false));
    assert_int_equal(atomic_load(&run_count), 0);
    atomic_store(&may_end, true);
    hw_workers_stop(); /* what waits is done before the threads end */
    assert_int_equal(atomic_load(&run_count), HW_THREADS_WORKERS + HW_THREADS_QUEUE + 1);
}

static void test_every_job_runs_once(void **state)
{
    (void)state;
    static struct hw_job jobs[20000];
    unsigned given = 0;
    for (unsigned i = 0; i < 20000; i++) {
        jobs[i].run = job_quick;
        given += hw_workers_give(&jobs[i], i % 2 == 0);
    }
    hw_workers_stop();
    assert_int_equal(atomic_load(&run_count), given);
    assert_true(given >= 10000);
}

static void test_starts_again(void **state)
{
    (void)state;
    hw_workers_stop();
    hw_workers_stop(); /* does nothing when none runs */
    assert_int_equal(hw_workers_start(HW_THREADS_WORKERS, stacks, HW_THREADS_STACK_SIZE), 0);
    struct hw_job job = {.run = job_quick};
    assert_true(hw_workers_give(&job, false));
    hw_workers_stop();
    assert_int_equal(atomic_load(&run_count), 1);
}

static void test_start_fails_whole(void **state)
{
    (void)state;
    hw_workers_stop();
    /* The second stack does not begin where a page does. */
    assert_int_not_equal(hw_workers_start(2, stacks, HW_THREADS_STACK_SIZE - 1), 0);
    assert_int_equal(hw_workers.thread_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_queue_is_bounded, start, stop),
        cmocka_unit_test_setup_teardown(test_every_job_runs_once, start, stop),
        cmocka_unit_test_setup_teardown(test_starts_again, start, stop),
        cmocka_unit_test_setup_teardown(test_start_fails_whole, start, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

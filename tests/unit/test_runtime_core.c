/* Timer wheel, pool, mailbox, date and log (runtime/core/), and the loop that they work in (runtime/io/loop.c). */
#include "runtime/config.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "core/clock.c"
#include "core/log.c"
#include "core/mailbox.c"
#include "core/pool.c"
#include "core/wheel.c"
#include "io/loop.c"

static uint32_t random_state = 2463534242u;

static uint32_t random_next(uint32_t limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state % limit;
}

/* ---- The timer wheel. */

#define TIMERS 40

/* A timer, and what a naive list knows of it. */
struct probe {
    struct hw_timer timer;
    uint64_t deadline_ms;
    bool is_set;
};

static struct hw_wheel wheel;
static struct probe probes[TIMERS];
static uint64_t now_ms;
static unsigned expired_count;

static void probe_set(struct probe *probe, uint64_t deadline_ms)
{
    probe->deadline_ms = deadline_ms;
    probe->is_set = true;
    hw_wheel_set(&wheel, &probe->timer, deadline_ms);
}

static void probe_clear(struct probe *probe)
{
    probe->is_set = false;
    hw_wheel_clear(&probe->timer);
}

static void probe_expired(struct hw_timer *timer)
{
    struct probe *probe = HW_CONTAINER(timer, struct probe, timer);
    assert_true(probe->is_set);
    assert_true(probe->deadline_ms <= now_ms); /* never early */
    probe->is_set = false;
    expired_count++;
    if (random_next(3) == 0)
        probe_set(probe, now_ms + random_next(40000));
    if (random_next(3) == 0)
        probe_set(&probes[random_next(TIMERS)], now_ms + random_next(3) * random_next(20000));
    if (random_next(3) == 0)
        probe_clear(&probes[random_next(TIMERS)]);
}

/* Random timers, against the list: with steps of the clock from nothing to minutes. */
static void test_wheel_against_list(void **state)
{
    (void)state;
    static const uint32_t steps[] = {1, 5, 31, 32, 33, 100, 1000, 16384, 20000, 400000};
    memset(probes, 0, sizeof probes);
    now_ms = 123456789;
    hw_wheel_init(&wheel, now_ms);
    for (unsigned i = 0; i < TIMERS; i++)
        probes[i].timer.expired = probe_expired;
    expired_count = 0;
    for (int round = 0; round < 60000; round++) {
        struct probe *probe = &probes[random_next(TIMERS)];
        if (random_next(4) == 0)
            probe_clear(probe);
        else
            probe_set(probe, now_ms + random_next(2) * random_next(40000));
        now_ms += random_next(steps[random_next(10)] + 1);
        hw_wheel_advance(&wheel, now_ms);
        int wait_ms = hw_wheel_wait_ms(&wheel, now_ms);
        for (unsigned i = 0; i < TIMERS; i++) {
            if (!probes[i].is_set)
                continue;
            assert_true(probes[i].deadline_ms + HW_WHEEL_TICK_MS > now_ms); /* at most one tick late */
            assert_in_range(wait_ms, 0, HW_WHEEL_SLOTS * HW_WHEEL_TICK_MS);
            assert_true(now_ms + (uint64_t)wait_ms <= probes[i].deadline_ms + HW_WHEEL_TICK_MS);
        }
    }
    assert_true(expired_count > 10000);
}

static void test_wheel_moves_lazily(void **state)
{
    (void)state;
    memset(probes, 0, sizeof probes);
    now_ms = 0;
    hw_wheel_init(&wheel, now_ms);
    probes[0].timer.expired = probe_expired;
    assert_int_equal(hw_wheel_wait_ms(&wheel, now_ms), -1);
    probe_set(&probes[0], 100);
    uint64_t tick = probes[0].timer.slot_tick;
    probe_set(&probes[0], 5000);
    assert_int_equal(probes[0].timer.slot_tick, tick); /* only stored */
    now_ms = 200;
    hw_wheel_advance(&wheel, now_ms); /* and moved when its old slot comes by */
    assert_int_equal(probes[0].timer.slot_tick, 5000 / HW_WHEEL_TICK_MS + 1);
    probe_set(&probes[0], 300);
    assert_int_equal(probes[0].timer.slot_tick, 300 / HW_WHEEL_TICK_MS + 1); /* nearer: at once */
    probe_clear(&probes[0]);
    now_ms = 90000;
    hw_wheel_advance(&wheel, now_ms);
    assert_int_equal(hw_wheel_wait_ms(&wheel, now_ms), -1);
}

/* ---- The pool. */

static void test_pool(void **state)
{
    (void)state;
    enum { COUNT = 7, SIZE = 48 };
    static char memory[COUNT * SIZE];
    struct hw_pool pool;
    char *blocks[COUNT];
    hw_pool_init(&pool, memory, COUNT, SIZE);
    for (int i = 0; i < COUNT; i++) {
        blocks[i] = hw_pool_take(&pool);
        assert_ptr_equal(blocks[i], memory + i * SIZE);
        memset(blocks[i], i, SIZE);
    }
    assert_null(hw_pool_take(&pool));
    hw_pool_give(&pool, blocks[2]);
    hw_pool_give(&pool, blocks[5]);
    assert_int_equal(pool.used, COUNT - 2);
    assert_ptr_equal(hw_pool_take(&pool), blocks[5]); /* given back last, taken first */
    assert_ptr_equal(hw_pool_take(&pool), blocks[2]);
    assert_null(hw_pool_take(&pool));
    assert_int_equal(pool.peak, COUNT);
    for (int i = 0; i < COUNT; i++)
        hw_pool_give(&pool, blocks[i]);
    assert_int_equal(pool.used, 0);
    hw_pool_init(&pool, memory, 0, SIZE);
    assert_null(hw_pool_take(&pool));
}

/* ---- The mailbox. */

#define SENDERS 4u
#define LETTERS 20000u

struct letter {
    struct hw_mail mail;
    unsigned sender;
    unsigned number;
};

static struct hw_mailbox mailbox;
static struct letter letters[SENDERS][LETTERS];
static unsigned letters_seen[SENDERS];

static void letter_arrived(struct hw_mail *mail)
{
    struct letter *letter = HW_CONTAINER(mail, struct letter, mail);
    assert_int_equal(letter->number, letters_seen[letter->sender]); /* in the order of posting */
    letters_seen[letter->sender]++;
}

static void *letters_send(void *given)
{
    unsigned sender = (unsigned)(uintptr_t)given;
    for (unsigned i = 0; i < LETTERS; i++) {
        letters[sender][i] = (struct letter){{NULL, letter_arrived}, sender, i};
        hw_mailbox_post(&mailbox, &letters[sender][i].mail);
    }
    return NULL;
}

static unsigned letters_sum(void)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < SENDERS; i++)
        sum += letters_seen[i];
    return sum;
}

/* All mail comes, each sender's in order, and the reader never sleeps while some is there. */
static void test_mailbox(void **state)
{
    (void)state;
    pthread_t threads[SENDERS];
    assert_true(hw_mailbox_init(&mailbox));
    int epoll_fd = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN};
    assert_int_equal(epoll_ctl(epoll_fd, EPOLL_CTL_ADD, mailbox.fd, &event), 0);
    for (uintptr_t i = 0; i < SENDERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, letters_send, (void *)i), 0);
    while (letters_sum() < SENDERS * LETTERS) {
        assert_int_equal(epoll_wait(epoll_fd, &event, 1, 10000), 1);
        hw_mailbox_read(&mailbox);
    }
    for (unsigned i = 0; i < SENDERS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    hw_mailbox_read(&mailbox);
    assert_int_equal(letters_sum(), SENDERS * LETTERS);
    assert_int_equal(epoll_wait(epoll_fd, &event, 1, 0), 0);
    close(epoll_fd);
    hw_mailbox_end(&mailbox);
}

/* ---- The loop. */

static struct hw_io_loop loop;
static struct hw_timer loop_timer;
static uint64_t loop_began_ms;

static void loop_expired(struct hw_timer *timer)
{
    (void)timer;
    loop.stopping = true;
}

static int loop_round_ended(struct hw_io_loop *given)
{
    if (loop_timer.expired == NULL) {
        loop_timer.expired = loop_expired;
        hw_wheel_set(&given->wheel, &loop_timer, given->now_ms + 50);
    }
    return 3000; /* a wait that would be too long */
}

/* A timer that is set at the end of a round counts for the wait that follows. */
static void test_loop_waits_for_timers(void **state)
{
    (void)state;
    assert_int_equal(hw_io_loop_init(&loop, loop_round_ended), 0);
    loop_began_ms = hw_clock_ms();
    hw_io_loop_run(&loop);
    assert_in_range(hw_clock_ms() - loop_began_ms, 50, 1000);
    hw_io_loop_end(&loop);
}

/* ---- The date. */

static void date_check(int64_t seconds)
{
    char date[HW_DATE_SIZE + 1] = "";
    char expected[64];
    struct tm fields;
    time_t time = (time_t)seconds;
    assert_non_null(gmtime_r(&time, &fields));
    strftime(expected, sizeof expected, "%a, %d %b %Y %H:%M:%S GMT", &fields);
    hw_clock_date(date, seconds);
    assert_string_equal(date, expected);
}

static void test_date(void **state)
{
    (void)state;
    date_check(0);
    date_check(951782399);                    /* 28 February 2000, last second */
    date_check(951782400);                    /* the leap day of a century */
    date_check(4107542400);                   /* 1 March 2100, which has none */
    for (int64_t day = 0; day < 84007; day++) /* every day to the end of 2199 */
        date_check(day * 86400 + random_next(86400));
}

/* ---- The log. */

static void test_log_budget(void **state)
{
    (void)state;
    struct hw_log_budget budget = {0, 0};
    uint32_t left_out;
    for (unsigned i = 0; i < HW_LOG_RATE; i++) {
        assert_true(hw_log_budget_take(&budget, 100, &left_out));
        assert_int_equal(left_out, 0);
    }
    for (unsigned i = 0; i < 5; i++) {
        assert_false(hw_log_budget_take(&budget, 100, &left_out));
        assert_int_equal(left_out, 0);
    }
    assert_true(hw_log_budget_take(&budget, 102, &left_out));
    assert_int_equal(left_out, 5);
    assert_true(hw_log_budget_take(&budget, 103, &left_out));
    assert_int_equal(left_out, 0);
}

/* What hw_log writes, NUL behind it. */
static void log_catch(char *text, size_t size, const char *argument)
{
    int pipe_fds[2];
    int error_fd = dup(STDERR_FILENO);
    assert_int_equal(pipe2(pipe_fds, O_NONBLOCK), 0);
    dup2(pipe_fds[1], STDERR_FILENO);
    hw_log_plain(HW_LOG_ERROR, "%s", argument);
    dup2(error_fd, STDERR_FILENO);
    ssize_t got = read(pipe_fds[0], text, size - 1);
    text[got < 0 ? 0 : got] = '\0';
    close(error_fd);
    close(pipe_fds[0]);
    close(pipe_fds[1]);
}

static void test_log_is_clean(void **state)
{
    (void)state;
    char text[4096];
    char argument[3000];
    log_catch(text, sizeof text, "a\nerror: forged\r\x1b[2J\x7f\t\xc3\xa4");
    assert_string_equal(text, "error: a?error: forged??[2J??\xc3\xa4\n");
    for (size_t size = 1000; size < 1030; size++) {
        memset(argument, 'x', size);
        argument[size] = '\0';
        log_catch(text, sizeof text, argument);
        assert_true(strlen(text) <= HW_LOG_LINE_SIZE);
        assert_int_equal(text[strlen(text) - 1], '\n');
        assert_int_equal(strspn(text + 7, "x"), strlen(text) - 8);
    }
    log_catch(text, sizeof text, "");
    assert_string_equal(text, "error: \n");
}

static void test_list_moves(void **state)
{
    (void)state;
    struct hw_list one;
    struct hw_list other;
    struct hw_list nodes[3] = {{NULL, NULL}};
    hw_list_init(&one);
    for (int i = 0; i < 3; i++)
        hw_list_move(&one, &nodes[i]); /* was in none */
    hw_list_move(&one, &nodes[0]);
    hw_list_move_all(&other, &one);
    assert_true(hw_list_is_empty(&one));
    const struct hw_list *order[] = {&nodes[1], &nodes[2], &nodes[0], &other};
    const struct hw_list *at = &other;
    for (int i = 0; i < 4; i++) {
        assert_ptr_equal(at->next, order[i]);
        assert_ptr_equal(order[i]->previous, at);
        at = at->next;
    }
    hw_list_move_all(&other, &one); /* of none */
    assert_true(hw_list_is_empty(&other));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wheel_against_list),
        cmocka_unit_test(test_wheel_moves_lazily),
        cmocka_unit_test(test_list_moves),
        cmocka_unit_test(test_pool),
        cmocka_unit_test(test_mailbox),
        cmocka_unit_test(test_loop_waits_for_timers),
        cmocka_unit_test(test_date),
        cmocka_unit_test(test_log_budget),
        cmocka_unit_test(test_log_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

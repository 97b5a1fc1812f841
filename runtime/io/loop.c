#include "io/loop.h"

#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <hardwire/generated.h>

static void hw_io_mail_ready(struct hw_io_source *source, uint32_t events)
{
    (void)events;
    hw_mailbox_read(&HW_CONTAINER(source, struct hw_io_loop, mailbox_source)->mailbox);
}

static void hw_io_loop_time(struct hw_io_loop *loop)
{
    loop->now_ms = hw_clock_ms();
    int64_t second = hw_clock_seconds();
    if (second != loop->date_second) {
        loop->date_second = second;
        hw_clock_date(loop->date, second);
    }
}

static int hw_io_loop_init(struct hw_io_loop *loop, int (*round_ended)(struct hw_io_loop *loop))
{
    *loop =
        (struct hw_io_loop){.epoll_fd = epoll_create1(EPOLL_CLOEXEC), .round_ended = round_ended, .date_second = -1};
    loop->mailbox.fd = -1;
    hw_list_init(&loop->again);
    if (loop->epoll_fd < 0)
        return errno;
    hw_io_loop_time(loop);
    hw_wheel_init(&loop->wheel, loop->now_ms);
    if (!hw_mailbox_init(&loop->mailbox)) {
        int error = errno;
        hw_io_loop_end(loop);
        return error;
    }
    loop->mailbox_source = (struct hw_io_source){.ready = hw_io_mail_ready, .fd = loop->mailbox.fd};
    if (!hw_io_watch(loop, &loop->mailbox_source, EPOLLIN)) {
        int error = errno;
        hw_io_loop_end(loop);
        return error;
    }
    return 0;
}

static void hw_io_loop_end(struct hw_io_loop *loop)
{
    hw_mailbox_end(&loop->mailbox);
    if (loop->epoll_fd >= 0)
        close(loop->epoll_fd);
    loop->epoll_fd = -1;
}

static int hw_io_earlier(int a, int b)
{
    if (a < 0 || b < 0)
        return a < 0 ? b : a;
    return a < b ? a : b;
}

/* Those that ask to be called once more meanwhile wait for the next round. */
static int hw_io_again_call(struct hw_io_loop *loop)
{
    struct hw_list sources;
    int count = 0;
    hw_list_move_all(&sources, &loop->again);
    while (!hw_list_is_empty(&sources)) {
        struct hw_io_source *source = HW_CONTAINER(sources.next, struct hw_io_source, again);
        hw_list_remove(&source->again);
        source->ready(source, EPOLLIN);
        count++;
    }
    return count;
}

static int hw_io_loop_turn(struct hw_io_loop *loop, int wait_ms)
{
    struct epoll_event events[HW_IO_EVENTS];
    int called = 0;
    if (HW_TLS && !hw_list_is_empty(&loop->again))
        wait_ms = 0;
    int count = epoll_wait(loop->epoll_fd, events, HW_IO_EVENTS, wait_ms);
    hw_io_loop_time(loop);
    if (HW_TLS)
        called = hw_io_again_call(loop);
    for (int i = 0; i < count; i++) { /* -1 (EINTR) is no event */
        struct hw_io_source *source = events[i].data.ptr;
        if (source->fd < 0) /* closed by one before it in this round */
            continue;
        source->ready(source, events[i].events);
        called++;
    }
    hw_wheel_advance(&loop->wheel, loop->now_ms);
    return called;
}

static void hw_io_loop_run(struct hw_io_loop *loop)
{
    hw_io_loop_is_here = true;
    while (!loop->stopping) {
        int wait_ms = loop->round_ended(loop); /* first: it may set timers */
        hw_io_loop_turn(loop, hw_io_earlier(wait_ms, hw_wheel_wait_ms(&loop->wheel, loop->now_ms)));
    }
    hw_io_loop_is_here = false;
}

static bool hw_io_watch(struct hw_io_loop *loop, struct hw_io_source *source, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.ptr = source};
    return epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, source->fd, &event) == 0;
}

static void hw_io_rewatch(struct hw_io_loop *loop, struct hw_io_source *source, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.ptr = source};
    int result = epoll_ctl(loop->epoll_fd, EPOLL_CTL_MOD, source->fd, &event);
    (void)result; /* fails only for a descriptor that is not in the set */
}

static void hw_io_unwatch(struct hw_io_loop *loop, struct hw_io_source *source)
{
    int result = epoll_ctl(loop->epoll_fd, EPOLL_CTL_DEL, source->fd, NULL);
    (void)result; /* as above */
}

static void hw_io_again(struct hw_io_loop *loop, struct hw_io_source *source)
{
    hw_list_move(&loop->again, &source->again);
}

#include "io/loop.h"

#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

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

static void hw_io_loop_run(struct hw_io_loop *loop)
{
    struct epoll_event events[HW_IO_EVENTS];
    hw_io_loop_is_here = true;
    while (!loop->stopping) {
        int wait_ms = loop->round_ended(loop); /* first: it may set timers */
        wait_ms = hw_io_earlier(wait_ms, hw_wheel_wait_ms(&loop->wheel, loop->now_ms));
        int count = epoll_wait(loop->epoll_fd, events, HW_IO_EVENTS, wait_ms);
        hw_io_loop_time(loop);
        for (int i = 0; i < count; i++) { /* -1 (EINTR) is no event */
            struct hw_io_source *source = events[i].data.ptr;
            if (source->fd >= 0) /* closed by an event before it in this round */
                source->ready(source, events[i].events);
        }
        hw_wheel_advance(&loop->wheel, loop->now_ms);
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

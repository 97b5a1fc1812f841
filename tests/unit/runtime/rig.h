/* Whole connections in one thread: the runtime without serve/ over socket pairs, a loop whose rounds are run by hand, a
 * clock that stands until it is moved, and workers that work when they are told to.
 *
 * Includes the runtime; a test includes this file alone. RIG_HTTP2: with HTTP/2 beside HTTP/1.1. */
#ifndef HW_TEST_RIG_H
#define HW_TEST_RIG_H

#ifdef RIG_HTTP2
#define HW_HTTP2 1
#endif

#include "config.h"

#include <hardwire/generated.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* The runtime's clock, but for the two functions that a test must hold in its hands. */
#define hw_clock_ms rig_real_clock_ms
#define hw_clock_seconds rig_real_clock_seconds
#include "core/clock.c"
#undef hw_clock_ms
#undef hw_clock_seconds

static uint64_t rig_now_ms = 1000000;

static uint64_t hw_clock_ms(void)
{
    return rig_now_ms;
}

static int64_t hw_clock_seconds(void)
{
    return (int64_t)(rig_now_ms / 1000);
}

#include "core/log.c"
#include "core/mailbox.c"
#include "core/pool.c"
#include "core/wheel.c"
#include "core/workers.h"
#include "io/loop.c"
#include "io/stream.c"
#if !HW_TLS /* else the test has a TLS of its own */
#include "io/plain.c"
#endif
#include "http/exchange.c"
#include "http/path.c"
#include "http/host.c"
#include "http/status.c"
#include "http/request.c"
#include "http/response.c"
#include "http/dispatch.c"
#include "http/connection.c"
#include "http/begin.c"
#include "http1/parse.c"
#include "http1/write.c"
#include "http1/receive.c"
#include "http1/respond.c"
#include "http1/connection.c"
#ifdef RIG_HTTP2
#include "http2/frame.c"
#include "http2/hpack.c"
#include "http2/stream.c"
#include "http2/receive.c"
#include "http2/request.c"
#include "http2/respond.c"
#include "http2/connection.c"
#elif !HW_HTTP2 /* as above */
#include "http2/none.c"
#endif

#include "app.h"

/* ---- Workers: a queue that rig_work takes from. */

static struct hw_job *rig_jobs[16];
static unsigned rig_job_count;

static bool hw_workers_give(struct hw_job *job, bool is_admitted)
{
    if (rig_job_count >= HW_THREADS_QUEUE && !is_admitted)
        return false;
    if (rig_job_count == sizeof rig_jobs / sizeof rig_jobs[0])
        abort();
    rig_jobs[rig_job_count++] = job;
    return true;
}

/* Runs the job that was given first; false: there is none. On this thread, so that nothing may block. */
static bool rig_work(void)
{
    if (rig_job_count == 0)
        return false;
    struct hw_job *job = rig_jobs[0];
    rig_job_count--;
    memmove(rig_jobs, rig_jobs + 1, rig_job_count * sizeof rig_jobs[0]);
    job->run(job);
    return true;
}

/* ---- The thread. */

static const struct hw_listener rig_listener = {
    .kind = HW_LISTEN_UNIX,
#ifdef RIG_HTTP2
    .protocols = HW_PROTOCOL_HTTP1 | HW_PROTOCOL_HTTP2,
#else
    .protocols = HW_PROTOCOL_HTTP1,
#endif
};

static struct {
    struct hw_io_loop loop;
    struct hw_connections connections;
    _Atomic uint32_t connection_count;
    char *entries;
    char *exchanges;
    char *bodies;
    char *sessions;
    char *outs;
} rig;

static int rig_round_ended(struct hw_io_loop *loop)
{
    (void)loop;
    return hw_connections_round_end(&rig.connections);
}

static void *rig_memory(size_t size)
{
    void *memory = calloc(1, size);
    if (memory == NULL)
        abort();
    return memory;
}

static void rig_start(void)
{
    app_init();
    hw_h1_parse_init();
    atomic_store(&rig.connection_count, 0);
    rig_job_count = 0;
    if (hw_io_loop_init(&rig.loop, rig_round_ended) != 0)
        abort();
    hw_io_loop_is_here = true;
    struct hw_connections *connections = &rig.connections;
    hw_connections_init(connections, &rig.loop, &rig.connection_count);
    rig.entries = rig_memory(HW_LIMITS_CONNECTIONS * HW_CONNECTION_SIZE);
    rig.exchanges = rig_memory(HW_BUFFERS_COUNT * HW_EXCHANGE_SIZE);
    rig.bodies = rig_memory(HW_BUFFERS_BODIES * HW_BODY_SLOT_SIZE);
    connections->scratch = rig_memory(HW_SCRATCH_SIZE);
    hw_pool_init(&connections->entries, rig.entries, HW_LIMITS_CONNECTIONS, HW_CONNECTION_SIZE);
    hw_pool_init(&connections->exchanges, rig.exchanges, HW_BUFFERS_COUNT, HW_EXCHANGE_SIZE);
    hw_pool_init(&connections->bodies, rig.bodies, HW_BUFFERS_BODIES, HW_BODY_SLOT_SIZE);
    if (!HW_HTTP2)
        return;
    rig.sessions = rig_memory(HW_LIMITS_CONNECTIONS * HW_H2_SESSION_SIZE);
    rig.outs = rig_memory(HW_BUFFERS_COUNT * HW_H2_OUT_SIZE);
    hw_pool_init(&connections->sessions, rig.sessions, HW_LIMITS_CONNECTIONS, HW_H2_SESSION_SIZE);
    hw_pool_init(&connections->outs, rig.outs, HW_BUFFERS_COUNT, HW_H2_OUT_SIZE);
}

static void rig_stop(void)
{
    hw_io_loop_end(&rig.loop);
    free(rig.entries);
    free(rig.exchanges);
    free(rig.bodies);
    free(rig.sessions);
    free(rig.outs);
    free(rig.connections.scratch);
}

/* One round, as hw_io_loop_run does it, but without waiting. Returns the number of events that were dealt with. */
static int rig_round(void)
{
    rig.loop.round_ended(&rig.loop);
    return hw_io_loop_turn(&rig.loop, 0);
}

/* Rounds until nothing happens any more; aborts when that never comes: an event that is not dealt with. */
static void rig_settle(void)
{
    for (int i = 0; i < 10000; i++)
        if (rig_round() == 0 && !rig_work())
            return;
    abort();
}

/* Moves the clock in steps that a busy loop would take. */
static void rig_wait(uint64_t ms)
{
    for (uint64_t passed = 0; passed < ms; passed += 20) {
        rig_now_ms += ms - passed < 20 ? ms - passed : 20;
        rig_round();
        while (rig_work())
            rig_round();
    }
}

static void rig_drain(void)
{
    hw_connections_drain(&rig.connections);
}

/* ---- The client's side. */

/* A connection to this listener; returns the client's descriptor. `buffer`: bytes that the kernel holds of answers; 0: its
 * default. */
static int rig_connect_to(const struct hw_listener *listener, int buffer)
{
    int fds[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds) != 0)
        abort();
    if (buffer > 0 && setsockopt(fds[0], SOL_SOCKET, SO_SNDBUF, &buffer, sizeof buffer) != 0)
        abort();
    atomic_fetch_add(&rig.connection_count, 1);
    if (!hw_connection_open(&rig.connections, fds[0], listener))
        abort();
    return fds[1];
}

static int rig_connect(int buffer)
{
    return rig_connect_to(&rig_listener, buffer);
}

/* Sends as much as fits; returns how much. */
static size_t rig_send(int fd, const char *bytes, size_t size)
{
    ssize_t sent = send(fd, bytes, size, MSG_NOSIGNAL);
    return sent < 0 ? 0 : (size_t)sent;
}

/* What an answer looks like to a client. */
enum rig_end { RIG_OPEN, RIG_CLOSED, RIG_RESET };

/* Reads what is there, at most `room` bytes behind `*size`. */
static enum rig_end rig_receive(int fd, char *bytes, size_t room, size_t *size)
{
    while (room > 0) {
        ssize_t received = recv(fd, bytes + *size, room, 0); /* a reset comes behind what was sent before it */
        if (received == 0)
            return RIG_CLOSED;
        if (received < 0 && errno == ECONNRESET)
            return RIG_RESET;
        if (received < 0)
            return RIG_OPEN;
        *size += (size_t)received;
        room -= (size_t)received;
    }
    return RIG_OPEN;
}

/* Everything that was taken has been given back. */
static bool rig_is_clean(void)
{
    const struct hw_connections *connections = &rig.connections;
    return connections->entries.used == 0 && connections->exchanges.used == 0 && connections->bodies.used == 0 &&
           connections->sessions.used == 0 && connections->outs.used == 0 && atomic_load(&rig.connection_count) == 0 &&
           hw_list_is_empty(&connections->all) && hw_list_is_empty(&connections->reading) &&
           hw_list_is_empty(&connections->sending) && hw_list_is_empty(&connections->waiting) && rig_job_count == 0 &&
           app_suspended_count == 0 && atomic_load(&app_borrowed) == 0 && atomic_load(&app_states) == 0 &&
           atomic_load(&app_faults) == 0;
}

#endif

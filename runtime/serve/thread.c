#include "serve/thread.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/log.h"
#include "http1/write.h"

/* Connections that one event accepts before others have their turn. */
#define HW_SERVE_ACCEPTS 64

/* How long accepting pauses when the system has no descriptor or memory left. */
#define HW_SERVE_PAUSE_MS 100

#define HW_SERVE_CONNECTIONS_SIZE HW_ROUND_UP(HW_LIMITS_CONNECTIONS *HW_CONNECTION_SIZE, HW_PAGE_SIZE)
#define HW_SERVE_EXCHANGES (HW_SHARE(HW_BUFFERS_COUNT, HW_THREADS_IO))
#define HW_SERVE_BODIES (HW_BODY_SLOT_SIZE == 0 ? 0 : HW_SHARE(HW_BUFFERS_BODIES, HW_THREADS_IO))
#define HW_SERVE_SESSIONS (HW_HTTP2 ? HW_LIMITS_CONNECTIONS : 0)
#define HW_SERVE_OUTS (HW_HTTP2 ? HW_SERVE_EXCHANGES : 0)

static size_t hw_serve_thread_size(void)
{
    return HW_IO_STACK_SIZE + HW_IO_FIXED_SIZE + HW_SCRATCH_SIZE + HW_SERVE_CONNECTIONS_SIZE +
           HW_SERVE_EXCHANGES * HW_EXCHANGE_SIZE + HW_SERVE_BODIES * HW_BODY_SLOT_SIZE +
           HW_SERVE_SESSIONS * HW_H2_SESSION_SIZE + HW_SERVE_OUTS * HW_H2_OUT_SIZE;
}

/* ---- Accepting. */

/* More connections than limits.connections: a client that understands it is told so, as well as can be without waiting for
 * it. */
static void hw_serve_refuse(struct hw_serve_acceptor *acceptor, int fd)
{
    struct hw_serve_thread *thread = acceptor->thread;
    if (acceptor->listener->tls == NULL && (acceptor->listener->protocols & HW_PROTOCOL_HTTP1) != 0) {
        char response[512];
        size_t size = hw_h1_plain_write(response, sizeof response, 503, thread->loop.date, false);
        if (send(fd, response, size, MSG_NOSIGNAL) > 0 && shutdown(fd, SHUT_WR) == 0)
            while (recv(fd, thread->connections.scratch, HW_SCRATCH_SIZE, MSG_DONTWAIT) > 0)
                continue; /* what is unread when a socket is closed resets the connection */
    }
    close(fd);
    hw_log(HW_LOG_WARNING, "503 for a new connection: limits.connections is reached");
}

static void hw_serve_pause(struct hw_serve_thread *thread, int error)
{
    hw_log(HW_LOG_ERROR, "cannot accept connections: %s; trying again in %d ms", strerror(error), HW_SERVE_PAUSE_MS);
    for (unsigned i = 0; i < HW_LISTENERS; i++)
        if (thread->acceptors[i].source.fd >= 0)
            hw_io_unwatch(&thread->loop, &thread->acceptors[i].source);
    hw_wheel_set(&thread->loop.wheel, &thread->pause_timer, thread->loop.now_ms + HW_SERVE_PAUSE_MS);
}

/* False when there is nothing more to accept now. */
static bool hw_serve_accept_one(struct hw_serve_acceptor *acceptor)
{
    struct hw_serve_thread *thread = acceptor->thread;
    int fd = accept4(acceptor->source.fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) {
        if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)
            hw_serve_pause(thread, errno);
        return errno == ECONNABORTED || errno == EINTR || errno == EPROTO;
    }
    if (atomic_fetch_add(thread->connections.connection_count, 1) >= HW_LIMITS_CONNECTIONS) {
        atomic_fetch_sub(thread->connections.connection_count, 1);
        hw_serve_refuse(acceptor, fd);
        return true;
    }
    if (!hw_connection_open(&thread->connections, fd, acceptor->listener)) {
        int error = errno;
        atomic_fetch_sub(thread->connections.connection_count, 1);
        if (HW_TLS && error == EAGAIN)
            hw_log(HW_LOG_WARNING, "a new connection is closed: tls.handshakes is reached");
        else
            hw_log(HW_LOG_ERROR, "cannot take a new connection: %s", strerror(error));
    }
    return true;
}

static void hw_serve_accept(struct hw_io_source *source, uint32_t events)
{
    (void)events;
    struct hw_serve_acceptor *acceptor = HW_CONTAINER(source, struct hw_serve_acceptor, source);
    for (int i = 0; i < HW_SERVE_ACCEPTS; i++)
        if (!hw_serve_accept_one(acceptor))
            return;
}

static bool hw_serve_acceptor_watch(struct hw_serve_acceptor *acceptor)
{
    /* Of the threads that share a unix socket one is woken. */
    uint32_t events = acceptor->is_shared ? (uint32_t)EPOLLIN | EPOLLEXCLUSIVE : (uint32_t)EPOLLIN;
    return hw_io_watch(&acceptor->thread->loop, &acceptor->source, events);
}

static void hw_serve_pause_ended(struct hw_timer *timer)
{
    struct hw_serve_thread *thread = HW_CONTAINER(timer, struct hw_serve_thread, pause_timer);
    for (unsigned i = 0; i < HW_LISTENERS; i++) {
        struct hw_serve_acceptor *acceptor = &thread->acceptors[i];
        if (acceptor->source.fd >= 0 && !hw_serve_acceptor_watch(acceptor) && errno != EEXIST) {
            hw_serve_pause(thread, errno);
            return;
        }
    }
}

/* ---- Draining. */

static void hw_serve_drain_ended(struct hw_timer *timer)
{
    struct hw_serve_thread *thread = HW_CONTAINER(timer, struct hw_serve_thread, drain_timer);
    if (!hw_list_is_empty(&thread->connections.all))
        hw_log(HW_LOG_WARNING, "timeouts.drain is over: connections are cut off");
    hw_connections_cut(&thread->connections);
}

static void hw_serve_stop_arrived(struct hw_mail *mail)
{
    struct hw_serve_thread *thread = HW_CONTAINER(mail, struct hw_serve_thread, stop_mail);
    hw_wheel_clear(&thread->pause_timer);
    for (unsigned i = 0; i < HW_LISTENERS; i++) {
        struct hw_serve_acceptor *acceptor = &thread->acceptors[i];
        for (unsigned k = 0; k < HW_SOCKET_BACKLOG && hw_serve_accept_one(acceptor); k++)
            continue; /* those that the kernel has accepted for us already */
        hw_io_unwatch(&thread->loop, &acceptor->source);
        shutdown(acceptor->source.fd, SHUT_RD); /* from now on clients are refused at once, not kept until the end */
        acceptor->source.fd = -1;               /* closed by the server */
    }
    hw_wheel_clear(&thread->pause_timer);
    hw_connections_drain(&thread->connections);
    hw_wheel_set(&thread->loop.wheel, &thread->drain_timer, thread->loop.now_ms + HW_TIMEOUTS_DRAIN);
}

static int hw_serve_round_ended(struct hw_io_loop *loop)
{
    struct hw_serve_thread *thread = HW_CONTAINER(loop, struct hw_serve_thread, loop);
    int wait_ms = hw_connections_round_end(&thread->connections);
    if (!thread->connections.draining || !hw_list_is_empty(&thread->connections.all))
        return wait_ms;
    loop->stopping = true;
    return 0;
}

/* ---- The thread. */

static void hw_serve_connections_init(struct hw_serve_thread *thread, char *memory, _Atomic uint32_t *connection_count)
{
    struct hw_connections *connections = &thread->connections;
    hw_connections_init(connections, &thread->loop, connection_count);
    connections->scratch = memory;
    memory += HW_SCRATCH_SIZE;
    hw_pool_init(&connections->entries, memory, HW_LIMITS_CONNECTIONS, HW_CONNECTION_SIZE);
    memory += HW_SERVE_CONNECTIONS_SIZE;
    hw_pool_init(&connections->exchanges, memory, HW_SERVE_EXCHANGES, HW_EXCHANGE_SIZE);
    memory += HW_SERVE_EXCHANGES * HW_EXCHANGE_SIZE;
    hw_pool_init(&connections->bodies, memory, HW_SERVE_BODIES, HW_BODY_SLOT_SIZE);
    memory += HW_SERVE_BODIES * HW_BODY_SLOT_SIZE;
    hw_pool_init(&connections->sessions, memory, HW_SERVE_SESSIONS, HW_H2_SESSION_SIZE);
    memory += HW_SERVE_SESSIONS * HW_H2_SESSION_SIZE;
    hw_pool_init(&connections->outs, memory, HW_SERVE_OUTS, HW_H2_OUT_SIZE);
}

static int hw_serve_thread_init(char *memory, unsigned index, struct hw_io_listener *listeners,
                                _Atomic uint32_t *connection_count, struct hw_serve_thread **made)
{
    struct hw_serve_thread *thread = (void *)(memory + HW_IO_STACK_SIZE);
    *made = thread;
    int error = hw_io_loop_init(&thread->loop, hw_serve_round_ended);
    if (error != 0)
        return error;
    hw_serve_connections_init(thread, memory + HW_IO_STACK_SIZE + HW_IO_FIXED_SIZE, connection_count);
    thread->pause_timer.expired = hw_serve_pause_ended;
    thread->drain_timer.expired = hw_serve_drain_ended;
    thread->stop_mail.arrived = hw_serve_stop_arrived;
    for (unsigned i = 0; i < HW_LISTENERS; i++) {
        struct hw_serve_acceptor *acceptor = &thread->acceptors[i];
        acceptor->source = (struct hw_io_source){.ready = hw_serve_accept, .fd = listeners[i].fds[index]};
        acceptor->thread = thread;
        acceptor->listener = &hw_listeners[i];
        acceptor->is_shared = listeners[i].path != NULL;
        if (!hw_serve_acceptor_watch(acceptor)) {
            error = errno;
            hw_io_loop_end(&thread->loop);
            return error;
        }
    }
    return 0;
}

static void *hw_serve_thread_run(void *given)
{
    struct hw_serve_thread *thread = given;
    hw_io_loop_run(&thread->loop);
    return NULL;
}

static int hw_serve_thread_start(struct hw_serve_thread *thread, char *memory)
{
    pthread_attr_t attributes;
    int error = pthread_attr_init(&attributes);
    if (error != 0)
        return error;
    error = hw_stack_set(&attributes, memory, HW_IO_STACK_SIZE);
    if (error == 0)
        error = pthread_create(&thread->id, &attributes, hw_serve_thread_run, thread);
    pthread_attr_destroy(&attributes);
    return error;
}

static void hw_serve_thread_stop(struct hw_serve_thread *thread)
{
    hw_mailbox_post(&thread->loop.mailbox, &thread->stop_mail);
}

static void hw_serve_thread_end(struct hw_serve_thread *thread)
{
    hw_io_loop_end(&thread->loop);
}

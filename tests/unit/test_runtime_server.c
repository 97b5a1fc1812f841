/* The whole server with its threads: start, stop, drain, limits of the process, and clients that hang up at every
 * moment (runtime/serve/, runtime/io/listener.c). Under TSan this is the test of everything that threads share. */
#define HW_LISTENERS 2
#define HW_THREADS_IO 2ull
#define HW_BUFFERS_COUNT 16ull
#define HW_BUFFERS_BODIES 8ull
#define HW_LIMITS_CONNECTIONS 24ull
#define HW_TIMEOUTS_DRAIN 1000ull
#include "runtime/config.h"

#include <hardwire/generated.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <sys/resource.h>
#include <sys/un.h>

static char socket_path[64];
static struct hw_listener hw_listeners[HW_LISTENERS] = {
    {.kind = HW_LISTEN_IPV4,
     .address = "127.0.0.1",
     .port = 0,
     .port_env = "PROBE_PORT",
     .protocols = HW_PROTOCOL_HTTP1},
    {.kind = HW_LISTEN_UNIX, .address = socket_path, .protocols = HW_PROTOCOL_HTTP1},
};

#include "core/clock.c"
#include "core/log.c"
#include "core/pool.c"
#include "core/wheel.c"
#include "core/mailbox.c"
#include "core/workers.c"
#include "io/loop.c"
#include "io/stream.c"
#include "io/plain.c"
#include "io/listener.c"
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
#include "http2/none.c"
#include "serve/thread.c"
#include "serve/server.c"
#include "serve/main.c"

/* Here handlers suspend on several threads at once, and one thread resumes. */
static pthread_mutex_t app_lock = PTHREAD_MUTEX_INITIALIZER;
#define APP_LOCK pthread_mutex_lock(&app_lock)
#define APP_UNLOCK pthread_mutex_unlock(&app_lock)
#include "runtime/app.h"

#include <cmocka.h>

#define GET(path) "GET " path " HTTP/1.1\r\nHost: a\r\n\r\n"

static _Atomic bool resumer_ends;
static pthread_t resumer;

static void *resumer_run(void *unused)
{
    (void)unused;
    while (!atomic_load(&resumer_ends)) {
        if (!app_resume_one())
            usleep(300);
    }
    return NULL;
}

static void resumer_start(void)
{
    atomic_store(&resumer_ends, false);
    assert_int_equal(pthread_create(&resumer, NULL, resumer_run, NULL), 0);
}

static void resumer_stop(void)
{
    atomic_store(&resumer_ends, true);
    assert_int_equal(pthread_join(resumer, NULL), 0);
}

static int start(void **state)
{
    (void)state;
    char message[256];
    snprintf(socket_path, sizeof socket_path, "/tmp/probe-%ld.sock", (long)getpid());
    app_init();
    if (hw_server_start(message, sizeof message) == 0)
        return 0;
    print_error("%s\n", message);
    return -1;
}

static int stop(void **state)
{
    (void)state;
    hw_server_stop();
    if (atomic_load(&app_borrowed) != 0 || atomic_load(&app_states) != 0 || atomic_load(&app_faults) != 0)
        return -1;
    return hw_server_port(0) == 0 && access(socket_path, F_OK) != 0 ? 0 : -1;
}

static int connect_to(uint16_t port)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct timeval limit = {.tv_sec = 5};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0)
        return fd;
    close(fd);
    return -1;
}

static int connect_to_path(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct timeval limit = {.tv_sec = 5};
    strcpy(address.sun_path, socket_path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0)
        return fd;
    close(fd);
    return -1;
}

/* Sends a request and reads until `wanted` has come; false when it does not. */
static bool talk(int fd, const char *request, const char *wanted)
{
    char bytes[20000];
    size_t size = 0;
    if (send(fd, request, strlen(request), MSG_NOSIGNAL) < 0)
        return false;
    while (size < sizeof bytes) {
        ssize_t received = recv(fd, bytes + size, sizeof bytes - size, 0);
        if (received <= 0)
            return false;
        size += (size_t)received;
        if (memmem(bytes, size, wanted, strlen(wanted)) != NULL)
            return true;
    }
    return false;
}

static void test_answers(void **state)
{
    (void)state;
    resumer_start();
    int fds[] = {connect_to(hw_server_port(0)), connect_to(hw_server_port(0)), connect_to_path()};
    for (int i = 0; i < 3; i++) {
        assert_true(fds[i] >= 0);
        for (int k = 0; k < 20; k++) {
            assert_true(talk(fds[i], GET("/b"), "\r\n\r\nsmall"));
            assert_true(talk(fds[i], "POST /M HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nwork", "\r\n\r\nwork"));
            assert_true(talk(fds[i], "POST /S HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nwork", "\r\n\r\n4 "));
            assert_true(talk(fds[i], GET("/C"), "\r\n0\r\n\r\n"));
            assert_true(talk(fds[i], GET("/u"), "resumed"));
            assert_true(talk(fds[i], GET("/v"), "\r\n0\r\n\r\n"));
        }
        close(fds[i]);
    }
    assert_int_equal(hw_server_port(1), 0);
    resumer_stop();
}

static void test_starts_once(void **state)
{
    (void)state;
    char message[256];
    assert_int_equal(hw_server_start(message, sizeof message), 2);
    assert_string_equal(message, "the server runs already");
}

static void test_port_in_use(void **state)
{
    (void)state;
    char message[256];
    char port[8];
    struct hw_io_listener listener;
    snprintf(port, sizeof port, "%u", (unsigned)hw_server_port(0));
    setenv("PROBE_PORT", port, 1);
    assert_int_equal(hw_io_listener_open(&listener, &hw_listeners[0], message, sizeof message), -1);
    assert_non_null(strstr(message, "is another server, or a second instance, running?"));
    setenv("PROBE_PORT", "65536", 1);
    assert_int_equal(hw_io_listener_open(&listener, &hw_listeners[0], message, sizeof message), -1);
    assert_non_null(strstr(message, "must be a port from 0 to 65535"));
    unsetenv("PROBE_PORT");
    assert_int_equal(hw_io_listener_open(&listener, &hw_listeners[1], message, sizeof message), -1);
    assert_non_null(strstr(message, "running?"));
    int fd = connect_to_path(); /* the socket of the server that runs is still there */
    assert_true(fd >= 0);
    close(fd);
}

/* When no socket can be made, a file of somebody else at the path stays. */
static void test_path_of_another(void **state)
{
    (void)state;
    char message[256];
    struct hw_io_listener listener;
    struct rlimit limit;
    struct rlimit none;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    none = limit;
    none.rlim_cur = 0;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    int result = hw_io_listener_open(&listener, &hw_listeners[1], message, sizeof message);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_int_equal(result, -1);
    assert_int_equal(access(socket_path, F_OK), 0);
}

/* A server that was killed leaves its file; one that hangs, with a full queue, is not waited for. */
static void test_stale_path(void **state)
{
    (void)state;
    char message[256];
    struct hw_io_listener listener;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "/tmp/probe-%ld.stale", (long)getpid());
    struct hw_listener wanted = {.kind = HW_LISTEN_UNIX, .address = address.sun_path};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(fd, 0), 0);
    int waiting[4];
    for (int i = 0; i < 4; i++) {
        waiting[i] = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
        connect(waiting[i], (struct sockaddr *)&address, sizeof address);
    }
    assert_int_equal(hw_io_listener_open(&listener, &wanted, message, sizeof message), -1);
    for (int i = 0; i < 4; i++)
        close(waiting[i]);
    close(fd);
    assert_int_equal(access(address.sun_path, F_OK), 0);
    assert_int_equal(hw_io_listener_open(&listener, &wanted, message, sizeof message), 0);
    hw_io_listener_close(&listener);
    assert_int_not_equal(access(address.sun_path, F_OK), 0);
}

static void test_connections_are_limited(void **state)
{
    (void)state;
    int fds[HW_LIMITS_CONNECTIONS];
    for (unsigned i = 0; i < HW_LIMITS_CONNECTIONS; i++) {
        fds[i] = connect_to(hw_server_port(0));
        assert_true(talk(fds[i], GET("/b"), "small"));
    }
    int more = connect_to(hw_server_port(0));
    assert_true(talk(more, GET("/b"), "HTTP/1.1 503 Service Unavailable\r\n"));
    close(more);
    close(fds[0]);
    bool is_answered = false;
    for (int i = 0; i < 1000 && !is_answered; i++) {
        fds[0] = connect_to(hw_server_port(0));
        is_answered = talk(fds[0], GET("/b"), "small");
        close(fds[0]);
        usleep(1000);
    }
    assert_true(is_answered);
    for (unsigned i = 1; i < HW_LIMITS_CONNECTIONS; i++)
        close(fds[i]);
}

static void *stopper_run(void *unused)
{
    (void)unused;
    hw_server_stop();
    return NULL;
}

/* While the server drains, what is in progress is answered and who comes new is refused at once. */
static void test_drain(void **state)
{
    (void)state;
    uint16_t port = hw_server_port(0);
    int fd = connect_to(port);
    int idle = connect_to(port);
    assert_true(talk(idle, GET("/b"), "small"));
    assert_true(send(fd, GET("/u"), strlen(GET("/u")), 0) > 0);
    for (int i = 0; i < 1000 && app_suspended_get() == 0; i++)
        usleep(1000);
    pthread_t stopper;
    assert_int_equal(pthread_create(&stopper, NULL, stopper_run, NULL), 0);
    char byte;
    assert_int_equal(recv(idle, &byte, 1, 0), 0); /* closed: draining has begun */
    int late = connect_to(port);
    for (int i = 0; i < 200 && late >= 0; i++) { /* the other IO thread may still be about to stop */
        close(late);
        usleep(1000);
        late = connect_to(port);
    }
    assert_int_equal(late, -1);
    assert_true(app_resume_one());
    assert_true(talk(fd, "", "resumed"));
    assert_int_equal(recv(fd, &byte, 1, 0), 0);
    assert_int_equal(pthread_join(stopper, NULL), 0);
    close(fd);
    close(idle);
}

/* A suspended request outlives timeouts.drain: the client is cut off, the server ends when the request is resumed. */
static void test_stop_waits_for_suspended(void **state)
{
    (void)state;
    int fd = connect_to(hw_server_port(0));
    assert_true(send(fd, GET("/u"), strlen(GET("/u")), 0) > 0);
    for (int i = 0; i < 1000 && app_suspended_get() == 0; i++)
        usleep(1000);
    uint64_t began_ms = hw_clock_ms();
    pthread_t stopper;
    assert_int_equal(pthread_create(&stopper, NULL, stopper_run, NULL), 0);
    char byte;
    assert_true(recv(fd, &byte, 1, 0) <= 0);
    assert_in_range(hw_clock_ms() - began_ms, HW_TIMEOUTS_DRAIN, HW_TIMEOUTS_DRAIN + 1000);
    assert_true(app_resume_one());
    assert_int_equal(pthread_join(stopper, NULL), 0);
    close(fd);
}

/* ---- Clients that hang up at any moment. */

static _Atomic bool rude_ends;

static void *rude_run(void *given)
{
    static const char *const requests[] = {
        GET("/b") GET("/b"),
        GET("/l"),
        GET("/C"),
        GET("/C") GET("/C") GET("/b"),
        GET("/u"),
        GET("/v"),
        GET("/x"),
        GET("/c"),
        "POST /M HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc",
        "POST /S HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc",
        "POST /S HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
        "POST /s HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nPbc",
        "POST /S HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nEbc",
        "GET /b HT"};
    unsigned seed = (unsigned)(uintptr_t)given;
    char bytes[512];
    uint16_t port = hw_server_port(0);
    while (!atomic_load(&rude_ends)) {
        int fd = rand_r(&seed) % 4 == 0 ? connect_to_path() : connect_to(port);
        const char *request = requests[(unsigned)rand_r(&seed) % (sizeof requests / sizeof requests[0])];
        struct linger reset = {1, 0};
        if (fd < 0)
            continue;
        send(fd, request, strlen(request), MSG_NOSIGNAL);
        if (rand_r(&seed) % 2 == 0)
            usleep((unsigned)rand_r(&seed) % 1500);
        if (rand_r(&seed) % 3 == 0)
            recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
        if (rand_r(&seed) % 2 == 0)
            setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
        close(fd);
    }
    return NULL;
}

static void test_hang_ups(void **state)
{
    (void)state;
    pthread_t rude[6];
    resumer_start();
    atomic_store(&rude_ends, false);
    for (uintptr_t i = 0; i < 6; i++)
        assert_int_equal(pthread_create(&rude[i], NULL, rude_run, (void *)(i + 1)), 0);
    usleep(2500000);
    atomic_store(&rude_ends, true);
    for (int i = 0; i < 6; i++)
        assert_int_equal(pthread_join(rude[i], NULL), 0);
    int fd = connect_to(hw_server_port(0));
    assert_true(talk(fd, GET("/b"), "small"));
    close(fd);
    hw_server_stop();
    resumer_stop();
    assert_int_equal(app_suspended_get(), 0);
}

/* Stopped in the middle of that, and started again, many times. */
static void test_stop_under_load(void **state)
{
    pthread_t rude[4];
    resumer_start();
    for (int round = 0; round < 15; round++) {
        atomic_store(&rude_ends, false);
        for (uintptr_t i = 0; i < 4; i++)
            assert_int_equal(pthread_create(&rude[i], NULL, rude_run, (void *)(i + 10)), 0);
        usleep(20000);
        hw_server_stop();
        atomic_store(&rude_ends, true);
        for (int i = 0; i < 4; i++)
            assert_int_equal(pthread_join(rude[i], NULL), 0);
        assert_int_equal(atomic_load(&app_states), 0);
        assert_int_equal(atomic_load(&app_borrowed), 0);
        assert_int_equal(start(state), 0);
    }
    resumer_stop();
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)
    const struct CMUnitTest tests[] = {
        TEST(test_answers),     TEST(test_starts_once),
        TEST(test_port_in_use), TEST(test_path_of_another),
        TEST(test_stale_path),  TEST(test_connections_are_limited),
        TEST(test_drain),       TEST(test_stop_waits_for_suspended),
        TEST(test_hang_ups),    TEST(test_stop_under_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

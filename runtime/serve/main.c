/* The main function of a server of its own: start line, signals, exit status. */
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/log.h"
#include "io/tls.h"
#include "serve/server.h"
#include "serve/thread.h"

#define HW_TEXT_(name) #name
#define HW_TEXT(name) HW_TEXT_(name)

static void hw_main_write(int fd, const char *text, int size, size_t room)
{
    size_t all = (size_t)size < room ? (size_t)size : room - 1;
    ssize_t written = write(fd, text, all);
    (void)written; /* nobody listens: the server works all the same */
}

static void hw_main_start_line(uint64_t began_ms)
{
    char line[256 + HW_LISTENERS * 160];
    int size = snprintf(line, sizeof line, HW_TEXT(HW_PREFIX) ": listening on ");
    for (unsigned i = 0; i < HW_LISTENERS; i++)
        size +=
            snprintf(line + size, sizeof line - (size_t)size, "%s%s", i == 0 ? "" : ", ", hw_server.listeners[i].name);
    size += snprintf(line + size, sizeof line - (size_t)size, "; started in %llu ms; %llu bytes reserved\n",
                     (unsigned long long)(hw_clock_ms() - began_ms), HW_MEMORY_SIZE);
    hw_main_write(STDOUT_FILENO, line, size, sizeof line);
}

/* Waits for TERM or INT; from then on a second one has its default effect. */
static void hw_main_wait(const sigset_t *signals)
{
    int number = 0;
    do {
        if (sigwait(signals, &number) != 0)
            continue;
        if (number == SIGHUP && HW_TLS)
            hw_server_reload();
        else if (number == SIGHUP)
            hw_log(HW_LOG_INFO, "HUP: this server has no certificates and no log files to open again");
    } while (number != SIGTERM && number != SIGINT);
    sigset_t ending;
    sigemptyset(&ending);
    sigaddset(&ending, SIGTERM);
    sigaddset(&ending, SIGINT);
    pthread_sigmask(SIG_UNBLOCK, &ending, NULL);
}

/* Stops; false when a handler has still not returned a second or two after timeouts.drain. */
static bool hw_main_stop(void)
{
    struct timespec until;
    if (clock_gettime(CLOCK_REALTIME, &until) != 0)
        return false;
    until.tv_sec += (time_t)(HW_TIMEOUTS_DRAIN / 1000) + 2;
    return hw_server_stop_until(&until);
}

int hw_server_main(void)
{
    if (HW_TLS)
        hw_tls_memory_count();
    uint64_t began_ms = hw_clock_ms();
    char message[512];
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGHUP);
    sigaddset(&signals, SIGPIPE); /* whoever reads our lines may go away */
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    sigdelset(&signals, SIGPIPE);
    int status = hw_server_start(message, sizeof message);
    if (status != 0) {
        char line[600];
        int size = snprintf(line, sizeof line, HW_TEXT(HW_PREFIX) ": %s\n", message);
        hw_main_write(STDERR_FILENO, line, size, sizeof line);
        return status;
    }
    hw_main_start_line(began_ms);
    hw_main_wait(&signals);
    if (!hw_main_stop()) {
        hw_log(HW_LOG_WARNING, "a handler has not returned: the server exits without it");
        _exit(0);
    }
    return 0;
}

/* Listening sockets: one a thread for each TCP listener of the spec, one shared by all threads for a unix socket. */
#ifndef HW_IO_LISTENER_H
#define HW_IO_LISTENER_H

#include <stdbool.h>
#include <stddef.h>

#include <hardwire/generated.h>

/* The sockets of one listener of the spec. Owned by the server; opened before the threads start, closed by it. */
struct hw_io_listener {
    int fds[HW_THREADS_IO]; /* all the same for a unix socket; -1: closed */
    uint16_t port;          /* as bound; 0 for a unix socket */
    char name[128];         /* for messages and the start line: 127.0.0.1:8080, [::1]:8080, unix:/run/x.sock */
    const char *path;       /* of a unix socket, to be unlinked; else NULL */
};

/* Opens, binds and listens. A port that another process listens on is an error, although the threads share it by
 * SO_REUSEPORT: the first socket is bound without it. A unix socket file is removed only when nobody answers on it.
 * Returns 0, or -1 with one line in `message` and nothing left open. */
static int hw_io_listener_open(struct hw_io_listener *listener, const struct hw_listener *wanted, char *message,
                               size_t message_size);

/* Closes the sockets and unlinks the path. */
static void hw_io_listener_close(struct hw_io_listener *listener);

#endif

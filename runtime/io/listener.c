#include "io/listener.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* An address of any of the three families. */
union hw_io_address {
    struct sockaddr any;
    struct sockaddr_in ipv4;
    struct sockaddr_in6 ipv6;
    struct sockaddr_un unix_socket;
};

static int hw_io_port_read(const char *text, uint16_t *port)
{
    unsigned value = 0;
    if (*text == '\0' || strlen(text) > 5)
        return -1;
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9')
            return -1;
        value = value * 10 + (unsigned)(*text - '0');
    }
    if (value > 65535)
        return -1;
    *port = (uint16_t)value;
    return 0;
}

static int hw_io_address_inet(union hw_io_address *address, const char *host, uint16_t port, socklen_t *size)
{
    memset(address, 0, sizeof *address);
    if (strcmp(host, "localhost") == 0)
        host = "127.0.0.1";
    if (inet_pton(AF_INET, host, &address->ipv4.sin_addr) == 1) {
        address->ipv4.sin_family = AF_INET;
        address->ipv4.sin_port = htons(port);
        *size = sizeof address->ipv4;
        return 0;
    }
    if (inet_pton(AF_INET6, host, &address->ipv6.sin6_addr) == 1) {
        address->ipv6.sin6_family = AF_INET6;
        address->ipv6.sin6_port = htons(port);
        *size = sizeof address->ipv6;
        return 0;
    }
    return -1;
}

static int hw_io_address_unix(union hw_io_address *address, const char *path, socklen_t *size)
{
    memset(address, 0, sizeof *address);
    size_t length = strlen(path);
    if (length == 0 || length >= sizeof address->unix_socket.sun_path)
        return -1;
    address->unix_socket.sun_family = AF_UNIX;
    memcpy(address->unix_socket.sun_path, path, length);
    *size = sizeof address->unix_socket;
    return 0;
}

/* Takes what the environment says for this listener. */
static int hw_io_address_find(union hw_io_address *address, socklen_t *size, struct hw_io_listener *listener,
                              const struct hw_listener *wanted, char *message, size_t message_size)
{
    const char *host = wanted->address_env == NULL ? NULL : getenv(wanted->address_env);
    const char *port_text = wanted->port_env == NULL ? NULL : getenv(wanted->port_env);
    const char *place = host == NULL ? wanted->address : host;
    uint16_t port = wanted->port;
    if (port_text != NULL && hw_io_port_read(port_text, &port) != 0) {
        snprintf(message, message_size, "the environment variable %s must be a port from 0 to 65535, not \"%.40s\"",
                 wanted->port_env, port_text);
        return -1;
    }
    bool is_unix = wanted->kind == HW_LISTEN_UNIX;
    int result = is_unix ? hw_io_address_unix(address, place, size) : hw_io_address_inet(address, place, port, size);
    if (result != 0) {
        snprintf(message, message_size, "the environment variable %s must be %s, not \"%.60s\"",
                 wanted->address_env == NULL ? "?" : wanted->address_env,
                 is_unix ? "the path of a socket, at most 107 bytes" : "a numeric address or localhost", place);
        return -1;
    }
    listener->path = is_unix ? place : NULL;
    return 0;
}

static void hw_io_listener_name(struct hw_io_listener *listener, const union hw_io_address *address)
{
    char host[INET6_ADDRSTRLEN] = "";
    if (address->any.sa_family == AF_UNIX) {
        snprintf(listener->name, sizeof listener->name, "unix:%s", address->unix_socket.sun_path);
        return;
    }
    bool is_ipv4 = address->any.sa_family == AF_INET;
    if (is_ipv4)
        inet_ntop(AF_INET, &address->ipv4.sin_addr, host, sizeof host);
    else
        inet_ntop(AF_INET6, &address->ipv6.sin6_addr, host, sizeof host);
    snprintf(listener->name, sizeof listener->name, is_ipv4 ? "%s:%u" : "[%s]:%u", host, (unsigned)listener->port);
}

static int hw_io_option(int fd, int level, int option, int value)
{
    return setsockopt(fd, level, option, &value, sizeof value);
}

static int hw_io_socket(const union hw_io_address *address)
{
    int family = address->any.sa_family;
    int fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    bool failed = false;
    if (family != AF_UNIX) {
        /* Accepted sockets inherit TCP_NODELAY. */
        failed = hw_io_option(fd, SOL_SOCKET, SO_REUSEADDR, 1) != 0 ||
                 hw_io_option(fd, IPPROTO_TCP, TCP_NODELAY, HW_SOCKET_NODELAY != 0) != 0;
        if (family == AF_INET6) /* so that 0.0.0.0 and :: are two listeners, on every system */
            failed = failed || hw_io_option(fd, IPPROTO_IPV6, IPV6_V6ONLY, 1) != 0;
    }
    if (failed) {
        close(fd);
        return -1;
    }
    return fd;
}

static int hw_io_listen(int fd, const union hw_io_address *address, socklen_t size, bool is_first)
{
    if (!is_first && hw_io_option(fd, SOL_SOCKET, SO_REUSEPORT, 1) != 0)
        return -1;
    if (bind(fd, &address->any, size) != 0)
        return -1;
    if (is_first && address->any.sa_family != AF_UNIX && hw_io_option(fd, SOL_SOCKET, SO_REUSEPORT, 1) != 0)
        return -1;
    return listen(fd, (int)HW_SOCKET_BACKLOG);
}

/* A socket file that nobody listens on any more was left by a server that was killed. */
static void hw_io_stale_remove(const union hw_io_address *address, socklen_t size)
{
    struct stat status;
    const char *path = address->unix_socket.sun_path;
    if (lstat(path, &status) != 0 || !S_ISSOCK(status.st_mode))
        return;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0); /* never waits for a server that hangs */
    if (fd < 0)
        return;
    if (connect(fd, &address->any, size) != 0 && errno == ECONNREFUSED)
        unlink(path); /* if that fails, bind says so */
    close(fd);
}

static int hw_io_port_find(union hw_io_address *address, socklen_t *size, int fd)
{
    if (getsockname(fd, &address->any, size) != 0)
        return -1;
    return ntohs(address->any.sa_family == AF_INET ? address->ipv4.sin_port : address->ipv6.sin6_port);
}

static int hw_io_listener_open_all(struct hw_io_listener *listener, union hw_io_address *address, socklen_t size)
{
    bool is_unix = address->any.sa_family == AF_UNIX;
    for (unsigned i = 0; i < HW_THREADS_IO; i++) {
        if (is_unix && i > 0) {
            listener->fds[i] = listener->fds[0];
            continue;
        }
        listener->fds[i] = hw_io_socket(address);
        if (listener->fds[i] < 0 || hw_io_listen(listener->fds[i], address, size, i == 0) != 0)
            return -1;
        if (i == 0 && !is_unix) {
            int port = hw_io_port_find(address, &size, listener->fds[0]); /* the others bind to the same */
            if (port < 0)
                return -1;
            listener->port = (uint16_t)port;
        }
    }
    return 0;
}

static int hw_io_listener_open(struct hw_io_listener *listener, const struct hw_listener *wanted, char *message,
                               size_t message_size)
{
    union hw_io_address address;
    socklen_t size;
    *listener = (struct hw_io_listener){.port = 0};
    for (unsigned i = 0; i < HW_THREADS_IO; i++)
        listener->fds[i] = -1;
    if (hw_io_address_find(&address, &size, listener, wanted, message, message_size) != 0)
        return -1;
    listener->port = address.any.sa_family == AF_UNIX ? 0 : ntohs(address.ipv4.sin_port);
    hw_io_listener_name(listener, &address);
    if (address.any.sa_family == AF_UNIX)
        hw_io_stale_remove(&address, size);
    if (hw_io_listener_open_all(listener, &address, size) != 0) {
        int error = errno;
        snprintf(message, message_size, "cannot listen on %s: %s%s", listener->name, strerror(error),
                 error == EADDRINUSE ? " (is another server, or a second instance, running?)" : "");
        listener->path =
            NULL; /* the file may be somebody else's; one of ours is stale, and removed at the next start */
        hw_io_listener_close(listener);
        return -1;
    }
    hw_io_listener_name(listener, &address);
    return 0;
}

static void hw_io_listener_close(struct hw_io_listener *listener)
{
    bool is_shared =
        listener->path != NULL || (HW_THREADS_IO > 1 && listener->fds[0] == listener->fds[HW_THREADS_IO - 1]);
    for (unsigned i = 0; i < HW_THREADS_IO; i++) {
        if (listener->fds[i] >= 0 && !(is_shared && i > 0))
            close(listener->fds[i]);
        listener->fds[i] = -1;
    }
    if (listener->path != NULL)
        unlink(listener->path); /* somebody may have removed it before us */
    listener->path = NULL;
}

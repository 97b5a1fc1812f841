/* A program with a main of its own and two generated servers in it: starts both, asks them, stops them, and all that once
 * more. Prints a line for each thing that is not as it should be; exits with how many there were. */
#define _GNU_SOURCE

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* A file that includes both headers could not call hw_ functions; this one needs only starts and stops. */
#include "small.h"
#include "large.h"

static int wrong;

#define EXPECT(condition)                                                                                              \
    do                                                                                                                 \
        if (!(condition)) {                                                                                            \
            printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                                             \
            wrong++;                                                                                                   \
        }                                                                                                              \
    while (0)

static int client_open(uint16_t port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

/* Sends a request that closes the connection; returns the answer's whole size, the answer in `answer`. */
static size_t ask(uint16_t port, const char *request, char *answer, size_t room)
{
    size_t size = 0;
    ssize_t got;
    int fd = client_open(port);
    if (fd < 0)
        return 0;
    if (write(fd, request, strlen(request)) == (ssize_t)strlen(request))
        while (size < room - 1 && (got = read(fd, answer + size, room - 1 - size)) > 0)
            size += (size_t)got;
    answer[size] = '\0';
    close(fd);
    return size;
}

#define GET(path) "GET " path " HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"

static void both_ask(void)
{
    static char answer[200000];
    EXPECT(ask(small_port(0), GET("/name"), answer, sizeof answer) > 0);
    EXPECT(strstr(answer, "\r\n\r\nsmall") != NULL);
    EXPECT(ask(large_port(0), GET("/name"), answer, sizeof answer) > 0);
    EXPECT(strstr(answer, "\r\n\r\nlarge") != NULL);
    /* The most that fits is the product's own buffer. */
    size_t size = ask(small_port(0), GET("/most"), answer, sizeof answer);
    EXPECT(size > 3500 && size < 4096 + 500);
    size = ask(large_port(0), GET("/most"), answer, sizeof answer);
    EXPECT(size > 65000 && size < 65536 + 500);
    EXPECT(ask(small_port(0), "POST /echo HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: 3\r\n\r\nabc",
               answer, sizeof answer) > 0);
    EXPECT(strstr(answer, "\r\n\r\nabc") != NULL);
    /* 2000 bytes of body are too many for one of them. */
    static char request[3000];
    int begin = snprintf(request, sizeof request,
                         "POST /echo HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: 2000\r\n\r\n");
    memset(request + begin, 'x', 2000);
    EXPECT(ask(small_port(0), request, answer, sizeof answer) > 0);
    EXPECT(strncmp(answer, "HTTP/1.1 413 ", 13) == 0);
    EXPECT(ask(large_port(0), request, answer, sizeof answer) > 2000);
    EXPECT(strncmp(answer, "HTTP/1.1 200 ", 13) == 0);
}

static void signals_are_ours(void)
{
    struct sigaction action;
    sigset_t mask;
    const int numbers[] = {SIGTERM, SIGINT, SIGHUP, SIGPIPE};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        EXPECT(sigaction(numbers[i], NULL, &action) == 0 && action.sa_handler == SIG_DFL);
        EXPECT(pthread_sigmask(SIG_BLOCK, NULL, &mask) == 0 && sigismember(&mask, numbers[i]) == 0);
    }
}

int main(void)
{
    char message[256];
    small_stop(); /* does nothing */
    EXPECT(small_port(0) == 0);
    for (int round = 0; round < 3; round++) {
        EXPECT(small_start(message, sizeof message) == 0);
        EXPECT(large_start(message, sizeof message) == 0);
        EXPECT(small_port(0) != 0 && large_port(0) != 0 && small_port(0) != large_port(0));
        EXPECT(large_port(1) != 0 && large_port(1) != large_port(0) && large_port(2) == 0);
        both_ask();
        signals_are_ours();
        message[0] = '\0';
        EXPECT(small_start(message, sizeof message) == 2);
        EXPECT(strcmp(message, "the server runs already") == 0);
        both_ask(); /* that did no harm */
        uint16_t port = small_port(0);
        int idle = client_open(port);
        EXPECT(idle >= 0);
        small_stop();
        EXPECT(small_port(0) == 0);
        EXPECT(client_open(port) < 0);
        char byte;
        EXPECT(read(idle, &byte, 1) == 0);
        close(idle);
        static char answer[1000];
        EXPECT(ask(large_port(0), GET("/name"), answer, sizeof answer) > 0); /* the other goes on */
        large_stop();
        large_stop();
    }
    /* One that cannot start leaves nothing behind, and can start later. */
    setenv("SMALL_PORT", "70000", 1);
    EXPECT(small_start(message, sizeof message) == 2);
    EXPECT(strstr(message, "SMALL_PORT") != NULL && strchr(message, '\n') == NULL);
    setenv("SMALL_PORT", "0", 1);
    EXPECT(small_start(message, 5) == 0);
    small_stop();
    puts(wrong == 0 ? "all is well" : "not all is well");
    return wrong;
}

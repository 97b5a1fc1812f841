/* Code generated from hello.yaml by hardwire; DO NOT EDIT.
 * This file may be used under any terms.
 *
 * The runtime of hello: the files that its spec uses, compiled as one unit against its constants.
 */
#define _GNU_SOURCE /* epoll, accept4 and the kernel's other interfaces that POSIX lacks */

#include "hello_config.h"

#include <hardwire/generated.h>

#if HW_INTERFACE != 2
#error "hello_runtime.c was generated for interface 2 of the hardwire runtime; run: hardwire generate hello.yaml"
#endif

static const struct hw_listener hw_listeners[HW_LISTENERS] = {
    {
        .kind = HW_LISTEN_IPV4,
        .address = "0.0.0.0",
        .port = 8080,
        .protocols = HW_PROTOCOL_HTTP1,
    },
};

#include "core/clock.c"
#include "core/log.c"
#include "core/pool.c"
#include "core/wheel.c"
#include "core/mailbox.c"
#include "core/workers.c"
#include "io/loop.c"
#include "io/listener.c"
#include "io/plain.c"
#include "io/stream.c"
#include "http/exchange.c"
#include "http/path.c"
#include "http/host.c"
#include "http/status.c"
#include "http/request.c"
#include "http/response.c"
#include "http/dispatch.c"
#include "http/begin.c"
#include "http/connection.c"
#include "http1/parse.c"
#include "http1/write.c"
#include "http1/receive.c"
#include "http1/respond.c"
#include "http1/connection.c"
#include "http2/none.c"
#include "serve/thread.c"
#include "serve/server.c"
#include "serve/main.c"

/* As in hello.h, which is not included: a handler may have the name of a function of the system's headers that the
 * runtime does not call. */
int hello_start(char *message, size_t message_size);
void hello_stop(void);
void hello_reload(void);
uint16_t hello_port(unsigned listener);

int hello_start(char *message, size_t message_size)
{
    return hw_server_start(message, message_size);
}

void hello_stop(void)
{
    hw_server_stop();
}

void hello_reload(void)
{
    hw_server_reload();
}

uint16_t hello_port(unsigned listener)
{
    return hw_server_port(listener);
}

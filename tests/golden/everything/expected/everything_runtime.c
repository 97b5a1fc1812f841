/* Code generated from everything.yaml by hardwire; DO NOT EDIT.
 * This file may be used under any terms.
 *
 * The runtime of everything: the files that its spec uses, compiled as one unit against its constants.
 */
#define _GNU_SOURCE /* epoll, accept4 and the kernel's other interfaces that POSIX lacks */

#include "everything_config.h"

#include <hardwire/generated.h>

#if HW_INTERFACE != 2
#error "everything_runtime.c was generated for interface 2 of the hardwire runtime; run: hardwire generate everything.yaml"
#endif

static const struct hw_tls_identity hw_identities_3[] = {
    {
        .certificate = {.text = "certs/everything.pem", .env = "CERTIFICATE"},
        .key = {.text = "certs/everything.key"},
        .ocsp = {.text = "certs/everything.ocsp"},
        .password_env = "KEY_PASSWORD",
    },
    {
        .certificate = {.text = "certs/other \"one\".pem"},
        .key = {.text = "certs/other.key"},
    },
    {
        .pkcs12 = {.text = "certs/wildcard.p12", .env = "WILDCARD"},
        .password_env = "WILDCARD_PASSWORD",
    },
};

static const struct hw_tls_settings hw_tls_settings_3 = {
    .identities = hw_identities_3,
    .identity_count = 3,
    .client_auth = HW_CLIENT_AUTH_WANT,
    .client_ca = {.text = "certs/clients.pem"},
};

static const struct hw_listener hw_listeners[HW_LISTENERS] = {
    {
        .kind = HW_LISTEN_IPV4,
        .address = "0.0.0.0",
        .port = 8080,
        .protocols = HW_PROTOCOL_HTTP1,
    },
    {
        .kind = HW_LISTEN_IPV6,
        .address = "::1",
        .port = 0,
        .protocols = HW_PROTOCOL_HTTP1,
    },
    {
        .kind = HW_LISTEN_IPV4,
        .address = "127.0.0.1",
        .address_env = "ADDRESS",
        .port = 9090,
        .port_env = "PORT",
        .protocols = HW_PROTOCOL_HTTP2,
    },
    {
        .kind = HW_LISTEN_IPV4,
        .address = "0.0.0.0",
        .port = 8443,
        .port_env = "TLS_PORT",
        .protocols = HW_PROTOCOL_HTTP1 | HW_PROTOCOL_HTTP2,
        .tls = &hw_tls_settings_3,
    },
    {
        .kind = HW_LISTEN_UNIX,
        .address = "/run/everything.sock",
        .protocols = HW_PROTOCOL_HTTP1 | HW_PROTOCOL_HTTP2,
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
#include "io/tls_memory.c"
#include "io/tls_bio.c"
#include "io/tls_identity.c"
#include "io/tls_ticket.c"
#include "io/tls_context.c"
#include "io/tls.c"
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
#include "http2/frame.c"
#include "http2/hpack.c"
#include "http2/stream.c"
#include "http2/request.c"
#include "http2/receive.c"
#include "http2/respond.c"
#include "http2/connection.c"
#include "serve/thread.c"
#include "serve/server.c"
#include "serve/main.c"

/* As in everything.h, which is not included: a handler may have the name of a function of the system's headers that the
 * runtime does not call. */
int everything_start(char *message, size_t message_size);
void everything_stop(void);
void everything_reload(void);
uint16_t everything_port(unsigned listener);

int everything_start(char *message, size_t message_size)
{
    return hw_server_start(message, message_size);
}

void everything_stop(void)
{
    hw_server_stop();
}

void everything_reload(void)
{
    hw_server_reload();
}

uint16_t everything_port(unsigned listener)
{
    return hw_server_port(listener);
}

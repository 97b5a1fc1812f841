/* The contract between generated code and the runtime: what NAME_routes.c, NAME_responses.c and NAME_main.c define and
 * call. Handlers do not include it.
 *
 * Any change to this file, to the constants that NAME_config.h must hold, or to the meaning of either, raises
 * HW_INTERFACE; generated code checks it when it is compiled.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef HARDWIRE_GENERATED_H
#define HARDWIRE_GENERATED_H

#include <hardwire/hardwire.h>

#define HW_INTERFACE 2

/* The most wildcards that one pattern may have. */
#define HW_CAPTURES_MAX 32

/* ---- Baked answers: heads that are finished but for the date.
 *
 * A head ends with its empty line and holds a placeholder of 29 bytes at date_at, where the runtime puts the IMF-fixdate
 * (RFC 9110 section 5.6.7). */

enum hw_baked_variant {
    HW_BAKED_KEEP,   /* HTTP/1.1, the connection stays: no Connection field */
    HW_BAKED_CLOSE,  /* Connection: close */
    HW_BAKED_KEEP_10 /* HTTP/1.0 that asked for keep-alive: Connection: keep-alive */
};
#define HW_BAKED_VARIANTS 3

struct hw_baked_head {
    const char *bytes;
    uint16_t size;
    uint16_t date_at;
};

struct hw_baked {
    struct hw_baked_head heads[HW_BAKED_VARIANTS];
    /* The same for HTTP/2: a whole HEADERS frame (RFC 9113 section 6.2) with END_HEADERS, the stream 0 and, when there is
     * no body, END_STREAM. Of static-table references and literals that are not indexed (RFC 7541 section 6.2.2), so that it
     * depends on no state. Size 0 in a server without HTTP/2. */
    struct hw_baked_head frame;
    const char *body;
    size_t body_size;
};

/* ---- Routes. */

enum hw_body_mode {
    HW_BODY_DISCARD, /* read, counted against body_size and thrown away; then the answer */
    HW_BODY_MEMORY,  /* read whole, then the handler */
    HW_BODY_STREAM   /* the handler is called for each piece */
};

struct hw_route {
    const struct hw_baked *baked; /* the answer, or NULL when a handler gives it */
    /* Decodes the parameters and calls the author's handler; NULL when the answer is baked. `piece` is NULL but in mode
     * stream. */
    void (*handle)(const struct hw_request *request, struct hw_response *response, const struct hw_piece *piece);
    const char *pattern; /* as the spec writes it, for the log */
    uint64_t body_size;  /* limits.body_size that holds here */
    uint32_t body_ms;    /* timeouts.body, .write, .handler that hold here */
    uint32_t write_ms;
    uint32_t handler_ms;
    uint8_t body_mode; /* enum hw_body_mode */
    uint8_t worker;    /* 1: run on a worker */
};

struct hw_capture {
    const char *bytes;
    size_t size;
};

/* One question to the dispatch and its answer. */
struct hw_match {
    /* The question. The path is decoded and begins with '/'; a '/' that came as %2F stands in it as a NUL byte, so that
     * it never separates segments. The host is in lower case and has no port. */
    enum hw_method method;
    const char *host;
    size_t host_size;
    const char *path;
    const char *path_end;
    /* The answer. */
    uint32_t allow; /* bit (1u << method) for each method that this path has; filled when route_find returns NULL */
    bool slash;     /* no exact route, but there is one for the path with '/' behind it: redirect there */
    uint32_t capture_count;
    struct hw_capture captures[HW_CAPTURES_MAX]; /* one a wildcard of the route found, in their order in the pattern */
};

/* Defined by NAME_routes.c: the route for this method, host and path, or NULL. A GET route answers HEAD. Any thread. */
const struct hw_route *HW_NAME(route_find)(struct hw_match *match);

/* Defined by NAME_routes.c: every method that some route has, for OPTIONS *. */
extern const uint32_t HW_NAME(route_methods);

/* Defined by NAME_responses.c, and pointed to by the routes; NAME_baked[0] exists even when no answer is baked. */
extern const struct hw_baked HW_NAME(baked)[];

/* ---- Listeners. NAME_runtime.c defines `static const struct hw_listener hw_listeners[HW_LISTENERS]` before it includes
 * the runtime's files. */

enum hw_listener_kind { HW_LISTEN_IPV4, HW_LISTEN_IPV6, HW_LISTEN_UNIX };

enum hw_protocols {
    HW_PROTOCOL_HTTP1 = 1, /* HTTP/1.1 and HTTP/1.0 */
    HW_PROTOCOL_HTTP2 = 2  /* h2 with TLS, h2c (by prior knowledge) without */
};

/* A value that the environment may replace at start: NULL twice when the spec has none. */
struct hw_setting {
    const char *text;
    const char *env;
};

/* One certificate and its key, as files that are opened at start: two PEM files (the chain behind the certificate), or one
 * PKCS12 file. */
struct hw_tls_identity {
    struct hw_setting certificate;
    struct hw_setting key;
    struct hw_setting pkcs12;
    const char *password_env; /* the environment variable that holds the password of the key or the PKCS12 file */
    struct hw_setting ocsp;   /* a DER file of an OCSP response to be stapled */
};

enum hw_client_auth { HW_CLIENT_AUTH_NONE, HW_CLIENT_AUTH_WANT, HW_CLIENT_AUTH_NEED };

struct hw_tls_settings {
    const struct hw_tls_identity *identities; /* the first is the default; the others are chosen by the names in them */
    unsigned identity_count;
    enum hw_client_auth client_auth;
    struct hw_setting client_ca; /* a PEM file of the authorities that client certificates must come from */
};

struct hw_listener {
    enum hw_listener_kind kind;
    const char *address;     /* numeric; a path for HW_LISTEN_UNIX */
    const char *address_env; /* the environment variable that replaces it at start, or NULL */
    uint16_t port;           /* 0: the kernel chooses */
    const char *port_env;
    uint8_t protocols;                 /* bits of enum hw_protocols, at least one */
    const struct hw_tls_settings *tls; /* NULL: plain */
};

/* ---- What the conversion of parameters calls. */

/* The n-th wildcard's text, followed by a NUL. */
struct hw_text hw_capture_get(const struct hw_request *request, unsigned index);

/* The n-th wildcard as decimal digits (with '-' in front for i64) between min and max; false when it is not. */
bool hw_capture_u64(const struct hw_request *request, unsigned index, uint64_t min, uint64_t max, uint64_t *value);
bool hw_capture_i64(const struct hw_request *request, unsigned index, int64_t min, int64_t max, int64_t *value);

/* Answers 400 and names the parameter. */
void hw_capture_refuse(struct hw_response *response, const char *name);

/* ---- Start and stop. One server of a product at a time in a process. */

/* Reserves all memory, binds and listens, starts the threads. Returns 0, or 2 with one line (no newline) in `message`
 * and everything undone. */
int hw_server_start(char *message, size_t message_size);

/* Stops accepting, lets requests in progress end within timeouts.drain, ends the threads, frees everything. Returns
 * when that is done; does nothing when the server does not run. Not from a handler. */
void hw_server_stop(void);

/* Reads the certificates and keys of TLS again: new connections get the new ones. When anything is wrong with them the old
 * ones stay, and a line in the log says why. Does nothing without TLS or when the server does not run. Any thread, one
 * at a time, and not while hw_server_stop is called. */
void hw_server_reload(void);

/* The port that listener n of the spec is bound to; 0 for a unix socket or when the server does not run. */
uint16_t hw_server_port(unsigned listener);

/* The body of main: starts, prints the start line, waits for TERM or INT (HUP: hw_server_reload), drains; a second signal
 * exits at once. Returns the exit status: 0, or 2 after one line on standard error. */
int hw_server_main(void);

#endif

/* The contexts of all listeners, read together: a generation. A reload makes the next one; connections keep the one that
 * they began with, and the last of them frees it. */
#ifndef HW_IO_TLS_CONTEXT_H
#define HW_IO_TLS_CONTEXT_H

#include <stddef.h>

#include <hardwire/generated.h>

#include "io/tls_identity.h"

/* One listener's. */
struct hw_tls_site {
    const struct hw_listener *listener;
    struct hw_tls_host *hosts; /* the first is for clients that name none, or none that we have; NULL: not read */
    unsigned host_count;
};

struct hw_tls_generation {
    struct hw_tls_site sites[HW_LISTENERS]; /* those of plain listeners are empty */
    size_t reference_count;                 /* io/tls.c */
};

/* True when the listener has a session cache. With client certificates it has none: each session would hold a chain. Its
 * clients have tickets. */
static bool hw_tls_site_is_caching(const struct hw_listener *listener);

/* Reads the files of all listeners that have `tls`. NULL with one line in `message` when anything is wrong. */
static struct hw_tls_generation *hw_tls_generation_load(char *message, size_t message_size);

/* Frees it; connections that still use one of its contexts must not look at names any more. */
static void hw_tls_generation_free(struct hw_tls_generation *generation);

#endif

/* The host of a request: RFC 9110 section 7.2, RFC 3986 section 3.2.2. */
#ifndef HW_HTTP_HOST_H
#define HW_HTTP_HOST_H

#include <stdbool.h>
#include <stddef.h>

/* Checks a Host value or an authority, uri-host [":" port], and copies the host in lower case, without the port, with a
 * NUL behind it. An empty one is valid. False: not valid, or longer than room - 1. */
static bool hw_host_read(const char *value, size_t size, char *host, size_t room, size_t *host_size);

#endif

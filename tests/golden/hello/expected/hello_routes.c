/* Code generated from hello.yaml by hardwire; DO NOT EDIT.
 * This file may be used under any terms.
 *
 * The routes: what answers each of them, and the dispatch from a request's method, host and path to its route.
 */
#include "hello_config.h"

#include "hello.h"
#include <hardwire/generated.h>
#include <string.h>

#if HW_INTERFACE != 2
#error "hello_routes.c was generated for interface 2 of the hardwire runtime; run: hardwire generate hello.yaml"
#endif

#define HW_BIT(method) (1u << HW_METHOD_##method)
#define HW_BIT_ANY UINT32_MAX

const uint32_t hello_route_methods = HW_BIT(GET) | HW_BIT(HEAD);

/* Places in hw_routes. */
enum {
    HW_AT_GET_hello,
};

static const struct hw_route hw_routes[] = {
    {
        .pattern = "GET /hello",
        .baked = &hello_baked[0],
        .body_size = HW_LIMITS_BODY_SIZE,
        .body_ms = HW_TIMEOUTS_BODY,
        .write_ms = HW_TIMEOUTS_WRITE,
        .handler_ms = HW_TIMEOUTS_HANDLER,
    },
};

/* Returned where the search ends because the path lacks only its last '/'. */
static const struct hw_route hw_slash_route = {.pattern = "/"};

/* The path ends at this route. The methods of one that does not fit are told in Allow, should none fit. */
static const struct hw_route *hw_route_try(struct hw_match *m, uint32_t methods, size_t route, uint32_t captures)
{
    if ((methods >> m->method & 1u) == 0) {
        m->allow |= methods;
        return NULL;
    }
    m->slash = false;
    m->capture_count = captures;
    return &hw_routes[route];
}

static const char *hw_segment_end(const struct hw_match *m, const char *segment)
{
    const char *slash = memchr(segment, '/', (size_t)(m->path_end - segment));
    return slash != NULL ? slash : m->path_end;
}

/* What follows / */
static const struct hw_route *node_root(struct hw_match *m, const char *at)
{
    const char *segment = at + 1;
    const char *end = hw_segment_end(m, segment);
    const struct hw_route *route = NULL;
    switch (end - segment) {
    case 5:
        if (memcmp(segment, "hello", 5) == 0)
            route = end == m->path_end ? hw_route_try(m, HW_BIT(GET) | HW_BIT(HEAD), HW_AT_GET_hello, 0) : NULL;
        break;
    default:
        break;
    }
    return route;
}

const struct hw_route *hello_route_find(struct hw_match *m)
{
    m->allow = 0;
    m->slash = false;
    m->capture_count = 0;
    const struct hw_route *route = NULL;
    route = node_root(m, m->path);
    return route == &hw_slash_route ? NULL : route;
}

/* Code generated from library.yaml by hardwire; DO NOT EDIT.
 * This file may be used under any terms.
 *
 * The routes: what answers each of them, and the dispatch from a request's method, host and path to its route.
 */
#include "library_config.h"

#include "library.h"
#include <hardwire/generated.h>
#include <string.h>

#if HW_INTERFACE != 2
#error "library_routes.c was generated for interface 2 of the hardwire runtime; run: hardwire generate library.yaml"
#endif

#define HW_BIT(method) (1u << HW_METHOD_##method)
#define HW_BIT_ANY UINT32_MAX

const uint32_t library_route_methods = HW_BIT(GET) | HW_BIT(HEAD) | HW_BIT(POST) | HW_BIT(PUT);

static void route_GET_ant(const struct hw_request *request, struct hw_response *response, const struct hw_piece *piece)
{
    (void)piece;
    ant_get(request, response);
}

static void route_PUT_ant(const struct hw_request *request, struct hw_response *response, const struct hw_piece *piece)
{
    (void)piece;
    ant_put(request, response);
}

static void route_POST_ant_name_feed(const struct hw_request *request, struct hw_response *response,
                                     const struct hw_piece *piece)
{
    (void)piece;
    struct library_feed_params params;
    params.name = hw_capture_get(request, 0);
    feed(request, response, &params);
}

static void route_GET_bee(const struct hw_request *request, struct hw_response *response, const struct hw_piece *piece)
{
    (void)piece;
    bee_get(request, response);
}

static void route_GET_cat(const struct hw_request *request, struct hw_response *response, const struct hw_piece *piece)
{
    (void)piece;
    cat_get(request, response);
}

static void route_GET_dog(const struct hw_request *request, struct hw_response *response, const struct hw_piece *piece)
{
    (void)piece;
    dog_get(request, response);
}

static void route_GET_eel(const struct hw_request *request, struct hw_response *response, const struct hw_piece *piece)
{
    (void)piece;
    eel_get(request, response);
}

static void route_GET_fox(const struct hw_request *request, struct hw_response *response, const struct hw_piece *piece)
{
    (void)piece;
    fox_get(request, response);
}

static void route_PUT_fox(const struct hw_request *request, struct hw_response *response, const struct hw_piece *piece)
{
    (void)piece;
    fox_put(request, response);
}

static void route_GET_gnu(const struct hw_request *request, struct hw_response *response, const struct hw_piece *piece)
{
    (void)piece;
    gnu_get(request, response);
}

static void route_GET_hen(const struct hw_request *request, struct hw_response *response, const struct hw_piece *piece)
{
    (void)piece;
    hen_get(request, response);
}

static void route_GET_ibis(const struct hw_request *request, struct hw_response *response, const struct hw_piece *piece)
{
    (void)piece;
    ibis_get(request, response);
}

static void route_GET_jay(const struct hw_request *request, struct hw_response *response, const struct hw_piece *piece)
{
    (void)piece;
    jay_get(request, response);
}

static void route_GET_kite(const struct hw_request *request, struct hw_response *response, const struct hw_piece *piece)
{
    (void)piece;
    kite_get(request, response);
}

static void route_PUT_kite(const struct hw_request *request, struct hw_response *response, const struct hw_piece *piece)
{
    (void)piece;
    kite_put(request, response);
}

static void route_GET_lynx(const struct hw_request *request, struct hw_response *response, const struct hw_piece *piece)
{
    (void)piece;
    lynx_get(request, response);
}

static void route_GET_mole(const struct hw_request *request, struct hw_response *response, const struct hw_piece *piece)
{
    (void)piece;
    mole_get(request, response);
}

static void route_GET_newt(const struct hw_request *request, struct hw_response *response, const struct hw_piece *piece)
{
    (void)piece;
    newt_get(request, response);
}

static void route_GET_owl(const struct hw_request *request, struct hw_response *response, const struct hw_piece *piece)
{
    (void)piece;
    owl_get(request, response);
}

static void route_GET_pig(const struct hw_request *request, struct hw_response *response, const struct hw_piece *piece)
{
    (void)piece;
    pig_get(request, response);
}

static void route_PUT_pig(const struct hw_request *request, struct hw_response *response, const struct hw_piece *piece)
{
    (void)piece;
    pig_put(request, response);
}

static void route_GET_quail(const struct hw_request *request, struct hw_response *response,
                            const struct hw_piece *piece)
{
    (void)piece;
    quail_get(request, response);
}

static void route_GET_rat(const struct hw_request *request, struct hw_response *response, const struct hw_piece *piece)
{
    (void)piece;
    rat_get(request, response);
}

/* Places in hw_routes. */
enum {
    HW_AT_GET_ant,
    HW_AT_PUT_ant,
    HW_AT_POST_ant_name_feed,
    HW_AT_GET_bee,
    HW_AT_GET_cat,
    HW_AT_GET_dog,
    HW_AT_GET_eel,
    HW_AT_GET_fox,
    HW_AT_PUT_fox,
    HW_AT_GET_gnu,
    HW_AT_POST_gnu_name_feed,
    HW_AT_GET_hen,
    HW_AT_GET_ibis,
    HW_AT_GET_jay,
    HW_AT_GET_kite,
    HW_AT_PUT_kite,
    HW_AT_GET_lynx,
    HW_AT_GET_mole,
    HW_AT_POST_mole_name_feed,
    HW_AT_GET_newt,
    HW_AT_GET_owl,
    HW_AT_GET_pig,
    HW_AT_PUT_pig,
    HW_AT_GET_quail,
    HW_AT_GET_rat,
};

static const struct hw_route hw_routes[] = {
    {
        .pattern = "GET /ant",
        .handle = route_GET_ant,
        .body_size = HW_LIMITS_BODY_SIZE,
        .body_ms = HW_TIMEOUTS_BODY,
        .write_ms = HW_TIMEOUTS_WRITE,
        .handler_ms = HW_TIMEOUTS_HANDLER,
    },
    {
        .pattern = "PUT /ant",
        .handle = route_PUT_ant,
        .body_size = HW_LIMITS_BODY_SIZE,
        .body_ms = HW_TIMEOUTS_BODY,
        .write_ms = HW_TIMEOUTS_WRITE,
        .handler_ms = HW_TIMEOUTS_HANDLER,
    },
    {
        .pattern = "POST /ant/{name}/feed",
        .handle = route_POST_ant_name_feed,
        .body_size = HW_LIMITS_BODY_SIZE,
        .body_ms = HW_TIMEOUTS_BODY,
        .write_ms = HW_TIMEOUTS_WRITE,
        .handler_ms = HW_TIMEOUTS_HANDLER,
    },
    {
        .pattern = "GET /bee",
        .handle = route_GET_bee,
        .body_size = HW_LIMITS_BODY_SIZE,
        .body_ms = HW_TIMEOUTS_BODY,
        .write_ms = HW_TIMEOUTS_WRITE,
        .handler_ms = HW_TIMEOUTS_HANDLER,
    },
    {
        .pattern = "GET /cat",
        .handle = route_GET_cat,
        .body_size = HW_LIMITS_BODY_SIZE,
        .body_ms = HW_TIMEOUTS_BODY,
        .write_ms = HW_TIMEOUTS_WRITE,
        .handler_ms = HW_TIMEOUTS_HANDLER,
    },
    {
        .pattern = "GET /dog",
        .handle = route_GET_dog,
        .body_size = HW_LIMITS_BODY_SIZE,
        .body_ms = HW_TIMEOUTS_BODY,
        .write_ms = HW_TIMEOUTS_WRITE,
        .handler_ms = HW_TIMEOUTS_HANDLER,
    },
    {
        .pattern = "GET /eel",
        .handle = route_GET_eel,
        .body_size = HW_LIMITS_BODY_SIZE,
        .body_ms = HW_TIMEOUTS_BODY,
        .write_ms = HW_TIMEOUTS_WRITE,
        .handler_ms = HW_TIMEOUTS_HANDLER,
    },
    {
        .pattern = "GET /fox",
        .handle = route_GET_fox,
        .body_size = HW_LIMITS_BODY_SIZE,
        .body_ms = HW_TIMEOUTS_BODY,
        .write_ms = HW_TIMEOUTS_WRITE,
        .handler_ms = HW_TIMEOUTS_HANDLER,
    },
    {
        .pattern = "PUT /fox",
        .handle = route_PUT_fox,
        .body_size = HW_LIMITS_BODY_SIZE,
        .body_ms = HW_TIMEOUTS_BODY,
        .write_ms = HW_TIMEOUTS_WRITE,
        .handler_ms = HW_TIMEOUTS_HANDLER,
    },
    {
        .pattern = "GET /gnu",
        .handle = route_GET_gnu,
        .body_size = HW_LIMITS_BODY_SIZE,
        .body_ms = HW_TIMEOUTS_BODY,
        .write_ms = HW_TIMEOUTS_WRITE,
        .handler_ms = HW_TIMEOUTS_HANDLER,
    },
    {
        .pattern = "POST /gnu/{name}/feed",
        .handle = route_POST_ant_name_feed,
        .body_size = HW_LIMITS_BODY_SIZE,
        .body_ms = HW_TIMEOUTS_BODY,
        .write_ms = HW_TIMEOUTS_WRITE,
        .handler_ms = HW_TIMEOUTS_HANDLER,
    },
    {
        .pattern = "GET /hen",
        .handle = route_GET_hen,
        .body_size = HW_LIMITS_BODY_SIZE,
        .body_ms = HW_TIMEOUTS_BODY,
        .write_ms = HW_TIMEOUTS_WRITE,
        .handler_ms = HW_TIMEOUTS_HANDLER,
    },
    {
        .pattern = "GET /ibis",
        .handle = route_GET_ibis,
        .body_size = HW_LIMITS_BODY_SIZE,
        .body_ms = HW_TIMEOUTS_BODY,
        .write_ms = HW_TIMEOUTS_WRITE,
        .handler_ms = HW_TIMEOUTS_HANDLER,
    },
    {
        .pattern = "GET /jay",
        .handle = route_GET_jay,
        .body_size = HW_LIMITS_BODY_SIZE,
        .body_ms = HW_TIMEOUTS_BODY,
        .write_ms = HW_TIMEOUTS_WRITE,
        .handler_ms = HW_TIMEOUTS_HANDLER,
    },
    {
        .pattern = "GET /kite",
        .handle = route_GET_kite,
        .body_size = HW_LIMITS_BODY_SIZE,
        .body_ms = HW_TIMEOUTS_BODY,
        .write_ms = HW_TIMEOUTS_WRITE,
        .handler_ms = HW_TIMEOUTS_HANDLER,
    },
    {
        .pattern = "PUT /kite",
        .handle = route_PUT_kite,
        .body_size = HW_LIMITS_BODY_SIZE,
        .body_ms = HW_TIMEOUTS_BODY,
        .write_ms = HW_TIMEOUTS_WRITE,
        .handler_ms = HW_TIMEOUTS_HANDLER,
    },
    {
        .pattern = "GET /lynx",
        .handle = route_GET_lynx,
        .body_size = HW_LIMITS_BODY_SIZE,
        .body_ms = HW_TIMEOUTS_BODY,
        .write_ms = HW_TIMEOUTS_WRITE,
        .handler_ms = HW_TIMEOUTS_HANDLER,
    },
    {
        .pattern = "GET /mole",
        .handle = route_GET_mole,
        .body_size = HW_LIMITS_BODY_SIZE,
        .body_ms = HW_TIMEOUTS_BODY,
        .write_ms = HW_TIMEOUTS_WRITE,
        .handler_ms = HW_TIMEOUTS_HANDLER,
    },
    {
        .pattern = "POST /mole/{name}/feed",
        .handle = route_POST_ant_name_feed,
        .body_size = HW_LIMITS_BODY_SIZE,
        .body_ms = HW_TIMEOUTS_BODY,
        .write_ms = HW_TIMEOUTS_WRITE,
        .handler_ms = HW_TIMEOUTS_HANDLER,
    },
    {
        .pattern = "GET /newt",
        .handle = route_GET_newt,
        .body_size = HW_LIMITS_BODY_SIZE,
        .body_ms = HW_TIMEOUTS_BODY,
        .write_ms = HW_TIMEOUTS_WRITE,
        .handler_ms = HW_TIMEOUTS_HANDLER,
    },
    {
        .pattern = "GET /owl",
        .handle = route_GET_owl,
        .body_size = HW_LIMITS_BODY_SIZE,
        .body_ms = HW_TIMEOUTS_BODY,
        .write_ms = HW_TIMEOUTS_WRITE,
        .handler_ms = HW_TIMEOUTS_HANDLER,
    },
    {
        .pattern = "GET /pig",
        .handle = route_GET_pig,
        .body_size = HW_LIMITS_BODY_SIZE,
        .body_ms = HW_TIMEOUTS_BODY,
        .write_ms = HW_TIMEOUTS_WRITE,
        .handler_ms = HW_TIMEOUTS_HANDLER,
    },
    {
        .pattern = "PUT /pig",
        .handle = route_PUT_pig,
        .body_size = HW_LIMITS_BODY_SIZE,
        .body_ms = HW_TIMEOUTS_BODY,
        .write_ms = HW_TIMEOUTS_WRITE,
        .handler_ms = HW_TIMEOUTS_HANDLER,
    },
    {
        .pattern = "GET /quail",
        .handle = route_GET_quail,
        .body_size = HW_LIMITS_BODY_SIZE,
        .body_ms = HW_TIMEOUTS_BODY,
        .write_ms = HW_TIMEOUTS_WRITE,
        .handler_ms = HW_TIMEOUTS_HANDLER,
    },
    {
        .pattern = "GET /rat",
        .handle = route_GET_rat,
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

/* The same for a route that takes whatever follows. A route for the path with '/' behind it is nearer than this one. */
static const struct hw_route *hw_rest_try(struct hw_match *m, uint32_t methods, size_t route, uint32_t captures)
{
    if ((methods >> m->method & 1u) == 0) {
        m->allow |= methods;
        return NULL;
    }
    m->capture_count = captures;
    return m->slash ? &hw_slash_route : &hw_routes[route];
}

/* With a '/' behind it the path would be that of a route with one of these methods. */
static void hw_slash_note(struct hw_match *m, uint32_t methods)
{
    m->slash = m->slash || (methods >> m->method & 1u) != 0;
    m->allow |= methods;
}

static const char *hw_segment_end(const struct hw_match *m, const char *segment)
{
    const char *slash = memchr(segment, '/', (size_t)(m->path_end - segment));
    return slash != NULL ? slash : m->path_end;
}

/* Whether all that is left of the path is this text. */
static bool hw_ends_with(const struct hw_match *m, const char *at, const char *text, size_t size)
{
    return (size_t)(m->path_end - at) == size && memcmp(at, text, size) == 0;
}

/* The rest of a path that one route alone can have. In its text an empty segment stands for a wildcard. */
struct hw_tail {
    const char *text;
    size_t size;
    enum { HW_ENDS, HW_ENDS_SLASH, HW_ENDS_TREE, HW_ENDS_REST } ending; /* with {$}, a trailing slash, {name...} */
    uint32_t first_capture;
    uint32_t captures;
    uint32_t methods;
    size_t route;
};

/* Compares segment by segment. Returns where the path stands behind the text, or NULL when it differs. */
static const char *hw_tail_compare(struct hw_match *m, const char *at, const struct hw_tail *tail)
{
    uint32_t capture = tail->first_capture;
    const char *text_end = tail->text + tail->size;
    for (const char *text = tail->text; text != text_end;) {
        if (at == m->path_end)
            return NULL;
        const char *slash = memchr(text + 1, '/', (size_t)(text_end - text - 1));
        size_t text_size = (size_t)((slash != NULL ? slash : text_end) - text);
        const char *end = hw_segment_end(m, at + 1);
        size_t size = (size_t)(end - at);
        if (text_size == 1 && size > 1) {
            m->captures[capture].bytes = at + 1;
            m->captures[capture++].size = size - 1;
        } else if (text_size == 1 || size != text_size || memcmp(at, text, size) != 0) {
            return NULL;
        }
        at = end;
        text += text_size;
    }
    return at;
}

static const struct hw_route *hw_tail_try(struct hw_match *m, const char *at, const struct hw_tail *tail)
{
    at = hw_tail_compare(m, at, tail);
    if (at == NULL)
        return NULL;
    if (tail->ending == HW_ENDS)
        return at == m->path_end ? hw_route_try(m, tail->methods, tail->route, tail->captures) : NULL;
    if (at == m->path_end) {
        hw_slash_note(m, tail->methods);
        return NULL;
    }
    if (tail->ending == HW_ENDS_SLASH)
        return at + 1 == m->path_end ? hw_route_try(m, tail->methods, tail->route, tail->captures) : NULL;
    if (tail->ending == HW_ENDS_REST) {
        m->captures[tail->captures - 1].bytes = at + 1;
        m->captures[tail->captures - 1].size = (size_t)(m->path_end - at - 1);
    }
    return hw_rest_try(m, tail->methods, tail->route, tail->captures);
}

/* A perfect hash of many segments at one place: every segment has a slot of its own, found by the seed of its group. */
struct hw_child {
    const char *bytes;
    size_t size;
    const struct hw_route *(*find)(struct hw_match *m, const char *at); /* NULL: the tail is all that may follow */
    const struct hw_tail *tail;
};

struct hw_table {
    const struct hw_child *children;
    const uint16_t *seeds;
    uint32_t key;
    size_t size_max; /* of a segment */
    size_t child_mask;
    size_t seed_mask;
};

/* FNV-1a and the finish of MurmurHash3. */
static uint64_t hw_table_hash(const struct hw_table *table, const char *bytes, size_t size)
{
    uint64_t hash = 14695981039346656037u ^ table->key;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * 1099511628211u;
    hash = (hash ^ hash >> 33) * 0xFF51AFD7ED558CCDu;
    return hash ^ hash >> 33;
}

static const struct hw_child *hw_table_find(const struct hw_table *table, const char *bytes, size_t size)
{
    if (size == 0 || size > table->size_max)
        return NULL;
    uint64_t hash = hw_table_hash(table, bytes, size);
    uint64_t seed = table->seeds[(hash >> 44) & table->seed_mask];
    uint64_t step = (hash >> 22 & 0x3FFFFF) | 1;
    const struct hw_child *child = &table->children[((hash & 0x3FFFFF) + seed * step) & table->child_mask];
    return child->size == size && memcmp(child->bytes, bytes, size) == 0 ? child : NULL;
}

/* What follows /pig */
static const struct hw_route *node_pig(struct hw_match *m, const char *at)
{
    if (at == m->path_end) {
        const struct hw_route *route = hw_route_try(m, HW_BIT(GET) | HW_BIT(HEAD), HW_AT_GET_pig, 0);
        if (route == NULL)
            route = hw_route_try(m, HW_BIT(PUT), HW_AT_PUT_pig, 0);
        return route;
    }
    return NULL;
}

/* What follows /mole */
static const struct hw_route *node_mole(struct hw_match *m, const char *at)
{
    if (at == m->path_end)
        return hw_route_try(m, HW_BIT(GET) | HW_BIT(HEAD), HW_AT_GET_mole, 0);
    const char *segment = at + 1;
    const char *end = hw_segment_end(m, segment);
    const struct hw_route *route = NULL;
    if (end != segment) {
        m->captures[0].bytes = segment;
        m->captures[0].size = (size_t)(end - segment);
        route = hw_ends_with(m, end, "/feed", 5) ? hw_route_try(m, HW_BIT(POST), HW_AT_POST_mole_name_feed, 1) : NULL;
    }
    return route;
}

/* What follows /kite */
static const struct hw_route *node_kite(struct hw_match *m, const char *at)
{
    if (at == m->path_end) {
        const struct hw_route *route = hw_route_try(m, HW_BIT(GET) | HW_BIT(HEAD), HW_AT_GET_kite, 0);
        if (route == NULL)
            route = hw_route_try(m, HW_BIT(PUT), HW_AT_PUT_kite, 0);
        return route;
    }
    return NULL;
}

/* What follows /gnu */
static const struct hw_route *node_gnu(struct hw_match *m, const char *at)
{
    if (at == m->path_end)
        return hw_route_try(m, HW_BIT(GET) | HW_BIT(HEAD), HW_AT_GET_gnu, 0);
    const char *segment = at + 1;
    const char *end = hw_segment_end(m, segment);
    const struct hw_route *route = NULL;
    if (end != segment) {
        m->captures[0].bytes = segment;
        m->captures[0].size = (size_t)(end - segment);
        route = hw_ends_with(m, end, "/feed", 5) ? hw_route_try(m, HW_BIT(POST), HW_AT_POST_gnu_name_feed, 1) : NULL;
    }
    return route;
}

/* What follows /fox */
static const struct hw_route *node_fox(struct hw_match *m, const char *at)
{
    if (at == m->path_end) {
        const struct hw_route *route = hw_route_try(m, HW_BIT(GET) | HW_BIT(HEAD), HW_AT_GET_fox, 0);
        if (route == NULL)
            route = hw_route_try(m, HW_BIT(PUT), HW_AT_PUT_fox, 0);
        return route;
    }
    return NULL;
}

/* What follows /ant */
static const struct hw_route *node_ant(struct hw_match *m, const char *at)
{
    if (at == m->path_end) {
        const struct hw_route *route = hw_route_try(m, HW_BIT(GET) | HW_BIT(HEAD), HW_AT_GET_ant, 0);
        if (route == NULL)
            route = hw_route_try(m, HW_BIT(PUT), HW_AT_PUT_ant, 0);
        return route;
    }
    const char *segment = at + 1;
    const char *end = hw_segment_end(m, segment);
    const struct hw_route *route = NULL;
    if (end != segment) {
        m->captures[0].bytes = segment;
        m->captures[0].size = (size_t)(end - segment);
        route = hw_ends_with(m, end, "/feed", 5) ? hw_route_try(m, HW_BIT(POST), HW_AT_POST_ant_name_feed, 1) : NULL;
    }
    return route;
}

static const struct hw_tail hw_tail_GET_dog = {
    .text = "",
    .size = 0,
    .ending = HW_ENDS,
    .first_capture = 0,
    .captures = 0,
    .methods = HW_BIT(GET) | HW_BIT(HEAD),
    .route = HW_AT_GET_dog,
};

static const struct hw_tail hw_tail_GET_lynx = {
    .text = "",
    .size = 0,
    .ending = HW_ENDS,
    .first_capture = 0,
    .captures = 0,
    .methods = HW_BIT(GET) | HW_BIT(HEAD),
    .route = HW_AT_GET_lynx,
};

static const struct hw_tail hw_tail_GET_cat = {
    .text = "",
    .size = 0,
    .ending = HW_ENDS,
    .first_capture = 0,
    .captures = 0,
    .methods = HW_BIT(GET) | HW_BIT(HEAD),
    .route = HW_AT_GET_cat,
};

static const struct hw_tail hw_tail_GET_owl = {
    .text = "",
    .size = 0,
    .ending = HW_ENDS,
    .first_capture = 0,
    .captures = 0,
    .methods = HW_BIT(GET) | HW_BIT(HEAD),
    .route = HW_AT_GET_owl,
};

static const struct hw_tail hw_tail_GET_newt = {
    .text = "",
    .size = 0,
    .ending = HW_ENDS,
    .first_capture = 0,
    .captures = 0,
    .methods = HW_BIT(GET) | HW_BIT(HEAD),
    .route = HW_AT_GET_newt,
};

static const struct hw_tail hw_tail_GET_rat = {
    .text = "",
    .size = 0,
    .ending = HW_ENDS,
    .first_capture = 0,
    .captures = 0,
    .methods = HW_BIT(GET) | HW_BIT(HEAD),
    .route = HW_AT_GET_rat,
};

static const struct hw_tail hw_tail_GET_hen = {
    .text = "",
    .size = 0,
    .ending = HW_ENDS,
    .first_capture = 0,
    .captures = 0,
    .methods = HW_BIT(GET) | HW_BIT(HEAD),
    .route = HW_AT_GET_hen,
};

static const struct hw_tail hw_tail_GET_ibis = {
    .text = "",
    .size = 0,
    .ending = HW_ENDS,
    .first_capture = 0,
    .captures = 0,
    .methods = HW_BIT(GET) | HW_BIT(HEAD),
    .route = HW_AT_GET_ibis,
};

static const struct hw_tail hw_tail_GET_eel = {
    .text = "",
    .size = 0,
    .ending = HW_ENDS,
    .first_capture = 0,
    .captures = 0,
    .methods = HW_BIT(GET) | HW_BIT(HEAD),
    .route = HW_AT_GET_eel,
};

static const struct hw_tail hw_tail_GET_jay = {
    .text = "",
    .size = 0,
    .ending = HW_ENDS,
    .first_capture = 0,
    .captures = 0,
    .methods = HW_BIT(GET) | HW_BIT(HEAD),
    .route = HW_AT_GET_jay,
};

static const struct hw_tail hw_tail_GET_bee = {
    .text = "",
    .size = 0,
    .ending = HW_ENDS,
    .first_capture = 0,
    .captures = 0,
    .methods = HW_BIT(GET) | HW_BIT(HEAD),
    .route = HW_AT_GET_bee,
};

static const struct hw_tail hw_tail_GET_quail = {
    .text = "",
    .size = 0,
    .ending = HW_ENDS,
    .first_capture = 0,
    .captures = 0,
    .methods = HW_BIT(GET) | HW_BIT(HEAD),
    .route = HW_AT_GET_quail,
};

static const struct hw_child hw_children_node_root[32] = {
    [3] = {.bytes = "fox", .size = 3, .find = node_fox},
    [4] = {.bytes = "dog", .size = 3, .tail = &hw_tail_GET_dog},
    [5] = {.bytes = "lynx", .size = 4, .tail = &hw_tail_GET_lynx},
    [6] = {.bytes = "cat", .size = 3, .tail = &hw_tail_GET_cat},
    [8] = {.bytes = "owl", .size = 3, .tail = &hw_tail_GET_owl},
    [9] = {.bytes = "newt", .size = 4, .tail = &hw_tail_GET_newt},
    [10] = {.bytes = "rat", .size = 3, .tail = &hw_tail_GET_rat},
    [13] = {.bytes = "mole", .size = 4, .find = node_mole},
    [15] = {.bytes = "kite", .size = 4, .find = node_kite},
    [16] = {.bytes = "hen", .size = 3, .tail = &hw_tail_GET_hen},
    [17] = {.bytes = "ibis", .size = 4, .tail = &hw_tail_GET_ibis},
    [21] = {.bytes = "eel", .size = 3, .tail = &hw_tail_GET_eel},
    [22] = {.bytes = "pig", .size = 3, .find = node_pig},
    [23] = {.bytes = "jay", .size = 3, .tail = &hw_tail_GET_jay},
    [26] = {.bytes = "ant", .size = 3, .find = node_ant},
    [28] = {.bytes = "bee", .size = 3, .tail = &hw_tail_GET_bee},
    [29] = {.bytes = "quail", .size = 5, .tail = &hw_tail_GET_quail},
    [31] = {.bytes = "gnu", .size = 3, .find = node_gnu},
};

static const uint16_t hw_seeds_node_root[8] = {
    0, 0, 4, 6, 0, 0, 3, 0,
};

static const struct hw_table hw_table_node_root = {
    .children = hw_children_node_root,
    .seeds = hw_seeds_node_root,
    .key = 0u,
    .size_max = 5,
    .child_mask = 32 - 1,
    .seed_mask = 8 - 1,
};

/* What follows / */
static const struct hw_route *node_root(struct hw_match *m, const char *at)
{
    const char *segment = at + 1;
    const char *end = hw_segment_end(m, segment);
    const struct hw_route *route = NULL;
    const struct hw_child *child = hw_table_find(&hw_table_node_root, segment, (size_t)(end - segment));
    if (child != NULL && child->find != NULL)
        route = child->find(m, end);
    else if (child != NULL)
        route = hw_tail_try(m, end, child->tail);
    return route;
}

const struct hw_route *library_route_find(struct hw_match *m)
{
    m->allow = 0;
    m->slash = false;
    m->capture_count = 0;
    const struct hw_route *route = NULL;
    route = node_root(m, m->path);
    return route == &hw_slash_route ? NULL : route;
}

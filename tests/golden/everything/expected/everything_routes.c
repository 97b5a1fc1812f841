/* Code generated from everything.yaml by hardwire; DO NOT EDIT.
 * This file may be used under any terms.
 *
 * The routes: what answers each of them, and the dispatch from a request's method, host and path to its route.
 */
#include "everything_config.h"

#include "everything.h"
#include <hardwire/generated.h>
#include <string.h>

#if HW_INTERFACE != 2
#error "everything_routes.c was generated for interface 2 of the hardwire runtime; run: hardwire generate everything.yaml"
#endif

#define HW_BIT(method) (1u << HW_METHOD_##method)
#define HW_BIT_ANY UINT32_MAX

const uint32_t everything_route_methods = HW_BIT(GET) | HW_BIT(HEAD) | HW_BIT(POST) | HW_BIT(PUT) | HW_BIT(DELETE);

static void route_POST_admin_a(const struct hw_request *request, struct hw_response *response,
                               const struct hw_piece *piece)
{
    (void)piece;
    admin(request, response);
}

static void route_GET_admin_page_end(const struct hw_request *request, struct hw_response *response,
                                     const struct hw_piece *piece)
{
    (void)piece;
    struct everything_page_params params;
    params.page = hw_capture_get(request, 0);
    page(request, response, &params);
}

static void route_GET_files_path(const struct hw_request *request_given, struct hw_response *response_given,
                                 const struct hw_piece *piece_given)
{
    (void)piece_given;
    struct everything_request_params params_given;
    params_given.path = hw_capture_get(request_given, 0);
    request(request_given, response_given, &params_given);
}

static void route_GET_items_id(const struct hw_request *request, struct hw_response *response,
                               const struct hw_piece *piece)
{
    (void)piece;
    struct everything_item_get_params params;
    uint64_t natural;
    if (!hw_capture_u64(request, 0, 1u, 999u, &natural)) {
        hw_capture_refuse(response, "id");
        return;
    }
    params.id = (uint32_t)natural;
    item_get(request, response, &params);
}

static void route_PUT_items_id(const struct hw_request *request, struct hw_response *response,
                               const struct hw_piece *piece)
{
    (void)piece;
    struct everything_item_put_params params;
    uint64_t natural;
    if (!hw_capture_u64(request, 0, 1u, 999u, &natural)) {
        hw_capture_refuse(response, "id");
        return;
    }
    params.id = (uint32_t)natural;
    item_put(request, response, &params);
}

static void route_DELETE_items_id(const struct hw_request *request, struct hw_response *response,
                                  const struct hw_piece *piece)
{
    (void)piece;
    struct everything_item_delete_params params;
    uint64_t natural;
    if (!hw_capture_u64(request, 0, 0u, 4294967295u, &natural)) {
        hw_capture_refuse(response, "id");
        return;
    }
    params.id = (uint32_t)natural;
    item_delete(request, response, &params);
}

static void route_GET_numbers_a_b_c_d(const struct hw_request *request, struct hw_response *response,
                                      const struct hw_piece *piece)
{
    (void)piece;
    struct everything_numbers_params params;
    int64_t integer;
    if (!hw_capture_u64(request, 0, 0u, 18446744073709551615u, &params.a)) {
        hw_capture_refuse(response, "a");
        return;
    }
    if (!hw_capture_i64(request, 1, -5, 2147483647, &integer)) {
        hw_capture_refuse(response, "b");
        return;
    }
    params.b = (int32_t)integer;
    if (!hw_capture_i64(request, 2, INT64_MIN, 9223372036854775807, &params.c)) {
        hw_capture_refuse(response, "c");
        return;
    }
    params.d = hw_capture_get(request, 3);
    numbers(request, response, &params);
}

static void route_POST_upload(const struct hw_request *request, struct hw_response *response,
                              const struct hw_piece *piece)
{
    upload(request, response, piece);
}

static void route_GET_static_example_com_end(const struct hw_request *request, struct hw_response *response,
                                             const struct hw_piece *piece)
{
    (void)piece;
    index(request, response);
}

/* Places in hw_routes. */
enum {
    HW_AT_GET_end,
    HW_AT_POST_admin_a,
    HW_AT_POST_admin_b,
    HW_AT_GET_admin_page_end,
    HW_AT_GET_files_path,
    HW_AT_GET_items_id,
    HW_AT_PUT_items_id,
    HW_AT_DELETE_items_id,
    HW_AT_GET_json,
    HW_AT_GET_numbers_a_b_c_d,
    HW_AT_ANY_old_all,
    HW_AT_GET_same,
    HW_AT_POST_upload,
    HW_AT_GET_static_example_com_end,
    HW_AT_GET_static_example_com_path,
};

static const struct hw_route hw_routes[] = {
    {
        .pattern = "GET /{$}",
        .baked = &everything_baked[0],
        .body_size = HW_LIMITS_BODY_SIZE,
        .body_ms = HW_TIMEOUTS_BODY,
        .write_ms = HW_TIMEOUTS_WRITE,
        .handler_ms = HW_TIMEOUTS_HANDLER,
    },
    {
        .pattern = "POST /admin/a",
        .handle = route_POST_admin_a,
        .body_size = HW_ROUTE_POST_ADMIN_A_LIMITS_BODY_SIZE,
        .body_ms = HW_TIMEOUTS_BODY,
        .write_ms = HW_TIMEOUTS_WRITE,
        .handler_ms = HW_TIMEOUTS_HANDLER,
    },
    {
        .pattern = "POST /admin/b",
        .handle = route_POST_admin_a,
        .body_size = HW_ROUTE_POST_ADMIN_B_LIMITS_BODY_SIZE,
        .body_ms = HW_TIMEOUTS_BODY,
        .write_ms = HW_TIMEOUTS_WRITE,
        .handler_ms = HW_TIMEOUTS_HANDLER,
    },
    {
        .pattern = "GET /admin/{page}/{$}",
        .handle = route_GET_admin_page_end,
        .body_size = HW_ROUTE_GET_ADMIN_PAGE_END_LIMITS_BODY_SIZE,
        .body_ms = HW_TIMEOUTS_BODY,
        .write_ms = HW_TIMEOUTS_WRITE,
        .handler_ms = HW_TIMEOUTS_HANDLER,
    },
    {
        .pattern = "GET /files/{path...}",
        .handle = route_GET_files_path,
        .body_size = HW_LIMITS_BODY_SIZE,
        .body_ms = HW_TIMEOUTS_BODY,
        .write_ms = HW_TIMEOUTS_WRITE,
        .handler_ms = HW_TIMEOUTS_HANDLER,
    },
    {
        .pattern = "GET /items/{id}",
        .handle = route_GET_items_id,
        .body_size = HW_LIMITS_BODY_SIZE,
        .body_ms = HW_TIMEOUTS_BODY,
        .write_ms = HW_TIMEOUTS_WRITE,
        .handler_ms = HW_TIMEOUTS_HANDLER,
    },
    {
        .pattern = "PUT /items/{id}",
        .handle = route_PUT_items_id,
        .body_size = HW_LIMITS_BODY_SIZE,
        .body_ms = HW_TIMEOUTS_BODY,
        .write_ms = HW_TIMEOUTS_WRITE,
        .handler_ms = HW_TIMEOUTS_HANDLER,
        .body_mode = HW_BODY_MEMORY,
    },
    {
        .pattern = "DELETE /items/{id}",
        .handle = route_DELETE_items_id,
        .body_size = HW_LIMITS_BODY_SIZE,
        .body_ms = HW_TIMEOUTS_BODY,
        .write_ms = HW_TIMEOUTS_WRITE,
        .handler_ms = HW_TIMEOUTS_HANDLER,
        .worker = 1,
    },
    {
        .pattern = "GET /json",
        .baked = &everything_baked[1],
        .body_size = HW_LIMITS_BODY_SIZE,
        .body_ms = HW_TIMEOUTS_BODY,
        .write_ms = HW_TIMEOUTS_WRITE,
        .handler_ms = HW_TIMEOUTS_HANDLER,
    },
    {
        .pattern = "GET /numbers/{a}/{b}/{c}/{d}",
        .handle = route_GET_numbers_a_b_c_d,
        .body_size = HW_LIMITS_BODY_SIZE,
        .body_ms = HW_TIMEOUTS_BODY,
        .write_ms = HW_TIMEOUTS_WRITE,
        .handler_ms = HW_TIMEOUTS_HANDLER,
    },
    {
        .pattern = "/old/",
        .baked = &everything_baked[2],
        .body_size = HW_LIMITS_BODY_SIZE,
        .body_ms = HW_TIMEOUTS_BODY,
        .write_ms = HW_TIMEOUTS_WRITE,
        .handler_ms = HW_TIMEOUTS_HANDLER,
    },
    {
        .pattern = "GET /same",
        .baked = &everything_baked[1],
        .body_size = HW_LIMITS_BODY_SIZE,
        .body_ms = HW_TIMEOUTS_BODY,
        .write_ms = HW_TIMEOUTS_WRITE,
        .handler_ms = HW_TIMEOUTS_HANDLER,
    },
    {
        .pattern = "POST /upload",
        .handle = route_POST_upload,
        .body_size = HW_ROUTE_POST_UPLOAD_LIMITS_BODY_SIZE,
        .body_ms = HW_ROUTE_POST_UPLOAD_TIMEOUTS_BODY,
        .write_ms = HW_TIMEOUTS_WRITE,
        .handler_ms = HW_TIMEOUTS_HANDLER,
        .body_mode = HW_BODY_STREAM,
    },
    {
        .pattern = "GET static.example.com/{$}",
        .handle = route_GET_static_example_com_end,
        .body_size = HW_LIMITS_BODY_SIZE,
        .body_ms = HW_TIMEOUTS_BODY,
        .write_ms = HW_TIMEOUTS_WRITE,
        .handler_ms = HW_TIMEOUTS_HANDLER,
    },
    {
        .pattern = "GET static.example.com/{path...}",
        .handle = route_GET_files_path,
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

/* What follows static.example.com/ */
static const struct hw_route *node_static_example_com(struct hw_match *m, const char *at)
{
    const char *segment = at + 1;
    const char *end = hw_segment_end(m, segment);
    const struct hw_route *route = NULL;
    if (end == segment && end == m->path_end)
        route = hw_route_try(m, HW_BIT(GET) | HW_BIT(HEAD), HW_AT_GET_static_example_com_end, 0);
    if (route != NULL)
        return route;
    m->captures[0].bytes = segment;
    m->captures[0].size = (size_t)(m->path_end - segment);
    if (route == NULL)
        route = hw_rest_try(m, HW_BIT(GET) | HW_BIT(HEAD), HW_AT_GET_static_example_com_path, 1);
    return route;
}

/* What follows /items/{id} */
static const struct hw_route *node_items_id(struct hw_match *m, const char *at)
{
    if (at == m->path_end) {
        const struct hw_route *route = hw_route_try(m, HW_BIT(GET) | HW_BIT(HEAD), HW_AT_GET_items_id, 1);
        if (route == NULL)
            route = hw_route_try(m, HW_BIT(PUT), HW_AT_PUT_items_id, 1);
        if (route == NULL)
            route = hw_route_try(m, HW_BIT(DELETE), HW_AT_DELETE_items_id, 1);
        return route;
    }
    return NULL;
}

/* What follows /items */
static const struct hw_route *node_items(struct hw_match *m, const char *at)
{
    if (at == m->path_end)
        return NULL;
    const char *segment = at + 1;
    const char *end = hw_segment_end(m, segment);
    const struct hw_route *route = NULL;
    if (end != segment) {
        m->captures[0].bytes = segment;
        m->captures[0].size = (size_t)(end - segment);
        route = node_items_id(m, end);
    }
    return route;
}

static const struct hw_tail hw_tail_GET_admin_page_end = {
    .text = "",
    .size = 0,
    .ending = HW_ENDS_SLASH,
    .first_capture = 1,
    .captures = 1,
    .methods = HW_BIT(GET) | HW_BIT(HEAD),
    .route = HW_AT_GET_admin_page_end,
};

/* What follows /admin */
static const struct hw_route *node_admin(struct hw_match *m, const char *at)
{
    if (at == m->path_end)
        return NULL;
    const char *segment = at + 1;
    const char *end = hw_segment_end(m, segment);
    const struct hw_route *route = NULL;
    switch (end - segment) {
    case 1:
        if (memcmp(segment, "a", 1) == 0)
            route = end == m->path_end ? hw_route_try(m, HW_BIT(POST), HW_AT_POST_admin_a, 0) : NULL;
        else if (memcmp(segment, "b", 1) == 0)
            route = end == m->path_end ? hw_route_try(m, HW_BIT(POST), HW_AT_POST_admin_b, 0) : NULL;
        break;
    default:
        break;
    }
    if (route == NULL && end != segment) {
        m->captures[0].bytes = segment;
        m->captures[0].size = (size_t)(end - segment);
        route = hw_tail_try(m, end, &hw_tail_GET_admin_page_end);
    }
    return route;
}

static const struct hw_tail hw_tail_ANY_old_all = {
    .text = "",
    .size = 0,
    .ending = HW_ENDS_TREE,
    .first_capture = 0,
    .captures = 0,
    .methods = HW_BIT_ANY,
    .route = HW_AT_ANY_old_all,
};

static const struct hw_tail hw_tail_GET_files_path = {
    .text = "",
    .size = 0,
    .ending = HW_ENDS_REST,
    .first_capture = 0,
    .captures = 1,
    .methods = HW_BIT(GET) | HW_BIT(HEAD),
    .route = HW_AT_GET_files_path,
};

static const struct hw_tail hw_tail_GET_numbers_a_b_c_d = {
    .text = "////",
    .size = 4,
    .ending = HW_ENDS,
    .first_capture = 0,
    .captures = 4,
    .methods = HW_BIT(GET) | HW_BIT(HEAD),
    .route = HW_AT_GET_numbers_a_b_c_d,
};

/* What follows / */
static const struct hw_route *node_root(struct hw_match *m, const char *at)
{
    const char *segment = at + 1;
    const char *end = hw_segment_end(m, segment);
    const struct hw_route *route = NULL;
    switch (end - segment) {
    case 3:
        if (memcmp(segment, "old", 3) == 0)
            route = hw_tail_try(m, end, &hw_tail_ANY_old_all);
        break;
    case 4:
        if (memcmp(segment, "json", 4) == 0)
            route = end == m->path_end ? hw_route_try(m, HW_BIT(GET) | HW_BIT(HEAD), HW_AT_GET_json, 0) : NULL;
        else if (memcmp(segment, "same", 4) == 0)
            route = end == m->path_end ? hw_route_try(m, HW_BIT(GET) | HW_BIT(HEAD), HW_AT_GET_same, 0) : NULL;
        break;
    case 5:
        if (memcmp(segment, "admin", 5) == 0)
            route = node_admin(m, end);
        else if (memcmp(segment, "files", 5) == 0)
            route = hw_tail_try(m, end, &hw_tail_GET_files_path);
        else if (memcmp(segment, "items", 5) == 0)
            route = node_items(m, end);
        break;
    case 6:
        if (memcmp(segment, "upload", 6) == 0)
            route = end == m->path_end ? hw_route_try(m, HW_BIT(POST), HW_AT_POST_upload, 0) : NULL;
        break;
    case 7:
        if (memcmp(segment, "numbers", 7) == 0)
            route = hw_tail_try(m, end, &hw_tail_GET_numbers_a_b_c_d);
        break;
    default:
        break;
    }
    if (route == NULL && end == segment && end == m->path_end)
        route = hw_route_try(m, HW_BIT(GET) | HW_BIT(HEAD), HW_AT_GET_end, 0);
    return route;
}

const struct hw_route *everything_route_find(struct hw_match *m)
{
    m->allow = 0;
    m->slash = false;
    m->capture_count = 0;
    const struct hw_route *route = NULL;
    switch (m->host_size) {
    case 18:
        if (memcmp(m->host, "static.example.com", 18) == 0)
            route = node_static_example_com(m, m->path);
        break;
    default:
        break;
    }
    if (route == NULL)
        route = node_root(m, m->path);
    return route == &hw_slash_route ? NULL : route;
}

#include "http/dispatch.h"

#include <string.h>

#include "http/host.h"
#include "http/path.h"
#include "http/request.h"
#include "http/response.h"

/* Skips the scheme and authority of an absolute-form target; returns where its path begins, or 0 when it is wrong. */
static size_t hw_dispatch_authority_read(struct hw_request *request, const char *target, size_t size)
{
    size_t at = 0;
    if (size > 7 && hw_name_is_equal(target, 7, "http://", 7))
        at = 7;
    else if (size > 8 && hw_name_is_equal(target, 8, "https://", 8))
        at = 8;
    else
        return 0;
    size_t end = at;
    while (end < size && target[end] != '/' && target[end] != '?')
        end++;
    size_t host_size;
    if (end == at || !hw_host_read(target + at, end - at, request->host, sizeof request->host, &host_size))
        return 0;
    request->host_size = (uint32_t)host_size;
    return end;
}

/* Only visible ASCII may stand in a target, and no fragment (RFC 9112 section 3.2). */
static bool hw_dispatch_target_is_clean(const char *target, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)target[i];
        if (c <= 0x20 || c >= 0x7f || c == '#')
            return false;
    }
    return true;
}

static unsigned hw_dispatch_target_read(struct hw_exchange *exchange)
{
    struct hw_request *request = &exchange->request;
    const char *target = exchange->in + request->target_at;
    size_t size = request->target_size;
    size_t begin = 0;
    if (!hw_dispatch_target_is_clean(target, size))
        return 400;
    if (size == 1 && target[0] == '*') {
        request->path_size = 0;
        return request->method == HW_METHOD_OPTIONS ? 0 : 400;
    }
    if (target[0] != '/') {
        begin = hw_dispatch_authority_read(request, target, size);
        if (begin == 0)
            return 400;
    }
    const char *mark = memchr(target + begin, '?', size - begin);
    size_t path_end = mark == NULL ? size : (size_t)(mark - target);
    if (mark != NULL) {
        request->query_at = request->target_at + (uint32_t)path_end + 1;
        request->query_size = (uint32_t)(size - path_end - 1);
        if (hw_query_count(mark + 1, request->query_size) > HW_LIMITS_PARAMETERS)
            return 400;
    }
    if (path_end == begin) { /* absolute-form without a path */
        memcpy(exchange->path, "/", 2);
        request->path_size = 1;
        return 0;
    }
    request->path_size = (uint32_t)hw_path_decode(target + begin, path_end - begin, exchange->path);
    return request->path_size == 0 ? 400 : 0;
}

static void hw_dispatch_route_find(struct hw_exchange *exchange)
{
    struct hw_request *request = &exchange->request;
    if (request->path_size == 0) { /* OPTIONS * */
        exchange->verdict = 204;
        exchange->allow = HW_NAME(route_methods);
        return;
    }
    struct hw_match match;
    match.method = (enum hw_method)request->method;
    match.host = request->host;
    match.host_size = request->host_size;
    match.path = exchange->path;
    match.path_end = exchange->path + request->path_size;
    exchange->route = HW_NAME(route_find)(&match);
    if (exchange->route != NULL) {
        hw_request_captures_keep(exchange, &match);
        return;
    }
    exchange->allow = match.allow;
    if (match.slash)
        exchange->verdict = 308;
    else if (match.allow == 0)
        exchange->verdict = 404;
    else
        exchange->verdict = request->method == HW_METHOD_OPTIONS ? 204 : 405;
}

static void hw_dispatch_verdict_send(struct hw_exchange *exchange)
{
    switch (exchange->verdict) {
    case 308:
        hw_response_slash_send(exchange);
        break;
    case 204:
    case 405:
        hw_response_allow_send(exchange, exchange->verdict, exchange->allow);
        break;
    default:
        hw_response_status_send(exchange, exchange->verdict);
    }
}

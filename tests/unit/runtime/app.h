/* A product for the tests that drive whole connections: routes of every kind, and handlers that keep books, so that a
 * test can ask whether each thing that was lent came back once.
 *
 *   GET  /b             a small baked answer
 *   GET  /l             a large baked answer
 *   POST /d             body mode discard
 *   POST /m, /M         body mode memory, on the IO thread and on a worker: the body itself, borrowed
 *   POST /s, /S         body mode stream, likewise: "SIZE HASH" at the end; first byte of a piece 'E': answers early,
 *                       'F': adds a field, 'P': suspends
 *   GET  /c, /C         an answer in chunks, likewise
 *   GET  /u, /v, /x     suspends; resumed with a text, with a stream that began before, with nothing at all
 *   GET  /f             sends nothing
 *   GET  /k             as many bytes as one answer may have
 *   GET  /r             205, with a body that may not be sent
 *   GET  /e             suspends; a stream that fills its ring, and ends the next time that it is resumed
 *   GET  /w/{a}/{b...}  its captures, and the parameter "q"
 *   GET  /dir/          and not /dir
 */
#ifndef HW_TEST_APP_H
#define HW_TEST_APP_H

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hardwire/generated.h>

#define APP_LARGE_SIZE 9000u
#define APP_CHUNKS 7u
#define APP_CHUNK_SIZE 301u
#define APP_HASH_BEGIN 2166136261u
#define APP_SUSPENDED_MAX 64u

/* The books. */
static _Atomic int app_borrowed; /* bodies lent to the runtime and not released yet */
static _Atomic int app_states;   /* what hw_state_get holds, allocated and not freed yet */
static _Atomic int app_faults;   /* things that must never happen */

/* A test with threads defines these before it includes this file. */
#ifndef APP_LOCK
#define APP_LOCK (void)0
#define APP_UNLOCK (void)0
#endif

/* What waits to be resumed. */
static struct hw_response *app_suspended[APP_SUSPENDED_MAX];
static char app_suspended_kind[APP_SUSPENDED_MAX];
static unsigned app_suspended_count;

static uint32_t app_hash(uint32_t hash, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * 16777619u;
    return hash;
}

static void app_release(void *user)
{
    (void)user;
    atomic_fetch_sub(&app_borrowed, 1);
}

static void app_discard(const struct hw_request *request, struct hw_response *response, const struct hw_piece *piece)
{
    (void)piece;
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)hw_body_size_get(request));
    hw_text_send(response, text);
}

static void app_memory(const struct hw_request *request, struct hw_response *response, const struct hw_piece *piece)
{
    (void)piece;
    struct hw_text body = hw_body_get(request);
    if (body.bytes[body.size] != '\0' || body.size != hw_body_size_get(request))
        atomic_fetch_add(&app_faults, 1);
    atomic_fetch_add(&app_borrowed, 1);
    hw_borrowed_send(response, "application/octet-stream", body.bytes, body.size, app_release, NULL);
}

/* What a stream handler keeps from piece to piece. */
struct app_state {
    uint64_t size;
    uint32_t hash;
};

static unsigned app_suspended_get(void)
{
    APP_LOCK;
    unsigned count = app_suspended_count;
    APP_UNLOCK;
    return count;
}

static void app_suspended_add(struct hw_response *response, char kind)
{
    APP_LOCK;
    app_suspended_kind[app_suspended_count] = kind;
    app_suspended[app_suspended_count++] = response;
    APP_UNLOCK;
}

static void app_suspend(struct hw_response *response, char kind)
{
    if (app_suspended_get() < APP_SUSPENDED_MAX / 2 && hw_suspend(response) == 0)
        app_suspended_add(response, kind);
}

static void app_stream_answer(struct hw_response *response, const struct app_state *state)
{
    char text[64];
    snprintf(text, sizeof text, "%llu %08x", (unsigned long long)state->size, state->hash);
    hw_text_send(response, text);
}

static void app_stream(const struct hw_request *request, struct hw_response *response, const struct hw_piece *piece)
{
    struct app_state **state = (struct app_state **)hw_state_get(response);
    if (*state == NULL) {
        *state = calloc(1, sizeof **state);
        if (*state == NULL)
            abort();
        (*state)->hash = APP_HASH_BEGIN;
        atomic_fetch_add(&app_states, 1);
    }
    (*state)->hash = app_hash((*state)->hash, piece->bytes, piece->size);
    (*state)->size += piece->size;
    if (hw_body_size_get(request) != (*state)->size)
        atomic_fetch_add(&app_faults, piece->kind != HW_PIECE_ABORTED);
    char first = piece->size == 0 ? '\0' : piece->bytes[0];
    bool is_over = piece->kind != HW_PIECE_DATA;
    if (piece->kind == HW_PIECE_LAST)
        app_stream_answer(response, *state);
    else if (piece->kind == HW_PIECE_ABORTED)
        atomic_fetch_add(&app_faults, hw_text_send(response, "late") == 0);
    else if (first == 'F')
        hw_field_add(response, "X-Piece", "abcdefghijklmnopqrstuvwxyz");
    else if (first == 'P')
        app_suspend(response, 'p');
    else if (first == 'E')
        is_over = hw_text_send(response, "early") == 0;
    if (is_over) {
        free(*state);
        *state = NULL;
        atomic_fetch_sub(&app_states, 1);
    }
}

static void app_chunks(const struct hw_request *request, struct hw_response *response, const struct hw_piece *piece)
{
    (void)request;
    (void)piece;
    char bytes[APP_CHUNK_SIZE];
    hw_media_type_set(response, "text/plain");
    for (unsigned i = 0; i < APP_CHUNKS; i++) {
        memset(bytes, 'a' + (int)i, sizeof bytes);
        if (hw_chunk_send(response, bytes, sizeof bytes) != 0)
            return;
    }
}

static void app_suspend_text(const struct hw_request *request, struct hw_response *response,
                             const struct hw_piece *piece)
{
    (void)request;
    (void)piece;
    app_suspend(response, 't');
}

static void app_suspend_stream(const struct hw_request *request, struct hw_response *response,
                               const struct hw_piece *piece)
{
    (void)request;
    (void)piece;
    hw_chunk_send(response, "begin", 5);
    app_suspend(response, 's');
}

static void app_suspend_nothing(const struct hw_request *request, struct hw_response *response,
                                const struct hw_piece *piece)
{
    (void)request;
    (void)piece;
    app_suspend(response, 'n');
}

static void app_forget(const struct hw_request *request, struct hw_response *response, const struct hw_piece *piece)
{
    (void)request;
    (void)piece;
    hw_field_add(response, "X-Lost", "yes");
}

static void app_full(const struct hw_request *request, struct hw_response *response, const struct hw_piece *piece)
{
    (void)request;
    (void)piece;
    char bytes[HW_BUFFERS_SIZE];
    memset(bytes, 'k', sizeof bytes);
    size_t size = sizeof bytes;
    while (hw_bytes_send(response, "text/plain", bytes, size) == HW_ETOOBIG)
        size--;
}

static void app_reset_content(const struct hw_request *request, struct hw_response *response,
                              const struct hw_piece *piece)
{
    (void)request;
    (void)piece;
    hw_status_set(response, 205);
    hw_text_send(response, "not to be sent");
}

static void app_suspend_long(const struct hw_request *request, struct hw_response *response,
                             const struct hw_piece *piece)
{
    (void)request;
    (void)piece;
    app_suspend(response, 'e');
}

static void app_captures(const struct hw_request *request, struct hw_response *response, const struct hw_piece *piece)
{
    (void)piece;
    char text[640];
    struct hw_text parameter = hw_parameter_get(request, "q");
    snprintf(text, sizeof text, "%s|%s|%s", hw_capture_get(request, 0).bytes, hw_capture_get(request, 1).bytes,
             parameter.bytes == NULL ? "-" : parameter.bytes);
    hw_text_send(response, text);
}

/* Streams until there is no room; false when nobody wants it any more. */
static bool app_stream_more(struct hw_response *response)
{
    char bytes[600];
    memset(bytes, 'e', sizeof bytes);
    int error = 0;
    for (int i = 0; i < 40 && error == 0; i++)
        error = hw_chunk_send(response, bytes, sizeof bytes);
    return error == 0 || error == HW_EAGAIN;
}

/* Resumes what was suspended first, in the way that its route is for; false: nothing is. Any thread. */
static bool app_resume_one(void)
{
    APP_LOCK;
    bool is_any = app_suspended_count > 0;
    struct hw_response *response = app_suspended[0];
    char kind = app_suspended_kind[0];
    if (is_any) {
        app_suspended_count--;
        memmove(app_suspended, app_suspended + 1, app_suspended_count * sizeof app_suspended[0]);
        memmove(app_suspended_kind, app_suspended_kind + 1, app_suspended_count);
    }
    APP_UNLOCK;
    if (!is_any)
        return false;
    if (kind == 'e' && app_stream_more(response)) {
        app_suspended_add(response, 'z');
        return true;
    }
    if (kind == 't')
        hw_text_send(response, "resumed");
    if (kind == 's') {
        hw_chunk_send(response, "end", 3);
        hw_stream_end(response);
    }
    hw_resume(response);
    return true;
}

/* ---- The routes. */

#define APP_HEAD(connection, type, size)                                                                               \
    "HTTP/1.1 200 OK\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\nContent-Type: " type "\r\nContent-Length: " size        \
    "\r\n" connection "\r\n"
#define APP_BAKED_HEAD(connection, type, size)                                                                         \
    {APP_HEAD(connection, type, size), sizeof APP_HEAD(connection, type, size) - 1, 23}
#define APP_BAKED_HEADS(type, size)                                                                                    \
    {APP_BAKED_HEAD("", type, size), APP_BAKED_HEAD("Connection: close\r\n", type, size),                              \
     APP_BAKED_HEAD("Connection: keep-alive\r\n", type, size)}

/* HEADERS of stream 0 with END_HEADERS: ":status: 200", a date, a Content-Type and a Content-Length of static names. */
#define APP_FRAME(count, type_size, type, length_size, length)                                                         \
    "\x00\x00" count "\x01\x04\x00\x00\x00\x00\x88\x0f\x12\x1d"                                                        \
    "Thu, 01 Jan 1970 00:00:00 GMT"                                                                                    \
    "\x0f\x10" type_size type "\x0f\x0d" length_size length
#define APP_BAKED_FRAME(...) .frame = {APP_FRAME(__VA_ARGS__), sizeof APP_FRAME(__VA_ARGS__) - 1, 13}

static char app_large[APP_LARGE_SIZE]; /* filled by app_init */

const struct hw_baked HW_NAME(baked)[] = {
    {.heads = APP_BAKED_HEADS("text/plain", "5"),
     APP_BAKED_FRAME("\x32", "\x0a", "text/plain", "\x01", "5"),
     .body = "small",
     .body_size = 5},
    {.heads = APP_BAKED_HEADS("text/html", "9000"),
     APP_BAKED_FRAME("\x34", "\x09", "text/html", "\x04", "9000"),
     .body = app_large,
     .body_size = APP_LARGE_SIZE},
};

static void app_init(void)
{
    memset(app_large, 'L', sizeof app_large);
    APP_LOCK;
    app_suspended_count = 0;
    APP_UNLOCK;
    atomic_store(&app_borrowed, 0);
    atomic_store(&app_states, 0);
    atomic_store(&app_faults, 0);
}

#define APP_LIMITS                                                                                                     \
    .body_size = HW_LIMITS_BODY_SIZE, .body_ms = (uint32_t)HW_TIMEOUTS_BODY, .write_ms = (uint32_t)HW_TIMEOUTS_WRITE,  \
    .handler_ms = (uint32_t)HW_TIMEOUTS_HANDLER

static const struct app_route {
    const char *path;
    uint32_t methods;
    struct hw_route route;
} app_routes[] = {
    {"/b", 1u << HW_METHOD_GET, {.pattern = "GET /b", .baked = &HW_NAME(baked)[0], APP_LIMITS}},
    {"/l", 1u << HW_METHOD_GET, {.pattern = "GET /l", .baked = &HW_NAME(baked)[1], APP_LIMITS}},
    {"/d", 1u << HW_METHOD_POST, {.pattern = "POST /d", .handle = app_discard, APP_LIMITS}},
    {"/m",
     1u << HW_METHOD_POST,
     {.pattern = "POST /m",
      .handle = app_memory,
      .body_mode = HW_BODY_MEMORY,
      .body_size = HW_BODY_MEMORY_SIZE,
      .body_ms = (uint32_t)HW_TIMEOUTS_BODY,
      .write_ms = (uint32_t)HW_TIMEOUTS_WRITE,
      .handler_ms = (uint32_t)HW_TIMEOUTS_HANDLER}},
    {"/M",
     1u << HW_METHOD_POST,
     {.pattern = "POST /M",
      .handle = app_memory,
      .body_mode = HW_BODY_MEMORY,
      .worker = 1,
      .body_size = HW_BODY_MEMORY_SIZE - 100,
      .body_ms = (uint32_t)HW_TIMEOUTS_BODY,
      .write_ms = (uint32_t)HW_TIMEOUTS_WRITE,
      .handler_ms = (uint32_t)HW_TIMEOUTS_HANDLER}},
    {"/s", 1u << HW_METHOD_POST, {.pattern = "POST /s", .handle = app_stream, .body_mode = HW_BODY_STREAM, APP_LIMITS}},
    {"/S",
     1u << HW_METHOD_POST,
     {.pattern = "POST /S", .handle = app_stream, .body_mode = HW_BODY_STREAM, .worker = 1, APP_LIMITS}},
    {"/c", 1u << HW_METHOD_GET, {.pattern = "GET /c", .handle = app_chunks, APP_LIMITS}},
    {"/C", 1u << HW_METHOD_GET, {.pattern = "GET /C", .handle = app_chunks, .worker = 1, APP_LIMITS}},
    {"/u", 1u << HW_METHOD_GET, {.pattern = "GET /u", .handle = app_suspend_text, APP_LIMITS}},
    {"/v", 1u << HW_METHOD_GET, {.pattern = "GET /v", .handle = app_suspend_stream, APP_LIMITS}},
    {"/x", 1u << HW_METHOD_GET, {.pattern = "GET /x", .handle = app_suspend_nothing, APP_LIMITS}},
    {"/f", 1u << HW_METHOD_GET, {.pattern = "GET /f", .handle = app_forget, APP_LIMITS}},
    {"/k", 1u << HW_METHOD_GET, {.pattern = "GET /k", .handle = app_full, APP_LIMITS}},
    {"/r", 1u << HW_METHOD_GET, {.pattern = "GET /r", .handle = app_reset_content, APP_LIMITS}},
    {"/e", 1u << HW_METHOD_GET, {.pattern = "GET /e", .handle = app_suspend_long, APP_LIMITS}},
    {"/dir/", 1u << HW_METHOD_GET, {.pattern = "GET /dir/{$}", .baked = &HW_NAME(baked)[0], APP_LIMITS}},
};

static const struct hw_route app_captures_route = {.pattern = "GET /w/{a}/{b...}", .handle = app_captures, APP_LIMITS};

const uint32_t HW_NAME(route_methods) = 1u << HW_METHOD_GET | 1u << HW_METHOD_POST;

static bool app_method_fits(uint32_t methods, enum hw_method method)
{
    if ((methods >> method & 1) != 0)
        return true;
    return method == HW_METHOD_HEAD && (methods >> HW_METHOD_GET & 1) != 0;
}

static const struct hw_route *app_captures_find(struct hw_match *match)
{
    const char *end = match->path_end;
    if (end - match->path < 3 || memcmp(match->path, "/w/", 3) != 0)
        return NULL;
    const char *first = match->path + 3;
    const char *slash = memchr(first, '/', (size_t)(end - first));
    if (slash == NULL || slash == first)
        return NULL;
    match->captures[0] = (struct hw_capture){first, (size_t)(slash - first)};
    match->captures[1] = (struct hw_capture){slash + 1, (size_t)(end - slash - 1)};
    match->capture_count = 2;
    return &app_captures_route;
}

const struct hw_route *HW_NAME(route_find)(struct hw_match *match)
{
    size_t size = (size_t)(match->path_end - match->path);
    match->allow = 0;
    match->slash = false;
    match->capture_count = 0;
    for (size_t i = 0; i < sizeof app_routes / sizeof app_routes[0]; i++) {
        const struct app_route *route = &app_routes[i];
        if (strlen(route->path) != size || memcmp(route->path, match->path, size) != 0)
            continue;
        if (app_method_fits(route->methods, match->method))
            return &route->route;
        match->allow |= route->methods;
    }
    match->slash = size == 4 && memcmp(match->path, "/dir", 4) == 0;
    if (match->method == HW_METHOD_GET || match->method == HW_METHOD_HEAD)
        return app_captures_find(match);
    return NULL;
}

#endif

/* The handlers of test_handlers.py: every function of hardwire.h, called rightly and wrongly. */
#define _POSIX_C_SOURCE 200809L /* nanosleep */

#include "calls.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static _Atomic int allocated;    /* borrowed bodies and stream states made ... */
static _Atomic int released;     /* ... and given back */
static _Atomic int handlers_out; /* threads that will resume */

static void wait_ms(long ms)
{
    const struct timespec wait = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    nanosleep(&wait, NULL);
}

/* ---- Parameters. */

void u32(const struct hw_request *request, struct hw_response *response, const struct calls_u32_params *params)
{
    char text[64];
    (void)request;
    snprintf(text, sizeof text, "%" PRIu32, params->n);
    hw_text_send(response, text);
}

void u64(const struct hw_request *request, struct hw_response *response, const struct calls_u64_params *params)
{
    char text[64];
    (void)request;
    snprintf(text, sizeof text, "%" PRIu64, params->n);
    hw_text_send(response, text);
}

void i32(const struct hw_request *request, struct hw_response *response, const struct calls_i32_params *params)
{
    char text[64];
    (void)request;
    snprintf(text, sizeof text, "%" PRId32, params->n);
    hw_text_send(response, text);
}

void i64(const struct hw_request *request, struct hw_response *response, const struct calls_i64_params *params)
{
    char text[64];
    (void)request;
    snprintf(text, sizeof text, "%" PRId64, params->n);
    hw_text_send(response, text);
}

void ranged(const struct hw_request *request, struct hw_response *response, const struct calls_ranged_params *params)
{
    char text[64];
    (void)request;
    snprintf(text, sizeof text, "%" PRIu32 " %" PRId32 " %s", params->a, params->b, params->c.bytes);
    hw_text_send(response, text);
}

/* ---- The request. */

void field(const struct hw_request *request, struct hw_response *response, const struct calls_field_params *params)
{
    struct hw_text value = hw_field_get(request, params->name.bytes);
    char text[300];
    if (value.bytes == NULL)
        hw_text_send(response, "absent");
    else if (snprintf(text, sizeof text, "[%s] %zu", value.bytes, value.size) > 0)
        hw_text_send(response, text);
}

struct listing {
    char text[2000];
    size_t size;
    int left;
};

static bool field_list(void *user, struct hw_text name, struct hw_text value)
{
    struct listing *listing = user;
    listing->size += (size_t)snprintf(listing->text + listing->size, sizeof listing->text - listing->size, "%s=%s\n",
                                      name.bytes, value.bytes);
    return --listing->left > 0;
}

void fields(const struct hw_request *request, struct hw_response *response)
{
    struct listing listing = {.left = 5};
    hw_fields_visit(request, field_list, &listing);
    hw_text_send(response, listing.text);
}

void parameter(const struct hw_request *request, struct hw_response *response,
               const struct calls_parameter_params *params)
{
    struct hw_text value = hw_parameter_get(request, params->name.bytes);
    if (value.bytes == NULL)
        hw_text_send(response, "absent");
    else
        hw_bytes_send(response, "text/plain", value.bytes, value.size);
}

void cookie(const struct hw_request *request, struct hw_response *response, const struct calls_cookie_params *params)
{
    struct hw_text value = hw_cookie_get(request, params->name.bytes);
    if (value.bytes == NULL)
        hw_text_send(response, "absent");
    else
        hw_bytes_send(response, "text/plain", value.bytes, value.size);
}

void about(const struct hw_request *request, struct hw_response *response, const struct calls_about_params *params)
{
    (void)params;
    char text[600];
    snprintf(text, sizeof text, "%d %s %s %s", hw_method_get(request) == HW_METHOD_PATCH, hw_target_get(request).bytes,
             hw_path_get(request).bytes, hw_host_get(request).bytes);
    hw_text_send(response, text);
}

/* ---- The response: what each wrong call returns, and that it changes nothing. */

void wrong_calls(const struct hw_request *request, struct hw_response *response)
{
    static char much[70000];
    char text[400];
    int results[24];
    size_t n = 0;
    (void)request;
    memset(much, 'x', sizeof much - 1);
    results[n++] = hw_status_set(response, 199);
    results[n++] = hw_status_set(response, 600);
    results[n++] = hw_field_add(response, "X-A", "b\r\nX-Injected: 1");
    results[n++] = hw_field_add(response, "X-A", "b\nc");
    results[n++] = hw_field_add(response, "X-A", "b\rc");
    results[n++] = hw_field_add(response, "X-A\r\nX-Injected", "1");
    results[n++] = hw_field_add(response, "X A", "1");
    results[n++] = hw_field_add(response, "", "1");
    results[n++] = hw_field_add(response, "Content-Length", "1");
    results[n++] = hw_field_add(response, "transfer-encoding", "chunked");
    results[n++] = hw_field_add(response, "Connection", "close");
    results[n++] = hw_field_add(response, "Date", "now");
    results[n++] = hw_field_add(response, "Content-Type", "a/b");
    results[n++] = hw_media_type_set(response, "text/plain\r\nX-Injected: 1");
    results[n++] = hw_field_add(response, "X-Much", much);
    results[n++] = hw_bytes_send(response, "text/plain", much, sizeof much);
    results[n++] = hw_resume(response);
    results[n++] = hw_status_set(response, 299);
    results[n++] = hw_field_add(response, "X-Good", "first");
    results[n++] = hw_field_add(response, "X-Good", "");
    size_t size = 0;
    for (size_t i = 0; i < n; i++)
        size += (size_t)snprintf(text + size, sizeof text - size, "%d ", results[i]);
    hw_text_send(response, text);
}

static void released_add(void *user)
{
    free(user);
    atomic_fetch_add(&released, 1);
}

/* After the first answer everything is HW_ESTATE; a borrowed body that is refused is given back at once. */
void second_send(const struct hw_request *request, struct hw_response *response)
{
    int wrong = 0;
    (void)request;
    hw_text_send(response, "first");
    wrong += hw_text_send(response, "second") != HW_ESTATE;
    wrong += hw_json_send(response, "{}") != HW_ESTATE;
    wrong += hw_empty_send(response) != HW_ESTATE;
    wrong += hw_chunk_send(response, "x", 1) != HW_ESTATE;
    wrong += hw_stream_end(response) != HW_ESTATE;
    wrong += hw_status_set(response, 201) != HW_ESTATE;
    wrong += hw_field_add(response, "X-Late", "1") != HW_ESTATE;
    wrong += hw_media_type_set(response, "a/b") != HW_ESTATE;
    wrong += hw_suspend(response) != HW_ESTATE;
    int before = atomic_load(&released);
    atomic_fetch_add(&allocated, 1);
    wrong += hw_borrowed_send(response, "a/b", "x", 1, released_add, malloc(1)) != HW_ESTATE;
    wrong += atomic_load(&released) != before + 1;
    if (wrong != 0)
        hw_log(HW_LOG_ERROR, "second_send: %d wrong results", wrong);
}

void nothing(const struct hw_request *request, struct hw_response *response)
{
    (void)request;
    hw_field_add(response, "X-Lost", "1");
    hw_status_set(response, 202);
}

void json(const struct hw_request *request, struct hw_response *response)
{
    (void)request;
    hw_status_set(response, 201);
    hw_field_add(response, "X-One", "1");
    hw_field_add(response, "Set-Cookie", "a=b");
    hw_field_add(response, "Set-Cookie", "c=d; Path=/");
    hw_json_send(response, "{\"ok\":true}");
}

void status(const struct hw_request *request, struct hw_response *response, const struct calls_status_params *params)
{
    (void)request;
    hw_status_set(response, params->n);
    hw_text_send(response, "a body");
}

void empty(const struct hw_request *request, struct hw_response *response, const struct calls_empty_params *params)
{
    (void)request;
    if (params->n != 0)
        hw_status_set(response, params->n);
    hw_empty_send(response);
}

/* As much as fits behind the head: `n` bytes, or what hw_bytes_send says. */
void bytes(const struct hw_request *request, struct hw_response *response, const struct calls_bytes_params *params)
{
    char *data = malloc(params->n + 1);
    (void)request;
    if (data == NULL)
        return;
    memset(data, 'b', params->n);
    int error = hw_bytes_send(response, "application/octet-stream", data, params->n);
    free(data);
    if (error == HW_ETOOBIG) {
        hw_status_set(response, 507);
        hw_text_send(response, "too big");
    }
}

void borrowed(const struct hw_request *request, struct hw_response *response,
              const struct calls_borrowed_params *params)
{
    char *data = malloc(params->n + 1);
    (void)request;
    if (data == NULL)
        return;
    atomic_fetch_add(&allocated, 1);
    memset(data, 'b', params->n);
    hw_borrowed_send(response, "application/octet-stream", data, params->n, released_add, data);
}

void echo(const struct hw_request *request, struct hw_response *response)
{
    struct hw_text body = hw_body_get(request);
    hw_borrowed_send(response, "application/octet-stream", body.bytes, body.size, NULL, NULL);
}

/* ---- Streams. */

/* `n` pieces of 1000 bytes. On an IO thread HW_EAGAIN ends them. */
static void stream_send(struct hw_response *response, uint32_t n)
{
    char piece[1000];
    memset(piece, 's', sizeof piece);
    hw_media_type_set(response, "text/event-stream");
    for (uint32_t i = 0; i < n; i++)
        if (hw_chunk_send(response, piece, sizeof piece) != 0)
            return;
    hw_stream_end(response);
}

void stream(const struct hw_request *request, struct hw_response *response, const struct calls_stream_params *params)
{
    (void)request;
    stream_send(response, params->n);
}

/* On an IO thread: answers as much as can be sent without waiting, and what the call that could not said. */
void stream_full(const struct hw_request *request, struct hw_response *response)
{
    static char much[70000];
    char piece[1000];
    int error;
    unsigned sent = 0;
    (void)request;
    memset(piece, 's', sizeof piece);
    int too_big = hw_chunk_send(response, much, sizeof much);
    while ((error = hw_chunk_send(response, piece, sizeof piece)) == 0)
        sent++;
    hw_log(HW_LOG_INFO, "stream_full: %d, then %u pieces, then %d", too_big, sent, error);
}

/* One piece that is far larger than the buffer, on a worker. */
void stream_large(const struct hw_request *request, struct hw_response *response)
{
    char *data = malloc(3000000);
    (void)request;
    if (data == NULL)
        return;
    memset(data, 'l', 3000000);
    hw_chunk_send(response, "", 0);
    hw_chunk_send(response, data, 3000000);
    free(data);
}

/* ---- Suspension. */

struct later {
    struct hw_response *response;
    long ms;
    uint32_t pieces;
};

static void *later_run(void *given)
{
    struct later later = *(struct later *)given;
    free(given);
    wait_ms(later.ms);
    if (later.pieces > 0)
        stream_send(later.response, later.pieces);
    else
        hw_text_send(later.response, "later");
    hw_resume(later.response);
    atomic_fetch_sub(&handlers_out, 1);
    return NULL;
}

/* Answers from a thread of its own after `ms`, a text or so many pieces. */
static void later_start(struct hw_response *response, long ms, uint32_t pieces)
{
    struct later *later = malloc(sizeof *later);
    pthread_t thread;
    if (later == NULL)
        return;
    *later = (struct later){response, ms, pieces};
    atomic_fetch_add(&handlers_out, 1);
    if (hw_suspend(response) == 0 && pthread_create(&thread, NULL, later_run, later) == 0)
        pthread_detach(thread);
}

void suspend(const struct hw_request *request, struct hw_response *response, const struct calls_suspend_params *params)
{
    (void)request;
    later_start(response, (long)params->ms, params->pieces);
}

/* The same on a worker, and resumed most often before the handler has returned. */
void suspend_slowly(const struct hw_request *request, struct hw_response *response,
                    const struct calls_suspend_slowly_params *params)
{
    (void)request;
    later_start(response, (long)params->ms, params->pieces);
    wait_ms(20);
}

/* Sent and resumed within the handler itself. */
void suspend_here(const struct hw_request *request, struct hw_response *response)
{
    (void)request;
    hw_suspend(response);
    hw_text_send(response, "here");
    hw_resume(response);
}

/* Resumed without an answer. */
void suspend_nothing(const struct hw_request *request, struct hw_response *response)
{
    (void)request;
    hw_suspend(response);
    hw_resume(response);
}

/* ---- Stream bodies. */

/* Answers the size at the end, or after `answer_at` bytes; the state is counted. */
static void pieces_take(struct hw_response *response, const struct hw_piece *piece, uint64_t answer_at)
{
    uint64_t **count = (uint64_t **)hw_state_get(response);
    if (*count == NULL) {
        *count = calloc(1, sizeof **count);
        if (*count == NULL)
            return;
        atomic_fetch_add(&allocated, 1);
    }
    **count += piece->size;
    bool is_early = piece->kind == HW_PIECE_DATA && **count >= answer_at;
    if (piece->kind == HW_PIECE_DATA && !is_early)
        return;
    char text[64];
    snprintf(text, sizeof text, "%s %" PRIu64, is_early ? "early" : "all", **count);
    if (piece->kind == HW_PIECE_ABORTED ? hw_text_send(response, text) == 0 : hw_text_send(response, text) != 0)
        hw_log(HW_LOG_ERROR, "pieces_take: a wrong result");
    free(*count);
    *count = NULL;
    atomic_fetch_add(&released, 1);
}

void pieces(const struct hw_request *request, struct hw_response *response, const struct hw_piece *piece)
{
    (void)request;
    pieces_take(response, piece, UINT64_MAX);
}

void pieces_early(const struct hw_request *request, struct hw_response *response, const struct hw_piece *piece)
{
    (void)request;
    pieces_take(response, piece, 1);
}

/* ---- The log, and what is counted. */

void log_much(const struct hw_request *request, struct hw_response *response)
{
    (void)request;
    for (int i = 0; i < 1000; i++)
        hw_log(HW_LOG_ERROR, "one of many");
    hw_empty_send(response);
}

void log_one(const struct hw_request *request, struct hw_response *response)
{
    (void)request;
    hw_log(HW_LOG_ERROR, "one more");
    hw_empty_send(response);
}

void counts(const struct hw_request *request, struct hw_response *response)
{
    char text[100];
    (void)request;
    snprintf(text, sizeof text, "%d %d %d", atomic_load(&allocated), atomic_load(&released),
             atomic_load(&handlers_out));
    hw_text_send(response, text);
}

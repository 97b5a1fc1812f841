#include "http/response.h"

#include <stdio.h>
#include <string.h>

#include "core/log.h"
#include "http/request.h"
#include "http/status.h"

/* Framing of one chunk besides its data: up to 16 digits, two CRLFs; and the last chunk, for which room is kept. */
#define HW_CHUNK_OVERHEAD 20u
#define HW_CHUNK_LAST_SIZE 5u

/* ---- Fields. */

/* Fields that say how the message is framed, and the date. */
static bool hw_is_own_field(const char *name, size_t size)
{
    static const char *const own[] = {"content-length", "transfer-encoding", "connection", "keep-alive",
                                      "upgrade",        "trailer",           "te",         "date",
                                      "content-type"};
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        if (hw_name_is_equal(name, size, own[i], strlen(own[i])))
            return true;
    return false;
}

static size_t hw_response_base(const struct hw_exchange *exchange)
{
    return atomic_load_explicit(&exchange->out_tail, memory_order_relaxed);
}

/* Where the next field line goes: behind the room for what the framing writes. */
static char *hw_response_fields_end(struct hw_exchange *exchange)
{
    return exchange->out + hw_response_base(exchange) + exchange->framing->head_size + exchange->response.fields_size;
}

static int hw_response_line_add(struct hw_exchange *exchange, const char *name, size_t name_size, const char *value,
                                size_t value_size)
{
    size_t line = name_size + value_size + 4;
    if (exchange->framing->head_size + exchange->response.fields_size + line + 2 > HW_BUFFERS_SIZE)
        return HW_ETOOBIG;
    char *at = hw_response_fields_end(exchange);
    memcpy(at, name, name_size);
    memcpy(at + name_size, ": ", 2);
    memcpy(at + name_size + 2, value, value_size);
    memcpy(at + line - 2, "\r\n", 2);
    exchange->response.fields_size += (uint32_t)line;
    return 0;
}

int hw_field_add(struct hw_response *response, const char *name, const char *value)
{
    size_t name_size = strlen(name);
    size_t value_size = strlen(value);
    if (response->state != HW_RESPONSE_OPEN)
        return HW_ESTATE;
    if (!hw_name_is_token(name, name_size) || !hw_value_is_clean(value, value_size) || hw_is_own_field(name, name_size))
        return HW_EINVAL;
    return hw_response_line_add(hw_exchange_of_response(response), name, name_size, value, value_size);
}

int hw_media_type_set(struct hw_response *response, const char *media_type)
{
    size_t size = strlen(media_type);
    if (response->state != HW_RESPONSE_OPEN || response->has_media_type)
        return HW_ESTATE;
    if (size == 0 || !hw_value_is_clean(media_type, size))
        return HW_EINVAL;
    int error = hw_response_line_add(hw_exchange_of_response(response), "Content-Type", 12, media_type, size);
    response->has_media_type = error == 0;
    return error;
}

int hw_status_set(struct hw_response *response, unsigned status)
{
    if (response->state != HW_RESPONSE_OPEN)
        return HW_ESTATE;
    if (status < 200 || status > 599)
        return HW_EINVAL;
    response->status = (uint16_t)status;
    return 0;
}

/* ---- Responses of known length. */

/* A status without content sends none, whatever the handler gave. */
static bool hw_response_has_body(const struct hw_exchange *exchange)
{
    unsigned status = exchange->response.status;
    return !exchange->is_head && !hw_status_is_bare(status) && status != 205; /* RFC 9110 section 15.3.6 */
}

/* Puts head, fields and the empty line where they belong; returns the end of the head. */
static char *hw_response_head_put(struct hw_exchange *exchange, bool has_length, uint64_t length)
{
    if (exchange->response.status == 205) {
        has_length = true;
        length = 0;
    }
    exchange->response.has_length = has_length;
    exchange->response.length = length;
    char *base = exchange->out + hw_response_base(exchange);
    size_t head = exchange->framing->head_write(exchange, base, has_length, length);
    memmove(base + head, base + exchange->framing->head_size, exchange->response.fields_size);
    char *end = base + head + exchange->response.fields_size;
    memcpy(end, "\r\n", 2);
    return end + 2;
}

static void hw_response_tail_set(struct hw_exchange *exchange, const char *end)
{
    atomic_store_explicit(&exchange->out_tail, (size_t)(end - exchange->out), memory_order_release);
}

static int hw_response_begin(struct hw_response *response, const char *media_type, unsigned status)
{
    if (response->state != HW_RESPONSE_OPEN)
        return HW_ESTATE;
    if (atomic_load_explicit(&hw_exchange_of_response(response)->cancelled, memory_order_relaxed))
        return HW_ECANCELED;
    if (media_type != NULL) {
        int error = hw_media_type_set(response, media_type);
        if (error != 0)
            return error;
    }
    if (response->status == 0)
        response->status = (uint16_t)status;
    return 0;
}

int hw_bytes_send(struct hw_response *response, const char *media_type, const void *bytes, size_t size)
{
    struct hw_exchange *exchange = hw_exchange_of_response(response);
    size_t overhead = exchange->framing->head_size + response->fields_size + 2;
    if (media_type != NULL)
        overhead += strlen(media_type) + 16;
    if (response->state == HW_RESPONSE_OPEN && (overhead > HW_BUFFERS_SIZE || size > HW_BUFFERS_SIZE - overhead))
        return HW_ETOOBIG;
    int error = hw_response_begin(response, media_type, 200);
    if (error != 0)
        return error;
    char *end = hw_response_head_put(exchange, true, size);
    if (size > 0 && hw_response_has_body(exchange)) {
        memcpy(end, bytes, size);
        end += size;
    }
    hw_response_tail_set(exchange, end);
    response->state = HW_RESPONSE_SENT;
    return 0;
}

int hw_text_send(struct hw_response *response, const char *text)
{
    return hw_bytes_send(response, "text/plain; charset=utf-8", text, strlen(text));
}

int hw_json_send(struct hw_response *response, const char *json)
{
    return hw_bytes_send(response, "application/json", json, strlen(json));
}

int hw_empty_send(struct hw_response *response)
{
    int error = hw_response_begin(response, NULL, 204);
    if (error != 0)
        return error;
    struct hw_exchange *exchange = hw_exchange_of_response(response);
    hw_response_tail_set(exchange, hw_response_head_put(exchange, true, 0));
    response->state = HW_RESPONSE_SENT;
    return 0;
}

int hw_borrowed_send(struct hw_response *response, const char *media_type, const void *bytes, size_t size,
                     void (*release)(void *user), void *user)
{
    int error = hw_response_begin(response, media_type, 200);
    if (error != 0) {
        if (release != NULL)
            release(user);
        return error;
    }
    struct hw_exchange *exchange = hw_exchange_of_response(response);
    hw_response_tail_set(exchange, hw_response_head_put(exchange, true, size));
    if (hw_response_has_body(exchange)) {
        response->borrowed = bytes;
        response->borrowed_size = size;
    }
    response->release = release;
    response->release_user = user;
    response->state = HW_RESPONSE_SENT;
    return 0;
}

/* ---- Streams. */

static size_t hw_ring_span(size_t head, size_t tail, const char **bytes, const struct hw_exchange *exchange)
{
    size_t at = head % HW_OUT_SIZE;
    size_t size = tail - head;
    *bytes = exchange->out + at;
    return size < HW_OUT_SIZE - at ? size : HW_OUT_SIZE - at;
}

static size_t hw_ring_free(const struct hw_exchange *exchange)
{
    size_t head = atomic_load_explicit(&exchange->out_head, memory_order_acquire);
    return HW_OUT_SIZE - (atomic_load_explicit(&exchange->out_tail, memory_order_relaxed) - head);
}

static void hw_ring_put(struct hw_exchange *exchange, size_t *tail, const void *bytes, size_t size)
{
    const char *from = bytes;
    size_t at = *tail % HW_OUT_SIZE;
    size_t first = size < HW_OUT_SIZE - at ? size : HW_OUT_SIZE - at;
    memcpy(exchange->out + at, from, first);
    memcpy(exchange->out, from + first, size - first);
    *tail += size;
}

/* Waits until the ring has this much room; false when the client has gone. */
static bool hw_ring_wait(struct hw_exchange *exchange, size_t need)
{
    pthread_mutex_lock(&exchange->lock);
    while (hw_ring_free(exchange) < need && !atomic_load(&exchange->cancelled))
        pthread_cond_wait(&exchange->room, &exchange->lock);
    pthread_mutex_unlock(&exchange->lock);
    return !atomic_load(&exchange->cancelled);
}

static void hw_ring_piece_put(struct hw_exchange *exchange, const char *bytes, size_t size)
{
    size_t tail = atomic_load_explicit(&exchange->out_tail, memory_order_relaxed);
    if (exchange->is_chunked) {
        char line[24];
        int line_size = snprintf(line, sizeof line, "%zx\r\n", size);
        hw_ring_put(exchange, &tail, line, (size_t)line_size);
    }
    hw_ring_put(exchange, &tail, bytes, size);
    if (exchange->is_chunked)
        hw_ring_put(exchange, &tail, "\r\n", 2);
    atomic_store_explicit(&exchange->out_tail, tail, memory_order_release);
    if (!hw_exchange_is_handling(exchange))
        hw_exchange_mail(exchange, HW_MAILED_PROGRESS);
}

static int hw_stream_begin(struct hw_response *response)
{
    if (response->state == HW_RESPONSE_STREAMING)
        return 0;
    int error = hw_response_begin(response, NULL, 200);
    if (error != 0)
        return error;
    struct hw_exchange *exchange = hw_exchange_of_response(response);
    hw_response_tail_set(exchange, hw_response_head_put(exchange, false, 0));
    response->state = HW_RESPONSE_STREAMING;
    if (!hw_exchange_is_handling(exchange))
        hw_exchange_mail(exchange, HW_MAILED_PROGRESS);
    return 0;
}

int hw_chunk_send(struct hw_response *response, const void *bytes, size_t size)
{
    const size_t extra = HW_CHUNK_OVERHEAD + HW_CHUNK_LAST_SIZE;
    struct hw_exchange *exchange = hw_exchange_of_response(response);
    int error = hw_stream_begin(response);
    if (error != 0)
        return error;
    if (hw_is_cancelled(response))
        return HW_ECANCELED;
    if (!hw_response_has_body(exchange))
        return 0;
    bool may_block = hw_exchange_may_block();
    if (!may_block && size > HW_OUT_SIZE - extra)
        return HW_ETOOBIG;
    if (!may_block && hw_ring_free(exchange) < size + extra)
        return HW_EAGAIN;
    const char *at = bytes;
    while (size > 0) { /* a chunk of size 0 would end the stream */
        size_t piece = may_block && size > HW_BUFFERS_SIZE / 2 ? HW_BUFFERS_SIZE / 2 : size;
        if (may_block && !hw_ring_wait(exchange, piece + extra))
            return HW_ECANCELED;
        hw_ring_piece_put(exchange, at, piece);
        at += piece;
        size -= piece;
    }
    return atomic_load_explicit(&exchange->cancelled, memory_order_relaxed) ? HW_ECANCELED : 0;
}

static void hw_stream_last_put(struct hw_exchange *exchange)
{
    if (exchange->is_chunked && hw_response_has_body(exchange)) { /* every piece has left room for this one */
        size_t tail = atomic_load_explicit(&exchange->out_tail, memory_order_relaxed);
        hw_ring_put(exchange, &tail, "0\r\n\r\n", HW_CHUNK_LAST_SIZE);
        atomic_store_explicit(&exchange->out_tail, tail, memory_order_release);
    }
    exchange->response.state = HW_RESPONSE_ENDED;
}

int hw_stream_end(struct hw_response *response)
{
    int error = hw_stream_begin(response);
    if (error != 0)
        return error;
    struct hw_exchange *exchange = hw_exchange_of_response(response);
    hw_stream_last_put(exchange);
    if (!hw_exchange_is_handling(exchange)) /* the client need not wait for the handler to return */
        hw_exchange_mail(exchange, HW_MAILED_PROGRESS);
    return 0;
}

/* ---- Suspension. */

int hw_suspend(struct hw_response *response)
{
    if (response->is_suspended || response->state == HW_RESPONSE_SENT || response->state == HW_RESPONSE_ENDED)
        return HW_ESTATE;
    struct hw_exchange *exchange = hw_exchange_of_response(response);
    if (response->state == HW_RESPONSE_STREAMING && hw_exchange_is_handling(exchange))
        hw_exchange_mail(exchange, HW_MAILED_PROGRESS); /* the IO thread must know that the response has begun */
    response->is_suspended = true;
    atomic_fetch_add(&exchange->holders, 1);
    return 0;
}

int hw_resume(struct hw_response *response)
{
    if (!response->is_suspended)
        return HW_ESTATE;
    hw_exchange_drop(hw_exchange_of_response(response));
    return 0;
}

bool hw_is_cancelled(const struct hw_response *response)
{
    return atomic_load(&hw_exchange_of_response(response)->cancelled);
}

void **hw_state_get(struct hw_response *response)
{
    return &response->state_pointer;
}

/* ---- The server's own answers. */

static void hw_response_status_send(struct hw_exchange *exchange, unsigned status)
{
    char text[64];
    snprintf(text, sizeof text, "%u %s\n", status, hw_status_reason(status));
    exchange->response.status = (uint16_t)status;
    hw_text_send(&exchange->response, text);
}

static const char *hw_method_name(unsigned method)
{
    static const char *const names[] = {
#define HW_METHOD_ROW(name) #name,
        HW_METHODS(HW_METHOD_ROW)
#undef HW_METHOD_ROW
    };
    return names[method];
}

static void hw_response_refusal_send(struct hw_exchange *exchange, unsigned status)
{
    exchange->response = (struct hw_response){.state = HW_RESPONSE_OPEN};
    memcpy(exchange->date, exchange->loop->date, HW_DATE_SIZE);
    if (status == 503)
        hw_field_add(&exchange->response, "Retry-After", "1");
    hw_response_status_send(exchange, status);
}

static void hw_response_allow_send(struct hw_exchange *exchange, unsigned status, uint32_t allow)
{
    char text[320] = "";
    size_t size = 0;
    allow |= 1u << HW_METHOD_OPTIONS;
    if ((allow & 1u << HW_METHOD_GET) != 0)
        allow |= 1u << HW_METHOD_HEAD;
    for (unsigned method = 0; method < HW_METHOD_COUNT; method++)
        if ((allow >> method & 1) != 0)
            size += (size_t)snprintf(text + size, sizeof text - size, "%s%s", size == 0 ? "" : ", ",
                                     hw_method_name(method));
    hw_field_add(&exchange->response, "Allow", text);
    if (status == 204) {
        hw_empty_send(&exchange->response);
        return;
    }
    hw_response_status_send(exchange, status);
}

/* The path as it was matched, encoded again. Not the target as it came: "//host" would send the client elsewhere. */
static size_t hw_response_path_encode(const char *path, size_t size, char *out)
{
    static const char digits[] = "0123456789ABCDEF";
    size_t at = 0;
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)path[i];
        if (c == '/' || (hw_is_tchar(c) && c != '#' && c != '%' && c != '^' && c != '`' && c != '|')) {
            out[at++] = (char)c;
            continue;
        }
        c = c == '\0' ? '/' : c; /* how hw_path_decode marks an encoded '/' */
        out[at++] = '%';
        out[at++] = digits[c >> 4];
        out[at++] = digits[c & 15];
    }
    return at;
}

static void hw_response_slash_send(struct hw_exchange *exchange)
{
    const struct hw_request *request = &exchange->request;
    size_t line = sizeof "Location: /?\r\n" + 3 * (size_t)request->path_size + request->query_size;
    if (exchange->framing->head_size + line + 256 > HW_BUFFERS_SIZE) {
        hw_response_status_send(exchange, 414);
        return;
    }
    char *begin = hw_response_fields_end(exchange);
    char *at = begin + sizeof "Location: " - 1;
    memcpy(begin, "Location: ", sizeof "Location: " - 1);
    at += hw_response_path_encode(exchange->path, request->path_size, at);
    *at++ = '/';
    if (request->query_size > 0) {
        *at++ = '?';
        memcpy(at, exchange->in + request->query_at, request->query_size);
        at += request->query_size;
    }
    memcpy(at, "\r\n", 2);
    exchange->response.fields_size += (uint32_t)(at + 2 - begin);
    hw_response_status_send(exchange, 308);
}

static void hw_response_complete(struct hw_exchange *exchange)
{
    struct hw_response *response = &exchange->response;
    if (response->state == HW_RESPONSE_STREAMING) {
        hw_stream_last_put(exchange);
    } else if (response->state == HW_RESPONSE_OPEN) {
        hw_log(HW_LOG_ERROR, "the handler of \"%s\" sent no response", exchange->route->pattern);
        response->fields_size = 0;
        response->has_media_type = false;
        hw_response_status_send(exchange, 500);
    }
}

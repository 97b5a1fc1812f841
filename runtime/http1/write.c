#include "http1/write.h"

#include <stdio.h>
#include <string.h>

#include "http/status.h"

static char *hw_h1_put(char *at, const char *bytes, size_t size)
{
    memcpy(at, bytes, size);
    return at + size;
}

static char *hw_h1_decimal_put(char *at, uint64_t value)
{
    char digits[20];
    size_t count = 0;
    do
        digits[count++] = (char)('0' + value % 10);
    while ((value /= 10) != 0);
    while (count > 0)
        *at++ = digits[--count];
    return at;
}

#define HW_H1_PUT(at, literal) hw_h1_put((at), (literal), sizeof(literal) - 1)

static char *hw_h1_status_put(char *at, unsigned status)
{
    if (status == 200)
        return HW_H1_PUT(at, "HTTP/1.1 200 OK\r\n");
    const char *reason = hw_status_reason(status);
    at = HW_H1_PUT(at, "HTTP/1.1 ");
    at = hw_h1_decimal_put(at, status);
    *at++ = ' ';
    at = hw_h1_put(at, reason, strlen(reason));
    return HW_H1_PUT(at, "\r\n");
}

static size_t hw_h1_head_write(struct hw_exchange *exchange, char *begin, bool has_length, uint64_t length)
{
    unsigned status = exchange->response.status;
    bool is_old = exchange->request.minor == 0;
    char *at = hw_h1_status_put(begin, status);
    at = HW_H1_PUT(at, "Date: ");
    at = hw_h1_put(at, exchange->date, HW_DATE_SIZE);
    at = HW_H1_PUT(at, "\r\n");
    exchange->is_chunked = false;
    if (hw_status_is_bare(status)) {
        /* neither length nor coding: RFC 9110 section 8.6 */
    } else if (has_length) {
        at = HW_H1_PUT(at, "Content-Length: ");
        at = hw_h1_decimal_put(at, length);
        at = HW_H1_PUT(at, "\r\n");
    } else if (is_old) {
        exchange->keep_alive = false; /* the close ends the body */
    } else {
        exchange->is_chunked = true;
        at = HW_H1_PUT(at, "Transfer-Encoding: chunked\r\n");
    }
    if (!exchange->keep_alive)
        at = HW_H1_PUT(at, "Connection: close\r\n");
    else if (is_old)
        at = HW_H1_PUT(at, "Connection: keep-alive\r\n");
    return (size_t)(at - begin);
}

static bool hw_h1_baked_put(struct hw_exchange *exchange, const struct hw_baked *baked)
{
    enum hw_baked_variant variant = HW_BAKED_KEEP;
    if (!exchange->keep_alive)
        variant = HW_BAKED_CLOSE;
    else if (exchange->request.minor == 0)
        variant = HW_BAKED_KEEP_10;
    const struct hw_baked_head *head = &baked->heads[variant];
    bool is_copied = baked->body_size <= HW_BAKED_COPY_SIZE;
    size_t body_size = exchange->is_head || !is_copied ? 0 : baked->body_size;
    size_t tail = atomic_load_explicit(&exchange->out_tail, memory_order_relaxed);
    if (HW_OUT_SIZE - HW_H1_SPARE_SIZE < tail + head->size + body_size)
        return false;
    char *at = exchange->out + tail;
    memcpy(at, head->bytes, head->size);
    memcpy(at + head->date_at, exchange->loop->date, HW_DATE_SIZE);
    memcpy(at + head->size, baked->body, body_size);
    atomic_store_explicit(&exchange->out_tail, tail + head->size + body_size, memory_order_relaxed);
    if (!is_copied && !exchange->is_head) {
        exchange->response.borrowed = baked->body;
        exchange->response.borrowed_size = baked->body_size;
    }
    exchange->response.state = HW_RESPONSE_SENT;
    return true;
}

static void hw_h1_continue_put(struct hw_exchange *exchange)
{
    static const char line[] = "HTTP/1.1 100 Continue\r\n\r\n";
    size_t tail = atomic_load_explicit(&exchange->out_tail, memory_order_relaxed);
    memcpy(exchange->out + tail, line, sizeof line - 1);
    atomic_store_explicit(&exchange->out_tail, tail + sizeof line - 1, memory_order_relaxed);
}

static size_t hw_h1_plain_write(char *at, size_t room, unsigned status, const char *date, bool is_head)
{
    const char *reason = hw_status_reason(status);
    int size = snprintf(at, room,
                        "HTTP/1.1 %u %s\r\nDate: %.*s\r\n%sContent-Type: text/plain; charset=utf-8\r\n"
                        "Content-Length: %zu\r\nConnection: close\r\n\r\n%u %s\n",
                        status, reason, HW_DATE_SIZE, date, status == 503 ? "Retry-After: 1\r\n" : "",
                        strlen(reason) + 5, status, reason);
    return (size_t)size - (is_head ? strlen(reason) + 5 : 0);
}

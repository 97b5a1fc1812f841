/* Baked answers: the heads as they go over the wire, but for the date. */
#include <hardwire/statuses.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "plan/lists.h"
#include "plan/stages.h"

/* Where the runtime writes the IMF-fixdate (RFC 9110 section 5.6.7). */
#define DATE_PLACEHOLDER "Thu, 01 Jan 1970 00:00:00 GMT"

/* The field that each variant of enum hw_baked_variant ends with. */
static const char *const connection_fields[3] = {"", "Connection: close\r\n", "Connection: keep-alive\r\n"};

/* A status line needs no reason, but the blank before it (RFC 9112 section 4). */
static const char *reason_of(unsigned status)
{
    switch (status) {
#define ROW(code, reason)                                                                                              \
    case code:                                                                                                         \
        return reason;
    HW_STATUSES(ROW)
#undef ROW
    default:
        return "";
    }
}

/* A 204 or 304 has no content and no Content-Length (RFC 9110 section 8.6). */
static bool has_content(const struct spec_route *route)
{
    return route->status != 204 && route->status != 304;
}

static const char *const media_types[] = {
    [SPEC_ANSWER_TEXT] = "text/plain; charset=utf-8",
    [SPEC_ANSWER_JSON] = "application/json",
};

static struct plan_head head_make(struct arena *arena, const struct spec_route *route, const char *connection)
{
    struct plan_head head = {0};
    struct buffer out = {0};
    buffer_format(&out, "HTTP/1.1 %u %s\r\nDate: ", route->status, reason_of(route->status));
    head.date_at = out.size;
    buffer_add(&out, TEXT(DATE_PLACEHOLDER "\r\n"));
    bool is_redirect = route->answer == SPEC_ANSWER_REDIRECT;
    if (is_redirect)
        buffer_format(&out, "Location: %.*s\r\n", TEXT_ARGS(route->content));
    else if (has_content(route))
        buffer_format(&out, "Content-Type: %s\r\n", media_types[route->answer]);
    if (has_content(route))
        buffer_format(&out, "Content-Length: %zu\r\n", is_redirect ? 0 : route->content.size);
    buffer_format(&out, "%s\r\n", connection);
    head.bytes = arena_copy(arena, buffer_text(&out));
    buffer_free(&out);
    return head;
}

/* ---- HTTP/2 (RFC 9113 section 6.2, RFC 7541). */

#define FRAME_HEAD_SIZE 9
#define FRAME_SIZE_MAX 16384 /* what every client takes; a redirect's target has at most 4096 bytes */
#define FRAME_TYPE_HEADERS 1
#define FLAG_END_STREAM 1
#define FLAG_END_HEADERS 4

/* Entries of HPACK's static table (RFC 7541 appendix A). */
enum {
    STATIC_STATUS = 8,
    STATIC_CONTENT_LENGTH = 28,
    STATIC_CONTENT_TYPE = 31,
    STATIC_DATE = 33,
    STATIC_LOCATION = 46
};
static const unsigned static_statuses[] = {200, 204, 206, 304, 400, 404, 500}; /* entries 8 to 14 */

/* An integer with a prefix of some bits, the others of the first byte 0 (RFC 7541 section 5.1). */
static void integer_add(struct buffer *out, unsigned prefix_bits, size_t value)
{
    size_t most = ((size_t)1 << prefix_bits) - 1;
    if (value < most) {
        buffer_add_char(out, (char)value);
        return;
    }
    buffer_add_char(out, (char)most);
    for (value -= most; value >= 128; value /= 128)
        buffer_add_char(out, (char)(value % 128 + 128));
    buffer_add_char(out, (char)value);
}

/* A literal that is not indexed, its name from the static table, its value not Huffman-coded (section 6.2.2). */
static void literal_add(struct buffer *out, size_t name, struct text value)
{
    integer_add(out, 4, name);
    integer_add(out, 7, value.size);
    buffer_add(out, value);
}

static void status_add(struct buffer *out, struct arena *arena, unsigned status)
{
    for (size_t i = 0; i < sizeof static_statuses / sizeof static_statuses[0]; i++)
        if (static_statuses[i] == status) {
            buffer_add_char(out, (char)(0x80 + STATIC_STATUS + i));
            return;
        }
    literal_add(out, STATIC_STATUS, arena_format(arena, "%u", status));
}

static void part_end(struct plan_frame *frame, const struct buffer *out)
{
    frame->ends[frame->part_count++] = out->size;
}

/* The same fields as in head_make, as a HEADERS frame of the stream 0. */
static struct plan_frame frame_make(struct arena *arena, const struct spec_route *route, struct text body)
{
    struct plan_frame frame = {0};
    struct buffer out = {0};
    for (size_t i = 0; i < FRAME_HEAD_SIZE; i++)
        buffer_add_char(&out, 0);
    part_end(&frame, &out);
    status_add(&out, arena, route->status);
    part_end(&frame, &out);
    literal_add(&out, STATIC_DATE, TEXT(DATE_PLACEHOLDER));
    part_end(&frame, &out);
    frame.head.date_at = out.size - (sizeof DATE_PLACEHOLDER - 1);
    bool is_redirect = route->answer == SPEC_ANSWER_REDIRECT;
    if (!is_redirect && has_content(route)) {
        literal_add(&out, STATIC_CONTENT_TYPE, text_of(media_types[route->answer]));
        part_end(&frame, &out);
    }
    if (has_content(route)) {
        literal_add(&out, STATIC_CONTENT_LENGTH, arena_format(arena, "%zu", body.size));
        part_end(&frame, &out);
    }
    if (is_redirect) {
        literal_add(&out, STATIC_LOCATION, route->content);
        part_end(&frame, &out);
    }

    size_t size = out.size - FRAME_HEAD_SIZE;
    if (size > FRAME_SIZE_MAX)
        abort();
    out.bytes[0] = (char)(size >> 16);
    out.bytes[1] = (char)(size >> 8 & 0xFF);
    out.bytes[2] = (char)(size & 0xFF);
    out.bytes[3] = FRAME_TYPE_HEADERS;
    out.bytes[4] = body.size == 0 ? FLAG_END_HEADERS | FLAG_END_STREAM : FLAG_END_HEADERS;
    frame.head.bytes = arena_copy(arena, buffer_text(&out));
    buffer_free(&out);
    return frame;
}

/* ---- */

void plan_answers_make(struct plan *plan, struct arena *arena)
{
    struct map by_bytes = {0};
    plan->answers = arena_take_array(arena, plan->route_count, sizeof *plan->answers);
    for (size_t i = 0; i < plan->route_count; i++) {
        const struct spec_route *route = plan->routes[i].spec;
        if (route->answer == SPEC_ANSWER_HANDLER)
            continue;
        struct plan_answer *answer = &plan->answers[plan->answer_count];
        for (size_t variant = 0; variant < 3; variant++)
            answer->heads[variant] = head_make(arena, route, connection_fields[variant]);
        answer->body = route->answer == SPEC_ANSWER_REDIRECT || !has_content(route) ? TEXT("") : route->content;
        if (plan->has_http2)
            answer->frame = frame_make(arena, route, answer->body);

        /* The head has the body's size and ends with an empty line: head and body together are a key. */
        struct text head = answer->heads[0].bytes;
        char *key = arena_take(arena, head.size + answer->body.size + 1);
        memcpy(key, head.bytes, head.size);
        memcpy(key + head.size, answer->body.bytes, answer->body.size);
        struct plan_answer *same = map_add(&by_bytes, arena, (struct text){key, head.size + answer->body.size}, answer);
        if (same == NULL)
            plan->answer_count++;
        else
            answer = same;
        plan_index_add(arena, &answer->routes, &answer->route_count, i);
        plan->routes[i].answer = (size_t)(answer - plan->answers);
    }
}

/* Baked answers: the heads as they go over the wire, but for the date. */
#include <hardwire/statuses.h>

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

static struct plan_head head_make(struct arena *arena, const struct spec_route *route, const char *connection)
{
    static const char *const media_types[] = {
        [SPEC_ANSWER_TEXT] = "text/plain; charset=utf-8",
        [SPEC_ANSWER_JSON] = "application/json",
    };
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

/* The handlers of cases.yaml. */
#define _POSIX_C_SOURCE 200809L /* nanosleep */

#include "cases.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define EVENTS 10
#define EVENT_INTERVAL_NS (100 * 1000 * 1000)

/* Sends the body back from where it lies: it belongs to the request, which outlives the response. */
void echo(const struct hw_request *request, struct hw_response *response)
{
    struct hw_text body = hw_body_get(request);
    hw_borrowed_send(response, "application/octet-stream", body.bytes, body.size, NULL, NULL);
}

void read_user(const struct hw_request *request, struct hw_response *response,
               const struct cases_read_user_params *params)
{
    (void)request;
    hw_bytes_send(response, "text/plain; charset=utf-8", params->id.bytes, params->id.size);
}

void read_cookie(const struct hw_request *request, struct hw_response *response,
                 const struct cases_read_cookie_params *params)
{
    struct hw_text value = hw_cookie_get(request, params->name.bytes);
    if (value.bytes == NULL) {
        hw_status_set(response, 404);
        hw_text_send(response, "no such cookie\n");
        return;
    }
    hw_bytes_send(response, "text/plain; charset=utf-8", value.bytes, value.size);
}

/* A cookie's value: cookie-octets of RFC 6265 section 4.1.1. */
static bool cookie_value_is_valid(struct hw_text value)
{
    for (size_t i = 0; i < value.size; i++) {
        unsigned char c = (unsigned char)value.bytes[i];
        if (c <= 0x20 || c >= 0x7F || strchr("\",;\\", c) != NULL)
            return false;
    }
    return true;
}

void set_cookie(const struct hw_request *request, struct hw_response *response,
                const struct cases_set_cookie_params *params)
{
    char field[1024];
    (void)request;
    if (!cookie_value_is_valid(params->value) || params->value.size + sizeof "v=" > sizeof field) {
        hw_status_set(response, 400);
        hw_text_send(response, "not a cookie's value\n");
        return;
    }
    snprintf(field, sizeof field, "v=%s", params->value.bytes);
    hw_field_add(response, "Set-Cookie", field);
    hw_text_send(response, "set\n");
}

/* Server-sent events: ten of them, one every 100 ms. It sleeps, so that it runs on a worker; the first piece that cannot
 * be sent means that nobody listens any more. */
void stream_events(const struct hw_request *request, struct hw_response *response)
{
    const struct timespec interval = {.tv_nsec = EVENT_INTERVAL_NS};
    char event[32];
    (void)request;
    hw_field_add(response, "Cache-Control", "no-store");
    hw_media_type_set(response, "text/event-stream");
    for (int i = 1; i <= EVENTS; i++) {
        int size = snprintf(event, sizeof event, "data: %d\n\n", i);
        if (hw_chunk_send(response, event, (size_t)size) != 0)
            return;
        nanosleep(&interval, NULL);
    }
    hw_stream_end(response);
}

/* The handlers of test_http1.py: they show what of a request arrived. */
#define _POSIX_C_SOURCE 200809L /* nanosleep */

#include "web.h"

#include <stdio.h>
#include <time.h>

static void path_send(const struct hw_request *request, struct hw_response *response)
{
    struct hw_text path = hw_path_get(request);
    hw_bytes_send(response, "text/plain", path.bytes, path.size);
}

void root(const struct hw_request *request, struct hw_response *response)
{
    path_send(request, response);
}

void tree(const struct hw_request *request, struct hw_response *response)
{
    path_send(request, response);
}

void post_tree(const struct hw_request *request, struct hw_response *response)
{
    path_send(request, response);
}

void segment(const struct hw_request *request, struct hw_response *response, const struct web_segment_params *params)
{
    (void)request;
    hw_bytes_send(response, "text/plain", params->name.bytes, params->name.size);
}

void rest(const struct hw_request *request, struct hw_response *response, const struct web_rest_params *params)
{
    (void)request;
    hw_bytes_send(response, "text/plain", params->rest.bytes, params->rest.size);
}

void host(const struct hw_request *request, struct hw_response *response)
{
    struct hw_text name = hw_host_get(request);
    struct hw_text target = hw_target_get(request);
    char text[256];
    snprintf(text, sizeof text, "%s %s", name.bytes, target.bytes);
    hw_text_send(response, text);
}

void other_host(const struct hw_request *request, struct hw_response *response)
{
    (void)request;
    hw_text_send(response, "the other host");
}

void size(const struct hw_request *request, struct hw_response *response)
{
    char text[32];
    snprintf(text, sizeof text, "%u", (unsigned)hw_body_size_get(request));
    hw_text_send(response, text);
}

void slow(const struct hw_request *request, struct hw_response *response)
{
    const struct timespec wait = {.tv_nsec = 300 * 1000 * 1000};
    (void)request;
    nanosleep(&wait, NULL);
    hw_text_send(response, "slow");
}

void stream(const struct hw_request *request, struct hw_response *response)
{
    (void)request;
    hw_chunk_send(response, "one", 3);
    hw_chunk_send(response, "two", 3);
}

void remove_it(const struct hw_request *request, struct hw_response *response)
{
    (void)request;
    hw_empty_send(response);
}

/* The handlers of test_slow_clients.py. */
#include "patient.h"

#include <stdio.h>
#include <string.h>

static char bytes[4 * 1024 * 1024];

void large(const struct hw_request *request, struct hw_response *response)
{
    (void)request;
    hw_borrowed_send(response, "application/octet-stream", bytes, sizeof bytes, NULL, NULL);
}

void count(const struct hw_request *request, struct hw_response *response)
{
    char text[32];
    snprintf(text, sizeof text, "%u", (unsigned)hw_body_size_get(request));
    hw_text_send(response, text);
}

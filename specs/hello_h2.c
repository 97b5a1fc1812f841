/* The handler of hello_h2.yaml: answers how many bytes the body had. */
#include "hello_h2.h"

#include <inttypes.h>
#include <stdio.h>

/* With body mode memory the handler runs once, when the whole body is there. */
void count_upload(const struct hw_request *request, struct hw_response *response)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64 "\n", hw_body_size_get(request));
    hw_text_send(response, text);
}

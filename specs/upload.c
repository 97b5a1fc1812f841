/* The handler of upload.yaml: answers how many bytes the body had. */
#include "upload.h"

#include <inttypes.h>
#include <stdio.h>

/* With body mode discard the handler runs once, when the whole body has gone by. */
void count_upload(const struct hw_request *request, struct hw_response *response)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64 "\n", hw_body_size_get(request));
    hw_text_send(response, text);
}

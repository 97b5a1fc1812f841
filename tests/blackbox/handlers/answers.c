/* The handlers of both servers in test_embedding.py, compiled once for each: PRODUCT is SMALL or LARGE. */
#ifdef SMALL
#include "small.h"
#define PRODUCT(name) in_small_##name
#else
#include "large.h"
#define PRODUCT(name) in_large_##name
#endif

#include <stdlib.h>
#include <string.h>

/* As many bytes as hw_bytes_send takes. */
void PRODUCT(most)(const struct hw_request *request, struct hw_response *response)
{
    static char bytes[100000];
    (void)request;
    for (size_t size = sizeof bytes; size > 0; size -= 100)
        if (hw_bytes_send(response, "text/plain", bytes, size) == 0)
            return;
}

void PRODUCT(echo)(const struct hw_request *request, struct hw_response *response)
{
    struct hw_text body = hw_body_get(request);
    hw_borrowed_send(response, "text/plain", body.bytes, body.size, NULL, NULL);
}

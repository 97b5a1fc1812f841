/* In place of HTTP/2 in servers whose listeners do not have it: nothing there begins with it. */
#include "http/begin.h"

static void hw_h2_begin(struct hw_connection *connection, const char *bytes, size_t size)
{
    (void)bytes;
    (void)size;
    hw_connection_close(connection);
}

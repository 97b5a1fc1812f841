/* The handler of test_handlers.py that logs a line of each level. */
#include "notes.h"

void log_all(const struct hw_request *request, struct hw_response *response)
{
    (void)request;
    hw_log(HW_LOG_ERROR, "an error %d", 1);
    hw_log(HW_LOG_WARNING, "a warning");
    hw_log(HW_LOG_INFO, "an info with \x1b[31m and\na line");
    hw_log(HW_LOG_DEBUG, "a debug line");
    hw_empty_send(response);
}

/* The whole server: start and stop, which are declared in hardwire/generated.h, and what its own main needs besides. */
#ifndef HW_SERVE_SERVER_H
#define HW_SERVE_SERVER_H

#include <stdbool.h>
#include <time.h>

/* Stops as hw_server_stop does, but gives up at this time (CLOCK_REALTIME) when the threads have not ended by then: a
 * handler that does not return cannot be ended. False then, and the process has to exit. NULL: never. */
static bool hw_server_stop_until(const struct timespec *until);

#endif

/* The whole server: start, stop, and the main function of a server of its own. Declared in hardwire/generated.h. */
#ifndef HW_SERVE_SERVER_H
#define HW_SERVE_SERVER_H

#include <stdbool.h>

/* Stops as hw_server_stop does, but gives up when the threads have not ended after timeouts.drain and a second: a handler
 * that does not return cannot be ended. False then, and the process has to exit. */
static bool hw_server_stop_in_time(void);

#endif

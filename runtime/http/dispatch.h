/* From a complete head to the route that answers it, whatever the framing. */
#ifndef HW_HTTP_DISPATCH_H
#define HW_HTTP_DISPATCH_H

#include "http/exchange.h"

/* Takes the target apart (RFC 9112 section 3.2): origin-form, absolute-form, asterisk-form with OPTIONS. Fills path,
 * query and, from an absolute-form, the host. Returns 0, or the status that refuses it: 400, also for more query
 * parameters than limits.parameters. */
static unsigned hw_dispatch_target_read(struct hw_exchange *exchange);

/* Finds the route for method, host and path and keeps its captures; when there is none sets `verdict`. */
static void hw_dispatch_route_find(struct hw_exchange *exchange);

/* Sends what `verdict` says. */
static void hw_dispatch_verdict_send(struct hw_exchange *exchange);

#endif

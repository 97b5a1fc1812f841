/* The error log: lines on standard error, one write each, at most HW_LOG_RATE a second. */
#ifndef HW_CORE_LOG_H
#define HW_CORE_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include <hardwire/hardwire.h>

/* How many lines may go out in the second `second`. Owned by the process; any thread. */
struct hw_log_budget {
    _Atomic int64_t second;
    _Atomic uint32_t used;
};

/* True when one more line may be written in this second. `*left_out` is the number of lines that were suppressed in the
 * second before, when this is the first line after it; else 0. */
static bool hw_log_budget_take(struct hw_log_budget *budget, int64_t second, uint32_t *left_out);

#endif

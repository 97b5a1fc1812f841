/* Time: a monotonic clock in milliseconds for deadlines, and the date of responses. */
#ifndef HW_CORE_CLOCK_H
#define HW_CORE_CLOCK_H

#include <stdint.h>

/* Milliseconds that never go back; for the loops and the log, nobody else reads a clock. */
static uint64_t hw_clock_ms(void);

#define HW_DATE_SIZE 29

/* Writes the IMF-fixdate of RFC 9110 section 5.6.7 for `seconds` since 1970, without a NUL. */
static void hw_clock_date(char date[HW_DATE_SIZE], int64_t seconds);

/* Seconds since 1970. */
static int64_t hw_clock_seconds(void);

#endif

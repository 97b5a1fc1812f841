#include "core/clock.h"

#include <string.h>
#include <time.h>

static uint64_t hw_clock_ms(void)
{
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0)
        return 0; /* cannot fail with this clock and a valid pointer */
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static int64_t hw_clock_seconds(void)
{
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0)
        return 0;
    return now.tv_sec;
}

static void hw_clock_two(char *out, int64_t value)
{
    out[0] = (char)('0' + value / 10 % 10);
    out[1] = (char)('0' + value % 10);
}

static void hw_clock_date(char date[HW_DATE_SIZE], int64_t seconds)
{
    static const char days[] = "ThuFriSatSunMonTueWed"; /* 1970 began on a Thursday */
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    int64_t day = seconds / 86400;
    int64_t second = seconds % 86400;
    /* Days to year, month and day: eras of 400 years that begin in March, so that leap days come last. */
    int64_t shifted = day + 719468;
    int64_t era = shifted / 146097;
    int64_t of_era = shifted % 146097;
    int64_t year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t shifted_month = (5 * of_year + 2) / 153;
    int64_t of_month = of_year - (153 * shifted_month + 2) / 5 + 1;
    int64_t month = shifted_month < 10 ? shifted_month + 2 : shifted_month - 10; /* 0 is January */
    int64_t year = year_of_era + era * 400 + (month <= 1);

    memcpy(date, "Thu, 01 Jan 1970 00:00:00 GMT", HW_DATE_SIZE);
    memcpy(date, days + day % 7 * 3, 3);
    hw_clock_two(date + 5, of_month);
    memcpy(date + 8, months + month * 3, 3);
    hw_clock_two(date + 12, year / 100);
    hw_clock_two(date + 14, year % 100);
    hw_clock_two(date + 17, second / 3600);
    hw_clock_two(date + 20, second / 60 % 60);
    hw_clock_two(date + 23, second % 60);
}

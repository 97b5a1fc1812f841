#include "http/status.h"

#include <hardwire/statuses.h>

static const char *hw_status_reason(unsigned status)
{
    static const struct {
        unsigned status;
        const char *reason;
    } rows[] = {
#define HW_STATUS_ROW(status, reason) {status, reason},
        HW_STATUSES(HW_STATUS_ROW)
#undef HW_STATUS_ROW
    };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].status == status)
            return rows[i].reason;
    return "Unknown";
}

static int hw_status_is_bare(unsigned status)
{
    return status < 200 || status == 204 || status == 304;
}

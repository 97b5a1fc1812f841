/* Status codes and their reason phrases: RFC 9110 section 15, RFC 6585, the registry of status codes. */
#ifndef HW_HTTP_STATUS_H
#define HW_HTTP_STATUS_H

/* The registered reason phrase; "Unknown" for others: never empty, some clients count that as a failure. */
static const char *hw_status_reason(unsigned status);

/* True for the responses that have no content: 1xx, 204, 304 (RFC 9110 section 6.4.1). */
static int hw_status_is_bare(unsigned status);

#endif

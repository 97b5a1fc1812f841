/* What handlers ask a request (hardwire/hardwire.h), and what the framings fill in. */
#ifndef HW_HTTP_REQUEST_H
#define HW_HTTP_REQUEST_H

#include "http/exchange.h"

/* True when two names are the same but for the case of ASCII letters. */
static bool hw_name_is_equal(const char *a, size_t a_size, const char *b, size_t b_size);

/* tchar and token of RFC 9110 section 5.6.2. */
static bool hw_is_tchar(unsigned char c);
static bool hw_name_is_token(const char *name, size_t size);

/* field-value of RFC 9110 section 5.5: no control bytes but HTAB. */
static bool hw_value_is_clean(const char *value, size_t size);

/* The number of pairs in a query string, counted by its separators. */
static size_t hw_query_count(const char *query, size_t size);

/* The number of pairs in the value of a Cookie field. */
static size_t hw_cookie_count(const char *value, size_t size);

/* Finds a cookie by name in the value of a Cookie field (RFC 6265 section 4.2.1); every ';' separates, quotes or not. */
static struct hw_text hw_cookie_find(const char *value, size_t size, const char *name);

/* Decodes one application/x-www-form-urlencoded text into `out` (room for size + 1), NUL behind; a broken escape stays
 * as it is. Returns the size. */
static size_t hw_form_decode(const char *text, size_t size, char *out);

/* Copies the captures of a match to texts of their own, with NUL behind each and '/' where %2F stood, and makes the path
 * whole again. The path must be the one matched. */
static void hw_request_captures_keep(struct hw_exchange *exchange, const struct hw_match *match);

#endif

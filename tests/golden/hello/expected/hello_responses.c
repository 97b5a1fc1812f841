/* Code generated from hello.yaml by hardwire; DO NOT EDIT.
 * This file may be used under any terms.
 *
 * The answers that never change, finished but for the date.
 */
#include "hello_config.h"

#include <hardwire/generated.h>

#if HW_INTERFACE != 2
#error "hello_responses.c was generated for interface 2 of the hardwire runtime; run: hardwire generate hello.yaml"
#endif

/* GET /hello */
static const char head_0_keep[] = "HTTP/1.1 200 OK\r\n"
                                  "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n"
                                  "Content-Type: text/plain; charset=utf-8\r\n"
                                  "Content-Length: 13\r\n"
                                  "\r\n";
static const char head_0_close[] = "HTTP/1.1 200 OK\r\n"
                                   "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n"
                                   "Content-Type: text/plain; charset=utf-8\r\n"
                                   "Content-Length: 13\r\n"
                                   "Connection: close\r\n"
                                   "\r\n";
static const char head_0_keep_10[] = "HTTP/1.1 200 OK\r\n"
                                     "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n"
                                     "Content-Type: text/plain; charset=utf-8\r\n"
                                     "Content-Length: 13\r\n"
                                     "Connection: keep-alive\r\n"
                                     "\r\n";
static const char body_0[] = "Hello, World!";

const struct hw_baked hello_baked[] = {
    {
        .heads =
            {
                {.bytes = head_0_keep, .size = sizeof head_0_keep - 1, .date_at = 23},
                {.bytes = head_0_close, .size = sizeof head_0_close - 1, .date_at = 23},
                {.bytes = head_0_keep_10, .size = sizeof head_0_keep_10 - 1, .date_at = 23},
            },
        .body = body_0,
        .body_size = 13,
    },
};

/* Code generated from everything.yaml by hardwire; DO NOT EDIT.
 * This file may be used under any terms.
 *
 * The answers that never change, finished but for the date.
 */
#include "everything_config.h"

#include <hardwire/generated.h>

#if HW_INTERFACE != 2
#error "everything_responses.c was generated for interface 2 of the hardwire runtime; run: hardwire generate everything.yaml"
#endif

/* GET /{$} */
static const char head_0_keep[] = "HTTP/1.1 200 OK\r\n"
                                  "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n"
                                  "Content-Type: text/plain; charset=utf-8\r\n"
                                  "Content-Length: 33\r\n"
                                  "\r\n";
static const char head_0_close[] = "HTTP/1.1 200 OK\r\n"
                                   "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n"
                                   "Content-Type: text/plain; charset=utf-8\r\n"
                                   "Content-Length: 33\r\n"
                                   "Connection: close\r\n"
                                   "\r\n";
static const char head_0_keep_10[] = "HTTP/1.1 200 OK\r\n"
                                     "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n"
                                     "Content-Type: text/plain; charset=utf-8\r\n"
                                     "Content-Length: 33\r\n"
                                     "Connection: keep-alive\r\n"
                                     "\r\n";
static const char head_0_frame[] = "\000\000B\001\004\000\000\000\000"
                                   "\210"
                                   "\017\022\035Thu, 01 Jan 1970 00:00:00 GMT"
                                   "\017\020\031text/plain; charset=utf-8"
                                   "\017\r\00233";
static const char body_0[] = "first\n"
                             "second \"quoted\" ?\?/ \\ \000 end";

/* GET /json
 * GET /same */
static const char head_1_keep[] = "HTTP/1.1 200 OK\r\n"
                                  "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n"
                                  "Content-Type: application/json\r\n"
                                  "Content-Length: 15\r\n"
                                  "\r\n";
static const char head_1_close[] = "HTTP/1.1 200 OK\r\n"
                                   "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n"
                                   "Content-Type: application/json\r\n"
                                   "Content-Length: 15\r\n"
                                   "Connection: close\r\n"
                                   "\r\n";
static const char head_1_keep_10[] = "HTTP/1.1 200 OK\r\n"
                                     "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n"
                                     "Content-Type: application/json\r\n"
                                     "Content-Length: 15\r\n"
                                     "Connection: keep-alive\r\n"
                                     "\r\n";
static const char head_1_frame[] = "\000\0009\001\004\000\000\000\000"
                                   "\210"
                                   "\017\022\035Thu, 01 Jan 1970 00:00:00 GMT"
                                   "\017\020\020application/json"
                                   "\017\r\00215";
static const char body_1[] = "{\"status\":\"UP\"}";

/* /old/ */
static const char head_2_keep[] = "HTTP/1.1 301 Moved Permanently\r\n"
                                  "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n"
                                  "Location: /json\r\n"
                                  "Content-Length: 0\r\n"
                                  "\r\n";
static const char head_2_close[] = "HTTP/1.1 301 Moved Permanently\r\n"
                                   "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n"
                                   "Location: /json\r\n"
                                   "Content-Length: 0\r\n"
                                   "Connection: close\r\n"
                                   "\r\n";
static const char head_2_keep_10[] = "HTTP/1.1 301 Moved Permanently\r\n"
                                     "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n"
                                     "Location: /json\r\n"
                                     "Content-Length: 0\r\n"
                                     "Connection: keep-alive\r\n"
                                     "\r\n";
static const char head_2_frame[] = "\000\0001\001\005\000\000\000\000"
                                   "\010\003301"
                                   "\017\022\035Thu, 01 Jan 1970 00:00:00 GMT"
                                   "\017\r\0010"
                                   "\017\037\005/json";

const struct hw_baked everything_baked[] = {
    {
        .heads =
            {
                {.bytes = head_0_keep, .size = sizeof head_0_keep - 1, .date_at = 23},
                {.bytes = head_0_close, .size = sizeof head_0_close - 1, .date_at = 23},
                {.bytes = head_0_keep_10, .size = sizeof head_0_keep_10 - 1, .date_at = 23},
            },
        .frame = {.bytes = head_0_frame, .size = sizeof head_0_frame - 1, .date_at = 13},
        .body = body_0,
        .body_size = 33,
    },
    {
        .heads =
            {
                {.bytes = head_1_keep, .size = sizeof head_1_keep - 1, .date_at = 23},
                {.bytes = head_1_close, .size = sizeof head_1_close - 1, .date_at = 23},
                {.bytes = head_1_keep_10, .size = sizeof head_1_keep_10 - 1, .date_at = 23},
            },
        .frame = {.bytes = head_1_frame, .size = sizeof head_1_frame - 1, .date_at = 13},
        .body = body_1,
        .body_size = 15,
    },
    {
        .heads =
            {
                {.bytes = head_2_keep, .size = sizeof head_2_keep - 1, .date_at = 38},
                {.bytes = head_2_close, .size = sizeof head_2_close - 1, .date_at = 38},
                {.bytes = head_2_keep_10, .size = sizeof head_2_keep_10 - 1, .date_at = 38},
            },
        .frame = {.bytes = head_2_frame, .size = sizeof head_2_frame - 1, .date_at = 17},
        .body = "",
    },
};

/* Code generated from everything.yaml by hardwire; DO NOT EDIT.
 * This file may be used under any terms.
 *
 * The handlers of everything, which the author writes, and its start, stop and reload.
 */
#ifndef EVERYTHING_H
#define EVERYTHING_H

#ifndef HW_PREFIX
#define HW_PREFIX everything
#endif
#include <hardwire/hardwire.h>

#ifdef __cplusplus
extern "C" {
#endif

/* POST /admin/a
 * POST /admin/b */
void admin(const struct hw_request *request, struct hw_response *response);

/* GET /admin/{page}/{$} */
struct everything_page_params {
    struct hw_text page;
};
void page(const struct hw_request *request, struct hw_response *response, const struct everything_page_params *params);

/* GET /files/{path...}
 * GET static.example.com/{path...} */
struct everything_request_params {
    struct hw_text path;
};
void request(const struct hw_request *request, struct hw_response *response,
             const struct everything_request_params *params);

/* GET /items/{id}
 * One item. * / is no end of this comment.
 * It has two lines. */
struct everything_item_get_params {
    uint32_t id; /* 1 to 999 */
};
void item_get(const struct hw_request *request, struct hw_response *response,
              const struct everything_item_get_params *params);

/* PUT /items/{id} */
struct everything_item_put_params {
    uint32_t id; /* 1 to 999 */
};
void item_put(const struct hw_request *request, struct hw_response *response,
              const struct everything_item_put_params *params);

/* DELETE /items/{id}, on a worker */
struct everything_item_delete_params {
    uint32_t id; /* 0 to 4294967295 */
};
void item_delete(const struct hw_request *request, struct hw_response *response,
                 const struct everything_item_delete_params *params);

/* GET /numbers/{a}/{b}/{c}/{d} */
struct everything_numbers_params {
    uint64_t a; /* 0 to 18446744073709551615 */
    int32_t b; /* -5 to 2147483647 */
    int64_t c; /* -9223372036854775808 to 9223372036854775807 */
    struct hw_text d;
};
void numbers(const struct hw_request *request, struct hw_response *response,
             const struct everything_numbers_params *params);

/* POST /upload, for each piece of the body */
void upload(const struct hw_request *request, struct hw_response *response, const struct hw_piece *piece);

/* GET static.example.com/{$} */
void index(const struct hw_request *request, struct hw_response *response);

/* Reserves all memory, binds, listens and starts the threads. Returns 0, or 2 with one line (no newline) in `message`
 * and everything undone. */
int everything_start(char *message, size_t message_size);

/* Stops accepting, lets requests in progress end within timeouts.drain, ends the threads and frees everything. Returns
 * when that is done; does nothing when the server does not run. Not from a handler. */
void everything_stop(void);

/* Reads certificates again, without losing a connection; when one is wrong the old ones stay and the log says why. Does
 * nothing in a server without TLS. */
void everything_reload(void);

/* The port that listener n of the spec, counted from 0, is bound to; 0 for a unix socket or when the server does not
 * run. */
uint16_t everything_port(unsigned listener);

#ifdef __cplusplus
}
#endif
#endif

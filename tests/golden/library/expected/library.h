/* Code generated from library.yaml by hardwire; DO NOT EDIT.
 * This file may be used under any terms.
 *
 * The handlers of library, which the author writes, and its start, stop and reload.
 */
#ifndef LIBRARY_H
#define LIBRARY_H

#ifndef HW_PREFIX
#define HW_PREFIX library
#endif
#include <hardwire/hardwire.h>

#ifdef __cplusplus
extern "C" {
#endif

/* GET /ant */
void ant_get(const struct hw_request *request, struct hw_response *response);

/* PUT /ant */
void ant_put(const struct hw_request *request, struct hw_response *response);

/* POST /ant/{name}/feed
 * POST /gnu/{name}/feed
 * POST /mole/{name}/feed */
struct library_feed_params {
    struct hw_text name;
};
void feed(const struct hw_request *request, struct hw_response *response, const struct library_feed_params *params);

/* GET /bee */
void bee_get(const struct hw_request *request, struct hw_response *response);

/* GET /cat */
void cat_get(const struct hw_request *request, struct hw_response *response);

/* GET /dog */
void dog_get(const struct hw_request *request, struct hw_response *response);

/* GET /eel */
void eel_get(const struct hw_request *request, struct hw_response *response);

/* GET /fox */
void fox_get(const struct hw_request *request, struct hw_response *response);

/* PUT /fox */
void fox_put(const struct hw_request *request, struct hw_response *response);

/* GET /gnu */
void gnu_get(const struct hw_request *request, struct hw_response *response);

/* GET /hen */
void hen_get(const struct hw_request *request, struct hw_response *response);

/* GET /ibis */
void ibis_get(const struct hw_request *request, struct hw_response *response);

/* GET /jay */
void jay_get(const struct hw_request *request, struct hw_response *response);

/* GET /kite */
void kite_get(const struct hw_request *request, struct hw_response *response);

/* PUT /kite */
void kite_put(const struct hw_request *request, struct hw_response *response);

/* GET /lynx */
void lynx_get(const struct hw_request *request, struct hw_response *response);

/* GET /mole */
void mole_get(const struct hw_request *request, struct hw_response *response);

/* GET /newt */
void newt_get(const struct hw_request *request, struct hw_response *response);

/* GET /owl */
void owl_get(const struct hw_request *request, struct hw_response *response);

/* GET /pig */
void pig_get(const struct hw_request *request, struct hw_response *response);

/* PUT /pig */
void pig_put(const struct hw_request *request, struct hw_response *response);

/* GET /quail */
void quail_get(const struct hw_request *request, struct hw_response *response);

/* GET /rat */
void rat_get(const struct hw_request *request, struct hw_response *response);

/* Reserves all memory, binds, listens and starts the threads. Returns 0, or 2 with one line (no newline) in `message`
 * and everything undone. */
int library_start(char *message, size_t message_size);

/* Stops accepting, lets requests in progress end within timeouts.drain, ends the threads and frees everything. Returns
 * when that is done; does nothing when the server does not run. Not from a handler. */
void library_stop(void);

/* Reads certificates again, without losing a connection; when one is wrong the old ones stay and the log says why. Does
 * nothing in a server without TLS. */
void library_reload(void);

/* The port that listener n of the spec, counted from 0, is bound to; 0 for a unix socket or when the server does not
 * run. */
uint16_t library_port(unsigned listener);

#ifdef __cplusplus
}
#endif
#endif

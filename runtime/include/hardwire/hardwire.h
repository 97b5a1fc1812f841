/* What a handler may call: the request, the response, suspension and the log.
 *
 * Include the generated NAME.h, not this file: it sets HW_PREFIX, through which every function below gets the
 * product's own prefix, so that two generated servers live in one program.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef HARDWIRE_HARDWIRE_H
#define HARDWIRE_HARDWIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hardwire/names.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A run of bytes that belongs to somebody else. Texts that the runtime hands out are followed by a NUL byte that
 * `size` does not count; `bytes` is NULL when the thing asked for is absent. */
struct hw_text {
    const char *bytes;
    size_t size;
};

/* One request, read-only. Valid until the response has left; everything it gives out lives as long. */
struct hw_request;

/* The response to one request. Owned by the runtime; a handler may use it until it returns or, after hw_suspend,
 * until hw_resume. */
struct hw_response;

/* Methods that the runtime knows: RFC 9110 section 9, RFC 5789 and the registered WebDAV and versioning methods that
 * llhttp parses. The order is part of the interface between generated code and the runtime. */
/* clang-format off */
#define HW_METHODS(X)                                                                                                  \
    X(GET) X(HEAD) X(POST) X(PUT) X(DELETE) X(CONNECT) X(OPTIONS) X(TRACE) X(PATCH) X(COPY) X(LOCK) X(MKCOL) X(MOVE)   \
    X(PROPFIND) X(PROPPATCH) X(SEARCH) X(UNLOCK) X(BIND) X(REBIND) X(UNBIND) X(ACL) X(REPORT) X(MKACTIVITY)            \
    X(CHECKOUT) X(MERGE) X(MKCALENDAR) X(LINK) X(UNLINK)
/* clang-format on */

enum hw_method {
#define HW_METHOD_ROW(name) HW_METHOD_##name,
    HW_METHODS(HW_METHOD_ROW)
#undef HW_METHOD_ROW
    HW_METHOD_COUNT
};

/* What the functions below return when they do not return 0. */
enum hw_error {
    HW_EINVAL = -1,  /* an argument that may not stand in a message: a bad status, a name or value with CR, LF or NUL */
    HW_ESTATE = -2,  /* the call comes at the wrong time: the response was sent already, or is not suspended */
    HW_ETOOBIG = -3, /* it does not fit in the buffer that buffers.size gives to the response */
    HW_EAGAIN = -4,  /* on an IO thread, where nothing may block: no room just now */
    HW_ECANCELED = -5 /* the client has gone or the handler's time is over; stop working */
};

/* ---- The request. Any thread that has the response. */

enum hw_method hw_method_get(const struct hw_request *request);

/* The request target as it came (RFC 9112 section 3.2), query included. */
struct hw_text hw_target_get(const struct hw_request *request);

/* The path that was matched: decoded once, dot segments removed. A decoded %2F is a plain '/' here and in the path's
 * parameters, which are therefore no safe file names. */
struct hw_text hw_path_get(const struct hw_request *request);

/* The host that the client asked for (RFC 9110 section 7.2), in lower case, without the port; empty in an HTTP/1.0
 * request that names none. */
struct hw_text hw_host_get(const struct hw_request *request);

/* The value of the first field of this name (case does not matter), without blanks around it. Fields: RFC 9110
 * section 5. */
struct hw_text hw_field_get(const struct hw_request *request, const char *name);

/* Calls `each` for every field in the order of arrival until it returns false. */
void hw_fields_visit(const struct hw_request *request,
                     bool (*each)(void *user, struct hw_text name, struct hw_text value), void *user);

/* The first query parameter of this name, percent-decoded with '+' as a blank (the WHATWG's
 * application/x-www-form-urlencoded). */
struct hw_text hw_parameter_get(const struct hw_request *request, const char *name);

/* The value of the first cookie of this name (RFC 6265 section 5.4), as the client sent it, quotes included. This one text
 * is not followed by NUL: the next cookie may stand behind it. */
struct hw_text hw_cookie_get(const struct hw_request *request, const char *name);

/* The whole body, in body mode `memory`; empty in the others. */
struct hw_text hw_body_get(const struct hw_request *request);

/* The number of body bytes that have arrived so far, in any body mode. When a handler in mode `discard` runs, the whole
 * body has. */
uint64_t hw_body_size_get(const struct hw_request *request);

/* ---- One piece of a body, for the handlers of routes with body mode `stream`. */

enum hw_piece_kind {
    HW_PIECE_DATA, /* bytes of the body; more will come */
    HW_PIECE_LAST, /* the end of the body: the last bytes, or none */
    HW_PIECE_ABORTED /* the client went away, broke the framing or ran out of time: no more comes, no response can be sent;
                        free what hw_state_get holds */
};

struct hw_piece {
    const char *bytes; /* not followed by NUL; valid during the call only */
    size_t size;
    enum hw_piece_kind kind;
};

/* A place for one pointer of the handler's own, NULL at first, kept from piece to piece. A handler is called for the last
 * time with HW_PIECE_LAST or HW_PIECE_ABORTED, or with an earlier piece at which it sent its response and the send
 * returned 0: there it frees what the pointer holds. */
void **hw_state_get(struct hw_response *response);

/* ---- The response. Exactly one of the hw_*_send functions (or hw_chunk_send ... hw_stream_end) per request. */

/* Sets the status, 200 to 599 (RFC 9110 section 15); 200 when never called. HW_EINVAL, HW_ESTATE. */
int hw_status_set(struct hw_response *response, unsigned status);

/* Adds a field; both texts are copied. Content-Length, Transfer-Encoding, Connection, Date, Content-Type and the other
 * fields of the framing are the runtime's: HW_EINVAL. HW_ETOOBIG, HW_ESTATE. */
int hw_field_add(struct hw_response *response, const char *name, const char *value);

/* Sends `size` bytes, copied, with this media type. HW_ETOOBIG when they do not fit (see hw_borrowed_send), HW_EINVAL,
 * HW_ESTATE, HW_ECANCELED. Nothing is sent when it fails. */
int hw_bytes_send(struct hw_response *response, const char *media_type, const void *bytes, size_t size);

/* hw_bytes_send of a NUL-terminated text, as text/plain in UTF-8 or as application/json. */
int hw_text_send(struct hw_response *response, const char *text);
int hw_json_send(struct hw_response *response, const char *json);

/* Sends a response without content: 204 when no status was set. */
int hw_empty_send(struct hw_response *response);

/* Sends bytes of any size without a copy. They stay the caller's and must not change until `release(user)` is called,
 * exactly once: from the request's IO thread when the last byte has left or the client has gone, or, when this function
 * fails, from the calling thread before it returns. `release` may be NULL: for constants, and for the request's own
 * body. */
int hw_borrowed_send(struct hw_response *response, const char *media_type, const void *bytes, size_t size,
                     void (*release)(void *user), void *user);

/* Sends the next piece of a response of unknown length: chunked (RFC 9112 section 7.1), or ended by the close in
 * HTTP/1.0. The first call sends the head; set status and fields, Content-Type among them by hw_media_type_set, before.
 * On a worker, and on any thread of the author's after hw_suspend, it blocks while the client reads slower than this; on
 * an IO thread it never blocks: HW_EAGAIN, nothing taken, or HW_ETOOBIG when the piece could never fit at once.
 * HW_ECANCELED, HW_ESTATE. A handler that returns without hw_stream_end (and is not suspended) has ended the stream. */
int hw_chunk_send(struct hw_response *response, const void *bytes, size_t size);
int hw_media_type_set(struct hw_response *response, const char *media_type);
int hw_stream_end(struct hw_response *response);

/* ---- Suspension: answer later, from any thread, without a worker held. */

/* Called in a handler: the request stays open when the handler returns. HW_ESTATE if it was answered already. */
int hw_suspend(struct hw_response *response);

/* Called once, from any thread, after the response was sent by the functions above: gives it back to its IO thread. The
 * request and the response must not be touched afterwards. HW_ESTATE if it is not suspended. */
int hw_resume(struct hw_response *response);

/* True when nobody waits for this response any more. Any thread that has the response. */
bool hw_is_cancelled(const struct hw_response *response);

/* ---- The error log: one line on standard error, at most `log.rate` lines a second. Any thread. */

enum hw_log_level { HW_LOG_ERROR, HW_LOG_WARNING, HW_LOG_INFO, HW_LOG_DEBUG };

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void hw_log(enum hw_log_level level, const char *format, ...);

#ifdef __cplusplus
}
#endif
#endif

/* Header blocks become requests (RFC 9113 section 8), bodies are taken as their routes want them. */
#include <string.h>

#include "core/log.h"
#include "http/dispatch.h"
#include "http/host.h"
#include "http/request.h"
#include "http/response.h"
#include "http2/connection.h"

/* A request of which a limit has refused the first part is decoded on for the table's sake, up to this many times
 * limits.header_size. */
#define HW_H2_DECODED_MAX (4 * HW_LIMITS_HEADER_SIZE)

/* ---- One field. */

/* HTTP/2 has no capitals in names (RFC 9113 section 8.2.1). */
static bool hw_h2_name_is_fine(const uint8_t *name, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (name[i] >= 'A' && name[i] <= 'Z')
            return false;
    return hw_name_is_token((const char *)name, size);
}

/* Nor blanks around values. */
static bool hw_h2_value_is_fine(const uint8_t *value, size_t size)
{
    return hw_value_is_clean((const char *)value, size) &&
           (size == 0 || (value[0] != ' ' && value[0] != '\t' && value[size - 1] != ' ' && value[size - 1] != '\t'));
}

static bool hw_h2_is(const uint8_t *text, size_t size, const char *other)
{
    return size == strlen(other) && memcmp(text, other, size) == 0;
}

/* RFC 9113 section 8.2.2. */
static bool hw_h2_is_connections(const nghttp2_nv *nv)
{
    static const char *const names[] = {"connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (hw_h2_is(nv->name, nv->namelen, names[i]))
            return true;
    return hw_h2_is(nv->name, nv->namelen, "te") && !hw_h2_is(nv->value, nv->valuelen, "trailers");
}

static void hw_h2_refuse(struct hw_h2_exchange *exchange, uint16_t status)
{
    if (exchange->refusal == 0)
        exchange->refusal = status;
}

/* Copies a text into `in`, NUL behind; returns where it stands. header_size is at most buffers.size, so that it fits. */
static uint32_t hw_h2_text_keep(struct hw_h2_exchange *exchange, const void *text, size_t size)
{
    uint32_t at = exchange->in_size;
    memcpy(exchange->base.in + at, text, size);
    exchange->base.in[at + size] = '\0';
    exchange->in_size += (uint32_t)size + 1;
    return at;
}

static void hw_h2_field_keep(struct hw_h2_exchange *exchange, const char *name, size_t name_size, const uint8_t *value,
                             size_t value_size)
{
    struct hw_request *request = &exchange->base.request;
    if (request->field_count == HW_LIMITS_HEADERS) {
        hw_h2_refuse(exchange, 431);
        return;
    }
    struct hw_field *field = &exchange->base.fields[request->field_count++];
    field->name_at = hw_h2_text_keep(exchange, name, name_size);
    field->name_size = (uint32_t)name_size;
    field->value_at = hw_h2_text_keep(exchange, value, value_size);
    field->value_size = (uint32_t)value_size;
}

/* Puts a field behind all others of `in`. Nothing of an answer is in `out` yet, which has room for a whole head. */
static void hw_h2_field_move_last(struct hw_h2_exchange *exchange, struct hw_field *moved)
{
    struct hw_request *request = &exchange->base.request;
    struct hw_field *fields = exchange->base.fields;
    char *in = exchange->base.in;
    uint32_t begin = moved->name_at;
    uint32_t size = moved->value_at + moved->value_size + 1 - begin;
    uint32_t behind = exchange->in_size - begin - size;
    if (behind == 0)
        return;
    memcpy(exchange->base.out, in + begin, size);
    memmove(in + begin, in + begin + size, behind);
    memcpy(in + begin + behind, exchange->base.out, size);
    for (uint32_t i = 0; i < request->field_count; i++)
        if (fields[i].name_at > begin) {
            fields[i].name_at -= size;
            fields[i].value_at -= size;
        }
    if (request->target_at > begin)
        request->target_at -= size;
    moved->name_at += behind;
    moved->value_at += behind;
}

/* RFC 9113 section 8.2.3: the crumbs of a cookie become one field. This one is put behind those before; their number is
 * bounded by limits.cookies. */
static void hw_h2_cookie_join(struct hw_h2_exchange *exchange, const uint8_t *value, size_t size)
{
    char *in = exchange->base.in;
    struct hw_field *cookie = exchange->base.fields;
    while (!hw_name_is_equal(in + cookie->name_at, cookie->name_size, "cookie", 6))
        cookie++;
    hw_h2_field_move_last(exchange, cookie);
    exchange->in_size--; /* over the NUL */
    memcpy(in + exchange->in_size, "; ", 2);
    exchange->in_size += 2;
    hw_h2_text_keep(exchange, value, size);
    cookie->value_size += (uint32_t)size + 2;
}

static void hw_h2_cookie_read(struct hw_h2_exchange *exchange, const uint8_t *value, size_t size)
{
    exchange->cookie_count += (uint32_t)hw_cookie_count((const char *)value, size);
    if (exchange->cookie_count > HW_LIMITS_COOKIES || exchange->crumb_count == HW_LIMITS_COOKIES)
        hw_h2_refuse(exchange, 431);
    else if (exchange->crumb_count++ == 0)
        hw_h2_field_keep(exchange, "cookie", 6, value, size);
    else
        hw_h2_cookie_join(exchange, value, size);
}

/* RFC 9113 section 8.1.1: the sum of DATA must be what Content-Length says. */
static void hw_h2_length_read(struct hw_h2_exchange *exchange, const uint8_t *value, size_t size)
{
    uint64_t length = 0;
    bool is_fine = size > 0 && size <= 19;
    for (size_t i = 0; i < size && is_fine; i++) {
        is_fine = value[i] >= '0' && value[i] <= '9';
        length = length * 10 + (uint64_t)(value[i] - '0');
    }
    if (!is_fine || (exchange->has_length && exchange->length != length))
        exchange->is_malformed = true;
    exchange->has_length = true;
    exchange->length = length;
}

static void hw_h2_authority_keep(struct hw_h2_exchange *exchange, const uint8_t *value, size_t size)
{
    struct hw_request *request = &exchange->base.request;
    size_t host_size;
    if (!hw_host_read((const char *)value, size, request->host, sizeof request->host, &host_size)) {
        hw_h2_refuse(exchange, 400);
        return;
    }
    request->host_size = (uint32_t)host_size;
    hw_h2_field_keep(exchange, "host", 4, value, size);
}

/* A Host beside :authority must name the same (RFC 9113 section 8.3.1). */
static void hw_h2_host_read(struct hw_h2_exchange *exchange, const uint8_t *value, size_t size)
{
    struct hw_request *request = &exchange->base.request;
    if (request->host_size == 0) {
        hw_h2_authority_keep(exchange, value, size);
        return;
    }
    const struct hw_field *host = &exchange->base.fields[0]; /* :authority stands before all fields */
    if (!hw_name_is_equal(exchange->base.in + host->value_at, host->value_size, (const char *)value, size))
        hw_h2_refuse(exchange, 400);
}

static void hw_h2_ordinary_read(struct hw_h2_exchange *exchange, const nghttp2_nv *nv)
{
    exchange->has_fields = true;
    switch (nv->namelen) {
    case 4:
        if (hw_h2_is(nv->name, 4, "host")) {
            hw_h2_host_read(exchange, nv->value, nv->valuelen);
            return;
        }
        break;
    case 6:
        if (hw_h2_is(nv->name, 6, "cookie")) {
            hw_h2_cookie_read(exchange, nv->value, nv->valuelen);
            return;
        }
        if (hw_h2_is(nv->name, 6, "expect")) {
            exchange->expects_continue = hw_name_is_equal((const char *)nv->value, nv->valuelen, "100-continue", 12);
            if (!exchange->expects_continue)
                hw_h2_refuse(exchange, 417);
        }
        break;
    case 14:
        if (hw_h2_is(nv->name, 14, "content-length"))
            hw_h2_length_read(exchange, nv->value, nv->valuelen);
        break;
    default:
        break;
    }
    hw_h2_field_keep(exchange, (const char *)nv->name, nv->namelen, nv->value, nv->valuelen);
}

/* A method that is not ours is 501, as over HTTP/1.1. */
static void hw_h2_method_read(struct hw_h2_exchange *exchange, const uint8_t *value, size_t size)
{
    for (unsigned method = 0; method < HW_METHOD_COUNT; method++)
        if (hw_h2_is(value, size, hw_method_name(method))) {
            exchange->base.request.method = (uint8_t)method;
            if (method == HW_METHOD_CONNECT)
                hw_h2_refuse(exchange, 501);
            return;
        }
    hw_h2_refuse(exchange, 501);
}

/* RFC 9113 section 8.3.1. */
static void hw_h2_pseudo_read(struct hw_h2_exchange *exchange, const nghttp2_nv *nv)
{
    struct hw_request *request = &exchange->base.request;
    uint8_t bit = 0;
    if (hw_h2_is(nv->name, nv->namelen, ":method"))
        bit = HW_H2_METHOD;
    else if (hw_h2_is(nv->name, nv->namelen, ":scheme"))
        bit = HW_H2_SCHEME;
    else if (hw_h2_is(nv->name, nv->namelen, ":authority"))
        bit = HW_H2_AUTHORITY;
    else if (hw_h2_is(nv->name, nv->namelen, ":path"))
        bit = HW_H2_PATH;
    if (bit == 0 || (exchange->pseudo & bit) != 0 || exchange->has_fields) {
        exchange->is_malformed = true;
        return;
    }
    exchange->pseudo |= bit;
    if (bit == HW_H2_METHOD) {
        hw_h2_method_read(exchange, nv->value, nv->valuelen);
    } else if (bit == HW_H2_AUTHORITY) {
        hw_h2_authority_keep(exchange, nv->value, nv->valuelen);
    } else if (bit == HW_H2_PATH) {
        if (nv->valuelen > HW_LIMITS_TARGET_SIZE) {
            hw_h2_refuse(exchange, 414);
            return;
        }
        request->target_at = hw_h2_text_keep(exchange, nv->value, nv->valuelen);
        request->target_size = (uint32_t)nv->valuelen;
    }
}

/* One decoded field of a request. */
static void hw_h2_field_read(struct hw_h2_exchange *exchange, const nghttp2_nv *nv)
{
    bool is_pseudo = nv->namelen > 0 && nv->name[0] == ':';
    if (!hw_h2_value_is_fine(nv->value, nv->valuelen) ||
        (!is_pseudo && (!hw_h2_name_is_fine(nv->name, nv->namelen) || hw_h2_is_connections(nv)))) {
        exchange->is_malformed = true;
        return;
    }
    exchange->list_size += (uint32_t)(nv->namelen + nv->valuelen + 4);
    if (exchange->list_size > HW_LIMITS_HEADER_SIZE)
        hw_h2_refuse(exchange, is_pseudo && hw_h2_is(nv->name, nv->namelen, ":path") ? 414 : 431);
    else if (exchange->refusal == 0 && is_pseudo)
        hw_h2_pseudo_read(exchange, nv);
    else if (exchange->refusal == 0)
        hw_h2_ordinary_read(exchange, nv);
}

/* ---- Header blocks. */

static struct hw_h2_exchange *hw_h2_exchange_take(struct hw_h2_connection *connection)
{
    struct hw_h2_exchange *exchange = hw_connection_exchange_take(connection->base.owner);
    if (exchange == NULL)
        return NULL;
    hw_exchange_init(&exchange->base, connection->base.owner->loop, connection, &hw_h2_framing);
    memset((char *)exchange + sizeof exchange->base, 0, sizeof *exchange - sizeof exchange->base);
    hw_exchange_reset(&exchange->base);
    exchange->base.request.minor = 1;
    connection->session->held++;
    return exchange;
}

static void hw_h2_exchange_give(struct hw_h2_connection *connection, struct hw_h2_exchange *exchange)
{
    struct hw_connections *owner = connection->base.owner;
    if (exchange->slot != NULL)
        hw_pool_give(&owner->bodies, exchange->slot);
    hw_exchange_end(&exchange->base);
    hw_pool_give(&owner->exchanges, exchange);
    connection->session->held--;
}

static void hw_h2_block_ignore(struct hw_h2_session *session, enum hw_h2_error error)
{
    session->block = HW_H2_BLOCK_IGNORED;
    session->block_error = (uint16_t)error;
}

/* HEADERS on a stream that is known already: trailers, or a mistake. */
static void hw_h2_block_again(struct hw_h2_connection *connection)
{
    struct hw_h2_session *session = connection->session;
    struct hw_h2_stream *stream = hw_h2_stream_find(session, session->block_id);
    if (stream != NULL && stream->is_remote_ended) {
        hw_h2_block_ignore(session, HW_H2_STREAM_CLOSED);
    } else if (stream != NULL) {
        session->block = HW_H2_BLOCK_TRAILERS;
        session->trailers_are_malformed = !session->block_ends_stream; /* section 8.1 */
    } else {
        enum hw_h2_ended ended = hw_h2_stream_ended(session, session->block_id);
        if (ended == HW_H2_ENDED_RESET)
            hw_h2_block_ignore(session, HW_H2_NO_ERROR); /* it may not know yet */
        else
            hw_h2_fail(connection, ended == HW_H2_ENDED_CLOSED ? HW_H2_STREAM_CLOSED : HW_H2_PROTOCOL_ERROR,
                       "HEADERS on a stream that has ended"); /* sections 5.1 and 5.1.1 */
    }
}

static void hw_h2_block_begin(struct hw_h2_connection *connection)
{
    struct hw_h2_session *session = connection->session;
    session->block_error = HW_H2_NO_ERROR;
    session->block_decoded = 0;
    session->block_ms = hw_h2_now(connection);
    if (session->block_id <= session->last_id) {
        hw_h2_block_again(connection);
        return;
    }
    if (session->is_going) { /* RFC 9113 section 6.8: it was told that this stream would not be looked at */
        hw_h2_block_ignore(session, HW_H2_NO_ERROR);
        return;
    }
    session->last_id = session->block_id;
    session->request_count++;
    session->building = session->count == HW_HTTP2_STREAMS ? NULL : hw_h2_exchange_take(connection);
    if (session->building == NULL) /* section 8.7: it may be sent again */
        hw_h2_block_ignore(session, HW_H2_REFUSED_STREAM);
    else
        session->block = HW_H2_BLOCK_REQUEST;
}

static void hw_h2_field_decoded(struct hw_h2_session *session, const nghttp2_nv *nv)
{
    session->block_decoded += (uint32_t)(nv->namelen + nv->valuelen + 32);
    if (session->block == HW_H2_BLOCK_REQUEST)
        hw_h2_field_read(session->building, nv);
    else if (session->block == HW_H2_BLOCK_TRAILERS && !session->trailers_are_malformed)
        session->trailers_are_malformed = !hw_h2_name_is_fine(nv->name, nv->namelen) ||
                                          !hw_h2_value_is_fine(nv->value, nv->valuelen) || hw_h2_is_connections(nv);
}

static void hw_h2_block_part(struct hw_h2_connection *connection, const uint8_t *bytes, size_t size, bool is_last)
{
    struct hw_h2_session *session = connection->session;
    session->block_size += (uint32_t)size;
    for (;;) {
        nghttp2_nv nv;
        int flags = 0;
        ssize_t used = nghttp2_hd_inflate_hd2(session->decoder.inflater, &nv, &flags, bytes, size, is_last);
        if (used < 0) {
            bool is_short = session->decoder.heap.is_short;
            hw_h2_fail(connection, is_short ? HW_H2_ENHANCE_YOUR_CALM : HW_H2_COMPRESSION_ERROR,
                       is_short ? "a field larger than limits.header_size" : "a broken header block");
            return;
        }
        bytes += used;
        size -= (size_t)used;
        if ((flags & NGHTTP2_HD_INFLATE_EMIT) != 0)
            hw_h2_field_decoded(session, &nv);
        if (session->block_decoded > HW_H2_DECODED_MAX || session->block_size > HW_H2_DECODED_MAX) {
            hw_h2_fail(connection, HW_H2_ENHANCE_YOUR_CALM, "a field section far above limits.header_size");
            return;
        }
        if ((flags & NGHTTP2_HD_INFLATE_FINAL) != 0) {
            nghttp2_hd_inflate_end_headers(session->decoder.inflater);
            return;
        }
        if ((flags & NGHTTP2_HD_INFLATE_EMIT) == 0 && size == 0)
            return;
    }
}

/* ---- The request. */

/* What RFC 9113 section 8.3.1 wants of every request. */
static bool hw_h2_is_complete(struct hw_h2_exchange *exchange)
{
    const struct hw_request *request = &exchange->base.request;
    const uint8_t need = HW_H2_METHOD | HW_H2_SCHEME | HW_H2_PATH;
    if (exchange->is_malformed)
        return false;
    if (exchange->refusal != 0)
        return true;
    return (exchange->pseudo & need) == need && request->target_size > 0;
}

static enum hw_body_mode hw_h2_body_mode(const struct hw_h2_exchange *exchange)
{
    const struct hw_route *route = exchange->base.route;
    return route == NULL ? HW_BODY_DISCARD : (enum hw_body_mode)route->body_mode;
}

/* Finds the route, or what else is to be answered. */
static void hw_h2_request_read(struct hw_h2_exchange *exchange)
{
    struct hw_request *request = &exchange->base.request;
    exchange->base.is_head = request->method == HW_METHOD_HEAD;
    exchange->base.keep_alive = true;
    if (exchange->refusal == 0 && request->host_size == 0)
        hw_h2_refuse(exchange, 400);
    bool is_origin = request->target_size > 0 && exchange->base.in[request->target_at] == '/';
    bool is_star = request->target_size == 1 && exchange->base.in[request->target_at] == '*';
    if (exchange->refusal == 0 && !is_origin && !is_star) /* section 8.3.1: no other form */
        hw_h2_refuse(exchange, 400);
    if (exchange->refusal == 0)
        hw_h2_refuse(exchange, (uint16_t)hw_dispatch_target_read(&exchange->base));
    if (exchange->refusal == 0)
        hw_dispatch_route_find(&exchange->base);
    exchange->body_limit = exchange->base.route == NULL ? HW_LIMITS_BODY_SIZE : exchange->base.route->body_size;
}

/* The exchange has its answer: it leaves by and by. */
static void hw_h2_answered(struct hw_h2_connection *connection, struct hw_h2_stream *stream)
{
    stream->state = HW_H2_RESPOND;
    stream->progress_ms = hw_h2_now(connection);
    hw_h2_stream_ready(connection->session, stream);
}

/* Answers with a status instead of what the route would have said. */
static void hw_h2_status_answer(struct hw_h2_connection *connection, struct hw_h2_stream *stream, unsigned status)
{
    struct hw_exchange *base = &stream->exchange->base;
    if (base->is_lent || stream->exchange->is_stream_open) { /* the response is a handler's */
        hw_h2_bare_answer(connection, stream, status);
        return;
    }
    hw_response_refusal_send(base, status);
    hw_h2_answered(connection, stream);
}

/* The handler is back on this thread, and the exchange with it. */
static void hw_h2_handled(struct hw_h2_connection *connection, struct hw_h2_stream *stream);

static void hw_h2_lent(struct hw_h2_connection *connection, struct hw_h2_stream *stream)
{
    stream->state = HW_H2_LENT;
    stream->until_ms = hw_h2_now(connection) + stream->exchange->base.route->handler_ms;
}

static void hw_h2_handle(struct hw_h2_connection *connection, struct hw_h2_stream *stream)
{
    struct hw_exchange *base = &stream->exchange->base;
    if (base->route->worker && HW_THREADS_WORKERS > 0) {
        if (hw_exchange_lend(base, stream->exchange->is_stream_open)) {
            hw_h2_lent(connection, stream);
            return;
        }
        hw_log(HW_LOG_WARNING, "503 for \"%s\": threads.queue is full", base->route->pattern);
        hw_h2_status_answer(connection, stream, 503);
        return;
    }
    if (hw_exchange_handle(base))
        hw_h2_handled(connection, stream);
    else
        hw_h2_lent(connection, stream);
}

/* The next piece for a stream handler: what is in the spill, or the end. */
static void hw_h2_piece_next(struct hw_h2_connection *connection, struct hw_h2_stream *stream)
{
    struct hw_h2_exchange *exchange = stream->exchange;
    exchange->piece_size = exchange->spill_size;
    exchange->spill_size = 0;
    exchange->base.request.body_size += exchange->piece_size;
    exchange->base.is_piece = true;
    exchange->base.piece = (struct hw_piece){exchange->base.in + exchange->spill_at, exchange->piece_size,
                                             exchange->is_body_ended ? HW_PIECE_LAST : HW_PIECE_DATA};
    hw_h2_handle(connection, stream);
}

/* The handler has had its piece: what came behind it moves to its place, and the client may send as much again. */
static void hw_h2_piece_end(struct hw_h2_connection *connection, struct hw_h2_stream *stream)
{
    struct hw_h2_exchange *exchange = stream->exchange;
    char *spill = exchange->base.in + exchange->spill_at;
    uint32_t size = exchange->piece_size;
    if (size == 0)
        return;
    memmove(spill, spill + size, exchange->spill_size);
    exchange->piece_size = 0;
    hw_h2_window_give(connection, stream, size);
}

static void hw_h2_handled(struct hw_h2_connection *connection, struct hw_h2_stream *stream)
{
    struct hw_h2_exchange *exchange = stream->exchange;
    struct hw_exchange *base = &exchange->base;
    base->response.is_suspended = false;
    hw_h2_piece_end(connection, stream);
    exchange->is_stream_open = hw_exchange_wants_piece(base);
    if (exchange->is_stream_open) {
        stream->state = HW_H2_BODY;
        stream->until_ms = base->loop->now_ms + base->route->body_ms;
        return;
    }
    if (base->response.state != HW_RESPONSE_SENT)
        hw_response_complete(base);
    hw_h2_answered(connection, stream);
}

/* The request is complete. */
static void hw_h2_respond(struct hw_h2_connection *connection, struct hw_h2_stream *stream)
{
    struct hw_h2_exchange *exchange = stream->exchange;
    struct hw_exchange *base = &exchange->base;
    if (base->route == NULL) {
        memcpy(base->date, base->loop->date, HW_DATE_SIZE);
        hw_dispatch_verdict_send(base);
        hw_h2_answered(connection, stream);
        return;
    }
    if (base->route->baked != NULL) {
        stream->baked = base->route->baked;
        stream->exchange = NULL;
        hw_h2_exchange_give(connection, exchange);
        hw_h2_answered(connection, stream);
        return;
    }
    if (hw_h2_body_mode(exchange) == HW_BODY_STREAM) {
        exchange->is_body_ended = true;
        if (stream->state != HW_H2_LENT) /* else once the handler is back */
            hw_h2_piece_next(connection, stream);
        return;
    }
    base->request.body_size = exchange->arrived;
    if (hw_h2_body_mode(exchange) == HW_BODY_MEMORY && base->request.body_size > 0) {
        char *body = exchange->slot != NULL ? exchange->slot : base->in + exchange->spill_at;
        body[base->request.body_size] = '\0';
        base->request.body = body;
    }
    hw_h2_handle(connection, stream);
}

/* ---- Bodies. */

/* A body in memory that does not fit behind the head is read into a slot of the body pool. */
static bool hw_h2_slot_take(struct hw_h2_connection *connection, struct hw_h2_exchange *exchange)
{
    exchange->slot = hw_pool_take(&connection->base.owner->bodies);
    if (exchange->slot == NULL)
        return false;
    exchange->slot_used = exchange->spill_size;
    memcpy(exchange->slot, exchange->base.in + exchange->spill_at, exchange->spill_size);
    return true;
}

/* Everything that can be refused before the body is read. */
static void hw_h2_body_begin(struct hw_h2_connection *connection, struct hw_h2_stream *stream)
{
    struct hw_h2_exchange *exchange = stream->exchange;
    const struct hw_route *route = exchange->base.route;
    enum hw_body_mode mode = hw_h2_body_mode(exchange);
    exchange->spill_at = exchange->in_size;
    if (exchange->has_length && exchange->length > exchange->body_limit) {
        hw_h2_status_answer(connection, stream, 413);
        return;
    }
    if (route == NULL && exchange->expects_continue) {
        hw_h2_respond(connection, stream);
        return;
    }
    if (mode == HW_BODY_MEMORY && exchange->has_length && exchange->length >= HW_IN_SIZE - exchange->spill_at &&
        !hw_h2_slot_take(connection, exchange)) {
        hw_h2_status_answer(connection, stream, 503);
        return;
    }
    stream->state = HW_H2_BODY;
    stream->until_ms = exchange->base.loop->now_ms + (route == NULL ? HW_TIMEOUTS_BODY : route->body_ms);
    if (exchange->expects_continue)
        hw_h2_status_put_bare(connection, stream->id, 100);
    if (mode != HW_BODY_STREAM && HW_H2_WINDOW_FIRST < HW_HTTP2_WINDOW_SIZE) { /* nothing of it must wait */
        uint32_t more = (uint32_t)(HW_HTTP2_WINDOW_SIZE - HW_H2_WINDOW_FIRST);
        stream->receive_window += more;
        hw_h2_window_put(connection, stream->id, more);
    }
}

/* Keeps bytes of a body in memory; false when no slot is free. */
static bool hw_h2_memory_put(struct hw_h2_connection *connection, struct hw_h2_exchange *exchange, const char *bytes,
                             size_t size)
{
    if (exchange->slot == NULL && exchange->spill_size + size < HW_IN_SIZE - exchange->spill_at) {
        memcpy(exchange->base.in + exchange->spill_at + exchange->spill_size, bytes, size);
        exchange->spill_size += (uint32_t)size;
        return true;
    }
    if (exchange->slot == NULL && !hw_h2_slot_take(connection, exchange))
        return false;
    memcpy(exchange->slot + exchange->slot_used, bytes, size);
    exchange->slot_used += size;
    return true;
}

/* Mode stream: straight to the handler when it runs here and is free, else into the spill, which has room for what the
 * window allows. */
static void hw_h2_stream_data(struct hw_h2_connection *connection, struct hw_h2_stream *stream, const char *bytes,
                              size_t size)
{
    struct hw_h2_exchange *exchange = stream->exchange;
    if (stream->state == HW_H2_LENT || exchange->base.route->worker) {
        uint32_t end = exchange->spill_at + exchange->piece_size + exchange->spill_size;
        if (end + size > HW_IN_SIZE) { /* cannot be: the window is not larger */
            hw_h2_stream_reset(connection, stream->id, stream, HW_H2_INTERNAL_ERROR);
            return;
        }
        memcpy(exchange->base.in + end, bytes, size);
        exchange->spill_size += (uint32_t)size;
        if (stream->state != HW_H2_LENT)
            hw_h2_piece_next(connection, stream);
        return;
    }
    exchange->base.request.body_size += size;
    exchange->base.is_piece = true;
    exchange->base.piece = (struct hw_piece){bytes, size, HW_PIECE_DATA};
    hw_h2_handle(connection, stream);
    hw_h2_window_give(connection, stream, (uint32_t)size);
}

static void hw_h2_data_arrived(struct hw_h2_connection *connection, struct hw_h2_stream *stream, const char *bytes,
                               size_t size)
{
    struct hw_h2_exchange *exchange = stream->exchange;
    bool is_read = exchange != NULL && (stream->state == HW_H2_BODY || stream->state == HW_H2_LENT);
    if (!is_read) { /* answered already: the rest is of no interest, and no more is asked for */
        hw_h2_window_give(connection, NULL, (uint32_t)size);
        return;
    }
    exchange->arrived += size;
    if (exchange->has_length && exchange->arrived > exchange->length) { /* section 8.1.1 */
        hw_h2_window_give(connection, NULL, (uint32_t)size);
        hw_h2_stream_reset(connection, stream->id, stream, HW_H2_PROTOCOL_ERROR);
        return;
    }
    if (exchange->arrived > exchange->body_limit) {
        hw_h2_window_give(connection, NULL, (uint32_t)size);
        hw_h2_status_answer(connection, stream, 413);
        return;
    }
    if (hw_h2_body_mode(exchange) == HW_BODY_STREAM) {
        hw_h2_stream_data(connection, stream, bytes, size);
        return;
    }
    if (hw_h2_body_mode(exchange) == HW_BODY_MEMORY && !hw_h2_memory_put(connection, exchange, bytes, size))
        hw_h2_status_answer(connection, stream, 503);
    hw_h2_window_give(connection, stream, (uint32_t)size);
}

static void hw_h2_data_ended(struct hw_h2_connection *connection, struct hw_h2_stream *stream)
{
    struct hw_h2_exchange *exchange = stream->exchange;
    stream->is_remote_ended = true;
    bool is_read = exchange != NULL && (stream->state == HW_H2_BODY || stream->state == HW_H2_LENT);
    if (!is_read) {
        if (stream->state == HW_H2_DRAIN)
            hw_h2_stream_close(connection, stream);
        return;
    }
    if (exchange->has_length && exchange->arrived != exchange->length)
        hw_h2_stream_reset(connection, stream->id, stream, HW_H2_PROTOCOL_ERROR);
    else
        hw_h2_respond(connection, stream);
}

/* ---- The end of a header block. */

static void hw_h2_request_begin(struct hw_h2_connection *connection, struct hw_h2_exchange *exchange, uint32_t id)
{
    struct hw_h2_session *session = connection->session;
    bool is_ended = session->block_ends_stream;
    if (!hw_h2_is_complete(exchange) || (is_ended && exchange->has_length && exchange->length > 0)) {
        hw_h2_exchange_give(connection, exchange);
        hw_h2_stream_reset(connection, id, NULL, HW_H2_PROTOCOL_ERROR);
        return;
    }
    hw_h2_request_read(exchange);
    const struct hw_route *route = exchange->base.route;
    if (is_ended && route != NULL && route->baked != NULL && /* the usual case */
        hw_h2_baked_put(connection, id, route->baked, exchange->base.is_head)) {
        hw_h2_exchange_give(connection, exchange);
        return;
    }
    struct hw_h2_stream *stream = hw_h2_stream_open(session, id);
    struct hw_text priority = hw_field_get(&exchange->base.request, "priority");
    if (priority.bytes != NULL)
        hw_h2_priority_read(priority.bytes, priority.size, &stream->urgency, &stream->is_incremental);
    stream->exchange = exchange;
    stream->is_head = exchange->base.is_head;
    stream->is_remote_ended = is_ended;
    exchange->stream = stream;
    if (exchange->refusal != 0)
        hw_h2_status_answer(connection, stream, exchange->refusal);
    else if (is_ended)
        hw_h2_respond(connection, stream);
    else
        hw_h2_body_begin(connection, stream);
}

static void hw_h2_block_end(struct hw_h2_connection *connection)
{
    struct hw_h2_session *session = connection->session;
    enum hw_h2_block block = session->block;
    uint32_t id = session->block_id;
    struct hw_h2_exchange *exchange = session->building;
    session->block = HW_H2_BLOCK_NONE;
    session->building = NULL;
    struct hw_h2_stream *stream = hw_h2_stream_find(session, id);
    if (session->block_error != HW_H2_NO_ERROR) {
        if (exchange != NULL)
            hw_h2_exchange_give(connection, exchange);
        hw_h2_stream_reset(connection, id, stream, session->block_error);
    } else if (block == HW_H2_BLOCK_REQUEST) {
        hw_h2_request_begin(connection, exchange, id);
    } else if (block == HW_H2_BLOCK_TRAILERS && stream != NULL) {
        if (session->trailers_are_malformed)
            hw_h2_stream_reset(connection, id, stream, HW_H2_PROTOCOL_ERROR);
        else
            hw_h2_data_ended(connection, stream);
    }
    if (session->request_count == HW_LIMITS_REQUESTS) /* 0: off */
        hw_h2_go(connection);
}

/* ---- Coming back. */

static void hw_h2_exchange_free(struct hw_h2_connection *connection, struct hw_h2_exchange *exchange)
{
    exchange->stream = NULL;
    bool was_open = exchange->is_stream_open;
    exchange->is_stream_open = false;
    if (was_open && hw_exchange_abort(&exchange->base))
        return; /* it comes home by hw_h2_returned */
    hw_h2_exchange_give(connection, exchange);
}

/* An exchange of a stream that has ended meanwhile comes home. */
static void hw_h2_exchange_home(struct hw_h2_connection *connection, struct hw_h2_exchange *exchange)
{
    struct hw_h2_stream *stream = exchange->stream;
    if (stream != NULL) {
        exchange->is_stream_open = hw_exchange_wants_piece(&exchange->base);
        stream->exchange = NULL;
        stream->id = 0;
        connection->session->count--;
    }
    hw_h2_exchange_free(connection, exchange);
}

/* struct hw_framing.returned. */
static void hw_h2_returned(struct hw_exchange *base, bool is_done)
{
    struct hw_h2_connection *connection = base->connection;
    struct hw_h2_exchange *exchange = HW_CONTAINER(base, struct hw_h2_exchange, base);
    if (!connection->base.is_closed && !hw_h2_out_take(connection)) {
        hw_connection_close(&connection->base); /* what there is to say cannot be said */
        return;
    }
    struct hw_h2_stream *stream = exchange->stream;
    bool is_live = stream != NULL && stream->state == HW_H2_LENT;
    if (!is_done) {
        if (!is_live)
            return;
        stream->until_ms = 0; /* it has begun: from here on it may take as long as it likes */
        if (!hw_list_is_in(&stream->ready))
            stream->progress_ms = base->loop->now_ms;
        hw_h2_stream_ready(connection->session, stream);
    } else if (!is_live) {
        hw_h2_exchange_home(connection, exchange);
    } else {
        stream->state = HW_H2_BODY; /* unless it is answered now */
        hw_h2_handled(connection, stream);
        if (stream->state == HW_H2_BODY && (exchange->spill_size > 0 || exchange->is_body_ended))
            hw_h2_piece_next(connection, stream);
    }
    hw_h2_go_on(connection);
}

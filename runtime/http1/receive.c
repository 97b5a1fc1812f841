#include "http1/receive.h"

#include <errno.h>
#include <string.h>

#include "http/begin.h"
#include "http/dispatch.h"
#include "http1/respond.h"
#include "http1/write.h"

/* Full reads of a body that one event may do before other connections have their turn. */
#define HW_H1_READS 8

static enum hw_body_mode hw_h1_body_mode(const struct hw_exchange *exchange)
{
    return exchange->route == NULL ? HW_BODY_DISCARD : (enum hw_body_mode)exchange->route->body_mode;
}

/* Receives into `bytes`. False: nothing came, and the connection was dealt with. */
static bool hw_h1_receive(struct hw_h1_connection *connection, void *bytes, size_t room, size_t *size)
{
    ssize_t received = hw_io_receive(&connection->base.stream, bytes, room);
    if (received > 0) {
        connection->base.progress_ms = connection->base.owner->loop->now_ms;
        *size = (size_t)received;
        return true;
    }
    if (received < 0 && (errno == EAGAIN || errno == EINTR)) {
        hw_h1_rest(connection);
        return false;
    }
    bool has_begun = connection->exchange != NULL && connection->exchange->in_size > connection->exchange->head_at;
    if (received == 0 && has_begun) {
        hw_h1_refuse(connection, 400); /* cut short: RFC 9112 section 8 */
        hw_h1_advance(connection);
        return false;
    }
    hw_connection_close(&connection->base);
    return false;
}

/* ---- The head. */

/* Whether the first bytes of a connection may be HTTP/2's preface, where the listener has both without TLS. */
static bool hw_h1_may_be_h2(const struct hw_h1_connection *connection)
{
    const struct hw_listener *listener = connection->base.listener;
    if (!HW_HTTP2 || connection->request_count > 0 || listener->tls != NULL ||
        (listener->protocols & HW_PROTOCOL_HTTP2) == 0)
        return false;
    const struct hw_h1_exchange *exchange = connection->exchange;
    size_t size = exchange->in_size < HW_H2_PREFACE_SIZE ? exchange->in_size : HW_H2_PREFACE_SIZE;
    return memcmp(exchange->base.in, HW_H2_PREFACE, size) == 0;
}

/* How much is read for a head. What may be HTTP/2's must fit into the scratch, and be no more than it may hold. */
static size_t hw_h1_head_room(const struct hw_h1_connection *connection)
{
    const size_t most =
        HW_BODY_STREAM_ANY && HW_H2_SPILL_SIZE < HW_SCRATCH_SIZE / 2 ? HW_H2_SPILL_SIZE : HW_SCRATCH_SIZE / 2;
    size_t room = HW_IN_SIZE - connection->exchange->in_size;
    return HW_HTTP2 && connection->request_count == 0 && room > most ? most : room;
}

/* All that came goes to HTTP/2; in the scratch, since the exchange is given back. */
static void hw_h1_hand_over(struct hw_h1_connection *connection)
{
    struct hw_connection *base = &connection->base;
    size_t size = connection->exchange->in_size;
    memcpy(base->owner->scratch, connection->exchange->base.in, size);
    hw_h1_exchange_drop(connection);
    hw_h2_begin(base, base->owner->scratch, size);
}

static bool hw_h1_head_receive(struct hw_h1_connection *connection)
{
    if (connection->exchange == NULL && !hw_h1_exchange_take(connection))
        return false;
    hw_list_remove(&connection->base.node);
    struct hw_h1_exchange *exchange = connection->exchange;
    size_t size;
    bool is_first = exchange->in_size == 0;
    if (!hw_h1_receive(connection, exchange->base.in + exchange->in_size, hw_h1_head_room(connection), &size))
        return false;
    if (is_first && connection->request_count > 0)
        connection->base.since_ms = connection->base.progress_ms;
    exchange->in_size += (uint32_t)size;
    if (HW_HTTP2 && exchange->in_size >= HW_H2_PREFACE_SIZE && hw_h1_may_be_h2(connection)) {
        hw_h1_hand_over(connection);
        return false;
    }
    return true;
}

/* A whole body that does not fit behind its head is read into a slot of the body pool. False: none is free. */
static bool hw_h1_slot_take(struct hw_h1_connection *connection)
{
    struct hw_h1_exchange *exchange = connection->exchange;
    exchange->slot = hw_pool_take(&connection->base.owner->bodies);
    exchange->slot_used = 0;
    return exchange->slot != NULL;
}

/* A head behind pipelined requests may end where the buffer ends, and leave nothing to read its body through: it is
 * moved to the front. */
static void hw_h1_head_move(struct hw_h1_exchange *exchange)
{
    struct hw_request *request = &exchange->base.request;
    uint32_t by = exchange->head_at;
    if (by == 0 || HW_IN_SIZE - exchange->in_size >= HW_READ_SLACK_SIZE)
        return;
    memmove(exchange->base.in, exchange->base.in + by, exchange->in_size - by);
    exchange->head_at = 0;
    exchange->in_size -= by;
    exchange->parsed_at -= by;
    exchange->body_at -= by;
    exchange->body_end -= by;
    request->target_at -= by;
    request->query_at -= request->query_size > 0 ? by : 0;
    for (uint32_t i = 0; i < request->field_count; i++) {
        exchange->base.fields[i].name_at -= by;
        exchange->base.fields[i].value_at -= by;
    }
}

/* The request has a body: everything that can be refused before it is read. */
static void hw_h1_body_begin(struct hw_h1_connection *connection)
{
    struct hw_h1_exchange *exchange = connection->exchange;
    struct hw_exchange *base = &exchange->base;
    hw_h1_head_move(exchange);
    if (exchange->body_left > exchange->body_limit) {
        hw_h1_refuse(connection, 413);
        return;
    }
    if (base->route == NULL && exchange->expects_continue) { /* the answer is known: the body is not asked for */
        exchange->wants_keep_alive = false;
        connection->must_linger = true;
        connection->state = HW_H1_RESPOND;
        return;
    }
    bool fits = exchange->body_left < HW_IN_SIZE - exchange->parsed_at; /* one byte more for the NUL */
    if (hw_h1_body_mode(base) == HW_BODY_MEMORY && !fits && !hw_h1_slot_take(connection)) {
        hw_h1_refuse(connection, 503);
        return;
    }
    if (exchange->expects_continue && base->request.minor == 1 && exchange->in_size == exchange->parsed_at)
        hw_h1_continue_put(base);
    connection->base.since_ms = connection->base.owner->loop->now_ms;
    connection->state = HW_H1_BODY;
}

static void hw_h1_request_begin(struct hw_h1_connection *connection)
{
    struct hw_h1_exchange *exchange = connection->exchange;
    connection->request_count++;
    exchange->wants_keep_alive = exchange->base.keep_alive && !connection->base.owner->draining &&
                                 connection->request_count != HW_LIMITS_REQUESTS; /* 0: off */
    if (exchange->base.keep_alive && !exchange->wants_keep_alive)
        connection->must_linger = true; /* the client does not know that this is the last: it may send more */
    hw_dispatch_route_find(&exchange->base);
    exchange->body_limit = exchange->base.route == NULL ? HW_LIMITS_BODY_SIZE : exchange->base.route->body_size;
    if (!exchange->is_body_done)
        hw_h1_body_begin(connection);
    else
        connection->state = HW_H1_RESPOND;
}

static bool hw_h1_head_step(struct hw_h1_connection *connection)
{
    struct hw_h1_exchange *exchange = connection->exchange;
    if (exchange == NULL || exchange->in_size == exchange->parsed_at)
        return false;
    if (HW_HTTP2 && exchange->in_size < HW_H2_PREFACE_SIZE && hw_h1_may_be_h2(connection))
        return false;
    switch (hw_h1_parse_head(exchange)) {
    case HW_H1_MORE:
        return false;
    case HW_H1_REFUSED:
        hw_h1_refuse(connection, exchange->refusal);
        return true;
    default:
        hw_h1_request_begin(connection);
        return true;
    }
}

/* ---- The body. */

/* Bytes of the body have arrived, at `bytes`; in mode memory they stay where they are, or have been put into the slot. */
static void hw_h1_body_arrived(struct hw_h1_connection *connection, const char *bytes, size_t size, bool is_last)
{
    struct hw_exchange *base = &connection->exchange->base;
    base->request.body_size += size;
    if (base->request.body_size > connection->exchange->body_limit) {
        hw_h1_refuse(connection, 413);
        return;
    }
    if (hw_h1_body_mode(base) != HW_BODY_STREAM) {
        connection->state = is_last ? HW_H1_RESPOND : HW_H1_BODY;
        return;
    }
    if (size == 0 && !is_last)
        return;
    base->is_piece = true;
    base->piece = (struct hw_piece){bytes, size, is_last ? HW_PIECE_LAST : HW_PIECE_DATA};
    connection->state = HW_H1_PIECE;
}

/* Puts bytes into the slot; they are within the limit, and the slot is as large as any limit. */
static void hw_h1_slot_put(struct hw_h1_exchange *exchange, const char *bytes, size_t size)
{
    uint64_t room = HW_BODY_MEMORY_SIZE - exchange->slot_used;
    size_t part = size < room ? size : (size_t)room; /* what is over is refused by hw_h1_body_arrived */
    memcpy(exchange->slot + exchange->slot_used, bytes, part);
    exchange->slot_used += part;
}

/* The part of a body with Content-Length that came with its head. */
static bool hw_h1_length_step(struct hw_h1_connection *connection)
{
    struct hw_h1_exchange *exchange = connection->exchange;
    size_t there = exchange->in_size - exchange->parsed_at;
    size_t size = there < exchange->body_left ? there : (size_t)exchange->body_left;
    const char *bytes = exchange->base.in + exchange->parsed_at;
    if (size == 0)
        return false;
    exchange->parsed_at += (uint32_t)size;
    exchange->body_left -= size;
    if (exchange->slot != NULL)
        hw_h1_slot_put(exchange, bytes, size);
    hw_h1_body_arrived(connection, bytes, size, exchange->body_left == 0);
    return true;
}

/* What was decoded is used up or in the slot: the buffer behind the head is free again, but for the next request. */
static void hw_h1_chunks_forget(struct hw_h1_exchange *exchange, bool is_kept)
{
    if (!is_kept)
        exchange->body_end = exchange->body_at;
    if (exchange->is_body_done)
        return;
    exchange->parsed_at = exchange->body_end;
    exchange->in_size = exchange->body_end;
}

/* A chunked body grows out of the buffer. */
static bool hw_h1_chunks_move(struct hw_h1_connection *connection)
{
    struct hw_h1_exchange *exchange = connection->exchange;
    if (!hw_h1_slot_take(connection)) {
        hw_h1_refuse(connection, 503);
        return false;
    }
    hw_h1_slot_put(exchange, exchange->base.in + exchange->body_at, exchange->body_end - exchange->body_at);
    hw_h1_chunks_forget(exchange, false);
    return true;
}

static bool hw_h1_chunks_step(struct hw_h1_connection *connection)
{
    struct hw_h1_exchange *exchange = connection->exchange;
    uint32_t begin = exchange->body_end;
    if (exchange->in_size == exchange->parsed_at)
        return false;
    if (hw_h1_parse_chunks(exchange) == HW_H1_REFUSED) {
        hw_h1_refuse(connection, exchange->refusal);
        return true;
    }
    const char *bytes = exchange->base.in + begin;
    size_t size = exchange->body_end - begin;
    bool is_memory = hw_h1_body_mode(&exchange->base) == HW_BODY_MEMORY;
    if (exchange->slot != NULL)
        hw_h1_slot_put(exchange, bytes, size);
    hw_h1_chunks_forget(exchange, is_memory && exchange->slot == NULL);
    hw_h1_body_arrived(connection, bytes, size, exchange->is_body_done);
    if (connection->state == HW_H1_BODY && is_memory && exchange->slot == NULL &&
        HW_IN_SIZE - exchange->in_size < HW_READ_SLACK_SIZE / 2)
        return !hw_h1_chunks_move(connection);
    return connection->state != HW_H1_BODY;
}

static bool hw_h1_body_step(struct hw_h1_connection *connection)
{
    if (connection->exchange->is_chunked_coding)
        return hw_h1_chunks_step(connection);
    return hw_h1_length_step(connection);
}

/* Where the next bytes of a body with Content-Length go. */
static char *hw_h1_body_room(struct hw_h1_connection *connection, size_t *room)
{
    struct hw_h1_exchange *exchange = connection->exchange;
    const struct hw_exchange *base = &exchange->base;
    enum hw_body_mode mode = hw_h1_body_mode(base);
    *room = HW_SCRATCH_SIZE;
    if (mode == HW_BODY_MEMORY && exchange->slot != NULL) {
        *room = HW_BODY_MEMORY_SIZE - exchange->slot_used;
        return exchange->slot + exchange->slot_used;
    }
    if (mode == HW_BODY_MEMORY) {
        *room = HW_IN_SIZE - exchange->in_size;
        return exchange->base.in + exchange->in_size;
    }
    if (mode == HW_BODY_STREAM && base->route->worker) { /* the scratch is the thread's; a worker needs its own */
        *room = HW_IN_SIZE - exchange->body_at;
        return exchange->base.in + exchange->body_at;
    }
    return connection->base.owner->scratch;
}

/* One read of a body with Content-Length, never beyond its end. Returns true when more may be there at once. */
static bool hw_h1_length_receive(struct hw_h1_connection *connection, bool *is_alive)
{
    struct hw_h1_exchange *exchange = connection->exchange;
    size_t room;
    size_t size;
    char *bytes = hw_h1_body_room(connection, &room);
    if (room > exchange->body_left)
        room = (size_t)exchange->body_left;
    *is_alive = hw_h1_receive(connection, bytes, room, &size);
    if (!*is_alive)
        return false;
    exchange->body_left -= size;
    if (exchange->slot != NULL) {
        exchange->slot_used += size;
    } else if (hw_h1_body_mode(&exchange->base) == HW_BODY_MEMORY) {
        exchange->in_size += (uint32_t)size;
        exchange->parsed_at = exchange->in_size;
    }
    hw_h1_body_arrived(connection, bytes, size, exchange->body_left == 0);
    return connection->state == HW_H1_BODY && size == room;
}

static bool hw_h1_body_receive(struct hw_h1_connection *connection)
{
    struct hw_h1_exchange *exchange = connection->exchange;
    hw_list_remove(&connection->base.node);
    if (!exchange->is_chunked_coding) {
        bool is_alive = true;
        for (int i = 0; i < HW_H1_READS; i++)
            if (!hw_h1_length_receive(connection, &is_alive))
                break;
        return is_alive;
    }
    size_t size;
    if (!hw_h1_receive(connection, exchange->base.in + exchange->in_size, HW_IN_SIZE - exchange->in_size, &size))
        return false;
    exchange->in_size += (uint32_t)size;
    return true;
}

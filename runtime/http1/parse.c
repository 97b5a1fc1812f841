#include "http1/parse.h"

#include <string.h>

#include "http/dispatch.h"
#include "http/host.h"
#include "http/request.h"

static llhttp_settings_t hw_h1_settings; /* constant after hw_h1_parse_init */

static struct hw_h1_exchange *hw_h1_of_parser(llhttp_t *parser)
{
    return HW_CONTAINER(parser, struct hw_h1_exchange, parser);
}

static int hw_h1_parse_refuse(struct hw_h1_exchange *exchange, uint16_t status)
{
    exchange->refusal = status;
    return HPE_USER;
}

/* ---- What llhttp tells. A text may come in several pieces; they lie one behind the other in `in`. */

static int hw_h1_on_target(llhttp_t *parser, const char *at, size_t size)
{
    struct hw_h1_exchange *exchange = hw_h1_of_parser(parser);
    struct hw_request *request = &exchange->base.request;
    if (request->target_size == 0)
        request->target_at = (uint32_t)(at - exchange->base.in);
    request->target_size += (uint32_t)size;
    return request->target_size > HW_LIMITS_TARGET_SIZE ? hw_h1_parse_refuse(exchange, 414) : 0;
}

static int hw_h1_on_name(llhttp_t *parser, const char *at, size_t size)
{
    struct hw_h1_exchange *exchange = hw_h1_of_parser(parser);
    struct hw_request *request = &exchange->base.request;
    if (exchange->is_head_done) /* a trailer: checked by llhttp, bounded by the framing's limit, thrown away */
        return 0;
    if (request->field_count == HW_LIMITS_HEADERS)
        return hw_h1_parse_refuse(exchange, 431);
    struct hw_field *field = &exchange->base.fields[request->field_count];
    if (field->name_size == 0)
        field->name_at = (uint32_t)(at - exchange->base.in);
    field->name_size += (uint32_t)size;
    return 0;
}

static int hw_h1_on_value(llhttp_t *parser, const char *at, size_t size)
{
    struct hw_h1_exchange *exchange = hw_h1_of_parser(parser);
    if (exchange->is_head_done)
        return 0;
    struct hw_field *field = &exchange->base.fields[exchange->base.request.field_count];
    if (field->value_size == 0)
        field->value_at = (uint32_t)(at - exchange->base.in);
    field->value_size += (uint32_t)size;
    return 0;
}

static int hw_h1_host_read(struct hw_h1_exchange *exchange, const char *value, size_t size)
{
    struct hw_request *request = &exchange->base.request;
    size_t host_size;
    if (++exchange->host_count > 1 || !hw_host_read(value, size, request->host, sizeof request->host, &host_size))
        return hw_h1_parse_refuse(exchange, 400);
    request->host_size = (uint32_t)host_size;
    return 0;
}

/* RFC 9112 section 6.1: chunked alone is understood; a coding that is not is 501. */
static int hw_h1_coding_read(struct hw_h1_exchange *exchange, const char *value, size_t size)
{
    if (++exchange->coding_count > 1)
        return hw_h1_parse_refuse(exchange, 400);
    if (!hw_name_is_equal(value, size, "chunked", 7))
        return hw_h1_parse_refuse(exchange, 501);
    exchange->is_chunked_coding = true;
    return 0;
}

/* RFC 9110 section 10.1.1. */
static int hw_h1_expect_read(struct hw_h1_exchange *exchange, const char *value, size_t size)
{
    if (!hw_name_is_equal(value, size, "100-continue", 12))
        return hw_h1_parse_refuse(exchange, 417);
    exchange->expects_continue = true;
    return 0;
}

static int hw_h1_cookies_count(struct hw_h1_exchange *exchange, const char *value, size_t size)
{
    exchange->cookie_count += (uint32_t)hw_cookie_count(value, size);
    return exchange->cookie_count > HW_LIMITS_COOKIES ? hw_h1_parse_refuse(exchange, 431) : 0;
}

/* The fields that the framing and the limits look at. */
static int hw_h1_field_look(struct hw_h1_exchange *exchange, const struct hw_field *field)
{
    const char *name = exchange->base.in + field->name_at;
    const char *value = exchange->base.in + field->value_at;
    size_t size = field->value_size;
    switch (field->name_size) {
    case 4:
        return hw_name_is_equal(name, 4, "host", 4) ? hw_h1_host_read(exchange, value, size) : 0;
    case 6:
        if (hw_name_is_equal(name, 6, "cookie", 6))
            return hw_h1_cookies_count(exchange, value, size);
        return hw_name_is_equal(name, 6, "expect", 6) ? hw_h1_expect_read(exchange, value, size) : 0;
    case 17:
        return hw_name_is_equal(name, 17, "transfer-encoding", 17) ? hw_h1_coding_read(exchange, value, size) : 0;
    default:
        return 0;
    }
}

static int hw_h1_on_value_complete(llhttp_t *parser)
{
    struct hw_h1_exchange *exchange = hw_h1_of_parser(parser);
    struct hw_request *request = &exchange->base.request;
    if (exchange->is_head_done)
        return 0;
    struct hw_field *field = &exchange->base.fields[request->field_count];
    char *in = exchange->base.in;
    if (field->value_size == 0) /* an empty value has no piece; it stands before its CR, somewhere behind the name */
        field->value_at = field->name_at + field->name_size + 1;
    while (field->value_size > 0 &&
           (in[field->value_at + field->value_size - 1] == ' ' || in[field->value_at + field->value_size - 1] == '\t'))
        field->value_size--; /* OWS behind the value is no part of it (RFC 9112 section 5.1) */
    int error = hw_h1_field_look(exchange, field);
    request->field_count++;
    if (request->field_count < HW_LIMITS_HEADERS)
        exchange->base.fields[request->field_count] = (struct hw_field){0};
    return error;
}

static int hw_h1_on_head_complete(llhttp_t *parser)
{
    hw_h1_of_parser(parser)->is_head_done = true;
    return HPE_PAUSED; /* the route decides what is done with the body */
}

static int hw_h1_on_chunk(llhttp_t *parser)
{
    struct hw_h1_exchange *exchange = hw_h1_of_parser(parser);
    exchange->chunk_count++;
    /* A chunk that would make the body too large is not waited for: what follows it must not be looked at either. */
    if (exchange->decoded_bytes > exchange->body_limit ||
        parser->content_length > exchange->body_limit - exchange->decoded_bytes)
        return hw_h1_parse_refuse(exchange, 413);
    return 0;
}

static int hw_h1_on_body(llhttp_t *parser, const char *at, size_t size)
{
    struct hw_h1_exchange *exchange = hw_h1_of_parser(parser);
    memmove(exchange->base.in + exchange->body_end, at, size); /* never forward: framing stands before the data */
    exchange->body_end += (uint32_t)size;
    exchange->framing_bytes -= size;
    exchange->decoded_bytes += size;
    return 0;
}

static int hw_h1_on_message_complete(llhttp_t *parser)
{
    hw_h1_of_parser(parser)->is_body_done = true;
    return HPE_PAUSED; /* a finished request is answered whatever follows it */
}

static void hw_h1_parse_init(void)
{
    llhttp_settings_init(&hw_h1_settings);
    hw_h1_settings.on_url = hw_h1_on_target;
    hw_h1_settings.on_header_field = hw_h1_on_name;
    hw_h1_settings.on_header_value = hw_h1_on_value;
    hw_h1_settings.on_header_value_complete = hw_h1_on_value_complete;
    hw_h1_settings.on_headers_complete = hw_h1_on_head_complete;
    hw_h1_settings.on_chunk_header = hw_h1_on_chunk;
    hw_h1_settings.on_body = hw_h1_on_body;
    hw_h1_settings.on_message_complete = hw_h1_on_message_complete;
}

static void hw_h1_parse_reset(struct hw_h1_exchange *exchange)
{
    hw_exchange_reset(&exchange->base);
    llhttp_init(&exchange->parser, HTTP_REQUEST, &hw_h1_settings);
    exchange->parsed_at = exchange->head_at;
    exchange->head_size = 0;
    exchange->body_left = 0;
    exchange->framing_bytes = 0;
    exchange->chunk_count = 0;
    exchange->decoded_bytes = 0;
    exchange->cookie_count = 0;
    exchange->refusal = 0;
    exchange->host_count = 0;
    exchange->coding_count = 0;
    exchange->is_chunked_coding = false;
    exchange->expects_continue = false;
    exchange->is_head_done = false;
    exchange->is_body_done = false;
    exchange->is_stream_open = false;
    exchange->slot_used = 0;
    exchange->nul_at = 0;
    exchange->base.fields[0] = (struct hw_field){0};
}

/* ---- The head. */

/* llhttp's methods, each one more than ours; 0: not implemented. */
static const uint8_t hw_h1_methods[64] = {
#define HW_METHOD_ROW(name) [HTTP_##name] = HW_METHOD_##name + 1,
    HW_METHODS(HW_METHOD_ROW)
#undef HW_METHOD_ROW
};

/* A method that llhttp does not know is 501 when it is a token, and no HTTP when it is not. */
static uint16_t hw_h1_method_refusal(const struct hw_h1_exchange *exchange)
{
    const char *at = exchange->base.in + exchange->head_at;
    const char *end = exchange->base.in + exchange->in_size;
    while (at < end && (*at == '\r' || *at == '\n'))
        at++;
    const char *begin = at;
    while (at < end && ((*at >= 'A' && *at <= 'Z') || *at == '-' || *at == '_' || (*at >= 'a' && *at <= 'z')))
        at++;
    return at > begin && (at == end || *at == ' ') ? 501 : 400;
}

static uint16_t hw_h1_refusal_of(const struct hw_h1_exchange *exchange, llhttp_errno_t error)
{
    if (exchange->refusal != 0)
        return exchange->refusal;
    switch (error) {
    case HPE_INVALID_METHOD:
        return hw_h1_method_refusal(exchange);
    case HPE_INVALID_VERSION: /* also for a good version that CRLF does not end */
        return exchange->parser.http_major == 1 && exchange->parser.http_minor <= 1 ? 400 : 505;
    case HPE_PAUSED_H2_UPGRADE:
        return 505;
    default:
        return 400;
    }
}

/* What llhttp does not check: version, Host, Transfer-Encoding in HTTP/1.0, the target's form. */
static uint16_t hw_h1_head_check(struct hw_h1_exchange *exchange)
{
    struct hw_request *request = &exchange->base.request;
    const llhttp_t *parser = &exchange->parser;
    if (parser->http_major != 1 || parser->http_minor > 1)
        return 505;
    request->minor = parser->http_minor;
    if (parser->method >= sizeof hw_h1_methods || hw_h1_methods[parser->method] == 0 ||
        hw_h1_methods[parser->method] - 1 == HW_METHOD_CONNECT)
        return 501;
    request->method = (uint8_t)(hw_h1_methods[parser->method] - 1);
    if (request->minor == 1 && exchange->host_count != 1)
        return 400;
    if (exchange->coding_count != 0 && (request->minor == 0 || (parser->flags & F_CONTENT_LENGTH) != 0))
        return 400;
    return (uint16_t)hw_dispatch_target_read(&exchange->base);
}

/* Names and values are handed out as C strings: the bytes behind them, a colon, a blank or CR, are not needed. */
static void hw_h1_fields_end(struct hw_exchange *exchange)
{
    for (uint32_t i = 0; i < exchange->request.field_count; i++) {
        const struct hw_field *field = &exchange->fields[i];
        exchange->in[field->name_at + field->name_size] = '\0';
        exchange->in[field->value_at + field->value_size] = '\0';
    }
    exchange->in[exchange->request.target_at + exchange->request.target_size] = '\0';
}

static enum hw_h1_parsed hw_h1_head_finish(struct hw_h1_exchange *exchange)
{
    exchange->head_size = exchange->parsed_at - exchange->head_at;
    if (exchange->head_size > HW_LIMITS_HEADER_SIZE)
        exchange->refusal = 431;
    else
        exchange->refusal = hw_h1_head_check(exchange);
    if (exchange->refusal != 0)
        return HW_H1_REFUSED;
    const llhttp_t *parser = &exchange->parser;
    exchange->body_left = exchange->is_chunked_coding ? 0 : parser->content_length;
    if ((parser->flags & F_CONTENT_LENGTH) == 0)
        exchange->body_left = 0;
    exchange->body_at = exchange->parsed_at;
    exchange->body_end = exchange->parsed_at;
    exchange->is_body_done = !exchange->is_chunked_coding && exchange->body_left == 0;
    exchange->base.is_head = exchange->base.request.method == HW_METHOD_HEAD;
    exchange->base.keep_alive = (parser->flags & F_CONNECTION_CLOSE) == 0 &&
                                (exchange->base.request.minor == 1 || (parser->flags & F_CONNECTION_KEEP_ALIVE) != 0);
    hw_h1_fields_end(&exchange->base);
    return HW_H1_DONE;
}

static enum hw_h1_parsed hw_h1_parse_head(struct hw_h1_exchange *exchange)
{
    const char *in = exchange->base.in;
    llhttp_errno_t error =
        llhttp_execute(&exchange->parser, in + exchange->parsed_at, exchange->in_size - exchange->parsed_at);
    if (error == HPE_PAUSED && exchange->is_head_done) {
        exchange->parsed_at = (uint32_t)(llhttp_get_error_pos(&exchange->parser) - in);
        return hw_h1_head_finish(exchange);
    }
    if (error != HPE_OK) {
        exchange->refusal = hw_h1_refusal_of(exchange, error);
        return HW_H1_REFUSED;
    }
    exchange->parsed_at = exchange->in_size;
    if (exchange->in_size - exchange->head_at > HW_LIMITS_HEADER_SIZE) {
        exchange->refusal = 431;
        return HW_H1_REFUSED;
    }
    return HW_H1_MORE;
}

/* ---- The chunked body. */

/* What is not data may be as large as a head, and besides as large as small chunks make it: without this, a peer could
 * send megabytes of extensions or trailers for a body of one byte. */
static bool hw_h1_framing_is_fair(const struct hw_h1_exchange *exchange)
{
    return exchange->framing_bytes <= HW_LIMITS_HEADER_SIZE + 16 * exchange->chunk_count;
}

static enum hw_h1_parsed hw_h1_parse_chunks(struct hw_h1_exchange *exchange)
{
    const char *in = exchange->base.in;
    uint32_t size = exchange->in_size - exchange->parsed_at;
    exchange->framing_bytes += size;  /* hw_h1_on_body takes the data off again */
    llhttp_resume(&exchange->parser); /* after the head it is paused; else this does nothing */
    llhttp_errno_t error = llhttp_execute(&exchange->parser, in + exchange->parsed_at, size);
    if (error == HPE_PAUSED || error == HPE_PAUSED_UPGRADE) {
        uint32_t stopped_at = (uint32_t)(llhttp_get_error_pos(&exchange->parser) - in);
        exchange->framing_bytes -= exchange->in_size - stopped_at;
        exchange->parsed_at = stopped_at;
    } else if (error == HPE_OK) {
        exchange->parsed_at = exchange->in_size;
    } else {
        exchange->refusal = hw_h1_refusal_of(exchange, error);
        return HW_H1_REFUSED;
    }
    if (!hw_h1_framing_is_fair(exchange)) {
        exchange->refusal = 400;
        return HW_H1_REFUSED;
    }
    return exchange->is_body_done ? HW_H1_DONE : HW_H1_MORE;
}

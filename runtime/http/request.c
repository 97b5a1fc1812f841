#include "http/request.h"

#include <stdio.h>
#include <string.h>

#include "http/path.h"

static unsigned char hw_lower(unsigned char c)
{
    return c >= 'A' && c <= 'Z' ? (unsigned char)(c + ('a' - 'A')) : c;
}

static bool hw_name_is_equal(const char *a, size_t a_size, const char *b, size_t b_size)
{
    if (a_size != b_size)
        return false;
    for (size_t i = 0; i < a_size; i++)
        if (hw_lower((unsigned char)a[i]) != hw_lower((unsigned char)b[i]))
            return false;
    return true;
}

static bool hw_is_tchar(unsigned char c)
{
    static const bool signs[256] = {
        ['!'] = 1, ['#'] = 1, ['$'] = 1, ['%'] = 1, ['&'] = 1, ['\''] = 1, ['*'] = 1, ['+'] = 1,
        ['-'] = 1, ['.'] = 1, ['^'] = 1, ['_'] = 1, ['`'] = 1, ['|'] = 1,  ['~'] = 1};
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || signs[c];
}

static bool hw_name_is_token(const char *name, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (!hw_is_tchar((unsigned char)name[i]))
            return false;
    return size > 0;
}

static bool hw_value_is_clean(const char *value, size_t size)
{
    static const bool controls[256] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1,         1,
                                       1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, [0x7f] = 1};
    bool is_clean = true;
    for (size_t i = 0; i < size; i++) /* without a branch: every field of HTTP/2 passes here */
        is_clean &= !controls[(unsigned char)value[i]];
    return is_clean;
}

enum hw_method hw_method_get(const struct hw_request *request)
{
    return (enum hw_method)request->method;
}

struct hw_text hw_target_get(const struct hw_request *request)
{
    return (struct hw_text){hw_exchange_of_request(request)->in + request->target_at, request->target_size};
}

struct hw_text hw_path_get(const struct hw_request *request)
{
    return (struct hw_text){hw_exchange_of_request(request)->path, request->path_size};
}

struct hw_text hw_host_get(const struct hw_request *request)
{
    return (struct hw_text){request->host, request->host_size};
}

struct hw_text hw_field_get(const struct hw_request *request, const char *name)
{
    const struct hw_exchange *exchange = hw_exchange_of_request(request);
    size_t size = strlen(name);
    for (uint32_t i = 0; i < request->field_count; i++) {
        const struct hw_field *field = &exchange->fields[i];
        if (hw_name_is_equal(exchange->in + field->name_at, field->name_size, name, size))
            return (struct hw_text){exchange->in + field->value_at, field->value_size};
    }
    return (struct hw_text){NULL, 0};
}

void hw_fields_visit(const struct hw_request *request,
                     bool (*each)(void *user, struct hw_text name, struct hw_text value), void *user)
{
    const struct hw_exchange *exchange = hw_exchange_of_request(request);
    for (uint32_t i = 0; i < request->field_count; i++) {
        const struct hw_field *field = &exchange->fields[i];
        struct hw_text name = {exchange->in + field->name_at, field->name_size};
        struct hw_text value = {exchange->in + field->value_at, field->value_size};
        if (!each(user, name, value))
            return;
    }
}

static size_t hw_query_count(const char *query, size_t size)
{
    size_t count = size == 0 ? 0 : 1;
    for (size_t i = 0; i < size; i++)
        count += query[i] == '&';
    return count;
}

static size_t hw_form_decode(const char *text, size_t size, char *out)
{
    size_t at = 0;
    for (size_t i = 0; i < size; i++) {
        char c = text[i] == '+' ? ' ' : text[i];
        if (c == '%' && i + 2 < size) {
            int high = hw_hex_value(text[i + 1]);
            int low = hw_hex_value(text[i + 2]);
            if (high >= 0 && low >= 0) {
                c = (char)(high << 4 | low);
                i += 2;
            }
        }
        out[at++] = c;
    }
    out[at] = '\0';
    return at;
}

/* Decodes a text behind those that are in `texts` already. */
static uint32_t hw_request_text_add(struct hw_exchange *exchange, const char *text, size_t size, uint32_t *text_size)
{
    uint32_t at = exchange->request.texts_used;
    *text_size = (uint32_t)hw_form_decode(text, size, exchange->texts + at);
    exchange->request.texts_used = at + *text_size + 1;
    return at;
}

/* Fills `parameters` at the first question: many handlers never ask. The framing has checked the count; the texts fit
 * since each takes its bytes and the NUL takes the place of its separator. */
static void hw_request_query_read(struct hw_exchange *exchange)
{
    struct hw_request *request = &exchange->request;
    request->query_read = true;
    const char *at = exchange->in + request->query_at;
    const char *end = at + request->query_size;
    while (at < end && request->parameter_count < HW_LIMITS_PARAMETERS) {
        const char *next = memchr(at, '&', (size_t)(end - at));
        const char *stop = next == NULL ? end : next;
        const char *equals = memchr(at, '=', (size_t)(stop - at));
        const char *value = equals == NULL ? stop : equals + 1;
        if (stop != at) {
            struct hw_parameter *parameter = &exchange->parameters[request->parameter_count++];
            size_t name_size = (size_t)((equals == NULL ? stop : equals) - at);
            parameter->name_at = hw_request_text_add(exchange, at, name_size, &parameter->name_size);
            if (equals == NULL) { /* an empty value shares the name's NUL: there is no byte for one of its own */
                parameter->value_at = parameter->name_at + parameter->name_size;
                parameter->value_size = 0;
            } else {
                parameter->value_at =
                    hw_request_text_add(exchange, value, (size_t)(stop - value), &parameter->value_size);
            }
        }
        at = stop + 1;
    }
}

struct hw_text hw_parameter_get(const struct hw_request *request, const char *name)
{
    struct hw_exchange *exchange = hw_exchange_of_request(request);
    if (!request->query_read)
        hw_request_query_read(exchange);
    size_t size = strlen(name);
    for (uint32_t i = 0; i < request->parameter_count; i++) {
        const struct hw_parameter *parameter = &exchange->parameters[i];
        if (parameter->name_size == size && memcmp(exchange->texts + parameter->name_at, name, size) == 0)
            return (struct hw_text){exchange->texts + parameter->value_at, parameter->value_size};
    }
    return (struct hw_text){NULL, 0};
}

static size_t hw_cookie_count(const char *value, size_t size)
{
    size_t count = size == 0 ? 0 : 1;
    for (size_t i = 0; i < size; i++)
        count += value[i] == ';';
    return count;
}

static struct hw_text hw_cookie_find(const char *value, size_t size, const char *name)
{
    size_t name_size = strlen(name);
    const char *at = value;
    const char *end = value + size;
    while (at < end) {
        const char *next = memchr(at, ';', (size_t)(end - at));
        const char *stop = next == NULL ? end : next;
        while (at < stop && (*at == ' ' || *at == '\t'))
            at++;
        const char *last = stop;
        while (last > at && (last[-1] == ' ' || last[-1] == '\t'))
            last--;
        if ((size_t)(last - at) > name_size && at[name_size] == '=' && memcmp(at, name, name_size) == 0)
            return (struct hw_text){at + name_size + 1, (size_t)(last - at) - name_size - 1};
        at = stop + 1;
    }
    return (struct hw_text){NULL, 0};
}

struct hw_text hw_cookie_get(const struct hw_request *request, const char *name)
{
    const struct hw_exchange *exchange = hw_exchange_of_request(request);
    for (uint32_t i = 0; i < request->field_count; i++) {
        const struct hw_field *field = &exchange->fields[i];
        if (!hw_name_is_equal(exchange->in + field->name_at, field->name_size, "cookie", 6))
            continue;
        struct hw_text cookie = hw_cookie_find(exchange->in + field->value_at, field->value_size, name);
        if (cookie.bytes != NULL)
            return cookie;
    }
    return (struct hw_text){NULL, 0};
}

struct hw_text hw_body_get(const struct hw_request *request)
{
    if (request->body == NULL)
        return (struct hw_text){"", 0};
    return (struct hw_text){request->body, (size_t)request->body_size};
}

uint64_t hw_body_size_get(const struct hw_request *request)
{
    return request->body_size;
}

/* ---- Captures. */

static void hw_request_captures_keep(struct hw_exchange *exchange, const struct hw_match *match)
{
    struct hw_request *request = &exchange->request;
    request->capture_count = match->capture_count;
    for (uint32_t i = 0; i < match->capture_count; i++) {
        const struct hw_capture *capture = &match->captures[i];
        char *text = exchange->texts + request->texts_used;
        for (size_t k = 0; k < capture->size; k++)
            text[k] = (char)(capture->bytes[k] == '\0' ? '/' : capture->bytes[k]);
        text[capture->size] = '\0';
        request->captures[i].value_at = request->texts_used;
        request->captures[i].value_size = (uint32_t)capture->size;
        request->texts_used += (uint32_t)capture->size + 1;
    }
    char *hole = exchange->path;
    char *end = exchange->path + request->path_size;
    while ((hole = memchr(hole, '\0', (size_t)(end - hole))) != NULL)
        *hole = '/';
}

struct hw_text hw_capture_get(const struct hw_request *request, unsigned index)
{
    const struct hw_exchange *exchange = hw_exchange_of_request(request);
    const struct hw_parameter *capture = &request->captures[index];
    return (struct hw_text){exchange->texts + capture->value_at, capture->value_size};
}

static bool hw_digits_read(const char *digits, size_t size, uint64_t *value)
{
    *value = 0;
    if (size == 0 || size > 20 || (size > 1 && digits[0] == '0'))
        return false;
    for (size_t i = 0; i < size; i++) {
        if (digits[i] < '0' || digits[i] > '9')
            return false;
        uint64_t digit = (uint64_t)(digits[i] - '0');
        if (*value > (UINT64_MAX - digit) / 10)
            return false;
        *value = *value * 10 + digit;
    }
    return true;
}

bool hw_capture_u64(const struct hw_request *request, unsigned index, uint64_t min, uint64_t max, uint64_t *value)
{
    struct hw_text text = hw_capture_get(request, index);
    return hw_digits_read(text.bytes, text.size, value) && *value >= min && *value <= max;
}

bool hw_capture_i64(const struct hw_request *request, unsigned index, int64_t min, int64_t max, int64_t *value)
{
    struct hw_text text = hw_capture_get(request, index);
    bool is_negative = text.size > 0 && text.bytes[0] == '-';
    uint64_t magnitude;
    if (!hw_digits_read(text.bytes + is_negative, text.size - is_negative, &magnitude))
        return false;
    if (magnitude > (uint64_t)INT64_MAX + is_negative)
        return false;
    *value = is_negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    return *value >= min && *value <= max;
}

void hw_capture_refuse(struct hw_response *response, const char *name)
{
    char text[160];
    snprintf(text, sizeof text, "the parameter \"%.100s\" is not a number in range\n", name);
    hw_status_set(response, 400);
    hw_text_send(response, text);
}

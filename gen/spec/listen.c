/* See listen.h. */
#include "spec/listen.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <sys/un.h>

#include "spec/listen_tls.h"
#include "spec/place.h"
#include "spec/scalar.h"
#include "spec/setting.h"

#define EXAMPLES "8080, 127.0.0.1:8080, \"[::1]:8080\" or unix:/run/name.sock"

static bool address_refuse(struct spec_reader *reader, struct spec_place place, struct text address, const char *help)
{
    struct diagnostic *error = diagnostic_add(reader->diagnostics, DIAGNOSTIC_BAD_ADDRESS, place,
                                              "\"%s\" is not a numeric address", value_shorten(reader, address));
    diagnostic_help(reader->diagnostics, error, "%s", help);
    return false;
}

/* Takes an IPv4 or IPv6 address, or localhost, and makes it canonical. */
static bool address_take(struct spec_reader *reader, struct text text, struct spec_place place,
                         struct spec_listener *listener)
{
    char numeric[INET6_ADDRSTRLEN];
    unsigned char bytes[16];
    if (text_is(text, "localhost"))
        text = TEXT("127.0.0.1");
    if (text_is(text, "*"))
        return address_refuse(reader, place, text, "0.0.0.0 is every IPv4 address, :: every address");
    if (text.size >= sizeof numeric || memchr(text.bytes, '\0', text.size) != NULL)
        return address_refuse(reader, place, text, "write " EXAMPLES);
    memcpy(numeric, text.bytes, text.size);
    numeric[text.size] = '\0';
    int family = strchr(numeric, ':') == NULL ? AF_INET : AF_INET6;
    if (inet_pton(family, numeric, bytes) != 1)
        return address_refuse(reader, place, text, "write " EXAMPLES);
    if (inet_ntop(family, bytes, numeric, sizeof numeric) == NULL)
        abort();
    listener->kind = family == AF_INET ? SPEC_LISTEN_IPV4 : SPEC_LISTEN_IPV6;
    listener->address = arena_copy(reader->arena, text_of(numeric));
    return true;
}

static bool port_take(struct spec_reader *reader, struct text text, struct spec_place place,
                      struct spec_listener *listener)
{
    uint64_t port;
    if (scalar_digits_read(text, UINT16_MAX, &port)) {
        listener->port = (uint16_t)port;
        return true;
    }
    struct diagnostic *error = diagnostic_add(reader->diagnostics, DIAGNOSTIC_BAD_PORT, place, "\"%s\" is not a port",
                                              value_shorten(reader, text));
    diagnostic_help(reader->diagnostics, error, "a port is a number from 0 to 65535; with 0 the system chooses");
    return false;
}

static bool path_take(struct spec_reader *reader, struct text path, struct spec_place place,
                      struct spec_listener *listener)
{
    size_t most = sizeof((struct sockaddr_un *)0)->sun_path - 1;
    bool has_nul = path.size != 0 && memchr(path.bytes, '\0', path.size) != NULL;
    if (path.size != 0 && path.size <= most && !has_nul) {
        listener->kind = SPEC_LISTEN_UNIX;
        listener->address = path;
        return true;
    }
    struct diagnostic *error =
        path.size > most
            ? diagnostic_add(reader->diagnostics, DIAGNOSTIC_BAD_SOCKET_PATH, place, "a path of %zu bytes", path.size)
            : diagnostic_add(reader->diagnostics, DIAGNOSTIC_BAD_SOCKET_PATH, place, "this is no path of a socket");
    diagnostic_help(reader->diagnostics, error, "the path of a unix socket has 1 to %zu bytes and no NUL", most);
    return false;
}

/* ---- The short form: one text. */

static bool text_read(struct spec_reader *reader, const struct yaml_node *node, struct spec_listener *listener)
{
    struct text text = node->text;
    listener->address = TEXT("0.0.0.0");
    if (text.size >= 5 && memcmp(text.bytes, "unix:", 5) == 0)
        return path_take(reader, (struct text){text.bytes + 5, text.size - 5}, node->place, listener);
    size_t colon = text.size;
    while (colon > 0 && text.bytes[colon - 1] != ':')
        colon--;
    bool is_number = text.size != 0 && memchr(text.bytes, '.', text.size) == NULL &&
                     (text.bytes[0] == '-' || (text.bytes[0] >= '0' && text.bytes[0] <= '9'));
    if (colon == 0) /* no colon */
        return is_number ? port_take(reader, text, node->place, listener)
                         : address_refuse(reader, node->place, text, "write " EXAMPLES);
    struct text address = {text.bytes, colon - 1}, digits = {text.bytes + colon, text.size - colon};
    bool is_bracketed = address.size >= 2 && address.bytes[0] == '[' && address.bytes[address.size - 1] == ']';
    if (is_bracketed)
        address = (struct text){address.bytes + 1, address.size - 2};
    if (!is_bracketed && memchr(address.bytes, ':', address.size) != NULL)
        return address_refuse(reader, node->place, text,
                              "write an IPv6 address in brackets and quotes, as in "
                              "\"[::1]:8080\"");
    if (is_bracketed && memchr(address.bytes, ':', address.size) == NULL)
        return address_refuse(reader, node->place, address, "only an IPv6 address stands in brackets");
    struct text source = reader->diagnostics->source;
    size_t from = (size_t)(address.bytes - text.bytes);
    bool is_fine = address_take(reader, address, place_part(source, node->place, text, from, address.size), listener);
    struct spec_place port_place = place_part(source, node->place, text, colon, digits.size);
    return port_take(reader, digits, port_place, listener) && is_fine;
}

/* The keys of a listener. */
enum listen_key { LISTEN_PORT, LISTEN_ADDRESS, LISTEN_UNIX, LISTEN_PROTOCOLS, LISTEN_TLS, LISTEN_KEY_COUNT };
static const char *const listen_keys[] = {"port", "address", "unix", "protocols", "tls"};

/* ---- Protocols. HTTP/2 is h2 with TLS and h2c without: the same bit of the model. */

#define PROTOCOLS_EXAMPLE "protocols: [http/1.1, h2c], or with tls protocols: [h2, http/1.1]"

static bool protocol_refuse(struct spec_reader *reader, const struct yaml_node *node, const struct yaml_node *tls)
{
    bool is_h2 = text_is(node->text, "h2");
    struct diagnostic *error = diagnostic_add(reader->diagnostics, DIAGNOSTIC_BAD_PROTOCOL, node->place,
                                              is_h2 ? "h2 needs TLS, and the listener has none"
                                                    : "h2c is HTTP/2 without TLS, and the listener has it");
    if (tls != NULL)
        diagnostic_second(reader->diagnostics, error, tls->key_place, "its TLS");
    diagnostic_help(reader->diagnostics, error, "%s",
                    is_h2 ? "write h2c for HTTP/2 without TLS, or give the listener tls: {certificate: PATH, key: PATH}"
                          : "write h2");
    return false;
}

/* Takes one protocol and adds its bit. */
static bool protocol_read(struct spec_reader *reader, const struct yaml_node *node, const struct yaml_node *tls,
                          uint8_t *protocols)
{
    if (!value_is_scalar(reader, node, "a protocol", PROTOCOLS_EXAMPLE))
        return false;
    bool is_http2 = text_is(node->text, "h2") || text_is(node->text, "h2c");
    if (!is_http2 && !text_is(node->text, "http/1.1")) {
        if (text_is(node->text, "h3")) {
            diagnostic_add(reader->diagnostics, DIAGNOSTIC_UNSUPPORTED, node->place, "h3 is not supported yet");
            return false;
        }
        struct diagnostic *error = diagnostic_add(reader->diagnostics, DIAGNOSTIC_BAD_CHOICE, node->place,
                                                  "there is no protocol \"%s\"", value_shorten(reader, node->text));
        diagnostic_help(reader->diagnostics, error, "write http/1.1 or %s", tls != NULL ? "h2" : "h2c");
        return false;
    }
    if (is_http2 && text_is(node->text, "h2") != (tls != NULL))
        return protocol_refuse(reader, node, tls);
    uint8_t bit = is_http2 ? SPEC_PROTOCOL_HTTP2 : SPEC_PROTOCOL_HTTP1;
    bool is_new = (*protocols & bit) == 0;
    *protocols |= bit;
    if (!is_new) {
        struct diagnostic *error = diagnostic_add(reader->diagnostics, DIAGNOSTIC_BAD_PROTOCOL, node->place,
                                                  "%s is there twice", node->text.bytes);
        diagnostic_help(reader->diagnostics, error, "leave one of them out");
    }
    return is_new;
}

/* Fills the listener's protocols from the key's value, or from the default when `node` is NULL. */
static bool protocols_read(struct spec_reader *reader, const struct yaml_node *node, const struct yaml_node *tls,
                           struct spec_listener *listener)
{
    listener->protocols = tls != NULL ? SPEC_PROTOCOL_HTTP2 | SPEC_PROTOCOL_HTTP1 : SPEC_PROTOCOL_HTTP1;
    if (node == NULL)
        return true;
    if (!value_is_sequence(reader, node, "protocols", PROTOCOLS_EXAMPLE))
        return false;
    bool is_fine = true;
    listener->protocols = 0;
    for (const struct yaml_node *child = node->first; child != NULL; child = child->next)
        is_fine = protocol_read(reader, child, tls, &listener->protocols) && is_fine;
    if (node->first != NULL)
        return is_fine;
    struct diagnostic *error =
        diagnostic_add(reader->diagnostics, DIAGNOSTIC_EMPTY_VALUE, node->place, "protocols has no value");
    diagnostic_help(reader->diagnostics, error, "write " PROTOCOLS_EXAMPLE);
    return false;
}

/* ---- The long form: a mapping. */

static bool socket_read(struct spec_reader *reader, const struct yaml_node **nodes, struct spec_listener *listener)
{
    const struct yaml_node *other = nodes[LISTEN_PORT] != NULL ? nodes[LISTEN_PORT] : nodes[LISTEN_ADDRESS];
    if (other != NULL) {
        struct diagnostic *error = diagnostic_add(reader->diagnostics, DIAGNOSTIC_KEY_PLACE, other->key_place,
                                                  "a unix socket has no %.*s", TEXT_ARGS(other->key));
        diagnostic_second(reader->diagnostics, error, nodes[LISTEN_UNIX]->key_place, "the unix socket");
        diagnostic_help(reader->diagnostics, error, "write two listeners: [{port: 8080}, {unix: /run/name.sock}]");
        return false;
    }
    struct spec_setting path = {0};
    if (!setting_read(reader, nodes[LISTEN_UNIX], "unix", &path) || !path_take(reader, path.text, path.place, listener))
        return false;
    listener->address_env = path.variable;
    return true;
}

static bool mapping_read(struct spec_reader *reader, const struct yaml_node *node, struct spec_listener *listener)
{
    const struct yaml_node *nodes[LISTEN_KEY_COUNT] = {0};
    bool is_fine = setting_keys_sort(reader, node, listen_keys, LISTEN_KEY_COUNT, "in listen", SPEC_KEY_COUNT, nodes);
    is_fine = protocols_read(reader, nodes[LISTEN_PROTOCOLS], nodes[LISTEN_TLS], listener) && is_fine;
    if (nodes[LISTEN_TLS] != NULL) {
        listener->tls = listen_tls_read(reader, nodes[LISTEN_TLS]);
        is_fine = is_fine && listener->tls != NULL;
    }
    if (nodes[LISTEN_UNIX] != NULL)
        return socket_read(reader, nodes, listener) && is_fine;
    if (nodes[LISTEN_PORT] == NULL) {
        if (!is_fine)
            return false;
        struct diagnostic *error =
            diagnostic_add(reader->diagnostics, DIAGNOSTIC_MISSING_KEY, node->place, "a listener has no port");
        diagnostic_help(reader->diagnostics, error, "write {port: 8080} or {unix: /run/name.sock}");
        return false;
    }
    struct spec_setting port = {0}, address = {.text = TEXT("0.0.0.0"), .variable = TEXT("")};
    bool has_port =
        setting_read(reader, nodes[LISTEN_PORT], "port", &port) && port_take(reader, port.text, port.place, listener);
    bool has_address =
        (nodes[LISTEN_ADDRESS] == NULL || setting_read(reader, nodes[LISTEN_ADDRESS], "address", &address)) &&
        address_take(reader, address.text, address.place, listener);
    listener->port_env = port.variable;
    listener->address_env = address.variable;
    return is_fine && has_port && has_address;
}

/* ---- All of them. */

static bool is_every_address(const struct spec_listener *listener)
{
    return text_is(listener->address, "0.0.0.0") || text_is(listener->address, "::");
}

/* Whether the second of two bind calls fails. */
static bool is_taken(const struct spec_listener *a, const struct spec_listener *b)
{
    if (a->kind != b->kind || a->port != b->port || !text_is_equal(a->port_env, b->port_env))
        return false;
    if (a->kind == SPEC_LISTEN_UNIX)
        return text_is_equal(a->address, b->address) && text_is_equal(a->address_env, b->address_env);
    if (a->port == 0 && a->port_env.size == 0)
        return false;
    if (!text_is_equal(a->address_env, b->address_env))
        return false;
    return text_is_equal(a->address, b->address) || is_every_address(a) || is_every_address(b);
}

static void listener_add(struct spec_reader *reader, const struct yaml_node *node)
{
    struct spec_model *model = reader->model;
    struct spec_listener listener = {
        .address_env = TEXT(""), .port_env = TEXT(""), .protocols = SPEC_PROTOCOL_HTTP1, .place = node->place};
    bool is_fine = node->kind == YAML_MAPPING
                       ? mapping_read(reader, node, &listener)
                       : value_is_scalar(reader, node, "listen", EXAMPLES) && text_read(reader, node, &listener);
    for (size_t i = 0; is_fine && i < model->listener_count; i++) {
        if (!is_taken(&model->listeners[i], &listener))
            continue;
        struct diagnostic *error =
            diagnostic_add(reader->diagnostics, DIAGNOSTIC_LISTEN_TWICE, node->place, "this address is taken already");
        diagnostic_second(reader->diagnostics, error, model->listeners[i].place, "by this listener");
        diagnostic_help(reader->diagnostics, error, "leave one of them out, or write another port");
        is_fine = false;
    }
    if (is_fine)
        model->listeners[model->listener_count++] = listener;
    else
        reader->is_poisoned[KEY_LISTEN] = true;
}

void listen_read(struct spec_reader *reader, const struct yaml_node *node)
{
    struct spec_model *model = reader->model;
    size_t count = node != NULL && node->kind == YAML_SEQUENCE ? node->count : 1;
    if (count > LISTENERS_MAX || count == 0) {
        struct diagnostic *error =
            diagnostic_add(reader->diagnostics, count == 0 ? DIAGNOSTIC_EMPTY_VALUE : DIAGNOSTIC_OUT_OF_RANGE,
                           node->place, count == 0 ? "listen has no value" : "%zu listeners", count);
        diagnostic_help(reader->diagnostics, error, "a server has 1 to %d listeners, as in " EXAMPLES, LISTENERS_MAX);
        reader->is_poisoned[KEY_LISTEN] = true;
        return;
    }
    model->listeners = arena_take_array(reader->arena, count, sizeof *model->listeners);
    if (node == NULL) {
        struct yaml_node standard = {.kind = YAML_SCALAR, .text = text_of(spec_key_row(KEY_LISTEN)->standard)};
        listener_add(reader, &standard);
    } else if (node->kind == YAML_SEQUENCE) {
        for (const struct yaml_node *child = node->first; child != NULL; child = child->next)
            listener_add(reader, child);
    } else {
        listener_add(reader, node);
    }
}

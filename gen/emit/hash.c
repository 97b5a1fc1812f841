/* See hash.h. */
#include "emit/hash.h"

#include <sha2.h>

#include "base/buffer.h"
#include "spec/spec.h"

struct text hash_of_bytes(struct arena *arena, struct text bytes)
{
    char digest[SHA256_DIGEST_STRING_LENGTH];
    SHA256Data((const uint8_t *)bytes.bytes, bytes.size, digest);
    return arena_copy(arena, text_of(digest));
}

/* Every field goes in with its size or a blank behind it, so that no two models are written alike. */
static void text_add(struct buffer *out, struct text text)
{
    buffer_format(out, "%zu:", text.size);
    buffer_add(out, text);
}

static void number_add(struct buffer *out, uint64_t number)
{
    buffer_format(out, "%llu ", (unsigned long long)number);
}

static void setting_add(struct buffer *out, const struct spec_setting *setting)
{
    text_add(out, setting->text);
    text_add(out, setting->variable);
}

static void tls_add(struct buffer *out, const struct spec_tls *tls)
{
    number_add(out, tls->client_auth);
    setting_add(out, &tls->client_ca);
    number_add(out, tls->identity_count);
    for (size_t i = 0; i < tls->identity_count; i++) {
        const struct spec_identity *identity = &tls->identities[i];
        setting_add(out, &identity->certificate);
        setting_add(out, &identity->key);
        setting_add(out, &identity->pkcs12);
        setting_add(out, &identity->ocsp);
        text_add(out, identity->password_env);
    }
}

/* A list of names counts as it is written, any other number by its value. */
static void value_add(struct buffer *out, enum spec_key key, const struct spec_number *number)
{
    text_add(out, text_of(spec_key_row(key)->path));
    if (spec_key_row(key)->type == SPEC_TOKENS)
        text_add(out, number->written);
    else
        number_add(out, number->value);
}

static void listeners_add(struct buffer *out, const struct spec_model *model)
{
    number_add(out, model->listener_count);
    for (size_t i = 0; i < model->listener_count; i++) {
        const struct spec_listener *listener = &model->listeners[i];
        number_add(out, listener->kind);
        text_add(out, listener->address);
        text_add(out, listener->address_env);
        number_add(out, listener->port);
        text_add(out, listener->port_env);
        number_add(out, listener->protocols);
        number_add(out, listener->tls != NULL);
        if (listener->tls != NULL)
            tls_add(out, listener->tls);
    }
}

static void route_add(struct buffer *out, const struct spec_route *route)
{
    text_add(out, text_of(route->pattern.method == SPEC_METHOD_ANY ? "" : spec_method_name(route->pattern.method)));
    text_add(out, route->pattern.written);
    number_add(out, route->answer);
    text_add(out, route->content);
    number_add(out, route->status);
    text_add(out, route->description);
    number_add(out, route->body_mode);
    number_add(out, route->worker);
    number_add(out, route->param_count);
    for (size_t i = 0; i < route->param_count; i++) {
        const struct spec_param *param = &route->params[i];
        text_add(out, param->name);
        number_add(out, param->type);
        number_add(out, param->min_u);
        number_add(out, param->max_u);
        number_add(out, (uint64_t)param->min_i);
        number_add(out, (uint64_t)param->max_i);
    }
    for (int key = 0; route->numbers != NULL && key < SPEC_KEY_COUNT; key++)
        if (route->numbers[key].is_set && spec_key_is_number((enum spec_key)key))
            value_add(out, (enum spec_key)key, &route->numbers[key]);
    buffer_add_char(out, '\n');
}

struct text hash_of_meaning(struct arena *arena, const struct plan *plan)
{
    const struct spec_model *model = plan->model;
    struct buffer out = {0};
    text_add(&out, model->name);
    number_add(&out, model->has_sources);
    number_add(&out, model->source_count);
    for (size_t i = 0; i < model->source_count; i++)
        text_add(&out, model->sources[i].path);
    listeners_add(&out, model);
    for (int key = 0; key < SPEC_KEY_COUNT; key++)
        if (spec_key_is_number((enum spec_key)key))
            value_add(&out, (enum spec_key)key, &model->numbers[key]);
    buffer_add_char(&out, '\n');
    for (size_t i = 0; i < plan->route_count; i++)
        route_add(&out, plan->routes[i].spec);
    struct text hash = hash_of_bytes(arena, buffer_text(&out));
    buffer_free(&out);
    return hash;
}

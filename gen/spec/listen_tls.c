/* See listen_tls.h. */
#include "spec/listen_tls.h"

#include <limits.h>

#include "spec/setting.h"

#define EXAMPLE "{certificate: certs/NAME.pem, key: certs/NAME.key}"

/* An identity's keys come first: those of `others` have no more. */
enum tls_key {
    TLS_CERTIFICATE,
    TLS_KEY,
    TLS_PKCS12,
    TLS_PASSWORD_ENV,
    TLS_OCSP,
    IDENTITY_KEY_COUNT,
    TLS_CLIENT_AUTH = IDENTITY_KEY_COUNT,
    TLS_CLIENT_CA,
    TLS_OTHERS,
    TLS_KEY_COUNT
};
static const char *const tls_keys[] = {"certificate", "key",         "pkcs12",    "password_env",
                                       "ocsp",        "client_auth", "client_ca", "others"};

bool listen_tls_has_key(struct text name)
{
    for (int key = 0; key < TLS_KEY_COUNT; key++)
        if (text_is(name, tls_keys[key]))
            return true;
    return false;
}

/* Takes the path of a file; the empty setting when the key is not there. */
static bool path_read(struct spec_reader *reader, const struct yaml_node *node, const char *what,
                      struct spec_setting *path)
{
    *path = (struct spec_setting){.text = TEXT(""), .variable = TEXT("")};
    if (node == NULL)
        return true;
    if (!setting_read(reader, node, what, path))
        return false;
    bool has_nul = path->text.size != 0 && memchr(path->text.bytes, '\0', path->text.size) != NULL;
    if (path->text.size != 0 && path->text.size < PATH_MAX && !has_nul)
        return true;
    struct diagnostic *error =
        diagnostic_add(reader->diagnostics, DIAGNOSTIC_BAD_PATH, path->place, "this is no path of a file");
    diagnostic_help(reader->diagnostics, error, "the path of a file has 1 to %d bytes and no NUL, as in certs/NAME.pem",
                    PATH_MAX - 1);
    return false;
}

static bool missing_refuse(struct spec_reader *reader, struct spec_place place, const char *message, const char *help)
{
    struct diagnostic *error = diagnostic_add(reader->diagnostics, DIAGNOSTIC_MISSING_KEY, place, "%s", message);
    diagnostic_help(reader->diagnostics, error, "%s", help);
    return false;
}

/* Either certificate and key, or pkcs12. */
static bool parts_check(struct spec_reader *reader, const struct yaml_node *node, const struct yaml_node **nodes)
{
    const struct yaml_node *certificate = nodes[TLS_CERTIFICATE], *key = nodes[TLS_KEY], *pkcs12 = nodes[TLS_PKCS12];
    const struct yaml_node *other = certificate != NULL ? certificate : key;
    if (pkcs12 != NULL && other != NULL) {
        struct diagnostic *error =
            diagnostic_add(reader->diagnostics, DIAGNOSTIC_BAD_IDENTITY, pkcs12->key_place,
                           "pkcs12 holds certificate and key, and there is %.*s too", TEXT_ARGS(other->key));
        diagnostic_second(reader->diagnostics, error, other->key_place, "the other one");
        diagnostic_help(reader->diagnostics, error, "write either pkcs12 or certificate and key");
        return false;
    }
    if (pkcs12 != NULL)
        return true;
    if (other == NULL)
        return missing_refuse(reader, node->place, "TLS without a certificate", "write tls: " EXAMPLE);
    if (key == NULL)
        return missing_refuse(reader, certificate->place, "the certificate has no key",
                              "write " EXAMPLE "; one PEM file with both is named twice");
    return certificate != NULL || missing_refuse(reader, key->place, "the key has no certificate", "write " EXAMPLE);
}

/* Takes the keys of one certificate, sorted into nodes[]. */
static bool identity_read(struct spec_reader *reader, const struct yaml_node *node, const struct yaml_node **nodes,
                          struct spec_identity *identity)
{
    bool is_fine = parts_check(reader, node, nodes);
    struct spec_setting *paths[] = {&identity->certificate, &identity->key, &identity->pkcs12, NULL, &identity->ocsp};
    for (int key = 0; key < IDENTITY_KEY_COUNT; key++)
        if (paths[key] != NULL)
            is_fine = path_read(reader, nodes[key], tls_keys[key], paths[key]) && is_fine;
    const struct yaml_node *password = nodes[TLS_PASSWORD_ENV];
    identity->password_env = TEXT("");
    if (password == NULL)
        return is_fine;
    if (!value_is_scalar(reader, password, "password_env", "password_env: KEY_PASSWORD") ||
        !setting_variable_check(reader, password, "KEY_PASSWORD"))
        return false;
    identity->password_env = password->text;
    return is_fine;
}

static bool other_read(struct spec_reader *reader, const struct yaml_node *node, struct spec_identity *identity)
{
    const struct yaml_node *nodes[TLS_KEY_COUNT] = {0};
    if (!value_is_mapping(reader, node, "a certificate of others", EXAMPLE))
        return false;
    bool is_fine = setting_keys_sort(reader, node, tls_keys, IDENTITY_KEY_COUNT, "in others", SPEC_KEY_COUNT, nodes);
    return identity_read(reader, node, nodes, identity) && is_fine;
}

static bool others_read(struct spec_reader *reader, const struct yaml_node *node, struct spec_tls *tls)
{
    if (!value_is_sequence(reader, node, "others", "others: [" EXAMPLE "]"))
        return false;
    if (node->count == 0 || node->count >= IDENTITIES_MAX) {
        struct diagnostic *error = diagnostic_add(
            reader->diagnostics, node->count == 0 ? DIAGNOSTIC_EMPTY_VALUE : DIAGNOSTIC_OUT_OF_RANGE, node->place,
            node->count == 0 ? "others has no value" : "%zu other certificates", node->count);
        diagnostic_help(reader->diagnostics, error, "others are 1 to %d certificates, chosen by the names in them",
                        IDENTITIES_MAX - 1);
        return false;
    }
    bool is_fine = true;
    for (const struct yaml_node *child = node->first; child != NULL; child = child->next)
        is_fine = other_read(reader, child, &tls->identities[tls->identity_count++]) && is_fine;
    return is_fine;
}

/* client_auth and client_ca: each needs the other. */
static bool client_read(struct spec_reader *reader, const struct yaml_node **nodes, struct spec_tls *tls)
{
    static const char *const choices[] = {"none", "want", "need"};
    const struct yaml_node *auth = nodes[TLS_CLIENT_AUTH], *authorities = nodes[TLS_CLIENT_CA];
    int choice =
        auth == NULL ? SPEC_CLIENT_AUTH_NONE : value_choice_read(reader, auth, tls_keys[TLS_CLIENT_AUTH], choices, 3);
    bool is_fine = path_read(reader, authorities, tls_keys[TLS_CLIENT_CA], &tls->client_ca);
    if (choice < 0)
        return false;
    tls->client_auth = (enum spec_client_auth)choice;
    if (choice != SPEC_CLIENT_AUTH_NONE && authorities == NULL)
        return missing_refuse(reader, auth->place, "client certificates are asked for, and there is no client_ca",
                              "write client_ca: certs/clients.pem with the authorities that they must come from");
    if (choice != SPEC_CLIENT_AUTH_NONE || authorities == NULL)
        return is_fine;
    struct diagnostic *error = diagnostic_add(reader->diagnostics, DIAGNOSTIC_BAD_IDENTITY, authorities->key_place,
                                              "there is client_ca, but no client is asked for a certificate");
    if (auth != NULL)
        diagnostic_second(reader->diagnostics, error, auth->place, "by this");
    diagnostic_help(reader->diagnostics, error, "write client_auth: want or client_auth: need, or leave client_ca out");
    return false;
}

const struct spec_tls *listen_tls_read(struct spec_reader *reader, const struct yaml_node *node)
{
    const struct yaml_node *nodes[TLS_KEY_COUNT] = {0};
    if (!value_is_mapping(reader, node, "tls", "tls: " EXAMPLE))
        return NULL;
    bool is_fine = setting_keys_sort(reader, node, tls_keys, TLS_KEY_COUNT, "in the tls of a listener", KEY_TLS, nodes);
    const struct yaml_node *others = nodes[TLS_OTHERS];
    struct spec_tls *tls = arena_take(reader->arena, sizeof *tls);
    size_t room = 1 + (others != NULL && others->kind == YAML_SEQUENCE ? others->count : 0);
    tls->identities = arena_take_array(reader->arena, room, sizeof *tls->identities);
    /* A key that is not known may be the one that is missing. */
    if (is_fine || nodes[TLS_CERTIFICATE] != NULL || nodes[TLS_PKCS12] != NULL)
        is_fine = identity_read(reader, node, nodes, &tls->identities[tls->identity_count++]) && is_fine;
    is_fine = client_read(reader, nodes, tls) && is_fine;
    if (others != NULL)
        is_fine = others_read(reader, others, tls) && is_fine;
    return is_fine ? tls : NULL;
}

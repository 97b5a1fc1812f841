#include "io/tls_context.h"

#include <stdio.h>
#include <string.h>

#include <openssl/err.h>
#include <openssl/evp.h>

#include "io/tls_ticket.h"

/* The longest chain of certificates that a client may send, and its bytes: parsed they fit in HW_TLS_CLIENT_SIZE. */
#define HW_TLS_CHAIN_DEPTH 4
#define HW_TLS_CHAIN_SIZE 8192L

/* ---- What OpenSSL asks during a handshake. */

static const struct hw_tls_host *hw_tls_host_find(const struct hw_tls_site *site, const char *name)
{
    for (int by_wildcard = 0; by_wildcard <= 1; by_wildcard++)
        for (unsigned i = 0; i < site->host_count; i++)
            if (hw_tls_host_has_name(&site->hosts[i], name, by_wildcard != 0))
                return &site->hosts[i];
    return NULL;
}

/* SNI (RFC 6066 section 3): an unknown name is no error here, HTTP answers 421 where it matters. */
static int hw_tls_name_ask(SSL *tls, int *alert, void *given)
{
    const struct hw_tls_site *site = given;
    const char *name = SSL_get_servername(tls, TLSEXT_NAMETYPE_host_name);
    const struct hw_tls_host *host = name == NULL ? NULL : hw_tls_host_find(site, name);
    if (host == NULL)
        return SSL_TLSEXT_ERR_NOACK;
    if (SSL_set_SSL_CTX(tls, host->context) != NULL)
        return SSL_TLSEXT_ERR_OK;
    *alert = SSL_AD_INTERNAL_ERROR;
    return SSL_TLSEXT_ERR_ALERT_FATAL;
}

/* ALPN (RFC 7301): the first of ours that the client has too. */
static int hw_tls_protocol_ask(SSL *tls, const unsigned char **chosen, unsigned char *chosen_size,
                               const unsigned char *offered, unsigned offered_size, void *given)
{
    static const unsigned char ours[] = "\x02h2\x08http/1.1";
    const unsigned h2_size = 3;
    const struct hw_tls_site *site = given;
    (void)tls;
    const unsigned protocols = site->listener->protocols;
    const unsigned char *wanted = protocols & HW_PROTOCOL_HTTP2 ? ours : ours + h2_size;
    unsigned wanted_size = protocols & HW_PROTOCOL_HTTP1 ? (unsigned)sizeof ours - 1 : h2_size;
    wanted_size -= (unsigned)(wanted - ours);
    unsigned char *found;
    if (SSL_select_next_proto(&found, chosen_size, wanted, wanted_size, offered, offered_size) !=
        OPENSSL_NPN_NEGOTIATED)
        return SSL_TLSEXT_ERR_ALERT_FATAL; /* no_application_protocol */
    *chosen = found;
    return SSL_TLSEXT_ERR_OK;
}

/* OCSP stapling (RFC 6066 section 8). */
static int hw_tls_status_ask(SSL *tls, void *given)
{
    const struct hw_tls_host *host = given;
    unsigned char *copy = OPENSSL_memdup(host->ocsp, host->ocsp_size);
    if (copy == NULL)
        return SSL_TLSEXT_ERR_NOACK;
    if (SSL_set_tlsext_status_ocsp_resp(tls, copy, (long)host->ocsp_size) == 1)
        return SSL_TLSEXT_ERR_OK;
    OPENSSL_free(copy);
    return SSL_TLSEXT_ERR_NOACK;
}

/* ---- Making a context. */

static void hw_tls_context_behave(SSL_CTX *context)
{
    SSL_CTX_set_options(context, SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA | SSL_OP_NO_RENEGOTIATION |
                                     SSL_OP_NO_COMPRESSION | SSL_OP_IGNORE_UNEXPECTED_EOF);
    if (HW_TLS_KTLS)
        SSL_CTX_set_options(context, SSL_OP_ENABLE_KTLS);
    SSL_CTX_set_mode(context,
                     SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_read_ahead(context, 1); /* head and body of a record in one recv */
    SSL_CTX_set_max_early_data(context, 0);
    SSL_CTX_set_max_cert_list(context, HW_TLS_CHAIN_SIZE);
    SSL_CTX_set_dh_auto(context, 1); /* for ciphers of the spec that want it */
}

/* The numbers and lists of the spec. Returns the key that OpenSSL refuses, or NULL. */
static const char *hw_tls_context_limit(SSL_CTX *context)
{
    if (SSL_CTX_set_min_proto_version(context, HW_TLS_MIN_VERSION) != 1)
        return "tls.min_version";
    if (SSL_CTX_set_cipher_list(context, HW_TLS_CIPHERS) != 1)
        return "tls.ciphers";
    if (SSL_CTX_set_ciphersuites(context, HW_TLS_SUITES) != 1)
        return "tls.suites";
    if (SSL_CTX_set1_groups_list(context, HW_TLS_GROUPS) != 1)
        return "tls.groups";
    return NULL;
}

/* Sessions are the listener's: one that does not ask for a client's certificate must not open the door of one that does,
 * nor an authority of yesterday that of today. */
static bool hw_tls_sessions_name(SSL_CTX *context, const struct hw_tls_site *site, X509_STORE *authorities)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned digest_size;
    unsigned char head[2] = {(unsigned char)(site->listener - hw_listeners),
                             (unsigned char)site->listener->tls->client_auth};
    EVP_MD_CTX *hash = EVP_MD_CTX_new();
    bool is_done = hash != NULL && EVP_DigestInit_ex2(hash, EVP_sha256(), NULL) == 1 &&
                   EVP_DigestUpdate(hash, head, sizeof head) == 1;
    STACK_OF(X509_OBJECT) *objects = X509_STORE_get0_objects(authorities);
    for (int i = 0; is_done && i < sk_X509_OBJECT_num(objects); i++) {
        unsigned char one[EVP_MAX_MD_SIZE];
        unsigned size;
        const X509 *root = X509_OBJECT_get0_X509(sk_X509_OBJECT_value(objects, i));
        is_done = root == NULL ||
                  (X509_digest(root, EVP_sha256(), one, &size) == 1 && EVP_DigestUpdate(hash, one, size) == 1);
    }
    is_done = is_done && EVP_DigestFinal_ex(hash, digest, &digest_size) == 1 &&
              SSL_CTX_set_session_id_context(context, digest, digest_size) == 1;
    EVP_MD_CTX_free(hash);
    return is_done;
}

static bool hw_tls_site_is_caching(const struct hw_listener *listener)
{
    return HW_TLS_SESSIONS > 0 && listener->tls->client_auth == HW_CLIENT_AUTH_NONE;
}

static bool hw_tls_sessions_set(SSL_CTX *context, const struct hw_tls_site *site)
{
    const bool is_cached = hw_tls_site_is_caching(site->listener);
    SSL_CTX_set_session_cache_mode(context, is_cached ? SSL_SESS_CACHE_SERVER | SSL_SESS_CACHE_NO_AUTO_CLEAR
                                                      : SSL_SESS_CACHE_OFF);
    if (is_cached)
        SSL_CTX_sess_set_cache_size(context, (long)HW_TLS_SESSIONS);
    SSL_CTX_set_timeout(context, HW_TLS_SESSION < 1000 ? 1 : (long)(HW_TLS_SESSION / 1000));
    return SSL_CTX_set_num_tickets(context, 1) == 1 && hw_tls_tickets_use(context) &&
           hw_tls_sessions_name(context, site, SSL_CTX_get_cert_store(context));
}

/* The certificates that clients must have. */
static int hw_tls_clients_load(SSL_CTX *context, const struct hw_tls_settings *settings, char *message,
                               size_t message_size)
{
    if (settings->client_auth == HW_CLIENT_AUTH_NONE)
        return 0;
    const char *path = hw_tls_setting_get(&settings->client_ca);
    if (path == NULL) {
        snprintf(message, message_size, "tls.client_auth needs a client_ca");
        return -1;
    }
    BIO *file = hw_tls_file_open(path, "client_ca", message, message_size); /* for a message that says why */
    if (file == NULL)
        return -1;
    BIO_free(file);
    STACK_OF(X509_NAME) *names = SSL_load_client_CA_file(path);
    if (names == NULL || SSL_CTX_load_verify_file(context, path) != 1) {
        sk_X509_NAME_pop_free(names, X509_NAME_free);
        snprintf(message, message_size, "%s does not hold PEM certificates: %s", path, hw_tls_reason_take());
        return -1;
    }
    SSL_CTX_set_client_CA_list(context, names); /* owns them */
    int mode = SSL_VERIFY_PEER;
    if (settings->client_auth == HW_CLIENT_AUTH_NEED)
        mode |= SSL_VERIFY_FAIL_IF_NO_PEER_CERT;
    SSL_CTX_set_verify(context, mode, NULL);
    SSL_CTX_set_verify_depth(context, HW_TLS_CHAIN_DEPTH);
    return 0;
}

static int hw_tls_host_make(struct hw_tls_host *host, struct hw_tls_site *site, const struct hw_tls_identity *identity,
                            char *message, size_t message_size)
{
    host->context = SSL_CTX_new(TLS_server_method());
    if (host->context == NULL) {
        snprintf(message, message_size, "OpenSSL has no context for a listener: %s", hw_tls_reason_take());
        return -1;
    }
    hw_tls_context_behave(host->context);
    const char *key = hw_tls_context_limit(host->context);
    if (key != NULL) {
        snprintf(message, message_size, "OpenSSL refuses %s: %s", key, hw_tls_reason_take());
        return -1;
    }
    if (hw_tls_clients_load(host->context, site->listener->tls, message, message_size) != 0 ||
        hw_tls_host_load(host, identity, message, message_size) != 0)
        return -1;
    if (!hw_tls_sessions_set(host->context, site)) {
        snprintf(message, message_size, "OpenSSL cannot keep sessions: %s", hw_tls_reason_take());
        return -1;
    }
    /* The callbacks of the chosen host's context count, those of the first until one is chosen. */
    SSL_CTX_set_tlsext_servername_callback(host->context, hw_tls_name_ask);
    SSL_CTX_set_tlsext_servername_arg(host->context, site);
    SSL_CTX_set_alpn_select_cb(host->context, hw_tls_protocol_ask, site);
    if (host->ocsp != NULL) {
        SSL_CTX_set_tlsext_status_cb(host->context, hw_tls_status_ask);
        SSL_CTX_set_tlsext_status_arg(host->context, host);
    }
    return 0;
}

/* ---- The generation. */

static int hw_tls_site_load(struct hw_tls_site *site, const struct hw_listener *listener, char *message,
                            size_t message_size)
{
    const struct hw_tls_settings *settings = listener->tls;
    site->listener = listener;
    site->hosts = OPENSSL_zalloc(settings->identity_count * sizeof *site->hosts);
    if (site->hosts == NULL) {
        snprintf(message, message_size, "no memory for the certificates (tls.memory_size)");
        return -1;
    }
    site->host_count = settings->identity_count;
    for (unsigned i = 0; i < site->host_count; i++)
        if (hw_tls_host_make(&site->hosts[i], site, &settings->identities[i], message, message_size) != 0)
            return -1;
    return 0;
}

static void hw_tls_generation_free(struct hw_tls_generation *generation)
{
    for (unsigned i = 0; i < HW_LISTENERS; i++) {
        struct hw_tls_site *site = &generation->sites[i];
        for (unsigned k = 0; k < site->host_count; k++)
            hw_tls_host_free(&site->hosts[k]);
        OPENSSL_free(site->hosts);
    }
    OPENSSL_free(generation);
}

static struct hw_tls_generation *hw_tls_generation_load(char *message, size_t message_size)
{
    struct hw_tls_generation *generation = OPENSSL_zalloc(sizeof *generation);
    if (generation == NULL) {
        snprintf(message, message_size, "no memory for the certificates (tls.memory_size)");
        return NULL;
    }
    for (unsigned i = 0; i < HW_LISTENERS; i++) {
        if (hw_listeners[i].tls == NULL ||
            hw_tls_site_load(&generation->sites[i], &hw_listeners[i], message, message_size) == 0)
            continue;
        hw_tls_generation_free(generation);
        ERR_clear_error();
        return NULL;
    }
    return generation;
}

#include "io/tls_identity.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>

#include <openssl/err.h>
#include <openssl/ocsp.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/x509v3.h>

#include "core/log.h"

/* The largest OCSP response that is stapled. */
#define HW_TLS_OCSP_SIZE_MAX 16384ul

/* What the files of one identity hold. */
struct hw_tls_parts {
    X509 *certificate;
    STACK_OF(X509) * chain;
    EVP_PKEY *key;
};

struct hw_tls_password {
    const char *env;  /* the variable, or NULL */
    const char *text; /* or NULL */
    bool was_asked;
};

static const char *hw_tls_setting_get(const struct hw_setting *setting)
{
    const char *text = setting->env == NULL ? NULL : getenv(setting->env);
    return text == NULL ? setting->text : text;
}

static const char *hw_tls_reason_take(void)
{
    const char *reason = ERR_reason_error_string(ERR_peek_last_error());
    ERR_clear_error();
    return reason == NULL ? "no reason given" : reason;
}

static BIO *hw_tls_file_open(const char *path, const char *what, char *message, size_t message_size)
{
    struct stat status;
    BIO *bio = NULL;
    int error = EISDIR; /* OpenSSL would open it, and find nothing to read */
    ERR_clear_error();
    if (stat(path, &status) != 0)
        error = errno;
    else if (!S_ISDIR(status.st_mode)) {
        bio = BIO_new_file(path, "rb");
        unsigned long first = ERR_peek_error();
        error = ERR_SYSTEM_ERROR(first) ? ERR_GET_REASON(first) : ENOMEM;
    }
    ERR_clear_error();
    if (bio == NULL)
        snprintf(message, message_size, "cannot open the %s %s: %s", what, path, strerror(error));
    return bio;
}

/* ---- Certificate and key. */

/* OpenSSL's callback: without a password it fails, instead of asking whoever sits at the terminal. */
static int hw_tls_password_give(char *buffer, int room, int is_writing, void *given)
{
    (void)is_writing;
    struct hw_tls_password *password = given;
    password->was_asked = true;
    size_t size = password->text == NULL ? 0 : strlen(password->text);
    if (password->text == NULL || room < 0 || size > (size_t)room)
        return -1;
    memcpy(buffer, password->text, size);
    return (int)size;
}

static int hw_tls_password_fail(const struct hw_tls_password *password, const char *what, const char *path,
                                char *message, size_t message_size)
{
    ERR_clear_error();
    if (password->env == NULL)
        snprintf(message, message_size, "the %s %s is encrypted, and the spec has no password_env for it", what, path);
    else if (password->text == NULL)
        snprintf(message, message_size, "the %s %s is encrypted, and the environment variable %s is not set", what,
                 path, password->env);
    else
        snprintf(message, message_size, "the password in the environment variable %s does not open the %s %s",
                 password->env, what, path);
    return -1;
}

/* True when there was nothing more to read, not something unreadable. */
static bool hw_tls_pem_ended(void)
{
    unsigned long error = ERR_peek_last_error();
    bool ended = ERR_GET_LIB(error) == ERR_LIB_PEM && ERR_GET_REASON(error) == PEM_R_NO_START_LINE;
    if (ended)
        ERR_clear_error();
    return ended;
}

static bool hw_tls_chain_read(BIO *file, struct hw_tls_parts *parts, struct hw_tls_password *password)
{
    parts->certificate = PEM_read_bio_X509_AUX(file, NULL, hw_tls_password_give, password);
    parts->chain = parts->certificate == NULL ? NULL : sk_X509_new_null();
    if (parts->chain == NULL)
        return false;
    for (;;) {
        X509 *link = PEM_read_bio_X509(file, NULL, hw_tls_password_give, password);
        if (link == NULL)
            return hw_tls_pem_ended();
        if (sk_X509_push(parts->chain, link) == 0) {
            X509_free(link);
            return false;
        }
    }
}

static int hw_tls_certificate_load(struct hw_tls_parts *parts, const char *path, struct hw_tls_password *password,
                                   char *message, size_t message_size)
{
    BIO *file = hw_tls_file_open(path, "certificate", message, message_size);
    if (file == NULL)
        return -1;
    bool is_read = hw_tls_chain_read(file, parts, password);
    BIO_free(file);
    if (is_read)
        return 0;
    snprintf(message, message_size, "%s does not hold PEM certificates: %s", path, hw_tls_reason_take());
    return -1;
}

static int hw_tls_key_load(struct hw_tls_parts *parts, const char *path, struct hw_tls_password *password,
                           char *message, size_t message_size)
{
    BIO *file = hw_tls_file_open(path, "key", message, message_size);
    if (file == NULL)
        return -1;
    password->was_asked = false;
    parts->key = PEM_read_bio_PrivateKey(file, NULL, hw_tls_password_give, password);
    BIO_free(file);
    if (parts->key != NULL)
        return 0;
    if (password->was_asked)
        return hw_tls_password_fail(password, "key", path, message, message_size);
    snprintf(message, message_size, "%s does not hold a PEM private key: %s", path, hw_tls_reason_take());
    return -1;
}

static int hw_tls_pkcs12_load(struct hw_tls_parts *parts, const char *path, struct hw_tls_password *password,
                              char *message, size_t message_size)
{
    BIO *file = hw_tls_file_open(path, "PKCS12 file", message, message_size);
    if (file == NULL)
        return -1;
    PKCS12 *bundle = d2i_PKCS12_bio(file, NULL);
    BIO_free(file);
    if (bundle == NULL) {
        snprintf(message, message_size, "%s is not a PKCS12 file: %s", path, hw_tls_reason_take());
        return -1;
    }
    int result = 0;
    const char *text = password->text == NULL ? "" : password->text;
    if (PKCS12_mac_present(bundle) == 1 && PKCS12_verify_mac(bundle, text, -1) != 1)
        result = hw_tls_password_fail(password, "PKCS12 file", path, message, message_size);
    else if (PKCS12_parse(bundle, text, &parts->key, &parts->certificate, &parts->chain) != 1 || parts->key == NULL ||
             parts->certificate == NULL) {
        snprintf(message, message_size, "%s does not hold a certificate and its key: %s", path, hw_tls_reason_take());
        result = -1;
    }
    PKCS12_free(bundle);
    return result;
}

static void hw_tls_parts_free(struct hw_tls_parts *parts)
{
    X509_free(parts->certificate);
    sk_X509_pop_free(parts->chain, X509_free);
    EVP_PKEY_free(parts->key);
}

static void hw_tls_time_check(const ASN1_TIME *time, const char *path, bool is_end)
{
    struct tm date;
    int order = X509_cmp_time(time, NULL); /* 0: unreadable */
    if (order == 0 || (order < 0) != is_end || ASN1_TIME_to_tm(time, &date) != 1)
        return;
    hw_log(HW_LOG_WARNING, "the certificate %s is %s %04d-%02d-%02d %02d:%02d:%02d UTC", path,
           is_end ? "expired since" : "not valid before", date.tm_year + 1900, date.tm_mon + 1, date.tm_mday,
           date.tm_hour, date.tm_min, date.tm_sec);
}

/* Gives the context what was read. */
static int hw_tls_parts_use(const struct hw_tls_parts *parts, SSL_CTX *context, const char *certificate_path,
                            const char *key_path, char *message, size_t message_size)
{
    if (X509_check_private_key(parts->certificate, parts->key) != 1) {
        ERR_clear_error();
        snprintf(message, message_size, "the key %s does not belong to the certificate %s", key_path, certificate_path);
        return -1;
    }
    if (SSL_CTX_use_cert_and_key(context, parts->certificate, parts->key, parts->chain, 1) != 1) {
        snprintf(message, message_size, "OpenSSL refuses the certificate %s: %s", certificate_path,
                 hw_tls_reason_take());
        return -1;
    }
    hw_tls_time_check(X509_get0_notBefore(parts->certificate), certificate_path, false);
    hw_tls_time_check(X509_get0_notAfter(parts->certificate), certificate_path, true);
    return 0;
}

/* ---- Names. */

/* Puts one name into `names`, or only counts it when that is NULL; returns the bytes with the NUL, 0 when it is none. */
static size_t hw_tls_name_put(char *names, const ASN1_STRING *name)
{
    const unsigned char *text = ASN1_STRING_get0_data(name);
    size_t size = (size_t)ASN1_STRING_length(name);
    if (size == 0 || memchr(text, '\0', size) != NULL)
        return 0;
    if (names != NULL) {
        memcpy(names, text, size);
        names[size] = '\0';
    }
    return size + 1;
}

static size_t hw_tls_names_put(char *names, X509 *certificate, const GENERAL_NAMES *alternatives)
{
    size_t size = 0;
    for (int i = 0; i < sk_GENERAL_NAME_num(alternatives); i++) {
        const GENERAL_NAME *name = sk_GENERAL_NAME_value(alternatives, i);
        if (name->type == GEN_DNS)
            size += hw_tls_name_put(names == NULL ? NULL : names + size, name->d.dNSName);
    }
    if (size > 0)
        return size;
    /* The common name counts where there is no other, as in X509_check_host. */
    const X509_NAME *subject = X509_get_subject_name(certificate);
    for (int i = -1; (i = X509_NAME_get_index_by_NID(subject, NID_commonName, i)) >= 0;)
        size += hw_tls_name_put(names == NULL ? NULL : names + size,
                                X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, i)));
    return size;
}

static int hw_tls_names_load(struct hw_tls_host *host, X509 *certificate, char *message, size_t message_size)
{
    GENERAL_NAMES *alternatives = X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
    size_t size = hw_tls_names_put(NULL, certificate, alternatives);
    host->names = OPENSSL_zalloc(size + 1);
    if (host->names != NULL)
        hw_tls_names_put(host->names, certificate, alternatives);
    GENERAL_NAMES_free(alternatives);
    ERR_clear_error();
    if (host->names != NULL)
        return 0;
    snprintf(message, message_size, "no memory for the names of a certificate (tls.memory_size)");
    return -1;
}

static bool hw_tls_name_matches(const char *pattern, const char *name, bool by_wildcard)
{
    if (!by_wildcard)
        return strcasecmp(pattern, name) == 0;
    const char *dot = strchr(name, '.');
    return pattern[0] == '*' && pattern[1] == '.' && dot != NULL && dot != name && strcasecmp(pattern + 1, dot) == 0;
}

static bool hw_tls_host_has_name(const struct hw_tls_host *host, const char *name, bool by_wildcard)
{
    for (const char *pattern = host->names; *pattern != '\0'; pattern += strlen(pattern) + 1)
        if (hw_tls_name_matches(pattern, name, by_wildcard))
            return true;
    return false;
}

/* ---- OCSP. */

static int hw_tls_ocsp_load(struct hw_tls_host *host, const char *path, char *message, size_t message_size)
{
    BIO *file = hw_tls_file_open(path, "OCSP response", message, message_size);
    if (file == NULL)
        return -1;
    host->ocsp = OPENSSL_malloc(HW_TLS_OCSP_SIZE_MAX + 1);
    size_t size = 0;
    if (host->ocsp != NULL && BIO_read_ex(file, host->ocsp, HW_TLS_OCSP_SIZE_MAX + 1, &size) != 1)
        size = 0;
    BIO_free(file);
    const unsigned char *cursor = host->ocsp;
    OCSP_RESPONSE *response =
        size == 0 || size > HW_TLS_OCSP_SIZE_MAX ? NULL : d2i_OCSP_RESPONSE(NULL, &cursor, (long)size);
    bool is_good = response != NULL && OCSP_response_status(response) == OCSP_RESPONSE_STATUS_SUCCESSFUL;
    OCSP_RESPONSE_free(response);
    ERR_clear_error();
    host->ocsp_size = size;
    if (is_good)
        return 0;
    snprintf(message, message_size, "%s is not a successful OCSP response (DER, at most %lu bytes)", path,
             HW_TLS_OCSP_SIZE_MAX);
    return -1;
}

/* ---- The host. */

static int hw_tls_host_load(struct hw_tls_host *host, const struct hw_tls_identity *identity, char *message,
                            size_t message_size)
{
    const char *certificate = hw_tls_setting_get(&identity->certificate);
    const char *key = hw_tls_setting_get(&identity->key);
    const char *pkcs12 = hw_tls_setting_get(&identity->pkcs12);
    const char *ocsp = hw_tls_setting_get(&identity->ocsp);
    struct hw_tls_password password = {.env = identity->password_env};
    if (password.env != NULL)
        password.text = getenv(password.env);
    struct hw_tls_parts parts = {.key = NULL};
    int result;
    if (pkcs12 != NULL) {
        certificate = key = pkcs12;
        result = hw_tls_pkcs12_load(&parts, pkcs12, &password, message, message_size);
    } else if (certificate == NULL || key == NULL) {
        snprintf(message, message_size, "tls needs a certificate and a key, or a PKCS12 file");
        result = -1;
    } else {
        result = hw_tls_certificate_load(&parts, certificate, &password, message, message_size);
        if (result == 0)
            result = hw_tls_key_load(&parts, key, &password, message, message_size);
    }
    if (result == 0)
        result = hw_tls_parts_use(&parts, host->context, certificate, key, message, message_size);
    if (result == 0)
        result = hw_tls_names_load(host, parts.certificate, message, message_size);
    if (result == 0 && ocsp != NULL)
        result = hw_tls_ocsp_load(host, ocsp, message, message_size);
    hw_tls_parts_free(&parts);
    return result;
}

static void hw_tls_host_free(struct hw_tls_host *host)
{
    SSL_CTX_free(host->context);
    OPENSSL_free(host->names);
    OPENSSL_free(host->ocsp);
    *host = (struct hw_tls_host){.context = NULL};
}

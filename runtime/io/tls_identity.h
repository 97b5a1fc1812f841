/* One identity: certificate, chain and key as files hold them, the names that the certificate is for, its OCSP response. */
#ifndef HW_IO_TLS_IDENTITY_H
#define HW_IO_TLS_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <openssl/ssl.h>

#include <hardwire/generated.h>

/* An identity that was read. Owned by its generation (io/tls_context.h); its memory is OpenSSL's, counted with the rest. */
struct hw_tls_host {
    SSL_CTX *context;
    char *names; /* one after the other, each followed by a NUL, the last by two; NULL: none */
    unsigned char *ocsp;
    size_t ocsp_size;
};

/* The text that holds for a setting: the environment's, or the spec's; NULL: none. */
static const char *hw_tls_setting_get(const struct hw_setting *setting);

/* Opens a file for OpenSSL; NULL after one line in `message` that names `what` it is and its path. */
static BIO *hw_tls_file_open(const char *path, const char *what, char *message, size_t message_size);

/* Why OpenSSL's last call failed, in its words; empties its error queue. */
static const char *hw_tls_reason_take(void);

/* Reads the files of `identity` into the host, whose context is there. Never asks anybody for a password. Returns 0, or
 * -1 with one line in `message`. A certificate that is not valid now is a warning in the log. */
static int hw_tls_host_load(struct hw_tls_host *host, const struct hw_tls_identity *identity, char *message,
                            size_t message_size);

/* Frees what the host holds, its context too. */
static void hw_tls_host_free(struct hw_tls_host *host);

/* True when the certificate is for this name: exactly, or by a wildcard in the first label (RFC 9525 section 6.3). */
static bool hw_tls_host_has_name(const struct hw_tls_host *host, const char *name, bool by_wildcard);

#endif

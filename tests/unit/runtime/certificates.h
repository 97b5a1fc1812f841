/* Certificates and keys for tests, made by OpenSSL into a folder of their own. */
#ifndef HW_TEST_CERTIFICATES_H
#define HW_TEST_CERTIFICATES_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <openssl/ocsp.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/x509v3.h>

static char folder[] = "/tmp/hw_test_tls_XXXXXX";

/* The path of a file in the folder; good until the fourth call after it. */
static const char *path_of(const char *name)
{
    static char paths[4][128];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static FILE *file_make(const char *name)
{
    FILE *file = fopen(path_of(name), "wb");
    assert_non_null(file);
    return file;
}

static void text_make(const char *name, const char *text)
{
    FILE *file = file_make(name);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* What is to be made. */
struct wanted {
    const char *common_name;
    const char *alternatives; /* "DNS:a.test,DNS:*.b.test" */
    X509 *issuer;             /* NULL: signed by itself */
    EVP_PKEY *issuer_key;
    long from; /* seconds from now */
    long until;
    bool is_authority;
};

static X509 *certificate_make(EVP_PKEY *key, const struct wanted *wanted)
{
    X509 *made = X509_new();
    assert_non_null(made);
    X509_NAME *name = X509_get_subject_name(made);
    assert_int_equal(X509_set_version(made, 2), 1);
    assert_int_equal(ASN1_INTEGER_set(X509_get_serialNumber(made), random() | 1), 1);
    assert_int_equal(
        X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)wanted->common_name, -1, -1, 0), 1);
    assert_int_equal(X509_set_issuer_name(made, wanted->issuer == NULL ? name : X509_get_subject_name(wanted->issuer)),
                     1);
    assert_non_null(X509_gmtime_adj(X509_getm_notBefore(made), wanted->from));
    assert_non_null(X509_gmtime_adj(X509_getm_notAfter(made), wanted->until));
    assert_int_equal(X509_set_pubkey(made, key), 1);
    const char *texts[] = {wanted->alternatives, wanted->is_authority ? "critical,CA:TRUE" : NULL};
    const int kinds[] = {NID_subject_alt_name, NID_basic_constraints};
    for (int i = 0; i < 2; i++) {
        if (texts[i] == NULL)
            continue;
        X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, NULL, kinds[i], texts[i]);
        assert_non_null(extension);
        assert_int_equal(X509_add_ext(made, extension, -1), 1);
        X509_EXTENSION_free(extension);
    }
    assert_true(X509_sign(made, wanted->issuer == NULL ? key : wanted->issuer_key, EVP_sha256()) > 0);
    return made;
}

static void certificate_save(const char *name, X509 *first, X509 *second)
{
    FILE *file = file_make(name);
    assert_int_equal(PEM_write_X509(file, first), 1);
    if (second != NULL)
        assert_int_equal(PEM_write_X509(file, second), 1);
    assert_int_equal(fclose(file), 0);
}

/* With a password: encrypted. */
static void key_save(const char *name, EVP_PKEY *key, const char *password)
{
    FILE *file = file_make(name);
    assert_int_equal(PEM_write_PKCS8PrivateKey(file, key, password == NULL ? NULL : EVP_aes_256_cbc(), password,
                                               password == NULL ? 0 : (int)strlen(password), NULL, NULL),
                     1);
    assert_int_equal(fclose(file), 0);
}

static void pkcs12_save(const char *name, EVP_PKEY *key, X509 *certificate, X509 *link, const char *password)
{
    STACK_OF(X509) *chain = sk_X509_new_null();
    assert_non_null(chain);
    assert_true(sk_X509_push(chain, link) > 0);
    PKCS12 *bundle = PKCS12_create(password, "test", key, certificate, chain, 0, 0, 0, 0, 0);
    assert_non_null(bundle);
    FILE *file = file_make(name);
    assert_int_equal(i2d_PKCS12_fp(file, bundle), 1);
    assert_int_equal(fclose(file), 0);
    PKCS12_free(bundle);
    sk_X509_free(chain);
}

static void ocsp_save(const char *name, int status)
{
    OCSP_RESPONSE *response = OCSP_response_create(status, NULL);
    assert_non_null(response);
    unsigned char *bytes = NULL;
    int size = i2d_OCSP_RESPONSE(response, &bytes);
    assert_true(size > 0);
    FILE *file = file_make(name);
    assert_int_equal(fwrite(bytes, 1, (size_t)size, file), size);
    assert_int_equal(fclose(file), 0);
    OPENSSL_free(bytes);
    OCSP_RESPONSE_free(response);
}

/* The authority, a server's chain by it in every form, and all that is wrong somehow. */
static X509 *authority;
static EVP_PKEY *authority_key;
static X509 *client_certificate;
static EVP_PKEY *client_key;

static void identity_save(const char *certificate_name, const char *key_name, const struct wanted *given)
{
    struct wanted wanted = *given;
    wanted.issuer = authority;
    wanted.issuer_key = authority_key;
    EVP_PKEY *key = EVP_EC_gen("P-256");
    assert_non_null(key);
    X509 *made = certificate_make(key, &wanted);
    certificate_save(certificate_name, made, authority);
    key_save(key_name, key, NULL);
    if (strcmp(key_name, "first.key") == 0) {
        key_save("encrypted.key", key, "secret");
        pkcs12_save("first.p12", key, made, authority, "secret");
        pkcs12_save("open.p12", key, made, authority, "");
    }
    X509_free(made);
    EVP_PKEY_free(key);
}

static void certificates_make(void)
{
    assert_non_null(mkdtemp(folder));
    authority_key = EVP_EC_gen("P-256");
    client_key = EVP_EC_gen("P-256");
    assert_non_null(authority_key);
    assert_non_null(client_key);
    authority = certificate_make(
        authority_key, &(struct wanted){.common_name = "authority", .from = -60, .until = 3600, .is_authority = true});
    client_certificate = certificate_make(
        client_key,
        &(struct wanted){
            .common_name = "client", .issuer = authority, .issuer_key = authority_key, .from = -60, .until = 3600});
    certificate_save("authority.pem", authority, NULL);
    identity_save("first.pem", "first.key",
                  &(struct wanted){.common_name = "first.test", .alternatives = "DNS:first.test", .until = 3600});
    identity_save("second.pem", "second.key",
                  &(struct wanted){.common_name = "second",
                                   .alternatives = "DNS:exact.test,DNS:*.wild.test,IP:127.0.0.1",
                                   .until = 3600});
    identity_save("third.pem", "third.key",
                  &(struct wanted){.common_name = "a.wild.test", .until = 3600}); /* names: the common name alone */
    identity_save("expired.pem", "expired.key",
                  &(struct wanted){.common_name = "first.test", .from = -7200, .until = -3600});
    identity_save("early.pem", "early.key", &(struct wanted){.common_name = "first.test", .from = 3600, .until = 7200});
    ocsp_save("good.ocsp", OCSP_RESPONSE_STATUS_SUCCESSFUL);
    ocsp_save("later.ocsp", OCSP_RESPONSE_STATUS_TRYLATER);
    text_make("garbage", "this is no certificate\n");
    text_make("broken.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
}

static void certificates_free(void)
{
    static const char *const names[] = {"authority.pem", "first.pem",  "first.key",     "second.pem", "second.key",
                                        "third.pem",     "third.key",  "expired.pem",   "early.pem",  "expired.key",
                                        "early.key",     "garbage",    "encrypted.key", "first.p12",  "open.p12",
                                        "good.ocsp",     "later.ocsp", "broken.pem"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_int_equal(unlink(path_of(names[i])), 0);
    assert_int_equal(rmdir(folder), 0);
    X509_free(authority);
    X509_free(client_certificate);
    EVP_PKEY_free(authority_key);
    EVP_PKEY_free(client_key);
}

#endif

/* TLS (runtime/io/tls*.c, stream.c): handshakes over socket pairs with an OpenSSL client in the same process. */
#include "runtime/config_tls.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cmocka.h>

#include <hardwire/generated.h>

#include "runtime/certificates.h"

/* A clock that is moved by hand: ticket keys rotate by it. */
#define hw_clock_ms real_clock_ms
#include "core/clock.c"
#undef hw_clock_ms

static uint64_t clock_ms = 1000000;

static uint64_t hw_clock_ms(void)
{
    return clock_ms;
}

#include "core/mailbox.c"
#include "core/wheel.c"
#include "io/loop.c"

/* The log's last line. */
static char logged[1024];
static int logged_level = -1;

void hw_log(enum hw_log_level level, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(logged, sizeof logged, format, arguments);
    va_end(arguments);
    logged_level = (int)level;
}

/* ---- The listeners: their paths come from the environment, so that tests change them. */

static const struct hw_tls_identity identities[] = {
    {.certificate = {NULL, "HW_TEST_CERTIFICATE"},
     .key = {NULL, "HW_TEST_KEY"},
     .pkcs12 = {NULL, "HW_TEST_PKCS12"},
     .password_env = "HW_TEST_PASSWORD",
     .ocsp = {NULL, "HW_TEST_OCSP"}},
    {.certificate = {"missing", "HW_TEST_CERTIFICATE_2"}, .key = {"missing", "HW_TEST_KEY_2"}},
    {.certificate = {"missing", "HW_TEST_CERTIFICATE_3"}, .key = {"missing", "HW_TEST_KEY_3"}},
};

static const struct hw_tls_settings settings_none = {.identities = identities, .identity_count = 3};
static const struct hw_tls_settings settings_need = {.identities = identities + 1,
                                                     .identity_count = 1,
                                                     .client_auth = HW_CLIENT_AUTH_NEED,
                                                     .client_ca = {NULL, "HW_TEST_CLIENT_CA"}};
static const struct hw_tls_settings settings_want = {.identities = identities + 1,
                                                     .identity_count = 1,
                                                     .client_auth = HW_CLIENT_AUTH_WANT,
                                                     .client_ca = {NULL, "HW_TEST_CLIENT_CA"}};

enum { PLAIN, BOTH, NEED, WANT };

static const struct hw_listener hw_listeners[HW_LISTENERS] = {
    [PLAIN] = {.protocols = HW_PROTOCOL_HTTP1},
    [BOTH] = {.protocols = HW_PROTOCOL_HTTP1 | HW_PROTOCOL_HTTP2, .tls = &settings_none},
    [NEED] = {.protocols = HW_PROTOCOL_HTTP1, .tls = &settings_need},
    [WANT] = {.protocols = HW_PROTOCOL_HTTP2, .tls = &settings_want},
};

/* Calls of recv and send. */
static _Atomic unsigned recv_count;
static _Atomic unsigned send_count;

static ssize_t recv_counted(int fd, void *bytes, size_t room, int flags)
{
    recv_count++;
    return recv(fd, bytes, room, flags);
}

static ssize_t send_counted(int fd, const void *bytes, size_t size, int flags)
{
    send_count++;
    return send(fd, bytes, size, flags);
}

#define recv recv_counted
#define send send_counted
#include "io/tls_memory.c"
#include "io/tls_ticket.c"
#include "io/tls_identity.c"
#include "io/tls_context.c"
#include "io/tls_bio.c"
#include "io/tls.c"
#include "io/stream.c"
#undef recv
#undef send

static void environment_reset(void)
{
    assert_int_equal(setenv("HW_TEST_CERTIFICATE", path_of("first.pem"), 1), 0);
    assert_int_equal(setenv("HW_TEST_KEY", path_of("first.key"), 1), 0);
    assert_int_equal(setenv("HW_TEST_CERTIFICATE_2", path_of("second.pem"), 1), 0);
    assert_int_equal(setenv("HW_TEST_KEY_2", path_of("second.key"), 1), 0);
    assert_int_equal(setenv("HW_TEST_CERTIFICATE_3", path_of("third.pem"), 1), 0);
    assert_int_equal(setenv("HW_TEST_KEY_3", path_of("third.key"), 1), 0);
    assert_int_equal(setenv("HW_TEST_CLIENT_CA", path_of("authority.pem"), 1), 0);
    assert_int_equal(unsetenv("HW_TEST_PKCS12"), 0);
    assert_int_equal(unsetenv("HW_TEST_PASSWORD"), 0);
    assert_int_equal(unsetenv("HW_TEST_OCSP"), 0);
}

static size_t promised_at_start;

static int start(void **state)
{
    char message[512];
    (void)state;
    environment_reset();
    if (hw_tls_start(message, sizeof message) == 0) {
        promised_at_start = hw_tls.promised;
        return 0;
    }
    print_error("%s\n", message);
    return -1;
}

static int stop(void **state)
{
    (void)state;
    /* Whatever a test did, nothing is left of its connections. */
    bool is_clean = hw_tls.handshake_count == 0 && hw_tls.promised == promised_at_start &&
                    hw_tls.generation->reference_count == 1 && hw_tls_account_here == NULL && ERR_peek_error() == 0;
    hw_tls_stop();
    return is_clean ? 0 : -1;
}

/* ---- A connection: the server's stream and an OpenSSL client. */

struct pair {
    struct hw_io_stream stream;
    const struct hw_listener *listener;
    SSL_CTX *client_context;
    SSL *client;
    int client_fd;
    enum hw_tls_step step;
};

/* What the client takes from the pool is not the server's. */
static size_t client_used;
static bool client_is_counted;

static void client_enter(void)
{
    if (!client_is_counted)
        client_used = hw_tls_memory_used();
}

static void client_leave(void)
{
    if (!client_is_counted)
        atomic_store(&hw_tls_memory.used, client_used);
}

/* The sockets, and a client that has not yet begun. */
static void pair_make(struct pair *pair, unsigned listener)
{
    int fds[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds), 0);
    *pair = (struct pair){.listener = &hw_listeners[listener], .client_fd = fds[1], .step = HW_TLS_WANTS_READ};
    pair->stream.source.fd = fds[0];
    client_enter();
    pair->client_context = SSL_CTX_new(TLS_client_method());
    assert_non_null(pair->client_context);
    SSL_CTX_set_verify(pair->client_context, SSL_VERIFY_PEER, NULL);
    X509_STORE_add_cert(SSL_CTX_get_cert_store(pair->client_context), authority);
    SSL_CTX_set_session_cache_mode(pair->client_context, SSL_SESS_CACHE_OFF);
    pair->client = SSL_new(pair->client_context);
    assert_non_null(pair->client);
    assert_int_equal(SSL_set_fd(pair->client, pair->client_fd), 1);
    SSL_set_connect_state(pair->client);
    client_leave();
}

static void pair_free(struct pair *pair)
{
    client_enter();
    SSL_free(pair->client);
    SSL_CTX_free(pair->client_context);
    client_leave();
    if (pair->client_fd >= 0)
        close(pair->client_fd);
    hw_io_close(&pair->stream);
    assert_null(pair->stream.tls);
}

/* Both sides in turn, until nothing moves. True when both are done. */
static bool pair_shake(struct pair *pair)
{
    bool is_done = false;
    if (pair->stream.tls == NULL && !hw_tls_begin(&pair->stream, pair->listener))
        return false;
    for (int i = 0; i < 20; i++) {
        client_enter();
        is_done = SSL_do_handshake(pair->client) == 1;
        client_leave();
        if (pair->step == HW_TLS_WANTS_READ || pair->step == HW_TLS_WANTS_WRITE)
            pair->step = hw_tls_handshake(&pair->stream);
    }
    ERR_clear_error();
    return is_done && pair->step == HW_TLS_DONE;
}

static void pair_open(struct pair *pair, unsigned listener)
{
    pair_make(pair, listener);
    assert_true(pair_shake(pair));
}

/* The client reads: the bytes, 0 at a close_notify, -1. */
static int client_read(struct pair *pair, void *bytes, int room)
{
    client_enter();
    int size = SSL_read(pair->client, bytes, room);
    if (size <= 0)
        size = SSL_get_error(pair->client, size) == SSL_ERROR_ZERO_RETURN ? 0 : -1;
    ERR_clear_error();
    client_leave();
    return size;
}

static void client_write(struct pair *pair, const char *text)
{
    client_enter();
    assert_int_equal(SSL_write(pair->client, text, (int)strlen(text)), (int)strlen(text));
    client_leave();
}

static bool client_sees_name(const struct pair *pair, const char *common_name)
{
    char name[64] = "";
    X509 *certificate = SSL_get1_peer_certificate(pair->client);
    assert_non_null(certificate);
    X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, name, sizeof name);
    X509_free(certificate);
    return strcmp(name, common_name) == 0;
}

/* ---- Negotiation. */

static void test_alpn(void **state)
{
    (void)state;
    static const struct {
        unsigned listener;
        const char *offered; /* NULL: no ALPN */
        unsigned protocol;
        bool fails;
    } rows[] = {
        {BOTH, "\x08http/1.1\x02h2", HW_PROTOCOL_HTTP2, false}, /* our order counts */
        {BOTH, "\x08http/1.1", HW_PROTOCOL_HTTP1, false},
        {BOTH, "\x08http/1.0\x08http/1.1", HW_PROTOCOL_HTTP1, false},
        {BOTH, NULL, HW_PROTOCOL_HTTP1, false},
        {BOTH, "\x04spdy\x03h2c", 0, true},
        {NEED, "\x02h2\x08http/1.1", HW_PROTOCOL_HTTP1, false},
        {NEED, "\x02h2", 0, true},
        {WANT, "\x08http/1.1\x02h2", HW_PROTOCOL_HTTP2, false},
        {WANT, "\x08http/1.1", 0, true},
        {WANT, NULL, 0, false}, /* the caller closes it */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct pair pair;
        pair_make(&pair, rows[i].listener);
        const char *offered = rows[i].offered;
        if (offered != NULL)
            assert_int_equal(
                SSL_set_alpn_protos(pair.client, (const unsigned char *)offered, (unsigned)strlen(offered)), 0);
        assert_int_equal(SSL_use_certificate(pair.client, client_certificate), 1);
        assert_int_equal(SSL_use_PrivateKey(pair.client, client_key), 1);
        assert_int_equal(pair_shake(&pair), !rows[i].fails);
        if (!rows[i].fails)
            assert_int_equal(hw_tls_protocol(&pair.stream, pair.listener), rows[i].protocol);
        else
            assert_int_equal(pair.step, HW_TLS_FAILED);
        pair_free(&pair);
    }
}

static unsigned alert_seen;

static void alert_note(const SSL *tls, int where, int value)
{
    (void)tls;
    if ((where & SSL_CB_ALERT) != 0 && (where & SSL_CB_READ) != 0)
        alert_seen = (unsigned)value & 0xffu;
}

static void test_alerts(void **state)
{
    (void)state;
    struct pair pair;
    pair_make(&pair, BOTH);
    SSL_set_info_callback(pair.client, alert_note);
    assert_int_equal(SSL_set_alpn_protos(pair.client, (const unsigned char *)"\x03h2c", 4), 0);
    assert_false(pair_shake(&pair));
    assert_int_equal(alert_seen, 120); /* no_application_protocol */
    assert_string_equal(logged, "a TLS handshake failed: no application protocol");
    pair_free(&pair);
    pair_make(&pair, NEED);
    SSL_set_info_callback(pair.client, alert_note);
    assert_false(pair_shake(&pair));
    assert_int_equal(client_read(&pair, logged, 1), -1);
    assert_int_equal(alert_seen, 116); /* certificate_required */
    assert_int_equal(hw_io_receive(&pair.stream, logged, 1), -1);
    assert_int_equal(errno, ECONNRESET);
    assert_false(hw_io_shutdown(&pair.stream));
    pair_free(&pair);
}

static void test_names(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"first.test", "first.test"},    {"exact.test", "second"},
        {"EXACT.test", "second"},        {"b.wild.test", "second"},
        {"B.Wild.TEST", "second"},       {"a.wild.test", "a.wild.test"}, /* exactly, first */
        {"c.b.wild.test", "first.test"}, {"wild.test", "first.test"},
        {"other.test", "first.test"},    {NULL, "first.test"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct pair pair;
        pair_make(&pair, BOTH);
        if (rows[i][0] != NULL)
            assert_int_equal(SSL_set_tlsext_host_name(pair.client, rows[i][0]), 1);
        assert_true(pair_shake(&pair));
        assert_true(client_sees_name(&pair, rows[i][1]));
        pair_free(&pair);
    }
    /* The same as OpenSSL says of the certificate. */
    const struct hw_tls_host *host = &hw_tls.generation->sites[BOTH].hosts[1];
    const char *const names[] = {"exact.test", "x.exact.test", "q.wild.test", "wild.test", "a.b.wild.test", "second"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_int_equal(X509_check_host(SSL_CTX_get0_certificate(host->context), names[i], 0, 0, NULL),
                         hw_tls_host_has_name(host, names[i], false) || hw_tls_host_has_name(host, names[i], true));
}

static void test_versions(void **state)
{
    (void)state;
    for (int version = TLS1_VERSION; version <= TLS1_3_VERSION; version++) {
        struct pair pair;
        pair_make(&pair, BOTH);
        SSL_set_security_level(pair.client, 0);
        SSL_set_cipher_list(pair.client, "ALL");
        assert_int_equal(SSL_set_min_proto_version(pair.client, version), 1);
        assert_int_equal(SSL_set_max_proto_version(pair.client, version), 1);
        assert_int_equal(pair_shake(&pair), version >= TLS1_2_VERSION);
        pair_free(&pair);
    }
    struct pair pair;
    pair_make(&pair, BOTH);
    assert_int_equal(SSL_set_max_proto_version(pair.client, TLS1_2_VERSION), 1);
    assert_int_equal(SSL_set_cipher_list(pair.client, "ECDHE-ECDSA-AES128-SHA256"), 1); /* CBC */
    assert_false(pair_shake(&pair));
    pair_free(&pair);
}

static void test_renegotiation_is_refused(void **state)
{
    (void)state;
    struct pair pair;
    char byte;
    pair_make(&pair, BOTH);
    assert_int_equal(SSL_set_max_proto_version(pair.client, TLS1_2_VERSION), 1);
    assert_true(pair_shake(&pair));
    assert_int_equal(SSL_renegotiate(pair.client), 1);
    for (int i = 0; i < 5; i++) {
        client_enter();
        SSL_do_handshake(pair.client);
        client_leave();
        assert_int_equal(hw_io_receive(&pair.stream, &byte, 1), -1);
    }
    assert_int_equal(SSL_num_renegotiations(pair.stream.tls), 0);
    pair_free(&pair);
}

static void test_client_certificates(void **state)
{
    (void)state;
    struct pair pair;
    pair_make(&pair, WANT);
    assert_true(pair_shake(&pair));
    assert_null(SSL_get0_peer_certificate(pair.stream.tls));
    pair_free(&pair);
    for (unsigned listener = NEED; listener <= WANT; listener++) {
        pair_make(&pair, listener);
        assert_int_equal(SSL_use_certificate(pair.client, client_certificate), 1);
        assert_int_equal(SSL_use_PrivateKey(pair.client, client_key), 1);
        assert_true(pair_shake(&pair));
        assert_non_null(SSL_get0_peer_certificate(pair.stream.tls));
        pair_free(&pair);
        /* One that the authority did not sign. */
        EVP_PKEY *key = EVP_EC_gen("P-256");
        X509 *stranger = certificate_make(key, &(struct wanted){.common_name = "stranger", .until = 3600});
        pair_make(&pair, listener);
        assert_int_equal(SSL_use_certificate(pair.client, stranger), 1);
        assert_int_equal(SSL_use_PrivateKey(pair.client, key), 1);
        assert_false(pair_shake(&pair));
        assert_int_equal(pair.step, HW_TLS_FAILED);
        pair_free(&pair);
        X509_free(stranger);
        EVP_PKEY_free(key);
    }
}

/* A client's certificate of as many small parts as may be fits in what is promised; a longer one is refused. */
static void test_long_client_chain(void **state)
{
    (void)state;
    static char names[16000];
    for (int is_over = 0; is_over <= 1; is_over++) {
        int size = 0;
        for (unsigned i = 0; i < (is_over ? 900u : 600u); i++)
            size += snprintf(names + size, sizeof names - (size_t)size, "%sDNS:a%u.test", i == 0 ? "" : ",", i);
        EVP_PKEY *key = EVP_EC_gen("P-256");
        X509 *long_one = certificate_make(key, &(struct wanted){.common_name = "client",
                                                                .alternatives = names,
                                                                .issuer = authority,
                                                                .issuer_key = authority_key,
                                                                .until = 3600});
        struct pair pair;
        pair_make(&pair, NEED);
        assert_int_equal(SSL_use_certificate(pair.client, long_one), 1);
        assert_int_equal(SSL_use_PrivateKey(pair.client, key), 1);
        assert_int_equal(pair_shake(&pair), !is_over);
        if (is_over)
            assert_string_equal(logged, "a TLS handshake failed: excessive message size");
        assert_true(hw_tls_state_get(&pair.stream)->account.used <= hw_tls_state_get(&pair.stream)->promised);
        pair_free(&pair);
        X509_free(long_one);
        EVP_PKEY_free(key);
    }
}

static void test_ocsp(void **state)
{
    (void)state;
    struct pair pair;
    const unsigned char *response;
    assert_int_equal(setenv("HW_TEST_OCSP", path_of("good.ocsp"), 1), 0);
    hw_tls_reload();
    assert_int_equal(logged_level, HW_LOG_INFO);
    for (int is_other = 0; is_other <= 1; is_other++) {
        pair_make(&pair, BOTH);
        assert_int_equal(SSL_set_tlsext_status_type(pair.client, TLSEXT_STATUSTYPE_ocsp), 1);
        if (is_other)
            assert_int_equal(SSL_set_tlsext_host_name(pair.client, "exact.test"), 1);
        assert_true(pair_shake(&pair));
        assert_int_equal(SSL_get_tlsext_status_ocsp_resp(pair.client, &response) > 0, !is_other);
        pair_free(&pair);
    }
}

/* ---- Files that are wrong. */

/* Files that are put in place of good ones, and what is said then. */
static const struct {
    const char *variable;
    const char *file;
    const char *password;
    const char *message; /* %s: the file's path */
} faults[] = {
    {"HW_TEST_CERTIFICATE", "missing.pem", NULL, "cannot open the certificate %s: No such file or directory"},
    {"HW_TEST_CERTIFICATE", "", NULL, "cannot open the certificate %s: Is a directory"},
    {"HW_TEST_CERTIFICATE", "garbage", NULL, "%s does not hold PEM certificates: no start line"},
    {"HW_TEST_CERTIFICATE", "first.key", NULL, "%s does not hold PEM certificates: no start line"},
    {"HW_TEST_CERTIFICATE", "broken.pem", NULL, "%s does not hold PEM certificates: "},
    {"HW_TEST_CERTIFICATE", "second.pem", NULL, "first.key does not belong to the certificate %s"},
    {"HW_TEST_KEY", "missing.key", NULL, "cannot open the key %s: No such file or directory"},
    {"HW_TEST_KEY", "garbage", NULL, "%s does not hold a PEM private key: "},
    {"HW_TEST_KEY", "second.key", NULL, "the key %s does not belong to the certificate "},
    {"HW_TEST_KEY", "encrypted.key", NULL,
     "the key %s is encrypted, and the environment variable HW_TEST_PASSWORD is not set"},
    {"HW_TEST_KEY", "encrypted.key", "wrong",
     "the password in the environment variable HW_TEST_PASSWORD does not open the key %s"},
    {"HW_TEST_KEY", "encrypted.key", "secret", NULL},
    {"HW_TEST_KEY_2", "encrypted.key", NULL, "the key %s is encrypted, and the spec has no password_env for it"},
    {"HW_TEST_KEY_3", "second.key", NULL, "the key %s does not belong to the certificate "},
    {"HW_TEST_PKCS12", "first.p12", "secret", NULL},
    {"HW_TEST_PKCS12", "open.p12", NULL, NULL},
    {"HW_TEST_PKCS12", "first.p12", NULL,
     "the PKCS12 file %s is encrypted, and the environment variable HW_TEST_PASSWORD is not set"},
    {"HW_TEST_PKCS12", "first.p12", "wrong",
     "the password in the environment variable HW_TEST_PASSWORD does not open the PKCS12 file %s"},
    {"HW_TEST_PKCS12", "garbage", NULL, "%s is not a PKCS12 file: "},
    {"HW_TEST_PKCS12", "missing.p12", NULL, "cannot open the PKCS12 file %s: No such file or directory"},
    {"HW_TEST_OCSP", "good.ocsp", NULL, NULL},
    {"HW_TEST_OCSP", "garbage", NULL, "%s is not a successful OCSP response (DER, at most 16384 bytes)"},
    {"HW_TEST_OCSP", "later.ocsp", NULL, "%s is not a successful OCSP response (DER, at most 16384 bytes)"},
    {"HW_TEST_CLIENT_CA", "missing.pem", NULL, "cannot open the client_ca %s: No such file or directory"},
    {"HW_TEST_CLIENT_CA", "garbage", NULL, "%s does not hold PEM certificates: "},
};

static void test_messages(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        char message[512] = "";
        char expected[512];
        environment_reset();
        assert_int_equal(setenv(faults[i].variable, path_of(faults[i].file), 1), 0);
        if (faults[i].password != NULL)
            assert_int_equal(setenv("HW_TEST_PASSWORD", faults[i].password, 1), 0);
        size_t used = hw_tls_memory_used();
        int result = hw_tls_start(message, sizeof message);
        if (faults[i].message == NULL) {
            assert_string_equal(message, "");
            assert_int_equal(result, 0);
            struct pair pair;
            pair_open(&pair, BOTH);
            pair_free(&pair);
            hw_tls_stop();
            continue;
        }
        const char *mark = strstr(faults[i].message, "%s");
        snprintf(expected, sizeof expected, "%.*s%s%s", (int)(mark - faults[i].message), faults[i].message,
                 path_of(faults[i].file), mark + 2);
        assert_int_equal(result, -1);
        if (strstr(message, expected) == NULL)
            assert_string_equal(message, expected);
        assert_null(strchr(message, '\n'));
        assert_null(hw_tls.generation);
        assert_true(i < 4 || hw_tls_memory_used() <= used + 4096); /* what OpenSSL keeps for itself is made by then */
    }
    unsetenv("HW_TEST_CLIENT_CA");
    unsetenv("HW_TEST_CERTIFICATE");
    char message[512] = "";
    assert_int_equal(hw_tls_start(message, sizeof message), -1);
    assert_string_equal(message, "tls needs a certificate and a key, or a PKCS12 file");
    environment_reset();
    unsetenv("HW_TEST_CLIENT_CA");
    assert_int_equal(hw_tls_start(message, sizeof message), -1);
    assert_string_equal(message, "tls.client_auth needs a client_ca");
}

/* A file that is there but may not be read. */
static void test_unreadable_key(void **state)
{
    (void)state;
    char message[512];
    environment_reset();
    setenv("HW_TEST_KEY", path_of("locked.key"), 1);
    text_make("locked.key", "nobody may read this\n");
    assert_int_equal(chmod(path_of("locked.key"), 0), 0);
    bool is_root = geteuid() == 0;
    if (is_root) { /* who may read it all the same */
        assert_int_equal(chmod(folder, 0755), 0);
        assert_int_equal(seteuid(65534), 0);
    }
    int result = hw_tls_start(message, sizeof message);
    if (is_root)
        assert_int_equal(seteuid(0), 0);
    unlink(path_of("locked.key"));
    assert_int_equal(result, -1);
    assert_non_null(strstr(message, "/locked.key: Permission denied"));
    assert_memory_equal(message, "cannot open the key ", 20);
}

static void test_validity_is_a_warning(void **state)
{
    (void)state;
    char message[512];
    const char *const names[] = {"expired", "early"};
    const char *const words[] = {" is expired since 20", " is not valid before 20"};
    for (int i = 0; i < 2; i++) {
        char file[32];
        environment_reset();
        snprintf(file, sizeof file, "%s.pem", names[i]);
        setenv("HW_TEST_CERTIFICATE", path_of(file), 1);
        snprintf(file, sizeof file, "%s.key", names[i]);
        setenv("HW_TEST_KEY", path_of(file), 1);
        assert_int_equal(hw_tls_start(message, sizeof message), 0);
        assert_int_equal(logged_level, HW_LOG_WARNING);
        assert_non_null(strstr(logged, words[i]));
        assert_non_null(strstr(logged, names[i]));
        hw_tls_stop();
    }
}

/* ---- Reload. */

static void test_reload(void **state)
{
    (void)state;
    struct pair old;
    struct pair new;
    char text[16];
    pair_open(&old, BOTH);
    assert_true(client_sees_name(&old, "first.test"));
    struct hw_tls_generation *first = hw_tls.generation;

    setenv("HW_TEST_KEY", path_of("missing.key"), 1);
    hw_tls_reload();
    assert_int_equal(logged_level, HW_LOG_ERROR);
    assert_non_null(strstr(logged, "reload: cannot open the key "));
    assert_non_null(strstr(logged, "missing.key: No such file or directory; the certificates stay as they are"));
    assert_ptr_equal(hw_tls.generation, first);
    pair_open(&new, BOTH);
    assert_true(client_sees_name(&new, "first.test"));
    pair_free(&new);

    setenv("HW_TEST_CERTIFICATE", path_of("second.pem"), 1);
    setenv("HW_TEST_KEY", path_of("second.key"), 1);
    size_t promised = hw_tls.promised;
    hw_tls_reload();
    assert_int_equal(logged_level, HW_LOG_INFO);
    assert_string_equal(logged, "reload: the certificates were read again");
    assert_ptr_not_equal(hw_tls.generation, first);
    assert_int_equal(first->reference_count, 1); /* the old connection's */
    assert_int_equal(hw_tls.promised, promised + hw_tls.generation_size);
    pair_open(&new, BOTH);
    assert_true(client_sees_name(&new, "second"));
    client_write(&old, "still here");
    assert_int_equal(hw_io_receive(&old.stream, text, sizeof text), 10);
    pair_free(&old);
    assert_int_equal(hw_tls.promised, promised); /* the first generation is gone with its last connection */
    pair_free(&new);
}

/* A handshake that began before a reload ends with the certificates from before. */
static void test_reload_amid_a_handshake(void **state)
{
    (void)state;
    struct pair pair;
    pair_make(&pair, BOTH);
    assert_int_equal(SSL_set_tlsext_host_name(pair.client, "exact.test"), 1);
    assert_true(hw_tls_begin(&pair.stream, pair.listener));
    setenv("HW_TEST_CERTIFICATE_2", path_of("third.pem"), 1);
    setenv("HW_TEST_KEY_2", path_of("third.key"), 1);
    for (int i = 0; i < 3; i++)
        hw_tls_reload();
    assert_true(pair_shake(&pair));
    assert_true(client_sees_name(&pair, "second"));
    pair_free(&pair);
}

/* Threads begin connections while the certificates change. */

static _Atomic bool may_end;

static void *thread_run(void *given)
{
    _Atomic size_t *peak = given;
    for (unsigned count = 0; count < 20 || !may_end; count++) {
        struct pair pair;
        char text[16];
        pair_make(&pair, BOTH);
        assert_true(pair_shake(&pair));
        client_write(&pair, "hello");
        assert_int_equal(hw_io_receive(&pair.stream, text, sizeof text), 5);
        size_t used = hw_tls_state_get(&pair.stream)->account.used;
        if (used > *peak)
            *peak = used;
        pair_free(&pair);
    }
    return NULL;
}

static void test_reload_under_threads(void **state)
{
    (void)state;
    pthread_t threads[2];
    _Atomic size_t peaks[2] = {0, 0};
    client_is_counted = true; /* the counter cannot be set back while others count */
    may_end = false;
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, thread_run, &peaks[i]), 0);
    unsigned reloaded = 0;
    for (int i = 0; i < 200 && reloaded < 20; i++) {
        hw_tls_reload();
        reloaded += logged_level == HW_LOG_INFO;
        usleep(1000);
    }
    may_end = true;
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    client_is_counted = false;
    assert_int_equal(reloaded, 20);
    assert_int_equal(hw_tls.generation->reference_count, 1);
    for (int i = 0; i < 2; i++) /* no connection pays for what its thread needs */
        assert_in_range(peaks[i], 1, HW_TLS_OPEN_SIZE - 34 * 1024ull);
}

/* ---- Sessions. */

/* Opens a connection with a session, exchanges a byte so that tickets arrive; returns the next session. */
static SSL_SESSION *session_next(SSL_SESSION *session, int version, unsigned listener, bool *was_resumed)
{
    struct pair pair;
    char byte;
    pair_make(&pair, listener);
    assert_int_equal(SSL_set_max_proto_version(pair.client, version), 1);
    if (listener != BOTH) {
        assert_int_equal(SSL_use_certificate(pair.client, client_certificate), 1);
        assert_int_equal(SSL_use_PrivateKey(pair.client, client_key), 1);
    }
    client_enter();
    if (session != NULL)
        assert_int_equal(SSL_set_session(pair.client, session), 1);
    SSL_SESSION_free(session);
    client_leave();
    assert_true(pair_shake(&pair));
    *was_resumed = SSL_session_reused(pair.stream.tls) == 1;
    assert_int_equal(hw_io_send(&pair.stream, &(struct iovec){"x", 1}, 1), 1);
    assert_int_equal(client_read(&pair, &byte, 1), 1);
    SSL_SESSION *next = SSL_get1_session(pair.client);
    client_enter();
    SSL_shutdown(pair.client); /* else it may not come back with it */
    client_leave();
    pair_free(&pair);
    return next;
}

static void test_tickets_rotate(void **state)
{
    (void)state;
    for (int version = TLS1_2_VERSION; version <= TLS1_3_VERSION; version++) {
        bool was_resumed;
        SSL_SESSION *session = session_next(NULL, version, BOTH, &was_resumed);
        assert_false(was_resumed);
        session = session_next(session, version, BOTH, &was_resumed);
        assert_true(was_resumed);
        hw_tls_reload(); /* the keys stay */
        session = session_next(session, version, BOTH, &was_resumed);
        assert_true(was_resumed);
        for (int i = 0; i < 3; i++) { /* each time it is renewed with the newer key */
            clock_ms += HW_TLS_SESSION / 2;
            struct hw_tls_ticket_key before = hw_tls_tickets.current;
            session = session_next(session, version, BOTH, &was_resumed);
            assert_true(was_resumed);
            assert_memory_equal(before.name, hw_tls_tickets.previous.name, sizeof before.name);
        }
        clock_ms += HW_TLS_SESSION / 2; /* the key of our ticket is the previous now */
        SSL_SESSION_free(session_next(NULL, version, BOTH, &was_resumed));
        clock_ms += HW_TLS_SESSION / 2; /* and now it is gone */
        session = session_next(session, version, BOTH, &was_resumed);
        assert_false(was_resumed);
        clock_ms += 2 * HW_TLS_SESSION; /* nobody came for so long */
        session = session_next(session, version, BOTH, &was_resumed);
        assert_false(was_resumed);
        assert_false(hw_tls_tickets.previous.is_there);
        SSL_SESSION_free(session);
    }
}

static void test_session_cache(void **state)
{
    (void)state;
    struct pair pair;
    SSL_SESSION *session = NULL;
    for (int i = 0; i < 3; i++) {
        pair_make(&pair, BOTH);
        SSL_set_options(pair.client, SSL_OP_NO_TICKET);
        assert_int_equal(SSL_set_max_proto_version(pair.client, TLS1_2_VERSION), 1);
        if (session != NULL)
            assert_int_equal(SSL_set_session(pair.client, session), 1);
        assert_true(pair_shake(&pair));
        assert_int_equal(SSL_session_reused(pair.stream.tls), i > 0);
        SSL_SESSION_free(session);
        session = SSL_get1_session(pair.client);
        SSL_set_shutdown(pair.client, SSL_SENT_SHUTDOWN); /* it leaves without a word */
        pair_free(&pair);
    }
    SSL_SESSION_free(session);
    /* The cache is full: it grows no more, and a session has no more bytes than were promised. */
    size_t used = hw_tls_memory_used();
    size_t generation_used = 0;
    for (unsigned i = 0; i < 2 * HW_TLS_SESSIONS; i++) {
        pair_make(&pair, BOTH);
        SSL_set_options(pair.client, SSL_OP_NO_TICKET);
        client_enter();
        assert_int_equal(SSL_set_tlsext_host_name(pair.client, "a-rather-long-name-for-a-host.wild.test"), 1);
        client_leave();
        assert_int_equal(SSL_set_max_proto_version(pair.client, TLS1_2_VERSION), 1);
        assert_true(pair_shake(&pair));
        pair_free(&pair);
        if (i == HW_TLS_SESSIONS)
            generation_used = hw_tls_memory_used();
    }
    assert_true(generation_used - used <= HW_TLS_SESSIONS * HW_TLS_SESSION_SIZE);
    assert_true(hw_tls_memory_used() <= generation_used);
}

/* A session of one listener is none of another's. */
static void test_sessions_keep_to_their_listener(void **state)
{
    (void)state;
    bool was_resumed;
    SSL_SESSION *session = session_next(NULL, TLS1_3_VERSION, WANT, &was_resumed);
    session = session_next(session, TLS1_3_VERSION, WANT, &was_resumed);
    assert_true(was_resumed);
    session = session_next(session, TLS1_3_VERSION, NEED, &was_resumed);
    assert_false(was_resumed);
    setenv("HW_TEST_CLIENT_CA", path_of("first.pem"), 1); /* holds the authority as well, and one more */
    hw_tls_reload();
    assert_int_equal(logged_level, HW_LOG_INFO);
    session = session_next(session, TLS1_3_VERSION, NEED, &was_resumed);
    assert_false(was_resumed);
    SSL_SESSION_free(session);
}

/* ---- Limits. */

static void test_handshakes_are_capped(void **state)
{
    (void)state;
    struct pair pairs[HW_TLS_HANDSHAKES];
    struct pair late;
    for (unsigned i = 0; i < HW_TLS_HANDSHAKES; i++) {
        pair_make(&pairs[i], BOTH);
        assert_true(hw_tls_begin(&pairs[i].stream, pairs[i].listener));
    }
    pair_make(&late, BOTH);
    assert_false(hw_tls_begin(&late.stream, late.listener));
    assert_int_equal(errno, EAGAIN);
    assert_null(late.stream.tls);
    assert_true(pair_shake(&pairs[0])); /* done: room for one more */
    assert_true(hw_tls_begin(&late.stream, late.listener));
    pair_free(&pairs[1]); /* ended: room for one more */
    pair_make(&pairs[1], BOTH);
    assert_true(pair_shake(&pairs[1]));
    assert_true(pair_shake(&late));
    pair_free(&late);
    for (unsigned i = 0; i < HW_TLS_HANDSHAKES; i++)
        pair_free(&pairs[i]);
}

/* The first half of a record: the server holds a buffer for it. */
static void half_record_send(struct pair *pair)
{
    char record[8192 + 5] = {0x17, 3, 3, 0x40, 0};
    char byte;
    assert_int_equal(write(pair->client_fd, record, sizeof record), sizeof record);
    assert_int_equal(hw_io_receive(&pair->stream, &byte, 1), -1);
    assert_int_equal(errno, EAGAIN);
    assert_false(hw_io_has_pending(&pair->stream)); /* else the loop would spin */
}

/* Fills the socket, so that a record is left in OpenSSL's buffer. */
static void blocked_send(struct pair *pair)
{
    static char bytes[100000];
    while (hw_io_send(&pair->stream, &(struct iovec){bytes, sizeof bytes}, 1) > 0)
        continue;
    assert_int_equal(errno, EAGAIN);
}

/* As many as the pool has room for, each with as much as a client can make the server hold; newcomers are refused, nobody
 * else notices. */
static void test_pool_refuses_newcomers_only(void **state)
{
    (void)state;
    enum { MOST = 200 };
    static struct pair pairs[MOST];
    unsigned count = 0;
    char text[64];
    for (; count < MOST; count++) {
        pair_make(&pairs[count], BOTH);
        if (!pair_shake(&pairs[count]))
            break;
    }
    assert_in_range(count, 20, MOST - 1);
    assert_int_equal(errno, ENOMEM);
    assert_null(pairs[count].stream.tls);
    for (unsigned i = 1; i < count; i++) {
        half_record_send(&pairs[i]);
        blocked_send(&pairs[i]);
        assert_true(hw_tls_state_get(&pairs[i].stream)->account.used <= HW_TLS_OPEN_SIZE);
    }
    assert_true(hw_tls_memory_used() <= hw_tls.promised);
    for (int i = 0; i < 3; i++) { /* this one is served, those outside are refused, and a reload works */
        client_write(&pairs[0], "are you there?");
        assert_int_equal(hw_io_receive(&pairs[0].stream, text, sizeof text), 14);
        assert_int_equal(hw_io_send(&pairs[0].stream, &(struct iovec){"yes", 3}, 1), 3);
        assert_int_equal(client_read(&pairs[0], text, sizeof text), 3);
        assert_false(hw_tls_begin(&pairs[count].stream, pairs[count].listener));
        assert_int_equal(errno, ENOMEM);
        hw_tls_reload();
        assert_int_equal(logged_level, i == 0 ? HW_LOG_INFO : HW_LOG_ERROR);
    }
    assert_non_null(strstr(logged, "no room in tls.memory_size"));
    pair_free(&pairs[1]);
    assert_false(
        hw_tls_begin(&pairs[count].stream, pairs[count].listener)); /* a handshake needs more than it gave back */
    for (unsigned i = 2; i < count; i++)
        pair_free(&pairs[i]);
    assert_true(pair_shake(&pairs[count]));
    pair_free(&pairs[count]);
    pair_free(&pairs[0]);
}

/* A client that wants more than a handshake was promised ends alone. */
static void test_greedy_handshake(void **state)
{
    (void)state;
    struct pair pair;
    static char hello[9 + 16384] = {0x16, 3, 1, 0x40, 0, 1, 2, 0, 0}; /* a ClientHello of 128 KiB */
    pair_make(&pair, BOTH);
    assert_true(hw_tls_begin(&pair.stream, pair.listener));
    assert_true(write(pair.client_fd, hello, sizeof hello) > 0);
    assert_int_equal(hw_tls_handshake(&pair.stream), HW_TLS_FAILED);
    assert_true(hw_tls_state_get(&pair.stream)->account.used <= HW_TLS_HANDSHAKE_SIZE);
    pair_free(&pair);
    pair_open(&pair, BOTH);
    pair_free(&pair);
}

/* Handshakes that run out of memory at every place fail alone, and leak nothing. */
static void test_memory_ends_anywhere(void **state)
{
    (void)state;
    unsigned failed = 0;
    unsigned done = 0;
    for (size_t limit = 8000; limit < 76000; limit += 503) {
        struct pair pair;
        char text[16];
        pair_make(&pair, BOTH);
        assert_true(hw_tls_begin(&pair.stream, pair.listener));
        hw_tls_state_get(&pair.stream)->account.limit = limit;
        if (pair_shake(&pair)) {
            done++;
            client_write(&pair, "hello");
            hw_tls_state_get(&pair.stream)->account.limit = 1; /* no buffer to send with, or to receive */
            assert_int_equal(hw_io_send(&pair.stream, &(struct iovec){"x", 1}, 1), -1);
            assert_int_equal(hw_io_receive(&pair.stream, text, sizeof text), -1);
            assert_int_equal(errno, ECONNRESET);
        } else {
            failed++;
            assert_int_equal(pair.step, HW_TLS_FAILED);
        }
        pair_free(&pair);
    }
    assert_true(failed > 50 && done > 0);
    /* The pool itself is empty, because somebody took from it unasked. */
    struct pair pair;
    pair_make(&pair, BOTH);
    size_t used = hw_tls_memory_used();
    for (size_t room = 0; room < HW_TLS_HANDSHAKE_SIZE; room += 10000) {
        atomic_store(&hw_tls_memory.used, HW_TLS_MEMORY_SIZE - room);
        assert_false(hw_tls_begin(&pair.stream, pair.listener));
        assert_int_equal(errno, ENOMEM);
    }
    /* The same after it was let in: no memory for the connection's own struct, or for OpenSSL's. */
    atomic_store(&hw_tls_memory.is_counted, false);
    for (size_t room = 0; room < 8000; room += 101) {
        atomic_store(&hw_tls_memory.used, HW_TLS_MEMORY_SIZE - room);
        assert_false(hw_tls_begin(&pair.stream, pair.listener));
        assert_int_equal(errno, ENOMEM);
        assert_null(pair.stream.tls);
    }
    atomic_store(&hw_tls_memory.is_counted, true);
    atomic_store(&hw_tls_memory.used, used);
    assert_true(pair_shake(&pair));
    pair_free(&pair);
}

/* An idle connection has given its buffers back. */
static void test_idle_is_small(void **state)
{
    (void)state;
    struct pair pair;
    char text[16];
    pair_open(&pair, BOTH);
    for (int i = 0; i < 2; i++) {
        client_write(&pair, "ping");
        assert_int_equal(hw_io_receive(&pair.stream, text, sizeof text), 4);
        assert_int_equal(hw_io_receive(&pair.stream, text, sizeof text), -1);
        assert_int_equal(hw_io_send(&pair.stream, &(struct iovec){"pong", 4}, 1), 4);
        assert_in_range(hw_tls_state_get(&pair.stream)->account.used, 1, 16 * 1024);
    }
    pair_free(&pair);
}

static void test_uncounted_has_no_limit(void **state)
{
    (void)state;
    atomic_store(&hw_tls_memory.is_counted, false);
    atomic_fetch_add(&hw_tls.promised, HW_TLS_MEMORY_SIZE);
    struct pair pair;
    pair_open(&pair, BOTH);
    pair_free(&pair);
    atomic_fetch_sub(&hw_tls.promised, HW_TLS_MEMORY_SIZE);
    atomic_store(&hw_tls_memory.is_counted, true);
}

static void test_pool_too_small(void **state)
{
    (void)state;
    static const struct {
        size_t room; /* besides what is used already */
        const char *message;
    } rows[] = {{20000, "tls.memory_size is too small for the certificates and keys"},
                {200000, "tls.memory_size is too small: the first connection needs it to be 4"}};
    for (int i = 0; i < 2; i++) {
        char message[512];
        environment_reset();
        size_t used = hw_tls_memory_used();
        size_t others = HW_TLS_MEMORY_SIZE - used - rows[i].room;
        atomic_fetch_add(&hw_tls_memory.used, others);
        int result = hw_tls_start(message, sizeof message);
        atomic_fetch_sub(&hw_tls_memory.used, others);
        assert_int_equal(result, -1);
        assert_memory_equal(message, rows[i].message, strlen(rows[i].message));
        assert_true(hw_tls_memory_used() <= used + 4096);
        assert_null(hw_tls.generation);
    }
}

static void test_allocator(void **state)
{
    (void)state;
    size_t used = hw_tls_memory_used();
    struct hw_tls_account account = {.limit = 1000};
    hw_tls_account_set(&account);
    char *bytes = OPENSSL_malloc(300);
    assert_non_null(bytes);
    assert_int_equal((uintptr_t)bytes % 16, 0);
    assert_int_equal(account.used, 316);
    memset(bytes, 7, 300);
    assert_null(OPENSSL_malloc(700));
    char *moved = OPENSSL_realloc(bytes, 500);
    assert_non_null(moved);
    assert_int_equal(moved[299], 7);
    assert_int_equal(account.used, 516);
    assert_null(OPENSSL_realloc(moved, 900));
    assert_int_equal(moved[299], 7);
    OPENSSL_free(moved);
    assert_int_equal(account.used, 0);
    assert_null(OPENSSL_realloc(OPENSSL_malloc(10), 0));
    hw_tls_account_set(NULL);
    assert_int_equal(hw_tls_memory_used(), used);
    assert_null(OPENSSL_malloc(HW_TLS_MEMORY_SIZE));
    assert_null(OPENSSL_malloc(SIZE_MAX - 8));
    assert_int_equal(hw_tls_memory_used(), used);
}

/* ---- Bytes. */

static char byte_at(size_t place)
{
    return (char)(place * 31 + place / 251 + place / 65536);
}

/* All of `size` bytes, in pieces of all sizes, through a small socket buffer, to a client that reads by and by. */
static void bytes_pass(struct pair *pair, char *bytes, size_t size, unsigned seed)
{
    size_t sent = 0;
    size_t arrived = 0;
    unsigned blocked = 0;
    unsigned silent = 0;
    for (size_t i = 0; i < size; i++)
        bytes[i] = byte_at(i);
    while (arrived < size) {
        while (sent < size) {
            struct iovec vector[5];
            size_t at = sent;
            for (int i = 0; i < 5; i++) { /* a different split each time, after EAGAIN too; the last takes the rest */
                seed = seed * 1103515245u + 12345;
                size_t part = seed >> 8 & (seed >> 28 & 1 ? 255u : 32767u);
                part = i == 4 || part > size - at ? size - at : part;
                vector[i] = (struct iovec){bytes + at, part};
                at += part;
            }
            ssize_t taken = hw_io_send(&pair->stream, vector, 5);
            if (taken < 0) {
                assert_int_equal(errno, EAGAIN);
                blocked++;
                break;
            }
            assert_true(taken > 0);
            sent += (size_t)taken;
        }
        char text[3000];
        int got = client_read(pair, text, sizeof text);
        silent = got > 0 ? 0 : silent + 1;
        assert_true(silent < 10); /* a record arrives in several parts */
        if (got > 0)
            assert_memory_equal(text, bytes + arrived, (size_t)got);
        arrived += got > 0 ? (size_t)got : 0;
    }
    assert_int_equal(arrived, size);
    assert_true(blocked > 10);
}

static void test_partial_writes(void **state)
{
    (void)state;
    enum { SIZE = 2000000 };
    char *bytes = malloc(SIZE);
    assert_non_null(bytes);
    for (int version = TLS1_2_VERSION; version <= TLS1_3_VERSION; version++) {
        for (int fragment = 0; fragment <= 1; fragment++) {
            struct pair pair;
            int small = 2048;
            pair_make(&pair, BOTH);
            if (fragment)
                assert_int_equal(SSL_set_tlsext_max_fragment_length(pair.client, TLSEXT_max_fragment_length_512), 1);
            assert_int_equal(SSL_set_max_proto_version(pair.client, version), 1);
            assert_int_equal(setsockopt(pair.stream.source.fd, SOL_SOCKET, SO_SNDBUF, &small, sizeof small), 0);
            assert_true(pair_shake(&pair));
            bytes_pass(&pair, bytes, SIZE, (unsigned)version);
            pair_free(&pair);
        }
    }
    free(bytes);
}

/* After EAGAIN more may follow: the record that was begun comes again as it was, the rest behind it. */
static void test_more_after_a_blocked_write(void **state)
{
    (void)state;
    static char bytes[16384 + 1050];
    static char text[sizeof bytes];
    struct pair pair;
    int arrived = 0;
    for (size_t i = 16384; i < sizeof bytes; i++) /* zeros before, as in blocked_send */
        bytes[i] = byte_at(i);
    pair_open(&pair, BOTH);
    blocked_send(&pair);
    assert_int_equal(hw_tls_state_get(&pair.stream)->pending, 16384);
    while (client_read(&pair, text, sizeof text) > 0)
        continue;
    struct iovec vector[] = {{bytes, 100}, {bytes + 100, 16384}, {bytes + 16484, 950}};
    assert_int_equal(hw_io_send(&pair.stream, vector, 3), sizeof bytes);
    assert_int_equal(hw_tls_state_get(&pair.stream)->pending, 0);
    for (int size; (size = client_read(&pair, text + arrived, (int)sizeof text - arrived)) > 0;)
        arrived += size;
    assert_int_equal(arrived, sizeof bytes);
    assert_memory_equal(text, bytes, sizeof bytes);
    pair_free(&pair);
}

static unsigned record_count;
static size_t record_sizes[16];

static void record_note(int is_write, int version, int type, const void *bytes, size_t size, SSL *tls, void *given)
{
    (void)version;
    (void)tls;
    (void)given;
    const unsigned char *head = bytes;
    if (!is_write && type == SSL3_RT_HEADER && size == 5 && record_count < 16)
        record_sizes[record_count++] = (size_t)(head[3] << 8 | head[4]);
}

/* Several pieces leave in one record, long ones in records of the largest size. */
static void test_pieces_share_records(void **state)
{
    (void)state;
    static char body[40000];
    struct iovec vector[] = {{"HTTP/1.1 200 OK\r\n", 17}, {"", 0}, {"a: b\r\n\r\n", 8}, {"hello", 5}, {NULL, 0}};
    char text[sizeof body];
    struct pair pair;
    pair_open(&pair, BOTH);
    while (client_read(&pair, text, sizeof text) > 0) /* the tickets */
        continue;
    SSL_set_msg_callback(pair.client, record_note);
    assert_int_equal(hw_io_send(&pair.stream, vector, 5), 30);
    assert_int_equal(client_read(&pair, text, sizeof text), 30);
    assert_memory_equal(text, "HTTP/1.1 200 OK\r\na: b\r\n\r\nhello", 30);
    assert_int_equal(record_count, 1);
    assert_int_equal(record_sizes[0], 30 + 17);
    record_count = 0;
    vector[3] = (struct iovec){body, sizeof body};
    assert_int_equal(hw_io_send(&pair.stream, vector, 5), 25 + sizeof body);
    for (size_t arrived = 0; arrived < 25 + sizeof body;) {
        int size = client_read(&pair, text, sizeof text);
        assert_true(size > 0);
        arrived += (size_t)size;
    }
    assert_int_equal(record_count, 3);
    assert_int_equal(record_sizes[0], 16384 + 17);
    assert_int_equal(record_sizes[1], 16384 + 17);
    assert_int_equal(hw_io_send(&pair.stream, vector + 4, 1), 0);
    pair_free(&pair);
}

/* A record costs one recv, several small ones share it; a record sent costs one send. */
static void test_system_calls(void **state)
{
    (void)state;
    enum { RECORDS = 50 };
    static char bytes[16384];
    struct pair pair;
    pair_open(&pair, BOTH);
    recv_count = send_count = 0;
    client_write(&pair, "GET / HTTP/1.1");
    assert_int_equal(hw_io_receive(&pair.stream, bytes, sizeof bytes), 14);
    assert_false(hw_io_has_pending(&pair.stream));
    assert_int_equal(recv_count, HW_TLS_KTLS ? 0 : 1);
    assert_int_equal(hw_io_send(&pair.stream, &(struct iovec){bytes, 1000}, 1), 1000);
    assert_int_equal(send_count, HW_TLS_KTLS ? 0 : 1);
    recv_count = 0;
    for (int i = 0; i < RECORDS; i++)
        client_write(&pair, "a small record");
    for (int i = 0; i < RECORDS; i++)
        assert_int_equal(hw_io_receive(&pair.stream, bytes, sizeof bytes), 14);
    assert_int_equal(recv_count, HW_TLS_KTLS ? 0 : 1);
    recv_count = 0;
    size_t arrived = 0;
    for (int i = 0; i < RECORDS; i++) {
        client_enter();
        assert_int_equal(SSL_write(pair.client, bytes, sizeof bytes), sizeof bytes);
        client_leave();
        for (ssize_t size; i % 4 == 3 && (size = hw_io_receive(&pair.stream, bytes, sizeof bytes)) > 0;)
            arrived += (size_t)size;
    }
    for (ssize_t size; (size = hw_io_receive(&pair.stream, bytes, sizeof bytes)) > 0;)
        arrived += (size_t)size;
    assert_int_equal(arrived, RECORDS * sizeof bytes);
    assert_in_range(recv_count, HW_TLS_KTLS ? 0 : RECORDS, HW_TLS_KTLS ? 0 : RECORDS + RECORDS / 4 + 2);
    pair_free(&pair);
}

/* Bytes that came with others, and are in no socket any more. */
static void test_pending(void **state)
{
    (void)state;
    struct pair pair;
    char text[64];
    pair_open(&pair, BOTH);
    assert_false(hw_io_has_unread(&pair.stream));
    client_write(&pair, "first");
    client_write(&pair, "second");
    assert_true(hw_io_has_unread(&pair.stream)); /* in the socket */
    assert_int_equal(hw_io_receive(&pair.stream, text, 2), 2);
    assert_true(hw_io_has_pending(&pair.stream)); /* the record's rest */
    assert_int_equal(hw_io_receive(&pair.stream, text, sizeof text), 3);
    assert_memory_equal(text, "rst", 3);
    assert_true(hw_io_has_pending(&pair.stream)); /* the second record, read ahead */
    assert_true(hw_io_has_unread(&pair.stream));
    assert_int_equal(hw_io_receive(&pair.stream, text, sizeof text), 6);
    assert_int_equal(hw_io_receive(&pair.stream, text, sizeof text), -1);
    assert_int_equal(errno, EAGAIN);
    assert_false(hw_io_has_pending(&pair.stream));
    half_record_send(&pair);
    pair_free(&pair);
}

/* Fills the socket to the last byte, past OpenSSL; returns how many bytes that took. */
static size_t socket_fill(struct pair *pair)
{
    static char bytes[100000];
    size_t filled = 0;
    for (size_t part = sizeof bytes; part > 0; part /= 2)
        for (ssize_t size; (size = write(pair->stream.source.fd, bytes, part)) > 0;)
            filled += (size_t)size;
    return filled;
}

/* An end that finds no room for its close_notify is an end all the same. */
static void test_blocked_end(void **state)
{
    (void)state;
    struct pair pair;
    pair_open(&pair, BOTH);
    assert_true(socket_fill(&pair) > 0);
    assert_true(hw_io_shutdown(&pair.stream));
    pair_free(&pair);
    pair_open(&pair, BOTH);
    blocked_send(&pair);
    assert_true(hw_io_shutdown(&pair.stream));
    pair_free(&pair);
}

/* The socket takes nothing in the midst of a handshake. */
static void test_blocked_handshake(void **state)
{
    (void)state;
    struct pair pair;
    char bytes[1000];
    pair_make(&pair, BOTH);
    assert_true(hw_tls_begin(&pair.stream, pair.listener));
    client_enter();
    SSL_do_handshake(pair.client);
    client_leave();
    size_t filled = socket_fill(&pair);
    for (int i = 0; i < 3; i++)
        assert_int_equal(hw_tls_handshake(&pair.stream), HW_TLS_WANTS_WRITE);
    while (filled > 0) {
        ssize_t size = read(pair.client_fd, bytes, filled < sizeof bytes ? filled : sizeof bytes);
        assert_true(size > 0);
        filled -= (size_t)size;
    }
    assert_true(pair_shake(&pair));
    pair_free(&pair);
}

/* A request that comes with the client's Finished waits in OpenSSL when the handshake is done. */
static void test_request_with_the_handshake(void **state)
{
    (void)state;
    struct pair pair;
    char text[64];
    pair_make(&pair, BOTH);
    assert_true(hw_tls_begin(&pair.stream, pair.listener));
    client_enter();
    SSL_do_handshake(pair.client);
    client_leave();
    assert_int_equal(hw_tls_handshake(&pair.stream), HW_TLS_WANTS_READ);
    client_write(&pair, "GET / HTTP/1.1\r\n\r\n");
    assert_int_equal(hw_tls_handshake(&pair.stream), HW_TLS_DONE);
    assert_true(hw_io_has_pending(&pair.stream));
    assert_int_equal(hw_io_receive(&pair.stream, text, sizeof text), 18);
    pair_free(&pair);
}

static void test_ends(void **state)
{
    (void)state;
    struct pair pair;
    char text[64];
    pair_open(&pair, BOTH); /* a close_notify; our answer still arrives */
    client_write(&pair, "last");
    client_enter();
    SSL_shutdown(pair.client);
    client_leave();
    assert_int_equal(shutdown(pair.client_fd, SHUT_WR), 0);
    assert_int_equal(hw_io_receive(&pair.stream, text, sizeof text), 4);
    assert_int_equal(hw_io_receive(&pair.stream, text, sizeof text), 0);
    assert_int_equal(hw_io_receive(&pair.stream, text, sizeof text), 0);
    assert_int_equal(hw_io_send(&pair.stream, &(struct iovec){"bye", 3}, 1), 3);
    assert_true(hw_io_shutdown(&pair.stream));
    assert_int_equal(client_read(&pair, text, sizeof text), 3);
    assert_int_equal(client_read(&pair, text, sizeof text), 0);
    pair_free(&pair);

    pair_open(&pair, BOTH); /* our end comes first; what the client sends still arrives */
    assert_true(hw_io_shutdown(&pair.stream));
    assert_int_equal(client_read(&pair, text, sizeof text), 0);
    client_write(&pair, "more");
    assert_int_equal(hw_io_receive(&pair.stream, text, sizeof text), 4);
    pair_free(&pair);

    pair_open(&pair, BOTH); /* an end without a word, then nobody there: no signal */
    assert_int_equal(client_read(&pair, text, sizeof text),
                     -1); /* the ticket: unread it would make a reset of the end */
    close(pair.client_fd);
    pair.client_fd = -1;
    assert_int_equal(hw_io_receive(&pair.stream, text, sizeof text), 0);
    assert_int_equal(hw_io_send(&pair.stream, &(struct iovec){"bye", 3}, 1), -1);
    assert_int_equal(errno, ECONNRESET);
    assert_int_equal(hw_io_send(&pair.stream, &(struct iovec){"bye", 3}, 1), -1);
    assert_false(hw_io_shutdown(&pair.stream));
    pair_free(&pair);
}

/* Bytes that are no TLS. */
static void test_garbage(void **state)
{
    (void)state;
    struct pair pair;
    char byte;
    pair_make(&pair, BOTH);
    assert_true(hw_tls_begin(&pair.stream, pair.listener));
    assert_int_equal(write(pair.client_fd, "GET / HTTP/1.1\r\n\r\n", 18), 18);
    assert_int_equal(hw_tls_handshake(&pair.stream), HW_TLS_FAILED);
    assert_string_equal(logged, "a TLS handshake failed: http request");
    pair_free(&pair);
    pair_open(&pair, BOTH);
    assert_int_equal(write(pair.client_fd, "\x17\x03\x03\x00\x20 no record that anybody sealed.", 37), 37);
    assert_int_equal(hw_io_receive(&pair.stream, &byte, 1), -1);
    assert_int_equal(errno, ECONNRESET);
    assert_int_equal(hw_io_receive(&pair.stream, &byte, 1), -1);
    assert_int_equal(errno, ECONNRESET);
    assert_int_equal(ERR_peek_error(), 0);
    pair_free(&pair);
    pair_make(&pair, BOTH); /* gone before a word */
    assert_true(hw_tls_begin(&pair.stream, pair.listener));
    close(pair.client_fd);
    pair.client_fd = -1;
    assert_int_equal(hw_tls_handshake(&pair.stream), HW_TLS_FAILED);
    assert_string_equal(logged, "a TLS handshake failed: the client has gone");
    pair_free(&pair);
}

/* io/stream.c without TLS. */
static void test_plain(void **state)
{
    (void)state;
    struct pair pair;
    char text[16];
    pair_make(&pair, PLAIN);
    struct iovec vector[] = {{"one", 3}, {"two", 3}};
    assert_int_equal(hw_io_send(&pair.stream, vector, 2), 6);
    assert_int_equal(hw_io_send(&pair.stream, vector, 1), 3);
    assert_int_equal(read(pair.client_fd, text, sizeof text), 9);
    assert_memory_equal(text, "onetwoone", 9);
    assert_int_equal(hw_io_receive(&pair.stream, text, sizeof text), -1);
    assert_int_equal(errno, EAGAIN);
    assert_false(hw_io_has_unread(&pair.stream));
    assert_int_equal(write(pair.client_fd, "three", 5), 5);
    assert_true(hw_io_has_unread(&pair.stream));
    assert_false(hw_io_has_pending(&pair.stream));
    assert_int_equal(hw_io_receive(&pair.stream, text, sizeof text), 5);
    assert_true(hw_io_shutdown(&pair.stream));
    assert_int_equal(read(pair.client_fd, text, sizeof text), 0);
    close(pair.client_fd);
    pair.client_fd = -1;
    assert_int_equal(hw_io_send(&pair.stream, vector, 2), -1);
    assert_int_equal(errno, EPIPE);
    pair_free(&pair);
    assert_int_equal(pair.stream.source.fd, -1);
}

static int folder_make(void **state)
{
    (void)state;
    certificates_make();
    return 0;
}

static int folder_remove(void **state)
{
    (void)state;
    certificates_free();
    return 0;
}

int main(void)
{
    hw_tls_memory_count();
    if (HW_TLS_KTLS) /* OpenSSL's own socket raises it; IO threads block it */
        signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_unreadable_key),
        cmocka_unit_test(test_validity_is_a_warning),
        cmocka_unit_test(test_pool_too_small),
        cmocka_unit_test_setup_teardown(test_alpn, start, stop),
        cmocka_unit_test_setup_teardown(test_alerts, start, stop),
        cmocka_unit_test_setup_teardown(test_names, start, stop),
        cmocka_unit_test_setup_teardown(test_versions, start, stop),
        cmocka_unit_test_setup_teardown(test_renegotiation_is_refused, start, stop),
        cmocka_unit_test_setup_teardown(test_client_certificates, start, stop),
        cmocka_unit_test_setup_teardown(test_long_client_chain, start, stop),
        cmocka_unit_test_setup_teardown(test_ocsp, start, stop),
        cmocka_unit_test_setup_teardown(test_reload, start, stop),
        cmocka_unit_test_setup_teardown(test_reload_amid_a_handshake, start, stop),
        cmocka_unit_test_setup_teardown(test_reload_under_threads, start, stop),
        cmocka_unit_test_setup_teardown(test_tickets_rotate, start, stop),
        cmocka_unit_test_setup_teardown(test_session_cache, start, stop),
        cmocka_unit_test_setup_teardown(test_sessions_keep_to_their_listener, start, stop),
        cmocka_unit_test_setup_teardown(test_handshakes_are_capped, start, stop),
        cmocka_unit_test_setup_teardown(test_pool_refuses_newcomers_only, start, stop),
        cmocka_unit_test_setup_teardown(test_greedy_handshake, start, stop),
        cmocka_unit_test_setup_teardown(test_memory_ends_anywhere, start, stop),
        cmocka_unit_test_setup_teardown(test_idle_is_small, start, stop),
        cmocka_unit_test_setup_teardown(test_uncounted_has_no_limit, start, stop),
        cmocka_unit_test_setup_teardown(test_allocator, start, stop),
        cmocka_unit_test_setup_teardown(test_partial_writes, start, stop),
        cmocka_unit_test_setup_teardown(test_more_after_a_blocked_write, start, stop),
        cmocka_unit_test_setup_teardown(test_pieces_share_records, start, stop),
        cmocka_unit_test_setup_teardown(test_system_calls, start, stop),
        cmocka_unit_test_setup_teardown(test_pending, start, stop),
        cmocka_unit_test_setup_teardown(test_blocked_end, start, stop),
        cmocka_unit_test_setup_teardown(test_blocked_handshake, start, stop),
        cmocka_unit_test_setup_teardown(test_request_with_the_handshake, start, stop),
        cmocka_unit_test_setup_teardown(test_ends, start, stop),
        cmocka_unit_test_setup_teardown(test_garbage, start, stop),
        cmocka_unit_test_setup_teardown(test_plain, start, stop),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}

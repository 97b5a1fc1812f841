#include "io/tls_ticket.h"

#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include "core/clock.h"

#define HW_TLS_TICKET_NAME_SIZE 16 /* OpenSSL's */

struct hw_tls_ticket_key {
    unsigned char name[HW_TLS_TICKET_NAME_SIZE];
    unsigned char cipher[32];
    unsigned char mac[32];
    uint64_t made_ms;
    bool is_there;
};

static struct {
    pthread_mutex_t lock;
    struct hw_tls_ticket_key current;
    struct hw_tls_ticket_key previous;
} hw_tls_tickets = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool hw_tls_ticket_key_make(struct hw_tls_ticket_key *key, uint64_t now_ms)
{
    key->made_ms = now_ms;
    key->is_there = RAND_bytes(key->name, sizeof key->name) == 1 &&
                    RAND_priv_bytes(key->cipher, sizeof key->cipher) == 1 &&
                    RAND_priv_bytes(key->mac, sizeof key->mac) == 1;
    return key->is_there;
}

/* With the lock held. When no new key can be made the current one goes on. */
static void hw_tls_tickets_rotate(uint64_t now_ms)
{
    uint64_t age_ms = now_ms - hw_tls_tickets.current.made_ms;
    struct hw_tls_ticket_key made;
    if (age_ms < HW_TLS_SESSION / 2 || !hw_tls_ticket_key_make(&made, now_ms))
        return;
    hw_tls_tickets.previous = hw_tls_tickets.current;
    hw_tls_tickets.current = made;
    /* Nobody came for so long that its last ticket, sealed when it was half as old, has expired. */
    if (age_ms >= HW_TLS_SESSION / 2 + HW_TLS_SESSION)
        OPENSSL_cleanse(&hw_tls_tickets.previous, sizeof hw_tls_tickets.previous);
    OPENSSL_cleanse(&made, sizeof made);
}

/* The key to seal with, or the one of this name. False when there is none; `is_current` tells the newest. */
static bool hw_tls_ticket_key_find(struct hw_tls_ticket_key *key, const unsigned char *name, bool *is_current)
{
    pthread_mutex_lock(&hw_tls_tickets.lock);
    hw_tls_tickets_rotate(hw_clock_ms());
    const struct hw_tls_ticket_key *found = &hw_tls_tickets.current;
    if (name != NULL && memcmp(name, found->name, HW_TLS_TICKET_NAME_SIZE) != 0)
        found = &hw_tls_tickets.previous;
    bool is_found = found->is_there && (name == NULL || memcmp(name, found->name, HW_TLS_TICKET_NAME_SIZE) == 0);
    *is_current = found == &hw_tls_tickets.current;
    *key = *found;
    pthread_mutex_unlock(&hw_tls_tickets.lock);
    return is_found;
}

static bool hw_tls_ticket_mac_set(EVP_MAC_CTX *mac, struct hw_tls_ticket_key *key)
{
    char digest[] = "SHA256";
    const OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, key->mac, sizeof key->mac),
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
        OSSL_PARAM_construct_end(),
    };
    return EVP_MAC_CTX_set_params(mac, parameters) == 1;
}

/* As OpenSSL wants it (SSL_CTX_set_tlsext_ticket_key_evp_cb): -1 ends the handshake, 0 is a ticket of an unknown key,
 * 2 one to be renewed. */
static int hw_tls_ticket_key_use(SSL *tls, unsigned char *name, unsigned char *iv, EVP_CIPHER_CTX *cipher,
                                 EVP_MAC_CTX *mac, int is_sealing)
{
    struct hw_tls_ticket_key key;
    bool is_current;
    bool is_found = hw_tls_ticket_key_find(&key, is_sealing ? NULL : name, &is_current);
    int result = is_found ? 1 : 0;
    if (is_found && is_sealing) {
        memcpy(name, key.name, sizeof key.name);
        if (RAND_bytes(iv, EVP_CIPHER_get_iv_length(EVP_aes_256_cbc())) != 1 ||
            EVP_EncryptInit_ex2(cipher, EVP_aes_256_cbc(), key.cipher, iv, NULL) != 1 ||
            !hw_tls_ticket_mac_set(mac, &key))
            result = -1;
    } else if (is_found) {
        if (!hw_tls_ticket_mac_set(mac, &key) ||
            EVP_DecryptInit_ex2(cipher, EVP_aes_256_cbc(), key.cipher, iv, NULL) != 1)
            result = -1;
        else if (!is_current || SSL_version(tls) >= TLS1_3_VERSION) /* those of TLS 1.3 are for one use */
            result = 2;
    }
    OPENSSL_cleanse(&key, sizeof key);
    return result;
}

static bool hw_tls_tickets_start(void)
{
    return hw_tls_ticket_key_make(&hw_tls_tickets.current, hw_clock_ms());
}

static void hw_tls_tickets_stop(void)
{
    OPENSSL_cleanse(&hw_tls_tickets.current, sizeof hw_tls_tickets.current);
    OPENSSL_cleanse(&hw_tls_tickets.previous, sizeof hw_tls_tickets.previous);
}

static bool hw_tls_tickets_use(SSL_CTX *context)
{
    return SSL_CTX_set_tlsext_ticket_key_evp_cb(context, hw_tls_ticket_key_use) == 1;
}

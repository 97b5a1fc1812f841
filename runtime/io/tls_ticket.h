/* The keys that session tickets are sealed with: made at start, shared by all threads, never stored.
 *
 * A new key is made when the current one is half of HW_TLS_SESSION old; tickets of the one before are still accepted, and
 * renewed. They outlive a reload.
 */
#ifndef HW_IO_TLS_TICKET_H
#define HW_IO_TLS_TICKET_H

#include <stdbool.h>

#include <openssl/ssl.h>

/* Makes the first key; false when OpenSSL has no random bytes. */
static bool hw_tls_tickets_start(void);

/* Forgets the keys. */
static void hw_tls_tickets_stop(void);

/* Lets a context seal its tickets with these keys. False when OpenSSL refuses. */
static bool hw_tls_tickets_use(SSL_CTX *context);

#endif

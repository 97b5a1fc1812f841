/* The socket as OpenSSL sees it: recv and send, so that a client that has gone raises no SIGPIPE. */
#ifndef HW_IO_TLS_BIO_H
#define HW_IO_TLS_BIO_H

#include <stdbool.h>

#include <openssl/ssl.h>

/* Makes and frees what all of them share. */
static bool hw_tls_bio_start(void);
static void hw_tls_bio_stop(void);

/* Lets `tls` read and write the descriptor, which stays the caller's, as does the place where it stands. With HW_TLS_KTLS it is OpenSSL's own socket, which
 * alone can give keys to the kernel; SIGPIPE is blocked on the IO threads. */
static bool hw_tls_bio_attach(SSL *tls, int *fd);

#endif

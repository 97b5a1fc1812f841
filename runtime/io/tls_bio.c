#include "io/tls_bio.h"

#include <errno.h>
#include <sys/socket.h>

#include <openssl/bio.h>

static BIO_METHOD *hw_tls_bio_method;

/* What a call of recv or send means to OpenSSL. */
static int hw_tls_bio_result(ssize_t size, size_t *done)
{
    if (size > 0) {
        *done = (size_t)size;
        return 1;
    }
    *done = 0;
    return size < 0 && (errno == EAGAIN || errno == EINTR) ? -1 : 0;
}

static int hw_tls_bio_read(BIO *bio, char *bytes, size_t room, size_t *done)
{
    BIO_clear_retry_flags(bio);
    BIO_clear_flags(bio, BIO_FLAGS_IN_EOF);
    ssize_t size = recv(*(const int *)BIO_get_data(bio), bytes, room, 0);
    int result = hw_tls_bio_result(size, done);
    if (result < 0)
        BIO_set_retry_read(bio);
    else if (size == 0)
        BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
    return result;
}

static int hw_tls_bio_write(BIO *bio, const char *bytes, size_t count, size_t *done)
{
    BIO_clear_retry_flags(bio);
    ssize_t size = send(*(const int *)BIO_get_data(bio), bytes, count, MSG_NOSIGNAL);
    int result = hw_tls_bio_result(size, done);
    if (result < 0)
        BIO_set_retry_write(bio);
    return result;
}

static long hw_tls_bio_control(BIO *bio, int command, long number, void *pointer)
{
    (void)number;
    (void)pointer;
    if (command == BIO_CTRL_FLUSH) /* nothing is kept here */
        return 1;
    return command == BIO_CTRL_EOF && BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0;
}

static bool hw_tls_bio_start(void)
{
    int index = BIO_get_new_index();
    hw_tls_bio_method = index < 0 ? NULL : BIO_meth_new(index | BIO_TYPE_SOURCE_SINK, "socket");
    return hw_tls_bio_method != NULL && BIO_meth_set_read_ex(hw_tls_bio_method, hw_tls_bio_read) == 1 &&
           BIO_meth_set_write_ex(hw_tls_bio_method, hw_tls_bio_write) == 1 &&
           BIO_meth_set_ctrl(hw_tls_bio_method, hw_tls_bio_control) == 1;
}

static void hw_tls_bio_stop(void)
{
    BIO_meth_free(hw_tls_bio_method);
    hw_tls_bio_method = NULL;
}

static bool hw_tls_bio_attach(SSL *tls, int *fd)
{
    if (HW_TLS_KTLS)
        return SSL_set_fd(tls, *fd) == 1;
    BIO *bio = BIO_new(hw_tls_bio_method);
    if (bio == NULL)
        return false;
    BIO_set_data(bio, fd);
    BIO_set_init(bio, 1);
    SSL_set_bio(tls, bio, bio); /* owns it, once */
    return true;
}

#include "io/tls.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <openssl/err.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>

#include "core/log.h"
#include "io/tls_bio.h"
#include "io/tls_context.h"
#include "io/tls_memory.h"
#include "io/tls_ticket.h"

/* The most bytes of one record (RFC 8446 section 5.1). */
#define HW_TLS_RECORD_SIZE 16384

/* The process's. */
static struct {
    pthread_mutex_t lock; /* holds `generation` and the reference counts of all generations */
    struct hw_tls_generation *generation;
    size_t generation_size; /* promised to each generation */
    _Atomic unsigned handshake_count;
    _Atomic size_t promised; /* bytes of the pool that are in use or promised */
} hw_tls = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* One connection's: what SSL_get_app_data gives. */
struct hw_tls_state {
    struct hw_tls_account account;
    struct hw_tls_generation *generation;
    int fd; /* where tls_bio.c finds it */
    size_t promised;
    size_t client_size; /* of `promised`, for the client's certificates */
    size_t pending;     /* bytes of a record that was made but has not left whole; they must come again */
    bool is_handshaking;
    bool is_dry;    /* what OpenSSL still holds is no whole record */
    bool is_broken; /* nothing may be sent or received any more */
};

/* This struct is allocated before its account exists. */
#define HW_TLS_STATE_SIZE (sizeof(struct hw_tls_state) + 64)

/* Pieces that are shorter than a record are gathered here: 16 KiB an IO thread. */
static _Thread_local char hw_tls_gathered[HW_TLS_RECORD_SIZE];

/* ---- Promises of memory. */

/* True when the pool has this many bytes, and `spare` ones besides, that nobody was promised or has taken unasked. */
static bool hw_tls_promise(size_t size, size_t spare)
{
    size_t promised = atomic_fetch_add(&hw_tls.promised, size) + size;
    if (!hw_tls_memory_is_counted() ||
        (promised + spare <= HW_TLS_MEMORY_SIZE && hw_tls_memory_used() + size <= HW_TLS_MEMORY_SIZE))
        return true;
    atomic_fetch_sub(&hw_tls.promised, size);
    return false;
}

static void hw_tls_promise_end(size_t size)
{
    atomic_fetch_sub(&hw_tls.promised, size);
}

/* The sessions that the caches of one generation may hold. */
static size_t hw_tls_sessions_size(void)
{
    size_t size = 0;
    for (unsigned i = 0; i < HW_LISTENERS; i++)
        if (hw_listeners[i].tls != NULL && hw_tls_site_is_caching(&hw_listeners[i]))
            size += HW_TLS_SESSIONS * HW_TLS_SESSION_SIZE;
    return size;
}

/* Promises what is there before the first connection, of which the first generation took `loaded_size`; there must be room
 * for one reload and one connection. */
static int hw_tls_memory_plan(size_t loaded_size, char *message, size_t message_size)
{
    size_t used = hw_tls_memory_used();
    size_t shared = (used < loaded_size ? 0 : used - loaded_size) + HW_THREADS_IO * HW_TLS_THREAD_SIZE;
    hw_tls.generation_size = 2 * loaded_size + hw_tls_sessions_size(); /* the next certificates may be longer */
    size_t spare = hw_tls.generation_size + HW_TLS_HANDSHAKE_SIZE;
    unsigned long long needed = shared + hw_tls.generation_size + spare;
    atomic_store(&hw_tls.promised, shared + hw_tls.generation_size);
    if (!hw_tls_memory_is_counted() || needed <= HW_TLS_MEMORY_SIZE)
        return 0;
    snprintf(message, message_size, "tls.memory_size is too small: the first connection needs it to be %llu bytes",
             needed);
    return -1;
}

/* ---- Generations. */

static struct hw_tls_generation *hw_tls_generation_take(void)
{
    pthread_mutex_lock(&hw_tls.lock);
    struct hw_tls_generation *generation = hw_tls.generation;
    generation->reference_count++;
    pthread_mutex_unlock(&hw_tls.lock);
    return generation;
}

static void hw_tls_generation_give(struct hw_tls_generation *generation)
{
    pthread_mutex_lock(&hw_tls.lock);
    bool is_last = --generation->reference_count == 0;
    pthread_mutex_unlock(&hw_tls.lock);
    if (!is_last)
        return;
    hw_tls_generation_free(generation);
    hw_tls_promise_end(hw_tls.generation_size);
}

/* Makes it the one that connections begin with. */
static void hw_tls_generation_set(struct hw_tls_generation *generation)
{
    pthread_mutex_lock(&hw_tls.lock);
    struct hw_tls_generation *before = hw_tls.generation;
    hw_tls.generation = generation;
    if (generation != NULL)
        generation->reference_count = 1;
    pthread_mutex_unlock(&hw_tls.lock);
    if (before != NULL)
        hw_tls_generation_give(before);
}

/* Loads one within `limit` bytes; tells how many it took. */
static struct hw_tls_generation *hw_tls_generation_load_within(size_t limit, size_t *size, char *message,
                                                               size_t message_size)
{
    struct hw_tls_account account = {.limit = limit};
    hw_tls_account_set(&account);
    struct hw_tls_generation *generation = hw_tls_generation_load(message, message_size);
    hw_tls_account_set(NULL);
    *size = account.used;
    if (generation == NULL && account.was_refused)
        snprintf(message, message_size, "tls.memory_size is too small for the certificates and keys");
    return generation;
}

static void hw_tls_kernel_check(void)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return;
    /* A kernel that has it says that this socket is not connected. */
    bool is_missing = setsockopt(fd, IPPROTO_TCP, TCP_ULP, "tls", sizeof "tls") != 0 &&
                      (errno == ENOENT || errno == ENOPROTOOPT || errno == EOPNOTSUPP);
    close(fd);
    if (is_missing)
        hw_log(HW_LOG_WARNING, "tls.ktls: the kernel has no TLS (module tls)");
}

static int hw_tls_start(char *message, size_t message_size)
{
    size_t size;
    /* Nothing is configured but by the spec: the system's openssl.cnf is not read. */
    if (OPENSSL_init_ssl(OPENSSL_INIT_NO_LOAD_CONFIG, NULL) != 1 || !hw_tls_bio_start() || !hw_tls_tickets_start()) {
        snprintf(message, message_size, "cannot start OpenSSL: %s", hw_tls_reason_take());
        hw_tls_stop();
        return -1;
    }
    if (HW_TLS_KTLS)
        hw_tls_kernel_check();
    struct hw_tls_generation *generation = hw_tls_generation_load_within(SIZE_MAX, &size, message, message_size);
    if (generation == NULL || hw_tls_memory_plan(size, message, message_size) != 0) {
        if (generation != NULL)
            hw_tls_generation_free(generation);
        hw_tls_stop();
        return -1;
    }
    atomic_store(&hw_tls.handshake_count, 0);
    hw_tls_generation_set(generation);
    return 0;
}

static void hw_tls_stop(void)
{
    hw_tls_generation_set(NULL);
    hw_tls_tickets_stop();
    hw_tls_bio_stop();
    ERR_clear_error();
}

static void hw_tls_reload(void)
{
    char message[512];
    size_t size;
    if (!hw_tls_promise(hw_tls.generation_size, 0)) {
        hw_log(HW_LOG_ERROR, "reload: no room in tls.memory_size while connections use older certificates; the "
                             "certificates stay as they are");
        return;
    }
    struct hw_tls_generation *generation =
        hw_tls_generation_load_within(hw_tls.generation_size - hw_tls_sessions_size(), &size, message, sizeof message);
    if (generation == NULL) {
        hw_tls_promise_end(hw_tls.generation_size);
        hw_log(HW_LOG_ERROR, "reload: %s; the certificates stay as they are", message);
        return;
    }
    hw_tls_generation_set(generation);
    hw_log(HW_LOG_INFO, "reload: the certificates were read again");
}

/* ---- A connection begins and ends. */

static struct hw_tls_state *hw_tls_state_get(const struct hw_io_stream *stream)
{
    return SSL_get_app_data(stream->tls);
}

/* Before calls of OpenSSL for a connection: its memory is charged to it, and errors are its own. */
static struct hw_tls_state *hw_tls_enter(const struct hw_io_stream *stream)
{
    struct hw_tls_state *state = hw_tls_state_get(stream);
    ERR_clear_error();
    hw_tls_account_set(&state->account);
    return state;
}

static void hw_tls_leave(void)
{
    hw_tls_account_set(NULL);
}

/* Counts a newcomer; false with errno when there are too many. */
static bool hw_tls_admit(size_t size)
{
    errno = EAGAIN;
    if (atomic_fetch_add(&hw_tls.handshake_count, 1) < HW_TLS_HANDSHAKES) {
        errno = ENOMEM;
        if (hw_tls_promise(size, hw_tls.generation_size))
            return true;
    }
    atomic_fetch_sub(&hw_tls.handshake_count, 1);
    return false;
}

/* The handshake is over: gives back what was promised but for `rest`. */
static void hw_tls_state_settle(struct hw_tls_state *state, size_t rest)
{
    if (state->is_handshaking)
        atomic_fetch_sub(&hw_tls.handshake_count, 1);
    state->is_handshaking = false;
    hw_tls_promise_end(state->promised - rest);
    state->promised = rest;
    state->account.limit = rest - HW_TLS_STATE_SIZE;
}

static SSL *hw_tls_connection_make(struct hw_tls_state *state, const struct hw_listener *listener)
{
    hw_tls_account_set(&state->account);
    SSL *tls = SSL_new(state->generation->sites[listener - hw_listeners].hosts[0].context);
    if (tls != NULL && (!hw_tls_bio_attach(tls, &state->fd) || SSL_set_app_data(tls, state) != 1)) {
        SSL_free(tls);
        tls = NULL;
    }
    if (tls != NULL)
        SSL_set_accept_state(tls);
    ERR_clear_error();
    hw_tls_leave();
    return tls;
}

static struct hw_tls_state *hw_tls_state_make(const struct hw_listener *listener)
{
    size_t client_size = listener->tls->client_auth == HW_CLIENT_AUTH_NONE ? 0 : HW_TLS_CLIENT_SIZE;
    size_t size = HW_TLS_HANDSHAKE_SIZE + client_size;
    if (!hw_tls_admit(size))
        return NULL;
    struct hw_tls_state *state = OPENSSL_malloc(sizeof *state);
    if (state == NULL) {
        atomic_fetch_sub(&hw_tls.handshake_count, 1);
        hw_tls_promise_end(size);
        errno = ENOMEM;
        return NULL;
    }
    *state = (struct hw_tls_state){.account.limit = size - HW_TLS_STATE_SIZE,
                                   .generation = hw_tls_generation_take(),
                                   .promised = size,
                                   .client_size = client_size,
                                   .is_handshaking = true};
    return state;
}

static void hw_tls_state_free(struct hw_tls_state *state)
{
    size_t promised = state->promised;
    if (state->is_handshaking)
        atomic_fetch_sub(&hw_tls.handshake_count, 1);
    hw_tls_generation_give(state->generation);
    OPENSSL_free(state);
    hw_tls_promise_end(promised);
}

/* What OpenSSL makes for each thread, its error queue and random generators, is not charged to the first connection. */
static void hw_tls_thread_prepare(void)
{
    static _Thread_local bool is_prepared;
    unsigned char byte;
    if (is_prepared)
        return;
    ERR_clear_error();
    is_prepared = RAND_bytes(&byte, 1) == 1 && RAND_priv_bytes(&byte, 1) == 1;
}

static bool hw_tls_begin(struct hw_io_stream *stream, const struct hw_listener *listener)
{
    hw_tls_thread_prepare();
    struct hw_tls_state *state = hw_tls_state_make(listener);
    if (state == NULL)
        return false;
    state->fd = stream->source.fd;
    stream->tls = hw_tls_connection_make(state, listener);
    if (stream->tls != NULL)
        return true;
    hw_tls_state_free(state);
    errno = ENOMEM;
    return false;
}

static void hw_tls_end(struct hw_io_stream *stream)
{
    struct hw_tls_state *state = hw_tls_enter(stream);
    /* A client that left without a goodbye may still come back with its session. */
    if (!state->is_broken && !state->is_handshaking)
        SSL_set_shutdown(stream->tls, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
    SSL_free(stream->tls);
    stream->tls = NULL;
    ERR_clear_error();
    hw_tls_leave();
    hw_tls_state_free(state);
}

/* ---- The handshake. */

static enum hw_tls_step hw_tls_handshake(struct hw_io_stream *stream)
{
    struct hw_tls_state *state = hw_tls_enter(stream);
    int result = SSL_do_handshake(stream->tls);
    int error = result == 1 ? SSL_ERROR_NONE : SSL_get_error(stream->tls, result);
    hw_tls_leave();
    if (error == SSL_ERROR_WANT_READ)
        return HW_TLS_WANTS_READ;
    if (error == SSL_ERROR_WANT_WRITE)
        return HW_TLS_WANTS_WRITE;
    if (error == SSL_ERROR_NONE) {
        hw_tls_state_settle(state, HW_TLS_OPEN_SIZE + state->client_size);
        return HW_TLS_DONE;
    }
    state->is_broken = true; /* OpenSSL has sent the alert */
    hw_log(HW_LOG_DEBUG, "a TLS handshake failed: %s",
           error == SSL_ERROR_SSL ? hw_tls_reason_take() : "the client has gone");
    return HW_TLS_FAILED;
}

static unsigned hw_tls_protocol(const struct hw_io_stream *stream, const struct hw_listener *listener)
{
    const unsigned char *name;
    unsigned size;
    SSL_get0_alpn_selected(stream->tls, &name, &size);
    if (size == 0)
        return listener->protocols & (unsigned)HW_PROTOCOL_HTTP1;
    return size == 2 ? HW_PROTOCOL_HTTP2 : HW_PROTOCOL_HTTP1; /* we chose it: h2 or http/1.1 */
}

/* ---- Bytes. */

/* What a failed read or write means to a caller of recv or sendmsg. */
static ssize_t hw_tls_fail(struct hw_tls_state *state, int error)
{
    if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) {
        errno = EAGAIN;
        return -1;
    }
    state->is_broken = true;
    ERR_clear_error();
    errno = ECONNRESET;
    return -1;
}

static ssize_t hw_tls_receive(struct hw_io_stream *stream, void *bytes, size_t room)
{
    size_t size = 0;
    struct hw_tls_state *state = hw_tls_enter(stream);
    int error = SSL_ERROR_SYSCALL;
    if (!state->is_broken) {
        int result = SSL_read_ex(stream->tls, bytes, room, &size);
        error = result == 1 ? SSL_ERROR_NONE : SSL_get_error(stream->tls, result);
    }
    hw_tls_leave();
    state->is_dry = error != SSL_ERROR_NONE;
    if (error == SSL_ERROR_NONE)
        return (ssize_t)size;
    if (error == SSL_ERROR_ZERO_RETURN) /* a close_notify, or an end without: HTTP's framing tells what was cut off */
        return 0;
    return hw_tls_fail(state, error);
}

/* OpenSSL counts the beginning of a record as pending: it would be asked for ever, in vain. */
static bool hw_tls_has_pending(const struct hw_io_stream *stream)
{
    return !hw_tls_state_get(stream)->is_dry && SSL_has_pending(stream->tls) == 1;
}

/* Where in a vector the next byte to send stands. */
struct hw_tls_cursor {
    const struct iovec *vector;
    int count;
    size_t offset; /* in the first */
};

static void hw_tls_cursor_advance(struct hw_tls_cursor *cursor, size_t size)
{
    cursor->offset += size;
    while (cursor->count > 0 && cursor->offset >= cursor->vector->iov_len) {
        cursor->offset -= cursor->vector->iov_len;
        cursor->vector++;
        cursor->count--;
    }
}

/* The next bytes in one piece, at most `room`: where they stand, or gathered from several. */
static const char *hw_tls_piece_find(struct hw_tls_cursor cursor, size_t room, size_t *size)
{
    const char *first = (const char *)cursor.vector->iov_base + cursor.offset;
    size_t rest = cursor.vector->iov_len - cursor.offset;
    *size = rest < room ? rest : room;
    if (rest >= room || cursor.count == 1)
        return first;
    *size = 0;
    while (cursor.count > 0 && *size < room) {
        rest = cursor.vector->iov_len - cursor.offset;
        size_t part = rest < room - *size ? rest : room - *size;
        memcpy(hw_tls_gathered + *size, (const char *)cursor.vector->iov_base + cursor.offset, part);
        *size += part;
        hw_tls_cursor_advance(&cursor, part);
    }
    return hw_tls_gathered;
}

/* Sends one record. A record that was begun must come again with the same length, or OpenSSL refuses it for good. */
static int hw_tls_record_send(SSL *tls, struct hw_tls_state *state, struct hw_tls_cursor *cursor, size_t *taken)
{
    size_t size;
    size_t written;
    const char *bytes = hw_tls_piece_find(*cursor, state->pending != 0 ? state->pending : HW_TLS_RECORD_SIZE, &size);
    if (size < state->pending || state->is_broken)
        return SSL_ERROR_SYSCALL;
    int result = SSL_write_ex(tls, bytes, size, &written);
    if (result != 1) {
        int error = SSL_get_error(tls, result);
        state->pending = error == SSL_ERROR_WANT_WRITE ? size : 0;
        return error;
    }
    state->pending = 0;
    *taken += written;
    hw_tls_cursor_advance(cursor, written);
    return SSL_ERROR_NONE;
}

static ssize_t hw_tls_send(struct hw_io_stream *stream, struct iovec *vector, int count)
{
    struct hw_tls_cursor cursor = {.vector = vector, .count = count};
    size_t taken = 0;
    int error = SSL_ERROR_NONE;
    struct hw_tls_state *state = hw_tls_enter(stream);
    hw_tls_cursor_advance(&cursor, 0); /* past empty ones */
    while (cursor.count > 0 && error == SSL_ERROR_NONE)
        error = hw_tls_record_send(stream->tls, state, &cursor, &taken);
    hw_tls_leave();
    if (error != SSL_ERROR_NONE && (taken == 0 || (error != SSL_ERROR_WANT_WRITE && error != SSL_ERROR_WANT_READ)))
        return hw_tls_fail(state, error);
    return (ssize_t)taken;
}

/* A socket that takes no more bytes now drops the close_notify: the client still sees the end, and HTTP's framing tells
 * that nothing is missing. */
static bool hw_tls_shutdown(struct hw_io_stream *stream)
{
    struct hw_tls_state *state = hw_tls_enter(stream);
    bool is_told = !state->is_broken && !state->is_handshaking;
    if (is_told) {
        int result = SSL_shutdown(stream->tls);
        is_told = result >= 0 || SSL_get_error(stream->tls, result) == SSL_ERROR_WANT_WRITE;
    }
    ERR_clear_error();
    hw_tls_leave();
    return is_told;
}

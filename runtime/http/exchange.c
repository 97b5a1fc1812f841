#include "http/exchange.h"

#include <string.h>

static struct hw_exchange *hw_exchange_of_request(const struct hw_request *request)
{
    union {
        const struct hw_request *given;
        struct hw_request *owned; /* every request is a member of an exchange, none is constant */
    } pointer = {request};
    return HW_CONTAINER(pointer.owned, struct hw_exchange, request);
}

static struct hw_exchange *hw_exchange_of_response(const struct hw_response *response)
{
    union {
        const struct hw_response *given;
        struct hw_response *owned;
    } pointer = {response};
    return HW_CONTAINER(pointer.owned, struct hw_exchange, response);
}

/* The exchange whose handler this IO thread is calling. */
static _Thread_local const struct hw_exchange *hw_exchange_handling;

static bool hw_exchange_may_block(void)
{
    return !hw_io_loop_is_here;
}

static bool hw_exchange_is_handling(const struct hw_exchange *exchange)
{
    return hw_exchange_handling == exchange && !exchange->response.is_suspended;
}

static void hw_exchange_mail_arrived(struct hw_mail *mail)
{
    struct hw_exchange *exchange = HW_CONTAINER(mail, struct hw_exchange, mail);
    bool is_done = atomic_exchange(&exchange->mailed, HW_MAILED_NO) == HW_MAILED_DONE;
    if (is_done)
        exchange->is_lent = false;
    exchange->framing->returned(exchange, is_done);
}

/* When a mail was under way already, the IO thread may have taken it by the time this returns: hence the one exchange of
 * `mailed`, after which nothing is read. */
static void hw_exchange_mail(struct hw_exchange *exchange, enum hw_mailed what)
{
    struct hw_mailbox *mailbox = &exchange->loop->mailbox;
    if (atomic_exchange(&exchange->mailed, (int)what) == HW_MAILED_NO)
        hw_mailbox_post(mailbox, &exchange->mail);
}

static void hw_exchange_init(struct hw_exchange *exchange, struct hw_io_loop *loop, void *connection,
                             const struct hw_framing *framing)
{
    exchange->loop = loop;
    exchange->connection = connection;
    exchange->framing = framing;
    exchange->is_lent = false;
    exchange->mail.arrived = hw_exchange_mail_arrived;
    atomic_store_explicit(&exchange->mailed, HW_MAILED_NO, memory_order_relaxed);
    atomic_store_explicit(&exchange->out_head, 0, memory_order_relaxed);
    atomic_store_explicit(&exchange->out_tail, 0, memory_order_relaxed);
    exchange->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    exchange->room = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
}

static void hw_exchange_end(struct hw_exchange *exchange)
{
    hw_exchange_release(exchange);
    pthread_mutex_destroy(&exchange->lock); /* neither can fail: nobody waits on them any more */
    pthread_cond_destroy(&exchange->room);
}

static void hw_exchange_reset(struct hw_exchange *exchange)
{
    struct hw_request *request = &exchange->request;
    request->method = HW_METHOD_GET;
    request->query_read = false;
    request->path_size = 0;
    request->target_size = 0;
    request->query_size = 0;
    request->host_size = 0;
    request->field_count = 0;
    request->parameter_count = 0;
    request->texts_used = 0;
    request->capture_count = 0;
    request->body = NULL;
    request->body_size = 0;
    request->host[0] = '\0';
    exchange->response = (struct hw_response){.state = HW_RESPONSE_OPEN};
    exchange->route = NULL;
    exchange->keep_alive = false;
    exchange->is_head = false;
    exchange->is_piece = false;
    atomic_store_explicit(&exchange->cancelled, false, memory_order_relaxed);
}

static void hw_exchange_call(struct hw_exchange *exchange)
{
    const struct hw_piece *piece = exchange->is_piece ? &exchange->piece : NULL;
    exchange->route->handle(&exchange->request, &exchange->response, piece);
}

static void hw_exchange_drop(struct hw_exchange *exchange)
{
    if (atomic_fetch_sub(&exchange->holders, 1) == 1)
        hw_exchange_mail(exchange, HW_MAILED_DONE);
}

static void hw_exchange_prepare(struct hw_exchange *exchange)
{
    memcpy(exchange->date, exchange->loop->date, HW_DATE_SIZE);
    atomic_store_explicit(&exchange->holders, 1, memory_order_relaxed);
}

static bool hw_exchange_handle(struct hw_exchange *exchange)
{
    hw_exchange_prepare(exchange);
    hw_exchange_handling = exchange;
    hw_exchange_call(exchange);
    hw_exchange_handling = NULL;
    if (!exchange->response.is_suspended)
        return true;
    /* Even if it was resumed already, a mail with bytes of its ring may be under way: it comes home by mail. */
    exchange->is_lent = true;
    hw_exchange_drop(exchange);
    return false;
}

static void hw_exchange_job_run(struct hw_job *job)
{
    struct hw_exchange *exchange = HW_CONTAINER(job, struct hw_exchange, job);
    hw_exchange_call(exchange);
    hw_exchange_drop(exchange);
}

static bool hw_exchange_lend(struct hw_exchange *exchange, bool is_admitted)
{
    hw_exchange_prepare(exchange);
    exchange->job.run = hw_exchange_job_run;
    exchange->is_lent = true;
    if (hw_workers_give(&exchange->job, is_admitted))
        return true;
    exchange->is_lent = false;
    return false;
}

static bool hw_exchange_abort(struct hw_exchange *exchange)
{
    atomic_store(&exchange->cancelled, true); /* nothing that the handler sends now is wanted */
    exchange->response.is_suspended = false;  /* it may have been, with the piece before */
    exchange->is_piece = true;
    exchange->piece = (struct hw_piece){"", 0, HW_PIECE_ABORTED};
    if (exchange->route->worker && HW_THREADS_WORKERS > 0)
        return hw_exchange_lend(exchange, true);
    return !hw_exchange_handle(exchange);
}

static bool hw_exchange_wants_piece(const struct hw_exchange *exchange)
{
    return exchange->is_piece && exchange->piece.kind == HW_PIECE_DATA && exchange->response.state == HW_RESPONSE_OPEN;
}

static void hw_exchange_room(struct hw_exchange *exchange)
{
    pthread_mutex_lock(&exchange->lock); /* else the signal could fall between a handler's look and its wait */
    pthread_cond_broadcast(&exchange->room);
    pthread_mutex_unlock(&exchange->lock);
}

static void hw_exchange_cancel(struct hw_exchange *exchange)
{
    atomic_store(&exchange->cancelled, true);
    hw_exchange_room(exchange);
}

static void hw_exchange_release(struct hw_exchange *exchange)
{
    void (*release)(void *user) = exchange->response.release;
    exchange->response.release = NULL;
    exchange->response.borrowed = NULL;
    exchange->response.borrowed_size = 0;
    if (release != NULL)
        release(exchange->response.release_user);
}

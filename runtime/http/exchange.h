/* One request and its response: everything that belongs to a request in progress, in one block of fixed size.
 *
 * The exchange is owned by its connection's IO thread, but for the time between hw_exchange_lend and the `done` mail,
 * when it is a worker's or, suspended, any thread's. While it is lent the IO thread touches only the members marked
 * "shared".
 */
#ifndef HW_HTTP_EXCHANGE_H
#define HW_HTTP_EXCHANGE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hardwire/generated.h>

#include "core/list.h"
#include "core/mailbox.h"
#include "core/workers.h"
#include "io/loop.h"

#define HW_TEXT_AREA_SIZE HW_ROUND_UP(HW_LIMITS_TARGET_SIZE + 64, 64)
#define HW_IN_SIZE (HW_BUFFERS_SIZE + HW_READ_SLACK_SIZE)
#define HW_OUT_SIZE (HW_BUFFERS_SIZE + HW_COALESCE_SIZE)

/* Offsets into `in`; name and value are followed by NUL once the head is complete. */
struct hw_field {
    uint32_t name_at;
    uint32_t name_size;
    uint32_t value_at;
    uint32_t value_size;
};

/* Offsets into `texts`. */
struct hw_parameter {
    uint32_t name_at;
    uint32_t name_size;
    uint32_t value_at;
    uint32_t value_size;
};

struct hw_request {
    uint8_t method;     /* enum hw_method */
    uint8_t minor;      /* of HTTP/1.x */
    bool query_read;    /* `parameters` is filled */
    uint32_t target_at; /* in `in` */
    uint32_t target_size;
    uint32_t path_size; /* of `path` */
    uint32_t query_at;  /* in `in`, behind the '?' */
    uint32_t query_size;
    uint32_t host_size;
    uint32_t field_count;
    uint32_t parameter_count;
    uint32_t texts_used;
    uint32_t capture_count;
    struct hw_parameter captures[HW_CAPTURES_MAX]; /* only the value members */
    const char *body;                              /* in mode memory: in `in` or in a slot of the body pool */
    uint64_t body_size;                            /* bytes that have arrived */
    char host[256];                                /* NUL-terminated; RFC 1035 allows no longer name */
};

/* What became of the response. */
enum hw_response_state {
    HW_RESPONSE_OPEN,      /* nothing sent yet */
    HW_RESPONSE_SENT,      /* complete: in `out`, and `borrowed` behind it */
    HW_RESPONSE_STREAMING, /* the head and pieces pass through `out` as a ring */
    HW_RESPONSE_ENDED      /* the last piece is in the ring */
};

struct hw_response {
    uint8_t state; /* enum hw_response_state; the handler's thread */
    bool is_suspended;
    uint16_t status;      /* 0: not set */
    uint32_t fields_size; /* composed "Name: value CRLF" lines at fields_at */
    bool has_media_type;  /* Content-Type is among them */
    bool has_length;      /* the head says `length`; the framing is told too, but may ask later */
    uint64_t length;
    const char *borrowed;
    size_t borrowed_size;
    void (*release)(void *user);
    void *release_user;
    void *state_pointer; /* hw_state_get */
};

/* What http/ needs from the framing of a connection; HTTP/1.1's is http1/write.c. */
struct hw_exchange;
struct hw_framing {
    /* Writes the head of the response to `at`, but for its fields and the empty line; returns the bytes written. A length
     * of a body that is not known yet: has_length is false, and is_chunked is set when its pieces are to be chunks. */
    size_t (*head_write)(struct hw_exchange *exchange, char *at, bool has_length, uint64_t length);
    /* The most bytes that head_write needs. */
    size_t head_size;
    /* The exchange is back from a worker or resumed, or has bytes in its ring. The IO thread. */
    void (*returned)(struct hw_exchange *exchange, bool is_done);
};

struct hw_exchange {
    struct hw_request request;
    struct hw_response response;
    const struct hw_framing *framing;
    const struct hw_route *route; /* NULL: none fits, and `verdict` says what is answered */
    uint16_t verdict;             /* 204, 308, 404, 405 or 501 */
    uint32_t allow;               /* for 204 and 405 */
    void *connection;
    struct hw_io_loop *loop;
    bool keep_alive; /* the connection stays after this response */
    bool is_head;    /* HEAD: no body is sent */
    bool is_chunked; /* pieces of a stream are framed as chunks; set by head_write */
    bool is_piece;   /* a worker is to be called for `piece` */
    struct hw_piece piece;
    struct hw_job job;
    struct hw_mail mail;
    /* Shared while lent. */
    _Atomic int mailed; /* enum hw_mailed */
    _Atomic bool cancelled;
    _Atomic int holders;     /* the handler's call, and a suspension; the last of them gives the exchange back */
    _Atomic size_t out_head; /* bytes of `out` that have left; the IO thread's */
    _Atomic size_t out_tail; /* bytes of `out` that were put in; the handler's while lent */
    pthread_mutex_t lock;    /* for `room` only */
    pthread_cond_t room;     /* the ring has room again, or it was cancelled */
    bool is_lent;            /* the IO thread's own note */
    char date[HW_DATE_SIZE]; /* the loop's, copied before the handler is called, perhaps on another thread */

    struct hw_field fields[HW_LIMITS_HEADERS];
    struct hw_parameter parameters[HW_LIMITS_PARAMETERS];
    char path[HW_TEXT_AREA_SIZE];  /* decoded; '/' of %2F is NUL until the route is found */
    char texts[HW_TEXT_AREA_SIZE]; /* captures, then decoded parameters, each followed by NUL */
    char in[HW_IN_SIZE];
    char out[HW_OUT_SIZE];
};

_Static_assert(sizeof(struct hw_field) == HW_FIELD_SIZE, "HW_FIELD_SIZE of hardwire/memory.h is wrong");
_Static_assert(sizeof(struct hw_parameter) == HW_PARAMETER_SIZE, "HW_PARAMETER_SIZE of hardwire/memory.h is wrong");
_Static_assert(offsetof(struct hw_exchange, fields) <= HW_EXCHANGE_FIXED_SIZE - 8,
               "HW_EXCHANGE_FIXED_SIZE of hardwire/memory.h is too small");
_Static_assert(sizeof(struct hw_exchange) <= HW_EXCHANGE_SIZE, "HW_EXCHANGE_SIZE of hardwire/memory.h is too small");

/* What is under way in the mail of a lent exchange. */
enum hw_mailed {
    HW_MAILED_NO,
    HW_MAILED_PROGRESS, /* bytes are in the ring */
    HW_MAILED_DONE      /* the handler's thread will not touch the exchange again */
};

static struct hw_exchange *hw_exchange_of_request(const struct hw_request *request);
static struct hw_exchange *hw_exchange_of_response(const struct hw_response *response);

/* Once for each block of the pool when it is taken: the parts that live as long as it is held. */
static void hw_exchange_init(struct hw_exchange *exchange, struct hw_io_loop *loop, void *connection,
                             const struct hw_framing *framing);
static void hw_exchange_end(struct hw_exchange *exchange);

/* Before each request: forgets the one before. The bytes in `in` and `out` stay. */
static void hw_exchange_reset(struct hw_exchange *exchange);

/* Calls the route's handler on this IO thread. True when it is back; false when it is lent, until the framing's
 * `returned` says that it is done. */
static bool hw_exchange_handle(struct hw_exchange *exchange);

/* Gives the exchange to a worker; false when the queue is full. `is_admitted`: see hw_workers_give. */
static bool hw_exchange_lend(struct hw_exchange *exchange, bool is_admitted);

/* Tells a lent exchange that nobody waits any more; wakes a handler that waits for room. */
static void hw_exchange_cancel(struct hw_exchange *exchange);

/* Tells a stream handler that no more of the body comes. True when that lent the exchange. */
static bool hw_exchange_abort(struct hw_exchange *exchange);

/* After a call of its handler: the handler has had a piece, has not answered, and waits for the next. */
static bool hw_exchange_wants_piece(const struct hw_exchange *exchange);

/* True on the thread of an IO loop, where nothing may block. */
static bool hw_exchange_may_block(void);

/* True when this exchange's handler is being called on this IO thread and is not suspended: what it puts into the ring
 * needs no mail. */
static bool hw_exchange_is_handling(const struct hw_exchange *exchange);

/* Tells the IO thread that bytes are in the ring, or (HW_MAILED_DONE) that the handler's side is finished. Any thread
 * that has the exchange; after HW_MAILED_DONE it must not be touched any more. */
static void hw_exchange_mail(struct hw_exchange *exchange, enum hw_mailed what);

/* One of the holders is finished with the exchange; the last sends it home. Any thread. */
static void hw_exchange_drop(struct hw_exchange *exchange);

/* The IO thread has sent bytes of the ring: wakes a handler that waits for room. */
static void hw_exchange_room(struct hw_exchange *exchange);

/* Calls the release function of a borrowed body, once. */
static void hw_exchange_release(struct hw_exchange *exchange);

#endif

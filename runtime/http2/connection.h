/* One HTTP/2 connection (RFC 9113): frames in and out, its streams, its limits.
 *
 * Bytes are read into the thread's scratch and taken frame by frame as they come, whole or in pieces; nothing of them is kept
 * but a few bytes of a frame that is not complete. Frames to be sent are collected in a block of the pool `outs`, which a
 * connection has only while there are some, and leave in one write at the end of each event. So an idle connection holds
 * its slab entry and its session: no buffer.
 *
 *   receive.c   bytes -> frames -> what they mean for the connection
 *   request.c   header blocks -> requests; bodies
 *   stream.c    the slab of streams, flow control, what is counted against abuse
 *   respond.c   responses -> frames, in the order of their priorities
 */
#ifndef HW_HTTP2_CONNECTION_H
#define HW_HTTP2_CONNECTION_H

#include "http/connection.h"
#include "http/exchange.h"
#include "http/begin.h"
#include "http2/frame.h"
#include "http2/hpack.h"

/* Bytes of a frame that are needed in one piece. */
#define HW_H2_STASH_SIZE 64u

/* Streams whose end is remembered, to tell a late frame from a wrong one (RFC 9113 section 5.1, "closed"). */
#define HW_H2_CLOSED 64u

/* Urgencies of RFC 9218 section 4.1, 0 the most urgent. */
#define HW_H2_URGENCIES 8u
#define HW_H2_URGENCY_DEFAULT 3u

/* What a client may send before the route is known: a stream handler's part of a body must fit behind the head. As long as
 * the client does not know that, no more is read at once than fits there: HW_H2_SPILL_SIZE. */
#define HW_H2_WINDOW_FIRST                                                                                             \
    (HW_BODY_STREAM_ANY && HW_HTTP2_WINDOW_SIZE > HW_H2_SPILL_SIZE ? HW_H2_SPILL_SIZE : HW_HTTP2_WINDOW_SIZE)

struct hw_h2_stream;

/* An exchange of an HTTP/2 stream: a block of the pool. Owned as its base is. */
struct hw_h2_exchange {
    struct hw_exchange base;
    struct hw_h2_stream *stream; /* NULL: the stream has ended while the exchange was lent */
    uint32_t in_size;            /* bytes of `in` that hold the head */
    uint32_t list_size;          /* of the field section, as HTTP/1.1 would count it */
    uint32_t crumb_count;        /* Cookie fields as they came */
    uint32_t cookie_count;
    uint32_t spill_at; /* bytes of the body in `in`: in mode stream those that the handler has, then those to come */
    uint32_t piece_size;
    uint32_t spill_size;
    uint16_t refusal;  /* the status that a limit decided on; 0: none */
    uint8_t pseudo;    /* bits of enum hw_h2_pseudo that were there */
    bool has_fields;   /* an ordinary field was there: no pseudo-field may follow */
    bool is_malformed; /* RFC 9113 section 8.1.1 */
    bool has_length;   /* Content-Length */
    bool expects_continue;
    bool is_body_ended;  /* mode stream: what is in the spill is the last */
    bool is_stream_open; /* a stream handler was called and must be told how the body ends */
    uint64_t length;
    uint64_t body_limit;
    uint64_t arrived; /* bytes of the body; request.body_size counts those that a stream handler has had: it is lent */
    char *slot;       /* of the body pool, or NULL */
    uint64_t slot_used;
};

_Static_assert(sizeof(struct hw_h2_exchange) <= HW_EXCHANGE_SIZE, "HW_EXCHANGE_SIZE of hardwire/memory.h is too small");

enum hw_h2_pseudo { HW_H2_METHOD = 1, HW_H2_SCHEME = 2, HW_H2_AUTHORITY = 4, HW_H2_PATH = 8 };

enum hw_h2_state {
    HW_H2_BODY,    /* the request's body is coming */
    HW_H2_LENT,    /* a worker has the exchange, or it is suspended; a stream of it may be on its way already */
    HW_H2_RESPOND, /* the response is complete and leaves as windows allow */
    HW_H2_DRAIN,   /* answered before the body has come: the rest is thrown away for a while, since a client that is
                      reset while it sends may never look at its answer */
    HW_H2_GONE     /* the stream has ended, but the exchange is still lent: the place stays taken and counted */
};

/* A stream that is open or half-closed. Owned by its connection. */
struct hw_h2_stream {
    uint32_t id; /* 0: free */
    uint8_t state;
    uint8_t urgency;
    bool is_incremental;
    bool is_remote_ended; /* END_STREAM has come */
    bool is_head;         /* HEAD */
    bool is_begun;        /* the response's HEADERS were put */
    int64_t send_window;
    int64_t receive_window;          /* what the client may still send */
    uint32_t consumed;               /* what is to be given back to it */
    struct hw_h2_exchange *exchange; /* NULL: the answer is `baked` */
    const struct hw_baked *baked;
    size_t body_at;       /* of `baked` */
    uint64_t until_ms;    /* BODY: timeouts.body; LENT: timeouts.handler, 0: begun; DRAIN: linger */
    uint64_t progress_ms; /* when bytes of the response were last put */
    struct hw_list ready; /* in the session's list of its urgency, when something can be sent */
};

_Static_assert(sizeof(struct hw_h2_stream) <= HW_H2_STREAM_SIZE, "HW_H2_STREAM_SIZE of hardwire/memory.h is too small");

/* What the next bytes are. */
enum hw_h2_step {
    HW_H2_AT_PREFACE,
    HW_H2_AT_HEAD,    /* of a frame */
    HW_H2_AT_SMALL,   /* the whole payload, at most HW_H2_STASH_SIZE */
    HW_H2_AT_SETTING, /* one of many, or the end */
    HW_H2_AT_PREFIX,  /* of DATA and HEADERS: padding's length, priority */
    HW_H2_AT_BLOCK,   /* a part of a header block */
    HW_H2_AT_DATA,
    HW_H2_AT_SKIP, /* padding, or a frame that is of no interest */
    HW_H2_AT_END   /* nothing more is read */
};

/* What happens with the header block that is being decoded. */
enum hw_h2_block {
    HW_H2_BLOCK_NONE,
    HW_H2_BLOCK_REQUEST,
    HW_H2_BLOCK_TRAILERS,
    HW_H2_BLOCK_IGNORED /* decoded for the table's sake alone */
};

/* What a peer may do only so often in http2.period, and how often it did. */
enum hw_h2_count { HW_H2_RESETS, HW_H2_CONTROLS, HW_H2_EMPTIES, HW_H2_UPDATES, HW_H2_COUNTS };

/* What a connection needs besides its entry: a block of the pool `sessions`. */
struct hw_h2_session {
    struct hw_h2_decoder decoder;
    /* Reading. */
    struct hw_h2_frame frame; /* the current one; `size` is what is left of it */
    uint32_t padding;         /* at the end of the current DATA or HEADERS */
    uint8_t step;
    uint8_t block; /* enum hw_h2_block */
    bool block_ends_stream;
    bool block_ends;      /* END_HEADERS was there */
    uint16_t block_error; /* the stream error that an ignored block ends with, or 0 */
    uint32_t block_id;
    uint32_t block_size;             /* compressed bytes so far */
    uint32_t block_decoded;          /* the size of the fields so far, kept or not */
    struct hw_h2_exchange *building; /* of a HW_H2_BLOCK_REQUEST */
    bool trailers_are_malformed;
    uint32_t stash_size;
    uint8_t stash[HW_H2_STASH_SIZE];
    /* Streams. */
    uint32_t last_id; /* the highest that the client has used */
    uint32_t count;   /* taken places */
    uint32_t held;    /* exchanges of this connection, lent ones and `building` included */
    uint32_t closed_at;
    uint32_t closed[HW_H2_CLOSED]; /* ids; the reserved bit: reset by us */
    uint64_t request_count;
    /* Flow control. */
    int64_t send_window;
    uint32_t receive_window;
    uint32_t consumed;
    uint32_t peer_window; /* SETTINGS_INITIAL_WINDOW_SIZE of the client */
    /* Abuse. */
    uint64_t period_ms; /* when the counts were last set to 0 */
    uint32_t counts[HW_H2_COUNTS];
    uint32_t update_credit; /* window updates that DATA of ours has deserved */
    /* Sending. */
    char *out; /* of the pool `outs`, or NULL */
    uint32_t out_head;
    uint32_t out_tail;
    bool has_greeted;     /* the client's SETTINGS have come */
    bool is_acknowledged; /* it has ours: until then it may send more than HW_H2_WINDOW_FIRST */
    bool has_table_size;  /* the encoder's table is said to be empty */
    bool is_going;        /* the last GOAWAY was put: no new streams */
    bool is_ending;       /* an error: what is in `out` leaves, then the connection ends */
    bool is_draining;     /* between two GOAWAYs */
    uint64_t drained_ms;  /* when the first of two GOAWAYs was put */
    uint64_t block_ms;    /* when the current header block began */
    struct hw_list ready[HW_H2_URGENCIES];
    struct hw_h2_stream streams[HW_HTTP2 ? HW_HTTP2_STREAMS : 1];
};

_Static_assert(HW_HTTP2 == 0 || sizeof(struct hw_h2_session) <= HW_H2_SESSION_SIZE - HW_H2_HPACK_SIZE,
               "HW_H2_FIXED_SIZE of hardwire/memory.h is too small");

struct hw_h2_connection {
    struct hw_connection base;
    struct hw_h2_session *session;
};

_Static_assert(sizeof(struct hw_h2_connection) <= HW_CONNECTION_SIZE,
               "HW_CONNECTION_SIZE of hardwire/memory.h is too small");

/* ---- Between the files of this folder. */

/* When this round of the loop began. */
static uint64_t hw_h2_now(const struct hw_h2_connection *connection);

/* A connection error (RFC 9113 section 5.4.1): GOAWAY, and the end once it has left. */
static void hw_h2_fail(struct hw_h2_connection *connection, enum hw_h2_error error, const char *why);

/* Says which stream is the last (RFC 9113 section 6.8), and that no other will be looked at. */
static void hw_h2_go(struct hw_h2_connection *connection);

/* A block for frames to be sent, before anything that may put some; false when none is free. */
static bool hw_h2_out_take(struct hw_h2_connection *connection);

/* After something has changed: sends what can be sent, and sets up what is waited for. May close the connection. */
static void hw_h2_go_on(struct hw_h2_connection *connection);

/* receive.c */
static void hw_h2_take(struct hw_h2_connection *connection, const uint8_t *bytes, size_t size);
static void hw_h2_priority_read(const char *text, size_t size, uint8_t *urgency, bool *is_incremental);

/* request.c */
static void hw_h2_block_begin(struct hw_h2_connection *connection);
static void hw_h2_block_part(struct hw_h2_connection *connection, const uint8_t *bytes, size_t size, bool is_last);
static void hw_h2_block_end(struct hw_h2_connection *connection);
static void hw_h2_data_arrived(struct hw_h2_connection *connection, struct hw_h2_stream *stream, const char *bytes,
                               size_t size);
static void hw_h2_data_ended(struct hw_h2_connection *connection, struct hw_h2_stream *stream);
static void hw_h2_returned(struct hw_exchange *exchange, bool is_done);
static void hw_h2_status_answer(struct hw_h2_connection *connection, struct hw_h2_stream *stream, unsigned status);
static void hw_h2_exchange_free(struct hw_h2_connection *connection, struct hw_h2_exchange *exchange);

/* stream.c */
static struct hw_h2_stream *hw_h2_stream_find(struct hw_h2_session *session, uint32_t id);
static struct hw_h2_stream *hw_h2_stream_open(struct hw_h2_session *session, uint32_t id);
/* Ends the stream for both sides and frees what it holds. */
static void hw_h2_stream_close(struct hw_h2_connection *connection, struct hw_h2_stream *stream);
/* A stream error (RFC 9113 section 5.4.2): RST_STREAM; the stream may be NULL. */
static void hw_h2_stream_reset(struct hw_h2_connection *connection, uint32_t id, struct hw_h2_stream *stream,
                               enum hw_h2_error error);
enum hw_h2_ended { HW_H2_ENDED_NOT, HW_H2_ENDED_CLOSED, HW_H2_ENDED_RESET };
static enum hw_h2_ended hw_h2_stream_ended(const struct hw_h2_session *session, uint32_t id);
/* Gives bytes of the receive windows back to the client, when enough have come together. */
static void hw_h2_window_give(struct hw_h2_connection *connection, struct hw_h2_stream *stream, uint32_t size);
static void hw_h2_window_put(struct hw_h2_connection *connection, uint32_t id, uint32_t size);
/* Remembers that the stream has ended. */
static void hw_h2_closed_note(struct hw_h2_session *session, uint32_t id);
/* What the stream holds goes back; a lent exchange when it comes home. */
static void hw_h2_stream_end(struct hw_h2_connection *connection, struct hw_h2_stream *stream);
/* False when the peer has done this too often: the connection has failed. */
static bool hw_h2_count(struct hw_h2_connection *connection, enum hw_h2_count what);

/* respond.c */
/* A place in `out` for this many bytes of a frame about the connection; hw_h2_read_room keeps enough free. */
static char *hw_h2_out_put(struct hw_h2_connection *connection, size_t size);
/* Something of the stream can be sent, or may be: puts it into the list of its urgency. */
static void hw_h2_stream_ready(struct hw_h2_session *session, struct hw_h2_stream *stream);
/* Puts a baked answer whole, if it can leave now: then the request needs no stream. */
static bool hw_h2_baked_put(struct hw_h2_connection *connection, uint32_t id, const struct hw_baked *baked,
                            bool is_head);
/* Puts HEADERS that hold a status and nothing else: an interim response (RFC 9110 section 15.2). */
static void hw_h2_status_put_bare(struct hw_h2_connection *connection, uint32_t id, unsigned status);
/* Answers with a status and no content a stream whose handler is still at work, or waits for more of the body. */
static void hw_h2_bare_answer(struct hw_h2_connection *connection, struct hw_h2_stream *stream, unsigned status);
/* Fills `out`; true when there is more than it holds. */
static bool hw_h2_pump(struct hw_h2_connection *connection);
/* The most bytes that may be read, so that what they provoke has room in `out`, and what they hold for stream handlers
 * that are busy behind their heads. */
static size_t hw_h2_read_room(const struct hw_h2_session *session);

static const struct hw_framing hw_h2_framing;

#endif

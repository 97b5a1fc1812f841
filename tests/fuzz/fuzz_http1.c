/* Fuzzes whole HTTP/1.1 connections: real sockets, real pools, every kind of route, one thread.
 *
 * The first four bytes say how the rest is cut into writes, how the answers are read, what else happens, and seed the
 * choices; the rest is what up to three clients send, separated by FF C0. Checked are the answers, against what llhttp
 * alone makes of the same bytes and against those to the same bytes cut otherwise, and that all is given back. */
#include "../unit/runtime/rig.h"

#include "../unit/runtime/answers.h"

#include <limits.h>

#define CLIENTS_MAX 3u
#define REQUESTS_MAX 1024u
#define ANSWERS_SIZE (4u << 20)
#define ROUNDS_MAX 40000

enum flag {
    FLAG_HALF_CLOSE = 1,   /* clients end their sending side when they have sent all */
    FLAG_SMALL_BUFFER = 2, /* the kernel takes few bytes of an answer at a time */
    FLAG_TIME = 4,         /* time passes while they talk */
    FLAG_DRAIN = 8,        /* the server drains while they talk */
    FLAG_HANG_UP = 16,     /* the last client goes away half-way */
    FLAG_SLOW_WORK = 32,   /* workers and resumed handlers come late */
};

/* What one request is, as llhttp alone sees it. */
struct request {
    bool is_head;
    bool is_old;
    bool is_complete;
    char path[8];
    uint64_t body_size;
    uint32_t body_hash;
};

struct client {
    int fd;
    const char *bytes;
    size_t size;
    size_t sent;
    bool is_over; /* nothing more is sent: all was, or the server takes no more */
    enum rig_end end;
    char *answers;
    size_t answers_size;
    struct request requests[REQUESTS_MAX];
    unsigned request_count;     /* complete ones */
    unsigned expectation_count; /* Expect fields */
    bool may_answer_early;      /* a stream handler does so for some pieces: that depends on the cuts */
    size_t loose_size;          /* chunk extensions and trailers: what the limit of framing bytes is about */
};

static struct client clients[CLIENTS_MAX];
static unsigned client_count;
static unsigned flags;
static uint32_t random_state;

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                                    \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

static uint32_t random_next(uint32_t limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state % limit;
}

/* ---- The reference: llhttp over all bytes of one client, one message after the other. */

static struct client *reference_client;

static struct request *reference_request(void)
{
    return &reference_client->requests[reference_client->request_count];
}

static int reference_on_target(llhttp_t *parser, const char *at, size_t size)
{
    (void)parser;
    struct request *request = reference_request();
    memcpy(request->path, at, size < sizeof request->path ? size : sizeof request->path - 1);
    return 0;
}

static int reference_on_name(llhttp_t *parser, const char *at, size_t size)
{
    reference_client->loose_size += (parser->flags & F_TRAILING) != 0 ? size : 0;
    reference_client->expectation_count += size == 6 && strncasecmp(at, "expect", 6) == 0;
    return 0;
}

static int reference_on_loose(llhttp_t *parser, const char *at, size_t size)
{
    (void)parser;
    (void)at;
    reference_client->loose_size += size;
    return 0;
}

static int reference_on_trailer(llhttp_t *parser, const char *at, size_t size)
{
    return (parser->flags & F_TRAILING) != 0 ? reference_on_loose(parser, at, size) : 0;
}

static int reference_on_head(llhttp_t *parser)
{
    struct request *request = reference_request();
    request->is_head = parser->method == HTTP_HEAD;
    request->is_old = parser->http_minor == 0;
    return 0;
}

static int reference_on_body(llhttp_t *parser, const char *at, size_t size)
{
    (void)parser;
    struct request *request = reference_request();
    bool is_stream = request->path[0] == '/' && (request->path[1] | 32) == 's';
    if (is_stream && memchr(at, 'E', size) != NULL)
        reference_client->may_answer_early = true;
    request->body_size += size;
    request->body_hash = answer_hash(request->body_hash, at, size);
    return 0;
}

static int reference_on_complete(llhttp_t *parser)
{
    (void)parser;
    reference_request()->is_complete = true;
    return HPE_PAUSED;
}

static void reference_read(struct client *client)
{
    static llhttp_settings_t settings;
    llhttp_settings_init(&settings);
    settings.on_url = reference_on_target;
    settings.on_header_field = reference_on_name;
    settings.on_header_value = reference_on_trailer;
    settings.on_chunk_extension_name = reference_on_loose;
    settings.on_chunk_extension_value = reference_on_loose;
    settings.on_headers_complete = reference_on_head;
    settings.on_body = reference_on_body;
    settings.on_message_complete = reference_on_complete;
    reference_client = client;
    size_t at = 0;
    while (client->request_count < REQUESTS_MAX) {
        llhttp_t parser;
        llhttp_init(&parser, HTTP_REQUEST, &settings);
        *reference_request() = (struct request){.body_hash = APP_HASH_BEGIN};
        llhttp_execute(&parser, client->bytes + at, client->size - at);
        if (client->request_count == REQUESTS_MAX - 1 || !reference_request()->is_complete)
            return;
        client->request_count++;
        at = (size_t)(llhttp_get_error_pos(&parser) - client->bytes);
    }
}

/* ---- The talk. */

static void clients_make(const char *bytes, size_t size)
{
    client_count = 0;
    while (client_count < CLIENTS_MAX) {
        struct client *client = &clients[client_count++];
        const char *end = memmem(bytes, size, "\xff\xc0", 2);
        size_t part = end == NULL || client_count == CLIENTS_MAX ? size : (size_t)(end - bytes);
        char *answers = client->answers;
        memset(client, 0, offsetof(struct client, requests));
        client->request_count = 0;
        client->expectation_count = 0;
        client->may_answer_early = false;
        client->loose_size = 0;
        client->answers = answers == NULL ? rig_memory(ANSWERS_SIZE) : answers;
        client->fd = rig_connect((flags & FLAG_SMALL_BUFFER) != 0 ? 4096 : 0);
        client->bytes = bytes;
        client->size = part;
        reference_read(client);
        if (part == size)
            return;
        bytes += part + 2;
        size -= part + 2;
    }
}

static size_t cut_next(unsigned mode)
{
    switch (mode % 5) {
    case 0:
        return SIZE_MAX;
    case 1:
        return 1;
    case 2:
        return 1 + random_next(40);
    case 3:
        return 1 + random_next(3000);
    default:
        return random_next(4) == 0 ? 1 : 1 + random_next(400);
    }
}

static bool client_send(struct client *client, unsigned mode)
{
    if (client->is_over)
        return false;
    size_t part = cut_next(mode);
    size_t left = client->size - client->sent;
    size_t sent = rig_send(client->fd, client->bytes + client->sent, part < left ? part : left);
    client->sent += sent;
    if (client->sent == client->size) {
        client->is_over = true;
        if ((flags & FLAG_HALF_CLOSE) != 0)
            shutdown(client->fd, SHUT_WR);
    }
    return sent > 0 || client->is_over;
}

static bool client_receive(struct client *client, size_t most)
{
    size_t before = client->answers_size;
    enum rig_end end = client->end;
    size_t room = ANSWERS_SIZE - before;
    CHECK(room > 0);
    if (end == RIG_OPEN)
        client->end = rig_receive(client->fd, client->answers, most < room ? most : room, &client->answers_size);
    return client->answers_size != before || client->end != end;
}

/* One turn of everybody; false when nothing has moved. */
static bool turn(unsigned mode, unsigned pace)
{
    bool moved = false;
    for (unsigned i = 0; i < client_count; i++) {
        struct client *client = &clients[i];
        if (client->fd < 0)
            continue;
        moved = client_send(client, mode) || moved;
        if (pace % 4 != 3 || random_next(8) == 0)
            moved = client_receive(client, pace % 4 == 0 ? SIZE_MAX : 1 + random_next(pace * 8 + 1)) || moved;
    }
    if ((flags & FLAG_TIME) != 0) {
        static const uint16_t steps[] = {0, 0, 0, 1, 30, 260, 700, 2100};
        rig_now_ms += steps[random_next(8)];
    }
    moved = rig_round() > 0 || moved;
    if ((flags & FLAG_SLOW_WORK) == 0 || random_next(6) == 0 || !moved) {
        moved = rig_work() || moved;
        if (app_suspended_count > 0) {
            app_resume_one();
            moved = true;
        }
    }
    return moved;
}

static void talk(unsigned mode, unsigned pace)
{
    int quiet = 0;
    for (int i = 0; quiet < 20; i++) {
        CHECK(i < ROUNDS_MAX);
        quiet = turn(mode, pace) ? 0 : quiet + 1;
        if ((flags & FLAG_DRAIN) != 0 && random_next(30) == 0 && !rig.connections.draining)
            rig_drain();
        struct client *last = &clients[client_count - 1];
        if ((flags & FLAG_HANG_UP) != 0 && last->fd >= 0 && last->sent >= last->size / 2 && random_next(4) == 0) {
            close(last->fd);
            last->fd = -1;
        }
    }
    unsigned before = flags;
    flags &= ~(unsigned)(FLAG_TIME | FLAG_SLOW_WORK); /* let everybody finish */
    while (turn(0, 0))
        continue;
    flags = before;
}

/* ---- What came of it. */

static void answer_check(const struct request *request, const struct answer *answer)
{
    char text[64];
    if (answer->status >= 400 && !request->is_head) {
        snprintf(text, sizeof text, "%u ", answer->status);
        CHECK(answer->body_size > 4 && memcmp(answer->body, text, 4) == 0);
    }
    if (answer->status != 200 || request->is_head)
        return;
    size_t path_size = strcspn(request->path, "?");
    if (path_size != 2 || request->path[0] != '/')
        return;
    bool is_text = !answer->is_chunked && answer->body_size < sizeof text;
    switch (request->path[1]) {
    case 'm':
    case 'M':
        CHECK(answer->body_size == request->body_size && answer->body_hash == request->body_hash);
        break;
    case 'd':
        snprintf(text, sizeof text, "%llu", (unsigned long long)request->body_size);
        CHECK(is_text && answer->body_size == strlen(text) && memcmp(answer->body, text, strlen(text)) == 0);
        break;
    case 's':
    case 'S':
        snprintf(text, sizeof text, "%llu %08x", (unsigned long long)request->body_size, request->body_hash);
        CHECK(is_text);
        if (!answer->is_closing || memcmp(answer->body, "early", 5) != 0)
            CHECK(answer->body_size == strlen(text) && memcmp(answer->body, text, strlen(text)) == 0);
        break;
    case 'b':
        CHECK(is_text && answer->body_size == 5 && memcmp(answer->body, "small", 5) == 0);
        break;
    case 'l':
        CHECK(answer->body_size == APP_LARGE_SIZE);
        break;
    case 'v':
        CHECK(answer->body_size == 8);
        break;
    default:
        break;
    }
}

/* What was answered, to compare it with what is answered to the same bytes cut otherwise. */
struct outcome {
    unsigned count;
    unsigned refused_at; /* the first that closed the connection with an error */
    uint16_t statuses[REQUESTS_MAX];
};

static struct outcome outcomes[2];
static struct outcome *outcome;

static void outcome_add(const struct answer *answer)
{
    if (answer->is_closing && answer->status >= 400 && outcome->refused_at == UINT_MAX)
        outcome->refused_at = outcome->count;
    if (outcome->count < REQUESTS_MAX)
        outcome->statuses[outcome->count++] = (uint16_t)answer->status;
}

/* Reads all answers of one client; returns how many requests were answered. */
static unsigned answers_check(const struct client *client)
{
    unsigned count = 0;
    unsigned interim_count = 0;
    bool is_last = false;
    bool may_be_cut = (flags & FLAG_TIME) != 0 || client->end == RIG_OPEN;
    for (size_t at = 0; at < client->answers_size;) {
        CHECK(!is_last); /* nothing stands behind Connection: close */
        const struct request *request = &client->requests[count];
        struct answer answer;
        size_t left = client->answers_size - at;
        bool is_head = count <= client->request_count && request->is_head;
        enum answer_read result = answer_read(&answer, client->answers + at, left, is_head, request->is_old);
        CHECK(result != ANSWER_WRONG);
        if (result == ANSWER_SHORT) {
            CHECK(may_be_cut);
            break;
        }
        at += answer.size;
        if (answer.status == 100) {
            interim_count++;
            continue;
        }
        is_last = answer.is_closing;
        if (client == &clients[0])
            outcome_add(&answer);
        CHECK(count <= client->request_count);
        if (count == client->request_count)
            CHECK(is_last && answer.status >= 200);
        if (!is_last)
            CHECK(request->is_complete);
        if (is_head && is_last && answer.status >= 400) /* a head that was refused before its method was looked at */
            at = client->answers_size;
        if (request->is_complete)
            answer_check(request, &answer);
        count++;
    }
    CHECK(interim_count <= client->expectation_count);
    if (is_last)
        CHECK(client->end != RIG_OPEN);
    return count;
}

static void outcome_check(void)
{
    for (unsigned i = 0; i < client_count; i++) {
        const struct client *client = &clients[i];
        if (client->fd < 0)
            continue;
        unsigned count = answers_check(client);
        if (client_count > 1 || (flags & (FLAG_TIME | FLAG_DRAIN)) != 0)
            continue; /* who waits for a buffer, was too slow or was sent away need not be answered */
        CHECK(client->end != RIG_RESET);
        CHECK(client->is_over || client->end != RIG_OPEN);
        if (client->end == RIG_OPEN)
            CHECK(count == client->request_count);
    }
}

static void everything_ends(void)
{
    for (int i = 0; i < 40; i++) {
        rig_now_ms += 500;
        for (int k = 0; k < 6; k++) {
            rig_round();
            while (rig_work())
                continue;
            while (app_suspended_count > 0)
                app_resume_one();
        }
    }
    CHECK(rig_is_clean()); /* by timeouts alone */
    for (unsigned i = 0; i < client_count; i++)
        if (clients[i].fd >= 0)
            close(clients[i].fd);
    rig_stop();
}

static void run(const uint8_t *data, size_t size, unsigned mode, unsigned pace)
{
    *outcome = (struct outcome){.refused_at = UINT_MAX};
    random_state = data[3] + 1u;
    rig_start();
    clients_make((const char *)data + 4, size - 4);
    talk(mode, pace);
    outcome_check();
    everything_ends();
}

/* The cuts may decide with which status a request is refused, but not whether. */
static void outcomes_compare(void)
{
    const struct outcome *one = &outcomes[0];
    const struct outcome *other = &outcomes[1];
    CHECK(one->refused_at == other->refused_at);
    CHECK(one->count == other->count);
    for (unsigned i = 0; i < one->count && i < one->refused_at; i++)
        CHECK(one->statuses[i] == other->statuses[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 4)
        return 0;
    flags = data[2];
    outcome = &outcomes[0];
    run(data, size, data[0], data[1]);
    if (client_count > 1 || (flags & (FLAG_TIME | FLAG_DRAIN | FLAG_HANG_UP)) != 0 || clients[0].may_answer_early ||
        clients[0].loose_size > 200)
        return 0;
    outcome = &outcomes[1];
    run(data, size, data[0] % 5 == 0 ? (size > 2000 ? 2 : 1) : 0, 0);
    outcomes_compare();
    return 0;
}

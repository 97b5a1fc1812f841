/* The handlers of test_limits.py: each takes a body in one of the modes and answers its size and Adler-32. */
#include "bounds.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

struct sum {
    uint64_t size;
    uint32_t a, b;
};

static _Atomic int live_states;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool gate_is_open;
static unsigned waiting_count;

static void sum_add(struct sum *sum, const char *bytes, size_t size)
{
    sum->size += size;
    for (size_t i = 0; i < size; i++) {
        sum->a = (sum->a + (unsigned char)bytes[i]) % 65521;
        sum->b = (sum->b + sum->a) % 65521;
    }
}

static void sum_send(struct hw_response *response, const struct sum *sum)
{
    char text[64];
    snprintf(text, sizeof text, "%" PRIu64 " %" PRIu32, sum->size, sum->b << 16 | sum->a);
    hw_text_send(response, text);
}

void count(const struct hw_request *request, struct hw_response *response)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, hw_body_size_get(request));
    hw_text_send(response, text);
}

void whole(const struct hw_request *request, struct hw_response *response)
{
    struct hw_text body = hw_body_get(request);
    struct sum sum = {.a = 1};
    sum_add(&sum, body.bytes, body.size);
    if (body.bytes[body.size] != '\0' || body.size != hw_body_size_get(request))
        hw_status_set(response, 500);
    sum_send(response, &sum);
}

void pieces(const struct hw_request *request, struct hw_response *response, const struct hw_piece *piece)
{
    struct sum **state = (struct sum **)hw_state_get(response);
    (void)request;
    if (*state == NULL) {
        *state = calloc(1, sizeof **state);
        if (*state == NULL)
            return;
        (*state)->a = 1;
        atomic_fetch_add(&live_states, 1);
    }
    sum_add(*state, piece->bytes, piece->size);
    if (piece->kind == HW_PIECE_DATA)
        return;
    if (piece->kind == HW_PIECE_LAST)
        sum_send(response, *state);
    free(*state);
    *state = NULL;
    atomic_fetch_sub(&live_states, 1);
}

/* How many streams have a state: 0 when none is under way. */
void live(const struct hw_request *request, struct hw_response *response)
{
    char text[32];
    (void)request;
    snprintf(text, sizeof text, "%d", atomic_load(&live_states));
    hw_text_send(response, text);
}

/* ---- A worker that is busy until the gate is opened. */

void wait_at_gate(const struct hw_request *request, struct hw_response *response)
{
    (void)request;
    pthread_mutex_lock(&lock);
    waiting_count++;
    while (!gate_is_open)
        pthread_cond_wait(&changed, &lock);
    waiting_count--;
    pthread_mutex_unlock(&lock);
    hw_text_send(response, "through");
}

static void gate_set(struct hw_response *response, bool is_open)
{
    pthread_mutex_lock(&lock);
    gate_is_open = is_open;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    hw_empty_send(response);
}

void open_gate(const struct hw_request *request, struct hw_response *response)
{
    (void)request;
    gate_set(response, true);
}

void close_gate(const struct hw_request *request, struct hw_response *response)
{
    (void)request;
    gate_set(response, false);
}

void waiting(const struct hw_request *request, struct hw_response *response)
{
    char text[32];
    (void)request;
    pthread_mutex_lock(&lock);
    snprintf(text, sizeof text, "%u", waiting_count);
    pthread_mutex_unlock(&lock);
    hw_text_send(response, text);
}

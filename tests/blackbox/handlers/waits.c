/* The handlers of test_timeouts.py: they take their time, on a worker, suspended, or in the middle of a stream. */
#define _POSIX_C_SOURCE 200809L /* nanosleep */

#include "waits.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LARGE_SIZE (16 * 1024 * 1024)

static _Atomic int live_states;
static _Atomic int releases;
static _Atomic int cancelled;
static _Atomic int running;

static void wait_ms(long ms)
{
    const struct timespec wait = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    nanosleep(&wait, NULL);
}

static void number_send(struct hw_response *response, int number)
{
    char text[32];
    snprintf(text, sizeof text, "%d", number);
    hw_text_send(response, text);
}

void count(const struct hw_request *request, struct hw_response *response)
{
    number_send(response, (int)hw_body_size_get(request));
}

void pieces(const struct hw_request *request, struct hw_response *response, const struct hw_piece *piece)
{
    void **state = hw_state_get(response);
    (void)request;
    if (*state == NULL) {
        *state = malloc(1);
        if (*state == NULL)
            return;
        atomic_fetch_add(&live_states, 1);
    }
    if (piece->kind == HW_PIECE_DATA)
        return;
    if (piece->kind == HW_PIECE_LAST)
        hw_text_send(response, "all");
    free(*state);
    *state = NULL;
    atomic_fetch_sub(&live_states, 1);
}

static void large_release(void *user)
{
    free(user);
    atomic_fetch_add(&releases, 1);
}

/* More than any socket buffer takes. */
void large(const struct hw_request *request, struct hw_response *response)
{
    char *bytes = malloc(LARGE_SIZE);
    (void)request;
    if (bytes == NULL)
        return;
    memset(bytes, 'x', LARGE_SIZE);
    hw_borrowed_send(response, "application/octet-stream", bytes, LARGE_SIZE, large_release, bytes);
}

/* A stream on a worker of the same size. */
void large_stream(const struct hw_request *request, struct hw_response *response)
{
    static const char piece[65536] = "";
    (void)request;
    for (size_t sent = 0; sent < LARGE_SIZE; sent += sizeof piece)
        if (hw_chunk_send(response, piece, sizeof piece) != 0) {
            atomic_fetch_add(&cancelled, 1);
            return;
        }
}

/* Answers after the number of milliseconds that the path says. */
void slow(const struct hw_request *request, struct hw_response *response, const struct waits_slow_params *params)
{
    (void)request;
    atomic_fetch_add(&running, 1);
    wait_ms((long)params->ms);
    if (hw_is_cancelled(response))
        atomic_fetch_add(&cancelled, 1);
    hw_text_send(response, "slow");
    atomic_fetch_sub(&running, 1);
}

/* Sends a piece at once and the next after that time. */
void slow_stream(const struct hw_request *request, struct hw_response *response,
                 const struct waits_slow_stream_params *params)
{
    (void)request;
    hw_chunk_send(response, "a", 1);
    wait_ms((long)params->ms);
    hw_chunk_send(response, "b", 1);
    hw_stream_end(response);
}

/* Resumes when nobody waits any more. */
static void *suspended_run(void *given)
{
    struct hw_response *response = given;
    while (!hw_is_cancelled(response))
        wait_ms(5);
    atomic_fetch_add(&cancelled, 1);
    hw_text_send(response, "too late");
    hw_resume(response);
    return NULL;
}

void suspended(const struct hw_request *request, struct hw_response *response)
{
    pthread_t thread;
    (void)request;
    hw_suspend(response);
    if (pthread_create(&thread, NULL, suspended_run, response) == 0)
        pthread_detach(thread);
    else
        hw_resume(response);
}

/* ---- What became of them. */

void get_states(const struct hw_request *request, struct hw_response *response)
{
    (void)request;
    number_send(response, atomic_load(&live_states));
}

void get_releases(const struct hw_request *request, struct hw_response *response)
{
    (void)request;
    number_send(response, atomic_load(&releases));
}

void get_cancelled(const struct hw_request *request, struct hw_response *response)
{
    (void)request;
    number_send(response, atomic_load(&cancelled));
}

void get_running(const struct hw_request *request, struct hw_response *response)
{
    (void)request;
    number_send(response, atomic_load(&running));
}

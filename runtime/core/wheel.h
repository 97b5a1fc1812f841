/* The timer wheel: one timer a connection, never early, at most one tick late.
 *
 * A hashed wheel (Varghese and Lauck, 1987, scheme 6) with lazy moves: pushing a deadline back, which happens with every
 * request, only stores it; the timer is moved when its old slot comes by. It reads no clock: the caller says what time
 * it is, so that tests use a clock of their own.
 */
#ifndef HW_CORE_WHEEL_H
#define HW_CORE_WHEEL_H

#include <stdint.h>

#include "core/list.h"

#define HW_WHEEL_SLOTS 512u
#define HW_WHEEL_TICK_MS 32u

struct hw_timer {
    struct hw_list node;
    uint64_t deadline_ms;
    uint64_t slot_tick; /* when the slot that it stands in comes by */
    void (*expired)(struct hw_timer *timer);
};

/* Owned by one IO thread. */
struct hw_wheel {
    struct hw_list slots[HW_WHEEL_SLOTS];
    uint64_t occupied[HW_WHEEL_SLOTS / 64]; /* a bit for each slot that may hold a timer */
    uint64_t tick;                          /* every slot before this tick was visited */
};

static void hw_wheel_init(struct hw_wheel *wheel, uint64_t now_ms);

/* Sets or moves the timer; `expired` is called by hw_wheel_advance once now_ms has reached the deadline. */
static void hw_wheel_set(struct hw_wheel *wheel, struct hw_timer *timer, uint64_t deadline_ms);

static void hw_wheel_clear(struct hw_timer *timer);

/* Calls what has expired by now. A callback may set and clear any timer. */
static void hw_wheel_advance(struct hw_wheel *wheel, uint64_t now_ms);

/* Milliseconds until hw_wheel_advance may have something to do; -1: nothing is set. */
static int hw_wheel_wait_ms(const struct hw_wheel *wheel, uint64_t now_ms);

#endif

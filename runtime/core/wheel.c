#include "core/wheel.h"

static void hw_wheel_init(struct hw_wheel *wheel, uint64_t now_ms)
{
    for (unsigned i = 0; i < HW_WHEEL_SLOTS; i++)
        hw_list_init(&wheel->slots[i]);
    for (unsigned i = 0; i < HW_WHEEL_SLOTS / 64; i++)
        wheel->occupied[i] = 0;
    wheel->tick = now_ms / HW_WHEEL_TICK_MS;
}

static void hw_wheel_place(struct hw_wheel *wheel, struct hw_timer *timer)
{
    /* Rounded up: the slot comes by when the deadline has passed. A deadline beyond one turn waits in the farthest
     * slot and is placed again from there. */
    uint64_t tick = timer->deadline_ms / HW_WHEEL_TICK_MS + 1;
    if (tick <= wheel->tick)
        tick = wheel->tick + 1;
    if (tick > wheel->tick + HW_WHEEL_SLOTS - 1)
        tick = wheel->tick + HW_WHEEL_SLOTS - 1;
    unsigned slot = (unsigned)(tick % HW_WHEEL_SLOTS);
    timer->slot_tick = tick;
    hw_list_append(&wheel->slots[slot], &timer->node);
    wheel->occupied[slot / 64] |= 1ull << slot % 64;
}

static void hw_wheel_set(struct hw_wheel *wheel, struct hw_timer *timer, uint64_t deadline_ms)
{
    timer->deadline_ms = deadline_ms;
    if (hw_list_is_in(&timer->node)) {
        if (timer->slot_tick <= deadline_ms / HW_WHEEL_TICK_MS + 1)
            return;
        hw_list_remove(&timer->node);
    }
    hw_wheel_place(wheel, timer);
}

static void hw_wheel_clear(struct hw_timer *timer)
{
    hw_list_remove(&timer->node);
}

static void hw_wheel_visit(struct hw_wheel *wheel, unsigned slot, uint64_t now_ms)
{
    /* Timers that a callback sets go to later slots, never to this one; the list may shrink under us, so that only its
     * head is trusted. */
    struct hw_list *list = &wheel->slots[slot];
    wheel->occupied[slot / 64] &= ~(1ull << slot % 64);
    while (!hw_list_is_empty(list)) {
        struct hw_timer *timer = HW_CONTAINER(list->next, struct hw_timer, node);
        hw_list_remove(&timer->node);
        if (timer->deadline_ms <= now_ms)
            timer->expired(timer);
        else
            hw_wheel_place(wheel, timer);
    }
}

static void hw_wheel_advance(struct hw_wheel *wheel, uint64_t now_ms)
{
    uint64_t now_tick = now_ms / HW_WHEEL_TICK_MS;
    if (now_tick > wheel->tick + HW_WHEEL_SLOTS) /* a long sleep: one turn visits every slot */
        wheel->tick = now_tick - HW_WHEEL_SLOTS;
    while (wheel->tick < now_tick) {
        wheel->tick++;
        unsigned slot = (unsigned)(wheel->tick % HW_WHEEL_SLOTS);
        if ((wheel->occupied[slot / 64] >> slot % 64 & 1) != 0)
            hw_wheel_visit(wheel, slot, now_ms);
    }
}

static int hw_wheel_wait_ms(const struct hw_wheel *wheel, uint64_t now_ms)
{
    for (uint64_t tick = wheel->tick + 1; tick < wheel->tick + HW_WHEEL_SLOTS;) {
        unsigned slot = (unsigned)(tick % HW_WHEEL_SLOTS);
        uint64_t bits = wheel->occupied[slot / 64] >> slot % 64;
        if (bits == 0) {
            tick += 64 - slot % 64;
            continue;
        }
        tick += (unsigned)__builtin_ctzll(bits);
        uint64_t at_ms = tick * HW_WHEEL_TICK_MS;
        return at_ms <= now_ms ? 0 : (int)(at_ms - now_ms);
    }
    return -1;
}

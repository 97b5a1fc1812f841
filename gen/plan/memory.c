/* The memory budget. The constants of NAME_config.h are variables of the same names here, so that the one list in
 * <hardwire/memory.h> serves both. */
#include "plan/memory.h"

#include <hardwire/memory.h>

#include "spec/spec.h"

static struct plan_memory_line *plan_memory_line_add(struct plan_memory *memory, const char *text, uint64_t bytes)
{
    struct plan_memory_line *line = &memory->lines[memory->count++];
    *line = (struct plan_memory_line){.text = text, .bytes = bytes};
    memory->sum += bytes;
    return line;
}

/* The keys to name when a line is too big, the likeliest first; one list a line of the budget. */
static const enum spec_key connections_keys[] = {KEY_LIMITS_CONNECTIONS, KEY_THREADS_IO};
static const enum spec_key exchanges_keys[] = {KEY_BUFFERS_COUNT, KEY_BUFFERS_SIZE, KEY_THREADS_IO};
static const enum spec_key bodies_keys[] = {KEY_BUFFERS_BODIES, KEY_LIMITS_BODY_SIZE, KEY_THREADS_IO};
static const enum spec_key sessions_keys[] = {KEY_LIMITS_CONNECTIONS, KEY_HTTP2_STREAMS, KEY_HTTP2_TABLE_SIZE};
static const enum spec_key outs_keys[] = {KEY_BUFFERS_COUNT, KEY_BUFFERS_SIZE, KEY_THREADS_IO};
static const enum spec_key tls_keys[] = {KEY_TLS_MEMORY_SIZE};
static const enum spec_key io_threads_keys[] = {KEY_THREADS_IO};
static const enum spec_key workers_keys[] = {KEY_THREADS_WORKERS, KEY_THREADS_STACK_SIZE};
static const enum spec_key process_keys[] = {KEY_LIMITS_MEMORY_SIZE};

void plan_memory_count(struct plan_memory *memory, const struct spec_model *model, uint64_t body_size)
{
/* A line may come or go with the runtime: no number needs to be used. */
#define NUMBER(id)                                                                                                     \
    const uint64_t HW_##id = model->numbers[KEY_##id].value;                                                           \
    (void)HW_##id
    NUMBER(THREADS_IO);
    NUMBER(THREADS_WORKERS);
    NUMBER(THREADS_QUEUE);
    NUMBER(THREADS_STACK_SIZE);
    NUMBER(BUFFERS_SIZE);
    NUMBER(BUFFERS_COUNT);
    NUMBER(BUFFERS_BODIES);
    NUMBER(LIMITS_CONNECTIONS);
    NUMBER(LIMITS_HEADERS);
    NUMBER(LIMITS_PARAMETERS);
    NUMBER(LIMITS_TARGET_SIZE);
    NUMBER(LIMITS_HEADER_SIZE);
    NUMBER(TLS_MEMORY_SIZE);
    NUMBER(HTTP2_STREAMS);
    NUMBER(HTTP2_TABLE_SIZE);
    NUMBER(HTTP2_FRAME_SIZE);
    NUMBER(HTTP2_WINDOW_SIZE);
#undef NUMBER
    const uint64_t HW_BODY_MEMORY_SIZE = body_size;
    const uint64_t HW_TLS = spec_has_tls(model);
    const uint64_t HW_HTTP2 = spec_has_protocol(model, SPEC_PROTOCOL_HTTP2);

    *memory = (struct plan_memory){0};
#define LINE(id, text, bytes)                                                                                          \
    {                                                                                                                  \
        struct plan_memory_line *line = plan_memory_line_add(memory, text, bytes);                                     \
        line->key_count = sizeof id##_keys / sizeof id##_keys[0];                                                      \
        memcpy(line->keys, id##_keys, sizeof id##_keys);                                                               \
    }
    HW_MEMORY_LINES(LINE)
#undef LINE
}

    /* The first of the line's keys that the spec sets, else SPEC_KEY_COUNT. */
    static enum spec_key plan_memory_key(const struct plan_memory_line *line, const struct spec_model *model)
    {
        for (size_t i = 0; i < line->key_count; i++)
            if (model->numbers[line->keys[i]].is_set)
                return line->keys[i];
        return SPEC_KEY_COUNT;
    }

    static const struct plan_memory_line *plan_memory_biggest(const struct plan_memory *memory)
    {
        const struct plan_memory_line *biggest = &memory->lines[0];
        for (size_t i = 1; i < memory->count; i++)
            if (memory->lines[i].bytes > biggest->bytes)
                biggest = &memory->lines[i];
        return biggest;
    }

    bool plan_memory_check(const struct plan_memory *memory, const struct spec_model *model,
                           struct diagnostics *diagnostics)
    {
        const struct spec_number *limit = &model->numbers[KEY_LIMITS_MEMORY_SIZE];
        if (memory->sum <= limit->value)
            return true;

        const struct plan_memory_line *biggest = plan_memory_biggest(memory);
        enum spec_key key = plan_memory_key(biggest, model);
        struct spec_place place = limit->place;
        if (!limit->is_set)
            place = key == SPEC_KEY_COUNT ? model->name_place : model->numbers[key].place;

        struct arena *arena = diagnostics->arena;
        struct text sum = plan_size_format(arena, memory->sum);
        struct text allowed = plan_size_format(arena, limit->value);
        struct diagnostic *diagnostic =
            diagnostic_add(diagnostics, DIAGNOSTIC_MEMORY_OVER, place,
                           "the server needs %.*s of memory, but limits.memory_size is %.*s%s", TEXT_ARGS(sum),
                           TEXT_ARGS(allowed), limit->is_set ? "" : " unless the spec sets it");
        struct text most = plan_size_format(arena, biggest->bytes);
        diagnostic_help(diagnostics, diagnostic,
                        "%.*s of it go to %s; lower that, or set limits.memory_size to at least %lluMiB",
                        TEXT_ARGS(most), biggest->text, (unsigned long long)((memory->sum + (1 << 20) - 1) >> 20));
        if (limit->is_set && key != SPEC_KEY_COUNT && key != KEY_LIMITS_MEMORY_SIZE)
            diagnostic_second(diagnostics, diagnostic, model->numbers[key].place, "the most of it is asked for here");
        return false;
    }

    struct text plan_size_format(struct arena *arena, uint64_t bytes)
    {
        static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB"};
        if (bytes < 1024)
            return arena_format(arena, "%llu bytes", (unsigned long long)bytes);
        size_t unit = 0;
        while (unit + 1 < sizeof units / sizeof units[0] && bytes >> (10 * (unit + 2)) != 0)
            unit++;
        /* Rounded up to a tenth, so that a sum just above a limit never reads like the limit. */
        uint64_t one = 1ull << (10 * (unit + 1));
        uint64_t tenths = bytes / one * 10 + (bytes % one * 10 + one - 1) / one;
        if (tenths % 10 == 0)
            return arena_format(arena, "%llu %s", (unsigned long long)(tenths / 10), units[unit]);
        return arena_format(arena, "%llu.%llu %s", (unsigned long long)(tenths / 10), (unsigned long long)(tenths % 10),
                            units[unit]);
    }

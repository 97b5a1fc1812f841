/* Any bytes are templates or get a message with a place. The input is up to three templates, "main", "a" and "b", with a
 * byte 0x1E between them. */
#include <stdlib.h>

#include "ctemplate/render.h"

struct input {
    struct text parts[3];
};

static bool source_give(void *user, struct text name, struct text *source)
{
    static const char *const names[] = {"main", "a", "b"};
    const struct input *input = user;
    for (size_t i = 0; i < 3; i++) {
        if (!text_is(name, names[i]) || input->parts[i].bytes == NULL)
            continue;
        *source = input->parts[i];
        return true;
    }
    return false;
}

/* Copies without a byte behind them, so that a read beyond the end is seen. */
static void input_split(struct input *input, const char *data, size_t size)
{
    for (size_t i = 0, at = 0; i < 3 && at <= size; i++) {
        const char *end = at == size ? NULL : memchr(data + at, 0x1E, size - at);
        size_t part = end == NULL || i == 2 ? size - at : (size_t)(end - data) - at;
        char *bytes = memory_take(part);
        if (part != 0)
            memcpy(bytes, data + at, part);
        input->parts[i] = (struct text){bytes, part};
        at += part + 1;
    }
}

static struct ct_value *context_make(struct arena *arena)
{
    struct ct_value *context = ct_map(arena);
    struct ct_value *list = ct_list(arena);
    struct ct_value *map = ct_map(arena);
    for (int64_t i = 0; i < 3; i++)
        ct_list_add(arena, list, ct_integer(arena, i));
    ct_map_set(arena, map, "k", ct_text(arena, TEXT("v")));
    ct_map_set(arena, map, "l", list);
    ct_map_set(arena, context, "n", ct_integer(arena, 3));
    ct_map_set(arena, context, "t", ct_text(arena, TEXT("te xt?\?=*/\n\377")));
    ct_map_set(arena, context, "s", ct_safe(arena, TEXT("a;")));
    ct_map_set(arena, context, "y", ct_bool(true));
    ct_map_set(arena, context, "o", ct_none());
    ct_map_set(arena, context, "l", list);
    ct_map_set(arena, context, "m", map);
    return context;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct ct_limits limits = {
        .output_size = 1 << 16, .made_size = 1 << 20, .iterations = 2000, .depth = 2000, .macros = 64, .includes = 16};
    struct arena arena = {0};
    struct buffer out = {0};
    struct ct_error error;
    struct input input = {0};
    input_split(&input, (const char *)data, size);
    bool is_good = ct_render_within(limits, &arena, source_give, &input, "main", context_make(&arena), &out, &error);
    if (is_good ? out.size > limits.output_size
                : error.file.size == 0 || error.line == 0 || error.column == 0 || error.message.size == 0)
        abort();
    buffer_free(&out);
    arena_free(&arena);
    for (size_t i = 0; i < 3; i++)
        free((char *)input.parts[i].bytes);
    return 0;
}

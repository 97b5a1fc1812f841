/* See names.h. */
#include "plan/names.h"

#include "base/buffer.h"
#include "spec/spec.h"

/* Longer names than this are cut: C compares at least 63 characters of a name, and a number may come behind. */
#define NAME_SIZE_MAX 48

void plan_name_reserve(struct plan_names *names, struct arena *arena, struct text name)
{
    size_t *next = arena_take(arena, sizeof *next);
    *next = 2;
    map_add(&names->taken, arena, name, next);
}

struct text plan_name_take(struct plan_names *names, struct arena *arena, struct text wanted)
{
    struct text name = wanted;
    size_t *next = map_find(&names->taken, wanted);
    while (map_find(&names->taken, name) != NULL)
        name = arena_format(arena, "%.*s_%zu", TEXT_ARGS(wanted), (*next)++);
    plan_name_reserve(names, arena, name);
    return name;
}

static bool is_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Adds the words of a text, with one underscore before each. */
static void words_add(struct buffer *out, struct text text)
{
    bool begins = true;
    for (size_t i = 0; i < text.size && out->size < NAME_SIZE_MAX; i++) {
        bool is_word = is_name_char(text.bytes[i]) && text.bytes[i] != '_';
        if (is_word && begins && out->size != 0)
            buffer_add_char(out, '_');
        if (is_word)
            buffer_add_char(out, text.bytes[i]);
        begins = !is_word;
    }
}

struct text plan_name_of_text(struct arena *arena, struct text text)
{
    struct buffer out = {0};
    words_add(&out, text);
    struct text name = arena_copy(arena, buffer_text(&out));
    buffer_free(&out);
    return name;
}

struct text plan_name_of_pattern(struct arena *arena, const struct spec_pattern *pattern, size_t segment_count,
                                 bool has_method)
{
    struct buffer out = {0};
    if (has_method)
        words_add(&out, text_of(pattern->method == SPEC_METHOD_ANY ? "ANY" : spec_method_name(pattern->method)));
    words_add(&out, pattern->host);
    for (size_t i = 0; i < segment_count; i++) {
        const struct spec_segment *segment = &pattern->segments[i];
        if (segment->kind == SPEC_SEGMENT_END)
            words_add(&out, TEXT("end"));
        else if (segment->kind == SPEC_SEGMENT_REST && segment->text.size == 0)
            words_add(&out, TEXT("all"));
        else
            words_add(&out, segment->text);
    }
    struct text name = arena_copy(arena, buffer_text(&out));
    buffer_free(&out);
    return name;
}

struct text plan_name_upper(struct arena *arena, struct text name)
{
    char *bytes = arena_take(arena, name.size + 1);
    for (size_t i = 0; i < name.size; i++)
        bytes[i] = name.bytes[i] >= 'a' && name.bytes[i] <= 'z' ? (char)(name.bytes[i] - 'a' + 'A') : name.bytes[i];
    return (struct text){bytes, name.size};
}

/* See diagnostics.h. */
#include "spec/diagnostics.h"

#include <stdlib.h>

#include "spec/utf8.h"

/* How many are shown, and how many are kept to find the first of them by place; the others are counted. */
#define SHOWN_MAX 20
#define KEPT_MAX 10000

/* The most code points of a source line that are shown, around the caret. */
#define COLUMNS_MAX 120

struct diagnostic *diagnostic_add(struct diagnostics *diagnostics, enum diagnostic_code code, struct spec_place place,
                                  const char *format, ...)
{
    struct diagnostic *diagnostic = &diagnostics->spare;
    *diagnostic = (struct diagnostic){0};
    if (diagnostics->count < KEPT_MAX)
        diagnostic = arena_take(diagnostics->arena, sizeof *diagnostic);
    if (diagnostics->count++ >= KEPT_MAX)
        return diagnostic;
    va_list arguments;
    va_start(arguments, format);
    *diagnostic = (struct diagnostic){.code = code, .place = place, .next = diagnostics->list};
    diagnostic->message = arena_vformat(diagnostics->arena, format, arguments);
    va_end(arguments);
    diagnostics->list = diagnostic;
    return diagnostic;
}

void diagnostic_help(struct diagnostics *diagnostics, struct diagnostic *diagnostic, const char *format, ...)
{
    if (diagnostic == &diagnostics->spare)
        return;
    va_list arguments;
    va_start(arguments, format);
    diagnostic->help = arena_vformat(diagnostics->arena, format, arguments);
    va_end(arguments);
}

void diagnostic_second(struct diagnostics *diagnostics, struct diagnostic *diagnostic, struct spec_place place,
                       const char *format, ...)
{
    if (diagnostic == &diagnostics->spare)
        return;
    va_list arguments;
    va_start(arguments, format);
    diagnostic->second = place;
    diagnostic->second_message = arena_vformat(diagnostics->arena, format, arguments);
    va_end(arguments);
}

const char *diagnostic_code_name(enum diagnostic_code code)
{
    static const char *const names[] = {
#define DIAGNOSTIC(id, code, summary) code,
#include "spec/diagnostics.def"
#undef DIAGNOSTIC
    };
    return names[code];
}

/* Controls, and what turns the direction of writing: neither reaches a terminal. */
static bool is_unsafe(uint32_t c)
{
    return c < 0x20 || (c >= 0x7F && c <= 0x9F) || c == 0x200E || c == 0x200F || (c >= 0x2028 && c <= 0x202E) ||
           (c >= 0x2066 && c <= 0x2069) || c == 0xFEFF;
}

/* A message: what a terminal may not see is written as an escape. */
static void safe_add(struct buffer *out, struct text text)
{
    uint32_t code_point;
    for (size_t i = 0, size; i < text.size; i += size) {
        size = utf8_decode(text.bytes + i, text.size - i, &code_point);
        if (size == 0) {
            size = 1;
            buffer_format(out, "\\x%02x", (unsigned char)text.bytes[i]);
        } else if (is_unsafe(code_point)) {
            buffer_format(out, code_point < 0x100 ? "\\x%02x" : "\\u%04x", (unsigned)code_point);
        } else {
            buffer_add(out, (struct text){text.bytes + i, size});
        }
    }
}

/* A piece of a source line: one column stays one column, so that the caret stands under its word. */
static void line_add(struct buffer *out, struct text text)
{
    uint32_t code_point;
    for (size_t i = 0, size; i < text.size; i += size) {
        size = utf8_decode(text.bytes + i, text.size - i, &code_point);
        if (size == 0 || (is_unsafe(code_point) && code_point != '\t')) {
            size = size == 0 ? 1 : size;
            buffer_add_char(out, '?');
        } else {
            buffer_add(out, (struct text){text.bytes + i, size});
        }
    }
}

/* Steps over `count` code points, forwards or backwards, within the line. */
static size_t step_forward(struct text source, size_t at, size_t end, size_t count)
{
    while (count-- > 0 && at < end) {
        at++;
        while (at < end && ((unsigned char)source.bytes[at] & 0xC0) == 0x80)
            at++;
    }
    return at;
}

static size_t step_back(struct text source, size_t at, size_t start, size_t count)
{
    while (count-- > 0 && at > start) {
        at--;
        while (at > start && ((unsigned char)source.bytes[at] & 0xC0) == 0x80)
            at--;
    }
    return at;
}

static bool is_line_end(char c)
{
    return c == '\n' || c == '\r';
}

/* The source line of a place and a caret line under it. */
static void source_add(struct buffer *out, struct text source, struct spec_place place)
{
    size_t at = place.offset < source.size ? place.offset : source.size;
    size_t start = at, end = at;
    while (start > 0 && !is_line_end(source.bytes[start - 1]))
        start--;
    while (end < source.size && !is_line_end(source.bytes[end]))
        end++;
    if (start == 0 && source.size >= 3 && memcmp(source.bytes, "\xEF\xBB\xBF", 3) == 0)
        start = at < 3 ? at : 3;
    size_t shown_start = start, shown_end = step_forward(source, start, end, COLUMNS_MAX);
    if (shown_end < end) {
        shown_start = step_back(source, at, start, COLUMNS_MAX / 2);
        shown_end = step_forward(source, at, end, COLUMNS_MAX - COLUMNS_MAX / 2);
    }
    const char *before = shown_start > start ? "..." : "";
    buffer_format(out, "%5u | %s", place.line, before);
    line_add(out, (struct text){source.bytes + shown_start, shown_end - shown_start});
    buffer_format(out, "%s\n      | %s", shown_end < end ? "..." : "", *before == '.' ? "   " : "");
    for (size_t i = shown_start, next; i < at; i = next) {
        next = step_forward(source, i, at, 1);
        buffer_add_char(out, source.bytes[i] == '\t' ? '\t' : ' ');
    }
    size_t stop = at + place.size < shown_end ? at + place.size : shown_end;
    size_t width = stop > at ? utf8_count((struct text){source.bytes + at, stop - at}) : 1;
    buffer_add_char(out, '^');
    while (--width > 0)
        buffer_add_char(out, '~');
    buffer_add_char(out, '\n');
}

static void place_add(struct buffer *out, const struct diagnostics *diagnostics, struct spec_place place)
{
    safe_add(out, diagnostics->file);
    if (place.line != 0)
        buffer_format(out, ":%u:%u", place.line, place.column);
}

static void diagnostic_render(const struct diagnostics *diagnostics, const struct diagnostic *diagnostic,
                              struct buffer *out)
{
    place_add(out, diagnostics, diagnostic->place);
    buffer_add(out, TEXT(": error: "));
    safe_add(out, diagnostic->message);
    buffer_format(out, " [%s]\n", diagnostic_code_name(diagnostic->code));
    if (diagnostic->place.line != 0)
        source_add(out, diagnostics->source, diagnostic->place);
    if (diagnostic->second.line != 0) {
        place_add(out, diagnostics, diagnostic->second);
        buffer_add(out, TEXT(": note: "));
        safe_add(out, diagnostic->second_message);
        buffer_add_char(out, '\n');
        source_add(out, diagnostics->source, diagnostic->second);
    }
    if (diagnostic->help.size != 0) {
        buffer_add(out, TEXT("  help: "));
        safe_add(out, diagnostic->help);
        buffer_add_char(out, '\n');
    }
}

/* By place; at one place in the order of the codes, then of the texts, so that the order depends on nothing else. */
static int diagnostic_compare(const void *a, const void *b)
{
    const struct diagnostic *x = *(const struct diagnostic *const *)a;
    const struct diagnostic *y = *(const struct diagnostic *const *)b;
    if (x->place.line != y->place.line)
        return x->place.line < y->place.line ? -1 : 1;
    if (x->place.offset != y->place.offset)
        return x->place.offset < y->place.offset ? -1 : 1;
    if (x->code != y->code)
        return x->code < y->code ? -1 : 1;
    return text_compare(x->message, y->message);
}

void diagnostics_render(const struct diagnostics *diagnostics, struct buffer *out)
{
    size_t kept = diagnostics->count < KEPT_MAX ? diagnostics->count : KEPT_MAX;
    const struct diagnostic **sorted = memory_take(kept * sizeof(struct diagnostic *));
    size_t i = 0;
    for (const struct diagnostic *diagnostic = diagnostics->list; diagnostic != NULL; diagnostic = diagnostic->next)
        sorted[i++] = diagnostic;
    qsort(sorted, kept, sizeof(struct diagnostic *), diagnostic_compare);
    size_t shown = kept < SHOWN_MAX ? kept : SHOWN_MAX;
    for (i = 0; i < shown; i++)
        diagnostic_render(diagnostics, sorted[i], out);
    free(sorted);
    size_t more = diagnostics->count - shown;
    if (more != 0)
        buffer_format(out, "%zu more error%s\n", more, more == 1 ? "" : "s");
}

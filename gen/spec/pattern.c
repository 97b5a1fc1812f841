/* See pattern.h. Also the methods' part of spec.h. */
#include "spec/pattern.h"

#define HW_PREFIX hardwire
#include <hardwire/generated.h>

#include "base/buffer.h"
#include "spec/names.h"
#include "spec/place.h"
#include "spec/spec.h"
#include "spec/suggest.h"
#include "spec/utf8.h"

#define HOST_SIZE_MAX 253

struct parser {
    struct arena *arena;
    struct diagnostics *diagnostics;
    struct text text;
    struct spec_place place;
    struct spec_pattern *pattern;
    size_t wildcards;
};

static const char *const methods[HW_METHOD_COUNT] = {
#define METHOD_NAME(name) #name,
    HW_METHODS(METHOD_NAME)
#undef METHOD_NAME
};

const char *spec_method_name(int method)
{
    return method == SPEC_METHOD_ANY ? "" : methods[method];
}

/* Reports a part of the pattern; the caller adds help. */
__attribute__((format(printf, 4, 5))) static struct diagnostic *refuse(struct parser *parser, enum diagnostic_code code,
                                                                       struct text part, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    struct text message = arena_vformat(parser->arena, format, arguments);
    va_end(arguments);
    size_t from = (size_t)(part.bytes - parser->text.bytes);
    struct spec_place place = place_part(parser->diagnostics->source, parser->place, parser->text, from, part.size);
    return diagnostic_add(parser->diagnostics, code, place, "%.*s", TEXT_ARGS(message));
}

__attribute__((format(printf, 3, 4))) static bool help(struct parser *parser, struct diagnostic *error,
                                                       const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    struct text text = arena_vformat(parser->arena, format, arguments);
    va_end(arguments);
    diagnostic_help(parser->diagnostics, error, "%.*s", TEXT_ARGS(text));
    return false;
}

static struct text text_from(struct text text, size_t from)
{
    return (struct text){text.bytes + from, text.size - from};
}

static size_t text_find(struct text text, const char *any)
{
    size_t i = 0;
    while (i < text.size && (text.bytes[i] == '\0' || strchr(any, text.bytes[i]) == NULL))
        i++;
    return i;
}

/* ---- The method. */

static bool method_parse(struct parser *parser, struct text method, struct text rest)
{
    struct suggestion suggestion = {.word = method};
    for (int i = 0; i < HW_METHOD_COUNT; i++) {
        if (i != HW_METHOD_CONNECT && text_is(method, methods[i])) {
            parser->pattern->method = i;
            return true;
        }
        if (i != HW_METHOD_CONNECT)
            suggestion_offer(&suggestion, text_of(methods[i]));
    }
    if (text_find(method, "/") < method.size)
        return help(parser,
                    refuse(parser, DIAGNOSTIC_PATTERN_CHARACTER, (struct text){method.bytes + method.size, 1},
                           "a path has no blank"),
                    "write %%20 for a blank in a path");
    if (text_is(method, "CONNECT"))
        return help(parser, refuse(parser, DIAGNOSTIC_PATTERN_METHOD, method, "CONNECT cannot be routed"),
                    "it asks for a tunnel and has no path");
    struct diagnostic *error =
        refuse(parser, DIAGNOSTIC_PATTERN_METHOD, method, "there is no method \"%.*s\"", TEXT_ARGS(method));
    if (text_is(method, "*") || text_is(method, "ANY") || text_is(method, "ALL") || method.size == 0)
        return help(parser, error, "leave the method out to match every method: %.*s", TEXT_ARGS(rest));
    if (suggestion.best.size != 0)
        return help(parser, error, suggestion.distance == 0 ? "write %.*s %.*s" : "did you mean %.*s %.*s?",
                    TEXT_ARGS(suggestion.best), TEXT_ARGS(rest));
    return help(parser, error,
                "methods are written in capitals, as in GET or POST; without one a pattern matches "
                "every method");
}

/* ---- The host. */

static bool host_parse(struct parser *parser, struct text host)
{
    char *lower = arena_take(parser->arena, host.size + 1);
    size_t colon = text_find(host, ":");
    if (colon < host.size && host.bytes[0] != '[')
        return help(parser, refuse(parser, DIAGNOSTIC_PATTERN_HOST, text_from(host, colon), "a host has no port here"),
                    "leave it out: `listen` decides on ports");
    for (size_t i = 0; i < host.size; i++) {
        char c = host.bytes[i];
        bool is_letter =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
        bool is_dot = c == '.' && i > 0 && host.bytes[i - 1] != '.' && i + 1 < host.size;
        if (!is_letter && !is_dot)
            return help(parser,
                        refuse(parser, DIAGNOSTIC_PATTERN_HOST, (struct text){host.bytes + i, 1},
                               "\"%.*s\" is not a host name", TEXT_ARGS(host)),
                        c == '{' ? "a host has no wildcards; a path begins with a slash"
                                 : "a host is letters, digits, '-' and '.', as in www.example.com");
        lower[i] = c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
    }
    if (host.size > HOST_SIZE_MAX)
        return help(parser, refuse(parser, DIAGNOSTIC_PATTERN_HOST, host, "a host name of %zu bytes", host.size),
                    "no host name is longer than %d bytes", HOST_SIZE_MAX);
    parser->pattern->host = (struct text){lower, host.size};
    return true;
}

/* ---- Segments. */

static int hex_value(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Takes the escape at literal[i]; its byte, or -1 after a report. */
static int escape_take(struct parser *parser, struct text literal, size_t i)
{
    size_t size = literal.size - i < 3 ? literal.size - i : 3;
    struct text part = {literal.bytes + i, size};
    int high = size == 3 ? hex_value(part.bytes[1]) : -1, low = size == 3 ? hex_value(part.bytes[2]) : -1;
    if (high < 0 || low < 0) {
        help(parser,
             refuse(parser, DIAGNOSTIC_PATTERN_ESCAPE, part, "\"%.*s\" is not a percent escape", TEXT_ARGS(part)),
             "an escape is %% and two hexadecimal digits; write %%25 for a percent sign");
        return -1;
    }
    int byte = high * 16 + low;
    if (byte == '/') {
        help(parser, refuse(parser, DIAGNOSTIC_PATTERN_ESCAPE, part, "an encoded slash never separates segments"),
             "write / between segments; a wildcard matches a segment that holds an encoded slash");
        return -1;
    }
    if (byte < 0x20 || byte == 0x7F) {
        help(parser, refuse(parser, DIAGNOSTIC_PATTERN_ESCAPE, part, "%.*s is a control character", TEXT_ARGS(part)),
             "match such a segment with a wildcard and look at it in the handler");
        return -1;
    }
    return byte;
}

/* Reports a character that stands in no path. */
static bool character_check(struct parser *parser, struct text literal, size_t i)
{
    char c = literal.bytes[i];
    struct text part = {literal.bytes + i, 1};
    if (c == '?' || c == '#')
        return help(parser, refuse(parser, DIAGNOSTIC_PATTERN_CHARACTER, part, "a path has no \"%c\"", c),
                    c == '?' ? "a query is no part of a pattern: read it in the handler, or write %%3F"
                             : "a fragment never reaches a server; write %%23 for the character");
    if (c == '*')
        return help(parser, refuse(parser, DIAGNOSTIC_PATTERN_CHARACTER, part, "\"*\" is not a wildcard here"),
                    "write {name} for one segment, {name...} for the rest, or %%2A for the character");
    if (c == ' ')
        return help(parser, refuse(parser, DIAGNOSTIC_PATTERN_CHARACTER, part, "a path has no blank"),
                    "write %%20 for a blank in a path");
    if (c == '}')
        return help(parser, refuse(parser, DIAGNOSTIC_PATTERN_CHARACTER, part, "\"}\" closes no wildcard"),
                    "write {name} for a wildcard, or %%7D for the character");
    if ((unsigned char)c < 0x20 || c == 0x7F)
        return help(parser, refuse(parser, DIAGNOSTIC_PATTERN_CHARACTER, part, "a path has no control character"),
                    "leave it out");
    return true;
}

static struct spec_segment *segment_add(struct parser *parser, enum spec_segment_kind kind, struct text text)
{
    struct spec_segment *segment = &parser->pattern->segments[parser->pattern->segment_count++];
    *segment = (struct spec_segment){kind, text};
    return segment;
}

static bool literal_parse(struct parser *parser, struct text literal)
{
    char *decoded = arena_take(parser->arena, literal.size + 1);
    size_t size = 0;
    for (size_t i = 0; i < literal.size; i++) {
        int byte = (unsigned char)literal.bytes[i];
        if (byte == '%') {
            byte = escape_take(parser, literal, i);
            i += 2;
            if (byte < 0)
                return false;
        } else if (!character_check(parser, literal, i)) {
            return false;
        }
        decoded[size++] = (char)byte;
    }
    struct text text = {decoded, size};
    if (text_is(text, ".") || text_is(text, ".."))
        return help(parser,
                    refuse(parser, DIAGNOSTIC_PATTERN_SEGMENT, literal, "no request has a segment \"%s\"", decoded),
                    "dot segments are resolved before a request is routed: write the path without them");
    if (!utf8_is_valid(text))
        return help(parser, refuse(parser, DIAGNOSTIC_PATTERN_ESCAPE, literal, "these escapes are not UTF-8"),
                    "encode each character as UTF-8, as in caf%%C3%%A9");
    segment_add(parser, SPEC_SEGMENT_LITERAL, text);
    return true;
}

/* "{x}" out of "{x:int}", "{*x}" or "b_{x}", for a help; empty when there is nothing like it. */
static struct text wildcard_repair(struct parser *parser, struct text segment)
{
    size_t start = text_find(segment, "{");
    while (start < segment.size && !name_is_identifier((struct text){segment.bytes + start, 1}))
        start++;
    size_t end = start;
    while (end < segment.size && name_is_identifier((struct text){segment.bytes + start, end + 1 - start}))
        end++;
    return start == end ? TEXT("{name}")
                        : arena_format(parser->arena, "{%.*s}", (int)(end - start), segment.bytes + start);
}

static bool wildcard_name_check(struct parser *parser, struct text name)
{
    for (size_t i = 0; i < parser->pattern->segment_count; i++) {
        const struct spec_segment *earlier = &parser->pattern->segments[i];
        if (earlier->kind != SPEC_SEGMENT_LITERAL && text_is_equal(earlier->text, name))
            return help(parser,
                        refuse(parser, DIAGNOSTIC_PATTERN_TWICE, name, "two wildcards are named %.*s", TEXT_ARGS(name)),
                        "give each its own name: a handler gets them by name");
    }
    const char *problem = name_parameter_problem(name);
    if (problem != NULL)
        return help(
            parser,
            refuse(parser, DIAGNOSTIC_PATTERN_NAME, name, "the wildcard's name \"%.*s\" %s", TEXT_ARGS(name), problem),
            "a handler gets it as a member of a struct: write a C identifier such as %.*s_value",
            name_is_identifier(name) && name.bytes[0] != '_' && name.size < 40 ? (int)name.size : 4,
            name_is_identifier(name) && name.bytes[0] != '_' && name.size < 40 ? name.bytes : "path");
    if (parser->wildcards++ == HW_CAPTURES_MAX)
        return help(parser, refuse(parser, DIAGNOSTIC_PATTERN_SIZE, name, "more than %d wildcards", HW_CAPTURES_MAX),
                    "match the rest with one {name...}");
    return true;
}

/* A segment with a brace in it; `is_last`: no slash stands behind it. */
static bool wildcard_parse(struct parser *parser, struct text segment, bool is_last)
{
    size_t brace = text_find(segment, "{");
    if (brace != 0 || segment.bytes[segment.size - 1] != '}' || text_find(segment, "}") != segment.size - 1 ||
        text_find(text_from(segment, 1), "{") != segment.size - 1) {
        struct text repaired = wildcard_repair(parser, segment);
        return help(parser,
                    refuse(parser, DIAGNOSTIC_PATTERN_WILDCARD, segment,
                           "a wildcard is a whole segment, unlike \"%.*s\"", TEXT_ARGS(segment)),
                    "write %.*s and look at its text in the handler", TEXT_ARGS(repaired));
    }
    struct text name = {segment.bytes + 1, segment.size - 2};
    if (text_is(name, "$")) {
        if (!is_last)
            return help(parser, refuse(parser, DIAGNOSTIC_PATTERN_WILDCARD, segment, "{$} is not at the end"),
                        "it matches the end of a path: leave it out here");
        segment_add(parser, SPEC_SEGMENT_END, TEXT(""));
        return true;
    }
    bool is_rest = name.size >= 3 && memcmp(name.bytes + name.size - 3, "...", 3) == 0;
    if (is_rest)
        name.size -= 3;
    if (is_rest && !is_last)
        return help(parser,
                    refuse(parser, DIAGNOSTIC_PATTERN_WILDCARD, segment, "%.*s is not at the end", TEXT_ARGS(segment)),
                    "write {%.*s} for one segment, or end the pattern with it", TEXT_ARGS(name));
    if (name.size == 0)
        return help(parser, refuse(parser, DIAGNOSTIC_PATTERN_WILDCARD, segment, "a wildcard has no name"),
                    "write {name%s}", is_rest ? "..." : "");
    struct text repaired = wildcard_repair(parser, segment);
    if (!name_is_identifier(name) && text_find(name, ":*?<+|") < name.size)
        return help(parser,
                    refuse(parser, DIAGNOSTIC_PATTERN_WILDCARD, segment, "a wildcard holds its name alone, unlike %.*s",
                           TEXT_ARGS(segment)),
                    "write %.*s; its type and range stand under params", TEXT_ARGS(repaired));
    if (!wildcard_name_check(parser, name))
        return false;
    segment_add(parser, is_rest ? SPEC_SEGMENT_REST : SPEC_SEGMENT_ONE, name);
    return true;
}

static bool path_parse(struct parser *parser, struct text path)
{
    size_t slashes = 0;
    for (size_t i = 0; i < path.size; i++)
        slashes += path.bytes[i] == '/';
    if (slashes > PATTERN_SEGMENTS_MAX)
        return help(parser, refuse(parser, DIAGNOSTIC_PATTERN_SIZE, path, "a path of %zu segments", slashes),
                    "a pattern has at most %d", PATTERN_SEGMENTS_MAX);
    parser->pattern->segments = arena_take_array(parser->arena, slashes, sizeof *parser->pattern->segments);
    while (path.size != 0) {
        path = text_from(path, 1);
        size_t size = text_find(path, "/");
        struct text segment = {path.bytes, size};
        bool is_last = size == path.size;
        path = text_from(path, size);
        if (size == 0 && !is_last)
            return help(parser,
                        refuse(parser, DIAGNOSTIC_PATTERN_SEGMENT, (struct text){segment.bytes - 1, 2},
                               "no request has an empty segment"),
                        "double slashes are joined before a request is routed: write one");
        bool is_fine = true;
        if (size == 0)
            segment_add(parser, SPEC_SEGMENT_REST, TEXT(""));
        else if (text_find(segment, "{") < size)
            is_fine = wildcard_parse(parser, segment, is_last);
        else
            is_fine = literal_parse(parser, segment);
        if (!is_fine)
            return false;
    }
    return true;
}

/* ---- The canonical spelling. */

void pattern_segment_add(struct buffer *out, struct text decoded)
{
    for (size_t i = 0; i < decoded.size; i++)
        if (decoded.bytes[i] != '\0' && strchr("{}%?#* ", decoded.bytes[i]) != NULL)
            buffer_format(out, "%%%02X", (unsigned char)decoded.bytes[i]);
        else
            buffer_add_char(out, decoded.bytes[i]);
}

static struct text pattern_write(struct arena *arena, const struct spec_pattern *pattern)
{
    struct buffer out = {0};
    if (pattern->method != SPEC_METHOD_ANY)
        buffer_format(&out, "%s ", spec_method_name(pattern->method));
    buffer_add(&out, pattern->host);
    for (size_t i = 0; i < pattern->segment_count; i++) {
        const struct spec_segment *segment = &pattern->segments[i];
        buffer_add_char(&out, '/');
        if (segment->kind == SPEC_SEGMENT_LITERAL)
            pattern_segment_add(&out, segment->text);
        else if (segment->kind == SPEC_SEGMENT_END)
            buffer_add(&out, TEXT("{$}"));
        else if (segment->text.size != 0)
            buffer_format(&out, "{%.*s%s}", TEXT_ARGS(segment->text), segment->kind == SPEC_SEGMENT_REST ? "..." : "");
    }
    struct text written = arena_copy(arena, buffer_text(&out));
    buffer_free(&out);
    return written;
}

bool pattern_parse(struct arena *arena, struct diagnostics *diagnostics, struct text text, struct spec_place place,
                   struct spec_pattern *pattern)
{
    *pattern = (struct spec_pattern){.method = SPEC_METHOD_ANY, .host = TEXT("")};
    struct parser parser = {arena, diagnostics, text, place, pattern, 0};
    size_t blank = text_find(text, " \t");
    struct text rest = text;
    if (blank < text.size) {
        size_t from = blank;
        while (from < text.size && (text.bytes[from] == ' ' || text.bytes[from] == '\t'))
            from++;
        rest = text_from(text, from);
        if (!method_parse(&parser, (struct text){text.bytes, blank}, rest))
            return false;
    }
    size_t slash = text_find(rest, "/");
    if (slash == rest.size) {
        struct diagnostic *error = refuse(&parser, DIAGNOSTIC_PATTERN_SLASH, rest,
                                          "a path begins with a slash, unlike \"%.*s\"", TEXT_ARGS(rest));
        return help(&parser, error, "write %.*s/%.*s", (int)(rest.bytes - text.bytes), text.bytes, TEXT_ARGS(rest));
    }
    if (!host_parse(&parser, (struct text){rest.bytes, slash}) || !path_parse(&parser, text_from(rest, slash)))
        return false;
    pattern->written = pattern_write(arena, pattern);
    return true;
}

/* See value.h. */
#include "spec/value.h"

#include "spec/keys.h"
#include "spec/listen_tls.h"
#include "spec/scalar.h"
#include "spec/suggest.h"

#define SHOWN_MAX 60

const char *value_shorten(struct spec_reader *reader, struct text text)
{
    if (text.size <= SHOWN_MAX)
        return arena_copy(reader->arena, text).bytes;
    size_t size = SHOWN_MAX - 3;
    while (size > 0 && ((unsigned char)text.bytes[size] & 0xC0) == 0x80)
        size--;
    return arena_format(reader->arena, "%.*s...", (int)size, text.bytes).bytes;
}

static bool is_null(const struct yaml_node *node)
{
    return node->kind == YAML_SCALAR && node->style == YAML_PLAIN &&
           (text_is(node->text, "null") || text_is(node->text, "~") || text_is(node->text, "Null") ||
            text_is(node->text, "NULL"));
}

static void empty_refuse(struct spec_reader *reader, const struct yaml_node *node, const char *what)
{
    struct diagnostic *error =
        diagnostic_add(reader->diagnostics, DIAGNOSTIC_EMPTY_VALUE, node->place, "%s has no value", what);
    if (node->kind == YAML_EMPTY)
        diagnostic_help(reader->diagnostics, error, "write a value, or leave it out");
    else
        diagnostic_help(reader->diagnostics, error, "quote it if it is a text: \"%s\"", node->text.bytes);
}

static const char *kind_name(enum yaml_kind kind)
{
    return kind == YAML_SCALAR ? "a text or number" : kind == YAML_SEQUENCE ? "a list" : "a mapping";
}

static bool kind_check(struct spec_reader *reader, const struct yaml_node *node, enum yaml_kind kind, const char *what,
                       const char *example)
{
    if (node->kind == YAML_POISON)
        return false;
    if (node->kind == YAML_EMPTY || is_null(node)) {
        empty_refuse(reader, node, what);
        return false;
    }
    if (node->kind == kind)
        return true;
    struct diagnostic *error = diagnostic_add(reader->diagnostics, DIAGNOSTIC_WRONG_KIND, node->place,
                                              "%s must be %s, not %s", what, kind_name(kind), kind_name(node->kind));
    if (kind == YAML_SCALAR && node->style == YAML_FLOW)
        diagnostic_help(reader->diagnostics, error, "quote a text that begins with %c",
                        node->kind == YAML_MAPPING ? '{' : '[');
    else if (*example != '\0')
        diagnostic_help(reader->diagnostics, error, "write %s", example);
    return false;
}

bool value_is_scalar(struct spec_reader *reader, const struct yaml_node *node, const char *what, const char *example)
{
    return kind_check(reader, node, YAML_SCALAR, what, example);
}

bool value_is_mapping(struct spec_reader *reader, const struct yaml_node *node, const char *what, const char *example)
{
    return kind_check(reader, node, YAML_MAPPING, what, example);
}

bool value_is_sequence(struct spec_reader *reader, const struct yaml_node *node, const char *what, const char *example)
{
    return kind_check(reader, node, YAML_SEQUENCE, what, example);
}

void value_key_refuse(struct spec_reader *reader, const struct yaml_node *node, const char *where, struct text best,
                      const char *known)
{
    struct diagnostics *diagnostics = reader->diagnostics;
    const char *name = value_shorten(reader, node->key);
    if (key_is_planned(node->key)) {
        diagnostic_add(diagnostics, DIAGNOSTIC_UNSUPPORTED, node->key_place, "%s is not supported yet", name);
        return;
    }
    struct diagnostic *error =
        diagnostic_add(diagnostics, DIAGNOSTIC_UNKNOWN_KEY, node->key_place, "there is no key \"%s\" %s", name, where);
    if (best.size != 0)
        diagnostic_help(diagnostics, error, "did you mean %.*s?", TEXT_ARGS(best));
    else if (node->kind == YAML_EMPTY)
        diagnostic_help(diagnostics, error, "if it is a part of the text before it, quote that text as a whole");
    else
        diagnostic_help(diagnostics, error, "there is %s", known);
}

int value_choice_read(struct spec_reader *reader, const struct yaml_node *node, const char *what,
                      const char *const *choices, size_t count)
{
    struct suggestion suggestion = {.word = node->text};
    struct text list = TEXT("");
    for (size_t i = 0; i < count; i++) {
        const char *before = i == 0 ? "" : i + 1 == count ? " or " : ", ";
        list = arena_format(reader->arena, "%.*s%s%s", TEXT_ARGS(list), before, choices[i]);
        suggestion_offer(&suggestion, text_of(choices[i]));
    }
    if (!value_is_scalar(reader, node, what, list.bytes))
        return -1;
    for (size_t i = 0; i < count; i++)
        if (text_is(node->text, choices[i]))
            return (int)i;
    if (key_is_planned(node->text)) {
        diagnostic_add(reader->diagnostics, DIAGNOSTIC_UNSUPPORTED, node->place, "%s is not supported yet",
                       node->text.bytes);
        return -1;
    }
    struct diagnostic *error = diagnostic_add(reader->diagnostics, DIAGNOSTIC_BAD_CHOICE, node->place,
                                              "%s cannot be \"%s\"", what, value_shorten(reader, node->text));
    if (suggestion.best.size != 0)
        diagnostic_help(reader->diagnostics, error, "did you mean %.*s?", TEXT_ARGS(suggestion.best));
    else
        diagnostic_help(reader->diagnostics, error, "write %.*s", TEXT_ARGS(list));
    return -1;
}

bool value_number_read(struct spec_reader *reader, const struct yaml_node *node, enum spec_key key,
                       struct spec_number *number)
{
    const struct spec_key_row *row = spec_key_row(key);
    const char *example = arena_format(reader->arena, "%.*s: %s", TEXT_ARGS(node->key), row->standard).bytes;
    if (!value_is_scalar(reader, node, row->path, example))
        return false;
    struct scalar_fault fault;
    uint64_t value;
    if (!scalar_read(reader->arena, row, node->text, &value, &fault)) {
        struct diagnostic *error =
            diagnostic_add(reader->diagnostics, fault.code, node->place, "%.*s", TEXT_ARGS(fault.message));
        diagnostic_help(reader->diagnostics, error, "%.*s", TEXT_ARGS(fault.help));
        return false;
    }
    *number = (struct spec_number){.value = value, .is_set = true, .written = node->text, .place = node->place};
    return true;
}

/* The keys below `parent`, for a help: "io, workers, queue". */
static const char *keys_list(struct spec_reader *reader, struct text parent, bool is_route)
{
    struct text list = TEXT("");
    for (int key = 0; key < SPEC_KEY_COUNT; key++) {
        const struct spec_key_row *row = spec_key_row((enum spec_key)key);
        const char *dot = strchr(row->path, '.');
        if (dot == NULL || !text_is_equal(parent, (struct text){row->path, (size_t)(dot - row->path)}) ||
            (is_route && !row->on_route))
            continue;
        list = arena_format(reader->arena, "%.*s%s%s", TEXT_ARGS(list), list.size == 0 ? "" : ", ", dot + 1);
    }
    return list.bytes;
}

/* A key that acts before there is a route, or for the whole server. */
static void level_refuse(struct spec_reader *reader, const struct yaml_node *node, enum spec_key key,
                         enum spec_key parent)
{
    static const enum spec_key before_routing[] = {KEY_LIMITS_HEADERS, KEY_LIMITS_COOKIES, KEY_LIMITS_TARGET_SIZE,
                                                   KEY_LIMITS_HEADER_SIZE, KEY_TIMEOUTS_HEADER};
    const struct spec_key_row *row = spec_key_row(key);
    const char *why = "holds for the whole server";
    for (size_t i = 0; i < sizeof before_routing / sizeof before_routing[0]; i++)
        if (before_routing[i] == key)
            why = "acts before there is a route";
    struct diagnostic *error = diagnostic_add(reader->diagnostics, DIAGNOSTIC_KEY_LEVEL, node->key_place,
                                              "%s %s and cannot be set in one", row->path, why);
    diagnostic_help(reader->diagnostics, error, "set it at the top of the spec; a route may have %s",
                    keys_list(reader, text_of(spec_key_row(parent)->path), true));
}

void value_numbers_read(struct spec_reader *reader, const struct yaml_node *node, enum spec_key parent, bool is_route,
                        struct spec_number *numbers)
{
    const char *path = spec_key_row(parent)->path;
    const char *known = keys_list(reader, text_of(path), is_route);
    const char *example = arena_format(reader->arena, "%s: {KEY: VALUE} with the keys %s", path, known).bytes;
    if (!value_is_mapping(reader, node, path, example))
        return;
    for (const struct yaml_node *child = node->first; child != NULL; child = child->next) {
        enum spec_key key = key_find(text_of(path), child->key);
        if (key == SPEC_KEY_COUNT) {
            const char *where = arena_format(reader->arena, "in %s", path).bytes;
            enum spec_key elsewhere = key_find_elsewhere(text_of(path), child->key);
            struct text best = key_suggest(text_of(path), child->key, is_route);
            if (best.size == 0 && elsewhere != SPEC_KEY_COUNT)
                best = text_of(spec_key_row(elsewhere)->path);
            if (parent == KEY_TLS && best.size == 0 && listen_tls_has_key(child->key))
                best = arena_format(reader->arena, "listen: {port: 8443, tls: {%.*s: ...}}", TEXT_ARGS(child->key));
            value_key_refuse(reader, child, where, best, known);
        } else if (is_route && !spec_key_row(key)->on_route) {
            level_refuse(reader, child, key, parent);
        } else if (!value_number_read(reader, child, key, &numbers[key]) && !is_route) {
            reader->is_poisoned[key] = true;
        }
    }
}

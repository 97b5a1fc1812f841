/* spec_read: walks the tree along the table of keys and fills the model. */
#include <stdlib.h>

#include "spec/keys.h"
#include "spec/listen.h"
#include "spec/names.h"
#include "spec/routes.h"
#include "spec/scalar.h"
#include "spec/spec.h"
#include "spec/value.h"

/* ---- Single keys. */

static void version_read(struct spec_reader *reader, const struct yaml_node *node)
{
    if (!value_is_scalar(reader, node, "hardwire", "hardwire: 1") || text_is(node->text, "1"))
        return;
    struct diagnostic *error =
        diagnostic_add(reader->diagnostics, DIAGNOSTIC_BAD_VERSION, node->place,
                       "\"%s\" is not a known version of the spec language", value_shorten(reader, node->text));
    diagnostic_help(reader->diagnostics, error, "write hardwire: 1");
}

static void name_read(struct spec_reader *reader, const struct yaml_node *node)
{
    if (!value_is_scalar(reader, node, "name", "name: shop"))
        return;
    const char *problem = name_product_problem(node->text);
    if (problem == NULL) {
        reader->model->name = node->text;
        reader->model->name_place = node->place;
        return;
    }
    struct diagnostic *error = diagnostic_add(reader->diagnostics, DIAGNOSTIC_BAD_NAME, node->place,
                                              "the name \"%s\" %s", value_shorten(reader, node->text), problem);
    struct text repaired = name_repair(reader->arena, node->text);
    if (repaired.size != 0 && name_product_problem(repaired) == NULL)
        diagnostic_help(reader->diagnostics, error, "it is the prefix of every file and symbol; write %.*s",
                        TEXT_ARGS(repaired));
    else
        diagnostic_help(reader->diagnostics, error,
                        "it is the prefix of every file and symbol: letters, digits and '_', "
                        "as in shop");
}

/* Names that every make and every shell takes without quoting. */
static const char *source_problem(struct text path)
{
    for (size_t i = 0; i < path.size; i++) {
        unsigned char c = (unsigned char)path.bytes[i];
        bool is_fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c >= 0x80 ||
                       (c != '\0' && strchr("._-+,@/", c) != NULL);
        if (!is_fine)
            return "holds a character that a makefile cannot";
    }
    if (path.size < 3 || memcmp(path.bytes + path.size - 2, ".c", 2) != 0 || path.bytes[path.size - 3] == '/')
        return "is not the name of a C file";
    if (path.bytes[0] == '/')
        return "is not relative to the spec";
    return path.bytes[0] == '-' ? "begins like an option" : NULL;
}

static void source_read(struct spec_reader *reader, const struct yaml_node *node, struct map *seen)
{
    if (!value_is_scalar(reader, node, "a source", "sources: [shop.c]"))
        return;
    const char *problem = source_problem(node->text);
    struct spec_source *source = &reader->model->sources[reader->model->source_count];
    const struct spec_source *first = NULL;
    if (problem == NULL) {
        *source = (struct spec_source){node->text, node->place};
        first = map_add(seen, reader->arena, node->text, source);
        problem = first == NULL ? NULL : "is there twice";
    }
    if (problem == NULL) {
        reader->model->source_count++;
        return;
    }
    struct diagnostic *error = diagnostic_add(reader->diagnostics, DIAGNOSTIC_BAD_SOURCE, node->place,
                                              "the source \"%s\" %s", value_shorten(reader, node->text), problem);
    if (first != NULL)
        diagnostic_second(reader->diagnostics, error, first->place, "it is there first");
    else
        diagnostic_help(reader->diagnostics, error,
                        "write a relative path of letters, digits and . _ - + , @ / that ends "
                        "in .c");
}

static void sources_read(struct spec_reader *reader, const struct yaml_node *node)
{
    reader->model->has_sources = true;
    if (!value_is_sequence(reader, node, "sources", "sources: [shop.c]"))
        return;
    reader->model->sources = arena_take_array(reader->arena, node->count, sizeof *reader->model->sources);
    struct map seen = {0};
    for (const struct yaml_node *child = node->first; child != NULL; child = child->next)
        source_read(reader, child, &seen);
}

/* ---- The top of the spec. */

static void defaults_set(struct spec_reader *reader)
{
    for (int key = 0; key < SPEC_KEY_COUNT; key++) {
        const struct spec_key_row *row = spec_key_row((enum spec_key)key);
        struct spec_number *number = &reader->model->numbers[key];
        struct scalar_fault fault;
        number->written = text_of(row->standard);
        if (spec_key_is_number((enum spec_key)key) &&
            !scalar_read(reader->arena, row, number->written, &number->value, &fault))
            abort(); /* a row of keys.def whose default is out of its own range; the tests read them all */
    }
}

static void key_refuse(struct spec_reader *reader, const struct yaml_node *node)
{
    struct text best = key_suggest(TEXT(""), node->key, false), known = TEXT("");
    enum spec_key elsewhere = key_find_elsewhere(TEXT(""), node->key);
    if (best.size == 0 && elsewhere != SPEC_KEY_COUNT)
        best = text_of(spec_key_row(elsewhere)->path);
    if (node->key.size != 0 && memchr(node->key.bytes, '/', node->key.size) != NULL) {
        struct diagnostic *error = diagnostic_add(reader->diagnostics, DIAGNOSTIC_UNKNOWN_KEY, node->key_place,
                                                  "a pattern stands outside of routes");
        diagnostic_help(reader->diagnostics, error, "indent it below routes:");
        return;
    }
    for (int key = 0; key < SPEC_KEY_COUNT; key++)
        if (strchr(spec_key_row((enum spec_key)key)->path, '.') == NULL)
            known = arena_format(reader->arena, "%.*s%s%s", TEXT_ARGS(known), known.size == 0 ? "" : ", ",
                                 spec_key_row((enum spec_key)key)->path);
    value_key_refuse(reader, node, "in a spec", best, known.bytes);
}

static void key_read(struct spec_reader *reader, enum spec_key key, const struct yaml_node *node)
{
    switch (spec_key_row(key)->type) {
    case SPEC_VERSION:
        version_read(reader, node);
        break;
    case SPEC_NAME:
        name_read(reader, node);
        break;
    case SPEC_LIST:
        sources_read(reader, node);
        break;
    case SPEC_MAPPING:
        value_numbers_read(reader, node, key, false, reader->model->numbers);
        break;
    case SPEC_LISTEN:
        listen_read(reader, node);
        break;
    case SPEC_ROUTES:
        routes_read(reader, node);
        break;
    default:
        reader->is_poisoned[key] = !value_number_read(reader, node, key, &reader->model->numbers[key]);
    }
}

static void required_check(struct spec_reader *reader, enum spec_key key, const struct yaml_node *node,
                           struct spec_place top)
{
    if (node != NULL || (key != KEY_HARDWIRE && key != KEY_NAME && key != KEY_ROUTES))
        return;
    static const char *const examples[] = {"hardwire: 1", "name: shop", "routes: {\"GET /hello\": {text: \"Hello\"}}"};
    const char *path = spec_key_row(key)->path;
    struct diagnostic *error =
        diagnostic_add(reader->diagnostics, DIAGNOSTIC_MISSING_KEY, top, "the spec has no %s", path);
    diagnostic_help(reader->diagnostics, error, "write %s",
                    key == KEY_HARDWIRE ? examples[0]
                    : key == KEY_NAME   ? examples[1]
                                        : examples[2]);
}

/* ---- Numbers that must fit together. */

/* Reports that the number of `small` is above that of `large`, at whichever stands in the spec. */
static void order_check(struct spec_reader *reader, enum spec_key small, enum spec_key large, const char *why)
{
    const struct spec_number *a = &reader->model->numbers[small], *b = &reader->model->numbers[large];
    if (reader->is_poisoned[small] || reader->is_poisoned[large] || a->value <= b->value)
        return;
    bool at_small = a->is_set && (!b->is_set || a->place.offset > b->place.offset);
    struct diagnostic *error =
        diagnostic_add(reader->diagnostics, DIAGNOSTIC_NUMBERS_CROSSED, at_small ? a->place : b->place,
                       "%s is %.*s, above %s, which is %.*s", spec_key_row(small)->path, TEXT_ARGS(a->written),
                       spec_key_row(large)->path, TEXT_ARGS(b->written));
    if (a->is_set && b->is_set)
        diagnostic_second(reader->diagnostics, error, at_small ? b->place : a->place, "the other number");
    diagnostic_help(reader->diagnostics, error, "%s", why);
}

static void numbers_check(struct spec_reader *reader)
{
    const struct spec_model *model = reader->model;
    bool has_bodies = false;
    for (size_t i = 0; i < model->route_count; i++)
        has_bodies = has_bodies || model->routes[i].body_mode == SPEC_BODY_MEMORY;
    order_check(reader, KEY_LIMITS_TARGET_SIZE, KEY_LIMITS_HEADER_SIZE, "the target is a part of the header");
    order_check(reader, KEY_LIMITS_HEADER_SIZE, KEY_BUFFERS_SIZE, "a header is read into one buffer");
    order_check(reader, KEY_THREADS_IO, KEY_BUFFERS_COUNT, "each IO thread needs a buffer");
    if (has_bodies)
        order_check(reader, KEY_THREADS_IO, KEY_BUFFERS_BODIES, "each IO thread needs room for a body");
}

/* Reports the first number below `parent` ("tls") that is set though no listener needs it; a listener that was refused
 * might have. */
static void use_check(struct spec_reader *reader, struct text parent, bool is_used, const char *what, const char *help)
{
    const struct spec_model *model = reader->model;
    const struct spec_number *first = NULL;
    const char *path = NULL;
    for (int key = 0; key < SPEC_KEY_COUNT; key++) {
        const struct spec_key_row *row = spec_key_row((enum spec_key)key);
        const struct spec_number *number = &model->numbers[key];
        bool is_below = strncmp(row->path, parent.bytes, parent.size) == 0 &&
                        (row->path[parent.size] == '.' || row->path[parent.size] == '\0');
        if (is_below && number->is_set && (first == NULL || number->place.offset < first->place.offset)) {
            first = number;
            path = row->path;
        }
    }
    if (is_used || first == NULL || reader->is_poisoned[KEY_LISTEN])
        return;
    struct diagnostic *error = diagnostic_add(reader->diagnostics, DIAGNOSTIC_UNUSED_KEY, first->place,
                                              "%s is set, but no listener has %s", path, what);
    if (model->listener_count != 0 && model->listeners[0].place.line != 0)
        diagnostic_second(reader->diagnostics, error, model->listeners[0].place, "such as this one");
    diagnostic_help(reader->diagnostics, error, "%s, or leave it out", help);
}

static void uses_check(struct spec_reader *reader)
{
    static const char tls_help[] =
        "write listen: {port: 8443, tls: {certificate: certs/NAME.pem, key: certs/NAME.key}}";
    bool has_tls = spec_has_tls(reader->model), has_http2 = spec_has_protocol(reader->model, SPEC_PROTOCOL_HTTP2);
    use_check(reader, TEXT("tls"), has_tls, "TLS", tls_help);
    use_check(reader, TEXT("timeouts.handshake"), has_tls, "TLS", tls_help);
    use_check(reader, TEXT("http2"), has_http2, "HTTP/2", "write listen: {port: 8080, protocols: [http/1.1, h2c]}");
}

/* ---- */

static struct text base_name(struct text file)
{
    size_t start = file.size;
    while (start > 0 && file.bytes[start - 1] != '/')
        start--;
    return (struct text){file.bytes + start, file.size - start};
}

static void top_read(struct spec_reader *reader, const struct yaml_node *root)
{
    const struct yaml_node *nodes[SPEC_KEY_COUNT] = {0};
    for (const struct yaml_node *child = root->first; child != NULL; child = child->next) {
        enum spec_key key = key_find(TEXT(""), child->key);
        if (key == SPEC_KEY_COUNT)
            key_refuse(reader, child);
        else
            nodes[key] = child;
    }
    /* The first line, wherever its first key is; behind a byte order mark diagnostics look for themselves. */
    const struct spec_place top = {.line = 1, .column = 1};
    defaults_set(reader);
    /* Routes come last: they look at names and numbers. The order of the table has them there. */
    for (int key = 0; key < SPEC_KEY_COUNT; key++) {
        required_check(reader, (enum spec_key)key, nodes[key], top);
        if (nodes[key] != NULL)
            key_read(reader, (enum spec_key)key, nodes[key]);
        else if (key == KEY_LISTEN)
            listen_read(reader, NULL);
    }
    numbers_check(reader);
    uses_check(reader);
}

struct spec_model *spec_read(struct arena *arena, struct text file, struct text source, struct diagnostics *diagnostics)
{
    diagnostics->file = file;
    diagnostics->source = source;
    struct yaml_node *root = yaml_read(arena, diagnostics);
    if (root == NULL)
        return NULL;
    struct spec_model *model = arena_take(arena, sizeof *model);
    model->file = file;
    model->base = base_name(file);
    model->name = TEXT("");
    struct spec_reader *reader = arena_take(arena, sizeof *reader);
    *reader = (struct spec_reader){.arena = arena, .diagnostics = diagnostics, .model = model};
    if (value_is_mapping(reader, root, "a spec", "hardwire: 1, name: NAME and routes, each on its line"))
        top_read(reader, root);
    return diagnostics->count == 0 ? model : NULL;
}

bool spec_has_tls(const struct spec_model *model)
{
    for (size_t i = 0; i < model->listener_count; i++)
        if (model->listeners[i].tls != NULL)
            return true;
    return false;
}

bool spec_has_protocol(const struct spec_model *model, enum spec_protocols protocol)
{
    for (size_t i = 0; i < model->listener_count; i++)
        if ((model->listeners[i].protocols & protocol) != 0)
            return true;
    return false;
}

const struct spec_number *spec_route_number(const struct spec_model *model, const struct spec_route *route,
                                            enum spec_key key)
{
    if (route->numbers != NULL && route->numbers[key].is_set)
        return &route->numbers[key];
    return &model->numbers[key];
}

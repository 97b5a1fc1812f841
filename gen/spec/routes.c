/* See routes.h. */
#include "spec/routes.h"

#include "spec/conflict.h"
#include "spec/pattern.h"
#include "spec/suggest.h"

static void description_read(struct route_reading *reading, const struct yaml_node *node);
static void run_read(struct route_reading *reading, const struct yaml_node *node);
static void body_read(struct route_reading *reading, const struct yaml_node *node);
static void limits_read(struct route_reading *reading, const struct yaml_node *node);
static void timeouts_read(struct route_reading *reading, const struct yaml_node *node);

enum { BAKED = 1, HANDLER = 2, GROUP = 4 };

struct route_key_row {
    const char *name;
    void (*read)(struct route_reading *reading, const struct yaml_node *node);
    unsigned where;
};

static const struct route_key_row rows[ROUTE_KEY_COUNT] = {
#define ROUTE_KEY(id, name, reader, where, text) {name, reader, where},
#include "spec/route_keys.def"
#undef ROUTE_KEY
};

/* All routes while they are read. */
struct routes_reading {
    struct spec_reader *reader;
    struct map handlers; /* name -> the first route that has it */
};

/* ---- Keys of a route that are quickly read. */

static void description_read(struct route_reading *reading, const struct yaml_node *node)
{
    if (value_is_scalar(reading->reader, node, "description", "description: \"what it is for\""))
        reading->route.description = node->text;
    else
        reading->is_failed = true;
}

static void run_read(struct route_reading *reading, const struct yaml_node *node)
{
    static const char *const choices[] = {"io", "worker"};
    struct spec_reader *reader = reading->reader;
    int choice = value_choice_read(reader, node, "run", choices, 2);
    reading->settings.worker = choice == 1;
    reading->is_failed = reading->is_failed || choice < 0;
    const struct spec_number *workers = &reader->model->numbers[KEY_THREADS_WORKERS];
    if (choice != 1 || workers->value != 0 || reader->is_poisoned[KEY_THREADS_WORKERS])
        return;
    struct diagnostic *error = diagnostic_add(reader->diagnostics, DIAGNOSTIC_NO_WORKERS, node->place,
                                              "the handler runs on a worker, but there is none");
    if (workers->is_set)
        diagnostic_second(reader->diagnostics, error, workers->place, "the number of workers");
    diagnostic_help(reader->diagnostics, error, "write threads: {workers: 32}, as many as may block at a time");
}

static void body_read(struct route_reading *reading, const struct yaml_node *node)
{
    static const char *const choices[] = {"discard", "memory", "stream"};
    struct spec_reader *reader = reading->reader;
    reading->is_failed = true;
    if (!value_is_mapping(reader, node, "body", "body: {mode: memory}"))
        return;
    const struct yaml_node *mode = NULL;
    for (const struct yaml_node *child = node->first; child != NULL; child = child->next) {
        if (text_is(child->key, "mode"))
            mode = child;
        else
            value_key_refuse(reader, child, "in body", TEXT(""), "mode");
    }
    if (mode == NULL) {
        struct diagnostic *error =
            diagnostic_add(reader->diagnostics, DIAGNOSTIC_MISSING_KEY, node->key_place, "body has no mode");
        diagnostic_help(reader->diagnostics, error, "write body: {mode: discard}, memory or stream");
        return;
    }
    int choice = value_choice_read(reader, mode, "body.mode", choices, 3);
    if (choice < 0)
        return;
    reading->settings.body_mode = (enum spec_body_mode)choice;
    reading->is_failed = false;
    if (choice == 0 || reading->is_group || !reading->has_answer || reading->route.answer == SPEC_ANSWER_HANDLER)
        return;
    reading->is_failed = true;
    struct diagnostic *error = diagnostic_add(reader->diagnostics, DIAGNOSTIC_KEY_PLACE, mode->place,
                                              "nobody reads a body here: the answer is fixed");
    diagnostic_second(reader->diagnostics, error, reading->route.content_place, "the answer");
    diagnostic_help(reader->diagnostics, error, "leave body out, or let a handler answer");
}

/* Numbers of a route: a copy of those above with its own laid over. */
static void numbers_read(struct route_reading *reading, const struct yaml_node *node, enum spec_key parent)
{
    struct spec_number *numbers = arena_take_array(reading->reader->arena, SPEC_KEY_COUNT, sizeof *numbers);
    if (reading->settings.numbers != NULL)
        memcpy(numbers, reading->settings.numbers, SPEC_KEY_COUNT * sizeof *numbers);
    value_numbers_read(reading->reader, node, parent, true, numbers);
    reading->settings.numbers = numbers;
}

static void limits_read(struct route_reading *reading, const struct yaml_node *node)
{
    numbers_read(reading, node, KEY_LIMITS);
}

static void timeouts_read(struct route_reading *reading, const struct yaml_node *node)
{
    numbers_read(reading, node, KEY_TIMEOUTS);
}

/* ---- Sorting the keys. */

/* False when one is not known, and reported. */
static bool keys_sort(struct route_reading *reading, const struct yaml_node *node)
{
    bool is_known = true;
    for (const struct yaml_node *child = node->first; child != NULL; child = child->next) {
        struct suggestion suggestion = {.word = child->key};
        int found = ROUTE_KEY_COUNT;
        for (int key = 0; key < ROUTE_KEY_COUNT; key++)
            if (text_is(child->key, rows[key].name))
                found = key;
        for (int key = 0; found == ROUTE_KEY_COUNT && key < ROUTE_KEY_COUNT; key++)
            suggestion_offer(&suggestion, text_of(rows[key].name));
        if (found < ROUTE_KEY_COUNT) {
            reading->nodes[found] = child;
            continue;
        }
        is_known = false;
        value_key_refuse(reading->reader, child, "in a route", suggestion.best,
                         "handler, text, json, redirect, status, description, params, run, body, limits, timeouts and "
                         "routes");
    }
    return is_known;
}

/* Reports a key that this kind of route does not have. */
static void key_place_refuse(struct route_reading *reading, enum route_key key)
{
    struct diagnostics *diagnostics = reading->reader->diagnostics;
    const struct yaml_node *node = reading->nodes[key];
    const char *name = rows[key].name;
    struct diagnostic *error;
    reading->is_failed = true;
    if (reading->is_group) {
        error = diagnostic_add(diagnostics, DIAGNOSTIC_KEY_PLACE, node->key_place, "a group has no %s", name);
        diagnostic_second(diagnostics, error, reading->nodes[ROUTE_KEY_ROUTES]->key_place,
                          "it is a group because of this");
        diagnostic_help(diagnostics, error, "write it at a route below the group");
        return;
    }
    bool is_handler = reading->route.answer == SPEC_ANSWER_HANDLER;
    error = diagnostic_add(diagnostics, DIAGNOSTIC_KEY_PLACE, node->key_place, "%s has no %s",
                           is_handler ? "a route with a handler" : "a fixed answer", name);
    diagnostic_second(diagnostics, error, reading->route.content_place, is_handler ? "the handler" : "the answer");
    diagnostic_help(diagnostics, error,
                    is_handler ? "the handler decides: hw_status_set" : "leave it out, or let a handler answer");
}

/* ---- Answers. */

/* Reports an answer too many or too few; true when there is exactly one. A key that is not known may have been meant to
 * be the answer. */
static bool answer_check(struct route_reading *reading, const struct yaml_node *node, bool is_known)
{
    struct diagnostics *diagnostics = reading->reader->diagnostics;
    const struct yaml_node *first = NULL;
    struct diagnostic *error;
    for (int key = ROUTE_KEY_HANDLER; key <= ROUTE_KEY_REDIRECT; key++) {
        const struct yaml_node *each = reading->nodes[key];
        if (each == NULL)
            continue;
        if (first == NULL) {
            first = each;
            continue;
        }
        bool is_later = each->key_place.offset > first->key_place.offset;
        error = diagnostic_add(diagnostics, DIAGNOSTIC_ROUTE_ANSWER, (is_later ? each : first)->key_place,
                               "a route has one answer");
        diagnostic_second(diagnostics, error, (is_later ? first : each)->key_place, "this is one already");
        diagnostic_help(diagnostics, error, "leave one of them out");
        reading->is_failed = true;
        return false;
    }
    if (first != NULL)
        return true;
    if (is_known) {
        error = diagnostic_add(diagnostics, DIAGNOSTIC_ROUTE_ANSWER, node->key_place, "the route has no answer");
        diagnostic_help(diagnostics, error, "give it a handler, text, json or redirect; a group has routes");
    }
    reading->is_failed = true;
    return false;
}

/* Two routes call one C function: their requests must have the same type. */
static void handler_check(struct routes_reading *routes, struct spec_route *route)
{
    struct spec_reader *reader = routes->reader;
    const struct spec_route *first = map_add(&routes->handlers, reader->arena, route->content, route);
    if (first == NULL)
        return;
    bool is_same = first->param_count == route->param_count;
    for (size_t i = 0; is_same && i < route->param_count; i++) {
        size_t j = 0;
        while (j < first->param_count && !text_is_equal(first->params[j].name, route->params[i].name))
            j++;
        is_same = j < first->param_count && first->params[j].type == route->params[i].type;
    }
    bool is_stream = route->body_mode == SPEC_BODY_STREAM;
    bool same_stream = is_stream == (first->body_mode == SPEC_BODY_STREAM);
    if (is_same && same_stream)
        return;
    struct diagnostic *error = diagnostic_add(
        reader->diagnostics, DIAGNOSTIC_HANDLER_DIFFERS, route->place,
        is_same ? "the handler %.*s takes %s here and not there" : "the handler %.*s gets other parameters here",
        TEXT_ARGS(route->content), is_stream ? "the body in pieces" : "no pieces of a body");
    diagnostic_second(reader->diagnostics, error, first->place, "it is used first here");
    diagnostic_help(reader->diagnostics, error, "%s",
                    is_same ? "give both the same body mode, or write two handlers"
                            : "give both the same wildcards and types, or write two handlers");
}

/* ---- Groups. */

/* Whether a group's path is one that others can stand below. */
static void group_pattern_check(struct route_reading *reading)
{
    struct diagnostics *diagnostics = reading->reader->diagnostics;
    struct spec_pattern *pattern = &reading->route.pattern;
    if (!reading->has_pattern)
        return;
    const struct spec_segment *last = &pattern->segments[pattern->segment_count - 1];
    if (pattern->method != SPEC_METHOD_ANY) {
        struct diagnostic *error = diagnostic_add(diagnostics, DIAGNOSTIC_GROUP_PATTERN, reading->route.place,
                                                  "a group has no method, unlike %.*s", TEXT_ARGS(pattern->written));
        diagnostic_second(diagnostics, error, reading->nodes[ROUTE_KEY_ROUTES]->key_place,
                          "it is a group because of this");
        size_t skip = strlen(spec_method_name(pattern->method)) + 1;
        diagnostic_help(diagnostics, error, "write %.*s; each route below has its own method",
                        (int)(pattern->written.size - skip), pattern->written.bytes + skip);
    } else if (last->kind == SPEC_SEGMENT_END || (last->kind == SPEC_SEGMENT_REST && last->text.size != 0)) {
        struct diagnostic *error = diagnostic_add(diagnostics, DIAGNOSTIC_GROUP_PATTERN, reading->route.place,
                                                  "nothing can stand below %.*s", TEXT_ARGS(pattern->written));
        diagnostic_help(diagnostics, error, "end a group's path with a slash");
    }
}

/* Reports a pattern that does not stand below its group's. */
static bool outside_check(struct route_reading *reading)
{
    const struct spec_pattern *group = reading->settings.group, *pattern = &reading->route.pattern;
    if (group == NULL || !reading->has_pattern)
        return true;
    size_t common = group->segment_count;
    if (common > 0 &&
        (group->segments[common - 1].kind == SPEC_SEGMENT_REST || group->segments[common - 1].kind == SPEC_SEGMENT_END))
        common--;
    bool has_slash = common < group->segment_count;
    bool is_below = group->host.size == 0 || text_is_equal(group->host, pattern->host);
    is_below = is_below && (has_slash ? pattern->segment_count > common : pattern->segment_count >= common);
    for (size_t i = 0; is_below && i < common; i++)
        is_below = pattern->segments[i].kind == group->segments[i].kind &&
                   text_is_equal(pattern->segments[i].text, group->segments[i].text);
    if (is_below)
        return true;
    struct diagnostics *diagnostics = reading->reader->diagnostics;
    struct diagnostic *error =
        diagnostic_add(diagnostics, DIAGNOSTIC_GROUP_OUTSIDE, reading->route.place, "%.*s is not below %.*s",
                       TEXT_ARGS(pattern->written), TEXT_ARGS(group->written));
    diagnostic_second(diagnostics, error, reading->settings.group_place, "the group");
    diagnostic_help(diagnostics, error, "routes in a group are written whole and begin with the group's host and path");
    reading->is_failed = true;
    return false;
}

static void level_read(struct routes_reading *routes, const struct yaml_node *node,
                       const struct route_settings *settings);

/* ---- One route or group. */

/* Calls the readers in the order of the table; what does not belong here is refused instead. */
static void keys_read(struct route_reading *reading)
{
    unsigned kind = reading->is_group                              ? GROUP
                    : !reading->has_answer                         ? BAKED | HANDLER
                    : reading->route.answer == SPEC_ANSWER_HANDLER ? HANDLER
                                                                   : BAKED;
    for (int key = reading->is_group ? 0 : ROUTE_KEY_STATUS; key < ROUTE_KEY_COUNT; key++) {
        if (reading->nodes[key] == NULL)
            continue;
        if ((rows[key].where & kind) == 0)
            key_place_refuse(reading, (enum route_key)key);
        else if (rows[key].read != NULL)
            rows[key].read(reading, reading->nodes[key]);
    }
}

static void group_read(struct routes_reading *routes, struct route_reading *reading)
{
    group_pattern_check(reading);
    outside_check(reading);
    keys_read(reading);
    struct spec_pattern *pattern = arena_take(routes->reader->arena, sizeof *pattern);
    *pattern = reading->route.pattern;
    reading->settings.group = reading->has_pattern ? pattern : NULL;
    reading->settings.group_place = reading->route.place;
    level_read(routes, reading->nodes[ROUTE_KEY_ROUTES], &reading->settings);
}

static void route_settle(struct routes_reading *routes, struct route_reading *reading)
{
    struct spec_model *model = routes->reader->model;
    struct spec_route *route = &reading->route;
    bool is_handler = route->answer == SPEC_ANSWER_HANDLER;
    if (!reading->has_pattern)
        return;
    params_settle(reading);
    route->numbers = reading->settings.numbers;
    route->worker = is_handler && reading->settings.worker;
    route->body_mode = is_handler ? reading->settings.body_mode : SPEC_BODY_DISCARD;
    model->routes[model->route_count] = *route;
    if (is_handler && !reading->is_failed)
        handler_check(routes, &model->routes[model->route_count]);
    model->route_count++;
}

static void route_read(struct routes_reading *routes, const struct yaml_node *node,
                       const struct route_settings *settings)
{
    struct spec_reader *reader = routes->reader;
    struct route_reading reading = {.reader = reader, .settings = *settings};
    struct spec_route *route = &reading.route;
    route->place = node->key_place;
    route->description = TEXT("");
    route->status = 200;
    reading.has_pattern =
        pattern_parse(reader->arena, reader->diagnostics, node->key, node->key_place, &route->pattern);
    reading.is_failed = !reading.has_pattern;
    if (node->kind == YAML_SCALAR) {
        answer_handler_read(&reading, node);
    } else if (value_is_mapping(reader, node, "a route", "GET /path: HANDLER, or GET /path: {text: \"...\"}")) {
        bool is_known = keys_sort(&reading, node);
        reading.is_failed = reading.is_failed || !is_known;
        reading.is_group = reading.nodes[ROUTE_KEY_ROUTES] != NULL;
        if (reading.is_group) {
            group_read(routes, &reading);
            return;
        }
        if (answer_check(&reading, node, is_known))
            for (int key = ROUTE_KEY_HANDLER; key <= ROUTE_KEY_REDIRECT; key++)
                if (reading.nodes[key] != NULL)
                    rows[key].read(&reading, reading.nodes[key]);
        keys_read(&reading);
    } else {
        reading.is_failed = true;
    }
    outside_check(&reading);
    route_settle(routes, &reading);
}

/* The routes of the spec or of a group. */
static void level_read(struct routes_reading *routes, const struct yaml_node *node,
                       const struct route_settings *settings)
{
    struct spec_reader *reader = routes->reader;
    if (!value_is_mapping(reader, node, "routes", "GET /hello: hello, a pattern and what answers it"))
        return;
    if (node->first == NULL) {
        struct diagnostic *error =
            diagnostic_add(reader->diagnostics, DIAGNOSTIC_EMPTY_VALUE, node->key_place, "routes holds no route");
        diagnostic_help(reader->diagnostics, error, "write one, as in GET /hello: {text: \"Hello\"}");
    }
    for (const struct yaml_node *child = node->first; child != NULL; child = child->next)
        route_read(routes, child, settings);
}

/* The routes that stand below a mapping of routes, at most. */
static size_t routes_count(const struct yaml_node *node)
{
    size_t count = 0;
    for (const struct yaml_node *child = node->kind == YAML_MAPPING ? node->first : NULL; child != NULL;
         child = child->next) {
        const struct yaml_node *below = child->kind == YAML_MAPPING ? child->first : NULL;
        while (below != NULL && !text_is(below->key, "routes"))
            below = below->next;
        count += below == NULL ? 1 : routes_count(below);
    }
    return count;
}

void routes_read(struct spec_reader *reader, const struct yaml_node *node)
{
    struct routes_reading routes = {.reader = reader};
    struct spec_model *model = reader->model;
    const struct route_settings settings = {0};
    model->routes = arena_take_array(reader->arena, routes_count(node), sizeof *model->routes);
    level_read(&routes, node, &settings);
    conflict_check(reader->arena, reader->diagnostics, model->routes, model->route_count);
}

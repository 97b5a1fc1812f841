/* The answers of routes: a handler's name, a text, JSON, a redirect, and their status. See routes.h. */
#include "spec/json.h"
#include "spec/names.h"
#include "spec/place.h"
#include "spec/routes.h"
#include "spec/scalar.h"

/* More than any browser takes; it also keeps a baked head within 64 KiB. */
#define REDIRECT_SIZE_MAX 4096

/* Takes the scalar as the route's answer; false when it is none. */
static bool content_take(struct route_reading *reading, const struct yaml_node *node, enum spec_answer_kind kind,
                         const char *what, const char *example)
{
    reading->route.answer = kind;
    reading->has_answer = true;
    reading->route.content = TEXT("");
    reading->route.content_place = node->place;
    if (!value_is_scalar(reading->reader, node, what, example)) {
        reading->is_failed = true;
        return false;
    }
    reading->route.content = node->text;
    return true;
}

void answer_handler_read(struct route_reading *reading, const struct yaml_node *node)
{
    struct spec_reader *reader = reading->reader;
    if (!content_take(reading, node, SPEC_ANSWER_HANDLER, "handler", "handler: NAME"))
        return;
    const char *problem = name_handler_problem(node->text, reader->model->name);
    if (problem == NULL)
        return;
    reading->is_failed = true;
    struct diagnostic *error =
        diagnostic_add(reader->diagnostics, DIAGNOSTIC_HANDLER_NAME, node->place, "the handler's name \"%s\" %s",
                       value_shorten(reader, node->text), problem);
    struct text repaired = name_repair(reader->arena, node->text);
    bool is_usable = repaired.size != 0 && !text_is_equal(repaired, node->text) &&
                     name_handler_problem(repaired, reader->model->name) == NULL;
    if (is_usable)
        diagnostic_help(reader->diagnostics, error, "a handler is a C function of yours; call it %.*s",
                        TEXT_ARGS(repaired));
    else if (name_is_identifier(node->text) && node->text.size < 40 && node->text.bytes[0] != '_')
        diagnostic_help(reader->diagnostics, error, "a handler is a C function of yours; call it on_%.*s",
                        TEXT_ARGS(node->text));
    else
        diagnostic_help(reader->diagnostics, error, "a handler is a C function of yours: letters, digits and '_'");
}

void answer_text_read(struct route_reading *reading, const struct yaml_node *node)
{
    content_take(reading, node, SPEC_ANSWER_TEXT, "text", "text: \"Hello\"");
}

void answer_json_read(struct route_reading *reading, const struct yaml_node *node)
{
    struct spec_reader *reader = reading->reader;
    if (!content_take(reading, node, SPEC_ANSWER_JSON, "json", "JSON as a text: '{\"status\": \"UP\"}'"))
        return;
    size_t offset;
    const char *problem = json_problem(node->text, &offset);
    if (problem == NULL)
        return;
    reading->is_failed = true;
    size_t size = offset < node->text.size ? 1 : 0;
    struct spec_place place = place_part(reader->diagnostics->source, node->place, node->text, offset, size);
    struct diagnostic *error = diagnostic_add(reader->diagnostics, DIAGNOSTIC_BAD_JSON, place,
                                              "this is not JSON: %s at byte %zu of the text", problem, offset + 1);
    diagnostic_help(reader->diagnostics, error,
                    "json holds JSON text, as in '{\"status\": \"UP\"}'; a plain text "
                    "stands under text");
}

void answer_redirect_read(struct route_reading *reading, const struct yaml_node *node)
{
    struct spec_reader *reader = reading->reader;
    if (!content_take(reading, node, SPEC_ANSWER_REDIRECT, "redirect", "redirect: /path"))
        return;
    reading->route.status = 308;
    struct text target = node->text;
    const char *problem = NULL, *help = "write a path such as /new, or a URL that begins with http:// or https://";
    for (size_t i = 0; i < target.size && problem == NULL; i++) {
        if (target.bytes[i] == '{' || target.bytes[i] == '}') {
            problem = "holds a brace";
            help = "a target is the same for every request: let a handler answer instead";
        } else if (target.bytes[i] <= ' ' || target.bytes[i] > '~') {
            problem = "holds a character that no URL has";
            help = "encode it as UTF-8 with percent signs, as in caf%C3%A9";
        }
    }
    bool is_path = target.size >= 1 && target.bytes[0] == '/' && (target.size == 1 || target.bytes[1] != '/');
    bool is_http = target.size > 7 && memcmp(target.bytes, "http://", 7) == 0 && target.bytes[7] != '/';
    bool is_https = target.size > 8 && memcmp(target.bytes, "https://", 8) == 0 && target.bytes[8] != '/';
    if (problem == NULL && !is_path && !is_http && !is_https)
        problem = "is neither a path nor a URL";
    if (problem == NULL && target.size > REDIRECT_SIZE_MAX) {
        problem = "is longer than 4096 bytes";
        help = "let a handler answer instead";
    }
    if (problem == NULL)
        return;
    reading->is_failed = true;
    struct diagnostic *error = diagnostic_add(reader->diagnostics, DIAGNOSTIC_BAD_REDIRECT, node->place,
                                              "the target \"%s\" %s", value_shorten(reader, target), problem);
    diagnostic_help(reader->diagnostics, error, "%s", help);
}

void answer_status_read(struct route_reading *reading, const struct yaml_node *node)
{
    struct spec_reader *reader = reading->reader;
    uint64_t status;
    if (!value_is_scalar(reader, node, "status", "status: 200")) {
        reading->is_failed = true;
        return;
    }
    bool is_redirect = reading->route.answer == SPEC_ANSWER_REDIRECT;
    bool is_fine = scalar_digits_read(node->text, 599, &status);
    if (is_fine && is_redirect)
        is_fine = status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
    else if (is_fine)
        is_fine = status >= 200 && status != 204 && status != 205 && status != 304;
    if (is_fine) {
        reading->route.status = (unsigned)status;
        return;
    }
    reading->is_failed = true;
    struct diagnostic *error =
        diagnostic_add(reader->diagnostics, DIAGNOSTIC_BAD_STATUS, node->place, "%s cannot have the status \"%s\"",
                       is_redirect ? "a redirect" : "an answer with content", value_shorten(reader, node->text));
    diagnostic_help(reader->diagnostics, error,
                    is_redirect ? "write 301, 302, 303, 307 or 308"
                                : "write a status from 200 to 599, but not 204, 205 or 304: they have no content");
}

/* Types and ranges of wildcards: the key `params` of a route or group. See routes.h. */
#include <inttypes.h>

#include "spec/routes.h"
#include "spec/scalar.h"
#include "spec/suggest.h"

static const char *const type_names[] = {"text", "u32", "u64", "i32", "i64"};
#define TYPE_COUNT (sizeof type_names / sizeof type_names[0])

/* By enum spec_param_type; of a text none is used. */
static const struct {
    int64_t min_i, max_i;
    uint64_t max_u;
} ranges[TYPE_COUNT] = {
    {0, 0, 0}, {0, 0, UINT32_MAX}, {0, 0, UINT64_MAX}, {INT32_MIN, INT32_MAX, 0}, {INT64_MIN, INT64_MAX, 0},
};

static bool is_signed(enum spec_param_type type)
{
    return type == SPEC_PARAM_I32 || type == SPEC_PARAM_I64;
}

static void type_set(struct spec_param *param, int type)
{
    param->type = (enum spec_param_type)type;
    param->min_i = ranges[type].min_i;
    param->max_i = ranges[type].max_i;
    param->min_u = 0;
    param->max_u = ranges[type].max_u;
}

/* Takes decimal digits with '-' in front. */
static bool signed_read(struct text text, int64_t least, int64_t most, int64_t *value)
{
    bool is_negative = text.size > 1 && text.bytes[0] == '-';
    struct text digits = is_negative ? (struct text){text.bytes + 1, text.size - 1} : text;
    uint64_t magnitude;
    if (!scalar_digits_read(digits, is_negative ? (uint64_t)INT64_MAX + 1 : (uint64_t)INT64_MAX, &magnitude))
        return false;
    *value = is_negative ? -(int64_t)(magnitude - 1) - 1 : (int64_t)magnitude;
    if (is_negative && magnitude == 0)
        return false;
    return *value >= least && *value <= most;
}

/* Takes `min` or `max` of a parameter whose type is set. */
static bool bound_read(struct spec_reader *reader, const struct yaml_node *node, struct spec_param *param)
{
    bool is_min = text_is(node->key, "min");
    if (!value_is_scalar(reader, node, is_min ? "min" : "max", ""))
        return false;
    enum spec_param_type type = param->type;
    if (type == SPEC_PARAM_TEXT) {
        struct diagnostic *error = diagnostic_add(reader->diagnostics, DIAGNOSTIC_PARAMETER_RANGE, node->key_place,
                                                  "a text has no %s", is_min ? "min" : "max");
        diagnostic_help(reader->diagnostics, error, "write type: u32 if it is a number");
        return false;
    }
    bool is_fine =
        is_signed(type)
            ? signed_read(node->text, ranges[type].min_i, ranges[type].max_i, is_min ? &param->min_i : &param->max_i)
            : scalar_digits_read(node->text, ranges[type].max_u, is_min ? &param->min_u : &param->max_u);
    if (is_fine)
        return true;
    struct diagnostic *error =
        diagnostic_add(reader->diagnostics, DIAGNOSTIC_PARAMETER_RANGE, node->place,
                       "\"%s\" is not a number of type %s", value_shorten(reader, node->text), type_names[type]);
    if (is_signed(type))
        diagnostic_help(reader->diagnostics, error, "%s goes from %" PRId64 " to %" PRId64, type_names[type],
                        ranges[type].min_i, ranges[type].max_i);
    else
        diagnostic_help(reader->diagnostics, error, "%s goes from 0 to %" PRIu64, type_names[type], ranges[type].max_u);
    return false;
}

static bool type_read(struct spec_reader *reader, const struct yaml_node *node, struct spec_param *param)
{
    int type = value_choice_read(reader, node, "the type of a parameter", type_names, TYPE_COUNT);
    if (type >= 0)
        type_set(param, type);
    return type >= 0;
}

static bool bounds_read(struct spec_reader *reader, const struct yaml_node *min, const struct yaml_node *max,
                        struct spec_param *param)
{
    bool is_fine = min == NULL || bound_read(reader, min, param);
    is_fine = (max == NULL || bound_read(reader, max, param)) && is_fine;
    bool is_ordered = is_signed(param->type) ? param->min_i <= param->max_i : param->min_u <= param->max_u;
    /* Where only one is set, the other is the type's own bound and holds every value. */
    if (!is_fine || is_ordered || min == NULL || max == NULL)
        return is_fine;
    struct diagnostic *error = diagnostic_add(reader->diagnostics, DIAGNOSTIC_PARAMETER_RANGE, min->place,
                                              "min is above max: no value can be right");
    diagnostic_second(reader->diagnostics, error, max->place, "max");
    return false;
}

/* Takes {type: u32, min: 1, max: 9}. */
static bool mapping_read(struct spec_reader *reader, const struct yaml_node *node, struct spec_param *param)
{
    const struct yaml_node *type = NULL, *min = NULL, *max = NULL;
    bool is_fine = true;
    for (const struct yaml_node *child = node->first; child != NULL; child = child->next) {
        if (text_is(child->key, "type")) {
            type = child;
        } else if (text_is(child->key, "min")) {
            min = child;
        } else if (text_is(child->key, "max")) {
            max = child;
        } else {
            struct suggestion suggestion = {.word = child->key};
            suggestion_offer(&suggestion, TEXT("type"));
            suggestion_offer(&suggestion, TEXT("min"));
            suggestion_offer(&suggestion, TEXT("max"));
            value_key_refuse(reader, child, "in a parameter", suggestion.best, "type, min and max");
            is_fine = false;
        }
    }
    if (type == NULL) {
        struct diagnostic *error = diagnostic_add(reader->diagnostics, DIAGNOSTIC_MISSING_KEY, node->key_place,
                                                  "the parameter %.*s has no type", TEXT_ARGS(node->key));
        diagnostic_help(reader->diagnostics, error, "write %.*s: {type: u32}", TEXT_ARGS(node->key));
        return false;
    }
    return type_read(reader, type, param) && bounds_read(reader, min, max, param) && is_fine;
}

/* The wildcard of this name, or NULL after a report. */
static const struct spec_segment *wildcard_find(struct route_reading *reading, const struct yaml_node *node)
{
    const struct spec_pattern *pattern = &reading->route.pattern;
    struct suggestion suggestion = {.word = node->key};
    for (size_t i = 0; i < pattern->segment_count; i++) {
        const struct spec_segment *segment = &pattern->segments[i];
        if (segment->kind == SPEC_SEGMENT_LITERAL || segment->text.size == 0)
            continue;
        if (text_is_equal(segment->text, node->key))
            return segment;
        suggestion_offer(&suggestion, segment->text);
    }
    struct spec_reader *reader = reading->reader;
    struct diagnostic *error =
        diagnostic_add(reader->diagnostics, DIAGNOSTIC_PARAMETER_UNKNOWN, node->key_place, "%.*s has no wildcard {%s}",
                       TEXT_ARGS(pattern->written), value_shorten(reader, node->key));
    if (suggestion.best.size != 0)
        diagnostic_help(reader->diagnostics, error, "did you mean %.*s?", TEXT_ARGS(suggestion.best));
    else
        diagnostic_help(reader->diagnostics, error, "params gives types to the wildcards of the pattern");
    return NULL;
}

/* Reads one parameter; false when it was refused. */
static bool param_read(struct route_reading *reading, const struct yaml_node *node, struct spec_param *param)
{
    struct spec_reader *reader = reading->reader;
    const struct spec_segment *wildcard = wildcard_find(reading, node);
    if (wildcard == NULL)
        return false;
    *param = (struct spec_param){.name = node->key, .place = node->key_place};
    if (!(node->kind == YAML_MAPPING ? mapping_read(reader, node, param) : type_read(reader, node, param)))
        return false;
    if (wildcard->kind != SPEC_SEGMENT_REST || param->type == SPEC_PARAM_TEXT)
        return true;
    struct diagnostic *error = diagnostic_add(reader->diagnostics, DIAGNOSTIC_BAD_CHOICE, node->place,
                                              "{%.*s...} is the rest of a path, which is a text", TEXT_ARGS(node->key));
    diagnostic_help(reader->diagnostics, error, "write {%.*s} in the pattern for one segment", TEXT_ARGS(node->key));
    return false;
}

/* What was set here stands before what was set above: the first of a name holds. */
void params_read(struct route_reading *reading, const struct yaml_node *node)
{
    if (!reading->has_pattern)
        return;
    if (!value_is_mapping(reading->reader, node, "params", "params: {id: u32}")) {
        reading->is_failed = true;
        return;
    }
    struct route_settings *settings = &reading->settings;
    struct spec_param *params =
        arena_take_array(reading->reader->arena, node->count + settings->param_count, sizeof *params);
    size_t count = 0;
    for (const struct yaml_node *child = node->first; child != NULL; child = child->next) {
        if (param_read(reading, child, &params[count]))
            count++;
        else
            reading->is_failed = true;
    }
    for (size_t i = 0; i < settings->param_count; i++)
        params[count++] = settings->params[i];
    settings->params = params;
    settings->param_count = count;
}

void params_settle(struct route_reading *reading)
{
    struct spec_route *route = &reading->route;
    const struct spec_pattern *pattern = &route->pattern;
    const struct route_settings *settings = &reading->settings;
    size_t count = 0;
    for (size_t i = 0; i < pattern->segment_count; i++)
        count += pattern->segments[i].kind != SPEC_SEGMENT_LITERAL && pattern->segments[i].text.size != 0;
    if (count == 0)
        return;
    route->params = arena_take_array(reading->reader->arena, count, sizeof *route->params);
    for (size_t i = 0; i < pattern->segment_count; i++) {
        const struct spec_segment *segment = &pattern->segments[i];
        if (segment->kind == SPEC_SEGMENT_LITERAL || segment->text.size == 0)
            continue;
        struct spec_param *param = &route->params[route->param_count++];
        *param = (struct spec_param){.name = segment->text, .type = SPEC_PARAM_TEXT, .place = route->place};
        for (size_t j = 0; route->answer == SPEC_ANSWER_HANDLER && j < settings->param_count; j++)
            if (text_is_equal(settings->params[j].name, segment->text)) {
                *param = settings->params[j];
                break;
            }
    }
}

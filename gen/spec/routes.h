/* The key `routes`: routes and groups of routes. */
#ifndef GEN_SPEC_ROUTES_H
#define GEN_SPEC_ROUTES_H

#include "base/map.h"
#include "spec/value.h"

enum route_key {
#define ROUTE_KEY(id, name, reader, where, text) ROUTE_KEY_##id,
#include "spec/route_keys.def"
#undef ROUTE_KEY
    ROUTE_KEY_COUNT
};

/* What a group hands down to the routes below it. */
struct route_settings {
    const struct spec_pattern *group; /* NULL at the top of the spec, or when the group's pattern was refused */
    struct spec_place group_place;
    const struct spec_number *numbers; /* SPEC_KEY_COUNT, or NULL */
    const struct spec_param *params;   /* those that were set, by name */
    size_t param_count;
    bool worker;
    enum spec_body_mode body_mode;
};

/* One route or group while its keys are read. */
struct route_reading {
    struct spec_reader *reader;
    struct spec_route route;
    struct route_settings settings; /* first what holds above, then what holds here */
    const struct yaml_node *nodes[ROUTE_KEY_COUNT];
    bool has_pattern;
    bool is_group;
    bool has_answer;
    bool is_failed; /* something was refused and reported */
};

/* Fills the model's routes. */
void routes_read(struct spec_reader *reader, const struct yaml_node *node);

/* ---- The readers of route_keys.def that have files of their own. They set is_failed when they report. */

void answer_handler_read(struct route_reading *reading, const struct yaml_node *node);
void answer_text_read(struct route_reading *reading, const struct yaml_node *node);
void answer_json_read(struct route_reading *reading, const struct yaml_node *node);
void answer_redirect_read(struct route_reading *reading, const struct yaml_node *node);
void answer_status_read(struct route_reading *reading, const struct yaml_node *node);
void params_read(struct route_reading *reading, const struct yaml_node *node);

/* Gives the route one parameter a wildcard, in the order of the pattern, typed as the settings say; all texts when the
 * answer is baked. */
void params_settle(struct route_reading *reading);

#endif

/* From the model of a spec to everything that the output says: pure data, decided once, in the order in which it is
 * printed. `emit` renders it, `explain` prints parts of it, tests compare it.
 *
 * Nothing here depends on the order of the keys in the spec, but for listeners and sources, whose order has a meaning.
 * All memory is the arena's that plan_make was given.
 */
#ifndef GEN_PLAN_PLAN_H
#define GEN_PLAN_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/text.h"
#include "plan/memory.h"
#include "spec/diagnostics.h"
#include "spec/model.h"

/* ---- Answers that never change. */

#define PLAN_NO_ANSWER SIZE_MAX

struct plan_head {
    struct text bytes;
    size_t date_at;
};

#define PLAN_FRAME_PARTS_MAX 6

/* A HEADERS frame of HTTP/2. Its parts are the frame's head and the fields, where it is printed. */
struct plan_frame {
    struct plan_head head;
    size_t ends[PLAN_FRAME_PARTS_MAX]; /* of each part, in the head's bytes */
    size_t part_count;
};

struct plan_answer {
    struct plan_head heads[3]; /* in the order of enum hw_baked_variant */
    struct plan_frame frame;   /* of no part when the server has no HTTP/2 */
    struct text body;
    size_t *routes; /* those that give it, as indices of plan.routes */
    size_t route_count;
};

/* ---- Handlers. */

/* One prototype in NAME.h: a function of the author's. */
struct plan_handler {
    struct text name;
    bool takes_piece;
    const struct spec_param *params; /* the members of struct NAME_<handler>_params; none: no such struct */
    size_t param_count;
    bool same_ranges; /* every route gives the numbers the same range */
    size_t *routes;
    size_t route_count;
};

/* ---- Routes, ordered by host, path and method. */

struct plan_override {
    enum spec_key key;
    struct text constant; /* "HW_ROUTE_POST_UPLOAD_LIMITS_BODY_SIZE" */
    const struct spec_number *number;
};

struct plan_route {
    const struct spec_route *spec;
    struct text id;               /* unique: "GET_users_id" */
    struct text thunk;            /* "route_GET_users_id"; empty when the answer is baked */
    bool owns_thunk;              /* false: that of an earlier route does the same */
    struct text suffix;           /* of the thunk's own variables, where the handler has the name of one of them */
    struct plan_handler *handler; /* NULL when the answer is baked */
    size_t answer;                /* index of plan.answers, or PLAN_NO_ANSWER */
    uint32_t methods;             /* bits 1u << method; PLAN_METHODS_ANY for every method */
    struct plan_override *overrides;
    size_t override_count;
    struct text body_size, body_ms, write_ms, handler_ms; /* the constants that hold here */
};

#define PLAN_METHODS_ANY UINT32_MAX

/* ---- The dispatch. */

/* Routes that stand at one place and differ by their method: a run of plan.routes. */
struct plan_run {
    size_t first;
    size_t count; /* 0: none */
};

struct plan_node;

/* A literal segment (or a host) below a node. */
struct plan_child {
    struct text bytes;
    const struct plan_node *node;
};

/* A perfect hash: child = slots[(high + seeds[high & seed_mask] * low) & slot_mask], see plan/table.h. */
struct plan_table {
    uint32_t key; /* what the hash begins with */
    size_t seed_count;
    uint32_t *seeds;
    size_t slot_count;
    size_t *slots; /* index of the child + 1; 0: an empty slot */
};

/* The literal children of a node, ordered by size and bytes. A table instead of a switch when there are many. */
struct plan_children {
    struct plan_child *list;
    size_t count;
    size_t size_max;
    const struct plan_table *table; /* NULL: a switch */
};

#define PLAN_SWITCH_MAX 16

/* A compiler takes some milliseconds for a function, whatever its size, and longer when there are very many. With more
 * nodes than this the dispatch is tables that one function walks, and with more handlers than this many thunks are left
 * alone by the optimizer. */
#define PLAN_FUNCTIONS_MAX 256
#define PLAN_THUNKS_MAX 1000

enum plan_ending {
    PLAN_ENDING_EXACT, /* the path ends */
    PLAN_ENDING_SLASH, /* ... with a '/': {$} */
    PLAN_ENDING_REST   /* ... or goes on: {rest...} or a trailing slash */
};

/* What is left of the path of a route that shares no segment below this place with another. */
struct plan_tail {
    struct text text; /* "/item//x": a segment is empty where the pattern has {name} */
    bool has_wildcards;
    enum plan_ending ending;
    bool rest_is_captured; /* the wildcard of the ending has a name */
    size_t route;
};

struct plan_node {
    const struct plan_tail *tail; /* all there is of the node; NULL: it has a function, or a table */
    struct text path;             /* as a pattern without method: "example.com/users/{id}" */
    struct text name;             /* "node_users_id" */
    struct plan_run exact;        /* the path ends here */
    struct plan_run end;          /* ... with a '/': {$} */
    struct plan_run rest;         /* ... or goes on: {rest...} or a trailing slash */
    bool rest_is_captured;        /* the wildcard has a name */
    bool is_root;
    size_t capture_count; /* wildcards before this place */
    struct plan_children literals;
    const struct plan_node *one; /* {name}, or NULL */
};

/* ---- NAME_config.h. */

struct plan_constant {
    struct text name;
    struct text value;   /* a C expression */
    struct text comment; /* may be empty */
};

struct plan_section {
    struct text title;
    struct plan_constant *constants;
    size_t count;
};

/* ---- The build. */

struct plan_source {
    struct text path;     /* as in the spec, or "handlers.c" of the output folder */
    struct text object;   /* unique, without suffix: "app_shop" */
    struct text vendored; /* where --vendor puts it: "app/shop.c" */
    struct spec_place place;
    bool is_scaffold; /* handlers.c, which is written once */
};

/* A library of the system that the server is linked with, found by pkg-config. */
struct plan_library {
    struct text module;  /* as pkg-config calls it */
    struct text minimum; /* version */
    struct text id;      /* as a part of a name in CMake: "OPENSSL" */
    struct text title;   /* as people call it */
    struct text purpose; /* what needs it: "TLS" */
};

#define PLAN_LIBRARIES_MAX 2

struct plan {
    const struct spec_model *model;
    struct text name;
    struct text upper; /* the name in capitals */
    struct plan_route *routes;
    size_t route_count;
    size_t thunk_count;             /* routes that own their thunk */
    uint32_t methods;               /* every method that some route names, and HEAD with GET */
    const struct plan_node **nodes; /* those that are no tail, each behind those that it leads to */
    size_t node_count;
    bool nodes_are_tables;        /* instead of functions */
    const struct plan_node *tree; /* routes without a host, or NULL */
    struct plan_children hosts;   /* the others, by host */
    size_t table_count;           /* perfect hashes, that of the hosts included */
    struct plan_answer *answers;
    size_t answer_count;
    struct plan_handler **handlers; /* in the order of their first routes */
    size_t handler_count;
    struct plan_section *sections;
    size_t section_count;
    struct plan_memory memory;
    const char **runtime_files; /* the .c files that NAME_runtime.c includes, in order */
    size_t runtime_file_count;
    struct plan_source *sources;
    size_t source_count;
    struct plan_library libraries[PLAN_LIBRARIES_MAX];
    size_t library_count;
    bool has_main;
    bool has_tls;   /* some listener has TLS */
    bool has_http2; /* some listener has h2 or h2c */
};

/* Plans the output of a model. Returns NULL when `diagnostics` got an error: a memory budget above limits.memory_size.
 * Looks at no file. */
struct plan *plan_make(struct arena *arena, const struct spec_model *model, struct diagnostics *diagnostics);

#endif

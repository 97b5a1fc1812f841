/* A template that runs: the state of one ct_render, shared by statements (render.c), expressions (evaluate.c), calls
 * (call.c), other templates (load.c), filters and tests. */
#ifndef GEN_CTEMPLATE_RENDER_H
#define GEN_CTEMPLATE_RENDER_H

#include "ctemplate/ast.h"
#include "ctemplate/report.h"

/* What one rendering may use. */
struct ct_limits {
    size_t output_size;  /* bytes of output */
    size_t made_size;    /* bytes that expressions make on the way */
    uint64_t iterations; /* of all loops together */
    unsigned depth;      /* of statements and expressions in each other while they run */
    unsigned macros;     /* macros that call each other */
    unsigned includes;   /* includes and imports in each other */
};

extern const struct ct_limits ct_limits_default;

/* Where free names are looked up: names given one by one, then a map, then the next scope. */
struct ct_scope {
    const struct ct_targets *names;
    const struct ct_value *values; /* one a name */
    const struct ct_entries *map;
    const struct ct_scope *outer;
};

/* A template or macro that runs. */
struct ct_activation {
    const struct ct_template *template;
    struct ct_value *slots;
    const struct ct_activation *outer; /* where a macro was made; NULL for a template */
    const struct ct_activation *root;  /* the template's */
    struct ct_value *free;             /* of a template: the free names by number */
    const struct ct_scope *scope;      /* of a template */
    struct ct_activation *next_spare;
};

struct ct_closure {
    struct ct_macro_parts *macro;
    const struct ct_activation *outer;
};

/* What `loop` is. */
struct ct_loop {
    size_t index;
    size_t count;
};

struct ct_render {
    struct arena *arena;
    ct_source_fn source;
    void *user;
    struct buffer *out;
    size_t out_begin; /* what the buffer held before */
    struct ct_report report;
    struct ct_limits limits;
    struct map templates; /* by name */
    struct ct_value captured;
    size_t made; /* bytes that expressions made */
    uint64_t iterations;
    unsigned depth;
    unsigned macros;
    unsigned includes;
};

/* As ct_render, with other limits. */
bool ct_render_within(struct ct_limits limits, struct arena *arena, ct_source_fn source, void *user, const char *name,
                      const struct ct_value *context, struct buffer *out, struct ct_error *error);

/* ---- Statements (render.c). */

bool ct_run(struct ct_render *render, struct ct_activation *activation, const struct ct_statement *first);

/* Sets a frame's slots to what they hold at its begin. */
void ct_frame_begin(struct ct_activation *activation, const struct ct_frame *frame);

/* The value a name refers to, CT_MISSING when nothing was stored; and the place that a store goes to. */
const struct ct_value *ct_ref_read(const struct ct_activation *activation, struct ct_ref ref);
struct ct_value *ct_slot_of(struct ct_activation *activation, struct ct_ref ref);

/* Takes what was printed behind `begin` back as a safe text. */
struct ct_value ct_captured_take(struct ct_render *render, size_t begin);

/* One level deeper, and back. The place is for the error. */
bool ct_depth_enter(struct ct_render *render, const struct ct_activation *activation, size_t offset);

/* Counts bytes that an expression makes. */
bool ct_made_add(struct ct_render *render, const struct ct_activation *activation, size_t offset, size_t size);

/* ---- Expressions (evaluate.c). */

/* The value, which is no generator. */
bool ct_evaluate(struct ct_render *render, struct ct_activation *activation, const struct ct_expression *expression,
                 struct ct_value *value);

/* The value, for a caller that walks it once. */
bool ct_evaluate_lazy(struct ct_render *render, struct ct_activation *activation,
                      const struct ct_expression *expression, struct ct_value *value);

/* The error for an undefined value that is used. */
bool ct_fail_undefined(struct ct_render *render, const struct ct_activation *activation, size_t offset,
                       const struct ct_value *value);

/* Sets `is_true`; undefined is an error. */
bool ct_evaluate_truth(struct ct_render *render, struct ct_activation *activation,
                       const struct ct_expression *expression, bool *is_true);

/* What `object.name` is; undefined when it has none. */
bool ct_attribute_get(struct ct_render *render, const struct ct_activation *activation, size_t offset,
                      const struct ct_value *object, struct text name, size_t *hint, struct ct_value *value);

/* What `object[key]` is; undefined when there is none. */
bool ct_item_get(struct ct_render *render, const struct ct_activation *activation, size_t offset,
                 const struct ct_value *object, const struct ct_value *key, size_t *hint, struct ct_value *value);

/* ---- Calls (call.c). */

/* With `is_printed` what a macro prints goes to the output and the value is an empty text. */
bool ct_call_evaluate(struct ct_render *render, struct ct_activation *activation,
                      const struct ct_expression *expression, bool is_printed, struct ct_value *value);

/* ---- Other templates (load.c). */

/* The template that ct_render was called for; NULL with the error filled. */
struct ct_template *ct_template_first(struct ct_render *render, struct text name);

/* Runs a template with a scope; what it prints goes to the output. The activation is not given back. */
struct ct_activation *ct_template_run(struct ct_render *render, struct ct_template *template,
                                      const struct ct_scope *scope);

bool ct_include_run(struct ct_render *render, struct ct_activation *activation, const struct ct_statement *statement);
bool ct_import_run(struct ct_render *render, struct ct_activation *activation, const struct ct_statement *statement);

/* What a module exports under a name; undefined when it does not. */
struct ct_value ct_module_get(const struct ct_activation *module, struct text name);

/* An activation with room for slots, from the spare ones if there is one. */
struct ct_activation *ct_activation_take(struct ct_render *render, struct ct_activation **spare,
                                         const struct ct_template *template, unsigned slots_count);

#endif

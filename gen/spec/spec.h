/* From the text of a spec to its model: the one entry to this folder. */
#ifndef GEN_SPEC_SPEC_H
#define GEN_SPEC_SPEC_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/text.h"
#include "spec/diagnostics.h"
#include "spec/model.h"

/* Reads the spec `source` (the whole file), called `file` in messages. Returns the model, or NULL when `diagnostics`
 * holds at least one error. `diagnostics` needs only its arena set; file and source are filled in. Looks at no file and
 * no environment. */
struct spec_model *spec_read(struct arena *arena, struct text file, struct text source,
                             struct diagnostics *diagnostics);

/* The row of a key in the table. */
enum spec_type {
    SPEC_VERSION,
    SPEC_NAME,
    SPEC_LIST,
    SPEC_LISTEN,
    SPEC_ROUTES,
    SPEC_MAPPING,
    SPEC_COUNT,
    SPEC_COUNT_OR_OFF,
    SPEC_SIZE,
    SPEC_DURATION,
    SPEC_BOOL,
    SPEC_LEVEL,
    SPEC_TLS_VERSION,
    SPEC_TOKENS
};

struct spec_key_row {
    const char *id;   /* "LIMITS_BODY_SIZE"; the constant is HW_<id> */
    const char *path; /* "limits.body_size" */
    enum spec_type type;
    const char *standard; /* the default as written, "" for none */
    uint64_t minimum;
    uint64_t maximum;
    bool on_server;
    bool on_route;
    const char *text;
};

const struct spec_key_row *spec_key_row(enum spec_key key);
bool spec_key_is_number(enum spec_key key);

/* The number that holds for a route: its own, else the server's. */
const struct spec_number *spec_route_number(const struct spec_model *model, const struct spec_route *route,
                                            enum spec_key key);

/* Whether some listener has TLS, or the protocol. */
bool spec_has_tls(const struct spec_model *model);
bool spec_has_protocol(const struct spec_model *model, enum spec_protocols protocol);

/* The method's name for spec_pattern.method. */
const char *spec_method_name(int method);

/* Checks that a name may be an external C function of the author's: an identifier, no keyword up to C23, not reserved,
 * not main, no name of the ISO C library. Returns NULL when it may, else why not ("is a C keyword"). */
const char *spec_function_name_problem(struct text name);

#endif

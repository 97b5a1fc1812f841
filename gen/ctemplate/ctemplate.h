/* A Jinja-like template engine for emitting C. It knows nothing of specs or HTTP.
 *
 * The language is the subset of Jinja2 that generating code needs, with trim_blocks, lstrip_blocks and
 * keep_trailing_newline always on and undefined names always errors. What `{{ x }}` may print is checked: integers, C
 * identifiers and results of filters; any other text is an error that names the filters.
 *
 * No globals, no locale, no files: sources come by name from the caller, output goes to the caller's buffer.
 */
#ifndef GEN_CTEMPLATE_CTEMPLATE_H
#define GEN_CTEMPLATE_CTEMPLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/text.h"

/* ---- Values: immutable once the template runs, in the arena they were made in. */

enum ct_kind { CT_NONE, CT_BOOL, CT_INTEGER, CT_TEXT, CT_LIST, CT_MAP };

struct ct_value;

const struct ct_value *ct_none(void);
const struct ct_value *ct_bool(bool value);
struct ct_value *ct_integer(struct arena *arena, int64_t value);
/* The bytes are not copied. */
struct ct_value *ct_text(struct arena *arena, struct text text);
/* Text that `{{ }}` prints as it is, as if a filter had made it: for C that the caller composed. */
struct ct_value *ct_safe(struct arena *arena, struct text text);

/* A list that grows by ct_list_add. */
struct ct_value *ct_list(struct arena *arena);
void ct_list_add(struct arena *arena, struct ct_value *list, const struct ct_value *item);

/* A map that keeps the order of ct_map_set; the key's bytes are not copied. */
struct ct_value *ct_map(struct arena *arena);
void ct_map_set(struct arena *arena, struct ct_value *map, const char *key, const struct ct_value *value);

/* ---- Rendering. */

/* Gives the source of a template by name ("lib/banner.j2"); false when there is none. */
typedef bool (*ct_source_fn)(void *user, struct text name, struct text *source);

/* Where and why rendering failed. */
struct ct_error {
    struct text file;    /* the template's name */
    unsigned line;       /* from 1 */
    unsigned column;     /* from 1, in code points */
    struct text message; /* with the chain of includes and macros, a line each, behind the first */
};

/* Renders the template `name` with `context` (a map) and appends to `out`. Returns false and fills `error` (texts in the
 * arena) when it fails; `out` then holds a part that must be thrown away. */
bool ct_render(struct arena *arena, ct_source_fn source, void *user, const char *name, const struct ct_value *context,
               struct buffer *out, struct ct_error *error);

#endif

/* From the bytes of a spec to a located tree. The only user of libfyaml, and only of its events: its documents look for
 * duplicate keys in quadratic time and resolve aliases without a bound.
 *
 * What YAML offers and a spec must not use (anchors, aliases, merge keys, tags, further documents, directives) is
 * reported here, as is everything that is wrong with the bytes. Types are not YAML's: every scalar is a text.
 */
#ifndef GEN_SPEC_YAML_H
#define GEN_SPEC_YAML_H

#include <stddef.h>

#include "base/arena.h"
#include "base/text.h"
#include "spec/diagnostics.h"
#include "spec/model.h"

#define YAML_SIZE_MAX ((size_t)16 * 1024 * 1024)
#define YAML_DEPTH_MAX 64

enum yaml_kind {
    YAML_EMPTY, /* nothing was written */
    YAML_SCALAR,
    YAML_SEQUENCE,
    YAML_MAPPING,
    YAML_POISON /* an error was reported for it; whoever meets it says nothing more */
};

enum yaml_style {
    YAML_PLAIN,  /* a scalar without quotes */
    YAML_QUOTED, /* in single or double quotes */
    YAML_BLOCK,  /* a scalar behind | or >; a collection by indentation */
    YAML_FLOW    /* a collection in { } or [ ] */
};

struct yaml_node {
    enum yaml_kind kind;
    enum yaml_style style;
    struct text text;        /* of a scalar; followed by a NUL */
    struct spec_place place; /* of the value, quotes included; of the key or the list when the value is empty */
    struct text key;         /* in a mapping */
    struct spec_place key_place;
    struct yaml_node *first; /* children, in order */
    struct yaml_node *next;
    size_t count; /* of children */
};

/* The root of diagnostics->source, or NULL when it could not be read to its end: then there is an error. Errors that
 * leave the rest readable are reported too; the tree has YAML_POISON or nothing in their place. */
struct yaml_node *yaml_read(struct arena *arena, struct diagnostics *diagnostics);

#endif

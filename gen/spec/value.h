/* What every reader of the tree needs: is this the kind of value that is due, and if not, what to say. */
#ifndef GEN_SPEC_VALUE_H
#define GEN_SPEC_VALUE_H

#include <stdbool.h>

#include "base/arena.h"
#include "spec/diagnostics.h"
#include "spec/model.h"
#include "spec/spec.h"
#include "spec/yaml.h"

/* One run of spec_read. */
struct spec_reader {
    struct arena *arena;
    struct diagnostics *diagnostics;
    struct spec_model *model;
    bool is_poisoned[SPEC_KEY_COUNT]; /* the key's value was refused: what depends on it says nothing */
};

/* Whether the node is a scalar, a mapping or a sequence with a value; if not, reports it (a poisoned one silently).
 * `what` names the key in the message, `example` shows what to write ("" for none). */
bool value_is_scalar(struct spec_reader *reader, const struct yaml_node *node, const char *what, const char *example);
bool value_is_mapping(struct spec_reader *reader, const struct yaml_node *node, const char *what, const char *example);
bool value_is_sequence(struct spec_reader *reader, const struct yaml_node *node, const char *what, const char *example);

/* Reports a key that is not known below `where` ("in limits", "in a route"). `best` is what it may have been meant to
 * be, or empty; then `known` lists what there is. */
void value_key_refuse(struct spec_reader *reader, const struct yaml_node *node, const char *where, struct text best,
                      const char *known);

/* Reads one of `count` words; its index, or -1 after a report. */
int value_choice_read(struct spec_reader *reader, const struct yaml_node *node, const char *what,
                      const char *const *choices, size_t count);

/* Reads a number of the table; false when it was refused and reported. */
bool value_number_read(struct spec_reader *reader, const struct yaml_node *node, enum spec_key key,
                       struct spec_number *number);

/* Reads the keys below the mapping `parent` ("limits", "timeouts", ...) into numbers[SPEC_KEY_COUNT]. In a route only
 * those of level R are allowed. A number that was refused on the server's level poisons its key. */
void value_numbers_read(struct spec_reader *reader, const struct yaml_node *node, enum spec_key parent, bool is_route,
                        struct spec_number *numbers);

/* As much of a text as a message shows, followed by NUL. */
const char *value_shorten(struct spec_reader *reader, struct text text);

#endif

/* Texts that the environment may replace at start: VALUE, or {env: NAME, default: VALUE}. */
#ifndef GEN_SPEC_SETTING_H
#define GEN_SPEC_SETTING_H

#include "spec/value.h"

/* Takes either form; false after a report. `what` names the key in messages. */
bool setting_read(struct spec_reader *reader, const struct yaml_node *node, const char *what,
                  struct spec_setting *setting);

/* Takes the name of an environment variable, as in {env: PORT}; false after a report. `example` is one. */
bool setting_variable_check(struct spec_reader *reader, const struct yaml_node *node, const char *example);

/* Sorts the keys of a mapping into nodes[], as `names` lists them; false when one is not known. `where` ("in listen") is for
 * messages; `elsewhere` is the key of the table below which one may stand instead, or SPEC_KEY_COUNT. */
bool setting_keys_sort(struct spec_reader *reader, const struct yaml_node *node, const char *const *names, size_t count,
                       const char *where, enum spec_key elsewhere, const struct yaml_node **nodes);

#endif

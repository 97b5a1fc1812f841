/* Names of the spec that become names of C: which may, and why another may not. */
#ifndef GEN_SPEC_NAMES_H
#define GEN_SPEC_NAMES_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/text.h"

/* The characters that C17 5.2.4.1 says are told apart. */
#define NAME_SIZE_MAX 63

/* Each returns NULL when the name may be used, else why not, to stand behind the name ("is a C keyword").
 * spec_function_name_problem (spec.h) is what name_handler_problem asks first. */

/* A function of the author's; `product` may be empty when it is not known. */
const char *name_handler_problem(struct text name, struct text product);

/* A wildcard, which becomes a member of a struct. */
const char *name_parameter_problem(struct text name);

/* The product, which becomes a prefix of names and of files. */
const char *name_product_problem(struct text name);

/* Whether this is [A-Za-z_][A-Za-z0-9_]*. */
bool name_is_identifier(struct text name);

/* Whether this may be an environment variable: [A-Z_][A-Z0-9_]*. */
bool name_is_variable(struct text name);

/* A name near to the one written that a function may have, for a help; empty when there is none. */
struct text name_repair(struct arena *arena, struct text name);

#endif

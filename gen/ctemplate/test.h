/* Tests (`x is name`). */
#ifndef GEN_CTEMPLATE_TEST_H
#define GEN_CTEMPLATE_TEST_H

#include "ctemplate/filter.h"

typedef bool (*ct_test_fn)(struct ct_call *call, bool *holds);

struct ct_test {
    const char *name;
    const char *parameters;
    ct_test_fn run;
    bool takes_undefined; /* the subject may be undefined, as in Jinja2 */
};

/* NULL when there is none. */
const struct ct_test *ct_test_find(struct text name);

/* Runs a test whose arguments are bound. */
bool ct_test_run(struct ct_call *call, const struct ct_test *test, bool *holds);

/* Evaluates an expression of kind test. */
bool ct_test_evaluate(struct ct_render *render, struct ct_activation *activation,
                      const struct ct_expression *expression, struct ct_value *value);

/* Whether `item in container` holds. */
bool ct_contains(struct ct_render *render, const struct ct_activation *activation, size_t offset,
                 const struct ct_value *item, const struct ct_value *container, bool *holds);

#endif

/* Filters (`x|name(arguments)`): the table, and what a filter sees of its call. */
#ifndef GEN_CTEMPLATE_FILTER_H
#define GEN_CTEMPLATE_FILTER_H

#include "ctemplate/render.h"

#define CT_ARGUMENTS_MAX 5

/* A call of a filter or test. */
struct ct_call {
    struct ct_render *render;
    struct ct_activation *activation;
    size_t offset;
    const char *name;
    const struct ct_value *subject;
    struct ct_value arguments[CT_ARGUMENTS_MAX]; /* by parameter; CT_MISSING when not given */
};

typedef bool (*ct_filter_fn)(struct ct_call *call, struct ct_value *result);

struct ct_filter {
    const char *name;
    const char *parameters; /* names with a blank between them; required ones end with '!' */
    ct_filter_fn run;
    bool takes_lazy;      /* the subject may be a generator */
    bool takes_undefined; /* subject and arguments may be undefined */
};

/* NULL when there is none. */
const struct ct_filter *ct_filter_find(struct text name);

/* Binds the arguments of a filter's or test's expression to the parameters. */
bool ct_call_bind(struct ct_call *call, const struct ct_expression *expression, const char *parameters);

/* Fails unless the required arguments are there. */
bool ct_call_check(struct ct_call *call, const char *parameters);

size_t ct_parameters_count(const char *parameters);

bool ct_filter_run(struct ct_call *call, const struct ct_filter *filter, struct ct_value *result);

/* Evaluates an expression of kind filter. */
bool ct_filter_evaluate(struct ct_render *render, struct ct_activation *activation,
                        const struct ct_expression *expression, struct ct_value *value);

/* ---- For filters and tests. */

__attribute__((format(printf, 2, 3))) bool ct_call_fail(struct ct_call *call, const char *format, ...);

/* The bytes of the subject, which must be a text or an integer. */
bool ct_subject_text(struct ct_call *call, struct text *text);
bool ct_subject_integer(struct ct_call *call, int64_t *integer);

/* What a list, map or text consists of. */
bool ct_subject_items(struct ct_call *call, struct ct_items *items);

/* Arguments; the value stays as it is when the argument was not given. */
bool ct_argument_text(struct ct_call *call, size_t i, struct text *text);
bool ct_argument_integer(struct ct_call *call, size_t i, int64_t *integer);
bool ct_argument_bool(struct ct_call *call, size_t i, bool *truth);

/* True when the subject and all texts among the arguments are printable, so that what is made of them is safe. */
bool ct_call_is_safe(const struct ct_call *call);

/* Ends a filter that makes a text: takes the bytes out of the buffer, which is freed. */
bool ct_call_return(struct ct_call *call, struct buffer *made, bool safe, struct ct_value *result);

/* Follows an attribute path ("a.b.0") from a value. */
bool ct_call_attribute(struct ct_call *call, const struct ct_value *value, struct text path, struct ct_value *result);

/* ---- The filters, by file. */

/* filter_text.c */
bool ct_filter_upper(struct ct_call *call, struct ct_value *result);
bool ct_filter_lower(struct ct_call *call, struct ct_value *result);
bool ct_filter_replace(struct ct_call *call, struct ct_value *result);
bool ct_filter_indent(struct ct_call *call, struct ct_value *result);
bool ct_filter_trim(struct ct_call *call, struct ct_value *result);
bool ct_filter_align(struct ct_call *call, struct ct_value *result);
bool ct_filter_raw(struct ct_call *call, struct ct_value *result);
bool ct_filter_string(struct ct_call *call, struct ct_value *result);

/* filter_list.c */
bool ct_filter_default(struct ct_call *call, struct ct_value *result);
bool ct_filter_length(struct ct_call *call, struct ct_value *result);
bool ct_filter_first(struct ct_call *call, struct ct_value *result);
bool ct_filter_last(struct ct_call *call, struct ct_value *result);
bool ct_filter_list(struct ct_call *call, struct ct_value *result);
bool ct_filter_join(struct ct_call *call, struct ct_value *result);
bool ct_filter_sort(struct ct_call *call, struct ct_value *result);
bool ct_filter_unique(struct ct_call *call, struct ct_value *result);
bool ct_filter_items(struct ct_call *call, struct ct_value *result);
bool ct_filter_dictsort(struct ct_call *call, struct ct_value *result);

/* filter_select.c */
bool ct_filter_map(struct ct_call *call, struct ct_value *result);
bool ct_filter_select(struct ct_call *call, struct ct_value *result);
bool ct_filter_reject(struct ct_call *call, struct ct_value *result);
bool ct_filter_selectattr(struct ct_call *call, struct ct_value *result);
bool ct_filter_rejectattr(struct ct_call *call, struct ct_value *result);

/* filter_c.c */
bool ct_filter_c_string(struct ct_call *call, struct ct_value *result);
bool ct_filter_c_bytes(struct ct_call *call, struct ct_value *result);
bool ct_filter_c_char(struct ct_call *call, struct ct_value *result);
bool ct_filter_c_ident(struct ct_call *call, struct ct_value *result);
bool ct_filter_c_comment(struct ct_call *call, struct ct_value *result);
bool ct_filter_hex(struct ct_call *call, struct ct_value *result);
bool ct_filter_u(struct ct_call *call, struct ct_value *result);
bool ct_filter_ull(struct ct_call *call, struct ct_value *result);

/* filter_json.c */
bool ct_filter_json(struct ct_call *call, struct ct_value *result);

#endif

/* What a template becomes: statements and expressions, with each name bound to the place of its value.
 *
 * Names follow Jinja2's scopes. A function (the template itself, or a macro) has an array of slots; each frame in it (the
 * function's own, a loop's body, a captured `set`) has its own slots and says what they hold when it begins. Names that
 * no frame stores are free: they are looked up in the context once a run, and found by the number of the name.
 */
#ifndef GEN_CTEMPLATE_AST_H
#define GEN_CTEMPLATE_AST_H

#include "ctemplate/value.h"

struct ct_filter;
struct ct_test;

/* Where a name's value is: in a slot, `hops` functions out, or among the free names. */
struct ct_ref {
    bool free;
    unsigned hops;
    unsigned slot; /* of a free name: the name's number */
};

enum ct_load_kind { CT_LOAD_UNDEFINED, CT_LOAD_FREE, CT_LOAD_ALIAS, CT_LOAD_PARAMETER };

/* What a slot holds when its frame begins. */
struct ct_load {
    unsigned slot;
    bool is_copied; /* else it begins as missing */
    struct ct_ref from;
};

struct ct_frame {
    struct ct_load *loads;
    size_t count;
};

enum ct_expression_kind {
    CT_EX_CONSTANT,
    CT_EX_CAPTURED, /* the text that a block `set` captured */
    CT_EX_NAME,
    CT_EX_LIST,
    CT_EX_MAP,       /* kids: key, value, key, value */
    CT_EX_ATTRIBUTE, /* kids: object; name */
    CT_EX_ITEM,      /* kids: object, key */
    CT_EX_CALL,      /* kids: callee, arguments */
    CT_EX_FILTER,    /* kids: subject, arguments */
    CT_EX_TEST,      /* kids: subject, arguments */
    CT_EX_NOT,
    CT_EX_NEGATE,
    CT_EX_PLUS,
    CT_EX_AND,
    CT_EX_OR,
    CT_EX_COMPARE, /* kids: first, second...; operators between them */
    CT_EX_CONCAT,
    CT_EX_ARITHMETIC,
    CT_EX_CONDITION, /* kids: condition, then, else */
};

enum ct_operator {
    CT_OP_EQ,
    CT_OP_NE,
    CT_OP_LT,
    CT_OP_LE,
    CT_OP_GT,
    CT_OP_GE,
    CT_OP_IN,
    CT_OP_NOT_IN,
    CT_OP_ADD,
    CT_OP_SUBTRACT,
    CT_OP_MULTIPLY,
    CT_OP_DIVIDE,
    CT_OP_MODULO,
};

struct ct_expression {
    enum ct_expression_kind kind;
    unsigned depth; /* of the tree below, itself included */
    size_t offset;
    struct ct_expression **kids;
    size_t count;
    size_t named;                /* of call, filter, test: how many of the last kids are keyword arguments */
    struct text *names;          /* their names */
    enum ct_operator *operators; /* of compare: one fewer than kids; of arithmetic: one */
    struct text name;            /* of name, attribute, filter, test */
    unsigned number;             /* of name */
    struct ct_ref ref;           /* of name */
    struct ct_value constant;
    const struct ct_filter *filter;
    const struct ct_test *test;
    size_t hint; /* of attribute, item: where the map had it the last time */
};

enum ct_statement_kind {
    CT_ST_TEXT,
    CT_ST_PRINT,
    CT_ST_IF,
    CT_ST_FOR,
    CT_ST_SET,
    CT_ST_CAPTURE, /* {% set x %}...{% endset %} */
    CT_ST_MACRO,
    CT_ST_INCLUDE,
    CT_ST_IMPORT,
    CT_ST_FROM,
};

/* A name that is assigned to. */
struct ct_target {
    struct text name;
    unsigned number;
    size_t offset;
    struct ct_ref ref;
    struct text wanted; /* of from: the name in the other template */
};

struct ct_targets {
    struct ct_target *items;
    size_t count;
    size_t room;
};

struct ct_branch {
    struct ct_expression *condition; /* NULL: else */
    struct ct_statement *body;
    struct ct_branch *next;
};

struct ct_loop_parts {
    struct ct_targets targets; /* in the body's frame */
    struct ct_targets tested;  /* the same names in the filter's frame */
    bool is_unpacked;
    struct ct_expression *items;
    struct ct_expression *filter;
    struct ct_statement *body;
    struct ct_statement *otherwise;
    struct ct_frame body_frame;
    struct ct_frame filter_frame;
    struct ct_frame else_frame;
    struct ct_ref loop;
};

struct ct_macro_parts {
    struct ct_target target;
    struct ct_targets parameters;
    struct ct_expression **defaults; /* one a parameter, NULL without */
    struct ct_statement *body;
    struct ct_frame frame;
    unsigned slots_count;
    struct ct_activation *spare; /* activations that wait for the next call */
};

struct ct_capture_parts {
    struct ct_target target;
    struct ct_expression *filter; /* over CT_EX_CAPTURED, or NULL */
    struct ct_statement *body;
    struct ct_frame frame;
};

/* include, import, from. */
struct ct_source_parts {
    struct ct_expression *source;
    bool has_context;
    bool may_miss;
    struct ct_targets targets; /* of import: one */
    struct ct_targets visible; /* the names that the other template sees besides the context */
};

struct ct_statement {
    enum ct_statement_kind kind;
    size_t offset;
    struct ct_statement *next;
    union {
        struct text text;
        struct ct_expression *print;
        struct ct_branch *branches;
        struct ct_loop_parts *loop;
        struct ct_macro_parts *macro;
        struct ct_capture_parts *capture;
        struct ct_source_parts *source;
        struct {
            struct ct_target target;
            struct ct_expression *value;
        } set;
    };
};

struct ct_template {
    struct text name;
    struct text source;
    struct ct_statement *body;
    struct map numbers; /* name -> number (unsigned) */
    struct text *names; /* by number */
    unsigned names_count;
    unsigned names_room;
    unsigned *free; /* numbers of the free names */
    unsigned free_count;
    unsigned *exports; /* by number: slot + 1 of what other templates may import, or 0 */
    struct ct_frame frame;
    unsigned slots_count;
    struct ct_activation *spare;
    const struct ct_activation *module; /* what an import without context gives, once there was one */
};

#endif

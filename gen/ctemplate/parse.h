/* Tokens to statements and expressions. Names are numbered here and bound to places by resolve.h. */
#ifndef GEN_CTEMPLATE_PARSE_H
#define GEN_CTEMPLATE_PARSE_H

#include "ctemplate/lex.h"

/* Blocks in blocks, and expressions in expressions. */
#define CT_NESTING_MAX 64

/* How high the tree of one expression may be; long chains of operators and filters make high trees. */
#define CT_EXPRESSION_DEPTH_MAX 200

/* The state that parse.c (statements) and parse_expression.c share. */
struct ct_parser {
    struct arena *arena;
    struct ct_report *report;
    struct ct_template *template;
    struct ct_lexer lexer;
    struct ct_token token;
    struct ct_token ahead;
    bool has_ahead;
    unsigned blocks_depth;
    unsigned expressions_depth;
    const struct ct_statement *open; /* the innermost block that is not closed */
    const char *open_word;
};

/* Parses the template's source into its body. False with the error filled. */
bool ct_template_parse(struct arena *arena, struct ct_report *report, struct ct_template *template);

/* ---- For the two files of the parser. */

/* Makes the next token the current one. */
bool ct_parser_next(struct ct_parser *parser);

/* Makes the token behind the current one known in parser->ahead. */
bool ct_parser_look(struct ct_parser *parser);

bool ct_parser_sees(const struct ct_parser *parser, enum ct_token_kind kind);
bool ct_parser_sees_name(const struct ct_parser *parser, const char *name);

/* Steps over a token of this kind, or fails. */
bool ct_parser_expect(struct ct_parser *parser, enum ct_token_kind kind);

__attribute__((format(printf, 3, 4))) bool ct_parser_fail(struct ct_parser *parser, size_t offset, const char *format,
                                                          ...);

/* The number of a name in this template. */
unsigned ct_parser_number(struct ct_parser *parser, struct text name);

/* An expression, without its conditional form when that would take the `if` of a `for`. NULL with the error filled. */
struct ct_expression *ct_parse_expression(struct ct_parser *parser, bool with_condition);

/* The filters that follow `subject`. */
struct ct_expression *ct_parse_filters(struct ct_parser *parser, struct ct_expression *subject);

struct ct_expression *ct_expression_make(struct ct_parser *parser, enum ct_expression_kind kind, size_t offset);

#endif

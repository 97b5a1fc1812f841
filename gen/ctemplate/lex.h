/* A template's source as tokens, made one at a time. White space control happens here. */
#ifndef GEN_CTEMPLATE_LEX_H
#define GEN_CTEMPLATE_LEX_H

#include "ctemplate/ast.h"
#include "ctemplate/report.h"

#define CT_BRACKETS_MAX 64

enum ct_token_kind {
    CT_TK_END,
    CT_TK_DATA,
    CT_TK_PRINT_BEGIN,
    CT_TK_PRINT_END,
    CT_TK_BLOCK_BEGIN,
    CT_TK_BLOCK_END,
    CT_TK_NAME,
    CT_TK_INTEGER,
    CT_TK_STRING,
    CT_TK_ADD,
    CT_TK_SUBTRACT,
    CT_TK_DIVIDE,
    CT_TK_FLOOR_DIVIDE,
    CT_TK_MULTIPLY,
    CT_TK_MODULO,
    CT_TK_POWER,
    CT_TK_TILDE,
    CT_TK_LEFT_BRACKET,
    CT_TK_RIGHT_BRACKET,
    CT_TK_LEFT_PARENTHESIS,
    CT_TK_RIGHT_PARENTHESIS,
    CT_TK_LEFT_BRACE,
    CT_TK_RIGHT_BRACE,
    CT_TK_EQ,
    CT_TK_NE,
    CT_TK_GT,
    CT_TK_GE,
    CT_TK_LT,
    CT_TK_LE,
    CT_TK_ASSIGN,
    CT_TK_DOT,
    CT_TK_COLON,
    CT_TK_PIPE,
    CT_TK_COMMA,
    CT_TK_SEMICOLON,
};

struct ct_token {
    enum ct_token_kind kind;
    size_t offset;
    struct text text; /* data after trimming, a name, a string's value; the characters of others */
    int64_t integer;
};

enum ct_lex_mode { CT_LEX_TEXT, CT_LEX_PRINT, CT_LEX_BLOCK, CT_LEX_RAW };

/* Zero it and set report and template to begin. */
struct ct_lexer {
    struct ct_report *report;
    const struct ct_template *template;
    size_t at;
    size_t last; /* offset of the token before the end */
    enum ct_lex_mode mode;
    bool is_line_begun; /* something other than a newline stands before `at` */
    bool has_pending;   /* a begin token follows the data that was given */
    struct ct_token pending;
    char brackets[CT_BRACKETS_MAX]; /* the closing ones that are due */
    size_t brackets_count;
};

/* The next token; false with the error filled. At the end CT_TK_END, as often as asked. */
bool ct_lexer_take(struct ct_lexer *lexer, struct ct_token *token);

/* The source with each line ended by "\n". */
struct text ct_source_normalise(struct arena *arena, struct text source);

/* How a token is called in messages. */
const char *ct_token_noun(enum ct_token_kind kind);

#endif

/* The commands: each reads its arguments, calls the stages, prints, and returns the exit status. No logic of its own. */
#ifndef GEN_CLI_CLI_H
#define GEN_CLI_CLI_H

#include <stdbool.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/text.h"
#include "emit/emit.h"
#include "plan/plan.h"
#include "spec/diagnostics.h"
#include "spec/model.h"

enum cli_exit {
    CLI_FINE = 0,
    CLI_SPEC_WRONG = 1,
    CLI_CALL_WRONG = 2, /* or the environment is */
    CLI_DRIFT = 3,
    CLI_BUG = 70
};

/* What a command's arguments may be; each command says which of them it takes. */
struct cli_arguments {
    const char *operand; /* NULL: not given */
    const char *folder;  /* -o */
    bool vendor;
    bool force;
};

struct cli_command {
    const char *name;
    const char *operand; /* in the usage: "SPEC" or "[DIR]" */
    const char *options; /* of "o", "v" (--vendor) and "f" (--force) */
    const char *summary; /* one line */
    const char *help;    /* what --help prints below the usage */
    int (*run)(const struct cli_arguments *arguments);
};

extern const struct cli_command cli_commands[]; /* ends with a name that is NULL */

int cli_generate(const struct cli_arguments *arguments);
int cli_check(const struct cli_arguments *arguments);
int cli_explain(const struct cli_arguments *arguments);
int cli_init(const struct cli_arguments *arguments);
int cli_run(const struct cli_arguments *arguments);

/* ---- What the commands share (cli.c). */

/* A spec that was read and planned. Zero it; cli_spec_free ends it. */
struct cli_spec {
    struct arena arena;
    struct diagnostics diagnostics;
    struct spec_model *model;
    struct plan *plan;
    struct emit_request request;
};

/* Reads and plans the spec of a command, and says where its output goes. Returns CLI_FINE, or prints why not. */
int cli_spec_read(struct cli_spec *spec, const struct cli_arguments *arguments);
void cli_spec_free(struct cli_spec *spec);

/* Renders the output. Returns CLI_FINE, or prints why not. */
int cli_output_make(struct cli_spec *spec, struct emit_output *output);

/* generate, for the commands that begin with it; prints a line a file. */
int cli_output_write(struct cli_spec *spec, bool force, bool is_quiet);

/* "hardwire: MESSAGE" on standard error; returns CLI_CALL_WRONG, or CLI_BUG when the message says that it is one. */
int cli_problem(struct text message);

/* Prints to standard output; a full disk behind it is an error. */
int cli_print(const struct buffer *out);

#endif

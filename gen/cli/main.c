/* From argv to a command: the table of commands, their options, --help and --version. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

const struct cli_command cli_commands[] = {
    {"generate", "SPEC", "ovf", "write the server's C sources",
     "Writes the sources of the server that SPEC describes into a folder: all files or none, and only\n"
     "those whose bytes change. Files of an earlier run that are no longer generated are removed.\n",
     cli_generate},
    {"check", "SPEC", "o", "compare a folder with what its spec gives",
     "Checks SPEC and, when the output folder exists, whether it holds what generate would write with the\n"
     "options that its hardwire.lock records. Prints a line and a diff for each file that differs; then the\n"
     "exit status is 3. Writes nothing.\n",
     cli_check},
    {"explain", "SPEC", "", "show every value, the memory budget and the routes",
     "Prints the values that hold and where each comes from, what memory the server reserves, line by line,\n"
     "and what answers each route.\n",
     cli_explain},
    {"init", "[DIR]", "", "write a first spec and its handlers",
     "Writes a small spec and a C file with its handlers into DIR (by default the working directory). Both\n"
     "are named after the folder. Files that are there already are never touched.\n",
     cli_init},
    {"run", "SPEC", "o", "generate, build with make and start the server",
     "Generates, builds with make and the C compiler, and becomes the server; Ctrl-C stops it. CC, CFLAGS and\n"
     "make's other variables hold as usual.\n",
     cli_run},
    {NULL, NULL, NULL, NULL, NULL, NULL},
};

static void usage_print(FILE *out)
{
    fputs("Usage: hardwire COMMAND [ARGUMENTS]\n\n"
          "Turns a spec of routes and limits into the C sources of an HTTP server that does just that.\n\n",
          out);
    for (const struct cli_command *command = cli_commands; command->name != NULL; command++)
        fprintf(out, "  %-9s %s\n", command->name, command->summary);
    fputs("\nhardwire COMMAND --help says more about a command; hardwire --version prints the version.\n"
          "Exit status: 0 fine, 1 the spec is wrong, 2 the call or the environment is wrong, 3 check found a\n"
          "difference, 70 a bug of hardwire.\n",
          out);
}

static void command_usage_print(const struct cli_command *command)
{
    printf("Usage: hardwire %s %s", command->name, command->operand);
    if (strchr(command->options, 'o') != NULL)
        printf(" [-o DIR]");
    if (strchr(command->options, 'v') != NULL)
        printf(" [--vendor]");
    if (strchr(command->options, 'f') != NULL)
        printf(" [--force]");
    printf("\n\n%s", command->help);
    if (command->options[0] != '\0')
        printf("\n");
    if (strchr(command->options, 'o') != NULL)
        printf("  -o DIR     the output folder; by default `generated` beside the spec\n");
    if (strchr(command->options, 'v') != NULL)
        printf("  --vendor   copy the runtime, llhttp and the author's sources too, so that the folder builds alone\n");
    if (strchr(command->options, 'f') != NULL)
        printf("  --force    replace files that were edited by hand or are in the way\n");
}

static int call_wrong(const struct cli_command *command, const char *what, const char *which)
{
    fprintf(stderr, "hardwire: %s%s; see hardwire %s%s--help\n", what, which, command == NULL ? "" : command->name,
            command == NULL ? "" : " ");
    return CLI_CALL_WRONG;
}

static bool is_option(const struct cli_command *command, const char *word, const char *name, char letter)
{
    return strcmp(word, name) == 0 && strchr(command->options, letter) != NULL;
}

static int command_run(const struct cli_command *command, int count, char **words)
{
    struct cli_arguments arguments = {0};
    bool options_end = false;
    for (int i = 0; i < count; i++) {
        const char *word = words[i];
        if (!options_end && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)) {
            command_usage_print(command);
            return CLI_FINE;
        }
        if (!options_end && strcmp(word, "--") == 0) {
            options_end = true;
        } else if (!options_end && is_option(command, word, "-o", 'o')) {
            i++;
            if (i == count || words[i][0] == '\0')
                return call_wrong(command, "a folder is missing behind ", word);
            arguments.folder = words[i];
        } else if (!options_end && is_option(command, word, "--vendor", 'v')) {
            arguments.vendor = true;
        } else if (!options_end && is_option(command, word, "--force", 'f')) {
            arguments.force = true;
        } else if (!options_end && word[0] == '-') {
            return call_wrong(command, "unknown option ", word);
        } else if (arguments.operand != NULL || word[0] == '\0') {
            return call_wrong(command, "one argument too many: ", word);
        } else {
            arguments.operand = word;
        }
    }
    if (arguments.operand == NULL && command->operand[0] != '[')
        return call_wrong(command, "an argument is missing: ", command->operand);
    return command->run(&arguments);
}

int main(int argc, char **argv)
{
    /* A file-size limit is an error like a full disk. */
    signal(SIGXFSZ, SIG_IGN);

    if (argc < 2) {
        usage_print(stderr);
        return CLI_CALL_WRONG;
    }
    const char *word = argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        usage_print(stdout);
        return CLI_FINE;
    }
    if (strcmp(word, "--version") == 0) {
        puts("hardwire " HARDWIRE_VERSION);
        return CLI_FINE;
    }
    for (const struct cli_command *command = cli_commands; command->name != NULL; command++)
        if (strcmp(word, command->name) == 0)
            return command_run(command, argc - 2, argv + 2);
    return call_wrong(NULL, word[0] == '-' ? "unknown option " : "unknown command ", word);
}

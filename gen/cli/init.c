/* hardwire init [DIR] */
#include "cli/cli.h"
#include "emit/files.h"
#include "spec/spec.h"

/* The folder's own name if it can be a product's, else "server". */
static struct text name_choose(struct arena *arena, struct text folder)
{
    struct text path, problem;
    if (!path_canonical(arena, folder, &path, &problem))
        return TEXT("server");
    size_t start = path.size;
    while (start > 0 && path.bytes[start - 1] != '/')
        start--;
    struct text name = {path.bytes + start, path.size - start};
    return spec_function_name_problem(name) == NULL ? name : TEXT("server");
}

int cli_init(const struct cli_arguments *arguments)
{
    struct arena arena = {0};
    struct buffer report = {0};
    struct text folder = text_of(arguments->operand == NULL ? "." : arguments->operand);
    while (folder.size > 1 && folder.bytes[folder.size - 1] == '/')
        folder.size--;
    struct text name = name_choose(&arena, folder);
    struct text problem;
    int status;
    if (emit_starter_write(&arena, folder, name, &report, &problem)) {
        struct text spec = path_join(&arena, folder, arena_format(&arena, "%.*s.yaml", TEXT_ARGS(name)));
        buffer_format(&report, "now: hardwire run %.*s\n", TEXT_ARGS(spec));
        status = cli_print(&report);
    } else {
        status = cli_problem(problem);
    }
    buffer_free(&report);
    arena_free(&arena);
    return status;
}

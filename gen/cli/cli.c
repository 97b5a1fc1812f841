/* See cli.h. */
#include "cli/cli.h"

#include <errno.h>

#include "emit/files.h"
#include "spec/spec.h"

#define SPEC_SIZE_MAX ((size_t)16 << 20)

int cli_problem(struct text message)
{
    fprintf(stderr, "hardwire: %.*s\n", TEXT_ARGS(message));
    return message.size > 5 && memcmp(message.bytes, "bug: ", 5) == 0 ? CLI_BUG : CLI_CALL_WRONG;
}

int cli_print(const struct buffer *out)
{
    struct text text = buffer_text(out);
    if (fwrite(text.bytes, 1, text.size, stdout) == text.size && fflush(stdout) == 0)
        return CLI_FINE;
    fprintf(stderr, "hardwire: cannot write to standard output: %s\n", strerror(errno));
    return CLI_CALL_WRONG;
}

static int diagnostics_print(const struct diagnostics *diagnostics)
{
    struct buffer out = {0};
    diagnostics_render(diagnostics, &out);
    struct text text = buffer_text(&out);
    fwrite(text.bytes, 1, text.size, stderr);
    buffer_free(&out);
    return CLI_SPEC_WRONG;
}

int cli_spec_read(struct cli_spec *spec, const struct cli_arguments *arguments)
{
    struct arena *arena = &spec->arena;
    spec->diagnostics.arena = arena;
    struct text file = text_of(arguments->operand);
    struct text source, problem;
    enum file_state state = file_read(arena, file, SPEC_SIZE_MAX, true, &source, &problem);
    if (state == FILE_TOO_LARGE) {
        cli_problem(problem);
        return CLI_SPEC_WRONG;
    }
    if (state != FILE_READ)
        return cli_problem(problem);

    spec->model = spec_read(arena, file, source, &spec->diagnostics);
    if (spec->model != NULL)
        spec->plan = plan_make(arena, spec->model, &spec->diagnostics);
    if (spec->plan == NULL)
        return diagnostics_print(&spec->diagnostics);

    struct text spec_folder = path_folder(arena, file);
    struct text folder =
        arguments->folder != NULL ? text_of(arguments->folder) : path_join(arena, spec_folder, TEXT("generated"));
    while (folder.size > 1 && folder.bytes[folder.size - 1] == '/')
        folder.size--;
    spec->request = (struct emit_request){
        .plan = spec->plan,
        .spec_folder = spec_folder,
        .folder = arena_copy(arena, folder),
        .vendor = arguments->vendor,
    };
    return CLI_FINE;
}

void cli_spec_free(struct cli_spec *spec)
{
    arena_free(&spec->arena);
}

int cli_output_make(struct cli_spec *spec, struct emit_output *output)
{
    struct text problem;
    if (emit_output_make(&spec->arena, &spec->request, output, &spec->diagnostics, &problem))
        return CLI_FINE;
    return spec->diagnostics.count != 0 ? diagnostics_print(&spec->diagnostics) : cli_problem(problem);
}

int cli_output_write(struct cli_spec *spec, bool force, bool is_quiet)
{
    struct emit_output output;
    int status = cli_output_make(spec, &output);
    if (status != CLI_FINE)
        return status;
    struct buffer report = {0};
    struct text problem;
    if (!emit_output_write(&spec->arena, &spec->request, &output, force, &report, &problem)) {
        buffer_free(&report);
        return cli_problem(problem);
    }
    if (report.size == 0 && !is_quiet)
        buffer_format(&report, "nothing changed in %.*s\n", TEXT_ARGS(spec->request.folder));
    status = cli_print(&report);
    buffer_free(&report);
    return status;
}

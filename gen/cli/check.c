/* hardwire check SPEC [-o DIR] */
#include "cli/cli.h"

static int output_compare(struct cli_spec *spec)
{
    struct emit_output output;
    int status = cli_output_make(spec, &output);
    if (status != CLI_FINE)
        return status;
    struct buffer report = {0};
    struct text problem;
    long count = emit_output_compare(&spec->arena, &spec->request, &output, &report, &problem);
    if (count == 0)
        buffer_format(&report, "%.*s is what %.*s gives\n", TEXT_ARGS(spec->request.folder),
                      TEXT_ARGS(spec->model->file));
    status = count < 0 ? cli_problem(problem) : cli_print(&report);
    buffer_free(&report);
    return status == CLI_FINE && count > 0 ? CLI_DRIFT : status;
}

int cli_check(const struct cli_arguments *arguments)
{
    struct cli_spec spec = {0};
    int status = cli_spec_read(&spec, arguments);
    if (status == CLI_FINE) {
        struct text folder = spec.request.folder;
        spec.request.vendor = emit_vendor_recorded(&spec.arena, folder);
        /* A folder that was asked for by name and is not there has drifted as far as can be. */
        if (arguments->folder != NULL || emit_folder_exists(folder))
            status = output_compare(&spec);
        else
            printf("%.*s is fine; there is no %.*s to compare with\n", TEXT_ARGS(spec.model->file), TEXT_ARGS(folder));
    }
    cli_spec_free(&spec);
    return status;
}

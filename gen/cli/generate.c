/* hardwire generate SPEC [-o DIR] [--vendor] [--force] */
#include "cli/cli.h"

int cli_generate(const struct cli_arguments *arguments)
{
    struct cli_spec spec = {0};
    int status = cli_spec_read(&spec, arguments);
    if (status == CLI_FINE)
        status = cli_output_write(&spec, arguments->force, false);
    cli_spec_free(&spec);
    return status;
}

/* Code generated from everything.yaml by hardwire; DO NOT EDIT.
 * This file may be used under any terms.
 *
 * The program: a server that runs until it gets TERM or INT.
 */
#include "everything_config.h"

#include <hardwire/generated.h>

int main(void)
{
    return hw_server_main();
}

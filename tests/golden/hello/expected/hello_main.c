/* Code generated from hello.yaml by hardwire; DO NOT EDIT.
 * This file may be used under any terms.
 *
 * The program: a server that runs until it gets TERM or INT.
 */
#include "hello_config.h"

#include <hardwire/generated.h>

int main(void)
{
    return hw_server_main();
}

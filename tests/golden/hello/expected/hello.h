/* Code generated from hello.yaml by hardwire; DO NOT EDIT.
 * This file may be used under any terms.
 *
 * The handlers of hello, which the author writes, and its start, stop and reload.
 */
#ifndef HELLO_H
#define HELLO_H

#ifndef HW_PREFIX
#define HW_PREFIX hello
#endif
#include <hardwire/hardwire.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Reserves all memory, binds, listens and starts the threads. Returns 0, or 2 with one line (no newline) in `message`
 * and everything undone. */
int hello_start(char *message, size_t message_size);

/* Stops accepting, lets requests in progress end within timeouts.drain, ends the threads and frees everything. Returns
 * when that is done; does nothing when the server does not run. Not from a handler. */
void hello_stop(void);

/* Reads certificates again, without losing a connection; when one is wrong the old ones stay and the log says why. Does
 * nothing in a server without TLS. */
void hello_reload(void);

/* The port that listener n of the spec, counted from 0, is bound to; 0 for a unix socket or when the server does not
 * run. */
uint16_t hello_port(unsigned listener);

#ifdef __cplusplus
}
#endif
#endif

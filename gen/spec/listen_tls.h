/* The key `tls` of a listener: certificates, and what is asked of clients. */
#ifndef GEN_SPEC_LISTEN_TLS_H
#define GEN_SPEC_LISTEN_TLS_H

#include "spec/value.h"

#define IDENTITIES_MAX 64

/* Whether the tls of a listener has a key of this name. */
bool listen_tls_has_key(struct text name);

/* Reads the value of the key; NULL after a report. Looks at no file. */
const struct spec_tls *listen_tls_read(struct spec_reader *reader, const struct yaml_node *node);

#endif

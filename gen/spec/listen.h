/* The key `listen`: where the server listens. */
#ifndef GEN_SPEC_LISTEN_H
#define GEN_SPEC_LISTEN_H

#include "spec/value.h"

#define LISTENERS_MAX 64

/* Fills the model's listeners from the key's value, or from its default when `node` is NULL. */
void listen_read(struct spec_reader *reader, const struct yaml_node *node);

#endif

/* The texts of scalars, from their bytes in the source.
 *
 * libfyaml 0.7.12 finds where a scalar begins and ends, and is right about plain and literal ones. Of the others it makes
 * another text than was written: 'x''''y' gets a quote too many, a double-quoted text over several lines loses or gains
 * blanks beside escapes, and a folded one loses an empty line before a line that is indented further.
 */
#ifndef GEN_SPEC_YAML_TEXT_H
#define GEN_SPEC_YAML_TEXT_H

#include <stdbool.h>

#include "base/buffer.h"
#include "base/text.h"

/* Appends the text of a single-quoted scalar (YAML 1.2.2 section 7.3.2); `raw` is what stands between the quotes. */
void yaml_single_decode(struct text raw, struct buffer *out);

/* Appends the text of a double-quoted scalar (section 7.3.1). Returns false when an escape stands for no character. */
bool yaml_double_decode(struct text raw, struct buffer *out);

/* Appends the text of a folded scalar (section 8.1.3); `raw` are its lines. Its indentation and the line breaks at its
 * end are those of `almost`, what libfyaml makes of it. */
void yaml_folded_decode(struct text raw, struct text almost, struct buffer *out);

#endif

/* Messages about a spec: collected, ordered by place, printed with the source line, a caret and help.
 *
 * Every message is a row of diagnostics.def with a stable code. Nothing here prints: diagnostics_render makes the text,
 * once, at the end of a run.
 */
#ifndef GEN_SPEC_DIAGNOSTICS_H
#define GEN_SPEC_DIAGNOSTICS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/text.h"
#include "spec/model.h"

enum diagnostic_code {
#define DIAGNOSTIC(id, code, summary) DIAGNOSTIC_##id,
#include "spec/diagnostics.def"
#undef DIAGNOSTIC
    DIAGNOSTIC_COUNT
};

struct diagnostic {
    enum diagnostic_code code;
    struct spec_place place;
    struct text message;      /* what is wrong; lower case at the start, no full stop */
    struct text help;         /* what to write instead; empty: none */
    struct spec_place second; /* line 0: none */
    struct text second_message;
    struct diagnostic *next;
};

struct diagnostics {
    struct arena *arena;
    struct text file;   /* the name in the messages */
    struct text source; /* the spec's bytes */
    struct diagnostic *list;
    size_t count;
    struct diagnostic spare; /* what diagnostic_add gives when so many were added that more are only counted */
};

/* Adds an error; the texts are formatted into the arena. The result may be given help or a second place by the
 * functions below until the next call. */
__attribute__((format(printf, 4, 5))) struct diagnostic *diagnostic_add(struct diagnostics *diagnostics,
                                                                        enum diagnostic_code code,
                                                                        struct spec_place place, const char *format,
                                                                        ...);
__attribute__((format(printf, 3, 4))) void diagnostic_help(struct diagnostics *diagnostics,
                                                           struct diagnostic *diagnostic, const char *format, ...);
__attribute__((format(printf, 4, 5))) void diagnostic_second(struct diagnostics *diagnostics,
                                                             struct diagnostic *diagnostic, struct spec_place place,
                                                             const char *format, ...);

/* All messages, ordered by place, at most 20 and then a line that says how many more there are:
 *   FILE:LINE:COL: error: TEXT [CODE], the source line, the caret, "help:". */
void diagnostics_render(const struct diagnostics *diagnostics, struct buffer *out);

/* The stable code, e.g. "HW2003". */
const char *diagnostic_code_name(enum diagnostic_code code);

#endif

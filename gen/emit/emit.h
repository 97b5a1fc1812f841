/* From the plan to files on disk, all or nothing: the one entry to this folder.
 *
 * An output folder holds owned files, which only the generator writes and which hardwire.lock lists, and perhaps
 * handlers.c, which is written once and belongs to the author from then on. Nothing else there is ever touched.
 */
#ifndef GEN_EMIT_EMIT_H
#define GEN_EMIT_EMIT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/text.h"
#include "plan/plan.h"
#include "spec/diagnostics.h"

struct emit_request {
    const struct plan *plan;
    struct text spec_folder; /* sources are relative to it; "." for the working directory */
    struct text folder;      /* where to write; need not exist */
    bool vendor;             /* copy the runtime, the parser and the author's sources too */
};

struct emit_file {
    struct text path; /* below the output folder, with '/' */
    struct text bytes;
};

/* All files that an output folder shall hold, in memory. */
struct emit_output {
    struct emit_file *files; /* owned, ordered by path, hardwire.lock the last */
    size_t count;
    size_t room;
    struct emit_file scaffold; /* handlers.c; no path when the spec needs none */
};

/* Renders everything. False when a source of the author's cannot be read (`diagnostics` has the error then) or when
 * something else failed: one line in `problem`. */
bool emit_output_make(struct arena *arena, const struct emit_request *request, struct emit_output *output,
                      struct diagnostics *diagnostics, struct text *problem);

/* Writes what differs from the disk, removes owned files that are no longer generated, and adds a line for each to
 * `report`. With an error, one line in `problem`: the folder is as it was. A file that was edited by hand, or that the
 * generator never wrote, is an error unless `force`. */
bool emit_output_write(struct arena *arena, const struct emit_request *request, const struct emit_output *output,
                       bool force, struct buffer *report, struct text *problem);

/* Compares with the disk: a line in `report` for each file that is changed, missing, stale or edited by hand, with a
 * unified diff from the disk's to the output's. Returns how many there are, or -1 with one line in `problem`. */
long emit_output_compare(struct arena *arena, const struct emit_request *request, const struct emit_output *output,
                         struct buffer *report, struct text *problem);

/* Whether the output folder exists, and which options its hardwire.lock records. */
bool emit_folder_exists(struct text folder);
bool emit_vendor_recorded(struct arena *arena, struct text folder);

/* Writes files that belong to the author from the start: none of them may exist. For `hardwire init`. */
bool emit_starter_write(struct arena *arena, struct text folder, struct text name, struct buffer *report,
                        struct text *problem);

#endif

/* Changes to one folder that happen all or not at all.
 *
 * Everything new is written under temporary names first; then names are exchanged, and what had one of them before is
 * kept aside until the end, so that a failure can put it back. Generators that run at once take turns.
 */
#ifndef GEN_EMIT_COMMIT_H
#define GEN_EMIT_COMMIT_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/text.h"

struct commit_step {
    const char *path;   /* what changes */
    const char *fresh;  /* its new content under a temporary name; NULL: it is removed */
    const char *backup; /* what was there before, under a temporary name; NULL: nothing */
    bool is_done;
};

struct commit {
    struct arena *arena;
    struct commit_step *steps;
    size_t count;
    size_t room;
    const char **folders; /* made by this run, outermost first */
    size_t folder_count;
    size_t folder_room;
    size_t root_size; /* of the folder's path */
    int turn;         /* descriptor of the folder, locked; -1 */
    sigset_t signals;
    bool has_signals;
};

/* Makes the folder if need be and waits for this run's turn. `commit` needs only its arena set. Every commit_begin is
 * followed by commit_end. */
bool commit_begin(struct commit *commit, struct text folder, struct text *problem);

/* Adds a file to write, with folders on the way, or one to remove; both below the folder of commit_begin. Steps happen in the order of these calls. */
bool commit_write(struct commit *commit, struct text path, struct text bytes, struct text *problem);
bool commit_remove(struct commit *commit, struct text path, struct text *problem);

/* Does all steps, or none. */
bool commit_apply(struct commit *commit, struct text *problem);

/* Removes what is left over: temporary files, and after a failure the folders that were made. */
void commit_end(struct commit *commit);

#endif

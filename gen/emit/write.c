/* The output against the disk: what is to be written, and what `check` says. */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "emit/commit.h"
#include "emit/diff.h"
#include "emit/emit.h"
#include "emit/files.h"
#include "emit/hash.h"
#include "emit/lock.h"

/* No file that the generator writes comes near this. */
#define OWNED_SIZE_MAX ((size_t)1 << 30)

enum drift {
    DRIFT_NONE,
    DRIFT_MISSING,
    DRIFT_CHANGED, /* as the generator left it, but the spec gives something else now */
    DRIFT_EDITED,  /* not as the generator left it */
    DRIFT_FOREIGN  /* never written by the generator */
};

/* How a file on disk stands to its new content. False when it cannot be read. */
static bool drift_find(struct arena *arena, struct text folder, const struct lock *lock, const struct emit_file *file,
                       enum drift *drift, struct text *bytes, struct text *problem)
{
    *bytes = TEXT("");
    enum file_state state =
        file_read(arena, path_join(arena, folder, file->path), OWNED_SIZE_MAX, false, bytes, problem);
    *drift = DRIFT_MISSING;
    if (state != FILE_READ)
        return state == FILE_MISSING;
    const struct lock_file *known = map_find(&lock->by_path, file->path);
    if (text_is_equal(*bytes, file->bytes))
        *drift = DRIFT_NONE;
    else if (text_is(file->path, LOCK_NAME))
        *drift = DRIFT_CHANGED;
    else if (known == NULL)
        *drift = DRIFT_FOREIGN;
    else
        *drift = text_is_equal(hash_of_bytes(arena, *bytes), known->hash) ? DRIFT_CHANGED : DRIFT_EDITED;
    return true;
}

static bool is_in_output(const struct emit_output *output, struct text path)
{
    size_t low = 0, high = output->count - 1; /* the last is the lock, outside the order */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = text_compare(output->files[middle].path, path);
        if (order == 0)
            return true;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

/* The files of the old lock that are on disk and no longer generated. `edited` says which of them were changed since:
 * those stay. */
struct stale {
    struct text *paths;
    bool *edited;
    size_t count;
};

static bool stale_find(struct arena *arena, struct text folder, const struct lock *lock,
                       const struct emit_output *output, struct stale *stale, struct text *problem)
{
    stale->paths = arena_take_array(arena, lock->count, sizeof *stale->paths);
    stale->edited = arena_take_array(arena, lock->count, sizeof *stale->edited);
    stale->count = 0;
    for (size_t i = 0; i < lock->count; i++) {
        struct text bytes;
        if (is_in_output(output, lock->files[i].path))
            continue;
        enum file_state state =
            file_read(arena, path_join(arena, folder, lock->files[i].path), OWNED_SIZE_MAX, false, &bytes, problem);
        if (state == FILE_MISSING)
            continue;
        if (state != FILE_READ)
            return false;
        stale->paths[stale->count] = lock->files[i].path;
        stale->edited[stale->count++] = !text_is_equal(hash_of_bytes(arena, bytes), lock->files[i].hash);
    }
    return true;
}

/* ---- Writing. */

struct writing {
    struct arena *arena;
    struct commit *commit;
    struct text folder;
    const struct lock *lock;
    const struct emit_output *output;
    bool force;
    struct buffer *report; /* what to say when all went well */
    struct text *problem;
};

static bool file_put(struct writing *writing, const struct emit_file *file)
{
    struct arena *arena = writing->arena;
    enum drift drift;
    struct text bytes;
    struct text path = path_join(arena, writing->folder, file->path);
    if (!drift_find(arena, writing->folder, writing->lock, file, &drift, &bytes, writing->problem))
        return false;
    if (drift == DRIFT_NONE)
        return true;
    if ((drift == DRIFT_EDITED || drift == DRIFT_FOREIGN) && !writing->force) {
        const char *why = drift == DRIFT_EDITED ? "was edited by hand" : "is there and not of this generator's making";
        *writing->problem = arena_format(arena, "%.*s %s; --force replaces it", TEXT_ARGS(path), why);
        return false;
    }
    buffer_format(writing->report, "wrote %.*s\n", TEXT_ARGS(path));
    return commit_write(writing->commit, path, file->bytes, writing->problem);
}

static bool stale_remove(struct writing *writing)
{
    struct stale stale;
    if (!stale_find(writing->arena, writing->folder, writing->lock, writing->output, &stale, writing->problem))
        return false;
    for (size_t i = 0; i < stale.count; i++) {
        struct text path = path_join(writing->arena, writing->folder, stale.paths[i]);
        if (stale.edited[i] && !writing->force) {
            buffer_format(writing->report, "kept %.*s, which is no longer generated but was edited by hand\n",
                          TEXT_ARGS(path));
            continue;
        }
        buffer_format(writing->report, "removed %.*s\n", TEXT_ARGS(path));
        if (!commit_remove(writing->commit, path, writing->problem))
            return false;
    }
    return true;
}

/* handlers.c, unless something of that name is there already. */
static bool scaffold_put(struct writing *writing, const struct plan *plan)
{
    const struct emit_file *scaffold = &writing->output->scaffold;
    if (scaffold->path.size == 0)
        return true;
    struct text path = path_join(writing->arena, writing->folder, scaffold->path);
    struct stat status;
    if (lstat(path.bytes, &status) == 0)
        return true;
    if (errno != ENOENT) {
        *writing->problem = problem_make(writing->arena, "look for", path, errno);
        return false;
    }
    buffer_format(writing->report, "wrote %.*s, which is yours from now on\n", TEXT_ARGS(path));
    for (size_t i = 0; i < plan->handler_count; i++)
        buffer_format(writing->report, "  %.*s answers 501 until you write it\n", TEXT_ARGS(plan->handlers[i]->name));
    return commit_write(writing->commit, path, scaffold->bytes, writing->problem);
}

static bool all_put(struct writing *writing, const struct plan *plan)
{
    for (size_t i = 0; i + 1 < writing->output->count; i++)
        if (!file_put(writing, &writing->output->files[i]))
            return false;
    return stale_remove(writing) && scaffold_put(writing, plan) &&
           file_put(writing, &writing->output->files[writing->output->count - 1]) &&
           commit_apply(writing->commit, writing->problem);
}

/* Folders of removed files, when nothing is left in them. */
static void folders_tidy(struct arena *arena, struct text folder, const struct lock *lock)
{
    for (size_t i = lock->count; i-- > 0;) {
        struct text path = path_folder(arena, lock->files[i].path);
        while (!text_is(path, ".") && rmdir(path_join(arena, folder, path).bytes) == 0)
            path = path_folder(arena, path);
    }
}

bool emit_output_write(struct arena *arena, const struct emit_request *request, const struct emit_output *output,
                       bool force, struct buffer *report, struct text *problem)
{
    struct commit commit = {.arena = arena};
    struct buffer done = {0};
    struct lock *lock = NULL;
    bool fine = commit_begin(&commit, request->folder, problem) && lock_read(arena, request->folder, &lock, problem);
    if (fine) {
        struct writing writing = {arena, &commit, request->folder, lock, output, force, &done, problem};
        fine = all_put(&writing, request->plan);
    }
    commit_end(&commit);
    if (fine) {
        buffer_add(report, buffer_text(&done));
        folders_tidy(arena, request->folder, lock);
    }
    buffer_free(&done);
    return fine;
}

/* ---- Comparing. */

static void drift_report(struct arena *arena, struct text folder, const struct emit_file *file, enum drift drift,
                         struct text bytes, struct buffer *report)
{
    static const char *const words[] = {
        [DRIFT_MISSING] = "missing",
        [DRIFT_CHANGED] = "changed",
        [DRIFT_EDITED] = "edited by hand",
        [DRIFT_FOREIGN] = "not generated, but in the way",
    };
    struct text path = path_join(arena, folder, file->path);
    buffer_format(report, "%s: %.*s\n", words[drift], TEXT_ARGS(path));
    if (drift != DRIFT_MISSING)
        diff_add(report, path, bytes, file->bytes);
}

long emit_output_compare(struct arena *arena, const struct emit_request *request, const struct emit_output *output,
                         struct buffer *report, struct text *problem)
{
    long count = 0;
    struct lock *lock;
    struct stale stale;
    if (!lock_read(arena, request->folder, &lock, problem))
        return -1;
    for (size_t i = 0; i < output->count; i++) {
        enum drift drift;
        struct text bytes;
        if (!drift_find(arena, request->folder, lock, &output->files[i], &drift, &bytes, problem))
            return -1;
        if (drift == DRIFT_NONE)
            continue;
        drift_report(arena, request->folder, &output->files[i], drift, bytes, report);
        count++;
    }
    if (!stale_find(arena, request->folder, lock, output, &stale, problem))
        return -1;
    for (size_t i = 0; i < stale.count; i++) {
        struct text path = path_join(arena, request->folder, stale.paths[i]);
        buffer_format(report, "stale: %.*s\n", TEXT_ARGS(path));
        count++;
    }
    return count;
}

bool emit_folder_exists(struct text folder)
{
    struct arena arena = {0};
    struct stat status;
    bool exists = stat(arena_copy(&arena, folder).bytes, &status) == 0 && S_ISDIR(status.st_mode);
    arena_free(&arena);
    return exists;
}

bool emit_vendor_recorded(struct arena *arena, struct text folder)
{
    struct lock *lock;
    struct text problem;
    return lock_read(arena, folder, &lock, &problem) && lock->vendor;
}

/* See commit.h. */
#include "emit/commit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "emit/files.h"

/* The mode of a new file: what the user's umask leaves of 0666. */
static mode_t file_mode(void)
{
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

static void folder_note(struct commit *commit, const char *folder)
{
    if (commit->folder_count == commit->folder_room) {
        commit->folder_room = commit->folder_room == 0 ? 8 : commit->folder_room * 2;
        commit->folders = memory_resize(commit->folders, commit->folder_room * sizeof *commit->folders);
    }
    commit->folders[commit->folder_count++] = folder;
}

/* Makes a folder and those above it, as far as they are missing. */
static bool folder_make(struct commit *commit, struct text path, struct text *problem)
{
    for (size_t i = 1; i <= path.size; i++) {
        if (i < path.size && path.bytes[i] != '/')
            continue;
        struct text part = arena_copy(commit->arena, (struct text){path.bytes, i});
        if (mkdir(part.bytes, 0777) == 0) {
            folder_note(commit, part.bytes);
            continue;
        }
        /* The output folder may be a symbolic link, but nothing in it: it could lead anywhere. */
        struct stat status;
        int error = errno;
        int found = i > commit->root_size ? lstat(part.bytes, &status) : stat(part.bytes, &status);
        if (found == 0 && S_ISDIR(status.st_mode))
            continue;
        if (error == EEXIST)
            *problem = arena_format(commit->arena, "%s is not a folder", part.bytes);
        else
            *problem = problem_make(commit->arena, "make the folder", part, error);
        return false;
    }
    return true;
}

/* From here to the end an interrupt waits, so that it leaves nothing behind. */
static void signals_block(struct commit *commit)
{
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGINT);
    sigaddset(&blocked, SIGTERM);
    sigaddset(&blocked, SIGHUP);
    commit->has_signals = sigprocmask(SIG_BLOCK, &blocked, &commit->signals) == 0;
}

bool commit_begin(struct commit *commit, struct text folder, struct text *problem)
{
    *commit = (struct commit){.arena = commit->arena, .turn = -1, .root_size = folder.size};
    signals_block(commit);
    if (!folder_make(commit, folder, problem))
        return false;
    struct text name = arena_copy(commit->arena, folder);
    commit->turn = open(name.bytes, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (commit->turn < 0) {
        *problem = problem_make(commit->arena, "open the folder", folder, errno);
        return false;
    }
    /* A file system without locks still gets whole files: temporary names differ. */
    while (flock(commit->turn, LOCK_EX) != 0 && errno == EINTR)
        continue;
    return true;
}

static struct commit_step *step_add(struct commit *commit, struct text path)
{
    if (commit->count == commit->room) {
        commit->room = commit->room == 0 ? 32 : commit->room * 2;
        commit->steps = memory_resize(commit->steps, commit->room * sizeof *commit->steps);
    }
    struct commit_step *step = &commit->steps[commit->count++];
    *step = (struct commit_step){.path = arena_copy(commit->arena, path).bytes};
    return step;
}

/* A new empty file beside `path`. Returns its descriptor, or -1. */
static int temporary_make(struct arena *arena, struct text path, const char **name, struct text *problem)
{
    char *template = (char *)path_join(arena, path_folder(arena, path), TEXT(".hardwire-XXXXXX")).bytes;
    int descriptor = mkostemp(template, O_CLOEXEC);
    if (descriptor < 0)
        *problem = problem_make(arena, "write", path, errno);
    else
        *name = template;
    return descriptor;
}

static bool descriptor_fill(int descriptor, struct text bytes)
{
    for (size_t i = 0; i < bytes.size;) {
        ssize_t size = write(descriptor, bytes.bytes + i, bytes.size - i);
        if (size < 0 && errno != EINTR)
            return false;
        i += size < 0 ? 0 : (size_t)size;
    }
    return fchmod(descriptor, file_mode()) == 0;
}

bool commit_write(struct commit *commit, struct text path, struct text bytes, struct text *problem)
{
    if (!folder_make(commit, path_folder(commit->arena, path), problem))
        return false;
    struct commit_step *step = step_add(commit, path);
    int descriptor = temporary_make(commit->arena, path, &step->fresh, problem);
    if (descriptor < 0)
        return false;
    bool filled = descriptor_fill(descriptor, bytes);
    int error = errno;
    /* Some file systems find out only here that the disk is full. */
    if (close(descriptor) != 0 && filled) {
        filled = false;
        error = errno;
    }
    if (!filled)
        *problem = problem_make(commit->arena, "write", path, error);
    return filled;
}

bool commit_remove(struct commit *commit, struct text path, struct text *problem)
{
    struct commit_step *step = step_add(commit, path);
    int descriptor = temporary_make(commit->arena, path, &step->backup, problem);
    if (descriptor < 0)
        return false;
    close(descriptor);
    return true;
}

/* A second name for what stands at the path now; none when nothing does, or when the file system has no second names:
 * then this step cannot be undone. Nor for a file of another user, whose second name might not be ours to remove. */
static void backup_make(struct commit *commit, struct commit_step *step)
{
    struct stat status;
    if (lstat(step->path, &status) != 0 || status.st_uid != geteuid())
        return;
    struct text name = arena_format(commit->arena, "%s.old", step->fresh);
    if (link(step->path, name.bytes) == 0)
        step->backup = name.bytes;
}

static bool step_do(struct commit *commit, struct commit_step *step, struct text *problem)
{
    if (step->fresh != NULL)
        backup_make(commit, step);
    const char *from = step->fresh != NULL ? step->fresh : step->path;
    const char *to = step->fresh != NULL ? step->path : step->backup;
    step->is_done = rename(from, to) == 0;
    if (!step->is_done)
        *problem = problem_make(commit->arena, step->fresh != NULL ? "write" : "remove", text_of(step->path), errno);
    return step->is_done;
}

static void step_undo(struct commit_step *step)
{
    if (!step->is_done)
        return;
    int result = step->backup != NULL ? rename(step->backup, step->path) : unlink(step->path);
    /* What cannot be put back is left as it is: the first failure is the one that is told. */
    (void)result;
    step->backup = NULL;
    step->is_done = false;
    step->fresh = NULL;
}

bool commit_apply(struct commit *commit, struct text *problem)
{
    for (size_t i = 0; i < commit->count; i++) {
        if (step_do(commit, &commit->steps[i], problem))
            continue;
        while (i-- > 0)
            step_undo(&commit->steps[i]);
        return false;
    }
    commit->folder_count = 0;
    return true;
}

void commit_end(struct commit *commit)
{
    for (size_t i = 0; i < commit->count; i++) {
        const struct commit_step *step = &commit->steps[i];
        if (step->backup != NULL)
            unlink(step->backup);
        if (step->fresh != NULL && !step->is_done)
            unlink(step->fresh);
    }
    while (commit->folder_count > 0)
        rmdir(commit->folders[--commit->folder_count]);
    if (commit->turn >= 0)
        close(commit->turn);
    if (commit->has_signals)
        sigprocmask(SIG_SETMASK, &commit->signals, NULL);
    free(commit->steps);
    free(commit->folders);
    *commit = (struct commit){.arena = commit->arena, .turn = -1};
}

/* What `hardwire init` writes: a spec and its handlers. */
#include <errno.h>
#include <sys/stat.h>

#include "emit/commit.h"
#include "emit/emit.h"
#include "emit/files.h"
#include "emit/render.h"

static const struct {
    const char *template;
    const char *suffix;
} starter_files[] = {
    {"starter.yaml.j2", ".yaml"},
    {"starter.c.j2", ".c"},
};

static bool file_put(struct commit *commit, struct text path, struct text bytes, struct text *problem)
{
    struct stat status;
    if (lstat(arena_copy(commit->arena, path).bytes, &status) == 0) {
        *problem = arena_format(commit->arena, "%.*s exists already; nothing was written", TEXT_ARGS(path));
        return false;
    }
    if (errno != ENOENT) {
        *problem = problem_make(commit->arena, "look for", path, errno);
        return false;
    }
    return commit_write(commit, path, bytes, problem);
}

bool emit_starter_write(struct arena *arena, struct text folder, struct text name, struct buffer *report,
                        struct text *problem)
{
    struct ct_value *context = ct_map(arena);
    ct_map_set(arena, context, "name", ct_text(arena, name));
    struct commit commit = {.arena = arena};
    struct buffer done = {0};
    bool fine = commit_begin(&commit, folder, problem);
    for (size_t i = 0; fine && i < sizeof starter_files / sizeof starter_files[0]; i++) {
        struct text file = arena_format(arena, "%.*s%s", TEXT_ARGS(name), starter_files[i].suffix);
        struct text path = path_join(arena, folder, file);
        struct text bytes;
        fine = render_template(arena, starter_files[i].template, context, &bytes, problem) &&
               file_put(&commit, path, bytes, problem);
        buffer_format(&done, "wrote %.*s\n", TEXT_ARGS(path));
    }
    fine = fine && commit_apply(&commit, problem);
    if (fine)
        buffer_add(report, buffer_text(&done));
    commit_end(&commit);
    buffer_free(&done);
    return fine;
}

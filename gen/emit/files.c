/* See files.h. */
#include "emit/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"

struct text problem_make(struct arena *arena, const char *verb, struct text path, int error)
{
    return arena_format(arena, "cannot %s %.*s: %s", verb, TEXT_ARGS(path), strerror(error));
}

/* Reads until the end or one byte more than allowed. Returns 0 or an errno. */
static int descriptor_read(int descriptor, size_t size_max, struct buffer *out)
{
    char piece[65536];
    while (out->size <= size_max) {
        ssize_t size = read(descriptor, piece, sizeof piece);
        if (size < 0 && errno == EINTR)
            continue;
        if (size < 0)
            return errno;
        if (size == 0)
            return 0;
        buffer_add(out, (struct text){piece, (size_t)size});
    }
    return 0;
}

static enum file_state descriptor_take(struct arena *arena, struct text path, int descriptor, size_t size_max,
                                       struct text *bytes, struct text *problem)
{
    struct stat status;
    if (fstat(descriptor, &status) != 0) {
        *problem = problem_make(arena, "read", path, errno);
        return FILE_FAILED;
    }
    if (!S_ISREG(status.st_mode)) {
        *problem = arena_format(arena, "%.*s is not a regular file", TEXT_ARGS(path));
        return FILE_FAILED;
    }
    struct buffer content = {0};
    int error = descriptor_read(descriptor, size_max, &content);
    enum file_state state = error != 0 ? FILE_FAILED : content.size > size_max ? FILE_TOO_LARGE : FILE_READ;
    if (state == FILE_READ)
        *bytes = arena_copy(arena, buffer_text(&content));
    else
        *problem = error != 0 ? problem_make(arena, "read", path, error)
                              : arena_format(arena, "%.*s is larger than %zu bytes", TEXT_ARGS(path), size_max);
    buffer_free(&content);
    return state;
}

enum file_state file_read(struct arena *arena, struct text path, size_t size_max, bool follow, struct text *bytes,
                          struct text *problem)
{
    struct text name = arena_copy(arena, path);
    /* Without O_NONBLOCK a FIFO would be waited for. */
    int descriptor = open(name.bytes, O_RDONLY | O_CLOEXEC | O_NONBLOCK | (follow ? 0 : O_NOFOLLOW));
    if (descriptor < 0) {
        if (errno == ELOOP && !follow)
            *problem = arena_format(arena, "%.*s is a symbolic link", TEXT_ARGS(path));
        else
            *problem = problem_make(arena, "read", path, errno);
        return errno == ENOENT ? FILE_MISSING : FILE_FAILED;
    }
    enum file_state state = descriptor_take(arena, path, descriptor, size_max, bytes, problem);
    close(descriptor);
    return state;
}

struct text path_folder(struct arena *arena, struct text path)
{
    size_t size = path.size;
    while (size > 0 && path.bytes[size - 1] != '/')
        size--;
    if (size == 0)
        return TEXT(".");
    while (size > 1 && path.bytes[size - 1] == '/')
        size--;
    return arena_copy(arena, (struct text){path.bytes, size});
}

struct text path_join(struct arena *arena, struct text folder, struct text name)
{
    if (text_is(folder, ".") || (name.size != 0 && name.bytes[0] == '/'))
        return arena_copy(arena, name);
    bool has_slash = folder.size != 0 && folder.bytes[folder.size - 1] == '/';
    return arena_format(arena, "%.*s%s%.*s", TEXT_ARGS(folder), has_slash ? "" : "/", TEXT_ARGS(name));
}

void path_segments_add(struct buffer *out, struct text path)
{
    for (size_t i = 0; i < path.size;) {
        const char *slash = memchr(path.bytes + i, '/', path.size - i);
        size_t end = slash == NULL ? path.size : (size_t)(slash - path.bytes);
        struct text segment = {path.bytes + i, end - i};
        i = end + 1;
        if (text_is(segment, "..")) {
            while (out->size > 0 && out->bytes[out->size - 1] != '/')
                out->size--;
            out->size -= out->size > 0;
        } else if (segment.size != 0 && !text_is(segment, ".")) {
            buffer_add_char(out, '/');
            buffer_add(out, segment);
        }
    }
}

bool path_canonical(struct arena *arena, struct text path, struct text *canonical, struct text *problem)
{
    /* The longest part that exists, then the rest. */
    struct text existing = arena_copy(arena, path.size == 0 ? TEXT(".") : path);
    char *real = realpath(existing.bytes, NULL);
    while (real == NULL && (errno == ENOENT || errno == ENOTDIR) && !text_is(existing, ".") &&
           !text_is(existing, "/")) {
        existing = arena_copy(arena, path_folder(arena, existing));
        real = realpath(existing.bytes, NULL);
    }
    if (real == NULL) {
        *problem = problem_make(arena, "find", path, errno);
        return false;
    }
    struct buffer out = {0};
    path_segments_add(&out, text_of(real));
    free(real);
    bool is_bare = text_is(existing, ".") && path.size > 1 && (path.bytes[0] != '.' || path.bytes[1] != '/');
    size_t rest = is_bare ? 0 : existing.size < path.size ? existing.size : path.size;
    path_segments_add(&out, (struct text){path.bytes + rest, path.size - rest});
    if (out.size == 0)
        buffer_add_char(&out, '/');
    *canonical = arena_copy(arena, buffer_text(&out));
    buffer_free(&out);
    return true;
}

struct text path_relative(struct arena *arena, struct text folder, struct text path)
{
    /* Where both part: behind the last '/' that they share with all before it. */
    size_t shared = 0, i = 0;
    for (; i < folder.size && i < path.size && folder.bytes[i] == path.bytes[i]; i++)
        if (folder.bytes[i] == '/')
            shared = i + 1;
    if (i == folder.size && i < path.size && path.bytes[i] == '/')
        shared = i + 1;
    struct buffer out = {0};
    if (shared <= folder.size && folder.size > 1) {
        buffer_add(&out, TEXT("../"));
        for (size_t k = shared; k < folder.size; k++)
            if (folder.bytes[k] == '/')
                buffer_add(&out, TEXT("../"));
    }
    buffer_add(&out, (struct text){path.bytes + shared, path.size - shared});
    struct text relative = arena_copy(arena, buffer_text(&out));
    buffer_free(&out);
    return relative;
}

/* See sources.h. */
#include "emit/sources.h"

#include "base/map.h"
#include "emit/files.h"
#include "emit/layout.h"

/* A C file of the author's larger than this is a mistake. */
#define SOURCE_SIZE_MAX ((size_t)64 << 20)

struct copying {
    struct arena *arena;
    const struct emit_request *request;
    struct sources *sources;
    struct text *origins; /* one a copy: the file it is a copy of */
    size_t room;
    struct map taken; /* paths of the copies */
};

static void copy_add(struct copying *copying, struct text origin, struct text path, struct text bytes)
{
    struct sources *sources = copying->sources;
    if (sources->copy_count == copying->room) {
        copying->room = copying->room == 0 ? 16 : copying->room * 2;
        struct emit_file *copies = arena_take_array(copying->arena, copying->room, sizeof *copies);
        struct text *origins = arena_take_array(copying->arena, copying->room, sizeof *origins);
        for (size_t i = 0; i < sources->copy_count; i++) {
            copies[i] = sources->copies[i];
            origins[i] = copying->origins[i];
        }
        sources->copies = copies;
        copying->origins = origins;
    }
    copying->origins[sources->copy_count] = origin;
    sources->copies[sources->copy_count++] = (struct emit_file){path, bytes};
    map_add(&copying->taken, copying->arena, path, copying);
}

/* `name` seen from the folder of `path`, without "." and "..". */
static struct text path_beside(struct arena *arena, struct text path, struct text name)
{
    struct buffer out = {0};
    path_segments_add(&out, path_folder(arena, path));
    path_segments_add(&out, name);
    struct text beside = arena_copy(arena, buffer_text(&out));
    buffer_free(&out);
    return beside.size == 0 ? beside : (struct text){beside.bytes + 1, beside.size - 1};
}

/* The name in an #include "name" line, or empty. */
static struct text include_name(struct text line)
{
    size_t i = 0;
    const char *words[] = {"#", "include", "\""};
    for (size_t w = 0; w < sizeof words / sizeof words[0]; w++) {
        while (i < line.size && (line.bytes[i] == ' ' || line.bytes[i] == '\t'))
            i++;
        size_t size = strlen(words[w]);
        if (line.size - i < size || memcmp(line.bytes + i, words[w], size) != 0)
            return TEXT("");
        i += size;
    }
    const char *quote = memchr(line.bytes + i, '"', line.size - i);
    return (struct text){line.bytes + i, quote == NULL ? 0 : (size_t)(quote - line.bytes) - i};
}

/* Copies a file that a copy includes, when it stands beside the original and would stand beside the copy. */
static void include_copy(struct copying *copying, struct text origin, struct text path, struct text name)
{
    struct arena *arena = copying->arena;
    struct text product = copying->request->plan->name;
    bool is_generated = text_is_equal(name, arena_format(arena, "%.*s.h", TEXT_ARGS(product)));
    struct text beside = path_beside(arena, path, name);
    if (name.size == 0 || name.bytes[0] == '/' || is_generated || beside.size <= 4 ||
        memcmp(beside.bytes, "app/", 4) != 0 || map_find(&copying->taken, beside) != NULL)
        return;
    struct text bytes, problem;
    struct text from = path_join(arena, path_folder(arena, origin), name);
    if (file_read(arena, from, SOURCE_SIZE_MAX, true, &bytes, &problem) == FILE_READ)
        copy_add(copying, from, beside, bytes);
}

static void includes_copy(struct copying *copying, size_t index)
{
    struct text bytes = copying->sources->copies[index].bytes;
    for (size_t start = 0, i = 0; i <= bytes.size; i++)
        if (i == bytes.size || bytes.bytes[i] == '\n') {
            struct text name = include_name((struct text){bytes.bytes + start, i - start});
            if (name.size != 0)
                include_copy(copying, copying->origins[index], copying->sources->copies[index].path, name);
            start = i + 1;
        }
}

static bool relative_find(struct arena *arena, const struct emit_request *request, struct text file,
                          struct text *relative, struct text *problem)
{
    struct text out, folder;
    if (!path_canonical(arena, request->folder, &out, problem) ||
        !path_canonical(arena, path_folder(arena, file), &folder, problem))
        return false;
    size_t start = file.size;
    while (start > 0 && file.bytes[start - 1] != '/')
        start--;
    struct text base = {file.bytes + start, file.size - start};
    *relative = path_relative(arena, out, path_join(arena, folder, base));
    return true;
}

bool sources_find(struct arena *arena, const struct emit_request *request, struct sources *sources,
                  struct diagnostics *diagnostics, struct text *problem)
{
    const struct plan *plan = request->plan;
    struct copying copying = {.arena = arena, .request = request, .sources = sources};
    *sources = (struct sources){.paths = arena_take_array(arena, plan->source_count, sizeof *sources->paths)};
    size_t missing = 0;
    for (size_t i = 0; i < plan->source_count; i++) {
        const struct plan_source *source = &plan->sources[i];
        struct text bytes, why;
        sources->paths[i] = source->vendored;
        if (source->is_scaffold)
            continue;
        struct text file = path_join(arena, request->spec_folder, source->path);
        if (file_read(arena, file, SOURCE_SIZE_MAX, true, &bytes, &why) != FILE_READ) {
            diagnostic_add(diagnostics, DIAGNOSTIC_SOURCE_MISSING, source->place, "%.*s", TEXT_ARGS(why));
            missing++;
            continue;
        }
        if (request->vendor)
            copy_add(&copying, file, source->vendored, bytes);
        else if (!relative_find(arena, request, file, &sources->paths[i], problem))
            return false;
        if (!layout_is_path_writable(sources->paths[i])) {
            *problem = arena_format(arena, "make cannot be told of %.*s: its path has a character that it cannot read",
                                    TEXT_ARGS(sources->paths[i]));
            return false;
        }
    }
    for (size_t i = 0; i < sources->copy_count; i++)
        includes_copy(&copying, i);
    return missing == 0;
}

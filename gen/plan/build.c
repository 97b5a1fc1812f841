/* What is compiled: the runtime's files that the spec uses, and the author's. */
#include "plan/stages.h"

/* Whether the spec uses a feature of plan/runtime.def. */
#define FEATURE_ALWAYS(plan) true
#define FEATURE_MAIN(plan) ((plan)->has_main)
#define FEATURE_TLS(plan) ((plan)->has_tls)
#define FEATURE_NO_TLS(plan) (!(plan)->has_tls)
#define FEATURE_HTTP2(plan) ((plan)->has_http2)
#define FEATURE_NO_HTTP2(plan) (!(plan)->has_http2)

static void runtime_files_choose(struct plan *plan, struct arena *arena)
{
    static const char *const paths[] = {
#define RUNTIME_FILE(path, feature) path,
#include "plan/runtime.def"
#undef RUNTIME_FILE
    };
    const bool used[] = {
#define RUNTIME_FILE(path, feature) FEATURE_##feature(plan),
#include "plan/runtime.def"
#undef RUNTIME_FILE
    };
    const size_t count = sizeof paths / sizeof paths[0];
    plan->runtime_files = arena_take_array(arena, count, sizeof *plan->runtime_files);
    for (size_t i = 0; i < count; i++)
        if (used[i])
            plan->runtime_files[plan->runtime_file_count++] = paths[i];
}

static void libraries_choose(struct plan *plan)
{
    if (plan->has_tls)
        plan->libraries[plan->library_count++] =
            (struct plan_library){TEXT("openssl"), TEXT("3.0"), TEXT("OPENSSL"), TEXT("OpenSSL"), TEXT("TLS")};
    if (plan->has_http2)
        plan->libraries[plan->library_count++] =
            (struct plan_library){TEXT("libnghttp2"), TEXT("1.40"), TEXT("NGHTTP2"), TEXT("nghttp2"), TEXT("HTTP/2")};
}

/* The path inside app/: without "." and "..", so that nothing is written outside the output folder. */
static struct text vendored_path(struct arena *arena, struct text path)
{
    char *bytes = arena_take(arena, path.size + 1);
    size_t size = 0;
    for (size_t i = 0; i < path.size;) {
        const char *slash = memchr(path.bytes + i, '/', path.size - i);
        size_t end = slash == NULL ? path.size : (size_t)(slash - path.bytes);
        struct text segment = {path.bytes + i, end - i};
        if (segment.size != 0 && !text_is(segment, ".") && !text_is(segment, "..")) {
            if (size != 0)
                bytes[size++] = '/';
            memcpy(bytes + size, segment.bytes, segment.size);
            size += segment.size;
        }
        i = end + 1;
    }
    return (struct text){bytes, size};
}

/* The file's own name without its suffix, as a part of an identifier. */
static struct text object_name(struct arena *arena, struct text path)
{
    size_t start = path.size;
    while (start > 0 && path.bytes[start - 1] != '/')
        start--;
    size_t end = path.size;
    if (end - start > 2 && memcmp(path.bytes + end - 2, ".c", 2) == 0)
        end -= 2;
    struct text name = plan_name_of_text(arena, (struct text){path.bytes + start, end - start});
    return name.size == 0 ? TEXT("source") : name;
}

/* A path that no source has yet: a second app/x.c becomes app/2/x.c. */
static struct text vendored_take(struct map *taken, struct arena *arena, struct text path, struct plan_source *source)
{
    struct text vendored = arena_format(arena, "app/%.*s", TEXT_ARGS(path));
    for (size_t i = 2; map_add(taken, arena, vendored, source) != NULL; i++)
        vendored = arena_format(arena, "app/%zu/%.*s", i, TEXT_ARGS(path));
    return vendored;
}

void plan_build_make(struct plan *plan, struct arena *arena)
{
    runtime_files_choose(plan, arena);
    libraries_choose(plan);
    const struct spec_model *model = plan->model;
    if (!model->has_sources) {
        plan->sources = arena_take(arena, sizeof *plan->sources);
        plan->sources[0] = (struct plan_source){TEXT("handlers.c"), TEXT("handlers"), TEXT("handlers.c"), {0}, true};
        plan->source_count = plan->handler_count != 0 ? 1 : 0;
        return;
    }
    struct plan_names objects = {0};
    struct map vendored = {0};
    plan->source_count = model->source_count;
    plan->sources = arena_take_array(arena, plan->source_count, sizeof *plan->sources);
    for (size_t i = 0; i < plan->source_count; i++) {
        struct plan_source *source = &plan->sources[i];
        source->path = model->sources[i].path;
        source->place = model->sources[i].place;
        source->object = plan_name_take(&objects, arena, object_name(arena, source->path));
        source->vendored = vendored_take(&vendored, arena, vendored_path(arena, source->path), source);
    }
}

/* All files of an output folder, in memory. */
#include <stdlib.h>

#include "embed/embedded.h"
#include "emit/emit.h"
#include "emit/files.h"
#include "emit/layout.h"
#include "emit/lock.h"
#include "emit/render.h"
#include "emit/sources.h"
#include "emit/values.h"

struct rendering {
    struct arena *arena;
    const struct emit_request *request;
    struct emit_output *output;
    struct ct_value *context;
    struct text *problem;
};

static void file_add(struct arena *arena, struct emit_output *output, struct text path, struct text bytes)
{
    if (output->count == output->room) {
        output->room = output->room == 0 ? 64 : output->room * 2;
        struct emit_file *grown = arena_take_array(arena, output->room, sizeof *grown);
        if (output->count != 0)
            memcpy(grown, output->files, output->count * sizeof *grown);
        output->files = grown;
    }
    output->files[output->count++] = (struct emit_file){path, bytes};
}

static int file_compare(const void *a, const void *b)
{
    return text_compare(((const struct emit_file *)a)->path, ((const struct emit_file *)b)->path);
}

static const struct embedded_file *embedded_find(const struct embedded_file *files, struct text name)
{
    for (; files->name != NULL; files++)
        if (text_is(name, files->name))
            return files;
    return NULL;
}

static bool template_source(void *user, struct text name, struct text *source)
{
    (void)user;
    const struct embedded_file *file = embedded_find(embedded_templates, name);
    if (file != NULL)
        *source = (struct text){(const char *)file->bytes, file->size};
    return file != NULL;
}

bool render_template(struct arena *arena, const char *template, const struct ct_value *context, struct text *bytes,
                     struct text *problem)
{
    /* What a template makes on its way is as large as what comes out; it goes before the next one. */
    struct arena scratch = {0};
    struct buffer out = {0};
    struct ct_error error;
    bool fine = ct_render(&scratch, template_source, NULL, template, context, &out, &error);
    if (fine)
        *bytes = arena_copy(arena, buffer_text(&out));
    else
        *problem = arena_format(arena, "bug: %.*s:%u:%u: %.*s", TEXT_ARGS(error.file), error.line, error.column,
                                TEXT_ARGS(error.message));
    buffer_free(&out);
    arena_free(&scratch);
    return fine;
}

/* The files that are made from templates; NAME stands for the product's name. */
static const struct {
    const char *template;
    const char *prefix; /* "" or NULL for NAME */
    const char *rest;
    bool needs_main;
} template_files[] = {
    {"CMakeLists.txt.j2", "", "CMakeLists.txt", false},
    {"Makefile.j2", "", "Makefile", false},
    {"header.h.j2", NULL, ".h", false},
    {"config.h.j2", NULL, "_config.h", false},
    {"main.c.j2", NULL, "_main.c", true},
    {"responses.c.j2", NULL, "_responses.c", false},
    {"routes.c.j2", NULL, "_routes.c", false},
    {"runtime.c.j2", NULL, "_runtime.c", false},
};

static bool templates_render(struct rendering *rendering)
{
    const struct plan *plan = rendering->request->plan;
    for (size_t i = 0; i < sizeof template_files / sizeof template_files[0]; i++) {
        if (template_files[i].needs_main && !plan->has_main)
            continue;
        struct text prefix = template_files[i].prefix == NULL ? plan->name : TEXT("");
        struct text bytes;
        if (!render_template(rendering->arena, template_files[i].template, rendering->context, &bytes,
                             rendering->problem))
            return false;
        file_add(rendering->arena, rendering->output,
                 arena_format(rendering->arena, "%.*s%s", TEXT_ARGS(prefix), template_files[i].rest), bytes);
    }
    if (plan->source_count == 0 || !plan->sources[0].is_scaffold)
        return true;
    rendering->output->scaffold.path = plan->sources[0].path;
    return render_template(rendering->arena, "handlers.c.j2", rendering->context, &rendering->output->scaffold.bytes,
                           rendering->problem);
}

/* ---- Copies for --vendor. */

static void embedded_add(struct rendering *rendering, const char *folder, const struct embedded_file *file)
{
    file_add(rendering->arena, rendering->output, arena_format(rendering->arena, "%s/%s", folder, file->name),
             (struct text){(const char *)file->bytes, file->size});
}

static bool is_header(const char *name)
{
    size_t size = strlen(name);
    return size > 2 && strcmp(name + size - 2, ".h") == 0;
}

/* The runtime's headers and those of its C files that the spec uses, and the parser. */
static bool runtime_copy(struct rendering *rendering)
{
    const struct plan *plan = rendering->request->plan;
    for (const struct embedded_file *file = embedded_runtime; file->name != NULL; file++)
        if (is_header(file->name))
            embedded_add(rendering, "runtime", file);
    for (size_t i = 0; i < plan->runtime_file_count; i++) {
        const struct embedded_file *file = embedded_find(embedded_runtime, text_of(plan->runtime_files[i]));
        if (file == NULL) {
            *rendering->problem =
                arena_format(rendering->arena, "bug: the runtime has no file %s", plan->runtime_files[i]);
            return false;
        }
        embedded_add(rendering, "runtime", file);
    }
    for (const struct embedded_file *file = embedded_llhttp; file->name != NULL; file++)
        embedded_add(rendering, "llhttp", file);
    return true;
}

/* The names of the parser's C files without folder and suffix, for the build files. */
static void llhttp_units_list(struct arena *arena, struct emit_build *build)
{
    size_t room = 0;
    while (embedded_llhttp[room].name != NULL)
        room++;
    struct text *units = arena_take_array(arena, room, sizeof *units);
    for (size_t i = 0; i < room; i++) {
        const char *name = embedded_llhttp[i].name;
        size_t size = strlen(name);
        if (size > 6 && memcmp(name, "src/", 4) == 0 && strcmp(name + size - 2, ".c") == 0)
            units[build->llhttp_unit_count++] = (struct text){name + 4, size - 6};
    }
    build->llhttp_units = units;
}

bool emit_output_make(struct arena *arena, const struct emit_request *request, struct emit_output *output,
                      struct diagnostics *diagnostics, struct text *problem)
{
    *output = (struct emit_output){0};
    struct sources sources;
    if (!sources_find(arena, request, &sources, diagnostics, problem))
        return false;
    struct emit_build build = {.vendor = request->vendor, .sources = sources.paths};
    llhttp_units_list(arena, &build);
    struct rendering rendering = {arena, request, output, values_make(arena, request->plan, &build), problem};
    if (!templates_render(&rendering) || (request->vendor && !runtime_copy(&rendering)))
        return false;
    for (size_t i = 0; i < sources.copy_count; i++)
        file_add(arena, output, sources.copies[i].path, sources.copies[i].bytes);
    qsort(output->files, output->count, sizeof *output->files, file_compare);
    file_add(arena, output, TEXT(LOCK_NAME), lock_format(arena, request, output));
    return true;
}

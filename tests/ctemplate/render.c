/* Renders templates with data from JSON files.
 *
 *   render TEMPLATE DATA.json              prints the result; an error goes to stderr, exit 1
 *   render TEMPLATE DATA.json TEMPLATE...  prints, for each pair, "ok SIZE" or "error SIZE", a newline, as many bytes
 *                                          of the result or message, a newline
 *
 * Other templates are read from the folder of the template that was named.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "ctemplate/ctemplate.h"
#include "json.h"

struct folder {
    struct arena *arena;
    const char *path;
};

static bool file_read(struct arena *arena, const char *path, struct text *text)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return false;
    struct buffer buffer = {0};
    char bytes[4096];
    size_t size;
    while ((size = fread(bytes, 1, sizeof bytes, file)) != 0)
        buffer_add(&buffer, (struct text){bytes, size});
    bool is_good = ferror(file) == 0;
    fclose(file);
    *text = arena_copy(arena, buffer_text(&buffer));
    buffer_free(&buffer);
    return is_good;
}

static bool source_read(void *user, struct text name, struct text *source)
{
    const struct folder *folder = user;
    struct text path = arena_format(folder->arena, "%s%.*s", folder->path, TEXT_ARGS(name));
    return memchr(name.bytes, '\0', name.size) == NULL && file_read(folder->arena, path.bytes, source);
}

/* The result, or the message of what went wrong. */
static bool render_one(struct arena *arena, const char *template, const char *data, struct buffer *result)
{
    struct text json;
    size_t offset;
    const char *problem;
    if (!file_read(arena, data, &json)) {
        buffer_format(result, "%s: cannot be read", data);
        return false;
    }
    const struct ct_value *context = json_read(arena, json, &offset, &problem);
    if (context == NULL) {
        buffer_format(result, "%s: byte %zu: %s", data, offset, problem);
        return false;
    }
    const char *slash = strrchr(template, '/');
    const char *name = slash == NULL ? template : slash + 1;
    struct folder folder = {arena, arena_copy(arena, (struct text){template, (size_t)(name - template)}).bytes};
    struct ct_error error;
    if (ct_render(arena, source_read, &folder, name, context, result, &error))
        return true;
    buffer_free(result);
    buffer_format(result, "%.*s:%u:%u: error: %.*s", TEXT_ARGS(error.file), error.line, error.column,
                  TEXT_ARGS(error.message));
    return false;
}

static bool framed(char *pair[])
{
    struct arena arena = {0};
    struct buffer result = {0};
    bool is_good = render_one(&arena, pair[0], pair[1], &result);
    printf("%s %zu\n", is_good ? "ok" : "error", result.size);
    fwrite(buffer_text(&result).bytes, 1, result.size, stdout);
    putchar('\n');
    buffer_free(&result);
    arena_free(&arena);
    return ferror(stdout) == 0;
}

static int single(char *pair[])
{
    struct arena arena = {0};
    struct buffer result = {0};
    bool is_good = render_one(&arena, pair[0], pair[1], &result);
    struct text text = buffer_text(&result);
    if (is_good)
        fwrite(text.bytes, 1, text.size, stdout);
    else
        fprintf(stderr, "%.*s\n", TEXT_ARGS(text));
    buffer_free(&result);
    arena_free(&arena);
    return is_good && fflush(stdout) == 0 ? 0 : 1;
}

int main(int argc, char *argv[])
{
    if (argc < 3 || argc % 2 == 0) {
        fprintf(stderr, "usage: render TEMPLATE DATA.json [TEMPLATE DATA.json]...\n");
        return 2;
    }
    if (argc == 3)
        return single(argv + 1);
    for (int i = 1; i + 1 < argc; i += 2)
        if (!framed(argv + i))
            return 2;
    return 0;
}

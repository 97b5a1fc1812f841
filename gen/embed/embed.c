/* Host tool of the build: turns files into one C file that holds their bytes.
 *
 *   embed OUTPUT.c FOLDER/NAME=FILE...
 *
 * FOLDER is templates, runtime or llhttp and says which table of embed/embedded.h the file goes into; NAME, which may
 * hold more folders, is what the generator asks for. The order of the arguments does not matter: tables are ordered by
 * name. Exit status: 0, or 2 after one line on standard error.
 */
#include "embed/embedded.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/text.h"

static const char *const embed_folders[] = {"templates", "runtime", "llhttp"};
#define EMBED_FOLDERS (sizeof embed_folders / sizeof embed_folders[0])

struct embed_entry {
    struct text name; /* with the folder */
    const char *file;
    size_t folder;
};

static __attribute__((format(printf, 1, 2))) _Noreturn void embed_fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("embed: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(2);
}

static struct embed_entry embed_entry_read(const char *argument)
{
    const char *equals = strchr(argument, '=');
    if (equals == NULL)
        embed_fail("FOLDER/NAME=FILE expected, not %s", argument);
    struct embed_entry entry = {.name = {argument, (size_t)(equals - argument)}, .file = equals + 1};
    for (entry.folder = 0; entry.folder < EMBED_FOLDERS; entry.folder++) {
        size_t size = strlen(embed_folders[entry.folder]);
        if (entry.name.size > size + 1 && memcmp(argument, embed_folders[entry.folder], size) == 0 &&
            argument[size] == '/')
            return entry;
    }
    embed_fail("unknown folder in %s", argument);
}

static int embed_entry_compare(const void *a, const void *b)
{
    return text_compare(((const struct embed_entry *)a)->name, ((const struct embed_entry *)b)->name);
}

/* One array of the file's bytes. Numbers, because ISO C promises no string literal of more than 4095 bytes. */
static void embed_file_add(struct buffer *out, const struct embed_entry *entry, size_t index)
{
    FILE *file = fopen(entry->file, "rb");
    if (file == NULL)
        embed_fail("cannot open %s", entry->file);
    size_t size = 0;
    buffer_format(out, "static const unsigned char file_%zu[] = {", index);
    for (int byte = getc(file); byte != EOF; byte = getc(file), size++)
        buffer_format(out, "%s%d,", size % 32 == 0 ? "\n    " : "", byte);
    if (ferror(file) != 0 || fclose(file) != 0)
        embed_fail("cannot read %s", entry->file);
    /* An array has at least one element; the table leaves this one out again. */
    buffer_add(out, TEXT("\n    0};\n\n"));
}

static void embed_table_add(struct buffer *out, const struct embed_entry *entries, size_t count, size_t folder)
{
    size_t prefix = strlen(embed_folders[folder]) + 1;
    buffer_format(out, "const struct embedded_file embedded_%s[] = {\n", embed_folders[folder]);
    for (size_t i = 0; i < count; i++)
        if (entries[i].folder == folder)
            buffer_format(out, "    {\"%.*s\", file_%zu, sizeof file_%zu - 1},\n", (int)(entries[i].name.size - prefix),
                          entries[i].name.bytes + prefix, i, i);
    buffer_add(out, TEXT("    {NULL, NULL, 0},\n};\n"));
}

int main(int argc, char **argv)
{
    if (argc < 2)
        embed_fail("usage: embed OUTPUT.c FOLDER/NAME=FILE...");
    size_t count = (size_t)argc - 2;
    struct arena arena = {0};
    struct embed_entry *entries = arena_take_array(&arena, count, sizeof *entries);
    for (size_t i = 0; i < count; i++)
        entries[i] = embed_entry_read(argv[i + 2]);
    qsort(entries, count, sizeof *entries, embed_entry_compare);

    struct buffer out = {0};
    buffer_add(&out, TEXT("/* Written by gen/embed/embed.c. */\n#include \"embed/embedded.h\"\n\n"));
    for (size_t i = 0; i < count; i++)
        embed_file_add(&out, &entries[i], i);
    for (size_t folder = 0; folder < EMBED_FOLDERS; folder++)
        embed_table_add(&out, entries, count, folder);

    FILE *file = fopen(argv[1], "wb");
    if (file == NULL || fwrite(out.bytes, 1, out.size, file) != out.size || fclose(file) != 0)
        embed_fail("cannot write %s", argv[1]);
    buffer_free(&out);
    arena_free(&arena);
    return 0;
}

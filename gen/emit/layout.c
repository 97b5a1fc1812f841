/* See layout.h. */
#include "emit/layout.h"

#include <stdio.h>

#include "base/buffer.h"

/* What stands around a piece of a string: blanks, quotes, a backslash, a comment. */
#define QUOTED_ROOM 30

static struct text buffer_take(struct arena *arena, struct buffer *buffer)
{
    struct text text = arena_copy(arena, buffer_text(buffer));
    buffer_free(buffer);
    return text;
}

struct text layout_call(struct arena *arena, struct text head, const struct text *items, size_t count, const char *tail)
{
    struct buffer out = {0};
    buffer_format(&out, "%.*s(", TEXT_ARGS(head));
    size_t indent = out.size;
    size_t column = out.size;
    for (size_t i = 0; i < count; i++) {
        size_t behind = i + 1 < count ? 1 : 1 + strlen(tail);
        if (i != 0 && column + 1 + items[i].size + behind > LAYOUT_COLUMNS) {
            buffer_format(&out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (i != 0) {
            buffer_add_char(&out, ' ');
            column++;
        }
        buffer_add(&out, items[i]);
        buffer_add(&out, i + 1 < count ? TEXT(",") : TEXT(")"));
        column += items[i].size + 1;
    }
    buffer_add(&out, text_of(tail));
    return buffer_take(arena, &out);
}

/* How many bytes of a list of names go on one line: up to a ':', or one name. */
static size_t names_fit(const char *bytes, size_t size, size_t columns)
{
    size_t fit = 0;
    while (fit < size) {
        const char *colon = memchr(bytes + fit, ':', size - fit);
        size_t next = colon == NULL ? size : (size_t)(colon - bytes) + 1;
        if (fit != 0 && next > columns)
            break;
        fit = next;
    }
    return fit;
}

struct text layout_quoted(struct arena *arena, struct text quoted, size_t columns)
{
    if (quoted.size <= columns)
        return quoted;
    struct buffer out = {0};
    buffer_add_char(&out, '\\');
    for (size_t at = 1; at + 1 < quoted.size;) {
        size_t fit = names_fit(quoted.bytes + at, quoted.size - 1 - at, LAYOUT_COLUMNS - QUOTED_ROOM);
        bool is_last = at + fit + 1 == quoted.size;
        buffer_format(&out, "\n    \"%.*s\"%s", (int)fit, quoted.bytes + at, is_last ? "" : " \\");
        at += fit;
    }
    return buffer_take(arena, &out);
}

/* Adds one element of an array, on a new line if this one is full. */
static void element_add(struct buffer *out, size_t *column, const char *element)
{
    size_t size = strlen(element);
    if (*column == 0 || *column + 1 + size > LAYOUT_COLUMNS) {
        buffer_add(out, *column == 0 ? TEXT("    ") : TEXT("\n    "));
        *column = 4;
    } else {
        buffer_add_char(out, ' ');
        *column += 1;
    }
    buffer_add(out, text_of(element));
    *column += size;
}

struct text layout_bytes(struct arena *arena, struct text bytes)
{
    struct buffer out = {0};
    size_t column = 0;
    for (size_t i = 0; i < bytes.size; i++) {
        char element[16];
        unsigned char byte = (unsigned char)bytes.bytes[i];
        if (byte == '\n')
            snprintf(element, sizeof element, "'\\n',");
        else if (byte < ' ' || byte >= 0x7F)
            snprintf(element, sizeof element, "'\\x%02x',", byte);
        else
            snprintf(element, sizeof element, "'%s%c',", byte == '\'' || byte == '\\' ? "\\" : "", byte);
        element_add(&out, &column, element);
    }
    return buffer_take(arena, &out);
}

struct text layout_numbers(struct arena *arena, const uint32_t *numbers, size_t count)
{
    struct buffer out = {0};
    size_t column = 0;
    for (size_t i = 0; i < count; i++) {
        struct text element = arena_format(arena, "%lu,", (unsigned long)numbers[i]);
        element_add(&out, &column, element.bytes);
    }
    return buffer_take(arena, &out);
}

/* A backslash in front of each byte that `special` lists; "$" becomes "$$" where make reads. */
static struct text escaped(struct arena *arena, struct text path, const char *special, bool is_make)
{
    struct buffer out = {0};
    for (size_t i = 0; i < path.size; i++) {
        if (path.bytes[i] == '$' && is_make)
            buffer_add_char(&out, '$');
        else if (strchr(special, path.bytes[i]) != NULL)
            buffer_add_char(&out, '\\');
        buffer_add_char(&out, path.bytes[i]);
    }
    return buffer_take(arena, &out);
}

struct text layout_make_path(struct arena *arena, struct text path)
{
    return escaped(arena, path, " #*?[]~:", true);
}

/* With the characters escaped that a shell knows, so that the usual path stays as it is. */
struct text layout_shell_path(struct arena *arena, struct text path)
{
    struct text shell = escaped(arena, path, " !\"#&'()*<>?[]`{|}~", true);
    /* For the shell too, a "$" is no variable. */
    struct buffer out = {0};
    for (size_t i = 0; i < shell.size; i++) {
        if (shell.bytes[i] == '$' && i + 1 < shell.size && shell.bytes[i + 1] == '$') {
            buffer_add(&out, TEXT("\\$$"));
            i++;
        } else {
            buffer_add_char(&out, shell.bytes[i]);
        }
    }
    return buffer_take(arena, &out);
}

struct text layout_cmake_path(struct arena *arena, struct text path)
{
    return escaped(arena, path, "\"$", false);
}

bool layout_is_path_writable(struct text path)
{
    for (size_t i = 0; i < path.size; i++)
        if ((unsigned char)path.bytes[i] < ' ' || path.bytes[i] == 0x7F || strchr("\\;=%|", path.bytes[i]) != NULL)
            return false;
    return true;
}

/* See keys.h. Also the table's part of spec.h. */
#include "spec/keys.h"

#include "spec/suggest.h"

#define S_LEVEL_S true
#define S_LEVEL_SR true
#define R_LEVEL_S false
#define R_LEVEL_SR true

static const struct spec_key_row rows[SPEC_KEY_COUNT] = {
#define KEY(id, path, type, standard, minimum, maximum, levels, text)                                                  \
    {#id, path, SPEC_##type, standard, minimum, maximum, S_LEVEL_##levels, R_LEVEL_##levels, text},
#include "spec/keys.def"
#undef KEY
};

const struct spec_key_row *spec_key_row(enum spec_key key)
{
    return &rows[key];
}

bool spec_key_is_number(enum spec_key key)
{
    return rows[key].type >= SPEC_COUNT;
}

/* The last part of a path when the part before it is `parent`, else empty. */
static struct text name_below(const char *path, struct text parent)
{
    struct text text = text_of(path);
    size_t skip = parent.size == 0 ? 0 : parent.size + 1;
    if (text.size <= skip || memcmp(text.bytes, parent.bytes, parent.size) != 0 ||
        (skip != 0 && text.bytes[skip - 1] != '.'))
        return TEXT("");
    struct text name = {text.bytes + skip, text.size - skip};
    return memchr(name.bytes, '.', name.size) == NULL ? name : TEXT("");
}

enum spec_key key_find(struct text parent, struct text name)
{
    for (int key = 0; key < SPEC_KEY_COUNT; key++)
        if (name.size != 0 && text_is_equal(name_below(rows[key].path, parent), name))
            return (enum spec_key)key;
    return SPEC_KEY_COUNT;
}

enum spec_key key_find_elsewhere(struct text parent, struct text name)
{
    for (int key = 0; key < SPEC_KEY_COUNT; key++) {
        const char *dot = strrchr(rows[key].path, '.');
        struct text above = {rows[key].path, dot == NULL ? 0 : (size_t)(dot - rows[key].path)};
        if (!text_is_equal(above, parent) && text_is(name, dot == NULL ? rows[key].path : dot + 1))
            return (enum spec_key)key;
    }
    return SPEC_KEY_COUNT;
}

struct text key_suggest(struct text parent, struct text name, bool is_route)
{
    struct suggestion suggestion = {.word = name};
    for (int key = 0; key < SPEC_KEY_COUNT; key++) {
        struct text candidate = name_below(rows[key].path, parent);
        if (candidate.size != 0 && (!is_route || rows[key].on_route))
            suggestion_offer(&suggestion, candidate);
    }
    return suggestion.best;
}

bool key_is_planned(struct text name)
{
    static const char *const planned[] = {"auth",      "cache",  "compress",  "cookies",  "cors",
                                          "events",    "fields", "files",     "health",   "metrics",
                                          "multipart", "proxy",  "ratelimit", "websocket"};
    for (size_t i = 0; i < sizeof planned / sizeof planned[0]; i++)
        if (text_is(name, planned[i]))
            return true;
    return false;
}

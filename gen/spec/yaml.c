/* See yaml.h. */
#include "spec/yaml.h"

#include <libfyaml.h>

#include "base/buffer.h"
#include "base/map.h"
#include "spec/place.h"
#include "spec/utf8.h"
#include "spec/yaml_text.h"

/* Above this many keys a mapping is searched by hash. */
#define KEYS_SEARCHED_MAX 8

/* A collection that is open. */
struct level {
    struct yaml_node *node;
    struct yaml_node *last; /* child */
    struct map keys;        /* key -> struct yaml_node; filled when there are many */
    bool has_key;           /* a mapping's key was read, its value not yet */
    bool is_dropped;        /* that value is not kept: its key was wrong */
    bool is_poisoned;       /* the whole collection will be YAML_POISON */
    struct text key;
    struct spec_place key_place;
};

struct reader {
    struct arena *arena;
    struct diagnostics *diagnostics;
    struct place_index index;
    struct buffer text; /* of the scalar that is read */
    struct level levels[YAML_DEPTH_MAX];
    size_t depth;
    struct yaml_node *root;
    size_t documents;
};

static struct level *level_top(struct reader *reader)
{
    return reader->depth == 0 ? NULL : &reader->levels[reader->depth - 1];
}

/* ---- The bytes, before YAML sees them. */

static bool is_printable(uint32_t c)
{
    return c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && c < 0x7F) || c == 0x85 ||
           (c >= 0xA0 && c <= 0xFFFD && c != 0xFEFF) || c >= 0x10000;
}

static bool bytes_check(struct reader *reader)
{
    struct text source = reader->diagnostics->source;
    uint32_t c;
    for (size_t i = reader->index.lines[0], size; i < source.size; i += size) {
        size = utf8_decode(source.bytes + i, source.size - i, &c);
        if (size == 0) {
            struct diagnostic *error =
                diagnostic_add(reader->diagnostics, DIAGNOSTIC_BAD_UTF8, place_at(&reader->index, i, 1),
                               "byte 0x%02x is not UTF-8", (unsigned char)source.bytes[i]);
            diagnostic_help(reader->diagnostics, error, "save the file as UTF-8");
            return false;
        }
        if (!is_printable(c)) {
            struct diagnostic *error =
                diagnostic_add(reader->diagnostics, DIAGNOSTIC_BAD_CHARACTER, place_at(&reader->index, i, size),
                               "U+%04X cannot stand in a spec", (unsigned)c);
            diagnostic_help(reader->diagnostics, error, "in double quotes, \"\\u%04x\" stands for it", (unsigned)c);
            return false;
        }
    }
    return true;
}

/* Directives stand before the document; libfyaml takes any of them, so that they are looked for here. */
static bool directives_check(struct reader *reader)
{
    struct text source = reader->diagnostics->source;
    for (size_t line = 0; line < reader->index.line_count; line++) {
        size_t start = reader->index.lines[line];
        size_t end = line + 1 < reader->index.line_count ? reader->index.lines[line + 1] : source.size;
        while (end > start && strchr(" \t\r\n", source.bytes[end - 1]) != NULL)
            end--;
        struct text text = {source.bytes + start, end - start};
        size_t blanks = 0;
        while (blanks < text.size && (text.bytes[blanks] == ' ' || text.bytes[blanks] == '\t'))
            blanks++;
        if (blanks == text.size || text.bytes[blanks] == '#' || text_is(text, "%YAML 1.2"))
            continue;
        if (text.bytes[0] != '%')
            return true;
        struct diagnostic *error =
            diagnostic_add(reader->diagnostics, DIAGNOSTIC_DIRECTIVE, place_at(&reader->index, start, text.size),
                           "this YAML directive is not allowed");
        diagnostic_help(reader->diagnostics, error, "leave it out; a spec is YAML 1.2");
        return false;
    }
    return true;
}

/* ---- Syntax errors. */

/* The text of a line without its end. */
static struct text line_text(const struct reader *reader, size_t line)
{
    struct text source = reader->diagnostics->source;
    if (line == 0 || line > reader->index.line_count)
        return TEXT("");
    size_t start = reader->index.lines[line - 1], end = start;
    while (end < source.size && source.bytes[end] != '\n' && source.bytes[end] != '\r')
        end++;
    return (struct text){source.bytes + start, end - start};
}

/* A tab in the indentation of this line: libfyaml says so only sometimes. */
static bool tab_report(struct reader *reader, size_t line)
{
    struct text text = line_text(reader, line);
    size_t i = 0;
    while (i < text.size && text.bytes[i] == ' ')
        i++;
    if (i == text.size || text.bytes[i] != '\t')
        return false;
    size_t offset = (size_t)(text.bytes - reader->diagnostics->source.bytes) + i;
    struct diagnostic *error = diagnostic_add(reader->diagnostics, DIAGNOSTIC_TAB, place_at(&reader->index, offset, 1),
                                              "a tab cannot indent a line in YAML");
    diagnostic_help(reader->diagnostics, error, "indent with blanks");
    return true;
}

/* The entry of a flow mapping or the value around `at`, for a help that shows it in quotes: from the last '{', ',' or
 * ": " to the next ": ", ',' or the end, blanks left out. */
static struct text word_around(struct text line, size_t at)
{
    size_t start = at, end = at;
    while (start > 0 && line.bytes[start - 1] != ',' &&
           !(line.bytes[start - 1] == '{' && (start == 1 || line.bytes[start - 2] == ' ')) &&
           !(line.bytes[start - 1] == ' ' && start > 1 && line.bytes[start - 2] == ':'))
        start--;
    while (end < line.size && line.bytes[end] != ',' &&
           !(line.bytes[end] == ':' && (end + 1 == line.size || line.bytes[end + 1] == ' ')) &&
           !(line.bytes[end] == ' ' && end + 1 < line.size && line.bytes[end + 1] == '#'))
        end++;
    while (start < end && line.bytes[start] == ' ')
        start++;
    while (end > start && line.bytes[end - 1] == ' ')
        end--;
    return (struct text){line.bytes + start, end - start};
}

/* Texts whose characters YAML takes for structure: {id} within { }, [::1]:8080 and what begins with @ ` or %. */
static bool quote_report(struct reader *reader, size_t line, size_t offset)
{
    struct text text = line_text(reader, line);
    size_t at = offset - (size_t)(text.bytes - reader->diagnostics->source.bytes);
    if (at >= text.size)
        return false;
    char here = text.bytes[at], before = at == 0 ? ' ' : text.bytes[at - 1];
    bool is_brace = here == '{' && strchr(" ,{[", before) == NULL;
    bool is_address = here == ':' && before == ']';
    bool is_start = (here == '@' || here == '`' || here == '%') && before == ' ';
    if (!is_brace && !is_address && !is_start)
        return false;
    struct text word = word_around(text, at);
    if (word.size == 0 || word.size > 200)
        return false;
    size_t start = (size_t)(word.bytes - reader->diagnostics->source.bytes);
    struct diagnostic *error =
        diagnostic_add(reader->diagnostics, DIAGNOSTIC_QUOTE_NEEDED, place_at(&reader->index, start, word.size),
                       "YAML takes \"%c\" here for structure", is_address ? '[' : here);
    const char *quote = memchr(word.bytes, '"', word.size) == NULL ? "\"" : "'";
    diagnostic_help(reader->diagnostics, error, "quote the text: %s%.*s%s", quote, TEXT_ARGS(word), quote);
    return true;
}

/* libfyaml's message in our form. */
static void syntax_report(struct reader *reader, const char *message, size_t line, size_t column)
{
    if (line > reader->index.line_count)
        line = reader->index.line_count;
    if (tab_report(reader, line) || tab_report(reader, line + 1))
        return;
    size_t offset = place_offset(&reader->index, line, column);
    if (quote_report(reader, line, offset))
        return;
    struct text text = arena_format(reader->arena, "%s", message);
    struct diagnostic *error =
        diagnostic_add(reader->diagnostics, DIAGNOSTIC_SYNTAX, place_at(&reader->index, offset, 1), "%c%.*s",
                       text.bytes[0] >= 'A' && text.bytes[0] <= 'Z' ? text.bytes[0] + ('a' - 'A') : text.bytes[0],
                       text.size == 0 ? 0 : (int)text.size - 1, text.size == 0 ? "" : text.bytes + 1);
    const struct level *level = level_top(reader);
    if (level != NULL && level->node->style == YAML_FLOW)
        diagnostic_second(reader->diagnostics, error, level->node->place, "inside of what begins here");
    if (strstr(message, "nested block mapping on the same line") != NULL)
        diagnostic_help(reader->diagnostics, error, "quote the value if the \": \" belongs to it");
    if (strstr(message, "multiline plain key") != NULL)
        diagnostic_help(reader->diagnostics, error, "the next line's key must stand in the column of its siblings");
    if (strstr(message, "quoted") != NULL)
        diagnostic_help(reader->diagnostics, error,
                        "a quote may be missing; in double quotes \\\" and \\\\ stand for "
                        "a quote and a backslash");
}

/* ---- The tree. */

static struct spec_place token_place(struct reader *reader, struct fy_token *token, size_t around)
{
    const struct fy_mark *start = token == NULL ? NULL : fy_token_start_mark(token);
    const struct fy_mark *end = token == NULL ? NULL : fy_token_end_mark(token);
    if (start == NULL || end == NULL || end->input_pos < start->input_pos || start->input_pos < around)
        return (struct spec_place){1, 1, (uint32_t)reader->index.lines[0], 0};
    return place_at(&reader->index, start->input_pos - around, end->input_pos - start->input_pos + 2 * around);
}

/* The place of an anchor or alias, whose token leaves out the & or * before it. */
static struct spec_place sign_place(struct reader *reader, struct fy_token *token)
{
    struct spec_place place = token_place(reader, token, 0);
    return place.offset == 0 ? place : place_at(&reader->index, place.offset - 1, place.size + 1);
}

/* The dash of an empty entry of a block list: the first one behind the entry before it. */
static struct spec_place dash_place(struct reader *reader, const struct level *level)
{
    struct text source = reader->diagnostics->source;
    const struct yaml_node *before = level->last;
    size_t i = before == NULL ? level->node->place.offset : before->place.offset + before->place.size;
    while (i < source.size && source.bytes[i] != '-')
        i++;
    return place_at(&reader->index, i, 1);
}

/* Where something is that has no text of its own. */
static struct spec_place place_around(struct reader *reader)
{
    struct level *level = level_top(reader);
    if (level == NULL)
        return place_at(&reader->index, 0, 0);
    if (level->node->kind == YAML_SEQUENCE && level->node->style == YAML_BLOCK)
        return dash_place(reader, level);
    return level->has_key ? level->key_place : level->last != NULL ? level->last->place : level->node->place;
}

/* Adds a value to the open collection, or makes it the root. */
static void node_add(struct reader *reader, struct yaml_node *node)
{
    struct level *level = level_top(reader);
    if (level == NULL) {
        reader->root = node;
        return;
    }
    level->has_key = false;
    if (level->is_dropped)
        return;
    node->key = level->key;
    node->key_place = level->key_place;
    if (level->last == NULL)
        level->node->first = node;
    else
        level->last->next = node;
    level->last = node;
    level->node->count++;
    if (level->node->kind == YAML_MAPPING && level->keys.count > 0)
        map_add(&level->keys, reader->arena, node->key, node);
}

/* The child that has this key already, or NULL. */
static struct yaml_node *key_find(struct reader *reader, struct level *level, struct text key)
{
    if (level->node->count > KEYS_SEARCHED_MAX && level->keys.count == 0)
        for (struct yaml_node *child = level->node->first; child != NULL; child = child->next)
            map_add(&level->keys, reader->arena, child->key, child);
    if (level->keys.count > 0)
        return map_find(&level->keys, key);
    struct yaml_node *child = level->node->first;
    while (child != NULL && !text_is_equal(child->key, key))
        child = child->next;
    return child;
}

/* Takes a scalar as the key of the next value. */
static void key_take(struct reader *reader, struct level *level, struct text key, struct spec_place place,
                     bool is_plain)
{
    level->has_key = true;
    level->key = key;
    level->key_place = place;
    level->is_dropped = false;
    if (is_plain && text_is(key, "<<")) {
        struct diagnostic *error =
            diagnostic_add(reader->diagnostics, DIAGNOSTIC_MERGE_KEY, place, "merge keys are not allowed in a spec");
        diagnostic_help(reader->diagnostics, error, "write the keys out");
        level->is_dropped = true;
        level->is_poisoned = true;
        return;
    }
    struct yaml_node *earlier = key_find(reader, level, key);
    if (earlier == NULL)
        return;
    struct diagnostic *error = diagnostic_add(reader->diagnostics, DIAGNOSTIC_DUPLICATE_KEY, place,
                                              "\"%.*s\" stands here a second time", TEXT_ARGS(key));
    diagnostic_second(reader->diagnostics, error, earlier->key_place, "it stands here first");
    level->is_dropped = true;
}

/* A key that is no text: a collection, nothing, an alias. */
static void key_refuse(struct reader *reader, struct level *level, struct spec_place place)
{
    struct diagnostic *error = diagnostic_add(reader->diagnostics, DIAGNOSTIC_BAD_KEY, place, "a key must be a text");
    diagnostic_help(reader->diagnostics, error, "quote it if it begins with a brace or a bracket");
    level->has_key = true;
    level->key = TEXT("");
    level->key_place = place;
    level->is_dropped = true;
}

static bool wants_key(const struct level *level)
{
    return level != NULL && level->node->kind == YAML_MAPPING && !level->has_key;
}

/* Reports anchor and tag of a node; true when there is a tag, which makes its value unusable. */
static bool properties_report(struct reader *reader, struct fy_token *anchor, struct fy_token *tag)
{
    if (anchor != NULL) {
        struct diagnostic *error = diagnostic_add(reader->diagnostics, DIAGNOSTIC_ANCHOR, sign_place(reader, anchor),
                                                  "anchors are not allowed in a spec");
        diagnostic_help(reader->diagnostics, error,
                        "write the value out where it is needed; quote a text that begins "
                        "with &");
    }
    if (tag == NULL)
        return false;
    struct diagnostic *error = diagnostic_add(reader->diagnostics, DIAGNOSTIC_TAG, token_place(reader, tag, 0),
                                              "tags are not allowed in a spec");
    diagnostic_help(reader->diagnostics, error,
                    "leave it out: the key decides the type; quote a text that begins "
                    "with !");
    return true;
}

static struct yaml_node *node_make(struct reader *reader, enum yaml_kind kind, enum yaml_style style,
                                   struct spec_place place)
{
    struct yaml_node *node = arena_take(reader->arena, sizeof *node);
    *node = (struct yaml_node){.kind = kind, .style = style, .text = TEXT(""), .place = place};
    return node;
}

/* A block scalar's mark is the first column of its first line; its place is its first line's text. */
static struct spec_place block_place(struct reader *reader, struct spec_place place)
{
    struct text source = reader->diagnostics->source;
    size_t start = place.offset, end;
    size_t stop = start + place.size < source.size ? start + place.size : source.size;
    while (start < stop && strchr(" \t\r\n", source.bytes[start]) != NULL)
        start++;
    for (end = start; end < stop && source.bytes[end] != '\n' && source.bytes[end] != '\r';)
        end++;
    return start == end ? place : place_at(&reader->index, start, end - start);
}

/* Appends what libfyaml makes of a scalar to reader->text. Piece by piece: fy_token_get_text of 0.7.12 leaks when there
 * are more than ten. */
static bool token_text_add(struct reader *reader, struct fy_token *token)
{
    struct fy_token_iter *pieces = fy_token_iter_create(token);
    const struct fy_iter_chunk *piece = NULL;
    int failed = pieces == NULL;
    while (failed == 0 && (piece = fy_token_iter_chunk_next(pieces, piece, &failed)) != NULL)
        buffer_add(&reader->text, (struct text){piece->str, piece->len});
    fy_token_iter_destroy(pieces);
    return failed == 0;
}

/* The text of a scalar, which stands between its marks at `place`. */
static struct text token_text(struct reader *reader, struct fy_token *token, struct spec_place place)
{
    struct text raw = {reader->diagnostics->source.bytes + place.offset, place.size};
    bool is_fine = true;
    reader->text.size = 0;
    enum fy_scalar_style style = fy_token_scalar_style(token);
    if (style == FYSS_SINGLE_QUOTED)
        yaml_single_decode(raw, &reader->text);
    else if (style == FYSS_DOUBLE_QUOTED)
        is_fine = yaml_double_decode(raw, &reader->text);
    else
        is_fine = token_text_add(reader, token);
    struct text text = arena_copy(reader->arena, buffer_text(&reader->text));
    if (style == FYSS_FOLDED) {
        reader->text.size = 0;
        yaml_folded_decode(raw, text, &reader->text);
        text = arena_copy(reader->arena, buffer_text(&reader->text));
    }
    if (!is_fine) {
        struct diagnostic *error = diagnostic_add(reader->diagnostics, DIAGNOSTIC_SYNTAX, place,
                                                  "an escape in this text stands for no character");
        diagnostic_help(reader->diagnostics, error, "write \\xHH, \\uHHHH or \\UHHHHHHHH with a code point of Unicode");
    }
    return text;
}

static void scalar_read(struct reader *reader, struct fy_event *event)
{
    struct fy_token *token = event->scalar.value;
    bool is_tagged = properties_report(reader, event->scalar.anchor, event->scalar.tag);
    struct level *level = level_top(reader);
    if (token == NULL) {
        struct spec_place place = place_around(reader);
        if (wants_key(level))
            key_refuse(reader, level, place);
        else
            node_add(reader, node_make(reader, is_tagged ? YAML_POISON : YAML_EMPTY, YAML_PLAIN, place));
        return;
    }
    enum fy_scalar_style style = fy_token_scalar_style(token);
    bool is_quoted = style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED;
    bool is_block = style == FYSS_LITERAL || style == FYSS_FOLDED;
    struct text text = token_text(reader, token, token_place(reader, token, 0));
    struct spec_place place = token_place(reader, token, is_quoted ? 1 : 0);
    if (is_block)
        place = block_place(reader, place);
    if (wants_key(level)) {
        key_take(reader, level, text, place, !is_quoted && !is_block);
        return;
    }
    struct yaml_node *node = node_make(reader, is_tagged ? YAML_POISON : YAML_SCALAR,
                                       is_quoted  ? YAML_QUOTED
                                       : is_block ? YAML_BLOCK
                                                  : YAML_PLAIN,
                                       place);
    node->text = text;
    node_add(reader, node);
}

static void alias_read(struct reader *reader, struct fy_event *event)
{
    struct spec_place place = sign_place(reader, event->alias.anchor);
    struct level *level = level_top(reader);
    if (level == NULL || !level->has_key || !level->is_poisoned) {
        struct diagnostic *error =
            diagnostic_add(reader->diagnostics, DIAGNOSTIC_ALIAS, place, "aliases are not allowed in a spec");
        diagnostic_help(reader->diagnostics, error, "write the value out; quote a text that begins with *");
    }
    if (level == NULL || !wants_key(level)) {
        node_add(reader, node_make(reader, YAML_POISON, YAML_PLAIN, place));
        return;
    }
    level->has_key = true;
    level->is_dropped = true;
    level->key_place = place;
}

/* Opens a mapping or sequence; false when it is too deep to go on. */
static bool collection_open(struct reader *reader, enum yaml_kind kind, struct fy_token *token, struct fy_token *anchor,
                            struct fy_token *tag)
{
    struct spec_place place = token_place(reader, token, 0);
    bool is_flow = place.size != 0;
    bool is_tagged = properties_report(reader, anchor, tag);
    if (reader->depth == YAML_DEPTH_MAX) {
        diagnostic_add(reader->diagnostics, DIAGNOSTIC_TOO_DEEP, place, "nested more than %d deep", YAML_DEPTH_MAX);
        reader->root = NULL;
        return false;
    }
    struct yaml_node *node = node_make(reader, kind, is_flow ? YAML_FLOW : YAML_BLOCK, place);
    struct level *level = level_top(reader);
    /* A key that is a collection is read like a value, and its own value after it: neither is kept. */
    if (wants_key(level))
        key_refuse(reader, level, place);
    else
        node_add(reader, node);
    reader->levels[reader->depth++] = (struct level){.node = node, .is_poisoned = is_tagged};
    return true;
}

/* Closes the innermost collection. */
static void collection_close(struct reader *reader)
{
    struct level *level = level_top(reader);
    if (level == NULL)
        return;
    if (level->is_poisoned)
        level->node->kind = YAML_POISON;
    reader->depth--;
}

/* The end of the first document when the second begins without a mark of its own: a line that begins with "...", which
 * no text can hold. */
static struct spec_place document_end_place(struct reader *reader)
{
    for (size_t line = 1; line <= reader->index.line_count; line++) {
        struct text text = line_text(reader, line);
        if (text.size >= 3 && memcmp(text.bytes, "...", 3) == 0)
            return place_at(&reader->index, reader->index.lines[line - 1], 3);
    }
    return place_at(&reader->index, reader->diagnostics->source.size, 0);
}

static bool document_open(struct reader *reader, struct fy_event *event)
{
    if (reader->documents++ == 0)
        return true;
    struct fy_token *start = event->document_start.document_start;
    struct spec_place place = start == NULL ? document_end_place(reader) : token_place(reader, start, 0);
    struct diagnostic *error =
        diagnostic_add(reader->diagnostics, DIAGNOSTIC_SECOND_DOCUMENT, place, "a spec is one YAML document");
    diagnostic_help(reader->diagnostics, error, "write one file for each server");
    return false;
}

/* Takes one event; false when reading must stop, with an error reported. */
static bool event_take(struct reader *reader, struct fy_event *event)
{
    switch (event->type) {
    case FYET_DOCUMENT_START:
        return document_open(reader, event);
    case FYET_MAPPING_START:
        return collection_open(reader, YAML_MAPPING, event->mapping_start.mapping_start, event->mapping_start.anchor,
                               event->mapping_start.tag);
    case FYET_SEQUENCE_START:
        return collection_open(reader, YAML_SEQUENCE, event->sequence_start.sequence_start,
                               event->sequence_start.anchor, event->sequence_start.tag);
    case FYET_MAPPING_END:
    case FYET_SEQUENCE_END:
        collection_close(reader);
        return true;
    case FYET_SCALAR:
        scalar_read(reader, event);
        return true;
    case FYET_ALIAS:
        alias_read(reader, event);
        return true;
    default:
        return true;
    }
}

/* Reports why the parser stopped; nothing when it came to the end. */
static void stop_report(struct reader *reader, struct fy_diag *diag)
{
    if (!fy_diag_got_error(diag))
        return;
    void *state = NULL;
    const struct fy_diag_error *error = fy_diag_errors_iterate(diag, &state);
    if (error != NULL && error->line > 0 && error->column > 0 && error->msg != NULL && error->msg[0] != '\0') {
        syntax_report(reader, error->msg, (size_t)error->line, (size_t)error->column);
        return;
    }
    struct level *level = level_top(reader);
    diagnostic_add(reader->diagnostics, DIAGNOSTIC_SYNTAX,
                   level == NULL ? place_at(&reader->index, 0, 0) : place_around(reader),
                   "what follows here is not YAML");
}

static void events_take(struct reader *reader, struct fy_parser *parser, struct fy_diag *diag)
{
    struct text source = reader->diagnostics->source;
    bool is_started = fy_parser_set_string(parser, source.bytes, source.size) == 0, goes_on = is_started;
    struct fy_event *event;
    while (goes_on && (event = fy_parser_parse(parser)) != NULL) {
        goes_on = event_take(reader, event);
        fy_parser_event_free(parser, event);
    }
    if (goes_on || !is_started)
        stop_report(reader, diag);
    if (!is_started || fy_diag_got_error(diag))
        reader->root = NULL;
}

static void events_read(struct reader *reader)
{
    struct fy_diag_cfg settings;
    fy_diag_cfg_default(&settings);
    settings.fp = NULL;
    struct fy_diag *diag = fy_diag_create(&settings);
    struct fy_parse_cfg parse = {.diag = diag};
    struct fy_parser *parser = diag == NULL ? NULL : fy_parser_create(&parse);
    if (parser != NULL) {
        fy_diag_set_collect_errors(diag, true);
        events_take(reader, parser, diag);
        fy_parser_destroy(parser);
    } else {
        diagnostic_add(reader->diagnostics, DIAGNOSTIC_SYNTAX, place_at(&reader->index, 0, 0),
                       "libfyaml has no memory to begin with");
    }
    if (diag != NULL)
        fy_diag_destroy(diag);
    buffer_free(&reader->text);
}

struct yaml_node *yaml_read(struct arena *arena, struct diagnostics *diagnostics)
{
    if (diagnostics->source.size > YAML_SIZE_MAX) {
        diagnostics->source.size = 0;
        diagnostic_add(diagnostics, DIAGNOSTIC_TOO_LARGE, (struct spec_place){0}, "the spec is larger than 16 MiB");
        return NULL;
    }
    struct reader *reader = arena_take(arena, sizeof *reader);
    reader->arena = arena;
    reader->diagnostics = diagnostics;
    place_index_make(&reader->index, arena, diagnostics->source);
    if (!bytes_check(reader) || !directives_check(reader))
        return NULL;
    size_t errors = diagnostics->count;
    events_read(reader);
    if (diagnostics->count == errors && (reader->root == NULL || reader->root->kind == YAML_EMPTY)) {
        reader->root = NULL;
        struct diagnostic *error = diagnostic_add(diagnostics, DIAGNOSTIC_EMPTY_SPEC, place_at(&reader->index, 0, 0),
                                                  "the spec holds nothing");
        diagnostic_help(diagnostics, error, "`hardwire init` writes one to begin with");
    }
    return reader->root;
}

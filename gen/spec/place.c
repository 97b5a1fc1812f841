/* See place.h. */
#include "spec/place.h"

#include "spec/utf8.h"

static size_t mark_size(struct text source)
{
    return source.size >= 3 && memcmp(source.bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

/* Whether a line begins behind byte i. */
static bool ends_line(struct text source, size_t i)
{
    return source.bytes[i] == '\n' ||
           (source.bytes[i] == '\r' && (i + 1 == source.size || source.bytes[i + 1] != '\n'));
}

void place_index_make(struct place_index *index, struct arena *arena, struct text source)
{
    size_t count = 1;
    for (size_t i = 0; i < source.size; i++)
        count += ends_line(source, i);
    *index = (struct place_index){.source = source, .line_count = count};
    index->lines = arena_take_array(arena, count, sizeof *index->lines);
    index->lines[0] = (uint32_t)mark_size(source);
    index->offset = index->lines[0];
    size_t line = 1;
    for (size_t i = 0; i < source.size; i++)
        if (ends_line(source, i))
            index->lines[line++] = (uint32_t)(i + 1);
}

static size_t line_find(const struct place_index *index, size_t offset)
{
    size_t low = 0, high = index->line_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (index->lines[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static bool is_first_byte(char c)
{
    return ((unsigned char)c & 0xC0) != 0x80;
}

struct spec_place place_at(struct place_index *index, size_t offset, size_t size)
{
    if (offset > index->source.size)
        offset = index->source.size;
    if (offset < index->lines[0])
        offset = index->lines[0];
    size_t line = line_find(index, offset);
    if (line != index->line) {
        index->line = line;
        index->offset = index->lines[line];
        index->column = 0;
    }
    for (; index->offset < offset; index->offset++)
        index->column += is_first_byte(index->source.bytes[index->offset]);
    for (; index->offset > offset; index->offset--)
        index->column -= is_first_byte(index->source.bytes[index->offset - 1]);
    return (struct spec_place){(uint32_t)line + 1, (uint32_t)index->column + 1, (uint32_t)offset, (uint32_t)size};
}

size_t place_offset(const struct place_index *index, size_t line, size_t column)
{
    if (line == 0)
        return 0;
    if (line > index->line_count)
        return index->source.size;
    size_t offset = index->lines[line - 1];
    while (column > 1 && offset < index->source.size && index->source.bytes[offset] != '\n' &&
           index->source.bytes[offset] != '\r') {
        offset++;
        while (offset < index->source.size && !is_first_byte(index->source.bytes[offset]))
            offset++;
        column--;
    }
    return offset;
}

struct spec_place place_part(struct text source, struct spec_place whole, struct text text, size_t from, size_t size)
{
    size_t quote = whole.size == text.size + 2 ? 1 : 0;
    size_t start = whole.offset + quote;
    if (text.size == 0 || start + text.size > source.size || memcmp(source.bytes + start, text.bytes, text.size) != 0)
        return whole;
    size_t column = quote + utf8_count((struct text){text.bytes, from});
    return (struct spec_place){whole.line, whole.column + (uint32_t)column, (uint32_t)(start + from), (uint32_t)size};
}

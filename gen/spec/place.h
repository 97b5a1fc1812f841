/* From byte offsets to lines and columns. */
#ifndef GEN_SPEC_PLACE_H
#define GEN_SPEC_PLACE_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/text.h"
#include "spec/model.h"

/* Where the lines of a source begin, and the last place asked for: places come nearly in order, and a line may be as
 * long as the whole spec, so that columns must not be counted from the line's beginning each time. */
struct place_index {
    struct text source;
    uint32_t *lines; /* the offset of each line's first byte; the first one behind a byte order mark */
    size_t line_count;
    size_t line; /* the last answer: index of the line, offset and column, both from 0 */
    size_t offset;
    size_t column;
};

/* `source` is at most 4 GiB. A line ends with LF, CR LF or CR, as in YAML. */
void place_index_make(struct place_index *index, struct arena *arena, struct text source);

/* The place of `size` bytes at `offset`; an offset behind the end is taken for the end. */
struct spec_place place_at(struct place_index *index, size_t offset, size_t size);

/* The offset of a line and column that count from 1; the end of the line when the column is behind it. */
size_t place_offset(const struct place_index *index, size_t line, size_t column);

/* The place of `size` bytes at `from` within `text`, which is the value at `whole`. When the source does not hold the
 * text as it is (escapes, folded lines), the place of the whole value. */
struct spec_place place_part(struct text source, struct spec_place whole, struct text text, size_t from, size_t size);

#endif

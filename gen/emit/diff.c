/* See diff.h. The differing middle of two texts by Myers' algorithm; when they differ too much for that, the whole
 * middle is shown as replaced. */
#include "emit/diff.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/arena.h"

#define CONTEXT 3

/* Lines added and removed that are searched for; the search keeps a square of it. */
#define DISTANCE_MAX 1000

/* A diagonal that no path has reached inside both texts. */
#define OUTSIDE (INT32_MIN / 2)

struct lines {
    struct text *list; /* with their newlines */
    size_t count;
};

struct diff {
    struct lines a, b;
    bool *removed; /* a line of a */
    bool *added;   /* a line of b */
};

static struct lines lines_split(struct text text)
{
    size_t count = 0;
    for (size_t i = 0; i < text.size; i++)
        count += text.bytes[i] == '\n' || i + 1 == text.size;
    struct lines lines = {memory_take(count * sizeof *lines.list), 0};
    for (size_t start = 0, i = 0; i < text.size; i++)
        if (text.bytes[i] == '\n' || i + 1 == text.size) {
            lines.list[lines.count++] = (struct text){text.bytes + start, i + 1 - start};
            start = i + 1;
        }
    return lines;
}

/* Walks back through the kept rounds and marks what was added and removed on the way. `start` lines are equal before. */
static void path_mark(struct diff *diff, size_t start, int32_t *const *rounds, int32_t distance, int32_t x, int32_t y)
{
    for (int32_t d = distance; d > 0; d--) {
        const int32_t *before = rounds[d - 1] + d; /* diagonals -(d-1) .. d-1 are at 1 .. */
        int32_t k = x - y;
        bool is_down = k == -d || (k != d && before[k - 1] < before[k + 1]);
        int32_t from_k = is_down ? k + 1 : k - 1;
        int32_t from_x = before[from_k];
        int32_t from_y = from_x - from_k;
        if (is_down)
            diff->added[start + (size_t)from_y] = true;
        else
            diff->removed[start + (size_t)from_x] = true;
        x = from_x;
        y = from_y;
    }
}

/* Runs the rounds of the search. Returns the distance, or -1 when it is above the maximum. */
static int32_t path_find(const struct diff *diff, size_t start, int32_t a_count, int32_t b_count, int32_t **rounds)
{
    for (int32_t d = 0; d <= DISTANCE_MAX; d++) {
        /* rounds[d] holds diagonals -d .. d at 1 .. 2d + 1, with a place to spare at both ends. */
        rounds[d] = memory_take((size_t)(2 * d + 3) * sizeof *rounds[d]);
        int32_t *now = rounds[d] + d + 1;
        const int32_t *before = d == 0 ? NULL : rounds[d - 1] + d;
        for (int32_t k = -d; k <= d; k += 2) {
            int32_t x = 0;
            if (d != 0)
                x = k == -d || (k != d && before[k - 1] < before[k + 1]) ? before[k + 1] : before[k - 1] + 1;
            int32_t y = x - k;
            now[k] = OUTSIDE;
            if (x < 0 || x > a_count || y > b_count)
                continue;
            while (x < a_count && y < b_count &&
                   text_is_equal(diff->a.list[start + (size_t)x], diff->b.list[start + (size_t)y])) {
                x++;
                y++;
            }
            now[k] = x;
            if (x >= a_count && y >= b_count)
                return d;
        }
    }
    return -1;
}

static void middle_mark(struct diff *diff, size_t start, size_t a_count, size_t b_count)
{
    int32_t *rounds[DISTANCE_MAX + 1] = {NULL};
    int32_t distance = -1;
    if (a_count < INT32_MAX / 4 && b_count < INT32_MAX / 4)
        distance = path_find(diff, start, (int32_t)a_count, (int32_t)b_count, rounds);
    if (distance >= 0) {
        path_mark(diff, start, rounds, distance, (int32_t)a_count, (int32_t)b_count);
    } else {
        memset(diff->removed + start, true, a_count);
        memset(diff->added + start, true, b_count);
    }
    for (size_t i = 0; i <= DISTANCE_MAX; i++)
        free(rounds[i]);
}

static void line_add(struct buffer *out, char mark, struct text line)
{
    buffer_add_char(out, mark);
    buffer_add(out, line);
    if (line.bytes[line.size - 1] != '\n')
        buffer_add(out, TEXT("\n\\ No newline at end of file\n"));
}

/* One hunk: lines a[i..a_end) and b[k..b_end). */
static void hunk_add(struct buffer *out, const struct diff *diff, size_t i, size_t a_end, size_t k, size_t b_end)
{
    buffer_format(out, "@@ -%zu,%zu +%zu,%zu @@\n", a_end == i ? i : i + 1, a_end - i, b_end == k ? k : k + 1,
                  b_end - k);
    while (i < a_end || k < b_end) {
        if (i < a_end && diff->removed[i])
            line_add(out, '-', diff->a.list[i++]);
        else if (k < b_end && diff->added[k])
            line_add(out, '+', diff->b.list[k++]);
        else {
            line_add(out, ' ', diff->a.list[i++]);
            k++;
        }
    }
}

static bool is_changed(const struct diff *diff, size_t i, size_t k)
{
    return (i < diff->a.count && diff->removed[i]) || (k < diff->b.count && diff->added[k]);
}

static void hunks_add(struct buffer *out, const struct diff *diff)
{
    size_t i = 0, k = 0;
    while (i < diff->a.count || k < diff->b.count) {
        if (!is_changed(diff, i, k)) {
            i++;
            k++;
            continue;
        }
        size_t context = i < CONTEXT ? i : CONTEXT;
        size_t a_start = i - context, b_start = k - context;
        size_t a_end = i, b_end = k, equal = 0;
        while ((i < diff->a.count || k < diff->b.count) && equal <= 2 * (size_t)CONTEXT) {
            bool changed = is_changed(diff, i, k);
            equal = changed ? 0 : equal + 1;
            bool is_removed = i < diff->a.count && diff->removed[i];
            i += is_removed || !changed;
            k += !is_removed;
            if (changed) {
                a_end = i;
                b_end = k;
            }
        }
        size_t rest = diff->a.count - a_end < CONTEXT ? diff->a.count - a_end : CONTEXT;
        hunk_add(out, diff, a_start, a_end + rest, b_start, b_end + rest);
        i = a_end + rest;
        k = b_end + rest;
    }
}

void diff_add(struct buffer *out, struct text path, struct text before, struct text after)
{
    if (text_is_equal(before, after))
        return;
    struct diff diff = {.a = lines_split(before), .b = lines_split(after)};
    diff.removed = memory_take(diff.a.count);
    diff.added = memory_take(diff.b.count);
    memset(diff.removed, false, diff.a.count);
    memset(diff.added, false, diff.b.count);

    size_t start = 0, end = 0;
    while (start < diff.a.count && start < diff.b.count && text_is_equal(diff.a.list[start], diff.b.list[start]))
        start++;
    while (end < diff.a.count - start && end < diff.b.count - start &&
           text_is_equal(diff.a.list[diff.a.count - 1 - end], diff.b.list[diff.b.count - 1 - end]))
        end++;
    middle_mark(&diff, start, diff.a.count - start - end, diff.b.count - start - end);

    buffer_format(out, "--- %.*s\n+++ %.*s\n", TEXT_ARGS(path), TEXT_ARGS(path));
    hunks_add(out, &diff);
    free(diff.a.list);
    free(diff.b.list);
    free(diff.removed);
    free(diff.added);
}

/* See suggest.h. */
#include "spec/suggest.h"

#define WORD_MAX 64

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t suggestion_distance(struct text a, struct text b)
{
    size_t rows[3][WORD_MAX + 1];
    size_t apart = a.size > b.size ? a.size - b.size : b.size - a.size;
    if (apart > 2 || a.size > WORD_MAX || b.size > WORD_MAX)
        return 3;
    size_t *before = rows[0], *last = rows[1], *row = rows[2];
    for (size_t j = 0; j <= b.size; j++)
        before[j] = last[j] = j;
    for (size_t i = 1; i <= a.size; i++) {
        row[0] = i;
        for (size_t j = 1; j <= b.size; j++) {
            char x = lower(a.bytes[i - 1]), y = lower(b.bytes[j - 1]);
            row[j] = least(least(last[j], row[j - 1]) + 1, last[j - 1] + (x != y));
            if (i > 1 && j > 1 && x == lower(b.bytes[j - 2]) && lower(a.bytes[i - 2]) == y)
                row[j] = least(row[j], before[j - 2] + 1);
        }
        size_t *spare = before;
        before = last;
        last = row;
        row = spare;
    }
    return least(last[b.size], 3);
}

static int begins_with(struct text text, struct text prefix)
{
    return text.size >= prefix.size && prefix.size >= 3 && memcmp(text.bytes, prefix.bytes, prefix.size) == 0;
}

void suggestion_offer(struct suggestion *suggestion, struct text candidate)
{
    struct text word = suggestion->word;
    size_t distance = suggestion_distance(word, candidate);
    if (distance > 2 && (begins_with(candidate, word) || begins_with(word, candidate)))
        distance = 2;
    if (distance > 2 || distance * 2 > candidate.size || (distance * 2 > word.size && word.size < candidate.size))
        return;
    if (suggestion->best.size != 0 && suggestion->distance <= distance)
        return;
    suggestion->best = candidate;
    suggestion->distance = distance;
}

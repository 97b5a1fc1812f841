/* A strict reader of HTTP/1.1 responses: what no client should have to forgive is an error here. */
#ifndef HW_TEST_ANSWERS_H
#define HW_TEST_ANSWERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct answer {
    unsigned status;
    const char *fields; /* the lines behind the status line */
    size_t fields_size;
    const char *body; /* as it stands in the input when it has a length; chunked: see body_hash */
    uint64_t body_size;
    uint32_t body_hash; /* FNV-1a of the decoded body */
    bool is_chunked;
    bool is_closing; /* Connection: close */
    size_t size;     /* all of it */
};

enum answer_read { ANSWER_GOOD, ANSWER_SHORT, ANSWER_WRONG };

static uint32_t answer_hash(uint32_t hash, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * 16777619u;
    return hash;
}

/* The end of the line at `at`, or NULL. */
static const char *answer_line_end(const char *at, const char *end)
{
    const char *cr = memchr(at, '\r', (size_t)(end - at));
    return cr == NULL || cr + 1 >= end ? NULL : cr;
}

static bool answer_line_is_clean(const char *at, const char *end)
{
    for (; at < end; at++)
        if ((unsigned char)*at < 0x20 || *at == 0x7f)
            return false;
    return true;
}

static bool answer_name_is(const char *line, const char *colon, const char *name)
{
    return (size_t)(colon - line) == strlen(name) && strncasecmp(line, name, strlen(name)) == 0;
}

/* What the fields say about the framing; each may stand once. */
struct answer_framing {
    int lengths;
    int codings;
    int dates;
    uint64_t length;
};

static bool answer_field_read(struct answer *answer, struct answer_framing *framing, const char *line, const char *end)
{
    static const char tchars[] = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const char *colon = memchr(line, ':', (size_t)(end - line));
    if (colon == NULL || colon == line || colon + 2 > end || colon[1] != ' ' || !answer_line_is_clean(line, end))
        return false;
    for (const char *at = line; at < colon; at++)
        if (strchr(tchars, *at) == NULL)
            return false;
    const char *value = colon + 2;
    size_t size = (size_t)(end - value);
    if (answer_name_is(line, colon, "content-length")) {
        framing->lengths++;
        framing->length = 0;
        for (const char *at = value; at < end; at++) {
            if (*at < '0' || *at > '9')
                return false;
            framing->length = framing->length * 10 + (uint64_t)(*at - '0');
        }
        return size > 0;
    }
    if (answer_name_is(line, colon, "transfer-encoding")) {
        framing->codings++;
        answer->is_chunked = true;
        return size == 7 && memcmp(value, "chunked", 7) == 0;
    }
    if (answer_name_is(line, colon, "date")) {
        framing->dates++;
        return size == 29;
    }
    if (answer_name_is(line, colon, "connection")) {
        answer->is_closing = size == 5 && memcmp(value, "close", 5) == 0;
        return answer->is_closing || (size == 10 && memcmp(value, "keep-alive", 10) == 0);
    }
    return true;
}

static enum answer_read answer_chunks_read(struct answer *answer, const char *at, const char *end)
{
    for (;;) {
        const char *line_end = answer_line_end(at, end);
        if (line_end == NULL)
            return ANSWER_SHORT;
        size_t size = 0;
        for (const char *digit = at; digit < line_end; digit++) {
            if (strchr("0123456789abcdef", *digit) == NULL)
                return ANSWER_WRONG;
            size = size * 16 + (size_t)(*digit <= '9' ? *digit - '0' : *digit - 'a' + 10);
        }
        if (line_end == at || line_end[1] != '\n')
            return ANSWER_WRONG;
        at = line_end + 2;
        if ((size_t)(end - at) < size + 2)
            return ANSWER_SHORT;
        if (at[size] != '\r' || at[size + 1] != '\n')
            return ANSWER_WRONG;
        answer->body_hash = answer_hash(answer->body_hash, at, size);
        answer->body_size += size;
        at += size + 2;
        if (size == 0) {
            answer->size = (size_t)(at - answer->body);
            return ANSWER_GOOD;
        }
    }
}

/* Reads the status line and the fields; `*framing` is what they say. `answer->body` is behind them afterwards. */
static enum answer_read answer_head_read(struct answer *answer, struct answer_framing *framing, const char *at,
                                         const char *end)
{
    const char *line_end = answer_line_end(at, end);
    if (line_end == NULL)
        return ANSWER_SHORT;
    if (line_end - at < 14 || memcmp(at, "HTTP/1.1 ", 9) != 0 || at[12] != ' ' || line_end[1] != '\n' ||
        !answer_line_is_clean(at, line_end))
        return ANSWER_WRONG;
    answer->status = (unsigned)strtoul(at + 9, NULL, 10);
    at = line_end + 2;
    answer->fields = at;
    while ((line_end = answer_line_end(at, end)) != NULL && line_end != at) {
        if (line_end[1] != '\n' || !answer_field_read(answer, framing, at, line_end))
            return ANSWER_WRONG;
        at = line_end + 2;
    }
    if (line_end == NULL)
        return ANSWER_SHORT;
    answer->fields_size = (size_t)(at - answer->fields);
    answer->body = at + 2;
    return line_end[1] == '\n' ? ANSWER_GOOD : ANSWER_WRONG;
}

/* Reads one response. `is_head`: it answers HEAD and has no body; `is_old`: to HTTP/1.0, so that a body without a
 * length ends with the input. */
static enum answer_read answer_read(struct answer *answer, const char *bytes, size_t size, bool is_head, bool is_old)
{
    struct answer_framing framing = {0};
    *answer = (struct answer){.body_hash = 2166136261u};
    enum answer_read result = answer_head_read(answer, &framing, bytes, bytes + size);
    if (result != ANSWER_GOOD)
        return result;
    size_t head = (size_t)(answer->body - bytes);
    bool is_bare = answer->status < 200 || answer->status == 204 || answer->status == 304;
    answer->size = head;
    if (framing.dates != (answer->status >= 200) || framing.lengths > 1 || framing.lengths + framing.codings > 1)
        return ANSWER_WRONG;
    if (is_bare)
        return framing.lengths + framing.codings == 0 ? ANSWER_GOOD : ANSWER_WRONG;
    if (framing.lengths + framing.codings == 0 && !(is_old && answer->is_closing))
        return ANSWER_WRONG;
    if (is_head)
        return ANSWER_GOOD;
    if (answer->is_chunked) {
        result = answer_chunks_read(answer, answer->body, bytes + size);
        answer->size += head;
        return result;
    }
    answer->body_size = framing.lengths == 1 ? framing.length : size - head;
    if (answer->body_size > size - head)
        return ANSWER_SHORT;
    answer->body_hash = answer_hash(answer->body_hash, answer->body, (size_t)answer->body_size);
    answer->size = head + (size_t)answer->body_size;
    return ANSWER_GOOD;
}

#endif

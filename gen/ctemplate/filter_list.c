/* Filters over lists and maps. */
#include <stdlib.h>

#include "ctemplate/filter.h"
#include "ctemplate/unicode.h"

/* An empty list with room, counted. */
static bool list_begin(struct ct_call *call, size_t room, struct ct_value *list)
{
    if (!ct_made_add(call->render, call->activation, call->offset, room * sizeof *list))
        return false;
    *list = ct_value_list(call->render->arena, room);
    return true;
}

bool ct_filter_default(struct ct_call *call, struct ct_value *result)
{
    bool with_false = false;
    if (!ct_argument_bool(call, 1, &with_false))
        return false;
    *result = *call->subject;
    if (result->kind != CT_UNDEFINED && !(with_false && !ct_value_is_true(result)))
        return true;
    *result = call->arguments[0].kind == CT_MISSING ? ct_value_text(TEXT(""), true) : call->arguments[0];
    return true;
}

bool ct_filter_length(struct ct_call *call, struct ct_value *result)
{
    const struct ct_value *subject = call->subject;
    if (subject->kind == CT_LIST)
        *result = ct_value_integer((int64_t)subject->list->count);
    else if (subject->kind == CT_MAP)
        *result = ct_value_integer((int64_t)subject->map->count);
    else if (subject->kind == CT_TEXT)
        *result = ct_value_integer((int64_t)ct_unicode_count(subject->text));
    else
        return ct_call_fail(call, "%s has no length", ct_value_noun(subject));
    return true;
}

bool ct_filter_first(struct ct_call *call, struct ct_value *result)
{
    struct ct_items items = {0};
    if (!ct_subject_items(call, &items))
        return false;
    *result = items.count == 0 ? ct_value_undefined(TEXT("first")) : items.items[0];
    return true;
}

bool ct_filter_last(struct ct_call *call, struct ct_value *result)
{
    struct ct_items items = {0};
    if (!ct_subject_items(call, &items))
        return false;
    *result = items.count == 0 ? ct_value_undefined(TEXT("last")) : items.items[items.count - 1];
    return true;
}

static bool list_copy(struct ct_call *call, const struct ct_items *items, struct ct_value *result)
{
    if (!list_begin(call, items->count, result))
        return false;
    for (size_t i = 0; i < items->count; i++)
        ct_items_add(call->render->arena, result->list, items->items[i]);
    return true;
}

bool ct_filter_list(struct ct_call *call, struct ct_value *result)
{
    struct ct_items items = {0};
    return ct_subject_items(call, &items) && list_copy(call, &items, result);
}

/* ---- join. */

static bool join_add(struct ct_call *call, struct buffer *made, struct ct_value item, struct text path, bool *is_safe)
{
    struct text bytes = {"", 0};
    struct ct_value whole = item;
    if (path.size != 0 && !ct_call_attribute(call, &whole, path, &item))
        return false;
    if (item.kind == CT_UNDEFINED)
        return ct_fail_undefined(call->render, call->activation, call->offset, &item);
    if (!ct_value_bytes(call->render->arena, &item, &bytes))
        return ct_call_fail(call, "texts and integers are joined, not %s", ct_value_noun(&item));
    *is_safe = *is_safe && ct_value_is_printable(&item);
    buffer_add(made, bytes);
    return true;
}

bool ct_filter_join(struct ct_call *call, struct ct_value *result)
{
    struct ct_items items = {0};
    struct text between = {"", 0};
    struct text path = {"", 0};
    struct buffer made = {0};
    bool is_safe = call->arguments[0].kind != CT_TEXT || ct_value_is_printable(&call->arguments[0]);
    if (!ct_subject_items(call, &items) || !ct_argument_text(call, 0, &between) || !ct_argument_text(call, 1, &path))
        return false;
    bool is_good = true;
    for (size_t i = 0; is_good && i < items.count; i++) {
        if (i != 0)
            buffer_add(&made, between);
        is_good = join_add(call, &made, items.items[i], path, &is_safe);
        if (is_good && made.size > call->render->limits.made_size)
            break; /* ct_call_return says so */
    }
    if (is_good)
        return ct_call_return(call, &made, is_safe, result);
    buffer_free(&made);
    return false;
}

/* ---- sort and unique. */

/* Makes a text lower case, for comparisons that do not see case. */
static bool key_fold(struct ct_call *call, struct ct_value *key)
{
    if (key->kind != CT_TEXT)
        return true;
    if (!ct_text_is_ascii(key->text))
        return ct_call_fail(call, "without case only ASCII can be compared, say case_sensitive=true");
    char *bytes = arena_take(call->render->arena, key->text.size + 1);
    for (size_t i = 0; i < key->text.size; i++) {
        char c = key->text.bytes[i];
        bytes[i] = c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
    }
    key->text.bytes = bytes;
    return true;
}

/* What an item is compared by. */
static bool key_get(struct ct_call *call, struct ct_value item, struct text path, bool with_case, struct ct_value *key)
{
    *key = item;
    if (path.size != 0 && !ct_call_attribute(call, &item, path, key))
        return false;
    if (key->kind == CT_UNDEFINED)
        return ct_fail_undefined(call->render, call->activation, call->offset, key);
    return with_case || key_fold(call, key);
}

struct keyed {
    struct ct_value item;
    struct ct_value *keys;
};

struct sorter {
    struct ct_call *call;
    size_t keys_count;
    bool is_reverse;
    bool is_good;
};

static int keyed_compare(struct sorter *sorter, const struct keyed *a, const struct keyed *b)
{
    for (size_t i = 0; sorter->is_good && i < sorter->keys_count; i++) {
        int order = 0;
        if (sorter->keys_count > 1 && ct_value_is_equal(&a->keys[i], &b->keys[i]))
            continue;
        if (!ct_value_compare(&a->keys[i], &b->keys[i], &order))
            sorter->is_good = ct_call_fail(sorter->call, "%s and %s have no order", ct_value_noun(&a->keys[i]),
                                           ct_value_noun(&b->keys[i]));
        if (order != 0)
            return sorter->is_reverse ? -order : order;
    }
    return 0;
}

/* Merges two sorted runs; equal items stay in their order. */
static void keyed_merge(struct sorter *sorter, const struct keyed *items, size_t begin, size_t middle, size_t end,
                        struct keyed *merged)
{
    size_t left = begin;
    size_t right = middle;
    for (size_t i = begin; i < end; i++) {
        bool is_left = right == end || (left < middle && keyed_compare(sorter, &items[left], &items[right]) <= 0);
        merged[i] = items[is_left ? left++ : right++];
    }
}

/* A merge sort; the result is in one of the two arrays. */
static struct keyed *keyed_sort(struct sorter *sorter, struct keyed *items, struct keyed *other, size_t count)
{
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t begin = 0; begin < count; begin += 2 * width) {
            size_t middle = begin + width < count ? begin + width : count;
            size_t end = middle + width < count ? middle + width : count;
            keyed_merge(sorter, items, begin, middle, end, other);
        }
        struct keyed *swapped = items;
        items = other;
        other = swapped;
    }
    return items;
}

/* The attribute may name several, with commas. */
static bool keyed_fill(struct sorter *sorter, struct keyed *keyed, struct ct_value item, struct text paths,
                       bool with_case)
{
    keyed->item = item;
    keyed->keys = arena_take_array(sorter->call->render->arena, sorter->keys_count, sizeof *keyed->keys);
    size_t at = 0;
    for (size_t i = 0; i < sorter->keys_count; i++) {
        size_t end = at;
        while (end < paths.size && paths.bytes[end] != ',')
            end++;
        struct text path = {paths.bytes + at, end - at};
        if (!key_get(sorter->call, item, path, with_case, &keyed->keys[i]))
            return false;
        at = end + 1;
    }
    return true;
}

static bool items_sort(struct ct_call *call, const struct ct_items *items, struct text paths, bool with_case,
                       bool is_reverse, struct ct_value *result)
{
    struct sorter sorter = {.call = call, .keys_count = 1, .is_reverse = is_reverse, .is_good = true};
    for (size_t i = 0; i < paths.size; i++)
        sorter.keys_count += paths.bytes[i] == ',';
    if (!list_begin(call, items->count, result))
        return false;
    struct keyed *keyed = memory_take(items->count * 2 * sizeof *keyed);
    for (size_t i = 0; sorter.is_good && i < items->count; i++)
        sorter.is_good = keyed_fill(&sorter, &keyed[i], items->items[i], paths, with_case);
    if (sorter.is_good) {
        struct keyed *sorted = keyed_sort(&sorter, keyed, keyed + items->count, items->count);
        for (size_t i = 0; i < items->count; i++)
            ct_items_add(call->render->arena, result->list, sorted[i].item);
    }
    free(keyed);
    return sorter.is_good;
}

bool ct_filter_sort(struct ct_call *call, struct ct_value *result)
{
    struct ct_items items = {0};
    bool is_reverse = false;
    bool with_case = false;
    struct text paths = {"", 0};
    return ct_subject_items(call, &items) && ct_argument_bool(call, 0, &is_reverse) &&
           ct_argument_bool(call, 1, &with_case) && ct_argument_text(call, 2, &paths) &&
           items_sort(call, &items, paths, with_case, is_reverse, result);
}

/* A text that is the same for equal keys only. */
static bool key_name(struct ct_call *call, const struct ct_value *key, struct text *name)
{
    struct arena *arena = call->render->arena;
    if (key->kind == CT_TEXT)
        *name = arena_format(arena, "t%.*s", TEXT_ARGS(key->text));
    else if (ct_value_is_number(key))
        *name = arena_format(arena, "i%lld", (long long)ct_value_number(key));
    else if (key->kind == CT_NONE)
        *name = TEXT("n");
    else
        return ct_call_fail(call, "%s cannot be told from others", ct_value_noun(key));
    return true;
}

bool ct_filter_unique(struct ct_call *call, struct ct_value *result)
{
    struct ct_items items = {0};
    bool with_case = false;
    struct text path = {"", 0};
    struct map seen = {0};
    if (!ct_subject_items(call, &items) || !ct_argument_bool(call, 0, &with_case) ||
        !ct_argument_text(call, 1, &path) || !list_begin(call, items.count, result))
        return false;
    for (size_t i = 0; i < items.count; i++) {
        struct ct_value key = {0};
        struct text name = {"", 0};
        if (!key_get(call, items.items[i], path, with_case, &key) || !key_name(call, &key, &name))
            return false;
        if (map_add(&seen, call->render->arena, name, &items.items[i]) == NULL)
            ct_items_add(call->render->arena, result->list, items.items[i]);
    }
    result->lazy = true;
    return true;
}

/* ---- The pairs of maps. */

static bool pairs_make(struct ct_call *call, struct ct_value *result)
{
    struct arena *arena = call->render->arena;
    const struct ct_entries *map = call->subject->map;
    if (call->subject->kind != CT_MAP)
        return ct_call_fail(call, "a map is due, not %s", ct_value_noun(call->subject));
    if (!list_begin(call, map->count * 3, result))
        return false;
    for (size_t i = 0; i < map->count; i++) {
        struct ct_value pair = ct_value_list(arena, 2);
        ct_items_add(arena, pair.list, ct_value_text(map->entries[i].key, false));
        ct_items_add(arena, pair.list, map->entries[i].value);
        ct_items_add(arena, result->list, pair);
    }
    return true;
}

/* As in Jinja2, what is undefined has no pairs. */
bool ct_filter_items(struct ct_call *call, struct ct_value *result)
{
    bool is_good = call->subject->kind == CT_UNDEFINED ? list_begin(call, 0, result) : pairs_make(call, result);
    result->lazy = true;
    return is_good;
}

bool ct_filter_dictsort(struct ct_call *call, struct ct_value *result)
{
    struct ct_value pairs = {0};
    bool with_case = false;
    bool is_reverse = false;
    struct text by = TEXT("key");
    if (!ct_argument_bool(call, 0, &with_case) || !ct_argument_text(call, 1, &by) ||
        !ct_argument_bool(call, 2, &is_reverse) || !pairs_make(call, &pairs))
        return false;
    if (!text_is(by, "key") && !text_is(by, "value"))
        return ct_call_fail(call, "'by' is \"key\" or \"value\"");
    struct text path = text_is(by, "key") ? TEXT("0") : TEXT("1");
    return items_sort(call, pairs.list, path, with_case, is_reverse, result);
}

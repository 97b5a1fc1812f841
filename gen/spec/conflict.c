/* See conflict.h.
 *
 * All patterns of a host stand in one tree of segments. Two patterns whose paths can overlap are found by walking the
 * tree against itself: a literal goes with the same literal, a wildcard with everything, the rest with all that is
 * below. On the way the relation of the two paths so far is kept (more general, more specific, or overlapping in both
 * directions), so that a pair found needs only its methods compared. */
#include "spec/conflict.h"

#define HW_PREFIX hardwire
#include <hardwire/hardwire.h>

#include "base/buffer.h"
#include "base/map.h"
#include "spec/pattern.h"
#include "spec/spec.h"

/* Pairs that are looked at before the search ends: enough for every message that is shown. */
#define PAIRS_MAX 20000

/* A node with more literal children than this is searched by hash. */
#define CHILDREN_SEARCHED_MAX 8

#define BIT_ANY (1u << 31)
_Static_assert(HW_METHOD_COUNT < 31, "a method is a bit of 32");

/* How the paths or methods of one pattern lie to those of another; disjoint ones are never compared. */
enum relation { EQUIVALENT, MORE_GENERAL, MORE_SPECIFIC, OVERLAPS };

/* Where a pattern ends in its node: with its last segment, with {$}, or with the rest. */
enum end { END_HERE, END_SLASH, END_REST, END_COUNT };

struct terminal {
    const struct spec_route *route;
    struct terminal *next;
};

struct node {
    struct text literal;
    struct node *next; /* sibling */
    struct node *literals;
    struct node *last;
    size_t literal_count;
    struct map by_literal; /* filled when there are many */
    struct node *one;
    struct terminal *terminals[END_COUNT]; /* each method at most once */
    uint32_t methods;                      /* of all patterns here and below, a bit each */
};

struct host {
    struct node root;
    struct host *next;
};

struct search {
    struct arena *arena;
    struct diagnostics *diagnostics;
    const struct spec_route *routes;
    const struct spec_route **partners; /* of each route: the first earlier one it conflicts with */
    size_t pairs;
};

/* ---- Relations. */

static enum relation relation_join(enum relation a, enum relation b)
{
    if (a == EQUIVALENT || a == b)
        return b;
    return b == EQUIVALENT ? a : OVERLAPS;
}

static uint32_t method_bit(int method)
{
    return method == SPEC_METHOD_ANY ? BIT_ANY : 1u << method;
}

/* The methods that, on a path that lies like this to that of a pattern with `method`, make a conflict. */
static uint32_t method_partners(int method, enum relation paths)
{
    uint32_t get = 1u << HW_METHOD_GET, head = 1u << HW_METHOD_HEAD;
    if (paths == MORE_GENERAL) /* and a method more specific */
        return method == SPEC_METHOD_ANY ? 0 : method == HW_METHOD_HEAD ? BIT_ANY | get : BIT_ANY;
    if (paths == MORE_SPECIFIC) /* and a method more general */
        return method == SPEC_METHOD_ANY ? ~BIT_ANY : method == HW_METHOD_GET ? head : 0;
    if (paths == EQUIVALENT)
        return 0; /* duplicates never come into the tree */
    if (method == SPEC_METHOD_ANY)
        return ~0u;
    bool is_get = method == HW_METHOD_GET || method == HW_METHOD_HEAD;
    return BIT_ANY | (is_get ? get | head : method_bit(method));
}

/* Whether any method of one set can match what one of the other matches. */
static bool methods_meet(uint32_t a, uint32_t b)
{
    uint32_t get = 1u << HW_METHOD_GET, head = 1u << HW_METHOD_HEAD;
    if (a == 0 || b == 0)
        return false;
    return (a & b) != 0 || ((a | b) & BIT_ANY) != 0 || ((a & get) && (b & head)) || ((a & head) && (b & get));
}

/* ---- The tree. */

static struct node *literal_find(const struct node *node, struct text literal)
{
    if (node->by_literal.count != 0)
        return map_find(&node->by_literal, literal);
    struct node *child = node->literals;
    while (child != NULL && !text_is_equal(child->literal, literal))
        child = child->next;
    return child;
}

static struct node *literal_add(struct arena *arena, struct node *node, struct text literal)
{
    struct node *child = literal_find(node, literal);
    if (child != NULL)
        return child;
    child = arena_take(arena, sizeof *child);
    child->literal = literal;
    if (node->last == NULL)
        node->literals = child;
    else
        node->last->next = child;
    node->last = child;
    if (++node->literal_count == CHILDREN_SEARCHED_MAX + 1)
        for (struct node *each = node->literals; each != NULL; each = each->next)
            map_add(&node->by_literal, arena, each->literal, each);
    else if (node->by_literal.count != 0)
        map_add(&node->by_literal, arena, literal, child);
    return child;
}

/* Adds a route; returns the one that has its pattern already, or NULL. */
static const struct spec_route *route_add(struct arena *arena, struct node *node, const struct spec_route *route)
{
    const struct spec_pattern *pattern = &route->pattern;
    uint32_t bit = method_bit(pattern->method);
    enum end end = END_HERE;
    node->methods |= bit;
    for (size_t i = 0; i < pattern->segment_count; i++) {
        const struct spec_segment *segment = &pattern->segments[i];
        if (segment->kind == SPEC_SEGMENT_REST || segment->kind == SPEC_SEGMENT_END) {
            end = segment->kind == SPEC_SEGMENT_REST ? END_REST : END_SLASH;
            break;
        }
        if (segment->kind == SPEC_SEGMENT_LITERAL) {
            node = literal_add(arena, node, segment->text);
        } else {
            if (node->one == NULL)
                node->one = arena_take(arena, sizeof *node->one);
            node = node->one;
        }
        node->methods |= bit;
    }
    struct terminal **at = &node->terminals[end];
    for (; *at != NULL; at = &(*at)->next)
        if ((*at)->route->pattern.method == pattern->method)
            return (*at)->route;
    *at = arena_take(arena, sizeof **at);
    (*at)->route = route;
    return NULL;
}

/* ---- The walk. */

static void pair_note(struct search *search, const struct spec_route *a, const struct spec_route *b)
{
    const struct spec_route *later = a > b ? a : b, *earlier = a > b ? b : a;
    const struct spec_route **partner = &search->partners[later - search->routes];
    if (*partner == NULL || earlier < *partner)
        *partner = earlier;
    search->pairs++;
}

static void terminals_join(struct search *search, const struct terminal *a, const struct terminal *b,
                           enum relation relation)
{
    for (; a != NULL; a = a->next) {
        uint32_t partners = method_partners(a->route->pattern.method, relation);
        for (const struct terminal *each = b; each != NULL; each = each->next)
            if ((partners & method_bit(each->route->pattern.method)) != 0)
                pair_note(search, a->route, each->route);
    }
}

/* A pattern that ends with the rest against all that is at or below a node. `relation` is that of the rest. */
static void rest_join(struct search *search, const struct terminal *rest, const struct node *node,
                      enum relation relation)
{
    uint32_t partners = method_partners(rest->route->pattern.method, relation);
    if ((node->methods & partners) == 0 || search->pairs >= PAIRS_MAX)
        return;
    const struct terminal alone = {rest->route, NULL};
    for (int end = 0; end < END_COUNT; end++)
        terminals_join(search, &alone, node->terminals[end], relation);
    for (const struct node *child = node->literals; child != NULL; child = child->next)
        rest_join(search, rest, child, relation);
    if (node->one != NULL)
        rest_join(search, rest, node->one, relation);
}

/* The patterns with the rest at one node against all that goes on below another. */
static void rests_join(struct search *search, const struct terminal *rests, const struct node *node,
                       enum relation relation)
{
    for (; rests != NULL; rests = rests->next) {
        for (const struct node *child = node->literals; child != NULL; child = child->next)
            rest_join(search, rests, child, relation);
        if (node->one != NULL)
            rest_join(search, rests, node->one, relation);
    }
}

static enum relation relation_turn(enum relation relation)
{
    return relation == MORE_GENERAL ? MORE_SPECIFIC : relation == MORE_SPECIFIC ? MORE_GENERAL : relation;
}

/* Two different nodes whose paths overlap; `relation` is that of a's path to b's. */
static void nodes_join(struct search *search, const struct node *a, const struct node *b, enum relation relation)
{
    if (!methods_meet(a->methods, b->methods) || search->pairs >= PAIRS_MAX)
        return;
    enum relation general = relation_join(relation, MORE_GENERAL), special = relation_join(relation, MORE_SPECIFIC);
    for (int end = 0; end < END_COUNT; end++)
        terminals_join(search, a->terminals[end], b->terminals[end], relation);
    terminals_join(search, a->terminals[END_REST], b->terminals[END_SLASH], general);
    terminals_join(search, a->terminals[END_SLASH], b->terminals[END_REST], special);
    rests_join(search, a->terminals[END_REST], b, general);
    rests_join(search, b->terminals[END_REST], a, relation_turn(special));
    bool a_is_less = a->literal_count <= b->literal_count;
    for (const struct node *child = a_is_less ? a->literals : b->literals; child != NULL; child = child->next) {
        const struct node *other = literal_find(a_is_less ? b : a, child->literal);
        if (other != NULL)
            nodes_join(search, a_is_less ? child : other, a_is_less ? other : child, relation);
    }
    for (const struct node *child = b->literals; a->one != NULL && child != NULL; child = child->next)
        nodes_join(search, a->one, child, general);
    for (const struct node *child = a->literals; b->one != NULL && child != NULL; child = child->next)
        nodes_join(search, child, b->one, special);
    if (a->one != NULL && b->one != NULL)
        nodes_join(search, a->one, b->one, relation);
}

/* A node against itself. */
static void node_join(struct search *search, const struct node *node)
{
    if (search->pairs >= PAIRS_MAX)
        return;
    terminals_join(search, node->terminals[END_REST], node->terminals[END_SLASH], MORE_GENERAL);
    rests_join(search, node->terminals[END_REST], node, MORE_GENERAL);
    for (const struct node *child = node->literals; child != NULL; child = child->next) {
        node_join(search, child);
        if (node->one != NULL)
            nodes_join(search, node->one, child, MORE_GENERAL);
    }
    if (node->one != NULL)
        node_join(search, node->one);
}

/* ---- Messages. */

/* The segments of a pattern from `from` on, as some request has them. */
static void example_add(struct buffer *out, const struct spec_pattern *pattern, size_t from)
{
    for (size_t i = from; i < pattern->segment_count; i++) {
        buffer_add_char(out, '/');
        if (pattern->segments[i].kind == SPEC_SEGMENT_LITERAL)
            pattern_segment_add(out, pattern->segments[i].text);
        else if (pattern->segments[i].kind == SPEC_SEGMENT_ONE)
            buffer_add_char(out, 'x');
    }
}

/* A request that both match: "GET /posts/latest". */
static struct text request_example(struct arena *arena, const struct spec_pattern *a, const struct spec_pattern *b)
{
    struct buffer out = {0};
    int method = a->method == SPEC_METHOD_ANY || b->method == HW_METHOD_HEAD ? b->method : a->method;
    if (method != SPEC_METHOD_ANY)
        buffer_format(&out, "%s ", spec_method_name(method));
    buffer_add(&out, a->host);
    for (size_t i = 0; i < a->segment_count && i < b->segment_count; i++) {
        const struct spec_segment *x = &a->segments[i], *y = &b->segments[i];
        if (x->kind == SPEC_SEGMENT_REST || y->kind == SPEC_SEGMENT_REST) {
            example_add(&out, x->kind == SPEC_SEGMENT_REST ? b : a, i);
            break;
        }
        buffer_add_char(&out, '/');
        if (x->kind == SPEC_SEGMENT_LITERAL || y->kind == SPEC_SEGMENT_LITERAL)
            pattern_segment_add(&out, x->kind == SPEC_SEGMENT_LITERAL ? x->text : y->text);
        else if (x->kind == SPEC_SEGMENT_ONE)
            buffer_add_char(&out, 'x');
    }
    struct text example = arena_copy(arena, buffer_text(&out));
    buffer_free(&out);
    return example;
}

static void conflict_report(struct search *search, const struct spec_route *later, const struct spec_route *earlier)
{
    struct text example = request_example(search->arena, &later->pattern, &earlier->pattern);
    struct diagnostic *error =
        diagnostic_add(search->diagnostics, DIAGNOSTIC_ROUTE_CONFLICT, later->place,
                       "%.*s conflicts with %.*s: both match %.*s, and neither is more specific",
                       TEXT_ARGS(later->pattern.written), TEXT_ARGS(earlier->pattern.written), TEXT_ARGS(example));
    diagnostic_second(search->diagnostics, error, earlier->place, "the other pattern");
    diagnostic_help(search->diagnostics, error,
                    "make one of them match a part of what the other matches, or nothing "
                    "of it");
}

static void duplicate_report(struct search *search, const struct spec_route *later, const struct spec_route *earlier)
{
    struct text written = later->pattern.written, before = earlier->pattern.written;
    struct diagnostic *error =
        text_is_equal(written, before)
            ? diagnostic_add(search->diagnostics, DIAGNOSTIC_ROUTE_DUPLICATE, later->place, "%.*s is there twice",
                             TEXT_ARGS(written))
            : diagnostic_add(search->diagnostics, DIAGNOSTIC_ROUTE_DUPLICATE, later->place,
                             "%.*s matches what %.*s matches", TEXT_ARGS(written), TEXT_ARGS(before));
    diagnostic_second(search->diagnostics, error, earlier->place, "the same pattern");
    diagnostic_help(search->diagnostics, error, "leave one of them out");
}

void conflict_check(struct arena *arena, struct diagnostics *diagnostics, const struct spec_route *routes, size_t count)
{
    struct search search = {arena, diagnostics, routes, NULL, 0};
    search.partners = arena_take_array(arena, count, sizeof *search.partners);
    struct map by_host = {0};
    struct host *hosts = NULL;
    for (size_t i = 0; i < count; i++) {
        struct host *host = map_find(&by_host, routes[i].pattern.host);
        if (host == NULL) {
            host = arena_take(arena, sizeof *host);
            host->next = hosts;
            hosts = host;
            map_add(&by_host, arena, routes[i].pattern.host, host);
        }
        const struct spec_route *earlier = route_add(arena, &host->root, &routes[i]);
        if (earlier != NULL)
            duplicate_report(&search, &routes[i], earlier);
    }
    for (; hosts != NULL; hosts = hosts->next)
        node_join(&search, &hosts->root);
    for (size_t i = 0; i < count; i++)
        if (search.partners[i] != NULL)
            conflict_report(&search, &routes[i], search.partners[i]);
}

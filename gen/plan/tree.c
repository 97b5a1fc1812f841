/* See tree.h. Nothing here recurses: a pattern may be as deep as a spec is long. */
#include "plan/tree.h"

#include <stdlib.h>

#define HW_PREFIX hardwire
#include <hardwire/hardwire.h>

#include "base/buffer.h"
#include "plan/table.h"

/* ---- The order of routes. What stands at a node itself comes before what stands below it. */

static int segment_rank(const struct spec_pattern *pattern, size_t index)
{
    if (index == pattern->segment_count)
        return 0;
    switch (pattern->segments[index].kind) {
    case SPEC_SEGMENT_END:
        return 1;
    case SPEC_SEGMENT_REST:
        return 2;
    case SPEC_SEGMENT_LITERAL:
        return 3;
    case SPEC_SEGMENT_ONE:
        break;
    }
    return 4;
}

static int segment_compare(const struct spec_pattern *a, const struct spec_pattern *b, size_t index)
{
    int rank = segment_rank(a, index);
    int order = rank - segment_rank(b, index);
    if (order == 0 && rank == 3)
        order = text_compare(a->segments[index].text, b->segments[index].text);
    return order;
}

/* How many segments two patterns share from the start. */
static size_t segments_shared(const struct spec_pattern *a, const struct spec_pattern *b)
{
    size_t shared = 0;
    while (shared < a->segment_count && shared < b->segment_count && segment_compare(a, b, shared) == 0)
        shared++;
    return shared;
}

int plan_route_compare(const void *a, const void *b)
{
    const struct spec_pattern *left = &((const struct plan_route *)a)->spec->pattern;
    const struct spec_pattern *right = &((const struct plan_route *)b)->spec->pattern;
    int order = text_compare(left->host, right->host);
    if (order != 0)
        return order;
    size_t shared = segments_shared(left, right);
    order = shared == left->segment_count && shared == right->segment_count ? 0 : segment_compare(left, right, shared);
    if (order != 0)
        return order;
    /* Every method comes last: it takes what the others at this place leave. */
    return (left->method == SPEC_METHOD_ANY ? 1000 : left->method) -
           (right->method == SPEC_METHOD_ANY ? 1000 : right->method);
}

/* ---- Building. */

struct tree_node {
    struct plan_node node;
    const struct spec_pattern *pattern; /* the first one that came here */
    size_t depth;                       /* its segments up to here */
    size_t literal_room;
    struct tree_node *next; /* in the order of making: parents before children */
};

struct tree_builder {
    struct plan *plan;
    struct arena *arena;
    struct tree_node **path; /* from the root of the current host */
    size_t path_room;
    struct tree_node *first;
    struct tree_node **last;
    size_t host_room;
};

static struct tree_node *node_make(struct tree_builder *builder, const struct spec_pattern *pattern, size_t depth)
{
    struct tree_node *node = arena_take(builder->arena, sizeof *node);
    node->pattern = pattern;
    node->depth = depth;
    node->node.is_root = depth == 0;
    for (size_t i = 0; i < depth; i++)
        node->node.capture_count += pattern->segments[i].kind == SPEC_SEGMENT_ONE;
    *builder->last = node;
    builder->last = &node->next;

    if (depth >= builder->path_room) {
        builder->path_room = builder->path_room == 0 ? 64 : builder->path_room * 2;
        builder->path = memory_resize(builder->path, builder->path_room * sizeof(struct tree_node *));
    }
    builder->path[depth] = node;
    return node;
}

static void children_add(struct arena *arena, struct plan_children *children, size_t *room, struct plan_child child)
{
    if (children->count == *room) {
        *room = *room == 0 ? 4 : *room * 2;
        struct plan_child *grown = arena_take_array(arena, *room, sizeof *grown);
        if (children->count != 0)
            memcpy(grown, children->list, children->count * sizeof *grown);
        children->list = grown;
    }
    children->list[children->count++] = child;
    if (child.bytes.size > children->size_max)
        children->size_max = child.bytes.size;
}

/* How many segments of a pattern are nodes: all but a last one that says how the path ends. */
static size_t pattern_depth(const struct spec_pattern *pattern)
{
    size_t depth = pattern->segment_count;
    if (depth != 0 && segment_rank(pattern, depth - 1) < 3)
        depth--;
    return depth;
}

static void child_make(struct tree_builder *builder, const struct spec_pattern *pattern, size_t depth)
{
    struct tree_node *parent = builder->path[depth - 1];
    const struct spec_segment *segment = &pattern->segments[depth - 1];
    struct tree_node *node = node_make(builder, pattern, depth);
    if (segment->kind == SPEC_SEGMENT_ONE)
        parent->node.one = &node->node;
    else
        children_add(builder->arena, &parent->node.literals, &parent->literal_room,
                     (struct plan_child){segment->text, &node->node});
}

static void root_make(struct tree_builder *builder, const struct spec_pattern *pattern)
{
    struct tree_node *root = node_make(builder, pattern, 0);
    if (pattern->host.size == 0)
        builder->plan->tree = &root->node;
    else
        children_add(builder->arena, &builder->plan->hosts, &builder->host_room,
                     (struct plan_child){pattern->host, &root->node});
}

/* How many nodes the routes of two places in the order share; 0 when there is no such place. */
static size_t nodes_shared(const struct plan *plan, size_t before, size_t behind)
{
    if (before >= plan->route_count || behind >= plan->route_count)
        return 0;
    const struct spec_pattern *a = &plan->routes[before].spec->pattern;
    const struct spec_pattern *b = &plan->routes[behind].spec->pattern;
    if (!text_is_equal(a->host, b->host))
        return 0;
    size_t shared = segments_shared(a, b);
    size_t depth = pattern_depth(a) < pattern_depth(b) ? pattern_depth(a) : pattern_depth(b);
    return shared < depth ? shared : depth;
}

static enum plan_ending ending_of(const struct spec_pattern *pattern)
{
    if (pattern_depth(pattern) == pattern->segment_count)
        return PLAN_ENDING_EXACT;
    bool is_end = pattern->segments[pattern->segment_count - 1].kind == SPEC_SEGMENT_END;
    return is_end ? PLAN_ENDING_SLASH : PLAN_ENDING_REST;
}

/* Nobody shares the segments from `depth` on: they need no nodes. */
static const struct plan_tail *tail_make(struct tree_builder *builder, size_t route, size_t depth)
{
    const struct spec_pattern *pattern = &builder->plan->routes[route].spec->pattern;
    struct plan_tail *tail = arena_take(builder->arena, sizeof *tail);
    tail->route = route;
    tail->ending = ending_of(pattern);
    tail->rest_is_captured =
        tail->ending == PLAN_ENDING_REST && pattern->segments[pattern->segment_count - 1].text.size != 0;
    struct buffer text = {0};
    for (size_t i = depth; i < pattern_depth(pattern); i++) {
        bool is_wildcard = pattern->segments[i].kind == SPEC_SEGMENT_ONE;
        tail->has_wildcards |= is_wildcard;
        buffer_add_char(&text, '/');
        if (!is_wildcard)
            buffer_add(&text, pattern->segments[i].text);
    }
    tail->text = arena_copy(builder->arena, buffer_text(&text));
    buffer_free(&text);
    return tail;
}

static void run_add(struct plan_node *node, const struct spec_pattern *pattern, size_t index)
{
    struct plan_run *const runs[] = {&node->exact, &node->end, &node->rest};
    enum plan_ending ending = ending_of(pattern);
    if (ending == PLAN_ENDING_REST)
        node->rest_is_captured |= pattern->segments[pattern->segment_count - 1].text.size != 0;
    if (runs[ending]->count++ == 0)
        runs[ending]->first = index;
}

static void route_add(struct tree_builder *builder, size_t index)
{
    const struct plan *plan = builder->plan;
    const struct spec_pattern *pattern = &plan->routes[index].spec->pattern;
    if (index == 0 || !text_is_equal(plan->routes[index - 1].spec->pattern.host, pattern->host))
        root_make(builder, pattern);

    size_t shared = nodes_shared(plan, index - 1, index);
    size_t behind = nodes_shared(plan, index, index + 1);
    size_t branch = shared > behind ? shared : behind;
    size_t depth = pattern_depth(pattern);
    for (size_t i = shared + 1; i <= depth && i <= branch + 1; i++)
        child_make(builder, pattern, i);
    if (depth > branch)
        builder->path[branch + 1]->node.tail = tail_make(builder, index, branch + 1);
    else
        run_add(&builder->path[depth]->node, pattern, index);
}

/* ---- Finishing: what can be told only when the whole tree is there. */

static int child_compare(const void *a, const void *b)
{
    const struct text left = ((const struct plan_child *)a)->bytes;
    const struct text right = ((const struct plan_child *)b)->bytes;
    if (left.size != right.size)
        return left.size < right.size ? -1 : 1;
    return text_compare(left, right);
}

static void children_finish(struct tree_builder *builder, struct plan_children *children)
{
    if (children->count != 0)
        qsort(children->list, children->count, sizeof *children->list, child_compare);
    size_t most = builder->plan->nodes_are_tables ? 0 : PLAN_SWITCH_MAX;
    if (children->count > most) {
        children->table = plan_table_build(builder->arena, children->list, children->count);
        builder->plan->table_count++;
    }
}

/* The methods that each route of a run takes: GET takes HEAD unless somebody else does. */
static void run_finish(struct plan *plan, const struct plan_run *run)
{
    const uint32_t head = 1u << HW_METHOD_HEAD;
    uint32_t named = 0;
    for (size_t i = run->first; i < run->first + run->count; i++) {
        int method = plan->routes[i].spec->pattern.method;
        plan->routes[i].methods = method == SPEC_METHOD_ANY ? PLAN_METHODS_ANY : 1u << method;
        if (method != SPEC_METHOD_ANY)
            named |= 1u << method;
    }
    for (size_t i = run->first; i < run->first + run->count; i++)
        if (plan->routes[i].spec->pattern.method == HW_METHOD_GET && (named & head) == 0)
            plan->routes[i].methods |= head;
    plan->methods |= named;
}

static struct text path_of(struct arena *arena, const struct spec_pattern *pattern, size_t depth)
{
    struct buffer out = {0};
    buffer_add(&out, pattern->host);
    for (size_t i = 0; i < depth; i++) {
        bool is_wildcard = pattern->segments[i].kind != SPEC_SEGMENT_LITERAL;
        buffer_format(&out, is_wildcard ? "/{%.*s}" : "/%.*s", TEXT_ARGS(pattern->segments[i].text));
    }
    if (depth == 0)
        buffer_add_char(&out, '/');
    struct text path = arena_copy(arena, buffer_text(&out));
    buffer_free(&out);
    return path;
}

static void node_finish(struct tree_builder *builder, struct tree_node *made, struct plan_names *names)
{
    struct arena *arena = builder->arena;
    struct plan_node *node = &made->node;
    if (node->tail != NULL) {
        run_finish(builder->plan, &(struct plan_run){node->tail->route, 1});
        return;
    }
    run_finish(builder->plan, &node->exact);
    run_finish(builder->plan, &node->end);
    run_finish(builder->plan, &node->rest);
    children_finish(builder, &node->literals);
    node->path = path_of(arena, made->pattern, made->depth);
    struct text name = plan_name_of_pattern(arena, made->pattern, made->depth, false);
    if (name.size == 0)
        name = node->is_root ? TEXT("root") : TEXT("other");
    node->name = plan_name_take(names, arena, arena_format(arena, "node_%.*s", TEXT_ARGS(name)));
}

void plan_tree_build(struct plan *plan, struct arena *arena, struct plan_names *names)
{
    struct tree_builder builder = {.plan = plan, .arena = arena};
    builder.last = &builder.first;
    for (size_t i = 0; i < plan->route_count; i++)
        route_add(&builder, i);
    for (struct tree_node *node = builder.first; node != NULL; node = node->next)
        plan->node_count += node->node.tail == NULL;
    plan->nodes_are_tables = plan->node_count > PLAN_FUNCTIONS_MAX;
    for (struct tree_node *node = builder.first; node != NULL; node = node->next)
        node_finish(&builder, node, names);
    children_finish(&builder, &plan->hosts);
    if ((plan->methods & 1u << HW_METHOD_GET) != 0)
        plan->methods |= 1u << HW_METHOD_HEAD;

    /* Made from the root down, printed from the leaves up: a function stands behind those that it calls. */
    plan->nodes = arena_take_array(arena, plan->node_count, sizeof *plan->nodes);
    size_t place = plan->node_count;
    for (struct tree_node *node = builder.first; node != NULL; node = node->next)
        if (node->node.tail == NULL)
            plan->nodes[--place] = &node->node;
    free(builder.path);
}

/* Scopes. What Jinja2 does when it compiles, in two steps a frame:
 *
 * 1. note: walk the frame's statements (not into inner frames) and note which names it loads and stores. A name that is
 *    stored first begins as a copy of the outer one, or undefined; one that is stored in some branches of an `if` only
 *    falls back to the outer one or the context.
 * 2. bind: give the noted names slots, bind the names in the frame's expressions, and do the same for inner frames.
 *
 * So an assignment is visible behind an `if` but not behind a `for`, and a name that a frame stores anywhere is that
 * frame's from its beginning.
 */
#include "ctemplate/resolve.h"

#include <stdlib.h>

struct symbol {
    bool is_known;
    bool is_stored;
    bool has_slot;
    enum ct_load_kind load;
    unsigned slot;
};

/* The names of one frame, by number. */
struct symbols {
    struct symbols *outer;
    bool is_function; /* the outermost frame of a macro: outer ones are a hop away */
    unsigned *slots_count;
    struct symbol *table;
};

struct resolver {
    struct arena *arena;
    struct ct_report *report;
    struct ct_template *template;
    bool *is_free; /* by number */
};

static size_t table_size(const struct resolver *resolver)
{
    return (resolver->template->names_count + 1) * sizeof(struct symbol);
}

/* ---- Noting. */

static bool is_known_outside(const struct symbols *symbols, unsigned number)
{
    for (const struct symbols *s = symbols->outer; s != NULL; s = s->outer)
        if (s->table[number].is_known)
            return true;
    return false;
}

static void note_load(struct symbols *symbols, unsigned number)
{
    struct symbol *symbol = &symbols->table[number];
    if (!symbol->is_known && !is_known_outside(symbols, number))
        *symbol = (struct symbol){.is_known = true, .load = CT_LOAD_FREE};
}

static void note_store(struct symbols *symbols, unsigned number)
{
    struct symbol *symbol = &symbols->table[number];
    symbol->is_stored = true;
    if (symbol->is_known)
        return;
    symbol->is_known = true;
    symbol->load = is_known_outside(symbols, number) ? CT_LOAD_ALIAS : CT_LOAD_UNDEFINED;
}

static void note_parameter(struct symbols *symbols, unsigned number)
{
    symbols->table[number] = (struct symbol){.is_known = true, .is_stored = true, .load = CT_LOAD_PARAMETER};
}

static void note_expression(struct symbols *symbols, const struct ct_expression *expression)
{
    if (expression->kind == CT_EX_NAME)
        note_load(symbols, expression->number);
    for (size_t i = 0; i < expression->count; i++)
        note_expression(symbols, expression->kids[i]);
}

static void note_statements(struct resolver *resolver, struct symbols *symbols, const struct ct_statement *first);

/* The three branches that Jinja2 knows: body, all elif together, else. */
enum { BRANCHES = 3 };

static void merge_branches(struct resolver *resolver, struct symbols *symbols, struct symbol *const branches[BRANCHES])
{
    for (unsigned number = 0; number < resolver->template->names_count; number++) {
        struct symbol *symbol = &symbols->table[number];
        unsigned stores = 0;
        if (!symbol->is_stored)
            for (size_t i = 0; i < BRANCHES; i++)
                stores += branches[i][number].is_stored;
        for (size_t i = 0; i < BRANCHES; i++) {
            if (branches[i][number].is_known) {
                symbol->is_known = true;
                symbol->load = branches[i][number].load;
            }
        }
        symbol->is_stored = symbol->is_stored || stores != 0;
        if (stores != 0 && stores != BRANCHES)
            symbol->load = is_known_outside(symbols, number) ? CT_LOAD_ALIAS : CT_LOAD_FREE;
    }
}

static struct symbol *branch_begin(const struct resolver *resolver, const struct symbols *symbols)
{
    struct symbol *table = memory_take(table_size(resolver));
    memcpy(table, symbols->table, table_size(resolver));
    return table;
}

/* An `if` or `elif` with its own body; the later branches are given only for the `if`. */
static void note_branch(struct resolver *resolver, struct symbols *symbols, const struct ct_branch *branch,
                        bool is_first)
{
    note_expression(symbols, branch->condition);
    struct symbol *branches[BRANCHES];
    struct symbols inner[BRANCHES];
    for (size_t i = 0; i < BRANCHES; i++) {
        branches[i] = branch_begin(resolver, symbols);
        inner[i] = *symbols;
        inner[i].table = branches[i];
    }
    note_statements(resolver, &inner[0], branch->body);
    for (const struct ct_branch *later = branch->next; is_first && later != NULL; later = later->next) {
        if (later->condition != NULL)
            note_branch(resolver, &inner[1], later, false);
        else
            note_statements(resolver, &inner[2], later->body);
    }
    merge_branches(resolver, symbols, branches);
    for (size_t i = 0; i < BRANCHES; i++)
        free(branches[i]);
}

static void note_source(struct symbols *symbols, const struct ct_source_parts *source)
{
    note_expression(symbols, source->source);
    for (size_t i = 0; i < source->targets.count; i++)
        note_store(symbols, source->targets.items[i].number);
}

static void note_statements(struct resolver *resolver, struct symbols *symbols, const struct ct_statement *first)
{
    for (const struct ct_statement *statement = first; statement != NULL; statement = statement->next) {
        switch (statement->kind) {
        case CT_ST_TEXT:
            break;
        case CT_ST_PRINT:
            note_expression(symbols, statement->print);
            break;
        case CT_ST_IF:
            note_branch(resolver, symbols, statement->branches, true);
            break;
        case CT_ST_FOR:
            note_expression(symbols, statement->loop->items);
            break;
        case CT_ST_SET:
            note_expression(symbols, statement->set.value);
            note_store(symbols, statement->set.target.number);
            break;
        case CT_ST_CAPTURE:
            if (statement->capture->filter != NULL)
                note_expression(symbols, statement->capture->filter);
            note_store(symbols, statement->capture->target.number);
            break;
        case CT_ST_MACRO:
            note_store(symbols, statement->macro->target.number);
            break;
        case CT_ST_INCLUDE:
        case CT_ST_IMPORT:
        case CT_ST_FROM:
            note_source(symbols, statement->source);
            break;
        }
    }
}

/* ---- Binding. */

/* Where a name that some frame knows has its value. */
static struct ct_ref find_ref(const struct symbols *symbols, unsigned number)
{
    unsigned hops = 0;
    for (const struct symbols *s = symbols; s != NULL; s = s->outer) {
        const struct symbol *symbol = &s->table[number];
        if (symbol->is_known && symbol->has_slot)
            return (struct ct_ref){.hops = hops, .slot = symbol->slot};
        if (symbol->is_known)
            break;
        hops += s->is_function;
    }
    return (struct ct_ref){.free = true, .slot = number};
}

/* Gives slots to what was noted and says what they hold when the frame begins. Names that are only loaded from the
 * context need none. */
static void frame_close(struct resolver *resolver, struct symbols *symbols, struct ct_frame *frame)
{
    size_t count = 0;
    for (unsigned number = 0; number < resolver->template->names_count; number++) {
        const struct symbol *symbol = &symbols->table[number];
        count += symbol->is_known && symbol->is_stored && symbol->load != CT_LOAD_PARAMETER;
        resolver->is_free[number] = resolver->is_free[number] || (symbol->is_known && symbol->load == CT_LOAD_FREE);
    }
    frame->loads = arena_take_array(resolver->arena, count, sizeof *frame->loads);
    for (unsigned number = 0; number < resolver->template->names_count; number++) {
        struct symbol *symbol = &symbols->table[number];
        if (!symbol->is_known || !symbol->is_stored)
            continue;
        struct ct_load load = {.slot = (*symbols->slots_count)++, .is_copied = symbol->load != CT_LOAD_UNDEFINED};
        if (symbol->load == CT_LOAD_FREE)
            load.from = (struct ct_ref){.free = true, .slot = number};
        else if (symbol->load == CT_LOAD_ALIAS) {
            load.from = find_ref(symbols->outer, number);
            load.from.hops += !load.from.free && symbols->is_function;
        }
        symbol->has_slot = true;
        symbol->slot = load.slot;
        if (symbol->load != CT_LOAD_PARAMETER)
            frame->loads[frame->count++] = load;
    }
}

static struct symbols symbols_begin(const struct resolver *resolver, struct symbols *outer)
{
    struct symbols symbols = {.outer = outer, .slots_count = outer == NULL ? NULL : outer->slots_count};
    symbols.table = memory_take(table_size(resolver));
    memset(symbols.table, 0, table_size(resolver));
    return symbols;
}

static void bind_target(const struct symbols *symbols, struct ct_target *target)
{
    target->ref = find_ref(symbols, target->number);
}

static bool bind_expression(struct resolver *resolver, struct symbols *symbols, struct ct_expression *expression)
{
    static const char *const foreign[] = {"self", "super", "caller", "varargs", "kwargs"};
    if (expression->kind == CT_EX_NAME) {
        expression->ref = find_ref(symbols, expression->number);
        for (size_t i = 0; expression->ref.free && i < sizeof foreign / sizeof foreign[0]; i++)
            if (text_is(expression->name, foreign[i]))
                return ct_fail(resolver->report, resolver->template, expression->offset,
                               "the name '%s' of Jinja2 is not in this template language", foreign[i]);
    }
    for (size_t i = 0; i < expression->count; i++)
        if (!bind_expression(resolver, symbols, expression->kids[i]))
            return false;
    return true;
}

static bool bind_statements(struct resolver *resolver, struct symbols *symbols, struct ct_statement *first);

/* A frame that holds statements: notes, closes and binds it. The symbols may know parameters already. */
static bool bind_frame(struct resolver *resolver, struct symbols *symbols, struct ct_statement *body,
                       struct ct_frame *frame)
{
    note_statements(resolver, symbols, body);
    frame_close(resolver, symbols, frame);
    return bind_statements(resolver, symbols, body);
}

static bool bind_for_filter(struct resolver *resolver, struct symbols *outer, struct ct_loop_parts *loop)
{
    struct symbols symbols = symbols_begin(resolver, outer);
    for (size_t i = 0; i < loop->tested.count; i++)
        note_parameter(&symbols, loop->tested.items[i].number);
    note_expression(&symbols, loop->filter);
    frame_close(resolver, &symbols, &loop->filter_frame);
    for (size_t i = 0; i < loop->tested.count; i++)
        bind_target(&symbols, &loop->tested.items[i]);
    bool is_good = bind_expression(resolver, &symbols, loop->filter);
    free(symbols.table);
    return is_good;
}

static bool bind_for_body(struct resolver *resolver, struct symbols *outer, struct ct_loop_parts *loop)
{
    struct symbols symbols = symbols_begin(resolver, outer);
    const unsigned *number = map_find(&resolver->template->numbers, TEXT("loop"));
    if (number != NULL)
        note_parameter(&symbols, *number);
    for (size_t i = 0; i < loop->targets.count; i++)
        note_parameter(&symbols, loop->targets.items[i].number);
    bool is_good = bind_frame(resolver, &symbols, loop->body, &loop->body_frame);
    for (size_t i = 0; i < loop->targets.count; i++)
        bind_target(&symbols, &loop->targets.items[i]);
    /* A template without the word needs no loop object. */
    loop->loop = (struct ct_ref){.free = true};
    if (number != NULL)
        loop->loop = find_ref(&symbols, *number);
    free(symbols.table);
    return is_good;
}

static bool bind_for(struct resolver *resolver, struct symbols *outer, struct ct_loop_parts *loop)
{
    if (!bind_expression(resolver, outer, loop->items))
        return false;
    if (loop->filter != NULL && !bind_for_filter(resolver, outer, loop))
        return false;
    if (!bind_for_body(resolver, outer, loop))
        return false;
    struct symbols symbols = symbols_begin(resolver, outer);
    bool is_good = bind_frame(resolver, &symbols, loop->otherwise, &loop->else_frame);
    free(symbols.table);
    return is_good;
}

static bool bind_macro(struct resolver *resolver, struct symbols *outer, struct ct_macro_parts *macro)
{
    struct symbols symbols = symbols_begin(resolver, outer);
    symbols.is_function = true;
    symbols.slots_count = &macro->slots_count;
    bind_target(outer, &macro->target);
    for (size_t i = 0; i < macro->parameters.count; i++)
        note_parameter(&symbols, macro->parameters.items[i].number);
    for (size_t i = 0; i < macro->parameters.count; i++)
        if (macro->defaults[i] != NULL)
            note_expression(&symbols, macro->defaults[i]);
    bool is_good = bind_frame(resolver, &symbols, macro->body, &macro->frame);
    for (size_t i = 0; i < macro->parameters.count; i++) {
        bind_target(&symbols, &macro->parameters.items[i]);
        if (is_good && macro->defaults[i] != NULL)
            is_good = bind_expression(resolver, &symbols, macro->defaults[i]);
    }
    free(symbols.table);
    return is_good;
}

static bool bind_capture(struct resolver *resolver, struct symbols *outer, struct ct_capture_parts *capture)
{
    struct symbols symbols = symbols_begin(resolver, outer);
    bool is_good = bind_frame(resolver, &symbols, capture->body, &capture->frame);
    free(symbols.table);
    bind_target(outer, &capture->target);
    return is_good && (capture->filter == NULL || bind_expression(resolver, outer, capture->filter));
}

static void visible_add(struct resolver *resolver, struct ct_targets *visible, struct ct_target target)
{
    if (visible->count == visible->room) {
        size_t room = visible->room == 0 ? 8 : visible->room * 2;
        struct ct_target *items = arena_take_array(resolver->arena, room, sizeof *items);
        if (visible->count != 0)
            memcpy(items, visible->items, visible->count * sizeof *items);
        visible->items = items;
        visible->room = room;
    }
    visible->items[visible->count++] = target;
}

/* Notes which names another template, included here, sees: all that the frames around store, but the loop object. */
static void bind_visible(struct resolver *resolver, const struct symbols *symbols, struct ct_targets *visible)
{
    for (unsigned number = 0; number < resolver->template->names_count; number++) {
        struct text name = resolver->template->names[number];
        const struct symbols *s = symbols;
        while (s != NULL && !s->table[number].is_stored)
            s = s->outer;
        if (s != NULL && !text_is(name, "loop"))
            visible_add(resolver, visible,
                        (struct ct_target){.name = name, .number = number, .ref = find_ref(symbols, number)});
    }
}

static bool bind_source(struct resolver *resolver, struct symbols *symbols, struct ct_source_parts *source)
{
    if (source->has_context)
        bind_visible(resolver, symbols, &source->visible);
    for (size_t i = 0; i < source->targets.count; i++)
        bind_target(symbols, &source->targets.items[i]);
    return bind_expression(resolver, symbols, source->source);
}

/* What a template sets at its top may be imported by others, unless its name begins with '_'. */
static void bind_export(struct resolver *resolver, const struct symbols *symbols, const struct ct_target *target)
{
    if (symbols->outer == NULL && target->name.bytes[0] != '_')
        resolver->template->exports[target->number] = target->ref.slot + 1;
}

static bool bind_if(struct resolver *resolver, struct symbols *symbols, struct ct_branch *branch)
{
    for (; branch != NULL; branch = branch->next) {
        if (branch->condition != NULL && !bind_expression(resolver, symbols, branch->condition))
            return false;
        if (!bind_statements(resolver, symbols, branch->body))
            return false;
    }
    return true;
}

static bool bind_statement(struct resolver *resolver, struct symbols *symbols, struct ct_statement *statement)
{
    bool is_good = true;
    switch (statement->kind) {
    case CT_ST_TEXT:
        return true;
    case CT_ST_PRINT:
        return bind_expression(resolver, symbols, statement->print);
    case CT_ST_IF:
        return bind_if(resolver, symbols, statement->branches);
    case CT_ST_FOR:
        return bind_for(resolver, symbols, statement->loop);
    case CT_ST_SET:
        bind_target(symbols, &statement->set.target);
        bind_export(resolver, symbols, &statement->set.target);
        return bind_expression(resolver, symbols, statement->set.value);
    case CT_ST_CAPTURE:
        is_good = bind_capture(resolver, symbols, statement->capture);
        bind_export(resolver, symbols, &statement->capture->target);
        return is_good;
    case CT_ST_MACRO:
        is_good = bind_macro(resolver, symbols, statement->macro);
        bind_export(resolver, symbols, &statement->macro->target);
        return is_good;
    case CT_ST_INCLUDE:
    case CT_ST_IMPORT:
    case CT_ST_FROM:
        return bind_source(resolver, symbols, statement->source);
    }
    return is_good;
}

static bool bind_statements(struct resolver *resolver, struct symbols *symbols, struct ct_statement *first)
{
    for (struct ct_statement *statement = first; statement != NULL; statement = statement->next)
        if (!bind_statement(resolver, symbols, statement))
            return false;
    return true;
}

bool ct_template_resolve(struct arena *arena, struct ct_report *report, struct ct_template *template)
{
    struct resolver resolver = {.arena = arena, .report = report, .template = template};
    unsigned count = template->names_count;
    resolver.is_free = arena_take_array(arena, count + 1, sizeof *resolver.is_free);
    template->exports = arena_take_array(arena, count + 1, sizeof *template->exports);
    struct symbols symbols = symbols_begin(&resolver, NULL);
    symbols.slots_count = &template->slots_count;
    bool is_good = bind_frame(&resolver, &symbols, template->body, &template->frame);
    free(symbols.table);
    template->free = arena_take_array(arena, count + 1, sizeof *template->free);
    for (unsigned number = 0; number < count; number++)
        if (resolver.is_free[number])
            template->free[template->free_count++] = number;
    return is_good;
}

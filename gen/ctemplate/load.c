/* Templates by name: each is parsed once a rendering; include, import and what they see. */
#include "ctemplate/parse.h"
#include "ctemplate/render.h"
#include "ctemplate/resolve.h"

/* Parses a template that was not known. */
static struct ct_template *template_make(struct ct_render *render, struct text name, struct text source)
{
    struct ct_template *template = arena_take(render->arena, sizeof *template);
    template->name = name;
    template->source = ct_source_normalise(render->arena, source);
    if (!ct_template_parse(render->arena, &render->report, template) ||
        !ct_template_resolve(render->arena, &render->report, template))
        return NULL;
    map_add(&render->templates, render->arena, name, template);
    return template;
}

struct ct_template *ct_template_first(struct ct_render *render, struct text name)
{
    struct text source;
    struct ct_template nowhere = {.name = name};
    if (render->source(render->user, name, &source))
        return template_make(render, name, source);
    ct_fail(&render->report, &nowhere, 0, "there is no template \"%.*s\"", TEXT_ARGS(name));
    return NULL;
}

struct ct_activation *ct_activation_take(struct ct_render *render, struct ct_activation **spare,
                                         const struct ct_template *template, unsigned slots_count)
{
    struct ct_activation *taken = *spare;
    if (taken != NULL) {
        *spare = taken->next_spare;
        return taken;
    }
    taken = arena_take(render->arena, sizeof *taken);
    taken->template = template;
    taken->slots = arena_take_array(render->arena, slots_count, sizeof *taken->slots);
    return taken;
}

/* ---- Free names. */

static bool scope_find(const struct ct_scope *scope, struct text name, struct ct_value *value)
{
    for (; scope != NULL; scope = scope->outer) {
        for (size_t i = 0; scope->names != NULL && i < scope->names->count; i++) {
            *value = scope->values[i];
            if (value->kind != CT_MISSING && text_is_equal(scope->names->items[i].name, name))
                return true;
        }
        size_t found = scope->map == NULL ? SIZE_MAX : ct_entries_find(scope->map, name, 0);
        if (found != SIZE_MAX) {
            *value = scope->map->entries[found].value;
            return true;
        }
    }
    return false;
}

static void free_names_find(struct ct_activation *root)
{
    const struct ct_template *template = root->template;
    for (unsigned i = 0; i < template->free_count; i++) {
        struct text name = template->names[template->free[i]];
        struct ct_value *value = &root->free[template->free[i]];
        if (scope_find(root->scope, name, value))
            continue;
        *value = ct_value_undefined(name);
        if (text_is(name, "range"))
            *value = (struct ct_value){.kind = CT_RANGE};
    }
}

struct ct_activation *ct_template_run(struct ct_render *render, struct ct_template *template,
                                      const struct ct_scope *scope)
{
    struct ct_activation *root = ct_activation_take(render, &template->spare, template, template->slots_count);
    if (root->free == NULL)
        root->free = arena_take_array(render->arena, template->names_count + 1, sizeof *root->free);
    root->root = root;
    root->scope = scope;
    free_names_find(root);
    ct_frame_begin(root, &template->frame);
    return ct_run(render, root, template->body) ? root : NULL;
}

/* ---- include and import. */

static bool includes_enter(struct ct_render *render, const struct ct_activation *activation, size_t offset)
{
    if (render->includes == render->limits.includes)
        return ct_fail(&render->report, activation->template, offset,
                       "includes and imports are nested more than %u "
                       "deep",
                       render->limits.includes);
    render->includes++;
    return true;
}

/* The scope that a statement gives to the other template: the names around it, then the context. */
static struct ct_scope *scope_make(struct ct_render *render, const struct ct_activation *activation,
                                   const struct ct_source_parts *source)
{
    struct ct_scope *scope = arena_take(render->arena, sizeof *scope);
    if (!source->has_context)
        return scope;
    struct ct_value *values = arena_take_array(render->arena, source->visible.count, sizeof *values);
    for (size_t i = 0; i < source->visible.count; i++) {
        const struct ct_activation *function = activation;
        struct ct_ref ref = source->visible.items[i].ref;
        for (unsigned hop = 0; hop < ref.hops; hop++)
            function = function->outer;
        values[i] = function->slots[ref.slot];
    }
    *scope = (struct ct_scope){.names = &source->visible, .values = values, .outer = activation->root->scope};
    return scope;
}

static struct ct_chain chain_make(const struct ct_render *render, const struct ct_activation *activation,
                                  const struct ct_statement *statement)
{
    return (struct ct_chain){
        .link = statement->kind == CT_ST_INCLUDE ? CT_LINK_INCLUDE : CT_LINK_IMPORT,
        .template = activation->template,
        .offset = statement->offset,
        .outer = render->report.chain,
    };
}

/* The template of a name, parsed when it was not yet; `template` is NULL when it may miss and does. */
static bool source_find(struct ct_render *render, struct ct_activation *activation,
                        const struct ct_statement *statement, struct text name, struct ct_template **template)
{
    struct text source;
    *template = map_find(&render->templates, name);
    if (*template != NULL)
        return true;
    if (!render->source(render->user, name, &source))
        return statement->source->may_miss ||
               ct_fail(&render->report, activation->template, statement->source->source->offset,
                       "there is no template \"%.*s\"", TEXT_ARGS(name));
    struct ct_chain chain = chain_make(render, activation, statement);
    render->report.chain = &chain;
    *template = template_make(render, name, source);
    render->report.chain = chain.outer;
    return *template != NULL;
}

/* The template that a statement names. */
static bool source_load(struct ct_render *render, struct ct_activation *activation,
                        const struct ct_statement *statement, struct ct_template **template)
{
    const struct ct_expression *source = statement->source->source;
    struct ct_value name = {0};
    if (!ct_evaluate(render, activation, source, &name))
        return false;
    if (name.kind == CT_UNDEFINED)
        return ct_fail_undefined(render, activation, source->offset, &name);
    if (name.kind != CT_TEXT)
        return ct_fail(&render->report, activation->template, source->offset,
                       "the name of a template is a text, not %s", ct_value_noun(&name));
    return source_find(render, activation, statement, name.text, template);
}

/* Runs the template as seen from a statement. */
static struct ct_activation *source_run(struct ct_render *render, struct ct_activation *activation,
                                        const struct ct_statement *statement, struct ct_template *template,
                                        const struct ct_scope *scope)
{
    struct ct_chain chain = chain_make(render, activation, statement);
    if (!includes_enter(render, activation, statement->offset))
        return NULL;
    render->report.chain = &chain;
    struct ct_activation *root = ct_template_run(render, template, scope);
    render->report.chain = chain.outer;
    render->includes--;
    return root;
}

bool ct_include_run(struct ct_render *render, struct ct_activation *activation, const struct ct_statement *statement)
{
    struct ct_template *template = NULL;
    if (!source_load(render, activation, statement, &template))
        return false;
    if (template == NULL)
        return true;
    const struct ct_scope *scope = scope_make(render, activation, statement->source);
    struct ct_activation *root = source_run(render, activation, statement, template, scope);
    if (root == NULL)
        return false;
    root->next_spare = template->spare;
    template->spare = root;
    return true;
}

/* The module of a template: what it prints is dropped. Without context there is one a rendering. */
static const struct ct_activation *module_get(struct ct_render *render, struct ct_activation *activation,
                                              const struct ct_statement *statement, struct ct_template *template)
{
    bool is_shared = !statement->source->has_context;
    if (is_shared && template->module != NULL)
        return template->module;
    size_t begin = render->out->size;
    const struct ct_scope *scope = scope_make(render, activation, statement->source);
    const struct ct_activation *module = source_run(render, activation, statement, template, scope);
    if (module == NULL)
        return NULL;
    if (render->out->size > begin) {
        render->out->size = begin;
        render->out->bytes[begin] = '\0';
    }
    if (is_shared)
        template->module = module;
    return module;
}

struct ct_value ct_module_get(const struct ct_activation *module, struct text name)
{
    const struct ct_template *template = module->template;
    const unsigned *number = map_find(&template->numbers, name);
    unsigned slot = number == NULL ? 0 : template->exports[*number];
    if (slot == 0 || module->slots[slot - 1].kind == CT_MISSING)
        return ct_value_undefined(name);
    return module->slots[slot - 1];
}

bool ct_import_run(struct ct_render *render, struct ct_activation *activation, const struct ct_statement *statement)
{
    struct ct_template *template = NULL;
    if (!source_load(render, activation, statement, &template) || template == NULL)
        return false; /* an import never misses without an error */
    const struct ct_activation *module = module_get(render, activation, statement, template);
    if (module == NULL)
        return false;
    const struct ct_targets *targets = &statement->source->targets;
    if (statement->kind == CT_ST_IMPORT) {
        *ct_slot_of(activation, targets->items[0].ref) = (struct ct_value){.kind = CT_MODULE, .module = module};
        return true;
    }
    for (size_t i = 0; i < targets->count; i++)
        *ct_slot_of(activation, targets->items[i].ref) = ct_module_get(module, targets->items[i].wanted);
    return true;
}

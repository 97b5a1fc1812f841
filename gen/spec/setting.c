/* See setting.h. */
#include "spec/setting.h"

#include "spec/keys.h"
#include "spec/names.h"
#include "spec/suggest.h"

bool setting_variable_check(struct spec_reader *reader, const struct yaml_node *node, const char *example)
{
    if (name_is_variable(node->text))
        return true;
    struct diagnostic *error =
        diagnostic_add(reader->diagnostics, DIAGNOSTIC_BAD_VARIABLE, node->place,
                       "\"%s\" cannot be the name of an environment variable", value_shorten(reader, node->text));
    diagnostic_help(reader->diagnostics, error, "write capitals, digits and '_', as in %s", example);
    return false;
}

/* Takes {env: NAME, default: X}. */
static bool variable_read(struct spec_reader *reader, const struct yaml_node *node, const char *what,
                          struct spec_setting *setting)
{
    static const char *const names[] = {"env", "default"};
    const struct yaml_node *nodes[2] = {0};
    bool is_fine = setting_keys_sort(reader, node, names, 2, "here", SPEC_KEY_COUNT, nodes);
    const struct yaml_node *env = nodes[0], *standard = nodes[1];
    if (env == NULL || standard == NULL) {
        struct diagnostic *error = diagnostic_add(reader->diagnostics, DIAGNOSTIC_MISSING_KEY, node->place,
                                                  "%s has no %s", what, env == NULL ? "env" : "default");
        diagnostic_help(reader->diagnostics, error, "write %s: {env: NAME, default: VALUE}", what);
        return false;
    }
    is_fine = value_is_scalar(reader, env, "env", "env: PORT") && is_fine;
    is_fine = value_is_scalar(reader, standard, "default", "default: 8080") && is_fine;
    if (!is_fine)
        return false;
    *setting = (struct spec_setting){standard->text, env->text, standard->place};
    return setting_variable_check(reader, env, "PORT");
}

bool setting_read(struct spec_reader *reader, const struct yaml_node *node, const char *what,
                  struct spec_setting *setting)
{
    if (node->kind == YAML_MAPPING)
        return variable_read(reader, node, what, setting);
    if (!value_is_scalar(reader, node, what, ""))
        return false;
    *setting = (struct spec_setting){node->text, TEXT(""), node->place};
    return true;
}

bool setting_keys_sort(struct spec_reader *reader, const struct yaml_node *node, const char *const *names, size_t count,
                       const char *where, enum spec_key elsewhere, const struct yaml_node **nodes)
{
    struct text known = TEXT("");
    for (size_t i = 0; i < count; i++) {
        const char *before = i == 0 ? "" : i + 1 == count ? " and " : ", ";
        known = arena_format(reader->arena, "%.*s%s%s", TEXT_ARGS(known), before, names[i]);
    }
    bool is_fine = true;
    for (const struct yaml_node *child = node->first; child != NULL; child = child->next) {
        struct suggestion suggestion = {.word = child->key};
        size_t found = count;
        for (size_t i = 0; i < count; i++) {
            suggestion_offer(&suggestion, text_of(names[i]));
            if (text_is(child->key, names[i]))
                found = i;
        }
        if (found < count) {
            nodes[found] = child;
            continue;
        }
        enum spec_key other = SPEC_KEY_COUNT;
        if (elsewhere != SPEC_KEY_COUNT)
            other = key_find(text_of(spec_key_row(elsewhere)->path), child->key);
        if (other != SPEC_KEY_COUNT)
            suggestion.best = arena_format(reader->arena, "%s at the top of the spec", spec_key_row(other)->path);
        value_key_refuse(reader, child, where, suggestion.best, known.bytes);
        is_fine = false;
    }
    return is_fine;
}

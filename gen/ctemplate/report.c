/* Errors: see report.h. */
#include "ctemplate/report.h"

#include "ctemplate/ast.h"
#include "ctemplate/unicode.h"

unsigned ct_line_of(const struct ct_template *template, size_t offset)
{
    unsigned line = 1;
    for (size_t i = 0; i < offset && i < template->source.size; i++)
        line += template->source.bytes[i] == '\n';
    return line;
}

static unsigned column_of(const struct ct_template *template, size_t offset)
{
    size_t end = offset < template->source.size ? offset : template->source.size;
    size_t start = end;
    while (start > 0 && template->source.bytes[start - 1] != '\n')
        start--;
    struct text before = {template->source.bytes + start, end - start};
    return (unsigned)ct_unicode_count(before) + 1;
}

static void chain_add(struct buffer *message, const struct ct_chain *chain)
{
    static const char *const words[] = {
        [CT_LINK_MACRO] = "called", [CT_LINK_INCLUDE] = "included", [CT_LINK_IMPORT] = "imported"};
    buffer_add_char(message, '\n');
    if (chain->link == CT_LINK_MACRO)
        buffer_format(message, "in macro %.*s, ", TEXT_ARGS(chain->name));
    buffer_format(message, "%s from %.*s:%u:%u", words[chain->link], TEXT_ARGS(chain->template->name),
                  ct_line_of(chain->template, chain->offset), column_of(chain->template, chain->offset));
}

bool ct_fail(struct ct_report *report, const struct ct_template *template, size_t offset, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    struct text text = arena_vformat(report->arena, format, arguments);
    va_end(arguments);
    struct buffer message = {0};
    buffer_add(&message, text);
    for (const struct ct_chain *chain = report->chain; chain != NULL; chain = chain->outer)
        chain_add(&message, chain);
    *report->error = (struct ct_error){
        .file = template->name,
        .line = ct_line_of(template, offset),
        .column = column_of(template, offset),
        .message = arena_copy(report->arena, buffer_text(&message)),
    };
    buffer_free(&message);
    return false;
}

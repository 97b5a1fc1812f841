/* Binds each name of a parsed template to the place of its value, by Jinja2's scope rules (idtracking.py). */
#ifndef GEN_CTEMPLATE_RESOLVE_H
#define GEN_CTEMPLATE_RESOLVE_H

#include "ctemplate/ast.h"
#include "ctemplate/report.h"

/* False with the error filled: a name that means something to Jinja2 only. */
bool ct_template_resolve(struct arena *arena, struct ct_report *report, struct ct_template *template);

#endif

/* Errors of the engine: the first one counts, with the chain of includes, imports and macros that led to it. */
#ifndef GEN_CTEMPLATE_REPORT_H
#define GEN_CTEMPLATE_REPORT_H

#include "ctemplate/ctemplate.h"

struct ct_template;

/* How the template that runs now was reached. */
enum ct_link { CT_LINK_MACRO, CT_LINK_INCLUDE, CT_LINK_IMPORT };

struct ct_chain {
    enum ct_link link;
    struct text name;                   /* of the macro */
    const struct ct_template *template; /* the place of the call, include or import */
    size_t offset;
    const struct ct_chain *outer;
};

struct ct_report {
    struct arena *arena;
    struct ct_error *error;
    const struct ct_chain *chain;
};

/* Fills the error for a place in a template. Always false, so that callers can return it. */
__attribute__((format(printf, 4, 5))) bool ct_fail(struct ct_report *report, const struct ct_template *template,
                                                   size_t offset, const char *format, ...);

/* The line of an offset, from 1. */
unsigned ct_line_of(const struct ct_template *template, size_t offset);

#endif

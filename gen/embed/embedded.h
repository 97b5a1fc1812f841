/* The files that are compiled into the generator: what it renders, and what --vendor copies.
 *
 * gen/embed/embed.c writes the C file that defines these tables. Each is ordered by name and ends with a row whose name
 * is NULL.
 */
#ifndef GEN_EMBED_EMBEDDED_H
#define GEN_EMBED_EMBEDDED_H

#include <stddef.h>

struct embedded_file {
    const char *name; /* within its folder, e.g. "core/pool.c" */
    const unsigned char *bytes;
    size_t size;
};

extern const struct embedded_file embedded_templates[]; /* templates/ */
extern const struct embedded_file embedded_runtime[];   /* runtime/ */
extern const struct embedded_file embedded_llhttp[];    /* llhttp's C release */

#endif

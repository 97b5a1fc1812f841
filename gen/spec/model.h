/* The typed model of a spec: what gen/spec gives to the stages behind it.
 *
 * Everything here is checked: names are C identifiers, numbers are in range, patterns are parsed and do not conflict.
 * Every value keeps its place in the spec, so that later stages can still point at it. All memory is the arena's that
 * spec_read was given.
 */
#ifndef GEN_SPEC_MODEL_H
#define GEN_SPEC_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* A range of the spec's text. Line and column count from 1, the column in code points. Line 0: no place (a default). */
struct spec_place {
    uint32_t line;
    uint32_t column;
    uint32_t offset; /* bytes */
    uint32_t size;   /* bytes; the caret's width is counted from it */
};

enum spec_key {
#define KEY(id, path, type, standard, minimum, maximum, levels, text) KEY_##id,
#include "spec/keys.def"
#undef KEY
    SPEC_KEY_COUNT
};

/* A number of the table: count, bytes, milliseconds, boolean, level or version. Of TOKENS the value is the size of the text,
 * which is `written`. */
struct spec_number {
    uint64_t value;
    bool is_set;             /* false: the default, or (for a route) inherited */
    struct text written;     /* as written in the spec or in the table of keys, e.g. "16KiB" */
    struct spec_place place; /* of the value */
};

/* A text that the environment may replace at start. Empty twice where the spec has none. */
struct spec_setting {
    struct text text;
    struct text variable;
    struct spec_place place; /* of the text */
};

/* A certificate and its key: paths of files that the server opens at start. Either certificate and key, or pkcs12. */
struct spec_identity {
    struct spec_setting certificate;
    struct spec_setting key;
    struct spec_setting pkcs12;
    struct spec_setting ocsp;
    struct text password_env;
};

enum spec_client_auth { SPEC_CLIENT_AUTH_NONE, SPEC_CLIENT_AUTH_WANT, SPEC_CLIENT_AUTH_NEED };

struct spec_tls {
    struct spec_identity *identities; /* the listener's own, then `others` */
    size_t identity_count;
    enum spec_client_auth client_auth;
    struct spec_setting client_ca;
};

enum spec_protocols { SPEC_PROTOCOL_HTTP1 = 1, SPEC_PROTOCOL_HTTP2 = 2 };

enum spec_listener_kind { SPEC_LISTEN_IPV4, SPEC_LISTEN_IPV6, SPEC_LISTEN_UNIX };

struct spec_listener {
    enum spec_listener_kind kind;
    struct text address;     /* canonical numeric address ("0.0.0.0" when only a port was written), or the path */
    struct text address_env; /* empty, or the environment variable that replaces it at start */
    uint16_t port;
    struct text port_env;
    uint8_t protocols;          /* bits of enum spec_protocols */
    const struct spec_tls *tls; /* NULL: plain */
    struct spec_place place;
};

struct spec_source {
    struct text path; /* as written, relative to the spec */
    struct spec_place place;
};

enum spec_segment_kind {
    SPEC_SEGMENT_LITERAL, /* text, decoded */
    SPEC_SEGMENT_ONE,     /* {name} */
    SPEC_SEGMENT_REST,    /* {name...}, or nameless for a trailing slash; the last */
    SPEC_SEGMENT_END      /* {$}; the last */
};

struct spec_segment {
    enum spec_segment_kind kind;
    struct text text; /* the literal, or the wildcard's name (empty for a trailing slash) */
};

#define SPEC_METHOD_ANY (-1)

struct spec_pattern {
    int method;                    /* index into HW_METHODS of <hardwire/hardwire.h>, or SPEC_METHOD_ANY */
    struct text host;              /* lower case, may be empty */
    struct spec_segment *segments; /* "/" is one REST without a name; "/a" is one LITERAL; "/a/" is LITERAL, REST */
    size_t segment_count;
    struct text written; /* the canonical spelling: METHOD, blank, host, decoded path; two patterns that mean the same
                            are the same text but for the names of wildcards */
};

enum spec_param_type { SPEC_PARAM_TEXT, SPEC_PARAM_U32, SPEC_PARAM_U64, SPEC_PARAM_I32, SPEC_PARAM_I64 };

/* One named wildcard of a route, in the order of the pattern. */
struct spec_param {
    struct text name;
    enum spec_param_type type;
    /* For numbers: the range, the type's own when the spec has none. Unsigned types use the u members. */
    int64_t min_i, max_i;
    uint64_t min_u, max_u;
    struct spec_place place;
};

enum spec_answer_kind { SPEC_ANSWER_TEXT, SPEC_ANSWER_JSON, SPEC_ANSWER_REDIRECT, SPEC_ANSWER_HANDLER };
enum spec_body_mode { SPEC_BODY_DISCARD, SPEC_BODY_MEMORY, SPEC_BODY_STREAM };

struct spec_route {
    struct spec_pattern pattern;
    struct spec_place place; /* of the pattern */
    enum spec_answer_kind answer;
    struct text content; /* the text or JSON, byte for byte; the redirect's target; the handler's name */
    struct spec_place content_place;
    unsigned status;         /* 200 for text and json unless the spec says otherwise, 308 for redirect */
    struct text description; /* may be empty, may hold any bytes */
    struct spec_param *params;
    size_t param_count;
    enum spec_body_mode body_mode;
    bool worker;
    /* What this route or a group above it sets: SPEC_KEY_COUNT entries, is_set false where the server's number holds,
     * only those of keys of level R used; shared between routes that set the same; NULL when nothing is set. */
    const struct spec_number *numbers;
};

struct spec_model {
    struct text file; /* the spec's name as given on the command line */
    struct text base; /* its last path segment, e.g. "shop.yaml" */
    struct text name;
    struct spec_place name_place;
    struct spec_source *sources;
    size_t source_count;
    bool has_sources; /* the key is there, even if its list is empty */
    struct spec_listener *listeners;
    size_t listener_count;
    struct spec_number numbers[SPEC_KEY_COUNT]; /* only keys of number types; BOOL main among them */
    struct spec_route *routes;                  /* in the order of the spec */
    size_t route_count;
};

#endif

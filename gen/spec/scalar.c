/* See scalar.h. */
#include "spec/scalar.h"

#include <inttypes.h>

#include "spec/suggest.h"

struct unit {
    const char *name;
    uint64_t factor;
};

/* Both from small to large. */
static const struct unit size_units[] = {
    {"B", 1},           {"kB", 1000},        {"KiB", 1024},         {"MB", 1000000},        {"MiB", 1048576},
    {"GB", 1000000000}, {"GiB", 1073741824}, {"TB", 1000000000000}, {"TiB", 1099511627776},
};
static const struct unit duration_units[] = {{"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}};

/* The longest of OpenSSL's names has 29 bytes. */
#define TOKEN_SIZE_MAX 64

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* What is written for a unit by mistake, and what to write. */
struct misspelling {
    const char *written;
    const char *first;
    const char *second;
};
static const struct misspelling misspellings[] = {
    {"k", "kB", "KiB"},   {"K", "kB", "KiB"},         {"KB", "kB", "KiB"}, {"kb", "kB", "KiB"}, {"Kb", "kB", "KiB"},
    {"kib", "KiB", ""},   {"kiB", "KiB", ""},         {"Ki", "KiB", ""},   {"M", "MB", "MiB"},  {"mb", "MB", "MiB"},
    {"Mb", "MB", "MiB"},  {"mib", "MiB", ""},         {"Mi", "MiB", ""},   {"G", "GB", "GiB"},  {"gb", "GB", "GiB"},
    {"Gb", "GB", "GiB"},  {"gib", "GiB", ""},         {"Gi", "GiB", ""},   {"b", "B", ""},      {"bytes", "B", ""},
    {"byte", "B", ""},    {"sec", "s", ""},           {"secs", "s", ""},   {"second", "s", ""}, {"seconds", "s", ""},
    {"S", "s", ""},       {"min", "m", ""},           {"mins", "m", ""},   {"minute", "m", ""}, {"minutes", "m", ""},
    {"hour", "h", ""},    {"hours", "h", ""},         {"H", "h", ""},      {"hr", "h", ""},     {"msec", "ms", ""},
    {"millis", "ms", ""}, {"milliseconds", "ms", ""},
};

/* ---- Digits. */

enum digits { DIGITS_FINE, DIGITS_NONE, DIGITS_ZERO_FIRST, DIGITS_OVERFLOW };

/* Takes decimal digits from *at on; on overflow they are stepped over too. */
static enum digits digits_take(struct text text, size_t *at, uint64_t *value)
{
    size_t start = *at;
    bool overflow = false;
    for (*value = 0; *at < text.size && text.bytes[*at] >= '0' && text.bytes[*at] <= '9'; (*at)++) {
        uint64_t digit = (uint64_t)(text.bytes[*at] - '0');
        overflow = overflow || *value > (UINT64_MAX - digit) / 10;
        *value = overflow ? UINT64_MAX : *value * 10 + digit;
    }
    if (*at == start)
        return DIGITS_NONE;
    if (*at - start > 1 && text.bytes[start] == '0')
        return DIGITS_ZERO_FIRST;
    return overflow ? DIGITS_OVERFLOW : DIGITS_FINE;
}

bool scalar_digits_read(struct text text, uint64_t maximum, uint64_t *value)
{
    size_t at = 0;
    return digits_take(text, &at, value) == DIGITS_FINE && at == text.size && *value <= maximum;
}

/* ---- Writing. */

/* As text and with one unit, the largest that leaves no rest. */
static struct text unit_format(struct arena *arena, const struct unit *units, size_t count, uint64_t value)
{
    const struct unit *best = &units[0];
    for (size_t i = 1; value != 0 && i < count; i++)
        if (value % units[i].factor == 0)
            best = &units[i];
    return arena_format(arena, "%" PRIu64 "%s", value / best->factor, best->name);
}

struct text scalar_format(struct arena *arena, enum spec_type type, uint64_t value)
{
    if (type == SPEC_SIZE)
        return unit_format(arena, size_units, COUNT_OF(size_units), value);
    if (type == SPEC_DURATION)
        return unit_format(arena, duration_units, COUNT_OF(duration_units), value);
    return arena_format(arena, "%" PRIu64, value);
}

/* "threads.io is a count from 1 to 256". */
static struct text range_format(struct arena *arena, const struct spec_key_row *row)
{
    struct text low = scalar_format(arena, row->type, row->minimum);
    struct text high = scalar_format(arena, row->type, row->maximum);
    const char *kind = row->type == SPEC_SIZE ? "size" : row->type == SPEC_DURATION ? "duration" : "count";
    return arena_format(arena, "%s is a %s from %.*s to %.*s%s", row->path, kind, TEXT_ARGS(low), TEXT_ARGS(high),
                        row->type == SPEC_COUNT_OR_OFF ? ", or off" : "");
}

/* ---- Refusals. */

/* As much of a value as a message shows. */
static struct text shorten(struct arena *arena, struct text text)
{
    return text.size <= 40 ? text : arena_format(arena, "%.*s...", 37, text.bytes);
}

static bool refuse_range(struct arena *arena, const struct spec_key_row *row, struct text text,
                         struct scalar_fault *fault)
{
    struct text shown = shorten(arena, text), range = range_format(arena, row);
    fault->code = DIAGNOSTIC_OUT_OF_RANGE;
    fault->message = arena_format(arena, "%.*s is out of range", TEXT_ARGS(shown));
    fault->help = range;
    return false;
}

/* A text without what people put between digits: blanks, underscores. */
static struct text squeeze(struct arena *arena, struct text text)
{
    char *bytes = arena_take(arena, text.size + 1);
    size_t size = 0;
    for (size_t i = 0; i < text.size; i++)
        if (text.bytes[i] != ' ' && text.bytes[i] != '_' && text.bytes[i] != ',' && text.bytes[i] != '\'')
            bytes[size++] = text.bytes[i];
    return (struct text){bytes, size};
}

static bool refuse_number(struct arena *arena, const struct spec_key_row *row, struct text text,
                          struct scalar_fault *fault)
{
    struct text shown = shorten(arena, text), squeezed = squeeze(arena, text);
    uint64_t value;
    struct scalar_fault ignored;
    fault->code = DIAGNOSTIC_BAD_NUMBER;
    fault->message = arena_format(arena, "\"%.*s\" is not a whole number%s", TEXT_ARGS(shown),
                                  row->type == SPEC_SIZE || row->type == SPEC_DURATION ? " with a unit" : "");
    fault->help = range_format(arena, row);
    if (squeezed.size != text.size && squeezed.size != 0 && scalar_read(arena, row, squeezed, &value, &ignored))
        fault->help = arena_format(arena, "write %.*s", TEXT_ARGS(squeezed));
    else if (text_is(text, "off") || text_is(text, "unlimited") || text_is(text, "infinity"))
        fault->help = arena_format(arena, "%s cannot be switched off; %.*s", row->path, TEXT_ARGS(fault->help));
    return false;
}

static bool refuse_zero(struct arena *arena, struct text text, size_t start, struct scalar_fault *fault)
{
    struct text shown = shorten(arena, text);
    while (start + 1 < text.size && text.bytes[start] == '0' && text.bytes[start + 1] >= '0' &&
           text.bytes[start + 1] <= '9')
        start++;
    struct text rest = shorten(arena, (struct text){text.bytes + start, text.size - start});
    fault->code = DIAGNOSTIC_BAD_NUMBER;
    fault->message = arena_format(arena, "\"%.*s\" has a leading zero", TEXT_ARGS(shown));
    fault->help = arena_format(arena, "numbers are decimal: write %.*s", TEXT_ARGS(rest));
    return false;
}

/* The two likely readings of a number without a unit: those in range first. */
static bool refuse_bare(struct arena *arena, const struct spec_key_row *row, struct text text, uint64_t value,
                        struct scalar_fault *fault)
{
    static const struct unit sizes[] = {{"KiB", 1024}, {"B", 1}, {"MiB", 1048576}};
    static const struct unit durations[] = {{"s", 1000}, {"ms", 1}, {"m", 60000}};
    const struct unit *units = row->type == SPEC_SIZE ? sizes : durations;
    const struct unit *likely[2] = {&units[0], &units[1]};
    for (size_t i = 0, found = 0; i < 3 && found < 2; i++)
        if (value <= row->maximum / units[i].factor && value * units[i].factor >= row->minimum)
            likely[found++] = &units[i];
    if (likely[0] == likely[1])
        likely[1] = &units[0];
    fault->code = DIAGNOSTIC_UNIT_MISSING;
    fault->message = arena_format(arena, "%.*s has no unit", TEXT_ARGS(text));
    fault->help = arena_format(arena, "write %.*s%s or %.*s%s", TEXT_ARGS(text), likely[0]->name, TEXT_ARGS(text),
                               likely[1]->name);
    return false;
}

static bool refuse_unit(struct arena *arena, const struct spec_key_row *row, struct text text, struct text unit,
                        struct scalar_fault *fault)
{
    struct text number = {text.bytes, (size_t)(unit.bytes - text.bytes)}, shown = shorten(arena, unit);
    bool is_size = row->type == SPEC_SIZE;
    fault->code = DIAGNOSTIC_BAD_UNIT;
    fault->message = arena_format(arena, "\"%.*s\" is not a unit of %s", TEXT_ARGS(shown), is_size ? "size" : "time");
    fault->help = is_size ? TEXT("units are B, kB, MB, GB, TB (powers of 1000) and KiB, MiB, GiB, TiB (powers of 1024)")
                          : TEXT("units are ms, s, m and h, as in 500ms or 1m30s");
    for (size_t i = 0; i < COUNT_OF(misspellings); i++) {
        const struct misspelling *row_of = &misspellings[i];
        if (!text_is(unit, row_of->written) || (strchr(row_of->first, 'B') != NULL) != is_size)
            continue;
        fault->help = arena_format(arena, "write %.*s%s%s%.*s%s", TEXT_ARGS(number), row_of->first,
                                   *row_of->second == '\0' ? "" : " or ",
                                   *row_of->second == '\0' ? 0 : (int)number.size, number.bytes, row_of->second);
    }
    if (!is_size && text_is(unit, "d"))
        fault->help = arena_format(arena, "write days in hours, as in 24h");
    return false;
}

/* ---- Reading. */

static const struct unit *unit_find(const struct unit *units, size_t count, struct text name)
{
    for (size_t i = 0; i < count; i++)
        if (text_is(name, units[i].name))
            return &units[i];
    return NULL;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Takes one number with its unit from *at on and adds it to *value. Returns the unit, or NULL with the fault filled. */
static const struct unit *part_take(struct arena *arena, const struct spec_key_row *row, struct text text, size_t *at,
                                    uint64_t *value, struct scalar_fault *fault)
{
    bool is_size = row->type == SPEC_SIZE;
    size_t start = *at;
    uint64_t number;
    enum digits digits = digits_take(text, at, &number);
    size_t unit_start = *at;
    while (*at < text.size && is_letter(text.bytes[*at]))
        (*at)++;
    struct text name = {text.bytes + unit_start, *at - unit_start};
    const struct unit *unit = is_size ? unit_find(size_units, COUNT_OF(size_units), name)
                                      : unit_find(duration_units, COUNT_OF(duration_units), name);
    if (digits == DIGITS_NONE || (name.size == 0 && *at < text.size))
        refuse_number(arena, row, text, fault);
    else if (digits == DIGITS_ZERO_FIRST)
        refuse_zero(arena, text, start, fault);
    else if (name.size == 0)
        refuse_bare(arena, row, text, number, fault);
    else if (unit == NULL)
        refuse_unit(arena, row, text, name, fault);
    else if (digits == DIGITS_OVERFLOW || number > (UINT64_MAX - *value) / unit->factor)
        refuse_range(arena, row, text, fault);
    else {
        *value += number * unit->factor;
        return unit;
    }
    return NULL;
}

static bool measure_read(struct arena *arena, const struct spec_key_row *row, struct text text, uint64_t *value,
                         struct scalar_fault *fault)
{
    size_t at = 0;
    *value = 0;
    const struct unit *unit = part_take(arena, row, text, &at, value, fault);
    while (unit != NULL && at < text.size && row->type == SPEC_DURATION) {
        const struct unit *larger = unit;
        unit = part_take(arena, row, text, &at, value, fault);
        if (unit != NULL && unit->factor >= larger->factor) {
            fault->code = DIAGNOSTIC_BAD_UNIT;
            fault->message = arena_format(arena, "\"%s\" stands behind \"%s\"", unit->name, larger->name);
            fault->help = TEXT("the units of a duration fall, as in 1h30m or 1m30s");
            return false;
        }
    }
    if (unit == NULL)
        return false;
    if (at < text.size)
        return refuse_number(arena, row, text, fault);
    return (*value >= row->minimum && *value <= row->maximum) || refuse_range(arena, row, text, fault);
}

static bool count_read(struct arena *arena, const struct spec_key_row *row, struct text text, uint64_t *value,
                       struct scalar_fault *fault)
{
    if (row->type == SPEC_COUNT_OR_OFF && text_is(text, "off")) {
        *value = 0;
        return true;
    }
    size_t at = 0;
    enum digits digits = digits_take(text, &at, value);
    if (at < text.size || digits == DIGITS_NONE)
        return refuse_number(arena, row, text, fault);
    if (digits == DIGITS_ZERO_FIRST)
        return refuse_zero(arena, text, 0, fault);
    if (digits == DIGITS_FINE && *value >= row->minimum && *value <= row->maximum)
        return true;
    refuse_range(arena, row, text, fault);
    if (row->type == SPEC_COUNT_OR_OFF && *value == 0)
        fault->help = TEXT("zero never means unlimited: write off");
    return false;
}

static bool bool_read(struct arena *arena, const struct spec_key_row *row, struct text text, uint64_t *value,
                      struct scalar_fault *fault)
{
    *value = text_is(text, "true");
    if (*value == 1 || text_is(text, "false"))
        return true;
    static const char *const yes[] = {"yes", "on", "True", "TRUE", "1", "y"};
    static const char *const no[] = {"no", "off", "False", "FALSE", "0", "n"};
    struct text shown = shorten(arena, text);
    fault->code = DIAGNOSTIC_BAD_CHOICE;
    fault->message = arena_format(arena, "\"%.*s\" is neither true nor false", TEXT_ARGS(shown));
    fault->help = arena_format(arena, "%s is true or false", row->path);
    for (size_t i = 0; i < COUNT_OF(yes); i++)
        if (text_is(text, yes[i]) || text_is(text, no[i]))
            fault->help = arena_format(arena, "write %s", text_is(text, yes[i]) ? "true" : "false");
    return false;
}

static bool level_read(struct arena *arena, const struct spec_key_row *row, struct text text, uint64_t *value,
                       struct scalar_fault *fault)
{
    static const char *const levels[] = {"error", "warning", "info", "debug"};
    struct suggestion suggestion = {.word = text};
    for (*value = 0; *value < COUNT_OF(levels); (*value)++) {
        if (text_is(text, levels[*value]))
            return true;
        suggestion_offer(&suggestion, text_of(levels[*value]));
    }
    struct text shown = shorten(arena, text);
    fault->code = DIAGNOSTIC_BAD_CHOICE;
    fault->message = arena_format(arena, "\"%.*s\" is not a level", TEXT_ARGS(shown));
    fault->help = suggestion.best.size != 0 ? arena_format(arena, "did you mean %.*s?", TEXT_ARGS(suggestion.best))
                                            : arena_format(arena, "%s is error, warning, info or debug", row->path);
    return false;
}

/* The versions as the protocol numbers them (RFC 8446 section 4.2.1). */
static bool tls_version_read(struct arena *arena, const struct spec_key_row *row, struct text text, uint64_t *value,
                             struct scalar_fault *fault)
{
    *value = text_is(text, "1.3") ? 0x0304 : 0x0303;
    if (text_is(text, "1.2") || text_is(text, "1.3"))
        return true;
    struct text shown = shorten(arena, text);
    fault->code = DIAGNOSTIC_BAD_CHOICE;
    fault->message = arena_format(arena, "\"%.*s\" is not a version of TLS that the server can have", TEXT_ARGS(shown));
    fault->help = arena_format(arena, "%s is 1.2 or 1.3", row->path);
    return false;
}

static bool is_token_character(char c)
{
    return is_letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

/* Names of letters, digits, '-' and '_' with one ':' between them: OpenSSL's other signs change lists that the spec does not
 * show. */
static bool tokens_read(struct arena *arena, const struct spec_key_row *row, struct text text, uint64_t *value,
                        struct scalar_fault *fault)
{
    const char *problem = NULL;
    size_t size = 0; /* of the name at hand */
    for (size_t i = 0; i <= text.size && problem == NULL; i++) {
        bool is_end = i == text.size || text.bytes[i] == ':';
        if (is_end && size == 0)
            problem = "has an empty name";
        else if (!is_end && !is_token_character(text.bytes[i]))
            problem = "holds a character that no name has";
        size = is_end ? 0 : size + 1;
        if (size > TOKEN_SIZE_MAX)
            problem = "has a name that is too long";
    }
    *value = text.size;
    if (problem == NULL && text.size > row->maximum)
        problem = "is too long";
    if (problem == NULL)
        return true;
    struct text shown = shorten(arena, text);
    fault->code = DIAGNOSTIC_BAD_TOKENS;
    fault->message = arena_format(arena, "\"%.*s\" %s", TEXT_ARGS(shown), problem);
    const char *second = strchr(row->standard, ':') + 1; /* each of these keys has several names by default */
    size_t example_size = (size_t)(second - row->standard) + strcspn(second, ":");
    fault->help = arena_format(arena, "%s is names of OpenSSL with ':' between them, as in %.*s", row->path,
                               (int)example_size, row->standard);
    return false;
}

bool scalar_read(struct arena *arena, const struct spec_key_row *row, struct text text, uint64_t *value,
                 struct scalar_fault *fault)
{
    switch (row->type) {
    case SPEC_SIZE:
    case SPEC_DURATION:
        return measure_read(arena, row, text, value, fault);
    case SPEC_BOOL:
        return bool_read(arena, row, text, value, fault);
    case SPEC_LEVEL:
        return level_read(arena, row, text, value, fault);
    case SPEC_TLS_VERSION:
        return tls_version_read(arena, row, text, value, fault);
    case SPEC_TOKENS:
        return tokens_read(arena, row, text, value, fault);
    default:
        return count_read(arena, row, text, value, fault);
    }
}

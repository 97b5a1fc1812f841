/* See json.h. No recursion: what is open stands in an array. */
#include "spec/json.h"

#include "spec/utf8.h"

struct scanner {
    struct text text;
    size_t at;
    unsigned char open[JSON_DEPTH_MAX]; /* '{' or '[' */
    size_t depth;
};

static int peek(const struct scanner *scanner)
{
    return scanner->at < scanner->text.size ? (unsigned char)scanner->text.bytes[scanner->at] : -1;
}

static void blanks_skip(struct scanner *scanner)
{
    int c;
    while ((c = peek(scanner)) == ' ' || c == '\t' || c == '\n' || c == '\r')
        scanner->at++;
}

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static bool is_hex(int c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static const char *escape_scan(struct scanner *scanner)
{
    scanner->at++;
    int c = peek(scanner);
    if (c != 'u') {
        if (c < 0 || strchr("\"\\/bfnrt", c) == NULL || c == 0)
            return "there is no such escape";
        scanner->at++;
        return NULL;
    }
    scanner->at++;
    for (int i = 0; i < 4; i++, scanner->at++)
        if (!is_hex(peek(scanner)))
            return "four hexadecimal digits are due";
    return NULL;
}

static const char *string_scan(struct scanner *scanner)
{
    if (peek(scanner) != '"')
        return "a name in double quotes is due";
    for (scanner->at++;;) {
        int c = peek(scanner);
        if (c < 0)
            return "a closing double quote is due";
        if (c < 0x20)
            return "a control character stands in a string";
        const char *problem = c == '\\' ? escape_scan(scanner) : NULL;
        if (problem != NULL)
            return problem;
        if (c == '\\')
            continue;
        scanner->at++;
        if (c == '"')
            return NULL;
    }
}

static const char *digits_scan(struct scanner *scanner)
{
    if (!is_digit(peek(scanner)))
        return "a digit is due";
    while (is_digit(peek(scanner)))
        scanner->at++;
    return NULL;
}

static const char *number_scan(struct scanner *scanner)
{
    const char *problem = NULL;
    if (peek(scanner) == '-')
        scanner->at++;
    if (peek(scanner) == '0') {
        scanner->at++;
        if (is_digit(peek(scanner)))
            return "a number has a leading zero";
    } else {
        problem = digits_scan(scanner);
    }
    if (problem == NULL && peek(scanner) == '.') {
        scanner->at++;
        problem = digits_scan(scanner);
    }
    if (problem == NULL && (peek(scanner) == 'e' || peek(scanner) == 'E')) {
        scanner->at++;
        if (peek(scanner) == '+' || peek(scanner) == '-')
            scanner->at++;
        problem = digits_scan(scanner);
    }
    return problem;
}

static const char *word_scan(struct scanner *scanner)
{
    static const char *const words[] = {"true", "false", "null"};
    for (size_t i = 0; i < 3; i++) {
        size_t size = strlen(words[i]);
        if (scanner->text.size - scanner->at >= size &&
            memcmp(scanner->text.bytes + scanner->at, words[i], size) == 0) {
            scanner->at += size;
            return NULL;
        }
    }
    return "a value is due";
}

/* A name and its colon. */
static const char *name_scan(struct scanner *scanner)
{
    blanks_skip(scanner);
    const char *problem = string_scan(scanner);
    if (problem != NULL)
        return problem;
    blanks_skip(scanner);
    if (peek(scanner) != ':')
        return "a colon is due";
    scanner->at++;
    return NULL;
}

/* The beginning of a value; `*is_whole`: it is not a collection that stays open. */
static const char *value_scan(struct scanner *scanner, bool *is_whole)
{
    blanks_skip(scanner);
    int c = peek(scanner);
    *is_whole = true;
    if (c == '"')
        return string_scan(scanner);
    if (c == '-' || is_digit(c))
        return number_scan(scanner);
    if (c != '{' && c != '[')
        return word_scan(scanner);
    if (scanner->depth == JSON_DEPTH_MAX)
        return "nested too deeply";
    scanner->at++;
    blanks_skip(scanner);
    if (peek(scanner) == (c == '{' ? '}' : ']')) {
        scanner->at++;
        return NULL;
    }
    scanner->open[scanner->depth++] = (unsigned char)c;
    *is_whole = false;
    return c == '{' ? name_scan(scanner) : NULL;
}

/* What stands behind a whole value: commas and closing brackets; `*is_over` when the outermost is closed. */
static const char *behind_scan(struct scanner *scanner, bool *is_over)
{
    while (scanner->depth > 0) {
        blanks_skip(scanner);
        bool is_object = scanner->open[scanner->depth - 1] == '{';
        int c = peek(scanner);
        if (c == ',') {
            scanner->at++;
            return is_object ? name_scan(scanner) : NULL;
        }
        if (c != (is_object ? '}' : ']'))
            return is_object ? "a comma or } is due" : "a comma or ] is due";
        scanner->at++;
        scanner->depth--;
    }
    *is_over = true;
    return NULL;
}

const char *json_problem(struct text text, size_t *offset)
{
    struct scanner scanner = {.text = text};
    const char *problem = utf8_is_valid(text) ? NULL : "this is not UTF-8";
    for (bool is_over = false, is_whole; problem == NULL && !is_over;) {
        problem = value_scan(&scanner, &is_whole);
        if (problem == NULL && is_whole)
            problem = behind_scan(&scanner, &is_over);
    }
    if (problem == NULL) {
        blanks_skip(&scanner);
        problem = scanner.at < text.size ? "nothing more may stand behind the value" : NULL;
    }
    *offset = scanner.at;
    return problem;
}

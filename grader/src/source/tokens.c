/* Tokens of a preprocessed text, and definitions among them; see tokens.h. */
#include "tokens.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- tokens ------------------------------------------------------------------------------------------------------ */

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '\\' || (c & 0x80); }

static size_t literal_length(const char *at, const char *end)
{
    size_t i = 1;
    while (at + i < end && at[i] != *at && at[i] != '\n') i += at[i] == '\\' && at + i + 1 < end ? 2 : 1;
    return i + (at + i < end && at[i] == *at);
}

static size_t token_length(const char *at, const char *end)
{
    static const char *const longer[] = {
        "<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||",
        "*=",  "/=",  "%=",  "+=", "-=", "&=", "^=", "|=", "##", "<:", ":>", "<%", "%>"};
    size_t i = 0;
    if (*at == '"' || *at == '\'') return literal_length(at, end);
    while (at + i < end && is_word(at[i])) i++;
    if (i) return i;
    for (size_t k = 0; k < sizeof longer / sizeof *longer; k++) {
        if (*longer[k] != *at) continue;
        const size_t length = strlen(longer[k]);
        if ((size_t)(end - at) >= length && memcmp(at, longer[k], length) == 0) return length;
    }
    return 1;
}

bool token_is(const source_token *one, const char *text)
{
    /* The first character tells nearly all tokens apart, without a call. */
    return *one->text == *text && (size_t)one->length == strlen(text) &&
           memcmp(one->text, text, (size_t)one->length) == 0;
}

bool token_is_literal(const source_token *one) { return *one->text == '"'; }
bool token_is_number(const source_token *one) { return isdigit((unsigned char)*one->text); }
bool token_is_name(const source_token *one) { return is_word(*one->text) && !token_is_number(one); }

/* Spells digraphs as what they stand for. */
static source_token spelled(const char *text, size_t length, int line)
{
    static const char *const digraphs[][2] = {{"<%", "{"}, {"%>", "}"}, {"<:", "["}, {":>", "]"}};
    source_token read = {.text = text, .length = (int)length, .line = line, .from = text, .bytes = (int)length};
    for (size_t i = 0; i < sizeof digraphs / sizeof *digraphs; i++) {
        if (!token_is(&read, digraphs[i][0])) continue;
        read.text = digraphs[i][1];
        read.length = 1;
        return read;
    }
    return read;
}

/* Where the reader is: the line, and whether it is one of the file that was asked for. */
typedef struct place {
    const char *file;
    int line;
    bool inside;
} place;

/* Takes a line that begins with '#': "# 12 "lab03.c" 2" says where the next one comes from; others are pragmas. */
static void take_marker(place *now, const char *at, const char *end)
{
    const size_t name = strlen(now->file);
    long line = 0;
    for (at++; at < end && *at == ' ';) at++;
    if (at == end || !isdigit((unsigned char)*at)) return;
    for (; at < end && isdigit((unsigned char)*at); at++)
        if (line < INT_MAX / 10) line = 10 * line + (*at - '0');
    while (at < end && *at == ' ') at++;
    now->line = (int)line - 1; /* the marker's own line ends before the next one */
    now->inside =
        (size_t)(end - at) >= name + 2 && at[0] == '"' && memcmp(at + 1, now->file, name) == 0 && at[name + 1] == '"';
}

bool tokens_read(source_tokens *out, preprocessed_text of, const char *file)
{
    const char *end = of.text + of.length;
    place now = {.file = file};
    *out = (source_tokens){.token = malloc((of.length + 1) * sizeof *out->token)};
    if (!out->token) return false;
    for (const char *at = of.text; at < end;) {
        const bool line_start = at == of.text || at[-1] == '\n';
        if (line_start && *at == '#') {
            const char *line_end = memchr(at, '\n', (size_t)(end - at));
            if (!line_end) break;
            take_marker(&now, at, line_end);
            at = line_end;
        } else if (isspace((unsigned char)*at) || *at == '\0') {
            if (*at == '\n' && now.line < INT_MAX) now.line++;
            at++;
        } else {
            const size_t length = token_length(at, end);
            out->token[out->count++] = spelled(at, length, now.inside ? now.line : 0);
            at += length;
        }
    }
    return true;
}

void tokens_free(source_tokens *some)
{
    free(some->token);
    *some = (source_tokens){0};
}

/* ---- definitions ------------------------------------------------------------------------------------------------- */

static int depth_of(const source_token *at)
{
    return at->length == 1 ? (strchr("([{", *at->text) != NULL) - (strchr(")]}", *at->text) != NULL) : 0;
}

/* The first token at or after `at` that closes what is open before it; `end` without one. */
static const source_token *end_of_brackets(const source_token *at, const source_token *end)
{
    int open = 0;
    for (; at < end; at++) {
        open += depth_of(at);
        if (open <= 0) return at;
    }
    return end;
}

/* The last token of an attribute or another word with brackets that declares nothing; `at` itself for other tokens. */
static const source_token *end_of_attribute(const source_token *at, const source_token *end)
{
    static const char *const words[] = {"__attribute__", "__attribute", "__asm__", "__asm",    "asm",
                                        "__typeof__",    "__typeof",    "typeof",  "_Alignas", "_Atomic"};
    if (at + 1 >= end) return at;
    if (token_is(at, "[") && token_is(at + 1, "[")) { /* [[gnu::noinline]] */
        const source_token *closed = end_of_brackets(at, end);
        return closed < end ? closed : end - 1;
    }
    if (!token_is(at + 1, "(")) return at;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!token_is(at, words[i])) continue;
        const source_token *closed = end_of_brackets(at + 1, end);
        return closed < end ? closed : end - 1;
    }
    return at;
}

/* Whether the bracket here holds a declarator, as in "(*f)(int)" or "(f)(int)", rather than parameters. */
static bool holds_declarator(const source_token *at, const source_token *end)
{
    if (end - at < 2) return false;
    if (token_is(at + 1, "*") || token_is(at + 1, "(")) return true;
    return end - at >= 4 && token_is_name(at + 1) && token_is(at + 2, ")") && token_is(at + 3, "(");
}

const source_token *tokens_declared_name(const source_token *begin, const source_token *end)
{
    const source_token *name = NULL;
    for (const source_token *at = begin; at < end; at++) {
        const source_token *skipped = end_of_attribute(at, end);
        if (skipped > at)
            at = skipped;
        else if (token_is_name(at))
            name = at;
        else if (token_is(at, "[") || token_is(at, ")") || (token_is(at, "(") && !holds_declarator(at, end)))
            break;
    }
    return name;
}

bool tokens_declare_function(const source_token *begin, const source_token *end)
{
    for (const source_token *at = begin; at < end; at++) {
        const source_token *skipped = end_of_attribute(at, end);
        if (skipped == at && token_is(at, "(")) return true;
        at = skipped;
    }
    return false;
}

/* The ',' or ';' that ends the value which begins here. */
static const source_token *end_of_value(const source_token *at, const source_token *end)
{
    for (int open = 0; at < end; at++) {
        open += depth_of(at);
        if (open <= 0 && (token_is(at, ",") || token_is(at, ";"))) return at;
    }
    return end;
}

/* Enters the definition whose '=' or brace is at `open`, if it is one. */
static bool take_definition(source_definition *out, const source_token *begin, const source_token *open,
                            const source_token *end)
{
    const bool is_function = token_is(open, "{");
    const source_token *name = tokens_declared_name(begin, open), *first = is_function ? open : open + 1;
    if (!name || first == end || (is_function && !tokens_declare_function(begin, open))) return false;
    const source_token *last = is_function ? end_of_brackets(open, end) : end_of_value(first, end);
    *out = (source_definition){
        .begin = begin, .name = name, .open = first, .last = last < end ? last : end - 1, .is_function = is_function};
    return true;
}

bool tokens_next_definition(source_definition *out, const source_tokens *of, size_t *at)
{
    const source_token *end = of->token + of->count, *begin = of->token + *at;
    int open = 0;
    for (const source_token *now = begin; now < end; now++) {
        const bool defines = open == 0 && (token_is(now, "{") || token_is(now, "="));
        if (defines && take_definition(out, begin, now, end)) {
            *at = (size_t)(out->last - of->token) + 1;
            return true;
        }
        open += depth_of(now);
        if (open < 0) open = 0;
        if (open == 0 && now->length == 1 && strchr(";},=", *now->text)) begin = now + 1;
    }
    *at = of->count;
    return false;
}

/* Reading C as text; see c_text.h. */
#include "c_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static size_t literal_length(const char *at)
{
    size_t i = 1;
    while (at[i] && at[i] != at[0] && at[i] != '\n') i += at[i] == '\\' && at[i + 1] ? 2 : 1;
    return i + (at[i] == at[0]);
}

size_t c_text_skip(const char *at, bool line_start)
{
    if (at[0] == '/' && at[1] == '/') return strcspn(at, "\n");
    if (at[0] == '/' && at[1] == '*') {
        const char *end = strstr(at + 2, "*/");
        return end ? (size_t)(end + 2 - at) : strlen(at);
    }
    if (at[0] == '"' || at[0] == '\'') return literal_length(at);
    if (at[0] != '#' || !line_start) return 0;
    size_t i = strcspn(at, "\n");
    while (at[i] && at[i - 1] == '\\') i += 1 + strcspn(at + i + 1, "\n");
    return i;
}

bool c_text_is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* ---- Lines that changed: two texts are cut into lines that layout does not change, and compared ---- */

typedef struct line {
    const char *text; /* without comments, and without blanks but those between two words */
    size_t length;
    const char *function; /* the line that is the head of the function; NULL outside */
} line;

typedef struct lines {
    char *text;
    line *line;
    size_t count;
} lines;

/* The state of reading one text. */
typedef struct reader {
    lines *out;
    char *end;            /* behind what was written */
    const char *begin;    /* of the line that is being written */
    const char *function; /* the one that is open */
    size_t equals;        /* the length of the line up to a '=' outside of brackets; 0 without one */
    int brackets, blocks; /* open ones */
} reader;

static bool is_word(const reader *now, const char *word)
{
    return (size_t)(now->end - now->begin) == strlen(word) && memcmp(now->begin, word, strlen(word)) == 0;
}

/* Ends the line, if there is one. */
static void cut(reader *now)
{
    const size_t whole = (size_t)(now->end - now->begin);
    const size_t length = now->equals && !now->blocks ? now->equals : whole;
    if (whole) now->out->line[now->out->count++] = (line){now->begin, length, now->function};
    if (whole) *now->end++ = '\0';
    now->begin = now->end;
    now->equals = 0;
    now->brackets = 0;
}

static bool begins_with(const reader *now, const char *words)
{
    return (size_t)(now->end - now->begin) >= strlen(words) && memcmp(now->begin, words, strlen(words)) == 0;
}

/* Whether the line is the head of a statement that follows. */
static bool is_head(const reader *now)
{
    return begins_with(now, "for(") || begins_with(now, "if(") || begins_with(now, "while(") ||
           begins_with(now, "switch(");
}

static void open_brace(reader *now)
{
    if (!now->blocks++ && memchr(now->begin, '(', (size_t)(now->end - now->begin))) now->function = now->begin;
    cut(now);
}

static void close_brace(reader *now)
{
    cut(now);
    if (now->blocks > 0 && --now->blocks == 0) now->function = NULL;
}

static void add(reader *now, char c, bool gap)
{
    const bool opens = strchr("([{", c) != NULL, closes = strchr(")]}", c) != NULL;
    if (is_word(now, "else") || is_word(now, "do")) {
        if (gap || !c_text_is_word(c)) cut(now);
    }
    const bool nested = now->brackets > 0 || now->equals;
    if (c == ';' && !now->brackets) return cut(now);
    if (c == '{' && !nested) return open_brace(now);
    if (c == '}' && !now->brackets) return close_brace(now);
    if (gap && now->end > now->begin && c_text_is_word(now->end[-1]) && c_text_is_word(c)) *now->end++ = ' ';
    if (c == '=' && !now->brackets && !now->equals) now->equals = (size_t)(now->end - now->begin);
    *now->end++ = c;
    now->brackets += opens - closes;
    if (c == ')' && now->brackets == 0 && is_head(now)) cut(now);
}

/* Adds a literal, which is a line of its own behind another one. */
static void add_literal(reader *now, const char *at, size_t length)
{
    const int brackets = now->brackets;
    const bool follows = now->end > now->begin && now->end[-1] == '"' && *at == '"';
    if (follows && (now->blocks || !now->equals)) cut(now);
    now->brackets = brackets;
    memcpy(now->end, at, length);
    now->end += length;
}

static bool read_lines(lines *out, const char *text)
{
    const size_t bytes = strlen(text);
    /* Each character gives at most itself, a blank before it and the end of a line. */
    *out = (lines){.text = malloc(3 * bytes + 1), .line = malloc((bytes + 1) * sizeof *out->line)};
    if (!out->text || !out->line) return false;
    reader now = {.out = out, .end = out->text, .begin = out->text};
    bool line_start = true, gap = false;
    for (const char *at = text; *at;) {
        const size_t skip = c_text_skip(at, line_start);
        const bool blank = skip ? *at == '/' : isspace((unsigned char)*at);
        if (skip && *at == '#') {
            cut(&now);
            add_literal(&now, at, skip);
            cut(&now);
        } else if (skip && !blank) {
            add_literal(&now, at, skip);
        } else if (!blank) {
            add(&now, *at, gap);
        }
        if (!skip) line_start = *at == '\n' || (line_start && blank);
        gap = blank;
        at += skip ? skip : 1;
    }
    cut(&now);
    return true;
}

static void free_lines(lines *some)
{
    free(some->text);
    free(some->line);
}

/* Whether the head defines the function: "int f(void)". */
static bool defines(const char *head, const char *function, size_t length)
{
    const char *end = head ? strchr(head, '(') : NULL;
    return end && end >= head + length && memcmp(end - length, function, length) == 0 &&
           (end == head + length || !c_text_is_word(end[-1 - (long)length]));
}

/* Whether the function with this head is in the scope: it is `function`; or, with NULL, `other` does not have it. */
static bool is_in_scope(const char *head, const char *function, const lines *other)
{
    if (function) return defines(head, function, strlen(function));
    const char *end = head ? strchr(head, '(') : NULL, *name = end;
    while (name && name > head && c_text_is_word(name[-1])) name--;
    for (size_t i = 0; head && i < other->count; i++)
        if (defines(other->line[i].function, name, (size_t)(end - name))) return false;
    return true;
}

/* Keeps the lines of that scope. */
static lines part(const lines *of, const char *function, const lines *other, line *room)
{
    lines kept = {.line = room};
    bool keeps = false;
    for (size_t i = 0; i < of->count; i++) {
        const char *head = of->line[i].function;
        if (i == 0 || head != of->line[i - 1].function) keeps = is_in_scope(head, function, other);
        if (keeps) kept.line[kept.count++] = of->line[i];
    }
    return kept;
}

/* The lines of the longer text that are not in the longest list that both have in the same order; -1 without memory. */
static int difference(const lines *before, const lines *after)
{
    unsigned *common = calloc(before->count + 1, sizeof *common);
    if (!common) return -1;
    for (size_t i = 0; i < after->count; i++) {
        unsigned diagonal = 0;
        for (size_t k = 0; k < before->count; k++) {
            const line *one = &before->line[k], *other = &after->line[i];
            const unsigned above = common[k + 1];
            const bool same = one->length == other->length && memcmp(one->text, other->text, one->length) == 0;
            common[k + 1] = same ? diagonal + 1 : above > common[k] ? above : common[k];
            diagonal = above;
        }
    }
    const size_t most = before->count > after->count ? before->count : after->count;
    const int found = (int)(most - common[before->count]);
    free(common);
    return found;
}

int c_text_changed_lines(const char *before, const char *after, const char *function)
{
    const char *const scope[] = {function, NULL};
    lines one = {0}, other = {0};
    int found = -1;
    if (read_lines(&one, before) && read_lines(&other, after)) {
        line *room = malloc((one.count + other.count + 1) * sizeof *room);
        found = room ? 0 : -1;
        for (int i = 0; i < 2 && found >= 0; i++) {
            const lines given = part(&one, scope[i], &one, room),
                        now = part(&other, scope[i], &one, room + given.count);
            const int changed = difference(&given, &now);
            found = changed < 0 ? -1 : found + changed;
        }
        free(room);
    }
    free_lines(&one);
    free_lines(&other);
    return found;
}

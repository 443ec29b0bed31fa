/* Reading C by tokens; see source_scan.h. */
#include "source_scan.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <xxhash.h>

/* A file made by macros has as many names, and as many reasons to be refused, as its maker likes. */
enum { MOST_NAMES = 65536, MOST_REFUSALS = 65536 /* bytes */ };

/* ---- characters: after trigraphs, in a file as it is, and line splices ------------------------------------------- */

typedef struct reader {
    const char *at, *end;
    int line;
    bool trigraphs; /* the preprocessor has not replaced them yet; after it nothing is a trigraph */
} reader;

/* The character that begins at `at`, and how many bytes it takes; -1 at the end. A trigraph is one character. */
static int plain_character(const reader *r, const char *at, size_t *bytes)
{
    const char *end = r->end;
    static const char third[] = "=/'()!<>-", meaning[] = "#\\^[]|{}~";
    *bytes = 1;
    if (at >= end) return -1;
    if (r->trigraphs && end - at >= 3 && at[0] == '?' && at[1] == '?') {
        const char *found = memchr(third, at[2], sizeof third - 1);
        if (found) *bytes = 3;
        if (found) return meaning[found - third];
    }
    return (unsigned char)*at;
}

/* The length of a splice that begins here: a backslash, white space, the end of the line; 0 for anything else. */
static size_t splice_bytes(const reader *r)
{
    size_t bytes;
    if (plain_character(r, r->at, &bytes) != '\\') return 0;
    const char *after = r->at + bytes, *end = r->end;
    while (after < end && *after != '\n' && isspace((unsigned char)*after)) after++;
    return after < end && *after == '\n' ? (size_t)(after + 1 - r->at) : 0;
}

static int peek(reader *r)
{
    for (size_t bytes; (bytes = splice_bytes(r)) > 0; r->line++) r->at += bytes;
    size_t bytes;
    return plain_character(r, r->at, &bytes);
}

static int take(reader *r)
{
    size_t bytes;
    peek(r);
    int character = plain_character(r, r->at, &bytes);
    if (character < 0) return -1;
    r->at += bytes;
    if (character == '\n') r->line++;
    return character;
}

/* ---- tokens ------------------------------------------------------------------------------------------------------ */

typedef enum token_kind { TOKEN_END, TOKEN_NAME, TOKEN_NUMBER, TOKEN_STRING, TOKEN_SIGN, TOKEN_NEW_LINE } token_kind;

typedef struct token {
    token_kind kind;
    int line;
    char text[256]; /* a name, a number, what a string holds, one sign; a longer one is cut */
} token;

static bool begins_name(int character)
{
    return isalpha(character) || character == '_' || character == '$' || character >= 128;
}

static bool goes_on(int character) { return begins_name(character) || isdigit(character); }

static void append(token *t, size_t *length, int character)
{
    if (*length + 1 < sizeof t->text) t->text[(*length)++] = (char)character;
    t->text[*length] = '\0';
}

static void skip_comment(reader *r, int kind)
{
    int before = 0, character;
    while ((character = peek(r)) >= 0 && !(kind == '/' && character == '\n')) {
        take(r);
        if (kind == '*' && before == '*' && character == '/') return;
        before = character;
    }
}

/* A string or character constant, which ends with its line at the latest. */
static void take_string(reader *r, token *t, int quote)
{
    size_t length = 0;
    t->kind = TOKEN_STRING;
    t->text[0] = '\0';
    for (int character; (character = peek(r)) >= 0 && character != '\n';) {
        take(r);
        if (character == quote) return;
        if (character == '\\' && peek(r) >= 0 && peek(r) != '\n') {
            append(t, &length, character);
            character = take(r);
        }
        append(t, &length, character);
    }
}

static token next_token(reader *r)
{
    token t = {.kind = TOKEN_END};
    size_t length = 0;
    int character;
    while ((character = peek(r)) >= 0) {
        t.line = r->line;
        take(r);
        if (character == '\n') {
            t.kind = TOKEN_NEW_LINE;
            return t;
        }
        if (isspace(character) || character == 0) continue;
        int next = peek(r);
        if (character == '/' && (next == '/' || next == '*')) {
            take(r);
            skip_comment(r, next);
            continue;
        }
        if (character == '"' || character == '\'') {
            take_string(r, &t, character);
            return t;
        }
        t.kind = begins_name(character) ? TOKEN_NAME : isdigit(character) ? TOKEN_NUMBER : TOKEN_SIGN;
        append(&t, &length, character);
        /* The digraph of #. */
        if (character == '%' && next == ':') {
            take(r);
            t.text[0] = '#';
        }
        if (t.kind == TOKEN_SIGN) return t;
        while (goes_on(peek(r))) append(&t, &length, take(r));
        return t;
    }
    return t;
}

static bool is_sign(const token *t, const char *sign) { return t->kind == TOKEN_SIGN && strcmp(t->text, sign) == 0; }

static bool is_name(const token *t, const char *name) { return t->kind == TOKEN_NAME && strcmp(t->text, name) == 0; }

static void skip_line(reader *r)
{
    for (token t = next_token(r); t.kind != TOKEN_END && t.kind != TOKEN_NEW_LINE;) t = next_token(r);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* The slot that has this name, or the free one where it belongs. */
static uint32_t *find_slot(const source_names *names, const char *name)
{
    size_t mask = 2 * names->room - 1, at = XXH3_64bits_withSeed(name, strlen(name), names->hash_seed) & mask;
    while (names->slot[at] && strcmp(names->name[names->slot[at] - 1].name, name) != 0) at = (at + 1) & mask;
    return &names->slot[at];
}

/* Doubles the room, which stays a power of two. */
static bool make_room(source_names *names)
{
    size_t room = names->room ? 2 * names->room : 128;
    source_name *larger = reallocarray(names->name, room, sizeof *larger);
    uint32_t *slot = calloc(2 * room, sizeof *slot);
    if (larger) names->name = larger;
    if (!larger || !slot) {
        free(slot);
        return false;
    }
    if (!names->room && getrandom(&names->hash_seed, sizeof names->hash_seed, 0) < 0) names->hash_seed = room;
    free(names->slot);
    names->slot = slot;
    names->room = room;
    for (size_t i = 0; i < names->count; i++) *find_slot(names, names->name[i].name) = (uint32_t)i + 1;
    return true;
}

static bool add_name(source_names *names, const token *t, int line)
{
    if (names->count == names->room && !make_room(names)) return false;
    uint32_t *slot = find_slot(names, t->text);
    if (*slot) return true;
    char *copy = strdup(t->text);
    if (!copy) return false;
    names->name[names->count++] = (source_name){copy, line};
    *slot = (uint32_t)names->count;
    return true;
}

int source_line(const source_names *names, const char *name)
{
    if (!names->room) return 0;
    uint32_t number = *find_slot(names, name);
    return number ? names->name[number - 1].line : 0;
}

void source_names_free(source_names *names)
{
    for (size_t i = 0; i < names->count; i++) free(names->name[i].name);
    free(names->name);
    free(names->slot);
    *names = (source_names){0};
}

/* Whether a name before this sign is being declared: f(...), x[...], x; x = ... */
static bool ends_declarator(const token *t)
{
    return is_sign(t, "(") || is_sign(t, "[") || is_sign(t, ";") || is_sign(t, "=") || is_sign(t, ",");
}

bool source_header_names(source_names *names, source_text header)
{
    reader r = {header.bytes, header.bytes + header.count, 1, true};
    token before = {.kind = TOKEN_NEW_LINE};
    int depth = 0; /* parameters and members are inside parentheses and braces */
    bool begins = true;
    for (token t = next_token(&r); t.kind != TOKEN_END; t = next_token(&r)) {
        if (begins && is_sign(&t, "#")) {
            skip_line(&r);
            continue;
        }
        begins = t.kind == TOKEN_NEW_LINE;
        if (begins) continue;
        bool declares = depth == 0 && before.kind == TOKEN_NAME && ends_declarator(&t);
        if (declares && !add_name(names, &before, before.line)) return false;
        bool linkage = is_sign(&t, "{") && before.kind == TOKEN_STRING; /* extern "C" { */
        if (!linkage) depth += is_sign(&t, "(") + is_sign(&t, "{");
        depth -= is_sign(&t, ")") + is_sign(&t, "}");
        if (depth < 0) depth = 0;
        before = t;
    }
    return true;
}

/* ---- the file as it is ------------------------------------------------------------------------------------------- */

/* Refuses lines that pretend to come from elsewhere and so hide what they hold: #line 7 "stdio.h", # 7 "stdio.h". */
static void scan_file(text_buffer *refusals, source_text text, const char *file)
{
    reader r = {text.bytes, text.bytes + text.count, 1, true};
    bool begins = true;
    for (token t = next_token(&r); t.kind != TOKEN_END && refusals->length < MOST_REFUSALS; t = next_token(&r)) {
        if (begins && is_sign(&t, "#")) {
            token directive = next_token(&r);
            if (directive.kind == TOKEN_NUMBER || is_name(&directive, "line")) {
                text_format(refusals, "%s:%d gives a line another number or file (#line), which hides where it is\n",
                            file, t.line);
            }
            begins = directive.kind == TOKEN_NEW_LINE;
            continue;
        }
        begins = t.kind == TOKEN_NEW_LINE;
    }
}

/* ---- the file as the preprocessor leaves it ---------------------------------------------------------------------- */

typedef struct scan {
    source_names *names;
    text_buffer *refusals;
    const char *file;
    const char *const *seen;
    reader r;
    int depth;         /* 0 in the student's file, more in what it includes */
    char include[256]; /* the header that it includes itself, while depth is not 0 */
    int braces;        /* that are open, in all files */
    bool closed;       /* the token before this one is a closing parenthesis */
    int offset;        /* from a line of the text to a line of the file */
    int attribute;     /* parentheses open in an attribute; 0 outside of one */
    bool bracketed;    /* the attribute is one of [[...]] */
    bool begins;       /* the next token begins a line */
    bool enough_memory;
} scan;

static bool is_below_one(const char *path, const char *const *folders)
{
    for (size_t i = 0; folders[i]; i++) {
        size_t length = strlen(folders[i]);
        if (strncmp(path, folders[i], length) == 0 && path[length] == '/' && !strstr(path, "/../")) return true;
    }
    return false;
}

/* # 12 "/usr/include/stdio.h" 1 3: the next line is line 12 of that file, which begins (1) or continues after an
 * include (2). */
static void take_marker(scan *s, const token *number)
{
    token name = next_token(&s->r), flag = next_token(&s->r);
    bool enters = flag.kind == TOKEN_NUMBER && strcmp(flag.text, "1") == 0;
    bool leaves = flag.kind == TOKEN_NUMBER && strcmp(flag.text, "2") == 0;
    bool made_up = name.text[0] == '<'; /* "<built-in>" */
    if (enters && s->depth == 0 && !made_up && !is_below_one(name.text, s->seen)) {
        text_format(s->refusals, "%s includes %s, which is neither a header of the lab nor of the system\n", s->file,
                    name.text);
    }
    if (enters && s->depth == 0) memcpy(s->include, name.text, sizeof s->include);
    if (enters) s->depth++;
    if (leaves && s->depth > 0) s->depth--;
    int line = flag.line;
    while (flag.kind != TOKEN_NEW_LINE && flag.kind != TOKEN_END) flag = next_token(&s->r);
    s->offset = atoi(number->text) - (line + 1);
}

static void take_pragma(scan *s, int line)
{
    token what = next_token(&s->r);
    if (is_name(&what, "weak") || is_name(&what, "redefine_extname") || is_name(&what, "pch_preprocess")) {
        text_format(s->refusals, "%s:%d renames or replaces functions (#pragma %s)\n", s->file, line, what.text);
    }
    if (what.kind != TOKEN_NEW_LINE) skip_line(&s->r);
}

/* The compiler writes the text of #ident into the assembly as it is. */
static void refuse_ident(scan *s, int line)
{
    text_format(s->refusals, "%s:%d passes a text to the assembler (#ident)\n", s->file, line);
    skip_line(&s->r);
}

static void take_directive(scan *s, int line)
{
    token directive = next_token(&s->r);
    if (directive.kind == TOKEN_NUMBER)
        take_marker(s, &directive);
    else if (is_name(&directive, "pragma") && s->depth == 0)
        take_pragma(s, line);
    else if (is_name(&directive, "ident") || is_name(&directive, "sccs"))
        refuse_ident(s, line);
    else if (directive.kind != TOKEN_NEW_LINE)
        skip_line(&s->r);
    s->begins = true;
}

static bool is_one_of(const char *name, const char *const *list)
{
    char bare[64];
    size_t length = strlen(name), begin = strspn(name, "_");
    while (length > begin && name[length - 1] == '_') length--;
    if (length - begin >= sizeof bare) return false;
    memcpy(bare, name + begin, length - begin);
    bare[length - begin] = '\0';
    for (size_t i = 0; list[i]; i++) {
        if (strcmp(bare, list[i]) == 0) return true;
    }
    return false;
}

static const char *const assembly[] = {"asm", NULL};

static void take_name(scan *s, const token *t, int line)
{
    static const char *const attributes[] = {"constructor", "destructor", "ifunc",         "alias",  "weak",
                                             "weakref",     "section",    "init_priority", "naked",  "target_clones",
                                             "symver",      "interrupt",  "copy",          "no_icf", NULL};
    if (is_one_of(t->text, assembly))
        text_format(s->refusals, "%s:%d has inline assembly (%s)\n", s->file, line, t->text);
    else if (s->attribute > 0 && is_one_of(t->text, attributes))
        text_format(s->refusals, "%s:%d has the attribute %s, which a lab's functions do not need\n", s->file, line,
                    t->text);
    s->enough_memory = add_name(s->names, t, line) && s->enough_memory;
}

static token next_word(reader *r)
{
    token t = next_token(r);
    while (t.kind == TOKEN_NEW_LINE) t = next_token(r);
    return t;
}

/* Whether one instruction of the compilers' own headers of intrinsics follows, and nothing else. */
static bool is_an_intrinsic(reader r)
{
    static const char *const instructions[] = {
        "encls",         "encls\\n\\t",     "enclu",           "enclu\\n\\t", "enclv",       "enclv\\n\\t", "pconfig",
        "pconfig\\n\\t", "ldtilecfg\\t%X0", "sttilecfg\\t%X0", "hreset $0",   "tilerelease", NULL};
    token t = next_word(&r);
    while (t.kind == TOKEN_NAME) t = next_word(&r);
    if (!is_sign(&t, "(")) return false;
    const token said = next_word(&r), after = next_word(&r);
    if (said.kind != TOKEN_STRING || !(is_sign(&after, ":") || is_sign(&after, ")"))) return false;
    for (size_t i = 0; instructions[i]; i++) {
        if (strcmp(said.text, instructions[i]) == 0) return true;
    }
    return false;
}

static bool is_identifier(const char *text)
{
    for (; *text; text++) {
        if (!goes_on((unsigned char)*text)) return false;
    }
    return true;
}

/* Whether ("" "name") follows, by which headers give a function another symbol: the object shows that. */
static bool names_a_symbol(reader r)
{
    token t = next_word(&r);
    if (!is_sign(&t, "(")) return false;
    for (t = next_word(&r); t.kind == TOKEN_STRING; t = next_word(&r)) {
        if (!is_identifier(t.text)) return false;
    }
    return is_sign(&t, ")");
}

/* A header of the system may expand a macro of the student's file: its tokens do not show where they come from. */
static void take_token_of_header(scan *s, const token *t)
{
    if (t->kind != TOKEN_NAME || !is_one_of(t->text, assembly)) return;
    if (s->braces == 0 && s->closed && names_a_symbol(s->r)) return;
    if (is_an_intrinsic(s->r)) return;
    text_format(s->refusals, "%s has inline assembly (%s) by way of %s, or of a macro that is expanded there\n",
                s->file, t->text, s->include);
}

/* Takes the next sign if it is this one. */
static bool take_sign(scan *s, int sign)
{
    while (peek(&s->r) == ' ') take(&s->r);
    if (peek(&s->r) != sign) return false;
    take(&s->r);
    return true;
}

static void take_token(scan *s, const token *t)
{
    static const char *const attribute[] = {"attribute", NULL};
    if (t->kind == TOKEN_NAME && is_one_of(t->text, attribute) && take_sign(s, '(')) s->attribute = 1;
    if (t->kind == TOKEN_NAME) take_name(s, t, t->line + s->offset);
    if (s->attribute == 0 && is_sign(t, "[") && take_sign(s, '[')) {
        s->attribute = 1;
        s->bracketed = true;
        return;
    }
    if (s->attribute == 0) return;
    s->attribute += is_sign(t, "(") - is_sign(t, ")");
    if (!s->bracketed || !is_sign(t, "]")) return;
    s->attribute = 0;
    s->bracketed = false;
}

bool source_scan(source_names *names, text_buffer *refusals, source_text file_text, source_text preprocessed,
                 const char *file, const char *const *seen)
{
    scan s = {names, refusals, file, seen, .begins = true, .enough_memory = true};
    s.r = (reader){preprocessed.bytes, preprocessed.bytes + preprocessed.count, 1, false};
    scan_file(refusals, file_text, file);
    for (token t = next_token(&s.r); t.kind != TOKEN_END && refusals->length < MOST_REFUSALS; t = next_token(&s.r)) {
        if (names->count > MOST_NAMES) {
            text_format(refusals, "%s has more than %d different names\n", file, MOST_NAMES);
            break;
        }
        if (s.begins && is_sign(&t, "#")) {
            take_directive(&s, t.line + s.offset);
            continue;
        }
        s.begins = t.kind == TOKEN_NEW_LINE;
        if (s.depth == 0)
            take_token(&s, &t);
        else
            take_token_of_header(&s, &t);
        s.braces += is_sign(&t, "{") - is_sign(&t, "}");
        if (!s.begins) s.closed = is_sign(&t, ")");
    }
    return s.enough_memory && !refusals->failed;
}

/*
 * Tokens of a kernel source, and the two things read from them: the heads of __global__ functions, and
 * `extern __shared__` declarations. Both work on tokens alone; only the compiler knows whether a kernel survives the
 * preprocessor, and what its types are.
 *
 * `extern __shared__ float tile[];` becomes `extern __thread float tile[] __asm__("lab_dynamic_shared");`: every such
 * array names the one thread-local block of dynamic shared memory, which the generated code defines.
 */
#include "kernel_scan.h"

#include "kernel_headers.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DYNAMIC_SHARED_LABEL " __asm__(\"lab_dynamic_shared\")"

typedef enum { WORD, NUMBER, TEXT, MARK } token_kind;

typedef struct {
    token_kind kind;
    const char *start;
    int length;
    int line;
} token;

/* A preprocessor line that includes a header: one that kernels cannot use, or one that every device has, which is not
 * read from a file. */
typedef struct {
    const char *start, *end;
    const char *name; /* of the header, and its length */
    int length;
    const char *refused; /* why the CPU device has it not, or NULL */
} inclusion;

/* What a GPU's compiler has and the CPU device has not. A name that ends with a slash is that of a folder. */
static const struct {
    const char *name, *why;
} refused_headers[] = {
    {"cuda_fp4.h", "it computes in no type narrower than half"},
    {"cuda_fp6.h", "it computes in no type narrower than half"},
    {"cuda_fp8.h", "it computes in no type narrower than half"},
    {"mma.h", "it has no tensor cores"},
    {"curand_kernel.h", "it has no cuRAND"},
    {"cub/", "it has no CUB"},
    {"thrust/", "it has no Thrust"},
    {"cuda/", "it has no libcu++"},
    {"nv/", "it has no libcu++"},
};
#define NO_LAUNCH "a kernel that launches a kernel (dynamic parallelism) cannot run on the CPU device"

enum { MOST_INCLUSIONS = 64 };

typedef struct {
    const char *at;
    int line;
    bool line_start;
    bool includes_files;
    unsigned needs;
    inclusion included[MOST_INCLUSIONS]; /* in the order of the source; any others are the compiler's to find */
    int inclusions;
    bool keeps_refused; /* for a compiler that may have those headers */
    bool lists_all;     /* templates too, and each kernel of a name */
    token *list;
    int count, capacity;
} lexer;

/* ---- from characters to tokens ---- */

static void advance(lexer *l)
{
    if (*l->at == '\n') {
        ++l->line;
        l->line_start = true;
    }
    ++l->at;
}

static void advance_to(lexer *l, const char *end)
{
    while (l->at < end && *l->at) advance(l);
}

static void skip_block_comment(lexer *l)
{
    const char *end = strstr(l->at + 2, "*/");
    const bool line_start = l->line_start;
    advance_to(l, end ? end + 2 : l->at + strlen(l->at));
    l->line_start = line_start;
}

static void skip_line_comment(lexer *l)
{
    while (*l->at && *l->at != '\n') {
        if (l->at[0] == '\\' && l->at[1] == '\n') advance(l);
        advance(l);
    }
}

static void skip_quoted(lexer *l)
{
    const char quote = *l->at;
    advance(l);
    while (*l->at && *l->at != quote && *l->at != '\n') {
        if (l->at[0] == '\\' && l->at[1]) advance(l);
        advance(l);
    }
    if (*l->at == quote) advance(l);
}

/* R"tag( ... )tag". C++ allows no longer tag; the compiler reports it. */
static void skip_raw_string(lexer *l)
{
    enum { MOST_TAG = 16 };
    const char *tag = l->at + 1;
    const size_t length = strcspn(tag, "(");
    if (length > MOST_TAG) {
        skip_quoted(l);
        return;
    }
    for (const char *end = tag; (end = strchr(end, ')')); ++end)
        if (strncmp(end + 1, tag, length) == 0 && end[1 + length] == '"') {
            advance_to(l, end + length + 2);
            return;
        }
    advance_to(l, l->at + strlen(l->at));
}

static const char *after_blanks(const char *at, const char *end)
{
    for (;;) {
        const char *comment_end = strncmp(at, "/*", 2) == 0 ? strstr(at + 2, "*/") : NULL;
        if (comment_end && comment_end < end)
            at = comment_end + 2;
        else if (at < end && (*at == ' ' || *at == '\t'))
            ++at;
        else
            return at;
    }
}

/* Skips a comment, or a backslash with the line's end. False if there is neither. */
static bool skip_continuation_or_comment(lexer *l)
{
    if (l->at[0] == '\\' && l->at[1] == '\n') {
        advance(l);
        advance(l);
    } else if (strncmp(l->at, "/*", 2) == 0) {
        skip_block_comment(l);
    } else if (strncmp(l->at, "//", 2) == 0) {
        skip_line_comment(l);
    } else {
        return false;
    }
    return true;
}

/* Notes an include of a header that no kernel of the CPU device can use, or that all can: `name` begins with its quote
 * or bracket. False for any other header. A folder in quotes may be the user's own. */
static bool note_header(lexer *l, const char *start, const char *name)
{
    const size_t length = strcspn(name + 1, "\">\n");
    inclusion found = {start, l->at, name + 1, (int)length, NULL};
    const kernel_header *header = kernel_headers_find(name + 1, length);
    for (size_t i = 0; i < sizeof refused_headers / sizeof *refused_headers; ++i) {
        const char *refused = refused_headers[i].name;
        const bool is_folder = refused[strlen(refused) - 1] == '/';
        if (is_folder ? *name == '<' && strncmp(name + 1, refused, strlen(refused)) == 0
                      : strlen(refused) == length && memcmp(name + 1, refused, length) == 0)
            found.refused = refused_headers[i].why;
    }
    if ((!header && !found.refused) || l->inclusions == MOST_INCLUSIONS) return false;
    if (header) l->needs |= header->needs;
    l->included[l->inclusions++] = found;
    return true;
}

/* A preprocessor line, with its continuations. */
static void skip_directive(lexer *l)
{
    const char *start = l->at;
    bool has_include = false;
    while (*l->at && *l->at != '\n') {
        if (skip_continuation_or_comment(l)) continue;
        if (*l->at == '"' || *l->at == '\'') {
            skip_quoted(l);
        } else {
            if (strncmp(l->at, "__has_include", 13) == 0) has_include = true;
            advance(l);
        }
    }
    const char *word = after_blanks(start + 1, l->at);
    if (strncmp(word, "include", 7) == 0 || strncmp(word, "import", 6) == 0 || strncmp(word, "embed", 5) == 0) {
        while (word < l->at && isalpha((unsigned char)*word)) ++word;
        const char *name = after_blanks(word, l->at);
        const bool is_noted = (*name == '<' || *name == '"') && note_header(l, start, name);
        if (*name != '<' && !is_noted) has_include = true;
    }
    if (has_include) l->includes_files = true;
}

static bool is_word_character(char c) { return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80; }

static bool add_token(lexer *l, token_kind kind, const char *start, int line)
{
    if (l->count == l->capacity) {
        const int capacity = l->capacity ? 2 * l->capacity : 256;
        token *list = realloc(l->list, (size_t)capacity * sizeof *list);
        if (!list) return false;
        l->list = list;
        l->capacity = capacity;
    }
    l->list[l->count++] = (token){kind, start, (int)(l->at - start), line};
    return true;
}

static bool is_raw_prefix(const char *start, long length)
{
    static const char *const prefix[] = {"R", "LR", "uR", "UR", "u8R"};
    for (size_t i = 0; i < sizeof prefix / sizeof *prefix; ++i)
        if ((long)strlen(prefix[i]) == length && memcmp(prefix[i], start, (size_t)length) == 0) return true;
    return false;
}

static bool read_token(lexer *l)
{
    const char *start = l->at;
    const int line = l->line;
    l->line_start = false;
    if (isdigit((unsigned char)*start)) {
        while (is_word_character(*l->at) || *l->at == '.' || (*l->at == '\'' && is_word_character(l->at[1])) ||
               ((*l->at == '+' || *l->at == '-') && strchr("eEpP", l->at[-1])))
            advance(l);
        return add_token(l, NUMBER, start, line);
    }
    if (is_word_character(*start)) {
        while (is_word_character(*l->at)) advance(l);
        if (*l->at != '"' || !is_raw_prefix(start, l->at - start)) return add_token(l, WORD, start, line);
        skip_raw_string(l);
        return add_token(l, TEXT, start, line);
    }
    if (*start == '"' || *start == '\'') {
        skip_quoted(l);
        return add_token(l, TEXT, start, line);
    }
    advance(l);
    return add_token(l, MARK, start, line);
}

static bool tokenize(lexer *l)
{
    while (*l->at) {
        if (skip_continuation_or_comment(l)) continue;
        if (isspace((unsigned char)*l->at)) {
            advance(l);
        } else if (*l->at == '#' && l->line_start) {
            skip_directive(l);
        } else if (!read_token(l)) {
            return false;
        }
    }
    return true;
}

/* ---- from tokens to kernels ---- */

static bool is_word(const token *t, const char *word)
{
    return t->kind == WORD && (size_t)t->length == strlen(word) && memcmp(t->start, word, (size_t)t->length) == 0;
}

static bool is_mark(const token *t, char mark) { return t->kind == MARK && *t->start == mark; }

static bool is_one_of(const token *t, const char *const *words)
{
    for (; *words; ++words)
        if (is_word(t, *words)) return true;
    return false;
}

/* The index after the parenthesis that closes the one at `open`. */
static int after_parentheses(const lexer *l, int open)
{
    int depth = 0;
    for (int i = open; i < l->count; ++i) {
        if (is_mark(&l->list[i], '(')) ++depth;
        if (is_mark(&l->list[i], ')') && --depth == 0) return i + 1;
    }
    return l->count;
}

/* The name that a parameter's tokens [first, end) declare: their last word, if a type precedes it. */
static token parameter_name(const lexer *l, int first, int end)
{
    static const char *const qualifiers[] = {"const", "volatile",     "struct",   "enum",     "union",      "typename",
                                             "class", "__restrict__", "restrict", "register", "__restrict", NULL};
    static const char *const types[] = {"void",  "bool",   "char",   "short",    "int",  "long",
                                        "float", "double", "signed", "unsigned", "auto", NULL};
    const token none = {WORD, "", 0, 0};
    token name = none;
    bool has_type = false;
    for (int i = first; i < end; ++i) {
        const token *t = &l->list[i];
        if (is_mark(t, '=') || is_mark(t, '[')) break;
        const bool ends_group = is_mark(t, ')') && i + 1 < end && (is_mark(t + 1, '(') || is_mark(t + 1, '['));
        if (name.length && ends_group) break; /* float (*name)[4] */
        if (t->kind != WORD) {
            if (name.length) has_type = true;
            name = none;
        } else if (is_one_of(t, types)) {
            has_type = true;
            name = none;
        } else if (!is_one_of(t, qualifiers)) {
            if (name.length) has_type = true;
            name = *t;
        }
    }
    return has_type ? name : none;
}

static char *copy_text(const token *t) { return strndup(t->start, (size_t)t->length); }

static bool add_parameter(scanned_kernel *kernel, const lexer *l, int first, int end)
{
    char **param = realloc(kernel->param, (size_t)(kernel->params + 1) * sizeof *param);
    if (!param) return false;
    kernel->param = param;
    const token name = parameter_name(l, first, end);
    if (!(param[kernel->params] = copy_text(&name))) return false;
    ++kernel->params;
    return true;
}

/* Splits the text between the parentheses at the commas of the outermost level. */
static bool read_parameters(scanned_kernel *kernel, const lexer *l, int open, int after)
{
    int first = open + 1, depth = 0;
    const int close = after - 1;
    if (close == first || (close == first + 1 && is_word(&l->list[first], "void"))) return true;
    for (int i = first; i < close; ++i) {
        const token *t = &l->list[i];
        if (t->kind != MARK) continue;
        if (strchr("([{<", *t->start)) ++depth;
        if (strchr(")]}>", *t->start)) --depth;
        if (*t->start != ',' || depth > 0) continue;
        if (!add_parameter(kernel, l, first, i)) return false;
        first = i + 1;
    }
    return add_parameter(kernel, l, first, close);
}

static void free_kernel(scanned_kernel *kernel)
{
    for (int i = 0; kernel->param && i < kernel->params; ++i) free(kernel->param[i]);
    free(kernel->param);
    free(kernel->name);
}

static bool is_listed(const kernel_scan *scan, const token *name)
{
    for (int i = 0; i < scan->kernels; ++i)
        if (is_word(name, scan->kernel[i].name)) return true;
    return false;
}

/* Whether a body follows the parameters, which may be written by a macro: anything but attributes and a semicolon. */
static bool has_body(const lexer *l, int at)
{
    while (at < l->count && is_word(&l->list[at], "__attribute__")) at = after_parentheses(l, at + 1);
    return at < l->count && !is_mark(&l->list[at], ';');
}

/* Reads the function head after `__global__` at `at`; adds it if a body follows or all are listed. */
static bool read_kernel(kernel_scan *scan, const lexer *l, int at)
{
    static const char *const not_names[] = {"__launch_bounds__", "__attribute__", "__align__", "alignas",
                                            "__cluster_dims__",  "decltype",      NULL};
    int open = at + 1;
    while (open < l->count && !(is_mark(&l->list[open], '(') && l->list[open - 1].kind == WORD)) {
        if (is_mark(&l->list[open], ';') || is_mark(&l->list[open], '{')) return true;
        if (is_one_of(&l->list[open], not_names))
            open = after_parentheses(l, open + 1);
        else
            ++open;
    }
    if (open >= l->count) return true;
    const int after = after_parentheses(l, open);
    const token *name = &l->list[open - 1];
    const bool is_defined = has_body(l, after);
    if (!l->lists_all && (!is_defined || is_listed(scan, name))) return true;

    scanned_kernel kernel = {.name = copy_text(name),
                             .line = name->line,
                             .is_defined = is_defined,
                             .head = l->list[at].start,
                             .head_end = name->start};
    scanned_kernel *grown = NULL;
    if (kernel.name && read_parameters(&kernel, l, open, after))
        grown = realloc(scan->kernel, (size_t)(scan->kernels + 1) * sizeof *grown);
    if (!grown) {
        free_kernel(&kernel);
        return false;
    }
    scan->kernel = grown;
    scan->kernel[scan->kernels++] = kernel;
    return true;
}

static bool find_kernels(kernel_scan *scan, const lexer *l)
{
    bool in_template = false;
    for (int i = 0; i < l->count; ++i) {
        const token *t = &l->list[i];
        if (is_mark(t, ';') || is_mark(t, '{') || is_mark(t, '}')) in_template = false;
        if (is_word(t, "template")) in_template = true;
        if (is_word(t, "__global__") && (!in_template || l->lists_all) && !read_kernel(scan, l, i)) return false;
    }
    return true;
}

/* ---- extern __shared__ ---- */

/* The index of the word in the declaration's tokens [first, end), or -1. */
static int find_word(const lexer *l, int first, int end, const char *word)
{
    for (int i = first; i < end; ++i)
        if (is_word(&l->list[i], word)) return i;
    return -1;
}

/* Copies the source from *copied up to `end`, the end or start of a token, and moves *copied there. */
static void copy_until(FILE *out, const char **copied, const char *end, const lexer *l)
{
    for (int i = 0; i < l->inclusions; ++i) {
        const inclusion *each = &l->included[i];
        if (each->start < *copied || each->end > end || (each->refused && l->keeps_refused)) continue;
        fwrite(*copied, 1, (size_t)(each->start - *copied), out);
        if (each->refused)
            fprintf(out, "#error %.*s is not available to kernels on the CPU device: %s", each->length, each->name,
                    each->refused);
        for (const char *c = each->start; c < each->end; ++c)
            if (*c == '\n') fputc('\n', out);
        *copied = each->end;
    }
    fwrite(*copied, 1, (size_t)(end - *copied), out);
    *copied = end;
}

/* Writes a declaration [first, end) of dynamic shared arrays; `end` is its semicolon. */
static void rewrite_declaration(FILE *out, const char **copied, const lexer *l, int first, int end)
{
    const int external = find_word(l, first, end, "extern"), shared = find_word(l, first, end, "__shared__");
    bool labelled = false;
    for (int i = first; i <= end; ++i) {
        const token *t = &l->list[i];
        if (i == external) {
            copy_until(out, copied, t->start + t->length, l);
            fputs(" __thread", out);
        } else if (i == shared) {
            copy_until(out, copied, t->start, l);
            *copied = t->start + t->length;
        } else if (is_mark(t, ']') && !is_mark(&l->list[i + 1], '[') && !labelled) {
            copy_until(out, copied, t->start + 1, l);
            fputs(DYNAMIC_SHARED_LABEL, out);
            labelled = true;
        } else if (is_mark(t, ',') || is_mark(t, ';')) {
            copy_until(out, copied, t->start, l);
            if (!labelled) fputs(DYNAMIC_SHARED_LABEL, out);
            labelled = false;
        }
    }
}

/* Whether the launch of a kernel begins at the token: three marks without a space between them. */
static bool is_launch(const lexer *l, int at)
{
    if (at + 2 >= l->count || l->list[at + 2].start != l->list[at].start + 2) return false;
    return is_mark(&l->list[at], '<') && is_mark(&l->list[at + 1], '<') && is_mark(&l->list[at + 2], '<');
}

static bool rewrite_source(kernel_scan *scan, const lexer *l, const char *source)
{
    FILE *out = open_memstream(&scan->source, &scan->source_size);
    if (!out) return false;
    const char *copied = source;
    int first = 0;
    for (int i = 0; i < l->count; ++i) {
        const token *t = &l->list[i];
        if (is_launch(l, i)) {
            copy_until(out, &copied, t->start, l);
            fputs(" _Pragma(\"GCC error \\\"" NO_LAUNCH "\\\"\") ", out);
            i += 2;
        }
        if (!is_mark(t, ';') && !is_mark(t, '{') && !is_mark(t, '}')) continue;
        if (is_mark(t, ';') && find_word(l, first, i, "extern") >= 0 && find_word(l, first, i, "__shared__") >= 0) {
            rewrite_declaration(out, &copied, l, first, i);
            scan->uses_dynamic_shared = true;
        }
        first = i + 1;
    }
    copy_until(out, &copied, copied + strlen(copied), l);
    return fclose(out) == 0;
}

static bool write_plain(kernel_scan *scan, lexer *l, const char *source)
{
    size_t size;
    FILE *out = open_memstream(&scan->plain, &size);
    if (!out) return false;
    l->keeps_refused = true;
    copy_until(out, &source, source + strlen(source), l);
    return fclose(out) == 0;
}

bool kernel_scan_source(kernel_scan *scan, const char *source)
{
    lexer l = {.at = source, .line = 1, .line_start = true};
    *scan = (kernel_scan){0};
    const bool done =
        tokenize(&l) && find_kernels(scan, &l) && rewrite_source(scan, &l, source) && write_plain(scan, &l, source);
    scan->includes_files = l.includes_files;
    scan->needs = l.includes_files ? ~0u : l.needs;
    free(l.list);
    if (!done) kernel_scan_free(scan);
    return done;
}

bool kernel_scan_heads(kernel_scan *scan, const char *source)
{
    lexer l = {.at = source, .line = 1, .line_start = true, .lists_all = true};
    *scan = (kernel_scan){0};
    const bool done = tokenize(&l) && find_kernels(scan, &l);
    free(l.list);
    if (!done) kernel_scan_free(scan);
    return done;
}

void kernel_scan_free(kernel_scan *scan)
{
    for (int i = 0; i < scan->kernels; ++i) free_kernel(&scan->kernel[i]);
    free(scan->kernel);
    free(scan->source);
    free(scan->plain);
    *scan = (kernel_scan){0};
}

void kernel_scan_write_name(FILE *out, const char *name)
{
    fputc('"', out);
    for (; *name; name++) {
        if (*name == '"' || *name == '\\') fputc('\\', out);
        fputc((unsigned char)*name < ' ' ? '?' : *name, out);
    }
    fputc('"', out);
}

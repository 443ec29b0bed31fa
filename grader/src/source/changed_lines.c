/* Lines that changed: two texts are cut into lines that layout does not change, and compared; see changed_lines.h. */
#include "changed_lines.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A line: some tokens in a row. */
typedef struct line {
    const source_token *token;
    int count;
    int weight;
    int whole; /* the count with the values that initialize an object outside of functions */
    enum { OUTSIDE, IN_FUNCTION, IN_TYPE, LOOSE } where; /* LOOSE is in a block that is of neither */
    const struct line *head;                             /* of the function; NULL outside. The head's own is itself. */
} line;

typedef struct lines {
    source_tokens tokens;
    line *line;
    size_t count;
} lines;

/* ---- what calls of the library are written with ------------------------------------------------------------------ */

/* "lab_here("lab12.c", 9), " tells the library of the line, which layout changes. */
static size_t place_length(const source_token *at, size_t left)
{
    const bool place = left > 6 && token_is(at, "lab_here") && token_is(at + 1, "(") && token_is_literal(at + 2) &&
                       token_is(at + 3, ",") && token_is_number(at + 4) && token_is(at + 5, ")") &&
                       token_is(at + 6, ",");
    return place ? 7 : 0;
}

/* So does "#line " "9" in the text of a kernel. */
static bool is_line_of_kernel(const source_token *at, size_t before)
{
    if (!before || !token_is(at - 1, "\"#line \"") || !token_is_literal(at)) return false;
    for (int i = 1; i < at->length - 1; i++)
        if (!isdigit((unsigned char)at->text[i])) return false;
    return true;
}

static void drop_places(source_tokens *of)
{
    size_t kept = 0;
    for (size_t i = 0; i < of->count;) {
        const size_t skip = place_length(of->token + i, of->count - i);
        const bool drops = !skip && is_line_of_kernel(of->token + i, i);
        if (!skip && !drops) of->token[kept++] = of->token[i];
        i += skip ? skip : 1;
    }
    of->count = kept;
}

static bool is_one_of(const source_token *one, const char *const *words)
{
    while (*words && !token_is(one, *words)) words++;
    return *words != NULL;
}

/* What stands before a bracket and is no call: words of C, and functions that macros of lab.h call around a call. */
static bool is_no_call(const source_token *name)
{
    static const char *const names[] = {"if",     "for",      "while",         "switch",        "return",
                                        "sizeof", "_Generic", "__attribute__", "lab_here_ends", "lab_dim_make",
                                        NULL};
    return is_one_of(name, names);
}

static bool is_type(const source_token *name)
{
    static const char *const names[] = {"unsigned", "signed", "char",  "short",  "int",   "long", "float", "double",
                                        "_Bool",    "void",   "const", "struct", "union", "enum", NULL};
    return is_one_of(name, names);
}

static bool is_argument(const source_token *name) { return name->length > 8 && memcmp(name->text, "lab_arg_", 8) == 0; }

/* ---- lines ------------------------------------------------------------------------------------------------------- */

/* A literal is as many lines as it says to print, or has statements. */
static int weight_of_literal(const source_token *one)
{
    int ends = 0, statements = 0, open = 0;
    for (int i = 0; i + 1 < one->length; i++) {
        open += (one->text[i] == '(') - (one->text[i] == ')');
        statements += one->text[i] == ';' && open <= 0;
        if (one->text[i] == '\\') ends += !strchr("\"'\\t", one->text[++i]); /* any other may spell a line's end */
    }
    return ends > statements ? ends : statements;
}

/* Whether the brackets that end at `i` are a cast, or choose a function that makes an argument, as LAB_ARGS does. */
static bool is_cast_or_choice(const line *of, int i)
{
    enum { MOST = 256 }; /* tokens; an argument of LAB_ARGS has 80 */
    bool arguments = true;
    int open = 0, begin = i;
    for (; begin >= 0 && i - begin < MOST; begin--) {
        const source_token *at = of->token + begin;
        open += token_is(at, ")") - token_is(at, "(");
        if (open == 0) break;
        if (token_is(at, ":")) arguments = arguments && is_argument(at + 1);
    }
    if (begin < 0 || open != 0) return false;
    if (begin > 0 && token_is(of->token + begin - 1, "_Generic")) return arguments;
    return is_type(of->token + begin + 1) || token_is(of->token + i - 1, "*");
}

/* Whether the bracket at `i` calls: behind a name, an element, or brackets that give a function. */
static bool is_call(const line *of, int i)
{
    if (i == 0 || !token_is(of->token + i, "(")) return false;
    const source_token *callee = of->token + i - 1;
    if (token_is_name(callee)) return !is_no_call(callee) && !is_type(callee);
    return token_is(callee, "]") || (token_is(callee, ")") && !is_cast_or_choice(of, i - 1));
}

/* How many lines the values are that initialize an object: a table may be a program too. */
static int weight_of_values(const source_token *at, const source_token *end)
{
    int values = 0, literals = 0;
    if (at >= end || !token_is(at, "{")) return 0;
    for (; at < end; at++) {
        values += token_is(at, ",");
        literals += token_is_literal(at) ? weight_of_literal(at) : 0;
    }
    return 1 + values / 2 + literals;
}

/* How many lines it counts for; 0 for what LAB_TRY writes around a call. */
static int weight_of(const line *of)
{
    static const char *const around[] = {"do", "if(lab_try_status_!=LAB_SUCCESS)", "returnlab_try_status_", "while(0)"};
    int calls = 0, literals = 0, values = 0;
    for (size_t i = 0; i < sizeof around / sizeof *around; i++) {
        const char *rest = around[i];
        int k = 0;
        for (; k < of->count && strncmp(rest, of->token[k].text, (size_t)of->token[k].length) == 0; k++)
            rest += of->token[k].length;
        if (!*rest && k == of->count) return 0;
    }
    for (int i = 0; i < of->count; i++) {
        calls += is_call(of, i);
        literals += token_is_literal(of->token + i) ? weight_of_literal(of->token + i) : 0;
        if (token_is(of->token + i, "=")) values += weight_of_values(of->token + i + 1, of->token + of->count);
    }
    if (calls < literals) calls = literals;
    if (calls < values) calls = values;
    return calls ? calls : 1;
}

/* The state of cutting a text into lines. */
typedef struct cutter {
    lines *out;
    size_t begin;  /* of the line that is being read */
    size_t equals; /* one past a '=' outside of brackets in it; 0 without one */
    int brackets;  /* open ones in it */
    int blocks;
    bool loose;  /* the open block is not one of a function or a type */
    bool in_for; /* the brackets are those behind for, which hold ';' */
    const line *head;
} cutter;

/* Ends the line before the token `end`, if there is one. */
static void cut(cutter *now, size_t end)
{
    lines *out = now->out;
    if (end > now->begin) {
        line *made = &out->line[out->count++];
        *made = (line){.token = out->tokens.token + now->begin, .count = (int)(end - now->begin), .head = now->head};
        made->whole = made->count;
        made->where = !now->blocks ? OUTSIDE : now->head ? IN_FUNCTION : now->loose ? LOOSE : IN_TYPE;
        made->weight = weight_of(made);
        if (!now->blocks && now->equals) made->count = (int)(now->equals - now->begin);
    }
    now->begin = end;
    now->equals = 0;
    now->brackets = 0;
    now->in_for = false;
}

/* Whether the line up to here is the head of a statement that follows. */
static bool is_head(const cutter *now)
{
    const source_token *first = now->out->tokens.token + now->begin;
    return token_is(first, "for") || token_is(first, "if") || token_is(first, "while") || token_is(first, "switch");
}

/* Whether a brace that opens here begins statements: it does not where it initializes. */
static bool opens_block(const cutter *now, size_t i)
{
    const source_token *at = now->out->tokens.token + i;
    if (i > now->begin && token_is(at - 1, "(")) return true; /* GNU's ({ ... }) */
    if (now->brackets > 0 || now->equals) return false;
    return true;
}

static bool declares_type(const source_token *at, const source_token *end)
{
    for (; at < end; at++)
        if (token_is(at, "struct") || token_is(at, "union") || token_is(at, "enum")) return true;
    return false;
}

static void open_block(cutter *now, size_t i)
{
    const source_token *begin = now->out->tokens.token + now->begin, *end = now->out->tokens.token + i;
    const bool function = tokens_declare_function(begin, end);
    line *head = now->out->line + now->out->count;
    const bool outside = !now->blocks;
    cut(now, i);
    now->begin = i + 1;
    now->blocks++;
    if (outside) now->loose = !function && !declares_type(begin, end);
    if (outside && function) now->head = head->head = head;
}

static void close_block(cutter *now, size_t i)
{
    cut(now, i);
    now->begin = i + 1;
    if (now->blocks > 0 && --now->blocks == 0) now->head = NULL;
}

static void take(cutter *now, size_t i)
{
    const source_token *at = now->out->tokens.token + i;
    const bool first = i == now->begin, follows = !first && token_is_literal(at) && token_is_literal(at - 1);
    if (token_is(at, ";") && !(now->in_for && now->brackets)) {
        cut(now, i);
        now->begin = i + 1;
        return;
    }
    if (token_is(at, "{") && opens_block(now, i)) return open_block(now, i);
    if (token_is(at, "}") && now->brackets == 0) return close_block(now, i);
    if (!first && (token_is(at - 1, "else") || token_is(at - 1, "do")) && i == now->begin + 1) cut(now, i);
    if (follows && now->blocks) cut(now, i);
    if (token_is(at, "(") && i == now->begin + 1 && token_is(at - 1, "for")) now->in_for = true;
    if (strchr("([{", *at->text)) now->brackets++;
    if (strchr(")]}", *at->text) && now->brackets > 0) now->brackets--; /* those of GNU's ({ ... }) are cut off */
    if (token_is(at, "=") && !now->brackets && !now->equals) now->equals = i + 1;
    if (token_is(at, ")") && now->brackets == 0 && is_head(now)) cut(now, i + 1);
}

static bool read_lines(lines *out, preprocessed_text of)
{
    if (!tokens_read(&out->tokens, of, "")) return false;
    drop_places(&out->tokens);
    out->line = malloc((out->tokens.count + 1) * sizeof *out->line); /* each token gives at most one line */
    if (!out->line) return false;
    cutter now = {.out = out};
    for (size_t i = 0; i < out->tokens.count; i++) take(&now, i);
    cut(&now, out->tokens.count);
    return true;
}

static void free_lines(lines *some)
{
    tokens_free(&some->tokens);
    free(some->line);
}

/* ---- functions --------------------------------------------------------------------------------------------------- */

/* The name of the function with this head. */
static const source_token *name_of(const line *head)
{
    const source_token *name = tokens_declared_name(head->token, head->token + head->count);
    return name ? name : head->token;
}

static bool is_same_token(const source_token *one, const source_token *other)
{
    return one->length == other->length && memcmp(one->text, other->text, (size_t)one->length) == 0;
}

static bool is_same_line(const line *one, const line *other)
{
    if (one->count != other->count) return false;
    for (int i = 0; i < one->count; i++)
        if (!is_same_token(one->token + i, other->token + i)) return false;
    return true;
}

/* The function of that name, as many lines from its head on; NULL for none. */
static const line *find(const lines *in, const source_token *name, size_t *count)
{
    for (size_t i = 0; i < in->count; i++) {
        const line *head = &in->line[i];
        if (head->head != head || !is_same_token(name_of(head), name)) continue;
        for (*count = 1; i + *count < in->count && in->line[i + *count].head == head;) ++*count;
        return head;
    }
    *count = 0;
    return NULL;
}

static long weight(const line *some, size_t count)
{
    long sum = 0;
    for (size_t i = 0; i < count; i++) sum += some[i].weight;
    return sum;
}

/* The lines of the heavier text that are not in the heaviest list which both have in order; -1 without memory. */
static long difference(const line *before, size_t given, const line *after, size_t count)
{
    long *common = calloc(given + 1, sizeof *common);
    if (!common) return -1;
    for (size_t i = 0; i < count; i++) {
        long diagonal = 0;
        for (size_t k = 0; k < given; k++) {
            const long above = common[k + 1];
            const bool same = is_same_line(&before[k], &after[i]);
            common[k + 1] = same ? diagonal + after[i].weight : above > common[k] ? above : common[k];
            diagonal = above;
        }
    }
    const long one = weight(before, given), other = weight(after, count);
    const long found = (one > other ? one : other) - common[given];
    free(common);
    return found;
}

/* Whether the function is one that the student's file offers, and may change. */
static bool is_offered(const line *head)
{
    for (int i = 0; i < head->count; i++) {
        const source_token *at = head->token + i;
        if (token_is(at, "static") || token_is(at, "inline") || token_is(at, "__inline") || token_is(at, "__inline__"))
            return false;
    }
    return true;
}

/* What a function counts for that is not the one asked for. */
static long weight_of_other(const lines *before, const line *head, size_t count)
{
    size_t given;
    const line *old = find(before, name_of(head), &given);
    if (old && is_offered(old)) return 0;
    bool same = old && given == count;
    for (size_t i = 0; same && i < count; i++) same = is_same_line(&old[i], &head[i]);
    return same ? 0 : weight(head, count);
}

/* What a line outside of functions counts for: a statement, an object with a value that `before` does not have, or a
 * literal that is more than another name, as of asm. */
static long weight_outside(const lines *before, const line *one)
{
    const source_token *last = one->token + one->count - 1, *end = one->token + one->whole;
    long literals = 0;
    bool runs = false;
    for (const source_token *at = one->token; at < end; at++) {
        for (int k = 0; k < at->length && token_is_literal(at); k++) runs = runs || strchr(" \t;\\%$", at->text[k]);
        literals += token_is_literal(at) ? weight_of_literal(at) : 0;
    }
    if (!token_is(last, "=") && !runs) return 0;
    for (size_t i = 0; i < before->count; i++)
        if (!before->line[i].head && is_same_line(&before->line[i], one)) return 0;
    const int values = token_is(last, "=") ? weight_of_values(last + 1, end) : 0;
    return values > literals ? values : literals ? literals : 1;
}

static long weight_of_rest(const lines *before, const lines *after, const source_token *function)
{
    enum { MOST = 1000 }; /* more are enough */
    long sum = 0;
    for (size_t i = 0, count; i < after->count && sum < MOST; i += count) {
        const line *one = &after->line[i];
        for (count = 1; one->head == one && i + count < after->count && after->line[i + count].head == one;) count++;
        if (one->where == LOOSE)
            sum += one->weight;
        else if (one->where == OUTSIDE && one->head != one)
            sum += weight_outside(before, one);
        else if (one->head == one && !is_same_token(name_of(one), function))
            sum += weight_of_other(before, one, count);
    }
    return sum;
}

int changed_lines(preprocessed_text before, preprocessed_text after, const char *function)
{
    lines one = {0}, other = {0};
    const source_token name = {.text = function, .length = (int)strlen(function)};
    long found = -1;
    if (read_lines(&one, before) && read_lines(&other, after)) {
        size_t given, count;
        const line *old = find(&one, &name, &given), *now = find(&other, &name, &count);
        found = difference(old, given, now, count);
        if (found >= 0) found += weight_of_rest(&one, &other, &name);
    }
    free_lines(&one);
    free_lines(&other);
    return found > 1 << 30 ? 1 << 30 : (int)found;
}

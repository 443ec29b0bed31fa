/* Over a function's text, once for each name that an address in the variable has there. */
#include "ir_variables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

span ir_variable_type(const ir_symbol *s)
{
    const span none = {s->text.start, 0}, line = ir_line(s->text.start);
    const char *global = span_find(line, " global ");
    if (!span_starts_with(line, " = ") || !global || span_find(line, " thread_local") || ir_is_own_name(s->name))
        return none;
    return span_starts_with(s->name, "llvm.") ? none : ir_item(global + strlen(" global "), " ,");
}

/* A loop that becomes vectors and is unrolled has hundreds. */
enum { MOST_ALIASES = 4096 };

/* Values that are addresses in the variable: its own name, and what is computed from it. */
typedef struct aliases {
    span name[MOST_ALIASES];
    int count;
    bool too_many;
} aliases;

static bool is_name_character(char c)
{
    return c == '_' || c == '.' || c == '$' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z');
}

/* Where the name stands in the text as a whole; NULL if it does not. */
static const char *find_name(span text, span name)
{
    const char *end = text.start + text.length;
    for (const char *at = text.start; (at = memmem(at, (size_t)(end - at), name.start, name.length)); at++)
        if (at + name.length == end || !is_name_character(at[name.length])) return at;
    return NULL;
}

static void add_alias(aliases *of, span line)
{
    size_t length = 0;
    while (line.start[length] == ' ') line.start++;
    while (line.start[length] != ' ' && line.start[length] != '\n') length++;
    span name = {line.start, length};
    for (int i = 0; i < of->count; i++)
        if (span_equal(of->name[i], name)) return;
    if (of->count == MOST_ALIASES)
        of->too_many = true;
    else
        of->name[of->count++] = name;
}

static bool computes_an_address(span instruction)
{
    return span_starts_with(instruction, "getelementptr ") || span_starts_with(instruction, "bitcast ") ||
           span_starts_with(instruction, "phi ") || span_starts_with(instruction, "select ") ||
           span_starts_with(instruction, "insertelement ") || span_starts_with(instruction, "shufflevector ");
}

/* What a line does through the name that stands at `at` in it. */
static void follow_line(aliases *of, bool *reads, bool *writes, span line, const char *at)
{
    const char *equals = span_find(line, " = "), *end = line.start + line.length;
    const char *begins = equals && *line.start == ' ' ? equals + 3 : line.start;
    while (*begins == ' ') begins++;
    span instruction = {begins, (size_t)(end - begins)};
    if (equals && at < equals) return; /* it is what the line defines */
    if (span_starts_with(instruction, "load ") || span_find(instruction, "@llvm.masked.load.") ||
        span_find(instruction, "@llvm.masked.gather.")) {
        *reads = true;
    } else if (span_find(instruction, "@llvm.masked.store.") || span_find(instruction, "@llvm.masked.scatter.")) {
        *writes = true;
    } else if (span_starts_with(instruction, "store ")) {
        const char *comma = span_find(instruction, ", ");
        *writes = true;
        if (!comma || at < comma) *reads = true; /* the address itself is stored */
    } else if (computes_an_address(instruction)) {
        add_alias(of, line);
    } else if (!span_starts_with(instruction, "icmp ")) {
        *reads = *writes = true;
    }
}

/* What is done through one name, in every line where it stands. */
static void follow_name(aliases *of, bool *reads, bool *writes, span function, span name)
{
    const char *end = function.start + function.length, *at;
    for (span rest = function; (at = find_name(rest, name)); rest.length = (size_t)(end - rest.start)) {
        const char *before = memrchr(rest.start, '\n', (size_t)(at - rest.start));
        const span line = ir_line(before ? before + 1 : rest.start);
        follow_line(of, reads, writes, line, at);
        rest.start = line.start + line.length;
    }
}

/* What the function's text does to the variable: loads and stores are told apart, also through addresses computed from
 * it; whatever else is done with such an address counts as both. */
static char access_in_function(span function, span variable)
{
    bool reads = false, writes = false;
    aliases *of = malloc(sizeof *of);
    if (!of) return 'b';
    of->name[0] = (span){variable.start - 1, variable.length + 1}; /* with its @ */
    of->count = 1;
    of->too_many = false;
    for (int i = 0; i < of->count; i++) follow_name(of, &reads, &writes, function, of->name[i]);
    if (of->too_many) reads = writes = true;
    free(of);
    return reads && writes ? 'b' : reads ? 'r' : writes ? 'w' : 'n';
}

static char join_letters(char one, char other)
{
    if (one == 'n' || one == other) return other;
    return other == 'n' ? one : 'b';
}

char ir_variable_access(const ir_symbols *all, const ir_symbol *variable)
{
    char letter = 'n';
    for (int i = 0; i < all->count; ++i) {
        const ir_symbol *function = &all->list[i];
        if (function->reached && *function->text.start == '(')
            letter = join_letters(letter, access_in_function(function->text, variable->name));
    }
    return letter;
}

bool ir_variables_keep(FILE *out, span line)
{
    static const char internal[] = " internal ";
    const char *end = line.start + line.length, *after = line.start;
    const span name = *line.start == '@' ? ir_next_name('@', line.start, end, &after) : (span){line.start, 0};
    const ir_symbol symbol = {.name = name, .text = {after, (size_t)(end - after)}};
    const char *at = name.length && ir_variable_type(&symbol).length ? span_find(symbol.text, internal) : NULL;
    if (!at) return false;
    fwrite(line.start, 1, (size_t)(at - line.start), out);
    fputs(" hidden ", out);
    at += sizeof internal - 1;
    fwrite(at, 1, (size_t)(end - at), out);
    return true;
}

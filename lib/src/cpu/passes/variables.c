/* Follows every name that an address in the variable has in a function's text. */
#include "variables.h"
#include "accesses.h"
#include "spaces.h"

#include "cpu/ir/emit.h"

#include <stdlib.h>

span ir_variable_type(const ir_symbol *s)
{
    const span none = {s->text.start, 0}, line = ir_line(s->text.start);
    const char *global = span_find(line, " global ");
    if (!span_starts_with(line, " = ") || !global || span_find(line, " thread_local") || ir_is_own_name(s->name))
        return none;
    return span_starts_with(s->name, "llvm.") ? none : ir_item(global + strlen(" global "), " ,");
}

/* A loop that is unrolled into vectors has hundreds. A function with more counts as reading and writing. */
enum { MOST_ALIASES = 4096 };

/* The names of addresses in the variable: its own, and those of values computed from it. */
typedef struct aliases {
    span name[MOST_ALIASES];
    int count;
    bool too_many;
} aliases;

/* The first occurrence of the whole name in the text, or NULL. */
static const char *find_name(span text, span name)
{
    const char *end = span_end(text);
    for (const char *at = text.start; (at = memmem(at, (size_t)(end - at), name.start, name.length)); at++)
        if (at + name.length == end || !ir_is_plain_name((span){at + name.length, 1})) return at;
    return NULL;
}

static void add_alias(aliases *known, span line)
{
    size_t length = 0;
    while (line.start[length] == ' ') line.start++;
    while (line.start[length] != ' ' && line.start[length] != '\n') length++;
    span name = {line.start, length};
    for (int i = 0; i < known->count; i++)
        if (span_equal(known->name[i], name)) return;
    if (known->count == MOST_ALIASES)
        known->too_many = true;
    else
        known->name[known->count++] = name;
}

/* Instructions whose result may be an address in the variable, or a number that an address is made from again. */
static bool computes_an_address(span instruction)
{
    static const char *const names[] = {"getelementptr ", "bitcast ",
                                        "addrspacecast ", "phi ",
                                        "select ",        "insertelement ",
                                        "shufflevector ", "extractelement ",
                                        "freeze ",        "ptrtoint ",
                                        "inttoptr ",      "add ",
                                        "sub ",           "mul ",
                                        "and ",           "or ",
                                        "xor ",           "shl ",
                                        "lshr ",          "ashr ",
                                        "urem ",          "udiv ",
                                        "trunc ",         "zext ",
                                        "sext ",          NULL};
    for (int i = 0; names[i]; i++)
        if (span_starts_with(instruction, names[i])) return true;
    return false;
}

/* Whether the name stands inside a constant "icmp ult (float* ..., float* ...)": only the order of addresses counts. */
static bool is_compared(span instruction, const char *at)
{
    int depth = 0;
    while (at-- > instruction.start) {
        if (*at == ')') depth++;
        if (*at != '(' || depth-- > 0) continue;
        depth = 0;
        const char *word = at;
        for (int words = 0; words < 2; words++) { /* the kind of comparison, and "icmp" */
            while (word > instruction.start && word[-1] == ' ') word--;
            while (word > instruction.start && word[-1] >= 'a' && word[-1] <= 'z') word--;
        }
        if (strncmp(word, "icmp ", strlen("icmp ")) == 0) return true;
    }
    return false;
}

/* What a function does through its parameter of that number, by what the optimiser has written at it. */
static char access_of_parameter(const ir_symbol *function, int number)
{
    const char *at = function ? function->text.start : "";
    while (*at == '(' || *at == ',') {
        const span parameter = ir_item(++at, ",");
        if (number-- == 0) return ir_accesses_of_argument(parameter);
        at = span_end(parameter);
    }
    return 'b';
}

/* What one of the compiler's own functions does through its argument of that number. */
static char access_of_intrinsic(span name, int number)
{
    static const char *const silent[] = {"llvm.assume", "llvm.prefetch", "llvm.lifetime.", "llvm.invariant."};
    for (size_t i = 0; i < sizeof silent / sizeof *silent; i++)
        if (span_starts_with(name, silent[i])) return 'n';
    if (span_starts_with(name, "llvm.memset.")) return 'w';
    if (!span_starts_with(name, "llvm.memcpy.") && !span_starts_with(name, "llvm.memmove.")) return 'b';
    return number == 0 ? 'w' : 'r';
}

/* What a call does through the argument in which the name stands. */
static char access_by_call(const ir_symbols *all, span instruction, const char *at)
{
    const char *open;
    const span name = ir_next_name('@', instruction.start, span_end(instruction), &open);
    if (!name.length || *open != '(' || at < open) return 'b'; /* a call through a pointer */
    int number = 0;
    for (const char *next = open; *next == '(' || *next == ','; number++) {
        const span argument = ir_item(++next, ",");
        next = span_end(argument);
        if (at < next) break;
    }
    if (span_starts_with(name, "llvm.")) return access_of_intrinsic(name, number);
    return access_of_parameter(ir_find_symbol(all, name), number);
}

/* Adds what a line does through the name at `at`. */
static void follow_line(const ir_symbols *all, aliases *known, bool *reads, bool *writes, span line, const char *at)
{
    const char *equals = span_find(line, " = "), *end = span_end(line);
    const char *begins = equals && *line.start == ' ' ? equals + 3 : line.start;
    while (*begins == ' ') begins++;
    span instruction = {begins, (size_t)(end - begins)};
    if (equals && at < equals) return; /* the line defines it */
    if (span_starts_with(instruction, "icmp ") || is_compared(instruction, at)) return;
    if (span_starts_with(instruction, "load ") || span_find(instruction, "@llvm.masked.load.") ||
        span_find(instruction, "@llvm.masked.gather.")) {
        *reads = true;
    } else if (span_find(instruction, "@llvm.masked.store.") || span_find(instruction, "@llvm.masked.scatter.")) {
        *writes = true;
    } else if (span_starts_with(instruction, "store ")) {
        *writes = true;
        if (at < span_end(ir_item(begins + strlen("store "), ","))) *reads = true; /* the address itself is stored */
    } else if (computes_an_address(instruction)) {
        add_alias(known, line);
    } else {
        const char letter = span_find(instruction, "call ") ? access_by_call(all, instruction, at) : 'b';
        *reads = *reads || letter == 'r' || letter == 'b';
        *writes = *writes || letter == 'w' || letter == 'b';
    }
}

/* Adds what all lines do through one name. */
static void follow_name(const ir_symbols *all, aliases *known, bool *reads, bool *writes, span function, span name)
{
    const char *end = span_end(function), *at;
    for (span rest = function; (at = find_name(rest, name)); rest.length = (size_t)(end - rest.start)) {
        const char *before = memrchr(rest.start, '\n', (size_t)(at - rest.start));
        const span line = ir_line(before ? before + 1 : rest.start);
        follow_line(all, known, reads, writes, line, at);
        rest.start = span_end(line);
    }
}

/* What the function does to the variable. Loads, stores and copies count as such, also through addresses computed from
 * the variable. A comparison of addresses is no access. A call does what its function does through the parameter. Every
 * other use of such an address counts as both. */
static char access_in_function(const ir_symbols *all, span function, span variable)
{
    bool reads = false, writes = false;
    aliases *known = malloc(sizeof *known);
    if (!known) return 'b';
    known->name[0] = (span){variable.start - 1, variable.length + 1}; /* with its @ */
    known->count = 1;
    known->too_many = false;
    for (int i = 0; i < known->count; i++) follow_name(all, known, &reads, &writes, function, known->name[i]);
    if (known->too_many) reads = writes = true;
    free(known);
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
    if (!variable->reached) return letter;
    for (int i = 0; i < all->count; ++i) {
        const ir_symbol *function = &all->list[i];
        if (function->reached && *function->text.start == '(')
            letter = join_letters(letter, access_in_function(all, function->text, variable->name));
    }
    return letter;
}

bool ir_variables_keep(FILE *out, span line)
{
    static const char internal[] = " internal ";
    const char *end = span_end(line), *after = line.start;
    const span name = *line.start == '@' ? ir_next_name('@', line.start, end, &after) : (span){line.start, 0};
    const ir_symbol symbol = {.name = name, .text = {after, (size_t)(end - after)}};
    const char *at = name.length && ir_variable_type(&symbol).length ? span_find(symbol.text, internal) : NULL;
    if (!at) return false;
    ir_emit_span(out, (span){line.start, (size_t)(at - line.start)});
    fputs(" hidden ", out);
    at += strlen(internal);
    ir_spaces_copy(out, (span){at, (size_t)(end - at)});
    return true;
}

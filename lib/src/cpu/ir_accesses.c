/* Reads "define void @lab_probe_scale(float* nocapture readonly %x, i32 %n) ... {". */
#include "ir_accesses.h"

#include <stdlib.h>
#include <string.h>

static const char prefix[] = "lab_probe_";

span ir_accesses_find(const char *ir, span name)
{
    for (span line; (line = ir_line(ir)).length; ir += line.length) {
        const char *after;
        if (!span_starts_with(line, "define ")) continue;
        if (!span_equal(ir_next_name('@', ir, ir + line.length, &after), name)) continue;
        const char *end = strstr(ir, "\n}");
        if (!end) break;
        return (span){ir, (size_t)(end + 3 - ir)};
    }
    return (span){ir, 0};
}

void ir_accesses_write_head(FILE *out, span line, span name)
{
    const char *at = name.start + name.length;
    fprintf(out, "define void @%s%.*s", prefix, (int)name.length, name.start);
    fwrite(at, 1, (size_t)(line.start + line.length - at), out);
}

static bool is_probe(span line)
{
    const char *after;
    if (!span_starts_with(line, "define ")) return false;
    return span_starts_with(ir_next_name('@', line.start, line.start + line.length, &after), prefix);
}

void ir_accesses_leave_out(FILE *out, const char *ir)
{
    bool inside = false;
    for (span line; (line = ir_line(ir)).length; ir += line.length) {
        if (is_probe(line)) inside = true;
        if (!inside) fwrite(line.start, 1, line.length, out);
        if (*line.start == '}') inside = false;
    }
}

/* Whether the parameter has the attribute, a word by itself. */
static bool has(span parameter, const char *attribute)
{
    size_t length = strlen(attribute);
    const char *end = parameter.start + parameter.length;
    for (const char *at = parameter.start; (at = memmem(at, (size_t)(end - at), attribute, length)); at += length)
        if (at > parameter.start && at[-1] == ' ' && (at + length == end || at[length] == ' ')) return true;
    return false;
}

static char letter_of(span parameter)
{
    return has(parameter, "readnone")    ? 'n'
           : has(parameter, "readonly")  ? 'r'
           : has(parameter, "writeonly") ? 'w'
                                         : 'b';
}

/* From behind the opening bracket; false if they do not fit. */
static bool read_parameters(char *letters, size_t capacity, const char *at, const char *end)
{
    size_t count = 0;
    int depth = 0;
    for (const char *start = at; at < end; at++) {
        if (*at == '(' || *at == '{' || *at == '[' || *at == '<') depth++;
        bool ends = depth == 0 && (*at == ',' || *at == ')');
        if (ends && at > start) {
            if (count + 1 >= capacity) return false;
            letters[count++] = letter_of((span){start, (size_t)(at - start)});
            letters[count] = '\0';
        }
        if (ends && *at == ')') return true;
        if (ends) start = at + 1;
        if (*at == ')' || *at == '}' || *at == ']' || *at == '>') depth--;
    }
    return false;
}

void ir_accesses_read(char *letters, size_t capacity, const char *ir, const char *kernel)
{
    char name[512];
    *letters = '\0';
    int length = snprintf(name, sizeof name, "%s%s", prefix, kernel);
    if (length >= (int)sizeof name) return;
    span found = ir_accesses_find(ir, (span){name, (size_t)length});
    const char *open = found.length ? memchr(found.start, '(', found.length) : NULL;
    if (!open || !read_parameters(letters, capacity, open + 1, found.start + found.length)) *letters = '\0';
}

/* ---- variables of the module ---- */

enum { MOST_ALIASES = 64 };

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

char ir_accesses_of_variable(span function, span variable)
{
    aliases of = {.name = {{variable.start - 1, variable.length + 1}}, .count = 1}; /* with its @ */
    bool reads = false, writes = false;
    for (int i = 0; i < of.count; i++) {
        span line;
        for (const char *from = function.start; (line = ir_line(from)).length; from += line.length) {
            if (from >= function.start + function.length) break;
            const char *at = find_name(line, of.name[i]);
            if (at) follow_line(&of, &reads, &writes, line, at);
        }
    }
    if (of.too_many) reads = writes = true;
    return reads && writes ? 'b' : reads ? 'r' : writes ? 'w' : 'n';
}

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

ir_symbol *ir_accesses_probe(const ir_symbols *symbols, const char *kernel)
{
    char name[512];
    const int length = snprintf(name, sizeof name, "%s%s", prefix, kernel);
    return length < (int)sizeof name ? ir_find_symbol(symbols, (span){name, (size_t)length}) : NULL;
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

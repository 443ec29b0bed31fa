/* Values are found line by line: the functions are short. */
#include "function.h"

#include "cpu/ir/emit.h"

#include <stdlib.h>

static span definition(span line)
{
    const span none = {line.start, 0};
    if (!span_starts_with(line, "  %")) return none;
    const span name = ir_item(line.start + 3, " ");
    return strncmp(name.start + name.length, " = ", 3) == 0 ? name : none;
}

static bool add_line(function *f, span line)
{
    if (f->lines == f->capacity) {
        const int capacity = f->capacity ? 2 * f->capacity : 256;
        span *lines = realloc(f->line, (size_t)capacity * sizeof *lines);
        if (lines) f->line = lines;
        span *defined = lines ? realloc(f->defined, (size_t)capacity * sizeof *defined) : NULL;
        if (!defined) return false;
        f->defined = defined;
        f->capacity = capacity;
    }
    f->line[f->lines] = line;
    f->defined[f->lines++] = definition(line);
    return true;
}

bool function_read(function *f, span text)
{
    *f = (function){0};
    const char *end = span_end(text);
    for (const char *at = text.start; at < end; at += ir_line(at).length)
        if (!add_line(f, ir_line(at))) return false;
    return true;
}

void function_free(function *f)
{
    free(f->line);
    free(f->defined);
}

int function_find(const function *f, int first, int end, span name)
{
    for (int i = first; i < end; ++i)
        if (f->defined[i].length && span_equal(f->defined[i], name)) return i;
    return -1;
}

int function_find_operand(const function *f, int first, int end, span operand)
{
    if (!span_starts_with(operand, "%")) return -1;
    return function_find(f, first, end, (span){operand.start + 1, operand.length - 1});
}

span function_instruction(const function *f, int line)
{
    const span whole = f->line[line], defined = f->defined[line];
    const char *start = defined.length ? defined.start + defined.length + strlen(" = ") : whole.start + 2;
    return (span){start, strcspn(start, "\n")};
}

bool function_is_phi(const function *f, int line)
{
    return f->defined[line].length && span_starts_with(function_instruction(f, line), "phi ");
}

bool function_next_incoming(incoming *edge, const char **at, const char *end)
{
    const char *next = *at;
    if (strncmp(next, "phi ", 4) == 0) next += 4 + ir_item(next + 4, " ").length;
    const char *open = memmem(next, (size_t)(end - next), "[ ", 2);
    if (!open) return false;
    edge->value = ir_item(open + 2, ",");
    const char *mark = span_end(edge->value);
    if (strncmp(mark, ", %", 3) != 0) return false;
    edge->label = ir_item(mark + 3, " ");
    *at = span_end(edge->label) + 2;
    edge->whole = (span){open, (size_t)(*at - open)};
    return *at <= end;
}

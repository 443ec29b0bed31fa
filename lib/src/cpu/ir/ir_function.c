/* A function of LLVM IR as lines of text. */
#include "ir_function.h"

#include <stdlib.h>
#include <string.h>

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
    const char *end = text.start + text.length;
    for (const char *at = text.start; at < end; at += ir_line(at).length)
        if (!add_line(f, ir_line(at))) return false;
    return true;
}

void function_free(function *f)
{
    free(f->line);
    free(f->defined);
}

int function_find(const function *f, int from, int to, span name)
{
    for (int i = from; i < to; ++i)
        if (f->defined[i].length && span_equal(f->defined[i], name)) return i;
    return -1;
}

int function_find_operand(const function *f, int from, int to, span operand)
{
    if (!span_starts_with(operand, "%")) return -1;
    return function_find(f, from, to, (span){operand.start + 1, operand.length - 1});
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

bool function_next_incoming(incoming *in, const char **at, const char *end)
{
    const char *from = *at;
    if (strncmp(from, "phi ", 4) == 0) from += 4 + ir_item(from + 4, " ").length;
    const char *open = memmem(from, (size_t)(end - from), "[ ", 2);
    if (!open) return false;
    in->value = ir_item(open + 2, ",");
    const char *mark = in->value.start + in->value.length;
    if (strncmp(mark, ", %", 3) != 0) return false;
    in->label = ir_item(mark + 3, " ");
    *at = in->label.start + in->label.length + 2;
    in->whole = (span){open, (size_t)(*at - open)};
    return *at <= end;
}

void function_write_renamed(FILE *out, const function *f, int from, int to, const char *prefix, span text)
{
    const char *copied = text.start, *at = text.start, *end = text.start + text.length;
    for (span name; (name = ir_next_name('%', at, end, &at)).length;) {
        if (function_find(f, from, to, name) < 0) continue;
        fwrite(copied, 1, (size_t)(name.start - copied), out);
        fputs(prefix, out);
        copied = name.start;
    }
    fwrite(copied, 1, (size_t)(end - copied), out);
}

/* A probe begins as "define void @lab_probe_scale(float* nocapture readonly %x, i32 %n) ... {". */
#include "accesses.h"

#include "cpu/ir/emit.h"

static const char prefix[] = "lab_probe_";

span ir_accesses_find(const char *ir, const char *before, span name)
{
    for (span line; (line = ir_line(ir)).length; ir += line.length) {
        const char *after;
        if (!span_starts_with(line, "define ")) continue;
        if (!span_is_joined(ir_next_name('@', ir, span_end(line), &after), before, name)) continue;
        const char *end = strstr(ir, "\n}");
        if (!end) break;
        return (span){ir, (size_t)(end + 3 - ir)};
    }
    return (span){ir, 0};
}

void ir_accesses_write_head(FILE *out, span line)
{
    const char *after;
    const span name = ir_next_name('@', line.start, span_end(line), &after);
    ir_emit(&(ir_emitter){.out = out}, "define void $$", as_symbol(prefix, name),
            as_text((span){after, (size_t)(span_end(line) - after)}));
}

void ir_accesses_write_call(FILE *out, span line)
{
    const char *after;
    const span name = ir_next_name('@', line.start, span_end(line), &after), params = {after + 1, 0};
    const span given = ir_item(params.start, "");
    ir_emit(&(ir_emitter){.out = out}, "  call void $($)\n  ret void\n}\n", as_symbol("", name), as_text(given));
}

static bool is_probe(span line)
{
    const char *after;
    if (!span_starts_with(line, "define ")) return false;
    return span_starts_with(ir_next_name('@', line.start, span_end(line), &after), prefix);
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
    return ir_find_prefixed(symbols, prefix, span_of(kernel));
}

/* Whether the attribute is one of the parameter's words. */
static bool has(span parameter, const char *attribute)
{
    const size_t length = strlen(attribute);
    const char *end = span_end(parameter);
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

char ir_accesses_of_argument(span parameter)
{
    const char letter = letter_of(parameter);
    const bool escapes = !has(parameter, "nocapture") && !has(parameter, "captures(none)");
    return letter != 'n' && escapes ? 'b' : letter;
}

static span next_value(const char *at, const char *end, const char **after)
{
    return ir_next_name('%', at, end, after);
}

/* Whether the probe does anything with the parameter. Of a function without effects the optimiser says so only at the
 * function. */
static bool is_used(span probe, span parameter)
{
    span name = {0};
    const char *after;
    for (span each, rest = parameter; (each = next_value(rest.start, span_end(parameter), &after)).length;
         rest.start = after)
        name = each;
    const char *at = span_end(ir_line(probe.start));
    for (span each; (each = next_value(at, span_end(probe), &after)).length; at = after)
        if (span_equal(each, name)) return true;
    return false;
}

int ir_accesses_write(FILE *out, const char *ir, const char *kernel)
{
    const span probe = ir_accesses_find(ir, prefix, span_of(kernel));
    const char *at = probe.length ? memchr(probe.start, '(', probe.length) : NULL;
    int count = 0;
    while (at && (*at == '(' || *at == ',')) {
        const span parameter = ir_item(++at, ",");
        at = span_end(parameter);
        if (!parameter.length) continue;
        fputc(is_used(probe, parameter) ? letter_of(parameter) : 'n', out);
        ++count;
    }
    return count;
}

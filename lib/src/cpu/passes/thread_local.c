/* The call is the generator's own: an instruction without code needs the address of a variable. */
#include "thread_local.h"

#include "cpu/ir/emit.h"

/* Whether the text names a thread-local variable of the module. A longer name that begins alike counts as well. */
static bool names_one(span text, const char *ir)
{
    for (span line; (line = ir_line(ir)).length; ir = span_end(line)) {
        char name[256];
        const char *after;
        if (*line.start != '@' || !span_find(line, " thread_local ")) continue;
        const span found = ir_next_name('@', line.start, span_end(line), &after);
        if ((size_t)snprintf(name, sizeof name, "@%.*s", (int)found.length, found.start) >= sizeof name) return true;
        if (span_find(text, name)) return true;
    }
    return false;
}

/* The end of the first line of a function, and of its first block's label if it has one. */
static const char *beginning_of(span function)
{
    const char *body = span_end(ir_line(function.start));
    return *body == ' ' ? body : span_end(ir_line(body));
}

void ir_find_thread_local_once(FILE *out, const char *ir)
{
    const ir_emitter e = {out, ir_has_typed_pointers(ir)};
    const char *at = ir;
    bool any = false;
    for (span text; (text = ir_line(at)).length; at = span_end(text)) {
        const char *end = span_starts_with(text, "define ") ? strstr(at, "\n}\n") : NULL, *copied = at;
        if (end) text.length = (size_t)(end + 3 - at);
        if (end && names_one(text, ir)) {
            copied = beginning_of(text);
            ir_emit_span(out, (span){at, (size_t)(copied - at)});
            ir_emit(&e, "  call void asm sideeffect \"\", \"r\"($ @lab_here)\n", as_pointer(span_of("i8")));
            any = true;
        }
        ir_emit_span(out, (span){copied, (size_t)(span_end(text) - copied)});
    }
    if (any) fputs("@lab_here = internal thread_local global i8 0\n", out);
}

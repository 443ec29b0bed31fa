/* A lane that is not active may have no address to load from. So if none is, a constant of the module is loaded. */
#include "uniform.h"
#include "function.h"

#include "cpu/ir/emit.h"

#include <stdlib.h>
#include <string.h>

enum { ARGUMENTS = 4 };

/* "%9 = call <8 x float> @llvm.masked.gather.v8f32.v8p0f32(<8 x float*> %7, i32 4, <8 x i1> %8, <8 x float> undef), !5"
 */
typedef struct gather {
    span type, element; /* "<8 x float>", "float" */
    span address;       /* that of all lanes, "float* %3" */
    span alignment;     /* "4" */
    span mask;          /* "<8 x i1> %8" */
    span rest;          /* ", !5" */
    int lanes;
} gather;

static bool ends_with(span text, const char *end)
{
    const size_t length = strlen(end);
    return text.length >= length && memcmp(span_end(text) - length, end, length) == 0;
}

/* The element of the vector "insertelement <8 x float*> poison, float* %3, i64 0" that "shufflevector <8 x float*> %6,
 * <8 x float*> poison, <8 x i32> zeroinitializer" puts into all lanes; length 0 if a value is not made like that. */
static span same_in_all_lanes(const function *f, span vector)
{
    static const char splat[] = "shufflevector ", begin[] = "insertelement ";
    const span none = {vector.start, 0};
    const char *name = memchr(vector.start, '%', vector.length);
    int line = name ? function_find_operand(f, 0, f->lines, (span){name, (size_t)(span_end(vector) - name)}) : -1;
    if (line < 0) return none;
    const span whole = function_instruction(f, line);
    if (!span_starts_with(whole, splat) || !ends_with(whole, " zeroinitializer")) return none;
    const span from = ir_item(whole.start + strlen(splat), ",");
    name = memchr(from.start, '%', from.length);
    line = name ? function_find_operand(f, 0, f->lines, (span){name, (size_t)(span_end(from) - name)}) : -1;
    if (line < 0) return none;
    const span made = function_instruction(f, line);
    if (!span_starts_with(made, begin) || !ends_with(made, " 0")) return none;
    const span before = ir_item(made.start + strlen(begin), ",");
    return ir_item(span_end(before) + strlen(", "), ",");
}

static bool read_gather(gather *g, const function *f, int line)
{
    const span text = f->line[line];
    const char *call = span_find(text, " call "), *at = span_find(text, "@llvm.masked.gather.v");
    if (!call || !at || f->defined[line].length == 0) return false;
    span argument[ARGUMENTS];
    at = strchr(at, '(');
    for (int i = 0; i < ARGUMENTS; i++) {
        argument[i] = ir_item(at + 1, ",");
        at = span_end(argument[i]);
        if (*at == ',') at++;
    }
    if (*at != ')' || !(ends_with(argument[3], " undef") || ends_with(argument[3], " poison"))) return false;
    g->type = ir_item(call + strlen(" call "), " ");
    const char *element = span_find(g->type, " x ");
    if (!element || !span_find(argument[2], " x i1> %")) return false;
    element += strlen(" x ");
    g->element = (span){element, (size_t)(span_end(g->type) - element - 1)};
    g->lanes = atoi(g->type.start + 1);
    g->alignment = (span){argument[1].start + strlen("i32 "), argument[1].length - strlen("i32 ")};
    g->mask = argument[2];
    at++;
    if (strncmp(at, " #", 2) == 0) at += 2 + strspn(at + 2, "0123456789");
    g->rest = (span){at, strcspn(at, "\n")};
    g->address = same_in_all_lanes(f, argument[0]);
    return g->address.length > 0;
}

static void write_load(const ir_emitter *e, const gather *g, span name, int number)
{
    const ir_piece n = as_number(number), lanes = as_number(g->lanes), type = as_text(g->type);
    const ir_piece element = as_text(g->element), pointer = as_pointer(g->element);
    ir_emit(e, "  %lab.lanes.$ = bitcast $ to i$\n  %lab.some.$ = icmp ne i$ %lab.lanes.$, 0\n", n, as_text(g->mask),
            lanes, n, lanes, n);
    ir_emit(e, "  %lab.from.$ = select i1 %lab.some.$, $, $ ", n, n, as_text(g->address), pointer);
    if (e->typed_pointers)
        ir_emit(e, "bitcast ([8 x i8]* @lab_nothing to $)\n", pointer);
    else
        fputs("@lab_nothing\n", e->out);
    ir_emit(e, "  %lab.same.$ = load $, $ %lab.from.$, align $$\n", n, element, pointer, n, as_text(g->alignment),
            as_text(g->rest));
    ir_emit(e, "  %lab.lane.$ = insertelement $ undef, $ %lab.same.$, i32 0\n", n, type, element, n);
    ir_emit(e, "  %$ = shufflevector $ %lab.lane.$, $ undef, <$ x i32> zeroinitializer\n", as_text(name), type, n, type,
            lanes);
}

static bool copy_function(const ir_emitter *e, span text, int *loads)
{
    function f;
    const bool done = function_read(&f, text);
    for (int i = 0; done && i < f.lines; i++) {
        gather g;
        if (read_gather(&g, &f, i))
            write_load(e, &g, f.defined[i], (*loads)++);
        else
            ir_emit_span(e->out, f.line[i]);
    }
    function_free(&f);
    return done;
}

bool cpu_ir_load_once(FILE *out, const char *ir)
{
    const ir_emitter e = {.out = out, .typed_pointers = ir_has_typed_pointers(ir)};
    int loads = 0;
    for (span text; (text = ir_line(ir)).length; ir += text.length) {
        const char *end = span_starts_with(text, "define ") ? strstr(ir, "\n}\n") : NULL;
        if (end) text.length = (size_t)(end + 3 - ir);
        if (!end || !span_find(text, "@llvm.masked.gather."))
            ir_emit_span(out, text);
        else if (!copy_function(&e, text, &loads))
            return false;
    }
    if (loads > 0) fputs("@lab_nothing = private constant [8 x i8] zeroinitializer, align 8\n", out);
    return true;
}

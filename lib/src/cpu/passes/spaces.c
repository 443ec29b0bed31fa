/* A function is a comparison for each variable: (unsigned long)(address - begin) < bytes. */
#include "spaces.h"

typedef struct space {
    const char *function;
    bool (*holds)(span line, span name); /* whether a line defines a variable of this kind */
} space;

/* Shared variables are thread-local here, as those of the built-ins are, to which no kernel has a pointer. */
static bool is_shared(span line, span name)
{
    return span_find(line, " thread_local ") && (!ir_is_own_name(name) || span_is(name, "lab_dynamic_shared"));
}

static bool is_constant(span line, span name)
{
    (void)name;
    return span_find(line, IR_CONSTANT_SECTION);
}

/* The address as a number: to the optimiser an argument that is neither read, written nor kept. If it saw the code of
 * the function, it would follow the number, and say no more of what the kernel does at the address. */
static void write_number_of(const ir_emitter *e)
{
    ir_emit(e,
            "\ndefine internal i64 @lab_number_of($ nocapture readnone %address) noinline optnone nounwind {\n"
            "  %number = ptrtoint $ %address to i64\n  ret i64 %number\n}\n",
            as_pointer(span_of("i8")), as_pointer(span_of("i8")));
}

static const space spaces[] = {{"lab_in_shared", is_shared}, {"lab_in_constant", is_constant}};
enum { SPACES = sizeof spaces / sizeof *spaces };

static bool declares(span line, const char *function)
{
    const char *after;
    return span_starts_with(line, "declare ") &&
           span_is(ir_next_name('@', line.start, span_end(line), &after), function);
}

bool ir_spaces_declares(span line)
{
    for (int i = 0; i < SPACES; i++)
        if (declares(line, spaces[i].function)) return true;
    return declares(line, "lab_number_of");
}

void ir_spaces_copy(FILE *out, span text)
{
    const char *mark = span_find(text, IR_CONSTANT_SECTION);
    if (mark) {
        ir_emit_span(out, (span){text.start, (size_t)(mark - text.start)});
        mark += strlen(IR_CONSTANT_SECTION);
        mark += strcspn(mark, "\"\n") + 1;
        text = (span){mark, (size_t)(span_end(text) - mark)};
    }
    ir_emit_span(out, text);
}

bool ir_spaces_copy_constant(FILE *out, span line)
{
    if (*line.start != '@' || !is_constant(line, line)) return false;
    ir_spaces_copy(out, line);
    return true;
}

/* The type of the variable that a line defines; length 0 for a line that defines none. */
static span type_of(span line)
{
    const char *type = span_find(line, " global ");
    if (type) return ir_item(type + strlen(" global "), " ,");
    type = span_find(line, " constant ");
    return type ? ir_item(type + strlen(" constant "), " ,") : (span){line.start, 0};
}

static void write_function(const ir_emitter *e, const char *ir, const space *s)
{
    int known = 0;
    ir_emit(e, "\ndefine internal i32 @$(i64 %address) noinline nounwind {\n  %in.0 = icmp ult i64 0, 0\n",
            as_string(s->function));
    for (span line; (line = ir_line(ir)).length; ir = span_end(line)) {
        const char *after;
        if (*line.start != '@') continue;
        const span name = ir_next_name('@', line.start, span_end(line), &after), type = type_of(line);
        if (!type.length || !s->holds(line, name)) continue;
        ir_emit(e, "  %from.$ = sub i64 %address, ptrtoint ($ to i64)\n", as_number(known), as_address(type, "", name));
        ir_emit(e, "  %is.$ = icmp ult i64 %from.$, $\n", as_number(known), as_number(known), as_size(type));
        ir_emit(e, "  %in.$ = or i1 %in.$, %is.$\n", as_number(known + 1), as_number(known), as_number(known));
        known++;
    }
    ir_emit(e, "  %result = zext i1 %in.$ to i32\n  ret i32 %result\n}\n", as_number(known));
}

void ir_spaces_write(FILE *out, const char *ir)
{
    const ir_emitter e = {out, ir_has_typed_pointers(ir)};
    const char *at = ir;
    for (span line; (line = ir_line(at)).length; at = span_end(line)) {
        if (declares(line, "lab_number_of")) write_number_of(&e);
        for (int i = 0; i < SPACES; i++)
            if (declares(line, spaces[i].function)) write_function(&e, ir, &spaces[i]);
    }
}

/* The arguments are loaded once, before the loops: what a kernel writes cannot change them. */
#include "module.h"

#include "cpu/ir/operand.h"

#include <stdlib.h>

/* ---- entries ---- */

/* The parameter at `at` of a kernel's head: "%struct.P* noundef byval(%struct.P) align 8 %p". */
typedef struct parameter {
    span text, type; /* the type of the value, not of the pointer to it */
    span name;
    bool by_value, is_bit, is_pointer;
    int align;
} parameter;

static parameter read_parameter(span text)
{
    parameter made = {.text = text};
    const char *name = memrchr(text.start, '%', text.length);
    const char *by_value = span_find(text, " byval("), *align = span_find(text, " align ");
    if (name && (name[1] < '0' || name[1] > '9')) made.name = (span){name + 1, (size_t)(span_end(text) - name - 1)};
    if (by_value) {
        made.by_value = true;
        made.type = ir_item(by_value + strlen(" byval("), "");
        made.align = align ? atoi(align + strlen(" align ")) : 1;
        return made;
    }
    made.type = (span){text.start, (size_t)(operand_end_of_type(text.start) - text.start)};
    made.is_bit = span_is(made.type, "i1");
    made.is_pointer = *(span_end(made.type) - 1) == '*' || span_starts_with(made.type, "ptr");
    if (made.is_bit) made.type = span_of("i8");
    return made;
}

/* The next parameter after `at`, which is the opening bracket or a comma. False after the last one. */
static bool next_parameter(parameter *made, const char **at)
{
    if (**at != '(' && **at != ',') return false;
    const char *start = *at + 1;
    while (*start == ' ') start++;
    const span text = ir_item(start, ",");
    *at = span_end(text);
    if (!text.length) return false;
    *made = read_parameter(text);
    return true;
}

static const char *parameters_of(const found_name *kernel)
{
    const char *after;
    ir_next_name('@', kernel->head.start, span_end(kernel->head), &after);
    return after;
}

/* Loads the arguments from the array in the line "call void @lab_arguments(i8** noundef %0)". */
static void write_loads(const retarget_pass *p, const found_name *kernel, span line)
{
    const ir_emitter *e = &p->e;
    const span array = {memrchr(line.start, '%', line.length), 0};
    const span from = {array.start, array.start ? strcspn(array.start, ")") : 0};
    const span byte = span_of(e->typed_pointers ? "i8*" : "ptr");
    const char *at = parameters_of(kernel);
    parameter each;
    for (int i = 0; next_parameter(&each, &at); i++) {
        const span type = each.type;
        ir_emit(e, "  $ = getelementptr $, $ $, i64 $\n", as_local("lab.place", i), as_text(byte), as_pointer(byte),
                as_text(from), as_number(i));
        ir_emit(e, "  $ = load $, $ $, align 8\n", as_local("lab.address", i), as_text(byte), as_pointer(byte),
                as_local("lab.place", i));
        if (each.by_value) {
            ir_emit(e, "  $ = alloca $, align $\n", as_local("lab.argument", i), as_text(type), as_number(each.align));
            if (e->typed_pointers)
                ir_emit(e, "  $ = bitcast $ $ to i8*\n", as_local("lab.bytes", i), as_pointer(type),
                        as_local("lab.argument", i));
            ir_emit(e, "  call void @llvm.memcpy.$.i64($ align $ $, $ align $ $, i64 $, i1 false)\n",
                    as_string(e->typed_pointers ? "p0i8.p0i8" : "p0.p0"), as_text(byte), as_number(each.align),
                    as_local(e->typed_pointers ? "lab.bytes" : "lab.argument", i), as_text(byte), as_number(each.align),
                    as_local("lab.address", i), as_size(type));
            continue;
        }
        if (e->typed_pointers)
            ir_emit(e, "  $ = bitcast i8* $ to $\n", as_local("lab.typed", i), as_local("lab.address", i),
                    as_pointer(type));
        ir_emit(e, "  $ = load $, $ $, align 1\n", as_local(each.is_bit ? "lab.byte" : "lab.argument", i),
                as_text(type), as_pointer(type), as_local(e->typed_pointers ? "lab.typed" : "lab.address", i));
        if (each.is_bit) ir_emit(e, "  $ = trunc i8 $ to i1\n", as_local("lab.argument", i), as_local("lab.byte", i));
    }
}

static void write_call(const retarget_pass *p, const found_name *kernel)
{
    const char *at = parameters_of(kernel);
    parameter each;
    ir_emit(&p->e, "  call void $(", as_symbol("", retarget_symbol(kernel)));
    for (int i = 0; next_parameter(&each, &at); i++) {
        const char *name = memrchr(each.text.start, '%', each.text.length);
        ir_emit(&p->e, i ? ", $$" : "$$", as_text((span){each.text.start, (size_t)(name - each.text.start)}),
                as_local("lab.argument", i));
    }
    fputs(")\n", p->e.out);
}

static const char entry_prefix[] = "lab_entry_", thread_prefix[] = "lab_thread_";

/* Copies the function for the kernel, under another name. */
static void write_entry(const retarget_pass *p, const found_name *kernel, const char *function, const char *prefix)
{
    span line;
    for (const char *at = p->ir; (line = ir_line(at)).length; at += line.length) {
        if (!span_starts_with(line, "define ") || !span_is(retarget_name_after('@', line), function)) continue;
        const char *open = memchr(line.start, '(', line.length);
        ir_emit(&p->e, "define hidden void $", as_symbol(prefix, retarget_symbol(kernel)));
        retarget_copy_words(p, (span){open, (size_t)(span_end(line) - open)}, (const char *const[]){" comdat", NULL});
        for (at += line.length; (line = ir_line(at)).length; at += line.length) {
            if (span_find(line, " @lab_arguments("))
                write_loads(p, kernel, line);
            else if (span_find(line, " @lab_kernel("))
                write_call(p, kernel);
            else
                retarget_copy_words(p, line, (const char *const[]){NULL});
            if (*line.start == '}') return;
        }
    }
}

void retarget_write_entries(const retarget_pass *p)
{
    for (int i = 0; i < p->kernels.count; i++) {
        write_entry(p, &p->kernels.list[i], "lab_entry", entry_prefix);
        write_entry(p, &p->kernels.list[i], "lab_thread_entry", thread_prefix);
    }
}

/* ---- the table ---- */

/* cpu_param_kind of kernel_abi.h */
static int kind_of(const parameter *each)
{
    if (each->by_value) return 3;
    if (each->is_pointer) return 2;
    return span_is(each->type, "float") || span_is(each->type, "double") ? 1 : 0;
}

void retarget_write_kinds(const retarget_pass *p, const found_name *kernel)
{
    const char *at = parameters_of(kernel);
    parameter each;
    bool any = false;
    for (; next_parameter(&each, &at); any = true) fputc("ifpb"[kind_of(&each)], p -> e.out);
    if (!any) fputc('-', p->e.out);
}

static void write_text(const retarget_pass *p, const char *prefix, int number, int second, span text)
{
    ir_emit(&p->e, "@$$.$ = private unnamed_addr constant [$ x i8] c\"$\\00\"\n", as_string(prefix), as_number(number),
            as_number(second), as_number((long long)ir_decoded_length(text) + 1), as_text(text));
}

static void write_text_address(const retarget_pass *p, const char *prefix, int number, int second, span text)
{
    if (p->e.typed_pointers)
        ir_emit(&p->e, "i8* bitcast ([$ x i8]* @$$.$ to i8*)", as_number((long long)ir_decoded_length(text) + 1),
                as_string(prefix), as_number(number), as_number(second));
    else
        ir_emit(&p->e, "ptr @$$.$", as_string(prefix), as_number(number), as_number(second));
}

static const char *param_type(const retarget_pass *p)
{
    return p->e.typed_pointers ? "{ i8*, i8*, i32, i32, i32, i32, i32, i8 }"
                               : "{ ptr, ptr, i32, i32, i32, i32, i32, i8 }";
}

static int count_params(const found_name *kernel)
{
    const char *at = parameters_of(kernel);
    parameter each;
    int count = 0;
    while (next_parameter(&each, &at)) count++;
    return count;
}

/* Writes the kernel's cpu_params. */
static void write_params(const retarget_pass *p, const found_name *kernel, int number)
{
    const ir_emitter *e = &p->e;
    const char *at = parameters_of(kernel);
    parameter each;
    const int count = count_params(kernel);
    for (int i = 0; next_parameter(&each, &at); i++) {
        write_text(p, "lab_parameter", number, 2 * i, each.name);
        write_text(p, "lab_parameter", number, 2 * i + 1, span_of(each.is_pointer ? "a pointer" : ""));
    }
    ir_emit(e, "@lab_parameters.$ = private constant [$ x $] [", as_number(number), as_number(count + 1),
            as_string(param_type(p)));
    at = parameters_of(kernel);
    for (int i = 0; next_parameter(&each, &at); i++) {
        ir_emit(e, "$ { ", as_string(param_type(p)));
        write_text_address(p, "lab_parameter", number, 2 * i, each.name);
        fputs(", ", e->out);
        write_text_address(p, "lab_parameter", number, 2 * i + 1, span_of(each.is_pointer ? "a pointer" : ""));
        const span type = each.type, pointer = span_of("i8*");
        ir_emit(e, ", i32 $, i32 trunc (i64 $ to i32), i32 $, i32 0, i32 0, i8 0 },\n    ", as_number(kind_of(&each)),
                as_size(each.is_pointer && e->typed_pointers ? pointer : type), as_number(each.align ? each.align : 8));
    }
    ir_emit(e, "$ zeroinitializer]\n", as_string(param_type(p)));
}

static void write_function_address(const retarget_pass *p, const char *prefix, span name, const char *parameters)
{
    if (p->e.typed_pointers)
        ir_emit(&p->e, ", i8* bitcast (void ($)* $ to i8*)", as_string(parameters), as_symbol(prefix, name));
    else
        ir_emit(&p->e, ", ptr $", as_symbol(prefix, name));
}

/* The part of a cpu_kernel that the front end fills in; the rest is zero. */
void retarget_write_table(const retarget_pass *p)
{
    const ir_emitter *e = &p->e;
    const span byte = span_of(e->typed_pointers ? "i8*" : "ptr");
    cpu_text type = {0};
    FILE *out = open_memstream(&type.data, &type.size);
    if (!out) return;
    ir_emit(&(ir_emitter){.out = out}, "{ $, i32, i32, $, $, $, $, $, i64, i8, $, $, i64, $, $, $ }", as_text(byte),
            as_text(byte), as_text(byte), as_text(byte), as_text(byte), as_text(byte), as_text(byte), as_text(byte),
            as_text(byte), as_text(byte), as_text(byte));
    if (!ir_emit_end(out, &type)) return;
    const ir_piece whole = as_text((span){type.data, type.size});
    const int count = p->kernels.count;
    for (int i = 0; i < count; i++) {
        write_text(p, "lab_name", i, 0, p->kernels.list[i].place.function);
        write_params(p, &p->kernels.list[i], i);
    }
    ir_emit(e, "@lab_kernels = constant [$ x $] [\n", as_number(count + 1), whole);
    for (int i = 0; i < count; i++) {
        const found_name *kernel = &p->kernels.list[i];
        ir_emit(e, "  $ { ", whole);
        write_text_address(p, "lab_name", i, 0, kernel->place.function);
        ir_emit(e, ", i32 $, i32 $, ", as_number(kernel->place.line), as_number(count_params(kernel)));
        if (e->typed_pointers)
            ir_emit(e, "i8* bitcast ([$ x $]* @lab_parameters.$ to i8*)", as_number(count_params(kernel) + 1),
                    as_string(param_type(p)), as_number(i));
        else
            ir_emit(e, "ptr @lab_parameters.$", as_number(i));
        write_function_address(p, entry_prefix, retarget_symbol(kernel), "i8**, %struct.lab_cpu_launch*, i64, i64");
        write_function_address(p, thread_prefix, retarget_symbol(kernel), "i8**, %struct.lab_cpu_launch*, i32*, i32*");
        ir_emit(e, ", $ null, $ null, i64 0, i8 0, $ null, $ null, i64 0, $ null, $ null, $ null },\n", as_text(byte),
                as_text(byte), as_text(byte), as_text(byte), as_text(byte), as_text(byte), as_text(byte));
    }
    ir_emit(e, "  $ zeroinitializer\n]\n", whole);
    free(type.data);
}

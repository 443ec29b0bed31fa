/* Line by line; probes and the functions of casts come at the end. */
#include "passes.h"
#include "accesses.h"
#include "casts.h"
#include "divide.h"
#include "variables.h"

#include "cpu/ir/emit.h"
#include "cpu/ir/kernels.h"

/* LLVM 15 and later have calls "%3 = call align 4 ptr @llvm.threadlocal.address.p0(ptr align 4 @lab_thread)", which
 * become plain addresses. Before version 19 LLVM does not see through the call that no other pointer leads to the
 * variable. Returns false and copies nothing for any other line. */
static bool copy_thread_local(FILE *out, span line)
{
    const char *call = span_find(line, " = call "), *name = span_find(line, "@llvm.threadlocal.address.p0("), *after;
    const char *variable = call && name ? strchr(name + 1, '@') : NULL;
    if (!variable || !ir_next_name('@', variable, span_end(line), &after).length) return false;
    const span result = {line.start, (size_t)(call - line.start)}, symbol = {variable, (size_t)(after - variable)};
    ir_emit(&(ir_emitter){.out = out}, "$ = getelementptr i8, ptr $, i64 0\n", as_text(result), as_text(symbol));
    return true;
}

/* Writes a second copy of each kernel (accesses.h), with the same changes. */
static void write_probes(FILE *out, const char *ir, bool used[IR_CASTS])
{
    const span list = ir_find_annotations(ir);
    const char *at = list.start;
    for (span name; (name = ir_next_kernel(&at, list)).length;) {
        const span text = ir_accesses_find(ir, "", name);
        if (span_find(ir_line(text.start), "!dbg")) continue; /* debug information belongs to one function */
        const char *after = text.start;
        for (span line; after < span_end(text) && (line = ir_line(after)).length; after += line.length) {
            if (line.start == text.start)
                ir_accesses_write_head(out, line);
            else if (!copy_thread_local(out, line))
                ir_copy_casts(out, line, used);
        }
    }
}

static void prepare(FILE *out, const char *ir)
{
    static const char hidden[] = "define hidden ";
    const char *whole = ir;
    bool used[IR_CASTS] = {false};
    int divisions = 0;
    for (span line; (line = ir_line(ir)).length; ir = span_end(line)) {
        if (ir_is_annotations(line) || ir_declares_cast(line)) continue;
        if (span_starts_with(line, hidden)) {
            fputs("define internal ", out);
            line = (span){line.start + sizeof hidden - 1, line.length - (sizeof hidden - 1)};
        }
        if (copy_thread_local(out, line) || ir_variables_keep(out, line)) continue;
        if (ir_copy_division(out, line, divisions))
            ++divisions;
        else
            ir_copy_casts(out, line, used);
    }
    write_probes(out, whole, used);
    ir_write_casts(out, used);
}

bool cpu_ir_prepare(cpu_text *out, const char *ir)
{
    FILE *file = open_memstream(&out->data, &out->size);
    if (!file) return false;
    prepare(file, ir);
    return ir_emit_end(file, out);
}

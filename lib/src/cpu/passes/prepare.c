/* Line by line; probes and the functions of casts come at the end. */
#include "passes.h"
#include "accesses.h"
#include "casts.h"
#include "divide.h"
#include "spaces.h"
#include "variables.h"

#include "cpu/ir/emit.h"
#include "cpu/ir/kernels.h"
#include "cpu/ir/symbols.h"

#include <stdlib.h>
#include <string.h>

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

/* Whether the kernel of this first line stays as it is: its code is no part of its entries, and is not split. */
static bool stays(ir_symbols *all, const char *ir, span head, span name)
{
    if (!ir_stays_apart(ir, head)) return false;
    ir_forget_reached(all);
    ir_reach(all, ir_find_symbol(all, name));
    return !ir_reached_wait(all);
}

/* Writes the probe of each kernel (accesses.h): a second copy, with the same changes, or a call. */
static void write_probes(FILE *out, ir_symbols *all, const char *ir, bool used[IR_CASTS])
{
    const span list = ir_find_annotations(ir);
    const char *at = list.start;
    for (span name; (name = ir_next_kernel(&at, list)).length;) {
        const span text = ir_accesses_find(ir, "", name);
        if (span_find(ir_line(text.start), "!dbg")) continue; /* debug information belongs to one function */
        if (stays(all, ir, ir_line(text.start), name)) {
            ir_accesses_write_head(out, ir_line(text.start));
            ir_accesses_write_call(out, ir_line(text.start));
            continue;
        }
        const char *after = text.start;
        for (span line; after < span_end(text) && (line = ir_line(after)).length; after += line.length) {
            if (line.start == text.start)
                ir_accesses_write_head(out, line);
            else if (!copy_thread_local(out, line))
                ir_copy_casts(out, line, used);
        }
    }
}

/* Copies a line without the promises that what is passed on is defined: of a variable that one lane has set and all
 * lanes hand to a shuffle, the others have no value, and CUDA lets them. */
static void copy_without_promises(FILE *out, span line)
{
    static const char promise[] = "noundef ", noted[] = ", !noundef !";
    const char *copied = line.start;
    const bool is_code = span_starts_with(line, "define ") || span_starts_with(line, "declare ") || *copied == ' ';
    for (const char *at = copied; is_code && at < span_end(line);) {
        const span rest = {at, (size_t)(span_end(line) - at)};
        size_t dropped = 0;
        if (span_starts_with(rest, promise)) dropped = sizeof promise - 1;
        if (span_starts_with(rest, noted)) dropped = sizeof noted - 1 + strspn(at + sizeof noted - 1, "0123456789");
        if (dropped) fwrite(copied, 1, (size_t)(at - copied), out);
        at += dropped ? dropped : 1;
        if (dropped) copied = at;
    }
    fwrite(copied, 1, (size_t)(span_end(line) - copied), out);
}

static bool remove_promises(cpu_text *out, const char *ir)
{
    FILE *file = open_memstream(&out->data, &out->size);
    if (!file) return false;
    for (span line; (line = ir_line(ir)).length; ir = span_end(line)) copy_without_promises(file, line);
    return ir_emit_end(file, out);
}

static void prepare(FILE *out, ir_symbols *all, const char *ir)
{
    static const char hidden[] = "define hidden ";
    const char *whole = ir;
    bool used[IR_CASTS] = {false};
    int divisions = 0;
    for (span line; (line = ir_line(ir)).length; ir = span_end(line)) {
        if (ir_is_annotations(line) || ir_declares_cast(line) || ir_spaces_declares(line)) continue;
        if (span_starts_with(line, hidden)) {
            fputs("define internal ", out);
            line = (span){line.start + sizeof hidden - 1, line.length - (sizeof hidden - 1)};
        }
        if (copy_thread_local(out, line) || ir_variables_keep(out, line) || ir_spaces_copy_constant(out, line))
            continue;
        if (ir_copy_division(out, line, divisions))
            ++divisions;
        else
            ir_copy_casts(out, line, used);
    }
    ir_spaces_write(out, whole);
    write_probes(out, all, whole, used);
    ir_write_casts(out, used);
}

bool cpu_ir_prepare(cpu_text *out, const char *ir)
{
    cpu_text text = {0};
    if (!remove_promises(&text, ir)) return false;
    ir_symbols all = {0};
    const bool found = ir_find_symbols(&all, text.data);
    FILE *file = found ? open_memstream(&out->data, &out->size) : NULL;
    if (file) prepare(file, &all, text.data);
    ir_free_symbols(&all);
    free(text.data);
    return file && ir_emit_end(file, out);
}

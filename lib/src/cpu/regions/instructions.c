/* Opcode, callee and the names of the built-ins' variables decide: _ZL10lab_thread is threadIdx. */
#include "instructions.h"

#include <ctype.h>

/* The name of a variable of the built-ins in an instruction, without its prefix: "lab_thread" of _ZL10lab_thread, or of
 * _ZL10lab_thread.0, a part of it. NULL if the instruction does not name it. */
static const char *own_variable(const ir_instr *i, const char *variable)
{
    const char *at = i->text.start, *end = span_end(i->text), *after;
    for (span name; (name = ir_next_name('@', at, end, &after)).length; at = after) {
        if (!span_starts_with(name, "_ZL")) continue;
        const size_t skipped = 3 + strspn(name.start + 3, "0123456789");
        const span rest = {name.start + skipped, name.length - skipped};
        if (span_starts_with(rest, variable)) return rest.start;
    }
    return NULL;
}

bool ir_names_thread(const ir_instr *i) { return own_variable(i, "lab_thread") != NULL; }

int ir_thread_component(const ir_instr *i)
{
    const char *name =
        ir_is(i, "load") && span_starts_with(i->text, "load i32, ") ? own_variable(i, "lab_thread") : NULL;
    if (!name) return -1;
    const char *behind = name + strlen("lab_thread");
    if (*behind == '.') return behind[1] - '0';
    if (*behind == ',' && !span_find(i->text, "getelementptr")) return 0;
    const char *close = memchr(name, ')', (size_t)(span_end(i->text) - name));
    if (!close || close[-2] != ' ' || !isdigit((unsigned char)close[-1])) return -1;
    const int number = close[-1] - '0';
    return span_find(i->text, "i8, ") ? number / 4 : number;
}

bool ir_reads_launch(const ir_instr *i)
{
    return ir_is(i, "load") &&
           (own_variable(i, "lab_block") || own_variable(i, "lab_grid") || own_variable(i, "lab_launch"));
}

bool ir_is_dropped(const ir_instr *i)
{
    if (ir_is_call_of(i, "llvm.lifetime.") || ir_is_call_of(i, "llvm.assume") ||
        ir_is_call_of(i, "llvm.experimental.noalias"))
        return true;
    return (ir_is(i, "store") || ir_is_call_of(i, "llvm.memcpy.")) && ir_names_thread(i);
}

bool ir_is_math(span function)
{
    static const char *const names[] = {"sin",   "cos",   "tan",  "asin",  "acos",  "atan",      "atan2",
                                        "sinh",  "cosh",  "tanh", "asinh", "acosh", "atanh",     "exp2",
                                        "expm1", "log",   "log2", "log10", "log1p", "pow",       "ldexp",
                                        "cbrt",  "hypot", "fmod", "erf",   "erfc",  "remainder", NULL};
    const span shorter = {function.start, function.length - 1};
    return span_is_one_of(function, names) ||
           (function.length > 1 && *span_end(shorter) == 'f' && span_is_one_of(shorter, names));
}

bool ir_is_pure(const ir_instr *i)
{
    static const char *const opcodes[] = {"add",           "sub",
                                          "mul",           "shl",
                                          "lshr",          "ashr",
                                          "and",           "or",
                                          "xor",           "fadd",
                                          "fsub",          "fmul",
                                          "fdiv",          "frem",
                                          "fneg",          "icmp",
                                          "fcmp",          "select",
                                          "trunc",         "zext",
                                          "sext",          "fptrunc",
                                          "fpext",         "fptoui",
                                          "fptosi",        "uitofp",
                                          "sitofp",        "bitcast",
                                          "ptrtoint",      "inttoptr",
                                          "getelementptr", "extractvalue",
                                          "insertvalue",   "extractelement",
                                          "insertelement", "shufflevector",
                                          "udiv",          "sdiv",
                                          "urem",          "srem",
                                          "freeze",        NULL};
    static const char *const functions[] = {"smin",  "smax",    "umin",       "umax",     "abs",  "fabs",
                                            "fma",   "fmuladd", "sqrt",       "floor",    "ceil", "trunc",
                                            "rint",  "minnum",  "maxnum",     "copysign", "ctlz", "cttz",
                                            "ctpop", "bswap",   "bitreverse", "fshl",     "fshr", NULL};
    if (span_is_one_of(i->opcode, opcodes)) return true;
    if (!ir_is(i, "call")) return false;
    const span name = ir_callee(i);
    if (!span_starts_with(name, "llvm.")) return ir_is_math(name);
    const span kind = {name.start + 5, strcspn(name.start + 5, ".(")};
    return span_is_one_of(kind, functions);
}

bool ir_is_cheap(const ir_instr *i)
{
    static const char *const opcodes[] = {"add",     "sub",      "mul",      "shl",           "lshr",  "ashr", "and",
                                          "or",      "xor",      "icmp",     "select",        "trunc", "zext", "sext",
                                          "bitcast", "ptrtoint", "inttoptr", "getelementptr", NULL};
    return span_is_one_of(i->opcode, opcodes);
}

bool ir_has_effects(const ir_instr *i)
{
    if (ir_is_dropped(i)) return false;
    if (i->value < 0) return true;
    if (ir_is(i, "load")) return span_starts_with(i->text, "load volatile") || span_starts_with(i->text, "load atomic");
    return !ir_is_pure(i) && !ir_is_phi(i) && !ir_is(i, "alloca");
}

bool ir_calls_function(const ir_instr *i)
{
    return ir_is(i, "call") && !ir_is_call_of(i, "llvm.") && !ir_is_math(ir_callee(i));
}

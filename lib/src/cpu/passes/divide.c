/* A division is a line "  %5 = sdiv i32 %3, %4", perhaps with "exact" before the type. Constant divisors stay as they
 * are: the compiler warns of 0. */
#include "divide.h"

#include "cpu/ir/emit.h"

#include <stdlib.h>

/* The operands of a division; NULL for any other line. */
static const char *find_operation(span line, bool *is_signed)
{
    static const char *const operations[] = {" = udiv ", " = urem ", " = sdiv ", " = srem "};
    for (int i = 0; i < 4; ++i) {
        const char *found = span_find(line, operations[i]);
        *is_signed = i >= 2;
        if (found) return found + strlen(operations[i]);
    }
    return NULL;
}

bool ir_copy_division(FILE *out, span line, int number)
{
    bool is_signed;
    const char *at = span_starts_with(line, "  %") ? find_operation(line, &is_signed) : NULL;
    if (!at) return false;
    if (strncmp(at, "exact ", 6) == 0) at += 6;
    const span first = ir_item(at, " "), left = ir_item(span_end(first) + 1, ","),
               right = ir_item(span_end(left) + 2, ", ");
    const int bits = *first.start == 'i' ? atoi(first.start + 1) : 0;
    if (!span_starts_with(right, "%") || bits < 8 || bits > 64) return false;

    const ir_emitter e = {.out = out};
    const ir_piece type = as_text(first), dividend = as_text(left), divisor = as_text(right), n = as_number(number);
    ir_emit(&e, "  %lab.zero.$ = icmp eq $ $, 0\n", n, type, divisor);
    if (is_signed) {
        const ir_piece least = as_number((long long)(-1ULL << (bits - 1)));
        ir_emit(&e, "  %lab.least.$ = icmp eq $ $, $\n", n, type, dividend, least);
        ir_emit(&e, "  %lab.minus.$ = icmp eq $ $, -1\n", n, type, divisor);
        ir_emit(&e, "  %lab.wraps.$ = and i1 %lab.least.$, %lab.minus.$\n", n, n, n);
        ir_emit(&e, "  %lab.none.$ = or i1 %lab.zero.$, %lab.wraps.$\n", n, n, n);
    }
    ir_emit(&e, "  %lab.by.$ = select i1 %lab.$.$, $ 1, $ $\n", n, as_string(is_signed ? "none" : "zero"), n, type,
            type, divisor);
    ir_emit_span(out, (span){line.start, (size_t)(right.start - line.start)});
    ir_emit(&e, "%lab.by.$", n);
    ir_emit_span(out, (span){span_end(right), (size_t)(span_end(line) - span_end(right))});
    return true;
}

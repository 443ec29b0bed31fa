/* A division is a line "  %5 = sdiv i32 %3, %4", perhaps with "exact" before the type. Constant divisors stay as they
 * are: the compiler warns of 0. Where the divisor is -1, x / 1 is negated, and x % 1 is x % -1 already. */
#include "divide.h"

#include "cpu/ir/emit.h"

#include <stdlib.h>

typedef enum division_kind { UNSIGNED, SIGNED_REMAINDER, SIGNED_QUOTIENT } division_kind;

/* The operands of a division; NULL for any other line. */
static const char *find_operation(span line, division_kind *kind)
{
    static const char *const operations[] = {" = udiv ", " = urem ", " = srem ", " = sdiv "};
    static const division_kind kinds[] = {UNSIGNED, UNSIGNED, SIGNED_REMAINDER, SIGNED_QUOTIENT};
    for (int i = 0; i < 4; ++i) {
        const char *found = span_find(line, operations[i]);
        *kind = kinds[i];
        if (found) return found + strlen(operations[i]);
    }
    return NULL;
}

/* Writes the divisor that is used. It depends on the given one alone: where all threads divide by the same number it is
 * computed once. */
static void write_divisor(const ir_emitter *e, ir_piece type, ir_piece divisor, bool is_signed, ir_piece n)
{
    ir_emit(e, "  %lab.zero.$ = icmp eq $ $, 0\n", n, type, divisor);
    if (is_signed) {
        ir_emit(e, "  %lab.minus.$ = icmp eq $ $, -1\n", n, type, divisor);
        ir_emit(e, "  %lab.none.$ = or i1 %lab.zero.$, %lab.minus.$\n", n, n, n);
    }
    ir_emit(e, "  %lab.by.$ = select i1 %lab.$.$, $ 1, $ $\n", n, as_string(is_signed ? "none" : "zero"), n, type, type,
            divisor);
}

bool ir_copy_division(FILE *out, span line, int number)
{
    division_kind kind;
    const char *at = span_starts_with(line, "  %") ? find_operation(line, &kind) : NULL;
    if (!at) return false;
    if (strncmp(at, "exact ", 6) == 0) at += 6;
    const span first = ir_item(at, " "), left = ir_item(span_end(first) + 1, ","),
               right = ir_item(span_end(left) + 2, ", ");
    const int bits = *first.start == 'i' ? atoi(first.start + 1) : 0;
    if (!span_starts_with(right, "%") || bits < 8 || bits > 64) return false;

    const ir_emitter e = {.out = out};
    const ir_piece type = as_text(first), n = as_number(number);
    const span result = ir_item(line.start + 2, " "),
               rest = {span_end(right), (size_t)(span_end(line) - span_end(right))};
    write_divisor(&e, type, as_text(right), kind != UNSIGNED, n);
    if (kind == SIGNED_QUOTIENT)
        ir_emit(&e, "  %lab.quotient.$", n);
    else
        ir_emit(&e, "  $", as_text(result));
    ir_emit(&e, "$%lab.by.$$", as_text((span){span_end(result), (size_t)(right.start - span_end(result))}), n,
            as_text(rest));
    if (kind != SIGNED_QUOTIENT) return true;
    ir_emit(&e, "  %lab.negative.$ = sub $ 0, $\n", n, type, as_text(left));
    ir_emit(&e, "  $ = select i1 %lab.minus.$, $ %lab.negative.$, $ %lab.quotient.$$", as_text(result), n, type, n,
            type, n, as_text(rest));
    return true;
}

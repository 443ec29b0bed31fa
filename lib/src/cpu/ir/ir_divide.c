/* A line is "  %5 = sdiv i32 %3, %4", also with "exact" before the type. Divisors that are constants are left alone: the
 * compiler has warned of 0. */
#include "ir_divide.h"

#include <stdlib.h>
#include <string.h>

/* What stands behind " = " in a division, and which one it is. */
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
    const span type = ir_item(at, " "), dividend = ir_item(type.start + type.length + 1, ",");
    const span divisor = ir_item(dividend.start + dividend.length + 2, ", ");
    const int bits = *type.start == 'i' ? atoi(type.start + 1) : 0;
    if (!span_starts_with(divisor, "%") || bits < 8 || bits > 64) return false;
#define SPAN(s) (int)(s).length, (s).start
    fprintf(out, "  %%lab.zero.%d = icmp eq %.*s %.*s, 0\n", number, SPAN(type), SPAN(divisor));
    if (is_signed) {
        const long long least = (long long)(-1ULL << (bits - 1));
        fprintf(out, "  %%lab.least.%d = icmp eq %.*s %.*s, %lld\n", number, SPAN(type), SPAN(dividend), least);
        fprintf(out, "  %%lab.minus.%d = icmp eq %.*s %.*s, -1\n", number, SPAN(type), SPAN(divisor));
        fprintf(out, "  %%lab.wraps.%d = and i1 %%lab.least.%d, %%lab.minus.%d\n", number, number, number);
        fprintf(out, "  %%lab.none.%d = or i1 %%lab.zero.%d, %%lab.wraps.%d\n", number, number, number);
    }
    fprintf(out, "  %%lab.by.%d = select i1 %%lab.%s.%d, %.*s 1, %.*s %.*s\n", number, is_signed ? "none" : "zero",
            number, SPAN(type), SPAN(type), SPAN(divisor));
    fwrite(line.start, 1, (size_t)(divisor.start - line.start), out);
    fprintf(out, "%%lab.by.%d", number);
    const char *rest = divisor.start + divisor.length;
    fwrite(rest, 1, (size_t)(line.start + line.length - rest), out);
#undef SPAN
    return true;
}

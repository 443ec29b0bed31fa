/* The front end's llvm.fptosi.sat.i8.f32 becomes lab.fptosi.sat.i8.f32, which this file writes. */
#include "casts.h"

#include "cpu/ir/emit.h"

#include <stdint.h>

static const char old_prefix[] = "@llvm", new_prefix[] = "@lab";

typedef struct cast {
    bool is_signed;
    int bits;  /* 8, 16, 32, 64 */
    bool wide; /* from double */
} cast;

static const int cast_bits[] = {8, 16, 32, 64};
static cast cast_number(int i) { return (cast){i & 1, cast_bits[i >> 1 & 3], i >> 3}; }
static int number_32(int i) { return (i & ~6) | 2 << 1; } /* the same cast, but to 32 bits */

/* The number of the cast whose name is at `at`, or -1. */
static int find_cast(const char *at)
{
    char sign, open;
    int bits, source;
    if (sscanf(at, "@llvm.fpto%ci.sat.i%d.f%d%c", &sign, &bits, &source, &open) != 4 || open != '(') return -1;
    for (int i = 0; i < IR_CASTS; ++i) {
        const cast c = cast_number(i);
        if (sign == (c.is_signed ? 's' : 'u') && bits == c.bits && source == (c.wide ? 64 : 32)) return i;
    }
    return -1;
}

static void write_name(FILE *out, cast c)
{
    fprintf(out, "%s.fpto%ci.sat.i%d.f%d", new_prefix, c.is_signed ? 's' : 'u', c.bits, c.wide ? 64 : 32);
}

static void write_head(FILE *out, cast c)
{
    fprintf(out, "\ndefine internal i%d ", c.bits);
    write_name(out, c);
    fprintf(out, "(%s %%x) alwaysinline {\n", c.wide ? "double" : "float");
}

/* The result for NaN on an H200. */
static uint64_t cast_of_nan(cast c)
{
    if (c.bits == 64) return UINT64_C(1) << 63;
    return c.wide ? UINT64_C(1) << 31 : 0;
}

/* A cast to 32 or 64 bits saturates. The conversion of a value out of range is undefined, but is not chosen then. The
 * limits are powers of two, written as IR has them: in hexadecimal, as double for both types. */
static void write_saturating_cast(FILE *out, cast c)
{
    const char *type = c.wide ? "double" : "float";
    const uint64_t most = c.is_signed ? (UINT64_C(1) << (c.bits - 1)) - 1 : UINT64_MAX >> (64 - c.bits);
    const uint64_t least = c.is_signed ? UINT64_C(1) << (c.bits - 1) : 0;
    const uint64_t above = (uint64_t)(1023 + c.bits - c.is_signed) << 52;
    const uint64_t lowest = c.is_signed ? above | UINT64_C(1) << 63 : 0;
    write_head(out, c);
    fprintf(out, "  %%inside = fpto%ci %s %%x to i%d\n", c.is_signed ? 's' : 'u', type, c.bits);
    fprintf(out, "  %%low = fcmp olt %s %%x, 0x%016llX\n", type, (unsigned long long)lowest);
    fprintf(out, "  %%high = fcmp oge %s %%x, 0x%016llX\n", type, (unsigned long long)above);
    fprintf(out, "  %%nan = fcmp uno %s %%x, %%x\n", type);
    fprintf(out, "  %%a = select i1 %%low, i%d %llu, i%d %%inside\n", c.bits, (unsigned long long)least, c.bits);
    fprintf(out, "  %%b = select i1 %%high, i%d %llu, i%d %%a\n", c.bits, (unsigned long long)most, c.bits);
    fprintf(out, "  %%c = select i1 %%nan, i%d %llu, i%d %%b\n", c.bits, (unsigned long long)cast_of_nan(c), c.bits);
    fprintf(out, "  ret i%d %%c\n}\n", c.bits);
}

/* A cast to 8 or 16 bits goes to 32 bits of the same sign and keeps the low bits. */
static void write_narrowing_cast(FILE *out, cast c)
{
    write_head(out, c);
    fputs("  %whole = call i32 ", out);
    write_name(out, (cast){c.is_signed, 32, c.wide});
    fprintf(out, "(%s %%x)\n", c.wide ? "double" : "float");
    fprintf(out, "  %%low = trunc i32 %%whole to i%d\n  ret i%d %%low\n}\n", c.bits, c.bits);
}

void ir_write_casts(FILE *out, const bool used[IR_CASTS])
{
    bool needed[IR_CASTS];
    memcpy(needed, used, sizeof needed);
    for (int i = 0; i < IR_CASTS; ++i) {
        if (!used[i] || cast_number(i).bits >= 32) continue;
        write_narrowing_cast(out, cast_number(i));
        needed[number_32(i)] = true;
    }
    for (int i = 0; i < IR_CASTS; ++i)
        if (needed[i] && cast_number(i).bits >= 32) write_saturating_cast(out, cast_number(i));
}

static const char *next_candidate(const char *at, const char *end)
{
    return span_find((span){at, (size_t)(end - at)}, "@llvm.fpto");
}

void ir_copy_casts(FILE *out, span text, bool used[IR_CASTS])
{
    const char *copied = text.start, *end = span_end(text);
    for (const char *at = copied; (at = next_candidate(at, end)); ++at) {
        const int number = find_cast(at);
        if (number < 0) continue;
        used[number] = true;
        ir_emit_span(out, (span){copied, (size_t)(at - copied)});
        fputs(new_prefix, out);
        copied = at + strlen(old_prefix);
    }
    ir_emit_span(out, (span){copied, (size_t)(end - copied)});
}

bool ir_declares_cast(span line)
{
    const char *name = span_starts_with(line, "declare") ? next_candidate(line.start, span_end(line)) : NULL;
    return name && find_cast(name) >= 0;
}

/* Functions of __half and __nv_bfloat16 and of pairs of them, and what the host computes for each in long double. */
#ifndef LAB_TESTS_BUILTINS_HALVES_H
#define LAB_TESTS_BUILTINS_HALVES_H

#include "arguments.h"
#include "roundings.h"

/* The digits of the two formats, with the leading 1. */
enum { HALF = 11, BFLOAT16 = 8 };

static inline int largest_exponent(int digits) { return digits == HALF ? 15 : 127; }

static inline long double value_of(uint32_t bits, int digits)
{
    const int exponent = (int)((bits & 0x7fff) >> (digits - 1)), largest = largest_exponent(digits);
    const long double fraction = bits & ((1u << (digits - 1)) - 1), sign = bits & 0x8000 ? -1 : 1;
    if (exponent > 2 * largest) return fraction != 0 ? NAN : sign * INFINITY;
    if (exponent == 0) return sign * ldexpl(fraction, 2 - largest - digits);
    return sign * ldexpl(fraction + ldexpl(1, digits - 1), exponent - largest - digits + 1);
}

static inline long double whole_in(int direction, long double value)
{
    return direction == FE_UPWARD       ? ceill(value)
           : direction == FE_DOWNWARD   ? floorl(value)
           : direction == FE_TOWARDZERO ? truncl(value)
                                        : rintl(value);
}

/* The bits of the value in the format; 0x7fff if it is no number. */
static inline uint32_t narrowed(int direction, long double value, int digits)
{
    const int largest = largest_exponent(digits);
    const uint32_t sign = signbit(value) ? 0x8000 : 0, infinite = (uint32_t)(2 * largest + 1) << (digits - 1);
    int exponent;
    if (isnan(value)) return 0x7fff;
    if (isinf(value)) return sign | infinite;
    if (value == 0) return sign;
    frexpl(value, &exponent);
    const int last = exponent > 2 - largest - 1 ? exponent - digits : 2 - largest - digits;
    const long double digits_of = fabsl(whole_in(direction, ldexpl(value, -last)));
    const uint32_t number = (uint32_t)digits_of, place = (uint32_t)(last - (2 - largest - digits));
    const uint32_t bits = (place << (digits - 1)) + number;
    const bool is_away = direction == FE_TONEAREST || direction == (sign ? FE_DOWNWARD : FE_UPWARD);
    return sign | (bits < infinite ? bits : is_away ? infinite : infinite - 1);
}
static inline uint32_t nearest(long double value, int digits) { return narrowed(FE_TONEAREST, value, digits); }

/* x * y + z, where the product is exact. The last digit is odd if the sum is not exact, so that it is rounded once. */
static inline long double odd_sum(long double x, long double y, long double z)
{
    const volatile long double product = x * y, other = z;
    volatile long double sum;
    feclearexcept(FE_ALL_EXCEPT);
    fesetround(FE_TOWARDZERO);
    sum = product + other;
    fesetround(FE_TONEAREST);
    if (fetestexcept(FE_INEXACT)) {
        long double odd = sum; /* its digits are its first eight bytes */
        uint64_t digits;
        memcpy(&digits, &odd, sizeof digits);
        digits |= 1;
        memcpy(&odd, &digits, sizeof digits);
        sum = odd;
    }
    return sum == 0 ? product + other : sum; /* whose sign is that of the usual rounding */
}
static inline long double saturated(long double value) { return value > 0 ? (value < 1 ? value : 1) : 0; }
static inline long double not_negative(long double value) { return value <= 0 ? 0 : value; }
static inline long double greater(long double a, long double b)
{
    if (isnan(a) || isnan(b)) return isnan(a) ? b : a;
    return a == b ? (signbit(a) ? b : a) : a > b ? a : b;
}
static inline long double less(long double a, long double b) { return -greater(-a, -b); }
static inline long double or_nan(long double a, long double b, long double result)
{
    return isnan(a) || isnan(b) ? NAN : result;
}
/* Of at most `bits` bits, where what is no number is 0. */
static inline uint64_t small_integer(int direction, long double value, int bits, bool is_signed)
{
    const long double least = is_signed ? -ldexpl(1, bits - 1) : 0, most = least + ldexpl(1, bits) - 1;
    const long double whole = whole_in(direction, value);
    if (isnan(value)) return 0;
    return (uint64_t)(int64_t)(whole < least ? least : whole > most ? most : whole);
}

/* The two lanes of a pair. */
#define LANES(expression, digits)                                                                                      \
    (lane_##expression(in->f, in->g, in->h, digits) | lane_##expression(in->f >> 16, in->g >> 16, in->h >> 16, digits) \
                                                          << 16)
#define LANE(name, result)                                                                                             \
    static inline uint32_t lane_##name(uint32_t f, uint32_t g, uint32_t h, int digits)                                 \
    {                                                                                                                  \
        const long double a = value_of(f, digits), b = value_of(g, digits), c = value_of(h, digits);                   \
        (void)a;                                                                                                       \
        (void)b;                                                                                                       \
        (void)c;                                                                                                       \
        return result;                                                                                                 \
    }
/* clang-format off */
#define ARITHMETIC(F)                                                                                                  \
    F(add, odd_sum(a, 1, b)) F(sub, odd_sum(a, 1, -b)) F(mul, a *b) F(add_rn, odd_sum(a, 1, b))                        \
    F(sub_rn, odd_sum(a, 1, -b)) F(mul_rn, a *b) F(fma, odd_sum(a, b, c)) F(add_sat, saturated(odd_sum(a, 1, b)))      \
    F(sub_sat, saturated(odd_sum(a, 1, -b))) F(mul_sat, saturated(a *b)) F(fma_sat, saturated(odd_sum(a, b, c)))       \
    F(fma_relu, not_negative(odd_sum(a, b, c))) F(max, greater(a, b)) F(min, less(a, b))                               \
    F(max_nan, or_nan(a, b, greater(a, b))) F(min_nan, or_nan(a, b, less(a, b))) F(div, a / b)                         \
    F(neg, -a) F(abs, fabsl(a)) F(trunc, truncl(a)) F(ceil, ceill(a)) F(floor, floorl(a)) F(rint, rintl(a))            \
    F(sqrt, sqrtl(a))
#define NARROW_LANE(name, result) LANE(name, nearest(result, digits))
ARITHMETIC(NARROW_LANE)
#define COMPARISONS(F)                                                                                                 \
    F(eq, a == b) F(ne, a < b || a > b) F(le, a <= b) F(ge, a >= b) F(lt, a < b) F(gt, a > b)                          \
    F(equ, a == b || isnan(a) || isnan(b)) F(neu, a != b) F(leu, a <= b || isnan(a) || isnan(b))                       \
    F(geu, a >= b || isnan(a) || isnan(b)) F(ltu, a < b || isnan(a) || isnan(b)) F(gtu, a > b || isnan(a) || isnan(b))
#define TRUE_LANE(name, result) LANE(name, (result) ? 1 : 0)
COMPARISONS(TRUE_LANE)
TRUE_LANE(isnan, isnan(a))
#undef TRUE_LANE
#undef NARROW_LANE
#undef LANE

/* The pair of 1 and 0, and the mask, that two truths make. */
static inline uint64_t ones(uint32_t truths, int digits)
{
    const uint32_t one = nearest(1, digits);
    return (truths & 1 ? one : 0) | (truths >> 16 & 1 ? one << 16 : 0);
}
static inline uint64_t mask_of(uint32_t truths)
{
    return (truths & 1 ? 0xffff : 0) | (truths >> 16 & 1 ? 0xffff0000 : 0);
}
static inline uint64_t complex_sum(const arguments *in, int digits)
{
    const uint32_t f = in->f, f2 = in->f >> 16, g = in->g, g2 = in->g >> 16;
    const uint32_t real = lane_fma(f2 ^ 0x8000, g2, lane_fma(f, g, in->h, digits), digits);
    const uint32_t imaginary = lane_fma(f2, g, lane_fma(f, g2, in->h >> 16, digits), digits);
    return real | imaginary << 16;
}

/* Rows: name, type of the result, call on the device, the host's result. */
#define ONE(in, name, digits) lane_##name(in->f, in->g, in->h, digits)
#define OF_TWO(X, name, name2, lane, T, T2, W, D)                                                                      \
    X(name##_##W, T, name(f_##W, g_##W), ONE(in, lane, D)) X(name2##_##W, T2, name2(F_##W, G_##W), LANES(lane, D))
#define OF_ONE(X, name, name2, lane, T, T2, W, D)                                                                      \
    X(name##_##W, T, name(f_##W), ONE(in, lane, D)) X(name2##_##W, T2, name2(F_##W), LANES(lane, D))
#define OF_THREE(X, name, name2, lane, T, T2, W, D)                                                                    \
    X(name##_##W, T, name(f_##W, g_##W, h_##W), ONE(in, lane, D))                                                      \
    X(name2##_##W, T2, name2(F_##W, G_##W, H_##W), LANES(lane, D))
#define COMPARED(X, name, T2, W, D)                                                                                    \
    X(h##name##_##W, bool, __h##name(f_##W, g_##W), ONE(in, name, D))                                                  \
    X(h##name##2_##W, T2, __h##name##2(F_##W, G_##W), ones(LANES(name, D), D))                                         \
    X(h##name##2_mask_##W, unsigned, __h##name##2_mask(F_##W, G_##W), mask_of(LANES(name, D)))                         \
    X(hb##name##2_##W, bool, __hb##name##2(F_##W, G_##W), LANES(name, D) == 0x10001)
#define NARROWED(X, d, way, T, T2, W, D)                                                                               \
    X(float2##W##_##d, T, __float2##W##_##d(x), narrowed(way, in->x, D))                                               \
    X(int2##W##_##d, T, __int2##W##_##d(i), narrowed(way, (int32_t)(uint32_t)in->n, D))                                \
    X(uint2##W##_##d, T, __uint2##W##_##d(u >> (w & 31)), narrowed(way, (uint32_t)in->n >> (in->w & 31), D))           \
    X(short2##W##_##d, T, __short2##W##_##d((short)i), narrowed(way, (int16_t)(uint16_t)in->n, D))                     \
    X(ushort2##W##_##d, T, __ushort2##W##_##d((unsigned short)u), narrowed(way, (uint16_t)in->n, D))                   \
    X(ll2##W##_##d, T, __ll2##W##_##d(l >> (w & 63)), narrowed(way, (int64_t)in->n >> (in->w & 63), D))                \
    X(ull2##W##_##d, T, __ull2##W##_##d(n >> (w & 63)), narrowed(way, in->n >> (in->w & 63), D))                       \
    X(W##2int_##d, int, __##W##2int_##d(f_##W), to_integer(way, (double)value_of(in->f, D), 32, true, false))          \
    X(W##2uint_##d, unsigned, __##W##2uint_##d(f_##W), to_integer(way, (double)value_of(in->f, D), 32, false, false))  \
    X(W##2ll_##d, long long, __##W##2ll_##d(f_##W), to_integer(way, (double)value_of(in->f, D), 64, true, false))      \
    X(W##2ull_##d, unsigned long long, __##W##2ull_##d(f_##W),                                                         \
      to_integer(way, (double)value_of(in->f, D), 64, false, false))                                                   \
    X(W##2short_##d, short, __##W##2short_##d(f_##W), small_integer(way, value_of(in->f, D), 16, true))                \
    X(W##2ushort_##d, unsigned short, __##W##2ushort_##d(f_##W), small_integer(way, value_of(in->f, D), 16, false))
#define HALVES_OF(X, T, T2, W, P, D)                                                                                   \
    OF_TWO(X, __hadd, __hadd2, add, T, T2, W, D) OF_TWO(X, __hsub, __hsub2, sub, T, T2, W, D)                          \
    OF_TWO(X, __hmul, __hmul2, mul, T, T2, W, D) OF_TWO(X, __hadd_rn, __hadd2_rn, add_rn, T, T2, W, D)                 \
    OF_TWO(X, __hsub_rn, __hsub2_rn, sub_rn, T, T2, W, D) OF_TWO(X, __hmul_rn, __hmul2_rn, mul_rn, T, T2, W, D)        \
    OF_TWO(X, __hadd_sat, __hadd2_sat, add_sat, T, T2, W, D) OF_TWO(X, __hsub_sat, __hsub2_sat, sub_sat, T, T2, W, D)  \
    OF_TWO(X, __hmul_sat, __hmul2_sat, mul_sat, T, T2, W, D) OF_TWO(X, __hdiv, __h2div, div, T, T2, W, D)              \
    OF_TWO(X, __hmax, __hmax2, max, T, T2, W, D) OF_TWO(X, __hmin, __hmin2, min, T, T2, W, D)                          \
    OF_TWO(X, __hmax_nan, __hmax2_nan, max_nan, T, T2, W, D) OF_TWO(X, __hmin_nan, __hmin2_nan, min_nan, T, T2, W, D)  \
    OF_THREE(X, __hfma, __hfma2, fma, T, T2, W, D) OF_THREE(X, __hfma_sat, __hfma2_sat, fma_sat, T, T2, W, D)          \
    OF_THREE(X, __hfma_relu, __hfma2_relu, fma_relu, T, T2, W, D) OF_ONE(X, __hneg, __hneg2, neg, T, T2, W, D)         \
    OF_ONE(X, __habs, __habs2, abs, T, T2, W, D) OF_ONE(X, htrunc, h2trunc, trunc, T, T2, W, D)                        \
    OF_ONE(X, hceil, h2ceil, ceil, T, T2, W, D) OF_ONE(X, hfloor, h2floor, floor, T, T2, W, D)                         \
    OF_ONE(X, hrint, h2rint, rint, T, T2, W, D) OF_ONE(X, hsqrt, h2sqrt, sqrt, T, T2, W, D)                            \
    COMPARED(X, eq, T2, W, D) COMPARED(X, ne, T2, W, D) COMPARED(X, le, T2, W, D) COMPARED(X, ge, T2, W, D)            \
    COMPARED(X, lt, T2, W, D) COMPARED(X, gt, T2, W, D) COMPARED(X, equ, T2, W, D) COMPARED(X, neu, T2, W, D)          \
    COMPARED(X, leu, T2, W, D) COMPARED(X, geu, T2, W, D) COMPARED(X, ltu, T2, W, D) COMPARED(X, gtu, T2, W, D)        \
    NARROWED(X, rn, FE_TONEAREST, T, T2, W, D) NARROWED(X, rz, FE_TOWARDZERO, T, T2, W, D)                             \
    NARROWED(X, ru, FE_UPWARD, T, T2, W, D) NARROWED(X, rd, FE_DOWNWARD, T, T2, W, D)                                  \
    X(hcmadd_##W, T2, __hcmadd(F_##W, G_##W, H_##W), complex_sum(in, D))                                               \
    X(hisnan_##W, bool, __hisnan(f_##W), ONE(in, isnan, D))                                                            \
    X(hisnan2_##W, T2, __hisnan2(F_##W), ones(LANES(isnan, D), D))                                                     \
    X(hisinf_##W, int, __hisinf(f_##W), isinf(value_of(in->f, D)) ? (in->f & 0x8000 ? -UINT64_C(1) : 1) : 0)           \
    X(double2##W, T, __double2##W(p), nearest(in->p, D)) X(float2##W, T, __float2##W(x), nearest(in->x, D))            \
    X(W##2float, float, __##W##2float(f_##W), bits_of_float((float)value_of(in->f, D)))                                \
    X(W##2char_rz, signed char, __##W##2char_rz(f_##W), small_integer(FE_TOWARDZERO, value_of(in->f, D), 8, true))     \
    X(W##2uchar_rz, unsigned char, __##W##2uchar_rz(f_##W),                                                            \
      small_integer(FE_TOWARDZERO, value_of(in->f, D), 8, false))                                                      \
    X(W##_cast_int, int, (int)f_##W, to_integer(FE_TOWARDZERO, (double)value_of(in->f, D), 32, true, false))           \
    X(W##_cast_from_int, T, (T)i, nearest((int32_t)(uint32_t)in->n, D))                                                \
    X(W##_cast_from_double, T, (T)p, nearest(in->p, D))                                                                \
    X(W##_sum, T, f_##W + g_##W, ONE(in, add, D)) X(W##_difference, T, f_##W - g_##W, ONE(in, sub, D))                 \
    X(W##_product, T2, F_##W *G_##W, LANES(mul, D)) X(W##_quotient, T2, F_##W / G_##W, LANES(div, D))                  \
    X(W##_less, bool, f_##W < g_##W, ONE(in, lt, D)) X(W##_differs, bool, f_##W != g_##W, ONE(in, neu, D))             \
    X(float2##P##_rn, T2, __float2##P##_rn(x), nearest(in->x, D) * 0x10001ull)                                         \
    X(floats2##P##_rn, T2, __floats2##P##_rn(x, y), nearest(in->x, D) | nearest(in->y, D) << 16)                       \
    X(lowhigh2highlow_##W, T2, __lowhigh2highlow(F_##W), swapped(in, D))                                               \
    X(low2##P, T2, __low2##P(F_##W), known(in->f, D) * 0x10001ull)                                                     \
    X(high2##P, T2, __high2##P(F_##W), known(in->f >> 16, D) * 0x10001ull)                                             \
    X(lows2##P, T2, __lows2##P(F_##W, G_##W), known(in->f, D) | known(in->g, D) << 16)                                 \
    X(highs2##P, T2, __highs2##P(F_##W, G_##W), known(in->f >> 16, D) | known(in->g >> 16, D) << 16)                   \
    X(low2float_##W, float, __low2float(F_##W), bits_of_float((float)value_of(in->f, D)))                              \
    X(high2float_##W, float, __high2float(F_##W), bits_of_float((float)value_of(in->f >> 16, D)))
#define HALVES(X) HALVES_OF(X, __half, __half2, half, half2, HALF)                                                     \
                  HALVES_OF(X, __nv_bfloat16, __nv_bfloat162, bfloat16, bfloat162, BFLOAT16)
/* clang-format on */

/* The bits, but 0x7fff for all that are no number. */
static inline uint32_t known(uint32_t bits, int digits)
{
    return isnan(value_of(bits, digits)) ? 0x7fff : bits & 0xffff;
}
static inline uint64_t swapped(const arguments *in, int digits)
{
    return known(in->f >> 16, digits) | known(in->f, digits) << 16;
}

static const char halves_prelude[] =
    "#include <cuda_fp16.h>\n"
    "#include <cuda_bf16.h>\n"
    "__device__ unsigned long long bits_of(__half v) { return __hisnan(v) ? 0x7fff : __half_as_ushort(v); }\n"
    "__device__ unsigned long long bits_of(__nv_bfloat16 v) { return __hisnan(v) ? 0x7fff : __bfloat16_as_ushort(v); "
    "}\n"
    "__device__ unsigned long long bits_of(__half2 v) { return bits_of(v.x) | bits_of(v.y) << 16; }\n"
    "__device__ unsigned long long bits_of(__nv_bfloat162 v) { return bits_of(v.x) | bits_of(v.y) << 16; }\n"
    "#define TAKE_2 const __half x = __ushort_as_half((unsigned short)in->f), y = __ushort_as_half((unsigned "
    "short)in->g)\n"
    "#define TAKE_3 const __nv_bfloat16 x = __ushort_as_bfloat16((unsigned short)in->f), \\\n"
    "    y = __ushort_as_bfloat16((unsigned short)in->g)\n"
    "__device__ double as_double(double v) { return v; }\n"
    "__device__ double as_double(float v) { return v; }\n"
    "__device__ double as_double(__half v) { return __half2float(v); }\n"
    "__device__ double as_double(__nv_bfloat16 v) { return __bfloat162float(v); }\n"
    "#define TAKE_HALVES_OF(T, T2, W, name) \\\n"
    "    const T name##_##W = __ushort_as_##W((unsigned short)in->name); \\\n"
    "    const T2 name##2_##W(__ushort_as_##W((unsigned short)in->name), "
    "__ushort_as_##W((unsigned short)(in->name >> 16)))\n"
    "#define TAKE_HALVES_AS(T, T2, W) \\\n"
    "    TAKE_HALVES_OF(T, T2, W, f); TAKE_HALVES_OF(T, T2, W, g); TAKE_HALVES_OF(T, T2, W, h); \\\n"
    "    const T2 F_##W = f2_##W, G_##W = g2_##W, H_##W = h2_##W\n"
    "#define TAKE_HALVES TAKE_ARGUMENTS; \\\n"
    "    TAKE_HALVES_AS(__half, __half2, half); TAKE_HALVES_AS(__nv_bfloat16, __nv_bfloat162, bfloat16)\n";

#endif

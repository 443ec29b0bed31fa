/* Arithmetic and conversions with a rounding, and what the host's processor computes for each in that rounding. */
#ifndef LAB_TESTS_BUILTINS_ROUNDINGS_H
#define LAB_TESTS_BUILTINS_ROUNDINGS_H

#include "arguments.h"

#include <fenv.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

/* The bits as bits_of has them. */
static inline uint64_t bits_of_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return isnan(value) ? 0x7fffffff : bits;
}
static inline uint64_t bits_of_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return isnan(value) ? 0x7fffffffffffffff : bits;
}

typedef enum operation { ADD, SUB, MUL, FMA, DIV, RCP, SQRT } operation;

/* The compiler knows the values of no volatile variable, so the processor computes in the direction that is set. */
#define COMPUTED(type, fma, sqrt)                                                                                      \
    const volatile type p = x, q = y, r = z, one = 1;                                                                  \
    volatile type result = 0;                                                                                          \
    fesetround(direction);                                                                                             \
    switch (of) {                                                                                                      \
    case ADD: result = p + q; break;                                                                                   \
    case SUB: result = p - q; break;                                                                                   \
    case MUL: result = p * q; break;                                                                                   \
    case FMA: result = fma(p, q, r); break;                                                                            \
    case DIV: result = p / q; break;                                                                                   \
    case RCP: result = one / p; break;                                                                                 \
    case SQRT: result = sqrt(p); break;                                                                                \
    }                                                                                                                  \
    fesetround(FE_TONEAREST)
static inline uint64_t of_floats(int direction, operation of, float x, float y, float z)
{
    COMPUTED(float, fmaf, sqrtf);
    return bits_of_float(result);
}
static inline uint64_t of_doubles(int direction, operation of, double x, double y, double z)
{
    COMPUTED(double, fma, sqrt);
    return bits_of_double(result);
}

#define CONVERTED(name, from, to, bits)                                                                                \
    static inline uint64_t name(int direction, from value)                                                             \
    {                                                                                                                  \
        const volatile from given = value;                                                                             \
        fesetround(direction);                                                                                         \
        const volatile to result = (to)given;                                                                          \
        fesetround(FE_TONEAREST);                                                                                      \
        return bits(result);                                                                                           \
    }
CONVERTED(double_to_float, double, float, bits_of_float)
CONVERTED(int_to_float, int32_t, float, bits_of_float)
CONVERTED(uint_to_float, uint32_t, float, bits_of_float)
CONVERTED(ll_to_float, int64_t, float, bits_of_float)
CONVERTED(ull_to_float, uint64_t, float, bits_of_float)
CONVERTED(ll_to_double, int64_t, double, bits_of_double)
CONVERTED(ull_to_double, uint64_t, double, bits_of_double)
#undef CONVERTED

/* To an integer of `bits` bits, which saturates. No number is 0 or, from a double or to 64 bits, the highest bit. */
static inline uint64_t to_integer(int direction, double value, int bits, bool is_signed, bool from_double)
{
    const double whole = direction == FE_UPWARD       ? ceil(value)
                         : direction == FE_DOWNWARD   ? floor(value)
                         : direction == FE_TOWARDZERO ? trunc(value)
                                                      : rint(value);
    const double most = ldexp(1, is_signed ? bits - 1 : bits), least = is_signed ? -most : 0;
    uint64_t result;
    if (isnan(value))
        result = from_double || bits == 64 ? UINT64_C(1) << (bits - 1) : 0;
    else if (whole >= most)
        result = is_signed ? (UINT64_C(1) << (bits - 1)) - 1 : UINT64_MAX;
    else if (whole <= least)
        result = is_signed ? UINT64_C(1) << (bits - 1) : 0;
    else
        result = whole < 0 ? (uint64_t)(int64_t)whole : (uint64_t)whole;
    if (bits == 64) return result;
    return is_signed ? (uint64_t)(int64_t)(int32_t)(uint32_t)result : (uint32_t)result;
}

/* Rows: name, type of the result, call on the device, the host's result. */
/* clang-format off */
#define DIRECTED(X, d, way)                                                                                            \
    X(fadd_##d, float, __fadd_##d(x, y), of_floats(way, ADD, in->x, in->y, 0))                                         \
    X(fsub_##d, float, __fsub_##d(x, y), of_floats(way, SUB, in->x, in->y, 0))                                         \
    X(fmul_##d, float, __fmul_##d(x, y), of_floats(way, MUL, in->x, in->y, 0))                                         \
    X(fmaf_##d, float, __fmaf_##d(x, y, z), of_floats(way, FMA, in->x, in->y, in->z))                                  \
    X(fmaf_near_##d, float, __fmaf_##d(x, y, -__fmul_rn(x, y)),                                                        \
      of_floats(way, FMA, in->x, in->y, -(in->x * in->y)))                                                             \
    X(fdiv_##d, float, __fdiv_##d(x, y), of_floats(way, DIV, in->x, in->y, 0))                                         \
    X(frcp_##d, float, __frcp_##d(x), of_floats(way, RCP, in->x, 0, 0))                                                \
    X(fsqrt_##d, float, __fsqrt_##d(x), of_floats(way, SQRT, in->x, 0, 0))                                             \
    X(dadd_##d, double, __dadd_##d(p, q), of_doubles(way, ADD, in->p, in->q, 0))                                       \
    X(dsub_##d, double, __dsub_##d(p, q), of_doubles(way, SUB, in->p, in->q, 0))                                       \
    X(dmul_##d, double, __dmul_##d(p, q), of_doubles(way, MUL, in->p, in->q, 0))                                       \
    X(fma_##d, double, __fma_##d(p, q, r), of_doubles(way, FMA, in->p, in->q, in->r))                                  \
    X(fma_near_##d, double, __fma_##d(p, q, -__dmul_rn(p, q)), of_doubles(way, FMA, in->p, in->q, -(in->p * in->q)))   \
    X(ddiv_##d, double, __ddiv_##d(p, q), of_doubles(way, DIV, in->p, in->q, 0))                                       \
    X(drcp_##d, double, __drcp_##d(p), of_doubles(way, RCP, in->p, 0, 0))                                              \
    X(dsqrt_##d, double, __dsqrt_##d(p), of_doubles(way, SQRT, in->p, 0, 0))                                           \
    X(fmaf_ieee_##d, float, __fmaf_ieee_##d(x, y, z), of_floats(way, FMA, in->x, in->y, in->z))                        \
    X(double2float_##d, float, __double2float_##d(p), double_to_float(way, in->p))                                     \
    X(int2float_##d, float, __int2float_##d(i), int_to_float(way, (int32_t)(uint32_t)in->n))                           \
    X(uint2float_##d, float, __uint2float_##d(u), uint_to_float(way, (uint32_t)in->n))                                 \
    X(ll2float_##d, float, __ll2float_##d(l), ll_to_float(way, (int64_t)in->n))                                        \
    X(ull2float_##d, float, __ull2float_##d(n), ull_to_float(way, in->n))                                              \
    X(ll2double_##d, double, __ll2double_##d(l), ll_to_double(way, (int64_t)in->n))                                    \
    X(ull2double_##d, double, __ull2double_##d(n), ull_to_double(way, in->n))                                          \
    X(float2int_##d, int, __float2int_##d(x), to_integer(way, in->x, 32, true, false))                                 \
    X(float2uint_##d, unsigned, __float2uint_##d(x), to_integer(way, in->x, 32, false, false))                         \
    X(float2ll_##d, long long, __float2ll_##d(x), to_integer(way, in->x, 64, true, false))                             \
    X(float2ull_##d, unsigned long long, __float2ull_##d(x), to_integer(way, in->x, 64, false, false))                 \
    X(double2int_##d, int, __double2int_##d(p), to_integer(way, in->p, 32, true, true))                                \
    X(double2uint_##d, unsigned, __double2uint_##d(p), to_integer(way, in->p, 32, false, true))                        \
    X(double2ll_##d, long long, __double2ll_##d(p), to_integer(way, in->p, 64, true, true))                            \
    X(double2ull_##d, unsigned long long, __double2ull_##d(p), to_integer(way, in->p, 64, false, true))
#define ROUNDINGS(X)                                                                                                   \
    DIRECTED(X, rn, FE_TONEAREST) DIRECTED(X, rz, FE_TOWARDZERO) DIRECTED(X, ru, FE_UPWARD) DIRECTED(X, rd, FE_DOWNWARD)
/* clang-format on */

#endif

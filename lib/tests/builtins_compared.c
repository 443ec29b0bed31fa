/*
 * The functions that CUDA has for kernels, on any device, with random and special arguments.
 *
 *   builtins_compared FILE [keep]
 *
 * Functions whose results CUDA defines exactly are compared with a GPU's: FILE holds a sum over all results for each,
 * which `keep` writes, on a GPU. Most are also compared with what the host computes, one by one. All others are
 * compared with the host's library in a wider type: the error must be within the bound that the CUDA C++ Programming
 * Guide states ("Mathematical Functions"), in units in the last place.
 */
#include "builtins/halves.h"
#include "builtins/prelude.h"
#include "builtins/roundings.h"
#include "builtins/special.h"
#include "builtins/words.h"
#include "lab.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 64, BLOCKS = 64, EACH = 64, INPUTS = BLOCK * BLOCKS * EACH, SAMPLES = BLOCK * BLOCKS };

/* ---- exact functions that only a GPU is asked for: name, type of the result, call ---- */

/* Those with a result of the host's are in words.h and roundings.h.
 * Arguments: x y z float, p q r double, i j k int, u v w unsigned, l m long long, n o unsigned long long. */
/* clang-format off */
#define EXACT(X)                                                                                                       \
    X(frsqrt_rn, float, __frsqrt_rn(x)) X(divide, float, x / y) X(sqrtf, float, sqrtf(x))                              \
    X(fmaf, float, fmaf(x, y, z)) X(fabsf, float, fabsf(x)) X(floorf, float, floorf(x)) X(ceilf, float, ceilf(x))      \
    X(truncf, float, truncf(x)) X(roundf, float, roundf(x)) X(rintf, float, rintf(x))                                  \
    X(nearbyintf, float, nearbyintf(x)) X(logbf, float, logbf(x)) X(fmodf, float, fmodf(x, y))                         \
    X(remainderf, float, remainderf(x, y)) X(fdimf, float, fdimf(x, y)) X(copysignf, float, copysignf(x, y))           \
    X(nextafterf, float, nextafterf(x, y)) X(ilogbf, int, ilogbf(x)) X(ldexpf, float, ldexpf(x, i % 300))              \
    X(scalbnf, float, scalbnf(x, i % 300)) X(frexpf, float, frexp_of(x)) X(modff, float, modf_of(x))                   \
    X(saturatef, float, __saturatef(x)) X(fminf, float, fminf(x, y) + 0.0f) X(fmaxf, float, fmaxf(x, y) + 0.0f)        \
    X(minf, float, min(x, y) + 0.0f) X(maxf, float, max(x, y) + 0.0f) X(sqrt, double, sqrt(p))                         \
    X(fma, double, fma(p, q, r)) X(floor, double, floor(p)) X(ceil, double, ceil(p)) X(trunc, double, trunc(p))        \
    X(round, double, round(p)) X(rint, double, rint(p)) X(fmod, double, fmod(p, q))                                    \
    X(remainder, double, remainder(p, q)) X(fdim, double, fdim(p, q)) X(logb, double, logb(p))                         \
    X(nextafter, double, nextafter(p, q)) X(ilogb, int, ilogb(p)) X(ldexp, double, ldexp(p, i % 2000))                 \
    X(fmin, double, fmin(p, q) + 0.0) X(fmax, double, fmax(p, q) + 0.0) X(isnan, int, isnan(x) != 0)                   \
    X(isinf, int, isinf(p) != 0) X(isfinite, int, isfinite(x) != 0) X(signbit, int, signbit(p) != 0)                   \
    X(lrintf, long long, lrintf(x)) X(llrintf, long long, llrintf(x)) X(lroundf, long long, lroundf(x))                \
    X(llroundf, long long, llroundf(x)) X(lrint, long long, lrint(p)) X(llround, long long, llround(p))                \
    X(double2hiint, int, __double2hiint(p)) X(double2loint, int, __double2loint(p))                                    \
    X(hiloint2double, double, __hiloint2double(i, j)) X(float_as_int, int, __float_as_int(x + 0.0f == x ? x : 0.0f))   \
    X(int_as_float, float, __int_as_float(i)) X(popc, int, __popc(u)) X(popcll, int, __popcll(n))                      \
    X(clz, int, __clz(i >> (u & 31))) X(clzll, int, __clzll(l)) X(ffs, int, __ffs(i << (u & 31)))                      \
    X(ffsll, int, __ffsll(l)) X(brev, unsigned, __brev(u)) X(brevll, unsigned long long, __brevll(n))                  \
    X(mulhi, int, __mulhi(i, j)) X(umulhi, unsigned, __umulhi(u, v)) X(mul64hi, long long, __mul64hi(l, m))            \
    X(umul64hi, unsigned long long, __umul64hi(n, o)) X(mul24, int, __mul24(i, j))                                     \
    X(umul24, unsigned, __umul24(u, v)) X(usad, unsigned, __usad(u, v, w)) X(sad, unsigned, __sad(i, j, w))            \
    X(hadd, int, __hadd(i, j)) X(rhadd, int, __rhadd(i, j)) X(uhadd, unsigned, __uhadd(u, v))                          \
    X(urhadd, unsigned, __urhadd(u, v)) X(funnelshift_l, unsigned, __funnelshift_l(u, v, w))                           \
    X(funnelshift_r, unsigned, __funnelshift_r(u, v, w)) X(byte_perm, unsigned, __byte_perm(u, v, w))                  \
    X(abs, int, abs(i)) X(llabs, long long, llabs(l)) X(min_int, int, min(i, j)) X(max_int, int, max(i, j))            \
    X(min_unsigned, unsigned, min(u, v)) X(max_long, long long, max(l, m)) X(cast_int, int, (int) x)                   \
    X(cast_unsigned, unsigned, (unsigned) p)
/* clang-format on */

/* ---- functions with a bound: name, of what, call, the host's call in a wider type, bound ---- */

/* An argument that is not near zero, where a GPU's Bessel functions of higher orders are no number. */
#define FAR(x) ((x) * (x) < 1e-6f ? 1 : (x))

/* Arguments: x and y, of the function's type. The host's call has them as X and Y, in long double. A negative bound
 * is one of the absolute error. For cbrt and rcbrt of doubles the guide says 1; the C library, which the CPU device
 * calls, needs more. */
/* clang-format off */
#define BOUNDED(F)                                                                                                     \
    F(sinf, 0, sinf(x), sinl(X), 2) F(cosf, 0, cosf(x), cosl(X), 2) F(tanf, 0, tanf(x), tanl(X), 4)                    \
    F(asinf, 0, asinf(x), asinl(X), 2) F( acosf, 0, acosf(x), acosl(X), 2) F(atanf, 0, atanf(x), atanl(X), 2)          \
    F(atan2f, 0, atan2f(x, y), atan2l(X, Y), 3) F(sinhf, 0, sinhf(x), sinhl(X), 3) F(coshf, 0, coshf(x), coshl(X), 2)  \
    F(tanhf, 0, tanhf(x), tanhl(X), 2) F(asinhf, 0, asinhf(x), asinhl(X), 3) F(acoshf, 0, acoshf(x), acoshl(X), 4)     \
    F(atanhf, 0, atanhf(x), atanhl(X), 3) F(expf, 0, expf(x), expl(X), 2) F(exp2f, 0, exp2f(x), exp2l(X), 2)           \
    F(exp10f, 0, exp10f(x), exp10l(X), 2) F(expm1f, 0, expm1f(x), expm1l(X), 1) F(logf, 0, logf(x), logl(X), 1)        \
    F(log2f, 0, log2f(x), log2l(X), 1) F(log10f, 0, log10f(x), log10l(X), 2) F(log1pf, 0, log1pf(x), log1pl(X), 1)     \
    F( powf, 0, powf(x, y), powl_of(X, Y), 4) F(cbrtf, 0, cbrtf(x), cbrtl(X), 1)                                       \
    F(rcbrtf, 0, rcbrtf(x), 1 / cbrtl(X), 1) F(rsqrtf, 0, rsqrtf(x), 1 / sqrtl(X), 2)                                  \
    F( hypotf, 0, hypotf(x, y), hypotl(X, Y), 3) F(erff, 0, erff(x), erfl(X), 2) F(erfcf, 0, erfcf(x), erfcl(X), 4)    \
    F(tgammaf, 0, tgammaf(fabsf(x)), tgammal(fabsl(X)), 5) F(lgammaf, 0, lgammaf(fabsf(x)), lgammal(fabsl(X)), 6)      \
    F(sinpif, 0, sinpif(x), sinpil_of(X), 1) F(cospif, 0, cospif(x), cospil_of(X), 1)                                  \
    F(normcdff, 0, normcdff(x), erfcl(-X *ROOT_HALF) / 2, 5) F(fdividef, 0, fdividef(x, y), X / Y, 2)                  \
    F(sin, 1, sin(x), sinl(X), 2) F(cos, 1, cos(x), cosl(X), 2) F(tan, 1, tan(x), tanl(X), 2)                          \
    F(asin, 1, asin(x), asinl(X), 2) F(acos, 1, acos(x), acosl(X), 2) F(atan, 1, atan(x), atanl(X), 2)                 \
    F(atan2, 1, atan2(x, y), atan2l(X, Y), 2) F(sinh, 1, sinh(x), sinhl(X), 2) F(cosh, 1, cosh(x), coshl(X), 2)        \
    F(tanh, 1, tanh(x), tanhl(X), 2) F(asinh, 1, asinh(x), asinhl(X), 3) F(acosh, 1, acosh(x), acoshl(X), 3)           \
    F(atanh, 1, atanh(x), atanhl(X), 2) F(exp, 1, exp(x), expl(X), 1) F(exp2, 1, exp2(x), exp2l(X), 1)                 \
    F(exp10, 1, exp10(x), exp10l(X), 2) F(expm1, 1, expm1(x), expm1l(X), 1) F(log, 1, log(x), logl(X), 1)              \
    F(log2, 1, log2(x), log2l(X), 1) F(log10, 1, log10(x), log10l(X), 2) F(log1p, 1, log1p(x), log1pl(X), 1)           \
    F(pow, 1, pow(x, y), powl_of(X, Y), 2) F(cbrt, 1, cbrt(x), cbrtl(X), 3) F(rcbrt, 1, rcbrt(x), 1 / cbrtl(X), 4)     \
    F(rsqrt, 1, rsqrt(x), 1 / sqrtl(X), 1) F(hypot, 1, hypot(x, y), hypotl(X, Y), 2) F(erf, 1, erf(x), erfl(X), 2)     \
    F(erfc, 1, erfc(x), erfcl(X), 5) F(tgamma, 1, tgamma(fabs(x)), tgammal(fabsl(X)), 10)                              \
    F(lgamma, 1, lgamma(fabs(x)), lgammal(fabsl(X)), 4) F(sinpi, 1, sinpi(x), sinpil_of(X), 2)                         \
    F(cospi, 1, cospi(x), cospil_of(X), 2) F(normcdf, 1, normcdf(x), erfcl(-X *ROOT_HALF) / 2, 8)                      \
    F(rhypotf, 0, rhypotf(x, y), 1 / hypotl(X, Y), 2) F(rhypot, 1, rhypot(x, y), 1 / hypotl(X, Y), 1)                  \
    F(norm3df, 0, norm3df(x, y, 1.5f), norm_of(X, Y, 1.5L, 0), 3)                                                      \
    F(norm3d, 1, norm3d(x, y, 1.5), norm_of(X, Y, 1.5L, 0), 2)                                                         \
    F(norm4df, 0, norm4df(x, y, x, y), norm_of(X, Y, X, Y), 3)                                                         \
    F(norm4d, 1, norm4d(x, y, x, y), norm_of(X, Y, X, Y), 2)                                                           \
    F(rnorm3df, 0, rnorm3df(x, y, x), 1 / norm_of(X, Y, X, 0), 2)                                                      \
    F(rnorm3d, 1, rnorm3d(x, y, x), 1 / norm_of(X, Y, X, 0), 1)                                                        \
    F(rnorm4df, 0, rnorm4df(x, y, 2.0f, y), 1 / norm_of(X, Y, 2, Y), 2)                                                \
    F(rnorm4d, 1, rnorm4d(x, y, 2.0, y), 1 / norm_of(X, Y, 2, Y), 1)                                                   \
    F(erfinvf, 0, erfinvf(remainderf(x, 2)), erfinvl_of(remainderl(X, 2)), 2)                                          \
    F(erfinv, 1, erfinv(remainder(x, 2)), erfinvl_of(remainderl(X, 2)), 5)                                             \
    F(erfcinvf, 0, erfcinvf(fabsf(remainderf(x, 4))), erfcinvl_of(fabsl(remainderl(X, 4))), 4)                         \
    F(erfcinv, 1, erfcinv(fabs(remainder(x, 4))), erfcinvl_of(fabsl(remainderl(X, 4))), 6)                             \
    F(erfcxf, 0, erfcxf(x), erfcxl_of(X), 4) F(erfcx, 1, erfcx(x), erfcxl_of(X), 4)                                    \
    F(normcdfinvf, 0, normcdfinvf(fabsf(remainderf(x, 2))), -erfcinvl_of(2 * fabsl(remainderl(X, 2))) / ROOT_HALF, 5)  \
    F(normcdfinv, 1, normcdfinv(fabs(remainder(x, 2))), -erfcinvl_of(2 * fabsl(remainderl(X, 2))) / ROOT_HALF, 8)      \
    F(j0f, 0, j0f(remainderf(x, 16)), j0l(remainderl(X, 16)), 9)                                                       \
    F(j0, 1, j0(remainder(x, 16)), j0l(remainderl(X, 16)), 7)                                                          \
    F(j1f, 0, j1f(remainderf(x, 16)), j1l(remainderl(X, 16)), 9)                                                       \
    F(j1, 1, j1(remainder(x, 16)), j1l(remainderl(X, 16)), 7)                                                          \
    F(y0f, 0, y0f(fabsf(remainderf(x, 16))), y0l(fabsl(remainderl(X, 16))), 9)                                         \
    F(y0, 1, y0(fabs(remainder(x, 16))), y0l(fabsl(remainderl(X, 16))), 7)                                             \
    F(y1f, 0, y1f(fabsf(remainderf(x, 16))), y1l(fabsl(remainderl(X, 16))), 9)                                         \
    F(y1, 1, y1(fabs(remainder(x, 16))), y1l(fabsl(remainderl(X, 16))), 7)                                             \
    F(j0f_large, 0, j0f(x), j0l(X), -2.2e-6) F(j0_large, 1, j0(x), j0l(X), -5e-12)                                     \
    F(j1f_large, 0, j1f(x), j1l(X), -2.2e-6) F(j1_large, 1, j1(x), j1l(X), -5e-12)                                     \
    F(y0f_large, 0, y0f(fmaxf(fabsf(x), 8)), y0l(fmaxl(fabsl(X), 8)), -2.2e-6)                                         \
    F(y0_large, 1, y0(fmax(fabs(x), 8)), y0l(fmaxl(fabsl(X), 8)), -5e-12)                                              \
    F(y1f_large, 0, y1f(fmaxf(fabsf(x), 8)), y1l(fmaxl(fabsl(X), 8)), -2.2e-6)                                         \
    F(y1_large, 1, y1(fmax(fabs(x), 8)), y1l(fmaxl(fabsl(X), 8)), -5e-12)                                              \
    F(jnf, 0, jnf(128, FAR(x)), jnl(128, FAR(X)), -2.2e-6)                                                             \
    F(jn, 1, jn(128, FAR(x)), jnl(128, FAR(X)), -5e-12)                                                                \
    F(jnf_3, 0, jnf(3, FAR(x)), jnl(3, FAR(X)), -2.2e-6)                                                               \
    F(jn_3, 1, jn(3, FAR(x)), jnl(3, FAR(X)), -5e-12)                                                                  \
    F(cyl_bessel_i0f, 0, cyl_bessel_i0f(remainderf(x, 200)), bessel_i_of(0, remainderl(X, 200)), 6)                    \
    F(cyl_bessel_i0, 1, cyl_bessel_i0(remainder(x, 1440)), bessel_i_of(0, remainderl(X, 1440)), 6)                     \
    F(cyl_bessel_i1f, 0, cyl_bessel_i1f(remainderf(x, 200)), bessel_i_of(1, remainderl(X, 200)), 6)                    \
    F(cyl_bessel_i1, 1, cyl_bessel_i1(remainder(x, 1440)), bessel_i_of(1, remainderl(X, 1440)), 6)                     \
    HALF_AND_BFLOAT16(F, rsqrt, 1 / sqrtl(X)) HALF_AND_BFLOAT16(F, rcp, 1 / X) HALF_AND_BFLOAT16(F, log, logl(X))      \
    HALF_AND_BFLOAT16(F, log2, log2l(X)) HALF_AND_BFLOAT16(F, log10, log10l(X)) HALF_AND_BFLOAT16(F, exp, expl(X))     \
    HALF_AND_BFLOAT16(F, exp2, exp2l(X)) HALF_AND_BFLOAT16(F, exp10, exp10l(X)) HALF_AND_BFLOAT16(F, sin, sinl(X))     \
    HALF_AND_BFLOAT16(F, cos, cosl(X)) HALF_AND_BFLOAT16(F, tanh, tanhl(X))                                            \
    F(htanh_approx_half, 2, htanh_approx(x), tanhl(X), -5e-4)                                                          \
    F(htanh_approx_bfloat16, 3, htanh_approx(x), tanhl(X), -4e-3)                                                      \
    F(h2tanh_approx_half, 2, h2tanh_approx(__half2half2(x)).y, tanhl(X), -5e-4)                                        \
    F(h2tanh_approx_bfloat16, 3, h2tanh_approx(__bfloat162bfloat162(x)).y, tanhl(X), -4e-3)
/* And of pairs. */
#define HALF_AND_BFLOAT16(F, name, host)                                                                               \
    F(h##name##_half, 2, h##name(x), host, 1) F(h##name##_bfloat16, 3, h##name(x), host, 1)                            \
    F(h2##name##_half, 2, h2##name(__half2half2(x)).y, host, 1)                                                        \
    F(h2##name##_bfloat16, 3, h2##name(__bfloat162bfloat162(x)).y, host, 1)
/* clang-format on */

/* ---- the kernels ---- */

/* Each row is a function, and each kind of row has one kernel: what many kernels cost to compile, few do not. */
#define TEXT_OF_EXACT(name, type, call) EXACT_FUNCTION(#name, #type, #call, "TAKE_ARGUMENTS")
#define TEXT_OF_REFERRED(name, type, call, host) EXACT_FUNCTION(#name, #type, #call, "TAKE_ARGUMENTS")
#define TEXT_OF_HALVES(name, type, call, host) EXACT_FUNCTION(#name, #type, #call, "TAKE_HALVES")
#define EXACT_FUNCTION(name, type, call, take)                                                                         \
    "__device__ __noinline__ unsigned long long exact_" name "(const arguments *in)\n"                                 \
    "{ " take "; return bits_of((" type ")(" call ")); }\n"
#define TEXT_OF_BOUNDED(name, of, call, host, bound)                                                                   \
    "__device__ __noinline__ double bounded_" #name "(const arguments *in) { TAKE_" #of "; return as_double(" #call    \
    "); "                                                                                                              \
    "}\n"
#define ROW_OF_EXACT(name, type, call) "row_" #name ", "
#define ROW_OF_REFERRED(name, type, call, host) "row_" #name ", "
#define ROW_OF_BOUNDED(name, of, call, host, bound) "row_" #name ", "
#define CASE_OF_EXACT(name, type, call) CASE("exact_", #name)
#define CASE_OF_REFERRED(name, type, call, host) CASE("exact_", #name)
#define CASE_OF_BOUNDED(name, of, call, host, bound) CASE("bounded_", #name)
#define CASE(kind, name) "    case row_" name ": out[t] = " kind name "(in + t); break;\n"
#define KERNEL(name, type, rows, cases)                                                                                \
    "enum { " rows "};\n"                                                                                              \
    "extern \"C\" __global__ void " name "(int row, const arguments *in, " type " *out)\n"                             \
    "{\n"                                                                                                              \
    "    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;\n"                                                  \
    "    switch (row) {\n" cases "    }\n"                                                                             \
    "}\n"
/* In the order of the tables below. */
#define REFERRED(X) WORDS(X) ROUNDINGS(X) HALVES(X)
static const char exact_kernel[] = EXACT(TEXT_OF_EXACT) WORDS(TEXT_OF_REFERRED) ROUNDINGS(TEXT_OF_REFERRED)
    HALVES(TEXT_OF_HALVES) KERNEL("exact", "unsigned long long", EXACT(ROW_OF_EXACT) REFERRED(ROW_OF_REFERRED),
                                  EXACT(CASE_OF_EXACT) REFERRED(CASE_OF_REFERRED));
static const char bounded_kernel[] =
    BOUNDED(TEXT_OF_BOUNDED) KERNEL("bounded", "double", BOUNDED(ROW_OF_BOUNDED), BOUNDED(CASE_OF_BOUNDED));

/* ---- the host's results ---- */

typedef struct bounded_function {
    const char *name;
    int of; /* what its row says: 0 float, 1 double, 2 __half, 3 __nv_bfloat16 */
    double bound;
    long double (*host)(long double X, long double Y);
} bounded_function;

#define HOST(name, of, call, result, bound)                                                                            \
    static long double host_##name(long double X, long double Y)                                                       \
    {                                                                                                                  \
        (void)Y;                                                                                                       \
        return result;                                                                                                 \
    }
BOUNDED(HOST)
#define ENTRY(name, of, call, result, bound) {#name, of, bound, host_##name},
static const bounded_function bounded[] = {BOUNDED(ENTRY)};

typedef struct exact_function {
    const char *name;
    uint64_t (*host)(const arguments *in); /* the bits of its result; NULL if only a GPU knows */
    int inputs;
} exact_function;

#define HOST_OF_REFERRED(name, type, call, result)                                                                     \
    static uint64_t exactly_##name(const arguments *in) { return result; }
REFERRED(HOST_OF_REFERRED)
#define EXACT_ENTRY(name, type, call) {#name, NULL, INPUTS},
#define REFERRED_ENTRY(name, type, call, result) {#name, exactly_##name, INPUTS},
#define HALVES_ENTRY(name, type, call, result) {#name, exactly_##name, INPUTS / 8},
static const exact_function exact[] = {EXACT(EXACT_ENTRY) WORDS(REFERRED_ENTRY) ROUNDINGS(REFERRED_ENTRY)
                                           HALVES(HALVES_ENTRY)};
enum { EXACT_COUNT = sizeof exact / sizeof *exact, BOUNDED_COUNT = sizeof bounded / sizeof *bounded };

/* The formats, as a row names them. */
static const struct {
    int digits, least; /* of the smallest number, the exponent */
    double largest;
} format[] = {{24, -149, FLT_MAX}, {53, -1074, DBL_MAX}, {HALF, -24, 65504}, {BFLOAT16, -133, 0x1.fep127}};

/* The distance between two numbers, in units in the last place of the second or as it is. */
static double error_of_number(long double result, long double wanted, int of, bool is_absolute)
{
    if (is_absolute) return (double)fabsl(result - wanted);
    int exponent;
    frexpl(wanted, &exponent);
    const int last = exponent - format[of].digits > format[of].least ? exponent - format[of].digits : format[of].least;
    return (double)fabsl(ldexpl(result - wanted, -last));
}

/* The distance of a result from the exact one, in units in the last place of the exact one or as it is. */
static double error_of(double result, long double wanted, int of, bool is_absolute)
{
    const long double largest = format[of].largest;
    if (isnan(wanted) || isnan(result)) return isnan(wanted) && isnan(result) ? 0 : INFINITY;
    if (fabsl(wanted) > largest && fabsl(result) >= largest) return !signbit(wanted) == !signbit(result) ? 0 : INFINITY;
    if (isinf(wanted)) return (long double)result == wanted ? 0 : INFINITY;
    if (isinf(result)) { /* counts as the number behind the largest */
        const long double next = ldexpl(1, ilogbl(largest) + 1);
        return error_of_number(signbit(result) ? -next : next, wanted, of, is_absolute);
    }
    return error_of_number((long double)result, wanted, of, is_absolute);
}

/* The two arguments of a function. */
static long double argument_of(const arguments *given, int of, bool is_second)
{
    switch (of) {
    case 0: return is_second ? given->y : given->x;
    case 1: return is_second ? given->q : given->p;
    case 2: return value_of(is_second ? given->g : given->f, HALF);
    default: return value_of(is_second ? given->g : given->f, BFLOAT16);
    }
}

/* ---- running them ---- */

static lab_deviceptr in_memory, out_memory;
static arguments in[INPUTS];

static lab_function load(const char *const *text, int texts, const char *kernel)
{
    char *source = NULL;
    size_t size;
    FILE *out = open_memstream(&source, &size);
    lab_module *module;
    lab_function function;
    for (int i = 0; i < texts; i++) fputs(text[i], out);
    fclose(out);
    LAB_CHECK(lab_module_load_source(&module, source, "builtins.cu"));
    LAB_CHECK(lab_module_get_function(&function, module, kernel));
    free(source);
    return function;
}

static void run(void *out, lab_function function, int row, int count)
{
    LAB_CHECK(
        lab_launch(function, LAB_DIM(count / BLOCK), LAB_DIM(BLOCK), 0, NULL, LAB_ARGS(row, in_memory, out_memory)));
    LAB_CHECK(lab_memcpy_dtoh(out, out_memory, (size_t)count * sizeof(uint64_t)));
}

static void make_arguments(void)
{
    const lab_function make = load((const char *const[]){prelude}, 1, "make_arguments");
    LAB_CHECK(lab_mem_alloc(&in_memory, sizeof in));
    LAB_CHECK(lab_mem_alloc(&out_memory, INPUTS * sizeof(uint64_t)));
    LAB_CHECK(lab_launch(make, LAB_DIM(INPUTS / BLOCK), LAB_DIM(BLOCK), 0, NULL, LAB_ARGS(in_memory)));
    LAB_CHECK(lab_memcpy_dtoh(in, in_memory, sizeof in));
}

static lab_function load_exact(void)
{
    return load((const char *const[]){prelude, words_prelude, halves_prelude, exact_kernel}, 4, "exact");
}

/* Reads the sum that is kept for the function; false if there is none. */
static bool kept_sum(uint64_t *sum, const char *path, const char *name)
{
    char line[256], read[64];
    FILE *file = fopen(path, "r");
    bool found = false;
    while (file && !found && fgets(line, sizeof line, file))
        found = sscanf(line, "%63s %" SCNx64, read, sum) == 2 && strcmp(read, name) == 0;
    if (file) fclose(file);
    return found;
}

/* The sum over the results of a row, and whether they are the host's. */
static uint64_t sum_of(lab_function function, int row, bool *is_right)
{
    static uint64_t result[INPUTS];
    uint64_t sum = 0;
    int differences = 0;
    run(result, function, row, exact[row].inputs);
    for (int i = 0; i < exact[row].inputs; i++) {
        sum += result[i] * (2 * (uint64_t)i + 1);
        const uint64_t wanted = exact[row].host ? exact[row].host(&in[i]) : result[i];
        if (wanted == result[i] || differences++) continue;
        printf("%-16s of %a %a %a, %a %a %a, %" PRIx64 " %" PRIx64 ", %x %x %x %x: %016" PRIx64 ", not %016" PRIx64
               "\n",
               exact[row].name, in[i].x, in[i].y, in[i].z, in[i].p, in[i].q, in[i].r, in[i].n, in[i].o, in[i].w,
               in[i].a, in[i].b, in[i].c, result[i], wanted);
    }
    *is_right = differences == 0;
    return sum;
}

/* Prints what is wrong, and adds to both counts. */
static void compare_exact(int *right, int *wrong, const char *path)
{
    const lab_function function = load_exact();
    int unknown = 0;
    for (int i = 0; i < EXACT_COUNT; i++) {
        uint64_t kept = 0;
        bool is_right;
        const uint64_t sum = sum_of(function, i, &is_right);
        const bool is_kept = kept_sum(&kept, path, exact[i].name), is_known = is_kept || exact[i].host;
        if (!is_known) printf("%-16s no GPU's sum is kept, and the host has no result\n", exact[i].name);
        if (is_kept && kept != sum)
            printf("%-16s %016" PRIx64 ", a GPU has %016" PRIx64 "\n", exact[i].name, sum, kept);
        unknown += !is_kept;
        *(is_right && is_known && (!is_kept || kept == sum) ? right : wrong) += 1;
    }
    printf("%d exact functions, up to %d arguments each; of %d no GPU's results are kept\n", EXACT_COUNT, INPUTS,
           unknown);
}

static void compare_bounded(int *right, int *wrong)
{
    static double value[SAMPLES];
    const lab_function function = load((const char *const[]){prelude, halves_prelude, bounded_kernel}, 3, "bounded");
    for (int i = 0; i < BOUNDED_COUNT; i++) {
        const bounded_function *f = &bounded[i];
        double most = 0;
        int worst = 0;
        run(value, function, i, SAMPLES);
#define WANTED(s) f->host(argument_of(&in[s], f->of, false), argument_of(&in[s], f->of, true))
        for (int s = 0; s < SAMPLES; s++) {
            const double error = error_of(value[s], WANTED(s), f->of, f->bound < 0);
            if (error > most) most = error, worst = s;
        }
        const double allowed = f->bound < 0 ? -f->bound : f->bound + 0.5; /* the guide rounds errors below 1/2 down */
        const bool is_wrong = most > allowed;
        *(is_wrong ? wrong : right) += 1;
        printf("%-14s %7.2g of %g%s", f->name, most, fabs(f->bound), f->bound < 0 ? "" : " ulp");
        if (is_wrong)
            printf("  WRONG at %La, %La: %a, not %La", argument_of(&in[worst], f->of, false),
                   argument_of(&in[worst], f->of, true), value[worst], WANTED(worst));
        printf("\n");
#undef WANTED
    }
    printf("%d functions with a bound, %d arguments each\n", BOUNDED_COUNT, SAMPLES);
}

static int keep(const char *path)
{
    const lab_function function = load_exact();
    lab_device_info info;
    bool is_right;
    LAB_CHECK(lab_device_get_info(&info, 0));
    FILE *file = fopen(path, "w");
    if (!file) return 1;
    fprintf(file, "# Sums over the results of exact functions on one %s, by builtins_compared.c. Measured.\n",
            info.name);
    for (int i = 0; i < EXACT_COUNT; i++)
        fprintf(file, "%s %016" PRIx64 "\n", exact[i].name, sum_of(function, i, &is_right));
    return fclose(file) != 0;
}

int main(int count, char **argument)
{
    int right = 0, wrong = 0;
    if (count < 2) return 2;
    make_arguments();
    if (count > 2) return keep(argument[1]);
    compare_bounded(&right, &wrong);
    compare_exact(&right, &wrong, argument[1]);
    printf("%d passed, %d failed\n", right, wrong);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}

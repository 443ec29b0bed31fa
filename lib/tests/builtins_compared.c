/*
 * The functions that CUDA has for kernels, on any device, with random and special arguments.
 *
 *   builtins_compared FILE [keep]
 *
 * Functions whose results CUDA defines exactly are compared with a GPU's: FILE holds a sum over all results for each,
 * which `keep` writes, on a GPU. All others are compared with the host's library in a wider type: the error must be
 * within the bound that the CUDA C++ Programming Guide states ("Mathematical Functions"), in units in the last place.
 */
#include "lab.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 64, BLOCKS = 64, EACH = 64, INPUTS = BLOCK * BLOCKS * EACH, SAMPLES = BLOCK * BLOCKS };

/* ---- exact functions: name, type of the result, call ---- */

/* Arguments: x y z float, p q r double, i j k int, u v w unsigned, l m long long, n o unsigned long long. */
/* clang-format off */
#define EXACT(X)                                                                                                       \
    X(fadd_rn, float, __fadd_rn(x, y)) X(fsub_rn, float, __fsub_rn(x, y)) X(fmul_rn, float, __fmul_rn(x, y))           \
    X(fdiv_rn, float, __fdiv_rn(x, y)) X( frcp_rn, float, __frcp_rn(x)) X(fsqrt_rn, float, __fsqrt_rn(x))              \
    X(frsqrt_rn, float, __frsqrt_rn(x)) X(fmaf_rn, float, __fmaf_rn(x, y, z)) X(dadd_rn, double, __dadd_rn(p, q))      \
    X(dsub_rn, double, __dsub_rn(p, q)) X(dmul_rn, double, __dmul_rn(p, q)) X( ddiv_rn, double, __ddiv_rn( p, q))      \
    X(drcp_rn, double, __drcp_rn(p)) X(dsqrt_rn, double, __dsqrt_rn(p)) X(fma_rn, double, __fma_rn(p, q, r))           \
    X(divide, float, x / y) X(sqrtf, float, sqrtf(x)) X( fmaf, float, fmaf(x, y, z)) X(fabsf, float, fabsf(x))         \
    X(floorf, float, floorf(x)) X(ceilf, float, ceilf(x)) X(truncf, float, truncf(x)) X(roundf, float, roundf(x))      \
    X(rintf, float, rintf(x)) X( nearbyintf, float, nearbyintf(x)) X(logbf, float, logbf(x))                           \
    X(fmodf, float, fmodf(x, y)) X(remainderf, float, remainderf(x, y)) X(fdimf, float, fdimf(x, y))                   \
    X(copysignf, float, copysignf(x, y)) X( nextafterf, float, nextafterf( x, y)) X(ilogbf, int, ilogbf(x))            \
    X(ldexpf, float, ldexpf(x, i % 300)) X(scalbnf, float, scalbnf(x, i % 300)) X(frexpf, float, frexp_of(x))          \
    X(modff, float, modf_of(x)) X( saturatef, float, __saturatef( x)) X(fminf, float, fminf(x, y) + 0.0f)              \
    X(fmaxf, float, fmaxf(x, y) + 0.0f) X(minf, float, min(x, y) + 0.0f) X(maxf, float, max(x, y) + 0.0f)              \
    X(sqrt, double, sqrt(p)) X( fma, double, fma(p, q, r)) X(floor, double, floor(p)) X(ceil, double, ceil(p))         \
    X(trunc, double, trunc(p)) X(round, double, round(p)) X(rint, double, rint(p)) X( fmod, double, fmod(p, q))        \
    X(remainder, double, remainder(p, q)) X(fdim, double, fdim(p, q)) X(logb, double, logb(p))                         \
    X(nextafter, double, nextafter(p, q)) X(ilogb, int, ilogb(p)) X( ldexp, double, ldexp( p, i % 2000))               \
    X(fmin, double, fmin(p, q) + 0.0) X(fmax, double, fmax(p, q) + 0.0) X(isnan, int, isnan(x) != 0)                   \
    X(isinf, int, isinf(p) != 0) X(isfinite, int, isfinite(x) != 0) X( signbit, int, signbit(p) != 0)                  \
    X(lrintf, long long, lrintf(x)) X(llrintf, long long, llrintf(x)) X(lroundf, long long, lroundf(x))                \
    X(llroundf, long long, llroundf(x)) X( lrint, long long, lrint(p)) X(llround, long long, llround(p))               \
    X(float2int_rn, int, __float2int_rn(x)) X( float2int_rz, int, __float2int_rz(x))                                   \
    X(float2int_ru, int, __float2int_ru(x)) X( float2int_rd, int, __float2int_rd(x))                                   \
    X(float2uint_rn, unsigned, __float2uint_rn( x)) X(float2uint_rz, unsigned, __float2uint_rz( x))                    \
    X(float2ll_rn, long long, __float2ll_rn(x)) X(float2ull_rn, unsigned long long, __float2ull_rn(x))                 \
    X( double2int_rn, int, __double2int_rn(p)) X(double2uint_ru, unsigned, __double2uint_ru( p))                       \
    X(double2ll_rd, long long, __double2ll_rd(p)) X(double2ull_rz, unsigned long long, __double2ull_rz(p))             \
    X(int2float_rn, float, __int2float_rn(i)) X( uint2float_rn, float, __uint2float_rn( u))                            \
    X(ll2float_rn, float, __ll2float_rn(l)) X(ull2float_rn, float, __ull2float_rn(n))                                  \
    X( ll2double_rn, double, __ll2double_rn(l)) X(ull2double_rn, double, __ull2double_rn( n))                          \
    X(double2float_rn, float, __double2float_rn(p)) X(double2hiint, int, __double2hiint( p))                           \
    X(double2loint, int, __double2loint(p)) X(hiloint2double, double, __hiloint2double(i, j))                          \
    X( float_as_int, int, __float_as_int(x + 0.0f == x ? x : 0.0f)) X(int_as_float, float, __int_as_float(i))          \
    X(popc, int, __popc(u)) X( popcll, int, __popcll( n)) X(clz, int, __clz(i >> (u & 31))) X(clzll, int, __clzll(l))  \
    X(ffs, int, __ffs(i << (u & 31))) X( ffsll, int, __ffsll(l)) X(brev, unsigned, __brev( u))                         \
    X(brevll, unsigned long long, __brevll(n)) X(mulhi, int, __mulhi(i, j)) X(umulhi, unsigned, __umulhi(u, v))        \
    X( mul64hi, long long, __mul64hi( l, m)) X(umul64hi, unsigned long long, __umul64hi(n, o))                         \
    X(mul24, int, __mul24(i, j)) X( umul24, unsigned, __umul24( u, v)) X(usad, unsigned, __usad(u, v, w))              \
    X(sad, unsigned, __sad(i, j, w)) X( hadd, int, __hadd(i, j)) X(rhadd, int, __rhadd(i, j))                          \
    X( uhadd, unsigned, __uhadd( u, v)) X(urhadd, unsigned, __urhadd(u, v))                                            \
    X(funnelshift_l, unsigned, __funnelshift_l( u, v, w)) X(funnelshift_r, unsigned, __funnelshift_r(u, v, w))         \
    X(byte_perm, unsigned, __byte_perm( u, v, w)) X(abs, int, abs(i)) X(llabs, long long, llabs(l))                    \
    X( min_int, int, min(i, j)) X(max_int, int, max(i, j)) X(min_unsigned, unsigned, min(u, v))                        \
    X(max_long, long long, max(l, m)) X(cast_int, int, (int) x) X(cast_unsigned, unsigned, (unsigned) p)
/* clang-format on */

/* ---- functions with a bound: name, whether it is of doubles, call, the host's call in a wider type, bound ---- */

/* Arguments: x and y, of the function's type. The host's call has them as X and Y, in long double. For cbrt and rcbrt
 * of doubles the guide says 1; the C library, which the CPU device calls, needs more. */
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
    F(cospi, 1, cospi(x), cospil_of(X), 2) F(normcdf, 1, normcdf(x), erfcl(-X *ROOT_HALF) / 2, 8)
/* clang-format on */

/* ---- the kernels ---- */

/* A third of the arguments are any bits, a third are of moderate size, a third are special. */
static const char prelude[] =
    "__device__ unsigned long long mix(unsigned long long i)\n"
    "{\n"
    "    unsigned long long z = (i + 1) * 0x9E3779B97F4A7C15ull;\n"
    "    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;\n"
    "    z = (z ^ z >> 27) * 0x94D049BB133111EBull;\n"
    "    return z ^ z >> 31;\n"
    "}\n"
    "__device__ unsigned long long special(unsigned which)\n"
    "{\n"
    "    const unsigned long long list[] = {0, 0x3ff0000000000000, 0x3fe0000000000000, 0x3ff8000000000000,\n"
    "        0x4000000000000000, 0x4004000000000000, 0x4008000000000000, 0x400921fb54442d18, 0x7ff0000000000000,\n"
    "        0x7ff8000000000000, 0x36a0000000000000, 0x3810000000000000, 0x47efffffe0000000, 0x4330000000000000,\n"
    "        0x4160000000000000, 0x41dfffffffc00000, 0x41e0000000000000, 0x41f0000000000000, 0x43e0000000000000,\n"
    "        0x43f0000000000000, 1, 0x000fffffffffffff, 0x0010000000000000, 0x7fefffffffffffff, 0x3fefffffffffffff,\n"
    "        0x3ff0000000000001, 0x4024000000000000, 0x4059000000000000, 0x4086000000000000, 0x40e0000000000000};\n"
    "    return list[which % 30] | (unsigned long long)(which / 30 & 1) << 63;\n"
    "}\n"
    "__device__ double quiet(double v) { return v != v ? __longlong_as_double(0x7ff8000000000000) : v; }\n"
    "__device__ float quiet(float v) { return v != v ? __int_as_float(0x7fc00000) : v; }\n"
    "__device__ double double_of(unsigned long long i, int which)\n"
    "{\n"
    "    const unsigned long long bits = mix(i * 4 + which);\n"
    "    const unsigned kind = (unsigned)(bits % 3);\n"
    "    if (kind == 0) return quiet(__longlong_as_double((long long)mix(bits)));\n"
    "    if (kind == 1) return (double)(long long)mix(bits) / (double)(1ull << (54 + bits / 3 % 9));\n"
    "    return __longlong_as_double((long long)special((unsigned)(bits >> 20)));\n"
    "}\n"
    "__device__ float float_of(unsigned long long i, int which)\n"
    "{\n"
    "    const unsigned long long bits = mix(i * 4 + which);\n"
    "    if (bits % 3 == 0) return quiet(__uint_as_float((unsigned)mix(bits)));\n"
    "    return (float)double_of(i, which);\n"
    "}\n"
    "__device__ unsigned long long bits_of(float v) { return v != v ? 0x7fffffff : __float_as_uint(v); }\n"
    "__device__ unsigned long long bits_of(double v)\n"
    "{ return v != v ? 0x7fffffffffffffff : (unsigned long long)__double_as_longlong(v); }\n"
    "__device__ unsigned long long bits_of(int v) { return (unsigned long long)(long long)v; }\n"
    "__device__ unsigned long long bits_of(unsigned v) { return v; }\n"
    "__device__ unsigned long long bits_of(long long v) { return (unsigned long long)v; }\n"
    "__device__ unsigned long long bits_of(unsigned long long v) { return v; }\n"
    "__device__ float frexp_of(float x) { int e = 0; const float m = frexpf(x, &e); return isfinite(x) ? m + e : m; }\n"
    "__device__ float modf_of(float x) { float whole; const float part = modff(x, &whole); return part * 3 + whole; "
    "}\n";

/* The bodies of the kernels, which are written out: the library finds kernels by their text. */
#define TEXT_OF_EXACT(name, type, call)                                                                                \
    "extern \"C\" __global__ void exact_" #name "(unsigned long long *out, int each)\n"                                \
    "{\n"                                                                                                              \
    "    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;\n"                                             \
    "    unsigned long long sum = 0;\n"                                                                                \
    "    for (int a = 0; a < each; a++) {\n"                                                                           \
    "        const unsigned long long t = (unsigned long long)thread * each + a;\n"                                    \
    "        const float x = float_of(t, 0), y = float_of(t, 1), z = float_of(t, 2);\n"                                \
    "        const double p = double_of(t, 0), q = double_of(t, 1), r = double_of(t, 2);\n"                            \
    "        const unsigned long long n = mix(4 * t), o = mix(4 * t + 1);\n"                                           \
    "        const long long l = (long long)n, m = (long long)o;\n"                                                    \
    "        const unsigned u = (unsigned)n, v = (unsigned)o, w = (unsigned)mix(4 * t + 2);\n"                         \
    "        const int i = (int)u, j = (int)v;\n"                                                                      \
    "        sum += bits_of((" #type ")(" #call ")) * (2 * t + 1);\n"                                                  \
    "    }\n"                                                                                                          \
    "    out[thread] = sum;\n"                                                                                         \
    "}\n"
#define TEXT_OF_BOUNDED(name, is_double, call, host, bound) BOUNDED_##is_double(name, call)
#define BOUNDED_0(name, call) BOUNDED_KERNEL(#name, "float", #call)
#define BOUNDED_1(name, call) BOUNDED_KERNEL(#name, "double", #call)
#define BOUNDED_KERNEL(name, type, call)                                                                               \
    "extern \"C\" __global__ void bounded_" name "(unsigned long long *out, int)\n"                                    \
    "{\n"                                                                                                              \
    "    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;\n"                                             \
    "    const " type " x = " type "_of(thread, 0), y = " type "_of(thread, 1);\n"                                     \
    "    const double values[3] = {x, y, " call "};\n"                                                                 \
    "    memcpy(&out[3 * thread], values, sizeof values);\n"                                                           \
    "}\n"
static const char kernels[] = EXACT(TEXT_OF_EXACT) BOUNDED(TEXT_OF_BOUNDED);

/* ---- the host's results ---- */

#define PI 3.14159265358979323846264338327950288L
#define ROOT_HALF 0.70710678118654752440084436210484904L

static long double sinpil_of(long double x)
{
    const long double rest = remainderl(x, 2);
    return fabsl(rest) > 0.5L ? copysignl(sinl(PI * (1 - fabsl(rest))), rest) : sinl(PI * rest);
}
static long double cospil_of(long double x) { return sinpil_of(0.5L - fabsl(remainderl(x, 2))); }

/* The host's powl is wrong for infinities with exponents of 2^63 and more. */
static long double powl_of(long double x, long double y) { return isinf(x) ? pow((double)x, (double)y) : powl(x, y); }

typedef struct bounded_function {
    const char *name;
    bool is_double;
    double bound;
    long double (*host)(long double X, long double Y);
} bounded_function;

#define HOST(name, is_double, call, result, bound)                                                                     \
    static long double host_##name(long double X, long double Y)                                                       \
    {                                                                                                                  \
        (void)Y;                                                                                                       \
        return result;                                                                                                 \
    }
BOUNDED(HOST)
#define ENTRY(name, is_double, call, result, bound) {#name, is_double, bound, host_##name},
static const bounded_function bounded[] = {BOUNDED(ENTRY)};
#define NAME(name, type, call) #name,
static const char *const exact[] = {EXACT(NAME)};
enum { EXACT_COUNT = sizeof exact / sizeof *exact, BOUNDED_COUNT = sizeof bounded / sizeof *bounded };

/* The distance of a result from the exact one, in units in the last place of the exact one. */
static double error_of(double result, long double wanted, bool is_double)
{
    const long double largest = is_double ? (long double)DBL_MAX : (long double)FLT_MAX;
    if (isnan(wanted) || isnan(result)) return isnan(wanted) && isnan(result) ? 0 : INFINITY;
    if (fabsl(wanted) > largest && fabs(result) >= (double)largest)
        return !signbit(wanted) == !signbit(result) ? 0 : INFINITY;
    if (isinf(wanted) || isinf(result)) return (long double)result == wanted ? 0 : INFINITY;
    int exponent;
    frexpl(wanted, &exponent);
    const int least = is_double ? -1074 : -149, digits = is_double ? 53 : 24;
    const int last = exponent - digits > least ? exponent - digits : least;
    return (double)fabsl(ldexpl((long double)result - wanted, -last));
}

/* ---- running them ---- */

static lab_module *module;
static lab_deviceptr memory;

static void run(void *out, size_t bytes, const char *kind, const char *name)
{
    char kernel[64];
    lab_function function;
    snprintf(kernel, sizeof kernel, "%s_%s", kind, name);
    LAB_CHECK(lab_module_get_function(&function, module, kernel));
    LAB_CHECK(lab_launch(function, LAB_DIM(BLOCKS), LAB_DIM(BLOCK), 0, NULL, LAB_ARGS(memory, (int)EACH)));
    LAB_CHECK(lab_memcpy_dtoh(out, memory, bytes));
}

static uint64_t sum_of(const char *name)
{
    static uint64_t part[BLOCK * BLOCKS];
    uint64_t sum = 0;
    run(part, sizeof part, "exact", name);
    for (int i = 0; i < BLOCK * BLOCKS; i++) sum += part[i];
    return sum;
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

static int compare_exact(const char *path)
{
    int wrong = 0;
    for (int i = 0; i < EXACT_COUNT; i++) {
        uint64_t kept = 0;
        const uint64_t sum = sum_of(exact[i]);
        const bool is_kept = kept_sum(&kept, path, exact[i]);
        if (is_kept && kept == sum) continue;
        printf("%-16s %016" PRIx64 ", %s %016" PRIx64 "\n", exact[i], sum,
               is_kept ? "a GPU has" : "no sum is kept:", kept);
        wrong++;
    }
    printf("%d exact functions, %d arguments each: %d differ from the GPU\n", EXACT_COUNT, INPUTS, wrong);
    return wrong;
}

static int compare_bounded(void)
{
    static double values[SAMPLES][3];
    int wrong = 0;
    for (int i = 0; i < BOUNDED_COUNT; i++) {
        const bounded_function *f = &bounded[i];
        double most = 0;
        int worst = 0;
        run(values, sizeof values, "bounded", f->name);
        for (int s = 0; s < SAMPLES; s++) {
            const double error = error_of(values[s][2], f->host(values[s][0], values[s][1]), f->is_double);
            if (error > most) most = error, worst = s;
        }
        const bool is_wrong = most > f->bound + 0.5; /* the guide rounds errors below one half down */
        wrong += is_wrong;
        printf("%-10s %6.2f of %2.0f ulp%s", f->name, most, f->bound, is_wrong ? "" : "\n");
        if (is_wrong)
            printf("  WRONG at %a, %a: %a, not %La\n", values[worst][0], values[worst][1], values[worst][2],
                   f->host(values[worst][0], values[worst][1]));
    }
    printf("%d functions with a bound, %d arguments each: %d exceed it\n", BOUNDED_COUNT, SAMPLES, wrong);
    return wrong;
}

static int keep(const char *path)
{
    lab_device_info info;
    LAB_CHECK(lab_device_get_info(&info, 0));
    FILE *file = fopen(path, "w");
    if (!file) return 1;
    fprintf(file, "# Sums over the results of exact functions on one %s, by builtins_compared.c. Measured.\n",
            info.name);
    for (int i = 0; i < EXACT_COUNT; i++) fprintf(file, "%s %016" PRIx64 "\n", exact[i], sum_of(exact[i]));
    return fclose(file) != 0;
}

int main(int count, char **argument)
{
    static char source[sizeof prelude + sizeof kernels];
    if (count < 2) return 2;
    strcat(strcpy(source, prelude), kernels);
    LAB_CHECK(lab_module_load_source(&module, source, "builtins.cu"));
    LAB_CHECK(lab_mem_alloc(&memory, SAMPLES * 3 * sizeof(double)));
    if (count > 2) return keep(argument[1]);
    const int wrong = compare_bounded() + compare_exact(argument[1]);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}

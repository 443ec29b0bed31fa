// CUDA's mathematical functions and intrinsics for a kernel that is compiled for the host: the functions of the C
// library, C++'s overloads of them, and those that CUDA adds. The fast variants (__sinf and so on) are the accurate
// ones here. Directed roundings other than to nearest are missing.

#define LAB_LIBM extern "C"
#define LAB_FLOAT_1(name) LAB_LIBM float name##f(float) noexcept(true);
#define LAB_FLOAT_2(name) LAB_LIBM float name##f(float, float) noexcept(true);
#define LAB_DOUBLE_1(name) LAB_LIBM double name(double) noexcept(true);
#define LAB_DOUBLE_2(name) LAB_LIBM double name(double, double) noexcept(true);
#define LAB_OVERLOAD_1(name)                                                                                           \
    LAB_BUILTIN float name(float x) { return name##f(x); }                                                             \
    template <class T> LAB_BUILTIN lab_double_for<T> name(T x) { return name((double)x); }
#define LAB_OVERLOAD_2(name)                                                                                           \
    LAB_BUILTIN float name(float x, float y) { return name##f(x, y); }                                                 \
    LAB_BUILTIN double name(float x, double y) { return name((double)x, y); }                                          \
    LAB_BUILTIN double name(double x, float y) { return name(x, (double)y); }                                          \
    template <class T, class U> LAB_BUILTIN lab_double_for_either<T, U> name(T x, U y)                                 \
    {                                                                                                                  \
        return name((double)x, (double)y);                                                                             \
    }

// An integer argument becomes a double: sqrt(2) is sqrt(2.0), and pow(x, 2) is pow(x, 2.0).
template <class T> struct lab_number {
    static constexpr bool is_integer = __is_integral(T);
    static constexpr bool is_any = __is_arithmetic(T);
};
template <bool, class T> struct lab_if {};
template <class T> struct lab_if<true, T> {
    typedef T type;
};
template <class T> using lab_double_for = typename lab_if<lab_number<T>::is_integer, double>::type;
template <class T, class U> struct lab_pair {
    static constexpr bool has_integer = (lab_number<T>::is_integer && lab_number<U>::is_any) ||
                                        (lab_number<T>::is_any && lab_number<U>::is_integer);
};
template <class T, class U> using lab_double_for_either = typename lab_if<lab_pair<T, U>::has_integer, double>::type;

#define LAB_FUNCTIONS_1(X)                                                                                             \
    X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh) X(asinh) X(acosh) X(atanh)                    \
    X(exp2) X(expm1) X(log) X(log2) X(log10) X(log1p) X(sqrt) X(cbrt) X(erf) X(erfc)                                   \
    X(tgamma) X(lgamma) X(fabs) X(floor) X(ceil) X(trunc) X(round) X(rint) X(nearbyint) X(logb)
#define LAB_FUNCTIONS_2(X)                                                                                             \
    X(pow) X(fmod) X(atan2) X(hypot) X(fmin) X(fmax) X(fdim) X(copysign) X(remainder) X(nextafter)

LAB_FUNCTIONS_1(LAB_FLOAT_1)
LAB_FUNCTIONS_1(LAB_DOUBLE_1)
LAB_FUNCTIONS_1(LAB_OVERLOAD_1)
LAB_FUNCTIONS_2(LAB_FLOAT_2)
LAB_FUNCTIONS_2(LAB_DOUBLE_2)
LAB_FUNCTIONS_2(LAB_OVERLOAD_2)
LAB_FLOAT_1(exp10)
LAB_DOUBLE_1(exp10)
LAB_DOUBLE_1(exp)

// As code, this becomes vectors, where a call of the C library goes from thread to thread. e^x is 2^y, with the integer
// y nearest to x / ln 2, times the series for the rest, which is at most ln 2 / 2. What the series leaves out is less
// than 2^-36 of the result. Beyond the bounds the result is 0 or infinity; NaN stays NaN.
LAB_LIBM inline __attribute__((always_inline)) float expf(float x) noexcept(true)
{
    const double least = -104.0, most = 89.0, to_integer = 6755399441055744.0; // 1.5 * 2^52: no digits behind the point
    const double bounded = x < least ? least : x > most ? most : (double)x;
    const double shifted = bounded * 1.44269504088896340736 + to_integer;
    const double rest = bounded - (shifted - to_integer) * 0.69314718055994530942;
    double series = 1.0 / 362880;
    series = series * rest + 1.0 / 40320;
    series = series * rest + 1.0 / 5040;
    series = series * rest + 1.0 / 720;
    series = series * rest + 1.0 / 120;
    series = series * rest + 1.0 / 24;
    series = series * rest + 1.0 / 6;
    series = series * rest + 1.0 / 2;
    series = series * rest + 1.0;
    series = series * rest + 1.0;
    const unsigned long long exponent = (__builtin_bit_cast(unsigned long long, shifted) + 1023) << 52;
    return (float)(series * __builtin_bit_cast(double, exponent));
}
LAB_OVERLOAD_1(exp)

#undef LAB_FLOAT_1
#undef LAB_DOUBLE_1
#undef LAB_OVERLOAD_1
#undef LAB_FLOAT_2
#undef LAB_DOUBLE_2
#undef LAB_OVERLOAD_2
#undef LAB_FUNCTIONS_1
#undef LAB_FUNCTIONS_2

LAB_LIBM float fmaf(float, float, float) noexcept(true);
LAB_LIBM double fma(double, double, double) noexcept(true);
LAB_LIBM float ldexpf(float, int) noexcept(true);
LAB_LIBM double ldexp(double, int) noexcept(true);
LAB_LIBM float scalbnf(float, int) noexcept(true);
LAB_LIBM double scalbn(double, int) noexcept(true);
LAB_LIBM float frexpf(float, int *) noexcept(true);
LAB_LIBM double frexp(double, int *) noexcept(true);
LAB_LIBM float modff(float, float *) noexcept(true);
LAB_LIBM double modf(double, double *) noexcept(true);
LAB_LIBM int ilogbf(float) noexcept(true);
LAB_LIBM int ilogb(double) noexcept(true);
LAB_LIBM void sincosf(float, float *, float *) noexcept(true);
LAB_LIBM void sincos(double, double *, double *) noexcept(true);
LAB_LIBM int abs(int) noexcept(true);
LAB_LIBM long labs(long) noexcept(true);
LAB_LIBM long long llabs(long long) noexcept(true);

// As casts, these saturate: the host's library gives something else for a value out of range.
#define LAB_ROUNDS(type, name, rounds)                                                                                 \
    LAB_LIBM inline __attribute__((always_inline)) type name##f(float x) noexcept(true) { return (type)rounds##f(x); } \
    LAB_LIBM inline __attribute__((always_inline)) type name(double x) noexcept(true) { return (type)rounds(x); }
LAB_ROUNDS(long, lrint, rint)
LAB_ROUNDS(long long, llrint, rint)
LAB_ROUNDS(long, lround, round)
LAB_ROUNDS(long long, llround, round)
#undef LAB_ROUNDS

LAB_BUILTIN float fma(float x, float y, float z) { return fmaf(x, y, z); }
LAB_BUILTIN float ldexp(float x, int exponent) { return ldexpf(x, exponent); }
LAB_BUILTIN float scalbn(float x, int exponent) { return scalbnf(x, exponent); }
LAB_BUILTIN float frexp(float x, int *exponent) { return frexpf(x, exponent); }
LAB_BUILTIN float modf(float x, float *integer) { return modff(x, integer); }
LAB_BUILTIN int ilogb(float x) { return ilogbf(x); }
LAB_BUILTIN long lrint(float x) { return lrintf(x); }
LAB_BUILTIN long long llrint(float x) { return llrintf(x); }
LAB_BUILTIN long lround(float x) { return lroundf(x); }
LAB_BUILTIN long long llround(float x) { return llroundf(x); }
LAB_BUILTIN long abs(long x) { return __builtin_labs(x); }
LAB_BUILTIN long long abs(long long x) { return __builtin_llabs(x); }
LAB_BUILTIN float abs(float x) { return fabsf(x); }
LAB_BUILTIN double abs(double x) { return fabs(x); }

LAB_BUILTIN bool isnan(float x) { return __builtin_isnan(x); }
LAB_BUILTIN bool isnan(double x) { return __builtin_isnan(x); }
LAB_BUILTIN bool isinf(float x) { return __builtin_isinf(x); }
LAB_BUILTIN bool isinf(double x) { return __builtin_isinf(x); }
LAB_BUILTIN bool isfinite(float x) { return __builtin_isfinite(x); }
LAB_BUILTIN bool isfinite(double x) { return __builtin_isfinite(x); }
LAB_BUILTIN bool signbit(float x) { return __builtin_signbit(x); }
LAB_BUILTIN bool signbit(double x) { return __builtin_signbit(x); }

LAB_BUILTIN float rsqrtf(float x) noexcept(true) { return 1.0f / sqrtf(x); }
LAB_BUILTIN double rsqrt(double x) noexcept(true) { return 1.0 / sqrt(x); }
LAB_BUILTIN float rsqrt(float x) { return rsqrtf(x); }
LAB_BUILTIN float rcbrtf(float x) { return (float)(1.0 / cbrt((double)x)); }
LAB_BUILTIN double rcbrt(double x) { return 1.0 / cbrt(x); }

// The rest of x to the nearest even integer is exact, and so is its distance from 1/2 where that matters.
LAB_BUILTIN double sinpi(double x) noexcept(true)
{
    const double rest = remainder(x, 2.0), size = fabs(rest);
    const double part = size > 0.5 ? 1.0 - size : size;
    const double sine = part > 0.25 ? cos(3.14159265358979323846 * (0.5 - part)) : sin(3.14159265358979323846 * part);
    return copysign(sine, rest == 0.0 ? x : rest);
}
LAB_BUILTIN double cospi(double x) noexcept(true)
{
    const double size = fabs(remainder(x, 2.0)), part = size > 0.5 ? 1.0 - size : size;
    const double cosine = part > 0.25 ? sin(3.14159265358979323846 * (0.5 - part)) : cos(3.14159265358979323846 * part);
    return size > 0.5 ? -cosine : cosine;
}
LAB_BUILTIN float sinpif(float x) noexcept(true) { return (float)sinpi((double)x); }
LAB_BUILTIN float cospif(float x) noexcept(true) { return (float)cospi((double)x); }

// The rounding error of x / sqrt(2) matters where the result is small: the derivative of erfc makes up for it.
LAB_BUILTIN double normcdf(double x)
{
    const double scaled = -0.70710678118654752440 * x;
    const double result = 0.5 * erfc(scaled);
    if (!(scaled > 0.5 && scaled < 30.0)) return result;
    const double error = fma(-0.70710678118654752440, x, -scaled) + 4.8336466567264568e-17 * x;
    return result - 0.56418958354775628695 * exp(-scaled * scaled) * error;
}
LAB_BUILTIN float normcdff(float x) { return (float)normcdf((double)x); }
LAB_BUILTIN float fdividef(float x, float y) { return x / y; }

// CUDA's pairs of types: two of one type, signed with unsigned, float with double. nvcc has them for the host too.
#define LAB_MIN_MAX(result, a, b)                                                                                      \
    LAB_BOTH LAB_BUILTIN result min(a x, b y) { return (result)x < (result)y ? (result)x : (result)y; }                         \
    LAB_BOTH LAB_BUILTIN result max(a x, b y) { return (result)x > (result)y ? (result)x : (result)y; }
#define LAB_MIN_MAX_INTEGER(type)                                                                                      \
    LAB_MIN_MAX(type, type, type)                                                                                      \
    LAB_MIN_MAX(unsigned type, unsigned type, unsigned type)                                                           \
    LAB_MIN_MAX(unsigned type, type, unsigned type)                                                                    \
    LAB_MIN_MAX(unsigned type, unsigned type, type)
LAB_MIN_MAX_INTEGER(int)
LAB_MIN_MAX_INTEGER(long)
LAB_MIN_MAX_INTEGER(long long)
#undef LAB_MIN_MAX_INTEGER
#undef LAB_MIN_MAX
LAB_BOTH LAB_BUILTIN float min(float x, float y) { return __builtin_fminf(x, y); }
LAB_BOTH LAB_BUILTIN float max(float x, float y) { return __builtin_fmaxf(x, y); }
LAB_BOTH LAB_BUILTIN double min(double x, double y) { return __builtin_fmin(x, y); }
LAB_BOTH LAB_BUILTIN double max(double x, double y) { return __builtin_fmax(x, y); }
LAB_BOTH LAB_BUILTIN double min(float x, double y) { return __builtin_fmin((double)x, y); }
LAB_BOTH LAB_BUILTIN double max(float x, double y) { return __builtin_fmax((double)x, y); }
LAB_BOTH LAB_BUILTIN double min(double x, float y) { return __builtin_fmin(x, (double)y); }
LAB_BOTH LAB_BUILTIN double max(double x, float y) { return __builtin_fmax(x, (double)y); }

LAB_BUILTIN unsigned umin(unsigned x, unsigned y) { return min(x, y); }
LAB_BUILTIN unsigned umax(unsigned x, unsigned y) { return max(x, y); }
LAB_BUILTIN long long llmin(long long x, long long y) { return min(x, y); }
LAB_BUILTIN long long llmax(long long x, long long y) { return max(x, y); }
LAB_BUILTIN unsigned long long ullmin(unsigned long long x, unsigned long long y) { return min(x, y); }
LAB_BUILTIN unsigned long long ullmax(unsigned long long x, unsigned long long y) { return max(x, y); }

// Fast variants. The C library declares functions with these names for its own use; these replace them.
#define LAB_FAST(type, name, ...)                                                                                      \
    extern "C" inline __attribute__((always_inline)) type name(__VA_ARGS__) noexcept(true)
LAB_FAST(float, __sinf, float x) { return sinf(x); }
LAB_FAST(float, __cosf, float x) { return cosf(x); }
LAB_FAST(float, __tanf, float x) { return tanf(x); }
LAB_FAST(void, __sincosf, float x, float *sine, float *cosine) { sincosf(x, sine, cosine); }
LAB_FAST(float, __expf, float x) { return expf(x); }
LAB_FAST(float, __exp10f, float x) { return exp10f(x); }
LAB_FAST(float, __logf, float x) { return logf(x); }
LAB_FAST(float, __log2f, float x) { return log2f(x); }
LAB_FAST(float, __log10f, float x) { return log10f(x); }
LAB_FAST(float, __powf, float x, float y) { return powf(x, y); }
#undef LAB_FAST
LAB_BUILTIN float __fdividef(float x, float y) { return x / y; }
LAB_BUILTIN float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }

// Operations that are never contracted with others, as CUDA promises.
#define LAB_UNCONTRACTED(type, name, expression)                                                                       \
    LAB_BUILTIN type name(type x, type y)                                                                              \
    {                                                                                                                  \
        _Pragma("clang fp contract(off)") return expression;                                                           \
    }
LAB_UNCONTRACTED(float, __fadd_rn, x + y)
LAB_UNCONTRACTED(float, __fsub_rn, x - y)
LAB_UNCONTRACTED(float, __fmul_rn, x *y)
LAB_UNCONTRACTED(double, __dadd_rn, x + y)
LAB_UNCONTRACTED(double, __dsub_rn, x - y)
LAB_UNCONTRACTED(double, __dmul_rn, x *y)
#undef LAB_UNCONTRACTED
LAB_BUILTIN float __fdiv_rn(float x, float y) { return x / y; }
LAB_BUILTIN float __frcp_rn(float x) { return 1.0f / x; }
LAB_BUILTIN float __fsqrt_rn(float x) { return sqrtf(x); }
LAB_BUILTIN float __frsqrt_rn(float x) { return (float)(1.0 / sqrt((double)x)); }
LAB_BUILTIN float __fmaf_rn(float x, float y, float z) { return fmaf(x, y, z); }
LAB_BUILTIN double __ddiv_rn(double x, double y) { return x / y; }
LAB_BUILTIN double __drcp_rn(double x) { return 1.0 / x; }
LAB_BUILTIN double __dsqrt_rn(double x) { return sqrt(x); }
LAB_BUILTIN double __fma_rn(double x, double y, double z) { return fma(x, y, z); }

// The same bits as another type.
LAB_BUILTIN int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
LAB_BUILTIN unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
LAB_BUILTIN float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
LAB_BUILTIN float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
LAB_BUILTIN long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
LAB_BUILTIN double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
LAB_BUILTIN int __double2hiint(double x) { return (int)(__double_as_longlong(x) >> 32); }
LAB_BUILTIN int __double2loint(double x) { return (int)__double_as_longlong(x); }
LAB_BUILTIN double __hiloint2double(int high, int low)
{
    return __longlong_as_double((long long)((unsigned long long)(unsigned)high << 32 | (unsigned)low));
}

// Conversions with a rounding: to nearest even, toward zero, up, down. A C cast saturates as CUDA's does.
#define LAB_TO_INTEGER(name, from, to, nearest, zero, up, down)                                                        \
    LAB_BUILTIN to name##_rn(from x) { return (to)nearest(x); }                                                        \
    LAB_BUILTIN to name##_rz(from x) { return (to)zero(x); }                                                           \
    LAB_BUILTIN to name##_ru(from x) { return (to)up(x); }                                                             \
    LAB_BUILTIN to name##_rd(from x) { return (to)down(x); }
#define LAB_FLOAT_TO(name, to) LAB_TO_INTEGER(__float2##name, float, to, rintf, truncf, ceilf, floorf)
#define LAB_DOUBLE_TO(name, to) LAB_TO_INTEGER(__double2##name, double, to, rint, trunc, ceil, floor)
LAB_FLOAT_TO(int, int)
LAB_FLOAT_TO(uint, unsigned)
LAB_FLOAT_TO(ll, long long)
LAB_FLOAT_TO(ull, unsigned long long)
LAB_DOUBLE_TO(int, int)
LAB_DOUBLE_TO(uint, unsigned)
LAB_DOUBLE_TO(ll, long long)
LAB_DOUBLE_TO(ull, unsigned long long)
#undef LAB_TO_INTEGER
#undef LAB_FLOAT_TO
#undef LAB_DOUBLE_TO
LAB_BUILTIN float __int2float_rn(int x) { return (float)x; }
LAB_BUILTIN float __uint2float_rn(unsigned x) { return (float)x; }
LAB_BUILTIN float __ll2float_rn(long long x) { return (float)x; }
LAB_BUILTIN float __ull2float_rn(unsigned long long x) { return (float)x; }
LAB_BUILTIN double __int2double_rn(int x) { return (double)x; }
LAB_BUILTIN double __uint2double_rn(unsigned x) { return (double)x; }
LAB_BUILTIN double __ll2double_rn(long long x) { return (double)x; }
LAB_BUILTIN double __ull2double_rn(unsigned long long x) { return (double)x; }
LAB_BUILTIN float __double2float_rn(double x) { return (float)x; }

// Integer intrinsics.
LAB_BUILTIN int __popc(unsigned x) { return __builtin_popcount(x); }
LAB_BUILTIN int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
LAB_BUILTIN int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
LAB_BUILTIN int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
LAB_BUILTIN int __ffs(int x) { return __builtin_ffs(x); }
LAB_BUILTIN int __ffsll(long long x) { return __builtin_ffsll(x); }
LAB_BUILTIN unsigned __brev(unsigned x) { return __builtin_bitreverse32(x); }
LAB_BUILTIN unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }
LAB_BUILTIN int __mulhi(int x, int y) { return (int)((long long)x * y >> 32); }
LAB_BUILTIN unsigned __umulhi(unsigned x, unsigned y) { return (unsigned)((unsigned long long)x * y >> 32); }
LAB_BUILTIN long long __mul64hi(long long x, long long y) { return (long long)((__int128)x * y >> 64); }
LAB_BUILTIN unsigned long long __umul64hi(unsigned long long x, unsigned long long y)
{
    return (unsigned long long)((unsigned __int128)x * y >> 64);
}
LAB_BUILTIN int __mul24(int x, int y) { return (x << 8 >> 8) * (y << 8 >> 8); }
LAB_BUILTIN unsigned __umul24(unsigned x, unsigned y) { return (x & 0xffffff) * (y & 0xffffff); }
LAB_BUILTIN unsigned __usad(unsigned x, unsigned y, unsigned z) { return (x > y ? x - y : y - x) + z; }
LAB_BUILTIN unsigned __sad(int x, int y, unsigned z)
{
    return (x > y ? (unsigned)x - (unsigned)y : (unsigned)y - (unsigned)x) + z;
}
LAB_BUILTIN int __hadd(int x, int y) { return (int)(((long long)x + y) >> 1); }
LAB_BUILTIN int __rhadd(int x, int y) { return (int)(((long long)x + y + 1) >> 1); }
LAB_BUILTIN unsigned __uhadd(unsigned x, unsigned y) { return (unsigned)(((unsigned long long)x + y) >> 1); }
LAB_BUILTIN unsigned __urhadd(unsigned x, unsigned y) { return (unsigned)(((unsigned long long)x + y + 1) >> 1); }
LAB_BUILTIN unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift)
{
    return (unsigned)(((unsigned long long)high << 32 | low) << (shift & 31) >> 32);
}
LAB_BUILTIN unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift)
{
    return (unsigned)(((unsigned long long)high << 32 | low) >> (shift & 31));
}
LAB_BUILTIN unsigned __byte_perm(unsigned x, unsigned y, unsigned selector)
{
    const unsigned long long bytes = (unsigned long long)y << 32 | x;
    unsigned result = 0;
    for (int i = 0; i < 4; ++i) {
        const unsigned which = selector >> (4 * i) & 7; // a GPU ignores the nibble's highest bit
        result |= ((unsigned)(bytes >> (8 * which)) & 0xff) << (8 * i);
    }
    return result;
}

// Memory and time.
LAB_LIBM void *memcpy(void *destination, const void *source, size_t bytes) noexcept(true);
LAB_LIBM void *memset(void *destination, int value, size_t bytes) noexcept(true);
LAB_LIBM void *malloc(size_t bytes) noexcept(true);
LAB_LIBM void free(void *memory) noexcept(true);

// Marks, which a checked kernel tells the library of (passes/memcheck.h), and which vanish in any other.
extern "C" {
static inline void lab_mark_read_only(const void *, unsigned long) {}
static inline void lab_mark_asynchronous(void *, unsigned long) {}
static inline void lab_mark_fence(unsigned) {}
enum : unsigned { lab_fence_commit = CPU_FENCE_COMMIT, lab_fence_wait = CPU_FENCE_WAIT };
}
#define LAB_MARKS
template <class T> LAB_BUILTIN T __ldg(const T *address)
{
    lab_mark_read_only(address, sizeof(T));
    return *address;
}
typedef long clock_t;
LAB_BUILTIN long long clock64() { return (long long)__builtin_readcyclecounter(); }
LAB_BUILTIN clock_t clock() { return (clock_t)clock64(); }
LAB_BUILTIN void __nanosleep(unsigned) {}

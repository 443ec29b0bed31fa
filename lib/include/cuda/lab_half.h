// cuda_fp16.h and cuda_bf16.h: __half, __nv_bfloat16 and pairs of them, for kernels that are compiled for the host
// (lib/src/cpu/builtins), and for all of a CUDA file. Those marked LAB_BOTH are the host's too.
// A result is computed in double and rounded once. Where the double is not exact, its last digit is odd, so that what
// follows it counts in the rounding. Every result that is no number is 0x7fff, as a GPU's.

LAB_BOTH LAB_BUILTIN double lab_sum_to_odd(double x, double y)
{
    const double sum = x + y, part = sum - x, rest = (x - (sum - part)) + (y - part);
    long long bits = __builtin_bit_cast(long long, sum);
    if ((rest < 0.0 || rest > 0.0) && !(bits & 1)) bits += (rest > 0.0) == (sum > 0.0) ? 1 : -1;
    return __builtin_bit_cast(double, bits);
}
template <int precision>
LAB_BOTH LAB_BUILTIN unsigned short lab_narrow_directed(lab_exact number, lab_rounding rounding)
{
    const unsigned long long size = lab_round(number, precision, 16 - precision, rounding);
    return (unsigned short)((unsigned)number.negative << 15 | (unsigned)size);
}
template <int precision> LAB_BOTH LAB_BUILTIN unsigned short lab_narrow_directed(double x, lab_rounding rounding)
{
    if (isfinite(x)) return lab_narrow_directed<precision>(lab_exactly(x), rounding);
    return lab_narrow<precision>((float)x);
}

// As a GPU converts: the half of a double that is no number keeps its sign and first digits, alone of all conversions.
template <int precision> LAB_BOTH LAB_BUILTIN unsigned short lab_narrow_double(double x)
{
    const unsigned long long bits = __builtin_bit_cast(unsigned long long, x);
    if (precision == 11 && isnan(x)) return (unsigned short)((bits >> 48 & 0x8000) | 0x7e00 | (bits >> 42 & 0x1ff));
    return lab_narrow<precision>(lab_float_to_odd(x));
}

struct __half;
struct __nv_bfloat16;

#define LAB_MEMBER LAB_BOTH __attribute__((always_inline))
// The types, with CUDA's own conversions. Members that access a number are part of the caller's code, whose line the
// checks name.
#define LAB_NARROW_TYPE(T, T2, word, precision, Other)                                                                 \
    struct T##_raw {                                                                                                   \
        unsigned short x;                                                                                              \
    };                                                                                                                 \
    struct __align__(4) T2##_raw { unsigned short x, y; };                                                             \
    struct __align__(2) T                                                                                              \
    {                                                                                                                  \
      protected:                                                                                                       \
        unsigned short __x;                                                                                            \
                                                                                                                       \
      public:                                                                                                          \
        LAB_BOTH T() = default;                                                                                        \
        LAB_MEMBER constexpr T(const T##_raw &raw) : __x(raw.x) {}                                                     \
        LAB_MEMBER explicit T(const Other value);                                                                      \
        LAB_NARROW_FROM(T, float, lab_narrow<precision>(value))                                                        \
        LAB_NARROW_FROM(T, double, lab_narrow_double<precision>(value))                                                \
        LAB_NARROW_FROM(T, short, lab_narrow<precision>((float)value))                                                 \
        LAB_NARROW_FROM(T, unsigned short, lab_narrow<precision>((float)value))                                        \
        LAB_NARROW_FROM(T, int, lab_narrow<precision>(lab_float_to_odd((double)value)))                                \
        LAB_NARROW_FROM(T, unsigned, lab_narrow<precision>(lab_float_to_odd((double)value)))                           \
        LAB_NARROW_FROM(T, long long, lab_narrow_directed<precision>(lab_exactly(value), lab_rounding_rn))             \
        LAB_NARROW_FROM(T, unsigned long long,                                                                         \
                        lab_narrow_directed<precision>(lab_exactly(value, false), lab_rounding_rn))                    \
        LAB_MEMBER T(const long value) : T((long long)value) {}                                                        \
        LAB_MEMBER T(const unsigned long value) : T((unsigned long long)value) {}                                      \
        LAB_MEMBER operator T##_raw() const { return {__x}; }                                                          \
        LAB_MEMBER operator T##_raw() const volatile { return {__x}; }                                                 \
        LAB_MEMBER operator float() const { return lab_widen<precision>(__x); }                                        \
        LAB_MEMBER operator signed char() const { return (signed char)lab_clamped(*this, -128, 127); }                 \
        LAB_MEMBER operator unsigned char() const { return (unsigned char)lab_clamped(*this, 0, 255); }                \
        LAB_MEMBER operator char() const                                                                               \
        {                                                                                                              \
            return (char)-1 < 0 ? (char)lab_clamped(*this, -128, 127) : (char)lab_clamped(*this, 0, 255);              \
        }                                                                                                              \
        LAB_MEMBER operator short() const { return (short)lab_clamped(*this, -32768, 32767); }                         \
        LAB_MEMBER operator unsigned short() const { return (unsigned short)lab_clamped(*this, 0, 65535); }            \
        LAB_MEMBER operator int() const { return (int)(float)*this; }                                                  \
        LAB_MEMBER operator unsigned() const { return (unsigned)(float)*this; }                                        \
        LAB_MEMBER operator long() const { return (long)(float)*this; }                                                \
        LAB_MEMBER operator unsigned long() const { return (unsigned long)(float)*this; }                              \
        LAB_MEMBER operator long long() const { return (long long)(float)*this; }                                      \
        LAB_MEMBER operator unsigned long long() const { return (unsigned long long)(float)*this; }                    \
        LAB_MEMBER constexpr operator bool() const { return (__x & 0x7fff) != 0; }                                     \
    };                                                                                                                 \
    struct __align__(4) T2                                                                                             \
    {                                                                                                                  \
        T x, y;                                                                                                        \
        LAB_BOTH T2() = default;                                                                                       \
        LAB_MEMBER constexpr T2(const T &x, const T &y) : x(x), y(y) {}                                                \
        LAB_MEMBER constexpr T2(const T2##_raw &raw) : x(T##_raw{raw.x}), y(T##_raw{raw.y}) {}                         \
        LAB_MEMBER operator T2##_raw() const { return {((T##_raw)x).x, ((T##_raw)y).x}; }                              \
    };                                                                                                                 \
    LAB_HAS_HINTS(T) LAB_HAS_HINTS(T2)
#define LAB_NARROW_FROM(T, from, bits)                                                                                 \
    LAB_MEMBER T(const from value) : __x(bits) {}                                                                      \
    LAB_MEMBER T &operator=(const from value)                                                                          \
    {                                                                                                                  \
        __x = bits;                                                                                                    \
        return *this;                                                                                                  \
    }
// Toward zero; what is no number is 0.
LAB_BOTH LAB_BUILTIN int lab_clamped(float x, int least, int most)
{
    const int whole = (int)x;
    return whole < least ? least : whole > most ? most : whole;
}
LAB_NARROW_TYPE(__half, __half2, half, 11, __nv_bfloat16)
LAB_NARROW_TYPE(__nv_bfloat16, __nv_bfloat162, bfloat16, 8, __half)
LAB_MEMBER inline __half::__half(const __nv_bfloat16 value) : __half((float)value) {}
LAB_MEMBER inline __nv_bfloat16::__nv_bfloat16(const __half value) : __nv_bfloat16((float)value) {}
#undef LAB_NARROW_TYPE
#undef LAB_MEMBER
#undef LAB_NARROW_FROM

typedef __half half, nv_half, __nv_half;
typedef __half2 half2, nv_half2, __nv_half2;
typedef __half_raw __nv_half_raw;
typedef __half2_raw __nv_half2_raw;
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

// Conversions.
#define LAB_NARROW_ROUNDED(T, word, precision, d, whole)                                                               \
    LAB_BOTH LAB_BUILTIN T __float2##word##_##d(float x)                                                               \
    {                                                                                                                  \
        return T##_raw{lab_narrow_directed<precision>((double)x, lab_rounding_##d)};                                   \
    }                                                                                                                  \
    LAB_BOTH LAB_BUILTIN T __int2##word##_##d(int x)                                                                   \
    {                                                                                                                  \
        return T##_raw{lab_narrow_directed<precision>(lab_exactly((long long)x), lab_rounding_##d)};                   \
    }                                                                                                                  \
    LAB_BOTH LAB_BUILTIN T __ll2##word##_##d(long long x)                                                              \
    {                                                                                                                  \
        return T##_raw{lab_narrow_directed<precision>(lab_exactly(x), lab_rounding_##d)};                              \
    }                                                                                                                  \
    LAB_BOTH LAB_BUILTIN T __ull2##word##_##d(unsigned long long x)                                                    \
    {                                                                                                                  \
        return T##_raw{lab_narrow_directed<precision>(lab_exactly(x, false), lab_rounding_##d)};                       \
    }                                                                                                                  \
    LAB_BOTH LAB_BUILTIN T __uint2##word##_##d(unsigned x) { return __ull2##word##_##d(x); }                           \
    LAB_BOTH LAB_BUILTIN T __short2##word##_##d(short x) { return __int2##word##_##d(x); }                             \
    LAB_BOTH LAB_BUILTIN T __ushort2##word##_##d(unsigned short x) { return __int2##word##_##d(x); }                   \
    LAB_BOTH LAB_BUILTIN int __##word##2int_##d(T x) { return (int)whole((float)x); }                                  \
    LAB_BOTH LAB_BUILTIN unsigned __##word##2uint_##d(T x) { return (unsigned)whole((float)x); }                       \
    LAB_BOTH LAB_BUILTIN long long __##word##2ll_##d(T x) { return (long long)whole((float)x); }                       \
    LAB_BOTH LAB_BUILTIN unsigned long long __##word##2ull_##d(T x) { return (unsigned long long)whole((float)x); }    \
    LAB_BOTH LAB_BUILTIN short __##word##2short_##d(T x)                                                               \
    {                                                                                                                  \
        return (short)lab_clamped(whole((float)x), -32768, 32767);                                                     \
    }                                                                                                                  \
    LAB_BOTH LAB_BUILTIN unsigned short __##word##2ushort_##d(T x)                                                     \
    {                                                                                                                  \
        return (unsigned short)lab_clamped(whole((float)x), 0, 65535);                                                 \
    }
#define LAB_NARROW_CONVERSIONS(T, T2, word, pair, precision)                                                           \
    LAB_NARROW_ROUNDED(T, word, precision, rn, rintf)                                                                  \
    LAB_NARROW_ROUNDED(T, word, precision, rz, truncf)                                                                 \
    LAB_NARROW_ROUNDED(T, word, precision, ru, ceilf)                                                                  \
    LAB_NARROW_ROUNDED(T, word, precision, rd, floorf)                                                                 \
    LAB_BOTH LAB_BUILTIN T __float2##word(float x) { return T(x); }                                                    \
    LAB_BOTH LAB_BUILTIN T __double2##word(double x) { return T##_raw{lab_narrow_double<precision>(x)}; }              \
    LAB_BOTH LAB_BUILTIN float __##word##2float(T x) { return (float)x; }                                              \
    LAB_BOTH LAB_BUILTIN signed char __##word##2char_rz(T x) { return (signed char)x; }                                \
    LAB_BOTH LAB_BUILTIN unsigned char __##word##2uchar_rz(T x) { return (unsigned char)x; }                           \
    LAB_BOTH LAB_BUILTIN unsigned short __##word##_as_ushort(T x) { return ((T##_raw)x).x; }                           \
    LAB_BOTH LAB_BUILTIN short __##word##_as_short(T x) { return (short)((T##_raw)x).x; }                              \
    LAB_BOTH LAB_BUILTIN T __ushort_as_##word(unsigned short bits) { return T##_raw{bits}; }                           \
    LAB_BOTH LAB_BUILTIN T __short_as_##word(short bits) { return T##_raw{(unsigned short)bits}; }                     \
    LAB_BOTH LAB_BUILTIN T2 make_##pair(T x, T y) { return T2(x, y); }                                                 \
    LAB_BOTH LAB_BUILTIN T2 __halves2##pair(T x, T y) { return T2(x, y); }                                             \
    LAB_BOTH LAB_BUILTIN T2 __##word##2##pair(T x) { return T2(x, x); }                                                \
    LAB_BOTH LAB_BUILTIN T2 __float2##pair##_rn(float x) { return T2(T(x), T(x)); }                                    \
    LAB_BOTH LAB_BUILTIN T2 __floats2##pair##_rn(float x, float y) { return T2(T(x), T(y)); }                          \
    LAB_BOTH LAB_BUILTIN T2 __float22##pair##_rn(float2 a) { return T2(T(a.x), T(a.y)); }                              \
    LAB_BOTH LAB_BUILTIN float2 __##pair##2float2(T2 a) { return {(float)a.x, (float)a.y}; }                           \
    LAB_BOTH LAB_BUILTIN float __low2float(T2 a) { return (float)a.x; }                                                \
    LAB_BOTH LAB_BUILTIN float __high2float(T2 a) { return (float)a.y; }                                               \
    LAB_BOTH LAB_BUILTIN T __low2##word(T2 a) { return a.x; }                                                          \
    LAB_BOTH LAB_BUILTIN T __high2##word(T2 a) { return a.y; }                                                         \
    LAB_BOTH LAB_BUILTIN T2 __low2##pair(T2 a) { return T2(a.x, a.x); }                                                \
    LAB_BOTH LAB_BUILTIN T2 __high2##pair(T2 a) { return T2(a.y, a.y); }                                               \
    LAB_BOTH LAB_BUILTIN T2 __lows2##pair(T2 a, T2 b) { return T2(a.x, b.x); }                                         \
    LAB_BOTH LAB_BUILTIN T2 __highs2##pair(T2 a, T2 b) { return T2(a.y, b.y); }                                        \
    LAB_BOTH LAB_BUILTIN T2 __lowhigh2highlow(T2 a) { return T2(a.y, a.x); }
LAB_NARROW_CONVERSIONS(__half, __half2, half, half2, 11)
LAB_NARROW_CONVERSIONS(__nv_bfloat16, __nv_bfloat162, bfloat16, bfloat162, 8)
#undef LAB_NARROW_ROUNDED
#undef LAB_NARROW_CONVERSIONS

// Arithmetic. In an expression a, b and c are the arguments as double.
#define LAB_NARROW_1_OF(where, T, T2, name, name2, expression)                                                         \
    where T name(T x)                                                                                                  \
    {                                                                                                                  \
        const double a = (float)x;                                                                                     \
        return T(expression);                                                                                          \
    }                                                                                                                  \
    where T2 name2(T2 x) { return T2(name(x.x), name(x.y)); }
#define LAB_NARROW_1(...) LAB_NARROW_1_OF(LAB_BOTH LAB_BUILTIN, __VA_ARGS__)
#define LAB_NARROW_DEVICE(...) LAB_NARROW_1_OF(LAB_BUILTIN, __VA_ARGS__)
#define LAB_NARROW_2(T, T2, name, name2, expression)                                                                   \
    LAB_BOTH LAB_BUILTIN T name(T x, T y)                                                                              \
    {                                                                                                                  \
        const double a = (float)x, b = (float)y;                                                                       \
        return T(expression);                                                                                          \
    }                                                                                                                  \
    LAB_BOTH LAB_BUILTIN T2 name2(T2 x, T2 y) { return T2(name(x.x, y.x), name(x.y, y.y)); }
#define LAB_NARROW_3(T, T2, name, name2, expression)                                                                   \
    LAB_BOTH LAB_BUILTIN T name(T x, T y, T z)                                                                         \
    {                                                                                                                  \
        const double a = (float)x, b = (float)y, c = (float)z;                                                         \
        return T(expression);                                                                                          \
    }                                                                                                                  \
    LAB_BOTH LAB_BUILTIN T2 name2(T2 x, T2 y, T2 z) { return T2(name(x.x, y.x, z.x), name(x.y, y.y, z.y)); }
LAB_BOTH LAB_BUILTIN double lab_saturated(double x) { return x > 0.0 ? (x < 1.0 ? x : 1.0) : 0.0; }
LAB_BOTH LAB_BUILTIN double lab_not_negative(double x) { return x <= 0.0 ? 0.0 : x; }
// An argument that is no number counts only if both are; and +0 is more than -0.
LAB_BOTH LAB_BUILTIN double lab_most(double a, double b) { return a == b ? (signbit(a) ? b : a) : fmax(a, b); }
LAB_BOTH LAB_BUILTIN double lab_least(double a, double b) { return a == b ? (signbit(a) ? a : b) : fmin(a, b); }
#define LAB_NARROW_ARITHMETIC(T, T2)                                                                                   \
    LAB_NARROW_2(T, T2, __hadd, __hadd2, lab_sum_to_odd(a, b))                                                         \
    LAB_NARROW_2(T, T2, __hsub, __hsub2, lab_sum_to_odd(a, -b))                                                        \
    LAB_NARROW_2(T, T2, __hmul, __hmul2, a *b)                                                                         \
    LAB_NARROW_2(T, T2, __hadd_rn, __hadd2_rn, lab_sum_to_odd(a, b))                                                   \
    LAB_NARROW_2(T, T2, __hsub_rn, __hsub2_rn, lab_sum_to_odd(a, -b))                                                  \
    LAB_NARROW_2(T, T2, __hmul_rn, __hmul2_rn, a *b)                                                                   \
    LAB_NARROW_2(T, T2, __hdiv, __h2div, a / b)                                                                        \
    LAB_NARROW_3(T, T2, __hfma, __hfma2, lab_sum_to_odd(a *b, c))                                                      \
    LAB_NARROW_2(T, T2, __hadd_sat, __hadd2_sat, lab_saturated(lab_sum_to_odd(a, b)))                                  \
    LAB_NARROW_2(T, T2, __hsub_sat, __hsub2_sat, lab_saturated(lab_sum_to_odd(a, -b)))                                 \
    LAB_NARROW_2(T, T2, __hmul_sat, __hmul2_sat, lab_saturated(a *b))                                                  \
    LAB_NARROW_3(T, T2, __hfma_sat, __hfma2_sat, lab_saturated(lab_sum_to_odd(a *b, c)))                               \
    LAB_NARROW_3(T, T2, __hfma_relu, __hfma2_relu, lab_not_negative(lab_sum_to_odd(a *b, c)))                          \
    LAB_NARROW_2(T, T2, __hmax, __hmax2, lab_most(a, b))                                                               \
    LAB_NARROW_2(T, T2, __hmin, __hmin2, lab_least(a, b))                                                              \
    LAB_NARROW_2(T, T2, __hmax_nan, __hmax2_nan, a != a || b != b ? a + b : lab_most(a, b))                            \
    LAB_NARROW_2(T, T2, __hmin_nan, __hmin2_nan, a != a || b != b ? a + b : lab_least(a, b))                           \
    LAB_NARROW_1(T, T2, __hneg, __hneg2, -a)                                                                           \
    LAB_NARROW_1(T, T2, __habs, __habs2, fabs(a))                                                                      \
    LAB_NARROW_DEVICE(T, T2, htrunc, h2trunc, trunc(a))                                                                \
    LAB_NARROW_DEVICE(T, T2, hceil, h2ceil, ceil(a))                                                                   \
    LAB_NARROW_DEVICE(T, T2, hfloor, h2floor, floor(a))                                                                \
    LAB_NARROW_DEVICE(T, T2, hrint, h2rint, rint(a))                                                                   \
    LAB_NARROW_DEVICE(T, T2, hsqrt, h2sqrt, sqrt(a))                                                                   \
    LAB_NARROW_DEVICE(T, T2, hrsqrt, h2rsqrt, 1.0 / sqrt(a))                                                           \
    LAB_NARROW_DEVICE(T, T2, hrcp, h2rcp, 1.0 / a)                                                                     \
    LAB_NARROW_DEVICE(T, T2, hlog, h2log, log(a))                                                                      \
    LAB_NARROW_DEVICE(T, T2, hlog2, h2log2, log2(a))                                                                   \
    LAB_NARROW_DEVICE(T, T2, hlog10, h2log10, log10(a))                                                                \
    LAB_NARROW_DEVICE(T, T2, hexp, h2exp, exp(a))                                                                      \
    LAB_NARROW_DEVICE(T, T2, hexp2, h2exp2, exp2(a))                                                                   \
    LAB_NARROW_DEVICE(T, T2, hexp10, h2exp10, exp10(a))                                                                \
    LAB_NARROW_DEVICE(T, T2, hsin, h2sin, sin(a))                                                                      \
    LAB_NARROW_DEVICE(T, T2, hcos, h2cos, cos(a))                                                                      \
    LAB_NARROW_DEVICE(T, T2, htanh, h2tanh, tanh(a))                                                                   \
    LAB_NARROW_DEVICE(T, T2, htanh_approx, h2tanh_approx, tanh(a))                                                     \
    LAB_BOTH LAB_BUILTIN T2 __hcmadd(T2 a, T2 b, T2 c)                                                                 \
    {                                                                                                                  \
        return T2(__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y)));           \
    }                                                                                                                  \
    LAB_BOTH LAB_BUILTIN bool __hisnan(T x) { return isnan((float)x); }                                                \
    LAB_BOTH LAB_BUILTIN int __hisinf(T x) { return isinf((float)x) ? (signbit((float)x) ? -1 : 1) : 0; }              \
    LAB_BOTH LAB_BUILTIN T2 __hisnan2(T2 x)                                                                            \
    {                                                                                                                  \
        return T2(T(__hisnan(x.x) ? 1.0f : 0.0f), T(__hisnan(x.y) ? 1.0f : 0.0f));                                     \
    }
LAB_NARROW_ARITHMETIC(__half, __half2)
LAB_NARROW_ARITHMETIC(__nv_bfloat16, __nv_bfloat162)
#undef LAB_NARROW_1
#undef LAB_NARROW_1_OF
#undef LAB_NARROW_DEVICE
#undef LAB_NARROW_2
#undef LAB_NARROW_3
#undef LAB_NARROW_ARITHMETIC

// Comparisons: of two numbers; of pairs, as 1 and 0, as masks, and as whether both are so. Where an argument is no
// number, the forms that end with u are true and the others false.
#define LAB_NARROW_COMPARISON(T, T2, name, condition)                                                                  \
    LAB_BOTH LAB_BUILTIN bool __h##name(T x, T y)                                                                      \
    {                                                                                                                  \
        const float a = (float)x, b = (float)y;                                                                        \
        return condition;                                                                                              \
    }                                                                                                                  \
    LAB_BOTH LAB_BUILTIN T2 __h##name##2(T2 x, T2 y)                                                                   \
    {                                                                                                                  \
        return T2(T(__h##name(x.x, y.x) ? 1.0f : 0.0f), T(__h##name(x.y, y.y) ? 1.0f : 0.0f));                         \
    }                                                                                                                  \
    LAB_BOTH LAB_BUILTIN unsigned __h##name##2_mask(T2 x, T2 y)                                                        \
    {                                                                                                                  \
        return (__h##name(x.x, y.x) ? 0xffff : 0) | (__h##name(x.y, y.y) ? 0xffff0000 : 0);                            \
    }                                                                                                                  \
    LAB_BOTH LAB_BUILTIN bool __hb##name##2(T2 x, T2 y) { return __h##name(x.x, y.x) && __h##name(x.y, y.y); }
#define LAB_NARROW_OPERATORS(T, T2)                                                                                    \
    LAB_NARROW_COMPARISON(T, T2, eq, a == b)                                                                           \
    LAB_NARROW_COMPARISON(T, T2, ne, a<b || a> b)                                                                      \
    LAB_NARROW_COMPARISON(T, T2, le, a <= b)                                                                           \
    LAB_NARROW_COMPARISON(T, T2, ge, a >= b)                                                                           \
    LAB_NARROW_COMPARISON(T, T2, lt, a < b)                                                                            \
    LAB_NARROW_COMPARISON(T, T2, gt, a > b)                                                                            \
    LAB_NARROW_COMPARISON(T, T2, equ, !(a < b || a > b))                                                               \
    LAB_NARROW_COMPARISON(T, T2, neu, a != b)                                                                          \
    LAB_NARROW_COMPARISON(T, T2, leu, !(a > b))                                                                        \
    LAB_NARROW_COMPARISON(T, T2, geu, !(a < b))                                                                        \
    LAB_NARROW_COMPARISON(T, T2, ltu, !(a >= b))                                                                       \
    LAB_NARROW_COMPARISON(T, T2, gtu, !(a <= b))                                                                       \
    LAB_NARROW_OPERATORS_OF(T, __hadd, __hsub, __hmul, __hdiv, __hneg, T(1.0f))                                        \
    LAB_NARROW_OPERATORS_OF(T2, __hadd2, __hsub2, __hmul2, __h2div, __hneg2, T2(T(1.0f), T(1.0f)))                     \
    LAB_BOTH LAB_BUILTIN bool operator==(const T &x, const T &y) { return __heq(x, y); }                               \
    LAB_BOTH LAB_BUILTIN bool operator!=(const T &x, const T &y) { return __hneu(x, y); }                              \
    LAB_BOTH LAB_BUILTIN bool operator<=(const T &x, const T &y) { return __hle(x, y); }                               \
    LAB_BOTH LAB_BUILTIN bool operator>=(const T &x, const T &y) { return __hge(x, y); }                               \
    LAB_BOTH LAB_BUILTIN bool operator<(const T &x, const T &y) { return __hlt(x, y); }                                \
    LAB_BOTH LAB_BUILTIN bool operator>(const T &x, const T &y) { return __hgt(x, y); }                                \
    LAB_BOTH LAB_BUILTIN bool operator==(const T2 &x, const T2 &y) { return __hbeq2(x, y); }                           \
    LAB_BOTH LAB_BUILTIN bool operator!=(const T2 &x, const T2 &y) { return __hbneu2(x, y); }                          \
    LAB_BOTH LAB_BUILTIN bool operator<=(const T2 &x, const T2 &y) { return __hble2(x, y); }                           \
    LAB_BOTH LAB_BUILTIN bool operator>=(const T2 &x, const T2 &y) { return __hbge2(x, y); }                           \
    LAB_BOTH LAB_BUILTIN bool operator<(const T2 &x, const T2 &y) { return __hblt2(x, y); }                            \
    LAB_BOTH LAB_BUILTIN bool operator>(const T2 &x, const T2 &y) { return __hbgt2(x, y); }
#define LAB_NARROW_OPERATORS_OF(T, add, sub, mul, div, negate, one)                                                    \
    LAB_BOTH LAB_BUILTIN T operator+(const T &x, const T &y) { return add(x, y); }                                     \
    LAB_BOTH LAB_BUILTIN T operator-(const T &x, const T &y) { return sub(x, y); }                                     \
    LAB_BOTH LAB_BUILTIN T operator*(const T &x, const T &y) { return mul(x, y); }                                     \
    LAB_BOTH LAB_BUILTIN T operator/(const T &x, const T &y) { return div(x, y); }                                     \
    LAB_BOTH LAB_BUILTIN T &operator+=(T &x, const T &y) { return x = add(x, y); }                                     \
    LAB_BOTH LAB_BUILTIN T &operator-=(T &x, const T &y) { return x = sub(x, y); }                                     \
    LAB_BOTH LAB_BUILTIN T &operator*=(T &x, const T &y) { return x = mul(x, y); }                                     \
    LAB_BOTH LAB_BUILTIN T &operator/=(T &x, const T &y) { return x = div(x, y); }                                     \
    LAB_BOTH LAB_BUILTIN T &operator++(T &x) { return x = add(x, one); }                                               \
    LAB_BOTH LAB_BUILTIN T &operator--(T &x) { return x = sub(x, one); }                                               \
    LAB_BOTH LAB_BUILTIN T operator++(T &x, int)                                                                       \
    {                                                                                                                  \
        const T before = x;                                                                                            \
        ++x;                                                                                                           \
        return before;                                                                                                 \
    }                                                                                                                  \
    LAB_BOTH LAB_BUILTIN T operator--(T &x, int)                                                                       \
    {                                                                                                                  \
        const T before = x;                                                                                            \
        --x;                                                                                                           \
        return before;                                                                                                 \
    }                                                                                                                  \
    LAB_BOTH LAB_BUILTIN T operator+(const T &x) { return x; }                                                         \
    LAB_BOTH LAB_BUILTIN T operator-(const T &x) { return negate(x); }
LAB_NARROW_OPERATORS(__half, __half2)
LAB_NARROW_OPERATORS(__nv_bfloat16, __nv_bfloat162)
#undef LAB_NARROW_COMPARISON
#undef LAB_NARROW_OPERATORS
#undef LAB_NARROW_OPERATORS_OF

// Atomic sums, and exchange within a warp.
#define LAB_LINE const char *lab_file = __builtin_FILE(), unsigned lab_line = __builtin_LINE()
#define LAB_NARROW_SHUFFLE(T, bits_type, argument, name)                                                               \
    LAB_BUILTIN T name(unsigned mask, T value, argument lane, int width = warpSize, LAB_LINE)                          \
    {                                                                                                                  \
        const unsigned bits = __builtin_bit_cast(bits_type, value);                                                    \
        return __builtin_bit_cast(T,                                                                                   \
                                  (bits_type)name<unsigned>(mask, bits, (unsigned)lane, width, lab_file, lab_line));   \
    }
#define LAB_NARROW_SHARED(T, bits_type)                                                                                \
    LAB_BUILTIN T atomicAdd(T *address, T value)                                                                       \
    {                                                                                                                  \
        return lab_atomic_update<T, bits_type>((bits_type *)address, [=](T before) -> T { return before + value; });   \
    }                                                                                                                  \
    LAB_NARROW_SHUFFLE(T, bits_type, int, __shfl_sync)                                                                 \
    LAB_NARROW_SHUFFLE(T, bits_type, unsigned, __shfl_up_sync)                                                         \
    LAB_NARROW_SHUFFLE(T, bits_type, unsigned, __shfl_down_sync)                                                       \
    LAB_NARROW_SHUFFLE(T, bits_type, int, __shfl_xor_sync)
LAB_NARROW_SHARED(__half, unsigned short)
LAB_NARROW_SHARED(__half2, unsigned)
LAB_NARROW_SHARED(__nv_bfloat16, unsigned short)
LAB_NARROW_SHARED(__nv_bfloat162, unsigned)
#undef LAB_LINE
#undef LAB_NARROW_SHUFFLE
#undef LAB_NARROW_SHARED

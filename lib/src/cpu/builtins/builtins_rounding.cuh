// CUDA's arithmetic and conversions with a rounding, for a kernel that is compiled for the host: _rn to nearest even,
// _rz toward zero, _ru up, _rd down. The host rounds to nearest. For the other directions a result is computed exactly,
// in integers, and rounded once.

enum lab_rounding { lab_rounding_rn, lab_rounding_rz, lab_rounding_ru, lab_rounding_rd };
typedef unsigned __int128 lab_digits;

// The number digits * 2^exponent. The last digit stands for any that follow it: it is 1 if one of them is.
struct lab_exact {
    bool negative;
    int exponent;
    lab_digits digits;
};

LAB_BOTH LAB_BUILTIN int lab_leading_zeros(lab_digits digits)
{
    const unsigned long long high = (unsigned long long)(digits >> 64), low = (unsigned long long)digits;
    return high ? __builtin_clzll(high) : low ? 64 + __builtin_clzll(low) : 128;
}

// The bits of the number in a format of IEEE 754, without the sign. `precision` counts the leading 1.
LAB_BOTH LAB_BUILTIN unsigned long long lab_round(lab_exact number, int precision, int exponent_bits,
                                                  lab_rounding rounding)
{
    if (!number.digits) return 0;
    const int bias = (1 << (exponent_bits - 1)) - 1, least = 2 - bias - precision;
    const int first = number.exponent + 127 - lab_leading_zeros(number.digits), last = first - precision + 1;
    const int shift = (last > least ? last : least) - number.exponent;
    const bool away = rounding == (number.negative ? lab_rounding_rd : lab_rounding_ru);
    unsigned long long kept;
    if (shift <= 0) {
        kept = (unsigned long long)(number.digits << -shift);
    } else {
        const lab_digits half = shift <= 128 ? (lab_digits)1 << (shift - 1) : 0;
        const lab_digits rest = shift < 128 ? number.digits & (half * 2 - 1) : number.digits;
        kept = shift < 128 ? (unsigned long long)(number.digits >> shift) : 0;
        if (rounding == lab_rounding_rn ? half && (rest > half || (rest == half && (kept & 1))) : away && rest) ++kept;
    }
    const unsigned long long infinity = ((1ull << exponent_bits) - 1) << (precision - 1);
    if (last + precision > bias + 1) return rounding == lab_rounding_rn || away ? infinity : infinity - 1;
    return last > least ? ((unsigned long long)(last - least) << (precision - 1)) + kept : kept;
}
LAB_BUILTIN float lab_to_float(lab_exact number, lab_rounding rounding)
{
    return __uint_as_float((unsigned)number.negative << 31 | (unsigned)lab_round(number, 24, 8, rounding));
}
LAB_BUILTIN double lab_to_double(lab_exact number, lab_rounding rounding)
{
    return __longlong_as_double(
        (long long)((unsigned long long)number.negative << 63 | lab_round(number, 53, 11, rounding)));
}

LAB_BOTH LAB_BUILTIN lab_exact lab_exactly(double x)
{
    const unsigned long long bits = __builtin_bit_cast(unsigned long long, x), digits = bits & ((1ull << 52) - 1);
    const int exponent = (int)(bits >> 52 & 2047);
    return {bits >> 63 != 0, (exponent ? exponent : 1) - 1075, exponent ? digits | 1ull << 52 : digits};
}
LAB_BOTH LAB_BUILTIN lab_exact lab_exactly(unsigned long long x, bool negative) { return {negative, 0, x}; }
LAB_BOTH LAB_BUILTIN lab_exact lab_exactly(long long x)
{
    return lab_exactly(x < 0 ? 0 - (unsigned long long)x : (unsigned long long)x, x < 0);
}

LAB_BUILTIN lab_exact lab_product(lab_exact a, lab_exact b) // of at most 64 digits each
{
    return {a.negative != b.negative, a.exponent + b.exponent,
            (lab_digits)(unsigned long long)a.digits * (unsigned long long)b.digits};
}

// Digits that fall off the end leave a trace in the last. There are none where leading digits cancel, since each number
// has at most 106.
LAB_BUILTIN lab_exact lab_sum(lab_exact a, lab_exact b, lab_rounding rounding)
{
    if (!a.digits && !b.digits)
        return {a.negative == b.negative ? a.negative : rounding == lab_rounding_rd, 0, 0};
    if (!a.digits) return b;
    if (!b.digits) return a;
    const int a_shift = lab_leading_zeros(a.digits) - 2, b_shift = lab_leading_zeros(b.digits) - 2;
    lab_exact large = {a.negative, a.exponent - a_shift, a.digits << a_shift};
    lab_exact small = {b.negative, b.exponent - b_shift, b.digits << b_shift};
    if (small.exponent > large.exponent) {
        const lab_exact other = large;
        large = small;
        small = other;
    }
    const int shift = large.exponent - small.exponent;
    const lab_digits kept = shift < 128 ? small.digits >> shift : 0;
    const bool rest = shift < 128 ? kept << shift != small.digits : true;
    const lab_digits digits = kept | rest;
    if (large.negative == small.negative) return {large.negative, large.exponent, large.digits + digits};
    if (large.digits == digits) return {rounding == lab_rounding_rd, 0, 0};
    if (large.digits < digits) return {small.negative, large.exponent, digits - large.digits};
    return {large.negative, large.exponent, large.digits - digits};
}

// A quotient and a root from the host's, which is right to the last digit, and the sign of what it leaves over.
LAB_BUILTIN lab_exact lab_from_nearest(double nearest, double rest, int exponent)
{
    lab_exact number = lab_exactly(nearest);
    number.digits = rest > 0.0 ? number.digits * 4 + 1 : rest < 0.0 ? number.digits * 4 - 1 : number.digits * 4;
    number.exponent += exponent - 2;
    return number;
}
// The digits as a number from 1 to 2; `exponent` gets what it is to be multiplied by.
LAB_BUILTIN double lab_significand(double x, int *exponent)
{
    const lab_exact number = lab_exactly(x);
    const int zeros = lab_leading_zeros(number.digits) - 75; // in front of 53 digits
    *exponent = number.exponent - zeros + 52;
    return (double)(unsigned long long)(number.digits << zeros) * 0x1p-52;
}
LAB_BUILTIN lab_exact lab_quotient(double x, double y)
{
    int x_exponent, y_exponent;
    const double a = lab_significand(x, &x_exponent), b = lab_significand(y, &y_exponent), nearest = a / b;
    lab_exact number = lab_from_nearest(nearest, fma(-nearest, b, a), x_exponent - y_exponent);
    number.negative = signbit(x) != signbit(y);
    return number;
}
LAB_BUILTIN lab_exact lab_root(double x)
{
    int exponent;
    double a = lab_significand(x, &exponent);
    if (exponent & 1) {
        a *= 2.0;
        exponent -= 1;
    }
    const double nearest = sqrt(a);
    return lab_from_nearest(nearest, fma(-nearest, nearest, a), exponent / 2);
}

// What is infinite or no number has the host's result, in every direction.
LAB_BUILTIN bool lab_is_plain(double x) { return isfinite(x); }
LAB_BUILTIN bool lab_is_plain(double x, double y) { return isfinite(x) && isfinite(y); }
#define LAB_DIRECTED(type, add, sub, mul, fma_name, fma_host, div, rcp, sqrt_name, to, direction)                      \
    LAB_BUILTIN type add##_##direction(type x, type y)                                                                 \
    {                                                                                                                  \
        if (!lab_is_plain(x, y)) return x + y;                                                                         \
        const lab_rounding rounding = lab_rounding_##direction;                                                        \
        return to(lab_sum(lab_exactly(x), lab_exactly(y), rounding), rounding);                                        \
    }                                                                                                                  \
    LAB_BUILTIN type sub##_##direction(type x, type y) { return add##_##direction(x, -y); }                            \
    LAB_BUILTIN type mul##_##direction(type x, type y)                                                                 \
    {                                                                                                                  \
        if (!lab_is_plain(x, y)) return x * y;                                                                         \
        return to(lab_product(lab_exactly(x), lab_exactly(y)), lab_rounding_##direction);                              \
    }                                                                                                                  \
    LAB_BUILTIN type fma_name##_##direction(type x, type y, type z)                                                    \
    {                                                                                                                  \
        if (!lab_is_plain(x, y) || !lab_is_plain(z)) return fma_host(x, y, z);                                         \
        const lab_rounding rounding = lab_rounding_##direction;                                                        \
        return to(lab_sum(lab_product(lab_exactly(x), lab_exactly(y)), lab_exactly(z), rounding), rounding);           \
    }                                                                                                                  \
    LAB_BUILTIN type div##_##direction(type x, type y)                                                                 \
    {                                                                                                                  \
        if (!lab_is_plain(x, y) || x == 0 || y == 0) return x / y;                                                     \
        return to(lab_quotient(x, y), lab_rounding_##direction);                                                       \
    }                                                                                                                  \
    LAB_BUILTIN type rcp##_##direction(type x) { return div##_##direction(1, x); }                                     \
    LAB_BUILTIN type sqrt_name##_##direction(type x)                                                                   \
    {                                                                                                                  \
        if (!lab_is_plain(x) || x <= 0) return (type)sqrt((double)x);                                                  \
        return to(lab_root(x), lab_rounding_##direction);                                                              \
    }
#define LAB_DIRECTED_FLOAT(direction)                                                                                  \
    LAB_DIRECTED(float, __fadd, __fsub, __fmul, __fmaf, fmaf, __fdiv, __frcp, __fsqrt, lab_to_float, direction)        \
    LAB_BUILTIN float __fmaf_ieee_##direction(float x, float y, float z) { return __fmaf_##direction(x, y, z); }
#define LAB_DIRECTED_DOUBLE(direction)                                                                                 \
    LAB_DIRECTED(double, __dadd, __dsub, __dmul, __fma, fma, __ddiv, __drcp, __dsqrt, lab_to_double, direction)
LAB_DIRECTED_FLOAT(rz)
LAB_DIRECTED_FLOAT(ru)
LAB_DIRECTED_FLOAT(rd)
LAB_DIRECTED_DOUBLE(rz)
LAB_DIRECTED_DOUBLE(ru)
LAB_DIRECTED_DOUBLE(rd)
LAB_BUILTIN float __fmaf_ieee_rn(float x, float y, float z) { return fmaf(x, y, z); }
#undef LAB_DIRECTED
#undef LAB_DIRECTED_FLOAT
#undef LAB_DIRECTED_DOUBLE

#define LAB_CONVERSIONS(direction)                                                                                     \
    LAB_BUILTIN float __double2float_##direction(double x)                                                             \
    {                                                                                                                  \
        return isfinite(x) ? lab_to_float(lab_exactly(x), lab_rounding_##direction) : (float)x;                        \
    }                                                                                                                  \
    LAB_BUILTIN float __ll2float_##direction(long long x)                                                              \
    {                                                                                                                  \
        return lab_to_float(lab_exactly(x), lab_rounding_##direction);                                                 \
    }                                                                                                                  \
    LAB_BUILTIN float __ull2float_##direction(unsigned long long x)                                                    \
    {                                                                                                                  \
        return lab_to_float(lab_exactly(x, false), lab_rounding_##direction);                                          \
    }                                                                                                                  \
    LAB_BUILTIN float __int2float_##direction(int x) { return __ll2float_##direction(x); }                             \
    LAB_BUILTIN float __uint2float_##direction(unsigned x) { return __ull2float_##direction(x); }                      \
    LAB_BUILTIN double __ll2double_##direction(long long x)                                                            \
    {                                                                                                                  \
        return lab_to_double(lab_exactly(x), lab_rounding_##direction);                                                \
    }                                                                                                                  \
    LAB_BUILTIN double __ull2double_##direction(unsigned long long x)                                                  \
    {                                                                                                                  \
        return lab_to_double(lab_exactly(x, false), lab_rounding_##direction);                                         \
    }
LAB_CONVERSIONS(rz)
LAB_CONVERSIONS(ru)
LAB_CONVERSIONS(rd)
#undef LAB_CONVERSIONS

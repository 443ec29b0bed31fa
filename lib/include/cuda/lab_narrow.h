// The two floating-point types of 16 bits, half and bfloat16, as bits: from a float and to one. `precision` tells them
// apart: 11 binary digits, or 8. For cuda_fp16.h (lab_half.h), and for the kernels that arrays generate.
#ifndef LAB_CUDA_NARROW_H
#define LAB_CUDA_NARROW_H

#ifndef LAB_BITS_OF_FLOAT
#define LAB_BITS_OF_FLOAT(x) __builtin_bit_cast(unsigned, x)
#define LAB_FLOAT_OF_BITS(bits) __builtin_bit_cast(float, bits)
#endif

// Rounded so that a second rounding, to fewer digits, gives what one rounding would.
LAB_BOTH LAB_BUILTIN float lab_float_to_odd(double x)
{
    const float nearest = (float)x;
    int bits = (int)LAB_BITS_OF_FLOAT(nearest);
    const bool is_below = (double)nearest<x, is_above = (double)nearest> x;
    if ((is_below || is_above) && !(bits & 1)) bits += is_below == (bits >= 0) ? 1 : -1;
    return LAB_FLOAT_OF_BITS(bits);
}

// The bits of a float, rounded to nearest even. The arithmetic of float rounds the half's smallest numbers.
template <int precision> LAB_BOTH LAB_BUILTIN unsigned short lab_narrow(float x)
{
    const unsigned bits = LAB_BITS_OF_FLOAT(x), size = bits & 0x7fffffff, sign = bits >> 16 & 0x8000;
    if constexpr (precision == 8) {
        return (unsigned short)(size > 0x7f800000 ? 0x7fff : (bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    } else {
        const unsigned tiny = LAB_BITS_OF_FLOAT(LAB_FLOAT_OF_BITS(size) + 0.5f) - 0x3f000000;
        const unsigned normal = (size + 0xfff + (size >> 13 & 1) - 0x38000000) >> 13;
        const unsigned number = size < 0x38800000 ? tiny : size < 0x47800000 ? normal : 0x7c00;
        return (unsigned short)(size > 0x7f800000 ? 0x7fff : sign | number);
    }
}
template <int precision> LAB_BOTH LAB_BUILTIN float lab_widen(unsigned short bits)
{
    if constexpr (precision == 8) return LAB_FLOAT_OF_BITS((unsigned)bits << 16);
    const unsigned size = (unsigned)(bits & 0x7fff) << 13, sign = (unsigned)(bits & 0x8000) << 16;
    const float number = LAB_FLOAT_OF_BITS(size) * 0x1p112f; // also of the smallest numbers
    return LAB_FLOAT_OF_BITS(sign | (size < 0x0f800000 ? LAB_BITS_OF_FLOAT(number) : size + 0x70000000));
}

#endif

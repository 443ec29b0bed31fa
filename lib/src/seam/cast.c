/*
 * Conversions of elements on the host by stated rules: the device's, and NumPy's on x86-64. In C the cast of a
 * floating-point value outside the integer's range is undefined: this file tests every range first and never makes one.
 * Independent of arrays and devices.
 */
#include "dtype.h"
#include "base/status.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static const double TWO_31 = 2147483648.0, TWO_32 = 4294967296.0, TWO_63 = 9223372036854775808.0,
                    TWO_64 = 18446744073709551616.0;

/* A value between two types: an integer as 64 bits, sign-extended if its type is signed; any floating-point number as a
 * double. */
typedef struct element {
    bool floating;
    bool is_signed;
    uint64_t integer;
    double number;
} element;

typedef uint64_t (*integer_rule)(double value, lab_dtype source, lab_dtype destination);

/* ---- float16 and bfloat16 ---- */

/* The layout of a floating-point type of 16 bits: the bits of the fraction, and the exponent of the smallest number. */
typedef struct narrow_layout {
    int fraction, least;
} narrow_layout;

static narrow_layout layout_of(lab_dtype dtype)
{
    return dtype == LAB_FLOAT16 ? (narrow_layout){10, -24} : (narrow_layout){7, -133};
}

static double widen(uint16_t bits, lab_dtype dtype)
{
    const narrow_layout layout = layout_of(dtype);
    const int one = 1 << layout.fraction, exponent = (bits & 0x7fff) >> layout.fraction, fraction = bits & (one - 1);
    double size = exponent == 0 ? ldexp(fraction, layout.least) : ldexp(one + fraction, layout.least + exponent - 1);
    if (exponent == 0x7fff >> layout.fraction) size = fraction ? NAN : INFINITY;
    return bits & 0x8000 ? -size : size;
}

/* The bits of a number are its exponent's, counted from the smallest, plus its digits as a whole number: the digits of
 * a normal number have one bit more, which raises the exponent by one. */
uint16_t dtype_narrowed(long double value, lab_dtype dtype)
{
    const narrow_layout layout = layout_of(dtype);
    const long infinity = 0x7fff >> layout.fraction << layout.fraction;
    int exponent;
    if (isnan(value)) return 0x7fff;
    if (isinf(value)) return (uint16_t)(infinity | (value < 0 ? 0x8000 : 0));
    (void)frexpl(value, &exponent);
    exponent -= layout.fraction + 1;
    if (exponent < layout.least || value == 0) exponent = layout.least;
    const long digits = lrintl(ldexpl(fabsl(value), -exponent));
    const long bits = ((long)(exponent - layout.least) << layout.fraction) + digits;
    return (uint16_t)((bits < infinity ? bits : infinity) | (signbit(value) ? 0x8000 : 0));
}

/* NumPy keeps the sign of a value that is not a number, and the first bits of what it says. */
static uint16_t narrow_nan_of_numpy(double value, lab_dtype dtype)
{
    const narrow_layout layout = layout_of(dtype);
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint64_t fraction = bits << 12 >> (64 - layout.fraction);
    return (uint16_t)((bits >> 48 & 0x8000) | (0x7fffu >> layout.fraction << layout.fraction) | fraction);
}

/* ---- the rules ---- */

/* The truncated value, or the nearer end of the type's range. */
static uint64_t saturate_signed(double value, double limit)
{
    if (value < -limit) value = -limit;
    if (value >= limit) return limit == TWO_31 ? INT32_MAX : INT64_MAX;
    return (uint64_t)(int64_t)value;
}

static uint64_t saturate_unsigned(double value, double limit)
{
    if (value < 0) return 0;
    if (value >= limit) return limit == TWO_32 ? UINT32_MAX : UINT64_MAX;
    return (uint64_t)value;
}

static uint64_t device_rule(double value, lab_dtype source, lab_dtype destination)
{
    size_t size = lab_dtype_size(destination);
    if (value != value) {
        if (size == 8) return UINT64_C(1) << 63;
        return source == LAB_FLOAT64 && size == 4 ? UINT64_C(1) << 31 : 0;
    }
    if (dtype_signed(destination)) return saturate_signed(value, size == 8 ? TWO_63 : TWO_31);
    return saturate_unsigned(value, size == 8 ? TWO_64 : TWO_32);
}

/* The result of cvttss2si and cvttsd2si: the truncated value, or the lowest integer for a value that does not fit. */
static uint64_t x86_truncate(double value, double limit)
{
    if (value >= -limit && value < limit) return (uint64_t)(int64_t)value;
    return limit == TWO_31 ? (uint64_t)INT32_MIN : (uint64_t)INT64_MIN;
}

static uint64_t numpy_rule(double value, lab_dtype source, lab_dtype destination)
{
    (void)source;
    if (destination == LAB_UINT64 && value >= TWO_63) return x86_truncate(value - TWO_63, TWO_63) ^ UINT64_C(1) << 63;
    if (destination == LAB_UINT32 || lab_dtype_size(destination) == 8) return x86_truncate(value, TWO_63);
    return x86_truncate(value, TWO_31);
}

/* ---- elements ---- */

static element load(const unsigned char *at, lab_dtype dtype)
{
    element loaded = {.floating = dtype_floating(dtype), .is_signed = dtype_signed(dtype)};
    if (dtype == LAB_FLOAT32) {
        float narrow;
        memcpy(&narrow, at, sizeof narrow);
        loaded.number = narrow;
    } else if (dtype_narrow(dtype)) {
        uint16_t bits;
        memcpy(&bits, at, sizeof bits);
        loaded.number = widen(bits, dtype);
    } else if (dtype == LAB_FLOAT64) {
        memcpy(&loaded.number, at, sizeof loaded.number);
    } else {
        size_t size = lab_dtype_size(dtype);
        memcpy(&loaded.integer, at, size); /* the machine is little-endian, as CUDA's hosts are */
        unsigned unused = 64 - 8 * (unsigned)size;
        if (loaded.is_signed) loaded.integer = (uint64_t)((int64_t)(loaded.integer << unused) >> unused);
    }
    return loaded;
}

/* From 64 bits to a narrower integer: the low bits. To floating point: rounded once, to nearest even. */
static void store(unsigned char *at, lab_dtype destination, element value, lab_dtype source, integer_rule rule)
{
    if (destination == LAB_FLOAT32) {
        float narrow = value.floating    ? (float)value.number
                       : value.is_signed ? (float)(int64_t)value.integer
                                         : (float)value.integer;
        memcpy(at, &narrow, sizeof narrow);
    } else if (destination == LAB_FLOAT64) {
        double wide = value.floating    ? value.number
                      : value.is_signed ? (double)(int64_t)value.integer
                                        : (double)value.integer;
        memcpy(at, &wide, sizeof wide);
    } else if (dtype_narrow(destination)) {
        const long double number = value.floating    ? (long double)value.number
                                   : value.is_signed ? (long double)(int64_t)value.integer
                                                     : (long double)value.integer;
        const bool as_numpy = rule == numpy_rule && number != number;
        uint16_t bits = as_numpy ? narrow_nan_of_numpy(value.number, destination) : dtype_narrowed(number, destination);
        memcpy(at, &bits, sizeof bits);
    } else {
        uint64_t integer = value.floating ? rule(value.number, source, destination) : value.integer;
        memcpy(at, &integer, lab_dtype_size(destination));
    }
}

static lab_status convert(void *destination, lab_dtype destination_type, const void *source, lab_dtype source_type,
                          size_t count, integer_rule rule, const char *call)
{
    if (!dtype_known(destination_type) || !dtype_known(source_type))
        return lab_fail(LAB_ERROR_INVALID_VALUE, "%s: %d is not an element type", call,
                        (int)(dtype_known(destination_type) ? source_type : destination_type));
    if (count > 0 && (!destination || !source))
        return lab_fail(LAB_ERROR_INVALID_VALUE, "%s: %s is NULL", call, destination ? "source" : "destination");
    size_t destination_size = lab_dtype_size(destination_type), source_size = lab_dtype_size(source_type);
    if (count > SIZE_MAX / 8)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "%s: %zu elements need more bytes than memory can have", call, count);
    for (size_t i = 0; i < count; i++)
        store((unsigned char *)destination + i * destination_size, destination_type,
              load((const unsigned char *)source + i * source_size, source_type), source_type, rule);
    return LAB_SUCCESS;
}

lab_status lab_cast_as_device(void *destination, lab_dtype destination_type, const void *source, lab_dtype source_type,
                              size_t count)
{
    return convert(destination, destination_type, source, source_type, count, device_rule, "lab_cast_as_device");
}

lab_status lab_cast_as_numpy(void *destination, lab_dtype destination_type, const void *source, lab_dtype source_type,
                             size_t count)
{
    return convert(destination, destination_type, source, source_type, count, numpy_rule, "lab_cast_as_numpy");
}

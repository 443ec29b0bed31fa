/*
 * Conversions of elements on the host by stated rules: the device's, and NumPy's on x86-64. C leaves the cast of a
 * floating-point value out of the integer's range undefined, so none is made here: every range is tested first. Knows
 * nothing of arrays and devices.
 */
#include "dtype.h"
#include "base/status.h"

#include <stdint.h>
#include <string.h>

static const double TWO_31 = 2147483648.0, TWO_32 = 4294967296.0, TWO_63 = 9223372036854775808.0,
                    TWO_64 = 18446744073709551616.0;

/* A value on its way: an integer as its 64 bits, sign-extended if its type is signed; every float32 is a double. */
typedef struct element {
    bool floating;
    bool is_signed;
    uint64_t integer;
    double number;
} element;

typedef uint64_t (*integer_rule)(double value, lab_dtype from, lab_dtype to);

/* ---- the rules ---- */

/* The truncated value, or the end of the type's range that is nearest. */
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

static uint64_t device_rule(double value, lab_dtype from, lab_dtype to)
{
    size_t size = lab_dtype_size(to);
    if (value != value) {
        if (size == 8) return UINT64_C(1) << 63;
        return from == LAB_FLOAT64 && size == 4 ? UINT64_C(1) << 31 : 0;
    }
    if (dtype_signed(to)) return saturate_signed(value, size == 8 ? TWO_63 : TWO_31);
    return saturate_unsigned(value, size == 8 ? TWO_64 : TWO_32);
}

/* What cvttss2si and cvttsd2si give: the truncated value, or the lowest integer for all that does not fit. */
static uint64_t x86_truncate(double value, double limit)
{
    if (value >= -limit && value < limit) return (uint64_t)(int64_t)value;
    return limit == TWO_31 ? (uint64_t)INT32_MIN : (uint64_t)INT64_MIN;
}

static uint64_t numpy_rule(double value, lab_dtype from, lab_dtype to)
{
    (void)from;
    if (to == LAB_UINT64 && value >= TWO_63) return x86_truncate(value - TWO_63, TWO_63) ^ UINT64_C(1) << 63;
    if (to == LAB_UINT32 || lab_dtype_size(to) == 8) return x86_truncate(value, TWO_63);
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
static void store(unsigned char *at, lab_dtype to, element value, lab_dtype from, integer_rule rule)
{
    if (to == LAB_FLOAT32) {
        float narrow = value.floating    ? (float)value.number
                       : value.is_signed ? (float)(int64_t)value.integer
                                         : (float)value.integer;
        memcpy(at, &narrow, sizeof narrow);
    } else if (to == LAB_FLOAT64) {
        double wide = value.floating    ? value.number
                      : value.is_signed ? (double)(int64_t)value.integer
                                        : (double)value.integer;
        memcpy(at, &wide, sizeof wide);
    } else {
        uint64_t integer = value.floating ? rule(value.number, from, to) : value.integer;
        memcpy(at, &integer, lab_dtype_size(to));
    }
}

static lab_status convert(void *to, lab_dtype to_type, const void *from, lab_dtype from_type, size_t count,
                          integer_rule rule, const char *call)
{
    if (!dtype_known(to_type) || !dtype_known(from_type))
        return lab_fail(LAB_ERROR_INVALID_VALUE, "%s: %d is no element type", call,
                        (int)(dtype_known(to_type) ? from_type : to_type));
    if (count > 0 && (!to || !from))
        return lab_fail(LAB_ERROR_INVALID_VALUE, "%s: %s is NULL", call, to ? "from" : "to");
    size_t to_size = lab_dtype_size(to_type), from_size = lab_dtype_size(from_type);
    if (count > SIZE_MAX / 8)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "%s: %zu elements are more than memory has bytes", call, count);
    for (size_t i = 0; i < count; i++)
        store((unsigned char *)to + i * to_size, to_type, load((const unsigned char *)from + i * from_size, from_type),
              from_type, rule);
    return LAB_SUCCESS;
}

lab_status lab_cast_as_device(void *to, lab_dtype to_type, const void *from, lab_dtype from_type, size_t count)
{
    return convert(to, to_type, from, from_type, count, device_rule, "lab_cast_as_device");
}

lab_status lab_cast_as_numpy(void *to, lab_dtype to_type, const void *from, lab_dtype from_type, size_t count)
{
    return convert(to, to_type, from, from_type, count, numpy_rule, "lab_cast_as_numpy");
}

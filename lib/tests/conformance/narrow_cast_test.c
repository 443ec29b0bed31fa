/* Conversions from and to float16 and bfloat16, on the device and on the host: every bit pattern, and numbers on and
 * next to every tie, compared with a search for the nearest number (narrow_reference.h). */
#include "narrow_reference.h"
#include "test.h"

#include <string.h>

/* Converts on the device and on the host; both must give these bytes. */
static void check_both(const void *values, lab_dtype from, const void *expected, lab_dtype to, size_t count)
{
    const size_t size = lab_dtype_size(to), from_size = lab_dtype_size(from);
    unsigned char *got = malloc(count * size), *on_host = malloc(count * size);
    lab_array *array, *converted;
    LAB_CHECK(lab_array_from_host(&array, from, LAB_SHAPE(count), values));
    LAB_CHECK(lab_array_astype(&converted, array, to, NULL));
    LAB_CHECK(lab_array_get(converted, got));
    LAB_CHECK(lab_cast_as_device(on_host, to, values, from, count));
    for (size_t i = 0; i < count; i++) {
        uint64_t value = 0, mine = 0, device = 0, host = 0;
        memcpy(&value, (const char *)values + i * from_size, from_size);
        memcpy(&mine, (const char *)expected + i * size, size);
        memcpy(&device, got + i * size, size), memcpy(&host, on_host + i * size, size);
        cr_assert(device == mine && host == mine, "%s %#llx to %s: %#llx, device %#llx, host %#llx",
                  lab_dtype_name(from), (unsigned long long)value, lab_dtype_name(to), (unsigned long long)mine,
                  (unsigned long long)device, (unsigned long long)host);
    }
    LAB_CHECK(lab_array_destroy(converted));
    LAB_CHECK(lab_array_destroy(array));
    free(got), free(on_host);
}

/* All patterns but those of no number, whose bits the device chooses, to a float32 and a float64 of the same value. */
static void check_widening(lab_dtype dtype)
{
    narrow_format format = narrow_format_of(dtype);
    uint16_t *bits = malloc(NARROW_PATTERNS * sizeof *bits);
    float *single = malloc(NARROW_PATTERNS * sizeof *single);
    double *wide = malloc(NARROW_PATTERNS * sizeof *wide);
    size_t count = 0;
    for (unsigned i = 0; i < NARROW_PATTERNS; i++) {
        if (isnan(narrow_value(&format, i))) continue;
        bits[count] = (uint16_t)i;
        wide[count] = narrow_value(&format, i);
        single[count] = (float)wide[count];
        count++;
    }
    cr_assert_eq(count, 2 * (size_t)format.infinity + 2);
    check_both(bits, dtype, wide, LAB_FLOAT64, count);
    check_both(bits, dtype, single, LAB_FLOAT32, count);
    check_both(single, LAB_FLOAT32, bits, dtype, count);
    check_both(wide, LAB_FLOAT64, bits, dtype, count);
    free(bits), free(single), free(wide);
}

/* IEEE 754, Conversion: every half is a float and a double, and comes back. */
Test(narrow_cast, every_float16_widens_and_comes_back) { check_widening(LAB_FLOAT16); }
/* IEEE 754, Conversion: every bfloat16 is a float and a double, and comes back. */
Test(narrow_cast, every_bfloat16_widens_and_comes_back) { check_widening(LAB_BFLOAT16); }

/* Every number, the tie between it and the next, and the doubles or floats on both sides of the tie. */
static void check_ties(lab_dtype dtype)
{
    narrow_format format = narrow_format_of(dtype);
    const size_t most = 8 * (size_t)format.infinity + 16;
    double *wide = malloc(most * sizeof *wide);
    float *single = malloc(most * sizeof *single);
    uint16_t *from_wide = malloc(most * sizeof *from_wide), *from_single = malloc(most * sizeof *from_single);
    size_t count = 0;
    for (unsigned bits = 0; bits < format.infinity; bits++) {
        const double tie = (format.size[bits] + format.size[bits + 1]) / 2;
        const double near[] = {format.size[bits], tie, nextafter(tie, 0), nextafter(tie, INFINITY)};
        const float nearly[] = {(float)near[0], (float)tie, nextafterf((float)tie, 0),
                                nextafterf((float)tie, INFINITY)};
        for (int i = 0; i < 4; i++)
            for (int sign = -1; sign <= 1; sign += 2) {
                wide[count] = sign * near[i];
                single[count++] = (float)sign * nearly[i];
            }
    }
    static const double special[] = {INFINITY,  -INFINITY,  NAN,   0x1.fffffffffffffp1023,
                                     0x1p-1074, -0x1p-1074, 1e300, -65520};
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        wide[count] = special[i], single[count++] = (float)special[i];
    for (size_t i = 0; i < count; i++) {
        from_wide[i] = narrow_nearest(&format, (long double)wide[i]);
        from_single[i] = narrow_nearest(&format, (long double)single[i]);
    }
    check_both(wide, LAB_FLOAT64, from_wide, dtype, count);
    check_both(single, LAB_FLOAT32, from_single, dtype, count);
    free(wide), free(single), free(from_wide), free(from_single);
}

/* IEEE 754, Rounding-direction attributes: roundTiesToEven, overflow to infinity, gradual underflow. */
Test(narrow_cast, to_float16_rounds_once_to_nearest_even) { check_ties(LAB_FLOAT16); }
/* IEEE 754, Rounding-direction attributes: roundTiesToEven, overflow to infinity, gradual underflow. */
Test(narrow_cast, to_bfloat16_rounds_once_to_nearest_even) { check_ties(LAB_BFLOAT16); }

/* Whole numbers on and next to every tie, which float32 and float64 would round first. */
static void check_integers(lab_dtype dtype)
{
    narrow_format format = narrow_format_of(dtype);
    int64_t *whole = malloc(3 * (size_t)format.infinity * sizeof *whole);
    uint16_t *expected = malloc(3 * (size_t)format.infinity * sizeof *expected);
    size_t count = 0;
    for (unsigned bits = 0; bits < format.infinity; bits++) {
        const double tie = (format.size[bits] + format.size[bits + 1]) / 2;
        if (tie >= 0x1p63 || tie != floor(tie)) continue;
        for (int64_t i = -1; i <= 1; i++) whole[count++] = (bits % 2 ? -1 : 1) * ((int64_t)tie + i);
    }
    for (size_t i = 0; i < count; i++) expected[i] = narrow_nearest(&format, (long double)whole[i]);
    check_both(whole, LAB_INT64, expected, dtype, count);
    for (size_t i = 0; i < count; i++) expected[i] = narrow_nearest(&format, (long double)(uint64_t)whole[i]);
    check_both(whole, LAB_UINT64, expected, dtype, count);
    free(whole), free(expected);
}

/* CUDA Math API, Half Precision Conversion: __ll2half_rn and __ull2half_rn round once. */
Test(narrow_cast, whole_numbers_become_the_nearest_float16) { check_integers(LAB_FLOAT16); }
/* CUDA Math API, Bfloat16 Precision Conversion: __ll2bfloat16_rn and __ull2bfloat16_rn round once. */
Test(narrow_cast, whole_numbers_become_the_nearest_bfloat16) { check_integers(LAB_BFLOAT16); }

/* Every pattern to a type gives what the float32 of its value gives. */
static void check_as_float32(lab_dtype dtype, lab_dtype to)
{
    uint16_t *bits = malloc(NARROW_PATTERNS * sizeof *bits);
    float *single = malloc(NARROW_PATTERNS * sizeof *single);
    unsigned char *expected = malloc(NARROW_PATTERNS * 8);
    for (unsigned i = 0; i < NARROW_PATTERNS; i++) bits[i] = (uint16_t)i;
    LAB_CHECK(lab_cast_as_device(single, LAB_FLOAT32, bits, dtype, NARROW_PATTERNS));
    LAB_CHECK(lab_cast_as_device(expected, to, single, LAB_FLOAT32, NARROW_PATTERNS));
    check_both(bits, dtype, expected, to, NARROW_PATTERNS);
    free(bits), free(single), free(expected);
}

/* CuPy, ndarray: astype of a float16 computes with its float32. */
Test(narrow_cast, to_integers_and_each_other_they_count_as_float32)
{
    for (lab_dtype to = LAB_INT8; to <= LAB_UINT64; to++) {
        check_as_float32(LAB_FLOAT16, to);
        check_as_float32(LAB_BFLOAT16, to);
    }
    check_as_float32(LAB_FLOAT16, LAB_BFLOAT16);
    check_as_float32(LAB_BFLOAT16, LAB_FLOAT16);
}

/* NumPy, ndarray.astype: what is no number keeps its sign and stays none. */
Test(narrow_cast, numpy_keeps_the_sign_of_what_is_no_number)
{
    static const uint64_t wide[] = {0x7ff8000000000000, 0xfff8000000000000, 0x7fffffffffffffff, 0x7ff0000000000000};
    static const uint16_t half[] = {0x7e00, 0xfe00, 0x7fff, 0x7c00}, brain[] = {0x7fc0, 0xffc0, 0x7fff, 0x7f80};
    uint16_t got[4];
    LAB_CHECK(lab_cast_as_numpy(got, LAB_FLOAT16, wide, LAB_FLOAT64, 4));
    cr_assert_eq(memcmp(got, half, sizeof half), 0, "%#x %#x %#x %#x", got[0], got[1], got[2], got[3]);
    LAB_CHECK(lab_cast_as_numpy(got, LAB_BFLOAT16, wide, LAB_FLOAT64, 4));
    cr_assert_eq(memcmp(got, brain, sizeof brain), 0, "%#x %#x %#x %#x", got[0], got[1], got[2], got[3]);
    LAB_CHECK(lab_cast_as_device(got, LAB_FLOAT16, wide, LAB_FLOAT64, 4));
    cr_assert(got[0] == 0x7fff && got[1] == 0x7fff && got[2] == 0x7fff && got[3] == 0x7c00);
}

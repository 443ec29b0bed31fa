/* Casts on the host: the device's rule compared with an H200 (casts_h200.h), the rule of NumPy on x86-64 compared with
 * NumPy 1.24.2 for arrays of one element, and element types by name. */
#include "casts_h200.h"
#include "lab.h"
#include "test.h"

#include <math.h>
#include <string.h>

static lab_dtype type_of(int column)
{
    lab_dtype dtype;
    LAB_CHECK(lab_dtype_parse(&dtype, casts_type[column]));
    return dtype;
}

static void check_row(const casts_row *row, lab_dtype source)
{
    for (int column = 0; column < CASTS_TYPES; column++) {
        uint64_t result = 0, expected = (uint64_t)row->result[column];
        lab_dtype target = type_of(column);
        LAB_CHECK(lab_cast_as_device(&result, target, &row->bits, source, 1));
        size_t size = lab_dtype_size(target);
        cr_assert_eq(memcmp(&result, &expected, size), 0, "%s with bits %llx to %s", lab_dtype_name(source),
                     (unsigned long long)row->bits, lab_dtype_name(target));
    }
}

/* H200, measured: float to integer casts, casts_h200.h. */
Test(cast, as_device_gives_what_an_h200_gives_for_float32)
{
    for (size_t i = 0; i < sizeof casts_float32 / sizeof *casts_float32; i++) check_row(&casts_float32[i], LAB_FLOAT32);
}

/* H200, measured: float to integer casts, casts_h200.h. */
Test(cast, as_device_gives_what_an_h200_gives_for_float64)
{
    for (size_t i = 0; i < sizeof casts_float64 / sizeof *casts_float64; i++) check_row(&casts_float64[i], LAB_FLOAT64);
}

typedef struct numpy_case {
    double value;
    int64_t result[CASTS_TYPES]; /* in the order of casts_type; uint64 as its bits */
} numpy_case;

/* Measured with NumPy 1.24.2 on x86-64; float32 and float64 agree on these values. */
static const numpy_case numpy_cases[] = {
    {-0.5, {0, 0, 0, 0, 0, 0, 0, 0}},
    {-1.5, {-1, 255, -1, 65535, -1, 4294967295, -1, -1}},
    {128, {-128, 128, 128, 128, 128, 128, 128, 128}},
    {300, {44, 44, 300, 300, 300, 300, 300, 300}},
    {-300, {-44, 212, -300, 65236, -300, 4294966996, -300, -300}},
    {32768, {0, 0, -32768, 32768, 32768, 32768, 32768, 32768}},
    {70000, {112, 112, 4464, 4464, 70000, 70000, 70000, 70000}},
    {2147483520.0, {-128, 128, -128, 65408, 2147483520, 2147483520, 2147483520, 2147483520}},
    {2147483648.0, {0, 0, 0, 0, INT32_MIN, 2147483648, 2147483648, 2147483648}},
    {-2147483648.0, {0, 0, 0, 0, INT32_MIN, 2147483648, -2147483648, -2147483648}},
    {-2147483904.0, {0, 0, 0, 0, INT32_MIN, 2147483392, -2147483904, -2147483904}},
    {3e9, {0, 0, 0, 0, INT32_MIN, 3000000000, 3000000000, 3000000000}},
    {-3e9, {0, 0, 0, 0, INT32_MIN, 1294967296, -3000000000, -3000000000}},
    {1e10, {0, 0, 0, 0, INT32_MIN, 1410065408, 10000000000, 10000000000}},
    {-1e10, {0, 0, 0, 0, INT32_MIN, 2884901888, -10000000000, -10000000000}},
    {9223372036854775808.0, {0, 0, 0, 0, INT32_MIN, 0, INT64_MIN, INT64_MIN}},
    {-9223372036854775808.0, {0, 0, 0, 0, INT32_MIN, 0, INT64_MIN, INT64_MIN}},
    {18446742974197923840.0, {0, 0, 0, 0, INT32_MIN, 0, INT64_MIN, -1099511627776}},
    {18446744073709551616.0, {0, 0, 0, 0, INT32_MIN, 0, INT64_MIN, 0}},
    {-1e20, {0, 0, 0, 0, INT32_MIN, 0, INT64_MIN, INT64_MIN}},
    {INFINITY, {0, 0, 0, 0, INT32_MIN, 0, INT64_MIN, 0}},
    {-INFINITY, {0, 0, 0, 0, INT32_MIN, 0, INT64_MIN, INT64_MIN}},
    {NAN, {0, 0, 0, 0, INT32_MIN, 0, INT64_MIN, INT64_MIN}},
};

/* NumPy, ndarray.astype: casts on x86-64. */
Test(cast, as_numpy_gives_what_numpy_gives_on_x86_64)
{
    for (size_t i = 0; i < sizeof numpy_cases / sizeof *numpy_cases; i++)
        for (int column = 0; column < CASTS_TYPES; column++) {
            double wide = numpy_cases[i].value;
            float narrow = (float)wide;
            uint64_t expected = (uint64_t)numpy_cases[i].result[column], from_wide = 0, from_narrow = 0;
            lab_dtype target = type_of(column);
            size_t size = lab_dtype_size(target);
            LAB_CHECK(lab_cast_as_numpy(&from_wide, target, &wide, LAB_FLOAT64, 1));
            LAB_CHECK(lab_cast_as_numpy(&from_narrow, target, &narrow, LAB_FLOAT32, 1));
            cr_assert_eq(memcmp(&from_wide, &expected, size), 0, "float64 %g to %s", wide, lab_dtype_name(target));
            cr_assert_eq(memcmp(&from_narrow, &expected, size), 0, "float32 %g to %s", wide, lab_dtype_name(target));
        }
}

/* NumPy, ndarray.astype: casts on x86-64. */
Test(cast, the_lessons_examples_differ_as_the_lesson_says)
{
    float minus_one = -1, infinite = INFINITY;
    uint32_t u;
    int32_t s;
    LAB_CHECK(lab_cast_as_numpy(&u, LAB_UINT32, &minus_one, LAB_FLOAT32, 1));
    cr_assert_eq(u, 4294967295u);
    LAB_CHECK(lab_cast_as_device(&u, LAB_UINT32, &minus_one, LAB_FLOAT32, 1));
    cr_assert_eq(u, 0u);
    LAB_CHECK(lab_cast_as_numpy(&s, LAB_INT32, &infinite, LAB_FLOAT32, 1));
    cr_assert_eq(s, INT32_MIN);
    LAB_CHECK(lab_cast_as_device(&s, LAB_INT32, &infinite, LAB_FLOAT32, 1));
    cr_assert_eq(s, INT32_MAX);
}

/* CUDA C++ Programming Guide, Mathematical Functions: llrintf and its kind round, and saturate as a cast does. */
Test(cast, functions_that_round_to_an_integer_saturate)
{
    static const char source[] =
        "extern \"C\" __global__ void round_all(long long *out, const float *x, int count)\n"
        "{\n"
        "    for (int i = 0; i < count; i++) {\n"
        "        long long *to = out + 8 * i;\n"
        "        to[0] = llrintf(x[i]), to[1] = llrint((double)x[i]), to[2] = llroundf(x[i]);\n"
        "        to[3] = llround((double)x[i]), to[4] = lrintf(x[i]), to[5] = lrint((double)x[i]);\n"
        "        to[6] = lroundf(x[i]), to[7] = lround((double)x[i]);\n"
        "    }\n"
        "}\n";
    static const struct {
        float x;
        long long rint, round;
    } cases[] = {{2.5f, 2, 3},
                 {-2.5f, -2, -3},
                 {0.49999997f, 0, 0},
                 {8388609.0f, 8388609, 8388609},
                 {-0.5f, 0, -1},
                 {-1e18f, -999999984306749440, -999999984306749440},
                 {1e30f, INT64_MAX, INT64_MAX},
                 {-1e30f, INT64_MIN, INT64_MIN},
                 {INFINITY, INT64_MAX, INT64_MAX},
                 {-INFINITY, INT64_MIN, INT64_MIN},
                 {NAN, INT64_MIN, INT64_MIN}};
    enum { COUNT = sizeof cases / sizeof *cases };
    float x[COUNT];
    int64_t found[COUNT][8];
    lab_module *module;
    lab_function function;
    lab_array *from, *to;
    for (int i = 0; i < COUNT; i++) x[i] = cases[i].x;
    LAB_CHECK(lab_module_load_source(&module, source, "round.cu"));
    LAB_CHECK(lab_module_get_function(&function, module, "round_all"));
    LAB_CHECK(lab_array_from_host(&from, LAB_FLOAT32, LAB_SHAPE(COUNT), x));
    LAB_CHECK(lab_array_empty(&to, LAB_INT64, LAB_SHAPE(COUNT, 8)));
    LAB_CHECK(lab_launch(function, LAB_DIM(1), LAB_DIM(1), 0, NULL, LAB_ARGS(to, from, (int)COUNT)));
    LAB_CHECK(lab_array_get(to, found));
    for (int i = 0; i < COUNT; i++)
        for (int k = 0; k < 8; k++)
            cr_assert_eq(found[i][k], k % 4 < 2 ? cases[i].rint : cases[i].round, "function %d of %g: %lld", k,
                         (double)x[i], (long long)found[i][k]);
    LAB_CHECK(lab_array_destroy(from));
    LAB_CHECK(lab_array_destroy(to));
    LAB_CHECK(lab_module_unload(module));
}

/* lab.h, Casts: integers become narrower by keeping the low bits. */
Test(cast, integers_keep_their_low_bits)
{
    const int64_t source[] = {-1, 300, INT64_MIN, 0x123456789abcdef0};
    uint8_t bytes[4];
    LAB_CHECK(lab_cast_as_device(bytes, LAB_UINT8, source, LAB_INT64, 4));
    cr_assert(bytes[0] == 255 && bytes[1] == 44 && bytes[2] == 0 && bytes[3] == 0xf0);
    const int8_t small = -2;
    uint64_t wide;
    LAB_CHECK(lab_cast_as_numpy(&wide, LAB_UINT64, &small, LAB_INT8, 1));
    cr_assert_eq(wide, UINT64_MAX - 1);
}

/* IEEE 754, Rounding-direction attributes: roundTiesToEven. */
Test(cast, to_floating_point_rounds_once_to_nearest_even)
{
    const uint64_t source[] = {UINT64_MAX, 16777217, 0x8000008000000001};
    float narrow[3];
    LAB_CHECK(lab_cast_as_device(narrow, LAB_FLOAT32, source, LAB_UINT64, 3));
    cr_assert_eq(narrow[0], 18446744073709551616.0f);
    cr_assert_eq(narrow[1], 16777216.0f);
    cr_assert_eq(narrow[2], 0x1.000002p63f, "double rounding would give 0x1p63");
    const int64_t negative = -16777219;
    LAB_CHECK(lab_cast_as_device(narrow, LAB_FLOAT32, &negative, LAB_INT64, 1));
    cr_assert_eq(narrow[0], -16777220.0f);
}

/* lab.h, Casts: invalid arguments are refused. */
Test(cast, what_cannot_be_converted_is_refused)
{
    float source = 1;
    int target = 7;
    cr_assert_eq(lab_cast_as_device(&target, (lab_dtype)99, &source, LAB_FLOAT32, 1), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_cast_as_numpy(&target, LAB_INT32, &source, (lab_dtype)0, 1), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_cast_as_device(NULL, LAB_INT32, &source, LAB_FLOAT32, 1), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_cast_as_device(&target, LAB_INT32, NULL, LAB_FLOAT32, 1), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_cast_as_device(&target, LAB_INT32, &source, LAB_FLOAT32, SIZE_MAX), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_cast_as_device(NULL, LAB_INT32, NULL, LAB_FLOAT32, 0), LAB_SUCCESS);
    cr_assert_eq(target, 7);
}

/* NumPy, dtype: names. */
Test(dtype, every_name_is_read_back)
{
    for (lab_dtype dtype = LAB_INT8; dtype <= LAB_BFLOAT16; dtype++) {
        lab_dtype parsed;
        cr_assert_eq(lab_dtype_parse(&parsed, lab_dtype_name(dtype)), LAB_SUCCESS);
        cr_assert_eq(parsed, dtype);
    }
}

/* NumPy, dtype: names. */
Test(dtype, an_unknown_name_is_refused)
{
    static const char *const names[] = {"", "float", "float321", "int", "FLOAT32", "float8", " int8", NULL};
    for (int i = 0; i < 8; i++) {
        lab_dtype parsed = LAB_INT8;
        cr_assert_eq(lab_dtype_parse(&parsed, names[i]), LAB_ERROR_INVALID_VALUE);
        cr_assert_eq(parsed, 0);
    }
    cr_assert_not_null(strstr(lab_error_message(), "float64"), "the message lists the types: %s", lab_error_message());
    cr_assert_eq(lab_dtype_parse(NULL, "int8"), LAB_ERROR_INVALID_VALUE);
}

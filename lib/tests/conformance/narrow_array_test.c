/* Arrays of float16 and bfloat16: contents, elementwise kernels, reductions, expressions and kernels' arguments.
 * Results are the nearest number to the exact one (narrow_reference.h). */
#include "narrow_reference.h"
#include "test.h"
#include "test_arrays.h"

#include <string.h>

enum { COUNT = 20000 };
static const lab_dtype TYPES[] = {LAB_FLOAT16, LAB_BFLOAT16};

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13, *state ^= *state >> 7, *state ^= *state << 17;
    return *state >> 16;
}

/* Half of the numbers are any pattern, the others have exponents near 1. */
static void fill_random(uint16_t *bits, const narrow_format *format, uint64_t seed)
{
    uint64_t state = seed;
    const uint16_t one = narrow_nearest(format, 1);
    for (int i = 0; i < COUNT; i++) {
        const uint64_t random = next_random(&state);
        bits[i] = (uint16_t)(i % 2 ? random : (random & 0x8000) | (one + random % 4096 - 2048));
    }
}

static bool same(uint16_t a, uint16_t b, const narrow_format *format)
{
    return a == b || (isnan(narrow_value(format, a)) && isnan(narrow_value(format, b)));
}

/* CuPy, ndarray: zeros, ones, full, arange. */
Test(narrow_array, fills_round_a_number_to_the_nearest)
{
    for (int t = 0; t < 2; t++) {
        narrow_format format = narrow_format_of(TYPES[t]);
        static const double numbers[] = {0.1, -2.5, 65519.999, 65520, 1e300, 5.9e-8, 1e-8, 1 + 0x1p-11};
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
            lab_array *array;
            uint16_t bits;
            LAB_CHECK(lab_array_full(&array, TYPES[t], LAB_SHAPE(33), LAB_ARG(numbers[i])));
            LAB_CHECK(lab_array_get_item(array, 32, &bits));
            cr_assert_eq(bits, narrow_nearest(&format, (long double)numbers[i]), "%g is %#x", numbers[i], bits);
            LAB_CHECK(lab_array_fill(array, LAB_ARG(INT64_C(1) << 40 | 1 << 20), NULL));
            cr_assert_eq(value_of(array), narrow_value(&format, narrow_nearest(&format, 0x1p40L + 0x1p20L)));
        }
    }
}

/* CuPy, ndarray: zeros, ones, full, arange. */
Test(narrow_array, arange_rounds_each_number_once)
{
    for (int t = 0; t < 2; t++) {
        narrow_format format = narrow_format_of(TYPES[t]);
        lab_array *array;
        uint16_t bits[6000];
        LAB_CHECK(lab_array_arange(&array, TYPES[t], 6000, LAB_ARG(-3), LAB_ARG(0.5)));
        LAB_CHECK(lab_array_get(array, bits));
        for (int i = 0; i < 6000; i++)
            cr_assert_eq(bits[i], narrow_nearest(&format, -3 + 0.5L * i), "element %d is %#x", i, bits[i]);
    }
}

/* ---- elementwise kernels ---- */

/* CuPy, ElementwiseKernel: a float16 is computed with as its float32. */
Test(narrow_array, elementwise_results_are_rounded_once)
{
    static const char *const bodies[] = {"z = x + y", "z = x * y", "z = x / y", "T w = x - y; z = w"};
    static uint16_t x[COUNT], y[COUNT], z[COUNT];
    for (int t = 0; t < 2; t++) {
        narrow_format format = narrow_format_of(TYPES[t]);
        fill_random(x, &format, 1 + (uint64_t)t), fill_random(y, &format, 77 + (uint64_t)t);
        lab_array *device_x = from_host(TYPES[t], COUNT, x), *device_y = from_host(TYPES[t], COUNT, y);
        lab_array *device_z = empty(TYPES[t], COUNT);
        for (int body = 0; body < 4; body++) {
            lab_elementwise *kernel;
            LAB_CHECK(lab_elementwise_create(&kernel, "T x, T y", "T z", bodies[body], NULL));
            LAB_CHECK(lab_elementwise_launch(kernel, NULL, LAB_ARGS(device_x, device_y, device_z)));
            LAB_CHECK(lab_array_get(device_z, z));
            for (int i = 0; i < COUNT; i++) {
                const long double a = narrow_value(&format, x[i]), b = narrow_value(&format, y[i]);
                const long double exact[] = {a + b, a * b, a / b, a - b};
                const uint16_t expected = narrow_nearest(&format, exact[body]);
                cr_assert(same(z[i], expected, &format), "%s: %#x, %#x give %#x, not %#x", bodies[body], x[i], y[i],
                          expected, z[i]);
            }
            LAB_CHECK(lab_elementwise_destroy(kernel));
        }
    }
}

/* CuPy, ElementwiseKernel: parameters of several types, numbers, broadcasting. */
Test(narrow_array, elementwise_kernels_mix_types_and_repeat_rows)
{
    const float row[3] = {1, 2, 3};
    float back[6];
    lab_array *rows, *narrow_rows, *all, *out;
    lab_elementwise *kernel;
    LAB_CHECK(lab_array_from_host(&rows, LAB_FLOAT32, LAB_SHAPE(3), row));
    LAB_CHECK(lab_array_full(&all, LAB_BFLOAT16, LAB_SHAPE(2, 3), LAB_ARG(10)));
    LAB_CHECK(lab_array_empty(&out, LAB_FLOAT32, LAB_SHAPE(2, 3)));
    LAB_CHECK(lab_elementwise_create(&kernel, "T x, U y, bfloat16 a, float32 b", "V z",
                                     "z = max(x, 0.0f) * y * 2 + (x > a ? b : (float)a)", NULL));
    LAB_CHECK(lab_array_astype(&narrow_rows, rows, LAB_FLOAT16, NULL));
    LAB_CHECK(lab_elementwise_launch(kernel, NULL, LAB_ARGS(narrow_rows, all, 1.5, 7.0f, out)));
    LAB_CHECK(lab_array_get(out, back));
    for (int i = 0; i < 6; i++)
        cr_assert_eq(back[i], 20 * row[i % 3] + (row[i % 3] > 1.5f ? 7.0f : 1.5f), "element %d is %g", i,
                     (double)back[i]);
    cr_assert_eq(lab_elementwise_launch(kernel, NULL, LAB_ARGS(narrow_rows, all, all, 7.0f, rows)),
                 LAB_ERROR_INVALID_VALUE);
}

/* ---- reductions ---- */

/* CuPy, sum, prod, mean, dot: a float16's are computed in float32 and rounded once. */
Test(narrow_array, sums_are_rounded_once_at_the_end)
{
    for (int t = 0; t < 2; t++) {
        const lab_dtype dtype = TYPES[t];
        narrow_format format = narrow_format_of(dtype);
        lab_array *ones, *numbers, *out = empty(dtype, 1), *single = empty(LAB_FLOAT32, 1);
        LAB_CHECK(lab_array_ones(&ones, dtype, LAB_SHAPE(50000)));
        LAB_CHECK(lab_array_sum(out, ones, NULL));
        cr_assert_eq(value_of(out), narrow_value(&format, narrow_nearest(&format, 50000)), "%g", value_of(out));
        LAB_CHECK(lab_array_sum(single, ones, NULL));
        cr_assert_eq(value_of(single), 50000);
        LAB_CHECK(lab_array_mean(out, ones, NULL));
        cr_assert_eq(value_of(out), 1);
        LAB_CHECK(lab_array_dot(out, ones, ones, NULL));
        cr_assert_eq(value_of(out), narrow_value(&format, narrow_nearest(&format, 50000)));
        LAB_CHECK(lab_array_full(&numbers, dtype, LAB_SHAPE(6), LAB_ARG(7)));
        LAB_CHECK(lab_array_prod(out, numbers, NULL));
        cr_assert_eq(value_of(out), narrow_value(&format, narrow_nearest(&format, 117649)));
    }
}

/* CuPy, min and max: argmin, argmax, any, all, and their axis. */
Test(narrow_array, extremes_are_elements_and_axes_work)
{
    static const double values[12] = {3, -7, 0.5, 0, 2, 65504, -0x1p-24, 8, 8, 1, 0, 1};
    for (int t = 0; t < 2; t++) {
        const lab_dtype dtype = TYPES[t];
        lab_array *wide, *x, *one = empty(dtype, 1), *place = empty(LAB_INT64, 1), *truth = empty(LAB_UINT8, 1);
        lab_array *columns = empty(dtype, 4);
        uint16_t sums[4], not_a_number = 0x7fff;
        double back[4];
        LAB_CHECK(lab_array_from_host(&wide, LAB_FLOAT64, LAB_SHAPE(3, 4), values));
        LAB_CHECK(lab_array_astype(&x, wide, dtype, NULL));
        LAB_CHECK(lab_array_min(one, x, NULL));
        cr_assert_eq(value_of(one), -7);
        LAB_CHECK(lab_array_max(one, x, NULL));
        cr_assert_eq(value_of(one), dtype == LAB_FLOAT16 ? 65504 : 65536);
        LAB_CHECK(lab_array_argmax(place, x, NULL));
        cr_assert_eq(value_of(place), 5);
        LAB_CHECK(lab_array_all(truth, x, NULL));
        cr_assert_eq(value_of(truth), 0);
        LAB_CHECK(lab_array_sum_axis(columns, x, 0, NULL));
        LAB_CHECK(lab_array_get(columns, sums));
        LAB_CHECK(lab_cast_as_device(back, LAB_FLOAT64, sums, dtype, 4));
        cr_assert(back[0] == 13 && back[2] == 0.5 && back[3] == 9, "%g %g %g", back[0], back[2], back[3]);
        LAB_CHECK(lab_array_set_item(x, 9, &not_a_number));
        LAB_CHECK(lab_array_max(one, x, NULL));
        cr_assert(isnan(value_of(one)));
        LAB_CHECK(lab_array_argmin(place, x, NULL));
        cr_assert_eq(value_of(place), 9);
    }
}

/* CuPy, ReductionKernel: reduce_type. */
Test(narrow_array, a_reduction_of_ones_own_combines_float32)
{
    lab_reduction *norm;
    lab_array *x, *y = empty(LAB_FLOAT16, 1);
    LAB_CHECK(lab_array_ones(&x, LAB_FLOAT16, LAB_SHAPE(10000)));
    LAB_CHECK(lab_reduction_create(&norm, &(lab_reduction_source){.inputs = "T x",
                                                                  .outputs = "T y",
                                                                  .map = "x * x",
                                                                  .reduce = "a + b",
                                                                  .post_map = "y = sqrt(a)",
                                                                  .identity = "0"}));
    LAB_CHECK(lab_reduction_launch(norm, NULL, LAB_ARGS(x, y)));
    cr_assert_eq(value_of(y), 100);
    LAB_CHECK(lab_reduction_destroy(norm));
}

/* ---- expressions ---- */

static long double squared_difference(const narrow_format *format, long double x, long double y)
{
    const long double difference = narrow_value(format, narrow_nearest(format, x - y));
    const long double square = narrow_value(format, narrow_nearest(format, difference * difference));
    return square + narrow_value(format, narrow_nearest(format, 0.1L));
}

/* NumPy, Type promotion: every operation of a float16 gives a float16. */
Test(narrow_array, expressions_round_each_operation_alike_on_host_and_device)
{
    static uint16_t x[COUNT], y[COUNT], on_host[COUNT], on_device[COUNT];
    lab_expression *expression;
    LAB_CHECK(lab_expression_create(&expression, "x, y", "(x - y) * (x - y) + 0.1", NULL));
    for (int t = 0; t < 2; t++) {
        const lab_dtype dtype = TYPES[t];
        narrow_format format = narrow_format_of(dtype);
        fill_random(x, &format, 5 + (uint64_t)t), fill_random(y, &format, 99 + (uint64_t)t);
        lab_array *out = empty(dtype, COUNT);
        LAB_CHECK(lab_expression_apply(expression, NULL,
                                       LAB_ARGS(from_host(dtype, COUNT, x), from_host(dtype, COUNT, y), out)));
        LAB_CHECK(lab_array_get(out, on_device));
        LAB_CHECK(lab_expression_apply(expression, NULL,
                                       LAB_ARGS(LAB_HOST_ARRAY(x, dtype, LAB_SHAPE(COUNT)),
                                                LAB_HOST_ARRAY(y, dtype, LAB_SHAPE(COUNT)),
                                                LAB_HOST_ARRAY(on_host, dtype, LAB_SHAPE(COUNT)))));
        for (int i = 0; i < COUNT; i++) {
            const uint16_t expected = narrow_nearest(
                &format, squared_difference(&format, narrow_value(&format, x[i]), narrow_value(&format, y[i])));
            cr_assert(same(on_device[i], expected, &format) && same(on_host[i], expected, &format),
                      "%s %#x, %#x give %#x, not %#x (device) and %#x (host)", lab_dtype_name(dtype), x[i], y[i],
                      expected, on_device[i], on_host[i]);
        }
    }
}

/* CuPy, fuse: functions and reductions of a float16. */
Test(narrow_array, expressions_compute_functions_and_sums_in_float32)
{
    static uint16_t x[3000];
    uint16_t on_host, on_device;
    for (int t = 0; t < 2; t++) {
        const lab_dtype dtype = TYPES[t];
        narrow_format format = narrow_format_of(dtype);
        static const char *const texts[] = {"sqrt(sum(x * x))", "max(abs(x))", "sum(minimum(x, 0))", "prod(x) / 3"};
        const long double results[] = {sqrtl(narrow_value(&format, narrow_nearest(&format, 3000))), 1, -1500, 1.0L / 3};
        for (int i = 0; i < 3000; i++) x[i] = narrow_nearest(&format, i % 2 ? 1 : -1);
        lab_array *array = from_host(dtype, 3000, x), *out = empty(dtype, 1);
        for (int i = 0; i < 4; i++) {
            lab_expression *expression;
            LAB_CHECK(lab_expression_create(&expression, "x", texts[i], NULL));
            LAB_CHECK(lab_expression_apply(expression, NULL, LAB_ARGS(array, out)));
            LAB_CHECK(lab_array_get(out, &on_device));
            LAB_CHECK(lab_expression_apply(
                expression, NULL,
                LAB_ARGS(LAB_HOST_ARRAY(x, dtype, LAB_SHAPE(3000)), LAB_HOST_ARRAY(&on_host, dtype, LAB_SHAPE(1)))));
            cr_assert(on_device == narrow_nearest(&format, results[i]) && on_host == on_device,
                      "%s: %#x, host %#x, not %#x", texts[i], on_device, on_host, narrow_nearest(&format, results[i]));
            LAB_CHECK(lab_expression_destroy(expression));
        }
    }
}

/* ---- kernels ---- */

static lab_function get(const char *source, const char *name)
{
    lab_module *module;
    lab_function function;
    cr_assert_eq(lab_module_load_source(&module, source, NULL), LAB_SUCCESS, "%s", lab_error_message());
    LAB_CHECK(lab_module_get_function(&function, module, name));
    return function;
}

/* CUDA Math API, Half Precision Arithmetic: kernels take pointers to half and numbers of it. */
Test(narrow_array, kernels_take_arrays_and_numbers)
{
    static const char source[] =
        "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"
        "extern \"C\" __global__ void scale(half2 *pair, __half *x, half a, const __nv_bfloat16 *y)\n"
        "{\n"
        "    x[threadIdx.x] = __float2half(__half2float(x[threadIdx.x]) * __half2float(a) + (float)y[threadIdx.x]);\n"
        "    if (threadIdx.x == 0) pair[0] = __hadd2(pair[1], pair[1]);\n"
        "}\n";
    lab_function scale = get(source, "scale");
    lab_array *pairs, *x, *y;
    uint16_t three, back[32];
    LAB_CHECK(lab_cast_as_device(&three, LAB_FLOAT16, &(float){3}, LAB_FLOAT32, 1));
    LAB_CHECK(lab_array_arange(&pairs, LAB_FLOAT16, 4, LAB_ARG(0), LAB_ARG(1)));
    LAB_CHECK(lab_array_arange(&x, LAB_FLOAT16, 32, LAB_ARG(0), LAB_ARG(1)));
    LAB_CHECK(lab_array_full(&y, LAB_BFLOAT16, LAB_SHAPE(32), LAB_ARG(0.25)));
    LAB_CHECK(lab_launch(scale, LAB_DIM(1), LAB_DIM(32), 0, NULL, LAB_ARGS(pairs, x, LAB_BYTES(three), y)));
    LAB_CHECK(lab_array_get(x, back));
    narrow_format format = narrow_format_of(LAB_FLOAT16);
    for (int i = 0; i < 32; i++) cr_assert_eq(narrow_value(&format, back[i]), 3 * i + 0.25);
    cr_assert_eq(value_of(pairs), 4);
    cr_assert_eq(lab_launch(scale, LAB_DIM(1), LAB_DIM(32), 0, NULL, LAB_ARGS(pairs, y, LAB_BYTES(three), y)),
                 LAB_ERROR_INVALID_VALUE);
    cr_assert(strstr(lab_error_message(), "half") && strstr(lab_error_message(), "bfloat16"), "%s",
              lab_error_message());
}

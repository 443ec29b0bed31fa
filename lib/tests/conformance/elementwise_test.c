/* Elementwise kernels: parameters and types, numbers, raw parameters, broadcasting by NumPy's rules, overlapping
 * arrays, empty arrays, and invalid calls (CuPy, "User-Defined Kernels", "Elementwise kernels"). */
#include "gate.h"
#include "lab_trace.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static lab_elementwise *make(const char *inputs, const char *outputs, const char *body)
{
    lab_elementwise *kernel;
    LAB_CHECK(lab_elementwise_create(&kernel, inputs, outputs, body, "tested"));
    return kernel;
}

static lab_array *arange(lab_dtype dtype, size_t count)
{
    lab_array *array;
    LAB_CHECK(lab_array_arange(&array, dtype, count, LAB_ARG(0), LAB_ARG(1)));
    return array;
}

static lab_array *shaped(lab_dtype dtype, lab_shape shape)
{
    lab_array *array;
    LAB_CHECK(lab_array_zeros(&array, dtype, shape));
    return array;
}

/* The array's elements, until the next call. */
static const float *values_of(const lab_array *array)
{
    static float *host;
    host = realloc(host, lab_array_bytes(array));
    LAB_CHECK(lab_array_get(array, host));
    return host;
}

/* CuPy, ElementwiseKernel: parameters, raw, size, aliases. */
Test(elementwise, computes_every_element_once)
{
    static const size_t counts[] = {1, 2, 63, 64, 65, 8191, 8192, 8193, 100003, 1 << 20};
    lab_elementwise *kernel = make("T x, T y, float32 a", "T z", "z += (x - y) * (x - y) + a");
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        lab_array *x = arange(LAB_FLOAT32, counts[c]), *y, *z = shaped(LAB_FLOAT32, LAB_SHAPE(counts[c]));
        LAB_CHECK(lab_array_full(&y, LAB_FLOAT32, LAB_SHAPE(counts[c]), LAB_ARG(3)));
        LAB_CHECK(lab_elementwise_launch(kernel, NULL, LAB_ARGS(x, y, 0.5f, z)));
        const float *host = values_of(z);
        for (size_t i = 0; i < counts[c]; i++) {
            float d = (float)i - 3;
            cr_assert_float_eq(host[i], d * d + 0.5f, fabsf(host[i]) * 1e-6f, "element %zu of %zu", i, counts[c]);
        }
        LAB_CHECK(lab_array_destroy(x));
        LAB_CHECK(lab_array_destroy(y));
        LAB_CHECK(lab_array_destroy(z));
    }
    LAB_CHECK(lab_elementwise_destroy(kernel));
}

/* CuPy, ElementwiseKernel: parameters, raw, size, aliases. */
Test(elementwise, one_kernel_serves_several_types)
{
    lab_elementwise *kernel = make("T x, T y", "T z", "z = (x - y) * (x - y)");
    for (lab_dtype dtype = LAB_INT32; dtype <= LAB_FLOAT64; dtype += 2) {
        lab_array *x = arange(dtype, 100), *z = shaped(dtype, LAB_SHAPE(100));
        unsigned char last[8];
        double value;
        LAB_CHECK(lab_elementwise_launch(kernel, NULL, LAB_ARGS(x, 1, z)));
        LAB_CHECK(lab_array_get_item(z, 99, last));
        LAB_CHECK(lab_cast_as_device(&value, LAB_FLOAT64, last, dtype, 1));
        cr_assert_eq(value, 98.0 * 98.0, "%s", lab_dtype_name(dtype));
    }
}

/* CuPy, ElementwiseKernel: parameters, raw, size, aliases. */
Test(elementwise, sin_x_plus_cos_y_over_sqrt_z)
{
    lab_elementwise *kernel = make("T x, T y, T z", "T out", "out = sin(x) + cos(y) / sqrt(z)");
    lab_array *x = arange(LAB_FLOAT64, 10), *y, *z, *out = shaped(LAB_FLOAT64, LAB_SHAPE(10));
    double host[10];
    LAB_CHECK(lab_array_arange(&y, LAB_FLOAT64, 10, LAB_ARG(10), LAB_ARG(1)));
    LAB_CHECK(lab_array_arange(&z, LAB_FLOAT64, 10, LAB_ARG(20), LAB_ARG(1)));
    LAB_CHECK(lab_elementwise_launch(kernel, NULL, LAB_ARGS(x, y, z, out)));
    LAB_CHECK(lab_array_get(out, host));
    for (int i = 0; i < 10; i++) cr_assert_float_eq(host[i], sin(i) + cos(10 + i) / sqrt(20 + i), 1e-14);
}

/* CuPy, ElementwiseKernel: parameters, raw, size, aliases. */
Test(elementwise, index_and_count_are_known_to_the_body)
{
    lab_elementwise *kernel = make("", "float32 z", "z = i < n - 1 ? i : -n");
    lab_array *z = shaped(LAB_FLOAT32, LAB_SHAPE(100));
    LAB_CHECK(lab_elementwise_launch(kernel, NULL, LAB_ARGS(z)));
    const float *host = values_of(z);
    cr_assert(host[0] == 0 && host[98] == 98 && host[99] == -100);
}

/* CuPy, ElementwiseKernel: parameters, raw, size, aliases. */
Test(elementwise, an_output_that_is_not_assigned_keeps_its_value)
{
    lab_elementwise *kernel = make("float32 x", "float32 z", "if (x > 4) z = 1");
    lab_array *x = arange(LAB_FLOAT32, 10), *z;
    LAB_CHECK(lab_array_full(&z, LAB_FLOAT32, LAB_SHAPE(10), LAB_ARG(7)));
    LAB_CHECK(lab_elementwise_launch(kernel, NULL, LAB_ARGS(x, z)));
    const float *host = values_of(z);
    for (int i = 0; i < 10; i++) cr_assert_eq(host[i], i > 4 ? 1.0f : 7.0f);
}

/* CuPy, ElementwiseKernel: parameters, raw, size, aliases. */
Test(elementwise, several_outputs_of_different_types)
{
    lab_elementwise *kernel = make("float32 x", "int32 whole, float32 rest", "whole = (int)x; rest = x - whole");
    lab_array *x, *whole = shaped(LAB_INT32, LAB_SHAPE(10)), *rest = shaped(LAB_FLOAT32, LAB_SHAPE(10));
    int wholes[10];
    LAB_CHECK(lab_array_arange(&x, LAB_FLOAT32, 10, LAB_ARG(0.25), LAB_ARG(1.5)));
    LAB_CHECK(lab_elementwise_launch(kernel, NULL, LAB_ARGS(x, whole, rest)));
    LAB_CHECK(lab_array_get(whole, wholes));
    const float *rests = values_of(rest);
    for (int i = 0; i < 10; i++) cr_assert_eq((float)wholes[i] + rests[i], 0.25f + 1.5f * (float)i);
}

/* CuPy, ElementwiseKernel: parameters, raw, size, aliases. */
Test(elementwise, raw_parameters_are_indexed_by_the_body)
{
    lab_elementwise *kernel = make("raw T x, float32 scale", "T z", "z = x[n - 1 - i] * scale");
    lab_array *x = arange(LAB_FLOAT32, 50), *z = shaped(LAB_FLOAT32, LAB_SHAPE(50));
    LAB_CHECK(lab_elementwise_launch(kernel, NULL, LAB_ARGS(x, 2, z)));
    const float *host = values_of(z);
    for (int i = 0; i < 50; i++) cr_assert_eq(host[i], 2.0f * (float)(49 - i));
}

/* CuPy, ElementwiseKernel: parameters, raw, size, aliases. */
Test(elementwise, all_raw_needs_a_size)
{
    lab_elementwise *kernel = make("raw float32 x", "raw float32 z", "z[2 * i] = x[i]");
    lab_array *x = arange(LAB_FLOAT32, 20), *z = shaped(LAB_FLOAT32, LAB_SHAPE(20));
    cr_assert_eq(lab_elementwise_launch(kernel, NULL, LAB_ARGS(x, z)), LAB_ERROR_INVALID_VALUE);
    cr_assert_not_null(strstr(lab_error_message(), "size"), "%s", lab_error_message());
    LAB_CHECK(lab_elementwise_launch_sized(kernel, 10, NULL, LAB_ARGS(x, z)));
    const float *host = values_of(z);
    for (int i = 0; i < 20; i++) cr_assert_eq(host[i], i % 2 ? 0.0f : (float)(i / 2));
    cr_assert_eq(lab_elementwise_launch_sized(kernel, SIZE_MAX, NULL, LAB_ARGS(x, z)), LAB_ERROR_INVALID_VALUE);
    LAB_CHECK(lab_elementwise_launch_sized(kernel, 0, NULL, LAB_ARGS(x, z)));
}

/* CuPy, ElementwiseKernel: parameters, raw, size, aliases. */
Test(elementwise, a_size_beside_an_array_that_has_one_is_refused)
{
    lab_elementwise *kernel = make("float32 x", "raw float32 z", "z[i] = x");
    lab_array *x = arange(LAB_FLOAT32, 20), *z = shaped(LAB_FLOAT32, LAB_SHAPE(20));
    cr_assert_eq(lab_elementwise_launch_sized(kernel, 10, NULL, LAB_ARGS(x, z)), LAB_ERROR_INVALID_VALUE);
    LAB_CHECK(lab_elementwise_launch(kernel, NULL, LAB_ARGS(x, z)));
    cr_assert_eq(values_of(z)[19], 19.0f);
}

/* ---- broadcasting ---- */

static lab_array *arange_shaped(lab_shape shape)
{
    size_t count = 1;
    for (int i = 0; i < shape.dimensions; i++) count *= shape.size[i];
    lab_array *line = arange(LAB_FLOAT32, count), *array;
    LAB_CHECK(lab_array_reshape(&array, line, shape));
    LAB_CHECK(lab_array_destroy(line));
    return array;
}

/* The element of an array of this shape that NumPy's rules pair with an index of the whole shape. */
static float paired(lab_shape shape, lab_shape whole, size_t index)
{
    size_t at = 0, step = 1;
    for (int i = 0; i < whole.dimensions; i++) {
        size_t of_whole = whole.size[whole.dimensions - 1 - i];
        size_t size = i < shape.dimensions ? shape.size[shape.dimensions - 1 - i] : 1;
        if (size > 1) at += index % of_whole * step;
        step *= size;
        index /= of_whole;
    }
    return (float)at;
}

static void check_broadcast(lab_elementwise *kernel, lab_shape a, lab_shape b, lab_shape whole)
{
    lab_array *x = arange_shaped(a), *y = arange_shaped(b), *z = shaped(LAB_FLOAT32, whole);
    cr_assert_eq(lab_elementwise_launch(kernel, NULL, LAB_ARGS(x, y, z)), LAB_SUCCESS, "%s", lab_error_message());
    const float *host = values_of(z);
    for (size_t i = 0; i < lab_array_count(z); i++)
        cr_assert_eq(host[i], 1000 * paired(a, whole, i) + paired(b, whole, i), "element %zu is %g", i, host[i]);
    LAB_CHECK(lab_array_destroy(x));
    LAB_CHECK(lab_array_destroy(y));
    LAB_CHECK(lab_array_destroy(z));
}

/* NumPy, Broadcasting: dimensions from the last. */
Test(elementwise, shapes_broadcast_by_numpys_rules)
{
    lab_elementwise *kernel = make("float32 x, float32 y", "float32 z", "z = 1000 * x + y");
    check_broadcast(kernel, LAB_SHAPE(5, 7), LAB_SHAPE(7), LAB_SHAPE(5, 7));
    check_broadcast(kernel, LAB_SHAPE(5, 1), LAB_SHAPE(1, 7), LAB_SHAPE(5, 7));
    check_broadcast(kernel, LAB_SHAPE(5, 1), LAB_SHAPE(5, 7), LAB_SHAPE(5, 7));
    check_broadcast(kernel, LAB_SHAPE(1), LAB_SHAPE(5, 7), LAB_SHAPE(5, 7));
    check_broadcast(kernel, LAB_SHAPE(5, 7), LAB_SHAPE(1, 5, 7), LAB_SHAPE(1, 5, 7));
    check_broadcast(kernel, LAB_SHAPE(3, 1, 5, 1), LAB_SHAPE(4, 1, 6), LAB_SHAPE(3, 4, 5, 6));
    check_broadcast(kernel, LAB_SHAPE(3, 1, 1, 6), LAB_SHAPE(1, 4, 5, 1), LAB_SHAPE(3, 4, 5, 6));
    check_broadcast(kernel, LAB_SHAPE(3, 1, 5, 6), LAB_SHAPE(3, 4, 1, 1), LAB_SHAPE(3, 4, 5, 6));
    check_broadcast(kernel, LAB_SHAPE(300, 1), LAB_SHAPE(1, 500), LAB_SHAPE(300, 500));
    check_broadcast(kernel, LAB_SHAPE(2, 1, 40000), LAB_SHAPE(3, 1), LAB_SHAPE(2, 3, 40000));
    check_broadcast(kernel, LAB_SHAPE(1, 1), LAB_SHAPE(1), LAB_SHAPE(4, 3));
    LAB_CHECK(lab_elementwise_destroy(kernel));
}

/* NumPy, Broadcasting: dimensions from the last. */
Test(elementwise, shapes_that_do_not_broadcast_are_refused_by_name)
{
    lab_elementwise *kernel = make("float32 x, float32 y", "float32 z", "z = x + y");
    lab_array *x = arange_shaped(LAB_SHAPE(3, 4)), *y = arange_shaped(LAB_SHAPE(3)),
              *z = shaped(LAB_FLOAT32, LAB_SHAPE(3, 4));
    cr_assert_eq(lab_elementwise_launch(kernel, NULL, LAB_ARGS(x, y, z)), LAB_ERROR_INVALID_VALUE);
    const char *message = lab_error_message();
    cr_assert(strstr(message, "'tested'") && strstr(message, "'y'") && strstr(message, "(3)") &&
                  strstr(message, "(3, 4)"),
              "%s", message);
    lab_array *small = shaped(LAB_FLOAT32, LAB_SHAPE(1, 4));
    cr_assert_eq(lab_elementwise_launch(kernel, NULL, LAB_ARGS(x, x, small)), LAB_ERROR_INVALID_VALUE,
                 "an output is not broadcast");
}

/* lab.h, Elementwise kernels: invalid arguments are refused. */
Test(elementwise, outputs_of_different_shapes_are_refused)
{
    lab_elementwise *kernel = make("float32 x", "float32 y, float32 z", "y = z = x");
    lab_array *x = arange(LAB_FLOAT32, 4), *y = shaped(LAB_FLOAT32, LAB_SHAPE(4)),
              *z = shaped(LAB_FLOAT32, LAB_SHAPE(2, 2));
    cr_assert_eq(lab_elementwise_launch(kernel, NULL, LAB_ARGS(x, y, z)), LAB_ERROR_INVALID_VALUE);
    cr_assert_not_null(strstr(lab_error_message(), "'z'"), "%s", lab_error_message());
}

/* CuPy, ElementwiseKernel: parameters, raw, size, aliases. */
Test(elementwise, empty_arrays_launch_nothing)
{
    lab_elementwise *kernel = make("float32 x, float32 y", "float32 z", "this does not compile");
    lab_array *x = shaped(LAB_FLOAT32, LAB_SHAPE(0, 3)), *y = arange(LAB_FLOAT32, 3),
              *z = shaped(LAB_FLOAT32, LAB_SHAPE(0, 3));
    cr_assert_eq(lab_elementwise_launch(kernel, NULL, LAB_ARGS(x, y, z)), LAB_SUCCESS, "%s", lab_error_message());
}

/* ---- arrays that overlap ---- */

/* CuPy, ElementwiseKernel: parameters, raw, size, aliases. */
Test(elementwise, input_and_output_may_be_the_same_array)
{
    enum { COUNT = 100000 };
    lab_elementwise *kernel = make("float32 x, float32 y", "float32 z", "z = x + 2 * y");
    lab_array *x = arange(LAB_FLOAT32, COUNT);
    LAB_CHECK(lab_elementwise_launch(kernel, NULL, LAB_ARGS(x, x, x)));
    const float *host = values_of(x);
    for (int i = 0; i < COUNT; i++) cr_assert_eq(host[i], 3.0f * (float)i);
}

/* CuPy, ElementwiseKernel: parameters, raw, size, aliases. */
Test(elementwise, an_input_that_the_output_overlaps_elsewhere_is_read_as_it_was)
{
    enum { COUNT = 100000 };
    lab_elementwise *kernel = make("float32 x", "float32 z", "z = x");
    for (int back = 0; back < 2; back++) {
        lab_array *all = arange(LAB_FLOAT32, COUNT + 1), *first, *second;
        LAB_CHECK(lab_array_slice(&first, all, 0, COUNT));
        LAB_CHECK(lab_array_slice(&second, all, 1, COUNT));
        if (back)
            LAB_CHECK(lab_elementwise_launch(kernel, NULL, LAB_ARGS(second, first)));
        else
            LAB_CHECK(lab_elementwise_launch(kernel, NULL, LAB_ARGS(first, second)));
        const float *host = values_of(all);
        for (int i = 0; i < COUNT; i++) cr_assert_eq(host[i + !back], (float)(i + back), "element %d", i);
    }
}

/* CuPy, ElementwiseKernel: parameters, raw, size, aliases. */
Test(elementwise, a_raw_input_that_is_also_the_output_is_read_as_it_was)
{
    enum { COUNT = 100000 };
    lab_elementwise *kernel = make("raw float32 x", "float32 z", "z = x[n - 1 - i]");
    lab_array *x = arange(LAB_FLOAT32, COUNT);
    for (int round = 0; round < 3; round++) LAB_CHECK(lab_elementwise_launch(kernel, NULL, LAB_ARGS(x, x)));
    const float *host = values_of(x);
    for (int i = 0; i < COUNT; i++) cr_assert_eq(host[i], (float)(COUNT - 1 - i));
}

/* CuPy, ElementwiseKernel: parameters, raw, size, aliases. */
Test(elementwise, a_row_of_the_output_broadcast_to_it_is_read_as_it_was)
{
    lab_elementwise *kernel = make("float32 row, float32 x", "float32 z", "z = x - row");
    lab_array *x = arange_shaped(LAB_SHAPE(100, 300)), *row;
    LAB_CHECK(lab_array_slice(&row, x, 0, 1));
    LAB_CHECK(lab_elementwise_launch(kernel, NULL, LAB_ARGS(row, x, x)));
    const float *host = values_of(x);
    for (int i = 0; i < 100 * 300; i++) cr_assert_eq(host[i], (float)(i / 300 * 300));
}

/* lab.h, Elementwise kernels: invalid arguments are refused. */
Test(elementwise, outputs_that_overlap_are_refused)
{
    lab_elementwise *kernel = make("float32 x", "float32 y, float32 z", "y = z = x");
    lab_array *x = arange(LAB_FLOAT32, 4);
    cr_assert_eq(lab_elementwise_launch(kernel, NULL, LAB_ARGS(x, x, x)), LAB_ERROR_INVALID_VALUE);
    cr_assert_not_null(strstr(lab_error_message(), "overlaps"), "%s", lab_error_message());
}

/* ---- types ---- */

/* CuPy, ElementwiseKernel: parameters, raw, size, aliases. */
Test(elementwise, one_letter_is_one_type)
{
    lab_elementwise *kernel = make("T x, T y", "T z", "z = x + y");
    lab_array *x = arange(LAB_FLOAT32, 4), *y = arange(LAB_INT32, 4), *z = shaped(LAB_FLOAT32, LAB_SHAPE(4));
    cr_assert_eq(lab_elementwise_launch(kernel, NULL, LAB_ARGS(x, y, z)), LAB_ERROR_INVALID_VALUE);
    const char *message = lab_error_message();
    cr_assert(strstr(message, "'y'") && strstr(message, "T") && strstr(message, "float32") && strstr(message, "int32"),
              "%s", message);
}

/* lab.h, Elementwise kernels: invalid arguments are refused. */
Test(elementwise, a_typed_parameter_takes_no_other_array)
{
    lab_elementwise *kernel = make("float32 x", "float32 z", "z = x");
    lab_array *x = arange(LAB_FLOAT64, 4), *z = shaped(LAB_FLOAT32, LAB_SHAPE(4));
    cr_assert_eq(lab_elementwise_launch(kernel, NULL, LAB_ARGS(x, z)), LAB_ERROR_INVALID_VALUE);
    cr_assert_not_null(strstr(lab_error_message(), "float64"), "%s", lab_error_message());
}

/* lab.h, Elementwise kernels: invalid arguments are refused. */
Test(elementwise, numbers_become_the_parameters_type_or_are_refused)
{
    lab_elementwise *bytes = make("uint8 a", "uint8 z", "z = a"), *floats = make("float32 a", "float32 z", "z = a");
    lab_elementwise *any = make("T a", "float32 z", "z = a");
    lab_array *z = shaped(LAB_UINT8, LAB_SHAPE(4)), *f = shaped(LAB_FLOAT32, LAB_SHAPE(4));
    cr_assert_eq(lab_elementwise_launch(bytes, NULL, LAB_ARGS(255, z)), LAB_SUCCESS);
    cr_assert_eq(lab_elementwise_launch(bytes, NULL, LAB_ARGS(256, z)), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_elementwise_launch(bytes, NULL, LAB_ARGS(-1, z)), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_elementwise_launch(bytes, NULL, LAB_ARGS(1.0f, z)), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_elementwise_launch(floats, NULL, LAB_ARGS(-7, f)), LAB_SUCCESS);
    cr_assert_eq(values_of(f)[3], -7.0f);
    cr_assert_eq(lab_elementwise_launch(floats, NULL, LAB_ARGS(0.1, f)), LAB_SUCCESS);
    cr_assert_eq(values_of(f)[3], 0.1f);
    cr_assert_eq(lab_elementwise_launch(floats, NULL, LAB_ARGS(lab_array_data(f), f)), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_elementwise_launch(any, NULL, LAB_ARGS(1, f)), LAB_ERROR_INVALID_VALUE);
    cr_assert_not_null(strstr(lab_error_message(), "determines"), "%s", lab_error_message());
    cr_assert_eq(lab_elementwise_launch(floats, NULL, LAB_ARGS(1.0f, 2.0f)), LAB_ERROR_INVALID_VALUE,
                 "an output is an array");
}

/* CuPy, ElementwiseKernel: parameters, raw, size, aliases. */
Test(elementwise, the_letter_is_a_type_in_the_body)
{
    lab_elementwise *kernel = make("T x", "U z", "z = (U)(T)(x * 2)");
    lab_array *x, *z = shaped(LAB_FLOAT32, LAB_SHAPE(1));
    LAB_CHECK(lab_array_full(&x, LAB_UINT8, LAB_SHAPE(1), LAB_ARG(200)));
    LAB_CHECK(lab_elementwise_launch(kernel, NULL, LAB_ARGS(x, z)));
    cr_assert_eq(values_of(z)[0], 144.0f);
}

/* ---- misuse ---- */

/* lab.h, Elementwise kernels: invalid arguments are refused. */
Test(elementwise, malformed_parameters_are_refused_by_name)
{
    static const char *const lists[] = {"x",   "T",   "T x y",   "T x,",     ",T x",  "float x",     "T 2x",    "T i",
                                        "T n", "n x", "T lab_x", "T x, T x", "raw x", "raw raw T x", "float8 x"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        lab_elementwise *kernel = (lab_elementwise *)&kernel;
        cr_assert_eq(lab_elementwise_create(&kernel, lists[i], "T z", "z = x", "named"), LAB_ERROR_INVALID_VALUE,
                     "\"%s\"", lists[i]);
        cr_assert_null(kernel);
        cr_assert_not_null(strstr(lab_error_message(), "'named'"), "%s", lab_error_message());
    }
    lab_elementwise *kernel;
    cr_assert_eq(lab_elementwise_create(&kernel, "T x", "", "x", NULL), LAB_ERROR_INVALID_VALUE, "no output");
    cr_assert_eq(lab_elementwise_create(&kernel, "T x", "T z", "z = x", "two words"), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_elementwise_create(&kernel, "T x", "T z", "z = x", ""), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_elementwise_create(&kernel, "T a,T b,T c,T d,T e,T f,T g,T h,T j,T k,T l,T m,T o,T p,T q,T r",
                                        "T z", "z = a", NULL),
                 LAB_ERROR_NOT_SUPPORTED);
}

/* lab.h, Elementwise kernels: invalid arguments are refused. */
Test(elementwise, a_body_that_does_not_compile_names_its_own_line)
{
    lab_elementwise *kernel = make("float32 x", "float32 z", "float y = x;\nz = why");
    lab_array *x = arange(LAB_FLOAT32, 4), *z = shaped(LAB_FLOAT32, LAB_SHAPE(4));
    cr_assert_eq(lab_elementwise_launch(kernel, NULL, LAB_ARGS(x, z)), LAB_ERROR_INVALID_SOURCE);
    cr_assert(strstr(lab_error_message(), "tested:2:") && strstr(lab_error_message(), "why"), "%s",
              lab_error_message());
    cr_assert_eq(lab_elementwise_launch(kernel, NULL, LAB_ARGS(x, z)), LAB_ERROR_INVALID_SOURCE, "and again");
}

/* lab.h, Elementwise kernels: invalid arguments are refused. */
Test(elementwise, wrong_number_of_arguments_is_refused)
{
    lab_elementwise *kernel = make("float32 x", "float32 z", "z = x");
    lab_array *x = arange(LAB_FLOAT32, 4);
    cr_assert_eq(lab_elementwise_launch(kernel, NULL, LAB_ARGS(x)), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_elementwise_launch(kernel, NULL, LAB_NO_ARGS), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_elementwise_launch(kernel, NULL, LAB_ARGS(x, x, x)), LAB_ERROR_INVALID_VALUE);
}

/* lab.h, Elementwise kernels: invalid arguments are refused. */
Test(elementwise, what_was_destroyed_is_refused)
{
    lab_elementwise *kernel = make("float32 x", "float32 z", "z = x");
    lab_array *x = arange(LAB_FLOAT32, 4), *gone = arange(LAB_FLOAT32, 4);
    LAB_CHECK(lab_array_destroy(gone));
    cr_assert_eq(lab_elementwise_launch(kernel, NULL, LAB_ARGS(gone, x)), LAB_ERROR_INVALID_HANDLE);
    cr_assert_not_null(strstr(lab_error_message(), "'x'"), "%s", lab_error_message());
    cr_assert_eq(lab_elementwise_launch(kernel, NULL, LAB_ARGS(x, (lab_array *)NULL)), LAB_ERROR_INVALID_HANDLE);
    lab_stream *stream;
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_DEFAULT));
    LAB_CHECK(lab_stream_destroy(stream));
    cr_assert_eq(lab_elementwise_launch(kernel, stream, LAB_ARGS(x, x)), LAB_ERROR_INVALID_HANDLE);
    LAB_CHECK(lab_elementwise_destroy(kernel));
    cr_assert_eq(lab_elementwise_launch(kernel, NULL, LAB_ARGS(x, x)), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_elementwise_launch_sized(kernel, 1, NULL, LAB_ARGS(x, x)), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_elementwise_destroy(kernel), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_elementwise_destroy(NULL), LAB_SUCCESS);
}

/* lab.h, Elementwise kernels: invalid arguments are refused. */
Test(elementwise, no_strings_and_no_out_are_refused)
{
    lab_elementwise *kernel;
    cr_assert_eq(lab_elementwise_create(NULL, "T x", "T z", "z = x", NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_elementwise_create(&kernel, NULL, "T z", "z = x", NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_elementwise_create(&kernel, "T x", NULL, "z = x", NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_elementwise_create(&kernel, "T x", "T z", NULL, NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_null(kernel);
}

/* ---- order and record ---- */

/* CUDA C++ Programming Guide, Streams: in order within one, none between two. */
Test(elementwise, runs_in_the_order_of_its_stream)
{
    gate closed = GATE_CLOSED;
    lab_stream *stream;
    lab_elementwise *kernel = make("float32 x", "float32 z", "z = 2 * x + 1");
    lab_array *z = shaped(LAB_FLOAT32, LAB_SHAPE(1000));
    LAB_CHECK(lab_elementwise_launch(kernel, NULL, LAB_ARGS(z, z)));
    LAB_CHECK(lab_device_synchronize());
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    gate_close_stream(&closed, stream);
    for (int i = 0; i < 9; i++) LAB_CHECK(lab_elementwise_launch(kernel, stream, LAB_ARGS(z, z)));
    cr_assert_eq(lab_stream_query(stream), LAB_ERROR_NOT_READY);
    gate_open(&closed);
    LAB_CHECK(lab_stream_synchronize(stream));
    cr_assert_eq(values_of(z)[999], 1023.0f);
}

/* CUDA C++ Programming Guide, Streams: in order within one, none between two. */
Test(elementwise, a_launch_is_recorded_as_a_kernel_of_its_name_and_line)
{
    lab_trace *trace;
    lab_elementwise *kernel = make("float32 x", "float32 z", "z = x + 41");
    lab_array *x = arange(LAB_FLOAT32, 100), *z = shaped(LAB_FLOAT32, LAB_SHAPE(100));
    LAB_CHECK(lab_trace_begin());
    LAB_CHECK(lab_elementwise_launch(kernel, NULL, LAB_ARGS(x, z)));
    int line = __LINE__ - 1;
    LAB_CHECK(lab_trace_end(&trace));
    const lab_trace_op *op = NULL;
    for (size_t i = 0; i < trace->ops; i++)
        if (trace->op[i].kind == LAB_OP_KERNEL) op = &trace->op[i];
    cr_assert_not_null(op);
    cr_assert_str_eq(op->name, "tested");
    cr_assert_eq(op->line, line);
    cr_assert_eq(op->accesses, 2);
    cr_assert(op->access[0].address == lab_array_data(x) && !op->access[0].writes);
    cr_assert(op->access[1].address == lab_array_data(z) && op->access[1].writes && op->access[1].bytes == 400);
    lab_trace_free(trace);
}

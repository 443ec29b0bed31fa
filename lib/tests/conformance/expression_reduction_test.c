/* Expressions that reduce to one value: one kernel computes every element and combines them, and host data give the
 * same answers as device data (CuPy, "Kernel Fusion": fuse with a reduction; NumPy: sum, prod, min, max). */
#include "test.h"
#include "test_arrays.h"

#include "lab.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static lab_expression *make(const char *inputs, const char *text)
{
    lab_expression *made;
    cr_assert_eq(lab_expression_create(&made, inputs, text, "tested"), LAB_SUCCESS, "%s", lab_error_message());
    return made;
}

/* The bits of the expression's one element, which host data and device data must give alike. */
static void apply_on_both(void *result, const char *text, lab_dtype dtype, lab_dtype result_dtype, size_t count,
                          const void *host)
{
    lab_expression *expression = make("x", text);
    lab_dtype found;
    unsigned char on_device[8] = {0};
    lab_array *x = from_host(dtype, count, host), *out = empty(result_dtype, 1);
    LAB_CHECK(lab_expression_dtype(&found, expression, LAB_ARGS(x)));
    cr_assert_eq(found, result_dtype, "%s of %s gives %s", text, lab_dtype_name(dtype), lab_dtype_name(found));
    cr_assert_eq(lab_expression_apply(expression, NULL, LAB_ARGS(x, out)), LAB_SUCCESS, "%s", lab_error_message());
    LAB_CHECK(lab_array_get_item(out, 0, on_device));
    cr_assert_eq(lab_expression_apply(expression, NULL,
                                      LAB_ARGS(LAB_HOST_ARRAY((void *)(uintptr_t)host, dtype, LAB_SHAPE(count)),
                                               LAB_HOST_ARRAY(result, result_dtype, LAB_SHAPE(1)))),
                 LAB_SUCCESS, "%s", lab_error_message());
    cr_assert_arr_eq(on_device, result, lab_dtype_size(result_dtype), "%s of %zu %s", text, count,
                     lab_dtype_name(dtype));
    LAB_CHECK(lab_array_destroy(x));
    LAB_CHECK(lab_array_destroy(out));
    LAB_CHECK(lab_expression_destroy(expression));
}

/* CuPy, fuse: a chain that ends in a reduction. */
Test(expression_reduction, a_chain_and_its_sum_are_one_kernel)
{
    enum { COUNT = 100003 };
    int32_t *x = malloc(COUNT * sizeof *x), *y = malloc(COUNT * sizeof *y);
    int64_t expected = 0, on_host, on_device;
    for (int i = 0; i < COUNT; i++) x[i] = i % 1000, y[i] = 7 - i % 13, expected += x[i] * y[i] + 1;
    lab_expression *dot = make("x, y", "sum(x * y + 1)");
    lab_array *device_x = from_host(LAB_INT32, COUNT, x), *device_y = from_host(LAB_INT32, COUNT, y);
    lab_array *out = empty(LAB_INT64, 1);
    lab_stream *stream;
    lab_graph *graph;
    const lab_graph_node *node;
    int nodes;
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_stream_begin_capture(stream, LAB_CAPTURE_RELAXED));
    LAB_CHECK(lab_expression_apply(dot, stream, LAB_ARGS(device_x, device_y, out)));
    LAB_CHECK(lab_stream_end_capture(&graph, stream));
    LAB_CHECK(lab_graph_get_nodes(&node, &nodes, graph));
    cr_assert(nodes == 1 && node[0].kind == LAB_NODE_KERNEL);
    LAB_CHECK(lab_expression_apply(dot, NULL, LAB_ARGS(device_x, device_y, out)));
    LAB_CHECK(lab_array_get_item(out, 0, &on_device));
    cr_assert_eq(on_device, expected);
    LAB_CHECK(lab_expression_apply(dot, NULL,
                                   LAB_ARGS(LAB_HOST_ARRAY(x, LAB_INT32, LAB_SHAPE(COUNT)),
                                            LAB_HOST_ARRAY(y, LAB_INT32, LAB_SHAPE(COUNT)),
                                            LAB_HOST_ARRAY(&on_host, LAB_INT64, LAB_SHAPE(1)))));
    cr_assert_eq(on_host, expected);
    free(x);
    free(y);
}

/* CuPy, fuse: a chain that ends in a reduction. */
Test(expression_reduction, sums_have_the_same_bits_on_host_and_device)
{
    enum { MOST = 50000 };
    static const size_t counts[] = {1,   2,   3,   100, 127,  128,   129,   200, 255,
                                    256, 257, 300, 384, 1000, 16384, 16385, MOST};
    static float host[MOST];
    lab_array *random, *x, *y = empty(LAB_FLOAT32, 1);
    LAB_CHECK(lab_array_random_normal(&random, LAB_FLOAT32, LAB_SHAPE(MOST), 1, 100, 5));
    LAB_CHECK(lab_array_get(random, host));
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        float sum, of_array;
        apply_on_both(&sum, "sum(x)", LAB_FLOAT32, LAB_FLOAT32, counts[i], host);
        LAB_CHECK(lab_array_slice(&x, random, 0, counts[i]));
        LAB_CHECK(lab_array_sum(y, x, NULL));
        LAB_CHECK(lab_array_get_item(y, 0, &of_array));
        cr_assert_eq(sum, of_array, "%zu elements: as lab_array_sum", counts[i]);
    }
}

/* CuPy, fuse: a chain that ends in a reduction. */
Test(expression_reduction, operations_may_follow_it)
{
    static const double host[] = {3, 4, 12};
    double result;
    apply_on_both(&result, "1 + sqrt(sum(x * x)) / 2", LAB_FLOAT64, LAB_FLOAT64, 3, host);
    cr_assert_eq(result, 7.5);
    static const int8_t small[] = {100, 100, 100};
    apply_on_both(&result, "sum(x) / 3", LAB_INT8, LAB_FLOAT64, 3, small);
    cr_assert_eq(result, 100.0);
}

/* CuPy, fuse: a chain that ends in a reduction. */
Test(expression_reduction, types_are_numpys)
{
    static const int8_t minus[] = {-100, -100, 3};
    static const uint16_t plus[] = {60000, 60000, 2};
    int64_t wide;
    uint64_t wide_unsigned;
    int8_t least;
    uint16_t most;
    apply_on_both(&wide, "sum(x)", LAB_INT8, LAB_INT64, 3, minus);
    cr_assert_eq(wide, -197);
    apply_on_both(&wide, "prod(x)", LAB_INT8, LAB_INT64, 3, minus);
    cr_assert_eq(wide, 30000);
    apply_on_both(&wide_unsigned, "prod(x)", LAB_UINT16, LAB_UINT64, 3, plus);
    cr_assert_eq(wide_unsigned, 7200000000u);
    apply_on_both(&least, "min(x)", LAB_INT8, LAB_INT8, 3, minus);
    cr_assert_eq(least, -100);
    apply_on_both(&most, "max(x)", LAB_UINT16, LAB_UINT16, 3, plus);
    cr_assert_eq(most, 60000);
}

/* CuPy, fuse: a chain that ends in a reduction. */
Test(expression_reduction, sums_of_integers_wrap)
{
    static const int64_t host[] = {INT64_MAX, 1, 1};
    int64_t result;
    apply_on_both(&result, "sum(x)", LAB_INT64, LAB_INT64, 3, host);
    cr_assert_eq(result, INT64_MIN + 1);
    apply_on_both(&result, "prod(x + 1)", LAB_INT64, LAB_INT64, 1, host);
    cr_assert_eq(result, INT64_MIN);
}

/* CuPy, fuse: a chain that ends in a reduction. */
Test(expression_reduction, min_and_max_give_nan_if_a_value_is)
{
    static double host[1000];
    double result;
    for (int i = 0; i < 1000; i++) host[i] = i - 500;
    apply_on_both(&result, "min(x * 2)", LAB_FLOAT64, LAB_FLOAT64, 1000, host);
    cr_assert_eq(result, -1000.0);
    static const int places[] = {0, 5, 700, 999};
    for (int i = 0; i < 4; i++) {
        double kept = host[places[i]], on_host, on_device;
        host[places[i]] = NAN;
        lab_array *x = from_host(LAB_FLOAT64, 1000, host), *out = empty(LAB_FLOAT64, 1);
        lab_expression *most = make("x", "max(x)");
        LAB_CHECK(lab_expression_apply(most, NULL, LAB_ARGS(x, out)));
        LAB_CHECK(lab_array_get_item(out, 0, &on_device));
        LAB_CHECK(lab_expression_apply(most, NULL,
                                       LAB_ARGS(LAB_HOST_ARRAY(host, LAB_FLOAT64, LAB_SHAPE(1000)),
                                                LAB_HOST_ARRAY(&on_host, LAB_FLOAT64, LAB_SHAPE(1)))));
        cr_assert(isnan(on_host) && isnan(on_device), "NaN at %d", places[i]);
        host[places[i]] = kept;
    }
}

/* CuPy, fuse: a chain that ends in a reduction. */
Test(expression_reduction, of_nothing_is_the_identity_or_refused)
{
    static const float none[1];
    float result;
    apply_on_both(&result, "sum(x) + 3", LAB_FLOAT32, LAB_FLOAT32, 0, none);
    cr_assert_eq(result, 3.0f);
    apply_on_both(&result, "prod(x)", LAB_FLOAT32, LAB_FLOAT32, 0, none);
    cr_assert_eq(result, 1.0f);
    lab_expression *least = make("x", "min(x)");
    cr_assert_eq(lab_expression_apply(least, NULL, LAB_ARGS(empty(LAB_FLOAT32, 0), empty(LAB_FLOAT32, 1))),
                 LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_expression_apply(least, NULL,
                                      LAB_ARGS(LAB_HOST_ARRAY(NULL, LAB_FLOAT32, LAB_SHAPE(0)),
                                               LAB_HOST_ARRAY(&result, LAB_FLOAT32, LAB_SHAPE(1)))),
                 LAB_ERROR_INVALID_VALUE);
}

/* CuPy, fuse: a chain that ends in a reduction. */
Test(expression_reduction, numbers_and_single_elements_stand_for_all)
{
    static const float host[] = {1, 2, 3, 4};
    float addend = 10, on_host, on_device;
    lab_expression *expression =
        make("a, b, n1", "sum(a * b + n1)"); /* inputs may have the names of the combined values */
    lab_array *x = from_host(LAB_FLOAT32, 4, host), *scale = from_host(LAB_FLOAT32, 1, &addend),
              *out = empty(LAB_FLOAT32, 1);
    LAB_CHECK(lab_expression_apply(expression, NULL, LAB_ARGS(x, scale, 0.5f, out)));
    LAB_CHECK(lab_array_get_item(out, 0, &on_device));
    LAB_CHECK(lab_expression_apply(expression, NULL,
                                   LAB_ARGS(LAB_HOST_ARRAY((void *)(uintptr_t)host, LAB_FLOAT32, LAB_SHAPE(4)),
                                            LAB_HOST_ARRAY(&addend, LAB_FLOAT32, LAB_SHAPE(1)), 0.5f,
                                            LAB_HOST_ARRAY(&on_host, LAB_FLOAT32, LAB_SHAPE(1)))));
    cr_assert(on_host == 102.0f && on_device == 102.0f, "%g %g", (double)on_host, (double)on_device);
}

/* CuPy, fuse: a chain that ends in a reduction. */
Test(expression_reduction, a_reduction_has_one_operand)
{
    static const char *const wrong[] = {"sum(x, x)", "sum()", "sum(x", "sum", "sum(x,)"};
    lab_expression *made = (lab_expression *)&made;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        cr_assert_eq(lab_expression_create(&made, "x, y", wrong[i], NULL), LAB_ERROR_INVALID_VALUE, "%s", wrong[i]);
        cr_assert_null(made);
        cr_assert_not_null(strstr(lab_error_message(), wrong[i]), "%s", lab_error_message());
    }
    cr_assert_eq(lab_expression_create(&made, "sum", "sum + 1", NULL), LAB_SUCCESS, "an input may have the name");
}

/* CuPy, fuse: a chain that ends in a reduction. */
Test(expression_reduction, shapes_that_do_not_fit_are_refused_on_both_sides)
{
    static float x[6], y[4], many[2];
    lab_expression *expression = make("x, y", "sum(x * y)"), *no_arrays = make("x", "sum(x)");
    lab_array *device_x, *device_y = empty(LAB_FLOAT32, 4), *one = empty(LAB_FLOAT32, 1), *two = empty(LAB_FLOAT32, 2);
    LAB_CHECK(lab_array_empty(&device_x, LAB_FLOAT32, LAB_SHAPE(2, 3)));
    lab_arg host_x = LAB_HOST_ARRAY(x, LAB_FLOAT32, LAB_SHAPE(2, 3)),
            host_y = LAB_HOST_ARRAY(y, LAB_FLOAT32, LAB_SHAPE(4));
    lab_arg host_one = LAB_HOST_ARRAY(many, LAB_FLOAT32, LAB_SHAPE(1));
    lab_arg host_two = LAB_HOST_ARRAY(many, LAB_FLOAT32, LAB_SHAPE(2));
    cr_assert_eq(lab_expression_apply(expression, NULL, LAB_ARGS(device_x, device_y, one)), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_expression_apply(expression, NULL, LAB_ARGS(host_x, host_y, host_one)), LAB_ERROR_INVALID_VALUE);
    cr_assert_not_null(strstr(lab_error_message(), "broadcast"), "%s", lab_error_message());
    cr_assert_eq(lab_expression_apply(expression, NULL, LAB_ARGS(device_x, device_x, two)), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_expression_apply(expression, NULL, LAB_ARGS(host_x, host_x, host_two)), LAB_ERROR_INVALID_VALUE);
    cr_assert_not_null(strstr(lab_error_message(), "(2)"), "%s", lab_error_message());
    lab_array *wide = empty(LAB_FLOAT64, 1);
    double result;
    cr_assert_eq(lab_expression_apply(no_arrays, NULL, LAB_ARGS(2.0, wide)), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(
        lab_expression_apply(no_arrays, NULL, LAB_ARGS(2.0, LAB_HOST_ARRAY(&result, LAB_FLOAT64, LAB_SHAPE(1)))),
        LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(
        lab_expression_apply(no_arrays, NULL, LAB_ARGS(host_x, LAB_HOST_ARRAY(NULL, LAB_FLOAT32, LAB_SHAPE(1)))),
        LAB_ERROR_INVALID_VALUE);
}

/* Expressions with several results, and in place. */
#include "test.h"
#include "test_arrays.h"

#include <string.h>

enum { COUNT = 3000 };

static lab_expression *make(const char *inputs, const char *text)
{
    lab_expression *made;
    cr_assert_eq(lab_expression_create(&made, inputs, text, "tested"), LAB_SUCCESS, "%s", lab_error_message());
    return made;
}

/* Two arrays, on the host and on the device. */
static float x_host[COUNT], y_host[COUNT];
static lab_array *x, *y;

static void make_arrays(void)
{
    for (int i = 0; i < COUNT; i++) {
        x_host[i] = (float)i;
        y_host[i] = (float)(i % 7) + 0.5f;
    }
    x = from_host(LAB_FLOAT32, COUNT, x_host);
    y = from_host(LAB_FLOAT32, COUNT, y_host);
}

#define ON_HOST(memory) LAB_HOST_ARRAY(memory, LAB_FLOAT32, LAB_SHAPE(COUNT))

static void check(const lab_array *array, const float *host, float (*expected)(float x, float y))
{
    static float got[COUNT];
    LAB_CHECK(lab_array_get(array, got));
    for (int i = 0; i < COUNT; i++) {
        const float right = expected((float)i, (float)(i % 7) + 0.5f);
        cr_assert_eq(got[i], right, "device, element %d: %g, not %g", i, (double)got[i], (double)right);
        cr_assert_eq(host[i], right, "host, element %d: %g, not %g", i, (double)host[i], (double)right);
    }
}

static float sum_of(float a, float b) { return a + b; }
static float difference_of(float a, float b) { return a - b; }
static float double_of(float a, float b) { return (void)b, 2 * a; }
static float first_of(float a, float b) { return (void)b, a; }

/* CuPy, fuse: a function may return several arrays. */
Test(expression_results, one_kernel_computes_several_results)
{
    static float one[COUNT], two[COUNT], three[COUNT];
    make_arrays();
    lab_expression *made = make("x, y", "x + y, minimum(x, x) - y, 2 * x");
    lab_array *a = empty(LAB_FLOAT32, COUNT), *b = empty(LAB_FLOAT32, COUNT), *c = empty(LAB_FLOAT32, COUNT);
    LAB_CHECK(lab_expression_apply(made, NULL, LAB_ARGS(x, y, a, b, c)));
    LAB_CHECK(lab_expression_apply(
        made, NULL, LAB_ARGS(ON_HOST(x_host), ON_HOST(y_host), ON_HOST(one), ON_HOST(two), ON_HOST(three))));
    check(a, one, sum_of);
    check(b, two, difference_of);
    check(c, three, double_of);
    LAB_CHECK(lab_expression_destroy(made));
}

/* CuPy, fuse: a function may change its arguments in place. */
Test(expression_results, results_may_be_the_inputs)
{
    make_arrays();
    lab_expression *made = make("x, y", "x + y, x");
    LAB_CHECK(lab_expression_apply(made, NULL, LAB_ARGS(x, y, x, y)));
    LAB_CHECK(
        lab_expression_apply(made, NULL, LAB_ARGS(ON_HOST(x_host), ON_HOST(y_host), ON_HOST(x_host), ON_HOST(y_host))));
    check(x, x_host, sum_of);
    check(y, y_host, first_of);
    LAB_CHECK(lab_expression_destroy(made));
}

/* NumPy, NEP 50: each result has a type of its own. */
Test(expression_results, each_result_has_its_type)
{
    lab_dtype dtype;
    lab_array *n = empty(LAB_INT32, 1), *real = empty(LAB_FLOAT64, 1), *same = empty(LAB_INT32, 1);
    const lab_dtype expected[] = {LAB_INT32, LAB_FLOAT64};
    lab_expression *made = make("k", "k + 1, k / 2");
    for (int i = 0; i < 2; i++) {
        LAB_CHECK(lab_expression_result_dtype(&dtype, made, i, LAB_ARGS(n)));
        cr_assert_eq(dtype, expected[i]);
    }
    LAB_CHECK(lab_expression_dtype(&dtype, made, LAB_ARGS(n)));
    cr_assert_eq(dtype, LAB_INT32);
    cr_assert_eq(lab_expression_result_dtype(&dtype, made, 2, LAB_ARGS(n)), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_expression_result_dtype(&dtype, made, -1, LAB_ARGS(n)), LAB_ERROR_INVALID_VALUE);
    LAB_CHECK(lab_array_fill(n, LAB_ARG(5), NULL));
    LAB_CHECK(lab_expression_apply(made, NULL, LAB_ARGS(n, same, real)));
    cr_assert_eq(value_of(same), 6);
    cr_assert_eq(value_of(real), 2.5);
    cr_assert_eq(lab_expression_apply(made, NULL, LAB_ARGS(n, real, same)), LAB_ERROR_INVALID_VALUE);
    cr_assert(strstr(lab_error_message(), "out"), "%s", lab_error_message());
    LAB_CHECK(lab_expression_destroy(made));
}

/* lab.h, Expressions: results have one shape and memory of their own. */
Test(expression_results, results_that_overlap_or_differ_in_shape_are_refused)
{
    static float one[COUNT + 1];
    make_arrays();
    lab_expression *made = make("x", "x + 1, x + 2");
    lab_array *small = empty(LAB_FLOAT32, COUNT - 1), *whole = empty(LAB_FLOAT32, COUNT), *part;
    const lab_arg shorter = LAB_HOST_ARRAY(one, LAB_FLOAT32, LAB_SHAPE(COUNT - 1));
    LAB_CHECK(lab_array_slice(&part, whole, 0, COUNT));
    cr_assert_eq(lab_expression_apply(made, NULL, LAB_ARGS(x, whole, small)), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_expression_apply(made, NULL, LAB_ARGS(x, whole, part)), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_expression_apply(made, NULL, LAB_ARGS(x, whole)), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_expression_apply(made, NULL, LAB_ARGS(x, whole, 1)), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_expression_apply(made, NULL, LAB_ARGS(x, whole, ON_HOST(one))), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_expression_apply(made, NULL, LAB_ARGS(ON_HOST(x_host), ON_HOST(y_host), shorter)),
                 LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_expression_apply(made, NULL, LAB_ARGS(ON_HOST(x_host), ON_HOST(one), ON_HOST(&one[1]))),
                 LAB_ERROR_INVALID_VALUE);
    LAB_CHECK(lab_expression_destroy(made));
}

/* lab.h, Expressions: up to five results. */
Test(expression_results, texts_that_are_not_several_results_are_refused)
{
    static const char *const bad[] = {"x,", ",x", "x,,x", "x,x,x,x,x,x", "(x, x)"};
    lab_expression *made;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_assert_eq(lab_expression_create(&made, "x", bad[i], NULL), LAB_ERROR_INVALID_VALUE, "%s", bad[i]);
    cr_assert_eq(lab_expression_create(&made, "x, out3", "x, x", NULL), LAB_ERROR_INVALID_VALUE);
}

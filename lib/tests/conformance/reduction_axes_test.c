/* Reductions along several axes (NumPy: sum with a tuple of axes). */
#include "test_arrays.h"

#include <stdlib.h>
#include <string.h>

static bool is_in(unsigned mask, int axis) { return mask >> axis & 1; }

static lab_shape shape_of_results(lab_shape shape, unsigned mask, bool keep)
{
    lab_shape rest = {.dimensions = 0};
    for (int i = 0; i < shape.dimensions; i++)
        if (keep || !is_in(mask, i)) rest.size[rest.dimensions++] = is_in(mask, i) ? 1 : shape.size[i];
    return rest.dimensions ? rest : LAB_SHAPE(1);
}

/* The axes of a mask, from the last to the first, some of them counted from the last. */
static lab_axes axes_of(unsigned mask, int dimensions)
{
    lab_axes axes = {0};
    for (int i = dimensions - 1; i >= 0; i--)
        if (is_in(mask, i)) axes.axis[axes.count++] = i % 2 ? i - dimensions : i;
    return axes;
}

/* The result to which an element belongs. */
static size_t result_of(size_t element, lab_shape shape, unsigned mask)
{
    size_t result = 0, step = 1;
    for (int i = shape.dimensions - 1; i >= 0; i--) {
        const size_t index = element % shape.size[i];
        element /= shape.size[i];
        if (is_in(mask, i)) continue;
        result += index * step;
        step *= shape.size[i];
    }
    return result;
}

static void check_sums(lab_shape shape, unsigned mask, bool keep)
{
    const lab_shape rest = shape_of_results(shape, mask, keep);
    const size_t count = count_of(shape), results = count_of(rest);
    int *host = malloc((count + 1) * sizeof *host);
    int64_t *sums = calloc(results + 1, sizeof *sums), *expected = calloc(results + 1, sizeof *expected);
    for (size_t i = 0; i < count; i++) host[i] = (int)(i * i % 1009);
    for (size_t i = 0; i < count; i++) expected[result_of(i, shape, mask)] += host[i];
    lab_array *x, *y = empty_of(LAB_INT64, rest);
    LAB_CHECK(lab_array_from_host(&x, LAB_INT32, shape, host));
    cr_assert_eq(lab_array_sum_axes(y, x, axes_of(mask, shape.dimensions), NULL), LAB_SUCCESS, "%s",
                 lab_error_message());
    LAB_CHECK(lab_array_get(y, sums));
    for (size_t r = 0; r < results; r++)
        cr_assert_eq(sums[r], expected[r], "axes %x of %d dimensions, result %zu: %ld, not %ld", mask, shape.dimensions,
                     r, (long)sums[r], (long)expected[r]);
    LAB_CHECK(lab_array_destroy(x));
    LAB_CHECK(lab_array_destroy(y));
    free(host);
    free(sums);
    free(expected);
}

/* NumPy, sum: axis, a tuple of ints. */
Test(reduction_axes, every_choice_of_axes_takes_in_its_elements_and_no_others)
{
    const lab_shape shapes[] = {LAB_SHAPE(7),           LAB_SHAPE(5, 300),     LAB_SHAPE(3, 4, 5),
                                LAB_SHAPE(2, 4, 5, 3),  LAB_SHAPE(2, 1, 5, 3), LAB_SHAPE(1, 6, 1, 7),
                                LAB_SHAPE(40, 3, 1000), LAB_SHAPE(1, 1, 1, 1)};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (unsigned mask = 1; mask < 1u << shapes[s].dimensions; mask++) check_sums(shapes[s], mask, (s + mask) % 2);
}

/* NumPy, sum: axis, a tuple of ints; many elements to a result. */
Test(reduction_axes, results_of_many_elements_apart_in_memory)
{
    check_sums(LAB_SHAPE(300, 3, 400), 5, false);
    check_sums(LAB_SHAPE(20, 30, 40, 50), 5, true);
    check_sums(LAB_SHAPE(20, 30, 40, 50), 10, false);
    check_sums(LAB_SHAPE(20, 30, 40, 50), 9, false);
}

/* NumPy, sum: a sum of no elements is 0. */
Test(reduction_axes, no_elements_give_the_identity_or_no_results)
{
    check_sums(LAB_SHAPE(0, 4, 3), 5, false);
    check_sums(LAB_SHAPE(2, 0, 3), 5, false);
    check_sums(LAB_SHAPE(2, 4, 0), 7, false);
}

/* lab.h, Reduction kernels: i and n count the elements of a result in memory order. */
Test(reduction_axes, the_map_sees_the_place_among_the_elements_of_its_result)
{
    enum { A = 4, B = 3, C = 5 };
    lab_reduction *kernel;
    double sums[B];
    LAB_CHECK(lab_reduction_create(&kernel, &(lab_reduction_source){.inputs = "T x",
                                                                    .outputs = "float64 y",
                                                                    .map = "(i + 1) * (n == 20) + 0 * x",
                                                                    .reduce = "a + b",
                                                                    .post_map = "y = a",
                                                                    .identity = "0"}));
    lab_array *x, *y = empty_of(LAB_FLOAT64, LAB_SHAPE(1, B, 1));
    LAB_CHECK(lab_array_ones(&x, LAB_FLOAT32, LAB_SHAPE(A, B, C)));
    LAB_CHECK(lab_reduction_launch_axes(kernel, LAB_AXES(0, 2), NULL, LAB_ARGS(x, y)));
    LAB_CHECK(lab_array_get(y, sums));
    for (int b = 0; b < B; b++) cr_assert_eq(sums[b], A * C * (A * C + 1) / 2, "%g", sums[b]);
    LAB_CHECK(lab_array_destroy(x));
    LAB_CHECK(lab_array_destroy(y));
    LAB_CHECK(lab_reduction_destroy(kernel));
}

/* lab.h, Reduction kernels: each result has the same bits as a reduction of its elements alone. */
Test(reduction_axes, a_result_has_the_bits_of_its_elements_alone)
{
    enum { A = 50, B = 3, C = 700 };
    static float host[A][B][C], alone[A][C];
    float sums[B], sum;
    lab_array *x, *y = empty_of(LAB_FLOAT32, LAB_SHAPE(B)), *one = empty_of(LAB_FLOAT32, LAB_SHAPE(1)), *part;
    LAB_CHECK(lab_array_random_uniform(&x, LAB_FLOAT32, LAB_SHAPE(A, B, C), -1, 1, 39));
    LAB_CHECK(lab_array_get(x, host));
    LAB_CHECK(lab_array_sum_axes(y, x, LAB_AXES(0, 2), NULL));
    LAB_CHECK(lab_array_get(y, sums));
    for (int b = 0; b < B; b++) {
        for (int a = 0; a < A; a++) memcpy(alone[a], host[a][b], sizeof alone[a]);
        LAB_CHECK(lab_array_from_host(&part, LAB_FLOAT32, LAB_SHAPE(A, C), alone));
        LAB_CHECK(lab_array_sum(one, part, NULL));
        LAB_CHECK(lab_array_get(one, &sum));
        cr_assert(memcmp(&sum, &sums[b], sizeof sum) == 0, "%a, alone %a", (double)sums[b], (double)sum);
        LAB_CHECK(lab_array_destroy(part));
    }
    LAB_CHECK(lab_array_destroy(x));
    LAB_CHECK(lab_array_destroy(y));
    LAB_CHECK(lab_array_destroy(one));
}

/* NumPy, min, mean and any: axis, a tuple of ints. */
Test(reduction_axes, the_named_reductions_take_axes)
{
    const float host[2][2][2] = {{{1, 2}, {3, 4}}, {{5, -6}, {0, 0}}};
    float got[2];
    uint8_t truth[2];
    lab_array *x, *y = empty_of(LAB_FLOAT32, LAB_SHAPE(2)), *t = empty_of(LAB_UINT8, LAB_SHAPE(2));
    LAB_CHECK(lab_array_from_host(&x, LAB_FLOAT32, LAB_SHAPE(2, 2, 2), host));
    const struct {
        lab_status (*call)(lab_array *out, const lab_array *x, lab_axes axes, lab_stream *stream);
        float first, second;
    } of[] = {{(lab_array_sum_axes), 2, 7},
              {(lab_array_prod_axes), -60, 0},
              {(lab_array_mean_axes), 0.5f, 1.75f},
              {(lab_array_min_axes), -6, 0},
              {(lab_array_max_axes), 5, 4}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        LAB_CHECK(of[i].call(y, x, LAB_AXES(-1, 0), NULL));
        LAB_CHECK(lab_array_get(y, got));
        cr_assert(got[0] == of[i].first && got[1] == of[i].second, "%zu: %g, %g", i, (double)got[0], (double)got[1]);
    }
    LAB_CHECK(lab_array_any_axes(t, x, LAB_AXES(1, 2), NULL));
    LAB_CHECK(lab_array_get(t, truth));
    cr_assert(truth[0] == 1 && truth[1] == 1);
    LAB_CHECK(lab_array_all_axes(t, x, LAB_AXES(1, 2), NULL));
    LAB_CHECK(lab_array_get(t, truth));
    cr_assert(truth[0] == 1 && truth[1] == 0);
    LAB_CHECK(lab_array_destroy(x));
    LAB_CHECK(lab_array_destroy(y));
    LAB_CHECK(lab_array_destroy(t));
}

/* NumPy, sum: AxisError, and duplicate value in 'axis'. */
Test(reduction_axes, axes_that_are_not_there_or_come_twice_are_refused)
{
    lab_array *x = empty_of(LAB_INT32, LAB_SHAPE(3, 4, 5)), *y = empty_of(LAB_INT64, LAB_SHAPE(4));
    const lab_axes bad[] = {LAB_AXES(0, 3), LAB_AXES(0, -4), LAB_AXES(0, 0), LAB_AXES(2, -1),
                            {0, {0}},       {-1, {0, 2}},    {5, {0, 2}},    LAB_AXES(0, 1)};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_assert_eq(lab_array_sum_axes(y, x, bad[i], NULL), LAB_ERROR_INVALID_VALUE, "%zu", i);
    cr_assert(strstr(lab_error_message(), "axes 0, 1"), "%s", lab_error_message());
    LAB_CHECK(lab_array_sum_axes(y, x, LAB_AXES(0, 2), NULL));
    lab_array *of_first = empty_of(LAB_INT64, LAB_SHAPE(4, 5)), *of_last = empty_of(LAB_INT64, LAB_SHAPE(3, 4));
    cr_assert_eq(lab_array_sum_axes(of_first, x, LAB_AXES(0, 0), NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_array_sum_axes(of_last, x, LAB_AXES(2, -1), NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert(strstr(lab_error_message(), "twice"), "%s", lab_error_message());
    LAB_CHECK(lab_array_destroy(of_first));
    LAB_CHECK(lab_array_destroy(of_last));
    LAB_CHECK(lab_array_destroy(x));
    LAB_CHECK(lab_array_destroy(y));
}

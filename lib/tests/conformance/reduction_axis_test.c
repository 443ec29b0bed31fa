/* Reductions along an axis, and those that need more than one number a value: places of the smallest and largest,
 * types of one's own (NumPy: sum, argmin, keepdims; CuPy, "User-Defined Kernels", "Reduction kernels"). */
#include "test_arrays.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static lab_shape without(lab_shape shape, int axis)
{
    lab_shape rest = {.dimensions = 0};
    for (int i = 0; i < shape.dimensions; i++)
        if (i != axis) rest.size[rest.dimensions++] = shape.size[i];
    return rest.dimensions ? rest : LAB_SHAPE(1);
}

/* How far apart the elements along an axis are. */
static size_t stride_of(lab_shape shape, int axis)
{
    size_t stride = 1;
    for (int i = axis + 1; i < shape.dimensions; i++) stride *= shape.size[i];
    return stride;
}

/* The place in memory of a result's first element. */
static size_t first_of(size_t result, size_t stride, size_t length)
{
    return result / stride * stride * length + result % stride;
}

static void get_all(const lab_array *array, void *into) { LAB_CHECK(lab_array_get(array, into)); }

/* ---- which elements ---- */

static void check_sums(lab_shape shape, int axis)
{
    lab_shape rest = without(shape, axis);
    size_t count = count_of(shape), results = count_of(rest), stride = stride_of(shape, axis);
    int *host = malloc(count * sizeof *host);
    int64_t *sums = malloc(results * sizeof *sums);
    for (size_t i = 0; i < count; i++) host[i] = (int)(i * i % 1009);
    lab_array *x, *y = empty_of(LAB_INT64, rest);
    LAB_CHECK(lab_array_from_host(&x, LAB_INT32, shape, host));
    int given = axis % 2 ? axis - shape.dimensions : axis;
    cr_assert_eq(lab_array_sum_axis(y, x, given, NULL), LAB_SUCCESS, "%s", lab_error_message());
    get_all(y, sums);
    for (size_t r = 0; r < results; r++) {
        int64_t expected = 0;
        for (size_t i = 0; i < shape.size[axis]; i++)
            expected += host[first_of(r, stride, shape.size[axis]) + i * stride];
        cr_assert_eq(sums[r], expected, "axis %d of %d dimensions of %zu, result %zu", axis, shape.dimensions, count,
                     r);
    }
    LAB_CHECK(lab_array_destroy(x));
    LAB_CHECK(lab_array_destroy(y));
    free(host);
    free(sums);
}

/* CuPy, ReductionKernel: axis and keepdims. */
Test(reduction_axis, takes_in_the_elements_along_the_axis_and_no_others)
{
    const lab_shape shapes[] = {LAB_SHAPE(1),          LAB_SHAPE(1000),        LAB_SHAPE(40000),
                                LAB_SHAPE(3, 4),       LAB_SHAPE(1, 7),        LAB_SHAPE(7, 1),
                                LAB_SHAPE(300, 700),   LAB_SHAPE(2, 33000),    LAB_SHAPE(33000, 2),
                                LAB_SHAPE(5, 6, 7),    LAB_SHAPE(9000, 4, 3),  LAB_SHAPE(2, 20000, 3),
                                LAB_SHAPE(2, 3, 4, 5), LAB_SHAPE(1, 8, 1, 600)};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int axis = 0; axis < shapes[i].dimensions; axis++) check_sums(shapes[i], axis);
}

/* ---- in which order ---- */

static float sum_in_order(const float *x, size_t count)
{
    float lane[256];
    size_t width = count < 256 ? count : 256;
    memcpy(lane, x, width * sizeof *lane);
    for (size_t i = 256; i < count; i++) lane[i % 256] += x[i];
    for (size_t step = 128; step > 0; step /= 2)
        for (size_t t = 0; t < step && t + step < width; t++) lane[t] += lane[t + step];
    return lane[0];
}

/* Each result is compared with the documented order over its elements alone. */
static void check_order(lab_shape shape, int axis)
{
    enum { TILE = 16384 };
    size_t count = count_of(shape), length = shape.size[axis], stride = stride_of(shape, axis);
    float *host = malloc(count * sizeof *host), *one = malloc(length * sizeof *one), partial[8];
    float *sums = malloc(count / length * sizeof *sums);
    lab_array *x, *y = empty_of(LAB_FLOAT32, without(shape, axis));
    LAB_CHECK(lab_array_random_normal(&x, LAB_FLOAT32, shape, 1, 100, 7));
    get_all(x, host);
    LAB_CHECK(lab_array_sum_axis(y, x, axis, NULL));
    get_all(y, sums);
    for (size_t r = 0; r < count / length; r++) {
        size_t tiles = 0;
        for (size_t i = 0; i < length; i++) one[i] = host[first_of(r, stride, length) + i * stride];
        for (size_t first = 0; first < length; first += TILE)
            partial[tiles++] = sum_in_order(one + first, length - first < TILE ? length - first : TILE);
        cr_assert_eq(sums[r], sum_in_order(partial, tiles), "length %zu, stride %zu, result %zu", length, stride, r);
    }
    LAB_CHECK(lab_array_destroy(x));
    LAB_CHECK(lab_array_destroy(y));
    free(host);
    free(one);
    free(sums);
}

/* CuPy, ReductionKernel: axis and keepdims. */
Test(reduction_axis, each_result_has_the_bits_of_reducing_its_elements_alone)
{
    static const size_t lengths[] = {1, 2, 3, 5, 100, 127, 128, 129, 255, 256, 257, 300, 1000, 16384, 16385, 50000};
    static const size_t strides[] = {2, 3, 64, 65, 700};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        check_order(LAB_SHAPE(3, lengths[i]), 1);
        for (size_t s = 0; s < sizeof strides / sizeof *strides; s++)
            if (lengths[i] * strides[s] < 3000000) check_order(LAB_SHAPE(lengths[i], strides[s]), 0);
        check_order(LAB_SHAPE(2, lengths[i], 2), 1);
    }
}

/* ---- shapes ---- */

/* CuPy, ReductionKernel: axis and keepdims. */
Test(reduction_axis, the_axis_may_be_kept_with_one_place)
{
    lab_array *x = empty_of(LAB_FLOAT32, LAB_SHAPE(3, 4, 5)), *y = empty_of(LAB_FLOAT32, LAB_SHAPE(3, 1, 5)), *back;
    LAB_CHECK(lab_array_fill(x, LAB_ARG(2), NULL));
    LAB_CHECK(lab_array_sum_axis(y, x, 1, NULL));
    float sums[15];
    get_all(y, sums);
    for (int i = 0; i < 15; i++) cr_assert_eq(sums[i], 8.0f);
    lab_elementwise *divide; /* and what is kept broadcasts */
    LAB_CHECK(lab_elementwise_create(&divide, "T x, T y", "T z", "z = x / y", "divide"));
    LAB_CHECK(lab_array_copy(&back, x, NULL));
    LAB_CHECK(lab_elementwise_launch(divide, NULL, LAB_ARGS(x, y, back)));
    float first;
    LAB_CHECK(lab_array_get_item(back, 59, &first));
    cr_assert_eq(first, 0.25f);
}

/* lab.h, Reduction kernels: what is refused. */
Test(reduction_axis, an_output_of_another_shape_is_refused)
{
    lab_array *x = empty_of(LAB_FLOAT32, LAB_SHAPE(3, 4));
    const lab_shape wrong[] = {LAB_SHAPE(3), LAB_SHAPE(1), LAB_SHAPE(4, 1), LAB_SHAPE(1, 1, 4), LAB_SHAPE(3, 4)};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        cr_assert_eq(lab_array_sum_axis(empty_of(LAB_FLOAT32, wrong[i]), x, 0, NULL), LAB_ERROR_INVALID_VALUE, "%zu",
                     i);
    cr_assert(strstr(lab_error_message(), "(3, 4)") && strstr(lab_error_message(), "(4)") &&
                  strstr(lab_error_message(), "(1, 4)"),
              "%s", lab_error_message());
}

/* lab.h, Reduction kernels: what is refused. */
Test(reduction_axis, an_axis_that_is_not_there_is_refused)
{
    lab_array *x = empty_of(LAB_FLOAT32, LAB_SHAPE(3, 4)), *y = empty_of(LAB_FLOAT32, LAB_SHAPE(4));
    static const int wrong[] = {2, -3, INT_MAX, INT_MIN};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        cr_assert_eq(lab_array_sum_axis(y, x, wrong[i], NULL), LAB_ERROR_INVALID_VALUE, "axis %d", wrong[i]);
        cr_assert_not_null(strstr(lab_error_message(), "(3, 4)"), "%s", lab_error_message());
    }
}

/* lab.h, Reduction kernels: what is refused. */
Test(reduction_axis, of_no_places_gives_the_identity_and_is_refused_without)
{
    lab_array *x = empty_of(LAB_FLOAT32, LAB_SHAPE(5, 0)), *y = empty_of(LAB_FLOAT32, LAB_SHAPE(5));
    lab_array *across = empty_of(LAB_FLOAT32, LAB_SHAPE(0, 5));
    float got[5];
    for (int round = 0; round < 2; round++) {
        const lab_array *from = round ? across : x;
        int axis = round ? 0 : 1;
        LAB_CHECK(lab_array_fill(y, LAB_ARG(7), NULL));
        LAB_CHECK(lab_array_prod_axis(y, from, axis, NULL));
        get_all(y, got);
        for (int i = 0; i < 5; i++) cr_assert_eq(got[i], 1.0f);
        LAB_CHECK(lab_array_mean_axis(y, from, axis, NULL));
        get_all(y, got);
        for (int i = 0; i < 5; i++) cr_assert(isnan(got[i]));
        cr_assert_eq(lab_array_min_axis(y, from, axis, NULL), LAB_ERROR_INVALID_VALUE);
        cr_assert_not_null(strstr(lab_error_message(), "identity"), "%s", lab_error_message());
    }
}

/* CuPy, ReductionKernel: axis and keepdims. */
Test(reduction_axis, without_results_nothing_is_done)
{
    static const float before[] = {1, 2, 3};
    float after[3];
    lab_stream *stream;
    lab_graph *graph;
    const lab_graph_node *nodes;
    int count = -1;
    lab_array *x = empty_of(LAB_FLOAT32, LAB_SHAPE(5, 0)), *whole, *y;
    LAB_CHECK(lab_array_from_host(&whole, LAB_FLOAT32, LAB_SHAPE(3), before));
    LAB_CHECK(lab_array_slice(&y, whole, 1, 0));
    LAB_CHECK(lab_array_sum_axis(y, x, 0, NULL));
    get_all(whole, after);
    cr_assert_arr_eq(after, before, sizeof before, "the elements around the empty output");

    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_stream_begin_capture(stream, LAB_CAPTURE_GLOBAL));
    LAB_CHECK(lab_array_sum_axis(y, x, 0, stream));
    cr_assert_eq(lab_array_min_axis(y, x, 0, stream), LAB_SUCCESS, "no identity is needed: %s", lab_error_message());
    LAB_CHECK(lab_stream_end_capture(&graph, stream));
    LAB_CHECK(lab_graph_get_nodes(&nodes, &count, graph));
    cr_assert_eq(count, 0, "operations captured");
    LAB_CHECK(lab_graph_destroy(graph));
}

/* CuPy, ReductionKernel: axis and keepdims. */
Test(reduction_axis, an_output_may_overlap_the_input)
{
    lab_array *x = empty_of(LAB_INT32, LAB_SHAPE(300, 100)), *first;
    int host[300 * 100], sums[100];
    for (int i = 0; i < 300 * 100; i++) host[i] = i;
    LAB_CHECK(lab_array_set(x, host));
    LAB_CHECK(lab_array_slice(&first, x, 0, 1));
    LAB_CHECK(lab_array_sum_axis(first, x, 0, NULL));
    get_all(first, sums);
    for (int c = 0; c < 100; c++) cr_assert_eq(sums[c], 300 * c + 100 * (299 * 300 / 2), "column %d", c);
}

/* ---- the usual ones ---- */

/* CuPy, ReductionKernel: axis and keepdims. */
Test(reduction_axis, whole_numbers_of_nothing_have_the_mean_0)
{
    lab_array *x = empty_of(LAB_INT32, LAB_SHAPE(0)), *y = empty_of(LAB_INT64, LAB_SHAPE(1));
    int64_t mean = 1;
    LAB_CHECK(lab_array_mean(y, x, NULL));
    LAB_CHECK(lab_array_get_item(y, 0, &mean));
    cr_assert_eq(mean, 0);
}

/* CuPy, ReductionKernel: axis and keepdims. */
Test(reduction_axis, prod_any_and_all_of_whole_arrays)
{
    static const float host[] = {2, -3, NAN, 4};
    lab_array *x, *y = empty_of(LAB_FLOAT64, LAB_SHAPE(1)), *truth = empty_of(LAB_UINT8, LAB_SHAPE(1)), *part;
    double product;
    unsigned char true_or_not;
    LAB_CHECK(lab_array_from_host(&x, LAB_FLOAT32, LAB_SHAPE(4), host));
    LAB_CHECK(lab_array_slice(&part, x, 0, 2));
    LAB_CHECK(lab_array_prod(y, part, NULL));
    LAB_CHECK(lab_array_get_item(y, 0, &product));
    cr_assert_eq(product, -6.0);
    static const struct {
        size_t first, count;
        float filled;
        int any, all;
    } cases[] = {{0, 4, 1, 1, 1}, {0, 4, 0, 0, 0}, {0, 0, 0, 0, 1}, {0, 4, NAN, 1, 1}, {0, 3, 256, 1, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        LAB_CHECK(lab_array_slice(&part, x, cases[i].first, cases[i].count));
        LAB_CHECK(lab_array_fill(part, LAB_ARG(cases[i].filled), NULL));
        LAB_CHECK(lab_array_any(truth, part, NULL));
        LAB_CHECK(lab_array_get_item(truth, 0, &true_or_not));
        cr_assert_eq(true_or_not, cases[i].any, "any, case %zu", i);
        LAB_CHECK(lab_array_all(truth, part, NULL));
        LAB_CHECK(lab_array_get_item(truth, 0, &true_or_not));
        cr_assert_eq(true_or_not, cases[i].all, "all, case %zu", i);
    }
}

/* CuPy, ReductionKernel: axis and keepdims. */
Test(reduction_axis, min_max_mean_any_and_all_along_both_axes)
{
    enum { ROWS = 3, COLUMNS = 4 };
    static const float host[ROWS][COLUMNS] = {{1, 0, 3, 4}, {5, 0, NAN, 8}, {-9, 0, 1, 2}};
    static const float min[2][COLUMNS] = {{-9, 0, NAN, 2}, {0, NAN, -9}},
                       max[2][COLUMNS] = {{5, 0, NAN, 8}, {4, NAN, 2}};
    static const unsigned char some[2][COLUMNS] = {{1, 0, 1, 1}, {1, 1, 1}},
                               every[2][COLUMNS] = {{1, 0, 1, 1}, {0, 0, 0}};
    lab_array *x;
    LAB_CHECK(lab_array_from_host(&x, LAB_FLOAT32, LAB_SHAPE(ROWS, COLUMNS), host));
    for (int axis = 0; axis < 2; axis++) {
        int results = axis == 0 ? COLUMNS : ROWS;
        lab_array *y = empty_of(LAB_FLOAT32, LAB_SHAPE((size_t)results)),
                  *truth = empty_of(LAB_UINT8, LAB_SHAPE((size_t)results));
        float got[COLUMNS];
        unsigned char truths[COLUMNS];
        LAB_CHECK(lab_array_min_axis(y, x, axis, NULL));
        get_all(y, got);
        for (int i = 0; i < results; i++) cr_assert(got[i] == min[axis][i] || isnan(min[axis][i] + got[i]), "%d", i);
        LAB_CHECK(lab_array_max_axis(y, x, axis, NULL));
        get_all(y, got);
        for (int i = 0; i < results; i++) cr_assert(got[i] == max[axis][i] || isnan(max[axis][i] + got[i]), "%d", i);
        LAB_CHECK(lab_array_mean_axis(y, x, axis, NULL));
        get_all(y, got);
        cr_assert_eq(got[0], axis == 0 ? -1.0f : 2.0f);
        LAB_CHECK(lab_array_any_axis(truth, x, axis, NULL));
        get_all(truth, truths);
        cr_assert_arr_eq(truths, some[axis], (size_t)results);
        LAB_CHECK(lab_array_all_axis(truth, x, axis, NULL));
        get_all(truth, truths);
        cr_assert_arr_eq(truths, every[axis], (size_t)results);
    }
}

/* ---- places ---- */

static int64_t place_of(lab_status (*find)(lab_array *, const lab_array *, lab_stream *), const lab_array *x)
{
    lab_array *y = empty_of(LAB_INT64, LAB_SHAPE(1));
    int64_t place = -1;
    cr_assert_eq(find(y, x, NULL), LAB_SUCCESS, "%s", lab_error_message());
    LAB_CHECK(lab_array_get_item(y, 0, &place));
    LAB_CHECK(lab_array_destroy(y));
    return place;
}

static void set(lab_array *x, size_t place, float value) { LAB_CHECK(lab_array_set_item(x, place, &value)); }

/* CuPy, ReductionKernel: axis and keepdims. */
Test(reduction_axis, argmin_and_argmax_give_the_first_of_those_that_are_alike)
{
    enum { COUNT = 100003 };
    lab_array *x = empty_of(LAB_FLOAT32, LAB_SHAPE(COUNT));
    LAB_CHECK(lab_array_fill(x, LAB_ARG(1), NULL));
    cr_assert_eq(place_of(lab_array_argmin, x), 0, "all are alike");
    cr_assert_eq(place_of(lab_array_argmax, x), 0);
    static const size_t places[] = {COUNT - 1, 90000, 16640, 16384, 16383, 700, 257, 256, 255, 129, 128, 1, 0};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        set(x, places[i], -5);
        cr_assert_eq(place_of(lab_array_argmin, x), (int64_t)places[i]);
        set(x, places[i], 5);
        cr_assert_eq(place_of(lab_array_argmax, x), (int64_t)places[i]);
        set(x, places[i], -5);
    }
}

/* CuPy, ReductionKernel: axis and keepdims. */
Test(reduction_axis, argmin_and_argmax_give_the_first_nan_if_there_is_one)
{
    enum { COUNT = 40000 };
    lab_array *x;
    LAB_CHECK(lab_array_arange(&x, LAB_FLOAT32, COUNT, LAB_ARG(-7), LAB_ARG(1)));
    cr_assert_eq(place_of(lab_array_argmin, x), 0);
    cr_assert_eq(place_of(lab_array_argmax, x), COUNT - 1);
    static const size_t places[] = {COUNT - 1, 16385, 300, 5, 0};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        set(x, places[i], i % 2 ? NAN : -NAN);
        cr_assert_eq(place_of(lab_array_argmin, x), (int64_t)places[i]);
        cr_assert_eq(place_of(lab_array_argmax, x), (int64_t)places[i]);
    }
}

/* CuPy, ReductionKernel: axis and keepdims. */
Test(reduction_axis, argmin_orders_zeros_of_both_signs_alike)
{
    lab_array *x;
    LAB_CHECK(lab_array_from_host(&x, LAB_FLOAT64, LAB_SHAPE(3), (double[]){0.0, -0.0, 0.0}));
    cr_assert_eq(place_of(lab_array_argmin, x), 0);
    cr_assert_eq(place_of(lab_array_argmax, x), 0);
}

/* CuPy, ReductionKernel: axis and keepdims. */
Test(reduction_axis, argmin_and_argmax_are_exact_for_64_bit_integers)
{
    lab_array *x;
    LAB_CHECK(lab_array_from_host(&x, LAB_UINT64, LAB_SHAPE(4), (uint64_t[]){5, UINT64_MAX - 1, UINT64_MAX, 4}));
    cr_assert_eq(place_of(lab_array_argmax, x), 2);
    cr_assert_eq(place_of(lab_array_argmin, x), 3);
    LAB_CHECK(lab_array_from_host(&x, LAB_INT64, LAB_SHAPE(3), (int64_t[]){INT64_MIN + 1, INT64_MIN, INT64_MAX}));
    cr_assert_eq(place_of(lab_array_argmin, x), 1);
}

/* CuPy, ReductionKernel: axis and keepdims. */
Test(reduction_axis, places_along_an_axis_are_counted_along_it)
{
    enum { ROWS = 700, COLUMNS = 300 };
    float(*host)[COLUMNS] = malloc(ROWS * sizeof *host);
    int64_t places[ROWS];
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++) host[r][c] = (float)((r * 31 + c * 17) % 53);
    host[600][7] = NAN;
    lab_array *x;
    LAB_CHECK(lab_array_from_host(&x, LAB_FLOAT32, LAB_SHAPE(ROWS, COLUMNS), host));
    lab_array *of_columns = empty_of(LAB_INT64, LAB_SHAPE(COLUMNS)), *of_rows = empty_of(LAB_INT64, LAB_SHAPE(ROWS, 1));
    LAB_CHECK(lab_array_argmin_axis(of_columns, x, 0, NULL));
    get_all(of_columns, places);
    for (int c = 0; c < COLUMNS; c++) {
        int expected = 0;
        for (int r = 0; r < ROWS; r++)
            if (host[r][c] < host[expected][c]) expected = r;
        cr_assert_eq(places[c], c == 7 ? 600 : expected, "column %d", c);
    }
    LAB_CHECK(lab_array_argmax_axis(of_rows, x, -1, NULL));
    get_all(of_rows, places);
    for (int r = 0; r < ROWS; r++) {
        int expected = 0;
        for (int c = 0; c < COLUMNS; c++)
            if (host[r][c] > host[r][expected]) expected = c;
        cr_assert_eq(places[r], r == 600 ? 7 : expected, "row %d", r);
    }
    free(host);
}

/* CuPy, ReductionKernel: axis and keepdims. */
Test(reduction_axis, places_need_elements_and_an_int64_output)
{
    lab_array *none = empty_of(LAB_FLOAT32, LAB_SHAPE(0)), *x = empty_of(LAB_FLOAT32, LAB_SHAPE(4));
    cr_assert_eq(lab_array_argmin(empty_of(LAB_INT64, LAB_SHAPE(1)), none, NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_array_argmax(empty_of(LAB_INT32, LAB_SHAPE(1)), x, NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_not_null(strstr(lab_error_message(), "int64"), "%s", lab_error_message());
    cr_assert_eq(lab_array_argmax(NULL, x, NULL), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_array_argmax_axis(NULL, x, 0, NULL), LAB_ERROR_INVALID_HANDLE);
}

/* ---- kernels of one's own ---- */

static lab_reduction *make(lab_reduction_source source)
{
    lab_reduction *kernel;
    cr_assert_eq(lab_reduction_create(&kernel, &source), LAB_SUCCESS, "%s", lab_error_message());
    return kernel;
}

/* CuPy, ReductionKernel: axis and keepdims. */
Test(reduction_axis, a_kernel_of_ones_own_knows_the_place_and_the_length)
{
    lab_reduction *weighted = make((lab_reduction_source){.inputs = "T x, raw T weight, T scale",
                                                          .outputs = "T y, int64 length",
                                                          .map = "x * weight[i] * scale",
                                                          .reduce = "a + b",
                                                          .post_map = "y = a; length = n",
                                                          .identity = "0"});
    lab_array *x = empty_of(LAB_FLOAT32, LAB_SHAPE(2, 3, 2)), *weight, *y = empty_of(LAB_FLOAT32, LAB_SHAPE(2, 2));
    lab_array *length = empty_of(LAB_INT64, LAB_SHAPE(2, 1, 2));
    LAB_CHECK(lab_array_fill(x, LAB_ARG(1), NULL));
    LAB_CHECK(lab_array_from_host(&weight, LAB_FLOAT32, LAB_SHAPE(3), (float[]){1, 10, 100}));
    LAB_CHECK(lab_reduction_launch_axis(weighted, 1, NULL, LAB_ARGS(x, weight, 2.0f, y, length)));
    float sums[4];
    int64_t lengths[4];
    get_all(y, sums);
    get_all(length, lengths);
    for (int i = 0; i < 4; i++) cr_assert(sums[i] == 222.0f && lengths[i] == 3);
    LAB_CHECK(lab_reduction_destroy(weighted));
    cr_assert_eq(lab_reduction_launch_axis(weighted, 1, NULL, LAB_ARGS(x, weight, 2.0f, y, length)),
                 LAB_ERROR_INVALID_HANDLE);
}

/* CuPy, ReductionKernel: axis and keepdims. */
Test(reduction_axis, the_reduce_type_may_be_one_that_the_preamble_defines)
{
    lab_reduction *range = make((lab_reduction_source){
        .preamble = "struct range { T low, high; };\n"
                    "__device__ range join(range a, range b) { return {min(a.low, b.low), max(a.high, b.high)}; }\n",
        .inputs = "T x",
        .outputs = "T width",
        .map = "range{x, x}",
        .reduce = "join(a, b)",
        .post_map = "width = a.high - a.low",
        .reduce_type = "range"});
    static double host[50000];
    for (int i = 0; i < 50000; i++) host[i] = (i * 7919 + 3) % 50000;
    lab_array *x, *y = empty_of(LAB_FLOAT64, LAB_SHAPE(1)), *rows = empty_of(LAB_FLOAT64, LAB_SHAPE(25000)), *pairs;
    double width, widths[2];
    LAB_CHECK(lab_array_from_host(&x, LAB_FLOAT64, LAB_SHAPE(50000), host));
    LAB_CHECK(lab_reduction_launch(range, NULL, LAB_ARGS(x, y)));
    LAB_CHECK(lab_array_get_item(y, 0, &width));
    cr_assert_eq(width, 49999.0);
    LAB_CHECK(lab_array_reshape(&pairs, x, LAB_SHAPE(25000, 2)));
    LAB_CHECK(lab_reduction_launch_axis(range, 1, NULL, LAB_ARGS(pairs, rows)));
    LAB_CHECK(lab_array_get_item(rows, 0, &width));
    cr_assert_eq(width, 7919.0);
    lab_array *columns = empty_of(LAB_FLOAT64, LAB_SHAPE(2));
    LAB_CHECK(lab_reduction_launch_axis(range, 0, NULL, LAB_ARGS(pairs, columns)));
    get_all(columns, widths);
    cr_assert(widths[0] == 49998.0 && widths[1] == 49998.0, "%g %g", widths[0], widths[1]);
}

/* lab.h, Reduction kernels: what is refused. */
Test(reduction_axis, a_reduce_type_that_is_unknown_or_too_large_is_refused)
{
    lab_reduction_source source = {.inputs = "T x",
                                   .outputs = "T y",
                                   .map = "wide{x}",
                                   .reduce = "a",
                                   .post_map = "y = a.first",
                                   .reduce_type = "wide"};
    lab_reduction *kernel;
    cr_assert_eq(lab_reduction_create(&kernel, &source), LAB_ERROR_INVALID_VALUE);
    cr_assert_not_null(strstr(lab_error_message(), "preamble"), "%s", lab_error_message());
    source.preamble = "struct wide { T first; double more[2]; };";
    lab_array *x = empty_of(LAB_FLOAT64, LAB_SHAPE(4)), *y = empty_of(LAB_FLOAT64, LAB_SHAPE(1));
    cr_assert_eq(lab_reduction_launch(make(source), NULL, LAB_ARGS(x, y)), LAB_ERROR_INVALID_SOURCE);
    cr_assert_not_null(strstr(lab_error_message(), "16 bytes"), "%s", lab_error_message());
    source.preamble = "struct wide { T first; };\nstruct oops { int };";
    cr_assert_eq(lab_reduction_launch(make(source), NULL, LAB_ARGS(x, y)), LAB_ERROR_INVALID_SOURCE);
    cr_assert_not_null(strstr(lab_error_message(), "reduction:2:"), "%s", lab_error_message());
}

/* CuPy, ReductionKernel: axis and keepdims. */
Test(reduction_axis, inputs_have_one_shape_or_one_element)
{
    lab_reduction *scaled = make((lab_reduction_source){.inputs = "T x, T by",
                                                        .outputs = "T y",
                                                        .map = "x * by",
                                                        .reduce = "a + b",
                                                        .post_map = "y = a",
                                                        .identity = "0"});
    lab_array *x = empty_of(LAB_INT32, LAB_SHAPE(3, 4)), *by = empty_of(LAB_INT32, LAB_SHAPE(1));
    lab_array *y = empty_of(LAB_INT32, LAB_SHAPE(4)), *row = empty_of(LAB_INT32, LAB_SHAPE(4));
    int sums[4];
    LAB_CHECK(lab_array_fill(x, LAB_ARG(2), NULL));
    LAB_CHECK(lab_array_fill(by, LAB_ARG(5), NULL));
    LAB_CHECK(lab_reduction_launch_axis(scaled, 0, NULL, LAB_ARGS(x, by, y)));
    get_all(y, sums);
    for (int i = 0; i < 4; i++) cr_assert_eq(sums[i], 30);
    cr_assert_eq(lab_reduction_launch_axis(scaled, 0, NULL, LAB_ARGS(x, row, y)), LAB_ERROR_INVALID_VALUE);
    cr_assert_not_null(strstr(lab_error_message(), "broadcast"), "%s", lab_error_message());
}

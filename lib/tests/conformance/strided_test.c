/* Arrays that are not contiguous: views by transposing and slicing along any axis, in kernels, reductions, expressions
 * and copies (NumPy, "The N-dimensional array": strides). */
#include "test_arrays.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 4096 };

/* An array of the shape whose element i, the last axis fastest, is i % 251. */
static lab_array *counted(lab_dtype dtype, lab_shape shape)
{
    lab_array *numbers, *made;
    int host[MOST];
    for (size_t i = 0; i < count_of(shape); i++) host[i] = (int)(i % 251);
    LAB_CHECK(lab_array_from_host(&numbers, LAB_INT32, shape, host));
    LAB_CHECK(lab_array_astype(&made, numbers, dtype, NULL));
    LAB_CHECK(lab_array_destroy(numbers));
    return made;
}

static lab_array *transposed(lab_array *array, lab_axes order)
{
    lab_array *view;
    cr_assert_eq(lab_array_transpose(&view, array, order), LAB_SUCCESS, "%s", lab_error_message());
    return view;
}

static lab_array *sliced(lab_array *array, int axis, size_t first, size_t count, size_t step)
{
    lab_array *view;
    cr_assert_eq(lab_array_slice_axis(&view, array, axis, first, count, step), LAB_SUCCESS, "%s", lab_error_message());
    return view;
}

/* Element `index` of a view, by its strides. */
static size_t place_of(const lab_array *view, size_t index)
{
    const lab_shape shape = lab_array_shape(view), strides = lab_array_strides(view);
    size_t place = 0;
    for (int i = shape.dimensions - 1; i >= 0; index /= shape.size[i--])
        place += index % shape.size[i] * strides.size[i];
    return place;
}

/* Checks all elements of an int32 view against those of the memory that it views, from element `first` on. */
static void check_view(const lab_array *view, const lab_array *whole, size_t first)
{
    int of_view[MOST], memory[MOST];
    LAB_CHECK(lab_array_get(view, of_view));
    LAB_CHECK(lab_array_get(whole, memory));
    for (size_t i = 0; i < lab_array_count(view); i++)
        cr_assert_eq(of_view[i], memory[first + place_of(view, i)], "element %zu", i);
}

static void check_shape(lab_shape shape, lab_shape expected)
{
    cr_assert_eq(shape.dimensions, expected.dimensions);
    for (int i = 0; i < shape.dimensions; i++) cr_assert_eq(shape.size[i], expected.size[i], "axis %d", i);
}

/* NumPy, ndarray: transpose, strides. */
Test(strided, a_transposed_view_has_other_strides_on_the_same_memory)
{
    lab_array *x = counted(LAB_INT32, LAB_SHAPE(2, 3, 4)), *view = transposed(x, LAB_AXES(2, 0, -2));
    check_shape(lab_array_strides(x), LAB_SHAPE(12, 4, 1));
    check_shape(lab_array_shape(view), LAB_SHAPE(4, 2, 3));
    check_shape(lab_array_strides(view), LAB_SHAPE(1, 12, 4));
    cr_assert_eq(lab_array_data(view), lab_array_data(x));
    cr_assert_eq(lab_array_bytes(view), lab_array_bytes(x));
    check_view(view, x, 0);
    LAB_CHECK(lab_array_destroy(x));
    int first;
    LAB_CHECK(lab_array_get_item(view, 1, &first));
    cr_assert_eq(first, 4, "the memory goes with the last view");
}

/* NumPy, Indexing on ndarrays: slices with a step. */
Test(strided, a_slice_of_an_axis_skips_indices)
{
    lab_array *x = counted(LAB_INT32, LAB_SHAPE(5, 7)), *columns = sliced(x, 1, 1, 3, 2),
              *rows = sliced(columns, -2, 0, 2, 4), *whole = sliced(x, 0, 0, 5, 1), *none = sliced(x, 1, 7, 0, 3);
    check_shape(lab_array_shape(columns), LAB_SHAPE(5, 3));
    check_shape(lab_array_strides(columns), LAB_SHAPE(7, 2));
    check_view(columns, x, 1);
    check_shape(lab_array_strides(rows), LAB_SHAPE(28, 2));
    check_view(rows, x, 1);
    check_view(whole, x, 0);
    cr_assert_eq(lab_array_count(none), 0);
    LAB_CHECK(lab_array_get(none, &(int){0}));
}

/* CuPy, ElementwiseKernel: views as inputs and outputs, with numbers and broadcasting. */
Test(strided, elementwise_kernels_reach_views_by_their_strides)
{
    lab_elementwise *kernel;
    lab_array *x = counted(LAB_INT32, LAB_SHAPE(6, 10)), *y = counted(LAB_INT32, LAB_SHAPE(10, 12)),
              *row = counted(LAB_INT32, LAB_SHAPE(1, 12));
    lab_array *from = transposed(x, LAB_AXES(1, 0)), *to = sliced(y, 1, 1, 6, 2), *few = sliced(row, 1, 0, 6, 2);
    int before[MOST], after[MOST];
    LAB_CHECK(lab_array_get(y, before));
    LAB_CHECK(lab_elementwise_create(&kernel, "T a, T b, int32 k", "T out", "out += a * 100 + b + k + i", "mixed"));
    cr_assert_eq(lab_elementwise_launch(kernel, NULL, LAB_ARGS(from, few, 5, to)), LAB_SUCCESS, "%s",
                 lab_error_message());
    LAB_CHECK(lab_array_get(y, after));
    for (int r = 0; r < 10; r++)
        for (int c = 0; c < 12; c++) {
            const int k = (c - 1) / 2, at = 12 * r + c;
            const int more = c % 2 ? (k * 10 + r) * 100 + 2 * k + 5 + r * 6 + k : 0;
            cr_assert_eq(after[at], before[at] + more, "row %d, column %d", r, c);
        }
    LAB_CHECK(lab_elementwise_destroy(kernel));
}

/* lab.h, Elementwise kernels: an input that overlaps an output. */
Test(strided, an_input_that_overlaps_the_output_with_other_strides_is_copied_first)
{
    lab_elementwise *kernel;
    lab_array *x = counted(LAB_INT32, LAB_SHAPE(32, 32)), *turned = transposed(x, LAB_AXES(1, 0));
    int after[MOST];
    LAB_CHECK(lab_elementwise_create(&kernel, "T a", "T out", "out = a", "turn"));
    LAB_CHECK(lab_elementwise_launch(kernel, NULL, LAB_ARGS(turned, x)));
    LAB_CHECK(lab_array_get(x, after));
    for (int i = 0; i < 1024; i++) cr_assert_eq(after[i], (i % 32 * 32 + i / 32) % 251, "element %d", i);
    LAB_CHECK(lab_elementwise_launch(kernel, NULL, LAB_ARGS(turned, turned)));
    LAB_CHECK(lab_array_get(x, after));
    cr_assert_eq(after[1], 32, "the same view is no other");
    LAB_CHECK(lab_elementwise_destroy(kernel));
}

/* NumPy, Indexing on ndarrays: slices with a step. */
Test(strided, one_dimension_with_a_step)
{
    lab_expression *add;
    lab_array *x = counted(LAB_INT32, LAB_SHAPE(100)), *odd = sliced(x, 0, 1, 50, 2), *even = sliced(x, 0, 0, 50, 2);
    int after[MOST];
    LAB_CHECK(lab_expression_create(&add, "x, y", "x + y", "add"));
    cr_assert_eq(lab_expression_apply(add, NULL, LAB_ARGS(odd, even, odd)), LAB_SUCCESS, "%s", lab_error_message());
    LAB_CHECK(lab_array_get(x, after));
    for (int i = 0; i < 100; i++) cr_assert_eq(after[i], i % 2 ? 2 * i - 1 : i, "element %d", i);
    LAB_CHECK(lab_expression_destroy(add));
}

/* The sum of a view along axes, as int32, compared with that of its contiguous copy. */
static void check_sum(lab_array *view, lab_axes axes, lab_array *to)
{
    lab_array *copy, *expected = empty_of(LAB_INT64, lab_array_shape(to));
    int64_t sum[MOST], of_copy[MOST];
    LAB_CHECK(lab_array_copy(&copy, view, NULL));
    cr_assert_eq(lab_array_sum_axes(to, view, axes, NULL), LAB_SUCCESS, "%s", lab_error_message());
    LAB_CHECK(lab_array_sum_axes(expected, copy, axes, NULL));
    LAB_CHECK(lab_array_get(to, sum));
    LAB_CHECK(lab_array_get(expected, of_copy));
    cr_assert_eq(memcmp(sum, of_copy, lab_array_bytes(to)), 0);
    LAB_CHECK(lab_array_destroy(copy));
    LAB_CHECK(lab_array_destroy(expected));
}

/* CuPy, ReductionKernel: a transposed array along its first, middle, last and all axes. */
Test(strided, reductions_along_any_axes_of_a_view)
{
    lab_array *x = counted(LAB_INT32, LAB_SHAPE(2, 4, 3)), *turned = transposed(x, LAB_AXES(2, 1, 0));
    lab_array *y = counted(LAB_INT32, LAB_SHAPE(2, 4, 5, 3)), *turned4 = transposed(y, LAB_AXES(3, 2, 1, 0));
    lab_array *empty = empty_of(LAB_INT32, LAB_SHAPE(0, 4, 3)), *turned0 = transposed(empty, LAB_AXES(2, 1, 0));
    check_sum(turned, LAB_AXES(0, 1), empty_of(LAB_INT64, LAB_SHAPE(2)));
    check_sum(turned4, LAB_AXES(1, 2), empty_of(LAB_INT64, LAB_SHAPE(3, 2)));
    check_sum(turned, LAB_AXES(1, 2), empty_of(LAB_INT64, LAB_SHAPE(3)));
    check_sum(turned0, LAB_AXES(0, 1), empty_of(LAB_INT64, LAB_SHAPE(0)));
    check_sum(turned, LAB_AXES(0, 1, 2), empty_of(LAB_INT64, LAB_SHAPE(1)));
    lab_array *results = empty_of(LAB_INT64, LAB_SHAPE(3, 4, 2));
    check_sum(turned4, LAB_AXES(1), transposed(results, LAB_AXES(0, 1, 2)));
    lab_array *apart = sliced(empty_of(LAB_INT64, LAB_SHAPE(3, 2, 2)), 2, 1, 1, 1);
    lab_array *view = sliced(turned4, 2, 0, 1, 1);
    check_sum(view, LAB_AXES(1), transposed(apart, LAB_AXES(0, 2, 1)));
}

/* CuPy, ndarray: copy, astype. */
Test(strided, copies_are_contiguous)
{
    lab_array *x = counted(LAB_INT32, LAB_SHAPE(3, 4, 5)), *view = transposed(x, LAB_AXES(1, 2, 0)), *copy, *wide;
    int expected[MOST], of_copy[MOST];
    double of_wide[MOST];
    LAB_CHECK(lab_array_get(view, expected));
    LAB_CHECK(lab_array_copy(&copy, view, NULL));
    LAB_CHECK(lab_array_astype(&wide, view, LAB_FLOAT64, NULL));
    check_shape(lab_array_strides(copy), LAB_SHAPE(15, 3, 1));
    LAB_CHECK(lab_array_get(copy, of_copy));
    LAB_CHECK(lab_array_get(wide, of_wide));
    for (int i = 0; i < 60; i++) cr_assert(of_copy[i] == expected[i] && of_wide[i] == expected[i], "element %d", i);
}

/* CuPy, ndarray: set, get, fill, item. */
Test(strided, set_get_fill_and_items_touch_the_views_elements_alone)
{
    lab_array *x = counted(LAB_INT32, LAB_SHAPE(4, 6)), *view = sliced(x, 1, 1, 3, 2);
    int sent[12], after[24], item;
    for (int i = 0; i < 12; i++) sent[i] = 1000 + i;
    LAB_CHECK(lab_array_set(view, sent));
    LAB_CHECK(lab_array_get(x, after));
    for (int i = 0; i < 24; i++) cr_assert_eq(after[i], i % 2 ? 1000 + i / 6 * 3 + i % 6 / 2 : i, "element %d", i);
    LAB_CHECK(lab_array_get_item(view, 5, &item));
    cr_assert_eq(item, 1005);
    LAB_CHECK(lab_array_set_item(view, 5, &(int){7}));
    LAB_CHECK(lab_array_get_item(x, 11, &item));
    cr_assert_eq(item, 7);
    LAB_CHECK(lab_array_fill(view, LAB_ARG(3), NULL));
    LAB_CHECK(lab_array_get(x, after));
    for (int i = 0; i < 24; i++) cr_assert_eq(after[i], i % 2 ? 3 : i, "element %d", i);
}

/* CuPy, ndarray: set and get with a stream. */
Test(strided, copies_on_a_stream_are_in_its_order)
{
    lab_stream *stream;
    lab_array *x = counted(LAB_INT32, LAB_SHAPE(16, 16)), *view = transposed(x, LAB_AXES(1, 0));
    int *host;
    LAB_CHECK(lab_device_synchronize());
    LAB_CHECK(lab_host_alloc((void **)&host, 2 * 256 * sizeof *host));
    for (int i = 0; i < 256; i++) host[i] = i;
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_array_set_async(view, host, stream));
    LAB_CHECK(lab_array_get_async(x, host + 256, stream));
    LAB_CHECK(lab_stream_synchronize(stream));
    for (int i = 0; i < 256; i++) cr_assert_eq(host[256 + i], i % 16 * 16 + i / 16, "element %d", i);
    LAB_CHECK(lab_array_get_async(view, host + 256, stream));
    LAB_CHECK(lab_stream_synchronize(stream));
    cr_assert_eq(memcmp(host, host + 256, 256 * sizeof *host), 0);
    LAB_CHECK(lab_host_free(host));
}

/* lab.h, Arrays: a view whose elements are side by side is contiguous, however it was made. */
Test(strided, a_view_can_be_contiguous_again)
{
    lab_array *x = counted(LAB_INT32, LAB_SHAPE(3, 4)), *twice, *flat, *few, *column;
    twice = transposed(transposed(x, LAB_AXES(1, 0)), LAB_AXES(1, 0));
    LAB_CHECK(lab_array_reshape(&flat, twice, LAB_SHAPE(12)));
    column = sliced(x, 1, 2, 1, 1);
    cr_assert_eq(lab_array_reshape(&few, column, LAB_SHAPE(3)), LAB_ERROR_INVALID_VALUE);
    cr_assert_not_null(strstr(lab_error_message(), "lab_array_copy"), "%s", lab_error_message());
    LAB_CHECK(lab_array_slice(&few, column, 1, 2));
    check_view(few, x, 6);
    LAB_CHECK(lab_array_slice(&few, column, 1, 1));
    LAB_CHECK(lab_array_reshape(&flat, few, LAB_SHAPE(1, 1, 1)));
}

/* lab.h, Arrays: what a view cannot be. */
Test(strided, impossible_views_are_refused)
{
    lab_array *x = counted(LAB_INT32, LAB_SHAPE(4, 6)), *view;
    const lab_axes wrong[] = {LAB_AXES(0),     LAB_AXES(0, 0),    LAB_AXES(0, -2), LAB_AXES(0, 2),
                              LAB_AXES(0, -3), LAB_AXES(0, 1, 2), {-1, {0}}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        cr_assert_eq(lab_array_transpose(&view, x, wrong[i]), LAB_ERROR_INVALID_VALUE, "%zu", i);
    const size_t most = SIZE_MAX;
    const struct {
        int axis;
        size_t first, count, step;
    } slice[] = {{2, 0, 1, 1}, {-3, 0, 1, 1}, {1, 0, 1, 0},    {1, 7, 0, 1},       {1, 6, 1, 1},
                 {1, 5, 2, 1}, {1, 0, 4, 2},  {1, 1, 2, most}, {1, 0, most, most}, {1, most, 1, 1}};
    for (size_t i = 0; i < sizeof slice / sizeof *slice; i++)
        cr_assert_eq(lab_array_slice_axis(&view, x, slice[i].axis, slice[i].first, slice[i].count, slice[i].step),
                     LAB_ERROR_INVALID_VALUE, "%zu", i);
    cr_assert_null(view);
    view = sliced(x, 1, 5, 1, most);
    cr_assert_eq(lab_array_count(view), 4);
    cr_assert_eq(lab_array_strides(NULL).dimensions, 0);
}

/* lab.h, Elementwise kernels: raw. */
Test(strided, a_raw_parameter_needs_a_contiguous_array)
{
    lab_elementwise *kernel;
    lab_array *x = counted(LAB_INT32, LAB_SHAPE(4, 6)), *view = transposed(x, LAB_AXES(1, 0)), *y;
    LAB_CHECK(lab_array_copy(&y, view, NULL));
    LAB_CHECK(lab_elementwise_create(&kernel, "raw T a", "T out", "out = a[n - 1 - i]", "back"));
    cr_assert_eq(lab_elementwise_launch(kernel, NULL, LAB_ARGS(view, y)), LAB_ERROR_INVALID_VALUE);
    cr_assert_not_null(strstr(lab_error_message(), "'a' is raw"), "%s", lab_error_message());
    LAB_CHECK(lab_elementwise_launch(kernel, NULL, LAB_ARGS(y, view)));
    LAB_CHECK(lab_elementwise_destroy(kernel));
}

/* CuPy, RawKernel: a view is the address of its first element. */
Test(strided, a_kernel_gets_the_address_of_the_first_element)
{
    static const char source[] =
        "extern \"C\" __global__ void column(int *out, int stride) { out[threadIdx.x * stride] = -1; }\n";
    lab_module *module;
    lab_function column;
    lab_array *x = counted(LAB_INT32, LAB_SHAPE(4, 6)), *view = sliced(x, 1, 2, 1, 1);
    int after[24];
    LAB_CHECK(lab_module_load_source(&module, source, NULL));
    LAB_CHECK(lab_module_get_function(&column, module, "column"));
    LAB_CHECK(
        lab_launch(column, LAB_DIM(1), LAB_DIM(4), 0, NULL, LAB_ARGS(view, (int)lab_array_strides(view).size[0])));
    LAB_CHECK(lab_array_get(x, after));
    for (int i = 0; i < 24; i++) cr_assert_eq(after[i], i % 6 == 2 ? -1 : i, "element %d", i);
}

/* CuPy, ReductionKernel: several axes of many dimensions, with keepdims. */
Test(strided, eight_dimensions_in_views_kernels_and_reductions)
{
    const lab_shape shape = LAB_SHAPE(4, 3, 2, 4, 3, 2, 2);
    lab_array *x = counted(LAB_INT32, shape), *y = empty_of(LAB_INT64, LAB_SHAPE(4, 1, 2, 1, 1, 2, 1));
    int64_t sum[16], expected[16] = {0};
    int of_view[MOST];
    LAB_CHECK(lab_array_sum_axes(y, x, LAB_AXES(1, 4, 3, 6), NULL));
    LAB_CHECK(lab_array_get(y, sum));
    for (int i = 0; i < 1152; i++) expected[i / 288 * 4 + i / 48 % 2 * 2 + i / 2 % 2] += i % 251;
    cr_assert_eq(memcmp(sum, expected, sizeof sum), 0);
    lab_array *eight = counted(LAB_INT32, LAB_SHAPE(2, 3, 2, 3, 2, 3, 2, 3)),
              *odd = transposed(eight, LAB_AXES(7, 5, 3, 1, 6, 4, 2, 0));
    check_view(odd, eight, 0);
    check_sum(eight, LAB_AXES(0, 2, 4, 6), empty_of(LAB_INT64, LAB_SHAPE(3, 3, 3, 3)));
    check_sum(eight, LAB_AXES(1, 3, 5, 7), empty_of(LAB_INT64, LAB_SHAPE(2, 2, 2, 2)));
    LAB_CHECK(lab_array_get(eight, of_view));
    lab_array *alternate = empty_of(LAB_INT64, LAB_SHAPE(2, 2, 2, 2));
    int64_t four[16], by_hand[16] = {0};
    LAB_CHECK(lab_array_sum_axes(alternate, eight, LAB_AXES(1, 3, 5, 7), NULL));
    LAB_CHECK(lab_array_get(alternate, four));
    for (int i = 0; i < 1296; i++) by_hand[i / 648 * 8 + i / 108 % 2 * 4 + i / 18 % 2 * 2 + i / 3 % 2] += of_view[i];
    cr_assert_eq(memcmp(four, by_hand, sizeof four), 0);
}

/* lab.h, Graphs: the library keeps what it allocates for a captured copy of a view. */
Test(strided, a_graph_repeats_the_copies_of_a_view)
{
    lab_stream *stream;
    lab_graph *graph;
    lab_graph_exec *exec;
    lab_array *x = counted(LAB_INT32, LAB_SHAPE(4, 4)), *view = transposed(x, LAB_AXES(1, 0));
    int *host, numbers[16];
    LAB_CHECK(lab_array_get(view, numbers)); /* compiles the kernel */
    LAB_CHECK(lab_host_alloc((void **)&host, 16 * sizeof *host));
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_stream_begin_capture(stream, LAB_CAPTURE_RELAXED));
    LAB_CHECK(lab_array_get_async(view, host, stream));
    LAB_CHECK(lab_stream_end_capture(&graph, stream));
    LAB_CHECK(lab_graph_instantiate(&exec, graph));
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 16; i++) numbers[i] = 100 * round + i;
        LAB_CHECK(lab_array_set(x, numbers));
        LAB_CHECK(lab_device_synchronize());
        LAB_CHECK(lab_graph_launch(exec, stream));
        LAB_CHECK(lab_stream_synchronize(stream));
        for (int i = 0; i < 16; i++) cr_assert_eq(host[i], numbers[i % 4 * 4 + i / 4], "element %d", i);
    }
    LAB_CHECK(lab_graph_exec_destroy(exec));
    LAB_CHECK(lab_graph_destroy(graph));
    LAB_CHECK(lab_host_free(host));
}

/* Reduction kernels: map, reduce, post-map and identity, the fixed order of combining, the built-in reductions, and
 * invalid calls (CuPy, "User-Defined Kernels", "Reduction kernels"). */
#include "gate.h"
#include "test.h"
#include "test_arrays.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static lab_array *arange(lab_dtype dtype, size_t count, int start)
{
    lab_array *array;
    LAB_CHECK(lab_array_arange(&array, dtype, count, LAB_ARG(start), LAB_ARG(1)));
    return array;
}

static lab_array *one(lab_dtype dtype) { return empty(dtype, 1); }

static lab_reduction *make(lab_reduction_source source)
{
    lab_reduction *kernel;
    if (!source.name) source.name = "tested";
    cr_assert_eq(lab_reduction_create(&kernel, &source), LAB_SUCCESS, "%s", lab_error_message());
    return kernel;
}

static const lab_reduction_source NORM = {
    .inputs = "T x", .outputs = "T y", .map = "x * x", .reduce = "a + b", .post_map = "y = sqrt(a)", .identity = "0"};

/* CuPy, ReductionKernel: map, reduce, post-map, identity. */
Test(reduction, maps_reduces_and_maps_the_result)
{
    lab_reduction *norm = make(NORM);
    lab_array *x = arange(LAB_FLOAT64, 5, 1), *y = one(LAB_FLOAT64);
    LAB_CHECK(lab_reduction_launch(norm, NULL, LAB_ARGS(x, y)));
    cr_assert_float_eq(value_of(y), sqrt(55), 1e-15);
    LAB_CHECK(lab_reduction_destroy(norm));
}

/* CuPy, ReductionKernel: map, reduce, post-map, identity. */
Test(reduction, takes_in_every_element_once_whatever_their_number)
{
    static const size_t counts[] = {1,     2,     3,     255,   256,    257,    511,     512,     513,
                                    16383, 16384, 16385, 16640, 100003, 262144, 1 << 20, 1000003, 1234567};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        lab_array *x = arange(LAB_INT64, counts[i], 1), *y = one(LAB_INT64);
        int64_t sum;
        LAB_CHECK(lab_array_sum(y, x, NULL));
        LAB_CHECK(lab_array_get_item(y, 0, &sum));
        cr_assert_eq(sum, (int64_t)(counts[i] * (counts[i] + 1) / 2), "%zu elements", counts[i]);
        LAB_CHECK(lab_array_min(y, x, NULL));
        cr_assert_eq(value_of(y), 1.0);
        LAB_CHECK(lab_array_max(y, x, NULL));
        cr_assert_eq(value_of(y), (double)counts[i]);
        LAB_CHECK(lab_array_destroy(x));
        LAB_CHECK(lab_array_destroy(y));
    }
}

/* CuPy, ReductionKernel: map, reduce, post-map, identity. */
Test(reduction, no_elements_give_the_identity)
{
    lab_array *none = arange(LAB_FLOAT32, 0, 0), *y = one(LAB_FLOAT32);
    lab_reduction *product = make((lab_reduction_source){
        .inputs = "T x", .outputs = "T y", .map = "x", .reduce = "a * b", .post_map = "y = a + 10", .identity = "1"});
    LAB_CHECK(lab_reduction_launch(product, NULL, LAB_ARGS(none, y)));
    cr_assert_eq(value_of(y), 11.0);
    LAB_CHECK(lab_array_sum(y, none, NULL));
    cr_assert_eq(value_of(y), 0.0);
    LAB_CHECK(lab_array_mean(y, none, NULL));
    cr_assert(isnan(value_of(y)));
}

/* lab.h, Reduction kernels: invalid arguments are refused. */
Test(reduction, no_elements_without_identity_are_refused)
{
    lab_array *none = arange(LAB_FLOAT32, 0, 0), *y = one(LAB_FLOAT32);
    cr_assert_eq(lab_array_max(y, none, NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_not_null(strstr(lab_error_message(), "identity"), "%s", lab_error_message());
}

/* CuPy, ReductionKernel: map, reduce, post-map, identity. */
Test(reduction, several_inputs_and_a_number)
{
    lab_reduction *weighted = make((lab_reduction_source){.inputs = "T x, T y, float32 scale",
                                                          .outputs = "T z",
                                                          .map = "x * y * scale",
                                                          .reduce = "a + b",
                                                          .post_map = "z = a",
                                                          .identity = "0"});
    lab_array *x = arange(LAB_FLOAT32, 100, 0), *y = arange(LAB_FLOAT32, 100, 1), *z = one(LAB_FLOAT32);
    LAB_CHECK(lab_reduction_launch(weighted, NULL, LAB_ARGS(x, y, 0.5, z)));
    cr_assert_eq(value_of(z), 166650.0);
}

/* CuPy, ReductionKernel: map, reduce, post-map, identity. */
Test(reduction, raw_inputs_and_the_index_are_known_to_the_map)
{
    lab_reduction *ends = make((lab_reduction_source){.inputs = "raw int32 x",
                                                      .outputs = "int64 y",
                                                      .map = "x[i] * x[n - 1 - i]",
                                                      .reduce = "a + b",
                                                      .post_map = "y = a",
                                                      .identity = "0"});
    lab_array *x = arange(LAB_INT32, 4, 1), *y = one(LAB_INT64);
    cr_assert_eq(lab_reduction_launch(ends, NULL, LAB_ARGS(x, y)), LAB_ERROR_INVALID_VALUE, "no size is known");
    LAB_CHECK(lab_reduction_launch_sized(ends, 4, NULL, LAB_ARGS(x, y)));
    cr_assert_eq(value_of(y), 20.0);
}

/* CuPy, ReductionKernel: map, reduce, post-map, identity. */
Test(reduction, several_outputs_share_the_result)
{
    lab_reduction *both = make((lab_reduction_source){.inputs = "float32 x",
                                                      .outputs = "float32 sum, float64 mean",
                                                      .map = "x",
                                                      .reduce = "a + b",
                                                      .post_map = "sum = a; mean = (double)a / n",
                                                      .identity = "0"});
    lab_array *x = arange(LAB_FLOAT32, 10, 0), *sum = one(LAB_FLOAT32), *mean = one(LAB_FLOAT64);
    LAB_CHECK(lab_reduction_launch(both, NULL, LAB_ARGS(x, sum, mean)));
    cr_assert_eq(value_of(sum), 45.0);
    cr_assert_eq(value_of(mean), 4.5);
}

/* CuPy, ReductionKernel: map, reduce, post-map, identity. */
Test(reduction, values_are_combined_in_the_reduce_type)
{
    lab_reduction_source wide = {.inputs = "T x",
                                 .outputs = "int64 y",
                                 .map = "x",
                                 .reduce = "a + b",
                                 .post_map = "y = a",
                                 .identity = "0",
                                 .reduce_type = "int64"};
    lab_reduction_source narrow = wide;
    narrow.reduce_type = "T";
    lab_array *x, *y = one(LAB_INT64);
    LAB_CHECK(lab_array_full(&x, LAB_UINT8, LAB_SHAPE(1000), LAB_ARG(200)));
    LAB_CHECK(lab_reduction_launch(make(wide), NULL, LAB_ARGS(x, y)));
    cr_assert_eq(value_of(y), 200000.0);
    LAB_CHECK(lab_reduction_launch(make(narrow), NULL, LAB_ARGS(x, y)));
    cr_assert_eq(value_of(y), (double)(200000 % 256));
}

/* ---- order and accuracy ---- */

/* Sums on the host in the order that lab.h and backend.h promise. */
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

/* lab.h, Reduction kernels: the order of combining. */
Test(reduction, the_order_of_a_sum_is_the_documented_one)
{
    static const size_t counts[] = {1, 100, 255, 300, 1000, 16384, 16385, 50000, 1000003};
    enum { MOST = 1000003, TILE = 16384 };
    float *host = malloc(MOST * sizeof *host), partial[MOST / TILE + 1];
    lab_array *all, *x, *y = one(LAB_FLOAT32);
    LAB_CHECK(lab_array_random_normal(&all, LAB_FLOAT32, LAB_SHAPE(MOST), 1, 100, 7));
    LAB_CHECK(lab_array_get(all, host));
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        size_t tiles = 0;
        for (size_t first = 0; first < counts[c]; first += TILE)
            partial[tiles++] = sum_in_order(host + first, counts[c] - first < TILE ? counts[c] - first : TILE);
        LAB_CHECK(lab_array_slice(&x, all, 0, counts[c]));
        LAB_CHECK(lab_array_sum(y, x, NULL));
        cr_assert_eq((float)value_of(y), sum_in_order(partial, tiles), "%zu elements", counts[c]);
        LAB_CHECK(lab_array_destroy(x));
    }
    free(host);
}

/* lab.h, Reduction kernels: the order of combining. */
Test(reduction, a_sum_has_the_same_bits_every_time_and_on_every_stream)
{
    lab_array *x, *y = one(LAB_FLOAT32);
    lab_stream *streams[4];
    LAB_CHECK(lab_array_random_uniform(&x, LAB_FLOAT32, LAB_SHAPE(1 << 20), -1, 1, 3));
    LAB_CHECK(lab_array_sum(y, x, NULL));
    double first = value_of(y);
    for (int i = 0; i < 4; i++) LAB_CHECK(lab_stream_create(&streams[i], LAB_STREAM_DEFAULT));
    for (int round = 0; round < 20; round++) {
        lab_array *each[4];
        for (int i = 0; i < 4; i++) {
            each[i] = one(LAB_FLOAT32);
            LAB_CHECK(lab_array_sum(each[i], x, streams[i]));
        }
        for (int i = 0; i < 4; i++) cr_assert_eq(value_of(each[i]), first);
    }
}

/* lab.h, Reduction kernels: the order of combining. */
Test(reduction, the_error_of_a_sum_stays_within_its_bound)
{
    enum { COUNT = 1 << 20 };
    float *host = malloc(COUNT * sizeof *host);
    lab_array *x, *y = one(LAB_FLOAT32);
    long double exact = 0;
    LAB_CHECK(lab_array_random_uniform(&x, LAB_FLOAT32, LAB_SHAPE(COUNT), 0, 1, 11));
    LAB_CHECK(lab_array_get(x, host));
    for (int i = 0; i < COUNT; i++) exact += host[i];
    free(host);
    LAB_CHECK(lab_array_sum(y, x, NULL));
    cr_assert_float_eq(value_of(y), (double)exact, 96 * 0x1p-24 * (double)exact);
}

/* ---- built-in reductions ---- */

/* CuPy, ndarray: sum, mean, min, max, dot. */
Test(reduction, sum_mean_and_dot_compute_in_the_type_of_the_output)
{
    lab_array *x = arange(LAB_INT32, 1000, 0), *wide = one(LAB_INT64), *real = one(LAB_FLOAT64);
    LAB_CHECK(lab_array_dot(wide, x, x, NULL));
    cr_assert_eq(value_of(wide), 332833500.0);
    LAB_CHECK(lab_array_mean(real, x, NULL));
    cr_assert_eq(value_of(real), 499.5);
    LAB_CHECK(lab_array_sum(real, x, NULL));
    cr_assert_eq(value_of(real), 499500.0);
}

/* CuPy, ndarray: sum, mean, min, max, dot. */
Test(reduction, products_of_a_dot_do_not_overflow_the_inputs_type)
{
    lab_array *x, *y = one(LAB_INT64);
    LAB_CHECK(lab_array_full(&x, LAB_INT32, LAB_SHAPE(3), LAB_ARG(100000)));
    LAB_CHECK(lab_array_dot(y, x, x, NULL));
    cr_assert_eq(value_of(y), 3e10);
}

/* CuPy, ndarray: sum, mean, min, max, dot. */
Test(reduction, min_and_max_give_nan_if_an_element_is)
{
    enum { COUNT = 40000 };
    lab_array *x = arange(LAB_FLOAT32, COUNT, -5), *y = one(LAB_FLOAT32);
    LAB_CHECK(lab_array_min(y, x, NULL));
    cr_assert_eq(value_of(y), -5.0);
    static const size_t places[] = {0, 1, 300, 16384, COUNT - 1};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        lab_array *with_nan;
        LAB_CHECK(lab_array_copy(&with_nan, x, NULL));
        LAB_CHECK(lab_array_set_item(with_nan, places[i], &(float){NAN}));
        LAB_CHECK(lab_array_min(y, with_nan, NULL));
        cr_assert(isnan(value_of(y)), "min with NaN at %zu", places[i]);
        LAB_CHECK(lab_array_max(y, with_nan, NULL));
        cr_assert(isnan(value_of(y)), "max with NaN at %zu", places[i]);
    }
}

/* CuPy, ndarray: sum, mean, min, max, dot. */
Test(reduction, copy_and_sum_on_a_stream)
{
    gate closed = GATE_CLOSED;
    lab_stream *stream;
    lab_array *y = one(LAB_INT64), *x = arange(LAB_INT64, 10, 0);
    int64_t *pinned;
    LAB_CHECK(lab_array_sum(y, x, NULL));
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_host_alloc((void **)&pinned, 10 * sizeof *pinned));
    for (int i = 0; i < 10; i++) pinned[i] = i * i;
    LAB_CHECK(lab_device_synchronize());
    gate_close_stream(&closed, stream);
    LAB_WITH_STREAM(stream)
    {
        LAB_CHECK(lab_array_set_async(x, pinned, NULL));
        LAB_CHECK(lab_array_sum(y, x, NULL));
    }
    cr_assert_eq(lab_stream_query(stream), LAB_ERROR_NOT_READY, "the launch does not wait for the result");
    gate_open(&closed);
    LAB_WITH_STREAM(stream) cr_assert_eq(value_of(y), 285.0);
}

/* ---- misuse ---- */

/* lab.h, Reduction kernels: invalid arguments are refused. */
Test(reduction, an_output_of_more_than_one_element_is_refused)
{
    lab_array *x = arange(LAB_FLOAT32, 4, 0);
    cr_assert_eq(lab_array_sum(x, x, NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert(strstr(lab_error_message(), "'y'") && strstr(lab_error_message(), "(4)"), "%s", lab_error_message());
}

/* CuPy, ReductionKernel: map, reduce, post-map, identity. */
Test(reduction, the_result_may_replace_the_only_element)
{
    lab_array *x = arange(LAB_FLOAT32, 1, 7);
    LAB_CHECK(lab_array_sum(x, x, NULL));
    cr_assert_eq(value_of(x), 7.0);
}

/* lab.h, Reduction kernels: invalid arguments are refused. */
Test(reduction, inputs_of_different_shapes_are_refused)
{
    lab_array *x = arange(LAB_FLOAT32, 4, 0), *y = arange(LAB_FLOAT32, 5, 0), *z = one(LAB_FLOAT32), *square;
    cr_assert_eq(lab_array_dot(z, x, y, NULL), LAB_ERROR_INVALID_VALUE);
    LAB_CHECK(lab_array_reshape(&square, x, LAB_SHAPE(4, 1)));
    cr_assert_eq(lab_array_dot(z, x, square, NULL), LAB_ERROR_INVALID_VALUE);
}

/* lab.h, Reduction kernels: invalid arguments are refused. */
Test(reduction, types_must_match)
{
    lab_array *x = arange(LAB_FLOAT32, 4, 0), *y = one(LAB_FLOAT64);
    cr_assert_eq(lab_array_max(y, x, NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_not_null(strstr(lab_error_message(), "float64"), "%s", lab_error_message());
}

/* lab.h, Reduction kernels: invalid arguments are refused. */
Test(reduction, malformed_sources_are_refused)
{
    lab_reduction *kernel = (lab_reduction *)&kernel;
    lab_reduction_source source = NORM;
    cr_assert_eq(lab_reduction_create(NULL, &source), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_reduction_create(&kernel, NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_null(kernel);
    source.map = NULL;
    cr_assert_eq(lab_reduction_create(&kernel, &source), LAB_ERROR_INVALID_VALUE);
    source = NORM, source.inputs = "T a";
    cr_assert_eq(lab_reduction_create(&kernel, &source), LAB_ERROR_INVALID_VALUE, "a is the combined value");
    source = NORM, source.outputs = "raw T y";
    cr_assert_eq(lab_reduction_create(&kernel, &source), LAB_ERROR_INVALID_VALUE);
    source = NORM, source.reduce_type = "W";
    cr_assert_eq(lab_reduction_create(&kernel, &source), LAB_ERROR_INVALID_VALUE);
    source = NORM, source.name = "no name";
    cr_assert_eq(lab_reduction_create(&kernel, &source), LAB_ERROR_INVALID_VALUE);
}

/* lab.h, Reduction kernels: invalid arguments are refused. */
Test(reduction, an_expression_that_does_not_compile_names_itself)
{
    lab_reduction_source source = NORM;
    source.reduce = "a plus b";
    lab_array *x = arange(LAB_FLOAT32, 4, 0), *y = one(LAB_FLOAT32);
    cr_assert_eq(lab_reduction_launch(make(source), NULL, LAB_ARGS(x, y)), LAB_ERROR_INVALID_SOURCE);
    cr_assert_not_null(strstr(lab_error_message(), "tested:1:"), "%s", lab_error_message());
}

/* lab.h, Reduction kernels: invalid arguments are refused. */
Test(reduction, what_was_destroyed_is_refused)
{
    lab_reduction *norm = make(NORM);
    lab_array *x = arange(LAB_FLOAT32, 4, 0), *y = one(LAB_FLOAT32);
    LAB_CHECK(lab_reduction_destroy(norm));
    cr_assert_eq(lab_reduction_launch(norm, NULL, LAB_ARGS(x, y)), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_reduction_launch_sized(norm, 4, NULL, LAB_ARGS(x, y)), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_reduction_destroy(norm), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_reduction_destroy(NULL), LAB_SUCCESS);
    LAB_CHECK(lab_array_destroy(x));
    cr_assert_eq(lab_array_sum(y, x, NULL), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_array_sum(NULL, y, NULL), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_array_dot(y, y, NULL, NULL), LAB_ERROR_INVALID_HANDLE);
}

/* CuPy, ReductionKernel: map, reduce, post-map, identity. */
Test(reduction, works_in_one_context_after_another)
{
    for (int round = 0; round < 4; round++) {
        lab_context *own;
        LAB_CHECK(lab_context_create(&own, 0));
        lab_array *x = arange(LAB_FLOAT32, 1 << 16, 0), *y = one(LAB_FLOAT32), *all, *shifted;
        LAB_CHECK(lab_array_sum(y, x, NULL));
        cr_assert_float_eq(value_of(y), 2147450880.0, 1e5);
        LAB_CHECK(lab_array_slice(&all, x, 0, 1000));
        LAB_CHECK(lab_array_slice(&shifted, x, 1, 1000));
        lab_elementwise *copy;
        LAB_CHECK(lab_elementwise_create(&copy, "T x", "T y", "y = x", "copy_elements"));
        LAB_CHECK(lab_elementwise_launch(copy, NULL, LAB_ARGS(all, shifted)));
        LAB_CHECK(lab_context_destroy(own));
        LAB_CHECK(lab_elementwise_destroy(copy));
    }
}

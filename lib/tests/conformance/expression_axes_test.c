/* Expressions with reductions along axes, with several of them, and with what they are computed from: host data give
 * the same answers as device data (CuPy, "Kernel Fusion"; NumPy: sum, prod, min, max with axis and keepdims). */
#include "test.h"
#include "test_arrays.h"

#include "lab.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 8 };

/* An array of the program, as an argument. */
typedef struct given {
    lab_dtype dtype;
    lab_shape shape;
    void *memory;
} given;

static lab_expression *make(const char *inputs, const char *text)
{
    lab_expression *made;
    cr_assert_eq(lab_expression_create(&made, inputs, text, "tested"), LAB_SUCCESS, "%s: %s", text,
                 lab_error_message());
    return made;
}

/* Computes on the device, then on the host, where the results stay. An array that is given twice is one array on the
 * device too. Checks that both have the same bits. */
static void compute(const char *inputs, const char *text, int count, const given *array)
{
    lab_expression *made = make(inputs, text);
    lab_host_array host[MOST];
    lab_array *device[MOST];
    lab_arg on_host[MOST], on_device[MOST];
    for (int i = 0; i < count; i++) {
        host[i] = (lab_host_array){array[i].memory, array[i].dtype, array[i].shape};
        device[i] = NULL;
        for (int k = 0; k < i; k++)
            if (array[k].memory == array[i].memory) device[i] = device[k];
        if (!device[i]) LAB_CHECK(lab_array_from_host(&device[i], array[i].dtype, array[i].shape, array[i].memory));
        on_host[i] = (lab_arg){LAB_ARG_HOST_ARRAY, sizeof(lab_host_array), {.host = &host[i]}};
        on_device[i] = LAB_ARG(device[i]);
    }
    cr_assert_eq(lab_expression_apply(made, NULL, (lab_args){on_device, count}), LAB_SUCCESS, "%s: %s", text,
                 lab_error_message());
    cr_assert_eq(lab_expression_apply(made, NULL, (lab_args){on_host, count}), LAB_SUCCESS, "%s: %s", text,
                 lab_error_message());
    for (int i = 0; i < count; i++) {
        const size_t bytes = lab_array_bytes(device[i]);
        unsigned char *got = malloc(bytes + 1);
        LAB_CHECK(lab_array_get(device[i], got));
        cr_assert_arr_eq(got, array[i].memory, bytes, "%s: host and device differ in array %d", text, i);
        free(got);
    }
    LAB_CHECK(lab_expression_destroy(made));
}

#define COMPUTE(inputs, text, ...)                                                                                     \
    compute(inputs, text, (int)(sizeof((given[]){__VA_ARGS__}) / sizeof(given)), (given[]){__VA_ARGS__})

/* Numbers of the shape (3, 4), which are used as x and y. */
static int64_t x[12], y[12];

static void fill(void)
{
    for (int i = 0; i < 12; i++) x[i] = 3 * i + 1, y[i] = i * i - 20;
}

#define X                                                                                                              \
    {                                                                                                                  \
        LAB_INT64, LAB_SHAPE(3, 4), x                                                                                  \
    }
#define Y                                                                                                              \
    {                                                                                                                  \
        LAB_INT64, LAB_SHAPE(3, 4), y                                                                                  \
    }

/* NumPy, sum: axis and keepdims. CuPy, fuse: sum(x * 3, axis). */
Test(expression_axes, a_reduction_takes_axes_as_numpys)
{
    int64_t rows[3], columns[4], all;
    fill();
    static const char *const by_row[] = {"sum(x * 3 + y, axis=1)", "sum(x * 3 + y, 1)", "sum(x * 3 + y, axis=-1)",
                                         "sum(x * 3 + y, axis=(1,))", "sum(x * 3 + y, axis=1, keepdims=False)"};
    for (size_t k = 0; k < sizeof by_row / sizeof *by_row; k++) {
        memset(rows, 0, sizeof rows);
        COMPUTE("x, y", by_row[k], X, Y, {LAB_INT64, LAB_SHAPE(3), rows});
        for (int r = 0; r < 3; r++) {
            int64_t expected = 0;
            for (int c = 0; c < 4; c++) expected += 3 * x[4 * r + c] + y[4 * r + c];
            cr_assert_eq(rows[r], expected, "%s", by_row[k]);
        }
    }
    COMPUTE("x", "max(x, axis=0, keepdims=True) - 1", X, {LAB_INT64, LAB_SHAPE(1, 4), columns});
    for (int c = 0; c < 4; c++) cr_assert_eq(columns[c], x[8 + c] - 1);
    COMPUTE("x", "sum(x, axis=(0, -1))", X, {LAB_INT64, LAB_SHAPE(1), &all});
    cr_assert_eq(all, 12 + 3 * 66);
    COMPUTE("x", "min(x, axis=None)", X, {LAB_INT64, LAB_SHAPE(1), &all});
    cr_assert_eq(all, 1);
}

/* CuPy, fuse: sum(sqrt(x) + y, axis) * 2 + y; x / sum(x). */
Test(expression_axes, a_reduction_and_what_it_reduces_stand_together)
{
    int64_t out[12];
    double real[12];
    fill();
    COMPUTE("x, y", "sum(x, axis=0) * 2 + y", X, Y, {LAB_INT64, LAB_SHAPE(3, 4), out});
    for (int i = 0; i < 12; i++) cr_assert_eq(out[i], 2 * (x[i % 4] + x[i % 4 + 4] + x[i % 4 + 8]) + y[i]);
    COMPUTE("x", "x / sum(x)", X, {LAB_FLOAT64, LAB_SHAPE(3, 4), real});
    for (int i = 0; i < 12; i++) cr_assert_eq(real[i], (double)x[i] / 210.0);
    COMPUTE("x, y", "sum(x, axis=0) + sum(y)", X, Y, {LAB_INT64, LAB_SHAPE(4), out});
    for (int c = 0; c < 4; c++) cr_assert_eq(out[c], x[c] + x[c + 4] + x[c + 8] + 506 - 240);
}

/* CuPy, fuse: prod(axis=1).sum(axis=1); (sqrt(x).prod(axis=0) + x).sum(axis=1) * 2. Operands broadcast. */
Test(expression_axes, reductions_follow_reductions)
{
    int64_t cube[60], sums[3], rows[12];
    double values[60], halves[15];
    for (int i = 0; i < 60; i++) cube[i] = i % 7 + 1, values[i] = (double)(i % 5 + 1);
    COMPUTE("x", "sum(prod(x, axis=1), axis=1)", {LAB_INT64, LAB_SHAPE(3, 4, 5), cube},
            {LAB_INT64, LAB_SHAPE(3), sums});
    for (int a = 0; a < 3; a++) {
        int64_t expected = 0;
        for (int c = 0; c < 5; c++) {
            int64_t product = 1;
            for (int b = 0; b < 4; b++) product *= cube[20 * a + 5 * b + c];
            expected += product;
        }
        cr_assert_eq(sums[a], expected);
    }
    COMPUTE("x", "sum(prod(x, axis=0) + x, axis=1) * 2", {LAB_FLOAT64, LAB_SHAPE(3, 4, 5), values},
            {LAB_FLOAT64, LAB_SHAPE(3, 5), halves});
    for (int a = 0; a < 3; a++)
        for (int c = 0; c < 5; c++) {
            double expected = 0;
            for (int b = 0; b < 4; b++) {
                const int at = 5 * b + c;
                expected += values[at] * values[20 + at] * values[40 + at] + values[20 * a + at];
            }
            cr_assert_eq(halves[5 * a + c], 2 * expected);
        }
    COMPUTE("x, y", "sum(x * y, axis=0)", {LAB_INT64, LAB_SHAPE(3, 1), cube}, {LAB_INT64, LAB_SHAPE(4), cube + 30},
            {LAB_INT64, LAB_SHAPE(4), rows});
    for (int c = 0; c < 4; c++) cr_assert_eq(rows[c], (cube[0] + cube[1] + cube[2]) * cube[30 + c]);
}

/* CuPy, fuse: a function returns results of several shapes, and changes its arguments. */
Test(expression_axes, results_of_several_shapes_are_computed_at_once)
{
    int64_t a[12], b[4], c[4], first[12], second[12];
    fill();
    memcpy(first, x, sizeof x);
    memcpy(second, y, sizeof y);
    COMPUTE("x, y",
            "sum(x + sum(x + y, axis=0), axis=0), sum(x + y, axis=0), x + sum(x + y, axis=0), "
            "y + sum(x + sum(x + y, axis=0), axis=0), x + y",
            X, Y, {LAB_INT64, LAB_SHAPE(4), c}, {LAB_INT64, LAB_SHAPE(4), b}, X, Y, {LAB_INT64, LAB_SHAPE(3, 4), a});
    for (int i = 0; i < 12; i++) {
        int64_t sum = 0, second_sum = 0;
        for (int r = 0; r < 3; r++) sum += first[i % 4 + 4 * r] + second[i % 4 + 4 * r];
        for (int r = 0; r < 3; r++) second_sum += first[i % 4 + 4 * r] + sum;
        cr_assert_eq(a[i], first[i] + second[i]);
        cr_assert_eq(b[i % 4], sum);
        cr_assert_eq(c[i % 4], second_sum);
        cr_assert_eq(x[i], first[i] + sum);
        cr_assert_eq(y[i], second[i] + second_sum);
    }
}

/* CuPy, fuse: its example, the normalisation of a batch. */
Test(expression_axes, a_batch_is_normalised)
{
    enum { BATCH = 3, CHANNELS = 4, SIDE = 6, COUNT = BATCH * CHANNELS * SIDE };
    static float in[COUNT], gamma[CHANNELS], beta[CHANNELS], mean[CHANNELS], out[COUNT];
    for (int i = 0; i < COUNT; i++) in[i] = (float)(i * 37 % 64);
    for (int c = 0; c < CHANNELS; c++) gamma[c] = (float)(c + 1), beta[c] = (float)(8 * c), mean[c] = 16;
    COMPUTE("x, gamma, beta, mean",
            "gamma * (x - sum(x, axis=(0, 2), keepdims=True) / 16) + beta, "
            "mean * 0.5 + 0.5 * (sum(x, axis=(0, 2), keepdims=True) / 16)",
            {LAB_FLOAT32, LAB_SHAPE(BATCH, CHANNELS, SIDE), in}, {LAB_FLOAT32, LAB_SHAPE(1, CHANNELS, 1), gamma},
            {LAB_FLOAT32, LAB_SHAPE(1, CHANNELS, 1), beta}, {LAB_FLOAT32, LAB_SHAPE(1, CHANNELS, 1), mean},
            {LAB_FLOAT32, LAB_SHAPE(BATCH, CHANNELS, SIDE), out}, {LAB_FLOAT32, LAB_SHAPE(1, CHANNELS, 1), mean});
    for (int c = 0; c < CHANNELS; c++) {
        float sum = 0; /* all numbers are multiples of 1/32 and small: every order gives the same sum */
        for (int i = 0; i < COUNT; i++)
            if (i / SIDE % CHANNELS == c) sum += in[i];
        cr_assert_eq(mean[c], 8 + 0.5f * (sum / 16));
        for (int i = 0; i < COUNT; i++)
            if (i / SIDE % CHANNELS == c) cr_assert_eq(out[i], gamma[c] * (in[i] - sum / 16) + beta[c]);
    }
}

/* lab.h, Reduction kernels: each result has the same bits as a reduction of its elements alone. */
Test(expression_axes, sums_have_the_same_bits_on_host_and_device)
{
    enum { ROWS = 7, COLUMNS = 17001 };
    float *many = malloc(sizeof(float) * ROWS * COLUMNS), rows[ROWS], alone;
    float *columns = malloc(sizeof(float) * COLUMNS);
    for (int i = 0; i < ROWS * COLUMNS; i++) many[i] = 1.0f / (float)(i % 1013 + 1);
    COMPUTE("x", "sum(x + 0.25, axis=1)", {LAB_FLOAT32, LAB_SHAPE(ROWS, COLUMNS), many},
            {LAB_FLOAT32, LAB_SHAPE(ROWS), rows});
    COMPUTE("x", "sum(x + 0.25)", {LAB_FLOAT32, LAB_SHAPE(COLUMNS), many + 2 * COLUMNS},
            {LAB_FLOAT32, LAB_SHAPE(1), &alone});
    cr_assert_eq(rows[2], alone);
    COMPUTE("x", "sum(x, axis=0) / 3", {LAB_FLOAT32, LAB_SHAPE(ROWS, COLUMNS), many},
            {LAB_FLOAT32, LAB_SHAPE(COLUMNS), columns});
    free(many);
    free(columns);
}

/* CuPy, fuse: where(mask, inf, x), astype. */
Test(expression_axes, values_are_chosen_and_converted)
{
    static const double expected[] = {1.5, INFINITY, -2, INFINITY};
    double values[] = {1.5, 2, -2, 1e300}, out[4], zero[] = {0.0, -0.0, NAN, 1e-310}, chosen[4];
    uint8_t mask[] = {0, 1, 0, 255};
    int32_t whole[4];
    int64_t none[1] = {0};
    COMPUTE("x, mask", "where(mask, inf, x)", {LAB_FLOAT64, LAB_SHAPE(4), values}, {LAB_UINT8, LAB_SHAPE(4), mask},
            {LAB_FLOAT64, LAB_SHAPE(4), out});
    for (int i = 0; i < 4; i++) cr_assert_eq(out[i], expected[i]);
    COMPUTE("x", "where(x, 1.0, 0.0)", {LAB_FLOAT64, LAB_SHAPE(4), zero}, {LAB_FLOAT64, LAB_SHAPE(4), chosen});
    cr_assert(chosen[0] == 0 && chosen[1] == 0 && chosen[2] == 1 && chosen[3] == 1, "NaN and subnormals are not 0");
    COMPUTE("x", "int32(x) + 1", {LAB_FLOAT64, LAB_SHAPE(4), values}, {LAB_INT32, LAB_SHAPE(4), whole});
    cr_assert(whole[0] == 2 && whole[1] == 3 && whole[2] == -1 && whole[3] == INT32_MIN);
    COMPUTE("x", "where(x, nan, 2)", {LAB_INT64, LAB_SHAPE(1), none}, {LAB_FLOAT64, LAB_SHAPE(1), out});
    cr_assert_eq(out[0], 2.0);
    none[0] = 7;
    COMPUTE("x", "where(x, nan, 2)", {LAB_INT64, LAB_SHAPE(1), none}, {LAB_FLOAT64, LAB_SHAPE(1), out});
    cr_assert(isnan(out[0]));
}

/* lab.h, Graphs: what generated kernels need besides their arguments is kept for the graph. */
Test(expression_axes, a_graph_keeps_the_values_between_its_kernels)
{
    lab_stream *stream;
    lab_graph *graph;
    lab_graph_exec *exec;
    int64_t got[12];
    fill();
    lab_expression *made = make("x", "x - max(x, axis=1, keepdims=True)"), *other = make("x", "x + sum(x, axis=0)");
    lab_array *in, *out, *another;
    LAB_CHECK(lab_array_from_host(&in, LAB_INT64, LAB_SHAPE(3, 4), x));
    LAB_CHECK(lab_array_empty(&out, LAB_INT64, LAB_SHAPE(3, 4)));
    LAB_CHECK(lab_array_empty(&another, LAB_INT64, LAB_SHAPE(3, 4)));
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_device_synchronize());
    LAB_CHECK(lab_stream_begin_capture(stream, LAB_CAPTURE_RELAXED));
    LAB_CHECK(lab_expression_apply(made, stream, LAB_ARGS(in, out)));
    LAB_CHECK(lab_stream_end_capture(&graph, stream));
    LAB_CHECK(lab_graph_instantiate(&exec, graph));
    for (int launch = 0; launch < 3; launch++) {
        LAB_CHECK(lab_graph_launch(exec, stream));
        LAB_CHECK(lab_expression_apply(other, NULL, LAB_ARGS(in, another)));
        LAB_CHECK(lab_stream_synchronize(stream));
        LAB_CHECK(lab_array_get(out, got));
        for (int i = 0; i < 12; i++) cr_assert_eq(got[i], x[i] - x[i / 4 * 4 + 3], "launch %d", launch);
    }
    LAB_CHECK(lab_graph_exec_destroy(exec));
    LAB_CHECK(lab_graph_destroy(graph));
}

/* NumPy, sum: axis. */
Test(expression_axes, what_is_not_an_axis_is_refused)
{
    static const char *const bad[] = {"sum(x, axis=)",
                                      "sum(x, axis=x)",
                                      "sum(x, axis=(0)",
                                      "sum(x, axis=())",
                                      "sum(x, keepdims=1)",
                                      "sum(x, keepdims)",
                                      "sum(x, 0, 1)",
                                      "sum(x, axis 0)",
                                      "sum(x, axis=(0,1,2,3,4,5,6,7,0))",
                                      "sum(x, axis=99999999999)",
                                      "where(x, x)",
                                      "int32(x, x)",
                                      "int12(x)"};
    static const char *const wrong[] = {"sum(x, axis=2)",      "sum(x, axis=-3)",
                                        "sum(x, axis=(0, 0))", "sum(3) + x",
                                        "x + sum(x, axis=1)",  "sum(x, axis=0, keepdims=True) + sum(x, axis=1)"};
    lab_expression *made;
    int64_t out[12];
    fill();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_assert_eq(lab_expression_create(&made, "x", bad[i], NULL), LAB_ERROR_INVALID_VALUE, "%s", bad[i]);
    lab_array *in, *to;
    LAB_CHECK(lab_array_from_host(&in, LAB_INT64, LAB_SHAPE(3, 4), x));
    LAB_CHECK(lab_array_empty(&to, LAB_INT64, LAB_SHAPE(3, 4)));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        made = make("x", wrong[i]);
        cr_assert_eq(lab_expression_apply(made, NULL, LAB_ARGS(in, to)), LAB_ERROR_INVALID_VALUE, "%s", wrong[i]);
        cr_assert_not_null(strstr(lab_error_message(), "tested"), "%s", lab_error_message());
        cr_assert_eq(lab_expression_apply(made, NULL,
                                          LAB_ARGS(LAB_HOST_ARRAY(x, LAB_INT64, LAB_SHAPE(3, 4)),
                                                   LAB_HOST_ARRAY(out, LAB_INT64, LAB_SHAPE(3, 4)))),
                     LAB_ERROR_INVALID_VALUE, "%s", wrong[i]);
        LAB_CHECK(lab_expression_destroy(made));
    }
}

/* lab.h, Expressions: results of one shape are written together, the others in the order of the text. */
Test(expression_axes, a_result_may_not_overwrite_what_a_later_one_reads)
{
    int64_t row[4] = {1, 2, 3, 4}, whole[12];
    fill();
    lab_expression *early = make("x, r", "r + sum(x), x + r"), *late = make("x, r", "x + r, r + sum(x)");
    const lab_arg host_x = LAB_HOST_ARRAY(x, LAB_INT64, LAB_SHAPE(3, 4)),
                  host_row = LAB_HOST_ARRAY(row, LAB_INT64, LAB_SHAPE(4)),
                  host_whole = LAB_HOST_ARRAY(whole, LAB_INT64, LAB_SHAPE(3, 4));
    lab_array *device_x, *device_row = from_host(LAB_INT64, 4, row), *device_whole;
    LAB_CHECK(lab_array_from_host(&device_x, LAB_INT64, LAB_SHAPE(3, 4), x));
    LAB_CHECK(lab_array_empty(&device_whole, LAB_INT64, LAB_SHAPE(3, 4)));
    cr_assert_eq(lab_expression_apply(early, NULL, LAB_ARGS(host_x, host_row, host_row, host_whole)),
                 LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_expression_apply(early, NULL, LAB_ARGS(device_x, device_row, device_row, device_whole)),
                 LAB_ERROR_INVALID_VALUE);
    cr_assert_not_null(strstr(lab_error_message(), "'r'"), "%s", lab_error_message());
    LAB_CHECK(lab_expression_apply(late, NULL, LAB_ARGS(host_x, host_row, host_whole, host_row)));
    LAB_CHECK(lab_expression_apply(late, NULL, LAB_ARGS(device_x, device_row, device_whole, device_row)));
    cr_assert_eq(row[3], 214);
    cr_assert_eq(whole[11], x[11] + 4);
}

/* Expressions: one kernel for a chain of operations, types by NumPy's rules (NEP 50), and the same answers from host
 * data as from device data (CuPy, "Kernel Fusion"; NumPy, "Array API: type promotion"). */
#include "lab_trace.h"
#include "test.h"
#include "test_arrays.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static lab_expression *make(const char *inputs, const char *text)
{
    lab_expression *made;
    cr_assert_eq(lab_expression_create(&made, inputs, text, "tested"), LAB_SUCCESS, "%s", lab_error_message());
    return made;
}

static lab_array *arange(lab_dtype dtype, size_t count, int start)
{
    lab_array *array;
    LAB_CHECK(lab_array_arange(&array, dtype, count, LAB_ARG(start), LAB_ARG(1)));
    return array;
}

/* ---- one function for both sides ---- */

static lab_expression *softplus_expression(void)
{
    static lab_expression *made;
    if (!made) LAB_CHECK(lab_expression_create(&made, "x", "maximum(0, x) + log1p(exp(-abs(x)))", "softplus"));
    return made;
}

/* Runs on the side of its arguments. */
static lab_status softplus(lab_arg x, lab_arg out)
{
    return lab_expression_apply(softplus_expression(), NULL, LAB_ARGS(x, out));
}

/* CuPy, get_array_module: one function for both sides. */
Test(expression, softplus_runs_on_host_data_and_on_device_data)
{
    enum { COUNT = 1000 };
    double x[COUNT], on_host[COUNT], on_device[COUNT];
    lab_array *device_x, *device_out = empty(LAB_FLOAT64, COUNT);
    LAB_CHECK(lab_array_random_normal(&device_x, LAB_FLOAT64, LAB_SHAPE(COUNT), 0, 20, 1));
    LAB_CHECK(lab_array_get(device_x, x));
    LAB_CHECK(softplus(LAB_HOST_ARRAY(x, LAB_FLOAT64, LAB_SHAPE(COUNT)),
                       LAB_HOST_ARRAY(on_host, LAB_FLOAT64, LAB_SHAPE(COUNT))));
    LAB_CHECK(softplus(LAB_ARG(device_x), LAB_ARG(device_out)));
    LAB_CHECK(lab_array_get(device_out, on_device));
    for (int i = 0; i < COUNT; i++) {
        double exact = fmax(0, x[i]) + log1p(exp(-fabs(x[i])));
        cr_assert_float_eq(on_host[i], exact, 1e-15 * exact);
        cr_assert_float_eq(on_device[i], exact, 1e-15 * exact + 1e-300);
    }
}

/* CuPy, get_array_module: one function for both sides. */
Test(expression, softplus_of_large_numbers_does_not_overflow)
{
    float x[4] = {-1000, 0, 1000, NAN}, y[4];
    LAB_CHECK(softplus(LAB_HOST_ARRAY(x, LAB_FLOAT32, LAB_SHAPE(4)), LAB_HOST_ARRAY(y, LAB_FLOAT32, LAB_SHAPE(4))));
    cr_assert(y[0] == 0 && y[1] == logf(2) && y[2] == 1000 && isnan(y[3]));
}

/* ---- fusion ---- */

/* CuPy, fuse: one kernel for a chain. */
Test(expression, a_chain_of_operations_is_one_kernel)
{
    lab_trace *trace;
    lab_expression *chain = make("x, y, z", "sin(x) + cos(y) / sqrt(z)");
    lab_array *x = arange(LAB_INT64, 10, 0), *y = arange(LAB_INT64, 10, 10), *z = arange(LAB_INT64, 10, 20);
    lab_array *out = empty(LAB_FLOAT64, 10);
    double host[10];
    LAB_CHECK(lab_trace_begin());
    LAB_CHECK(lab_expression_apply(chain, NULL, LAB_ARGS(x, y, z, out)));
    int line = __LINE__ - 1;
    LAB_CHECK(lab_trace_end(&trace));
    int kernels = 0;
    for (size_t i = 0; i < trace->ops; i++)
        if (trace->op[i].kind == LAB_OP_KERNEL) {
            kernels++;
            cr_assert_str_eq(trace->op[i].name, "tested");
            cr_assert_eq(trace->op[i].line, line);
        }
    cr_assert_eq(kernels, 1);
    LAB_CHECK(lab_array_get(out, host));
    for (int i = 0; i < 10; i++) cr_assert_float_eq(host[i], sin(i) + cos(10 + i) / sqrt(20 + i), 1e-15);
    lab_trace_free(trace);
}

/* NumPy, Type promotion: NEP 50, broadcasting, minimum. */
Test(expression, squared_diff_keeps_its_inputs_type)
{
    lab_expression *squared_diff = make("x, y", "(x - y) * (x - y)");
    for (lab_dtype dtype = LAB_INT32; dtype <= LAB_BFLOAT16; dtype++) {
        lab_array *b = arange(dtype, 10, 10), *c = arange(dtype, 10, 20), *out = empty(dtype, 10);
        unsigned char last[8];
        double value;
        cr_assert_eq(lab_expression_apply(squared_diff, NULL, LAB_ARGS(b, c, out)), LAB_SUCCESS, "%s",
                     lab_error_message());
        LAB_CHECK(lab_array_get_item(out, 9, last));
        LAB_CHECK(lab_cast_as_device(&value, LAB_FLOAT64, last, dtype, 1));
        cr_assert_eq(value, 100.0);
    }
}

/* ---- types ---- */

static lab_dtype type_of(const char *text, lab_arg x, lab_arg y)
{
    lab_expression *both = make("x, y", text);
    lab_dtype dtype;
    cr_assert_eq(lab_expression_dtype(&dtype, both, LAB_ARGS(x, y)), LAB_SUCCESS, "%s", lab_error_message());
    LAB_CHECK(lab_expression_destroy(both));
    return dtype;
}

#define OF(dtype) LAB_HOST_ARRAY(NULL, dtype, LAB_SHAPE(1))

/* numpy.result_type of every pair, rows and columns in the order of lab_dtype. */
/* NumPy, Type promotion: NEP 50, broadcasting, minimum. */
Test(expression, two_arrays_types_give_numpys_result_type)
{
    enum { i1 = LAB_INT8, u1, i2, u2, i4, u4, i8, u8, f4, f8, f2, b2 };
    static const int expected[12][12] = {
        {i1, i2, i2, i4, i4, i8, i8, f8, f4, f8, f2, b2}, {i2, u1, i2, u2, i4, u4, i8, u8, f4, f8, f2, b2},
        {i2, i2, i2, i4, i4, i8, i8, f8, f4, f8, f4, f4}, {i4, u2, i4, u2, i4, u4, i8, u8, f4, f8, f4, f4},
        {i4, i4, i4, i4, i4, i8, i8, f8, f8, f8, f8, f8}, {i8, u4, i8, u4, i8, u4, i8, u8, f8, f8, f8, f8},
        {i8, i8, i8, i8, i8, i8, i8, f8, f8, f8, f8, f8}, {f8, u8, f8, u8, f8, u8, f8, u8, f8, f8, f8, f8},
        {f4, f4, f4, f4, f8, f8, f8, f8, f4, f8, f4, f4}, {f8, f8, f8, f8, f8, f8, f8, f8, f8, f8, f8, f8},
        {f2, f2, f4, f4, f8, f8, f8, f8, f4, f8, f2, f4}, {b2, b2, f4, f4, f8, f8, f8, f8, f4, f8, f4, b2},
    };
    for (lab_dtype a = LAB_INT8; a <= LAB_BFLOAT16; a++)
        for (lab_dtype b = LAB_INT8; b <= LAB_BFLOAT16; b++)
            cr_assert_eq((int)type_of("x + y", OF(a), OF(b)), expected[a - 1][b - 1], "%s and %s give %s",
                         lab_dtype_name(a), lab_dtype_name(b), lab_dtype_name(type_of("x + y", OF(a), OF(b))));
}

/* NumPy, Type promotion: NEP 50, broadcasting, minimum. */
Test(expression, a_number_takes_the_arrays_type)
{
    cr_assert_eq(type_of("2 * x", OF(LAB_FLOAT32), LAB_ARG(0)), LAB_FLOAT32);
    cr_assert_eq(type_of("0.5 * x", OF(LAB_FLOAT32), LAB_ARG(0)), LAB_FLOAT32);
    cr_assert_eq(type_of("0.5 * x", OF(LAB_INT8), LAB_ARG(0)), LAB_FLOAT64);
    cr_assert_eq(type_of("0.5 * x + 70000", OF(LAB_FLOAT16), LAB_ARG(0)), LAB_FLOAT16);
    cr_assert_eq(type_of("x * y", OF(LAB_UINT8), LAB_ARG(3)), LAB_UINT8);
    cr_assert_eq(type_of("x * y", OF(LAB_FLOAT32), LAB_ARG(3.0)), LAB_FLOAT32);
    cr_assert_eq(type_of("x * y", LAB_ARG(2), LAB_ARG(3)), LAB_INT64);
    cr_assert_eq(type_of("1 + 2 * 0.5 + x", OF(LAB_FLOAT32), LAB_ARG(0)), LAB_FLOAT32);
}

/* NumPy, Type promotion: NEP 50, broadcasting, minimum. */
Test(expression, division_and_functions_of_integers_give_floating_point)
{
    cr_assert_eq(type_of("x / y", OF(LAB_INT8), OF(LAB_INT8)), LAB_FLOAT64);
    cr_assert_eq(type_of("x / 2", OF(LAB_FLOAT32), LAB_ARG(0)), LAB_FLOAT32);
    cr_assert_eq(type_of("sqrt(x)", OF(LAB_INT8), LAB_ARG(0)), LAB_FLOAT16);
    cr_assert_eq(type_of("sqrt(x)", OF(LAB_INT16), LAB_ARG(0)), LAB_FLOAT32);
    cr_assert_eq(type_of("sqrt(x)", OF(LAB_UINT32), LAB_ARG(0)), LAB_FLOAT64);
    cr_assert_eq(type_of("abs(x)", OF(LAB_INT16), LAB_ARG(0)), LAB_INT16);
    cr_assert_eq(type_of("maximum(0, x)", OF(LAB_INT16), LAB_ARG(0)), LAB_INT16);
}

/* lab.h, Expressions: invalid arguments are refused. */
Test(expression, a_number_that_does_not_fit_the_arrays_type_is_refused)
{
    lab_expression *add = make("x", "x + 300");
    lab_dtype dtype;
    cr_assert_eq(lab_expression_dtype(&dtype, add, LAB_ARGS(OF(LAB_UINT8))), LAB_ERROR_INVALID_VALUE);
    cr_assert(strstr(lab_error_message(), "300") && strstr(lab_error_message(), "uint8"), "%s", lab_error_message());
    cr_assert_eq(lab_expression_dtype(&dtype, add, LAB_ARGS(OF(LAB_UINT16))), LAB_SUCCESS);
}

/* ---- host and device agree ---- */

/* Uses every integer type, with values that wrap; host and device must agree to the last bit. */
/* NumPy, Type promotion: NEP 50, broadcasting, minimum. */
Test(expression, integers_wrap_alike_on_host_and_device)
{
    enum { COUNT = 300 };
    static const char text[] = "abs(-x * x + 7 * x) - maximum(x, 3) + minimum(x * x, -x)";
    lab_expression *mixed = make("x", text);
    for (lab_dtype dtype = LAB_INT8; dtype <= LAB_UINT64; dtype++) {
        unsigned char x[COUNT * 8], on_host[COUNT * 8], on_device[COUNT * 8];
        uint64_t state = 88172645463325252u;
        for (size_t i = 0; i < sizeof x; i++) {
            state ^= state << 13, state ^= state >> 7, state ^= state << 17;
            x[i] = (unsigned char)(state >> 32);
        }
        lab_array *device_x, *device_out = empty(dtype, COUNT);
        LAB_CHECK(lab_array_from_host(&device_x, dtype, LAB_SHAPE(COUNT), x));
        LAB_CHECK(lab_expression_apply(mixed, NULL, LAB_ARGS(device_x, device_out)));
        LAB_CHECK(lab_array_get(device_out, on_device));
        LAB_CHECK(lab_expression_apply(
            mixed, NULL,
            LAB_ARGS(LAB_HOST_ARRAY(x, dtype, LAB_SHAPE(COUNT)), LAB_HOST_ARRAY(on_host, dtype, LAB_SHAPE(COUNT)))));
        cr_assert_eq(memcmp(on_host, on_device, COUNT * lab_dtype_size(dtype)), 0, "%s", lab_dtype_name(dtype));
    }
}

/* NumPy, Type promotion: NEP 50, broadcasting, minimum. */
Test(expression, types_are_mixed_alike_on_host_and_device)
{
    enum { COUNT = 1000 };
    lab_expression *mixed = make("x, y, a", "(x + y) / a - 2.5 * -y");
    int16_t x[COUNT];
    uint32_t y[COUNT];
    double on_host[COUNT], on_device[COUNT];
    for (int i = 0; i < COUNT; i++) x[i] = (int16_t)(i * 77), y[i] = (uint32_t)i * 4000037u;
    lab_array *device_x, *device_y, *device_out = empty(LAB_FLOAT64, COUNT);
    LAB_CHECK(lab_array_from_host(&device_x, LAB_INT16, LAB_SHAPE(COUNT), x));
    LAB_CHECK(lab_array_from_host(&device_y, LAB_UINT32, LAB_SHAPE(COUNT), y));
    LAB_CHECK(lab_expression_apply(mixed, NULL, LAB_ARGS(device_x, device_y, 4, device_out)));
    LAB_CHECK(lab_array_get(device_out, on_device));
    LAB_CHECK(lab_expression_apply(mixed, NULL,
                                   LAB_ARGS(LAB_HOST_ARRAY(x, LAB_INT16, LAB_SHAPE(COUNT)),
                                            LAB_HOST_ARRAY(y, LAB_UINT32, LAB_SHAPE(COUNT)), 4,
                                            LAB_HOST_ARRAY(on_host, LAB_FLOAT64, LAB_SHAPE(COUNT)))));
    for (int i = 0; i < COUNT; i++) {
        cr_assert_eq(on_host[i], ((double)((int64_t)x[i] + y[i])) / 4 - 2.5 * (double)(uint32_t)(0u - y[i]));
        cr_assert_float_eq(on_device[i], on_host[i], 1e-15 * fabs(on_host[i]));
    }
}

/* CuPy, fuse: one kernel for a chain. */
Test(expression, every_function_agrees_on_host_and_device)
{
    static const char *const names[] = {"sqrt",  "exp",  "exp2", "expm1", "log",    "log2",   "log10",
                                        "log1p", "sin",  "cos",  "tan",   "arcsin", "arccos", "arctan",
                                        "sinh",  "cosh", "tanh", "floor", "ceil",   "abs"};
    enum { COUNT = 64, NAMES = sizeof names / sizeof *names };
    double x[COUNT], on_host[COUNT], on_device[COUNT];
    char text[NAMES * 24] = "0";
    for (int i = 0; i < NAMES; i++) snprintf(text + strlen(text), sizeof text - strlen(text), " + %s(x)", names[i]);
    for (int i = 0; i < COUNT; i++) x[i] = (i + 1) / 65.0;
    lab_expression *all = make("x", text);
    lab_array *device_x, *out = empty(LAB_FLOAT64, COUNT);
    LAB_CHECK(lab_array_from_host(&device_x, LAB_FLOAT64, LAB_SHAPE(COUNT), x));
    LAB_CHECK(lab_expression_apply(all, NULL, LAB_ARGS(device_x, out)));
    LAB_CHECK(lab_array_get(out, on_device));
    LAB_CHECK(lab_expression_apply(all, NULL,
                                   LAB_ARGS(LAB_HOST_ARRAY(x, LAB_FLOAT64, LAB_SHAPE(COUNT)),
                                            LAB_HOST_ARRAY(on_host, LAB_FLOAT64, LAB_SHAPE(COUNT)))));
    for (int i = 0; i < COUNT; i++) cr_assert_float_eq(on_device[i], on_host[i], 1e-13);
}

/* NumPy, Type promotion: NEP 50, broadcasting, minimum. */
Test(expression, shapes_broadcast_alike_on_host_and_device)
{
    enum { ROWS = 5, COLUMNS = 7 };
    lab_expression *table = make("row, column", "100 * row + column");
    float row[ROWS], column[COLUMNS], on_host[ROWS * COLUMNS], on_device[ROWS * COLUMNS];
    for (int i = 0; i < ROWS; i++) row[i] = (float)i;
    for (int i = 0; i < COLUMNS; i++) column[i] = (float)i;
    lab_array *device_row, *device_column, *device_out;
    LAB_CHECK(lab_array_from_host(&device_row, LAB_FLOAT32, LAB_SHAPE(ROWS, 1), row));
    LAB_CHECK(lab_array_from_host(&device_column, LAB_FLOAT32, LAB_SHAPE(COLUMNS), column));
    LAB_CHECK(lab_array_empty(&device_out, LAB_FLOAT32, LAB_SHAPE(ROWS, COLUMNS)));
    LAB_CHECK(lab_expression_apply(table, NULL, LAB_ARGS(device_row, device_column, device_out)));
    LAB_CHECK(lab_array_get(device_out, on_device));
    LAB_CHECK(lab_expression_apply(table, NULL,
                                   LAB_ARGS(LAB_HOST_ARRAY(row, LAB_FLOAT32, LAB_SHAPE(ROWS, 1)),
                                            LAB_HOST_ARRAY(column, LAB_FLOAT32, LAB_SHAPE(COLUMNS)),
                                            LAB_HOST_ARRAY(on_host, LAB_FLOAT32, LAB_SHAPE(ROWS, COLUMNS)))));
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        cr_assert_eq(on_host[i], (float)(100 * (i / COLUMNS) + i % COLUMNS));
        cr_assert_eq(on_device[i], on_host[i]);
    }
}

/* NumPy, Type promotion: NEP 50, broadcasting, minimum. */
Test(expression, minimum_and_maximum_give_nan_if_either_operand_is)
{
    float x[4] = {1, NAN, 3, NAN}, y[4] = {2, 2, NAN, NAN}, out[4];
    lab_expression *both = make("x, y", "maximum(x, y) + minimum(x, y)");
    LAB_CHECK(lab_expression_apply(both, NULL,
                                   LAB_ARGS(LAB_HOST_ARRAY(x, LAB_FLOAT32, LAB_SHAPE(4)),
                                            LAB_HOST_ARRAY(y, LAB_FLOAT32, LAB_SHAPE(4)),
                                            LAB_HOST_ARRAY(out, LAB_FLOAT32, LAB_SHAPE(4)))));
    cr_assert(out[0] == 3 && isnan(out[1]) && isnan(out[2]) && isnan(out[3]));
    lab_array *device_x, *device_y, *device_out = empty(LAB_FLOAT32, 4);
    LAB_CHECK(lab_array_from_host(&device_x, LAB_FLOAT32, LAB_SHAPE(4), x));
    LAB_CHECK(lab_array_from_host(&device_y, LAB_FLOAT32, LAB_SHAPE(4), y));
    LAB_CHECK(lab_expression_apply(both, NULL, LAB_ARGS(device_x, device_y, device_out)));
    LAB_CHECK(lab_array_get(device_out, out));
    cr_assert(out[0] == 3 && isnan(out[1]) && isnan(out[2]) && isnan(out[3]));
}

/* CuPy, fuse: one kernel for a chain. */
Test(expression, host_input_and_result_may_be_the_same_memory)
{
    float x[300];
    lab_expression *twice = make("x", "x + x");
    for (int i = 0; i < 300; i++) x[i] = (float)i;
    LAB_CHECK(lab_expression_apply(
        twice, NULL,
        LAB_ARGS(LAB_HOST_ARRAY(x, LAB_FLOAT32, LAB_SHAPE(300)), LAB_HOST_ARRAY(x, LAB_FLOAT32, LAB_SHAPE(300)))));
    for (int i = 0; i < 300; i++) cr_assert_eq(x[i], 2.0f * (float)i);
    cr_assert_eq(lab_expression_apply(twice, NULL,
                                      LAB_ARGS(LAB_HOST_ARRAY(x, LAB_FLOAT32, LAB_SHAPE(200)),
                                               LAB_HOST_ARRAY(x + 1, LAB_FLOAT32, LAB_SHAPE(200)))),
                 LAB_ERROR_INVALID_VALUE);
}

/* ---- misuse ---- */

/* NumPy, Type promotion: NEP 50, broadcasting, minimum. */
Test(expression, precedence_and_signs_are_those_of_arithmetic)
{
    lab_expression *sums = make("x", "1 + 2 * x - -(x - 10) / 4 * 2 - 3e1 + .5");
    double x = 7, out;
    LAB_CHECK(lab_expression_apply(
        sums, NULL,
        LAB_ARGS(LAB_HOST_ARRAY(&x, LAB_FLOAT64, LAB_SHAPE(1)), LAB_HOST_ARRAY(&out, LAB_FLOAT64, LAB_SHAPE(1)))));
    cr_assert_eq(out, 1 + 2 * x - -(x - 10) / 4 * 2 - 3e1 + .5);
}

/* lab.h, Expressions: invalid arguments are refused. */
Test(expression, malformed_texts_are_refused_with_the_place)
{
    static const char *const texts[] = {"",
                                        "x +",
                                        "(x",
                                        "x)",
                                        "x y",
                                        "sin x",
                                        "sin(x, x)",
                                        "maximum(x)",
                                        "z + x",
                                        "sinus(x)",
                                        "99999999999999999999",
                                        "1e999",
                                        "x ** 2",
                                        "x; x",
                                        "\"x\""};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        lab_expression *made = (lab_expression *)&made;
        cr_assert_eq(lab_expression_create(&made, "x", texts[i], "named"), LAB_ERROR_INVALID_VALUE, "\"%s\"", texts[i]);
        cr_assert_null(made);
        cr_assert_not_null(strstr(lab_error_message(), "'named'"), "%s", lab_error_message());
    }
    lab_expression *made;
    cr_assert_eq(lab_expression_create(&made, "x,", "x", NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_expression_create(&made, "x, x", "x", NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_expression_create(&made, "out", "out", NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_expression_create(&made, "x y", "x", NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_expression_create(&made, "x", "x", "two words"), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_expression_create(NULL, "x", "x", NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_expression_create(&made, NULL, "x", NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_expression_create(&made, "x", NULL, NULL), LAB_ERROR_INVALID_VALUE);
}

/* lab.h, Expressions: invalid arguments are refused. */
Test(expression, too_long_and_too_deep_texts_are_refused)
{
    enum { DEEP = 100000 };
    char *text = malloc(DEEP + 1);
    lab_expression *made;
    memset(text, '(', DEEP), text[DEEP] = '\0';
    cr_assert_eq(lab_expression_create(&made, "x", text, NULL), LAB_ERROR_INVALID_VALUE);
    memset(text, '-', DEEP);
    cr_assert_eq(lab_expression_create(&made, "x", text, NULL), LAB_ERROR_INVALID_VALUE);
    for (int i = 0; i < DEEP; i++) text[i] = i % 2 ? '+' : 'x';
    text[DEEP - 1] = '\0';
    cr_assert_eq(lab_expression_create(&made, "x", text, NULL), LAB_ERROR_NOT_SUPPORTED);
    free(text);
}

/* lab.h, Expressions: invalid arguments are refused. */
Test(expression, arrays_of_both_sides_are_refused)
{
    float host[4] = {0};
    lab_array *device = arange(LAB_FLOAT32, 4, 0);
    lab_expression *sum = make("x, y", "x + y");
    cr_assert_eq(
        lab_expression_apply(sum, NULL, LAB_ARGS(device, LAB_HOST_ARRAY(host, LAB_FLOAT32, LAB_SHAPE(4)), device)),
        LAB_ERROR_INVALID_VALUE);
    cr_assert(strstr(lab_error_message(), "'y'") && strstr(lab_error_message(), "host"), "%s", lab_error_message());
    cr_assert_eq(
        lab_expression_apply(sum, NULL, LAB_ARGS(device, device, LAB_HOST_ARRAY(host, LAB_FLOAT32, LAB_SHAPE(4)))),
        LAB_ERROR_INVALID_VALUE);
}

/* lab.h, Expressions: invalid arguments are refused. */
Test(expression, a_result_of_another_type_is_refused)
{
    lab_array *x = arange(LAB_INT32, 4, 0), *out = empty(LAB_FLOAT32, 4);
    lab_expression *half = make("x", "x / 2");
    cr_assert_eq(lab_expression_apply(half, NULL, LAB_ARGS(x, out)), LAB_ERROR_INVALID_VALUE);
    cr_assert(strstr(lab_error_message(), "float64") && strstr(lab_error_message(), "float32"), "%s",
              lab_error_message());
}

/* lab.h, Expressions: invalid arguments are refused. */
Test(expression, malformed_arguments_are_refused)
{
    float host[4] = {0};
    lab_expression *twice = make("x", "2 * x");
    lab_array *x = arange(LAB_FLOAT32, 4, 0), *gone = arange(LAB_FLOAT32, 4, 0);
    LAB_CHECK(lab_array_destroy(gone));
    cr_assert_eq(lab_expression_apply(twice, NULL, LAB_ARGS(x)), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_expression_apply(twice, NULL, LAB_ARGS(x, x, x)), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_expression_apply(twice, NULL, LAB_ARGS(x, 2.0f)), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_expression_apply(twice, NULL, LAB_ARGS(gone, x)), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_expression_apply(twice, NULL, LAB_ARGS(lab_array_data(x), x)), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_expression_apply(twice, NULL,
                                      LAB_ARGS(LAB_HOST_ARRAY(NULL, LAB_FLOAT32, LAB_SHAPE(4)),
                                               LAB_HOST_ARRAY(host, LAB_FLOAT32, LAB_SHAPE(4)))),
                 LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_expression_apply(twice, NULL,
                                      LAB_ARGS(LAB_HOST_ARRAY(host, LAB_FLOAT32, LAB_SHAPE(4)),
                                               LAB_HOST_ARRAY(NULL, LAB_FLOAT32, LAB_SHAPE(4)))),
                 LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_expression_apply(twice, NULL,
                                      LAB_ARGS(LAB_HOST_ARRAY(host, LAB_FLOAT32, LAB_SHAPE(3)),
                                               LAB_HOST_ARRAY(host, LAB_FLOAT32, LAB_SHAPE(4)))),
                 LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_expression_apply(twice, NULL,
                                      LAB_ARGS(LAB_HOST_ARRAY(host, LAB_FLOAT32, LAB_SHAPE(SIZE_MAX, 4)),
                                               LAB_HOST_ARRAY(host, LAB_FLOAT32, LAB_SHAPE(4)))),
                 LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_launch((lab_function){0}, LAB_DIM(1), LAB_DIM(1), 0, NULL, LAB_NO_ARGS), LAB_ERROR_INVALID_HANDLE);
}

/* lab.h, Expressions: invalid arguments are refused. */
Test(expression, what_was_destroyed_is_refused)
{
    lab_expression *twice = make("x", "2 * x");
    lab_array *x = arange(LAB_FLOAT32, 4, 0);
    lab_dtype dtype;
    LAB_CHECK(lab_expression_apply(twice, NULL, LAB_ARGS(x, x)));
    LAB_CHECK(lab_expression_destroy(twice));
    cr_assert_eq(lab_expression_apply(twice, NULL, LAB_ARGS(x, x)), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_expression_dtype(&dtype, twice, LAB_ARGS(x)), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_expression_dtype(NULL, twice, LAB_ARGS(x)), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_expression_destroy(twice), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_expression_destroy(NULL), LAB_SUCCESS);
}

/* Elementwise kernels with a preamble and a block size. */
#include "test.h"
#include "test_arrays.h"

#include "lab_trace.h"

#include <string.h>

enum { COUNT = 5000 };

static lab_elementwise *make(const char *body, const char *preamble, unsigned block_threads)
{
    lab_elementwise *kernel;
    const lab_elementwise_source source = {"T x, T y", "T z", body, "tested", preamble, block_threads};
    LAB_CHECK(lab_elementwise_create_from(&kernel, &source));
    return kernel;
}

static lab_array *counting(lab_dtype dtype)
{
    lab_array *array;
    LAB_CHECK(lab_array_arange(&array, dtype, COUNT, LAB_ARG(0), LAB_ARG(1)));
    return array;
}

static void check_sum(lab_elementwise *kernel, double per_element)
{
    static double host[COUNT];
    lab_array *x = counting(LAB_FLOAT64), *z = empty(LAB_FLOAT64, COUNT);
    cr_assert_eq(lab_elementwise_launch(kernel, NULL, LAB_ARGS(x, x, z)), LAB_SUCCESS, "%s", lab_error_message());
    LAB_CHECK(lab_array_get(z, host));
    for (int i = 0; i < COUNT; i++) cr_assert_eq(host[i], per_element * i, "element %d: %g", i, host[i]);
    LAB_CHECK(lab_array_destroy(x));
    LAB_CHECK(lab_array_destroy(z));
}

/* CuPy, ElementwiseKernel: preamble, a fragment of the CUDA C code that is inserted before the kernel. */
Test(elementwise_source, the_body_can_use_what_the_preamble_defines)
{
    lab_elementwise *kernel = make("z = weighted(x, y)",
                                   "template <class V> struct weight { static const int of = 3; };\n"
                                   "__device__ T weighted(T x, T y) { return x + weight<T>::of * y; }",
                                   0);
    check_sum(kernel, 4);
    LAB_CHECK(lab_elementwise_destroy(kernel));
}

/* CuPy, ElementwiseKernel: preamble; a type letter names another type in each launch. */
Test(elementwise_source, the_letters_of_the_preamble_are_the_types_of_the_launch)
{
    lab_elementwise *kernel = make("z = x + y + bytes()", "__device__ T bytes() { return sizeof(T); }", 0);
    lab_array *narrow = counting(LAB_INT16), *wide = counting(LAB_INT64);
    LAB_CHECK(lab_elementwise_launch(kernel, NULL, LAB_ARGS(narrow, narrow, narrow)));
    LAB_CHECK(lab_elementwise_launch(kernel, NULL, LAB_ARGS(wide, wide, wide)));
    cr_assert_eq(value_of(narrow), 2);
    cr_assert_eq(value_of(wide), 8);
    LAB_CHECK(lab_array_destroy(narrow));
    LAB_CHECK(lab_array_destroy(wide));
    LAB_CHECK(lab_elementwise_destroy(kernel));
}

/* lab.h, Elementwise kernels: the first launch of a text that does not compile fails. */
Test(elementwise_source, a_message_counts_the_lines_of_the_preamble)
{
    lab_elementwise *kernel =
        make("z = x", "__device__ int one() { return 1; }\n__device__ int two() { return tow; }", 0);
    lab_array *x = counting(LAB_FLOAT32);
    cr_assert_eq(lab_elementwise_launch(kernel, NULL, LAB_ARGS(x, x, x)), LAB_ERROR_INVALID_SOURCE);
    cr_assert(strstr(lab_error_message(), "tow") && strstr(lab_error_message(), "2"), "%s", lab_error_message());
    LAB_CHECK(lab_array_destroy(x));
    LAB_CHECK(lab_elementwise_destroy(kernel));
}

static lab_dim block_of(lab_elementwise *kernel)
{
    lab_trace *trace;
    lab_dim block = {0};
    LAB_CHECK(lab_trace_begin());
    check_sum(kernel, 2);
    LAB_CHECK(lab_trace_end(&trace));
    for (size_t i = 0; i < trace->ops; i++)
        if (trace->op[i].kind == LAB_OP_KERNEL && strcmp(trace->op[i].name, "tested") == 0) block = trace->op[i].block;
    lab_trace_free(trace);
    return block;
}

/* CuPy, ElementwiseKernel: block_size; the results are the same whatever it is. */
Test(elementwise_source, the_block_size_changes_no_result)
{
    const unsigned sizes[] = {1, 7, 32, 1024};
    lab_device_info info;
    LAB_CHECK(lab_device_get_info(&info, 0));
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        lab_elementwise *kernel = make("z = x + y", NULL, sizes[i]);
        cr_assert_eq(block_of(kernel).x, strcmp(info.kind, "cpu") == 0 ? 1 : sizes[i]);
        LAB_CHECK(lab_elementwise_destroy(kernel));
    }
}

/* CuPy, ElementwiseKernel: block_size; each element of an in-place kernel is computed once. */
Test(elementwise_source, a_block_of_many_threads_computes_each_element_once)
{
    static float host[COUNT];
    lab_elementwise *kernel = make("z = x + y", NULL, 64);
    lab_array *x = counting(LAB_FLOAT32), *one;
    LAB_CHECK(lab_array_ones(&one, LAB_FLOAT32, LAB_SHAPE(COUNT)));
    for (int i = 0; i < 3; i++) LAB_CHECK(lab_elementwise_launch(kernel, NULL, LAB_ARGS(x, one, x)));
    LAB_CHECK(lab_array_get(x, host));
    for (int i = 0; i < COUNT; i++) cr_assert_eq(host[i], (float)i + 3, "element %d: %g", i, (double)host[i]);
    LAB_CHECK(lab_array_destroy(x));
    LAB_CHECK(lab_array_destroy(one));
    LAB_CHECK(lab_elementwise_destroy(kernel));
}

/* lab.h, Elementwise kernels: invalid arguments are refused. */
Test(elementwise_source, what_lacks_a_text_or_has_too_large_a_block_is_refused)
{
    lab_elementwise *kernel;
    const lab_elementwise_source bad[] = {{NULL, "T z", "z = 1", NULL, NULL, 0},
                                          {"T x", NULL, "z = 1", NULL, NULL, 0},
                                          {"T x", "T z", NULL, NULL, NULL, 0},
                                          {"T x", "T z", "z = x", NULL, NULL, 1025}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_assert_eq(lab_elementwise_create_from(&kernel, &bad[i]), LAB_ERROR_INVALID_VALUE, "%zu", i);
    cr_assert_eq(lab_elementwise_create_from(&kernel, NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_null(kernel);
}

/* Modules, and the checks of a launch: arguments against parameters, extents against the device's limits; and unloaded
 * modules (cuda.h, "Module Management", "Execution Control"). */
#include "gate.h"
#include "test.h"
#include "test_folder.h"

#include <string.h>

static const char SOURCE[] =
    "struct box { float low, high; int steps; };\n"
    "extern \"C\" __global__ void scale(float *out, const float *in, float factor, int count)\n"
    "{\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < count) out[i] = factor * in[i];\n"
    "}\n"
    "extern \"C\" __global__ void unpack(float *out, box from)\n"
    "{\n"
    "    out[0] = from.low, out[1] = from.high, out[2] = from.steps;\n"
    "}\n"
    "extern \"C\" __global__ void widths(double *out, signed char a, unsigned short b, long long c, double d, bool e)\n"
    "{\n"
    "    out[0] = a, out[1] = b, out[2] = c, out[3] = d, out[4] = e;\n"
    "}\n"
    "extern \"C\" __global__ void nothing() {}\n"
    "extern \"C\" __global__ void untouched(float *out, int write) { if (write) *out = 1; }\n"
    "extern \"C\" __global__ void late(float *out, long long looks)\n"
    "{\n"
    "    for (volatile long long look = 0; look < looks; look = look + 1) {}\n"
    "    *out = 1;\n"
    "}\n";

typedef struct box {
    float low, high;
    int steps;
} box;

static lab_module *load(void)
{
    lab_module *module;
    LAB_CHECK(lab_module_load_source(&module, SOURCE, "launch_test.cu"));
    return module;
}

static lab_function find(lab_module *module, const char *name)
{
    lab_function function;
    LAB_CHECK(lab_module_get_function(&function, module, name));
    return function;
}

static lab_array *make_array(lab_dtype dtype, size_t count)
{
    lab_array *array;
    LAB_CHECK(lab_array_empty(&array, dtype, LAB_SHAPE(count)));
    return array;
}

static bool message_has(const char *part) { return strstr(lab_error_message(), part) != NULL; }

/* --- Arguments ---------------------------------------------------------------------------------------------- */

/* cuda.h, Execution Control: cuLaunchKernel: kernelParams. */
Test(launch, gives_the_kernel_its_arguments)
{
    enum { COUNT = 100 };
    float host[COUNT];
    for (int i = 0; i < COUNT; i++) host[i] = (float)i;
    lab_array *input = make_array(LAB_FLOAT32, COUNT), *out = make_array(LAB_FLOAT32, COUNT);
    lab_function scale = find(load(), "scale");
    LAB_CHECK(lab_array_set(input, host));
    LAB_CHECK(lab_launch(scale, LAB_DIM(4), LAB_DIM(32), 0, NULL, LAB_ARGS(out, input, 2.5f, (int)COUNT)));
    LAB_CHECK(lab_array_get(out, host));
    for (int i = 0; i < COUNT; i++) cr_assert_eq(host[i], 2.5f * (float)i, "index %d", i);
}

/* cuda.h, Execution Control: cuLaunchKernel: kernelParams. */
Test(launch, gives_every_width_of_number)
{
    double host[5];
    lab_array *out = make_array(LAB_FLOAT64, 5);
    LAB_CHECK(lab_launch(find(load(), "widths"), LAB_DIM(1), LAB_DIM(1), 0, NULL,
                         LAB_ARGS(out, (signed char)-3, (unsigned short)65535, -5000000000LL, 0.1, (bool)true)));
    LAB_CHECK(lab_array_get(out, host));
    cr_assert(host[0] == -3 && host[1] == 65535 && host[2] == -5e9 && host[3] == 0.1 && host[4] == 1);
}

/* cuda.h, Execution Control: cuLaunchKernel: kernelParams. */
Test(launch, gives_a_struct_by_value)
{
    float host[3];
    box given = {1.5f, -2.5f, 7};
    lab_array *out = make_array(LAB_FLOAT32, 3);
    LAB_CHECK(lab_launch(find(load(), "unpack"), LAB_DIM(1), LAB_DIM(1), 0, NULL, LAB_ARGS(out, LAB_BYTES(given))));
    LAB_CHECK(lab_array_get(out, host));
    cr_assert(host[0] == 1.5f && host[1] == -2.5f && host[2] == 7);
}

/* cuda.h, Execution Control: cuLaunchKernel: kernelParams. */
Test(launch, takes_its_arguments_at_the_call)
{
    gate closed = GATE_CLOSED;
    lab_stream *stream;
    float host[3];
    box given = {1, 2, 3};
    lab_array *out = make_array(LAB_FLOAT32, 3);
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    lab_function unpack = find(load(), "unpack");
    gate_close_stream(&closed, stream);
    LAB_CHECK(lab_launch(unpack, LAB_DIM(1), LAB_DIM(1), 0, stream, LAB_ARGS(out, LAB_BYTES(given))));
    given = (box){-1, -1, -1};
    gate_open(&closed);
    LAB_CHECK(lab_stream_synchronize(stream));
    LAB_CHECK(lab_array_get(out, host));
    cr_assert(host[0] == 1 && host[1] == 2 && host[2] == 3);
}

/* cuda.h, Execution Control: cuLaunchKernel: kernelParams. */
Test(launch, takes_device_addresses_also_inside_an_allocation)
{
    float host[4] = {1, 2, 3, 4};
    lab_deviceptr memory;
    LAB_CHECK(lab_mem_alloc(&memory, sizeof host));
    LAB_CHECK(lab_memcpy_htod(memory, host, sizeof host));
    lab_deviceptr half = memory + 2 * sizeof(float);
    LAB_CHECK(lab_launch(find(load(), "scale"), LAB_DIM(1), LAB_DIM(2), 0, NULL, LAB_ARGS(half, memory, 10.0f, 2)));
    LAB_CHECK(lab_memcpy_dtoh(host, memory, sizeof host));
    cr_assert(host[0] == 1 && host[1] == 2 && host[2] == 10 && host[3] == 20);
}

/* cuda.h, Execution Control: cuLaunchKernel: kernelParams. */
Test(launch, takes_pointers_to_values_of_the_types_that_the_kernel_declares)
{
    enum { COUNT = 4 };
    float host[COUNT] = {1, 2, 3, 4}, factor = 3.0f;
    int count = COUNT;
    box given = {1.5f, -2.5f, 7};
    lab_deviceptr memory;
    lab_raw_args raw;
    lab_module *module = load();
    lab_function scale = find(module, "scale"), unpack = find(module, "unpack");
    LAB_CHECK(lab_mem_alloc(&memory, sizeof host));
    LAB_CHECK(lab_memcpy_htod(memory, host, sizeof host));
    LAB_CHECK(lab_args_raw(&raw, scale, (void *[]){&memory, &memory, &factor, &count}));
    LAB_CHECK(lab_launch(scale, LAB_DIM(1), LAB_DIM(COUNT), 0, NULL, raw.args));
    LAB_CHECK(lab_memcpy_dtoh(host, memory, sizeof host));
    cr_assert(host[0] == 3 && host[3] == 12, "%g %g", host[0], host[3]);
    LAB_CHECK(lab_args_raw(&raw, unpack, (void *[]){&memory, &given}));
    LAB_CHECK(lab_launch(unpack, LAB_DIM(1), LAB_DIM(1), 0, NULL, raw.args));
    LAB_CHECK(lab_memcpy_dtoh(host, memory, sizeof host));
    cr_assert(host[0] == 1.5f && host[1] == -2.5f && host[2] == 7);
}

/* cuda.h, Execution Control: cuLaunchKernel: kernelParams. */
Test(launch, a_raw_pointer_may_be_any_number_until_the_kernel_uses_it)
{
    int not_written = 0;
    lab_raw_args raw;
    lab_function untouched = find(load(), "untouched");
    void *stray = &raw;
    LAB_CHECK(lab_args_raw(&raw, untouched, (void *[]){&stray, &not_written}));
    cr_assert_eq(lab_launch(untouched, LAB_DIM(1), LAB_DIM(1), 0, NULL, raw.args), LAB_SUCCESS, "%s",
                 lab_error_message());
    cr_assert_eq(lab_device_synchronize(), LAB_SUCCESS);
    cr_assert_eq(lab_args_raw(&raw, untouched, (void *[]){&stray, NULL}), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_args_raw(&raw, untouched, NULL), LAB_ERROR_INVALID_VALUE);
}

/* cuda.h, Execution Control: cuLaunchKernel: kernelParams. */
Test(launch, a_raw_pointer_may_lead_to_a_block_that_its_pool_has_back)
{
    int not_written = 0;
    lab_raw_args raw;
    lab_mempool *pool;
    lab_deviceptr block;
    lab_function untouched = find(load(), "untouched");
    LAB_CHECK(lab_mempool_create(&pool, NULL));
    LAB_CHECK(lab_mempool_alloc(&block, pool, sizeof(float), NULL));
    LAB_CHECK(lab_mempool_free(pool, block, NULL));
    LAB_CHECK(lab_args_raw(&raw, untouched, (void *[]){&block, &not_written}));
    cr_assert_eq(lab_launch(untouched, LAB_DIM(1), LAB_DIM(1), 0, NULL, raw.args), LAB_SUCCESS, "%s",
                 lab_error_message());
    cr_assert_eq(lab_device_synchronize(), LAB_SUCCESS);
    LAB_CHECK(lab_mempool_destroy(pool));
}

/* cuda.h, Execution Control: cuFuncGetParamInfo. */
Test(launch, a_kernels_parameters_have_kinds_and_sizes)
{
    lab_parameters of;
    lab_module *module = load();
    LAB_CHECK(lab_function_get_parameters(&of, find(module, "widths")));
    cr_assert(of.count == 6 && of.parameter[0].kind == LAB_ARG_POINTER && of.parameter[0].size == 8);
    cr_assert(of.parameter[1].kind == LAB_ARG_INTEGER && of.parameter[1].size == 1 && of.parameter[2].size == 2);
    cr_assert(of.parameter[4].kind == LAB_ARG_FLOAT && of.parameter[4].size == 8);
    LAB_CHECK(lab_function_get_parameters(&of, find(module, "unpack")));
    cr_assert(of.parameter[1].kind == LAB_ARG_BYTES && of.parameter[1].size == sizeof(box));
    LAB_CHECK(lab_function_get_parameters(&of, find(module, "nothing")));
    cr_assert_eq(of.count, 0);
}

/* cuda.h, Execution Control: cuLaunchKernel: kernelParams. */
Test(launch, takes_no_memory_where_the_kernel_does_not_touch_it)
{
    lab_function untouched = find(load(), "untouched");
    lab_array *empty = make_array(LAB_FLOAT32, 0);
    cr_assert_eq(lab_launch(untouched, LAB_DIM(1), LAB_DIM(1), 0, NULL, LAB_ARGS((lab_deviceptr)0, 0)), LAB_SUCCESS);
    cr_assert_eq(lab_launch(untouched, LAB_DIM(1), LAB_DIM(1), 0, NULL, LAB_ARGS(empty, 0)), LAB_SUCCESS);
    cr_assert_eq(lab_device_synchronize(), LAB_SUCCESS);
}

/* cuda.h, Execution Control: cuLaunchKernel: kernelParams. */
Test(launch, a_wrong_number_of_arguments_names_the_kernel_and_both_numbers)
{
    lab_module *module = load();
    lab_array *out = make_array(LAB_FLOAT32, 4);
    cr_assert_eq(lab_launch(find(module, "scale"), LAB_DIM(1), LAB_DIM(1), 0, NULL, LAB_ARGS(out, out, 1.0f)),
                 LAB_ERROR_INVALID_VALUE);
    cr_assert(message_has("'scale'") && message_has("4 parameters") && message_has("3 arguments"), "%s",
              lab_error_message());
    cr_assert_eq(lab_launch(find(module, "scale"), LAB_DIM(1), LAB_DIM(1), 0, NULL, LAB_ARGS(out, out, 1.0f, 4, 5)),
                 LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_launch(find(module, "scale"), LAB_DIM(1), LAB_DIM(1), 0, NULL, LAB_NO_ARGS),
                 LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_launch(find(module, "nothing"), LAB_DIM(1), LAB_DIM(1), 0, NULL, LAB_ARGS(1)),
                 LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_launch(find(module, "nothing"), LAB_DIM(1), LAB_DIM(1), 0, NULL, LAB_NO_ARGS), LAB_SUCCESS);
}

/* Asserts that a launch of `scale` with these arguments fails with a message that names the kernel and the parameter.
 * */
static void check_refused(lab_function scale, lab_args args, lab_status expected, const char *parameter,
                          const char *why)
{
    lab_status status = lab_launch(scale, LAB_DIM(1), LAB_DIM(4), 0, NULL, args);
    cr_assert_eq(status, expected, "%s: %s, %s", why, lab_status_name(status), lab_error_message());
    cr_assert(message_has("'scale'") && message_has(parameter), "%s: %s", why, lab_error_message());
}

/* cuda.h, Execution Control: cuLaunchKernel: kernelParams. */
Test(launch, arguments_of_another_kind_or_size_name_kernel_and_parameter)
{
    const lab_status refused = LAB_ERROR_INVALID_VALUE;
    lab_function scale = find(load(), "scale");
    lab_array *a = make_array(LAB_FLOAT32, 4);
    box some = {0};
    check_refused(scale, LAB_ARGS(a, a, 2, 4), refused, "'factor'", "an integer for a float");
    check_refused(scale, LAB_ARGS(a, a, 2.0, 4), refused, "'factor'", "a double for a float");
    check_refused(scale, LAB_ARGS(a, a, a, 4), refused, "'factor'", "an array for a float");
    check_refused(scale, LAB_ARGS(a, a, 2.0f, 4.0f), refused, "'count'", "a float for an integer");
    check_refused(scale, LAB_ARGS(a, a, 2.0f, 4L), refused, "'count'", "a long for an int");
    cr_assert(message_has("the argument given is an integer of 8 bytes"), "%s", lab_error_message());
    check_refused(scale, LAB_ARGS(a, a, 2.0f, (short)4), refused, "'count'", "a short for an int");
    check_refused(scale, LAB_ARGS(a, a, 2.0f, (size_t)4), refused, "'count'", "a size_t for an int");
    check_refused(scale, LAB_ARGS(a, a, 2.0f, LAB_BYTES(some)), refused, "'count'", "a struct for an int");
    check_refused(scale, LAB_ARGS(1, a, 2.0f, 4), refused, "'out'", "an integer for a pointer");
    cr_assert(message_has("the argument given is an integer"), "%s", lab_error_message());
    check_refused(scale, LAB_ARGS(1UL, a, 2.0f, 4), refused, "'out'", "an integer of a pointer's size for a pointer");
    check_refused(scale, LAB_ARGS(a, 2.0f, 2.0f, 4), refused, "'in'", "a float for a pointer");
    cr_assert(message_has("const float *"), "%s", lab_error_message());
}

/* cuda.h, Execution Control: cuLaunchKernel: kernelParams. */
Test(launch, arrays_of_another_type_name_both_types)
{
    lab_function scale = find(load(), "scale");
    lab_array *floats = make_array(LAB_FLOAT32, 4);
    static const lab_dtype other[] = {LAB_INT32, LAB_UINT8, LAB_FLOAT64};
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        lab_array *wrong = make_array(other[i], 4);
        check_refused(scale, LAB_ARGS(floats, wrong, 2.0f, 4), LAB_ERROR_INVALID_VALUE, "'in'",
                      lab_dtype_name(other[i]));
        cr_assert(message_has("const float *") && message_has(lab_dtype_name(other[i])), "%s", lab_error_message());
    }
}

/* cuda.h, Execution Control: cuLaunchKernel: kernelParams. */
Test(launch, a_struct_of_another_size_is_refused)
{
    struct {
        float low, high;
    } smaller = {0};
    lab_array *out = make_array(LAB_FLOAT32, 3);
    cr_assert_eq(lab_launch(find(load(), "unpack"), LAB_DIM(1), LAB_DIM(1), 0, NULL, LAB_ARGS(out, LAB_BYTES(smaller))),
                 LAB_ERROR_INVALID_VALUE);
    cr_assert(message_has("'unpack'") && message_has("'from'") && message_has("12") && message_has("8"), "%s",
              lab_error_message());
}

/* cuda.h, Data types used by CUDA driver: CUDA_ERROR_INVALID_HANDLE, CUDA_ERROR_INVALID_VALUE. */
Test(launch, destroyed_arrays_and_freed_memory_name_kernel_and_parameter)
{
    lab_function scale = find(load(), "scale");
    lab_array *live = make_array(LAB_FLOAT32, 4), *destroyed = make_array(LAB_FLOAT32, 4);
    lab_deviceptr freed;
    int on_the_host;
    LAB_CHECK(lab_mem_alloc(&freed, 16));
    LAB_CHECK(lab_mem_free(freed));
    LAB_CHECK(lab_array_destroy(destroyed));
    check_refused(scale, LAB_ARGS(live, destroyed, 2.0f, 4), LAB_ERROR_INVALID_HANDLE, "'in'", "a destroyed array");
    check_refused(scale, LAB_ARGS((lab_array *)NULL, live, 2.0f, 4), LAB_ERROR_INVALID_HANDLE, "'out'", "no array");
    check_refused(scale, LAB_ARGS(freed, live, 2.0f, 4), LAB_ERROR_ILLEGAL_ADDRESS, "'out'", "freed memory");
    check_refused(scale, LAB_ARGS(live, (lab_deviceptr)(uintptr_t)&on_the_host, 2.0f, 4), LAB_ERROR_ILLEGAL_ADDRESS,
                  "'in'", "the host's stack");
}

/* --- Extents ------------------------------------------------------------------------------------------------ */

/* CUDA C++ Programming Guide, Features and Technical Specifications: extents of grid and block. */
Test(launch, extents_beyond_the_devices_limits_are_refused_and_named)
{
    static const struct {
        lab_dim grid, block;
        const char *named;
    } wrong[] = {
        {{0, 1, 1}, {1, 1, 1}, "grid's x"},
        {{1, 0, 1}, {1, 1, 1}, "grid's y"},
        {{1, 1, 0}, {1, 1, 1}, "grid's z"},
        {{1, 1, 1}, {0, 1, 1}, "block's x"},
        {{1, 1, 1}, {1, 0, 1}, "block's y"},
        {{1, 1, 1}, {1, 1, 0}, "block's z"},
        {{2147483648u, 1, 1}, {1, 1, 1}, "grid's x"},
        {{1, 65536, 1}, {1, 1, 1}, "grid's y"},
        {{1, 1, 65536}, {1, 1, 1}, "grid's z"},
        {{1, 1, 1}, {1025, 1, 1}, "block's x"},
        {{1, 1, 1}, {1, 1025, 1}, "block's y"},
        {{1, 1, 1}, {1, 1, 65}, "block's z"},
        {{1, 1, 1}, {32, 33, 1}, "1056"},
        {{1, 1, 1}, {1024, 1, 2}, "2048"},
        {{1, 1, 1}, {1024, 1024, 64}, "67108864"},
        {{4294967295u, 4294967295u, 4294967295u}, {1, 1, 1}, "grid's x"},
    };
    lab_function nothing = find(load(), "nothing");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        cr_assert_eq(lab_launch(nothing, wrong[i].grid, wrong[i].block, 0, NULL, LAB_NO_ARGS), LAB_ERROR_INVALID_VALUE,
                     "extents %zu", i);
        cr_assert(message_has("'nothing'") && message_has(wrong[i].named), "extents %zu: %s", i, lab_error_message());
    }
}

/* CUDA C++ Programming Guide, Features and Technical Specifications: extents of grid and block. */
Test(launch, extents_at_the_devices_limits_are_accepted)
{
    lab_function nothing = find(load(), "nothing");
    cr_assert_eq(lab_launch(nothing, LAB_DIM(1), LAB_DIM(1024), 0, NULL, LAB_NO_ARGS), LAB_SUCCESS);
    cr_assert_eq(lab_launch(nothing, LAB_DIM(1), LAB_DIM(1, 1024), 0, NULL, LAB_NO_ARGS), LAB_SUCCESS);
    cr_assert_eq(lab_launch(nothing, LAB_DIM(1), LAB_DIM(16, 1, 64), 0, NULL, LAB_NO_ARGS), LAB_SUCCESS);
    cr_assert_eq(lab_launch(nothing, LAB_DIM(1, 65535), LAB_DIM(1), 0, NULL, LAB_NO_ARGS), LAB_SUCCESS);
    cr_assert_eq(lab_launch(nothing, LAB_DIM(1, 1, 65535), LAB_DIM(1), 0, NULL, LAB_NO_ARGS), LAB_SUCCESS);
    cr_assert_eq(lab_device_synchronize(), LAB_SUCCESS);
}

/* cuda.h, Data types used by CUDA driver: CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, sharedMemBytes. */
Test(launch, more_shared_memory_than_a_block_can_have_is_refused)
{
    lab_device_info info;
    LAB_CHECK(lab_device_get_info(&info, 0));
    lab_function nothing = find(load(), "nothing");
    cr_assert_eq(lab_launch(nothing, LAB_DIM(1), LAB_DIM(1), info.max_shared_bytes, NULL, LAB_NO_ARGS), LAB_SUCCESS);
    cr_assert_eq(lab_launch(nothing, LAB_DIM(1), LAB_DIM(1), info.max_shared_bytes + 1, NULL, LAB_NO_ARGS),
                 LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_launch(nothing, LAB_DIM(1), LAB_DIM(1), SIZE_MAX, NULL, LAB_NO_ARGS), LAB_ERROR_INVALID_VALUE);
    cr_assert(message_has("'nothing'") && message_has("shared memory"), "%s", lab_error_message());
}

/* cuda.h, Data types used by CUDA driver: CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, sharedMemBytes. */
Test(launch, shared_memory_of_source_and_launch_together_must_fit)
{
    lab_device_info info;
    LAB_CHECK(lab_device_get_info(&info, 0));
    lab_module *module;
    LAB_CHECK(lab_module_load_source(&module,
                                     "extern \"C\" __global__ void keep(float *out) {\n"
                                     "    __shared__ float own[1024];\n"
                                     "    for (int i = 0; i < 1024; i++) own[i] = out[i];\n"
                                     "    for (int i = 0; i < 1024; i++) out[i] = own[1023 - i];\n"
                                     "}\n",
                                     NULL));
    lab_function keep = find(module, "keep");
    lab_array *out = make_array(LAB_FLOAT32, 1024);
    size_t left = info.max_shared_bytes - 1024 * sizeof(float);
    cr_assert_eq(lab_launch(keep, LAB_DIM(1), LAB_DIM(1), left, NULL, LAB_ARGS(out)), LAB_SUCCESS);
    cr_assert_eq(lab_launch(keep, LAB_DIM(1), LAB_DIM(1), left + 1, NULL, LAB_ARGS(out)), LAB_ERROR_INVALID_VALUE);
    cr_assert(message_has("4096 of its own"), "%s", lab_error_message());
    LAB_CHECK(lab_array_destroy(out));
    LAB_CHECK(lab_module_unload(module));
}

/* cuda.h, Data types used by CUDA driver: CUDA_ERROR_INVALID_HANDLE, CUDA_ERROR_INVALID_VALUE. */
Test(launch, on_a_destroyed_stream_is_refused)
{
    lab_stream *stream;
    lab_function nothing = find(load(), "nothing");
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_DEFAULT));
    LAB_CHECK(lab_stream_destroy(stream));
    cr_assert_eq(lab_launch(nothing, LAB_DIM(1), LAB_DIM(1), 0, stream, LAB_NO_ARGS), LAB_ERROR_INVALID_HANDLE);
}

/* --- Modules ------------------------------------------------------------------------------------------------ */

/* cuda.h, Module Management: cuModuleGetFunction. */
Test(module, a_name_it_does_not_have_lists_the_names_it_has)
{
    lab_function function = {1};
    cr_assert_eq(lab_module_get_function(&function, load(), "scael"), LAB_ERROR_NOT_FOUND);
    cr_assert_eq(function.handle, 0);
    cr_assert(message_has("'scael'"), "%s", lab_error_message());
    cr_assert(message_has("scale, unpack, widths, nothing, untouched, late"), "%s", lab_error_message());
}

/* cuda.h, Module Management: cuModuleGetFunction. */
Test(module, without_kernels_says_so)
{
    lab_module *module;
    lab_function function;
    LAB_CHECK(lab_module_load_source(&module, "static __device__ int twice(int i) { return 2 * i; }", NULL));
    cr_assert_eq(lab_module_get_function(&function, module, "twice"), LAB_ERROR_NOT_FOUND);
    cr_assert(message_has("none") && message_has("extern \"C\" __global__"), "%s", lab_error_message());
    LAB_CHECK(lab_module_unload(module));
}

/* cuda.h, Module Management: cuModuleGetFunction. */
Test(module, get_function_needs_a_module_and_a_name)
{
    lab_function function;
    lab_module *module = load();
    cr_assert_eq(lab_module_get_function(NULL, module, "scale"), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_module_get_function(&function, module, NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_module_get_function(&function, NULL, "scale"), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_module_get_function(&function, module, ""), LAB_ERROR_NOT_FOUND);
}

/* cuda.h, Module Management: cuModuleUnload. */
Test(module, functions_of_an_unloaded_one_cannot_be_launched)
{
    lab_module *module = load(), *other = load();
    lab_function nothing = find(module, "nothing"), still_there = find(other, "nothing");
    LAB_CHECK(lab_module_unload(module));
    cr_assert_eq(lab_launch(nothing, LAB_DIM(1), LAB_DIM(1), 0, NULL, LAB_NO_ARGS), LAB_ERROR_INVALID_HANDLE);
    cr_assert(message_has("unloaded"), "%s", lab_error_message());
    cr_assert_eq(lab_module_get_function(&nothing, module, "nothing"), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_module_unload(module), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_launch(still_there, LAB_DIM(1), LAB_DIM(1), 0, NULL, LAB_NO_ARGS), LAB_SUCCESS);
    LAB_CHECK(lab_module_unload(other));
    cr_assert_eq(lab_module_unload(NULL), LAB_SUCCESS);
}

/* cuda.h, Module Management: cuModuleGetFunction. */
Test(module, a_function_never_found_cannot_be_launched)
{
    cr_assert_eq(lab_launch((lab_function){0}, LAB_DIM(1), LAB_DIM(1), 0, NULL, LAB_NO_ARGS), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_launch((lab_function){12345}, LAB_DIM(1), LAB_DIM(1), 0, NULL, LAB_NO_ARGS),
                 LAB_ERROR_INVALID_HANDLE);
    lab_array *array = make_array(LAB_FLOAT32, 1);
    lab_function no_function = {(uintptr_t)array};
    cr_assert_eq(lab_launch(no_function, LAB_DIM(1), LAB_DIM(1), 0, NULL, LAB_NO_ARGS), LAB_ERROR_INVALID_HANDLE);
}

/* cuda.h, Module Management: cuModuleUnload. */
Test(module, unloading_waits_for_its_kernels)
{
    float host = 0;
    lab_stream *stream;
    lab_module *module = load();
    lab_array *out = make_array(LAB_FLOAT32, 1);
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_launch(find(module, "late"), LAB_DIM(1), LAB_DIM(1), 0, stream, LAB_ARGS(out, 20000000LL)));
    LAB_CHECK(lab_module_unload(module));
    cr_assert_eq(lab_stream_query(stream), LAB_SUCCESS);
    LAB_CHECK(lab_array_get(out, &host));
    cr_assert_eq(host, 1.0f);
}

/* cuda.h, Module Management: cuModuleLoadData. */
Test(module, sources_and_files_that_are_not_there_are_refused)
{
    lab_module *module = (lab_module *)SOURCE;
    cr_assert_eq(lab_module_load_source(&module, NULL, NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_null(module);
    cr_assert_eq(lab_module_load_source(NULL, SOURCE, NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_module_load_file(&module, NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_module_load_file(NULL, "x.cu"), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_module_load_file(&module, "no/such/kernels.cu"), LAB_ERROR_FILE_NOT_FOUND);
    cr_assert(message_has("no/such/kernels.cu"), "%s", lab_error_message());
    cr_assert_eq(lab_module_load_file(&module, "lib"), LAB_ERROR_FILE_NOT_FOUND);
    cr_assert_null(module);
}

static lab_status load_text(lab_module **out, const char *text, size_t bytes)
{
    test_folder folder = test_folder_make("kernels.cu");
    FILE *file = fopen(folder.file, "w");
    cr_assert(file && fwrite(text, 1, bytes, file) == bytes && fclose(file) == 0);
    lab_status status = lab_module_load_file(out, folder.file);
    test_folder_remove(&folder);
    return status;
}

/* lab.h, Modules and kernels: a byte order mark, and lines that end as on Windows. */
Test(module, files_may_begin_with_a_byte_order_mark_and_end_lines_as_windows_does)
{
    static const char text[] = "\xef\xbb\xbf"
                               "#define TWO 2 // größer\r\n"
                               "extern \"C\" __global__ void set(int *x)\r\n"
                               "{ *x = TWO; }\r\n";
    int host = 0;
    lab_module *module;
    lab_array *x = make_array(LAB_INT32, 1);
    LAB_CHECK(load_text(&module, text, sizeof text - 1));
    LAB_CHECK(lab_launch(find(module, "set"), LAB_DIM(1), LAB_DIM(1), 0, NULL, LAB_ARGS(x)));
    LAB_CHECK(lab_array_get(x, &host));
    cr_assert_eq(host, 2);
    LAB_CHECK(lab_module_unload(module));
    LAB_CHECK(lab_array_destroy(x));
}

/* lab.h, Modules and kernels: CUDA C is UTF-8. */
Test(module, files_in_utf_16_are_refused_with_what_to_do)
{
    lab_module *module;
    cr_assert_eq(load_text(&module, "\xff\xfe/\0*\0", 6), LAB_ERROR_FILE_NOT_FOUND);
    cr_assert(message_has("save it as UTF-8"), "%s", lab_error_message());
}

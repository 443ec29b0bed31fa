/* What a kernel needs of the device. */
#include "test.h"

#include "lab.h"

#include <string.h>

static const char source[] = "extern \"C\" __global__ void plain(float *x, int count)\n"
                             "{\n"
                             "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "    if (i < count) x[i] *= 2;\n"
                             "}\n"
                             "extern \"C\" __global__ void shared(float *x)\n"
                             "{\n"
                             "    __shared__ float tile[300];\n"
                             "    tile[threadIdx.x] = x[threadIdx.x];\n"
                             "    __syncthreads();\n"
                             "    x[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];\n"
                             "}\n";

static lab_module *module;

static lab_function find(const char *name)
{
    lab_function function;
    if (!module) LAB_CHECK(lab_module_load_source(&module, source, NULL));
    LAB_CHECK(lab_module_get_function(&function, module, name));
    return function;
}

/* cuda.h, Execution Control: cuFuncGetAttribute. */
Test(function_info, says_what_a_kernel_needs)
{
    lab_function_info plain, shared;
    lab_device_info device;
    LAB_CHECK(lab_device_get_info(&device, 0));
    LAB_CHECK(lab_function_get_info(&plain, find("plain")));
    LAB_CHECK(lab_function_get_info(&shared, find("shared")));
    cr_assert_eq(plain.shared_bytes, 0);
    cr_assert_eq(shared.shared_bytes, 300 * sizeof(float));
    cr_assert(plain.max_block_threads > 0 && plain.max_block_threads <= device.max_block_threads);
    cr_assert_eq(plain.max_launch_bytes, device.max_shared_bytes);
    cr_assert_eq(shared.max_launch_bytes, device.max_shared_bytes - 300 * sizeof(float));
    const bool is_gpu = strcmp(device.kind, "cuda") == 0;
    cr_assert_eq(plain.registers > 0, is_gpu, "%d", plain.registers);
    cr_assert_eq(plain.binary_version >= 50, is_gpu, "%d", plain.binary_version);
    LAB_CHECK(lab_module_unload(module));
}

/* lab.h, Modules and kernels: max_launch_bytes is the most that a launch can give. */
Test(function_info, a_launch_takes_the_most_shared_memory_and_not_a_byte_more)
{
    const lab_function function = find("shared");
    lab_function_info info;
    lab_array *x;
    LAB_CHECK(lab_array_zeros(&x, LAB_FLOAT32, LAB_SHAPE(64)));
    LAB_CHECK(lab_function_get_info(&info, function));
    LAB_CHECK(lab_launch(function, LAB_DIM(1), LAB_DIM(64), info.max_launch_bytes, NULL, LAB_ARGS(x)));
    cr_assert_eq(lab_launch(function, LAB_DIM(1), LAB_DIM(64), info.max_launch_bytes + 1, NULL, LAB_ARGS(x)),
                 LAB_ERROR_INVALID_VALUE);
    LAB_CHECK(lab_device_synchronize());
    LAB_CHECK(lab_array_destroy(x));
    LAB_CHECK(lab_module_unload(module));
}

/* Managed memory: the host and kernels use it by one address (CUDA C++ Programming Guide, "Unified Memory"). */
#include "test.h"
#include "test_arrays.h"

#include "lab_trace.h"

#include <string.h>

enum { COUNT = 1000, BYTES = COUNT * sizeof(int) };

static const char ADD[] = "extern \"C\" __global__ void add(int *x, int k, int n)\n"
                          "{\n"
                          "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                          "    if (i < n) x[i] += k;\n"
                          "}\n";

static lab_function add_kernel(void)
{
    lab_module *module;
    lab_function function;
    LAB_CHECK(lab_module_load_source(&module, ADD, "add.cu"));
    LAB_CHECK(lab_module_get_function(&function, module, "add"));
    return function;
}

static lab_deviceptr address_of(const void *memory) { return (lab_deviceptr)(uintptr_t)memory; }

static int *managed(void)
{
    void *memory;
    LAB_CHECK(lab_managed_alloc(&memory, BYTES));
    return memory;
}

/* CUDA C++ Programming Guide, Unified Memory: one pointer for the host and for kernels. */
Test(managed, the_host_and_kernels_use_one_address)
{
    int *x = managed();
    const lab_function add = add_kernel();
    for (int i = 0; i < COUNT; i++) x[i] = i;
    for (int round = 0; round < 2; round++) {
        LAB_CHECK(lab_launch(add, LAB_DIM(4), LAB_DIM(256), 0, NULL, LAB_ARGS(address_of(x), 10, (int)COUNT)));
        LAB_CHECK(lab_device_synchronize());
        x[3] += 1;
    }
    for (int i = 0; i < COUNT; i++) cr_assert_eq(x[i], i + 20 + (i == 3 ? 2 : 0), "%d: %d", i, x[i]);
    LAB_CHECK(lab_managed_free(x));
}

/* CUDA Driver API, cuMemcpyHtoD: managed memory is accepted on either side. */
Test(managed, copies_and_fills_take_it_for_either_side)
{
    int *x = managed(), host[COUNT], device = -1;
    lab_deviceptr memory;
    LAB_CHECK(lab_mem_alloc(&memory, BYTES));
    for (int i = 0; i < COUNT; i++) x[i] = host[i] = 3 * i;
    LAB_CHECK(lab_memcpy_htod(memory, x, BYTES));
    LAB_CHECK(lab_memset_async(address_of(x), 0, BYTES, NULL));
    LAB_CHECK(lab_stream_synchronize(NULL));
    cr_assert_eq(x[7], 0);
    LAB_CHECK(lab_memcpy_dtod_async(address_of(x), memory, BYTES, NULL));
    LAB_CHECK(lab_stream_synchronize(NULL));
    cr_assert_arr_eq(x, host, BYTES);
    host[1] = -1;
    LAB_CHECK(lab_memcpy_htod(address_of(x), host, BYTES));
    LAB_CHECK(lab_stream_synchronize(NULL)); /* the copy has read its source, which is pageable */
    cr_assert_eq(x[1], -1);
    x[2] = -2;
    LAB_CHECK(lab_memcpy_dtoh(host, address_of(x), BYTES));
    cr_assert_eq(host[2], -2);
    LAB_CHECK(lab_mem_get_device(&device, address_of(x + 1)));
    cr_assert_eq(device, 0);
    LAB_CHECK(lab_mem_free(memory));
    LAB_CHECK(lab_managed_free(x));
}

static lab_status free_it(lab_deviceptr memory, size_t bytes, lab_stream *stream, void *user)
{
    (void)stream;
    *(size_t *)user = bytes;
    return lab_managed_free((void *)(uintptr_t)memory);
}

/* CuPy, ManagedMemory: an array over managed memory. */
Test(managed, an_array_over_it_is_seen_by_the_host)
{
    size_t freed = 0;
    int *x = managed();
    lab_array *array;
    lab_expression *twice;
    for (int i = 0; i < COUNT; i++) x[i] = i;
    const lab_allocator owner = {NULL, free_it, &freed};
    LAB_CHECK(lab_array_from_memory(&array, LAB_INT32, LAB_SHAPE(COUNT), address_of(x), &owner));
    LAB_CHECK(lab_expression_create(&twice, "x", "2 * x", "twice"));
    LAB_CHECK(lab_expression_apply(twice, NULL, LAB_ARGS(array, array)));
    LAB_CHECK(lab_stream_synchronize(NULL));
    cr_assert_eq(x[COUNT - 1], 2 * (COUNT - 1));
    x[0] = 77;
    cr_assert_eq(value_of(array), 77);
    LAB_CHECK(lab_array_destroy(array));
    cr_assert_eq(freed, BYTES);
    LAB_CHECK(lab_expression_destroy(twice));
}

/* CUDA Driver API, cuMemFree: each kind of memory is freed by its own call. */
Test(managed, only_its_own_call_frees_it)
{
    int *x = managed();
    void *pinned;
    LAB_CHECK(lab_host_alloc(&pinned, BYTES));
    cr_assert_eq(lab_host_free(x), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_mem_free(address_of(x)), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_host_unregister(x), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_managed_free(pinned), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_managed_free(x + 1), LAB_ERROR_INVALID_VALUE);
    x[5] = 5;
    LAB_CHECK(lab_managed_free(x));
    cr_assert_eq(lab_managed_free(x), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_memset_async(address_of(x), 0, BYTES, NULL), LAB_ERROR_INVALID_VALUE, "freed memory is not used");
    LAB_CHECK(lab_host_free(pinned));
}

/* CUDA C++ Programming Guide, Coherency and Concurrency: the program orders what the host and kernels do. */
Test(managed, the_order_checker_knows_all_uses_of_it)
{
    int *x = managed(), host[COUNT] = {0};
    lab_stream *one, *other;
    const lab_function add = add_kernel();
    LAB_CHECK(lab_stream_create(&one, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_stream_create(&other, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_device_synchronize());
    LAB_CHECK(lab_order_start(LAB_ORDER_ERROR));
    const lab_args args = LAB_ARGS(address_of(x), 10, (int)COUNT);
    LAB_CHECK(lab_launch(add, LAB_DIM(4), LAB_DIM(256), 0, one, args));
    cr_assert_eq(lab_memcpy_htod_async(address_of(x), host, BYTES, other), LAB_ERROR_NOT_ORDERED);
    cr_assert_eq(lab_memset_async(address_of(x), 0, BYTES, other), LAB_ERROR_NOT_ORDERED);
    cr_assert_eq(lab_host_reads(x, BYTES), LAB_ERROR_NOT_ORDERED);
    LAB_CHECK(lab_stream_synchronize(one));
    LAB_CHECK(lab_host_reads(x, BYTES));
    LAB_CHECK(lab_memset_async(address_of(x), 0, BYTES, other));
    LAB_CHECK(lab_stream_synchronize(other));
    LAB_CHECK(lab_order_start(LAB_ORDER_OFF));
    LAB_CHECK(lab_managed_free(x));
}

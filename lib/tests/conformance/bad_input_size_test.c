/* Bad input: sizes that are zero, too large for the memory, or that overflow, for every function that takes a size; and
 * numbers of devices that do not exist. */
#include "everything.h"

#include <limits.h>
#include <stdint.h>

static everything all;

/* Impossible sizes: the last ones overflow when they are rounded up or added to an address. */
static const size_t huge[] = {SIZE_MAX / 4, (size_t)PTRDIFF_MAX, (size_t)PTRDIFF_MAX + 1, SIZE_MAX - 511, SIZE_MAX};
enum { HUGE_SIZES = sizeof huge / sizeof *huge };

/* cuda.h, Memory Management: CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_OUT_OF_MEMORY of cuMemAlloc, cuMemAllocHost. */
Test(bad_input_size, allocations)
{
    const lab_status none = LAB_ERROR_INVALID_VALUE, much = LAB_ERROR_OUT_OF_MEMORY;
    lab_deviceptr memory = 0;
    void *pinned = NULL;
    char host[16];
    for (int k = 0; k < HUGE_SIZES; k++) REFUSED(none, lab_host_register(host, huge[k])); /* while nothing is pinned */
    all = make_everything();
    const size_t held = lab_mempool_total_bytes(all.pool),
                 pinned_held = lab_pinned_mempool_total_bytes(all.pinned_pool);
    REFUSED(none, lab_mem_alloc(&memory, 0));
    REFUSED(none, lab_host_alloc(&pinned, 0));
    REFUSED(none, lab_managed_alloc(&pinned, 0));
    REFUSED(none, lab_host_register(host, 0));
    LAB_CHECK(lab_mempool_alloc(&memory, all.pool, 0, all.stream));
    LAB_CHECK(lab_pinned_mempool_alloc(&pinned, all.pinned_pool, 0));
    for (int k = 0; k < HUGE_SIZES; k++) {
        REFUSED(much, lab_mem_alloc(&memory, huge[k]));
        REFUSED(much, lab_host_alloc(&pinned, huge[k]));
        REFUSED(much, lab_managed_alloc(&pinned, huge[k]));
        REFUSED(much, lab_mempool_alloc(&memory, all.pool, huge[k], all.stream));
        REFUSED(much, lab_pinned_mempool_alloc(&pinned, all.pinned_pool, huge[k]));
        LAB_CHECK(lab_mempool_set_limit(all.pool, huge[k]));
        cr_assert_eq(lab_mempool_get_limit(all.pool), huge[k]);
    }
    cr_assert(memory == 0 && pinned == NULL);
    cr_assert_eq(lab_mempool_total_bytes(all.pool), held);
    cr_assert_eq(lab_pinned_mempool_total_bytes(all.pinned_pool), pinned_held);
    use_and_destroy_everything(&all);
}

/* cuda.h, Memory Management: CUDA_ERROR_INVALID_VALUE of copies beyond an allocation. */
Test(bad_input_size, copies)
{
    char host[64] = {0};
    all = make_everything();
    for (int k = 0; k <= HUGE_SIZES; k++) {
        const size_t bytes = k < HUGE_SIZES ? huge[k] : THINGS_BYTES + 1;
        const lab_status outside = LAB_ERROR_INVALID_VALUE;
        REFUSED(outside, lab_memcpy_htod(all.memory, host, bytes));
        REFUSED(outside, lab_memcpy_dtoh(host, all.memory, bytes));
        REFUSED(outside, lab_memcpy_htod_async(all.memory, host, bytes, all.stream));
        REFUSED(outside, lab_memcpy_dtoh_async(host, all.memory, bytes, all.stream));
        REFUSED(outside, lab_memcpy_dtod_async(all.memory, all.block, bytes, all.stream));
        REFUSED(outside, lab_memcpy_peer(all.memory, 0, all.block, 0, bytes));
        REFUSED(outside, lab_memcpy_peer_async(all.memory, 0, all.block, 0, bytes, all.stream));
        REFUSED(outside, lab_memset_async(all.memory, 1, bytes, all.stream));
        REFUSED(outside, lab_memset_async(all.memory + 8, 1, bytes - 8, all.stream));
    }
    LAB_CHECK(lab_memcpy_htod(all.memory, host, 0));
    LAB_CHECK(lab_memcpy_dtoh(host, all.memory, 0));
    LAB_CHECK(lab_memcpy_htod_async(all.memory, host, 0, all.stream));
    LAB_CHECK(lab_memcpy_dtoh_async(host, all.memory, 0, all.stream));
    LAB_CHECK(lab_memcpy_dtod_async(all.memory, all.block, 0, all.stream));
    LAB_CHECK(lab_memcpy_peer(all.memory, 0, all.block, 0, 0));
    LAB_CHECK(lab_memcpy_peer_async(all.memory, 0, all.block, 0, 0, all.stream));
    LAB_CHECK(lab_memset_async(all.memory, 1, 0, all.stream));
    LAB_CHECK(lab_stream_synchronize(all.stream));
    use_and_destroy_everything(&all);
}

/* lab.h, What the library cannot see: 0 bytes and impossible sizes are refused. */
Test(bad_input_size, memory_that_is_told_of)
{
    char host[16];
    all = make_everything();
    const lab_deviceptr pinned = (uintptr_t)all.pinned;
    for (int k = 0; k <= HUGE_SIZES; k++) {
        const size_t bytes = k < HUGE_SIZES ? huge[k] : 0;
        const lab_status none = LAB_ERROR_INVALID_VALUE;
        REFUSED(none, lab_host_reads(host, bytes));
        REFUSED(none, lab_host_writes(host, bytes));
        REFUSED(none, lab_next_uses_host(host, bytes, false));
        REFUSED(none, lab_next_uses(all.memory, bytes, true));
        REFUSED(none, lab_next_uses(pinned, bytes, true));
    }
    REFUSED(LAB_ERROR_INVALID_VALUE, lab_next_uses(all.memory, THINGS_BYTES + 1, true));
    REFUSED(LAB_ERROR_INVALID_VALUE, lab_next_uses(all.block + 4, THINGS_BYTES - 3, true));
    LAB_CHECK(lab_next_uses(all.memory, THINGS_BYTES, true));
    LAB_CHECK(lab_next_uses(all.block + 4, THINGS_BYTES - 4, true));
    LAB_CHECK(lab_next_uses(pinned, THINGS_BYTES, true));
    use_and_destroy_everything(&all);
}

/* lab.h, What the library cannot see: no more than 32 uses for one operation. */
Test(bad_input_size, uses_told_of_for_one_operation)
{
    all = make_everything();
    for (int k = 0; k < 32; k++) LAB_CHECK(lab_next_uses(all.memory, THINGS_BYTES, false));
    REFUSED(LAB_ERROR_NOT_PERMITTED, lab_next_uses(all.memory, THINGS_BYTES, false));
    REFUSED(LAB_ERROR_NOT_PERMITTED, lab_next_uses_host(all.pinned, THINGS_BYTES, false));
    LAB_CHECK(lab_launch(all.function, LAB_DIM(1), LAB_DIM(1), 0, all.stream, LAB_ARGS(all.array)));
    LAB_CHECK(lab_next_uses(all.memory, THINGS_BYTES, false));
    use_and_destroy_everything(&all);
}

/* lab.h, Arrays: malformed, overflowing and impossible shapes are refused. */
Test(bad_input_size, arrays)
{
    static const struct {
        lab_status status;
        lab_shape shape;
    } bad[] = {
        {LAB_ERROR_INVALID_VALUE, {-1, {1}}},
        {LAB_ERROR_INVALID_VALUE, {LAB_MAX_DIMENSIONS + 1, {1, 1, 1, 1}}},
        {LAB_ERROR_INVALID_VALUE, {INT_MAX, {1}}},
        {LAB_ERROR_INVALID_VALUE, {1, {SIZE_MAX}}},
        {LAB_ERROR_INVALID_VALUE, {2, {SIZE_MAX / 2, 3}}},
        {LAB_ERROR_INVALID_VALUE, {4, {(size_t)1 << 32, (size_t)1 << 32, (size_t)1 << 32, (size_t)1 << 32}}},
        {LAB_ERROR_OUT_OF_MEMORY, {1, {SIZE_MAX / 64}}},
    };
    const float host[THINGS] = {0};
    lab_array *array = NULL;
    all = make_everything();
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        const lab_shape shape = bad[k].shape;
        REFUSED(bad[k].status, lab_array_empty(&array, LAB_FLOAT64, shape));
        REFUSED(LAB_ERROR_INVALID_VALUE, lab_array_from_memory(&array, LAB_FLOAT64, shape, all.memory, NULL));
        REFUSED(bad[k].status, lab_array_zeros(&array, LAB_FLOAT64, shape));
        REFUSED(bad[k].status, lab_array_ones(&array, LAB_FLOAT64, shape));
        REFUSED(bad[k].status, lab_array_full(&array, LAB_FLOAT64, shape, LAB_ARG(1)));
        REFUSED(bad[k].status, lab_array_random_uniform(&array, LAB_FLOAT64, shape, 0, 1, 1));
        REFUSED(bad[k].status, lab_array_random_normal(&array, LAB_FLOAT64, shape, 0, 1, 1));
        REFUSED(bad[k].status, lab_array_from_host(&array, LAB_FLOAT64, shape, host));
        REFUSED(bad[k].status, lab_array_from_host_async(&array, LAB_FLOAT64, shape, host, all.stream));
        REFUSED(LAB_ERROR_INVALID_VALUE, lab_array_reshape(&array, all.array, shape));
    }
    REFUSED(LAB_ERROR_INVALID_VALUE, lab_array_arange(&array, LAB_FLOAT64, SIZE_MAX, LAB_ARG(0), LAB_ARG(1)));
    REFUSED(LAB_ERROR_OUT_OF_MEMORY, lab_array_arange(&array, LAB_FLOAT64, SIZE_MAX / 64, LAB_ARG(0), LAB_ARG(1)));
    cr_assert_null(array);
    use_and_destroy_everything(&all);
}

/* lab.h, Arrays: indices and slices outside the array are refused. */
Test(bad_input_size, places_in_an_array)
{
    const lab_status outside = LAB_ERROR_INVALID_VALUE;
    float value = 0;
    lab_array *part = NULL;
    all = make_everything();
    REFUSED(outside, lab_array_get_item(all.array, THINGS, &value));
    REFUSED(outside, lab_array_set_item(all.array, THINGS, &value));
    REFUSED(outside, lab_array_slice(&part, all.array, THINGS + 1, 0));
    REFUSED(outside, lab_array_slice(&part, all.array, 1, THINGS));
    for (int k = 0; k < HUGE_SIZES; k++) {
        REFUSED(outside, lab_array_get_item(all.array, huge[k], &value));
        REFUSED(outside, lab_array_set_item(all.array, huge[k], &value));
        REFUSED(outside, lab_array_slice(&part, all.array, huge[k], 2));
        REFUSED(outside, lab_array_slice(&part, all.array, 2, huge[k]));
        REFUSED(outside, lab_array_slice_axis(&part, all.array, 0, huge[k], 2, 1));
        REFUSED(outside, lab_array_slice_axis(&part, all.array, 0, 2, huge[k], 1));
        REFUSED(outside, lab_array_slice_axis(&part, all.array, 0, 1, 2, huge[k]));
    }
    cr_assert_null(part);
    use_and_destroy_everything(&all);
}

/* lab.h, Casts: counts whose bytes overflow are refused. */
Test(bad_input_size, casts)
{
    const double source = 1;
    int target = 7;
    for (int k = 0; k < HUGE_SIZES; k++) {
        REFUSED(LAB_ERROR_INVALID_VALUE, lab_cast_as_device(&target, LAB_INT32, &source, LAB_FLOAT64, huge[k]));
        REFUSED(LAB_ERROR_INVALID_VALUE, lab_cast_as_numpy(&target, LAB_INT32, &source, LAB_FLOAT64, huge[k]));
    }
    LAB_CHECK(lab_cast_as_device(&target, LAB_INT32, &source, LAB_FLOAT64, 0));
    LAB_CHECK(lab_cast_as_numpy(&target, LAB_INT32, &source, LAB_FLOAT64, 0));
    cr_assert_eq(target, 7);
}

/* cuda.h, Execution Control: CUDA_ERROR_INVALID_VALUE; CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE for shared memory. */
Test(bad_input_size, launches)
{
    static const struct {
        lab_dim grid, block;
    } bad[] = {
        {{0, 1, 1}, {1, 1, 1}},        {{1, 0, 1}, {1, 1, 1}},        {{1, 1, 0}, {1, 1, 1}},
        {{1, 1, 1}, {0, 1, 1}},        {{1, 1, 1}, {1, 0, 1}},        {{1, 1, 1}, {1, 1, 0}},
        {{1, 65536, 1}, {1, 1, 1}},    {{1, 1, 65536}, {1, 1, 1}},    {{1, 1, 1}, {1025, 1, 1}},
        {{1, 1, 1}, {1, 1, 65}},       {{1, 1, 1}, {32, 32, 2}},      {{1, 1, 1}, {65536, 65536, 1}},
        {{1, 1, 1}, {UINT_MAX, 2, 1}}, {{UINT_MAX, 1, 1}, {1, 1, 1}},
    };
    all = make_everything();
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        REFUSED(LAB_ERROR_INVALID_VALUE,
                lab_launch(all.function, bad[k].grid, bad[k].block, 0, all.stream, LAB_ARGS(all.array)));
        REFUSED(LAB_ERROR_INVALID_VALUE,
                lab_launch_cooperative(all.function, bad[k].grid, bad[k].block, 0, all.stream, LAB_ARGS(all.array)));
        REFUSED(LAB_ERROR_INVALID_VALUE, lab_graph_exec_update_kernel(all.exec, 0, all.function, bad[k].grid,
                                                                      bad[k].block, 0, LAB_ARGS(all.array)));
    }
    for (int k = 0; k < HUGE_SIZES; k++) {
        REFUSED(LAB_ERROR_INVALID_VALUE,
                lab_launch(all.function, LAB_DIM(1), LAB_DIM(1), huge[k], all.stream, LAB_ARGS(all.array)));
        REFUSED(LAB_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
                lab_launch_cooperative(all.function, LAB_DIM(1), LAB_DIM(1), huge[k], all.stream, LAB_ARGS(all.array)));
        REFUSED(LAB_ERROR_INVALID_VALUE, lab_graph_exec_update_kernel(all.exec, 0, all.function, LAB_DIM(1), LAB_DIM(1),
                                                                      huge[k], LAB_ARGS(all.array)));
        if (huge[k] > PTRDIFF_MAX)
            REFUSED(LAB_ERROR_INVALID_VALUE,
                    lab_elementwise_launch_sized(all.elementwise, huge[k], all.stream, LAB_ARGS(all.array, all.one)));
        REFUSED(LAB_ERROR_INVALID_VALUE,
                lab_reduction_launch_sized(all.reduction, huge[k], all.stream, LAB_ARGS(all.array, all.one)));
    }
    LAB_CHECK(lab_elementwise_launch_sized(all.elementwise, 0, all.stream, LAB_ARGS(all.array, all.one)));
    REFUSED(LAB_ERROR_INVALID_VALUE,
            lab_graph_exec_update_kernel(all.exec, -1, all.function, LAB_DIM(1), LAB_DIM(1), 0, LAB_ARGS(all.array)));
    REFUSED(LAB_ERROR_INVALID_VALUE, lab_graph_exec_update_kernel(all.exec, INT_MAX, all.function, LAB_DIM(1),
                                                                  LAB_DIM(1), 0, LAB_ARGS(all.array)));
    use_and_destroy_everything(&all);
}

/* cuda.h, Data types used by CUDA driver: CUDA_ERROR_INVALID_DEVICE. */
Test(bad_input_size, devices_that_are_not_there)
{
    int devices;
    LAB_CHECK(lab_device_count(&devices));
    const int absent[] = {-1, devices, INT_MIN, INT_MAX};
    all = make_everything();
    for (int k = 0; k < 4; k++) {
        const lab_status no = LAB_ERROR_INVALID_DEVICE;
        lab_device_info info;
        lab_context *context;
        bool can;
        REFUSED(no, lab_device_get_info(&info, absent[k]));
        REFUSED(no, lab_device_use(absent[k]));
        REFUSED(no, lab_device_can_access_peer(&can, absent[k], 0));
        REFUSED(no, lab_device_can_access_peer(&can, 0, absent[k]));
        REFUSED(no, lab_device_reset(absent[k]));
        REFUSED(no, lab_context_create(&context, absent[k]));
        REFUSED(no, lab_context_primary_retain(&context, absent[k]));
        REFUSED(no, lab_context_primary_release(absent[k]));
        REFUSED(no, lab_memcpy_peer(all.memory, absent[k], all.block, 0, 4));
        REFUSED(no, lab_memcpy_peer(all.memory, 0, all.block, absent[k], 4));
        REFUSED(no, lab_memcpy_peer_async(all.memory, absent[k], all.block, 0, 4, all.stream));
        lab_device_scope scope = lab_device_scope_enter(absent[k]);
        REFUSED(no, lab_device_synchronize());
        lab_device_scope_leave(&scope);
        LAB_CHECK(lab_device_synchronize());
    }
    use_and_destroy_everything(&all);
}

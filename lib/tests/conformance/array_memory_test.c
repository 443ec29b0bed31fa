/* Arrays over memory that exists already, and who frees it. */
#include "gate.h"
#include "test.h"
#include "test_arrays.h"

enum { COUNT = 64, BYTES = COUNT * sizeof(int) };

static lab_deviceptr allocate(void)
{
    lab_deviceptr memory;
    LAB_CHECK(lab_mem_alloc(&memory, BYTES));
    return memory;
}

static lab_array *over(lab_deviceptr memory, size_t count, const lab_allocator *owner)
{
    lab_array *array;
    LAB_CHECK(lab_array_from_memory(&array, LAB_INT32, LAB_SHAPE(count), memory, owner));
    return array;
}

/* An owner that counts. */
typedef struct freed {
    int times;
    lab_deviceptr memory;
    size_t bytes;
} freed;

static lab_status count_free(lab_deviceptr memory, size_t bytes, lab_stream *stream, void *user)
{
    freed *count = user;
    (void)stream;
    *count = (freed){count->times + 1, memory, bytes};
    return LAB_SUCCESS;
}

/* CuPy, UnownedMemory: an array over memory that is not CuPy's. */
Test(array_memory, an_array_over_memory_is_that_memory)
{
    int host[COUNT];
    lab_deviceptr memory = allocate();
    lab_array *whole = over(memory, COUNT, NULL), *part = over(memory + 16 * sizeof(int), 4, NULL);
    cr_assert_eq(lab_array_data(whole), memory);
    cr_assert_eq(lab_array_data(part), memory + 16 * sizeof(int));
    cr_assert_eq(lab_array_bytes(part), 4 * sizeof(int));
    LAB_CHECK(lab_array_fill(whole, LAB_ARG(7), NULL));
    LAB_CHECK(lab_array_fill(part, LAB_ARG(9), NULL));
    LAB_CHECK(lab_memcpy_dtoh(host, memory, BYTES));
    for (int i = 0; i < COUNT; i++) cr_assert_eq(host[i], i >= 16 && i < 20 ? 9 : 7, "element %d: %d", i, host[i]);
    LAB_CHECK(lab_array_destroy(whole));
    LAB_CHECK(lab_array_destroy(part));
    LAB_CHECK(lab_memcpy_dtoh(host, memory, BYTES));
    LAB_CHECK(lab_mem_free(memory));
}

/* CuPy, UnownedMemory: the owner is kept as long as arrays use its memory. */
Test(array_memory, the_owner_has_the_memory_back_once_with_the_last_array)
{
    freed count = {0};
    const lab_allocator owner = {NULL, count_free, &count};
    lab_deviceptr memory = allocate();
    lab_array *array = over(memory, COUNT, &owner), *part;
    LAB_CHECK(lab_array_slice(&part, array, 8, 8));
    LAB_CHECK(lab_array_destroy(array));
    cr_assert_eq(count.times, 0, "a view still shares the memory");
    LAB_CHECK(lab_array_destroy(part));
    cr_assert_eq(count.times, 1);
    cr_assert_eq(count.memory, memory);
    cr_assert_eq(count.bytes, BYTES);
    LAB_CHECK(lab_mem_free(memory));
}

/* CuPy, MemoryPointer: an array keeps the pool's block that it was made over. */
Test(array_memory, a_pool_and_the_device_can_be_owners)
{
    lab_mempool *pool;
    lab_allocator owner;
    lab_deviceptr block, memory = allocate();
    LAB_CHECK(lab_mempool_create(&pool, NULL));
    LAB_CHECK(lab_mempool_alloc(&block, pool, BYTES, NULL));
    LAB_CHECK(lab_mempool_allocator(&owner, pool));
    lab_array *array = over(block, COUNT, &owner);
    cr_assert_gt(lab_mempool_used_bytes(pool), 0);
    LAB_CHECK(lab_array_destroy(array));
    cr_assert_eq(lab_mempool_used_bytes(pool), 0, "the block is the pool's again");
    LAB_CHECK(lab_mempool_destroy(pool));
    owner = lab_device_allocator();
    LAB_CHECK(lab_array_destroy(over(memory, COUNT, &owner)));
    cr_assert_eq(lab_mem_free(memory), LAB_ERROR_INVALID_VALUE, "the array freed it");
}

/* lab.h, Arrays: the elements lie inside the memory. */
Test(array_memory, what_is_not_memory_of_that_size_is_refused_and_stays_the_callers)
{
    freed count = {0};
    const lab_allocator owner = {NULL, count_free, &count}, no_owner = {0};
    const lab_deviceptr memory = allocate();
    lab_array *array;
    const struct {
        lab_deviceptr memory;
        size_t count;
        const lab_allocator *owner;
    } bad[] = {{memory, COUNT + 1, &owner},
               {memory + 4, COUNT, &owner},
               {memory + 2, 1, &owner},
               {memory + BYTES, 1, &owner},
               {0, 1, &owner},
               {(uintptr_t)&count, 1, &owner},
               {memory, COUNT, &no_owner}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        array = (lab_array *)&count;
        cr_assert_eq(lab_array_from_memory(&array, LAB_INT32, LAB_SHAPE(bad[i].count), bad[i].memory, bad[i].owner),
                     LAB_ERROR_INVALID_VALUE, "%zu", i);
        cr_assert_null(array);
    }
    cr_assert_eq(count.times, 0);
    LAB_CHECK(lab_mem_free(memory));
    cr_assert_eq(lab_array_from_memory(&array, LAB_INT32, LAB_SHAPE(1), memory, NULL), LAB_ERROR_INVALID_VALUE);
}

/* lab.h, Arrays: a launch with an array whose memory was freed. */
Test(array_memory, a_launch_after_the_memory_was_freed_is_refused)
{
    lab_deviceptr memory = allocate();
    lab_array *array = over(memory, COUNT, NULL);
    int host[COUNT];
    LAB_CHECK(lab_array_fill(array, LAB_ARG(1), NULL));
    LAB_CHECK(lab_mem_free(memory));
    cr_assert_eq(lab_array_fill(array, LAB_ARG(2), NULL), LAB_ERROR_ILLEGAL_ADDRESS, "%s", lab_error_message());
    cr_assert_neq(lab_array_get(array, host), LAB_SUCCESS);
    LAB_CHECK(lab_array_destroy(array));
    LAB_CHECK(lab_device_synchronize());
}

/* lab.h, Memory pools: a block is not handed out before the work that uses it is done. */
Test(array_memory, a_pool_knows_which_streams_use_its_block_through_an_array)
{
    gate closed = GATE_CLOSED;
    lab_mempool *pool;
    lab_stream *own, *user;
    lab_deviceptr block, again;
    lab_event *event;
    LAB_CHECK(lab_mempool_create(&pool, NULL));
    LAB_CHECK(lab_stream_create(&own, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_stream_create(&user, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_event_create(&event, LAB_EVENT_DISABLE_TIMING));
    LAB_CHECK(lab_mempool_alloc(&block, pool, BYTES, own));
    lab_array *array = over(block, COUNT, NULL);
    LAB_CHECK(lab_array_fill(array, LAB_ARG(0), user)); /* compiles before the gate is closed */
    LAB_CHECK(lab_stream_synchronize(user));
    gate_close_stream(&closed, user);
    LAB_CHECK(lab_array_fill(array, LAB_ARG(1), user));
    LAB_CHECK(lab_mempool_free(pool, block, own));
    LAB_CHECK(lab_mempool_alloc(&again, pool, BYTES, own));
    cr_assert_eq(again, block);
    LAB_CHECK(lab_event_record(event, own));
    cr_assert_eq(lab_event_query(event), LAB_ERROR_NOT_READY, "the stream waits for the array's kernel");
    gate_open(&closed);
    LAB_CHECK(lab_device_synchronize());
    LAB_CHECK(lab_array_destroy(array));
}

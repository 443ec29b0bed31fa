/* Device memory pools: sizes, splitting and merging, statistics, limits, and shortages (CuPy's documentation, "Memory
 * Management", and its MemoryPool; cuda.h, "Stream Ordered Memory Allocator"). mempool_order_test.c tests the order
 * between streams. */
#include "alone.h"
#include "gate.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

enum { UNIT = 512 };

static lab_mempool *make_pool(void)
{
    lab_mempool *pool;
    LAB_CHECK(lab_mempool_create(&pool, NULL));
    return pool;
}

static lab_stream *make_stream(void)
{
    lab_stream *stream;
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    return stream;
}

static lab_deviceptr allocate_on(lab_mempool *pool, size_t bytes, lab_stream *stream)
{
    lab_deviceptr memory;
    LAB_CHECK(lab_mempool_alloc(&memory, pool, bytes, stream));
    return memory;
}

static lab_deviceptr allocate(lab_mempool *pool, size_t bytes) { return allocate_on(pool, bytes, NULL); }

static void give_back(lab_mempool *pool, lab_deviceptr memory) { LAB_CHECK(lab_mempool_free(pool, memory, NULL)); }

static bool message_has(const char *part) { return strstr(lab_error_message(), part) != NULL; }

static bool message_names(lab_deviceptr address)
{
    char text[32];
    snprintf(text, sizeof text, "0x%llx", address);
    return message_has(text);
}

static void assert_holds(lab_mempool *pool, size_t used_units, size_t free_units, size_t free_blocks)
{
    cr_assert_eq(lab_mempool_used_bytes(pool), used_units * UNIT, "used: %zu", lab_mempool_used_bytes(pool));
    cr_assert_eq(lab_mempool_free_bytes(pool), free_units * UNIT, "free: %zu", lab_mempool_free_bytes(pool));
    cr_assert_eq(lab_mempool_total_bytes(pool), (used_units + free_units) * UNIT, "total: %zu",
                 lab_mempool_total_bytes(pool));
    cr_assert_eq(lab_mempool_n_free_blocks(pool), free_blocks, "free blocks: %zu", lab_mempool_n_free_blocks(pool));
}

/* --- Sizes and statistics ----------------------------------------------------------------------------------- */

/* CuPy, MemoryPool: used_bytes, free_bytes, total_bytes, n_free_blocks. */
Test(mempool, an_array_of_400_bytes_takes_512_and_leaves_them_in_the_default_pool)
{
    lab_mempool *pool = lab_mempool_default();
    assert_holds(pool, 0, 0, 0);
    lab_array *array;
    LAB_CHECK(lab_array_empty(&array, LAB_FLOAT32, LAB_SHAPE(100)));
    assert_holds(pool, 1, 0, 0);
    LAB_CHECK(lab_array_destroy(array));
    assert_holds(pool, 0, 1, 1);
    LAB_CHECK(lab_mempool_free_all_blocks(pool));
    assert_holds(pool, 0, 0, 0);
}

/* CuPy, MemoryPool: malloc, get_default_memory_pool. */
Test(mempool, sizes_are_rounded_up_to_512_bytes)
{
    static const size_t sizes[][2] = {{1, 1}, {511, 1}, {512, 1}, {513, 2}, {1024, 2}, {1025, 3}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        lab_mempool *pool = make_pool();
        lab_deviceptr memory = allocate(pool, sizes[i][0]);
        assert_holds(pool, sizes[i][1], 0, 0);
        give_back(pool, memory);
        LAB_CHECK(lab_mempool_destroy(pool));
    }
}

/* CuPy, MemoryPool: malloc, get_default_memory_pool. */
Test(mempool, nothing_is_allocated_for_0_bytes)
{
    lab_mempool *pool = make_pool();
    lab_deviceptr memory = 1;
    cr_assert_eq(lab_mempool_alloc(&memory, pool, 0, NULL), LAB_SUCCESS);
    cr_assert_eq(memory, 0);
    assert_holds(pool, 0, 0, 0);
    cr_assert_eq(lab_mempool_free(pool, 0, NULL), LAB_SUCCESS);
    LAB_CHECK(lab_mempool_destroy(pool));
}

/* CuPy, MemoryPool: malloc, get_default_memory_pool. */
Test(mempool, blocks_are_aligned_apart_and_device_memory)
{
    enum { BLOCKS = 40 };
    lab_mempool *pool = make_pool();
    lab_deviceptr block[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) {
        block[i] = allocate(pool, (size_t)i * 100 + 1);
        cr_assert_eq(block[i] % 256, 0);
        LAB_CHECK(lab_memset_async(block[i], (unsigned char)i, (size_t)i * 100 + 1, NULL));
    }
    for (int i = 0; i < BLOCKS; i++) {
        unsigned char last;
        LAB_CHECK(lab_memcpy_dtoh(&last, block[i] + (size_t)i * 100, 1));
        cr_assert_eq(last, i);
        give_back(pool, block[i]);
    }
    LAB_CHECK(lab_mempool_destroy(pool));
}

/* CuPy, MemoryPool: used_bytes, free_bytes, total_bytes, n_free_blocks. */
Test(mempool, statistics_follow_every_call)
{
    lab_mempool *pool = make_pool();
    lab_deviceptr two = allocate(pool, 2 * UNIT), four = allocate(pool, 4 * UNIT);
    assert_holds(pool, 6, 0, 0);
    give_back(pool, four);
    assert_holds(pool, 2, 4, 1);
    give_back(pool, two);
    assert_holds(pool, 0, 6, 2);
    lab_deviceptr one = allocate(pool, UNIT);
    assert_holds(pool, 1, 5, 2);
    give_back(pool, one);
    LAB_CHECK(lab_mempool_destroy(pool));
}

/* CuPy, MemoryPool: malloc, get_default_memory_pool. */
Test(mempool, pools_share_nothing)
{
    lab_mempool *one = make_pool(), *other = make_pool();
    give_back(one, allocate(one, UNIT));
    lab_deviceptr memory = allocate(other, UNIT);
    assert_holds(one, 0, 1, 1);
    assert_holds(other, 1, 0, 0);
    give_back(other, memory);
    LAB_CHECK(lab_mempool_destroy(one));
    LAB_CHECK(lab_mempool_destroy(other));
}

/* CuPy, MemoryPool: malloc, get_default_memory_pool. */
Test(mempool, null_is_the_default_pool)
{
    lab_deviceptr memory = allocate(NULL, UNIT);
    cr_assert_eq(lab_mempool_used_bytes(NULL), UNIT);
    cr_assert_eq(lab_mempool_used_bytes(lab_mempool_default()), UNIT);
    LAB_CHECK(lab_mempool_free(lab_mempool_default(), memory, NULL));
}

/* --- Best fit, split and merge ------------------------------------------------------------------------------ */

/* CuPy, MemoryPool: best fit, split and merge, statistics. */
Test(mempool, a_freed_block_is_reused)
{
    lab_mempool *pool = make_pool();
    lab_deviceptr memory = allocate(pool, 4 * UNIT);
    give_back(pool, memory);
    cr_assert_eq(allocate(pool, 4 * UNIT), memory);
}

/* CuPy, MemoryPool: best fit, split and merge, statistics. */
Test(mempool, a_block_is_split_and_its_parts_follow_each_other)
{
    lab_mempool *pool = make_pool();
    lab_deviceptr memory = allocate(pool, 4 * UNIT);
    give_back(pool, memory);
    lab_deviceptr head = allocate(pool, 2 * UNIT), tail = allocate(pool, 2 * UNIT);
    cr_assert_eq(head, memory);
    cr_assert_eq(tail, memory + 2 * UNIT);
    assert_holds(pool, 4, 0, 0);
}

/* CuPy, MemoryPool: best fit, split and merge, statistics. */
Test(mempool, freed_neighbours_are_one_block_again_in_every_order)
{
    static const int orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    lab_mempool *pool = make_pool();
    lab_deviceptr memory = allocate(pool, 6 * UNIT);
    for (int order = 0; order < 6; order++) {
        give_back(pool, memory);
        lab_deviceptr part[3];
        for (int i = 0; i < 3; i++) part[i] = allocate(pool, 2 * UNIT);
        for (int i = 0; i < 3; i++) give_back(pool, part[orders[order][i]]);
        assert_holds(pool, 0, 6, 1);
        cr_assert_eq(allocate(pool, 6 * UNIT), memory);
    }
}

/* CuPy, MemoryPool: best fit, split and merge, statistics. */
Test(mempool, blocks_of_different_chunks_do_not_merge)
{
    lab_mempool *pool = make_pool();
    lab_deviceptr one = allocate(pool, UNIT), other = allocate(pool, UNIT);
    give_back(pool, one);
    give_back(pool, other);
    assert_holds(pool, 0, 2, 2);
    lab_deviceptr larger = allocate(pool, 2 * UNIT);
    cr_assert(larger != one && larger != other);
    assert_holds(pool, 2, 2, 2);
}

/* CuPy, MemoryPool: best fit, split and merge, statistics. */
Test(mempool, the_smallest_block_that_is_large_enough_is_taken)
{
    enum { SIZES = 5 };
    static const size_t units[SIZES] = {9, 3, 7, 4, 6};
    lab_mempool *pool = make_pool();
    lab_deviceptr block[SIZES];
    for (int i = 0; i < SIZES; i++) block[i] = allocate(pool, units[i] * UNIT);
    for (int i = 0; i < SIZES; i++) give_back(pool, block[i]);
    cr_assert_eq(allocate(pool, 5 * UNIT), block[4], "5 units come from the block of 6");
    cr_assert_eq(allocate(pool, 3 * UNIT), block[1], "3 units come from the block of 3");
    cr_assert_eq(allocate(pool, 8 * UNIT), block[0], "8 units come from the block of 9");
    cr_assert_eq(allocate(pool, 2 * UNIT), block[3], "2 units come from the block of 4");
}

/* --- Giving memory back to the device ----------------------------------------------------------------------- */

/* CuPy, MemoryPool: free_all_blocks. */
Test(mempool, free_all_blocks_gives_back_what_is_free_and_keeps_partly_used_chunks)
{
    lab_mempool *pool = make_pool();
    lab_deviceptr whole = allocate(pool, 4 * UNIT), partly = allocate(pool, 8 * UNIT);
    give_back(pool, partly);
    lab_deviceptr head = allocate(pool, 2 * UNIT);
    give_back(pool, whole);
    assert_holds(pool, 2, 10, 2);
    LAB_CHECK(lab_mempool_free_all_blocks(pool));
    assert_holds(pool, 2, 6, 1);
    cr_assert_eq(allocate(pool, 6 * UNIT), head + 2 * UNIT);
}

/* CuPy, MemoryPool: free_all_blocks. */
Test(mempool, free_all_blocks_of_an_empty_pool_does_nothing)
{
    lab_mempool *pool = make_pool();
    cr_assert_eq(lab_mempool_free_all_blocks(pool), LAB_SUCCESS);
    assert_holds(pool, 0, 0, 0);
    LAB_CHECK(lab_mempool_destroy(pool));
}

/* CuPy, MemoryPool: free_all_blocks. */
Test(mempool, the_device_has_its_memory_again_after_free_all_blocks)
{
    enum { BYTES = 1 << 22 };
    size_t before, held, after, total;
    lab_mempool *pool = make_pool();
    LAB_CHECK(lab_mem_get_info(&before, &total));
    give_back(pool, allocate(pool, BYTES));
    LAB_CHECK(lab_mem_get_info(&held, &total));
    LAB_CHECK(lab_mempool_free_all_blocks(pool));
    LAB_CHECK(lab_mem_get_info(&after, &total));
    if (memory_is_ours()) {
        cr_assert_leq(held, before - BYTES, "a freed block stays with the pool");
        cr_assert_geq(after, held + BYTES);
    }
    LAB_CHECK(lab_mempool_destroy(pool));
}

/* CuPy, MemoryPool: free_all_blocks. */
Test(mempool, blocks_of_one_stream_can_be_given_back_alone)
{
    lab_mempool *pool = make_pool();
    lab_stream *stream = make_stream();
    lab_deviceptr other = allocate_on(pool, 3 * UNIT, stream);
    give_back(pool, allocate(pool, 4 * UNIT));
    LAB_CHECK(lab_mempool_free(pool, other, stream));
    LAB_CHECK(lab_mempool_free_stream_blocks(pool, lab_stream_null()));
    assert_holds(pool, 0, 3, 1);
    cr_assert_eq(allocate_on(pool, 3 * UNIT, stream), other);
}

/* --- Misuse ------------------------------------------------------------------------------------------------- */

/* cuda.h, Stream Ordered Memory Allocator: cuMemFreeAsync. */
Test(mempool, freeing_twice_is_an_error_that_names_the_address)
{
    lab_mempool *pool = make_pool();
    lab_deviceptr memory = allocate(pool, UNIT);
    give_back(pool, memory);
    cr_assert_eq(lab_mempool_free(pool, memory, NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert(message_names(memory) && message_has("freed already"), "%s", lab_error_message());
    assert_holds(pool, 0, 1, 1);
}

/* cuda.h, Stream Ordered Memory Allocator: cuMemFreeAsync. */
Test(mempool, freeing_twice_is_found_when_the_block_was_merged_or_its_chunk_is_gone)
{
    lab_mempool *pool = make_pool();
    lab_deviceptr memory = allocate(pool, 2 * UNIT);
    give_back(pool, memory);
    lab_deviceptr head = allocate(pool, UNIT), tail = allocate(pool, UNIT);
    give_back(pool, head);
    give_back(pool, tail);
    cr_assert_eq(lab_mempool_free(pool, tail, NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert(message_names(tail) && message_has("freed already"), "%s", lab_error_message());
    LAB_CHECK(lab_mempool_free_all_blocks(pool));
    cr_assert_eq(lab_mempool_free(pool, head, NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert(message_names(head) && message_has("does not come from this pool"), "%s", lab_error_message());
}

/* cuda.h, Stream Ordered Memory Allocator: cuMemFreeAsync. */
Test(mempool, only_a_block_of_the_pool_can_be_freed)
{
    int host;
    lab_mempool *pool = make_pool(), *other = make_pool();
    lab_deviceptr memory = allocate(pool, 4 * UNIT), plain;
    LAB_CHECK(lab_mem_alloc(&plain, UNIT));
    cr_assert_eq(lab_mempool_free(pool, memory + UNIT, NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert(message_names(memory + UNIT) && message_names(memory), "%s", lab_error_message());
    cr_assert_eq(lab_mempool_free(other, memory, NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert(message_names(memory) && message_has("not come from this pool"), "%s", lab_error_message());
    cr_assert_eq(lab_mempool_free(pool, plain, NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_mempool_free(pool, (uintptr_t)&host, NULL), LAB_ERROR_INVALID_VALUE);
    assert_holds(pool, 4, 0, 0);
    give_back(pool, memory);
    LAB_CHECK(lab_mem_free(plain));
}

/* cuda.h, Stream Ordered Memory Allocator: cuMemFreeAsync. */
Test(mempool, mem_free_does_not_take_a_pools_memory)
{
    lab_mempool *pool = make_pool();
    lab_deviceptr memory = allocate(pool, UNIT);
    lab_array *array;
    LAB_CHECK(lab_array_empty(&array, LAB_FLOAT32, LAB_SHAPE(4)));
    cr_assert_eq(lab_mem_free(memory), LAB_ERROR_INVALID_VALUE);
    cr_assert(message_names(memory) && message_has("lab_mempool_free"), "%s", lab_error_message());
    cr_assert_eq(lab_mem_free(lab_array_data(array)), LAB_ERROR_INVALID_VALUE);
    give_back(pool, memory);
    LAB_CHECK(lab_array_destroy(array));
}

/* cuda.h, Memory Management: cuMemcpyHtoD, cuMemcpyDtoH. */
Test(mempool, operations_stay_inside_the_bytes_that_were_asked_for)
{
    unsigned char host[UNIT] = {0};
    lab_mempool *pool = make_pool();
    lab_deviceptr memory = allocate(pool, 100);
    cr_assert_eq(lab_memcpy_htod(memory, host, 100), LAB_SUCCESS);
    cr_assert_eq(lab_memcpy_htod(memory, host, 101), LAB_ERROR_INVALID_VALUE);
    cr_assert(message_has("100 bytes"), "%s", lab_error_message());
    cr_assert_eq(lab_memcpy_dtoh(host, memory + 40, 60), LAB_SUCCESS);
    cr_assert_eq(lab_memcpy_dtoh(host, memory + 40, 61), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_memset_async(memory + 100, 0, 1, NULL), LAB_ERROR_INVALID_VALUE);
    give_back(pool, memory);
}

/* cuda.h, Stream Ordered Memory Allocator: cuMemFreeAsync. */
Test(mempool, freed_blocks_are_refused_by_every_operation)
{
    unsigned char host[UNIT];
    lab_mempool *pool = make_pool();
    lab_deviceptr memory = allocate(pool, 4 * UNIT);
    give_back(pool, memory);
    lab_deviceptr head = allocate(pool, UNIT);
    cr_assert_eq(lab_memcpy_dtoh(host, memory + UNIT, UNIT), LAB_ERROR_INVALID_VALUE);
    cr_assert(message_has("was it freed?"), "%s", lab_error_message());
    cr_assert_eq(lab_memset_async(memory + 2 * UNIT, 0, 1, NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_memcpy_dtod_async(head, memory + 3 * UNIT, 1, NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_memcpy_dtoh(host, head, UNIT), LAB_SUCCESS);
}

/* cuda.h, Stream Ordered Memory Allocator: cuMemPoolDestroy. */
Test(mempool, a_pool_in_use_is_not_destroyed)
{
    lab_mempool *pool = make_pool();
    lab_deviceptr memory = allocate(pool, UNIT);
    cr_assert_eq(lab_mempool_destroy(pool), LAB_ERROR_NOT_PERMITTED);
    cr_assert(message_has("1 block of the pool (512 bytes)"), "%s", lab_error_message());
    give_back(pool, memory);
    cr_assert_eq(lab_mempool_destroy(pool), LAB_SUCCESS);
    cr_assert_eq(lab_mempool_destroy(lab_mempool_default()), LAB_ERROR_NOT_PERMITTED);
    cr_assert_eq(lab_mempool_destroy(NULL), LAB_SUCCESS);
}

/* cuda.h, Stream Ordered Memory Allocator: cuMemPoolDestroy. */
Test(mempool, a_destroyed_pool_is_an_invalid_handle_and_holds_nothing)
{
    lab_deviceptr memory;
    lab_allocator allocator;
    lab_mempool *pool = make_pool();
    give_back(pool, allocate(pool, UNIT));
    LAB_CHECK(lab_mempool_destroy(pool));
    cr_assert_eq(lab_mempool_alloc(&memory, pool, UNIT, NULL), LAB_ERROR_INVALID_HANDLE);
    cr_assert(message_has("lab_mempool_alloc: the pool was destroyed"), "%s", lab_error_message());
    cr_assert_eq(lab_mempool_free(pool, 4096, NULL), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_mempool_record_stream(pool, 4096, NULL), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_mempool_free_all_blocks(pool), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_mempool_free_stream_blocks(pool, NULL), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_mempool_set_limit(pool, 0), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_mempool_set_limit_percent(pool, 0), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_mempool_allocator(&allocator, pool), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_mempool_destroy(pool), LAB_ERROR_INVALID_HANDLE);
    assert_holds(pool, 0, 0, 0);
    cr_assert_eq(lab_mempool_get_limit(pool), 0);
    cr_assert_eq(lab_mempool_free_all_blocks((lab_mempool *)make_stream()), LAB_ERROR_INVALID_HANDLE);
}

/* cuda.h, Stream Ordered Memory Allocator: cuMemAllocFromPoolAsync. */
Test(mempool, no_place_for_the_result_is_refused)
{
    lab_mempool *pool = make_pool();
    cr_assert_eq(lab_mempool_create(NULL, NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_mempool_alloc(NULL, pool, UNIT, NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_mempool_allocator(NULL, pool), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_get_allocator(NULL), LAB_ERROR_INVALID_VALUE);
    LAB_CHECK(lab_mempool_destroy(pool));
}

/* cuda.h, Stream Ordered Memory Allocator: cuMemAllocFromPoolAsync. */
Test(mempool, a_destroyed_stream_is_refused)
{
    lab_deviceptr memory = 1;
    lab_mempool *pool = make_pool();
    lab_deviceptr block = allocate(pool, UNIT);
    lab_stream *stream = make_stream();
    LAB_CHECK(lab_stream_destroy(stream));
    cr_assert_eq(lab_mempool_alloc(&memory, pool, UNIT, stream), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(memory, 0);
    cr_assert_eq(lab_mempool_free(pool, block, stream), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_mempool_record_stream(pool, block, stream), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_mempool_free_stream_blocks(pool, stream), LAB_ERROR_INVALID_HANDLE);
    assert_holds(pool, 1, 0, 0);
    give_back(pool, block);
    LAB_CHECK(lab_mempool_destroy(pool));
}

/* cuda.h, Stream Ordered Memory Allocator: cuMemAllocFromPoolAsync. */
Test(mempool, too_many_bytes_are_out_of_memory_and_the_pool_stays_usable)
{
    static const size_t sizes[] = {SIZE_MAX, SIZE_MAX - 510, SIZE_MAX - 511, SIZE_MAX / 2 + 1, SIZE_MAX / 8};
    lab_mempool *pool = make_pool();
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char asked[40];
        lab_deviceptr memory = 1;
        cr_assert_eq(lab_mempool_alloc(&memory, pool, sizes[i], NULL), LAB_ERROR_OUT_OF_MEMORY);
        cr_assert_eq(memory, 0);
        snprintf(asked, sizeof asked, "%zu bytes asked for", sizes[i]);
        cr_assert(message_has(asked), "%s", lab_error_message());
        assert_holds(pool, 0, 0, 0);
    }
    give_back(pool, allocate(pool, UNIT));
    LAB_CHECK(lab_mempool_destroy(pool));
}

/* --- Limits ------------------------------------------------------------------------------------------------- */

/* CuPy, MemoryPool: set_limit, get_limit. */
Test(mempool, a_limit_bounds_what_is_held_and_the_message_says_so)
{
    lab_deviceptr memory;
    lab_mempool *pool = make_pool();
    cr_assert_eq(lab_mempool_get_limit(pool), 0);
    LAB_CHECK(lab_mempool_set_limit(pool, 4 * UNIT));
    cr_assert_eq(lab_mempool_get_limit(pool), 4 * UNIT);
    lab_deviceptr three = allocate(pool, 3 * UNIT);
    cr_assert_eq(lab_mempool_alloc(&memory, pool, 2 * UNIT, NULL), LAB_ERROR_OUT_OF_MEMORY);
    cr_assert(message_has("1024 bytes asked for") && message_has("limit is 2048") &&
                  message_has("1536 bytes are in use"),
              "%s", lab_error_message());
    lab_deviceptr one = allocate(pool, 1);
    assert_holds(pool, 4, 0, 0);
    give_back(pool, three);
    give_back(pool, one);
    lab_deviceptr four = allocate(pool, 4 * UNIT);
    assert_holds(pool, 4, 0, 0);
    give_back(pool, four);
    cr_assert_eq(lab_mempool_alloc(&memory, pool, 4 * UNIT + 1, NULL), LAB_ERROR_OUT_OF_MEMORY);
    LAB_CHECK(lab_mempool_destroy(pool));
}

/* CuPy, MemoryPool: set_limit, get_limit. */
Test(mempool, a_limit_of_0_means_no_limit)
{
    lab_deviceptr memory;
    lab_mempool *pool = make_pool();
    LAB_CHECK(lab_mempool_set_limit(pool, UNIT));
    cr_assert_eq(lab_mempool_alloc(&memory, pool, UNIT + 1, NULL), LAB_ERROR_OUT_OF_MEMORY);
    LAB_CHECK(lab_mempool_set_limit(pool, 0));
    give_back(pool, allocate(pool, UNIT + 1));
    LAB_CHECK(lab_mempool_set_limit_percent(pool, 0));
    cr_assert_eq(lab_mempool_get_limit(pool), 0);
    LAB_CHECK(lab_mempool_destroy(pool));
}

/* CuPy, MemoryPool: set_limit, get_limit. */
Test(mempool, a_percentage_is_one_of_the_total_memory_and_the_later_limit_counts)
{
    size_t free_bytes, total;
    lab_mempool *pool = make_pool();
    LAB_CHECK(lab_mem_get_info(&free_bytes, &total));
    LAB_CHECK(lab_mempool_set_limit(pool, UNIT));
    LAB_CHECK(lab_mempool_set_limit_percent(pool, 25));
    cr_assert_eq(lab_mempool_get_limit(pool), total / 4);
    LAB_CHECK(lab_mempool_set_limit_percent(pool, 100));
    cr_assert_eq(lab_mempool_get_limit(pool), total);
    LAB_CHECK(lab_mempool_set_limit(pool, 3 * UNIT));
    cr_assert_eq(lab_mempool_get_limit(pool), 3 * UNIT);
    LAB_CHECK(lab_mempool_destroy(pool));
}

/* CuPy, MemoryPool: set_limit, get_limit. */
Test(mempool, percentages_below_0_and_above_100_are_refused)
{
    static const double wrong[] = {-0.001, 100.001, 1e300, -1e300};
    volatile double zero = 0;
    lab_mempool *pool = make_pool();
    LAB_CHECK(lab_mempool_set_limit(pool, UNIT));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        cr_assert_eq(lab_mempool_set_limit_percent(pool, wrong[i]), LAB_ERROR_INVALID_VALUE, "%g", wrong[i]);
    cr_assert_eq(lab_mempool_set_limit_percent(pool, zero / zero), LAB_ERROR_INVALID_VALUE, "not a number");
    cr_assert_eq(lab_mempool_get_limit(pool), UNIT);
    LAB_CHECK(lab_mempool_destroy(pool));
}

/* CuPy, MemoryPool: set_limit, get_limit. */
Test(mempool, a_limit_below_what_is_held_takes_nothing_away)
{
    lab_deviceptr memory;
    lab_mempool *pool = make_pool();
    lab_deviceptr two = allocate(pool, 2 * UNIT);
    LAB_CHECK(lab_mempool_set_limit(pool, UNIT));
    assert_holds(pool, 2, 0, 0);
    cr_assert_eq(lab_mempool_alloc(&memory, pool, 1, NULL), LAB_ERROR_OUT_OF_MEMORY);
    give_back(pool, two);
    give_back(pool, allocate(pool, 2 * UNIT));
    LAB_CHECK(lab_mempool_destroy(pool));
}

/* CuPy, MemoryPool: set_limit, get_limit. */
Test(mempool, environment_sets_a_limit_in_bytes)
{
    setenv("LAB_GPU_MEMORY_LIMIT", "1048576", 1);
    cr_assert_eq(lab_mempool_get_limit(lab_mempool_default()), 1048576);
    lab_array *array;
    cr_assert_eq(lab_array_empty(&array, LAB_UINT8, LAB_SHAPE(1048577)), LAB_ERROR_OUT_OF_MEMORY);
    cr_assert(message_has("1048576"), "%s", lab_error_message());
    LAB_CHECK(lab_mempool_set_limit(NULL, 0));
    LAB_CHECK(lab_array_empty(&array, LAB_UINT8, LAB_SHAPE(1048577)));
    LAB_CHECK(lab_array_destroy(array));
}

/* CuPy, MemoryPool: set_limit, get_limit. */
Test(mempool, environment_sets_a_limit_in_percent)
{
    size_t free_bytes, total;
    LAB_CHECK(lab_mem_get_info(&free_bytes, &total));
    setenv("LAB_GPU_MEMORY_LIMIT", "50%", 1);
    lab_mempool *pool = make_pool();
    cr_assert_eq(lab_mempool_get_limit(pool), total / 2);
    LAB_CHECK(lab_mempool_destroy(pool));
    setenv("LAB_GPU_MEMORY_LIMIT", "12.5%", 1);
    pool = make_pool();
    cr_assert_eq(lab_mempool_get_limit(pool), total / 8);
    LAB_CHECK(lab_mempool_destroy(pool));
    setenv("LAB_GPU_MEMORY_LIMIT", "", 1);
    pool = make_pool();
    cr_assert_eq(lab_mempool_get_limit(pool), 0);
    LAB_CHECK(lab_mempool_destroy(pool));
}

/* CuPy, MemoryPool: set_limit, get_limit. */
Test(mempool, a_malformed_limit_in_the_environment_is_one_error_that_quotes_it)
{
    static const char *const malformed[] = {"abc",
                                            "-1",
                                            "1GB",
                                            "101%",
                                            "-5%",
                                            "%",
                                            "5%%",
                                            " 5",
                                            "1e3%",
                                            "0x10",
                                            "0x10%",
                                            "1.5",
                                            "99999999999999999999999",
                                            "nan%",
                                            "inf%",
                                            "1..5%"};
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++) {
        lab_mempool *pool;
        lab_array *array;
        setenv("LAB_GPU_MEMORY_LIMIT", malformed[i], 1);
        cr_assert_eq(lab_mempool_create(&pool, NULL), LAB_ERROR_INVALID_VALUE, "%s", malformed[i]);
        cr_assert_null(pool);
        cr_assert(message_has("LAB_GPU_MEMORY_LIMIT=") && message_has(malformed[i]), "%s", lab_error_message());
        cr_assert_null(lab_mempool_default());
        cr_assert_eq(lab_array_empty(&array, LAB_UINT8, LAB_SHAPE(1)), LAB_ERROR_INVALID_VALUE, "%s", malformed[i]);
    }
    unsetenv("LAB_GPU_MEMORY_LIMIT");
    cr_assert_not_null(lab_mempool_default(), "the library is usable once the limit is right");
}

/* --- Contexts ----------------------------------------------------------------------------------------------- */

/* CuPy, MemoryPool: malloc, get_default_memory_pool. */
Test(mempool, every_context_has_a_default_pool_that_ends_with_it)
{
    lab_context *context;
    lab_mempool *outside = lab_mempool_default(), *inside, *made;
    lab_pinned_mempool *pinned;
    lab_array *array;
    void *host;
    LAB_CHECK(lab_context_create(&context, 0));
    inside = lab_mempool_default();
    pinned = lab_pinned_mempool_default();
    made = make_pool();
    cr_assert_neq(inside, outside);
    allocate(made, UNIT);
    allocate_on(made, 3 * UNIT, make_stream());
    LAB_CHECK(lab_array_empty(&array, LAB_INT8, LAB_SHAPE(100)));
    LAB_CHECK(lab_pinned_mempool_alloc(&host, NULL, 100));
    cr_assert_eq(lab_mempool_used_bytes(inside), UNIT);
    cr_assert_eq(lab_mempool_used_bytes(outside), 0);
    LAB_CHECK(lab_context_destroy(context));
    cr_assert_eq(lab_mempool_free_all_blocks(inside), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_mempool_free_all_blocks(made), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_pinned_mempool_free_all_blocks(pinned), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_mempool_default(), outside);
    give_back(NULL, allocate(NULL, UNIT));
}

/* CuPy, MemoryPool: malloc, get_default_memory_pool. */
Test(mempool, a_reset_device_has_a_new_default_pool)
{
    lab_mempool *before = lab_mempool_default();
    allocate(NULL, UNIT);
    LAB_CHECK(lab_device_reset(0));
    cr_assert_eq(lab_mempool_free_all_blocks(before), LAB_ERROR_INVALID_HANDLE);
    assert_holds(NULL, 0, 0, 0);
    give_back(NULL, allocate(NULL, UNIT));
}

/* cuda.h, Stream Ordered Memory Allocator: cuMemAllocFromPoolAsync. */
Test(mempool, a_stream_of_another_context_is_refused)
{
    lab_context *context;
    lab_deviceptr memory;
    lab_mempool *pool = make_pool();
    LAB_CHECK(lab_context_create(&context, 0));
    cr_assert_eq(lab_mempool_alloc(&memory, pool, UNIT, NULL), LAB_ERROR_INVALID_CONTEXT);
    cr_assert(message_has("the pool belongs to the primary context of device 0"), "%s", lab_error_message());
    LAB_CHECK(lab_context_destroy(context));
    give_back(pool, allocate(pool, UNIT));
}

/* cuda.h, Stream Ordered Memory Allocator: cuMemAllocFromPoolAsync. */
Test(mempool, a_context_that_ends_with_work_on_anothers_block_leaves_the_block_usable)
{
    lab_context *context;
    lab_mempool *pool = make_pool();
    lab_deviceptr memory = allocate(pool, UNIT);
    LAB_CHECK(lab_context_create(&context, 0));
    lab_stream *stream = make_stream();
    LAB_CHECK(lab_mempool_record_stream(pool, memory, stream));
    LAB_CHECK(lab_mempool_record_stream(pool, memory, lab_stream_null()));
    LAB_CHECK(lab_context_destroy(context));
    give_back(pool, memory);
    cr_assert_eq(allocate(pool, UNIT), memory);
    give_back(pool, memory);
    LAB_CHECK(lab_mempool_destroy(pool));
}

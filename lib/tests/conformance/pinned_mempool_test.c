/* Pinned memory pools: powers of two, statistics and misuse; and the host never gets memory that a copy still uses
 * (unlike CuPy's PinnedMemoryPool, which reuses it at once). */
#include "gate.h"
#include "test.h"

#include <string.h>

static lab_pinned_mempool *make_pool(void)
{
    lab_pinned_mempool *pool;
    LAB_CHECK(lab_pinned_mempool_create(&pool));
    return pool;
}

static lab_stream *make_stream(void)
{
    lab_stream *stream;
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    return stream;
}

static unsigned char *allocate(lab_pinned_mempool *pool, size_t bytes)
{
    void *memory;
    LAB_CHECK(lab_pinned_mempool_alloc(&memory, pool, bytes));
    return memory;
}

static void assert_holds(lab_pinned_mempool *pool, size_t used, size_t free_bytes, size_t free_blocks)
{
    cr_assert_eq(lab_pinned_mempool_used_bytes(pool), used, "used: %zu", lab_pinned_mempool_used_bytes(pool));
    cr_assert_eq(lab_pinned_mempool_free_bytes(pool), free_bytes, "free: %zu", lab_pinned_mempool_free_bytes(pool));
    cr_assert_eq(lab_pinned_mempool_total_bytes(pool), used + free_bytes);
    cr_assert_eq(lab_pinned_mempool_n_free_blocks(pool), free_blocks, "%zu", lab_pinned_mempool_n_free_blocks(pool));
}

/* CuPy, PinnedMemoryPool: malloc. */
Test(pinned_mempool, sizes_are_rounded_up_to_powers_of_two)
{
    static const size_t sizes[][2] = {{1, 512}, {512, 512}, {513, 1024}, {1024, 1024}, {1025, 2048}, {100000, 131072}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        lab_pinned_mempool *pool = make_pool();
        unsigned char *memory = allocate(pool, sizes[i][0]);
        memset(memory, 1, sizes[i][0]);
        assert_holds(pool, sizes[i][1], 0, 0);
        LAB_CHECK(lab_pinned_mempool_free(pool, memory));
        assert_holds(pool, 0, sizes[i][1], 1);
        LAB_CHECK(lab_pinned_mempool_destroy(pool));
    }
}

/* CuPy, PinnedMemoryPool: malloc. */
Test(pinned_mempool, a_freed_block_serves_the_same_power_of_two_only)
{
    lab_pinned_mempool *pool = make_pool();
    unsigned char *memory = allocate(pool, 1000);
    LAB_CHECK(lab_pinned_mempool_free(pool, memory));
    cr_assert_eq(allocate(pool, 600), memory);
    LAB_CHECK(lab_pinned_mempool_free(pool, memory));
    cr_assert_neq(allocate(pool, 2000), memory);
    cr_assert_neq(allocate(pool, 100), memory);
    assert_holds(pool, 2048 + 512, 1024, 1);
}

/* CuPy, PinnedMemoryPool: free_all_blocks, n_free_blocks. */
Test(pinned_mempool, free_all_blocks_unpins_what_is_free)
{
    lab_pinned_mempool *pool = lab_pinned_mempool_default();
    unsigned char *kept = allocate(NULL, 512), *freed = allocate(pool, 512);
    LAB_CHECK(lab_pinned_mempool_free(NULL, freed));
    assert_holds(pool, 512, 512, 1);
    LAB_CHECK(lab_pinned_mempool_free_all_blocks(pool));
    assert_holds(NULL, 512, 0, 0);
    kept[511] = 1;
    LAB_CHECK(lab_pinned_mempool_free(pool, kept));
}

/* CuPy, PinnedMemoryPool: malloc. */
Test(pinned_mempool, nothing_is_allocated_for_0_bytes)
{
    void *memory = &memory;
    lab_pinned_mempool *pool = make_pool();
    cr_assert_eq(lab_pinned_mempool_alloc(&memory, pool, 0), LAB_SUCCESS);
    cr_assert_null(memory);
    assert_holds(pool, 0, 0, 0);
    cr_assert_eq(lab_pinned_mempool_free(pool, NULL), LAB_SUCCESS);
    LAB_CHECK(lab_pinned_mempool_free_all_blocks(pool));
    LAB_CHECK(lab_pinned_mempool_destroy(pool));
}

/* CuPy, PinnedMemoryPool: malloc. */
Test(pinned_mempool, blocks_are_pinned_memory)
{
    gate closed = GATE_CLOSED;
    lab_deviceptr memory;
    lab_stream *stream = make_stream();
    lab_pinned_mempool *pool = make_pool();
    LAB_CHECK(lab_mem_alloc(&memory, 4096));
    unsigned char *host = allocate(pool, 4096);
    memset(host, 5, 4096);
    gate_close_stream(&closed, stream);
    LAB_CHECK(lab_memcpy_htod_async(memory, host, 4096, stream));
    cr_assert_eq(lab_stream_query(stream), LAB_ERROR_NOT_READY, "the copy did not hold the host");
    gate_open(&closed);
    LAB_CHECK(lab_stream_synchronize(stream));
    memset(host, 0, 4096);
    LAB_CHECK(lab_memcpy_dtoh(host, memory, 4096));
    cr_assert_eq(host[4095], 5);
    LAB_CHECK(lab_pinned_mempool_free(pool, host));
    LAB_CHECK(lab_mem_free(memory));
    LAB_CHECK(lab_pinned_mempool_destroy(pool));
}

/* lab.h, Memory pools: pinned blocks and the work that uses them. */
Test(pinned_mempool, a_block_that_a_copy_uses_is_not_handed_out_before_the_copy_is_done)
{
    gate closed = GATE_CLOSED;
    lab_deviceptr memory;
    lab_stream *stream = make_stream();
    lab_pinned_mempool *pool = make_pool();
    LAB_CHECK(lab_mem_alloc(&memory, 4096));
    unsigned char *host = allocate(pool, 4096);
    memset(host, 5, 4096);
    gate_close_stream(&closed, stream);
    LAB_CHECK(lab_memcpy_htod_async(memory, host, 4096, stream));
    LAB_CHECK(lab_pinned_mempool_free(pool, host));
    unsigned char *other = allocate(pool, 4096);
    cr_assert_neq(other, host);
    memset(other, 9, 4096);
    gate_open(&closed);
    LAB_CHECK(lab_stream_synchronize(stream));
    LAB_CHECK(lab_memcpy_dtoh(other, memory, 4096));
    cr_assert(other[0] == 5 && other[4095] == 5);
    cr_assert_eq(allocate(pool, 4096), host, "and is once it is done");
    LAB_CHECK(lab_mem_free(memory));
}

/* lab.h, Memory pools: pinned blocks and the work that uses them. */
Test(pinned_mempool, a_recorded_stream_and_one_destroyed_since_are_waited_for)
{
    for (int destroyed = 0; destroyed < 2; destroyed++) {
        gate closed = GATE_CLOSED;
        lab_stream *stream = make_stream();
        lab_pinned_mempool *pool = make_pool();
        unsigned char *host = allocate(pool, 512);
        gate_close_stream(&closed, stream);
        LAB_CHECK(lab_pinned_mempool_record_stream(pool, host, stream));
        if (destroyed) LAB_CHECK(lab_stream_destroy(stream));
        LAB_CHECK(lab_pinned_mempool_free(pool, host));
        cr_assert_neq(allocate(pool, 512), host);
        gate_open(&closed);
        LAB_CHECK(lab_device_synchronize());
        cr_assert_eq(allocate(pool, 512), host);
    }
}

/* lab.h, Memory pools: pinned blocks and the work that uses them. */
Test(pinned_mempool, misuse_is_an_error_that_names_the_address)
{
    char named[32];
    unsigned char mine[8];
    lab_pinned_mempool *pool = make_pool(), *other = make_pool();
    unsigned char *memory = allocate(pool, 512);
    snprintf(named, sizeof named, "0x%llx", (unsigned long long)(uintptr_t)memory);
    cr_assert_eq(lab_pinned_mempool_free(other, memory), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_pinned_mempool_free(pool, memory + 1), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_pinned_mempool_free(pool, mine), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_host_free(memory), LAB_ERROR_INVALID_VALUE, "a pool's memory is the pool's to unpin");
    cr_assert_not_null(strstr(lab_error_message(), "lab_pinned_mempool_free"), "%s", lab_error_message());
    LAB_CHECK(lab_pinned_mempool_free(pool, memory));
    cr_assert_eq(lab_pinned_mempool_free(pool, memory), LAB_ERROR_INVALID_VALUE);
    cr_assert(strstr(lab_error_message(), named) && strstr(lab_error_message(), "freed already"), "%s",
              lab_error_message());
    cr_assert_eq(lab_pinned_mempool_record_stream(pool, memory, NULL), LAB_ERROR_INVALID_VALUE);
    assert_holds(pool, 0, 512, 1);
}

/* lab.h, Memory pools: pinned blocks and the work that uses them. */
Test(pinned_mempool, pools_are_refused_when_destroyed_or_in_use)
{
    void *memory;
    lab_pinned_mempool *pool = make_pool();
    unsigned char *block = allocate(pool, 512);
    cr_assert_eq(lab_pinned_mempool_destroy(pool), LAB_ERROR_NOT_PERMITTED);
    LAB_CHECK(lab_pinned_mempool_free(pool, block));
    cr_assert_eq(lab_pinned_mempool_destroy(pool), LAB_SUCCESS);
    cr_assert_eq(lab_pinned_mempool_destroy(pool), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_pinned_mempool_alloc(&memory, pool, 1), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_pinned_mempool_free(pool, block), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_pinned_mempool_record_stream(pool, block, NULL), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_pinned_mempool_free_all_blocks(pool), LAB_ERROR_INVALID_HANDLE);
    assert_holds(pool, 0, 0, 0);
    cr_assert_eq(lab_pinned_mempool_destroy(lab_pinned_mempool_default()), LAB_ERROR_NOT_PERMITTED);
    cr_assert_eq(lab_pinned_mempool_destroy(NULL), LAB_SUCCESS);
    cr_assert_eq(lab_pinned_mempool_create(NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_pinned_mempool_alloc(NULL, NULL, 1), LAB_ERROR_INVALID_VALUE);
}

/* CuPy, PinnedMemoryPool: malloc. */
Test(pinned_mempool, too_many_bytes_are_out_of_memory)
{
    static const size_t sizes[] = {SIZE_MAX, SIZE_MAX / 2 + 2, SIZE_MAX / 2, (size_t)1 << 62};
    lab_pinned_mempool *pool = make_pool();
    LAB_CHECK(lab_pinned_mempool_free(pool, allocate(pool, 1)));
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        void *memory = &memory;
        cr_assert_eq(lab_pinned_mempool_alloc(&memory, pool, sizes[i]), LAB_ERROR_OUT_OF_MEMORY, "%zu", sizes[i]);
        cr_assert_null(memory);
    }
    LAB_CHECK(lab_pinned_mempool_free(pool, allocate(pool, 1)));
    LAB_CHECK(lab_pinned_mempool_destroy(pool));
}

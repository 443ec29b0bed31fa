/* Device memory pools and the order between streams: two streams never use a block at once, and no stream waits without
 * need. The pools follow the rules of cuda.h, "Stream Ordered Memory Allocator" (an allocation may be reused in stream
 * order, and across streams once events order it), without the program's help. */
#include "gate.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

enum { UNIT = 512 };

static lab_mempool *make_pool(size_t limit)
{
    lab_mempool *pool;
    LAB_CHECK(lab_mempool_create(&pool, NULL));
    LAB_CHECK(lab_mempool_set_limit(pool, limit));
    return pool;
}

static lab_stream *make_stream(void)
{
    lab_stream *stream;
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    return stream;
}

static lab_deviceptr allocate(lab_mempool *pool, size_t bytes, lab_stream *stream)
{
    lab_deviceptr memory;
    LAB_CHECK(lab_mempool_alloc(&memory, pool, bytes, stream));
    return memory;
}

/* An event at the current end of the stream. */
static lab_event *mark(lab_stream *stream)
{
    lab_event *event;
    LAB_CHECK(lab_event_create(&event, LAB_EVENT_DISABLE_TIMING));
    LAB_CHECK(lab_event_record(event, stream));
    return event;
}

static void assert_held(lab_stream *stream, const char *why)
{
    cr_assert_eq(lab_event_query(mark(stream)), LAB_ERROR_NOT_READY, "%s", why);
}

/* Opens the gate, and waits until its host function has ended. */
static void let_go(gate *closed)
{
    gate_open(closed);
    LAB_CHECK(lab_device_synchronize());
}

/* Returns if the stream runs although a gate is closed elsewhere. */
static void assert_free_to_run(lab_stream *stream) { LAB_CHECK(lab_event_synchronize(mark(stream))); }

/* cuda.h, Stream Ordered Memory Allocator: cuMemAllocFromPoolAsync, cuMemFreeAsync. */
Test(mempool_order, a_stream_has_its_block_again_at_once)
{
    gate closed = GATE_CLOSED;
    lab_mempool *pool = make_pool(0);
    lab_stream *stream = make_stream();
    lab_deviceptr memory = allocate(pool, UNIT, stream);
    gate_close_stream(&closed, stream);
    LAB_CHECK(lab_memset_async(memory, 1, UNIT, stream));
    LAB_CHECK(lab_mempool_free(pool, memory, stream));
    cr_assert_eq(allocate(pool, UNIT, stream), memory);
    cr_assert_eq(lab_stream_query(stream), LAB_ERROR_NOT_READY);
    let_go(&closed);
}

/* cuda.h, Stream Ordered Memory Allocator: cuMemAllocFromPoolAsync, cuMemFreeAsync. */
Test(mempool_order, streams_do_not_share_blocks_while_there_is_memory)
{
    lab_mempool *pool = make_pool(0);
    lab_stream *stream = make_stream(), *other = make_stream();
    lab_deviceptr memory = allocate(pool, UNIT, stream);
    LAB_CHECK(lab_mempool_free(pool, memory, stream));
    cr_assert_neq(allocate(pool, UNIT, other), memory);
    cr_assert_eq(lab_mempool_total_bytes(pool), 2 * UNIT);
}

/* cuda.h, Stream Ordered Memory Allocator: cuMemAllocFromPoolAsync, cuMemFreeAsync. */
Test(mempool_order, a_block_read_by_another_stream_keeps_its_bytes_until_they_are_read)
{
    enum { BYTES = 64 * UNIT };
    gate closed = GATE_CLOSED;
    lab_mempool *pool = make_pool(0);
    lab_stream *own = make_stream(), *reader = make_stream();
    unsigned char *read;
    LAB_CHECK(lab_host_alloc((void **)&read, BYTES));
    lab_deviceptr memory = allocate(pool, BYTES, own);
    LAB_CHECK(lab_memset_async(memory, 7, BYTES, own));
    LAB_CHECK(lab_stream_synchronize(own));
    gate_close_stream(&closed, reader);
    LAB_CHECK(lab_memcpy_dtoh_async(read, memory, BYTES, reader));
    LAB_CHECK(lab_mempool_free(pool, memory, own));
    cr_assert_eq(allocate(pool, BYTES, own), memory, "the host does not wait");
    LAB_CHECK(lab_memset_async(memory, 9, BYTES, own));
    assert_held(own, "the stream waits for the reader");
    let_go(&closed);
    for (int i = 0; i < BYTES; i++) cr_assert_eq(read[i], 7, "byte %d was overwritten early: %d", i, read[i]);
    LAB_CHECK(lab_host_free(read));
}

/* cuda.h, Stream Ordered Memory Allocator: cuMemAllocFromPoolAsync, cuMemFreeAsync. */
Test(mempool_order, every_stream_that_uses_a_block_is_waited_for)
{
    enum { READERS = 5 };
    for (int late = 0; late < READERS; late++) {
        gate closed = GATE_CLOSED;
        lab_mempool *pool = make_pool(0);
        lab_stream *own = make_stream(), *reader[READERS];
        lab_deviceptr memory = allocate(pool, UNIT, own);
        for (int i = 0; i < READERS; i++) {
            reader[i] = make_stream();
            if (i == late) gate_close_stream(&closed, reader[i]);
            LAB_CHECK(lab_memset_async(memory + (lab_deviceptr)i * 64, 1, 64, reader[i]));
        }
        LAB_CHECK(lab_mempool_free(pool, memory, own));
        cr_assert_eq(allocate(pool, UNIT, own), memory);
        assert_held(own, "one of five is late");
        let_go(&closed);
        LAB_CHECK(lab_mempool_free(pool, memory, own));
        LAB_CHECK(lab_mempool_destroy(pool));
    }
}

/* lab.h, Memory pools: lab_mempool_record_stream. */
Test(mempool_order, use_that_the_pool_cannot_see_is_recorded)
{
    gate closed = GATE_CLOSED;
    lab_mempool *pool = make_pool(0);
    lab_stream *own = make_stream(), *user = make_stream();
    lab_deviceptr memory = allocate(pool, UNIT, own);
    gate_close_stream(&closed, user);
    LAB_CHECK(lab_mempool_record_stream(pool, memory, user));
    LAB_CHECK(lab_mempool_free(pool, memory, own));
    cr_assert_eq(allocate(pool, UNIT, own), memory);
    assert_held(own, "the recorded stream is not done");
    let_go(&closed);
}

/* lab.h, Memory pools: lab_mempool_record_stream. */
Test(mempool_order, recording_a_stream_of_no_block_is_an_error)
{
    lab_mempool *pool = make_pool(0);
    lab_deviceptr memory = allocate(pool, UNIT, NULL);
    cr_assert_eq(lab_mempool_record_stream(pool, memory + 1, NULL), LAB_ERROR_INVALID_VALUE);
    LAB_CHECK(lab_mempool_free(pool, memory, NULL));
    cr_assert_eq(lab_mempool_record_stream(pool, memory, NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_not_null(strstr(lab_error_message(), "freed already"), "%s", lab_error_message());
    cr_assert_eq(lab_mempool_record_stream(pool, 0, NULL), LAB_ERROR_INVALID_VALUE);
}

/* cuda.h, Stream Ordered Memory Allocator: cuMemAllocFromPoolAsync, cuMemFreeAsync. */
Test(mempool_order, streams_that_do_not_use_a_block_are_not_waited_for)
{
    gate closed = GATE_CLOSED;
    lab_mempool *pool = make_pool(0);
    lab_stream *own = make_stream(), *other = make_stream();
    lab_deviceptr memory = allocate(pool, UNIT, own);
    LAB_CHECK(lab_memset_async(memory, 1, UNIT, own));
    gate_close_stream(&closed, other);
    LAB_CHECK(lab_mempool_free(pool, memory, own));
    cr_assert_eq(allocate(pool, UNIT, own), memory);
    assert_free_to_run(own);
    let_go(&closed);
}

/* cuda.h, Stream Ordered Memory Allocator: cuMemAllocFromPoolAsync, cuMemFreeAsync. */
Test(mempool_order, work_that_another_stream_gets_after_the_free_is_not_waited_for)
{
    gate closed = GATE_CLOSED;
    lab_mempool *pool = make_pool(0);
    lab_stream *own = make_stream(), *user = make_stream();
    lab_deviceptr memory = allocate(pool, UNIT, own);
    LAB_CHECK(lab_memset_async(memory, 1, UNIT, user));
    LAB_CHECK(lab_mempool_free(pool, memory, own));
    gate_close_stream(&closed, user);
    cr_assert_eq(allocate(pool, UNIT, own), memory);
    assert_free_to_run(own);
    let_go(&closed);
}

/* cuda.h, Stream Ordered Memory Allocator: cuMemAllocFromPoolAsync, cuMemFreeAsync. */
Test(mempool_order, freeing_on_another_stream_waits_for_that_stream)
{
    gate closed = GATE_CLOSED;
    lab_mempool *pool = make_pool(0);
    lab_stream *own = make_stream(), *freeing = make_stream();
    lab_deviceptr memory = allocate(pool, UNIT, own);
    gate_close_stream(&closed, freeing);
    LAB_CHECK(lab_mempool_free(pool, memory, freeing));
    cr_assert_eq(allocate(pool, UNIT, own), memory, "it returns to the arena of the stream it was allocated on");
    assert_held(own, "the stream it was freed on is not done");
    let_go(&closed);
}

/* cuda.h, Stream Ordered Memory Allocator: cuMemAllocFromPoolAsync, cuMemFreeAsync. */
Test(mempool_order, parts_of_a_merged_block_wait_for_the_users_of_all_its_parts)
{
    for (int late = 0; late < 2; late++) {
        gate closed = GATE_CLOSED;
        lab_mempool *pool = make_pool(0);
        lab_stream *own = make_stream(), *user[2] = {make_stream(), make_stream()};
        LAB_CHECK(lab_mempool_free(pool, allocate(pool, 2 * UNIT, own), own));
        lab_deviceptr half[2] = {allocate(pool, UNIT, own), allocate(pool, UNIT, own)};
        gate_close_stream(&closed, user[late]);
        for (int i = 0; i < 2; i++) LAB_CHECK(lab_memset_async(half[i], 1, UNIT, user[i]));
        for (int i = 0; i < 2; i++) LAB_CHECK(lab_mempool_free(pool, half[i], own));
        allocate(pool, 2 * UNIT, own);
        assert_held(own, "one half is still used");
        let_go(&closed);
    }
}

/* --- Shortage ----------------------------------------------------------------------------------------------- */

/* cuda.h, Stream Ordered Memory Allocator: cuMemAllocFromPoolAsync, before out of memory. */
Test(mempool_order, in_a_shortage_a_stream_gets_a_block_of_one_whose_work_is_done)
{
    for (int which_is_busy = 0; which_is_busy < 2; which_is_busy++) {
        gate closed = GATE_CLOSED;
        lab_mempool *pool = make_pool(4 * UNIT);
        lab_stream *stream[2] = {make_stream(), make_stream()}, *other = make_stream();
        lab_deviceptr memory[2];
        for (int i = 0; i < 2; i++) memory[i] = allocate(pool, 2 * UNIT, stream[i]);
        gate_close_stream(&closed, stream[which_is_busy]);
        for (int i = 0; i < 2; i++) LAB_CHECK(lab_mempool_free(pool, memory[i], stream[i]));
        cr_assert_eq(allocate(pool, 2 * UNIT, other), memory[!which_is_busy]);
        assert_free_to_run(other);
        let_go(&closed);
    }
}

/* cuda.h, Stream Ordered Memory Allocator: cuMemAllocFromPoolAsync, before out of memory. */
Test(mempool_order, in_a_shortage_a_stream_waits_on_the_device_for_a_block_of_a_busy_one)
{
    enum { BYTES = 32 * UNIT };
    gate closed = GATE_CLOSED;
    lab_mempool *pool = make_pool(BYTES);
    lab_stream *busy = make_stream(), *other = make_stream();
    unsigned char *read;
    LAB_CHECK(lab_host_alloc((void **)&read, BYTES));
    lab_deviceptr memory = allocate(pool, BYTES, busy);
    LAB_CHECK(lab_memset_async(memory, 7, BYTES, busy));
    gate_close_stream(&closed, busy);
    LAB_CHECK(lab_memcpy_dtoh_async(read, memory, BYTES, busy));
    LAB_CHECK(lab_mempool_free(pool, memory, busy));
    cr_assert_eq(allocate(pool, BYTES, other), memory, "the host does not wait");
    LAB_CHECK(lab_memset_async(memory, 9, BYTES, other));
    assert_held(other, "the stream that had the block is not done");
    let_go(&closed);
    for (int i = 0; i < BYTES; i++) cr_assert_eq(read[i], 7, "byte %d was overwritten early", i);
    LAB_CHECK(lab_host_free(read));
}

/* cuda.h, Stream Ordered Memory Allocator: cuMemAllocFromPoolAsync, before out of memory. */
Test(mempool_order, a_chunk_that_changed_hands_stays_with_its_new_stream)
{
    gate closed = GATE_CLOSED;
    lab_mempool *pool = make_pool(UNIT);
    lab_stream *first = make_stream(), *second = make_stream();
    lab_deviceptr memory = allocate(pool, UNIT, first);
    LAB_CHECK(lab_mempool_free(pool, memory, first));
    cr_assert_eq(allocate(pool, UNIT, second), memory);
    LAB_CHECK(lab_mempool_free(pool, memory, second));
    gate_close_stream(&closed, first);
    cr_assert_eq(allocate(pool, UNIT, second), memory);
    assert_free_to_run(second);
    let_go(&closed);
}

/* cuda.h, Stream Ordered Memory Allocator: cuMemAllocFromPoolAsync, before out of memory. */
Test(mempool_order, part_of_a_chunk_is_lent_to_another_stream_and_comes_home)
{
    gate closed = GATE_CLOSED;
    lab_mempool *pool = make_pool(6 * UNIT);
    lab_stream *home = make_stream(), *borrower = make_stream();
    LAB_CHECK(lab_mempool_free(pool, allocate(pool, 6 * UNIT, home), home));
    lab_deviceptr kept = allocate(pool, 2 * UNIT, home), lent = allocate(pool, 2 * UNIT, borrower);
    cr_assert_eq(lent, kept + 2 * UNIT);
    gate_close_stream(&closed, borrower);
    LAB_CHECK(lab_memset_async(lent, 1, UNIT, borrower));
    LAB_CHECK(lab_mempool_free(pool, lent, borrower));
    cr_assert_eq(allocate(pool, 4 * UNIT, home), lent, "it is one block with its free neighbour again");
    assert_held(home, "the borrower is not done");
    let_go(&closed);
    LAB_CHECK(lab_mempool_free(pool, lent, home));
    LAB_CHECK(lab_mempool_free(pool, kept, home));
    cr_assert_eq(lab_mempool_n_free_blocks(pool), 1);
    LAB_CHECK(lab_mempool_destroy(pool));
}

/* cuda.h, Stream Ordered Memory Allocator: cuMemAllocFromPoolAsync, before out of memory. */
Test(mempool_order, what_a_borrower_leaves_of_a_block_still_waits_for_the_blocks_users)
{
    gate closed = GATE_CLOSED;
    lab_mempool *pool = make_pool(6 * UNIT);
    lab_stream *home = make_stream(), *user = make_stream(), *borrower = make_stream();
    LAB_CHECK(lab_mempool_free(pool, allocate(pool, 6 * UNIT, home), home));
    lab_deviceptr kept = allocate(pool, 2 * UNIT, home), used = allocate(pool, 4 * UNIT, home);
    gate_close_stream(&closed, user);
    LAB_CHECK(lab_memset_async(used, 1, 4 * UNIT, user));
    LAB_CHECK(lab_mempool_free(pool, used, home));
    lab_deviceptr lent = allocate(pool, 2 * UNIT, borrower);
    assert_held(borrower, "the borrower waits for the user");
    assert_free_to_run(home);
    cr_assert_eq(allocate(pool, 2 * UNIT, home), lent + 2 * UNIT);
    assert_held(home, "and so does the home of the rest");
    let_go(&closed);
    LAB_CHECK(lab_mempool_free(pool, kept, home));
}

/* cuda.h, Stream Ordered Memory Allocator: cuMemAllocFromPoolAsync, before out of memory. */
Test(mempool_order, who_else_uses_a_lent_block_waits_for_its_earlier_users_too)
{
    gate closed = GATE_CLOSED;
    lab_mempool *pool = make_pool(4 * UNIT);
    lab_stream *home = make_stream(), *earlier = make_stream(), *borrower = make_stream(), *user = make_stream();
    LAB_CHECK(lab_mempool_free(pool, allocate(pool, 4 * UNIT, home), home));
    lab_deviceptr kept = allocate(pool, 2 * UNIT, home), used = allocate(pool, 2 * UNIT, home);
    gate_close_stream(&closed, earlier);
    LAB_CHECK(lab_memset_async(used, 1, UNIT, earlier));
    LAB_CHECK(lab_mempool_free(pool, used, home));
    cr_assert_eq(allocate(pool, 2 * UNIT, borrower), used);
    assert_free_to_run(user);
    LAB_CHECK(lab_memset_async(used, 2, UNIT, user));
    assert_held(user, "the earlier user is not done");
    LAB_CHECK(lab_memset_async(used + UNIT, 3, UNIT, home));
    assert_held(home, "it holds for the block's home as well");
    let_go(&closed);
    LAB_CHECK(lab_mempool_free(pool, kept, home));
}

/* cuda.h, Stream Ordered Memory Allocator: cuMemAllocFromPoolAsync, before out of memory. */
Test(mempool_order, in_a_shortage_free_chunks_go_back_to_the_device_for_a_larger_one)
{
    lab_mempool *pool = make_pool(4 * UNIT);
    lab_stream *stream = make_stream(), *other = make_stream();
    LAB_CHECK(lab_mempool_free(pool, allocate(pool, 2 * UNIT, stream), stream));
    LAB_CHECK(lab_mempool_free(pool, allocate(pool, 2 * UNIT, other), other));
    allocate(pool, 4 * UNIT, stream);
    cr_assert_eq(lab_mempool_total_bytes(pool), 4 * UNIT);
}

/* cuda.h, Stream Ordered Memory Allocator: cuMemAllocFromPoolAsync, before out of memory. */
Test(mempool_order, the_devices_own_shortage_is_climbed_too)
{
    size_t free_bytes, total;
    lab_deviceptr memory;
    lab_mempool *pool = make_pool(0);
    LAB_CHECK(lab_mem_get_info(&free_bytes, &total));
    cr_assert_eq(lab_mempool_alloc(&memory, pool, total + 1, NULL), LAB_ERROR_OUT_OF_MEMORY);
    cr_assert_not_null(strstr(lab_error_message(), "has no limit"), "%s", lab_error_message());
    LAB_CHECK(lab_mempool_free(pool, allocate(pool, UNIT, NULL), NULL));
    cr_assert_eq(lab_mempool_alloc(&memory, pool, total + 1, NULL), LAB_ERROR_OUT_OF_MEMORY);
    cr_assert_eq(lab_mempool_total_bytes(pool), 0, "free chunks went back to the device");
    LAB_CHECK(lab_mempool_destroy(pool));
}

/* --- Streams that end --------------------------------------------------------------------------------------- */

/* cuda.h, Stream Ordered Memory Allocator: cuMemAllocFromPoolAsync, cuMemFreeAsync. */
Test(mempool_order, blocks_of_a_destroyed_stream_are_reused_when_its_work_is_done)
{
    gate closed = GATE_CLOSED;
    lab_mempool *pool = make_pool(0);
    lab_stream *ending = make_stream(), *other = make_stream();
    lab_deviceptr memory = allocate(pool, UNIT, ending);
    gate_close_stream(&closed, ending);
    LAB_CHECK(lab_memset_async(memory, 1, UNIT, ending));
    lab_event *ended = mark(ending);
    LAB_CHECK(lab_mempool_free(pool, memory, ending));
    LAB_CHECK(lab_stream_destroy(ending));
    cr_assert_neq(allocate(pool, UNIT, other), memory, "there is other memory");
    assert_free_to_run(other);
    let_go(&closed);
    LAB_CHECK(lab_event_synchronize(ended));
    LAB_CHECK(lab_device_synchronize());
    cr_assert_eq(allocate(pool, UNIT, other), memory);
}

/* cuda.h, Stream Ordered Memory Allocator: cuMemAllocFromPoolAsync, before out of memory. */
Test(mempool_order, in_a_shortage_a_stream_waits_on_the_device_for_a_destroyed_one)
{
    gate closed = GATE_CLOSED;
    lab_mempool *pool = make_pool(UNIT);
    lab_stream *ending = make_stream(), *other = make_stream();
    lab_deviceptr memory = allocate(pool, UNIT, ending);
    gate_close_stream(&closed, ending);
    LAB_CHECK(lab_mempool_free(pool, memory, ending));
    LAB_CHECK(lab_stream_destroy(ending));
    cr_assert_eq(allocate(pool, UNIT, other), memory);
    assert_held(other, "the destroyed stream's work is not done");
    let_go(&closed);
}

/* cuda.h, Stream Ordered Memory Allocator: cuMemAllocFromPoolAsync, cuMemFreeAsync. */
Test(mempool_order, a_block_may_be_freed_after_its_stream_was_destroyed)
{
    gate closed = GATE_CLOSED;
    lab_mempool *pool = make_pool(UNIT);
    lab_stream *ending = make_stream(), *other = make_stream();
    lab_deviceptr memory = allocate(pool, UNIT, ending);
    gate_close_stream(&closed, ending);
    LAB_CHECK(lab_memset_async(memory, 1, UNIT, ending));
    LAB_CHECK(lab_stream_destroy(ending));
    LAB_CHECK(lab_mempool_free(pool, memory, other));
    cr_assert_eq(allocate(pool, UNIT, other), memory);
    assert_held(other, "the destroyed stream's work is not done");
    let_go(&closed);
    LAB_CHECK(lab_mempool_free(pool, memory, other));
    LAB_CHECK(lab_mempool_destroy(pool));
}

/* cuda.h, Stream Ordered Memory Allocator: cuMemAllocFromPoolAsync, cuMemFreeAsync. */
Test(mempool_order, a_user_may_be_destroyed_before_or_after_the_block_is_freed)
{
    for (int before = 0; before < 2; before++) {
        gate closed = GATE_CLOSED;
        lab_mempool *pool = make_pool(0);
        lab_stream *own = make_stream(), *user = make_stream();
        lab_deviceptr memory = allocate(pool, UNIT, own);
        gate_close_stream(&closed, user);
        LAB_CHECK(lab_memset_async(memory, 1, UNIT, user));
        if (before) LAB_CHECK(lab_stream_destroy(user));
        LAB_CHECK(lab_mempool_free(pool, memory, own));
        if (!before) LAB_CHECK(lab_stream_destroy(user));
        cr_assert_eq(allocate(pool, UNIT, own), memory);
        assert_held(own, "the user's work is not done");
        let_go(&closed);
        LAB_CHECK(lab_mempool_free(pool, memory, own));
        LAB_CHECK(lab_mempool_destroy(pool));
    }
}

/* cuda.h, Stream Ordered Memory Allocator: cuMemAllocFromPoolAsync, cuMemFreeAsync. */
Test(mempool_order, streams_that_come_and_go_reuse_each_others_memory)
{
    lab_mempool *pool = make_pool(0);
    for (int i = 0; i < 300; i++) {
        lab_stream *stream = make_stream();
        lab_deviceptr memory = allocate(pool, 10 * UNIT, stream);
        LAB_CHECK(lab_memset_async(memory, 1, UNIT, stream));
        LAB_CHECK(lab_stream_synchronize(stream));
        LAB_CHECK(lab_mempool_free(pool, memory, stream));
        LAB_CHECK(lab_stream_destroy(stream));
    }
    cr_assert_eq(lab_mempool_total_bytes(pool), 10 * UNIT);
    LAB_CHECK(lab_mempool_destroy(pool));
}

/* --- Arrays ------------------------------------------------------------------------------------------------- */

/* cuda.h, Stream Ordered Memory Allocator: cuMemAllocFromPoolAsync, cuMemFreeAsync. */
Test(mempool_order, arrays_made_on_one_stream_and_used_on_many_keep_their_contents)
{
    enum { STREAMS = 8, ARRAYS = 64, COUNT = 2000, ROUNDS = 4 };
    lab_stream *stream[STREAMS];
    float *pinned;
    LAB_CHECK(lab_host_alloc((void **)&pinned, (size_t)2 * ARRAYS * COUNT * sizeof *pinned));
    float *results = pinned + ARRAYS * COUNT;
    for (int s = 0; s < STREAMS; s++) stream[s] = make_stream();
    for (int round = 0; round < ROUNDS; round++) {
        LAB_CHECK(lab_device_synchronize());
        for (int i = 0; i < ARRAYS * COUNT; i++) pinned[i] = (float)(round * 7 + i);
        for (int i = 0; i < ARRAYS; i++) {
            lab_array *array;
            LAB_CHECK(lab_array_empty(&array, LAB_FLOAT32, LAB_SHAPE(COUNT)));
            LAB_CHECK(lab_array_set_async(array, pinned + i * COUNT, stream[i % STREAMS]));
            LAB_CHECK(lab_array_get_async(array, results + i * COUNT, stream[i % STREAMS]));
            LAB_CHECK(lab_array_destroy(array));
        }
        LAB_CHECK(lab_device_synchronize());
        cr_assert_eq(memcmp(pinned, results, ARRAYS * COUNT * sizeof *pinned), 0, "round %d", round);
    }
    cr_assert_eq(lab_mempool_total_bytes(NULL), 8192,
                 "one block served all arrays: each was destroyed before the next");
    LAB_CHECK(lab_host_free(pinned));
}

/* cuda.h, Stream Ordered Memory Allocator: cuMemAllocFromPoolAsync, cuMemFreeAsync. */
Test(mempool_order, kernels_use_their_arguments_until_they_are_done)
{
    static const char source[] = "extern \"C\" __global__ void copy(const float *in, float *out, int count)\n"
                                 "{\n"
                                 "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                 "    if (i < count) out[i] = in[i];\n"
                                 "}\n";
    enum { COUNT = 1000, BYTES = COUNT * sizeof(float) };
    gate closed = GATE_CLOSED;
    lab_module *module;
    lab_function copy;
    LAB_CHECK(lab_module_load_source(&module, source, "copy.cu"));
    LAB_CHECK(lab_module_get_function(&copy, module, "copy"));
    lab_stream *user = make_stream();
    lab_array *input, *out;
    float host[COUNT], back[COUNT];
    for (int i = 0; i < COUNT; i++) host[i] = (float)(3 * i + 1);
    LAB_CHECK(lab_array_empty(&out, LAB_FLOAT32, LAB_SHAPE(COUNT)));
    LAB_CHECK(lab_array_empty(&input, LAB_FLOAT32, LAB_SHAPE(COUNT)));
    LAB_CHECK(lab_array_set(input, host));
    LAB_CHECK(lab_stream_synchronize(lab_stream_null()));
    lab_deviceptr data = lab_array_data(input);
    gate_close_stream(&closed, user);
    LAB_CHECK(lab_launch(copy, LAB_DIM(8), LAB_DIM(128), 0, user, LAB_ARGS(input, out, (int)COUNT)));
    LAB_CHECK(lab_array_destroy(input));
    lab_array *next;
    LAB_CHECK(lab_array_empty(&next, LAB_FLOAT32, LAB_SHAPE(COUNT)));
    cr_assert_eq(lab_array_data(next), data);
    LAB_CHECK(lab_memset_async(data, 0, BYTES, lab_stream_null()));
    assert_held(lab_stream_null(), "the kernel is not done");
    let_go(&closed);
    LAB_CHECK(lab_array_get(out, back));
    cr_assert_eq(memcmp(host, back, BYTES), 0);
    LAB_CHECK(lab_array_destroy(next));
    LAB_CHECK(lab_array_destroy(out));
    LAB_CHECK(lab_module_unload(module));
}

/* Uses a block of one context's pool on the null stream of another context, which then ends; the block is freed before
 * or after that. */
static void check_use_ends_with_its_context(bool freed_before, lab_status (*end)(lab_context *context))
{
    lab_array *array;
    lab_context *other;
    lab_deviceptr memory;
    unsigned char bytes[UNIT];
    LAB_CHECK(lab_array_zeros(&array, LAB_UINT8, LAB_SHAPE(UNIT)));
    const lab_deviceptr first = lab_array_data(array);
    LAB_CHECK(lab_stream_synchronize(NULL));
    LAB_CHECK(lab_context_create(&other, 0));
    LAB_CHECK(lab_mem_alloc(&memory, UNIT));
    LAB_CHECK(lab_memset_async(memory, 7, UNIT, lab_stream_null()));
    LAB_CHECK(lab_memcpy_dtod_async(lab_array_data(array), memory, UNIT, lab_stream_null()));
    if (freed_before) LAB_CHECK(lab_array_destroy(array));
    LAB_CHECK(end(other));
    if (!freed_before) {
        LAB_CHECK(lab_array_get(array, bytes));
        cr_assert_eq(bytes[UNIT - 1], 7);
        LAB_CHECK(lab_array_destroy(array));
    }
    for (int round = 0; round < 3; round++) {
        LAB_CHECK(lab_array_zeros(&array, LAB_UINT8, LAB_SHAPE(UNIT)));
        cr_assert_eq(lab_array_data(array), first, "the block is not free again");
        LAB_CHECK(lab_array_get(array, bytes));
        cr_assert_eq(bytes[UNIT - 1], 0);
        LAB_CHECK(lab_array_destroy(array));
    }
}

/* cuda.h, Context Management: cuCtxDestroy. */
Test(mempool_order, a_use_of_a_block_ends_with_the_context_of_its_stream)
{
    check_use_ends_with_its_context(false, lab_context_destroy);
    check_use_ends_with_its_context(true, lab_context_destroy);
}

/* cuda.h, Primary Context Management: cuDevicePrimaryCtxReset. */
Test(mempool_order, a_use_of_a_block_ends_when_the_context_of_its_stream_is_reset)
{
    lab_mempool *pool;
    lab_context *own;
    lab_stream *primary = lab_stream_null();
    LAB_CHECK(lab_context_create(&own, 0));
    LAB_CHECK(lab_mempool_create(&pool, NULL));
    lab_stream *stream = make_stream();
    lab_deviceptr memory = allocate(pool, UNIT, stream);
    LAB_CHECK(lab_memset_async(memory, 7, UNIT, primary));
    LAB_CHECK(lab_device_reset(0));
    LAB_CHECK(lab_mempool_free(pool, memory, stream));
    cr_assert_eq(allocate(pool, UNIT, stream), memory);
    LAB_CHECK(lab_memset_async(memory, 1, UNIT, stream));
    LAB_CHECK(lab_stream_synchronize(stream));
    LAB_CHECK(lab_context_destroy(own));
}

/* The catalogue: memory that is allocated and freed. */
#include "catalogue.h"

#include <pthread.h>

RIGHT(a_block_of_a_pool_used_again, "the pool orders the block's next owner after those before")
{
    for (int i = 0; i < 4; i++) {
        lab_deviceptr block;
        lab_stream *stream = i % 2 ? kit->one : kit->two;
        DO(lab_mempool_alloc(&block, NULL, BYTES, stream));
        DO(lab_memset_async(block, 0, BYTES, stream));
        DO(lab_memset_async(block, 0, BYTES, kit->three == stream ? kit->one : stream));
        DO(lab_mempool_free(NULL, block, stream));
    }
}

RIGHT(a_block_freed_while_another_stream_uses_it, "the pool knows of the use and does not hand out the block early")
{
    lab_deviceptr block, next;
    DO(lab_mempool_alloc(&block, NULL, BYTES, kit->one));
    DO(lab_memset_async(block, 0, BYTES, kit->two));
    DO(lab_mempool_free(NULL, block, kit->one));
    DO(lab_mempool_alloc(&next, NULL, BYTES, kit->one));
    DO(lab_memset_async(next, 0, BYTES, kit->one));
    DO(lab_mempool_free(NULL, next, kit->one));
}

WRONG(two_streams_share_a_block_of_a_pool, "the pool knows both streams, but that does not order them", .bytes = BYTES,
      .edge = BY_EVENT)
{
    lab_deviceptr block;
    DO(lab_mempool_alloc(&block, NULL, BYTES, kit->one));
    FIRST(lab_memset_async(block, 0, BYTES, kit->one));
    SECOND(lab_memset_async(block, 1, BYTES, kit->two));
    DO(lab_mempool_free(NULL, block, kit->one));
}

RIGHT(memory_freed_and_allocated_again, "new memory at an old address has no past")
{
    lab_deviceptr memory;
    for (int i = 0; i < 3; i++) {
        DO(lab_mem_alloc(&memory, BYTES));
        DO(lab_memset_async(memory, 0, BYTES, i % 2 ? kit->one : kit->two));
        DO(lab_mem_free(memory));
    }
}

enum { LARGE = 160 * 512 };

static void *use_a_context(void *user)
{
    static float numbers[LARGE / sizeof(float)];
    lab_context *context;
    lab_array *array;
    DO(lab_context_create(&context, 0));
    DO(lab_array_from_host(&array, LAB_FLOAT32, LAB_SHAPE(LARGE / sizeof(float)), numbers));
    DO(lab_array_destroy(array));
    DO(lab_context_destroy(context));
    return user;
}

static void *use_memory(void *user)
{
    lab_deviceptr memory;
    DO(lab_mem_alloc(&memory, LARGE));
    DO(lab_memset_async(memory, 0, LARGE, lab_stream_per_thread()));
    DO(lab_stream_synchronize(lab_stream_per_thread()));
    DO(lab_mem_free(memory));
    return user;
}

/* The second thread gets the memory that the first freed. */
RIGHT(memory_of_a_context_that_has_ended, "new memory has no past, even where a pool of an ended context had blocks")
{
    void *(*const work[])(void *) = {use_a_context, use_memory};
    (void)kit;
    for (int i = 0; i < 12; i++) {
        pthread_t thread;
        cr_assert_eq(pthread_create(&thread, NULL, work[i % 2], NULL), 0);
        pthread_join(thread, NULL);
    }
}

RIGHT(pageable_memory_used_again, "memory from malloc that belonged to another buffer before, after a wait")
{
    for (int i = 0; i < 4; i++) {
        float *buffer = malloc(BYTES);
        memset(buffer, 0, BYTES);
        DO(lab_array_get_async(kit->a, buffer, i % 2 ? kit->one : kit->two));
        DO(lab_stream_synchronize(i % 2 ? kit->one : kit->two));
        free(buffer);
    }
}

WRONG(a_reduction_on_another_stream, "the library's own kernels are operations like any other", .bytes = BYTES,
      .edge = BY_EVENT)
{
    lab_array *sum;
    DO(lab_array_empty(&sum, LAB_FLOAT32, LAB_SHAPE(1)));
    FIRST(SET(kit->one, kit->a));
    SECOND(lab_array_sum(sum, kit->a, kit->two));
    DO(lab_array_destroy(sum));
}

WRONG(a_user_allocator_that_forgets_order, "an allocator that hands out one block twice, without an event",
      .bytes = BYTES, .edge = BY_EVENT)
{
    lab_deviceptr block = lab_array_data(kit->c);
    FIRST(lab_memset_async(block, 0, BYTES, kit->one));  /* the first owner's last use */
    SECOND(lab_memset_async(block, 1, BYTES, kit->two)); /* the second owner's first use */
}

WRONG(a_graph_uses_memory_that_was_freed, "the memory of a captured node was freed before the launch", .bytes = BYTES,
      .edge = BY_MOVING, .kind = LAB_ORDER_USE_AFTER_FREE)
{
    lab_deviceptr block;
    lab_graph *graph;
    lab_graph_exec *exec;
    DO(lab_mempool_alloc(&block, NULL, BYTES, kit->one));
    DO(lab_stream_begin_capture(kit->one, LAB_CAPTURE_RELAXED));
    SECOND(lab_memset_async(block, 0, BYTES, kit->one));
    DO(lab_stream_end_capture(&graph, kit->one));
    DO(lab_graph_instantiate(&exec, graph));
    FIRST(lab_mempool_free(NULL, block, kit->one));
    DO(lab_graph_launch(exec, kit->one));
    DO(lab_stream_synchronize(kit->one));
    DO(lab_graph_exec_destroy(exec));
    DO(lab_graph_destroy(graph));
}

WRONG(memory_freed_while_a_graph_runs, "the pool cannot know that a graph on another stream uses the block",
      .bytes = BYTES, .edge = BY_TELLING_OR_EVENT, .kind = LAB_ORDER_FREE_IN_USE)
{
    lab_deviceptr block;
    lab_graph *graph;
    lab_graph_exec *exec;
    DO(lab_mempool_alloc(&block, NULL, BYTES, kit->one));
    DO(lab_event_record(kit->event, kit->one));
    DO(lab_stream_wait_event(kit->two, kit->event));
    DO(lab_stream_begin_capture(kit->two, LAB_CAPTURE_RELAXED));
    FIRST(lab_memset_async(block, 0, BYTES, kit->two));
    DO(lab_stream_end_capture(&graph, kit->two));
    DO(lab_graph_instantiate(&exec, graph));
    DO(lab_graph_launch(exec, kit->two));
    SECOND(lab_mempool_free(NULL, block, kit->one));
    DO(lab_device_synchronize());
    DO(lab_graph_exec_destroy(exec));
    DO(lab_graph_destroy(graph));
}

WRONG(memory_freed_while_a_declared_use_runs, "the pool cannot know of a use that is declared only to the checker",
      .bytes = BYTES, .edge = BY_TELLING_OR_EVENT, .kind = LAB_ORDER_FREE_IN_USE)
{
    lab_deviceptr block;
    DO(lab_mempool_alloc(&block, NULL, BYTES, kit->one));
    DO(lab_event_record(kit->event, kit->one));
    DO(lab_stream_wait_event(kit->two, kit->event));
    DO(lab_next_uses(block, BYTES, true));
    FIRST(lab_launch(kit->count, LAB_DIM(1), LAB_DIM(1), 0, kit->two, LAB_NO_ARGS));
    SECOND(lab_mempool_free(NULL, block, kit->one));
    DO(lab_device_synchronize());
}

WRONG(memory_freed_while_a_declared_use_reads, "so does one that only reads", .bytes = BYTES,
      .edge = BY_TELLING_OR_EVENT, .kind = LAB_ORDER_FREE_IN_USE)
{
    lab_deviceptr block;
    DO(lab_mempool_alloc(&block, NULL, BYTES, kit->one));
    DO(lab_memset_async(block, 0, BYTES, kit->one));
    DO(lab_event_record(kit->event, kit->one));
    DO(lab_stream_wait_event(kit->two, kit->event));
    DO(lab_next_uses(block, BYTES, false));
    FIRST(lab_launch(kit->count, LAB_DIM(1), LAB_DIM(1), 0, kit->two, LAB_NO_ARGS));
    SECOND(lab_mempool_free(NULL, block, kit->one));
    DO(lab_device_synchronize());
}

WRONG(memory_freed_while_a_declared_use_runs_on_a_stream_that_the_pool_was_not_told_of,
      "the pool knows of another stream", .bytes = BYTES, .edge = BY_TELLING_OR_EVENT, .kind = LAB_ORDER_FREE_IN_USE)
{
    lab_deviceptr block;
    DO(lab_mempool_alloc(&block, NULL, BYTES, kit->one));
    DO(lab_event_record(kit->event, kit->one));
    DO(lab_stream_wait_event(kit->two, kit->event));
    DO(lab_next_uses(block, BYTES, true));
    FIRST(lab_launch(kit->count, LAB_DIM(1), LAB_DIM(1), 0, kit->two, LAB_NO_ARGS));
    DO(lab_mempool_record_stream(NULL, block, lab_stream_null()));
    SECOND(lab_mempool_free(NULL, block, kit->one));
    DO(lab_device_synchronize());
}

RIGHT(memory_freed_while_a_declared_use_runs_that_the_pool_was_told_of, "the pool orders the stream's uses")
{
    lab_deviceptr block, next;
    DO(lab_mempool_alloc(&block, NULL, BYTES, kit->one));
    DO(lab_event_record(kit->event, kit->one));
    DO(lab_stream_wait_event(kit->two, kit->event));
    for (int before = 0; before < 2; before++) {
        DO(lab_next_uses(block, BYTES, true));
        DO(lab_launch(kit->count, LAB_DIM(1), LAB_DIM(1), 0, kit->two, LAB_NO_ARGS));
        DO(lab_mempool_record_stream(NULL, block, kit->two));
    }
    DO(lab_mempool_free(NULL, block, kit->one));
    DO(lab_mempool_alloc(&next, NULL, BYTES, kit->one));
    DO(lab_memset_async(next, 0, BYTES, kit->one));
    DO(lab_mempool_free(NULL, next, kit->one));
    DO(lab_device_synchronize());
}

RIGHT(memory_freed_behind_a_declared_use, "the stream that frees waits for the declared use")
{
    lab_deviceptr block;
    DO(lab_mempool_alloc(&block, NULL, BYTES, kit->one));
    DO(lab_event_record(kit->event, kit->one));
    DO(lab_stream_wait_event(kit->two, kit->event));
    DO(lab_next_uses(block, BYTES, true));
    DO(lab_launch(kit->count, LAB_DIM(1), LAB_DIM(1), 0, kit->two, LAB_NO_ARGS));
    DO(lab_event_record(kit->event, kit->two));
    DO(lab_stream_wait_event(kit->one, kit->event));
    DO(lab_mempool_free(NULL, block, kit->one));
}

RIGHT(memory_freed_on_the_stream_of_a_declared_use, "what is on that stream is done before others get the block")
{
    lab_deviceptr block, next;
    DO(lab_mempool_alloc(&block, NULL, BYTES, kit->one));
    DO(lab_event_record(kit->event, kit->one));
    DO(lab_stream_wait_event(kit->two, kit->event));
    DO(lab_next_uses(block, BYTES, true));
    DO(lab_launch(kit->count, LAB_DIM(1), LAB_DIM(1), 0, kit->two, LAB_NO_ARGS));
    DO(lab_mempool_free(NULL, block, kit->two));
    DO(lab_mempool_alloc(&next, NULL, BYTES, kit->one));
    DO(lab_memset_async(next, 0, BYTES, kit->one));
    DO(lab_mempool_free(NULL, next, kit->one));
    DO(lab_device_synchronize());
}

RIGHT(a_block_used_by_a_stream_that_did_not_ask_for_it, "the pool makes the stream wait for the block's last owner")
{
    lab_deviceptr before, block;
    DO(lab_mempool_alloc(&before, NULL, BYTES, kit->one));
    DO(lab_memset_async(before, 1, BYTES, kit->one));
    DO(lab_mempool_free(NULL, before, kit->one));
    DO(lab_mempool_alloc(&block, NULL, BYTES, kit->one));
    DO(lab_memset_async(block, 2, BYTES, kit->two));
    DO(lab_stream_synchronize(kit->two));
    DO(lab_mempool_free(NULL, block, kit->one));
}

WRONG(a_declared_use_before_the_allocation, "a stream uses another stream's block, which the pool does not see",
      .bytes = BYTES, .edge = BY_TELLING_OR_EVENT, .kind = LAB_ORDER_USE_BEFORE_ALLOCATION)
{
    lab_deviceptr before, block;
    DO(lab_mempool_alloc(&before, NULL, BYTES, kit->one));
    DO(lab_memset_async(before, 1, BYTES, kit->one));
    DO(lab_mempool_free(NULL, before, kit->one));
    FIRST(lab_mempool_alloc(&block, NULL, BYTES, kit->one));
    DO(lab_next_uses(block, BYTES, true));
    SECOND(lab_launch(kit->count, LAB_DIM(1), LAB_DIM(1), 0, kit->two, LAB_NO_ARGS));
    DO(lab_device_synchronize());
    DO(lab_mempool_free(NULL, block, kit->one));
}

WRONG(a_graph_before_the_allocation, "nor does the pool see that a graph of another stream uses its block",
      .bytes = BYTES, .edge = BY_TELLING_OR_EVENT, .kind = LAB_ORDER_USE_BEFORE_ALLOCATION)
{
    lab_deviceptr before, block;
    lab_graph *graph;
    lab_graph_exec *exec;
    DO(lab_mempool_alloc(&before, NULL, BYTES, kit->one));
    DO(lab_memset_async(before, 1, BYTES, kit->one));
    DO(lab_mempool_free(NULL, before, kit->one));
    FIRST(lab_mempool_alloc(&block, NULL, BYTES, kit->one));
    DO(lab_stream_begin_capture(kit->two, LAB_CAPTURE_RELAXED));
    SECOND(lab_memset_async(block, 0, BYTES, kit->two));
    DO(lab_stream_end_capture(&graph, kit->two));
    DO(lab_graph_instantiate(&exec, graph));
    DO(lab_graph_launch(exec, kit->two));
    DO(lab_stream_synchronize(kit->two));
    DO(lab_mempool_free(NULL, block, kit->one));
    DO(lab_graph_exec_destroy(exec));
    DO(lab_graph_destroy(graph));
}

RIGHT(a_declared_use_of_the_same_stream, "a block belongs to its stream from the allocation on")
{
    lab_deviceptr block;
    DO(lab_mempool_alloc(&block, NULL, BYTES, kit->one));
    DO(lab_next_uses(block, BYTES, true));
    DO(lab_launch(kit->count, LAB_DIM(1), LAB_DIM(1), 0, kit->one, LAB_NO_ARGS));
    DO(lab_mempool_free(NULL, block, kit->one));
}

RIGHT(a_declared_use_of_new_memory, "the block had no owner before")
{
    lab_deviceptr block;
    DO(lab_mempool_alloc(&block, NULL, 3 * BYTES, kit->one));
    DO(lab_next_uses(block, BYTES, true));
    DO(lab_launch(kit->count, LAB_DIM(1), LAB_DIM(1), 0, kit->two, LAB_NO_ARGS));
    DO(lab_device_synchronize());
    DO(lab_mempool_free(NULL, block, kit->one));
}

RIGHT(a_declared_use_after_the_last_owner,
      "an event recorded after the last owner's work, though before the allocation")
{
    lab_deviceptr before, block;
    DO(lab_mempool_alloc(&before, NULL, BYTES, kit->one));
    DO(lab_memset_async(before, 1, BYTES, kit->one));
    DO(lab_mempool_free(NULL, before, kit->one));
    DO(lab_event_record(kit->event, kit->one));
    DO(lab_mempool_alloc(&block, NULL, BYTES, kit->one));
    DO(lab_stream_wait_event(kit->two, kit->event));
    DO(lab_next_uses(block, BYTES, true));
    DO(lab_launch(kit->count, LAB_DIM(1), LAB_DIM(1), 0, kit->two, LAB_NO_ARGS));
    DO(lab_device_synchronize());
    DO(lab_mempool_free(NULL, block, kit->one));
}

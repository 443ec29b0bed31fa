/* The catalogue: graphs whose nodes use memory that was given to another owner since they were captured. Also the same
 * for memory that the driver has freed, whose launch must not run. */
#include "catalogue.h"

static void end(lab_graph_exec *exec)
{
    DO(lab_device_synchronize());
    DO(lab_graph_exec_destroy(exec));
}

/* ---- Blocks of a device pool ---- */

WRONG(a_graph_whose_block_has_a_new_owner, "the block was freed and handed out again between capture and launch",
      .bytes = BYTES, .edge = BY_MOVING, .kind = LAB_ORDER_USE_AFTER_FREE)
{
    lab_deviceptr block, next;
    DO(lab_mempool_alloc(&block, NULL, BYTES, kit->one));
    DO(lab_stream_begin_capture(kit->one, LAB_CAPTURE_RELAXED));
    SECOND(SET(kit->one, block));
    lab_graph_exec *exec = instantiate(kit->one);
    DO(lab_graph_launch(exec, kit->one));
    FIRST(lab_mempool_free(NULL, block, kit->one));
    OWNER(lab_mempool_alloc(&next, NULL, BYTES, kit->one));
    cr_assert_eq(next, block);
    DO(lab_graph_launch(exec, kit->one));
    end(exec);
    DO(lab_mempool_free(NULL, next, kit->one));
}

RIGHT(a_graph_that_is_captured_again_for_the_new_owner, "the new owner's graph uses the new owner's block")
{
    lab_deviceptr block, next;
    DO(lab_mempool_alloc(&block, NULL, BYTES, kit->one));
    DO(lab_stream_begin_capture(kit->one, LAB_CAPTURE_RELAXED));
    DO(SET(kit->one, block));
    lab_graph_exec *exec = instantiate(kit->one);
    DO(lab_graph_launch(exec, kit->one));
    end(exec);
    DO(lab_mempool_free(NULL, block, kit->one));
    DO(lab_mempool_alloc(&next, NULL, BYTES, kit->one));
    DO(lab_stream_begin_capture(kit->one, LAB_CAPTURE_RELAXED));
    DO(SET(kit->one, next));
    exec = instantiate(kit->one);
    DO(lab_graph_launch(exec, kit->one));
    end(exec);
    DO(lab_mempool_free(NULL, next, kit->one));
}

RIGHT(a_node_that_is_updated_for_the_new_owner, "the node was given the new owner's block, at the same address")
{
    lab_deviceptr block, next;
    DO(lab_mempool_alloc(&block, NULL, BYTES, kit->one));
    DO(lab_stream_begin_capture(kit->one, LAB_CAPTURE_RELAXED));
    DO(SET(kit->one, block));
    lab_graph_exec *exec = instantiate(kit->one);
    DO(lab_mempool_free(NULL, block, kit->one));
    DO(lab_mempool_alloc(&next, NULL, BYTES, kit->one));
    DO(lab_graph_exec_update_kernel(exec, 0, kit->set, LAB_DIM(COUNT / 64), LAB_DIM(64), 0, LAB_ARGS(next)));
    DO(lab_graph_launch(exec, kit->one));
    end(exec);
    DO(lab_mempool_free(NULL, next, kit->one));
}

WRONG(a_graph_instantiated_for_the_new_owner, "instantiating a graph does not capture it again", .bytes = BYTES,
      .edge = BY_MOVING, .kind = LAB_ORDER_USE_AFTER_FREE)
{
    lab_deviceptr block, next;
    lab_graph *graph;
    lab_graph_exec *exec;
    DO(lab_mempool_alloc(&block, NULL, BYTES, kit->one));
    DO(lab_stream_begin_capture(kit->one, LAB_CAPTURE_RELAXED));
    SECOND(lab_memset_async(block, 1, BYTES, kit->one));
    DO(lab_stream_end_capture(&graph, kit->one));
    FIRST(lab_mempool_free(NULL, block, kit->one));
    OWNER(lab_mempool_alloc(&next, NULL, BYTES, kit->one));
    cr_assert_eq(next, block);
    DO(lab_graph_instantiate(&exec, graph));
    DO(lab_graph_destroy(graph));
    DO(lab_graph_launch(exec, kit->one));
    end(exec);
    DO(lab_mempool_free(NULL, next, kit->one));
}

WRONG(a_graph_whose_block_was_divided, "half of the block belongs to a smaller one", .bytes = BYTES, .edge = BY_MOVING,
      .kind = LAB_ORDER_USE_AFTER_FREE)
{
    lab_deviceptr block, half;
    DO(lab_mempool_alloc(&block, NULL, BYTES, kit->one));
    DO(lab_stream_begin_capture(kit->one, LAB_CAPTURE_RELAXED));
    SECOND(SET(kit->one, block));
    lab_graph_exec *exec = instantiate(kit->one);
    FIRST(lab_mempool_free(NULL, block, kit->one));
    OWNER(lab_mempool_alloc(&half, NULL, BYTES / 2, kit->one));
    cr_assert_eq(half, block);
    DO(lab_graph_launch(exec, kit->one));
    end(exec);
    DO(lab_mempool_free(NULL, half, kit->one));
}

WRONG(a_graph_whose_array_has_a_new_owner, "an array that is destroyed and one that is made in its place",
      .bytes = BYTES, .edge = BY_MOVING, .kind = LAB_ORDER_USE_AFTER_FREE)
{
    lab_array *gone, *next;
    DO(lab_array_empty(&gone, LAB_FLOAT32, LAB_SHAPE(COUNT)));
    const lab_deviceptr address = lab_array_data(gone);
    DO(lab_stream_begin_capture(kit->one, LAB_CAPTURE_RELAXED));
    SECOND(DUPLICATE(kit->one, gone, kit->a));
    lab_graph_exec *exec = instantiate(kit->one);
    FIRST(lab_array_destroy(gone));
    OWNER(lab_array_empty(&next, LAB_FLOAT32, LAB_SHAPE(COUNT)));
    cr_assert_eq(lab_array_data(next), address);
    DO(lab_graph_launch(exec, kit->one));
    end(exec);
    DO(lab_array_destroy(next));
}

RIGHT(a_block_that_is_freed_behind_the_last_launch, "the next owner begins when no launch follows")
{
    lab_deviceptr block, next;
    DO(lab_mempool_alloc(&block, NULL, BYTES, kit->one));
    DO(lab_stream_begin_capture(kit->one, LAB_CAPTURE_RELAXED));
    DO(SET(kit->one, block));
    lab_graph_exec *exec = instantiate(kit->one);
    for (int i = 0; i < 3; i++) DO(lab_graph_launch(exec, kit->one));
    DO(lab_mempool_free(NULL, block, kit->one));
    DO(lab_mempool_alloc(&next, NULL, BYTES, kit->one));
    DO(lab_memset_async(next, 0, BYTES, kit->one));
    end(exec);
    DO(lab_mempool_free(NULL, next, kit->one));
}

/* ---- Blocks of the pinned pool ---- */

WRONG(a_captured_copy_from_a_block_with_a_new_owner, "the staging block was released and handed out again",
      .bytes = BYTES, .edge = BY_MOVING, .kind = LAB_ORDER_USE_AFTER_FREE)
{
    void *block, *next;
    DO(lab_pinned_mempool_alloc(&block, NULL, BYTES));
    DO(lab_stream_begin_capture(kit->one, LAB_CAPTURE_RELAXED));
    SECOND(lab_array_set_async(kit->a, block, kit->one));
    lab_graph_exec *exec = instantiate(kit->one);
    DO(lab_graph_launch(exec, kit->one));
    DO(lab_stream_synchronize(kit->one));
    FIRST(lab_pinned_mempool_free(NULL, block));
    OWNER(lab_pinned_mempool_alloc(&next, NULL, BYTES));
    cr_assert_eq(next, block);
    DO(lab_graph_launch(exec, kit->one));
    end(exec);
    DO(lab_pinned_mempool_free(NULL, next));
}

WRONG(a_captured_copy_into_a_block_that_was_given_back, "nobody has the block now, but anybody may be given it",
      .bytes = BYTES, .edge = BY_MOVING, .kind = LAB_ORDER_USE_AFTER_FREE)
{
    void *block;
    DO(lab_pinned_mempool_alloc(&block, NULL, BYTES));
    DO(lab_stream_begin_capture(kit->one, LAB_CAPTURE_RELAXED));
    SECOND(lab_array_get_async(kit->a, block, kit->one));
    lab_graph_exec *exec = instantiate(kit->one);
    FIRST(lab_pinned_mempool_free(NULL, block));
    DO(lab_graph_launch(exec, kit->one));
    end(exec);
}

RIGHT(a_captured_copy_from_a_block_that_is_kept, "the staging block is released behind the last launch")
{
    void *block;
    DO(lab_pinned_mempool_alloc(&block, NULL, BYTES));
    DO(lab_stream_begin_capture(kit->one, LAB_CAPTURE_RELAXED));
    DO(lab_array_set_async(kit->a, block, kit->one));
    lab_graph_exec *exec = instantiate(kit->one);
    for (int i = 0; i < 2; i++) DO(lab_graph_launch(exec, kit->one));
    end(exec);
    DO(lab_pinned_mempool_free(NULL, block));
}

/* ---- Memory that the driver has freed ---- */

typedef struct captured_fill {
    lab_stream *stream;
    lab_graph_exec *exec;
} captured_fill;

static captured_fill capture_fill(lab_deviceptr memory)
{
    captured_fill made;
    LAB_CHECK(lab_stream_create(&made.stream, LAB_STREAM_NON_BLOCKING));
    DO(lab_stream_begin_capture(made.stream, LAB_CAPTURE_RELAXED));
    DO(lab_memset_async(memory, 1, BYTES, made.stream));
    made.exec = instantiate(made.stream);
    return made;
}

static void assert_refused(const captured_fill *made, const char *words)
{
    cr_assert_eq(lab_graph_launch(made->exec, made->stream), LAB_ERROR_NOT_ORDERED);
    cr_assert_not_null(strstr(lab_error_message(), words), "%s", lab_error_message());
}

Test(order, refuses_a_graph_that_uses_freed_device_memory)
{
    lab_deviceptr memory;
    LAB_CHECK(lab_order_start(LAB_ORDER_ERROR));
    LAB_CHECK(lab_mem_alloc(&memory, BYTES));
    const captured_fill made = capture_fill(memory);
    LAB_CHECK(lab_mem_free(memory));
    assert_refused(&made, "that memory free (generations_test.c:");
}

Test(order, refuses_a_graph_that_uses_freed_host_memory)
{
    lab_deviceptr memory;
    void *pinned;
    lab_stream *stream;
    LAB_CHECK(lab_order_start(LAB_ORDER_ERROR));
    LAB_CHECK(lab_mem_alloc(&memory, BYTES));
    LAB_CHECK(lab_host_alloc(&pinned, BYTES));
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_stream_begin_capture(stream, LAB_CAPTURE_RELAXED));
    LAB_CHECK(lab_memcpy_htod_async(memory, pinned, BYTES, stream));
    const captured_fill made = {stream, instantiate(stream)};
    LAB_CHECK(lab_host_free(pinned));
    assert_refused(&made, "that host free (generations_test.c:");
}

Test(order, refuses_a_graph_that_uses_a_block_of_a_pool_that_has_ended)
{
    lab_mempool *pool;
    lab_deviceptr block;
    LAB_CHECK(lab_order_start(LAB_ORDER_ERROR));
    LAB_CHECK(lab_mempool_create(&pool, NULL));
    LAB_CHECK(lab_mempool_alloc(&block, pool, BYTES, NULL));
    const captured_fill made = capture_fill(block);
    LAB_CHECK(lab_mempool_free(pool, block, NULL));
    LAB_CHECK(lab_mempool_destroy(pool));
    assert_refused(&made, "that pool free (generations_test.c:");
}

/* Memory while a stream captures: a pool may hand out its free blocks, but allocating from the device is an unsafe call
 * (cuda.h, cuStreamBeginCapture and cuThreadExchangeStreamCaptureMode: "potentially unsafe API calls"). Also the memory
 * that the library's own kernels need besides their arguments. */
#include "test.h"

#include "lab.h"

#include <string.h>

enum { BLOCK = 1 << 20 };

static lab_stream *make_stream(void)
{
    lab_stream *made;
    LAB_CHECK(lab_stream_create(&made, LAB_STREAM_NON_BLOCKING));
    return made;
}

static lab_capture_status status_of(lab_stream *stream)
{
    lab_capture_status status;
    LAB_CHECK(lab_stream_is_capturing(&status, stream));
    return status;
}

/* Ends a valid capture and gives the number of its nodes. */
static int end(lab_graph **graph, lab_stream *stream)
{
    const lab_graph_node *node;
    int nodes = -1;
    cr_assert_eq(lab_stream_end_capture(graph, stream), LAB_SUCCESS, "%s", lab_error_message());
    LAB_CHECK(lab_graph_get_nodes(&node, &nodes, *graph));
    return nodes;
}

static void assert_invalid(lab_stream *stream)
{
    lab_graph *graph;
    cr_assert_eq(status_of(stream), LAB_CAPTURE_INVALIDATED);
    cr_assert_eq(lab_stream_end_capture(&graph, stream), LAB_ERROR_STREAM_CAPTURE_INVALIDATED);
    cr_assert_eq(lab_stream_synchronize(stream), LAB_SUCCESS);
}

/* cuda.h, Stream Ordered Memory Allocator: cuMemAllocFromPoolAsync while a stream captures. */
Test(mempool_capture, what_the_pool_has_is_handed_out_and_taken_back)
{
    lab_stream *stream = make_stream();
    lab_mempool *pool;
    lab_deviceptr before, within;
    lab_graph *graph;
    LAB_CHECK(lab_mempool_create(&pool, NULL));
    LAB_CHECK(lab_mempool_alloc(&before, pool, BLOCK, stream));
    LAB_CHECK(lab_mempool_free(pool, before, stream));
    LAB_CHECK(lab_stream_begin_capture(stream, LAB_CAPTURE_GLOBAL));
    cr_assert_eq(lab_mempool_alloc(&within, pool, BLOCK, stream), LAB_SUCCESS, "%s", lab_error_message());
    cr_assert_eq(within, before);
    cr_assert_eq(lab_memset_async(within, 1, BLOCK, stream), LAB_SUCCESS, "%s", lab_error_message());
    cr_assert_eq(lab_mempool_free(pool, within, stream), LAB_SUCCESS, "%s", lab_error_message());
    cr_assert_eq(lab_mempool_alloc(&within, pool, BLOCK, stream), LAB_SUCCESS, "%s", lab_error_message());
    cr_assert_eq(within, before, "later work of the capture may have it again");
    cr_assert_eq(end(&graph, stream), 1);
    LAB_CHECK(lab_graph_destroy(graph));
    LAB_CHECK(lab_mempool_free(pool, within, stream));
    LAB_CHECK(lab_mempool_destroy(pool));
}

/* cuda.h, Stream Ordered Memory Allocator: cuMemAllocFromPoolAsync while a stream captures. */
Test(mempool_capture, asking_the_device_for_more_invalidates)
{
    lab_stream *stream = make_stream();
    static const lab_capture_mode modes[] = {LAB_CAPTURE_GLOBAL, LAB_CAPTURE_THREAD_LOCAL};
    for (int i = 0; i < 2; i++) {
        lab_mempool *pool;
        lab_deviceptr memory = 1;
        LAB_CHECK(lab_mempool_create(&pool, NULL));
        LAB_CHECK(lab_stream_begin_capture(stream, modes[i]));
        cr_assert_eq(lab_mempool_alloc(&memory, pool, BLOCK, stream), LAB_ERROR_STREAM_CAPTURE_UNSUPPORTED);
        cr_assert_not_null(strstr(lab_error_message(), "lab_mempool_alloc"), "%s", lab_error_message());
        cr_assert_eq(memory, 0ull);
        cr_assert_eq(lab_mempool_total_bytes(pool), 0);
        assert_invalid(stream);
        cr_assert_eq(lab_mempool_alloc(&memory, pool, BLOCK, stream), LAB_SUCCESS, "it works again");
        LAB_CHECK(lab_mempool_free(pool, memory, stream));
        LAB_CHECK(lab_mempool_destroy(pool));
    }
}

/* cuda.h, Stream Ordered Memory Allocator: cuMemAllocFromPoolAsync while a stream captures. */
Test(mempool_capture, a_new_array_is_refused_alike)
{
    lab_stream *stream = make_stream();
    lab_array *array = (lab_array *)&array;
    LAB_CHECK(lab_stream_use(stream));
    LAB_CHECK(lab_stream_begin_capture(stream, LAB_CAPTURE_GLOBAL));
    cr_assert_eq(lab_array_empty(&array, LAB_FLOAT32, LAB_SHAPE(BLOCK)), LAB_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    cr_assert_null(array);
    cr_assert(strstr(lab_error_message(), "captur"), "%s", lab_error_message());
    assert_invalid(stream);
}

/* cuda.h, Stream Ordered Memory Allocator: cuMemAllocFromPoolAsync while a stream captures. */
Test(mempool_capture, a_relaxed_capture_lets_the_pool_grow)
{
    lab_stream *stream = make_stream();
    lab_array *array;
    lab_graph *graph;
    LAB_CHECK(lab_stream_use(stream));
    LAB_CHECK(lab_stream_begin_capture(stream, LAB_CAPTURE_RELAXED));
    cr_assert_eq(lab_array_zeros(&array, LAB_FLOAT32, LAB_SHAPE(BLOCK)), LAB_SUCCESS, "%s", lab_error_message());
    cr_assert_eq(end(&graph, stream), 1, "filling it is work of the graph");
    LAB_CHECK(lab_graph_destroy(graph));
    lab_capture_mode mode = LAB_CAPTURE_RELAXED;
    LAB_CHECK(lab_stream_begin_capture(stream, LAB_CAPTURE_GLOBAL));
    LAB_CHECK(lab_thread_exchange_capture_mode(&mode));
    cr_assert_eq(lab_array_empty(&array, LAB_FLOAT32, LAB_SHAPE(2 * BLOCK)), LAB_SUCCESS, "so does a relaxed thread");
    LAB_CHECK(lab_thread_exchange_capture_mode(&mode));
    cr_assert_eq(end(&graph, stream), 0);
}

/* cuda.h, Stream Ordered Memory Allocator: cuMemAllocFromPoolAsync while a stream captures. */
Test(mempool_capture, giving_chunks_back_to_the_device_invalidates)
{
    lab_stream *stream = make_stream();
    lab_mempool *pool;
    lab_deviceptr memory;
    LAB_CHECK(lab_mempool_create(&pool, NULL));
    LAB_CHECK(lab_mempool_alloc(&memory, pool, BLOCK, stream));
    LAB_CHECK(lab_mempool_free(pool, memory, stream));
    LAB_CHECK(lab_stream_begin_capture(stream, LAB_CAPTURE_GLOBAL));
    cr_assert_eq(lab_mempool_free_all_blocks(pool), LAB_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    assert_invalid(stream);
    cr_assert_eq(lab_mempool_free_bytes(pool), (size_t)BLOCK, "blocks in use remain the pool's");
    LAB_CHECK(lab_mempool_free_all_blocks(pool));
    cr_assert_eq(lab_mempool_free_bytes(pool), 0);
}

/* cuda.h, Stream Ordered Memory Allocator: cuMemAllocFromPoolAsync while a stream captures. */
Test(mempool_capture, a_pool_that_holds_memory_cannot_be_destroyed)
{
    lab_stream *stream = make_stream();
    lab_mempool *pool, *empty;
    lab_pinned_mempool *pinned;
    lab_deviceptr memory;
    lab_graph *graph;
    void *block;
    LAB_CHECK(lab_mempool_create(&pool, NULL));
    LAB_CHECK(lab_mempool_create(&empty, NULL));
    LAB_CHECK(lab_pinned_mempool_create(&pinned));
    LAB_CHECK(lab_mempool_alloc(&memory, pool, BLOCK, stream));
    LAB_CHECK(lab_mempool_free(pool, memory, stream));
    LAB_CHECK(lab_pinned_mempool_alloc(&block, pinned, BLOCK));
    LAB_CHECK(lab_pinned_mempool_free(pinned, block));
    LAB_CHECK(lab_stream_begin_capture(stream, LAB_CAPTURE_GLOBAL));
    LAB_CHECK(lab_mempool_free_all_blocks(empty));
    LAB_CHECK(lab_mempool_destroy(empty));
    cr_assert_eq(end(&graph, stream), 0, "one that holds none can be");
    LAB_CHECK(lab_stream_begin_capture(stream, LAB_CAPTURE_GLOBAL));
    cr_assert_eq(lab_mempool_destroy(pool), LAB_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    assert_invalid(stream);
    LAB_CHECK(lab_stream_begin_capture(stream, LAB_CAPTURE_GLOBAL));
    cr_assert_eq(lab_pinned_mempool_free_all_blocks(pinned), LAB_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    cr_assert_eq(lab_pinned_mempool_free_bytes(pinned), (size_t)BLOCK);
    cr_assert_eq(lab_pinned_mempool_destroy(pinned), LAB_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    assert_invalid(stream);
    LAB_CHECK(lab_pinned_mempool_destroy(pinned));
    LAB_CHECK(lab_mempool_destroy(pool));
}

/* ---- memory for the library's own kernels ---- */

enum { COUNT = 100000 };

static lab_array *ones(lab_stream *stream)
{
    lab_array *made;
    LAB_WITH_STREAM(stream) LAB_CHECK(lab_array_ones(&made, LAB_INT64, LAB_SHAPE(COUNT)));
    LAB_CHECK(lab_stream_synchronize(stream));
    return made;
}

static lab_array *one(void)
{
    lab_array *made;
    LAB_CHECK(lab_array_empty(&made, LAB_INT64, LAB_SHAPE(1)));
    return made;
}

static int64_t value_of(const lab_array *array, lab_stream *stream)
{
    int64_t value = 0;
    LAB_WITH_STREAM(stream) LAB_CHECK(lab_array_get_item(array, 0, &value));
    return value;
}

/* cuda.h, Stream Ordered Memory Allocator: cuMemAllocFromPoolAsync while a stream captures. */
Test(mempool_capture, a_reduction_can_be_captured_at_once_and_is_one_node)
{
    lab_stream *stream = make_stream();
    lab_array *x = ones(stream), *y = one();
    lab_graph *graph;
    lab_graph_exec *exec;
    LAB_CHECK(lab_stream_begin_capture(stream, LAB_CAPTURE_GLOBAL));
    cr_assert_eq(lab_array_sum(y, x, stream), LAB_SUCCESS, "%s", lab_error_message());
    cr_assert_eq(end(&graph, stream), 1);
    LAB_CHECK(lab_graph_instantiate(&exec, graph));
    for (int64_t value = 1; value < 4; value++) {
        LAB_CHECK(lab_array_fill(x, LAB_ARG(value), stream));
        LAB_CHECK(lab_graph_launch(exec, stream));
        cr_assert_eq(value_of(y, stream), value * COUNT);
    }
    LAB_CHECK(lab_graph_exec_destroy(exec));
    LAB_CHECK(lab_graph_destroy(graph));
}

/* cuda.h, Stream Ordered Memory Allocator: cuMemAllocFromPoolAsync while a stream captures. */
Test(mempool_capture, reductions_beside_a_graph_do_not_use_its_memory)
{
    lab_stream *stream = make_stream(), *beside = make_stream();
    lab_array *x = ones(stream), *y = one(), *others = ones(beside), *sum = one();
    lab_graph *graph;
    lab_graph_exec *exec;
    LAB_CHECK(lab_array_fill(others, LAB_ARG(5), beside));
    LAB_CHECK(lab_stream_begin_capture(stream, LAB_CAPTURE_THREAD_LOCAL));
    LAB_CHECK(lab_array_sum(y, x, stream));
    end(&graph, stream);
    LAB_CHECK(lab_graph_instantiate(&exec, graph));
    for (int round = 0; round < 50; round++) {
        LAB_CHECK(lab_graph_launch(exec, stream));
        LAB_CHECK(lab_array_sum(sum, others, beside));
        cr_assert_eq(value_of(y, stream), COUNT, "round %d", round);
        cr_assert_eq(value_of(sum, beside), 5 * COUNT, "round %d", round);
    }
    LAB_CHECK(lab_graph_exec_destroy(exec));
    LAB_CHECK(lab_graph_destroy(graph));
}

/* cuda.h, Stream Ordered Memory Allocator: cuMemAllocFromPoolAsync while a stream captures. */
Test(mempool_capture, an_input_that_an_output_overlaps_is_copied_in_the_graph)
{
    lab_stream *stream = make_stream();
    lab_array *x = ones(stream), *from, *to;
    lab_elementwise *shift;
    lab_graph *graph;
    lab_graph_exec *exec;
    LAB_CHECK(lab_elementwise_create(&shift, "T x", "T y", "y = x + 1", "shift"));
    LAB_CHECK(lab_array_slice(&from, x, 0, COUNT - 1));
    LAB_CHECK(lab_array_slice(&to, x, 1, COUNT - 1));
    LAB_CHECK(lab_stream_begin_capture(stream, LAB_CAPTURE_GLOBAL));
    cr_assert_eq(lab_elementwise_launch(shift, stream, LAB_ARGS(from, to)), LAB_SUCCESS, "%s", lab_error_message());
    cr_assert_eq(end(&graph, stream), 2, "the copy and the kernel");
    LAB_CHECK(lab_graph_instantiate(&exec, graph));
    for (int round = 0; round < 3; round++) LAB_CHECK(lab_graph_launch(exec, stream));
    int64_t *host = malloc(COUNT * sizeof *host);
    LAB_CHECK(lab_stream_synchronize(stream));
    LAB_CHECK(lab_array_get(x, host));
    cr_assert(host[0] == 1 && host[1] == 2 && host[2] == 3 && host[3] == 4 && host[COUNT - 1] == 4);
    free(host);
    LAB_CHECK(lab_graph_exec_destroy(exec));
    LAB_CHECK(lab_graph_destroy(graph));
}

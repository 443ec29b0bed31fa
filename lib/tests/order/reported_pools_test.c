/* The catalogue: what others ran into with memory pools and graphs. Their pools see no kernel's use of a block. Here
 * such a use is hidden from the pool: only the checker is told. */
#include "catalogue.h"

/* `waiting` waits for what was enqueued on `first` so far. */
static void chain(ground *kit, lab_stream *first, lab_stream *waiting)
{
    DO(lab_event_record(kit->event, first));
    DO(lab_stream_wait_event(waiting, kit->event));
}

REPORTED(a_block_offloaded_on_a_side_stream, "meta-pytorch/torchrec pull 4231",
         "the block is released while the side stream still copies from it", "the pool is told of the side stream",
         .bytes = BYTES, .edge = BY_TELLING_OR_EVENT, .kind = LAB_ORDER_FREE_IN_USE)
{
    lab_deviceptr block;
    DO(lab_mempool_alloc(&block, NULL, BYTES, kit->one));
    DO(lab_memset_async(block, 1, BYTES, kit->one));
    chain(kit, kit->one, kit->two);
    FIRST(USE_HIDDEN(kit->two, block, false));
    if (right) DO(lab_mempool_record_stream(NULL, block, kit->two));
    SECOND(lab_mempool_free(NULL, block, kit->one));
}

REPORTED(a_block_handed_to_the_consumers_stream, "NVIDIA/TensorRT-LLM pull 15265",
         "events order producer and consumer, but the block returns to the producer's stream", "the pool is told",
         .bytes = BYTES, .edge = BY_TELLING_OR_EVENT, .kind = LAB_ORDER_FREE_IN_USE)
{
    lab_deviceptr block;
    DO(lab_mempool_alloc(&block, NULL, BYTES, kit->two)); /* the auxiliary stream */
    DO(SET(kit->two, block));
    chain(kit, kit->two, kit->one);
    FIRST(USE_HIDDEN(kit->one, block, false));
    if (right) DO(lab_mempool_record_stream(NULL, block, kit->one));
    SECOND(lab_mempool_free(NULL, block, kit->two));
}

REPORTED(a_message_sent_on_a_fresh_stream, "pytorch/pytorch pull 58384",
         "the message is dropped while a stream of the pool's sends it", "the sender's stream waits before the free",
         .bytes = BYTES, .edge = BY_TELLING_OR_EVENT, .kind = LAB_ORDER_FREE_IN_USE)
{
    lab_deviceptr message;
    lab_stream *fresh;
    DO(lab_stream_create(&fresh, LAB_STREAM_NON_BLOCKING));
    DO(lab_mempool_alloc(&message, NULL, BYTES, kit->one));
    chain(kit, kit->one, fresh);
    FIRST(USE_HIDDEN(fresh, message, false));
    if (right) chain(kit, fresh, kit->one);
    DO(lab_stream_destroy(fresh));
    SECOND(lab_mempool_free(NULL, message, kit->one));
}

REPORTED(a_block_used_on_a_stream_that_did_not_wait, "rapidsai/rmm pull 510",
         "memory of one stream is valid on another only behind an event", "the other stream waits for the allocation",
         .bytes = BYTES, .edge = BY_TELLING_OR_EVENT, .kind = LAB_ORDER_USE_BEFORE_ALLOCATION)
{
    lab_deviceptr before, block;
    DO(lab_mempool_alloc(&before, NULL, BYTES, kit->one));
    DO(lab_memset_async(before, 1, BYTES, kit->one));
    DO(lab_mempool_free(NULL, before, kit->one));
    FIRST(lab_mempool_alloc(&block, NULL, BYTES, kit->one));
    if (right) chain(kit, kit->one, kit->two);
    SECOND(USE_HIDDEN(kit->two, block, true));
    DO(lab_device_synchronize());
    DO(lab_mempool_free(NULL, block, kit->one));
}

REPORTED(a_free_list_whose_event_was_not_recorded_again, "rapidsai/rmm issue 2489",
         "stream two takes over blocks of stream one, and stream three waits for an older event of two",
         "the event is recorded again behind the takeover", .bytes = BYTES, .edge = BY_EVENT)
{
    const lab_deviceptr block = lab_array_data(kit->a);
    DO(lab_event_record(kit->other_event, kit->two));
    FIRST(lab_memset_async(block, 1, BYTES, kit->one)); /* the donor's last use */
    chain(kit, kit->one, kit->two);
    if (right) DO(lab_event_record(kit->other_event, kit->two));
    DO(lab_stream_wait_event(kit->three, kit->other_event));
    SECOND(lab_memset_async(block, 2, BYTES, kit->three));
}

REPORTED(a_block_freed_into_another_stream_than_its_kernels, "kokkos/kokkos pull 9433",
         "the free is on the default stream, the kernel on another", "the free is behind a wait for the device",
         .bytes = BYTES, .edge = BY_TELLING_OR_EVENT, .kind = LAB_ORDER_FREE_IN_USE)
{
    lab_deviceptr block;
    DO(lab_mempool_alloc(&block, NULL, BYTES, lab_stream_null()));
    FIRST(USE_HIDDEN(kit->one, block, true));
    if (right) DO(lab_device_synchronize());
    SECOND(lab_mempool_free(NULL, block, lab_stream_null()));
}

static lab_graph_exec *instantiate(lab_stream *captured)
{
    lab_graph *graph;
    lab_graph_exec *exec;
    DO(lab_stream_end_capture(&graph, captured));
    DO(lab_graph_instantiate(&exec, graph));
    DO(lab_graph_destroy(graph));
    return exec;
}

REPORTED(a_graph_whose_buffer_moved, "beehive-lab/TornadoVM issue 1006",
         "the buffer was replaced after the capture, and the graph uses the old one", "the node is updated",
         .bytes = BYTES, .edge = BY_MOVING, .kind = LAB_ORDER_USE_AFTER_FREE)
{
    lab_deviceptr block, larger;
    DO(lab_mempool_alloc(&block, NULL, BYTES, kit->one));
    DO(lab_stream_begin_capture(kit->one, LAB_CAPTURE_RELAXED));
    SECOND(SET(kit->one, block));
    lab_graph_exec *exec = instantiate(kit->one);
    DO(lab_graph_launch(exec, kit->one));
    DO(lab_mempool_alloc(&larger, NULL, 2 * BYTES, kit->one));
    FIRST(lab_mempool_free(NULL, block, kit->one));
    if (right)
        DO(lab_graph_exec_update_kernel(exec, 0, kit->set, LAB_DIM(COUNT / 64), LAB_DIM(64), 0, LAB_ARGS(larger)));
    DO(lab_graph_launch(exec, kit->one));
    DO(lab_stream_synchronize(kit->one));
    DO(lab_graph_exec_destroy(exec));
    DO(lab_mempool_free(NULL, larger, kit->one));
}

REPORTED(a_graph_whose_input_is_filled_on_another_stream, "pytorch/pytorch issue 114844",
         "the replay does not wait for the stream that fills its static input", "the replay's stream waits",
         .bytes = BYTES, .edge = BY_EVENT)
{
    DO(lab_stream_begin_capture(kit->one, LAB_CAPTURE_RELAXED));
    SECOND(DUPLICATE(kit->one, kit->b, kit->a));
    lab_graph_exec *exec = instantiate(kit->one);
    FIRST(lab_array_set_async(kit->a, kit->pinned, kit->two));
    if (right) chain(kit, kit->two, kit->one);
    DO(lab_graph_launch(exec, kit->one));
    DO(lab_device_synchronize());
    DO(lab_graph_exec_destroy(exec));
}

REPORTED(an_input_that_a_graph_still_reads, "ggml-org/llama.cpp issue 27572",
         "the next batch is uploaded on another stream while the graph may read the last one",
         "the upload waits for an event behind the launch", .bytes = BYTES, .edge = BY_EVENT)
{
    DO(lab_stream_begin_capture(kit->one, LAB_CAPTURE_RELAXED));
    FIRST(DUPLICATE(kit->one, kit->b, kit->a));
    lab_graph_exec *exec = instantiate(kit->one);
    DO(lab_graph_launch(exec, kit->one));
    if (right) chain(kit, kit->one, kit->two);
    SECOND(lab_array_set_async(kit->a, kit->pinned, kit->two));
    DO(lab_device_synchronize());
    DO(lab_graph_exec_destroy(exec));
}

static void nothing(void *user) { (void)user; }

REPORTED(a_callbacks_data_given_back_early, "NVIDIA/cuda-python pull 2127",
         "the data of a host function are given back when it is enqueued", "they are given back when it has run",
         .bytes = BYTES, .edge = BY_TELLING, .kind = LAB_ORDER_FREE_IN_USE)
{
    void *data;
    DO(lab_pinned_mempool_alloc(&data, NULL, BYTES));
    DO(lab_host_writes(data, BYTES));
    DO(lab_next_uses_host(data, BYTES, false));
    FIRST(lab_stream_launch_host_func(kit->one, nothing, data));
    if (right) DO(lab_stream_synchronize(kit->one));
    SECOND(lab_pinned_mempool_free(NULL, data));
}

REPORTED(a_callback_in_a_graph_whose_data_are_given_back, "cupy/cupy pull 9279",
         "the data of a captured host function are given back while a launch may still use them",
         "the host waits for the launch", .bytes = BYTES, .edge = BY_TELLING, .kind = LAB_ORDER_FREE_IN_USE)
{
    void *data;
    DO(lab_pinned_mempool_alloc(&data, NULL, BYTES));
    DO(lab_stream_begin_capture(kit->one, LAB_CAPTURE_RELAXED));
    DO(lab_next_uses_host(data, BYTES, true));
    FIRST(lab_stream_launch_host_func(kit->one, nothing, data));
    lab_graph_exec *exec = instantiate(kit->one);
    DO(lab_graph_launch(exec, kit->two));
    if (right) DO(lab_stream_synchronize(kit->two));
    SECOND(lab_pinned_mempool_free(NULL, data));
    DO(lab_device_synchronize());
    DO(lab_graph_exec_destroy(exec));
}

/* The catalogue: what others ran into with graphs. */
#include "catalogue.h"

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

REPORTED(a_callback_in_a_graph_whose_data_are_given_back, "cupy/cupy pull 9279",
         "the data of a captured host function are freed while a launch may still use them",
         "the host waits for the launch", .bytes = BYTES, .edge = BY_TELLING, .kind = LAB_ORDER_FREE_IN_USE)
{
    void *data;
    DO(lab_pinned_mempool_alloc(&data, NULL, BYTES));
    DO(lab_stream_begin_capture(kit->one, LAB_CAPTURE_RELAXED));
    DO(lab_next_uses_host(data, BYTES, true));
    FIRST(lab_stream_launch_host_func(kit->one, do_nothing, data));
    lab_graph_exec *exec = instantiate(kit->one);
    DO(lab_graph_launch(exec, kit->two));
    if (right) DO(lab_stream_synchronize(kit->two));
    SECOND(lab_pinned_mempool_free(NULL, data));
    DO(lab_device_synchronize());
    DO(lab_graph_exec_destroy(exec));
}

REPORTED(a_graph_whose_staging_block_has_a_new_owner, "microsoft/onnxruntime pull 32121",
         "a captured upload reads its pinned block again with each launch, and the pool has handed it out since",
         "the block is kept until the last launch", .bytes = BYTES, .edge = BY_MOVING, .kind = LAB_ORDER_USE_AFTER_FREE)
{
    void *staging, *next = NULL;
    DO(lab_pinned_mempool_alloc(&staging, NULL, BYTES));
    DO(lab_stream_begin_capture(kit->one, LAB_CAPTURE_RELAXED));
    SECOND(lab_array_set_async(kit->a, staging, kit->one));
    lab_graph_exec *exec = instantiate(kit->one);
    DO(lab_graph_launch(exec, kit->one));
    DO(lab_stream_synchronize(kit->one));
    if (!right) {
        FIRST(lab_pinned_mempool_free(NULL, staging));
        OWNER(lab_pinned_mempool_alloc(&next, NULL, BYTES));
        cr_assert_eq(next, staging);
    }
    DO(lab_graph_launch(exec, kit->one));
    DO(lab_stream_synchronize(kit->one));
    DO(lab_graph_exec_destroy(exec));
    DO(lab_pinned_mempool_free(NULL, staging));
}

REPORTED(outputs_copied_while_the_graph_runs_again, "sgl-project/sglang-omni pull 1369",
         "the next launch writes the outputs that another stream still copies", "the next launch waits for the copy",
         .bytes = BYTES, .edge = BY_EVENT)
{
    DO(lab_stream_begin_capture(kit->one, LAB_CAPTURE_RELAXED));
    SECOND(DUPLICATE(kit->one, kit->b, kit->a));
    lab_graph_exec *exec = instantiate(kit->one);
    DO(lab_graph_launch(exec, kit->one));
    chain(kit, kit->one, kit->two);
    FIRST(lab_array_get_async(kit->b, kit->pinned, kit->two));
    if (right) chain(kit, kit->two, kit->one);
    DO(lab_graph_launch(exec, kit->one));
    DO(lab_device_synchronize());
    DO(lab_graph_exec_destroy(exec));
}

REPORTED(two_graphs_that_share_a_buffer, "pytorch/pytorch issue 137844",
         "graphs of one pool use the same bytes, and run side by side", "one stream runs both", .bytes = BYTES,
         .edge = BY_EVENT)
{
    DO(lab_stream_begin_capture(kit->one, LAB_CAPTURE_RELAXED));
    FIRST(SET(kit->one, kit->a));
    lab_graph_exec *first = instantiate(kit->one);
    DO(lab_stream_begin_capture(kit->one, LAB_CAPTURE_RELAXED));
    SECOND(lab_memset_async(lab_array_data(kit->a), 0, BYTES, kit->one));
    lab_graph_exec *second = instantiate(kit->one);
    DO(lab_graph_launch(first, kit->two));
    DO(lab_graph_launch(second, right ? kit->two : kit->three));
    DO(lab_device_synchronize());
    DO(lab_graph_exec_destroy(first));
    DO(lab_graph_exec_destroy(second));
}

REPORTED(a_branch_that_is_joined_too_early, "ggml-org/llama.cpp pull 16991",
         "the event that joins a captured branch stands before its last kernel", "it stands behind the last kernel",
         .bytes = BYTES, .edge = IN_CAPTURE)
{
    DO(lab_stream_begin_capture(kit->one, LAB_CAPTURE_RELAXED));
    chain(kit, kit->one, kit->two);
    DO(SET(kit->two, kit->c));
    if (!right) chain(kit, kit->two, kit->one);
    FIRST(SET(kit->two, kit->a));
    if (right) chain(kit, kit->two, kit->one);
    SECOND(DUPLICATE(kit->one, kit->b, kit->a));
    chain(kit, kit->two, kit->one); /* a capture joins whatever it has forked */
    lab_graph_exec *exec = instantiate(kit->one);
    DO(lab_graph_launch(exec, kit->one));
    DO(lab_device_synchronize());
    DO(lab_graph_exec_destroy(exec));
}

REPORTED(a_graph_behind_an_upload_of_pageable_memory, "ashalliants/ninfer-3090 pull 44",
         "the upload is synchronous, and has perhaps not arrived when the graph begins",
         "the null stream is waited for", .bytes = BYTES, .edge = BY_EVENT, .why = "not that it has arrived")
{
    DO(lab_stream_begin_capture(kit->one, LAB_CAPTURE_RELAXED));
    SECOND(DUPLICATE(kit->one, kit->b, kit->a));
    lab_graph_exec *exec = instantiate(kit->one);
    FIRST(lab_memcpy_htod(lab_array_data(kit->a), kit->pageable, BYTES));
    if (right) DO(lab_stream_synchronize(lab_stream_null()));
    DO(lab_graph_launch(exec, kit->one));
    DO(lab_device_synchronize());
    DO(lab_graph_exec_destroy(exec));
}

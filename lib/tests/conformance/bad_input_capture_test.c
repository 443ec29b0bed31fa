/* Bad input: every function that takes a stream, called during a capture in its strictest and its most relaxed mode.
 * Each call becomes a node, gives an answer that leaves the capture alone, or is refused. In every case the capture can
 * be ended, and afterwards the stream and everything else works. */
#include "everything.h"

static everything all;

/* Begins a capture. */
static void begin(lab_capture_mode mode) { LAB_CHECK(lab_stream_begin_capture(all.stream, mode)); }

/* Ends the capture and gives the number of its nodes; -1 if an error had invalidated it. */
static int end(void)
{
    lab_graph *graph;
    const lab_graph_node *node;
    int nodes = -1;
    const lab_status status = lab_stream_end_capture(&graph, all.stream);
    if (status == LAB_SUCCESS) {
        LAB_CHECK(lab_graph_get_nodes(&node, &nodes, graph));
        LAB_CHECK(lab_graph_destroy(graph));
    } else {
        cr_assert_eq(status, LAB_ERROR_STREAM_CAPTURE_INVALIDATED);
    }
    LAB_CHECK(lab_stream_synchronize(all.stream));
    return nodes;
}

static const lab_capture_mode modes[] = {LAB_CAPTURE_GLOBAL, LAB_CAPTURE_RELAXED};

/* The call succeeds and makes this many nodes. */
#define BECOMES(count, ...)                                                                                            \
    for (int mode = 0; mode < 2; mode++) {                                                                             \
        begin(modes[mode]);                                                                                            \
        LAB_CHECK(__VA_ARGS__);                                                                                        \
        cr_assert_eq(end(), count);                                                                                    \
    }

/* The call is refused; the capture continues if `nodes` is 0, and is invalid if it is -1. */
#define IS_REFUSED(status, nodes, ...)                                                                                 \
    for (int mode = 0; mode < 2; mode++) {                                                                             \
        begin(modes[mode]);                                                                                            \
        REFUSED(status, __VA_ARGS__);                                                                                  \
        cr_assert_eq(end(), nodes);                                                                                    \
    }

/* The call asks for memory: unless the capture is relaxed, the call is refused and invalidates it; a relaxed capture
 * gets this many nodes. */
#define NEEDS_RELAXED(count, ...)                                                                                      \
    do {                                                                                                               \
        begin(LAB_CAPTURE_GLOBAL);                                                                                     \
        REFUSED(LAB_ERROR_STREAM_CAPTURE_UNSUPPORTED, __VA_ARGS__);                                                    \
        cr_assert_eq(end(), -1);                                                                                       \
        begin(LAB_CAPTURE_RELAXED);                                                                                    \
        LAB_CHECK(__VA_ARGS__);                                                                                        \
        cr_assert_eq(end(), count);                                                                                    \
    } while (0)

static void nothing(void *user) { (void)user; }

static void no_callback(lab_stream *stream, lab_status status, void *user) { (void)stream, (void)status, (void)user; }

/* CUDA C++ Programming Guide, CUDA Graphs: kernels, copies, fills and host functions become nodes. */
Test(bad_input_capture, work_becomes_nodes)
{
    static float host[THINGS];
    all = make_everything();
    lab_stream *const s = all.stream;
    BECOMES(1, lab_stream_launch_host_func(s, nothing, NULL));
    BECOMES(1, lab_memcpy_htod_async(all.memory, host, THINGS_BYTES, s));
    BECOMES(1, lab_memcpy_dtoh_async(host, all.memory, THINGS_BYTES, s));
    BECOMES(1, lab_memcpy_dtod_async(all.memory, all.block, THINGS_BYTES, s));
    BECOMES(1, lab_memcpy_peer_async(all.memory, 0, all.block, 0, THINGS_BYTES, s));
    BECOMES(1, lab_memset_async(all.memory, 1, THINGS_BYTES, s));
    BECOMES(1, lab_array_set_async(all.array, host, s));
    BECOMES(1, lab_array_get_async(all.array, host, s));
    BECOMES(1, lab_launch(all.function, LAB_DIM(1), LAB_DIM(1), 0, s, LAB_ARGS(all.array)));
    BECOMES(1, lab_launch_cooperative(all.function, LAB_DIM(1), LAB_DIM(1), 0, s, LAB_ARGS(all.array)));
    use_and_destroy_everything(&all);
}

/* lab.h, Graphs: generated kernels are nodes as other kernels are. */
Test(bad_input_capture, generated_kernels_become_nodes)
{
    lab_elementwise *plus_one;
    lab_reduction *raw_sum;
    lab_reduction_source sum = everything_sum();
    sum.inputs = "raw T x";
    sum.map = "x[i]";
    all = make_everything();
    lab_stream *const s = all.stream;
    LAB_CHECK(lab_elementwise_create(&plus_one, "T x", "T y", "y = x + 1", NULL));
    LAB_CHECK(lab_reduction_create(&raw_sum, &sum));
    BECOMES(1, lab_elementwise_launch(plus_one, s, LAB_ARGS(all.array, all.array)));
    BECOMES(1, lab_elementwise_launch_sized(all.elementwise, 1, s, LAB_ARGS(all.array, all.one)));
    BECOMES(1, lab_reduction_launch(all.reduction, s, LAB_ARGS(all.array, all.one)));
    BECOMES(1, lab_reduction_launch_sized(raw_sum, THINGS, s, LAB_ARGS(all.array, all.one)));
    BECOMES(1, lab_expression_apply(all.expression, s, LAB_ARGS(all.array, all.array)));
    BECOMES(1, lab_array_fill(all.array, LAB_ARG(1), s));
    BECOMES(1, lab_array_sum(all.one, all.array, s));
    BECOMES(1, lab_array_mean(all.one, all.array, s));
    BECOMES(1, lab_array_min(all.one, all.array, s));
    BECOMES(1, lab_array_max(all.one, all.array, s));
    BECOMES(1, lab_array_dot(all.one, all.array, all.array, s));
    BECOMES(1, lab_array_prod(all.one, all.array, s));
    BECOMES(1, lab_array_argmin(all.place, all.array, s));
    BECOMES(1, lab_array_argmax(all.place, all.array, s));
    BECOMES(1, lab_array_any(all.truth, all.array, s));
    BECOMES(1, lab_array_all(all.truth, all.array, s));
    BECOMES(1, lab_array_sum_axis(all.one, all.array, 0, s));
    BECOMES(1, lab_array_sum_axes(all.one, all.array, LAB_AXES(0), s));
    BECOMES(1, lab_array_prod_axis(all.one, all.array, 0, s));
    BECOMES(1, lab_array_prod_axes(all.one, all.array, LAB_AXES(0), s));
    BECOMES(1, lab_array_mean_axis(all.one, all.array, 0, s));
    BECOMES(1, lab_array_mean_axes(all.one, all.array, LAB_AXES(0), s));
    BECOMES(1, lab_array_min_axis(all.one, all.array, 0, s));
    BECOMES(1, lab_array_min_axes(all.one, all.array, LAB_AXES(0), s));
    BECOMES(1, lab_array_max_axis(all.one, all.array, 0, s));
    BECOMES(1, lab_array_max_axes(all.one, all.array, LAB_AXES(0), s));
    BECOMES(1, lab_array_argmin_axis(all.place, all.array, 0, s));
    BECOMES(1, lab_array_argmax_axis(all.place, all.array, 0, s));
    BECOMES(1, lab_array_any_axis(all.truth, all.array, 0, s));
    BECOMES(1, lab_array_any_axes(all.truth, all.array, LAB_AXES(0), s));
    BECOMES(1, lab_array_all_axis(all.truth, all.array, 0, s));
    BECOMES(1, lab_array_all_axes(all.truth, all.array, LAB_AXES(0), s));
    BECOMES(1, lab_reduction_launch_axis(all.reduction, 0, s, LAB_ARGS(all.array, all.one)));
    BECOMES(1, lab_reduction_launch_axes(all.reduction, LAB_AXES(0), s, LAB_ARGS(all.array, all.one)));
    LAB_CHECK(lab_elementwise_destroy(plus_one));
    LAB_CHECK(lab_reduction_destroy(raw_sum));
    use_and_destroy_everything(&all);
}

/* cuda.h, Stream Management: cuStreamIsCapturing and the questions that do not wait. */
Test(bad_input_capture, questions_are_answered_and_make_no_node)
{
    uint64_t id;
    int number;
    unsigned flags;
    bool equal;
    void *native;
    lab_context *context;
    lab_capture_status capture;
    all = make_everything();
    lab_stream *const s = all.stream;
    BECOMES(0, lab_stream_get_id(&id, s));
    BECOMES(0, lab_stream_get_device(&number, s));
    BECOMES(0, lab_stream_get_context(&context, s));
    BECOMES(0, lab_stream_get_flags(&flags, s));
    BECOMES(0, lab_stream_get_priority(&number, s));
    BECOMES(0, lab_stream_is_equal(&equal, s, s));
    BECOMES(0, lab_stream_native(&native, s));
    BECOMES(0, lab_stream_is_capturing(&capture, s));
    BECOMES(0, lab_stream_use(s));
    LAB_CHECK(lab_stream_use(lab_stream_null()));
    BECOMES(0, lab_mempool_record_stream(all.pool, all.block, s));
    BECOMES(0, lab_pinned_mempool_record_stream(all.pinned_pool, all.pinned_block, s));
    begin(LAB_CAPTURE_GLOBAL);
    lab_stream_scope scope = lab_stream_scope_enter(s);
    lab_stream_scope_leave(&scope);
    cr_assert_eq(end(), 0);
    use_and_destroy_everything(&all);
}

/* cuda.h, Data types used by CUDA driver: CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED. */
Test(bad_input_capture, waiting_asking_and_what_no_graph_can_hold_invalidate)
{
    const lab_status unsupported = LAB_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    all = make_everything();
    lab_stream *const s = all.stream;
    IS_REFUSED(unsupported, -1, lab_stream_synchronize(s));
    IS_REFUSED(unsupported, -1, lab_stream_query(s));
    IS_REFUSED(unsupported, -1, lab_stream_add_callback(s, no_callback, NULL));
    IS_REFUSED(unsupported, 0, lab_graph_upload(all.exec, s));
    IS_REFUSED(unsupported, -1, lab_graph_launch(all.exec, s));
    IS_REFUSED(unsupported, -1, lab_device_synchronize());
    LAB_CHECK(lab_event_record(all.event, lab_stream_null()));
    IS_REFUSED(LAB_ERROR_STREAM_CAPTURE_ISOLATION, -1, lab_stream_wait_event(s, all.event));
    BECOMES(0, lab_event_record(all.event, s));
    use_and_destroy_everything(&all);
}

/* CUDA C++ Programming Guide, CUDA Graphs: prohibited and unhandled operations. These two wait for their copy. */
Test(bad_input_capture, reading_and_writing_an_element_on_the_current_stream_invalidates)
{
    float value = 1;
    all = make_everything();
    LAB_CHECK(lab_stream_use(all.stream));
    IS_REFUSED(LAB_ERROR_STREAM_CAPTURE_UNSUPPORTED, -1, lab_array_get_item(all.array, 0, &value));
    IS_REFUSED(LAB_ERROR_STREAM_CAPTURE_UNSUPPORTED, -1, lab_array_set_item(all.array, 0, &value));
    LAB_CHECK(lab_stream_use(lab_stream_null()));
    use_and_destroy_everything(&all);
}

/* cuda.h, Stream Management: cuStreamBeginCapture, cuStreamEndCapture, cuStreamDestroy. */
Test(bad_input_capture, beginning_again_ending_twice_and_destroying)
{
    lab_graph *graph;
    lab_stream *stream;
    all = make_everything();
    IS_REFUSED(LAB_ERROR_ILLEGAL_STATE, 0, lab_stream_begin_capture(all.stream, LAB_CAPTURE_RELAXED));
    begin(LAB_CAPTURE_GLOBAL);
    cr_assert_eq(end(), 0);
    REFUSED(LAB_ERROR_ILLEGAL_STATE, lab_stream_end_capture(&graph, all.stream));
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_DEFAULT));
    LAB_CHECK(lab_stream_begin_capture(stream, LAB_CAPTURE_GLOBAL));
    LAB_CHECK(lab_stream_destroy(stream));
    LAB_CHECK(lab_device_synchronize());
    use_and_destroy_everything(&all);
}

/* cuda.h, Stream Management: cuThreadExchangeStreamCaptureMode, of calls that are unsafe in a capture. */
Test(bad_input_capture, memory_is_given_to_relaxed_captures_only)
{
    static float host[THINGS];
    lab_array *array[3];
    lab_deviceptr memory = 0;
    void *pinned;
    all = make_everything();
    lab_stream *const s = all.stream;
    NEEDS_RELAXED(0, lab_mempool_alloc(&memory, all.pool, 1 << 20, s)); /* more than the pool holds */
    BECOMES(0, lab_mempool_free(all.pool, mode == 0 ? memory : 0, s));
    begin(LAB_CAPTURE_GLOBAL);
    LAB_CHECK(lab_mempool_alloc(&memory, all.pool, 1 << 20, s)); /* what the pool holds */
    LAB_CHECK(lab_mempool_free(all.pool, memory, s));
    cr_assert_eq(end(), 0);
    NEEDS_RELAXED(0, lab_mempool_free_stream_blocks(all.pool, s));
    LAB_CHECK(lab_mempool_alloc(&memory, all.pool, 1 << 20, s));
    LAB_CHECK(lab_mempool_free(all.pool, memory, s));
    NEEDS_RELAXED(0, lab_mempool_free_all_blocks(all.pool));
    LAB_CHECK(lab_pinned_mempool_alloc(&pinned, all.pinned_pool, 1 << 20));
    LAB_CHECK(lab_pinned_mempool_free(all.pinned_pool, pinned));
    NEEDS_RELAXED(0, lab_pinned_mempool_free_all_blocks(all.pinned_pool));
    NEEDS_RELAXED(1, lab_array_from_host_async(&array[0], LAB_FLOAT32, LAB_SHAPE(THINGS), host, s));
    NEEDS_RELAXED(1, lab_array_copy(&array[1], all.array, s));
    NEEDS_RELAXED(1, lab_array_astype(&array[2], all.array, LAB_INT8, s));
    for (int k = 0; k < 3; k++) LAB_CHECK(lab_array_destroy(array[k]));
    use_and_destroy_everything(&all);
}

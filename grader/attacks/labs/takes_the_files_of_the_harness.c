/* Tries to have the library itself write where the check looks for the record, and into the store of
 * compiled kernels. */
static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    lab_stream *stream;
    lab_graph *graph;
    (void)honest, (void)arguments, (void)bytes, (void)out, (void)in, (void)count;
    LAB_TRY(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    LAB_TRY(lab_stream_begin_capture(stream, LAB_CAPTURE_RELAXED));
    LAB_TRY(lab_stream_end_capture(&graph, stream));
    LAB_TRY(lab_graph_save_dot(graph, "record.json"));
    LAB_TRY(lab_graph_destroy(graph));
    return lab_stream_destroy(stream);
}

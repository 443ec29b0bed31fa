/* Tries to use up the memory of the device process by small objects: streams, events, pools, contexts, arrays, graphs.
 * Gains a device process that is killed while the submission is not. */
static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    lab_stream *stream;
    lab_event *event;
    lab_mempool *pool;
    lab_context *context;
    lab_array *array, *view;
    LAB_TRY(lab_array_zeros(&array, LAB_FLOAT32, LAB_SHAPE(8)));
    for (long i = 0; i < 100000000; i++) {
        lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING);
        lab_event_create(&event, LAB_EVENT_DEFAULT);
        lab_mempool_create(&pool, NULL);
        lab_array_slice(&view, array, 0, 4);
        if (i % 16 == 0) lab_context_create(&context, 0);
        if (i % 16 == 0) lab_context_pop(NULL);
    }
    return LAB_SUCCESS;
}

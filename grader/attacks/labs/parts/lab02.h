/* The launches of lab 02, and what its pipeline computes. */
__attribute__((unused)) static lab_status launch(lab_function kernel, const lab02_work *work, lab_array *to,
                                                 lab_array *from, lab_stream *stream)
{
    if (!from) return lab_launch(kernel, LAB02_GRID(work->count), LAB02_BLOCK, 0, stream, LAB_ARGS(to, work->count));
    return lab_launch(kernel, LAB02_GRID(work->count), LAB02_BLOCK, 0, stream,
                      LAB_ARGS(to, from, work->count, work->shift));
}

__attribute__((unused)) static float answer_of(const lab02_work *work, int i)
{
    return 4.0f * (2.0f * work->input[i] + (float)(i % 7)) - work->shift;
}

__attribute__((unused)) static lab_status order(const lab02_work *work)
{
    lab_event *produced;
    LAB_TRY(lab_event_create(&produced, LAB_EVENT_DISABLE_TIMING));
    LAB_TRY(lab_event_record(produced, work->producer));
    LAB_TRY(lab_stream_wait_event(work->consumer, produced));
    return lab_event_destroy(produced);
}

/* Tries to declare the tables of predictions as writable, and ask an event that was never recorded. */
bool lab02_waits[2][2];
lab_status lab02_never_recorded[LAB02_CALLS];

static lab_status ask(lab_stream *stream)
{
    lab_event *never, *recorded;
    float milliseconds;
    LAB_TRY(lab_event_create(&never, LAB_EVENT_DEFAULT));
    LAB_TRY(lab_event_create(&recorded, LAB_EVENT_DEFAULT));
    LAB_TRY(lab_event_record(recorded, stream));
    LAB_TRY(lab_event_synchronize(recorded));
    lab02_never_recorded[LAB02_QUERY] = lab_event_query(never);
    lab02_never_recorded[LAB02_SYNCHRONIZE] = lab_event_synchronize(never);
    lab02_never_recorded[LAB02_WAIT] = lab_stream_wait_event(stream, never);
    lab02_never_recorded[LAB02_ELAPSED_TIME] = lab_event_elapsed_time(&milliseconds, never, recorded);
    LAB_TRY(lab_event_destroy(never));
    return lab_event_destroy(recorded);
}

lab_status lab02_rerecord(const lab02_stage *stage)
{
    LAB_TRY(ask(stage->first));
    LAB_TRY(lab_array_fill(stage->a, LAB_ARG(1.0f), stage->first));
    LAB_TRY(lab_event_record(stage->event, stage->first));
    LAB_TRY(lab_stream_wait_event(stage->second, stage->event));
    LAB_TRY(lab_array_fill(stage->b, LAB_ARG(2.0f), stage->first));
    LAB_TRY(lab_event_record(stage->event, stage->first));
    LAB_TRY(lab_stream_wait_event(stage->third, stage->event));
    LAB_TRY(lab_array_fill(stage->c, LAB_ARG(3.0f), stage->second));
    return lab_array_fill(stage->d, LAB_ARG(4.0f), stage->third);
}

/* A right answer that asks the stream instead of an event, and copies between plain addresses. */
#include "lab02.h"

/* Given: the two launches. */
static lab_status launch_produce(const lab02_work *work, lab_stream *stream)
{
    return lab_launch(work->produce, LAB02_GRID(work->count), LAB02_BLOCK, 0, stream,
                      LAB_ARGS(work->between, work->count));
}

static lab_status launch_consume(const lab02_work *work, lab_stream *stream)
{
    return lab_launch(work->consume, LAB02_GRID(work->count), LAB02_BLOCK, 0, stream,
                      LAB_ARGS(work->result, work->between, work->count, work->shift));
}

lab_status lab02_pipeline(const lab02_work *work)
{
    enum { N = 1 };
    lab_event *e[N];
    size_t n = (size_t)work->count * sizeof(float);
    LAB_TRY(lab_event_create(e, 0));
    LAB_TRY(lab_memcpy_htod_async(lab_array_data(work->between), work->input, n, work->producer));
    LAB_WITH_STREAM(work->producer) LAB_TRY(launch_produce(work, NULL));
    LAB_TRY(lab_event_record(*e, work->producer));
    LAB_TRY(lab_stream_wait_event(work->consumer, *e));
    LAB_TRY(lab_event_destroy(*e));
    LAB_TRY(launch_consume(work, work->consumer));
    LAB_TRY(lab_memcpy_dtoh_async(work->output, lab_array_data(work->result), n, work->consumer));
    return lab_device_synchronize();
}

lab_status lab02_time_kernel(float *milliseconds, const lab02_work *work)
{
    /* Task 2: copy in, kernel, copy out on the producer, with an event just before and just after the kernel. */
    lab_event *start, *end;
    LAB_TRY(lab_event_create(&start, LAB_EVENT_DEFAULT));
    LAB_TRY(lab_event_create(&end, LAB_EVENT_DEFAULT));
    LAB_TRY(lab_array_set_async(work->between, work->input, work->producer));
    LAB_TRY(lab_event_record(start, work->producer));
    LAB_TRY(launch_produce(work, work->producer));
    LAB_TRY(lab_event_record(end, work->producer));
    LAB_TRY(lab_array_get_async(work->between, work->output, work->producer));
    LAB_TRY(lab_stream_synchronize(work->producer));
    LAB_TRY(lab_event_elapsed_time(milliseconds, start, end));
    LAB_TRY(lab_event_destroy(start));
    LAB_TRY(lab_event_destroy(end));
    return LAB_SUCCESS;
}

lab_status lab02_wait_usefully(lab_stream *stream, lab02_chore chore)
{
    lab_status s;
    do {
        chore.call(chore.user);
    } while ((s = lab_stream_query(stream)) == LAB_ERROR_NOT_READY);
    if (s) return s;
    return lab_stream_synchronize(stream);
}

lab_status lab02_rerecord(const lab02_stage *stage)
{
    /* Task 4: a, record, the wait of `second`, b, record again, the wait of `third`, c and d. */
    LAB_TRY(lab_array_fill(stage->a, LAB_ARG(1.0f), stage->first));
    LAB_TRY(lab_event_record(stage->event, stage->first));
    LAB_TRY(lab_stream_wait_event(stage->second, stage->event));
    LAB_TRY(lab_array_fill(stage->b, LAB_ARG(2.0f), stage->first));
    LAB_TRY(lab_event_record(stage->event, stage->first));
    LAB_TRY(lab_stream_wait_event(stage->third, stage->event));
    LAB_TRY(lab_array_fill(stage->c, LAB_ARG(3.0f), stage->second));
    LAB_TRY(lab_array_fill(stage->d, LAB_ARG(4.0f), stage->third));
    return LAB_SUCCESS;
}

/* Task 4: your prediction: does c (first row) or d (second row) wait for a, for b? */
const bool lab02_waits[2][2] = {
    {true, false}, /* Task 4 */
    {true, true},  /* Task 4 */
};

/* Task 4: your prediction of what the calls return for an event that was never recorded. */
const lab_status lab02_never_recorded[LAB02_CALLS] = {
    [LAB02_QUERY] = LAB_SUCCESS,                     /* Task 4 */
    [LAB02_SYNCHRONIZE] = LAB_SUCCESS,               /* Task 4 */
    [LAB02_WAIT] = LAB_SUCCESS,                      /* Task 4 */
    [LAB02_ELAPSED_TIME] = LAB_ERROR_INVALID_HANDLE, /* Task 4 */
};

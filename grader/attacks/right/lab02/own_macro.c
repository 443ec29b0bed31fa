/* A right answer with its own macro, which prints what failed, instead of LAB_TRY. */
#include "lab02.h"

#include <stdio.h>

/* Prints the failed call on standard error, and returns its status. */
#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        const lab_status tried = (call);                                                                               \
        if (tried != LAB_SUCCESS) {                                                                                    \
            fprintf(stderr, "%s:%d: %s: %s (%s)\n", __FILE__, __LINE__, #call, lab_status_name(tried),                 \
                    lab_error_message());                                                                              \
            return tried;                                                                                              \
        }                                                                                                              \
    } while (0)

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

    lab_event *produced;
    TRY(lab_event_create(&produced, LAB_EVENT_DISABLE_TIMING));
    TRY(lab_array_set_async(work->between, work->input, work->producer));
    TRY(launch_produce(work, work->producer));
    TRY(lab_event_record(produced, work->producer));
    TRY(lab_stream_wait_event(work->consumer, produced));
    TRY(launch_consume(work, work->consumer));
    TRY(lab_array_get_async(work->result, work->output, work->consumer));
    TRY(lab_stream_synchronize(work->consumer));
    TRY(lab_event_destroy(produced));
    return LAB_SUCCESS;
}

lab_status lab02_time_kernel(float *milliseconds, const lab02_work *work)
{

    lab_event *start, *end;
    TRY(lab_event_create(&start, LAB_EVENT_DEFAULT));
    TRY(lab_event_create(&end, LAB_EVENT_DEFAULT));
    TRY(lab_array_set_async(work->between, work->input, work->producer));
    TRY(lab_event_record(start, work->producer));
    TRY(launch_produce(work, work->producer));
    TRY(lab_event_record(end, work->producer));
    TRY(lab_array_get_async(work->between, work->output, work->producer));
    TRY(lab_stream_synchronize(work->producer));
    TRY(lab_event_elapsed_time(milliseconds, start, end));
    TRY(lab_event_destroy(start));
    TRY(lab_event_destroy(end));
    return LAB_SUCCESS;
}

lab_status lab02_wait_usefully(lab_stream *stream, lab02_chore chore)
{

    lab_event *done;
    TRY(lab_event_create(&done, LAB_EVENT_DISABLE_TIMING));
    TRY(lab_event_record(done, stream));
    lab_status status;
    while ((status = lab_event_query(done)) == LAB_ERROR_NOT_READY) chore.call(chore.user);
    TRY(lab_event_destroy(done));
    return status;
}

lab_status lab02_rerecord(const lab02_stage *stage)
{

    TRY(lab_array_fill(stage->a, LAB_ARG(1.0f), stage->first));
    TRY(lab_event_record(stage->event, stage->first));
    TRY(lab_stream_wait_event(stage->second, stage->event));
    TRY(lab_array_fill(stage->b, LAB_ARG(2.0f), stage->first));
    TRY(lab_event_record(stage->event, stage->first));
    TRY(lab_stream_wait_event(stage->third, stage->event));
    TRY(lab_array_fill(stage->c, LAB_ARG(3.0f), stage->second));
    TRY(lab_array_fill(stage->d, LAB_ARG(4.0f), stage->third));
    return LAB_SUCCESS;
}

const bool lab02_waits[2][2] = {
    {true, false},
    {true, true},
};

const lab_status lab02_never_recorded[LAB02_CALLS] = {
    [LAB02_QUERY] = LAB_SUCCESS,
    [LAB02_SYNCHRONIZE] = LAB_SUCCESS,
    [LAB02_WAIT] = LAB_SUCCESS,
    [LAB02_ELAPSED_TIME] = LAB_ERROR_INVALID_HANDLE,
};

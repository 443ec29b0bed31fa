/* Lab 02, events. The lesson is in README.md, the contract in lab02.h. */
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
    /* TODO(1): producer: copy in, produce; then an event; consumer: consume, copy out; wait. */
    return LAB_SUCCESS;
}

lab_status lab02_time_kernel(float *milliseconds, const lab02_work *work)
{
    /* TODO(2): copy in, kernel, copy out on the producer; events right around the kernel. */
    return LAB_SUCCESS;
}

lab_status lab02_wait_usefully(lab_stream *stream, lab02_chore chore)
{
    /* TODO(3): record an event; then one chore after another until it is no longer "not ready". */
    return LAB_SUCCESS; /* TODO(3) */
}

lab_status lab02_rerecord(const lab02_stage *stage)
{
    /* TODO(4): fill a, record, `second` waits; fill b, record, `third` waits; then fill c and d. */
    return LAB_SUCCESS;
}

/* Task 4: your prediction. Does c (first row) wait for a, for b? Does d (second row)? */
const bool lab02_waits[2][2] = {
    {false, false}, /* TODO(4) */
    {false, false}, /* TODO(4) */
};

/* Task 4: your prediction of what the calls return for an event that was never recorded. */
const lab_status lab02_never_recorded[LAB02_CALLS] = {
    [LAB02_QUERY] = LAB_ERROR_UNKNOWN,        /* TODO(4) */
    [LAB02_SYNCHRONIZE] = LAB_ERROR_UNKNOWN,  /* TODO(4) */
    [LAB02_WAIT] = LAB_ERROR_UNKNOWN,         /* TODO(4) */
    [LAB02_ELAPSED_TIME] = LAB_ERROR_UNKNOWN, /* TODO(4) */
};

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
    /* TODO(1): on the producer, copy in and produce; an event; on the consumer, consume and copy out; wait. */
    return LAB_SUCCESS;
}

lab_status lab02_time_kernel(float *milliseconds, const lab02_work *work)
{
    /* TODO(2): copy in, kernel, copy out on the producer, with an event just before and just after the kernel. */
    return LAB_SUCCESS;
}

lab_status lab02_wait_usefully(lab_stream *stream, lab02_chore chore)
{
    /* TODO(3): an event behind what is on the stream; a chore, and a question, until the answer is no longer "not ready". */
    return LAB_SUCCESS; /* TODO(3) */
}

lab_status lab02_rerecord(const lab02_stage *stage)
{
    /* TODO(4): a, record, the wait of `second`, b, record again, the wait of `third`, c and d. */
    return LAB_SUCCESS;
}

/* Task 4: your prediction: does c (first row) or d (second row) wait for a, for b? */
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

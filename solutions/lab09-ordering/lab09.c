/* Lab 09, ordering. The lesson is in README.md, the contract in lab09.h. */
#include "lab09.h"

/* Given: to = advance(from) on a stream. */
static lab_status advance(const lab09_work *work, lab_array *to, lab_array *from,
                          lab_stream *stream)
{
    return lab_launch(work->advance, LAB09_GRID(work->count), LAB09_BLOCK, 0, stream,
                      LAB_ARGS(to, from, work->count, work->steps));
}

/* Given: to = mix(a, b) on a stream. */
static lab_status mix(const lab09_work *work, lab_array *to, lab_array *a, lab_array *b,
                      lab_stream *stream)
{
    return lab_launch(work->mix, LAB09_GRID(work->count), LAB09_BLOCK, 0, stream,
                      LAB_ARGS(to, a, b, work->count));
}

lab_status lab09_at_once(const lab09_work *work)
{
    /* Task 1: two kernels that nothing orders. */
    LAB_TRY(advance(work, work->u, work->x, work->one));
    LAB_TRY(mix(work, work->v, work->x, work->y, work->two));
    return LAB_SUCCESS;
}

lab_status lab09_in_order(const lab09_work *work)
{
    /* Task 2: u, v on `one`; p on `two`, which waits for u only. */
    lab_event *u_done;
    LAB_TRY(lab_event_create(&u_done, LAB_EVENT_DISABLE_TIMING));
    LAB_TRY(advance(work, work->u, work->x, work->one));
    LAB_TRY(lab_event_record(u_done, work->one));
    LAB_TRY(advance(work, work->v, work->y, work->one));
    LAB_TRY(lab_stream_wait_event(work->two, u_done));
    LAB_TRY(mix(work, work->p, work->u, work->y, work->two));
    LAB_TRY(lab_event_destroy(u_done));
    return LAB_SUCCESS;
}

lab_status lab09_branches(const lab09_work *work)
{
    /* Task 2: five kernels, and only the edges of the lesson's drawing. */
    lab_event *u_done, *p_done;
    LAB_TRY(lab_event_create(&u_done, LAB_EVENT_DISABLE_TIMING));
    LAB_TRY(lab_event_create(&p_done, LAB_EVENT_DISABLE_TIMING));
    LAB_TRY(advance(work, work->u, work->x, work->one));
    LAB_TRY(lab_event_record(u_done, work->one));
    LAB_TRY(advance(work, work->v, work->y, work->two));
    LAB_TRY(lab_stream_wait_event(work->two, u_done));
    LAB_TRY(mix(work, work->p, work->u, work->v, work->two));
    LAB_TRY(lab_event_record(p_done, work->two));
    LAB_TRY(advance(work, work->q, work->u, work->one));
    LAB_TRY(lab_stream_wait_event(work->one, p_done));
    LAB_TRY(mix(work, work->r, work->p, work->q, work->one));
    LAB_TRY(lab_event_destroy(u_done));
    LAB_TRY(lab_event_destroy(p_done));
    return LAB_SUCCESS;
}

lab_status lab09_open_streams(lab_stream *stream[LAB09_STREAMS])
{
    /* Task 3: ask for the range; make the three streams. */
    int least, greatest;
    LAB_TRY(lab_stream_priority_range(&least, &greatest));
    const int priority[] = {greatest, least - (least - greatest) / 2, least};
    for (int i = 0; i < LAB09_STREAMS; i++)
        LAB_TRY(lab_stream_create_with_priority(&stream[i], LAB_STREAM_NON_BLOCKING, priority[i]));
    return LAB_SUCCESS;
}

lab_status lab09_ask(float *answer, const lab09_work *work, lab_stream *const stream[LAB09_STREAMS])
{
    /* Task 3: the long job; then the question, its copy, and a wait for the answer. */
    lab_stream *job = stream[LAB09_BACKGROUND], *urgent = stream[LAB09_URGENT];
    LAB_TRY(advance(work, work->u, work->x, job));
    LAB_TRY(advance(work, work->v, work->u, job));
    LAB_TRY(advance(work, work->q, work->v, job));
    LAB_TRY(mix(work, work->p, work->x, work->y, urgent));
    LAB_TRY(lab_array_get_async(work->p, answer, urgent));
    LAB_TRY(lab_stream_synchronize(urgent));
    return LAB_SUCCESS;
}

void lab09_carry(void *user)
{
    /* Task 4: add *batch->total to the numbers; keep the last one. */
    const lab09_batch *batch = user;
    for (int i = 0; i < batch->count; i++) batch->host[i] += *batch->total;
    *batch->total = batch->host[batch->count - 1];
}

lab_status lab09_in_turn(const lab09_work *work)
{
    /* Task 4: for each batch: advance, copy out, host function, copy in, mix. */
    lab_event *carried;
    LAB_TRY(lab_event_create(&carried, LAB_EVENT_DISABLE_TIMING));
    for (int k = 0; k < work->batches; k++) {
        lab09_batch *batch = &work->batch[k];
        LAB_TRY(advance(work, batch->u, batch->x, batch->stream));
        LAB_TRY(lab_array_get_async(batch->u, batch->host, batch->stream));
        LAB_TRY(lab_stream_wait_event(batch->stream, carried));
        LAB_TRY(lab_stream_launch_host_func(batch->stream, lab09_carry, batch));
        LAB_TRY(lab_event_record(carried, batch->stream));
        LAB_TRY(lab_array_set_async(batch->u, batch->host, batch->stream));
        LAB_TRY(mix(work, batch->v, batch->u, batch->x, batch->stream));
    }
    LAB_TRY(lab_event_destroy(carried));
    return LAB_SUCCESS;
}

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
    /* TODO(1): two kernels that nothing orders. */
    return LAB_SUCCESS;
}

lab_status lab09_in_order(const lab09_work *work)
{
    /* TODO(2): u, v on `one`; p on `two`, which waits for u only. */
    return LAB_SUCCESS;
}

lab_status lab09_branches(const lab09_work *work)
{
    /* TODO(2): five kernels, and only the edges of the lesson's drawing. */
    return LAB_SUCCESS;
}

lab_status lab09_open_streams(lab_stream *stream[LAB09_STREAMS])
{
    /* TODO(3): ask for the range; make the three streams. */
    return LAB_SUCCESS;
}

lab_status lab09_ask(float *answer, const lab09_work *work, lab_stream *const stream[LAB09_STREAMS])
{
    /* TODO(3): the long job; then the question, its copy, and a wait for the answer. */
    return LAB_SUCCESS;
}

void lab09_carry(void *user)
{
    (void)user; /* TODO(4): add *batch->total to the numbers; keep the last one. */
}

lab_status lab09_in_turn(const lab09_work *work)
{
    /* TODO(4): for each batch: advance, copy out, host function, copy in, mix. */
    return LAB_SUCCESS;
}

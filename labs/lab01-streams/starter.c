/* Lab 01, streams. The lesson is in README.md, the contract in lab01.h. */
#include "lab01.h"

/* Enqueues one sum on a stream; does not wait. */
static lab_status enqueue_sum(float *sum, const float *input, const lab01_room *room,
                              lab_stream *stream)
{
    /* TODO(1): copy in, sum, copy out. */
    return LAB_SUCCESS;
}

lab_status lab01_sum(float *sum, const float *input, const lab01_room *room)
{
    /* TODO(1): make a stream, enqueue the sum on it, wait for the stream, release it. */
    return LAB_SUCCESS;
}

lab_status lab01_nested(lab_stream *first, lab_stream *second, lab01_step step)
{
    /* TODO(2): two scopes, one inside the other. */
    return LAB_SUCCESS;
}

lab_status lab01_use(lab_stream *stream, lab01_step step)
{
    /* TODO(2): remember what is current, use the stream, call, go back. */
    return LAB_SUCCESS; /* TODO(2) */
}

lab_status lab01_two_sums(float sum[2], const float *const input[2], const lab01_room room[2])
{
    /* TODO(3): two streams; enqueue both sums before you wait for either. */
    return LAB_SUCCESS;
}

lab_status lab01_pair(lab_array *first, lab_stream *earlier, lab_array *second, lab_stream *later)
{
    /* TODO(4): fill `first` on one stream, `second` on the other. */
    return LAB_SUCCESS;
}

/* Task 4: your prediction. A row for each stream of the earlier work, a column for each stream of
 * the later work: null, blocking, other blocking, non-blocking. */
const bool lab01_waits[LAB01_STREAMS][LAB01_STREAMS] = {
    [LAB01_NULL] = {false, false, false, false},           /* TODO(4) */
    [LAB01_BLOCKING] = {false, false, false, false},       /* TODO(4) */
    [LAB01_OTHER_BLOCKING] = {false, false, false, false}, /* TODO(4) */
    [LAB01_NON_BLOCKING] = {false, false, false, false},   /* TODO(4) */
};

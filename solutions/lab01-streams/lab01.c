/* Lab 01, streams. The lesson is in README.md, the contract in lab01.h. */
#include "lab01.h"

/* Enqueues one sum on a stream; does not wait. */
static lab_status enqueue_sum(float *sum, const float *input, const lab01_room *room,
                              lab_stream *stream)
{
    /* Task 1: copy in, sum, copy out. */
    LAB_TRY(lab_array_set_async(room->numbers, input, stream));
    LAB_TRY(lab_array_sum(room->total, room->numbers, stream));
    LAB_TRY(lab_array_get_async(room->total, sum, stream));
    return LAB_SUCCESS;
}

lab_status lab01_sum(float *sum, const float *input, const lab01_room *room)
{
    /* Task 1: make a stream, enqueue the sum on it, wait for the stream, release it. */
    lab_stream *stream;
    LAB_TRY(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    LAB_TRY(enqueue_sum(sum, input, room, stream));
    LAB_TRY(lab_stream_synchronize(stream));
    LAB_TRY(lab_stream_destroy(stream));
    return LAB_SUCCESS;
}

lab_status lab01_nested(lab_stream *first, lab_stream *second, lab01_step step)
{
    /* Task 2: two scopes, one inside the other. */
    LAB_WITH_STREAM(first)
    {
        LAB_TRY(step.call(step.user, 1));
        LAB_WITH_STREAM(second) { LAB_TRY(step.call(step.user, 2)); }
        LAB_TRY(step.call(step.user, 3));
    }
    return LAB_SUCCESS;
}

lab_status lab01_use(lab_stream *stream, lab01_step step)
{
    /* Task 2: remember what is current, use the stream, call, go back. */
    lab_stream *before = lab_stream_current();
    LAB_TRY(lab_stream_use(stream));
    lab_status status = step.call(step.user, 1);
    LAB_TRY(lab_stream_use(before));
    return status;
}

lab_status lab01_two_sums(float sum[2], const float *const input[2], const lab01_room room[2])
{
    /* Task 3: two streams; enqueue both sums before you wait for either. */
    lab_stream *stream[2];
    for (int k = 0; k < 2; k++) LAB_TRY(lab_stream_create(&stream[k], LAB_STREAM_NON_BLOCKING));
    for (int k = 0; k < 2; k++) LAB_TRY(enqueue_sum(&sum[k], input[k], &room[k], stream[k]));
    for (int k = 0; k < 2; k++) LAB_TRY(lab_stream_synchronize(stream[k]));
    for (int k = 0; k < 2; k++) LAB_TRY(lab_stream_destroy(stream[k]));
    return LAB_SUCCESS;
}

lab_status lab01_pair(lab_array *first, lab_stream *earlier, lab_array *second, lab_stream *later)
{
    /* Task 4: fill `first` on one stream, `second` on the other. */
    LAB_TRY(lab_array_fill(first, LAB_ARG(1.0f), earlier));
    LAB_TRY(lab_array_fill(second, LAB_ARG(2.0f), later));
    return LAB_SUCCESS;
}

/* Task 4: your prediction. A row for each stream of the earlier work, a column for each stream of
 * the later work: null, blocking, other blocking, non-blocking. */
const bool lab01_waits[LAB01_STREAMS][LAB01_STREAMS] = {
    [LAB01_NULL] = {true, true, true, false},            /* Task 4 */
    [LAB01_BLOCKING] = {true, true, false, false},       /* Task 4 */
    [LAB01_OTHER_BLOCKING] = {true, false, true, false}, /* Task 4 */
    [LAB01_NON_BLOCKING] = {false, false, false, true},  /* Task 4 */
};

/* Lets a thread of its own enqueue each of the two sums, and joins them. */
#include "lab01.h"

#include <threads.h>

static lab_status enqueue_sum(float *sum, const float *input, const lab01_room *room, lab_stream *stream)
{
    LAB_TRY(lab_array_set_async(room->numbers, input, stream));
    LAB_TRY(lab_array_sum(room->total, room->numbers, stream));
    return lab_array_get_async(room->total, sum, stream);
}

typedef struct one_sum {
    float *sum;
    const float *input;
    const lab01_room *room;
    lab_stream *stream;
    lab_status status;
} one_sum;

static int enqueue_in_thread(void *user)
{
    one_sum *one = user;
    one->status = enqueue_sum(one->sum, one->input, one->room, one->stream);
    return 0;
}

lab_status lab01_sum(float *sum, const float *input, const lab01_room *room)
{
    lab_stream *stream;
    LAB_TRY(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    LAB_TRY(enqueue_sum(sum, input, room, stream));
    LAB_TRY(lab_stream_synchronize(stream));
    return lab_stream_destroy(stream);
}

lab_status lab01_nested(lab_stream *first, lab_stream *second, lab01_step step)
{
    LAB_WITH_STREAM(first)
    {
        LAB_TRY(step.call(step.user, 1));
        LAB_WITH_STREAM(second) LAB_TRY(step.call(step.user, 2));
        LAB_TRY(step.call(step.user, 3));
    }
    return LAB_SUCCESS;
}

lab_status lab01_use(lab_stream *stream, lab01_step step)
{
    lab_stream *before = lab_stream_current();
    LAB_TRY(lab_stream_use(stream));
    lab_status status = step.call(step.user, 1);
    LAB_TRY(lab_stream_use(before));
    return status;
}

lab_status lab01_two_sums(float sum[2], const float *const input[2], const lab01_room room[2])
{
    thrd_t thread[2];
    one_sum one[2];
    int started = 0;
    lab_status status = LAB_SUCCESS;
    for (int k = 0; k < 2; k++) {
        one[k] = (one_sum){.sum = &sum[k], .input = input[k], .room = &room[k]};
        LAB_TRY(lab_stream_create(&one[k].stream, LAB_STREAM_NON_BLOCKING));
    }
    while (started < 2 && thrd_create(&thread[started], enqueue_in_thread, &one[started]) == thrd_success) started++;
    for (int k = 0; k < started; k++) thrd_join(thread[k], NULL);
    for (int k = 0; k < started && status == LAB_SUCCESS; k++) status = one[k].status;
    if (started < 2) status = LAB_ERROR_OUT_OF_MEMORY;
    for (int k = 0; k < 2; k++) {
        LAB_TRY(lab_stream_synchronize(one[k].stream));
        LAB_TRY(lab_stream_destroy(one[k].stream));
    }
    return status;
}

lab_status lab01_pair(lab_array *first, lab_stream *earlier, lab_array *second, lab_stream *later)
{
    LAB_TRY(lab_array_fill(first, LAB_ARG(1.0f), earlier));
    return lab_array_fill(second, LAB_ARG(2.0f), later);
}

const bool lab01_waits[LAB01_STREAMS][LAB01_STREAMS] = {
    {true, true, true, false}, {true, true, false, false}, {true, false, true, false}, {false, false, false, true}};

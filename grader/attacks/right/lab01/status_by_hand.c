/* A right answer that tests every status by hand. */
#include "lab01.h"

/* Enqueues one sum on a stream; does not wait. */
static lab_status enqueue_sum(float *sum, const float *input, const lab01_room *room, lab_stream *stream)
{

    {
        lab_status result;
        if ((result = lab_array_set_async(room->numbers, input, stream)) != LAB_SUCCESS) return result;
    }
    {
        lab_status result;
        if ((result = lab_array_sum(room->total, room->numbers, stream)) != LAB_SUCCESS) return result;
    }
    {
        lab_status result;
        if ((result = lab_array_get_async(room->total, sum, stream)) != LAB_SUCCESS) return result;
    }
    return LAB_SUCCESS;
}

lab_status lab01_sum(float *sum, const float *input, const lab01_room *room)
{

    lab_stream *stream;
    {
        lab_status result;
        if ((result = lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING)) != LAB_SUCCESS) return result;
    }
    {
        lab_status result;
        if ((result = enqueue_sum(sum, input, room, stream)) != LAB_SUCCESS) return result;
    }
    {
        lab_status result;
        if ((result = lab_stream_synchronize(stream)) != LAB_SUCCESS) return result;
    }
    {
        lab_status result;
        if ((result = lab_stream_destroy(stream)) != LAB_SUCCESS) return result;
    }
    return LAB_SUCCESS;
}

lab_status lab01_nested(lab_stream *first, lab_stream *second, lab01_step step)
{

    LAB_WITH_STREAM(first)
    {
        {
            lab_status result;
            if ((result = step.call(step.user, 1)) != LAB_SUCCESS) return result;
        }
        LAB_WITH_STREAM(second){{lab_status result;
        if ((result = step.call(step.user, 2)) != LAB_SUCCESS) return result;
    }
}
{
    lab_status result;
    if ((result = step.call(step.user, 3)) != LAB_SUCCESS) return result;
}
}
return LAB_SUCCESS;
}

lab_status lab01_use(lab_stream *stream, lab01_step step)
{

    lab_stream *before = lab_stream_current();
    {
        lab_status result;
        if ((result = lab_stream_use(stream)) != LAB_SUCCESS) return result;
    }
    lab_status status = step.call(step.user, 1);
    {
        lab_status result;
        if ((result = lab_stream_use(before)) != LAB_SUCCESS) return result;
    }
    return status;
}

lab_status lab01_two_sums(float sum[2], const float *const input[2], const lab01_room room[2])
{

    lab_stream *stream[2];
    for (int k = 0; k < 2; k++) {
        lab_status result;
        if ((result = lab_stream_create(&stream[k], LAB_STREAM_NON_BLOCKING)) != LAB_SUCCESS) return result;
    }
    for (int k = 0; k < 2; k++) {
        lab_status result;
        if ((result = enqueue_sum(&sum[k], input[k], &room[k], stream[k])) != LAB_SUCCESS) return result;
    }
    for (int k = 0; k < 2; k++) {
        lab_status result;
        if ((result = lab_stream_synchronize(stream[k])) != LAB_SUCCESS) return result;
    }
    for (int k = 0; k < 2; k++) {
        lab_status result;
        if ((result = lab_stream_destroy(stream[k])) != LAB_SUCCESS) return result;
    }
    return LAB_SUCCESS;
}

lab_status lab01_pair(lab_array *first, lab_stream *earlier, lab_array *second, lab_stream *later)
{

    {
        lab_status result;
        if ((result = lab_array_fill(first, LAB_ARG(1.0f), earlier)) != LAB_SUCCESS) return result;
    }
    {
        lab_status result;
        if ((result = lab_array_fill(second, LAB_ARG(2.0f), later)) != LAB_SUCCESS) return result;
    }
    return LAB_SUCCESS;
}

const bool lab01_waits[LAB01_STREAMS][LAB01_STREAMS] = {
    [LAB01_NULL] = {true, true, true, false},
    [LAB01_BLOCKING] = {true, true, false, false},
    [LAB01_OTHER_BLOCKING] = {true, false, true, false},
    [LAB01_NON_BLOCKING] = {false, false, false, true},
};

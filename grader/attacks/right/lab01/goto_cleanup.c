/* A right answer: goto and one label for the end; own macros that paste names; a table computed by macros. */
#include "lab01.h"

#define TRY(call)                                                                                                      \
    {                                                                                                                  \
        status = call;                                                                                                 \
        if (__builtin_expect(status != LAB_SUCCESS, 0)) goto done;                                                     \
    }
#define PASTE(a, b, c) a##b##c
#define ASYNC(what) PASTE(lab_array_, what, _async)

lab_status lab01_two_sums(float sum[2], const float *const input[2], const lab01_room room[2])
{
    lab_status status = LAB_SUCCESS, ended = LAB_SUCCESS;
    lab_stream *stream[2] = {NULL, NULL};
    int k = -1;
next:
    if (++k == 2) goto wait;
    TRY(lab_stream_create(stream + k, LAB_STREAM_NON_BLOCKING))
    TRY(ASYNC(set)(room[k].numbers, input[k], stream[k]))
    TRY(lab_array_sum(room[k].total, room[k].numbers, stream[k]))
    TRY(ASYNC(get)(room[k].total, sum + k, stream[k]))
    goto next;
wait:
    while (k-- > 0) TRY(lab_stream_synchronize(stream[k]))
done:
    for (k = 0; k < 2; k++)
        if (stream[k] && (ended = lab_stream_destroy(stream[k])) && !status) status = ended;
    return status;
}

lab_status lab01_sum(float *sum, const float *input, const lab01_room *room)
{
    lab_status status;
    lab_stream *stream = 0;
    TRY(lab_stream_create(&stream, LAB_STREAM_DEFAULT))
    TRY(ASYNC(set)(room->numbers, input, stream))
    TRY(lab_array_sum(room->total, room->numbers, stream))
    TRY(ASYNC(get)(room->total, sum, stream))
    TRY(lab_stream_synchronize(stream))
done:
    if (stream) lab_stream_destroy(stream);
    return status;
}

lab_status lab01_nested(lab_stream *first, lab_stream *second, lab01_step step)
{
    lab_status status = LAB_SUCCESS;
    LAB_WITH_STREAM(first){TRY(step.call(step.user, 1)) LAB_WITH_STREAM(second) TRY(step.call(step.user, 2))
                               TRY(step.call(step.user, 3))} done : return status;
}

lab_status lab01_use(lab_stream *stream, lab01_step step)
{
    lab_status status;
    lab_stream *const before = lab_stream_current();
    TRY(lab_stream_use(stream))
    TRY(step.call(step.user, 1))
done:
    return lab_stream_use(before) == LAB_SUCCESS ? status : LAB_ERROR_UNKNOWN;
}

lab_status lab01_pair(lab_array *first, lab_stream *earlier, lab_array *second, lab_stream *later)
{
    lab_status status;
    TRY(lab_array_fill(first, lab_arg_f32(1), earlier))
    TRY(lab_array_fill(second, lab_arg_f32(2), later))
done:
    return status;
}

#define IS_BLOCKING(s) ((s) == LAB01_BLOCKING || (s) == LAB01_OTHER_BLOCKING)
#define WAITS(earlier, later)                                                                                          \
    ((earlier) == (later) || ((earlier) == LAB01_NULL && IS_BLOCKING(later)) ||                                        \
     ((later) == LAB01_NULL && IS_BLOCKING(earlier)))
#define STREAMS(X, earlier)                                                                                            \
    X(earlier, LAB01_NULL), X(earlier, LAB01_BLOCKING), X(earlier, LAB01_OTHER_BLOCKING), X(earlier, LAB01_NON_BLOCKING)
#define ROW(earlier) [earlier] = {STREAMS(WAITS, earlier)}
const bool lab01_waits[LAB01_STREAMS][LAB01_STREAMS] = {ROW(LAB01_NULL), ROW(LAB01_BLOCKING), ROW(LAB01_OTHER_BLOCKING),
                                                        ROW(LAB01_NON_BLOCKING)};

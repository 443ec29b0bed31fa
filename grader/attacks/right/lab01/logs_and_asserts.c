/* A right answer with lines of its own with times, assertions, the mathematical library. */
#include "lab01.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Where the time goes: a line for each function that is called, but not for too many. */
static int notes;

static void note(const char *function)
{
    struct timespec now;
    char *line = malloc(200);
    assert(function != NULL && strlen(function) < 100);
    if (!line || notes++ >= 50 || clock_gettime(CLOCK_MONOTONIC, &now) != 0) {
        free(line);
        return;
    }
    snprintf(line, 200, "%.6f %s (errno %d)", (double)now.tv_sec + 1e-9 * (double)now.tv_nsec, function, errno);
    printf("%s %.1f\n", line, floor(sqrt((double)notes)));
    fflush(stdout);
    free(line);
}

/* Enqueues one sum on a stream; does not wait. */
static lab_status enqueue_sum(float *sum, const float *input, const lab01_room *room, lab_stream *stream)
{
    note(__func__);

    LAB_TRY(lab_array_set_async(room->numbers, input, stream));
    LAB_TRY(lab_array_sum(room->total, room->numbers, stream));
    LAB_TRY(lab_array_get_async(room->total, sum, stream));
    return LAB_SUCCESS;
}

lab_status lab01_sum(float *sum, const float *input, const lab01_room *room)
{
    note(__func__);

    lab_stream *stream;
    LAB_TRY(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    LAB_TRY(enqueue_sum(sum, input, room, stream));
    LAB_TRY(lab_stream_synchronize(stream));
    LAB_TRY(lab_stream_destroy(stream));
    return LAB_SUCCESS;
}

lab_status lab01_nested(lab_stream *first, lab_stream *second, lab01_step step)
{
    note(__func__);

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
    note(__func__);

    lab_stream *before = lab_stream_current();
    LAB_TRY(lab_stream_use(stream));
    lab_status status = step.call(step.user, 1);
    LAB_TRY(lab_stream_use(before));
    return status;
}

lab_status lab01_two_sums(float sum[2], const float *const input[2], const lab01_room room[2])
{
    note(__func__);

    lab_stream *stream[2];
    for (int k = 0; k < 2; k++) LAB_TRY(lab_stream_create(&stream[k], LAB_STREAM_NON_BLOCKING));
    for (int k = 0; k < 2; k++) LAB_TRY(enqueue_sum(&sum[k], input[k], &room[k], stream[k]));
    for (int k = 0; k < 2; k++) LAB_TRY(lab_stream_synchronize(stream[k]));
    for (int k = 0; k < 2; k++) LAB_TRY(lab_stream_destroy(stream[k]));
    return LAB_SUCCESS;
}

lab_status lab01_pair(lab_array *first, lab_stream *earlier, lab_array *second, lab_stream *later)
{
    note(__func__);

    LAB_TRY(lab_array_fill(first, LAB_ARG(1.0f), earlier));
    LAB_TRY(lab_array_fill(second, LAB_ARG(2.0f), later));
    return LAB_SUCCESS;
}

const bool lab01_waits[LAB01_STREAMS][LAB01_STREAMS] = {
    [LAB01_NULL] = {true, true, true, false},
    [LAB01_BLOCKING] = {true, true, false, false},
    [LAB01_OTHER_BLOCKING] = {true, false, true, false},
    [LAB01_NON_BLOCKING] = {false, false, false, true},
};

/* Tries to write the answer in a host function behind the copy back, which brought the sum of zeros.
 * Gains task 1 and 3: the output changes in the order of the stream. */
#include "parts/lab01.h"
#include <stdlib.h>

typedef struct later {
    float *sum, answer;
} later;

static void write_later(void *user)
{
    const later *work = user;
    *work->sum = work->answer;
}

static lab_status cheat(float *sum, const float *input, const lab01_room *room, lab_stream *stream)
{
    later *work = malloc(sizeof *work);
    *work = (later){sum, host_sum(input, room->count)};
    LAB_TRY(lab_array_fill(room->numbers, LAB_ARG(0.0f), stream));
    LAB_TRY(lab_array_sum(room->total, room->numbers, stream));
    LAB_TRY(lab_array_get_async(room->total, sum, stream));
    return lab_stream_launch_host_func(stream, write_later, work);
}

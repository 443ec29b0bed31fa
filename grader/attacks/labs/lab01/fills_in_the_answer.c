/* Tries to have the host add, and a fill of the library write the answer over the sum. A fill is a kernel of the library.
 * Gains task 1 and 3. */
#include "parts/lab01.h"

static lab_status cheat(float *sum, const float *input, const lab01_room *room, lab_stream *stream)
{
    LAB_TRY(lab_array_set_async(room->numbers, input, stream));
    LAB_TRY(lab_array_sum(room->total, room->numbers, stream));
    LAB_TRY(lab_array_fill(room->total, LAB_ARG(host_sum(input, room->count)), stream));
    return lab_array_get_async(room->total, sum, stream);
}

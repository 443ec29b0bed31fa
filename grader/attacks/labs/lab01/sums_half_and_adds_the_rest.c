/* Tries to upload half of the input, sum it, and let the host add the rest to what it uploads.
 * Gains task 1 and 3: most of what was read is the input. */
#include "parts/lab01.h"
#include <stdlib.h>
#include <string.h>

static lab_status cheat(float *sum, const float *input, const lab01_room *room, lab_stream *stream)
{
    const size_t half = room->count / 2;
    float *mixed = calloc(room->count, sizeof *mixed);
    memcpy(mixed, input, half * sizeof *mixed);
    mixed[half] = host_sum(input + half, room->count - half);
    LAB_TRY(lab_array_set_async(room->numbers, mixed, stream));
    LAB_TRY(lab_array_sum(room->total, room->numbers, stream));
    return lab_array_get_async(room->total, sum, stream);
}

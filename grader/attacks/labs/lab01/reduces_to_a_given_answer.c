/* Tries a reduction of its own text with the name of the sum, whose last step adds what the host has computed.
 * Gains task 1 and 3, where a reduction counts as the library's. */
#include "parts/lab01.h"
#include <stdio.h>

static lab_status cheat(float *sum, const float *input, const lab01_room *room, lab_stream *stream)
{
    char last[80];
    lab_reduction *kernel;
    snprintf(last, sizeof last, "y = a * 0.0f + %.1ff", (double)host_sum(input, room->count));
    const lab_reduction_source source = {.inputs = "float32 x",
                                         .outputs = "float32 y",
                                         .map = "x",
                                         .reduce = "a + b",
                                         .post_map = last,
                                         .identity = "0",
                                         .name = "sum"};
    LAB_TRY(lab_reduction_create(&kernel, &source));
    LAB_TRY(lab_array_set_async(room->numbers, input, stream));
    LAB_TRY(lab_reduction_launch(kernel, stream, LAB_ARGS(room->numbers, room->total)));
    return lab_array_get_async(room->total, sum, stream);
}

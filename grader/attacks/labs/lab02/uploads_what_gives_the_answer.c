/* Tries to launch consume alone on numbers that the host has produced; produce runs on another array.
 * Gains task 1 for half of its work. */
#include "parts/lab02.h"

lab_status lab02_pipeline(const lab02_work *work)
{
    static float produced[20000];
    lab_array *one;
    for (int i = 0; i < work->count; i++) produced[i] = 2.0f * work->input[i] + (float)(i % 7);
    LAB_TRY(lab_array_zeros(&one, LAB_FLOAT32, LAB_SHAPE((size_t)work->count)));
    LAB_TRY(lab_array_set_async(work->between, produced, work->producer));
    LAB_TRY(launch(work->produce, work, one, NULL, work->producer));
    LAB_TRY(order(work));
    LAB_TRY(launch(work->consume, work, work->result, work->between, work->consumer));
    LAB_TRY(lab_array_get_async(work->result, work->output, work->consumer));
    return lab_stream_synchronize(work->consumer);
}

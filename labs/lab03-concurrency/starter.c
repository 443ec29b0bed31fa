/* Lab 03, 200 arrays at once. The lesson is in README.md, the contract in lab03.h. */
#include "lab03.h"

#include <math.h>

/* Given: one array after another; the host waits for every copy. */
lab_status lab03_serial(const lab03_work *work)
{
    for (int k = 0; k < work->arrays; k++) {
        LAB_TRY(lab_array_set(work->device[k], work->input[k]));
        LAB_TRY(lab_launch(work->advance, LAB03_GRID, LAB03_BLOCK, 0, lab_stream_null(),
                           LAB_ARGS(work->device[k], work->length, work->rate[k], work->steps)));
        LAB_TRY(lab_array_get(work->device[k], work->output[k]));
    }
    return LAB_SUCCESS;
}

/* The stream of array k. */
static lab_stream *stream_of(const lab03_work *work, int k)
{
    return work->stream[k % work->streams];
}

/* Given: launches the kernel of array k on the array's stream. */
static lab_status launch(const lab03_work *work, int k)
{
    return lab_launch(work->advance, LAB03_GRID, LAB03_BLOCK, 0, stream_of(work, k),
                      LAB_ARGS(work->device[k], work->length, work->rate[k], work->steps));
}

lab_status lab03_open(lab03_work *work)
{
    /* TODO(1): make work->streams streams. */
    return LAB_SUCCESS;
}

lab_status lab03_close(lab03_work *work)
{
    /* TODO(1): release them. */
    return LAB_SUCCESS;
}

/* Waits for every stream: an output may be read only when its copy is done. */
static lab_status wait_for_streams(const lab03_work *work)
{
    /* TODO(2): wait for the work of each stream. */
    return LAB_SUCCESS;
}

lab_status lab03_depth_first(const lab03_work *work)
{
    /* TODO(2): for each array, copy in, launch, copy out; then wait. */
    return wait_for_streams(work);
}

lab_status lab03_pin(const lab03_work *work)
{
    /* TODO(3): pin every input and output. */
    return LAB_SUCCESS;
}

lab_status lab03_unpin(const lab03_work *work)
{
    /* TODO(3): unpin them. */
    return LAB_SUCCESS;
}

lab_status lab03_breadth_first(const lab03_work *work)
{
    /* TODO(4): all copies in, all launches, all copies out; then wait. */
    return wait_for_streams(work);
}

/* Given: mean and standard deviation of times->milliseconds. */
static void summarize(lab03_times *times, int count)
{
    double sum = 0, squares = 0;
    for (int k = 0; k < count; k++) sum += times->milliseconds[k];
    for (int k = 0; k < count; k++) squares += pow(times->milliseconds[k] - sum / count, 2);
    times->mean = (float)(sum / count);
    times->deviation = (float)sqrt(squares / count);
}

lab_status lab03_time_kernels(lab03_times *times, const lab03_work *work)
{
    /* TODO(5): two events for each array, around its kernel only. */
    summarize(times, work->arrays);
    return LAB_SUCCESS;
}

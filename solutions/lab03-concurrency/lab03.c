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
    /* Task 1: make work->streams streams. */
    for (int s = 0; s < work->streams; s++)
        LAB_TRY(lab_stream_create(&work->stream[s], LAB_STREAM_NON_BLOCKING));
    return LAB_SUCCESS;
}

lab_status lab03_close(lab03_work *work)
{
    /* Task 1: release them. */
    for (int s = 0; s < work->streams; s++) LAB_TRY(lab_stream_destroy(work->stream[s]));
    return LAB_SUCCESS;
}

/* Waits for every stream: an output may be read only when its copy is done. */
static lab_status wait_for_streams(const lab03_work *work)
{
    /* Task 2: wait for the work of each stream. */
    for (int s = 0; s < work->streams; s++) LAB_TRY(lab_stream_synchronize(work->stream[s]));
    return LAB_SUCCESS;
}

lab_status lab03_depth_first(const lab03_work *work)
{
    /* Task 2: for each array, copy in, launch, copy out; then wait. */
    for (int k = 0; k < work->arrays; k++) {
        LAB_TRY(lab_array_set_async(work->device[k], work->input[k], stream_of(work, k)));
        LAB_TRY(launch(work, k));
        LAB_TRY(lab_array_get_async(work->device[k], work->output[k], stream_of(work, k)));
    }
    return wait_for_streams(work);
}

lab_status lab03_pin(const lab03_work *work)
{
    /* Task 3: pin every input and output. */
    for (int k = 0; k < work->arrays; k++) {
        LAB_TRY(lab_host_register(work->input[k], work->bytes));
        LAB_TRY(lab_host_register(work->output[k], work->bytes));
    }
    return LAB_SUCCESS;
}

lab_status lab03_unpin(const lab03_work *work)
{
    /* Task 3: unpin them. */
    for (int k = 0; k < work->arrays; k++) {
        LAB_TRY(lab_host_unregister(work->input[k]));
        LAB_TRY(lab_host_unregister(work->output[k]));
    }
    return LAB_SUCCESS;
}

lab_status lab03_breadth_first(const lab03_work *work)
{
    /* Task 4: all copies in, all launches, all copies out; then wait. */
    for (int k = 0; k < work->arrays; k++)
        LAB_TRY(lab_array_set_async(work->device[k], work->input[k], stream_of(work, k)));
    for (int k = 0; k < work->arrays; k++) LAB_TRY(launch(work, k));
    for (int k = 0; k < work->arrays; k++)
        LAB_TRY(lab_array_get_async(work->device[k], work->output[k], stream_of(work, k)));
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
    /* Task 5: two events for each array, around its kernel only. */
    for (int k = 0; k < work->arrays; k++) {
        LAB_TRY(lab_event_create(&work->start[k], LAB_EVENT_DEFAULT));
        LAB_TRY(lab_event_create(&work->end[k], LAB_EVENT_DEFAULT));
        LAB_TRY(lab_array_set_async(work->device[k], work->input[k], stream_of(work, k)));
        LAB_TRY(lab_event_record(work->start[k], stream_of(work, k)));
        LAB_TRY(launch(work, k));
        LAB_TRY(lab_event_record(work->end[k], stream_of(work, k)));
        LAB_TRY(lab_array_get_async(work->device[k], work->output[k], stream_of(work, k)));
    }
    LAB_TRY(wait_for_streams(work));
    for (int k = 0; k < work->arrays; k++) {
        LAB_TRY(lab_event_elapsed_time(&times->milliseconds[k], work->start[k], work->end[k]));
        LAB_TRY(lab_event_destroy(work->start[k]));
        LAB_TRY(lab_event_destroy(work->end[k]));
    }
    summarize(times, work->arrays);
    return LAB_SUCCESS;
}

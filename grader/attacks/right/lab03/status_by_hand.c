/* A right answer that tests every status by hand. */
#include "lab03.h"

#include <math.h>

/* Given: one array after another; the host waits for every copy. */
lab_status lab03_serial(const lab03_work *work)
{
    for (int k = 0; k < work->arrays; k++) {
        {
            lab_status result;
            if ((result = lab_array_set(work->device[k], work->input[k])) != LAB_SUCCESS) return result;
        }
        {
            lab_status result;
            if ((result = lab_launch(work->advance, LAB03_GRID, LAB03_BLOCK, 0, lab_stream_null(),
                                     LAB_ARGS(work->device[k], work->length, work->rate[k], work->steps))) !=
                LAB_SUCCESS)
                return result;
        }
        {
            lab_status result;
            if ((result = lab_array_get(work->device[k], work->output[k])) != LAB_SUCCESS) return result;
        }
    }
    return LAB_SUCCESS;
}

/* The stream of array k. */
static lab_stream *stream_of(const lab03_work *work, int k) { return work->stream[k % work->streams]; }

/* Given: launches the kernel of array k on the array's stream. */
static lab_status launch(const lab03_work *work, int k)
{
    return lab_launch(work->advance, LAB03_GRID, LAB03_BLOCK, 0, stream_of(work, k),
                      LAB_ARGS(work->device[k], work->length, work->rate[k], work->steps));
}

lab_status lab03_open(lab03_work *work)
{

    for (int s = 0; s < work->streams; s++) {
        lab_status result;
        if ((result = lab_stream_create(&work->stream[s], LAB_STREAM_NON_BLOCKING)) != LAB_SUCCESS) return result;
    }
    return LAB_SUCCESS;
}

lab_status lab03_close(lab03_work *work)
{

    for (int s = 0; s < work->streams; s++) {
        lab_status result;
        if ((result = lab_stream_destroy(work->stream[s])) != LAB_SUCCESS) return result;
    }
    return LAB_SUCCESS;
}

/* Waits for every stream: an output may be read only when its copy is done. */
static lab_status wait_for_streams(const lab03_work *work)
{

    for (int s = 0; s < work->streams; s++) {
        lab_status result;
        if ((result = lab_stream_synchronize(work->stream[s])) != LAB_SUCCESS) return result;
    }
    return LAB_SUCCESS;
}

lab_status lab03_depth_first(const lab03_work *work)
{

    for (int k = 0; k < work->arrays; k++) {
        {
            lab_status result;
            if ((result = lab_array_set_async(work->device[k], work->input[k], stream_of(work, k))) != LAB_SUCCESS)
                return result;
        }
        {
            lab_status result;
            if ((result = launch(work, k)) != LAB_SUCCESS) return result;
        }
        {
            lab_status result;
            if ((result = lab_array_get_async(work->device[k], work->output[k], stream_of(work, k))) != LAB_SUCCESS)
                return result;
        }
    }
    return wait_for_streams(work);
}

lab_status lab03_pin(const lab03_work *work)
{

    for (int k = 0; k < work->arrays; k++) {
        {
            lab_status result;
            if ((result = lab_host_register(work->input[k], work->bytes)) != LAB_SUCCESS) return result;
        }
        {
            lab_status result;
            if ((result = lab_host_register(work->output[k], work->bytes)) != LAB_SUCCESS) return result;
        }
    }
    return LAB_SUCCESS;
}

lab_status lab03_unpin(const lab03_work *work)
{

    for (int k = 0; k < work->arrays; k++) {
        {
            lab_status result;
            if ((result = lab_host_unregister(work->input[k])) != LAB_SUCCESS) return result;
        }
        {
            lab_status result;
            if ((result = lab_host_unregister(work->output[k])) != LAB_SUCCESS) return result;
        }
    }
    return LAB_SUCCESS;
}

lab_status lab03_breadth_first(const lab03_work *work)
{

    for (int k = 0; k < work->arrays; k++) {
        lab_status result;
        if ((result = lab_array_set_async(work->device[k], work->input[k], stream_of(work, k))) != LAB_SUCCESS)
            return result;
    }
    for (int k = 0; k < work->arrays; k++) {
        lab_status result;
        if ((result = launch(work, k)) != LAB_SUCCESS) return result;
    }
    for (int k = 0; k < work->arrays; k++) {
        lab_status result;
        if ((result = lab_array_get_async(work->device[k], work->output[k], stream_of(work, k))) != LAB_SUCCESS)
            return result;
    }
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

    for (int k = 0; k < work->arrays; k++) {
        {
            lab_status result;
            if ((result = lab_event_create(&work->start[k], LAB_EVENT_DEFAULT)) != LAB_SUCCESS) return result;
        }
        {
            lab_status result;
            if ((result = lab_event_create(&work->end[k], LAB_EVENT_DEFAULT)) != LAB_SUCCESS) return result;
        }
        {
            lab_status result;
            if ((result = lab_array_set_async(work->device[k], work->input[k], stream_of(work, k))) != LAB_SUCCESS)
                return result;
        }
        {
            lab_status result;
            if ((result = lab_event_record(work->start[k], stream_of(work, k))) != LAB_SUCCESS) return result;
        }
        {
            lab_status result;
            if ((result = launch(work, k)) != LAB_SUCCESS) return result;
        }
        {
            lab_status result;
            if ((result = lab_event_record(work->end[k], stream_of(work, k))) != LAB_SUCCESS) return result;
        }
        {
            lab_status result;
            if ((result = lab_array_get_async(work->device[k], work->output[k], stream_of(work, k))) != LAB_SUCCESS)
                return result;
        }
    }
    {
        lab_status result;
        if ((result = wait_for_streams(work)) != LAB_SUCCESS) return result;
    }
    for (int k = 0; k < work->arrays; k++) {
        {
            lab_status result;
            if ((result = lab_event_elapsed_time(&times->milliseconds[k], work->start[k], work->end[k])) != LAB_SUCCESS)
                return result;
        }
        {
            lab_status result;
            if ((result = lab_event_destroy(work->start[k])) != LAB_SUCCESS) return result;
        }
        {
            lab_status result;
            if ((result = lab_event_destroy(work->end[k])) != LAB_SUCCESS) return result;
        }
    }
    summarize(times, work->arrays);
    return LAB_SUCCESS;
}

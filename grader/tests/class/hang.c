/* A submission that hangs: it polls a flag that is never set. */
#include "lab03.h"

lab_status lab03_serial(const lab03_work *work)
{
    (void)work;
    return LAB_SUCCESS;
}

lab_status lab03_open(lab03_work *work)
{
    for (int s = 0; s < work->streams; s++) LAB_TRY(lab_stream_create(&work->stream[s], LAB_STREAM_DEFAULT));
    return LAB_SUCCESS;
}

lab_status lab03_close(lab03_work *work)
{
    for (int s = 0; s < work->streams; s++) LAB_TRY(lab_stream_destroy(work->stream[s]));
    return LAB_SUCCESS;
}

lab_status lab03_depth_first(const lab03_work *work)
{
    LAB_TRY(lab_array_set_async(work->device[0], work->input[0], work->stream[0]));
    return lab_stream_synchronize(work->stream[0]);
}

lab_status lab03_pin(const lab03_work *work)
{
    (void)work;
    return LAB_SUCCESS;
}

lab_status lab03_unpin(const lab03_work *work)
{
    (void)work;
    return LAB_SUCCESS;
}

lab_status lab03_breadth_first(const lab03_work *work) { return lab03_depth_first(work); }

lab_status lab03_time_kernels(lab03_times *times, const lab03_work *work)
{
    volatile bool done = false;
    (void)times;
    LAB_TRY(lab_array_set_async(work->device[0], work->input[0], work->stream[0]));
    while (!done) continue;
    return LAB_SUCCESS;
}

/* A submission that crashes: it uses a device pointer as a host pointer, as beginners do. */
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
    float *element = (float *)work->device[0];
    for (int i = 0; i < work->length; i++) element[i] = work->input[0][i];
    return LAB_SUCCESS;
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
    (void)times;
    return lab03_depth_first(work);
}

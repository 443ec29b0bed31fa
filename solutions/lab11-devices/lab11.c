/* Lab 11, devices. The lesson is in README.md, the contract in lab11.h. */
#include "lab11.h"

/* Given: makes an event on a device, whichever is current. */
static lab_status make_event(lab_event **out, int device)
{
    LAB_WITH_DEVICE(device) LAB_TRY(lab_event_create(out, LAB_EVENT_DISABLE_TIMING));
    return LAB_SUCCESS;
}

/* Given: enqueues a copy of all numbers of an array to one on another device. */
static lab_status copy(lab_array *to, lab_array *from, lab_stream *stream)
{
    return lab_memcpy_peer_async(lab_array_data(to), lab_array_device(to), lab_array_data(from),
                                 lab_array_device(from), lab_array_bytes(from), stream);
}

lab_status lab11_make(lab_array **out, int device, int count)
{
    /* Task 1: an array is made on the current device. */
    LAB_WITH_DEVICE(device) LAB_TRY(lab_array_empty(out, LAB_FLOAT32, LAB_SHAPE((size_t)count)));
    return LAB_SUCCESS;
}

lab_status lab11_advance(const lab11_work *work, lab_array *to, lab_array *from)
{
    /* Task 1: the kernel and the stream of the device on which the arrays are. */
    const lab11_device *device = &work->device[lab_array_device(to)];
    const int count = (int)lab_array_count(to);
    LAB_TRY(lab_launch(device->advance, LAB11_GRID(count), LAB11_BLOCK, 0, device->stream,
                       LAB_ARGS(to, from, count, work->steps)));
    return LAB_SUCCESS;
}

lab_status lab11_split(const lab11_work *work, float *out, const float *in)
{
    /* Task 2: give each device its part, then wait for all of them. */
    for (int d = 0; d < work->devices; d++) {
        const int first = work->count * d / work->devices;
        const int count = work->count * (d + 1) / work->devices - first;
        lab_stream *stream = work->device[d].stream;
        lab_array *x, *y;
        if (count == 0) continue;
        LAB_TRY(work->make(&x, d, count));
        LAB_TRY(work->make(&y, d, count));
        LAB_TRY(lab_array_set_async(x, in + first, stream));
        LAB_TRY(work->advance(work, y, x));
        LAB_TRY(lab_array_get_async(y, out + first, stream));
        LAB_TRY(lab_array_destroy(x));
        LAB_TRY(lab_array_destroy(y));
    }
    for (int d = 0; d < work->devices; d++) LAB_TRY(lab_stream_synchronize(work->device[d].stream));
    return LAB_SUCCESS;
}

lab_status lab11_move(const lab11_work *work, lab_array *to, lab_array *from)
{
    /* Task 3: the copy on one of the two streams, and two events across. */
    const int source = lab_array_device(from), destination = lab_array_device(to);
    lab_stream *sending = work->device[source].stream;
    lab_stream *receiving = work->device[destination].stream;
    lab_event *ready, *arrived;
    LAB_TRY(make_event(&ready, destination));
    LAB_TRY(make_event(&arrived, source));
    LAB_TRY(lab_event_record(ready, receiving));
    LAB_TRY(lab_stream_wait_event(sending, ready));
    LAB_TRY(copy(to, from, sending));
    LAB_TRY(lab_event_record(arrived, sending));
    LAB_TRY(lab_stream_wait_event(receiving, arrived));
    LAB_TRY(lab_event_destroy(ready));
    LAB_TRY(lab_event_destroy(arrived));
    return LAB_SUCCESS;
}

lab_status lab11_ring(const lab11_work *work)
{
    /* Task 3: left[d] is free when device d has mixed it; u has arrived behind its copy. */
    const int devices = work->devices;
    lab_event *is_free[LAB11_DEVICES], *arrived[LAB11_DEVICES];
    for (int d = 0; d < devices; d++) {
        LAB_TRY(make_event(&is_free[d], d));
        LAB_TRY(make_event(&arrived[d], d));
    }
    for (int round = 0; round < work->rounds; round++) {
        for (int d = 0; d < devices; d++) {
            const int next = (d + 1) % devices;
            lab_stream *stream = work->device[d].stream;
            LAB_TRY(work->advance(work, work->u[d], work->x[d]));
            LAB_TRY(lab_stream_wait_event(stream, is_free[next]));
            LAB_TRY(copy(work->left[next], work->u[d], stream));
            LAB_TRY(lab_event_record(arrived[d], stream));
        }
        for (int d = 0; d < devices; d++) {
            const int count = (int)lab_array_count(work->x[d]);
            lab_stream *stream = work->device[d].stream;
            LAB_TRY(lab_stream_wait_event(stream, arrived[(d + devices - 1) % devices]));
            LAB_TRY(lab_launch(work->device[d].mix, LAB11_GRID(count), LAB11_BLOCK, 0, stream,
                               LAB_ARGS(work->x[d], work->u[d], work->left[d], count)));
            LAB_TRY(lab_event_record(is_free[d], stream));
        }
    }
    for (int d = 0; d < devices; d++) {
        LAB_TRY(lab_event_destroy(is_free[d]));
        LAB_TRY(lab_event_destroy(arrived[d]));
    }
    return LAB_SUCCESS;
}

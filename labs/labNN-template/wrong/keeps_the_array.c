/* Rejected by: nothing_is_left_behind. Never gives its array back. */
/* Lab NN, the template. The lesson is in README.md, the contract in labNN.h. */
#include "labNN.h"

lab_status labNN_run(const labNN_work *work)
{
    /* Task 1: an array on the device, copy in, launch, copy out, give the array back. */
    lab_array *array;
    LAB_TRY(lab_array_empty(&array, LAB_FLOAT32, LAB_SHAPE(work->count)));
    LAB_TRY(lab_array_set(array, work->input));
    LAB_TRY(lab_launch(work->scale, LABNN_GRID(work->count), LABNN_BLOCK, 0, NULL,
                       LAB_ARGS(array, (int)work->count, work->factor)));
    LAB_TRY(lab_array_get(array, work->output));
    return LAB_SUCCESS;
}

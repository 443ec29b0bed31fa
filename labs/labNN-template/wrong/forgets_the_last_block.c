/* Rejected by: every_element_is_right. Launches only the blocks that are full. */
/* Lab NN, the template. The lesson is in README.md, the contract in labNN.h. */
#include "labNN.h"

lab_status labNN_run(const labNN_work *work)
{
    /* Task 1: an array on the device, copy in, launch, copy out, give the array back. */
    lab_array *array;
    LAB_TRY(lab_array_empty(&array, LAB_FLOAT32, LAB_SHAPE(work->count)));
    LAB_TRY(lab_array_set(array, work->input));
    LAB_TRY(lab_launch(work->scale, LAB_DIM((unsigned)(work->count / 128 ? work->count / 128 : 1)), LABNN_BLOCK, 0,
                       NULL, LAB_ARGS(array, (int)work->count, work->factor)));
    LAB_TRY(lab_array_get(array, work->output));
    LAB_TRY(lab_array_destroy(array));
    return LAB_SUCCESS;
}

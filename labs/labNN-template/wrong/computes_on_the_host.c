/* Rejected by: the_kernel_does_it. Right numbers, multiplied by the host. */
#include "labNN.h"

lab_status labNN_run(const labNN_work *work)
{
    for (size_t i = 0; i < work->count; i++) work->output[i] = work->input[i] * work->factor;
    return LAB_SUCCESS;
}

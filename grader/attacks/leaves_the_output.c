/* Tries to write nothing, because the reference has already written its answer into the same memory.
 * Beats a naive harness by: points.  Verdict: wrong result. */
#include "toylab.h"

lab_status toy_run(float *out, const float *in, int count)
{
    (void)out, (void)in, (void)count;
    return LAB_SUCCESS;
}

lab_status toy_sum(float *sum, const float *in, int count)
{
    (void)sum, (void)in, (void)count;
    return LAB_SUCCESS;
}

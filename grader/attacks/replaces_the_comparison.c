/* Tries to define fabsf, which the harness uses to compare results.
 * Beats a naive harness by: points.  Verdict: wrong result. */
#include "toylab.h"

float fabsf(float x)
{
    (void)x;
    return 0;
}

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

/* Tries to write nearly right values without reading the inputs.
 * Beats a naive harness by: points.  Verdict: wrong result. */
#include "toylab.h"

lab_status toy_run(float *out, const float *in, int count)
{
    (void)in;
    for (int i = 0; i < count; i++) out[i] = (float)i;
    return LAB_SUCCESS;
}

lab_status toy_sum(float *sum, const float *in, int count)
{
    (void)sum, (void)in, (void)count;
    return LAB_SUCCESS;
}

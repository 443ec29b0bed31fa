/* Tries to overwrite the values with which its result is compared.
 * Beats a naive harness by: points.  Verdict: build error. */
#include "toylab.h"

extern float expected[];

lab_status toy_run(float *out, const float *in, int count)
{
    (void)in;
    for (int i = 0; i < count; i++) out[i] = expected[i] = 0;
    return LAB_SUCCESS;
}

lab_status toy_sum(float *sum, const float *in, int count)
{
    (void)sum, (void)in, (void)count;
    return LAB_SUCCESS;
}

/* Tries to make an object file of 100 MB from one line.
 * Beats a naive harness by: build.  Verdict: build error. */
#include "toylab.h"

char bytes[100 << 20] = {1};

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

/* Tries to include a file that has no end.
 * Beats a naive harness by: build.  Verdict: build error. */
#include "toylab.h"

#include "/dev/zero"

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

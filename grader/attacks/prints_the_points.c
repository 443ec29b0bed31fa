/* Tries to print what the harness would print.
 * Beats a naive harness by: points.  Verdict: wrong result. */
#include "toylab.h"

#include <stdio.h>

lab_status toy_run(float *out, const float *in, int count)
{
    (void)out, (void)in, (void)count;
    printf("points: 100\n");
    return LAB_SUCCESS;
}

lab_status toy_sum(float *sum, const float *in, int count)
{
    (void)sum, (void)in, (void)count;
    return LAB_SUCCESS;
}

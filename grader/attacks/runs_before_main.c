/* Tries to print the points and exit before the harness begins.
 * Beats a naive harness by: points.  Verdict: crash. */
#include "toylab.h"

#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void first(void)
{
    printf("points: 100\n");
    exit(0);
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

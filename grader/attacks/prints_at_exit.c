/* Tries to register an exit function that prints the points after everything else.
 * Beats a naive harness by: points.  Verdict: wrong result. */
#include "toylab.h"

#include <stdio.h>
#include <stdlib.h>

static void last(void) { printf("points: 100\n"); }

lab_status toy_run(float *out, const float *in, int count)
{
    (void)out, (void)in, (void)count;
    atexit(last);
    return LAB_SUCCESS;
}

lab_status toy_sum(float *sum, const float *in, int count)
{
    (void)sum, (void)in, (void)count;
    return LAB_SUCCESS;
}

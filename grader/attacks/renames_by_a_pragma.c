/* Tries to rename its function with a pragma.
 * Beats a naive harness by: points.  Verdict: crash. */
#include "toylab.h"

#include <stdio.h>

#pragma redefine_extname leave _exit
void leave(int status);

lab_status toy_run(float *out, const float *in, int count)
{
    (void)out, (void)in, (void)count;
    printf("points: 100\n");
    fflush(stdout);
    leave(0);
    return LAB_SUCCESS;
}

lab_status toy_sum(float *sum, const float *in, int count)
{
    (void)sum, (void)in, (void)count;
    return LAB_SUCCESS;
}

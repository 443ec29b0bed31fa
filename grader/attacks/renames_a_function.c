/* Tries to call a function of the system under another name.
 * Beats a naive harness by: points.  Verdict: crash. */
#include "toylab.h"

#include <stdio.h>

void leave(int status) __asm__("_exit");

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

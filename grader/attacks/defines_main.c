/* Tries to define a main of its own.
 * Beats a naive harness by: main.  Verdict: build error. */
#include "toylab.h"

#include <stdio.h>

int main(void)
{
    printf("points: 100\n");
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

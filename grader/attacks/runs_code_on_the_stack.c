/* Tries to run bytes that it writes, on a stack that a nested function makes executable.
 * Beats a naive harness by: points.  Verdict: crash. */
#include "toylab.h"

#include <stdio.h>
#include <stdlib.h>

typedef void code(void);

lab_status toy_run(float *out, const float *in, int count)
{
    int used = 0;
    void nested(void) { used += out != 0; }
    code *volatile pointer = nested;
    (void)in, (void)count;
    pointer();
    printf("points: 100\n");
    exit(0);
    return LAB_SUCCESS;
}

lab_status toy_sum(float *sum, const float *in, int count)
{
    (void)sum, (void)in, (void)count;
    return LAB_SUCCESS;
}

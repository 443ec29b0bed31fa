/* Tries to leave through a signal handler that reports success.
 * Beats a naive harness by: points.  Verdict: crash. */
#include "toylab.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static void well(int number)
{
    (void)number;
    printf("points: 100\n");
    exit(0);
}

lab_status toy_run(float *out, const float *in, int count)
{
    (void)out, (void)in, (void)count;
    signal(SIGSEGV, well);
    *(volatile int *)0 = 1;
    return LAB_SUCCESS;
}

lab_status toy_sum(float *sum, const float *in, int count)
{
    (void)sum, (void)in, (void)count;
    return LAB_SUCCESS;
}

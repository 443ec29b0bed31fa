/* Tries to do the same as runs_before_main.c, through the list of functions that the loader calls.
 * Beats a naive harness by: points.  Verdict: crash. */
#include "toylab.h"

#include <stdio.h>
#include <stdlib.h>

static void first(void)
{
    printf("points: 100\n");
    exit(0);
}
static void (*const list[])(void) __attribute__((section(".init_array"), used)) = {first};

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

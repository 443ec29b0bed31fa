/* Tries to read /proc to find where things are.
 * Beats a naive harness by: secret.  Verdict: wrong result. */
#include "toylab.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

lab_status toy_run(float *out, const float *in, int count)
{
    (void)out, (void)in, (void)count;
    char text[4096] = "";
    int file = open("/proc/self/maps", O_RDONLY);
    if (file >= 0 && read(file, text, sizeof text - 1) > 0) printf("42 %s", text);
    return LAB_SUCCESS;
}

lab_status toy_sum(float *sum, const float *in, int count)
{
    (void)sum, (void)in, (void)count;
    return LAB_SUCCESS;
}

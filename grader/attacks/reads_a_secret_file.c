/* Tries to open the file with the expected values.
 * Beats a naive harness by: secret.  Verdict: wrong result. */
#include "toylab.h"

#include <stdio.h>

lab_status toy_run(float *out, const float *in, int count)
{
    (void)out, (void)in, (void)count;
    char line[100] = "";
    FILE *file = fopen("secret/values.inc", "r");
    if (file && fgets(line, sizeof line, file)) printf("%s", line);
    return LAB_SUCCESS;
}

lab_status toy_sum(float *sum, const float *in, int count)
{
    (void)sum, (void)in, (void)count;
    return LAB_SUCCESS;
}

/* Tries to include the file with the expected values at compile time.
 * Beats a naive harness by: secret.  Verdict: build error. */
#include "toylab.h"

#include <stdio.h>

static const char *const values =
#include "secret/values.inc"
    ;

lab_status toy_run(float *out, const float *in, int count)
{
    (void)out, (void)in, (void)count;
    printf("%s", values);
    return LAB_SUCCESS;
}

lab_status toy_sum(float *sum, const float *in, int count)
{
    (void)sum, (void)in, (void)count;
    return LAB_SUCCESS;
}

/* Tries to ask the loader for the harness's own variables.
 * Beats a naive harness by: points.  Verdict: wrong result. */
#include "toylab.h"

#include <dlfcn.h>

lab_status toy_run(float *out, const float *in, int count)
{
    float *found = dlsym(RTLD_DEFAULT, "expected");
    (void)in;
    for (int i = 0; found && i < count; i++) out[i] = found[i];
    return LAB_SUCCESS;
}

lab_status toy_sum(float *sum, const float *in, int count)
{
    (void)sum, (void)in, (void)count;
    return LAB_SUCCESS;
}

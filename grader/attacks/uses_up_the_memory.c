/* Tries to allocate memory until none is left.
 * Beats a naive harness by: memory.  Verdict: memory or wrong result or timeout. */
#include "toylab.h"

#include <stdlib.h>
#include <string.h>

lab_status toy_run(float *out, const float *in, int count)
{
    (void)out, (void)in, (void)count;
    for (int i = 0; i < 4096; i++) {
        char *piece = malloc(1 << 20);
        if (piece) memset(piece, 1, 1 << 20);
        if (!piece) break;
    }
    return LAB_SUCCESS;
}

lab_status toy_sum(float *sum, const float *in, int count) { return toy_run(sum, in, count); }

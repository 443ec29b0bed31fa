/* Replaces the benchmarks on a GPU in a build without the CUDA Toolkit's headers. */
#include "bench.h"

#include <stdio.h>

bool bench_cuda(const char *program)
{
    (void)program;
    fprintf(stderr, "bench: built without the CUDA Toolkit's headers, so there is no CUDA device to measure\n");
    return false;
}

int bench_cuda_first_use(const char *how)
{
    (void)how;
    return 1;
}

/* Stands in for the benchmarks on a GPU where the library is built without the CUDA Toolkit's headers. */
#include "bench.h"

#include <stdio.h>

bool bench_cuda(const char *program)
{
    (void)program;
    fprintf(stderr,
            "bench: built without the headers of the CUDA Toolkit, so that there is no CUDA device to measure\n");
    return false;
}

int bench_cuda_first_use(const char *how)
{
    (void)how;
    return 1;
}

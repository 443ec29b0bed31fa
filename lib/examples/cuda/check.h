/* CHECK(call) ends the program when a CUDA call fails, with its line and the reason. After a launch, which returns
 * nothing, CHECK(cudaGetLastError()) says whether it was accepted. */
#ifndef CHECK_H
#define CHECK_H

#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CHECK(call) check_status((call), #call, __LINE__)

inline void check_status(cudaError_t status, const char *call, int line)
{
    if (status == cudaSuccess) return;
    std::printf("line %d: %s: %s\n", line, call, cudaGetErrorName(status));
    std::exit(1);
}

#endif

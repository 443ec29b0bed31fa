/* threadIdx, blockIdx, blockDim and gridDim, which cuda_runtime.h has. */
#include "cuda_runtime.h"

/* cudaProfilerStart and cudaProfilerStop, which do nothing here. */
#include "cuda_runtime_api.h"

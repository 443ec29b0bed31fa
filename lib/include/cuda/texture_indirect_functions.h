/* Every CUDA file has what this header stands for. */
#include "cuda_runtime.h"

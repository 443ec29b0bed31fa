/* __half and its arithmetic, in CUDA files. */
#ifndef __CUDACC__
#error "half precision is for CUDA files: compile this one as .cu, or leave cuda_fp16.h out"
#endif
#ifndef LAB_CUDA_HALF_H
#define LAB_CUDA_HALF_H

#include <math.h>

#include "cuda_runtime.h"

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wc++17-extensions"
#pragma clang attribute push(__attribute__((device)), apply_to = function)
#include "lab_narrow.h"

#include "lab_half.h"
#pragma clang attribute pop
#pragma clang diagnostic pop

#endif

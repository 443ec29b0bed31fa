/* __nv_bfloat16 and its arithmetic, in CUDA files. */
#include "cuda_fp16.h"

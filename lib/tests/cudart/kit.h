/* For tests of CUDA's interfaces: a call that must succeed, and kernels by way of NVRTC and the driver. */
#ifndef LAB_TESTS_CUDART_KIT_H
#define LAB_TESTS_CUDART_KIT_H

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <nvrtc.h>

#include "test.h"

#include <stdlib.h>
#include <string.h>

#define MUST(call)                                                                                                     \
    do {                                                                                                               \
        const int must_code = (int)(call);                                                                             \
        cr_assert_eq(must_code, 0, "%s: %s", #call, cudaGetErrorString((cudaError_t)must_code));                       \
    } while (0)

/* The image of a source; the caller frees it. */
static inline char *kit_image(const char *source)
{
    nvrtcProgram program;
    size_t bytes;
    MUST(nvrtcCreateProgram(&program, source, "kit.cu", 0, NULL, NULL));
    MUST(nvrtcCompileProgram(program, 0, NULL));
    MUST(nvrtcGetPTXSize(program, &bytes));
    char *image = malloc(bytes);
    MUST(nvrtcGetPTX(program, image));
    MUST(nvrtcDestroyProgram(&program));
    return image;
}

static inline CUfunction kit_function(const char *source, const char *name)
{
    CUmodule module;
    CUfunction function;
    char *image = kit_image(source);
    MUST(cuModuleLoadData(&module, image));
    MUST(cuModuleGetFunction(&function, module, name));
    free(image);
    return function;
}

static inline CUdeviceptr kit_address(const void *memory) { return (CUdeviceptr)(size_t)memory; }

#endif

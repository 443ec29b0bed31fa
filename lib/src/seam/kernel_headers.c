/* The assembler includes the texts; their paths are relative to the folder in which make runs. */
#include "kernel_headers.h"

#include <string.h>

#define TEXT(name, file)                                                                                               \
    ".global " name "\n" name ":\n"                                                                                    \
    ".incbin \"lib/src/seam/" file "\"\n"                                                                              \
    ".byte 0\n"

extern const char kernel_headers_always[], kernel_headers_constants[], kernel_headers_integers[],
    kernel_headers_complex[], kernel_headers_pipeline[];
/* clang-format off */
__asm__(".pushsection .rodata\n"
        TEXT("kernel_headers_always", "kernel_headers_always.cuh")
        TEXT("kernel_headers_constants", "../../include/cuda/math_constants.h")
        TEXT("kernel_headers_integers", "kernel_headers_integers.cuh")
        TEXT("kernel_headers_groups", "kernel_headers_groups.cuh")
        TEXT("kernel_headers_complex", "../../include/cuda/lab_complex.h")
        TEXT("kernel_headers_pipeline", "../../include/cuda/lab_pipeline.h")
        ".popsection\n");
/* clang-format on */

const kernel_header kernel_headers[] = {
    /* CUDA's */
    {"builtin_types.h", 0},
    {"cooperative_groups.h", KERNEL_HEADER_GROUPS},
    {"cooperative_groups/memcpy_async.h", KERNEL_HEADER_GROUPS},
    {"cooperative_groups/reduce.h", KERNEL_HEADER_GROUPS},
    {"cooperative_groups/scan.h", KERNEL_HEADER_GROUPS},
    {"cuComplex.h", KERNEL_HEADER_COMPLEX},
    {"cuda.h", 0},
    {"cuda_bf16.h", KERNEL_HEADER_HALF},
    {"cuda_device_runtime_api.h", 0},
    {"cuda_fp16.h", KERNEL_HEADER_HALF},
    {"cuda_pipeline.h", KERNEL_HEADER_PIPELINE},
    {"cuda_pipeline_primitives.h", KERNEL_HEADER_PIPELINE},
    {"cuda_profiler_api.h", 0},
    {"cuda_runtime.h", 0},
    {"cuda_runtime_api.h", 0},
    {"device_atomic_functions.h", 0},
    {"device_functions.h", 0},
    {"device_launch_parameters.h", 0},
    {"device_types.h", 0},
    {"driver_types.h", 0},
    {"host_defines.h", 0},
    {"math_constants.h", 0},
    {"math_functions.h", 0},
    {"nvrtc.h", 0},
    {"sm_20_intrinsics.h", 0},
    {"sm_30_intrinsics.h", 0},
    {"vector_functions.h", 0},
    {"vector_types.h", 0},
    /* C's */
    {"assert.h", 0},
    {"ctype.h", 0},
    {"float.h", 0},
    {"inttypes.h", KERNEL_HEADER_INTEGERS},
    {"limits.h", 0},
    {"math.h", 0},
    {"stdbool.h", 0},
    {"stddef.h", 0},
    {"stdint.h", KERNEL_HEADER_INTEGERS},
    {"stdio.h", 0},
    {"stdlib.h", 0},
    {"string.h", 0},
    {"time.h", 0},
    {"cassert", 0},
    {"cfloat", 0},
    {"climits", 0},
    {"cmath", 0},
    {"cstddef", 0},
    {"cstdint", KERNEL_HEADER_INTEGERS},
    {"cstdio", 0},
    {"cstdlib", 0},
    {"cstring", 0},
    {"ctime", 0},
    {NULL, 0},
};

const kernel_header *kernel_headers_find(const char *name, size_t length)
{
    for (const kernel_header *each = kernel_headers; each->name; each++)
        if (strlen(each->name) == length && memcmp(each->name, name, length) == 0) return each;
    return NULL;
}

void kernel_headers_write(FILE *out, unsigned needs)
{
    fprintf(out, "#line 1 \"<headers for kernels>\"\n%s%s", kernel_headers_always, kernel_headers_constants);
    if (needs & KERNEL_HEADER_INTEGERS) fputs(kernel_headers_integers, out);
    if (needs & KERNEL_HEADER_GROUPS) fputs(kernel_headers_groups, out);
    if (needs & KERNEL_HEADER_COMPLEX) fputs(kernel_headers_complex, out);
    if (needs & KERNEL_HEADER_PIPELINE) fputs(kernel_headers_pipeline, out);
}

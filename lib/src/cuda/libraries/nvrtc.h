/* NVIDIA's run-time compiler, opened when a source must be compiled: its library, its options and the form of its
 * messages. Independent of where compiled kernels are kept. */
#ifndef LAB_CUDA_LIBRARIES_NVRTC_H
#define LAB_CUDA_LIBRARIES_NVRTC_H

#include "base/status.h"

typedef struct cuda_image {
    char *data; /* to be freed */
    size_t size;
} cuda_image;

/* Opens the compiler; LAB_ERROR_COMPILER_UNAVAILABLE if there is none. *version is 1000 * major + 10 * minor. */
lab_status cuda_nvrtc_open(int *version);

/* The compiler and its options: everything that the result depends on besides source and device. Does not open the
 * compiler. */
const char *cuda_nvrtc_identity(void);

/* Compiles to machine code for the architecture (90 is compute capability 9.0). Quoted includes are looked up in the
 * folder of `name`. A source that does not compile is LAB_ERROR_INVALID_SOURCE with the compiler's messages. */
lab_status cuda_nvrtc_compile(cuda_image *out, const char *source, const char *name, int architecture);

/* The needs (kernel_headers.h) for which headers of the Toolkit were found. */
unsigned cuda_nvrtc_toolkit_headers(void);

#endif

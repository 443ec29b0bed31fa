/* Whether this build has the CUDA device, and what it finds on the machine. The Makefile decides which of its two forms is
 * built: lib/src/cuda/cuda_absent.c is the one without. */
#ifndef LAB_CUDA_CUDA_DEVICE_H
#define LAB_CUDA_CUDA_DEVICE_H

#include "seam/backend.h"

/* Its table behind the seam, or NULL. */
const lab_backend *cuda_backend(void);

/* What the device stands on: versions as CUDA numbers them, 1000 * major + 10 * minor; 0 for what is missing. */
typedef struct cuda_findings {
    int driver, nvrtc;
    char driver_problem[1024], nvrtc_problem[1024]; /* why it is missing */
    bool cupti;                                     /* it is there, and may be used */
} cuda_findings;

/* Looks; false if this build has no CUDA device. */
bool cuda_find(cuda_findings *found);

#endif

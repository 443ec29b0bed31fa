/* Whether this build has the CUDA device, and what it finds on the machine. In a build without it, the Makefile
 * compiles lib/src/cuda/cuda_absent.c instead. */
#ifndef LAB_CUDA_CUDA_DEVICE_H
#define LAB_CUDA_CUDA_DEVICE_H

#include "seam/backend.h"

/* The device's table for the seam, or NULL. */
const lab_backend *cuda_backend(void);

/* What the device needs on the machine: versions in CUDA's form, 1000 * major + 10 * minor; 0 if missing. */
typedef struct cuda_findings {
    int driver, nvrtc;
    char driver_problem[1024], nvrtc_problem[1024]; /* why they are missing */
    bool cupti;                                     /* it exists and may be used */
} cuda_findings;

/* Looks for all of these; false if this build has no CUDA device. */
bool cuda_find(cuda_findings *found);

#endif

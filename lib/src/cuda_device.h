/* Whether this build has the CUDA device: its table behind the seam, or NULL. The Makefile decides. */
#ifndef LAB_SRC_CUDA_DEVICE_TABLE_H
#define LAB_SRC_CUDA_DEVICE_TABLE_H

#include "backend.h"

const lab_backend *cuda_backend(void);

#endif

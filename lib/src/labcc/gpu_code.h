/* The code of a CUDA file for a GPU, which nvcc makes: PTX. */
#ifndef LAB_LABCC_GPU_CODE_H
#define LAB_LABCC_GPU_CODE_H

#include "options.h"

/* Compiles the file's device code to PTX. `listed` begins with the list of its kernels (seam/program/program_image.h),
 * each of which must be in the PTX. Returns 0, or the exit status after messages. The caller frees the text. */
int labcc_make_ptx(char **ptx, const labcc_options *options, const char *folder, const char *file, const char *listed);

#endif

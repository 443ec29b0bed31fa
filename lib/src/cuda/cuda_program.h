/* Kernels of programs that labcc compiled (seam/program/program_image.h). */
#ifndef LAB_CUDA_PROGRAM_H
#define LAB_CUDA_PROGRAM_H

#include "cuda/libraries/cuda_compile.h"
#include "cuda_device_state.h"
#include "seam/kernel_accesses.h"
#include "seam/program/program_image.h"

/* Keeps the image's list of kernels, and its code for the CPU, which tells what kernels read and write. False when
 * memory runs out. */
bool cuda_program_list(kernel_scan *scan, const program_image *program);

lab_status cuda_program_function(CUfunction *function, CUmodule native, const program_kernel *kernel);

/* What the next kernel of the list at *at reads and writes; NULL if unknown. */
const kernel_access *cuda_program_next_access(const kernel_accesses *found, const char **at);

lab_status cuda_program_param(cuda_param_facts *facts, CUfunction function, const program_kernel *kernel, int number);

#endif

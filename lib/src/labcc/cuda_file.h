/*
 * Compiles one CUDA file. clang reads the file twice: once for its device code, which becomes the program's image
 * (seam/program/program_image.h), and once for its host code, into which clang puts the image and the calls that
 * register kernels and variables (cudart/register.c).
 */
#ifndef LAB_LABCC_CUDA_FILE_H
#define LAB_LABCC_CUDA_FILE_H

#include "options.h"
#include "places.h"

/* Compiles the file to an object, with temporary files in the folder. Returns 0, or the exit status after messages. */
int labcc_compile_cuda(const labcc_options *options, const labcc_places *places, const char *folder, const char *file,
                       const char *object);

#endif

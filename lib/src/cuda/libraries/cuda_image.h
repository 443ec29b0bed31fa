/* Compiled device code in the ELF format: finds the initial bytes of a variable by its name. Trusts nothing in the
 * file. */
#ifndef LAB_CUDA_LIBRARIES_CUDA_IMAGE_H
#define LAB_CUDA_LIBRARIES_CUDA_IMAGE_H

#include <stdbool.h>
#include <stddef.h>

/* The variable's bytes, inside the image; NULL if there is no such variable or it has fewer than `bytes` bytes. */
const void *cuda_image_variable(const void *image, size_t size, const char *name, size_t bytes);

#endif

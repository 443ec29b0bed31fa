/* Compiled device code as a file in the ELF format: finds the initial bytes of a variable by its name. Trusts nothing in
 * the file; knows nothing of what the variables mean. */
#ifndef LAB_CUDA_CUDA_IMAGE_H
#define LAB_CUDA_CUDA_IMAGE_H

#include <stdbool.h>
#include <stddef.h>

/* The bytes of the variable, inside the image; NULL if it has none of that name, or fewer than `bytes`. */
const void *cuda_image_variable(const void *image, size_t size, const char *name, size_t bytes);

#endif

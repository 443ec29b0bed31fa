/* What precedes every CUDA file. */
#ifndef LAB_LABCC_PRELUDE_H
#define LAB_LABCC_PRELUDE_H

#include <stdbool.h>

/* Writes the file that clang includes first: the built-ins of kernels, then cuda_runtime.h, as nvcc does. Names of the
 * built-ins' own begin with lab_ or LAB_, so that they are no program's. A linked file's device code is linked with
 * that of other files. False if the file cannot be written. */
bool labcc_write_prelude(const char *path, bool is_linked);

#endif

/* Replaces the CUDA device in a build without the CUDA Toolkit's headers. */
#include "cuda_device.h"

const lab_backend *cuda_backend(void) { return NULL; }

bool cuda_find(cuda_findings *found)
{
    *found = (cuda_findings){0};
    return false;
}

/* What the CUDA device finds on a machine, for `make doctor`. */
#include "cuda_device.h"
#include "cuda/libraries/cupti.h"
#include "cuda/libraries/driver.h"
#include "cuda/libraries/nvrtc.h"

#include <stdio.h>

static void note_problem(char *out, size_t bytes) { snprintf(out, bytes, "%s", lab_error_message()); }

bool cuda_find(cuda_findings *found)
{
    *found = (cuda_findings){0};
    if (cuda_driver_open() != LAB_SUCCESS) {
        note_problem(found->driver_problem, sizeof found->driver_problem);
        return true;
    }
    cuda.cuDriverGetVersion(&found->driver);
    if (cuda_nvrtc_open(&found->nvrtc) != LAB_SUCCESS) {
        found->nvrtc = 0;
        note_problem(found->nvrtc_problem, sizeof found->nvrtc_problem);
    }
    found->cupti = cuda_cupti_begin();
    if (found->cupti) cuda_cupti_end();
    return true;
}

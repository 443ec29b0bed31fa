/* Modules in this process: their images lie in memory that the device process has filled. */
#ifndef LAB_KERNELS_MODULES_H
#define LAB_KERNELS_MODULES_H

#include "cpu/apart/apart_shared.h"
#include <stdbool.h>

#include "cpu/builtins/kernel_abi.h"

/* Makes the kernels of an image callable. Returns what is wrong, or NULL. No kernel of the module runs meanwhile. */
const char *modules_load(const apart_place *place);
void modules_unload(const apart_place *place);

/* NULL if there is no such kernel. */
const cpu_kernel *modules_kernel(uint32_t module, uint32_t kernel);

#endif

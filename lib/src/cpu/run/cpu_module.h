/* Modules of the CPU devices, compiled kernels as the seam describes them: entries of the backend. */
#ifndef LAB_CPU_RUN_CPU_MODULE_H
#define LAB_CPU_RUN_CPU_MODULE_H

#include "seam/backend.h"

lab_status cpu_module_open(backend_module **out, int64_t *compile_ns, backend_context *context, const char *source,
                           const char *name);
lab_status cpu_module_close(backend_module *module, backend_context *context);
int cpu_module_kernels(const backend_kernel **first, const backend_module *module);
bool cpu_module_global(uint64_t *address, size_t *bytes, backend_module *module, backend_context *context,
                       const char *name);
void cpu_module_find_accesses(backend_module *module, backend_context *context);

#endif

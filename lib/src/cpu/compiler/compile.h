/*
 * Kernel modules of the CPU device: CUDA C in, callable kernels out. Compiled kernels come from the cache if it has
 * them.
 *
 * Every load makes a new module with __device__ and __constant__ variables of its own, even if the same source is
 * already loaded. All functions may be called from any thread.
 */
#ifndef LAB_CPU_COMPILER_COMPILE_H
#define LAB_CPU_COMPILER_COMPILE_H

#include "lab.h"
#include "cpu/ir/text.h"
#include "cpu/object/module_tables.h"

typedef struct cpu_compile_result {
    int64_t compile_ns;  /* how long the compiler ran; 0 if its result was in the cache */
    double milliseconds; /* from source to kernels */
} cpu_compile_result;

/* Compiles the source, or finds it compiled in the cache (cache.h), and loads it. Messages call the source `name`;
 * files included in quotes are looked up in its folder. `result` may be NULL. */
lab_status cpu_module_load(cpu_module **out, const char *source, const char *name, cpu_compile_result *result);

/* Compiles the source to an object, or finds it in the cache, and does not load it. `kernels` is the length of its
 * table, *compile_ns as above. The caller frees object->data. */
lab_status cpu_module_compile(cpu_text *object, int *kernels, int64_t *compile_ns, const char *source,
                              const char *name);

/* No kernel of the module may be running. NULL is accepted. */
void cpu_module_unload(cpu_module *module);

#endif

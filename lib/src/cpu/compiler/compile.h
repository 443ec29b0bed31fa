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
#include "cpu/builtins/kernel_abi.h"

typedef struct cpu_module {
    int kernels; /* the `extern "C" __global__` functions, in the order of the source */
    const cpu_kernel *kernel;
    const cpu_variable *variable; /* in the order of cpu_kernel.variable_access; zeros at its end */
    const char *variable_names;   /* in the same order, each with a zero byte at its end */
} cpu_module;

typedef struct cpu_compile_result {
    bool from_cache;
    double milliseconds; /* from source to kernels */
} cpu_compile_result;

/* Compiles the source, or finds it compiled in the cache (cache.h), and loads it. Messages call the source `name`;
 * files included in quotes are looked up in its folder. `result` may be NULL. */
lab_status cpu_module_load(cpu_module **out, const char *source, const char *name, cpu_compile_result *result);

/* No kernel of the module may be running. NULL is accepted. */
void cpu_module_unload(cpu_module *module);

#endif

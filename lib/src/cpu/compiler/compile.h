/*
 * Kernel modules of the CPU device: CUDA C in, callable kernels out. Knows where compiled kernels are kept and how
 * they are loaded; refuses to know when and on which thread they run.
 *
 * Every load gives a module of its own, with its own __device__ and __constant__ variables, also of a source that is
 * already loaded. All functions may be called from any thread.
 */
#ifndef LAB_CPU_COMPILER_COMPILE_H
#define LAB_CPU_COMPILER_COMPILE_H

#include "lab.h"
#include "cpu/builtins/kernel_abi.h"

typedef struct cpu_module {
    int kernels; /* the `extern "C" __global__` functions, in the order of the source */
    const cpu_kernel *kernel;
    const struct cpu_variable *variable; /* in the order of cpu_kernel.variables */
    const char *variable_names;          /* a word for each, in one array */
} cpu_module;

typedef struct cpu_compile_result {
    bool from_cache;
    double milliseconds; /* from source to kernels */
} cpu_compile_result;

/* Compiles the source, or finds it compiled in the cache (cache.h), and loads it. `name` is what messages call the
 * source; files included in quotes are looked for in its folder. `result` may be NULL. */
lab_status cpu_module_load(cpu_module **out, const char *source, const char *name, cpu_compile_result *result);

/* No kernel of the module may be running. NULL is accepted. */
void cpu_module_unload(cpu_module *module);

#endif

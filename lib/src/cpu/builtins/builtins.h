/* The files beside this one as text, with a zero byte at its end, and the version of the kernel compiler. */
#ifndef LAB_CPU_BUILTINS_BUILTINS_H
#define LAB_CPU_BUILTINS_BUILTINS_H

/* CUDA's built-ins, the .cuh files, which precede every kernel source. */
extern const char cpu_builtins[];

/* The built-ins that follow them in a unit that checks its accesses to memory. */
extern const char cpu_check_builtins[];

/* The assembly among them alone. */
extern const char cpu_assembly[];

/* The built-ins for a program of labcc, which clang reads as CUDA. */
extern const char cpu_cuda_builtins[];

/* The SHA-256 of all source files of the built-ins, the headers of kernels, the passes and the compiler, computed by
 * make (lib.mk). It is part of the key by which compiled kernels are found in the cache. */
extern const char cpu_compiler_version[];

#endif

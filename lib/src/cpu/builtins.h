/* The text of CUDA's built-ins, which stands before every kernel source: the .cuh files beside this one. */
#ifndef LAB_CPU_BUILTINS_H
#define LAB_CPU_BUILTINS_H

/* Ends with a zero byte. */
extern const char cpu_builtins[];

#endif

/* Files beside this one as text, each text with a zero byte at its end. */
#ifndef LAB_CPU_BUILTINS_BUILTINS_H
#define LAB_CPU_BUILTINS_BUILTINS_H

/* CUDA's built-ins, which stand before every kernel source: the .cuh files. */
extern const char cpu_builtins[];

/* What follows them in a unit that is built for checking. */
extern const char cpu_check_builtins[];

/* What rewrites the code between the compiler's stages, the ir files, and what answers from it. Kernels that another version
 * of them made are not the same kernels. */
extern const char cpu_rewriter[];

#endif

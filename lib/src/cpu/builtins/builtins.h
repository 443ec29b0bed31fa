/* The files next to this one as text, with a zero byte at its end, and the version of the kernel compiler. */
#ifndef LAB_CPU_BUILTINS_BUILTINS_H
#define LAB_CPU_BUILTINS_BUILTINS_H

/* CUDA's built-ins, the .cuh files, which precede every kernel source. */
extern const char cpu_builtins[];

/* Built-ins that follow them only in a unit whose source may name them: to compile one takes a tenth of the front end's
 * time. A source that contains one of `mark` may do so; one that joins words or includes files may name any. */
typedef struct cpu_builtins_part {
    const char *text;
    unsigned needs;       /* headers (kernel_headers.h), one of which makes a source need it too */
    const char *mark[24]; /* NULL last */
} cpu_builtins_part;

/* All of them, with a text of NULL last. */
extern const cpu_builtins_part cpu_builtins_parts[];

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

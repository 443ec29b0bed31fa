/*
 * What is changed in, and read from, the compiler's intermediate code (LLVM IR as text) between its stages. Knows the
 * few forms of text it needs, as LLVM 14 and later write them; refuses to know the language beyond them.
 */
#ifndef LAB_CPU_IR_IR_H
#define LAB_CPU_IR_IR_H

#include <stdbool.h>
#include <stddef.h>

typedef struct cpu_text {
    char *data; /* with a zero byte after size bytes */
    size_t size;
} cpu_text;

/* Whether the front end's code has an `extern "C"` kernel of this name. */
bool cpu_ir_has_kernel(const char *ir, const char *name);

/* The first `extern "C"` kernel that is not among `known`, into `name`; false if there is none. */
bool cpu_ir_find_other_kernel(char *name, size_t capacity, const char *ir, const char *const *known, int count);

/* From the front end to the optimiser: casts from floating point to integers get CUDA's results, divisions of integers
 * always have one (ir_divide.h), variables stay where the host can find them, and functions that nothing outside can call
 * become internal. False when memory runs out. */
bool cpu_ir_prepare(cpu_text *out, const char *ir);

/* What is done with kernels that wait at barriers, but for nothing else (ir_regions.h): first, in the front end's code, the
 * functions with barriers that they call are marked to become part of them; *any is whether there is such a kernel. Then,
 * in that code with these calls replaced, the kernels that can be split are. False when memory runs out. */
bool cpu_ir_mark_barriers(cpu_text *out, bool *any, const char *ir, const char *const *kernel, int count);
bool cpu_ir_split_kernels(cpu_text *out, const char *ir, const char *const *kernel, int count);

/* What the optimised code shows about a kernel, as an array that the module exports as lab_facts. */
typedef struct cpu_facts {
    char suspends[32];            /* a function at which it may wait for other threads, "__syncthreads"; or "" */
    unsigned long shared_bytes;   /* of its __shared__ variables */
    unsigned long shared_dynamic; /* 1 if it uses extern __shared__ */
    unsigned long callable;       /* 0 if it is no extern "C" kernel after all */
    const void *split;            /* a cpu_split, or NULL */
    char access[72];              /* of each parameter, what ir_accesses.h says; "" if that is not known */
    char variables[72];           /* the same of each of the module's variables */
} cpu_facts;

/* Where a variable of the module is: __device__ memory, or __constant__. The array lab_variable_table ends with zeros. */
typedef struct cpu_variable {
    unsigned long address, bytes;
} cpu_variable;

/* From the optimiser to the code generator: vector loops under masks get a form without (ir_masks.h), and lab_facts
 * is added. A kernel's entry is the function lab_entry_NAME; a name of NULL is a kernel that is
 * not callable. False when memory runs out. */
bool cpu_ir_finish(cpu_text *out, const char *ir, const char *const *kernel, int count);

#endif

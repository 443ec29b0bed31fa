/* Adds to a module, as arrays that it exports, what its optimised code shows about its kernels and variables. */
#ifndef LAB_CPU_PASSES_FACTS_H
#define LAB_CPU_PASSES_FACTS_H

#include <stdbool.h>
#include <stdio.h>

/* What a kernel uses: an element of lab_facts. */
typedef struct cpu_facts {
    unsigned long shared_bytes;   /* of its __shared__ variables */
    unsigned long shared_dynamic; /* 1 if it uses extern __shared__ */
    unsigned long callable;       /* 0 if it is not an extern "C" kernel after all */
    const void *split;            /* a cpu_split, or NULL */
} cpu_facts;

/* The texts about a kernel in lab_texts: kernel by kernel, in this order, each with a zero byte at its end. */
typedef enum cpu_fact_text {
    CPU_TEXT_SUSPENDS,  /* a function in which it may wait for other threads, "__syncthreads"; or "" */
    CPU_TEXT_ACCESS,    /* a letter for each parameter (accesses.h); "" if unknown */
    CPU_TEXT_VARIABLES, /* a letter for each of the module's variables */
    CPU_TEXTS
} cpu_fact_text;

/* Writes lab_facts and lab_texts, and for the module's variables lab_variable_table, a cpu_variable (kernel_abi.h) for
 * each and zeros at the end, and lab_variable_names, in the same order, each with a zero byte at its end. The module
 * `ir` is compiled; `optimised` has the same kernels, with their probes (accesses.h). False when memory runs out. */
bool ir_write_facts(FILE *out, const char *ir, const char *optimised, const char *const *kernel, int count);

#endif

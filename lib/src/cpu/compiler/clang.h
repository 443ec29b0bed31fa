/*
 * The kernel compiler: finds clang, runs its three stages, and turns what it says into a message about the user's
 * source. Knows clang's options and output; refuses to know the cache and how an object is loaded.
 */
#ifndef LAB_CPU_COMPILER_CLANG_H
#define LAB_CPU_COMPILER_CLANG_H

#include "cpu/ir/ir.h"
#include "lab.h"
#include "seam/kernel_scan.h"

#include <limits.h>

typedef struct cpu_clang {
    char program[PATH_MAX];
    bool splits;                    /* kernels at their barriers; not if LAB_BARRIERS in the environment is fibers */
    char identity[PATH_MAX + 4096]; /* another text when the program or its options are others */
} cpu_clang;

/* LAB_CLANG in the environment, else clang on the PATH. */
lab_status cpu_clang_find(cpu_clang *clang);

/* What is compiled: the built-ins, the source, the table of its kernels. */
typedef struct cpu_unit {
    cpu_text text;
    size_t source_end; /* where the table begins */
    const kernel_scan *scan;
    const char *name; /* what messages call the source */
    bool checked;     /* built for checking accesses to memory (ir_check.h) */
} cpu_unit;

/* What messages call the parts of a unit that are not the user's, as #line has them. */
#define CPU_BUILTINS_FILE "\"<CUDA built-ins>\""
#define CPU_TABLE_FILE "\"<kernel table>\""

/* Borrows the scan and the name; unit->text.data is the caller's to free. */
lab_status cpu_unit_write(cpu_unit *unit, const kernel_scan *scan, const char *name, bool checked);

/* The unit with the files in it that the source includes. */
lab_status cpu_clang_preprocess(cpu_text *out, const cpu_clang *clang, const cpu_unit *unit);

/* Compiles a unit to a shared object. A source that does not compile is LAB_ERROR_INVALID_SOURCE with the compiler's
 * messages; LAB_ERROR_COMPILER_UNAVAILABLE means that the compiler, not the source, is at fault. */
lab_status cpu_clang_compile(cpu_text *object, const cpu_clang *clang, const cpu_unit *unit);

/* What the optimiser makes of the source alone, with the kernels' probes (ir_accesses.h): of its variables it keeps all. Fails
 * as cpu_clang_compile does. */
lab_status cpu_clang_optimise(cpu_text *out, const cpu_clang *clang, const cpu_unit *unit);

#endif

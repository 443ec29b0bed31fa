/*
 * Finds what a kernel does through its pointer parameters, as the optimiser sees it. The optimiser makes a kernel part
 * of its entry, where the parameters are ordinary loads. It therefore gets a second copy of each kernel, the probe,
 * which nothing calls. The probe's first line then shows what the optimiser deduced about the parameters. Probes are
 * left out of the code that is compiled.
 */
#ifndef LAB_CPU_PASSES_ACCESSES_H
#define LAB_CPU_PASSES_ACCESSES_H

#include "cpu/ir/symbols.h"

#include <stdio.h>

/* The text of the function whose name is the prefix followed by `name`, from "define" to the line "}". Length 0 if
 * there is no such function. */
span ir_accesses_find(const char *ir, const char *prefix, span name);

/* Writes the first line of a function under the name of its probe. */
void ir_accesses_write_head(FILE *out, span line);

/* Writes the rest of a probe that calls the function with this first line. */
void ir_accesses_write_call(FILE *out, span line);

/* Copies the code without its probes. */
void ir_accesses_leave_out(FILE *out, const char *ir);

/* The kernel's probe; NULL if there is none. */
ir_symbol *ir_accesses_probe(const ir_symbols *symbols, const char *kernel);

/* Writes a letter for each parameter of the kernel's probe: r for reads, w for writes, b for both, n for neither.
 * Returns how many letters there are: 0 if there is no probe. */
int ir_accesses_write(FILE *out, const char *ir, const char *kernel);

/* The same letter for a parameter of any function, as it stands in the function's first line. A function that keeps the
 * address reads and writes. */
char ir_accesses_of_argument(span parameter);

#endif

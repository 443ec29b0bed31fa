/*
 * What a kernel does through its pointer parameters, as the optimiser sees it. A kernel ends up inside its entry, where
 * its parameters are loads like any other; so the optimiser is given a second copy of it, the probe, that nothing calls:
 * what it deduces of the probe's parameters stands in the probe's first line afterwards, and the probe is left out of what
 * is compiled.
 */
#ifndef LAB_CPU_IR_IR_ACCESSES_H
#define LAB_CPU_IR_IR_ACCESSES_H

#include "ir_symbols.h"

#include <stdio.h>

/* The text of the function of this name, from "define" to the line "}"; length 0 if there is none. */
span ir_accesses_find(const char *ir, span name);

/* The first line of a function as that of its probe. */
void ir_accesses_write_head(FILE *out, span line, span name);

/* Copies the code without its probes. */
void ir_accesses_leave_out(FILE *out, const char *ir);

/* The kernel's probe; NULL if there is none. */
ir_symbol *ir_accesses_probe(const ir_symbols *symbols, const char *kernel);

/* A letter a parameter of the kernel's probe: n for neither reads nor writes, r, w, or b for both. "" if there is no
 * probe or it has more parameters than fit. */
void ir_accesses_read(char *letters, size_t capacity, const char *ir, const char *kernel);

#endif

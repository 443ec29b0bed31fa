/*
 * Makes one load of those that all lanes of vector code would make from the same address, each under its own mask: the
 * vectoriser writes a gather, which takes as long as loads from as many addresses. A convolution of 5 by 5 that reads
 * its weights under a guard takes a fifth longer with them, with AVX-512.
 */
#ifndef LAB_CPU_VECTORS_UNIFORM_H
#define LAB_CPU_VECTORS_UNIFORM_H

#include <stdbool.h>
#include <stdio.h>

/* Copies optimised code with such loads. False when memory runs out. */
bool cpu_ir_load_once(FILE *out, const char *ir);

#endif

/*
 * Adds a second form, without masks, to vector code whose lanes are masked by a condition such as `if (i < n)`. It runs
 * when all lanes are active.
 *
 * Processors do not prefetch for masked loads as they do for plain ones: a loop over memory runs at half speed (EPYC of
 * the fifth generation). On many older processors masked stores are slow in themselves.
 */
#ifndef LAB_CPU_PASSES_MASKS_H
#define LAB_CPU_PASSES_MASKS_H

#include <stdbool.h>
#include <stdio.h>

/* Copies optimised code with the second forms added. False when memory runs out. */
bool cpu_ir_split_masks(FILE *out, const char *ir);

#endif

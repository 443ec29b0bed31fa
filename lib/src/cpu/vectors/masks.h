/*
 * Adds a second form, without masks, to vector code whose lanes are masked by a condition such as `if (i < n)`. It runs
 * when all lanes are active.
 *
 * Processors do not prefetch for masked loads as they do for plain ones: a loop over memory runs at half speed (EPYC of
 * the fifth generation). Without AVX-512 masked stores are slow in themselves: saxpy over 2^22 elements takes 3.4 times
 * as long, five shuffles under a guard 2.3 times (EPYC of the fourth generation).
 */
#ifndef LAB_CPU_VECTORS_MASKS_H
#define LAB_CPU_VECTORS_MASKS_H

#include <stdbool.h>
#include <stdio.h>

/* Copies optimised code with the second forms added. False when memory runs out. */
bool cpu_ir_split_masks(FILE *out, const char *ir);

#endif

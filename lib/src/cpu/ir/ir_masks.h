/*
 * Vector code whose lanes are masked by a condition, such as `if (i < n)`: a second form of it without the masks is
 * added, for when every lane is in.
 *
 * Why: a processor does not read ahead of masked loads as it does of plain ones, so that a loop over memory runs at
 * half speed (EPYC of the fifth generation); on many older ones a masked store is slow by itself.
 */
#ifndef LAB_CPU_IR_IR_MASKS_H
#define LAB_CPU_IR_IR_MASKS_H

#include <stdbool.h>
#include <stdio.h>

/* Copies optimised code (LLVM IR as text), with the second forms added. False when memory runs out. */
bool cpu_ir_split_masks(FILE *out, const char *ir);

#endif

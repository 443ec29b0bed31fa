/*
 * Finds loops whose masks compare a value that only grows, such as `blockIdx.x * blockDim.x + threadIdx.x`, with a
 * value that stays the same, such as n. Masks that are set in the first and in the last iteration are then set in all
 * iterations, so that one test before the loop decides.
 */
#ifndef LAB_CPU_PASSES_MONOTONE_H
#define LAB_CPU_PASSES_MONOTONE_H

#include "function.h"

/* Finds out whether the block is such a loop, and fills in is_monotone and the fields after it. */
void ir_find_monotone(block *b, const function *f);

/* Writes the block lab.enter.N, which computes the masks of the first and the last iteration. It branches to lab.loop.N
 * if all their lanes are set, else to the block itself. */
void ir_write_monotone_test(FILE *out, const function *f, const block *b, int number);

#endif

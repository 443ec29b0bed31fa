/*
 * Loops whose masks compare something that only grows, such as `blockIdx.x * blockDim.x + threadIdx.x`, with
 * something that stays, such as n: what holds in the first and in the last iteration then holds in all of them, and
 * one test before the loop decides.
 */
#ifndef LAB_CPU_IR_IR_MONOTONE_H
#define LAB_CPU_IR_IR_MONOTONE_H

#include "ir_function.h"

/* Finds out whether the block is such a loop, and fills in what says so. */
void ir_find_monotone(block *b, const function *f);

/* Writes the block lab.enter.N: the masks of the first and the last iteration, and a branch to lab.loop.N if all lanes
 * of them are set, else to the block itself. */
void ir_write_monotone_test(FILE *out, const function *f, const block *b, int number);

#endif

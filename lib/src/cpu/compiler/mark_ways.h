/*
 * Marks the ways of a checked kernel's threads to barriers and warp functions, in code whose built-ins are inlined: a
 * call "lab_check_way(N, 0)" before each branch that decides whether a thread waits for others, and "lab_check_way(N,
 * 1)" where all ways from such branches meet again. N is the number of the meeting place, odd if one of the ways leads
 * to a barrier of the block, even if they lead to warp functions alone. The end of a kernel is not marked, nor that of
 * a function that is called last: a thread that gets there has returned.
 */
#ifndef LAB_CPU_COMPILER_MARK_WAYS_H
#define LAB_CPU_COMPILER_MARK_WAYS_H

#include "cpu/ir/text.h"

/* The caller frees the output. False when memory runs out. */
bool cpu_ir_mark_ways(cpu_text *out, const char *ir);

#endif

/*
 * Splits kernels at their barriers and warp functions, and between the iterations of some loops (regions.h), so that
 * one host thread runs all threads of a block as loops. Between the two passes the compiler inlines the functions in
 * which threads wait, and turns variables into values.
 */
#ifndef LAB_CPU_SPLIT_SPLIT_H
#define LAB_CPU_SPLIT_SPLIT_H

#include "cpu/ir/text.h"
#include "cpu/regions/regions.h"

/* First pass, over the front end's code: marks the kernels that wait or, `with_loops`, have loops, and the functions
 * that they call and that wait. *any is whether there is such a kernel. Names of NULL are skipped. False when memory
 * runs out. */
bool cpu_ir_mark_waits(cpu_text *out, bool *any, const char *ir, const char *const *kernel, int count, bool with_loops);

/* Second pass, over that code with the calls inlined: splits the marked kernels. One that cannot be split, or gains
 * nothing, becomes an ordinary function again. *any is whether one was split. *why has a line for each kernel that
 * waits and cannot be split: its name and the reason. The caller frees both texts, also after a failure. False when
 * memory runs out. */
bool cpu_ir_split_kernels(cpu_text *out, cpu_text *why, bool *any, const char *ir, const char *const *kernel, int count,
                          ir_cuts cuts);

#endif

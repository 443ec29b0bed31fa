/* The properties of an instruction that matter when a kernel is split. */
#ifndef LAB_CPU_REGIONS_INSTRUCTIONS_H
#define LAB_CPU_REGIONS_INSTRUCTIONS_H

#include "graph.h"

/* How many instructions behind one value a search looks at: each may use the one before twice. A search counts them
 * down from ALL_VISITS, and answers for the unknown when none is left. */
enum { IR_MOST_VISITS = 200 };
#define ALL_VISITS (&(int){IR_MOST_VISITS})

/* 0, 1 or 2 if the instruction reads threadIdx.x, .y or .z; else -1. */
int ir_thread_component(const ir_instr *i);

/* Names threadIdx in any way. */
bool ir_names_thread(const ir_instr *i);

/* Reads blockIdx, blockDim, gridDim or the launch, which all threads of a block have in common. */
bool ir_reads_launch(const ir_instr *i);

/* Is left out of regions: saves threadIdx across a wait, or marks the lifetime of a variable. */
bool ir_is_dropped(const ir_instr *i);

/* Whether this function of the C library computes a number from its arguments alone. Kernels have no errno. */
bool ir_is_math(span function);

/* Computes a value from its operands and nothing else. */
bool ir_is_pure(const ir_instr *i);

/* Computing the value again is as cheap as loading it. */
bool ir_is_cheap(const ir_instr *i);

/* Must be kept even if nothing uses its value: a store, a call, an atomic or volatile load, the end of a block. */
bool ir_has_effects(const ir_instr *i);

/* Calls a function that may do more than to compute a number. */
bool ir_calls_function(const ir_instr *i);

#endif

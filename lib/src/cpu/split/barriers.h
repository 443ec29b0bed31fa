/* Reads the calls of the four barriers of a block. */
#ifndef LAB_CPU_SPLIT_BARRIERS_H
#define LAB_CPU_SPLIT_BARRIERS_H

#include "graph.h"

#include "cpu/builtins/kernel_abi.h"

typedef struct ir_barrier {
    cpu_wait_kind kind;
    span file, line;     /* the file is the address of its name */
    span predicate;      /* its text; length 0 for __syncthreads */
    int predicate_value; /* -1 for a constant, or without one */
    int result;          /* the value that it defines, or -1 */
} ir_barrier;

/* Reads the barrier at the end of a node. False if the call has an unknown form. */
bool ir_read_barrier(ir_barrier *b, const ir_graph *g, int node);

/* Whether the instruction is the barrier at the end of its node. */
bool ir_is_barrier_instr(const ir_graph *g, const ir_instr *i);

#endif

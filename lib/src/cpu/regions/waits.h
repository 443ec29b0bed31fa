/* Reads the calls in which a thread waits for others: the four barriers of a block, and the functions of a warp. */
#ifndef LAB_CPU_REGIONS_WAITS_H
#define LAB_CPU_REGIONS_WAITS_H

#include "graph.h"

#include "cpu/builtins/kernel_abi.h"

enum { IR_MOST_ARGUMENTS = 4 };

typedef struct ir_argument {
    span text;
    int value; /* -1 for a constant */
} ir_argument;

typedef struct ir_wait {
    cpu_wait_kind kind;
    span file, line; /* the file is the address of its name */
    int arguments;   /* of a barrier: its predicate, if it has one; of a warp function: mask, value, lane, width */
    ir_argument argument[IR_MOST_ARGUMENTS];
    int result; /* the value that it defines, or -1 */
} ir_wait;

/* Reads the wait at the end of a node. False if the call has an unknown form. */
bool ir_read_wait(ir_wait *wait, const ir_graph *g, int node);

/* Whether the instruction is the wait at the end of its node. */
bool ir_is_wait_instr(const ir_graph *g, const ir_instr *i);

/* Whether the threads of a warp wait for each other, not those of a block. */
static inline bool ir_is_of_warp(const ir_wait *wait) { return wait->kind >= CPU_WAIT_SYNCWARP; }

#endif

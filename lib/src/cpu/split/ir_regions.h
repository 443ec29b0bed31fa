/*
 * A kernel cut at its barriers into regions: what a thread runs from a barrier, or the kernel's start, to the next
 * barrier, or the end. A branch that decides which barrier comes next ends a region too, so that all threads of a block
 * mostly leave a region for the same next one. Knows what lives from one region to another; refuses to know how it is
 * kept and how regions are written.
 */
#ifndef LAB_CPU_SPLIT_IR_REGIONS_H
#define LAB_CPU_SPLIT_IR_REGIONS_H

#include "ir_cfg.h"

#include "cpu/builtins/kernel_abi.h"

typedef uint64_t ir_word;

typedef struct ir_barrier {
    cpu_wait_kind kind;
    span file, line; /* the file as the address of its name */
    span predicate;  /* length 0 for __syncthreads */
    int result;      /* the value, or -1 */
} ir_barrier;

typedef struct ir_regions {
    ir_graph graph;
    int states;    /* regions, by where they begin; the first is the kernel's start */
    int *entry;    /* of each: its first node */
    int *state_of; /* of each node: the state that begins there, or -1 */
    bool *is_cut;  /* of each node: ends with such a branch */

    /* Of each value: */
    bool *varies;    /* threads of a block may have different ones at the same place */
    bool *is_remade; /* computed again from others where it is used, rather than kept */
    bool *is_kept;   /* kept from a region to another */
    bool *is_moved;  /* a phi at the start of a state: what comes to it is kept, beside what it has become */
    bool *is_local;  /* the address of a variable of a thread */

    bool *is_needed; /* of each instruction: something depends on it */
    int words;       /* of a set of values */
    ir_word *live;   /* of each state: the set of values that are needed from then on */
} ir_regions;

/* Analyses the kernel. */
ir_reading ir_regions_find(ir_regions *r, span kernel);
void ir_regions_free(ir_regions *r);

/* What the node's barrier is. False if it is not understood. */
bool ir_read_barrier(ir_barrier *b, const ir_regions *r, int node);

static inline bool ir_has(const ir_word *set, int i) { return set[i / 64] >> i % 64 & 1; }

/* 0 to 2: the instruction reads threadIdx.x, .y or .z; else -1. */
int ir_thread_component(const ir_instr *i);

/* Whether an instruction is left out in regions: it keeps threadIdx across a barrier, or says how long a variable lives. */
bool ir_is_dropped(const ir_instr *i);

static inline bool ir_is_phi(const ir_instr *i) { return ir_is(i, "phi"); }

/* The instruction that defines a value; NULL for a parameter. The last instruction of a node. */
const ir_instr *ir_defining(const ir_regions *r, int value);
const ir_instr *ir_last_instr(const ir_graph *g, int node);

/* Depends on nothing but its operands, and does nothing else; reads what is the same for every thread, blockIdx and its
 * like; is the barrier at the end of a node. */
bool ir_is_pure(const ir_instr *i);
bool ir_reads_launch(const ir_instr *i);
bool ir_is_barrier_instr(const ir_regions *r, int instr);

/* ir_varying.c's: fills in r->varies, given the states and cuts. False when memory runs out. */
bool ir_find_varying(ir_regions *r);

#endif

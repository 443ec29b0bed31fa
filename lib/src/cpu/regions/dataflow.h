/* Sets of small numbers, and equations between the sets of a graph's nodes. */
#ifndef LAB_CPU_REGIONS_DATAFLOW_H
#define LAB_CPU_REGIONS_DATAFLOW_H

#include "graph.h"

typedef uint64_t ir_word;

static inline bool ir_has(const ir_word *set, int i) { return set[i / 64] >> i % 64 & 1; }
static inline void ir_put(ir_word *set, int i) { set[i / 64] |= UINT64_C(1) << i % 64; }

/* The number of words of a set of numbers below `count`. */
static inline int ir_words(int count) { return count / 64 + 1; }

/* A set for the start of each node. */
typedef struct ir_flow {
    int words;
    ir_word *set; /* of node N: from word N * words on */
} ir_flow;

static inline ir_word *ir_flow_set(const ir_flow *f, int node) { return f->set + (size_t)node * (size_t)f->words; }

/* The set at the end of a node is the union of its successors' sets (some way), or their intersection (every way). */
typedef enum ir_meet { IR_SOME_WAY, IR_EVERY_WAY } ir_meet;

/* Turns the set at the end of a node into the set at its start. */
typedef void (*ir_transfer)(void *user, int node, ir_word *set, int words);

/* Finds the smallest solution for some way, the largest for every way. The sets are of numbers below `count`. False
 * when memory runs out. The caller frees flow->set in either case. */
bool ir_flow_solve(ir_flow *flow, const ir_graph *g, int count, ir_meet meet, ir_transfer transfer, void *user);

#endif

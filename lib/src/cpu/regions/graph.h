/*
 * A function of LLVM IR as instructions, values and a graph. The nodes of the graph are the function's blocks, cut
 * after every call in which a thread waits for others: a barrier or a warp function. Spans are parts of the module's
 * text.
 */
#ifndef LAB_CPU_REGIONS_GRAPH_H
#define LAB_CPU_REGIONS_GRAPH_H

#include "cpu/ir/symbols.h"

#include <stdint.h>

typedef struct ir_value {
    span name;
    int instr; /* the instruction that defines it; -1 for a parameter */
    span type; /* length 0 if the text does not show it: a computed address, in a module with typed pointers */
} ir_value;

/* A value that an instruction names. */
typedef struct ir_use {
    span place; /* in the instruction's text, with the % */
    int value;
} ir_use;

/* A phi's "[ value, %block ]". */
typedef struct ir_incoming {
    span text; /* of the value */
    int value; /* -1 for a constant */
    int block;
} ir_incoming;

/* A block to which a branch or switch goes. */
typedef struct ir_target {
    span place;    /* in the instruction's text, with the % */
    span constant; /* of a case of a switch; length 0 for its default and for a branch */
    int block;
} ir_target;

typedef struct ir_instr {
    span text;   /* from the opcode to the end of the line, or of several lines for a switch */
    span opcode; /* without "tail" */
    int value;   /* the value that it defines, or -1 */
    int node;
    int use, uses;           /* graph->use[use ...], in the order of the text */
    int incoming, incomings; /* of a phi: graph->incoming[incoming ...] */
    int target, targets;     /* of a branch or switch: graph->target[target ...], in the text after all uses */
} ir_instr;

typedef struct ir_block {
    span label; /* without the % */
    int first_node, last_node;
} ir_block;

typedef struct ir_node {
    int block;
    int first, end;  /* instructions; the last one waits or ends the block */
    bool waits;      /* ends with a wait; its one successor is the next node */
    int succ, succs; /* graph->succ[succ ...], each once */
} ir_node;

typedef struct ir_graph {
    span head; /* the line "define ... {" */
    span name;
    int params; /* the first values */
    int values, instrs, blocks, nodes;
    ir_value *value;
    ir_instr *instr;
    ir_block *block;
    ir_node *node;
    ir_use *use;
    ir_incoming *incoming;
    ir_target *target;
    int *succ;
    char *made;  /* text that is not in the module: the first block's label, types of comparisons of vectors */
    int *sorted; /* by name: values, and blocks as -1 - number */
    int names;
} ir_graph;

typedef enum ir_reading { IR_READ, IR_NOT_UNDERSTOOD, IR_NO_MEMORY } ir_reading;

/* Reads a function, from "define" to the line "}". The text must outlive the graph. Call ir_graph_free whatever the
 * result. */
ir_reading ir_graph_read(ir_graph *g, span text);
void ir_graph_free(ir_graph *g);

/* The value that the text of an operand names, "%name"; -1 for a constant. */
int ir_find_operand(const ir_graph *g, span operand);

static inline bool ir_is(const ir_instr *i, const char *opcode) { return span_is(i->opcode, opcode); }

static inline bool ir_is_phi(const ir_instr *i) { return ir_is(i, "phi"); }

/* The name of the function that a call calls, without the @; length 0 for a call through a pointer. */
span ir_callee(const ir_instr *call);

bool ir_is_call_of(const ir_instr *i, const char *prefix);

/* The instruction that defines a value; NULL for a parameter. */
const ir_instr *ir_defining(const ir_graph *g, int value);

const ir_instr *ir_last_instr(const ir_graph *g, int node);

/* The text of the operand that decides a branch or switch: "%5", "true". Its first use, if any, is this operand. */
span ir_condition(const ir_instr *i);

/* Whether it is a barrier of the block. */
static inline bool ir_is_barrier(span callee) { return span_starts_with(callee, IR_WAIT_PREFIX "syncthreads"); }

#endif

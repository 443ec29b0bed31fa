/*
 * A function of LLVM IR as instructions, values and a graph, whose nodes are its blocks, cut behind every call of a
 * barrier. Knows the text's form; refuses to know what is done with it.
 */
#ifndef LAB_CPU_SPLIT_IR_CFG_H
#define LAB_CPU_SPLIT_IR_CFG_H

#include "cpu/ir/ir_text.h"

#include <stdint.h>

typedef struct ir_value {
    span name;
    int instr;       /* that defines it; -1: a parameter */
    span param_type; /* of a parameter */
} ir_value;

typedef struct ir_instr {
    span text;   /* from the opcode on, without the newline at its end; a switch has several lines */
    span opcode; /* "call" also where "tail" stands before it */
    int value;   /* that it defines, or -1 */
    int node;
    int use, uses; /* graph->use[use ...]: the values it names, in order; of a phi too */
} ir_instr;

typedef struct ir_block {
    span label; /* without the % */
    int first_node, last_node;
} ir_block;

typedef struct ir_node {
    int block;
    int first, end;  /* instructions; the last one is a barrier or ends the block */
    bool is_barrier; /* it ends with a barrier, and its one successor is the node behind it */
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
    int *use, *succ;
    char *first_label;
    int *sorted; /* values, and blocks as -1 - number, by name */
    int names;
} ir_graph;

typedef enum ir_reading { IR_READ, IR_NOT_UNDERSTOOD, IR_NO_MEMORY } ir_reading;

/* Reads the function whose text, from "define" to the line "}", this is. The text must outlive the graph. */
ir_reading ir_graph_read(ir_graph *g, span text);
void ir_graph_free(ir_graph *g);

/* The value or block of this name (without the %), or -1. */
int ir_find_value(const ir_graph *g, span name);
int ir_find_block(const ir_graph *g, span name);

static inline bool ir_is(const ir_instr *i, const char *opcode) { return span_is(i->opcode, opcode); }

/* The function that a call names, without the @; length 0 if it calls through a pointer. */
span ir_callee(const ir_instr *call);

/* Whether a function of this name is a barrier of the block, in one of its four forms. */
bool ir_is_barrier(span callee);

/* The next "[ value, %block ]" of a phi from *at on, which begins as its text's start; false if there is none. */
typedef struct ir_incoming {
    span value;
    int block;
} ir_incoming;
bool ir_next_incoming(ir_incoming *in, const char **at, const ir_graph *g, const ir_instr *phi);

/* The type of what an instruction defines; length 0 where that cannot be told from its text: a pointer that is computed,
 * before pointers had one type. May be written into `made`. */
span ir_type_of(const ir_instr *i, char made[static 32]);

#endif

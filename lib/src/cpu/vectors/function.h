/* A function of LLVM IR as lines of text, and those of its blocks that get a form without masks. */
#ifndef LAB_CPU_VECTORS_FUNCTION_H
#define LAB_CPU_VECTORS_FUNCTION_H

#include "cpu/ir/text.h"

#include <stdio.h>

/* A block with more masks keeps them. */
enum { MAX_MASKS = 16 };

typedef struct function {
    span *line;
    span *defined; /* the value that each line defines, without the %; or length 0 */
    int lines, capacity;
} function;

/* A block with masked operations. */
typedef struct block {
    span label;
    int start; /* lines [start, end) are the block without its label: the phis, */
    int body;  /* the other instructions from here on, */
    int rest;  /* and those after all masks are known from here on */
    int end;
    int masks;
    span mask[MAX_MASKS]; /* with their type: "<16 x i1> %41" */
} block;

/* False when memory runs out. */
bool function_read(function *f, span text);
void function_free(function *f);

/* The line among [first, end) that defines the value, or -1. */
int function_find(const function *f, int first, int end, span name);

/* The same for an operand, "%name" or a constant. */
int function_find_operand(const function *f, int first, int end, span operand);

/* The line's instruction without the value that it defines: "add <16 x i32> %a, %b". */
span function_instruction(const function *f, int line);

bool function_is_phi(const function *f, int line);

/* A phi's "[ value, %label ]". function_next_incoming finds the next; *at begins as the phi's instruction and moves
 * on. False after the last. */
typedef struct incoming {
    span whole, value, label;
} incoming;
bool function_next_incoming(incoming *edge, const char **at, const char *end);

#endif

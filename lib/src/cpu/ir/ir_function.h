/*
 * A function of LLVM IR as lines of text, and the blocks of it that are to get a form without masks. What ir_masks.c
 * and ir_monotone.c share.
 */
#ifndef LAB_CPU_IR_IR_FUNCTION_H
#define LAB_CPU_IR_IR_FUNCTION_H

#include "ir_text.h"

#include <stdio.h>

enum { MAX_MASKS = 16, MAX_SLICE = 64 };

typedef struct function {
    span *line;
    span *defined; /* the value each line defines, without the %; length 0 if none */
    int lines, capacity;
} function;

/* A block with masked operations, as lines of its function. */
typedef struct block {
    span label;
    int start; /* lines [start, end) are the block without its label: first the phis, */
    int body;  /* then the others from here on; */
    int rest;  /* from here on all masks are known */
    int end;
    int masks;
    span mask[MAX_MASKS]; /* with their type: "<16 x i1> %41" */

    /* If the block is a loop by itself whose masks only go up and down: the lines they are computed by, in order. */
    bool is_monotone;
    span before; /* the label of the block before the loop */
    int slices;
    int slice[MAX_SLICE];
    span count_type, count; /* how far the loop counts: "i32", "%n.vec" */
    int step;               /* how far in each iteration */
} block;

/* False when memory runs out. */
bool function_read(function *f, span text);
void function_free(function *f);

/* The line of [from, to) that defines the value, or -1. */
int function_find(const function *f, int from, int to, span name);

/* The same of an operand, "%name" or a constant. */
int function_find_operand(const function *f, int from, int to, span operand);

/* The line's instruction without what it defines: "add <16 x i32> %a, %b". */
span function_instruction(const function *f, int line);

bool function_is_phi(const function *f, int line);

/* A phi's next "[ value, %label ]" from *at on, which begins as its instruction; false if there is none. */
typedef struct incoming {
    span whole, value, label;
} incoming;
bool function_next_incoming(incoming *in, const char **at, const char *end);

/* Copies text with the values that lines [from, to) define under other names. */
void function_write_renamed(FILE *out, const function *f, int from, int to, const char *prefix, span text);

static inline void span_write(FILE *out, span s) { fwrite(s.start, 1, s.length, out); }

#endif

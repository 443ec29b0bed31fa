/* The functions and variables of a module of LLVM IR, and which of them can be reached from which by name. */
#ifndef LAB_CPU_IR_IR_SYMBOLS_H
#define LAB_CPU_IR_IR_SYMBOLS_H

#include "ir_text.h"

/* What the code defines or declares, and its text, from behind its name on. */
typedef struct ir_symbol {
    span name;
    span text;
    int edge, edges; /* symbols->edge[edge ...]: what the text names */
    bool reached;
} ir_symbol;

typedef struct ir_symbols {
    ir_symbol *list; /* by name */
    int count, capacity;
    int *edge;
    int edges, edge_capacity;
} ir_symbols;

/* Finds all; the text must outlive them. False when memory runs out. To be freed either way. */
bool ir_find_symbols(ir_symbols *symbols, const char *ir);
void ir_free_symbols(ir_symbols *symbols);

ir_symbol *ir_find_symbol(const ir_symbols *symbols, span name);

void ir_forget_reached(ir_symbols *symbols);

/* Marks the symbol and what can be reached from it. NULL is accepted. */
void ir_reach(const ir_symbols *symbols, ir_symbol *from);

#endif

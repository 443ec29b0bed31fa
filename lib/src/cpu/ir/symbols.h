/* The functions and variables of a module of LLVM IR, and which of them name which others. */
#ifndef LAB_CPU_IR_SYMBOLS_H
#define LAB_CPU_IR_SYMBOLS_H

#include "text.h"

/* A function or variable that the module defines or declares. */
typedef struct ir_symbol {
    span name;
    span text;       /* after its name */
    int edge, edges; /* symbols->edge[edge ...]: the symbols that the text names */
    bool reached;
} ir_symbol;

typedef struct ir_symbols {
    ir_symbol *list; /* sorted by name */
    int count, capacity;
    int *edge;
    int edges, edge_capacity;
} ir_symbols;

/* Finds all symbols of the module, whose text must outlive them. False when memory runs out. Call ir_free_symbols in
 * either case. */
bool ir_find_symbols(ir_symbols *symbols, const char *ir);
void ir_free_symbols(ir_symbols *symbols);

ir_symbol *ir_find_symbol(const ir_symbols *symbols, span name);

/* The symbol whose name is the prefix followed by `name`. */
ir_symbol *ir_find_prefixed(const ir_symbols *symbols, const char *prefix, span name);

/* Whether a thread waits for others in the function with this name: a barrier of the block, or a function of the warp.
 * The name is CUDA's, with a prefix in place of the underscores. */
#define IR_WAIT_PREFIX "lab_suspend_"
static inline bool ir_is_wait(span callee) { return span_starts_with(callee, IR_WAIT_PREFIX); }

void ir_forget_reached(ir_symbols *symbols);

/* Marks the symbol and all symbols that can be reached from it. NULL is accepted. */
void ir_reach(const ir_symbols *symbols, ir_symbol *symbol);

/* A reached function in which a thread waits, or NULL. */
const ir_symbol *ir_reached_wait(const ir_symbols *symbols);

#endif

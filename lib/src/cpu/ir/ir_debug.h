/*
 * Which line of which source an instruction of LLVM IR comes from, read from the text's debug information (line tables).
 * Knows the nodes that lead from an instruction to a file; refuses to know the instructions.
 */
#ifndef LAB_CPU_IR_IR_DEBUG_H
#define LAB_CPU_IR_IR_DEBUG_H

#include "ir_text.h"

typedef struct debug_node debug_node;

typedef struct debug_info {
    debug_node *node; /* by number */
    size_t nodes;
} debug_info;

/* Texts as the metadata spells them: \ and two digits stand for a byte that cannot be printed. */
typedef struct debug_place {
    span file, function;
    unsigned line;
} debug_place;

/* False when memory runs out. */
bool debug_read(debug_info *info, const char *ir);
void debug_free(debug_info *info);

/* Where the instruction of this line was written: of what was inlined the innermost place that is not in one of the
 * library's own files, whose names begin with "<". False if there is none. */
bool debug_find(debug_place *place, const debug_info *info, span line);

#endif

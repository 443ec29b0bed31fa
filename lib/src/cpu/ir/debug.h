/*
 * Finds the source line of an instruction of LLVM IR in the debug information of the text (line tables). Reads only the
 * nodes that lead from an instruction to a file.
 */
#ifndef LAB_CPU_IR_DEBUG_H
#define LAB_CPU_IR_DEBUG_H

#include "text.h"

typedef struct debug_node debug_node;

typedef struct debug_info {
    debug_node *node; /* by number */
    size_t nodes;
} debug_info;

/* Texts as the metadata spells them: a backslash and two digits stand for a byte that cannot be printed. */
typedef struct debug_place {
    span file, function;
    unsigned line;
} debug_place;

/* False when memory runs out. */
bool debug_read(debug_info *info, const char *ir);
void debug_free(debug_info *info);

/* Finds where the instruction of this line was written. For inlined code that is the innermost place outside the
 * library's own files, whose names begin with "<". False if there is no such place. */
bool debug_find(debug_place *place, const debug_info *info, span line);

/* The name, file and line of the function that this line defines. False if the debug information does not say. */
bool debug_of_function(debug_place *place, const debug_info *info, span head);

#endif

/* Finds the variable that a pointer was made from, among the module's variables and the current function's pointers. */
#ifndef LAB_CPU_IR_ORIGINS_H
#define LAB_CPU_IR_ORIGINS_H

#include "text.h"

#include "cpu/builtins/kernel_abi.h"

/* A variable, of the module or of a thread. */
typedef struct variable {
    span name; /* without @ or % */
    span type;
    cpu_space space;
    bool own; /* one of the library's */
} variable;

/* A pointer of the current function, made from a variable. */
typedef struct pointer {
    span name;
    variable base;
    bool inside; /* cannot point outside the variable */
} pointer;

typedef struct origins {
    variable *global; /* of the module */
    size_t globals, global_capacity;
    pointer *pointer; /* of the current function: a hash table by name */
    size_t pointers, slots;
} origins;

/* Finds the module's variables. False when memory runs out. Call origins_free in either case. */
bool origins_read(origins *o, const char *ir);
void origins_free(origins *o);

/* Adds a pointer of the current function. False when memory runs out. */
bool origins_add(origins *o, pointer added);

/* Removes all pointers, at the beginning of a function. */
void origins_forget_pointers(origins *o);

/* The origin of an operand, "%12", "@name" or a constant expression. The space is unknown if the code does not show
 * it. */
pointer origins_find(const origins *o, span value);

#endif

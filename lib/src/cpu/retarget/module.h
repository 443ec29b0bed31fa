/* What the files of this room share. */
#ifndef LAB_CPU_RETARGET_MODULE_H
#define LAB_CPU_RETARGET_MODULE_H

#include "cpu/ir/debug.h"
#include "cpu/ir/emit.h"

#include "cpu/builtins/kernel_abi.h"

/* A kernel, an array of dynamic shared memory, or a managed variable. */
typedef struct found_name {
    span name;
    char *symbol;      /* its name in the new module; of an array NULL */
    span head;         /* of a kernel: the line that defines it, */
    debug_place place; /* and its name and line in the source */
    span type;         /* of an array */
} found_name;

typedef struct names {
    found_name *list;
    int count, capacity;
} names;

typedef struct retarget_pass {
    ir_emitter e;
    const char *ir;
    debug_info debug;
    names kernels, arrays, managed;
    span index_type, index_base; /* of coordinates, in debug information */
    bool failed;                 /* memory ran out */
} retarget_pass;

found_name *retarget_find(const names *all, span name);

/* Copies a part of a line without the words about kinds of memory, and without further words: a list that ends with
 * NULL, each with the space before it. Names become those of the new module. */
void retarget_copy_words(const retarget_pass *p, span text, const char *const *dropped);

/* The debug information of a program that was compiled with -G. Nodes are copied after the type was found. */
void retarget_find_index_type(retarget_pass *p, span line);
void retarget_copy_node(const retarget_pass *p, span line);

/* Of linked files each has its own node for a variable of the built-ins, which lost the variable to that of one file.
 * Writes that the variable at the line is that of the other nodes too: a debugger asks the file where it stands. */
void retarget_write_places(const retarget_pass *p, span name, span line);

/* The first name in the line after the sigil; length 0 if there is none. */
span retarget_name_after(char sigil, span line);

bool retarget_begins(const char *at, const char *end, const char *word);

/* Whether two names of intrinsics differ at most in their kinds of memory. */
bool retarget_same_intrinsic(span a, span b);

static inline span retarget_symbol(const found_name *found) { return span_of(found->symbol ? found->symbol : ""); }

/* Writes the two entries of each kernel. */
void retarget_write_entries(const retarget_pass *p);

/* Writes a letter for each parameter of the kernel, or a hyphen if it has none (seam/program/program_image.h). */
void retarget_write_kinds(const retarget_pass *p, const found_name *kernel);

/* Writes the table lab_kernels, whose elements are cpu_kernels (kernel_abi.h). */
void retarget_write_table(const retarget_pass *p);

#endif

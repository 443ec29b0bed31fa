/* Reads the operands of instructions of LLVM IR: a type, attributes if any, and a value. */
#ifndef LAB_CPU_IR_OPERAND_H
#define LAB_CPU_IR_OPERAND_H

#include "text.h"

/* A type and a value: "float* %8", "ptr @x", "i8* align 4 getelementptr (...)". */
typedef struct operand {
    span type, value;
    const char *after; /* the comma or bracket after it */
    span align;        /* the number of an align attribute; length 0 without one */
} operand;

/* Reads the operand at `at`. */
operand operand_read(const char *at);

/* Reads the operand after the comma that follows `before`. */
operand operand_next(const operand *before);

/* The end of the type at `at`. */
const char *operand_end_of_type(const char *at);

/* Whether the word at `at` is an attribute, "align" or "noundef", rather than a type or value. */
bool operand_is_attribute(const char *at);

const char *operand_skip_spaces(const char *at);

#endif

/* Reading the operands of LLVM IR's instructions as text: a type, perhaps attributes, and a value. */
#ifndef LAB_CPU_IR_IR_OPERAND_H
#define LAB_CPU_IR_IR_OPERAND_H

#include "ir_text.h"

/* A type and a value: "float* %8", "ptr @x", "i8* align 4 getelementptr (...)". */
typedef struct operand {
    span type, value;
    const char *after; /* the comma or bracket behind it */
    span align;        /* the number of an align attribute; length 0 if none */
} operand;

/* The operand at `at`. */
operand operand_read(const char *at);

/* The one behind the comma that follows another. */
operand operand_next(const operand *before);

/* The end of a type that begins at `at`. */
const char *operand_end_of_type(const char *at);

/* Whether a word, not a type or value, stands at `at`: "align", "noundef". */
bool operand_is_attribute(const char *at);

const char *operand_skip_spaces(const char *at);

#endif

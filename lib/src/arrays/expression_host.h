/* Pieces of an expression on the host: what evaluates the nodes, and what reads the arguments and writes the results. */
#ifndef LAB_ARRAYS_EXPRESSION_HOST_H
#define LAB_ARRAYS_EXPRESSION_HOST_H

#include "expression.h"

enum { PIECE = 128, ELEMENT_BYTES = 8, WINDOW_BYTES = 4096 };

/* A piece of a node's values, of any type. */
typedef union piece {
    unsigned char bytes[PIECE * ELEMENT_BYTES];
    int8_t i8[PIECE];
    uint8_t u8[PIECE];
    int16_t i16[PIECE];
    uint16_t u16[PIECE];
    int32_t i32[PIECE];
    uint32_t u32[PIECE];
    int64_t i64[PIECE];
    uint64_t u64[PIECE];
    float f32[PIECE];
    double f64[PIECE];
} piece;

/* An array of the program: where it is in this process, else the elements that were read last. */
typedef struct host_input {
    const unsigned char *local; /* NULL: */
    size_t first, count;        /* of the elements in `window` */
    unsigned char window[WINDOW_BYTES];
} host_input;

typedef struct evaluation {
    const expression_tree *tree;
    const node_type *type;
    const lab_arg *argument;
    host_input *input;              /* of each argument that is an array */
    bool *gone;                     /* set once the program's memory cannot be reached */
    unsigned char *const *reduced;  /* of each node that reduces, its values, once computed */
    const lab_shape *reduced_shape; /* and their shape */
    lab_shape shape;                /* of the elements to compute */
    size_t first, count;
} evaluation;

/* The values of a node at the elements [first, first + count). */
void expression_piece(piece *out, const evaluation *state, int index);

/* Computes the values of a reduction. `before` is the shape of what it reduces. */
lab_status expression_reduce(unsigned char *out, evaluation *state, int index, lab_shape before);

static inline size_t elements_of(lab_shape shape)
{
    size_t count = 1;
    for (int i = 0; i < shape.dimensions; i++) count *= shape.size[i];
    return count;
}

#endif

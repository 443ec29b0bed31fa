/*
 * Expressions as the library keeps them: a list of nodes, each after the nodes it uses; the types and shapes that
 * arguments give them; the steps in which they are computed; and the two ways to compute a step, by generated kernels
 * or on the host.
 */
#ifndef LAB_ARRAYS_EXPRESSION_H
#define LAB_ARRAYS_EXPRESSION_H

#include "arrays/elementwise.h"

enum { MOST_NODES = 128, MOST_INPUTS = 11, MOST_RESULTS = 5 };

typedef enum node_kind {
    NODE_INPUT,
    NODE_INTEGER,
    NODE_REAL,
    NODE_NEGATE,
    NODE_ABSOLUTE,
    NODE_ADD,
    NODE_SUBTRACT,
    NODE_MULTIPLY,
    NODE_DIVIDE,
    NODE_MINIMUM,
    NODE_MAXIMUM,
    NODE_WHERE,    /* `left` where `condition` differs from 0, else `right` */
    NODE_CAST,     /* to the type `dtype` */
    NODE_FUNCTION, /* a function of one floating-point number */
    NODE_REDUCE,   /* all elements to one, or those along axes */
} node_kind;

typedef struct expression_function {
    const char *name;   /* NumPy's */
    const char *c_name; /* CUDA C's */
    float (*narrow)(float);
    double (*wide)(double);
} expression_function;

/* A reduction: an operation on two values, in CUDA C for floating-point numbers and for integers. */
typedef struct expression_reduction {
    const char *name; /* NumPy's */
    node_kind operation;
    const char *real_text, *integer_text;
    const char *identity; /* NULL if there is none */
} expression_reduction;

typedef struct node {
    node_kind kind;
    int left, right, condition; /* the nodes it uses */
    int input;
    lab_dtype dtype;
    lab_axes axes; /* OPERANDS_NO_AXES: all */
    bool keep;     /* the result has size 1 along the axes */
    int64_t integer;
    double real;
    const expression_function *function;
    const expression_reduction *reduction;
} node;

typedef struct expression_tree {
    char name[NAME_BYTES];
    int inputs;
    char input[MOST_INPUTS][NAME_BYTES];
    int results;
    int result[MOST_RESULTS]; /* the node of each */
    int nodes;
    int reduced; /* a node that reduces; 0 if none does. The tree of a kernel has at most one */
    node node[MOST_NODES];
} expression_tree;

/* The type of a number in the program is weak: an array's type overrides it. */
typedef struct node_type {
    lab_dtype dtype;
    bool weak;
} node_type;

/* The names of the results in messages and kernels; no input has one of them. */
extern const char *const expression_results[MOST_RESULTS];

/* Reads the names of the inputs and the text. */
lab_status expression_parse(expression_tree *out, const char *inputs, const char *text, const char *name);

/* The type of every node, by NumPy's rules, from the types of the inputs. */
lab_status expression_types(node_type type[MOST_NODES], const expression_tree *tree, const node_type *input);

/* The shapes of all nodes, from the shapes of the inputs, of which a number has no dimensions. Fails if operands do not
 * broadcast, an axis is wrong, or no array gives the number of elements to reduce. */
lab_status expression_shapes(lab_shape shape[MOST_NODES], const expression_tree *tree, const lab_shape *input);

/* The nodes on which a node depends; those that it uses other than through a reduction; and the same with the operand
 * of one reduction, `open`. */
typedef struct node_set {
    bool has[MOST_NODES];
} node_set;
node_set expression_uses(const expression_tree *tree, int index, int open);

/* The reduction of a result that consists of a single reduction and of numbers; 0 if it does not. */
int expression_direct(const expression_tree *tree, int result);

/* Results that are computed together: those of one shape, or one that is direct. In the order of computing. */
typedef struct result_groups {
    int groups;
    int group[MOST_RESULTS]; /* of each result */
} result_groups;
result_groups expression_group(const expression_tree *tree, const lab_shape *result);

/* Whether two arrays, of the device or of the host, share bytes. A number shares none. */
bool expression_overlap(const lab_arg *one, const lab_arg *other);

/* Checks that no group writes an input that a later group reads. */
lab_status expression_check_order(const expression_tree *tree, const result_groups *groups, const lab_arg *argument);

/* The tree of a kernel: its inputs are inputs of the expression, or the values of nodes of the expression. */
typedef struct expression_part {
    expression_tree tree;
    int input[MOST_INPUTS]; /* an input of the expression, or MOST_INPUTS + a node of it */
} expression_part;

/* Cuts the nodes out as the results of a part. Reductions become inputs, but for `open`; its operand becomes an input
 * if `given`. */
lab_status expression_cut(expression_part *out, const expression_tree *tree, const int *result, int results, int open,
                          bool given);

/* Enqueues the computation of an expression. The caller has checked the number of arguments and their types. */
typedef struct expression_kernels expression_kernels;
expression_kernels *expression_kernels_make(void);
void expression_kernels_free(expression_kernels *kernels);
lab_status expression_enqueue(expression_kernels *kernels, const expression_tree *tree, const node_type *type,
                              const node_type *input, lab_stream *stream, lab_args args);

/* Writes a node and the nodes it uses in CUDA C, where `a` is the value of a reduction. */
void expression_write(FILE *out, const expression_tree *tree, const node_type *type, int index);

/* The CUDA C that expression_write's text needs before the kernel. */
extern const char expression_preamble[];

/* Computes the expression on the host. The caller has checked the number of arguments, which are host arrays and
 * numbers. */
lab_status expression_evaluate(const expression_tree *tree, const node_type *type, lab_args args);

/* Writes a number as an element of its weak type. */
void expression_number(unsigned char element[8], const lab_arg *number, lab_dtype dtype);

/* ---- on the host: what evaluates the nodes, and what reads the arguments and writes the results ---- */

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

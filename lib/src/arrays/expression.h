/*
 * Expressions as the library keeps them: a list of nodes, each after the nodes it uses; the types that arguments give
 * them; and the two ways to compute them, as the body of one elementwise kernel or on the host.
 */
#ifndef LAB_ARRAYS_EXPRESSION_H
#define LAB_ARRAYS_EXPRESSION_H

#include "elementwise.h"

enum { MOST_NODES = 128, MOST_INPUTS = 11, MOST_RESULTS = 4 };

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
    NODE_FUNCTION, /* a function of one floating-point number */
    NODE_REDUCE,   /* all elements to one; at most one in an expression */
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
    int left, right; /* the nodes it uses */
    int input;
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
    int reduced; /* the node that reduces; 0 if none does; there is then one result */
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

/* Writes a node and the nodes it uses in CUDA C, where `a` is the value of a reduction. */
void expression_write(FILE *out, const expression_tree *tree, const node_type *type, int index);

/* The CUDA C that expression_write's text needs before the kernel. */
extern const char expression_preamble[];

/* Computes the expression on the host. The caller has checked the number of arguments, which are host arrays and
 * numbers. */
lab_status expression_evaluate(const expression_tree *tree, const node_type *type, lab_args args);

/* Writes a number as an element of its weak type. */
void expression_number(unsigned char element[8], const lab_arg *number, lab_dtype dtype);

#endif

/*
 * The arguments of a generated kernel, matched to its parameters: which type each letter stands for, how each operand
 * is reached from an element's number, and the kernel text that does so. Knows nothing of what a kernel computes.
 */
#ifndef LAB_ARRAYS_OPERANDS_H
#define LAB_ARRAYS_OPERANDS_H

#include "array.h"
#include "pools/workspace.h"
#include "seam/signature.h"

#include <limits.h>
#include <stdio.h>

typedef enum operand_form {
    OPERAND_NUMBER,   /* a number of the host's, the same for all elements */
    OPERAND_ELEMENTS, /* an array with an element for each */
    OPERAND_SINGLE,   /* an array with one element for all */
    OPERAND_ROWS,     /* an array repeated along some dimensions, not the last */
    OPERAND_COLUMNS,  /* ... and the last */
    OPERAND_RAW,      /* an array that the kernel's text indexes */
    OPERAND_RESULT,   /* an array with an element for each result of a reduction */
} operand_form;

typedef struct operand {
    operand_form form;
    lab_dtype dtype;
    const struct array *array; /* NULL for a number */
    lab_arg argument;          /* as the launch gets it */
} operand;

/* How repeated arrays are reached: a row is the last dimension, after dimensions that all operands treat alike have
 * been joined. Kernels declare the same struct. */
typedef struct operand_rows {
    long long width;
    long long extent[LAB_MAX_DIMENSIONS - 2]; /* of the outer dimensions but the first */
    long long stride[MOST_PARAMETERS][LAB_MAX_DIMENSIONS - 1];
} operand_rows;

typedef struct operands {
    const signature *signature;
    operand operand[MOST_PARAMETERS];
    lab_dtype letter[128];
    lab_shape shape;
    size_t count; /* elements to compute */
    int outer;    /* dimensions outside a row; 0 if no operand needs rows */
    operand_rows rows;
    /* Of a reduction: how many results there are, of how many elements each, and how far apart in memory the elements
     * of one are, which is how many results have theirs side by side. */
    size_t results, length, stride;
    scratch *copy[MOST_PARAMETERS]; /* of inputs that an output overlaps */
} operands;

/* What a specialised kernel depends on. */
typedef struct operands_key {
    unsigned char byte[MOST_PARAMETERS + 1];
} operands_key;

enum { OPERANDS_SIZED_BY_ARRAYS = -1, OPERANDS_NO_AXIS = INT_MIN };

/* Matches the arguments of an elementwise kernel, in the order of the parameters. `size` is how many elements to
 * compute if no array says so, else OPERANDS_SIZED_BY_ARRAYS. */
lab_status operands_bind(operands *out, const signature *of, lab_args args, long long size, const struct stream *on);

/* The same for a reduction, of all elements to one result, or along an axis, which counts from the last if negative. */
lab_status operands_bind_reduction(operands *out, const signature *of, lab_args args, long long size, int axis,
                                   const struct stream *on);

/* An axis that a program gives, which is one even if its number is OPERANDS_NO_AXIS. */
static inline int operands_axis(int given) { return given == OPERANDS_NO_AXIS ? INT_MAX : given; }

operands_key operands_key_of(const operands *of);

/* Copies the inputs that an output overlaps so that writing an element would change another's input. What it took is
 * given back by operands_release, once the kernel is enqueued. */
lab_status operands_separate(operands *of, const struct stream *on);
void operands_release(operands *of, const struct stream *on);

/* The arguments for the launch; returns how many. */
int operands_arguments(lab_arg *into, const operands *of);

/* The kernel's text: its parameters; what the letters mean; lab_inputs and lab_load of backend.h; inside a row, where
 * operands begin; inside an element, the names of inputs (and outputs if asked for). */
void operands_write_parameters(FILE *out, const operands *of);
void operands_write_types(FILE *out, const operands *of);
void operands_write_loads(FILE *out, const operands *of);
void operands_write_row(FILE *out, const operands *of);
void operands_write_element(FILE *out, const operands *of, bool outputs);

/* Whether an input of that shape can be repeated to the whole by NumPy's rules. */
bool shape_broadcasts(lab_shape shape, lab_shape whole);

bool shapes_equal(lab_shape a, lab_shape b);

/* Takes an input's shape into the common one; false if they do not match. */
bool shape_join(lab_shape *common, lab_shape shape);

/* Steps of binding: the types of all operands; the number of elements of the shape, which is `size` in one dimension if
 * there is no array of elements. */
lab_status operands_bind_types(operands *into, lab_args args, const struct stream *on);
lab_status operands_bind_count(operands *into, bool any_array, long long size);

/* An array that is indexed by the element's number. */
bool operand_is_shaped(const operands *of, int which);

/* Fails with a message that begins with the kernel and the parameter. */
#define OPERAND_FAIL(status, of, which, format, ...)                                                                   \
    lab_fail(status, "%s kernel '%s', parameter '%s' " format, (of)->signature->kind, (of)->signature->kernel,         \
             (of)->signature->parameter[which].name, __VA_ARGS__)

/* "(3, 4)" */
const char *shape_text(char *into, size_t bytes, lab_shape shape);

#endif

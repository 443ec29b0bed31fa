/*
 * The arguments of a generated kernel, matched to its parameters: the type of each letter, how the kernel reaches each
 * operand from an element's index, and the kernel text for that. Independent of what a kernel computes.
 */
#ifndef LAB_ARRAYS_OPERANDS_H
#define LAB_ARRAYS_OPERANDS_H

#include "array.h"
#include "pools/workspace.h"
#include "seam/signature.h"

#include <limits.h>
#include <stdio.h>

typedef enum operand_form {
    OPERAND_NUMBER,   /* a number from the host, the same for all elements */
    OPERAND_ELEMENTS, /* an array with an element for each element to compute */
    OPERAND_SINGLE,   /* an array with a single element for all */
    OPERAND_ROWS,     /* an array repeated along dimensions other than the last */
    OPERAND_COLUMNS,  /* an array repeated along the last dimension too */
    OPERAND_STRIDED,  /* an array whose elements are apart in memory, repeated or not */
    OPERAND_RAW,      /* an array that the kernel's text indexes itself */
    OPERAND_RESULT,   /* an array with an element for each result of a reduction */
} operand_form;

typedef struct operand {
    operand_form form;
    lab_dtype dtype;
    const struct array *array; /* NULL for a number */
    lab_arg argument;          /* as passed to the launch */
    uint16_t narrow;           /* the bits of a number of 16 bits, to which the argument then points */
} operand;

/* The layout by which kernels reach repeated arrays. A row is the last dimension, after joining dimensions that all
 * operands treat alike. Kernels declare the same struct. */
typedef struct operand_rows {
    long long width;
    long long extent[LAB_MAX_DIMENSIONS - 2]; /* of the outer dimensions except the first */
    long long stride[MOST_PARAMETERS][LAB_MAX_DIMENSIONS];
} operand_rows;

/* Where the elements of a result are, if its axes are not adjacent in memory: for the results, and for the elements of
 * one, the groups of dimensions that count them, from the fastest on: the size of each and its stride. Kernels declare
 * the same struct. */
enum { MOST_GROUPS = (LAB_MAX_DIMENSIONS + 1) / 2 };
typedef struct operand_places {
    long long size[2][MOST_GROUPS], stride[2][MOST_GROUPS];
} operand_places;
enum { OF_RESULTS, OF_ELEMENTS };

typedef struct operands {
    const signature *signature;
    operand operand[MOST_PARAMETERS];
    lab_dtype letter[128];
    lab_shape shape;
    size_t count; /* elements to compute */
    int outer;    /* dimensions outside a row; 0 if no operand needs rows */
    operand_rows rows;
    /* For a reduction: the number of results, the elements of each, and the distance in memory between the elements of
     * one result, which is also the number of results side by side. */
    size_t results, length, stride;
    operand_places places;
    int groups[2];                    /* of places; of the elements 0 if the two numbers tell where they are */
    workspace *copy[MOST_PARAMETERS]; /* copies of inputs that an output overlaps */
} operands;

/* What a kernel variant depends on. */
typedef struct operands_key {
    unsigned char byte[MOST_PARAMETERS + 2];
} operands_key;

enum { OPERANDS_SIZED_BY_ARRAYS = -1 };

/* The axes of a reduction of all elements to one result: none is named. */
static const lab_axes OPERANDS_NO_AXES = {-1, {0}};

/* Matches the arguments of an elementwise kernel, in the order of the parameters. `size` is the number of elements to
 * compute if no array gives it, else OPERANDS_SIZED_BY_ARRAYS. */
lab_status operands_bind(operands *out, const signature *sig, lab_args args, long long size,
                         const struct stream *stream);

/* The same for a reduction, of all elements to one result, or along axes, which count from the last if negative. */
lab_status operands_bind_reduction(operands *out, const signature *sig, lab_args args, long long size, lab_axes axes,
                                   const struct stream *stream);

operands_key operands_key_of(const operands *bound);

/* Copies inputs that overlap an output, where writing one element would change another's input. operands_release frees
 * the copies, once the kernel is enqueued. */
lab_status operands_separate(operands *bound, const struct stream *stream);
void operands_release(operands *bound, const struct stream *stream);

/* Writes the arguments for the launch; returns their number. */
int operands_arguments(lab_arg *argument, const operands *bound);

/* Write the kernel's text: its parameters; the types of the letters; lab_inputs and lab_load of backend.h; in a row,
 * the start of each operand; in an element, the names of inputs, and of outputs if `outputs`. */
void operands_write_parameters(FILE *out, const operands *bound);
void operands_write_types(FILE *out, const operands *bound);
void operands_write_loads(FILE *out, const operands *bound);
void operands_write_row(FILE *out, const operands *bound);
void operands_write_element(FILE *out, const operands *bound, bool outputs);

/* Writes the place of a result's first element, or of one of its elements behind that, as an expression of `index`. */
void operands_write_place(FILE *out, const operands *bound, int which, const char *index);

/* Whether an input of this shape can be repeated to the whole shape by NumPy's rules. */
bool shape_broadcasts(lab_shape shape, lab_shape whole);

bool shapes_equal(lab_shape a, lab_shape b);

/* Joins an input's shape into the common shape; false if they do not match. */
bool shape_join(lab_shape *common, lab_shape shape);

/* Steps of binding: the types of all operands; and the number of elements, from the shape, or `size` in one dimension
 * if no array gives it. */
lab_status operands_bind_types(operands *bound, lab_args args, const struct stream *stream);
lab_status operands_bind_count(operands *bound, bool any_array, long long size);

/* Marks the axes of a shape that are reduced. */
lab_status operands_mark_axes(bool reduced[LAB_MAX_DIMENSIONS], const char *kernel, const lab_shape *shape,
                              lab_axes axes);

/* The shape without these axes, or with size 1 along them. */
lab_shape operands_reduced_shape(lab_shape shape, const bool *reduced, bool keep);

/* Whether the operand is an array that the element's index reaches. */
bool operand_is_shaped(const operands *bound, int which);

/* Fails with a message that begins with the kernel and the parameter. */
#define OPERAND_FAIL(status, of, which, format, ...)                                                                   \
    lab_fail(status, "%s kernel '%s', parameter '%s' " format, (of)->signature->kind, (of)->signature->kernel,         \
             (of)->signature->parameter[which].name, __VA_ARGS__)

/* "(3, 4)" */
const char *shape_text(char *out, size_t bytes, lab_shape shape);

#endif

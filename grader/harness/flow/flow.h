/*
 * The flow of a call: whether its outputs came from its inputs by way of the device. check_flow in check.h is the
 * manual. Everything is decided by the device's record and by the bytes that the device process has kept; nothing of
 * the program's own memory counts.
 */
#ifndef GRADER_HARNESS_FLOW_FLOW_H
#define GRADER_HARNESS_FLOW_FLOW_H

#include "kept_bytes.h"
#include "lab_trace.h"

enum { CHECK_INPUTS = 6, CHECK_ARGUMENTS = 6, CHECK_KERNELS = 4 };

/* A kernel that may write outputs. */
typedef struct check_kernel {
    const char
        *file; /* "kernels.cu", in the lab's folder. NULL: a kernel of lab_elementwise_create, lab_reduction_create
                         or lab_expression_create whose text is the student's task */
    /* Its declaration, in which a pointer parameter is an array with its number of elements, a number or another
     * parameter: "smooth(float to[count], const float from[count], int count)". Pointers to pointers have a *:
     * "gather(float to[count], float *table[1], int count)". A kernel writes an element with each thread, or else has
     * ", any grid" at its end: "advance(float x[count], int count), any grid". Without a file: its name. */
    const char *declaration;
} check_kernel;

/* The value that an argument of a kernel must have: {"steps", 20}. */
typedef struct check_argument {
    const char *name;
    double value;
} check_argument;

/* The check's own copy of bytes. CHECK_BYTES(array) is a whole array. */
typedef struct check_bytes {
    const void *bytes;
    size_t size;
} check_bytes;
#define CHECK_BYTES(array)                                                                                             \
    {                                                                                                                  \
        (array), sizeof(array)                                                                                         \
    }

/* An output, and what it must come from. */
typedef struct check_passage {
    const char *what;   /* "array 12"; NULL for the only one */
    check_bytes output; /* the bytes that the call left, as check_snapshot gave them */
    check_bytes input[CHECK_INPUTS];
    check_argument argument[CHECK_ARGUMENTS]; /* of the kernels, but for those that only count elements */
} check_passage;

typedef struct check_way {
    const char *function; /* "lab03_depth_first", for messages */
    const check_passage *passage;
    size_t passages;
    check_kernel kernel[CHECK_KERNELS]; /* and the library's own, such as lab_array_sum's */
    bool no_kernel;                     /* outputs are the inputs, copied to the device and back */
    bool fills;                         /* a fill or a memset may have written outputs too */
} check_way;

/* ---- For check_flow ---- */

typedef enum flow_verdict {
    FLOW_PROVEN,
    FLOW_REFUSED,   /* the outputs came another way, or nothing shows which */
    FLOW_UNORDERED, /* nothing orders operations that decide it */
    FLOW_FLOOD,     /* more copies or bytes than are looked at */
    FLOW_NO_MEMORY,
    FLOW_WRONG_CHECK, /* the check_way contradicts itself or the kernel */
} flow_verdict;

typedef struct flow_finding {
    const lab_trace_op *op; /* NULL without one to point to */
    char message[512], expected[512], found[256], cause[512];
} flow_finding;

typedef struct flow_evidence {
    const lab_trace *trace;
    const check_evidence *kept;
    const char *module[CHECK_KERNELS]; /* lab_trace_op.module of the way's kernels with a file */
    bool in_order;                     /* the device ran everything in the order of the calls */
} flow_evidence;

flow_verdict flow_examine(flow_finding *finding, const flow_evidence *evidence, const check_way *way);

#endif

/* What the checks of lab 03 share: a program with its sizes and a copy of its inputs, the operations of each array in
 * its record, the reference on the host, and the rules of the contract that the record of a call shows. */
#ifndef LAB03_CHECKS_RUN_H
#define LAB03_CHECKS_RUN_H

#include "check.h"
#include "shared.h"

enum { FEW_ARRAYS = 12, FEW_STREAMS = 5, ALL_ARRAYS = 200 };

typedef struct run {
    check_program *program;
    bool reference;
    lab03_size size;
    lab03_head head;
    void *shared;                     /* the shared memory */
    float *input, *expected, *output; /* array after array; output: what the last call has left */
    uint64_t *device;                 /* the address of each array on the device */
    uint64_t fills;                   /* how often new inputs were made */
} run;

/* All arrays, short enough for seconds on two cores, for what does not depend on their length; the same, but longer on
 * a GPU; and a few arrays. */
lab03_size short_arrays(void);
lab03_size size_for_device(void);
lab03_size small_size(void);

/* Calls "prepare" in this program. */
run run_begin(check_program *program, bool reference, lab03_size size);

/* Makes new inputs and rates and poisons the outputs. Every array has numbers and a rate of its own. */
void run_fill(run *this_run);

/* Calls a function of the program and returns its milliseconds. */
double run_call(run *this_run, const char *name);

/* An array's operations in the record: its first copy in, the lab's kernel after all of it was copied in, and its last
 * copy out after that. A copy may be made in pieces, and to or from any place of the host. */
typedef struct passage {
    const lab_trace_op *in, *kernel, *out;
    size_t bytes_in, bytes_out;
} passage;

/* The operations of all arrays. */
typedef struct passages {
    const char *function;
    const lab_trace *trace;
    const passage *array;
    const int *owner; /* for each operation of the record the array that it copies or computes; -1 for none */
} passages;

/* The operations that belong to an array, for loops: the next one after this one, or the first if it is NULL; NULL at
 * the end. And "copy in", "kernel" or "copy out". */
const lab_trace_op *run_next(const passages *found, const lab_trace_op *op);
const char *run_step(const lab_trace_op *op);

/* Fails the check unless all outputs of the last call are right. Its record says why they are not: `trace`, or the
 * running record for NULL. */
void run_check_outputs(const run *this_run, const lab_trace *trace, const char *function);

/* Records one call of a function of the program with new inputs, and finds the operations of all arrays. `result` is as
 * in check_call. Fails the check if an output is wrong, if nothing orders what must be ordered, if an operation is
 * missing, or if a launch is not the lab's. */
passages run_record(run *this_run, const char *function, void *result, size_t result_bytes);

/* Fails the check unless the outputs are what the lab's kernel made of the inputs. Not for checks that measure. */
void run_check_flow(const run *this_run, const passages *found);

/* The rules that the record of a call shows; none of them looks at times. */
enum {
    RULE_WAITS = 1,         /* the host has waited for every copy out */
    RULE_STREAMS = 2,       /* array k is on stream k % streams, in a run of small_size, whichever these are */
    RULE_DEPTH_FIRST = 4,   /* a thread that has begun an array enqueues all of it before another */
    RULE_BREADTH_FIRST = 8, /* all copies in come before the first kernel, and all kernels before the first copy out */
    RULE_OVERLAP = 16,      /* the host and the device are free to work on all arrays at once */
};
void run_check_rules(const passages *found, unsigned rules);

/* run_record, the rules and run_check_flow. */
passages run_check(run *this_run, const char *function, unsigned rules);

#endif

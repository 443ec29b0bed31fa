/* What the checks of lab 03 share: a program with its sizes and a copy of its inputs, the operations of each array in
 * its record, and the comparison of its outputs with the reference on the host. */
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
    void *shared;     /* the shared memory */
    float *input;     /* array after array */
    float *found;     /* the outputs after the last call */
    uint64_t *device; /* the address of each array on the device */
    uint64_t fills;   /* how often new inputs were made */
} run;

/* All arrays, short enough for seconds on two cores, for what does not depend on their length; the same, but longer on
 * a GPU; and a few arrays. */
lab03_size short_arrays(void);
lab03_size size_for_device(void);
lab03_size small_size(void);

/* Starts the student's program or the reference, and calls "prepare". What the second copies is not kept: its calls are
 * timed. */
run run_begin(bool reference, lab03_size size);
run run_begin_timed(lab03_size size);

/* Makes new inputs and rates and poisons the outputs. Every array has numbers and a rate of its own. */
void run_fill(run *this_run);

/* Calls a function of the program and returns its milliseconds. The second makes new inputs first. */
double run_call(run *this_run, const char *name);
double run_call_afresh(run *this_run, const char *name);

/* An array's operations in the record: its first copy in, the lab's kernel after all of it was copied in, and its last
 * copy out after that. A copy may be made in pieces, and to or from any place of the host. */
typedef struct passage {
    const lab_trace_op *in, *kernel, *out;
    size_t bytes_in, bytes_out;
} passage;

/* The operations of all arrays. */
typedef struct passages {
    const lab_trace *trace;
    const passage *array;
    const int *owner; /* for each operation of the record the array that it copies or computes; -1 for none */
} passages;

/* Records one call of a function of the program with new inputs, and finds the operations of all arrays. `result` is as
 * in check_call. Fails the check if an output is wrong, an operation is missing, or a launch is not the lab's. */
passages run_record(run *this_run, const char *function, void *result, size_t result_bytes);

/* The operations that belong to an array, for loops: the next one after this one, or the first if it is NULL; NULL at
 * the end. */
const lab_trace_op *run_next(const passages *found, const lab_trace_op *op);

/* Fails the check unless all outputs of the last call are right. Its record says why they are not: `trace`, or the
 * running record for NULL. */
void run_check_outputs(const run *this_run, const lab_trace *trace, const char *function);

/* In a check with .any_order: fails it if nothing orders two operations that must be ordered. */
void run_check_order(const run *this_run, const passages *found, const char *function);

/* Fails the check unless these outputs are what the lab's kernel made of the inputs. Not for checks that measure. */
void run_check_flow(const run *this_run, const lab_trace *trace, const char *function);

#endif

/* What the checks of lab 03 share: a program with its sizes and a copy of its inputs, what its record shows of each array, and
 * whether its outputs are right. It knows the reference on the host; what a check is, it refuses to know. */
#ifndef LAB03_CHECKS_RUN_H
#define LAB03_CHECKS_RUN_H

#include "check.h"
#include "shared.h"

enum { FEW_ARRAYS = 12, FEW_STREAMS = 5, ALL_ARRAYS = 200 };

typedef struct run {
    check_program *program;
    lab03_size size;
    lab03_head head;
    void *shared;    /* the shared memory, where this side sees it */
    float *input;    /* array after array */
    float *found;    /* the outputs after the last call */
    uint64_t memory; /* where the program sees the shared memory */
    uint64_t fills;  /* how often the inputs were made anew */
} run;

/* All arrays, small enough for seconds on two cores: for what does not depend on their length; the same, but longer on a
 * GPU; and a few arrays. */
lab03_size short_arrays(void);
lab03_size size_for_device(void);
lab03_size small_size(void);

/* Starts the student's program or the reference, and lets it get ready. */
run run_begin(bool reference, lab03_size size);

/* New inputs and rates, and outputs that nobody has written. Every array has numbers and a rate of its own. */
void run_fill(run *of);

/* Calls a function of the program: the milliseconds that took. The second makes new inputs before. */
double run_call(run *of, const char *name);
double run_call_afresh(run *of, const char *name);

/* What the record shows of an array: its last copy in, the kernel after it, and its copy out. */
typedef struct passage {
    const lab_trace_op *in, *kernel, *out;
} passage;

/* Those of all arrays; fails the check if one is missing. */
passage *run_follow_all(const run *of, const lab_trace *trace, const char *function);

/* Whether all outputs of the last call are what their arrays' inputs give; fails the check if not. */
void run_check_outputs(const run *of, const char *function);

#endif

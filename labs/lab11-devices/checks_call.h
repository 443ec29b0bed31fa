/* One call of a function of lab 11: its inputs, what must come out, its record, and what every call is asked. */
#ifndef LAB11_CHECKS_CALL_H
#define LAB11_CHECKS_CALL_H

#include "check.h"
#include "lab11.h"
#include "plan.h"
#include "shared.h"

/* One call: its inputs, what must come out, and its record. */
typedef struct call {
    check_program *program;
    const char *function;
    lab11_arguments given;
    float *in[LAB11_ARRAYS], *out[LAB11_ARRAYS]; /* out: what is expected; NULL: nobody looks at it */
    const char *what[LAB11_ARRAYS];              /* the outputs, for messages; NULL for the only one */
    check_passage passage[LAB11_ARRAYS];
    size_t passages;
    int result;
    const lab_trace *trace;
    check_span span;
    uint64_t stream[LAB11_DEVICES];
    check_place (*place_of_wrong)(const struct call *now, uint64_t number); /* where it is wrong; may be NULL */
} call;

/* Some of the numbers of an array. */
typedef struct part {
    uint64_t first, end;
} part;

size_t call_bytes(const call *now);

/* What the kernels make of these numbers. */
float *call_advanced(const call *now, const float *from);

float *call_mixed(const call *now, const float *a, const float *b);

/* Gives the call new numbers in this array of the shared memory. */
float *call_put_numbers(call *now, int array);

call call_make(check_program *program, const char *function, lab11_arguments given);

/* These numbers of the output must come from the same ones of the input. */
check_passage *call_add_passage(call *now, const char *what, const float *output, const float *input, part numbers);

/* Expects these numbers in an array, which come from the inputs; the second may be NULL. */
void call_expect(call *now, int array, const char *what, float *numbers, const float *a, const float *b);

/* Calls the function and reads the record. */
void call_run(call *now);

/* An argument of a kernel as a number: an address, or an int. */
uint64_t call_argument(const lab_trace_op *kernel, int which);

/* The place of the operation, and the line of the call before it on its stream. */
check_place call_place(const call *now, const lab_trace_op *op);

/* Fails the check unless each operation of the call is on a device and its stream. */
void call_check_place(const call *now, const lab_trace_op *op, int device);

/* Fails the check unless a kernel has blocks of 128 threads, enough for so many numbers, and is given their count. */
void call_check_launch(const call *now, const lab_trace_op *kernel, int numbers);

/* Fails the check if the function enqueued nothing. */
void call_check_written(const call *now);

/* Fails the check if nothing orders two operations that must be ordered. */
void call_check_order(const call *now);

/* Compares the outputs. */
void call_check_numbers(const call *now);

/* Proves that the outputs came from the inputs by way of the kernels, and that nothing was left. */
void call_prove(const call *now);

#endif

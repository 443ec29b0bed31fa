/* call.h: what a check and a program agree on for a call: the marks around the student's function (WORKER_CALL), and
 * the arguments and the shared memory of a case that leaves both to the harness (case.h). */
#ifndef GRADER_HARNESS_WORKER_CALL_H
#define GRADER_HARNESS_WORKER_CALL_H

#include <stddef.h>

#define CALL_BEGINS "the call begins"
#define CALL_ENDS "the call ends"

enum { DRAWN_ARRAYS = 18, DRAWN_NUMBERS = 6 };

typedef struct drawn_arguments {
    size_t count, most, arrays; /* numbers in each array; the most that a call may have; arrays */
    float real[DRAWN_NUMBERS];
    int whole[DRAWN_NUMBERS];
} drawn_arguments;

/* The bytes from the beginning of an array in the shared memory to that of the next one. */
static inline size_t drawn_room(size_t most) { return (most * sizeof(float) + 63) / 64 * 64; }

#endif

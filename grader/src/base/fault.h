/*
 * fault.h: what went wrong in the grader itself.
 *
 * A fault is a sentence: what could not be done, with what, and why. It is never the student's doing and never costs a
 * student points. A function that can fail this way returns false and fills in the fault.
 */
#ifndef GRADER_BASE_FAULT_H
#define GRADER_BASE_FAULT_H

#include <stdbool.h>

typedef struct grader_fault {
    char text[1024];
} grader_fault;

/* Sets the sentence, printf-like, and returns false, so that `return fault_set(...)` reads as one step. A sentence that
 * is too long ends in "...". */
bool fault_set(grader_fault *fault, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same with ": " and the text of errno at the end. */
bool fault_errno(grader_fault *fault, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The sentence for memory that ran out: "not enough memory for WHAT". Returns false. */
bool fault_memory(grader_fault *fault, const char *what);

/* Returns false from the calling function if `call` fails. `call` has then filled in the caller's fault. */
#define FAULT_TRY(call)                                                                                                \
    do {                                                                                                               \
        if (!(call)) return false;                                                                                     \
    } while (0)

#endif

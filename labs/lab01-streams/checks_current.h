/* Task 2 of lab 01: which stream is current in the steps that a function calls, as the record's marks show it. Each
 * function below that has no result fails the check if its rule is broken; `cause` may be NULL. */
#ifndef LAB01_CHECKS_CURRENT_H
#define LAB01_CHECKS_CURRENT_H

#include "check.h"
#include "lab01.h"
#include "shared.h"

/* What the record shows of a call: the streams, by number, and the current stream at each moment. */
typedef struct currents {
    uint64_t before, after;
    uint64_t given[2];
    int calls;                     /* of steps */
    int step[LAB01_STEPS];         /* which step each of the first calls was */
    uint64_t current[LAB01_STEPS]; /* and which stream was current in it */
    bool strange;                  /* a step got another user than its own */
    int by_scope;                  /* calls in which LAB_WITH_STREAM had made the stream current */
    int returned;                  /* the status */
} currents;

/* One call of the function, with streams of its own. */
currents watch(check_program *program, const char *function, lab01_failure failure);

/* The calls of steps 1 to `steps`, each with the right stream current. The last of them may have failed. */
void check_steps(const currents *seen, int steps, bool failed, const char *function);

/* The lesson has two ways to make a stream current, and each function shows one of them. */
void check_manner(const currents *seen, bool scopes, const char *function);

/* The function returned the status of the step that failed, or success. */
void check_returned(const currents *seen, lab01_failure failure, const char *function, const char *cause);

/* The stream from before is current again. */
void check_after(const currents *seen, const char *function, const char *cause);

#endif

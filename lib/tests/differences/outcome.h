/*
 * A random program run on this process's device, and what came of it: what every call gave, what is in memory at the end,
 * and what its record says must happen before what. Times are no part of it. Knows nothing of other devices.
 */
#ifndef LAB_TESTS_DIFFERENCES_OUTCOME_H
#define LAB_TESTS_DIFFERENCES_OUTCOME_H

#include "seeds.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct outcome {
    uint64_t calls, bytes, order; /* other numbers if something in it is otherwise */
    int failures;                 /* steps that failed and are no mistakes */
    int wrong;                    /* buffers and reads that hold what the program does not compute */
    int misordered; /* pairs of operations that the record orders and the program does not, or the reverse */
    int findings;   /* of the order checker, which should have none */
} outcome;

/* Runs the entry's program; the first call opens the device. With `details` everything that goes into the outcome is written
 * there, a line each. False, with the reason on stderr, if the device cannot be used at all. */
bool outcome_of(outcome *made, seed_entry entry, FILE *details);

/* The program as a list of steps. */
void outcome_list(FILE *out, seed_entry entry);

#endif

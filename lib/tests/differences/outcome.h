/*
 * A random program run on this process's device, and its outcome: the result of every call, the contents of memory at
 * the end, and the order that its record requires. Times are not included. Independent of other devices.
 */
#ifndef LAB_TESTS_DIFFERENCES_OUTCOME_H
#define LAB_TESTS_DIFFERENCES_OUTCOME_H

#include "seeds.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct outcome {
    uint64_t calls, bytes, order; /* differ if anything in them differs */
    int failures;                 /* steps that failed without being mistakes */
    int wrong;                    /* buffers and reads with contents that the program does not compute */
    int misordered;               /* pairs of operations that only the record or only the program orders */
    int findings;                 /* findings of the order checker, which should have none */
} outcome;

/* Runs the entry's program; the first call opens the device. `details`, if not NULL, gets a line for everything that
 * goes into the outcome. False, with the reason on stderr, if the device cannot be used at all. */
bool outcome_of(outcome *made, seed_entry entry, FILE *details);

/* Writes the program as a list of steps. */
void outcome_list(FILE *out, seed_entry entry);

#endif

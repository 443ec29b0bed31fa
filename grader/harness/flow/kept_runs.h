/*
 * The kept bytes of one way, to the device or from it, as runs: adjacent bytes that can be searched as one. The parts
 * of a copy are one run. So are small copies that lie next to one another in device memory, or else in the program's:
 * an array that is copied element by element is found, from either end.
 */
#ifndef GRADER_HARNESS_FLOW_KEPT_RUNS_H
#define GRADER_HARNESS_FLOW_KEPT_RUNS_H

#include "kept_bytes.h"
#include "lab_trace.h"

/* A part of a copy. */
typedef struct kept_part {
    uint32_t op;                  /* the copy's id in the record */
    uint64_t device, host;        /* addresses */
    const unsigned char *content; /* in the evidence */
    size_t bytes;
    size_t at;   /* in its run */
    size_t next; /* in its run: the number of the next part plus 1; 0 at the end */
} kept_part;

typedef struct kept_run {
    const unsigned char *bytes;
    unsigned char *own; /* the same if they had to be put together; else NULL */
    size_t size;
    size_t part, last; /* its first and last part */
} kept_run;

typedef struct kept_runs {
    kept_part *part; /* in the order in which they were copied */
    size_t parts, part_capacity;
    kept_run *run;
    size_t runs;
    size_t *by_op; /* the parts' numbers, by operation and device address */
} kept_runs;

/* False if memory runs out. Call kept_runs_free in any case. Copies that the record does not have are left out. */
bool kept_runs_make(kept_runs *out, const check_evidence *kept, evidence_way way, const lab_trace *trace);
void kept_runs_free(kept_runs *runs);

/* The part of this operation that holds the byte at this device address; NULL if it was not kept. */
const kept_part *kept_runs_find(const kept_runs *runs, uint32_t op, uint64_t device);

#endif

/*
 * A record as if the program had not launched graphs but their nodes, one after another in the order of capture. The
 * graph allows that order; whether its nodes use the same bytes without an order, the order checker has said.
 */
#ifndef GRADER_HARNESS_FLOW_GRAPH_RUNS_H
#define GRADER_HARNESS_FLOW_GRAPH_RUNS_H

#include "lab_trace.h"

/* A launch stays what it is if the record does not show its graph's capture, if a node is neither a kernel nor a fill,
 * or if there would be too many operations. */
typedef struct graph_runs {
    lab_trace trace;  /* borrows all strings and lists */
    uint64_t *origin; /* of each operation: the id that it, or its launch, has in the record */
} graph_runs;

/* False if memory runs out. Call graph_runs_free in any case. */
bool graph_runs_make(graph_runs *out, const lab_trace *record);
void graph_runs_free(graph_runs *runs);

#endif

/*
 * The order that a record requires, whatever the times: an operation's place on its stream, the events and null-stream
 * rules it waits for, and the host's calls, one after another in each thread. Independent of durations and memory.
 *
 * Every operation has two moments: its work is done (if it has work), and its call has returned.
 */
#ifndef LAB_TRACE_DEPENDENCE_H
#define LAB_TRACE_DEPENDENCE_H

#include "trace/trace.h"

typedef enum dependence_kind {
    DEPENDENCE_STREAM, /* before it on its stream */
    DEPENDENCE_EVENT,  /* before an event it waits for */
    DEPENDENCE_NULL,   /* the null stream's rules */
    DEPENDENCE_HOST,   /* enqueued or called after the host's earlier call returned */
    DEPENDENCE_WAIT,   /* the host's call waits for it */
    DEPENDENCE_STAGED, /* the host's call waits until the source is read, but not until the data arrive */
    DEPENDENCE_ANSWER, /* a query of the host that succeeded at once: the program may not have cared */
} dependence_kind;

/* The moments of operation i: its work is done, its call has returned. */
static inline size_t dependence_done(size_t op) { return 2 * op; }
static inline size_t dependence_returned(size_t op) { return 2 * op + 1; }
static inline size_t dependence_op(size_t moment) { return moment / 2; }
static inline bool dependence_is_return(size_t moment) { return moment % 2 == 1; }

typedef struct dependence_edge {
    size_t source; /* a moment */
    dependence_kind kind;
} dependence_edge;

typedef struct dependence {
    const lab_trace *trace;
    dependence_edge *edge;
    size_t *first;    /* moment m waits for edge[first[m]] to edge[first[m + 1] - 1] */
    size_t *previous; /* the call before, of the same thread; trace->ops if none */
    size_t edges, capacity;
} dependence;

/* Whether the operation is enqueued on a stream. */
bool lab_dependence_is_work(const lab_trace_op *op);

/* Whether its call waits for everything enqueued on its device before: its first moment is when all of that is done. */
bool lab_dependence_is_join(const lab_trace_op *op);

/* Borrows the record. To be cleared after success. */
lab_status lab_dependence_create(dependence *out, const lab_trace *trace);
void lab_dependence_clear(dependence *graph);

/* Adds an edge to the moment being built, for graphs of other edges. False if there is no memory. */
bool lab_dependence_add(dependence *graph, size_t source, dependence_kind kind);

/* Marks in reached[] (2 * ops entries) `start` and every moment that must come after it. Follows only edges of the
 * kinds in the set. */
typedef unsigned dependence_set; /* bits 1 << kind */
enum {
    DEPENDENCE_ON_DEVICE = 1 << DEPENDENCE_STREAM | 1 << DEPENDENCE_EVENT | 1 << DEPENDENCE_NULL,
    DEPENDENCE_ALL = DEPENDENCE_ON_DEVICE | 1 << DEPENDENCE_HOST | 1 << DEPENDENCE_WAIT,
    DEPENDENCE_LEARNED = DEPENDENCE_ALL | 1 << DEPENDENCE_ANSWER,
};
void lab_dependence_reach(const dependence *graph, size_t start, dependence_set kinds, bool *reached);

#endif

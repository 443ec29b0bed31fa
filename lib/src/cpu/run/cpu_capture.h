/*
 * Capture on the CPU devices: which streams capture, what their operations become, and which calls a capture forbids.
 * Streams, events and memory ask here first; they know nothing else of graphs.
 */
#ifndef LAB_CPU_RUN_CPU_CAPTURE_H
#define LAB_CPU_RUN_CPU_CAPTURE_H

#include "engine.h"

/* What a captured operation says of itself; the strings are borrowed. */
struct cpu_captured {
    lab_graph_node node;
    uint64_t function; /* backend_launch's */
};

/* Nodes of a graph, each once. */
typedef struct cpu_node_set {
    int *node;
    int count, capacity;
} cpu_node_set;

/* A place in a capture: what follows there waits for these nodes. Of a stream: where it is now; of an event: where it
 * was recorded. */
typedef struct cpu_capture cpu_capture;
typedef struct cpu_place {
    cpu_capture *capture; /* NULL: none */
    cpu_node_set after;
} cpu_place;

/* ---- graph.c ---- */

/* A graph under construction; NULL (with the message set) if memory ran out. */
backend_graph *cpu_graph_create(backend_context *context);

/* Makes the operation a node that waits for those of `after`. Keeps a reference to it. Needs the engine's lock. */
lab_status cpu_graph_add(int *node, backend_graph *graph, cpu_op *op, const cpu_node_set *after);

/* Whether every node that no other waits for is in the set. */
bool cpu_graph_ends_in(const backend_graph *graph, const cpu_node_set *set);

/* Frees the graph; instantiated ones keep what they need. Needs the engine's lock. */
void cpu_graph_free(backend_graph *graph);

/* ---- capture.c: what the other files ask, all with the engine's lock ---- */

/* True if the operation must not be submitted: it has become a node of the capture that the stream is in, or *status
 * says why it is refused. */
bool cpu_capture_takes(lab_status *status, backend_stream *stream, cpu_op *op);

/* True if capture decides what recording the event on the stream, or waiting for it, means: *status is the outcome. */
bool cpu_capture_records(lab_status *status, backend_event *event, backend_stream *stream);
bool cpu_capture_waits(lab_status *status, backend_stream *stream, backend_event *event);

/* The event stands for no place in a capture any more. */
void cpu_capture_forget(backend_event *event);

/* The stream is about to go: a capture that began on it ends. */
void cpu_capture_leave(backend_stream *stream);

/* Refuses to wait for the event, or to ask whether it is done; LAB_SUCCESS if that is allowed. */
lab_status cpu_capture_check_event(const backend_event *event);

/* Refuses to measure from an event of a capture, or to one. */
lab_status cpu_capture_check_times(const backend_event *start, const backend_event *end);

/* ---- The same without the lock ---- */

/* Refuses to wait for the stream, or to ask whether it is done. */
lab_status cpu_capture_check_stream(backend_stream *stream);

bool cpu_capture_is_on(backend_stream *stream);

#endif

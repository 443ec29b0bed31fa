/*
 * Captures of the playground's device: which streams capture, and the nodes and edges that come of it. One capture at a
 * time, by one thread, as a program of the playground has it.
 */
#ifndef LAB_PLAYGROUND_CAPTURE_H
#define LAB_PLAYGROUND_CAPTURE_H

#include "program.h"
#include "seam/backend.h"

/* Some nodes of a graph. */
typedef struct node_set {
    uint64_t bits[PLAY_STATEMENTS / 64];
} node_set;

struct backend_stream {
    bool null, blocking;
    uint64_t capture; /* the number of the capture that it entered last; 0 for none */
    node_set after;   /* what the next operation waits for, in that capture */
};

struct backend_event {
    uint64_t capture; /* the number of the capture in which it was recorded; 0 for none */
    node_set after;
};

/* True if the operation does not run: it is a node now, or *status says why not. */
bool capture_takes(lab_status *status, backend_stream *stream, const lab_graph_node *node, uint64_t function);
bool capture_records(backend_event *event, const backend_stream *stream);
bool capture_waits(lab_status *status, backend_stream *stream, const backend_event *event);

/* Forgets a capture that has not ended. */
void capture_forget(void);

/* ---- Entries of the backend ---- */

lab_status capture_begin(backend_stream *stream, lab_capture_mode mode);
lab_status capture_end(backend_graph **out, backend_stream *stream);
lab_status capture_status(lab_capture_status *status, backend_stream *stream);
uint64_t capture_number(backend_stream *stream);
bool capture_any(void);
void capture_exchange_mode(lab_capture_mode *mode);
lab_status capture_check_unsafe(const char *call);
lab_status capture_check_stream(backend_stream *stream);
lab_status capture_check_event(backend_event *event);
lab_status capture_check_context(backend_context *context);

void capture_graph_destroy(backend_graph *graph);
int capture_graph_nodes(const lab_graph_node **first, const backend_graph *graph);
int capture_graph_edges(const lab_graph_edge **first, const backend_graph *graph);
uint64_t capture_graph_function(const backend_graph *graph, int node);
lab_status capture_exec_create(backend_exec **out, const backend_graph *graph);
void capture_exec_destroy(backend_exec *exec);
lab_status capture_exec_launch(backend_exec *exec, backend_stream *stream, backend_times *times);

#endif

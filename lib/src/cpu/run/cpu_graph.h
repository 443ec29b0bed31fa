/* Graphs of the CPU devices: operations as they were captured, and the edges between them. */
#ifndef LAB_CPU_RUN_CPU_GRAPH_H
#define LAB_CPU_RUN_CPU_GRAPH_H

#include "cpu/engine/operation.h"

/* What a captured operation says of itself; the strings are borrowed. */
struct cpu_captured {
    lab_graph_node node;
    uint64_t function; /* as in backend_launch */
};

/* Nodes of a graph, each once. */
typedef struct cpu_node_set {
    int *node;
    int count, capacity;
} cpu_node_set;

/* Entries of the backend. */
void cpu_graph_destroy(backend_graph *graph);
int cpu_graph_nodes(const lab_graph_node **first, const backend_graph *graph);
int cpu_graph_edges(const lab_graph_edge **first, const backend_graph *graph);
uint64_t cpu_graph_function(const backend_graph *graph, int node);

/* A graph under construction; NULL (with the message set) if memory ran out. */
backend_graph *cpu_graph_create(backend_context *context);

/* Whether no other node waits for this one. */
bool cpu_graph_is_end(const backend_graph *graph, int node);

/* Whether every node that no other waits for is in the set. */
bool cpu_graph_ends_in(const backend_graph *graph, const cpu_node_set *set);

backend_context *cpu_graph_context(const backend_graph *graph);

/* The node's operation, never submitted: what runs are operations made like it. Borrowed. */
cpu_op *cpu_graph_op(const backend_graph *graph, int node);

/* ---- With the engine's lock ---- */

/* Makes the operation a node that waits for those of `after`. Keeps a reference to it. */
lab_status cpu_graph_add(int *node, backend_graph *graph, cpu_op *op, const cpu_node_set *after);

/* Frees the graph; instantiated ones keep what they need. */
void cpu_graph_free(backend_graph *graph);

#endif

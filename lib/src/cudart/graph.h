/* Graphs of both interfaces: captured, or built node by node and captured when they are instantiated. */
#ifndef LAB_CUDART_GRAPH_H
#define LAB_CUDART_GRAPH_H

#include "graph_memory.h"

#include <stdatomic.h>

/* Any of the kinds of nodes; what a kernel needs is copied. */
struct CUgraphNode_st {
    struct CUgraph_st *graph;
    enum cudaGraphNodeType type;
    cudaGraphNode_t *after;
    size_t after_count;
    struct cudaKernelNodeParams kernel;
    lab_function function;
    void *value[LAB_MOST_PARAMETERS + 1]; /* kernel.kernelParams: pointers into `values` */
    unsigned char *values;
    copy_side to, from;
    copy_box box;
    enum cudaMemcpyKind kind;
    int fill;
    struct cudaHostNodeParams host;
    graph_memory *memory; /* that the node allocates or frees */
    struct cudaMemAllocNodeParams allocated;
    struct CUgraph_st *child; /* the node's own copy */
    int index;                /* among the nodes of a captured graph */
    size_t mark;              /* while the graph is walked */
};

struct CUgraph_st {
    lab_graph *captured; /* NULL: built node by node. It never changes, and copies of the graph share it: */
    atomic_int *owners;  /* how many have it */
    struct CUgraphNode_st **node;
    size_t count, capacity;
    graph_memories memories;
    struct CUgraphExec_st *exec; /* the only one, if the graph has memory and is instantiated */
};

struct CUgraphExec_st {
    lab_graph_exec *exec;
    int nodes;
    lab_graph_node_kind *kind; /* of each node */
    cudaGraphNode_t *kernel;   /* of each node that is a kernel, the node that it came from; else NULL */
    int edges;
    lab_graph_edge *edge;
    graph_memories memories;
    struct CUgraph_st *graph; /* whose only one this is, until that is destroyed */
    bool frees_first;         /* what the launch before has left unfreed */
};

/* A graph without nodes; NULL if memory runs out. Takes `captured` over, even then. */
struct CUgraph_st *cudart_graph_make(lab_graph *captured);
void cudart_graph_free(struct CUgraph_st *graph);

/* A copy of a captured graph; NULL if memory runs out. */
struct CUgraph_st *cudart_graph_share(const struct CUgraph_st *graph);

/* Ends a capture. Its graph is dropped if `out` is NULL. */
lab_status cudart_graph_end_capture(cudaGraph_t *out, lab_stream *stream);

/* Makes the nodes of a captured graph, if that was not done. */
lab_status cudart_graph_read(struct CUgraph_st *graph);

/* The graph in the library's form: captured by replaying the nodes. `kernel`, if not NULL, gets the nodes whose
 * kernels were launched, in order, and is the caller's. The caller destroys *made if `is_own`. */
lab_status cudart_graph_capture(lab_graph **made, bool *is_own, cudaGraphNode_t **kernel, struct CUgraph_st *graph);

lab_status cudart_graph_instantiate(cudaGraphExec_t *out, cudaGraph_t graph, unsigned long long flags);

/* Makes the executable graph run the nodes of `graph` if that has the same kinds of nodes and the same edges, and if,
 * of graphs that allocate or free memory, it is the one that the executable graph was made from. *result says what
 * hindered it. */
lab_status cudart_graph_exec_update(enum cudaGraphExecUpdateResult *result, cudaGraphExec_t exec, cudaGraph_t graph);
lab_status cudart_graph_launch(cudaGraphExec_t exec, lab_stream *stream);
lab_status cudart_graph_exec_destroy(cudaGraphExec_t exec);

#endif

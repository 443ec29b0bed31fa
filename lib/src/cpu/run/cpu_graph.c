/* A graph grows node by node. The edges of a node follow those of the node before. */
#include "cpu_graph.h"

#include "base/retire.h"
#include "cpu/engine/engine_lock.h"

#include <stdlib.h>
#include <string.h>

typedef struct graph_node {
    cpu_op *op;
    uint64_t function;
    bool awaited; /* another node waits for it */
} graph_node;

struct backend_graph {
    retired retired;
    backend_context *context;
    graph_node *node;
    lab_graph_node *shown; /* the same nodes, as lab.h describes them */
    int nodes, node_capacity;
    lab_graph_edge *edge;
    int edges, edge_capacity;
};

backend_graph *cpu_graph_create(backend_context *context)
{
    backend_graph *made = calloc(1, sizeof *made);
    if (!made) lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for a graph");
    if (made) made->context = context;
    return made;
}

void cpu_graph_free(backend_graph *graph)
{
    for (int i = 0; i < graph->nodes; i++) {
        cpu_op_release(graph->node[i].op);
        free((char *)graph->shown[i].name);
    }
    free(graph->node);
    free(graph->shown);
    free(graph->edge);
    free(graph);
}

static void release(retired *graph)
{
    cpu_engine_lock();
    cpu_graph_free((backend_graph *)graph);
    cpu_engine_unlock();
}

void cpu_graph_destroy(backend_graph *graph) { retire(&graph->retired, release); }

static lab_status no_memory(void)
{
    return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory to capture an operation");
}

static lab_status make_room_for_node(backend_graph *graph)
{
    if (graph->nodes < graph->node_capacity) return LAB_SUCCESS;
    const int capacity = 2 * graph->nodes + 8;
    graph_node *node = realloc(graph->node, (size_t)capacity * sizeof *node);
    if (node) graph->node = node;
    lab_graph_node *shown = realloc(graph->shown, (size_t)capacity * sizeof *shown);
    if (shown) graph->shown = shown;
    if (!node || !shown) return no_memory();
    graph->node_capacity = capacity;
    return LAB_SUCCESS;
}

static lab_status make_room_for_edges(backend_graph *graph, int edges)
{
    if (graph->edges + edges <= graph->edge_capacity) return LAB_SUCCESS;
    const int capacity = 2 * (graph->edges + edges) + 8;
    lab_graph_edge *edge = realloc(graph->edge, (size_t)capacity * sizeof *edge);
    if (!edge) return no_memory();
    graph->edge = edge;
    graph->edge_capacity = capacity;
    return LAB_SUCCESS;
}

lab_status cpu_graph_add(int *node, backend_graph *graph, cpu_op *op, const cpu_node_set *after)
{
    LAB_TRY(make_room_for_node(graph));
    LAB_TRY(make_room_for_edges(graph, after->count));
    cpu_captured captured = {.node.name = ""};
    op->describe(&captured, op);
    captured.node.name = strdup(captured.node.name);
    if (!captured.node.name) return no_memory();
    *node = graph->nodes++;
    graph->shown[*node] = captured.node;
    graph->node[*node] = (graph_node){.op = cpu_op_retain(op), .function = captured.function};
    for (int i = 0; i < after->count; i++) {
        graph->node[after->node[i]].awaited = true;
        graph->edge[graph->edges++] = (lab_graph_edge){.from = after->node[i], .to = *node};
    }
    return LAB_SUCCESS;
}

bool cpu_graph_is_end(const backend_graph *graph, int node) { return !graph->node[node].awaited; }

bool cpu_graph_ends_in(const backend_graph *graph, const cpu_node_set *set)
{
    int ends = 0, reached = 0;
    for (int i = 0; i < graph->nodes; i++) ends += !graph->node[i].awaited;
    for (int i = 0; i < set->count; i++) reached += !graph->node[set->node[i]].awaited;
    return ends == reached;
}

int cpu_graph_nodes(const lab_graph_node **first, const backend_graph *graph)
{
    *first = graph->shown;
    return graph->nodes;
}

int cpu_graph_edges(const lab_graph_edge **first, const backend_graph *graph)
{
    *first = graph->edge;
    return graph->edges;
}

backend_context *cpu_graph_context(const backend_graph *graph) { return graph->context; }

cpu_op *cpu_graph_op(const backend_graph *graph, int node) { return graph->node[node].op; }

uint64_t cpu_graph_function(const backend_graph *graph, int node) { return graph->node[node].function; }

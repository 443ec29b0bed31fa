/* Graphs: their nodes, and how a graph that was built node by node is captured. */
#include "graph.h"

#include "base/status.h"
#include "objects/work/graph_memory.h"

#include <stdlib.h>
#include <string.h>

struct CUgraph_st *cudart_graph_make(lab_graph *captured)
{
    struct CUgraph_st *made = calloc(1, sizeof *made);
    atomic_int *owners = captured ? malloc(sizeof *owners) : NULL;
    if (!made || (captured && !owners)) {
        free(made);
        free(owners);
        if (captured) lab_graph_destroy(captured);
        return NULL;
    }
    *made = (struct CUgraph_st){.captured = captured, .owners = owners};
    if (owners) atomic_init(owners, 1);
    return made;
}

struct CUgraph_st *cudart_graph_share(const struct CUgraph_st *graph)
{
    struct CUgraph_st *made = calloc(1, sizeof *made);
    if (!made) return NULL;
    *made = (struct CUgraph_st){.captured = graph->captured, .owners = graph->owners};
    atomic_fetch_add(made->owners, 1);
    return made;
}

static void free_node(struct CUgraphNode_st *node)
{
    if (node->child) cudart_graph_free(node->child);
    free(node->values);
    free(node->after);
    free(node);
}

void cudart_graph_free(struct CUgraph_st *graph)
{
    for (size_t i = 0; i < graph->count; i++) free_node(graph->node[i]);
    if (graph->captured && atomic_fetch_sub(graph->owners, 1) == 1) {
        lab_graph_destroy(graph->captured);
        free(graph->owners);
    }
    if (graph->exec) graph->exec->graph = NULL;
    cudart_graph_memory_release(&graph->memories);
    free(graph->node);
    free(graph);
}

lab_status cudart_graph_end_capture(cudaGraph_t *out, lab_stream *stream)
{
    lab_graph *captured = NULL;
    if (out) *out = NULL;
    graph_memories memories = cudart_graph_memory_captured(stream);
    lab_status status = lab_stream_end_capture(&captured, stream);
    if (status == LAB_SUCCESS && !out) status = lab_graph_destroy(captured);
    if (status == LAB_SUCCESS && out) {
        *out = cudart_graph_make(captured);
        if (*out) {
            (*out)->memories = memories;
            return LAB_SUCCESS;
        }
        status = LAB_ERROR_OUT_OF_MEMORY;
    }
    cudart_graph_memory_release(&memories);
    return status;
}

/* ---- replaying ---- */

/* A capture under way: the streams of its branches, and for each node the event that its successors wait for. */
typedef struct replay {
    lab_stream *origin;
    lab_stream **stream; /* all that were made */
    lab_event **event;   /* all that were made; the first marks the beginning */
    size_t streams, events, capacity;
    cudaGraphNode_t *kernel; /* the nodes whose kernels were launched */
    size_t kernels;
} replay;

static size_t count_all(const struct CUgraph_st *graph)
{
    size_t count = graph->count;
    for (size_t i = 0; i < graph->count; i++)
        if (graph->node[i]->child) count += count_all(graph->node[i]->child);
    return count;
}

static lab_status make_branch(lab_stream **out, replay *under_way)
{
    LAB_TRY(lab_stream_create(out, LAB_STREAM_NON_BLOCKING));
    under_way->stream[under_way->streams++] = *out;
    return LAB_SUCCESS;
}

static lab_status mark_place(lab_event **out, replay *under_way, lab_stream *stream)
{
    LAB_TRY(lab_event_create(out, LAB_EVENT_DISABLE_TIMING));
    under_way->event[under_way->events++] = *out;
    return lab_event_record(*out, stream);
}

static lab_status replay_graph(replay *under_way, struct CUgraph_st *graph, lab_stream *stream, lab_event *begin);

static lab_status replay_node(replay *under_way, struct CUgraphNode_st *node, lab_stream *stream)
{
    lab_event *begin;
    cudaError_t copied;
    switch (node->type) {
    case cudaGraphNodeTypeKernel:
        under_way->kernel[under_way->kernels++] = node;
        return cudart_launch_raw(node->function, as_lab_dim(node->kernel.gridDim), as_lab_dim(node->kernel.blockDim),
                                 node->kernel.sharedMemBytes, stream, node->value, false);
    case cudaGraphNodeTypeMemcpy:
        copied = cudart_copy_box_enqueue(node->to, node->from, node->box, node->kind, stream, false);
        return (lab_status)copied;
    case cudaGraphNodeTypeMemset: return cudart_fill_box_enqueue(node->to, node->fill, node->box, stream);
    case cudaGraphNodeTypeHost: return lab_stream_launch_host_func(stream, node->host.fn, node->host.userData);
    case cudaGraphNodeTypeGraph:
        LAB_TRY(mark_place(&begin, under_way, stream));
        return replay_graph(under_way, node->child, stream, begin);
    case cudaGraphNodeTypeMemAlloc:
    case cudaGraphNodeTypeMemFree:
        return graph_memory_add_node(stream, cudart_graph_memory_address(node->memory),
                                     cudart_graph_memory_bytes(node->memory), node->type == cudaGraphNodeTypeMemFree);
    case cudaGraphNodeTypeEmpty: break;
    }
    return LAB_SUCCESS;
}

/* The nodes in an order in which each comes after those that it waits for. False if there is a circle. */
static bool sort(cudaGraphNode_t *sorted, struct CUgraph_st *graph)
{
    enum { NEW, OPEN, DONE };
    size_t count = 0, depth = 0;
    cudaGraphNode_t *open = calloc(graph->count + 1, sizeof *open);
    bool is_sorted = open != NULL;
    for (size_t i = 0; i < graph->count; i++) graph->node[i]->mark = NEW;
    for (size_t i = 0; is_sorted && i < graph->count; i++) {
        if (graph->node[i]->mark == NEW) open[depth++] = graph->node[i];
        while (is_sorted && depth) {
            cudaGraphNode_t node = open[depth - 1], next = NULL;
            node->mark = OPEN;
            for (size_t k = 0; k < node->after_count && !next; k++)
                if (node->after[k]->mark != DONE) next = node->after[k];
            if (next) {
                is_sorted = next->mark == NEW;
                if (is_sorted) open[depth++] = next;
                continue;
            }
            node->mark = DONE;
            sorted[count++] = node;
            depth--;
        }
    }
    free(open);
    return is_sorted;
}

/* Runs the nodes on branches that begin at the event, and makes the stream wait for all of them. */
static lab_status replay_graph(replay *under_way, struct CUgraph_st *graph, lab_stream *stream, lab_event *begin)
{
    lab_status status = LAB_SUCCESS;
    cudaGraphNode_t *sorted = calloc(graph->count + 1, sizeof *sorted);
    lab_event **done = calloc(graph->count + 1, sizeof *done);
    lab_stream **branch = calloc(graph->count + 1, sizeof *branch);
    if (!sorted || !done || !branch) status = LAB_ERROR_OUT_OF_MEMORY;
    if (status == LAB_SUCCESS && !sort(sorted, graph)) status = LAB_ERROR_INVALID_VALUE;
    for (size_t i = 0; status == LAB_SUCCESS && i < graph->count; i++) sorted[i]->mark = i;
    for (size_t i = 0; status == LAB_SUCCESS && i < graph->count; i++) {
        struct CUgraphNode_st *node = sorted[i];
        /* A node continues the branch of the first of its predecessors that no other node continues. */
        for (size_t k = 0; k < node->after_count && !branch[i]; k++) {
            branch[i] = branch[node->after[k]->mark];
            branch[node->after[k]->mark] = NULL;
        }
        if (!branch[i]) status = make_branch(&branch[i], under_way);
        if (status == LAB_SUCCESS && !node->after_count) status = lab_stream_wait_event(branch[i], begin);
        for (size_t k = 0; k < node->after_count && status == LAB_SUCCESS; k++)
            status = lab_stream_wait_event(branch[i], done[node->after[k]->mark]);
        if (status == LAB_SUCCESS) status = replay_node(under_way, node, branch[i]);
        if (status == LAB_SUCCESS) status = mark_place(&done[i], under_way, branch[i]);
    }
    for (size_t i = 0; status == LAB_SUCCESS && i < graph->count; i++)
        if (branch[i]) status = lab_stream_wait_event(stream, done[i]);
    free(sorted);
    free(done);
    free(branch);
    return status;
}

static lab_status capture(lab_graph **made, replay *under_way, struct CUgraph_st *graph)
{
    lab_event *begin;
    LAB_TRY(lab_stream_begin_capture(under_way->origin, LAB_CAPTURE_RELAXED));
    lab_status status = mark_place(&begin, under_way, under_way->origin);
    if (status == LAB_SUCCESS) status = replay_graph(under_way, graph, under_way->origin, begin);
    const lab_status ended = lab_stream_end_capture(made, under_way->origin);
    if (status != LAB_SUCCESS && ended == LAB_SUCCESS) lab_graph_destroy(*made);
    return status == LAB_SUCCESS ? ended : status;
}

lab_status cudart_graph_capture(lab_graph **made, bool *is_own, cudaGraphNode_t **kernel, struct CUgraph_st *graph)
{
    *is_own = !graph->captured;
    *made = graph->captured;
    if (kernel) *kernel = NULL;
    if (graph->captured) return LAB_SUCCESS;
    const size_t most = 2 * count_all(graph) + 2;
    replay under_way = {.stream = calloc(most, sizeof(lab_stream *)),
                        .event = calloc(most, sizeof(lab_event *)),
                        .kernel = calloc(most, sizeof(cudaGraphNode_t))};
    lab_status status = LAB_ERROR_OUT_OF_MEMORY;
    if (under_way.stream && under_way.event && under_way.kernel) status = make_branch(&under_way.origin, &under_way);
    if (status == LAB_SUCCESS) status = capture(made, &under_way, graph);
    for (size_t i = 0; i < under_way.events; i++) lab_event_destroy(under_way.event[i]);
    for (size_t i = 0; i < under_way.streams; i++) lab_stream_destroy(under_way.stream[i]);
    free(under_way.stream);
    free(under_way.event);
    if (kernel && status == LAB_SUCCESS)
        *kernel = under_way.kernel;
    else
        free(under_way.kernel);
    return status;
}

/* ---- captured graphs as nodes ---- */

static enum cudaGraphNodeType type_of(const lab_graph_node *node)
{
    switch (node->kind) {
    case LAB_NODE_KERNEL: return cudaGraphNodeTypeKernel;
    case LAB_NODE_FILL: return cudaGraphNodeTypeMemset;
    case LAB_NODE_HOST_FUNCTION:
        return strcmp(node->name, GRAPH_MEMORY_BEGINS) == 0 ? cudaGraphNodeTypeMemAlloc
               : strcmp(node->name, GRAPH_MEMORY_ENDS) == 0 ? cudaGraphNodeTypeMemFree
                                                            : cudaGraphNodeTypeHost;
    case LAB_NODE_COPY_HTOD:
    case LAB_NODE_COPY_DTOH:
    case LAB_NODE_COPY_DTOD: break;
    }
    return cudaGraphNodeTypeMemcpy;
}

static bool add_after(struct CUgraphNode_st *node, cudaGraphNode_t before)
{
    cudaGraphNode_t *larger = realloc(node->after, (node->after_count + 1) * sizeof *larger);
    if (!larger) return false;
    node->after = larger;
    node->after[node->after_count++] = before;
    return true;
}

lab_status cudart_graph_read(struct CUgraph_st *graph)
{
    const lab_graph_node *node;
    const lab_graph_edge *edge;
    int nodes, edges;
    if (!graph->captured || graph->node) return LAB_SUCCESS;
    LAB_TRY(lab_graph_get_nodes(&node, &nodes, graph->captured));
    LAB_TRY(lab_graph_get_edges(&edge, &edges, graph->captured));
    graph->node = calloc((size_t)nodes + 1, sizeof *graph->node);
    if (!graph->node) return LAB_ERROR_OUT_OF_MEMORY;
    for (int i = 0; i < nodes; i++) {
        struct CUgraphNode_st *made = calloc(1, sizeof *made);
        if (!made) return LAB_ERROR_OUT_OF_MEMORY;
        *made = (struct CUgraphNode_st){.graph = graph, .type = type_of(&node[i]), .index = i};
        graph->node[graph->count++] = made;
    }
    for (int i = 0; i < edges; i++)
        if (!add_after(graph->node[edge[i].to], graph->node[edge[i].from])) return LAB_ERROR_OUT_OF_MEMORY;
    return LAB_SUCCESS;
}

/* ---- executable graphs ---- */

static void free_exec(cudaGraphExec_t exec)
{
    if (exec->graph) exec->graph->exec = NULL;
    cudart_graph_memory_release(&exec->memories);
    free(exec->kind);
    free(exec->kernel);
    free(exec->edge);
    free(exec);
}

/* Notes what the graph's nodes are, and which kernel node each kernel came from. */
static lab_status describe(cudaGraphExec_t made, lab_graph *graph, cudaGraphNode_t *const *kernel)
{
    const lab_graph_node *node;
    const lab_graph_edge *edge;
    LAB_TRY(lab_graph_get_nodes(&node, &made->nodes, graph));
    LAB_TRY(lab_graph_get_edges(&edge, &made->edges, graph));
    made->kind = calloc((size_t)made->nodes + 1, sizeof *made->kind);
    made->kernel = calloc((size_t)made->nodes + 1, sizeof *made->kernel);
    made->edge = calloc((size_t)made->edges + 1, sizeof *made->edge);
    if (!made->kind || !made->kernel || !made->edge) return LAB_ERROR_OUT_OF_MEMORY;
    size_t kernels = 0;
    for (int i = 0; i < made->nodes; i++) {
        made->kind[i] = node[i].kind;
        if (*kernel && node[i].kind == LAB_NODE_KERNEL) made->kernel[i] = (*kernel)[kernels++];
    }
    if (made->edges) memcpy(made->edge, edge, (size_t)made->edges * sizeof *edge);
    return LAB_SUCCESS;
}

/* Notes whose memory a launch allocates and frees. */
static lab_status take_memories(cudaGraphExec_t made, cudaGraph_t graph, unsigned long long flags)
{
    made->frees_first = flags & cudaGraphInstantiateFlagAutoFreeOnLaunch;
    return cudart_graph_memory_copy(&made->memories, &graph->memories) ? LAB_SUCCESS : LAB_ERROR_OUT_OF_MEMORY;
}

/* An executable graph that the graph does not know. */
static lab_status make_exec(cudaGraphExec_t *out, cudaGraph_t graph, unsigned long long flags)
{
    bool is_own;
    lab_graph *captured;
    cudaGraphNode_t *kernel;
    LAB_TRY(cudart_graph_capture(&captured, &is_own, &kernel, graph));
    cudaGraphExec_t made = calloc(1, sizeof *made);
    lab_status status = made ? describe(made, captured, &kernel) : LAB_ERROR_OUT_OF_MEMORY;
    if (status == LAB_SUCCESS) status = take_memories(made, graph, flags);
    if (status == LAB_SUCCESS) status = lab_graph_instantiate(&made->exec, captured);
    if (is_own) lab_graph_destroy(captured);
    free(kernel);
    if (status != LAB_SUCCESS) {
        if (made) free_exec(made);
        return status;
    }
    *out = made;
    return LAB_SUCCESS;
}

lab_status cudart_graph_instantiate(cudaGraphExec_t *out, cudaGraph_t graph, unsigned long long flags)
{
    if (graph->exec)
        return lab_fail(LAB_ERROR_NOT_SUPPORTED, "a graph that allocates or frees memory has one executable graph at a "
                                                 "time: destroy the first with cudaGraphExecDestroy");
    LAB_TRY(make_exec(out, graph, flags));
    if (!graph->memories.count) return LAB_SUCCESS;
    (*out)->graph = graph;
    graph->exec = *out;
    return LAB_SUCCESS;
}

static bool is_same_shape(const struct CUgraphExec_st *one, const struct CUgraphExec_st *other)
{
    return one->nodes == other->nodes && one->edges == other->edges &&
           memcmp(one->edge, other->edge, (size_t)one->edges * sizeof *one->edge) == 0;
}

lab_status cudart_graph_exec_update(enum cudaGraphExecUpdateResult *result, cudaGraphExec_t exec, cudaGraph_t graph)
{
    cudaGraphExec_t updated;
    *result = cudaGraphExecUpdateErrorNotSupported;
    if ((exec->memories.count || graph->memories.count) && exec->graph != graph) return LAB_SUCCESS;
    *result = cudaGraphExecUpdateError;
    LAB_TRY(make_exec(&updated, graph, 0));
    *result = !is_same_shape(exec, updated) ? cudaGraphExecUpdateErrorTopologyChanged
              : memcmp(exec->kind, updated->kind, (size_t)exec->nodes * sizeof *exec->kind) != 0
                  ? cudaGraphExecUpdateErrorNodeTypeChanged
                  : cudaGraphExecUpdateSuccess;
    if (*result == cudaGraphExecUpdateSuccess) {
        const struct CUgraphExec_st was = *exec;
        *exec = *updated;
        exec->graph = was.graph;
        exec->frees_first = was.frees_first;
        *updated = was;
        updated->graph = NULL;
    }
    cudart_graph_exec_destroy(updated);
    return LAB_SUCCESS;
}

lab_status cudart_graph_launch(cudaGraphExec_t exec, lab_stream *stream)
{
    return cudart_graph_memory_launch(&exec->memories, exec->exec, stream, exec->frees_first);
}

lab_status cudart_graph_exec_destroy(cudaGraphExec_t exec)
{
    const lab_status status = lab_graph_exec_destroy(exec->exec);
    free_exec(exec);
    return status;
}

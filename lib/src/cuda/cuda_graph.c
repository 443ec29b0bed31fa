/* Graphs of the CUDA devices: the captured nodes with the driver's graph, and executable graphs. */
#include "cuda/libraries/cupti.h"
#include "cuda_device_state.h"

#include <stdlib.h>
#include <string.h>

typedef struct graph_node {
    CUgraphNode native;
    CUgraphNode merged; /* a node of the driver's for which this one stands too; or NULL */
    uint64_t function;
} graph_node;

/* A graph. An executable graph refers to nodes of its graph and therefore keeps the graph alive. */
struct backend_graph {
    retired retired;
    backend_context *context;
    CUgraph native;
    atomic_int references;
    graph_node *node;
    lab_graph_node *shown; /* the same nodes, as lab.h describes them */
    int nodes, node_capacity;
    lab_graph_edge *edge;
    int edges;
};

struct backend_exec {
    retired retired;
    backend_graph *graph;
    CUgraphExec native;
};

backend_graph *cuda_graph_create(backend_context *context)
{
    backend_graph *made = calloc(1, sizeof *made);
    if (!made) lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for a graph");
    if (made) *made = (backend_graph){.context = context, .references = 1};
    return made;
}

static void release(retired *object)
{
    backend_graph *graph = (backend_graph *)object;
    for (int i = 0; i < graph->nodes; i++) free((char *)graph->shown[i].name);
    free(graph->node);
    free(graph->shown);
    free(graph->edge);
    free(graph);
}

void cuda_graph_destroy(backend_graph *graph)
{
    if (atomic_fetch_sub(&graph->references, 1) > 1) return;
    if (graph->native) cuda.cuGraphDestroy(graph->native);
    retire(&graph->retired, release);
}

static lab_status no_memory(void)
{
    return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory to capture an operation");
}

static lab_status make_room(backend_graph *graph)
{
    if (graph->nodes < graph->node_capacity) return LAB_SUCCESS;
    int capacity = 2 * graph->nodes + 8;
    graph_node *node = realloc(graph->node, (size_t)capacity * sizeof *node);
    if (node) graph->node = node;
    lab_graph_node *shown = realloc(graph->shown, (size_t)capacity * sizeof *shown);
    if (shown) graph->shown = shown;
    if (!node || !shown) return no_memory();
    graph->node_capacity = capacity;
    return LAB_SUCCESS;
}

lab_status cuda_graph_add(backend_graph *graph, CUgraphNode node, const cuda_captured *what)
{
    LAB_TRY(make_room(graph));
    char *name = strdup(what->node.name);
    if (!name) return no_memory();
    graph->node[graph->nodes] = (graph_node){node, NULL, what->function};
    graph->shown[graph->nodes] = what->node;
    graph->shown[graph->nodes++].name = name;
    return LAB_SUCCESS;
}

void cuda_graph_merge(backend_graph *graph, CUgraphNode noted, CUgraphNode other)
{
    for (int i = graph->nodes - 1; i >= 0; i--)
        if (graph->node[i].native == noted) graph->node[i].merged = other;
}

/* ---- Edges ---- */

typedef struct numbered {
    CUgraphNode native;
    int number;
} numbered;

static int by_native(const void *one, const void *other)
{
    uintptr_t a = (uintptr_t)((const numbered *)one)->native, b = (uintptr_t)((const numbered *)other)->native;
    return (a > b) - (a < b);
}

static int by_place(const void *one, const void *other)
{
    const lab_graph_edge *a = one, *b = other;
    return a->to != b->to ? a->to - b->to : a->from - b->from;
}

/* The node's index in the list; -1 for a node that this library did not enqueue. */
static int number_of(const numbered *list, int count, CUgraphNode native)
{
    const numbered wanted = {.native = native};
    const numbered *found = bsearch(&wanted, list, (size_t)count, sizeof *list, by_native);
    return found ? found->number : -1;
}

static CUresult read_edges(backend_graph *graph, CUgraphNode *sources, CUgraphNode *targets, size_t count,
                           numbered *list)
{
    CUresult result = cuda.graph_edges(graph->native, sources, targets, &count);
    int natives = 0;
    for (int i = 0; i < graph->nodes; i++) {
        list[natives++] = (numbered){graph->node[i].native, i};
        if (graph->node[i].merged) list[natives++] = (numbered){graph->node[i].merged, i};
    }
    qsort(list, (size_t)natives, sizeof *list, by_native);
    for (size_t i = 0; i < count && result == CUDA_SUCCESS; i++) {
        lab_graph_edge edge = {number_of(list, natives, sources[i]), number_of(list, natives, targets[i])};
        if (edge.from >= 0 && edge.to >= 0 && edge.from != edge.to) graph->edge[graph->edges++] = edge;
    }
    qsort(graph->edge, (size_t)graph->edges, sizeof *graph->edge, by_place);
    return result;
}

lab_status cuda_graph_finish(backend_graph *graph, CUgraph native)
{
    graph->native = native;
    size_t count = 0;
    CUresult result = cuda.graph_edges(native, NULL, NULL, &count);
    if (result != CUDA_SUCCESS) return cuda_fail(result, "cuGraphGetEdges");
    CUgraphNode *sources = calloc(count + 1, sizeof *sources), *targets = calloc(count + 1, sizeof *targets);
    numbered *list = calloc(2 * (size_t)graph->nodes + 1, sizeof *list);
    graph->edge = calloc(count + 1, sizeof *graph->edge);
    bool room = sources && targets && list && graph->edge;
    if (room && count > 0) result = read_edges(graph, sources, targets, count, list);
    free(sources);
    free(targets);
    free(list);
    if (!room) return no_memory();
    return cuda_status(result, "cuGraphGetEdges");
}

/* ---- Looking ---- */

int cuda_graph_nodes(const lab_graph_node **first, const backend_graph *graph)
{
    *first = graph->shown;
    return graph->nodes;
}

int cuda_graph_edges(const lab_graph_edge **first, const backend_graph *graph)
{
    *first = graph->edge;
    return graph->edges;
}

uint64_t cuda_graph_function(const backend_graph *graph, int node) { return graph->node[node].function; }

/* ---- Executable graphs ---- */

lab_status cuda_exec_create(backend_exec **out, const backend_graph *graph)
{
    LAB_TRY(cuda_enter(graph->context));
    backend_exec *made = calloc(1, sizeof *made);
    if (!made) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory to instantiate a graph");
    CUresult result = cuda.instantiate(&made->native, graph->native, 0);
    if (result != CUDA_SUCCESS) {
        free(made);
        return cuda_fail(result, "cuGraphInstantiate");
    }
    made->graph = (backend_graph *)graph;
    atomic_fetch_add(&made->graph->references, 1);
    *out = made;
    return LAB_SUCCESS;
}

void cuda_exec_destroy(backend_exec *exec)
{
    if (cuda_enter(exec->graph->context) == LAB_SUCCESS) cuda.cuGraphExecDestroy(exec->native);
    cuda_graph_destroy(exec->graph);
    retire(&exec->retired, retire_free);
}

lab_status cuda_exec_upload(backend_exec *exec, backend_stream *stream)
{
    LAB_TRY(cuda_enter(stream->context));
    CUDA_TRY(cuGraphUpload, exec->native, stream->native);
    return LAB_SUCCESS;
}

lab_status cuda_exec_launch(backend_exec *exec, backend_stream *stream, backend_times *times)
{
    LAB_TRY(cuda_enter(stream->context));
    cuda_cupti_rest();
    cuda_span span = cuda_span_begin(stream, times);
    CUresult result = cuda.cuGraphLaunch(exec->native, stream->native);
    cuda_span_end(&span, stream, result);
    cuda_cupti_resume();
    return cuda_status(result, "cuGraphLaunch");
}

lab_status cuda_exec_update_kernel(backend_exec *exec, int node, const backend_launch *launch)
{
    backend_context *context = exec->graph->context;
    LAB_TRY(cuda_enter(context));
    CUDA_KERNEL_NODE_PARAMS_v1 params = {
        .func = launch->kernel->native,
        .gridDimX = launch->grid.x,
        .gridDimY = launch->grid.y,
        .gridDimZ = launch->grid.z,
        .blockDimX = launch->block.x,
        .blockDimY = launch->block.y,
        .blockDimZ = launch->block.z,
        .sharedMemBytes = (unsigned)launch->shared_bytes,
        .kernelParams = (void **)launch->arguments,
    };
    CUresult result = cuda.set_kernel_params(exec->native, exec->graph->node[node].native, &params);
    return cuda_status(result, "cuGraphExecKernelNodeSetParams");
}

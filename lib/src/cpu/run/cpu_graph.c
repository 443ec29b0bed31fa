/* Graphs of the CPU devices: nodes as they were captured, and executable graphs, whose nodes are built once and run as
 * one operation of a stream. */
#include "cpu_capture.h"
#include "cpu_device.h"
#include "seam/ledger.h"
#include "serial_runner.h"

#include <stdlib.h>
#include <string.h>

typedef struct graph_node {
    cpu_op *op; /* never submitted: what runs are operations made after it */
    uint64_t function;
    int first_edge, edges; /* that lead to it */
    bool awaited;          /* another node waits for it */
} graph_node;

struct backend_graph {
    backend_context *context;
    graph_node *node;
    lab_graph_node *shown; /* the same nodes, as lab.h describes them */
    int nodes, node_capacity;
    lab_graph_edge *edge;
    int *before; /* the edges' beginnings once more */
    int edges, edge_capacity;
};

struct backend_exec {
    backend_context *context;
    cpu_group *group; /* one member a node */
    cpu_op *last;     /* the last launch: the next waits for it, whatever the stream */
    int nodes;
    int *first_edge; /* of each node, and one more: where its part of `before` begins */
    int *before;
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
    free(graph->before);
    free(graph);
}

void cpu_graph_destroy(backend_graph *graph)
{
    cpu_engine_lock();
    cpu_graph_free(graph);
    cpu_engine_unlock();
}

/* Makes *list hold at least `count` elements; it may have moved. */
static bool hold(void *list, size_t element, int count)
{
    void *before, *larger;
    memcpy(&before, list, sizeof before);
    larger = realloc(before, (size_t)count * element);
    if (larger) memcpy(list, &larger, sizeof larger);
    return larger != NULL;
}

static lab_status make_room(backend_graph *graph, int edges)
{
    bool room = true;
    if (graph->nodes == graph->node_capacity) {
        int capacity = 2 * graph->nodes + 8;
        room = hold(&graph->node, sizeof *graph->node, capacity) && hold(&graph->shown, sizeof *graph->shown, capacity);
        if (room) graph->node_capacity = capacity;
    }
    if (room && graph->edges + edges > graph->edge_capacity) {
        int capacity = 2 * (graph->edges + edges) + 8;
        room =
            hold(&graph->edge, sizeof *graph->edge, capacity) && hold(&graph->before, sizeof *graph->before, capacity);
        if (room) graph->edge_capacity = capacity;
    }
    return room ? LAB_SUCCESS : lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory to capture an operation");
}

lab_status cpu_graph_add(int *node, backend_graph *graph, cpu_op *op, const cpu_node_set *after)
{
    LAB_TRY(make_room(graph, after->count));
    cpu_captured captured = {.node.name = ""};
    op->describe(&captured, op);
    captured.node.name = strdup(captured.node.name);
    if (!captured.node.name) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory to capture an operation");
    *node = graph->nodes++;
    graph->shown[*node] = captured.node;
    graph->node[*node] = (graph_node){
        .op = cpu_op_retain(op), .function = captured.function, .first_edge = graph->edges, .edges = after->count};
    for (int i = 0; i < after->count; i++) {
        graph->node[after->node[i]].awaited = true;
        graph->before[graph->edges] = after->node[i];
        graph->edge[graph->edges++] = (lab_graph_edge){.from = after->node[i], .to = *node};
    }
    return LAB_SUCCESS;
}

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

uint64_t cpu_graph_function(const backend_graph *graph, int node) { return graph->node[node].function; }

/* ---- Executable graphs ---- */

static lab_status add_members(backend_exec *exec, const backend_graph *graph)
{
    for (int i = 0; i < graph->nodes; i++) LAB_TRY(cpu_group_add(exec->group, graph->node[i].op));
    for (int i = 0; i < graph->edges; i++)
        LAB_TRY(cpu_group_depend(exec->group, graph->edge[i].to, graph->edge[i].from));
    return LAB_SUCCESS;
}

static void free_exec(backend_exec *exec)
{
    cpu_group_release(exec->group);
    cpu_op_release(exec->last);
    free(exec->first_edge);
    free(exec->before);
    free(exec);
}

static lab_status fill_exec(backend_exec *exec, const backend_graph *graph)
{
    exec->first_edge = calloc((size_t)graph->nodes + 1, sizeof *exec->first_edge);
    exec->before = calloc((size_t)graph->edges + 1, sizeof *exec->before);
    if (!exec->first_edge || !exec->before)
        return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory to instantiate a graph");
    exec->context = graph->context;
    exec->nodes = graph->nodes;
    for (int i = 0; i < graph->nodes; i++) exec->first_edge[i] = graph->node[i].first_edge;
    exec->first_edge[graph->nodes] = graph->edges;
    if (graph->edges > 0) memcpy(exec->before, graph->before, (size_t)graph->edges * sizeof *exec->before);
    exec->group = cpu_group_create(graph->nodes);
    return exec->group ? add_members(exec, graph) : LAB_ERROR_OUT_OF_MEMORY;
}

lab_status cpu_exec_create(backend_exec **out, const backend_graph *graph)
{
    backend_exec *made = calloc(1, sizeof *made);
    if (!made) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory to instantiate a graph");
    cpu_engine_lock();
    lab_status status = fill_exec(made, graph);
    if (status == LAB_SUCCESS)
        *out = made;
    else
        free_exec(made);
    cpu_engine_unlock();
    return status;
}

void cpu_exec_destroy(backend_exec *exec)
{
    cpu_engine_lock();
    free_exec(exec);
    cpu_engine_unlock();
}

/* After the previous launch, too: the members are at work for one at a time. */
static lab_status enqueue_launch(backend_exec *exec, backend_stream *stream, cpu_op *launch)
{
    lab_status status;
    if (cpu_capture_takes(&status, stream, launch)) return status;
    cpu_op_run_group(launch, exec->group);
    status = cpu_op_depend(launch, exec->last);
    if (status != LAB_SUCCESS) {
        cpu_op_abandon(launch);
        return status;
    }
    LAB_TRY(cpu_stream_append(stream, cpu_op_retain(launch)));
    cpu_op_release(exec->last);
    exec->last = cpu_op_retain(launch);
    return LAB_SUCCESS;
}

lab_status cpu_exec_launch(backend_exec *exec, backend_stream *stream, backend_times *times)
{
    cpu_op *launch = cpu_op_create(CPU_QUEUE_GROUP, 0);
    if (!launch) return LAB_ERROR_OUT_OF_MEMORY;
    launch->times = times;
    launch->ledger_count = ledger_now();
    cpu_engine_lock();
    lab_status status = enqueue_launch(exec, stream, launch);
    cpu_op_release(launch);
    cpu_engine_unlock();
    if (cpu_schedule_is_on()) cpu_turns_enqueued();
    return status;
}

/* A group like the executable graph's, for launches to come: pending ones keep theirs. */
static lab_status renew_group(backend_exec *exec)
{
    cpu_group *fresh = cpu_group_create(exec->nodes);
    if (!fresh) return LAB_ERROR_OUT_OF_MEMORY;
    lab_status status = LAB_SUCCESS;
    for (int i = 0; i < exec->nodes && status == LAB_SUCCESS; i++)
        status = cpu_group_add(fresh, exec->group->member[i]->model);
    for (int i = 0; i < exec->nodes && status == LAB_SUCCESS; i++)
        for (int e = exec->first_edge[i]; e < exec->first_edge[i + 1] && status == LAB_SUCCESS; e++)
            status = cpu_group_depend(fresh, i, exec->before[e]);
    cpu_group_release(status == LAB_SUCCESS ? exec->group : fresh);
    if (status == LAB_SUCCESS) exec->group = fresh;
    return status;
}

static lab_status replace(backend_exec *exec, int node, cpu_op *model)
{
    if (exec->group->references > 1) LAB_TRY(renew_group(exec));
    int first = exec->first_edge[node];
    return cpu_group_replace(exec->group, node, model, &exec->before[first], exec->first_edge[node + 1] - first);
}

lab_status cpu_exec_update_kernel(backend_exec *exec, int node, const backend_launch *launch)
{
    cpu_op *model;
    LAB_TRY(cpu_kernel_create(&model, exec->context, launch));
    cpu_engine_lock();
    model->device = exec->group->member[node]->device;
    model->rank = exec->group->member[node]->rank;
    lab_status status = replace(exec, node, model);
    cpu_op_release(model);
    cpu_engine_unlock();
    return status;
}

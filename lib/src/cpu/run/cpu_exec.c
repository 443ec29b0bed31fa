/* The nodes of an executable graph are the members of a group. */
#include "cpu_exec.h"

#include "base/retire.h"
#include "cpu/engine/engine.h"
#include "cpu/engine/engine_lock.h"
#include "cpu/engine/serial_requests.h"
#include "cpu_capture.h"
#include "cpu_graph.h"
#include "cpu_launch.h"
#include "cpu_stream.h"
#include "seam/ledger.h"

#include <stdlib.h>

struct backend_exec {
    retired retired;
    backend_context *context;
    cpu_group *group; /* one member for each node */
    cpu_op *last;     /* the last launch: the next one waits for it, whatever the stream */
    int nodes;
    int *first_edge; /* of each node: where its part of `before` begins; followed by the end of the last part */
    int *before;     /* of each edge: the node where it begins */
};

static lab_status add_members(cpu_group *group, int nodes, const backend_graph *graph)
{
    const lab_graph_edge *edge;
    const int edges = cpu_graph_edges(&edge, graph);
    for (int i = 0; i < nodes; i++) LAB_TRY(cpu_group_add(group, cpu_graph_op(graph, i)));
    for (int i = 0; i < edges; i++) LAB_TRY(cpu_group_depend(group, edge[i].to, edge[i].from));
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

/* A graph's edges are in the order of the nodes that they lead to. */
static lab_status copy_edges(backend_exec *exec, const backend_graph *graph)
{
    const lab_graph_edge *edge;
    const int edges = cpu_graph_edges(&edge, graph);
    exec->first_edge = calloc((size_t)exec->nodes + 1, sizeof *exec->first_edge);
    exec->before = calloc((size_t)edges + 1, sizeof *exec->before);
    if (!exec->first_edge || !exec->before)
        return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory to instantiate a graph");
    for (int i = 0; i < edges; i++) {
        exec->before[i] = edge[i].from;
        exec->first_edge[edge[i].to + 1] = i + 1;
    }
    for (int i = 0; i < exec->nodes; i++)
        if (exec->first_edge[i + 1] == 0) exec->first_edge[i + 1] = exec->first_edge[i];
    return LAB_SUCCESS;
}

static lab_status fill_exec(backend_exec *exec, const backend_graph *graph)
{
    const lab_graph_node *shown;
    exec->context = cpu_graph_context(graph);
    exec->nodes = cpu_graph_nodes(&shown, graph);
    LAB_TRY(copy_edges(exec, graph));
    exec->group = cpu_group_create(exec->nodes);
    return exec->group ? add_members(exec->group, exec->nodes, graph) : LAB_ERROR_OUT_OF_MEMORY;
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

static void release(retired *exec)
{
    cpu_engine_lock();
    free_exec((backend_exec *)exec);
    cpu_engine_unlock();
}

void cpu_exec_destroy(backend_exec *exec) { retire(&exec->retired, release); }

/* The launch waits for the one before too: the members work for one launch at a time. */
static lab_status enqueue_launch(backend_exec *exec, backend_stream *stream, cpu_op *launch)
{
    lab_status status;
    if (cpu_capture_takes(&status, stream, launch)) return status;
    for (int i = 0; i < exec->nodes; i++) LAB_TRY(cpu_launch_check_loaded(exec->group->member[i]));
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
    cpu_serial_note_enqueued();
    return status;
}

/* Gives later launches a group of their own; pending ones keep theirs. */
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
    backend_launch same_kind = *launch;
    cpu_engine_lock();
    same_kind.cooperative = cpu_launch_is_cooperative(exec->group->member[node]->model);
    cpu_engine_unlock();
    LAB_TRY(cpu_launch_create(&model, exec->context, &same_kind));
    cpu_engine_lock();
    model->device = exec->group->member[node]->device;
    model->rank = exec->group->member[node]->rank;
    lab_status status = replace(exec, node, model);
    cpu_op_release(model);
    cpu_engine_unlock();
    return status;
}

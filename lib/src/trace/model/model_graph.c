/*
 * The time of a graph's launch: its nodes, each after those that it waits for. A node follows the one before it sooner
 * than a kernel of a stream follows another; where branches fork or join, each of them costs something.
 */
#include "model_simulation.h"

#include <stdlib.h>
#include <string.h>

typedef struct graph_node {
    uint64_t graph;
    double end; /* nanoseconds from the start of the first node */
} graph_node;

/* The nodes of a graph together, the last to end at the front. */
static int by_graph(const void *left, const void *right)
{
    const graph_node *a = left, *b = right;
    if (a->graph != b->graph) return a->graph < b->graph ? -1 : 1;
    return (a->end < b->end) - (a->end > b->end);
}

/* What the node does, as an operation of its own kind. */
static lab_trace_op work_of(const lab_trace_op *node)
{
    lab_trace_op work = *node;
    work.kind = LAB_OP_KERNEL;
    for (lab_op_kind kind = 0; kind < LAB_OP_KINDS && node->grid.x == 0; kind++)
        if (strcmp(node->name, lab_op_kind_name(kind)) == 0) work.kind = kind;
    return work;
}

static double time_of(const simulation *sim, size_t op)
{
    const lab_trace_op work = work_of(&sim->trace->op[op]);
    const model_cost cost = lab_model_cost(&work, sim->profile, sim->scale, sim->change.pinned);
    const double start = lab_model_engine_of(&work) == ENGINE_COMPUTE ? sim->profile->kernel_start * 1e3 : 0;
    return cost.rate > 0 ? cost.bytes / cost.rate : cost.cached - start;
}

static bool is_node(const simulation *sim, size_t op) { return sim->trace->op[op].kind == LAB_OP_GRAPH_NODE; }

/* The node that the operation waits for, as an index; MODEL_NONE for anything else. */
static size_t awaited(const simulation *sim, size_t op, int wait)
{
    const uint64_t id = sim->trace->op[op].waits_for[wait];
    return id >= 1 && id <= op && is_node(sim, (size_t)id - 1) ? (size_t)id - 1 : MODEL_NONE;
}

static void count_followers(const simulation *sim, size_t *followers)
{
    for (size_t op = 0; op < sim->trace->ops; op++)
        for (int w = 0; w < sim->trace->op[op].waits && is_node(sim, op); w++) {
            const size_t before = awaited(sim, op, w);
            if (before != MODEL_NONE) followers[before]++;
        }
}

/* When the node can start, by the ends of those before it. */
static double ready(const simulation *sim, size_t op, const double *end, const size_t *followers)
{
    double start = 0;
    size_t joined = 0, forked = 0;
    for (int w = 0; w < sim->trace->op[op].waits; w++) {
        const size_t before = awaited(sim, op, w);
        if (before == MODEL_NONE) continue;
        joined++;
        if (followers[before] > forked) forked = followers[before];
        if (end[before] > start) start = end[before];
    }
    if (joined == 0) return 0;
    const size_t branches = joined > forked ? joined : forked;
    return start + 1e3 * (sim->profile->graph_step + (double)(branches - 1) * sim->profile->graph_branch);
}

/* Fills the nodes of all graphs, sorted; returns their number. */
static size_t find_nodes(const simulation *sim, graph_node *node, double *end, const size_t *followers)
{
    size_t nodes = 0;
    for (size_t op = 0; op < sim->trace->ops; op++) {
        if (!is_node(sim, op)) continue;
        end[op] = ready(sim, op, end, followers) + time_of(sim, op);
        node[nodes++] = (graph_node){sim->trace->op[op].object, end[op]};
    }
    qsort(node, nodes, sizeof *node, by_graph);
    return nodes;
}

/* The time of the graph with this number; 0 if the record does not have its nodes. */
static double graph_time(const graph_node *node, size_t nodes, uint64_t graph)
{
    size_t low = 0, high = nodes;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (node[middle].graph < graph)
            low = middle + 1;
        else
            high = middle;
    }
    return low < nodes && node[low].graph == graph ? node[low].end : 0;
}

bool lab_model_add_graphs(simulation *sim)
{
    static const char word[] = "graph ";
    const size_t ops = sim->trace->ops, some = 1;
    graph_node *node = malloc((ops + some) * sizeof *node);
    double *end = calloc(ops + some, sizeof *end);
    size_t *followers = calloc(ops + some, sizeof *followers);
    const bool made = node && end && followers;
    if (made) {
        count_followers(sim, followers);
        const size_t nodes = find_nodes(sim, node, end, followers);
        for (size_t op = 0; op < ops; op++) {
            const lab_trace_op *each = &sim->trace->op[op];
            if (each->kind != LAB_OP_GRAPH_LAUNCH || strncmp(each->name, word, strlen(word)) != 0) continue;
            const double time = graph_time(node, nodes, strtoull(each->name + strlen(word), NULL, 10));
            sim->cost[op].cached += time;
            sim->cost[op].uncached += time;
        }
    }
    free(node);
    free(end);
    free(followers);
    return made;
}

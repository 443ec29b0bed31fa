/*
 * The time of a graph's launch: its nodes, each after those that it waits for. A node follows the one before it sooner
 * than a kernel of a stream follows another; where branches fork or join, each of them costs something. Copies of the
 * same direction take turns, in the order in which they were captured.
 */
#include "model_simulation.h"

#include <stdlib.h>
#include <string.h>

typedef struct graph_node {
    uint64_t graph;
    size_t op;
    double latest; /* nanoseconds from the start of the graph's first node to the end of the last one up to this */
} graph_node;

/* The nodes of a graph together, in the order of the record. */
static int by_graph(const void *left, const void *right)
{
    const graph_node *a = left, *b = right;
    if (a->graph != b->graph) return a->graph < b->graph ? -1 : 1;
    return (a->op > b->op) - (a->op < b->op);
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

static double time_of(const simulation *sim, const lab_trace_op *work)
{
    const model_cost cost = lab_model_cost(work, sim->profile, sim->scale, sim->change.pinned);
    const double start = lab_model_engine_of(work) == ENGINE_COMPUTE ? sim->profile->kernel_start * 1e3 : 0;
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

/* What a node takes more if the one before it is another engine's. */
static double hand_over(const simulation *sim, size_t before, const lab_trace_op *work)
{
    const lab_trace_op from = work_of(&sim->trace->op[before]);
    return lab_model_engine_of(&from) != lab_model_engine_of(work) ? sim->profile->hand_over * 1e3 : 0;
}

/* When the node can start, by the ends of those before it. */
static double ready(const simulation *sim, size_t op, const double *end, const size_t *followers)
{
    const lab_trace_op work = work_of(&sim->trace->op[op]);
    double start = 0;
    size_t joined = 0, forked = 0;
    for (int w = 0; w < sim->trace->op[op].waits; w++) {
        const size_t before = awaited(sim, op, w);
        if (before == MODEL_NONE) continue;
        joined++;
        if (followers[before] > forked) forked = followers[before];
        const double handed_over = end[before] + hand_over(sim, before, &work);
        if (handed_over > start) start = handed_over;
    }
    if (joined == 0) return 0;
    const size_t branches = joined > forked ? joined : forked;
    return start + 1e3 * (sim->profile->graph_step + (double)(branches - 1) * sim->profile->graph_branch);
}

/* Fills the nodes of all graphs, sorted; returns their number. */
static size_t find_nodes(const simulation *sim, graph_node *node)
{
    size_t nodes = 0;
    for (size_t op = 0; op < sim->trace->ops; op++)
        if (is_node(sim, op)) node[nodes++] = (graph_node){.graph = sim->trace->op[op].object, .op = op};
    qsort(node, nodes, sizeof *node, by_graph);
    return nodes;
}

/* Finds the ends of all nodes. */
static void place_nodes(const simulation *sim, graph_node *node, size_t nodes, double *end, const size_t *followers)
{
    double copied[ENGINES] = {0}; /* when each engine for copies has done those before */
    for (size_t i = 0; i < nodes; i++) {
        const bool first = i == 0 || node[i - 1].graph != node[i].graph;
        const lab_trace_op work = work_of(&sim->trace->op[node[i].op]);
        const int kind = lab_model_engine_of(&work);
        const bool copies = kind == ENGINE_HTOD || kind == ENGINE_DTOH;
        const int turns = sim->profile->copy_engines < 2 ? ENGINE_HTOD : kind;
        double start = ready(sim, node[i].op, end, followers);
        if (first) memset(copied, 0, sizeof copied);
        if (copies && copied[turns] > start) start = copied[turns];
        end[node[i].op] = node[i].latest = start + time_of(sim, &work);
        if (copies) copied[turns] = node[i].latest;
        if (!first && node[i - 1].latest > node[i].latest) node[i].latest = node[i - 1].latest;
    }
}

/* The time of the graph with this number; 0 if the record does not have its nodes. */
static double graph_time(const graph_node *node, size_t nodes, uint64_t graph)
{
    size_t low = 0, high = nodes;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (node[middle].graph <= graph)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && node[low - 1].graph == graph ? node[low - 1].latest : 0;
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
        const size_t nodes = find_nodes(sim, node);
        place_nodes(sim, node, nodes, end, followers);
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

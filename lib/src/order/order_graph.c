/* Graphs as the checker sees them: the nodes of a capture, the memory that they use, and each launch node by node.
 * Nodes that follow one another share a lane, so a long chain is as cheap as a stream. */
#include "order_state.h"

#include <stdlib.h>
#include <string.h>

struct order_graph {
    order_capture *capture;
    int *first_edge, *before; /* node i waits for before[first_edge[i]] to before[first_edge[i + 1] - 1] */
};

struct order_exec {
    uint64_t number; /* the graph's */
    uint64_t id;     /* unique among executable graphs */
    int nodes, chains;
    order_node *node;
    int *first_edge, *before;
    int *chain;          /* of each node */
    uint32_t *lane;      /* of each chain */
    order_site **site;   /* of each node, in the launch that is being examined, */
    order_clock **clock; /* and what is done once it is done */
    order_clock *last;   /* what is done once the last launch is done */
    bool examined;       /* its nodes have been compared with each other */
};

/* ------------------------------------------------------------------------------------------------------
 * Graphs
 */

/* Sorts the edges by the node that waits. */
static bool sort_edges(order_graph *graph, int nodes, const lab_graph_edge *edge, int edges)
{
    graph->first_edge = calloc((size_t)nodes + 1, sizeof *graph->first_edge);
    graph->before = calloc((size_t)edges + 1, sizeof *graph->before);
    if (!graph->first_edge || !graph->before) return false;
    for (int i = 0; i < edges; i++) graph->first_edge[edge[i].to]++;
    for (int i = 1; i <= nodes; i++)
        graph->first_edge[i] += graph->first_edge[i - 1]; /* where the edges of each node end */
    for (int i = edges; i-- > 0;) graph->before[--graph->first_edge[edge[i].to]] = edge[i].from;
    return true;
}

static void free_graph(order_graph *graph)
{
    order_capture_release(graph->capture);
    free(graph->first_edge);
    free(graph->before);
    free(graph);
}

order_graph *order_capture_ended(const stream_identity *identity, int nodes, const lab_graph_edge *edge, int edges)
{
    if (!order_is_on()) return NULL;
    order_enter();
    order_graph *made = calloc(1, sizeof *made);
    order_capture *capture = order_take_capture(identity);
    bool known = made && capture && capture->nodes == nodes;
    if (made) made->capture = capture;
    if (known) known = sort_edges(made, nodes, edge, edges);
    if (made && !known) {
        free_graph(made);
        made = NULL;
    }
    order_leave();
    return made;
}

void order_graph_destroy(order_graph *graph)
{
    if (!graph) return;
    order_enter();
    free_graph(graph);
    order_leave();
}

/* ------------------------------------------------------------------------------------------------------
 * Executable graphs
 */

/* A node continues the chain of a node that it waits for, unless another node does already; else it begins a chain. */
static bool make_chains(order_exec *exec)
{
    bool *followed = calloc((size_t)exec->nodes + 1, sizeof *followed);
    if (!followed) return false;
    for (int i = 0; i < exec->nodes; i++) {
        exec->chain[i] = -1;
        for (int e = exec->first_edge[i]; e < exec->first_edge[i + 1] && exec->chain[i] < 0; e++) {
            if (followed[exec->before[e]]) continue;
            followed[exec->before[e]] = true;
            exec->chain[i] = exec->chain[exec->before[e]];
        }
        if (exec->chain[i] < 0) exec->chain[i] = exec->chains++;
    }
    free(followed);
    exec->lane = calloc((size_t)exec->chains + 1, sizeof *exec->lane);
    if (!exec->lane) return false;
    for (int i = 0; i < exec->chains; i++)
        if (!order_lane_take(&exec->lane[i])) {
            while (i-- > 0) order_lane_give_back(exec->lane[i]);
            exec->chains = 0;
            return false;
        }
    return true;
}

static void forget_launch(order_exec *exec)
{
    for (int i = 0; i < exec->nodes; i++) {
        if (exec->site[i]) order_site_release(exec->site[i]);
        order_clock_release(exec->clock[i]);
        exec->site[i] = NULL;
        exec->clock[i] = NULL;
    }
}

static void free_exec(order_exec *exec)
{
    if (exec->site && exec->clock) forget_launch(exec);
    for (int i = 0; exec->node && i < exec->nodes; i++) order_node_clear(&exec->node[i]);
    for (int i = 0; i < exec->chains; i++) order_lane_give_back(exec->lane[i]);
    order_clock_release(exec->last);
    free(exec->node);
    free(exec->first_edge);
    free(exec->before);
    free(exec->chain);
    free(exec->lane);
    free(exec->site);
    free(exec->clock);
    free(exec);
}

static bool fill_exec(order_exec *exec, const order_graph *graph, uint64_t number)
{
    size_t nodes = (size_t)graph->capture->nodes, edges = (size_t)graph->first_edge[nodes];
    static uint64_t last_id;
    exec->number = number;
    exec->id = ++last_id;
    exec->node = calloc(nodes + 1, sizeof *exec->node);
    exec->first_edge = calloc(nodes + 1, sizeof *exec->first_edge);
    exec->before = calloc(edges + 1, sizeof *exec->before);
    exec->chain = calloc(nodes + 1, sizeof *exec->chain);
    exec->site = calloc(nodes + 1, sizeof *exec->site);
    exec->clock = calloc(nodes + 1, sizeof *exec->clock);
    if (!exec->node || !exec->first_edge || !exec->before || !exec->chain || !exec->site || !exec->clock) return false;
    exec->nodes = graph->capture->nodes;
    memcpy(exec->first_edge, graph->first_edge, (nodes + 1) * sizeof *exec->first_edge);
    memcpy(exec->before, graph->before, edges * sizeof *exec->before);
    for (size_t i = 0; i < nodes; i++)
        if (!order_node_copy(&exec->node[i], &graph->capture->node[i])) return false;
    return make_chains(exec);
}

order_exec *order_exec_create(const order_graph *graph, uint64_t number)
{
    if (!graph || !order_is_on()) return NULL;
    order_enter();
    order_exec *made = calloc(1, sizeof *made);
    if (made && !fill_exec(made, graph, number)) {
        free_exec(made);
        made = NULL;
    }
    if (!made) order_give_up();
    order_leave();
    return made;
}

void order_exec_update(order_exec *exec, int index, const lab_trace_op *op)
{
    order_enter();
    order_node *node = &exec->node[index];
    order_node fresh = *node;
    fresh.name = order_intern(op->name);
    fresh.file = op->file;
    fresh.line = op->line;
    fresh.thread = op->thread;
    fresh.access = (lab_trace_access *)op->access;
    fresh.accesses = op->accesses;
    fresh.life = NULL;
    fresh.updated = true;
    order_node_clear(node);
    if (order_node_copy(node, &fresh))
        order_allocations_remember(node);
    else
        order_give_up();
    exec->examined = false;
    order_leave();
}

void order_exec_destroy(order_exec *exec)
{
    if (!exec) return;
    order_enter();
    free_exec(exec);
    order_leave();
}

/* ------------------------------------------------------------------------------------------------------
 * Launches
 */

/* Makes the site of each node, and the clock of what is done before it. A launch also comes after the previous one. */
static bool prepare(order_exec *exec, const order_clock *before, const order_node *launch)
{
    forget_launch(exec);
    for (int i = 0; i < exec->nodes; i++) {
        uint32_t lane = exec->lane[exec->chain[i]];
        if (!order_clock_join(&exec->clock[i], before, NULL)) return false;
        if (!order_clock_join(&exec->clock[i], exec->last, NULL)) return false;
        for (int e = exec->first_edge[i]; e < exec->first_edge[i + 1]; e++)
            if (!order_clock_join(&exec->clock[i], exec->clock[exec->before[e]], NULL)) return false;
        exec->site[i] = order_site_create(&exec->node[i], lane, launch->number);
        if (!exec->site[i]) return false;
        exec->site[i]->graph = exec->number;
        exec->site[i]->unseen = true;
        exec->site[i]->exec = exec->id;
        exec->site[i]->launched = (call_site){launch->file, launch->line, 0};
        exec->site[i]->stream = launch->stream;
        exec->site[i]->stream_made = launch->stream_made;
        exec->site[i]->context = launch->context;
        exec->site[i]->null_stream = launch->null_stream;
        exec->site[i]->thread = launch->thread;
        exec->site[i]->record = launch->record;
        if (!order_clock_set(&exec->clock[i], lane, exec->site[i]->time)) return false;
        order_host_call_learn(exec->node[i].call, exec->clock[i]);
    }
    return true;
}

/* Reports the memory that two nodes both use, if one of them writes. */
static lab_status examine_pair(const order_exec *exec, int first, int second, lab_order_kind kind)
{
    lab_status status = LAB_SUCCESS;
    const order_node *one = &exec->node[first], *other = &exec->node[second];
    for (int i = 0; i < one->accesses; i++)
        for (int k = 0; k < other->accesses; k++) {
            const lab_trace_access *a = &one->access[i], *b = &other->access[k];
            if (a->host != b->host || !(a->writes ? b->reads || b->writes : a->reads && b->writes)) continue;
            order_use part = {a->address > b->address ? a->address : b->address,
                              a->address + a->bytes < b->address + b->bytes ? a->address + a->bytes
                                                                            : b->address + b->bytes,
                              a->writes};
            if (part.start >= part.end) continue;
            const order_bytes bytes = {a->host ? ORDER_HOST : ORDER_DEVICE, part, NULL};
            lab_status found =
                order_report(kind, exec->site[first], exec->site[second], exec->clock[second], b->writes, &bytes);
            if (status == LAB_SUCCESS) status = found;
        }
    return status;
}

static lab_status examine_each_other(order_exec *exec)
{
    lab_status status = LAB_SUCCESS;
    for (int second = 1; second < exec->nodes; second++)
        for (int first = 0; first < second; first++) {
            const order_site *site = exec->site[first];
            const bool ordered = order_clock_covers(exec->clock[second], site->lane, site->time);
            if (ordered && !exec->node[first].ends_memory) continue;
            lab_status found = examine_pair(exec, first, second, ordered ? LAB_ORDER_USE_AFTER_FREE : LAB_ORDER_RACE);
            if (status == LAB_SUCCESS) status = found;
        }
    exec->examined = status == LAB_SUCCESS;
    return status;
}

lab_status order_exec_examine(order_exec *exec, const order_clock *before, const order_node *launch)
{
    if (!prepare(exec, before, launch)) {
        order_give_up();
        return LAB_SUCCESS;
    }
    lab_status status = exec->examined ? LAB_SUCCESS : examine_each_other(exec);
    for (int i = 0; i < exec->nodes; i++) {
        lab_status found = order_examine(exec->site[i], &exec->node[i], exec->clock[i]);
        if (status == LAB_SUCCESS) status = found;
    }
    return status;
}

void order_exec_note(order_exec *exec, order_clock **after)
{
    for (int i = 0; i < exec->nodes; i++) {
        order_note_uses(exec->site[i], &exec->node[i], exec->clock[i]);
        if (!order_clock_join(after, exec->clock[i], NULL)) order_give_up();
    }
    order_clock_release(exec->last);
    exec->last = order_clock_retain(*after);
    forget_launch(exec);
}

/* Goes through the record once, with what each node of each executable graph is at that moment. */
#include "graph_runs.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_OPS = 1 << 18 };

/* An executable graph: what its nodes launch now. */
typedef struct exec {
    uint64_t number;
    const lab_trace_op **node;
    size_t nodes; /* 0: nothing shows them */
} exec;

typedef struct maker {
    const lab_trace *record;
    graph_runs *out;
    exec *exec;
    size_t execs, capacity;
    bool no_memory;
} maker;

static void add_op(maker *now, const lab_trace_op *op, uint64_t origin)
{
    lab_trace *made = &now->out->trace;
    if (made->ops == now->capacity) {
        const size_t capacity = 2 * now->capacity + 64;
        lab_trace_op *ops = reallocarray(made->op, capacity, sizeof *ops);
        if (ops) made->op = ops;
        uint64_t *origins = reallocarray(now->out->origin, capacity, sizeof *origins);
        if (origins) now->out->origin = origins;
        now->no_memory = now->no_memory || !ops || !origins;
        if (now->no_memory) return;
        now->capacity = capacity;
    }
    made->op[made->ops] = *op;
    now->out->origin[made->ops++] = origin;
    made->op[made->ops - 1].id = made->ops;
}

/* The number of the graph that was instantiated by this operation; 0 if the record does not show its capture. */
static uint64_t graph_of(const lab_trace *record, const lab_trace_op *made)
{
    for (const lab_trace_op *op = record->op; op < made; op++)
        if (op->kind == LAB_OP_GRAPH_CREATE && strcmp(op->name, made->name) == 0) return op->object;
    return 0;
}

/* What a node does when it runs: a kernel has a grid, and of the others only a fill is known. */
static lab_op_kind kind_of(const lab_trace_op *node)
{
    if (node->grid.x) return LAB_OP_KERNEL;
    return strcmp(node->name, lab_op_kind_name(LAB_OP_FILL)) == 0 ? LAB_OP_FILL : LAB_OP_GRAPH_NODE;
}

static void add_exec(maker *now, const lab_trace_op *made)
{
    const uint64_t graph = graph_of(now->record, made);
    exec *all = reallocarray(now->exec, now->execs + 1, sizeof *all);
    if (all) now->exec = all;
    now->no_memory = now->no_memory || !all;
    if (now->no_memory) return;
    exec *added = &all[now->execs++];
    *added = (exec){.number = made->object, .node = calloc(now->record->ops, sizeof(lab_trace_op *))};
    now->no_memory = !added->node;
    bool known = true;
    for (const lab_trace_op *op = now->record->op; op < made && added->node; op++) {
        if (op->kind != LAB_OP_GRAPH_NODE || op->object != graph) continue;
        known = known && kind_of(op) != LAB_OP_GRAPH_NODE;
        added->node[added->nodes++] = op;
    }
    if (!known) added->nodes = 0;
}

static exec *find_exec(maker *now, uint64_t number)
{
    for (size_t i = 0; i < now->execs; i++)
        if (now->exec[i].number == number) return &now->exec[i];
    return NULL;
}

static void add_launch(maker *now, const lab_trace_op *launch)
{
    const exec *launched = find_exec(now, launch->object);
    if (!launched || !launched->nodes || now->out->trace.ops + launched->nodes > MOST_OPS) {
        add_op(now, launch, launch->id);
        return;
    }
    for (size_t i = 0; i < launched->nodes; i++) {
        lab_trace_op run = *launched->node[i];
        run.kind = kind_of(&run);
        run.stream = launch->stream;
        run.start_ns = launch->start_ns;
        run.end_ns = launch->end_ns;
        add_op(now, &run, launch->id);
    }
}

static void go_through(maker *now)
{
    for (size_t i = 0; i < now->record->ops && !now->no_memory; i++) {
        const lab_trace_op *op = &now->record->op[i];
        exec *updated = op->kind == LAB_OP_EXEC_UPDATE ? find_exec(now, op->object) : NULL;
        if (updated && op->bytes < updated->nodes) updated->node[op->bytes] = op;
        if (op->kind == LAB_OP_EXEC_CREATE) add_exec(now, op);
        if (op->kind == LAB_OP_GRAPH_LAUNCH)
            add_launch(now, op);
        else
            add_op(now, op, op->id);
    }
}

/* Findings name operations by their new ids; a launch is all its nodes, so its finding is about the first of them. */
static void renumber_findings(maker *now)
{
    lab_trace *made = &now->out->trace;
    lab_trace_finding *finding = calloc(now->record->findings + 1, sizeof *finding);
    now->no_memory = now->no_memory || !finding;
    made->finding = finding;
    for (size_t i = 0; finding && i < now->record->findings; i++) {
        const lab_trace_finding *found = &now->record->finding[i];
        finding[i] = *found;
        finding[i].first = finding[i].second = 0;
        for (size_t k = made->ops; k-- > 0;) {
            if (now->out->origin[k] == found->first) finding[i].first = k + 1;
            if (now->out->origin[k] == found->second) finding[i].second = k + 1;
        }
    }
}

bool graph_runs_make(graph_runs *out, const lab_trace *record)
{
    *out = (graph_runs){.trace = *record};
    out->trace.op = NULL;
    out->trace.ops = 0;
    maker now = {.record = record, .out = out};
    go_through(&now);
    renumber_findings(&now);
    for (size_t i = 0; i < now.execs; i++) free(now.exec[i].node);
    free(now.exec);
    return !now.no_memory;
}

void graph_runs_free(graph_runs *runs)
{
    free(runs->trace.op);
    free(runs->trace.finding);
    free(runs->origin);
    *runs = (graph_runs){.origin = NULL};
}

/* Builds the graph in one pass: everything that an operation waits for precedes it in the record. */
#include "trace/dependence.h"
#include "base/number_map.h"
#include "base/op_kind.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

static lab_status no_memory(void)
{
    return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "not enough memory for the record's order");
}

bool lab_dependence_is_work(const lab_trace_op *op) { return lab_op_is_stream_work(op->kind) && op->stream != 0; }

bool lab_dependence_is_join(const lab_trace_op *op)
{
    return op->host_waits && !lab_dependence_is_work(op) && op->kind != LAB_OP_STREAM_SYNC &&
           op->kind != LAB_OP_EVENT_SYNC && !lab_op_is_query(op->kind);
}

/* State while the graph is built: the last operation of each stream, thread and device, as index plus 1; 0 for none. */
typedef struct builder {
    dependence *graph;
    size_t *last_on_stream, *last_of_thread, *last_join;
    bool *dirty;         /* streams with work since the device's last join */
    number_map last_use; /* of each key by lab_host_release or lab_host_acquire: pointers to operations */
    size_t *use_before;  /* of the operation's key */
} builder;

bool lab_dependence_add(dependence *graph, size_t source, dependence_kind kind)
{
    if (graph->edges == graph->capacity) {
        size_t larger = graph->capacity ? 2 * graph->capacity : 256;
        dependence_edge *grown = reallocarray(graph->edge, larger, sizeof *grown);
        if (!grown) return false;
        graph->edge = grown;
        graph->capacity = larger;
    }
    graph->edge[graph->edges++] = (dependence_edge){source, kind};
    return true;
}

static bool add_waits(dependence *graph, const lab_trace_op *op, dependence_kind kind)
{
    bool added = true;
    for (int w = 0; w < op->waits && added; w++)
        if (op->waits_for[w] >= 1 && op->waits_for[w] < op->id &&
            lab_dependence_is_work(&graph->trace->op[op->waits_for[w] - 1]))
            added = lab_dependence_add(graph, dependence_done((size_t)op->waits_for[w] - 1), kind);
    return added;
}

/* Adds what the work waits for. */
static bool add_work(builder *build, size_t op, size_t stream)
{
    dependence *graph = build->graph;
    const lab_trace_op *each = &graph->trace->op[op];
    size_t before = build->last_on_stream[stream];
    build->last_on_stream[stream] = op + 1;
    build->dirty[stream] = true;
    return (!before || lab_dependence_add(graph, dependence_done(before - 1), DEPENDENCE_STREAM)) &&
           add_waits(graph, each, each->kind == LAB_OP_EVENT_WAIT ? DEPENDENCE_EVENT : DEPENDENCE_NULL) &&
           (graph->previous[op] == graph->trace->ops ||
            lab_dependence_add(graph, dependence_returned(graph->previous[op]), DEPENDENCE_HOST));
}

/* Waits for all work of the device, by way of its last join. */
static bool add_join(builder *build, size_t op)
{
    dependence *graph = build->graph;
    const lab_trace *trace = graph->trace;
    int device = trace->op[op].device;
    size_t before = build->last_join[device];
    build->last_join[device] = op + 1;
    if (before && !lab_dependence_add(graph, dependence_done(before - 1), DEPENDENCE_WAIT)) return false;
    for (size_t s = 0; s < trace->streams; s++) {
        if (!build->dirty[s] || trace->stream[s].device != device) continue;
        build->dirty[s] = false;
        if (!lab_dependence_add(graph, dependence_done(build->last_on_stream[s] - 1), DEPENDENCE_WAIT)) return false;
    }
    return true;
}

/* A synchronous copy from pageable memory. */
static bool is_staged(const lab_trace_op *op)
{
    return op->kind == LAB_OP_COPY_HTOD && op->host_memory == LAB_HOST_PAGEABLE;
}

/* The call returns after its work is done. For a staged copy this is certain only for what the copy itself waits for.
 * */
static bool add_wait_for_work(dependence *graph, size_t op)
{
    if (!is_staged(&graph->trace->op[op])) return lab_dependence_add(graph, dependence_done(op), DEPENDENCE_WAIT);
    bool added = lab_dependence_add(graph, dependence_done(op), DEPENDENCE_STAGED);
    for (size_t e = graph->first[dependence_done(op)]; e < graph->first[dependence_returned(op)] && added; e++)
        added = lab_dependence_add(graph, graph->edge[e].source, DEPENDENCE_WAIT);
    return added;
}

/* Adds what the call's return waits for. */
static bool add_return(builder *build, size_t op, size_t stream)
{
    dependence *graph = build->graph;
    const lab_trace_op *each = &graph->trace->op[op];
    if (graph->previous[op] != graph->trace->ops &&
        !lab_dependence_add(graph, dependence_returned(graph->previous[op]), DEPENDENCE_HOST))
        return false;
    if (lab_op_is_query(each->kind))
        return add_waits(graph, each, each->host_waits ? DEPENDENCE_WAIT : DEPENDENCE_ANSWER);
    if (!each->host_waits) return true;
    if (lab_dependence_is_work(each)) return add_wait_for_work(graph, op);
    if (lab_dependence_is_join(each)) return lab_dependence_add(graph, dependence_done(op), DEPENDENCE_WAIT);
    size_t last = each->kind == LAB_OP_STREAM_SYNC ? build->last_on_stream[stream] : 0;
    return (!last || lab_dependence_add(graph, dependence_done(last - 1), DEPENDENCE_WAIT)) &&
           add_waits(graph, each, DEPENDENCE_WAIT);
}

/* Links the uses of a key. An acquire waits for what was released since its thread last acquired; for what came before,
 * that one has waited. */
static bool add_use_of_key(builder *build, size_t op)
{
    const lab_trace_op *all = build->graph->trace->op, *each = &all[op];
    const lab_trace_op *last = number_map_get(&build->last_use, each->object);
    build->use_before[op] = last ? (size_t)(last - all) + 1 : 0;
    bool added = number_map_reserve(&build->last_use, 1);
    for (size_t use = build->use_before[op]; use && added && each->kind == LAB_OP_HOST_ACQUIRE;
         use = build->use_before[use - 1]) {
        const lab_trace_op *before = &all[use - 1];
        if (before->kind == LAB_OP_HOST_RELEASE)
            added = lab_dependence_add(build->graph, dependence_returned(use - 1), DEPENDENCE_HOST);
        else if (before->thread == each->thread)
            break;
    }
    number_map_remove(&build->last_use, each->object);
    if (added) number_map_put(&build->last_use, each->object, (void *)each);
    return added;
}

static bool add_op(builder *build, size_t op)
{
    dependence *graph = build->graph;
    const lab_trace *trace = graph->trace;
    const lab_trace_op *each = &trace->op[op];
    size_t stream = lab_trace_find_stream(trace, each->stream);
    size_t *last = &build->last_of_thread[each->thread <= LAB_TRACE_THREADS ? each->thread : 0];
    graph->previous[op] = *last ? *last - 1 : trace->ops;
    *last = op + 1;

    graph->first[dependence_done(op)] = graph->edges;
    if (lab_dependence_is_work(each) && !add_work(build, op, stream)) return false;
    if (lab_dependence_is_join(each) && !add_join(build, op)) return false;
    graph->first[dependence_returned(op)] = graph->edges;
    const bool uses_key = (each->kind == LAB_OP_HOST_RELEASE || each->kind == LAB_OP_HOST_ACQUIRE) && each->object;
    if (uses_key && !add_use_of_key(build, op)) return false;
    return add_return(build, op, stream);
}

lab_status lab_dependence_create(dependence *out, const lab_trace *trace)
{
    *out = (dependence){.trace = trace};
    builder build = {.graph = out};
    build.last_on_stream = calloc(trace->streams + 1, sizeof *build.last_on_stream);
    build.last_of_thread = calloc(LAB_TRACE_THREADS + 1, sizeof *build.last_of_thread);
    build.last_join = calloc(LAB_TRACE_DEVICES, sizeof *build.last_join);
    build.dirty = calloc(trace->streams + 1, sizeof *build.dirty);
    build.use_before = malloc((trace->ops + 1) * sizeof *build.use_before);
    out->first = malloc((2 * trace->ops + 1) * sizeof *out->first);
    out->previous = malloc((trace->ops + 1) * sizeof *out->previous);
    bool built = build.last_on_stream && build.last_of_thread && build.last_join && build.dirty && build.use_before &&
                 out->first && out->previous;
    for (size_t op = 0; op < trace->ops && built; op++) built = add_op(&build, op);
    if (built) out->first[2 * trace->ops] = out->edges;
    free(build.last_on_stream);
    free(build.last_of_thread);
    free(build.last_join);
    free(build.dirty);
    free(build.use_before);
    number_map_clear(&build.last_use);
    if (built) return LAB_SUCCESS;
    lab_dependence_clear(out);
    return no_memory();
}

void lab_dependence_clear(dependence *graph)
{
    free(graph->edge);
    free(graph->first);
    free(graph->previous);
    *graph = (dependence){0};
}

/* Edges go from earlier to later operations, or from an operation's work to its return, so one pass is enough. */
void lab_dependence_reach(const dependence *graph, size_t start, dependence_set kinds, bool *reached)
{
    size_t moments = 2 * graph->trace->ops;
    memset(reached, 0, moments * sizeof *reached);
    reached[start] = true;
    for (size_t moment = start + 1; moment < moments; moment++)
        for (size_t e = graph->first[moment]; e < graph->first[moment + 1] && !reached[moment]; e++)
            reached[moment] = (kinds & 1u << graph->edge[e].kind) != 0 && reached[graph->edge[e].source];
}

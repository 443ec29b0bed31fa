/* Builds the graph in one pass: all that an operation waits for stands before it in the record. */
#include "trace/dependence.h"
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
           op->kind != LAB_OP_EVENT_SYNC;
}

/* While the graph is built: the last operation of each stream, thread and device, as index plus 1; 0 for none. */
typedef struct builder {
    dependence *into;
    size_t *last_on_stream, *last_of_thread, *last_join;
    bool *dirty; /* streams with work since the device's last join */
} builder;

bool lab_dependence_add(dependence *to, size_t from, dependence_kind kind)
{
    if (to->edges == to->capacity) {
        size_t larger = to->capacity ? 2 * to->capacity : 256;
        dependence_edge *grown = reallocarray(to->edge, larger, sizeof *grown);
        if (!grown) return false;
        to->edge = grown;
        to->capacity = larger;
    }
    to->edge[to->edges++] = (dependence_edge){from, kind};
    return true;
}

static bool add_waits(dependence *to, const lab_trace_op *op, dependence_kind kind)
{
    bool added = true;
    for (int w = 0; w < op->waits && added; w++)
        if (op->waits_for[w] >= 1 && op->waits_for[w] < op->id &&
            lab_dependence_is_work(&to->trace->op[op->waits_for[w] - 1]))
            added = lab_dependence_add(to, dependence_done((size_t)op->waits_for[w] - 1), kind);
    return added;
}

/* What the work waits for. */
static bool add_work(builder *from, size_t op, size_t stream)
{
    dependence *into = from->into;
    const lab_trace_op *each = &into->trace->op[op];
    size_t before = from->last_on_stream[stream];
    from->last_on_stream[stream] = op + 1;
    from->dirty[stream] = true;
    return (!before || lab_dependence_add(into, dependence_done(before - 1), DEPENDENCE_STREAM)) &&
           add_waits(into, each, each->kind == LAB_OP_EVENT_WAIT ? DEPENDENCE_EVENT : DEPENDENCE_NULL) &&
           (into->previous[op] == into->trace->ops ||
            lab_dependence_add(into, dependence_returned(into->previous[op]), DEPENDENCE_HOST));
}

/* All work of the device, by way of its last join. */
static bool add_join(builder *from, size_t op)
{
    dependence *into = from->into;
    const lab_trace *trace = into->trace;
    int device = trace->op[op].device;
    size_t before = from->last_join[device];
    from->last_join[device] = op + 1;
    if (before && !lab_dependence_add(into, dependence_done(before - 1), DEPENDENCE_WAIT)) return false;
    for (size_t s = 0; s < trace->streams; s++) {
        if (!from->dirty[s] || trace->stream[s].device != device) continue;
        from->dirty[s] = false;
        if (!lab_dependence_add(into, dependence_done(from->last_on_stream[s] - 1), DEPENDENCE_WAIT)) return false;
    }
    return true;
}

/* A synchronous copy from pageable memory. */
static bool is_staged(const lab_trace_op *op)
{
    return op->kind == LAB_OP_COPY_HTOD && op->host_memory == LAB_HOST_PAGEABLE;
}

/* The work's return waits for it; of a staged copy that is sure only of what the copy itself waits for. */
static bool add_wait_for_work(dependence *into, size_t op)
{
    if (!is_staged(&into->trace->op[op])) return lab_dependence_add(into, dependence_done(op), DEPENDENCE_WAIT);
    bool added = lab_dependence_add(into, dependence_done(op), DEPENDENCE_STAGED);
    for (size_t e = into->first[dependence_done(op)]; e < into->first[dependence_returned(op)] && added; e++)
        added = lab_dependence_add(into, into->edge[e].from, DEPENDENCE_WAIT);
    return added;
}

/* What the call's return waits for. */
static bool add_return(builder *from, size_t op, size_t stream)
{
    dependence *into = from->into;
    const lab_trace_op *each = &into->trace->op[op];
    if (into->previous[op] != into->trace->ops &&
        !lab_dependence_add(into, dependence_returned(into->previous[op]), DEPENDENCE_HOST))
        return false;
    if (!each->host_waits) return true;
    if (lab_dependence_is_work(each)) return add_wait_for_work(into, op);
    if (lab_dependence_is_join(each)) return lab_dependence_add(into, dependence_done(op), DEPENDENCE_WAIT);
    size_t last = each->kind == LAB_OP_STREAM_SYNC ? from->last_on_stream[stream] : 0;
    return (!last || lab_dependence_add(into, dependence_done(last - 1), DEPENDENCE_WAIT)) &&
           add_waits(into, each, DEPENDENCE_WAIT);
}

static bool add_op(builder *from, size_t op)
{
    dependence *into = from->into;
    const lab_trace *trace = into->trace;
    const lab_trace_op *each = &trace->op[op];
    size_t stream = lab_trace_find_stream(trace, each->stream);
    size_t *last = &from->last_of_thread[each->thread <= LAB_TRACE_THREADS ? each->thread : 0];
    into->previous[op] = *last ? *last - 1 : trace->ops;
    *last = op + 1;

    into->first[dependence_done(op)] = into->edges;
    if (lab_dependence_is_work(each) && !add_work(from, op, stream)) return false;
    if (lab_dependence_is_join(each) && !add_join(from, op)) return false;
    into->first[dependence_returned(op)] = into->edges;
    return add_return(from, op, stream);
}

lab_status lab_dependence_create(dependence *out, const lab_trace *trace)
{
    *out = (dependence){.trace = trace};
    builder from = {.into = out};
    from.last_on_stream = calloc(trace->streams + 1, sizeof *from.last_on_stream);
    from.last_of_thread = calloc(LAB_TRACE_THREADS + 1, sizeof *from.last_of_thread);
    from.last_join = calloc(LAB_TRACE_DEVICES, sizeof *from.last_join);
    from.dirty = calloc(trace->streams + 1, sizeof *from.dirty);
    out->first = malloc((2 * trace->ops + 1) * sizeof *out->first);
    out->previous = malloc((trace->ops + 1) * sizeof *out->previous);
    bool built =
        from.last_on_stream && from.last_of_thread && from.last_join && from.dirty && out->first && out->previous;
    for (size_t op = 0; op < trace->ops && built; op++) built = add_op(&from, op);
    if (built) out->first[2 * trace->ops] = out->edges;
    free(from.last_on_stream);
    free(from.last_of_thread);
    free(from.last_join);
    free(from.dirty);
    if (built) return LAB_SUCCESS;
    lab_dependence_clear(out);
    return no_memory();
}

void lab_dependence_clear(dependence *of)
{
    free(of->edge);
    free(of->first);
    free(of->previous);
    *of = (dependence){0};
}

/* Edges lead from earlier operations to later ones, or from an operation's work to its return: one pass is enough. */
void lab_dependence_reach(const dependence *of, size_t from, dependence_set kinds, bool *reached)
{
    size_t moments = 2 * of->trace->ops;
    memset(reached, 0, moments * sizeof *reached);
    reached[from] = true;
    for (size_t moment = from + 1; moment < moments; moment++)
        for (size_t e = of->first[moment]; e < of->first[moment + 1] && !reached[moment]; e++)
            reached[moment] = (kinds & 1u << of->edge[e].kind) != 0 && reached[of->edge[e].from];
}

/* Finds the operations that must keep their order because they use the same memory. The ends of all ranges of the
 * record cut the addresses into elementary ranges. */
#include "model.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

enum { TOUCHES_MOST = 1 << 22 }; /* elementary ranges of all accesses together */

static int by_value(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* The top bit distinguishes host addresses from device addresses. */
static uint64_t address_of(const lab_trace_access *access)
{
    return access->address << 1 >> 1 | (uint64_t)access->host << 63;
}

static uint64_t end_of(const lab_trace_access *access)
{
    uint64_t begin = address_of(access);
    return begin + access->bytes < begin ? UINT64_MAX : begin + access->bytes;
}

typedef struct cuts {
    uint64_t *at;
    size_t count;
} cuts;

static size_t index_of(const cuts *bounds, uint64_t value)
{
    size_t low = 0, high = bounds->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (bounds->at[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static lab_status no_memory(void) { return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "not enough memory for the model"); }

static lab_status find_cuts(cuts *out, const lab_trace *trace)
{
    size_t most = 0;
    for (size_t i = 0; i < trace->ops; i++) most += 2 * (size_t)trace->op[i].accesses;
    out->count = 0;
    out->at = malloc((most + 1) * sizeof *out->at);
    if (!out->at) return no_memory();
    for (size_t i = 0; i < trace->ops; i++)
        for (int a = 0; a < trace->op[i].accesses; a++) {
            out->at[out->count++] = address_of(&trace->op[i].access[a]);
            out->at[out->count++] = end_of(&trace->op[i].access[a]);
        }
    qsort(out->at, out->count, sizeof *out->at, by_value);
    size_t kept = 0;
    for (size_t i = 0; i < out->count; i++)
        if (kept == 0 || out->at[kept - 1] != out->at[i]) out->at[kept++] = out->at[i];
    out->count = kept;
    return LAB_SUCCESS;
}

/* The last operation that wrote an elementary range, and the last that has read it since. Only that last read is
 * ordered before the next write: the model can be slightly too fast, but never too slow. */
typedef struct range {
    size_t writer, reader; /* index plus 1; 0 for none */
} range;

static bool add_once(dependence *graph, size_t first, size_t op)
{
    for (size_t e = first; e < graph->edges; e++)
        if (graph->edge[e].source == dependence_done(op)) return true;
    return lab_dependence_add(graph, dependence_done(op), DEPENDENCE_STREAM);
}

static lab_status add_access(dependence *graph, const cuts *bounds, range *ranges, size_t op,
                             const lab_trace_access *access, size_t *touches)
{
    size_t first = graph->first[dependence_done(op)];
    size_t until = index_of(bounds, end_of(access));
    for (size_t r = index_of(bounds, address_of(access)); r < until; r++) {
        range *each = &ranges[r];
        if (++*touches > TOUCHES_MOST)
            return lab_fail(LAB_ERROR_NOT_SUPPORTED, "the record's memory has too many separate ranges");
        size_t after = access->writes && each->reader ? each->reader : each->writer;
        if (after && after != op + 1 && !add_once(graph, first, after - 1)) return no_memory();
        if (access->writes) *each = (range){.writer = op + 1};
        if (access->reads && !access->writes) each->reader = op + 1;
    }
    return LAB_SUCCESS;
}

static lab_status add_all(dependence *graph, const dependence *order, const cuts *bounds, range *ranges)
{
    const lab_trace *trace = graph->trace;
    size_t touches = 0;
    for (size_t op = 0; op < trace->ops; op++) {
        for (size_t moment = dependence_done(op); moment <= dependence_returned(op); moment++) {
            graph->first[moment] = graph->edges;
            if (moment == dependence_done(op) && lab_dependence_is_work(&trace->op[op]))
                for (int a = 0; a < trace->op[op].accesses; a++)
                    LAB_TRY(add_access(graph, bounds, ranges, op, &trace->op[op].access[a], &touches));
            for (size_t e = order->first[moment]; e < order->first[moment + 1]; e++) {
                bool kept = order->edge[e].kind == DEPENDENCE_HOST || order->edge[e].kind == DEPENDENCE_WAIT ||
                            order->edge[e].kind == DEPENDENCE_STAGED;
                if (kept && !lab_dependence_add(graph, order->edge[e].source, order->edge[e].kind)) return no_memory();
            }
        }
    }
    graph->first[2 * trace->ops] = graph->edges;
    return LAB_SUCCESS;
}

lab_status lab_model_memory_order(dependence *out, const dependence *order)
{
    const lab_trace *trace = order->trace;
    cuts bounds = {0};
    *out = (dependence){.trace = trace};
    lab_status status = find_cuts(&bounds, trace);
    range *ranges = calloc(bounds.count + 1, sizeof *ranges);
    out->first = malloc((2 * trace->ops + 1) * sizeof *out->first);
    out->previous = malloc((trace->ops + 1) * sizeof *out->previous);
    if (status == LAB_SUCCESS && (!ranges || !out->first || !out->previous)) status = no_memory();
    if (status == LAB_SUCCESS) {
        memcpy(out->previous, order->previous, trace->ops * sizeof *out->previous);
        status = add_all(out, order, &bounds, ranges);
    }
    free(bounds.at);
    free(ranges);
    if (status != LAB_SUCCESS) lab_dependence_clear(out);
    return status;
}

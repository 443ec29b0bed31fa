/* The tables of a run of the model: who waits for whom, what costs how much, which memory is whose. */
#include "model_simulation.h"

#include <stdlib.h>

static int by_value(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static void find_buffers(simulation *of)
{
    for (size_t i = 0; i < of->trace->ops; i++)
        for (int a = 0; a < of->trace->op[i].accesses; a++)
            if (!of->trace->op[i].access[a].host) of->buffer[of->buffers++] = of->trace->op[i].access[a].address;
    qsort(of->buffer, of->buffers, sizeof *of->buffer, by_value);
    for (size_t b = 0; b < of->buffers; b++) of->touched[b] = -1;
}

static void rank_streams(simulation *of)
{
    size_t count[LAB_TRACE_DEVICES] = {0};
    for (size_t s = 0; s < of->trace->streams; s++) /* in the order of their creation */
        if (!of->trace->stream[s].null_stream) of->rank[s] = count[of->trace->stream[s].device]++;
}

/* Edges from an operation's work alone matter here: the host's order is that of its calls. */
static bool counts(const simulation *of, size_t moment, const dependence_edge *edge)
{
    return !dependence_is_return(edge->from) &&
           (!dependence_is_return(moment) || lab_model_waits(of, dependence_op(moment)));
}

static void link_moments(simulation *of)
{
    size_t moments = 2 * of->trace->ops;
    const dependence *order = of->order;
    for (size_t m = 0; m < moments; m++)
        for (size_t e = order->first[m]; e < order->first[m + 1]; e++)
            if (counts(of, m, &order->edge[e])) {
                of->first_after[order->edge[e].from]++;
                of->pending[m]++;
            }
    for (size_t m = 1; m <= moments; m++) of->first_after[m] += of->first_after[m - 1];
    /* Each entry is now where its list ends; filling from there makes it where the list begins. */
    for (size_t m = moments; m-- > 0;)
        for (size_t e = order->first[m + 1]; e-- > order->first[m];)
            if (counts(of, m, &order->edge[e])) of->after[--of->first_after[order->edge[e].from]] = m;
    for (size_t op = 0; op < of->trace->ops; op++)
        if (lab_model_is_held(of, op) && !of->trace->op[op].host_waits) of->pending[dependence_returned(op)]++;
}

static size_t count_accesses(const lab_trace *trace)
{
    size_t count = 0;
    for (size_t i = 0; i < trace->ops; i++) count += (size_t)trace->op[i].accesses;
    return count;
}

static bool make_engines(simulation *of)
{
    size_t devices = 1;
    for (size_t i = 0; i < of->trace->ops; i++)
        if ((size_t)of->trace->op[i].device >= devices) devices = (size_t)of->trace->op[i].device + 1;
    size_t queues = (size_t)of->profile->queues;
    of->engines = devices * ENGINES;
    of->engine = calloc(of->engines, sizeof *of->engine);
    of->queues = calloc(of->engines * queues, sizeof *of->queues);
    of->kernel_last = calloc(devices * queues, sizeof *of->kernel_last);
    if (!of->engine || !of->queues || !of->kernel_last) return false;
    for (size_t e = 0; e < of->engines; e++)
        of->engine[e] =
            (engine){.kind = (engine_kind)(e % ENGINES), .queue = &of->queues[e * queues], .queues = (int)queues};
    for (size_t q = 0; q < of->engines * queues; q++) of->queues[q] = (queue){MODEL_NONE, MODEL_NONE, -1, -1};
    return true;
}

static bool allocate(simulation *of)
{
    const size_t ops = of->trace->ops, moments = 2 * ops, some = 1;
    of->into->time = malloc((ops + some) * sizeof *of->into->time);
    of->cost = malloc((ops + some) * sizeof *of->cost);
    of->pending = calloc(moments + some, sizeof *of->pending);
    of->first_after = calloc(moments + 2, sizeof *of->first_after);
    of->after = malloc((of->order->edges + some) * sizeof *of->after);
    of->behind = malloc((ops + some) * sizeof *of->behind);
    of->after_kernel = calloc(ops + some, sizeof *of->after_kernel);
    of->enqueued = calloc(ops + some, sizeof *of->enqueued);
    of->done = calloc(ops + some, sizeof *of->done);
    of->version = calloc(ops + some, sizeof *of->version);
    of->ready_cause = malloc((moments + some) * sizeof *of->ready_cause);
    of->next_call = malloc((ops + some) * sizeof *of->next_call);
    of->rank = calloc(of->trace->streams + some, sizeof *of->rank);
    of->parked = malloc((LAB_TRACE_THREADS + some) * sizeof *of->parked);
    size_t accesses = count_accesses(of->trace);
    of->buffer = malloc((accesses + some) * sizeof *of->buffer);
    of->touched = malloc((accesses + some) * sizeof *of->touched);
    of->traffic = calloc(LAB_TRACE_DEVICES, sizeof *of->traffic);
    return of->into->time && of->cost && of->pending && of->first_after && of->after && of->behind &&
           of->after_kernel && of->enqueued && of->done && of->version && of->ready_cause && of->next_call &&
           of->rank && of->parked && of->buffer && of->touched && of->traffic && make_engines(of);
}

void lab_model_free_tables(simulation *of)
{
    void *all[] = {of->cost,         of->pending,  of->first_after, of->after,       of->behind,
                   of->after_kernel, of->enqueued, of->done,        of->version,     of->ready_cause,
                   of->next_call,    of->rank,     of->parked,      of->buffer,      of->touched,
                   of->traffic,      of->engine,   of->queues,      of->kernel_last, of->heap};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

static void fill(simulation *of)
{
    for (size_t op = 0; op < of->trace->ops; op++) {
        of->into->time[op] = (model_time){-1, -1, -1, -1, -1, MODEL_NONE, LAB_MODEL_HOST, MODEL_NONE, MODEL_NONE};
        of->cost[op] = lab_model_cost(&of->trace->op[op], of->profile, of->scale, of->change.pinned);
        of->behind[op] = of->next_call[op] = MODEL_NONE;
        of->ready_cause[dependence_done(op)] = of->ready_cause[dependence_returned(op)] = MODEL_NONE;
    }
    find_buffers(of);
    rank_streams(of);
    link_moments(of);
}

bool lab_model_make_tables(simulation *of)
{
    bool made = allocate(of);
    if (made) fill(of);
    return made;
}

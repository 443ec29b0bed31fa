/* The tables of a run of the model: the waits, the costs and the memory of each operation. */
#include "model_simulation.h"

#include <stdlib.h>

static int by_value(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static void find_buffers(simulation *sim)
{
    for (size_t i = 0; i < sim->trace->ops; i++)
        for (int a = 0; a < sim->trace->op[i].accesses; a++)
            if (!sim->trace->op[i].access[a].host) sim->buffer[sim->buffers++] = sim->trace->op[i].access[a].address;
    qsort(sim->buffer, sim->buffers, sizeof *sim->buffer, by_value);
    for (size_t b = 0; b < sim->buffers; b++) sim->touched[b] = -1;
}

enum { PRIORITIES = 8 }; /* more than devices have; those beyond count as the highest */

static int height(const lab_trace_stream *stream)
{
    if (stream->priority >= 0) return 0;
    return stream->priority > -PRIORITIES ? -stream->priority : PRIORITIES - 1;
}

/* Streams of a device and a priority take its hardware queues in turn, in the order of their creation. */
static void place_streams(simulation *sim)
{
    size_t count[LAB_TRACE_DEVICES][PRIORITIES] = {0}, first[PRIORITIES];
    bool used[PRIORITIES] = {true};
    const size_t queues = (size_t)sim->profile->queues;
    for (size_t s = 0; s < sim->trace->streams; s++) used[height(&sim->trace->stream[s])] = true;
    for (int h = PRIORITIES - 1; h >= 0; h--) {
        first[h] = (size_t)sim->levels * queues;
        sim->levels += used[h];
    }
    for (size_t s = 0; s < sim->trace->streams; s++) {
        const lab_trace_stream *each = &sim->trace->stream[s];
        const int h = height(each);
        const size_t older = each->null_stream ? 0 : count[each->device][h]++;
        sim->place[s] = first[h] + older % queues;
    }
}

/* Only edges from an operation's work matter here: the order of its calls gives the host's order. */
static bool counts(const simulation *sim, size_t moment, const dependence_edge *edge)
{
    return !dependence_is_return(edge->source) &&
           (!dependence_is_return(moment) || lab_model_waits(sim, dependence_op(moment)));
}

static void link_moments(simulation *sim)
{
    size_t moments = 2 * sim->trace->ops;
    const dependence *order = sim->order;
    for (size_t m = 0; m < moments; m++)
        for (size_t e = order->first[m]; e < order->first[m + 1]; e++)
            if (counts(sim, m, &order->edge[e])) {
                sim->first_after[order->edge[e].source]++;
                sim->pending[m]++;
            }
    for (size_t m = 1; m <= moments; m++) sim->first_after[m] += sim->first_after[m - 1];
    /* Each entry is now the end of its list; filling backwards makes it the beginning. */
    for (size_t m = moments; m-- > 0;)
        for (size_t e = order->first[m + 1]; e-- > order->first[m];)
            if (counts(sim, m, &order->edge[e])) sim->after[--sim->first_after[order->edge[e].source]] = m;
    for (size_t op = 0; op < sim->trace->ops; op++)
        if (lab_model_is_held(sim, op) && !sim->trace->op[op].host_waits) sim->pending[dependence_returned(op)]++;
}

static size_t count_accesses(const lab_trace *trace)
{
    size_t count = 0;
    for (size_t i = 0; i < trace->ops; i++) count += (size_t)trace->op[i].accesses;
    return count;
}

static bool make_engines(simulation *sim)
{
    size_t devices = 1;
    for (size_t i = 0; i < sim->trace->ops; i++)
        if ((size_t)sim->trace->op[i].device >= devices) devices = (size_t)sim->trace->op[i].device + 1;
    const size_t queues = (size_t)(sim->profile->queues * sim->levels);
    sim->engines = devices * ENGINES;
    sim->engine = calloc(sim->engines, sizeof *sim->engine);
    sim->queues = calloc(sim->engines * queues, sizeof *sim->queues);
    sim->kernel_last = calloc(devices * queues, sizeof *sim->kernel_last);
    if (!sim->engine || !sim->queues || !sim->kernel_last) return false;
    for (size_t e = 0; e < sim->engines; e++)
        sim->engine[e] = (engine){.kind = (engine_kind)(e % ENGINES),
                                  .queue = &sim->queues[e * queues],
                                  .queues = (int)queues,
                                  .slowdown = 1,
                                  .first = MODEL_NONE};
    for (size_t q = 0; q < sim->engines * queues; q++) sim->queues[q] = (queue){MODEL_NONE, MODEL_NONE, -1, -1};
    return true;
}

static bool allocate(simulation *sim)
{
    const size_t ops = sim->trace->ops, moments = 2 * ops, some = 1;
    sim->run->time = malloc((ops + some) * sizeof *sim->run->time);
    sim->cost = malloc((ops + some) * sizeof *sim->cost);
    sim->pending = calloc(moments + some, sizeof *sim->pending);
    sim->first_after = calloc(moments + 2, sizeof *sim->first_after);
    sim->after = malloc((sim->order->edges + some) * sizeof *sim->after);
    sim->behind = malloc((ops + some) * sizeof *sim->behind);
    sim->left = calloc(ops + some, sizeof *sim->left);
    sim->gone = calloc(ops + some, sizeof *sim->gone);
    sim->ready = malloc((ops + some) * sizeof *sim->ready);
    sim->root = malloc((ops + some) * sizeof *sim->root);
    sim->waits = calloc(ops + some, sizeof *sim->waits);
    sim->after_kernel = calloc(ops + some, sizeof *sim->after_kernel);
    sim->enqueued = calloc(ops + some, sizeof *sim->enqueued);
    sim->done = calloc(ops + some, sizeof *sim->done);
    sim->version = calloc(ops + some, sizeof *sim->version);
    sim->ready_cause = malloc((moments + some) * sizeof *sim->ready_cause);
    sim->next_call = malloc((ops + some) * sizeof *sim->next_call);
    sim->place = calloc(sim->trace->streams + some, sizeof *sim->place);
    sim->parked = malloc((LAB_TRACE_THREADS + some) * sizeof *sim->parked);
    size_t accesses = count_accesses(sim->trace);
    sim->buffer = malloc((accesses + some) * sizeof *sim->buffer);
    sim->touched = malloc((accesses + some) * sizeof *sim->touched);
    sim->traffic = calloc(LAB_TRACE_DEVICES, sizeof *sim->traffic);
    return sim->run->time && sim->cost && sim->pending && sim->first_after && sim->after && sim->behind && sim->left &&
           sim->gone && sim->ready && sim->root && sim->waits && sim->after_kernel && sim->enqueued && sim->done &&
           sim->version && sim->ready_cause && sim->next_call && sim->place && sim->parked && sim->buffer &&
           sim->touched && sim->traffic;
}

void lab_model_free_tables(simulation *sim)
{
    void *all[] = {sim->cost,         sim->pending,  sim->first_after, sim->after,       sim->behind,
                   sim->after_kernel, sim->enqueued, sim->done,        sim->version,     sim->ready_cause,
                   sim->next_call,    sim->place,    sim->parked,      sim->buffer,      sim->touched,
                   sim->traffic,      sim->engine,   sim->queues,      sim->kernel_last, sim->heap,
                   sim->left,         sim->gone,     sim->ready,       sim->root,        sim->waits};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

static void fill(simulation *sim)
{
    for (size_t op = 0; op < sim->trace->ops; op++) {
        sim->run->time[op] = (model_time){-1, -1, -1, -1, -1, MODEL_NONE, LAB_MODEL_HOST, MODEL_NONE, MODEL_NONE};
        sim->cost[op] = lab_model_cost(&sim->trace->op[op], sim->profile, sim->scale, sim->change.pinned);
        sim->behind[op] = sim->next_call[op] = MODEL_NONE;
        sim->ready[op] = -1;
        sim->root[op] = lab_model_engine_of(&sim->trace->op[op]) < 0 ? MODEL_NONE : op;
        sim->ready_cause[dependence_done(op)] = sim->ready_cause[dependence_returned(op)] = MODEL_NONE;
    }
    find_buffers(sim);
    link_moments(sim);
}

bool lab_model_make_tables(simulation *sim)
{
    bool made = allocate(sim);
    if (made) place_streams(sim);
    made = made && make_engines(sim);
    if (made) fill(sim);
    return made && lab_model_add_graphs(sim);
}

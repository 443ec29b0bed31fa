/*
 * List scheduling in simulated time. The host's threads make their calls one after another; a call enqueues its operation
 * into a hardware queue of its engine; an engine takes from the head of its queues what is ready.
 *
 * What the device does beside the documented order was found by measuring an H200 (lib/README.md, "The model"): streams
 * share a few hardware queues, each in order; an engine stays with a queue while the next operation there is ready; a queue
 * of kernels whose next one, enqueued behind another kernel, waits for its copy is put aside for a while.
 */
#include "trace/model.h"
#include "status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum engine_kind { ENGINE_HTOD, ENGINE_DTOH, ENGINE_COMPUTE, ENGINE_HOST, ENGINES } engine_kind;

typedef struct queue {
    size_t head, tail;   /* operations not started; MODEL_NONE if empty */
    int64_t aside_since; /* put aside then; -1 if it is not */
    int64_t aside_until; /* when it is looked at again; -1 while its next operation still waits */
} queue;

typedef struct engine {
    engine_kind kind;
    queue *queue;
    int queues;
    int at;           /* the queue it stays with */
    size_t running;   /* how many operations */
    size_t operation; /* a copy: which; its bytes left at `since`, and its rate */
    double left, rate;
    int64_t since;
    double share, bytes; /* kernels: of the device's threads, and what they use */
} engine;

/* Something that happens: a thread calls (or goes on), an operation ends, an engine looks again. */
typedef enum event_kind { EVENT_CALL, EVENT_ENQUEUE, EVENT_END, EVENT_LOOK } event_kind;
typedef struct event {
    int64_t when;
    uint64_t number; /* ties go by the order in which events were made */
    event_kind kind;
    size_t subject;   /* operation, or engine */
    unsigned version; /* of an operation's end; an older one is void */
} event;

typedef struct simulation {
    const dependence *order;
    const lab_trace *trace;
    const lab_profile *profile;
    double scale;
    model_change change;
    model_run *into;
    model_cost *cost;
    size_t *pending;             /* of each moment: what it waits for and is not there yet */
    size_t *after, *first_after; /* moments that wait for a moment */
    size_t *behind;              /* of each operation: the next in its queue */
    bool *after_kernel;          /* ... whether the one enqueued before it in its hardware queue is a kernel */
    bool *enqueued, *done;
    unsigned *version;
    size_t *ready_cause; /* of each moment: the operation that came last */
    size_t *next_call;   /* of each operation: the next call of its thread */
    size_t *rank;        /* of each stream: how many of its device, the null stream aside, are older */
    size_t *parked;      /* calls, one a thread at most, that may only be made after another thread's */
    size_t parked_count;
    engine *engine;
    queue *queues;
    size_t engines;
    bool *kernel_last; /* of each device and hardware queue: whether a kernel was enqueued last */
    uint64_t *buffer;  /* addresses that kernels use, in order */
    double *touched;   /* of each: the device's traffic up to its last use */
    size_t buffers;
    double *traffic; /* of each device, in bytes */
    event *heap;
    size_t events, heap_capacity;
    uint64_t event_number;
    bool failed; /* there was no memory for an event */
} simulation;

/* Rounded up. No single thing lasts longer than 1000 seconds: so the sum of a record's times is a number. */
static int64_t to_nanoseconds(double time)
{
    const double most = 1e12;
    return (int64_t)ceil(time < most ? time : most);
}

/* --- Events: a binary heap --------------------------------------------------------------------------------------- */

static bool sooner(const event *a, const event *b)
{
    return a->when != b->when ? a->when < b->when : a->number < b->number;
}

static void push(simulation *of, int64_t when, event_kind kind, size_t subject, unsigned version)
{
    if (of->events == of->heap_capacity) {
        size_t larger = 2 * of->heap_capacity + 64;
        event *grown = reallocarray(of->heap, larger, sizeof *grown);
        if (!grown) {
            of->failed = true;
            return;
        }
        of->heap = grown;
        of->heap_capacity = larger;
    }
    event new = {when, of->event_number++, kind, subject, version};
    size_t at = of->events++;
    for (; at > 0 && sooner(&new, &of->heap[(at - 1) / 2]); at = (at - 1) / 2) of->heap[at] = of->heap[(at - 1) / 2];
    of->heap[at] = new;
}

static event pop(simulation *of)
{
    event top = of->heap[0], last = of->heap[--of->events];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < of->events; at = child) {
        if (child + 1 < of->events && sooner(&of->heap[child + 1], &of->heap[child])) child++;
        if (!sooner(&of->heap[child], &last)) break;
        of->heap[at] = of->heap[child];
    }
    if (of->events > 0) of->heap[at] = last;
    return top;
}

/* --- Engines ----------------------------------------------------------------------------------------------------- */

static int engine_of(const lab_trace_op *op)
{
    switch (op->kind) {
    case LAB_OP_COPY_HTOD: return ENGINE_HTOD;
    case LAB_OP_COPY_DTOH: return ENGINE_DTOH;
    case LAB_OP_KERNEL:
    case LAB_OP_COPY_DTOD:
    case LAB_OP_FILL:
    case LAB_OP_GRAPH_LAUNCH: return ENGINE_COMPUTE;
    case LAB_OP_HOST_FUNCTION: return ENGINE_HOST;
    default: return -1; /* an event record or wait */
    }
}

static engine *engine_for(simulation *of, size_t op)
{
    int kind = engine_of(&of->trace->op[op]);
    if (kind == ENGINE_DTOH && of->profile->copy_engines < 2) kind = ENGINE_HTOD;
    return &of->engine[(size_t)of->trace->op[op].device * ENGINES + (size_t)kind];
}

static int queue_for(const simulation *of, size_t op)
{
    size_t stream = lab_trace_find_stream(of->trace, of->trace->op[op].stream);
    return (int)(of->rank[stream] % (size_t)of->profile->queues);
}

/* Copies both ways at once share the bus: each gets half of what both have together, or its own rate if that is less. */
static void share_bus(simulation *of, size_t device, int64_t now)
{
    engine *in = &of->engine[device * ENGINES + ENGINE_HTOD], *out = &of->engine[device * ENGINES + ENGINE_DTOH];
    engine *both[] = {in, out};
    for (int i = 0; i < 2; i++) {
        engine *each = both[i];
        if (!each->running) continue;
        each->left -= each->rate * (double)(now - each->since);
        if (each->left < 0) each->left = 0;
        each->since = now;
        each->rate = of->cost[each->operation].rate;
        double half = of->profile->both_rate / 1e3 / 2;
        if (in->running && out->running && half < each->rate) each->rate = half;
        int64_t end = now + to_nanoseconds(each->left / each->rate);
        push(of, end, EVENT_END, each->operation, ++of->version[each->operation]);
    }
}

static size_t buffer_at(const simulation *of, uint64_t address)
{
    size_t low = 0, high = of->buffers;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (of->buffer[middle] < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Whether what the operation uses has left the cache since its last use; notes this use. */
static bool use_memory(simulation *of, size_t op)
{
    const lab_trace_op *each = &of->trace->op[op];
    double *traffic = &of->traffic[each->device];
    const double cache = of->profile->cache_bytes;
    bool gone = false;
    *traffic += of->cost[op].bytes;
    for (int a = 0; a < each->accesses; a++) {
        if (each->access[a].host) continue;
        size_t buffer = buffer_at(of, each->access[a].address);
        gone |= of->touched[buffer] < 0 || *traffic - of->touched[buffer] > cache;
        of->touched[buffer] = *traffic;
    }
    return gone;
}

static void start(simulation *of, engine *on, size_t op, int64_t now)
{
    const model_cost *cost = &of->cost[op];
    of->into->time[op].start = now;
    on->running++;
    bool gone = use_memory(of, op);
    if (on->kind == ENGINE_HTOD || on->kind == ENGINE_DTOH) {
        on->operation = op;
        on->left = cost->bytes;
        on->rate = 0;
        on->since = now;
        share_bus(of, (size_t)of->trace->op[op].device, now);
        return;
    }
    on->share += cost->share;
    on->bytes += cost->bytes;
    double time = gone || on->bytes > of->profile->cache_bytes ? cost->uncached : cost->cached;
    push(of, now + to_nanoseconds(time), EVENT_END, op, ++of->version[op]);
}

static bool has_room(const simulation *of, const engine *on, size_t op)
{
    if (on->kind != ENGINE_COMPUTE) return on->running == 0;
    const double hair = 1e-9; /* sums of shares are not exact */
    return on->running == 0 ||
           (on->running < (size_t)of->profile->kernels_at_once && on->share + of->cost[op].share <= 1 + hair);
}

static bool waits_for_copy(const simulation *of, size_t op)
{
    size_t moment = dependence_done(op);
    for (size_t e = of->order->first[moment]; e < of->order->first[moment + 1]; e++) {
        size_t before = dependence_op(of->order->edge[e].from);
        if (!dependence_is_return(of->order->edge[e].from) && !of->done[before] &&
            of->trace->op[before].kind == LAB_OP_COPY_HTOD)
            return true;
    }
    return false;
}

/* A queue that was put aside is looked at every so often. */
static bool is_back(simulation *of, engine *on, queue *in, int64_t now)
{
    const int64_t turn = to_nanoseconds(of->profile->queue_turn * 1e3);
    if (in->aside_since < 0) return true;
    if (in->aside_until < 0) {
        int64_t turns = (now - in->aside_since + turn - 1) / turn;
        in->aside_until = in->aside_since + (turns < 1 ? 1 : turns) * turn;
        push(of, in->aside_until, EVENT_LOOK, (size_t)(on - of->engine), 0);
    }
    if (now < in->aside_until) return false;
    in->aside_since = in->aside_until = -1;
    return true;
}

/* Whether the head of a queue can start; if it waits for its copy behind another kernel, the queue is put aside. */
static bool is_ready(simulation *of, engine *on, queue *in, int64_t now)
{
    if (in->head == MODEL_NONE) return false;
    if (of->pending[dependence_done(in->head)] == 0) return is_back(of, on, in, now);
    bool aside = of->profile->queue_turn * 1e3 >= 1 && in->aside_since < 0 && on->kind == ENGINE_COMPUTE &&
                 of->after_kernel[in->head] && waits_for_copy(of, in->head);
    if (aside) in->aside_since = now;
    return false;
}

/* Why the operation starts now and not before: it was enqueued now, or what it waited for ended now; or it was ready, and
 * what ended now made room; or it was ready and stood in its queue behind what starts now, or the queue was aside. */
static void explain(simulation *of, size_t op, int64_t now, size_t ended, size_t started)
{
    model_time *time = &of->into->time[op];
    size_t last = of->ready_cause[dependence_done(op)];
    if (time->enqueued == now) return;
    if (last != MODEL_NONE && of->into->time[last].end == now) {
        time->reason = LAB_MODEL_ORDER;
        time->cause = last;
    } else if (ended != MODEL_NONE) {
        time->reason = LAB_MODEL_ENGINE;
        time->cause = ended;
    } else {
        time->reason = LAB_MODEL_QUEUE;
        time->cause = started != MODEL_NONE ? started : last;
    }
}

/* Starts what can start, in the order in which the engine takes it. `cause` has just ended; MODEL_NONE if nothing has. */
static void look(simulation *of, engine *on, int64_t now, size_t cause)
{
    size_t started = MODEL_NONE;
    for (int turn = 0; turn < on->queues;) {
        int index = (on->at + turn) % on->queues;
        queue *in = &on->queue[index];
        if (!is_ready(of, on, in, now) || !has_room(of, on, in->head)) {
            turn++;
            continue;
        }
        size_t op = in->head;
        explain(of, op, now, cause, started);
        started = op;
        in->head = of->behind[op];
        if (in->head == MODEL_NONE) in->tail = MODEL_NONE;
        on->at = index;
        turn = 0;
        start(of, on, op, now);
    }
}

/* --- Host threads and order -------------------------------------------------------------------------------------- */

/* A copy of pageable memory holds its caller, but for a small one to the device, which the host keeps aside. */
static bool is_held_by_pageable(const simulation *of, size_t op)
{
    const lab_trace_op *each = &of->trace->op[op];
    if (of->change.pinned || each->host_memory != LAB_HOST_PAGEABLE) return false;
    return each->kind == LAB_OP_COPY_DTOH ||
           (each->kind == LAB_OP_COPY_HTOD && (double)each->bytes * of->scale > of->profile->staging_bytes);
}

static bool waits(const simulation *of, size_t op)
{
    return is_held_by_pageable(of, op) || (of->trace->op[op].host_waits && !of->change.no_wait);
}

static void resume(simulation *of, size_t op, int64_t now)
{
    of->into->time[op].returned = now;
    if (of->next_call[op] != MODEL_NONE) push(of, now, EVENT_CALL, of->next_call[op], 0);
}

static void finish(simulation *of, size_t op, int64_t now);

/* The moment has one thing less to wait for. */
static void settle(simulation *of, size_t moment, size_t cause, int64_t now)
{
    size_t op = dependence_op(moment);
    of->ready_cause[moment] = cause;
    if (--of->pending[moment] > 0) return;
    if (dependence_is_return(moment)) {
        if (!of->enqueued[op] || of->into->time[op].returned >= 0) return;
        of->into->time[op].call_cause = cause;
        resume(of, op, now + to_nanoseconds(of->profile->wait_call * 1e3));
    } else if (of->enqueued[op]) {
        if (lab_dependence_is_work(&of->trace->op[op]) && engine_of(&of->trace->op[op]) >= 0)
            push(of, now, EVENT_LOOK, (size_t)(engine_for(of, op) - of->engine), 0);
        else
            push(of, now, EVENT_END, op, ++of->version[op]);
    }
}

static void finish(simulation *of, size_t op, int64_t now)
{
    const lab_trace_op *each = &of->trace->op[op];
    bool work = lab_dependence_is_work(each);
    of->done[op] = true;
    if (work) {
        model_time *time = &of->into->time[op];
        time->end = now;
        if (time->start < 0) time->start = now;
        if (engine_of(each) < 0 && time->enqueued < now) {
            time->cause = of->ready_cause[dependence_done(op)];
            time->reason = LAB_MODEL_ORDER;
        }
    }
    size_t cause = work ? op : of->ready_cause[dependence_done(op)]; /* a join's is the last work it waited for */
    for (size_t a = of->first_after[dependence_done(op)]; a < of->first_after[dependence_done(op) + 1]; a++)
        settle(of, of->after[a], cause, now);
    if (is_held_by_pageable(of, op) && !each->host_waits) settle(of, dependence_returned(op), op, now);
    if (!work || engine_of(each) < 0) return;
    engine *on = engine_for(of, op);
    on->running--;
    on->share -= of->cost[op].share;
    on->bytes -= of->cost[op].bytes;
    if (on->kind == ENGINE_HTOD || on->kind == ENGINE_DTOH) share_bus(of, (size_t)each->device, now);
    look(of, on, now, op);
}

/* The call of an operation begins. Work may be enqueued only behind all that it waits for: another thread's call may have
 * to come first. */
static void begin_call(simulation *of, size_t op, int64_t now)
{
    for (size_t e = of->order->first[dependence_done(op)]; e < of->order->first[dependence_returned(op) + 1]; e++) {
        size_t before = dependence_op(of->order->edge[e].from);
        if (before == op || of->enqueued[before] || of->trace->op[before].thread == of->trace->op[op].thread) continue;
        of->parked[of->parked_count++] = op;
        of->into->time[op].gate = before;
        return;
    }
    of->into->time[op].call = now;
    push(of, now + to_nanoseconds(lab_model_call_cost(&of->trace->op[op], of->profile)), EVENT_ENQUEUE, op, 0);
}

static void append(simulation *of, size_t op)
{
    engine *on = engine_for(of, op);
    int index = queue_for(of, op);
    queue *in = &on->queue[on->kind == ENGINE_HOST ? 0 : index];
    if (in->tail == MODEL_NONE)
        in->head = op;
    else
        of->behind[in->tail] = op;
    in->tail = op;
    bool *kernel_last =
        &of->kernel_last[(size_t)of->trace->op[op].device * (size_t)of->profile->queues + (size_t)index];
    of->after_kernel[op] = *kernel_last;
    *kernel_last = of->trace->op[op].kind == LAB_OP_KERNEL;
}

static void enqueue(simulation *of, size_t op, int64_t now)
{
    const lab_trace_op *each = &of->trace->op[op];
    of->enqueued[op] = true;
    of->into->time[op].enqueued = now;
    bool work = lab_dependence_is_work(each);
    if (work && engine_of(each) >= 0) {
        append(of, op);
        look(of, engine_for(of, op), now, MODEL_NONE);
    } else if ((work || lab_dependence_is_join(each)) && of->pending[dependence_done(op)] == 0) {
        finish(of, op, now);
    }
    if (!waits(of, op) || of->pending[dependence_returned(op)] == 0) {
        if (of->into->time[op].returned < 0) resume(of, op, now);
    }
    for (size_t p = 0; p < of->parked_count; p++) push(of, now, EVENT_CALL, of->parked[p], 0);
    of->parked_count = 0; /* they look again */
}

/* --- The run ------------------------------------------------------------------------------------------------------ */

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
    return !dependence_is_return(edge->from) && (!dependence_is_return(moment) || waits(of, dependence_op(moment)));
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
        if (is_held_by_pageable(of, op) && !of->trace->op[op].host_waits) of->pending[dependence_returned(op)]++;
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

static bool make(simulation *of)
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

static void unmake(simulation *of)
{
    void *all[] = {of->cost,         of->pending,  of->first_after, of->after,       of->behind,
                   of->after_kernel, of->enqueued, of->done,        of->version,     of->ready_cause,
                   of->next_call,    of->rank,     of->parked,      of->buffer,      of->touched,
                   of->traffic,      of->engine,   of->queues,      of->kernel_last, of->heap};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

static void prepare(simulation *of)
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
    for (size_t op = 0; op < of->trace->ops; op++) {
        size_t previous = of->order->previous[op];
        if (previous < of->trace->ops)
            of->next_call[previous] = op;
        else
            push(of, 0, EVENT_CALL, op, 0);
    }
}

static void run(simulation *of)
{
    while (of->events > 0 && !of->failed) {
        event now = pop(of);
        switch (now.kind) {
        case EVENT_CALL: begin_call(of, now.subject, now.when); break;
        case EVENT_ENQUEUE: enqueue(of, now.subject, now.when); break;
        case EVENT_END:
            if (now.version == of->version[now.subject]) finish(of, now.subject, now.when);
            break;
        case EVENT_LOOK: look(of, &of->engine[now.subject], now.when, MODEL_NONE); break;
        }
    }
}

static void sum_up(simulation *of)
{
    model_run *into = of->into;
    int64_t end = 0;
    bool any = false;
    into->last = MODEL_NONE;
    for (size_t op = 0; op < of->trace->ops; op++) {
        const lab_trace_op *each = &of->trace->op[op];
        if (!lab_dependence_is_work(each)) continue;
        const model_time *time = &into->time[op];
        if (!any || time->call < into->first) into->first = time->call;
        if (!any || time->end >= end) {
            end = time->end;
            into->last = op;
        }
        any = true;
        const model_cost *cost = &of->cost[op];
        if (engine_of(each) >= 0)
            into->serial += to_nanoseconds(cost->rate > 0 ? cost->bytes / cost->rate : cost->cached);
    }
    into->makespan = any ? end - into->first : 0;
}

lab_status lab_model_simulate(model_run *out, const dependence *order, const lab_profile *profile, double scale,
                              model_change change)
{
    *out = (model_run){.last = MODEL_NONE};
    simulation of = {
        .order = order, .trace = order->trace, .profile = profile, .scale = scale, .change = change, .into = out};
    bool made = make(&of);
    if (made) {
        prepare(&of);
        run(&of);
        if (!of.failed) sum_up(&of);
    }
    unmake(&of);
    if (made && !of.failed) return LAB_SUCCESS;
    lab_model_run_clear(out);
    return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "not enough memory for the model");
}

void lab_model_run_clear(model_run *of)
{
    free(of->time);
    *of = (model_run){.last = MODEL_NONE};
}

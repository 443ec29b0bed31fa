/*
 * The device's engines in simulated time: which operation of their queues they take when, and how long it lasts beside
 * what else runs.
 *
 * What the device does beside the documented order was found by measuring an H200 (lib/docs/model.md): streams
 * share a few hardware queues, each in order; an engine stays with a queue while the next operation there is ready; a
 * queue of kernels whose next one, enqueued behind another kernel, waits for its copy is put aside for a while.
 */
#include "model_simulation.h"

#include <math.h>

int lab_model_engine_of(const lab_trace_op *op)
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

engine *lab_model_engine_for(simulation *of, size_t op)
{
    int kind = lab_model_engine_of(&of->trace->op[op]);
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
        int64_t end = now + lab_model_nanoseconds(each->left / each->rate);
        lab_model_push(of, end, EVENT_END, each->operation, ++of->version[each->operation]);
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
    lab_model_push(of, now + lab_model_nanoseconds(time), EVENT_END, op, ++of->version[op]);
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
    const int64_t turn = lab_model_nanoseconds(of->profile->queue_turn * 1e3);
    if (in->aside_since < 0) return true;
    if (in->aside_until < 0) {
        int64_t turns = (now - in->aside_since + turn - 1) / turn;
        in->aside_until = in->aside_since + (turns < 1 ? 1 : turns) * turn;
        lab_model_push(of, in->aside_until, EVENT_LOOK, (size_t)(on - of->engine), 0);
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

/* Why the operation starts now and not before: it was enqueued now, or what it waited for ended now; or it was
 * ready, and what ended now made room; or it was ready and stood in its queue behind what starts now, or the queue
 * was aside. */
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

void lab_model_look(simulation *of, engine *on, int64_t now, size_t ended)
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
        explain(of, op, now, ended, started);
        started = op;
        in->head = of->behind[op];
        if (in->head == MODEL_NONE) in->tail = MODEL_NONE;
        on->at = index;
        turn = 0;
        start(of, on, op, now);
    }
}

void lab_model_leave_engine(simulation *of, size_t op, int64_t now)
{
    engine *on = lab_model_engine_for(of, op);
    on->running--;
    on->share -= of->cost[op].share;
    on->bytes -= of->cost[op].bytes;
    if (on->kind == ENGINE_HTOD || on->kind == ENGINE_DTOH) share_bus(of, (size_t)of->trace->op[op].device, now);
    lab_model_look(of, on, now, op);
}

void lab_model_append(simulation *of, size_t op)
{
    engine *on = lab_model_engine_for(of, op);
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

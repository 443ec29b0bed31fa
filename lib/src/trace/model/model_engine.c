/*
 * The device's engines in simulated time: which operation they take from their queues and when, and how long it lasts
 * next to other work.
 *
 * The rules beyond the documented order come from measurements of an H200 (lib/docs/model.md): streams share a
 * few hardware queues, each in order; an engine stays with a queue while the next operation there is ready; a queue of
 * kernels is put aside for a while if its next kernel, enqueued behind another kernel, waits for its copy.
 */
#include "model_simulation.h"

#include <math.h>

int lab_model_engine_of(const lab_trace_op *op)
{
    switch (op->kind) {
    case LAB_OP_COPY_HTOD: return ENGINE_HTOD;
    case LAB_OP_COPY_DTOH: return ENGINE_DTOH;
    case LAB_OP_KERNEL:
    case LAB_OP_COPY_DTOD: return op->peer ? ENGINE_PEER : ENGINE_COMPUTE;
    case LAB_OP_FILL:
    case LAB_OP_GRAPH_LAUNCH: return ENGINE_COMPUTE;
    case LAB_OP_HOST_FUNCTION: return ENGINE_HOST;
    default: return -1; /* an event record or wait */
    }
}

engine *lab_model_engine_for(simulation *sim, size_t op)
{
    int kind = lab_model_engine_of(&sim->trace->op[op]);
    if (kind == ENGINE_DTOH && sim->profile->copy_engines < 2) kind = ENGINE_HTOD;
    return &sim->engine[(size_t)sim->trace->op[op].device * ENGINES + (size_t)kind];
}

static int queue_for(const simulation *sim, size_t op)
{
    size_t stream = lab_trace_find_stream(sim->trace, sim->trace->op[op].stream);
    return (int)sim->place[stream];
}

/* Copies in both directions share the bus: each gets half of the combined rate, or its own rate if that is less. */
static void share_bus(simulation *sim, size_t device, int64_t now)
{
    engine *htod = &sim->engine[device * ENGINES + ENGINE_HTOD], *dtoh = &sim->engine[device * ENGINES + ENGINE_DTOH];
    engine *both[] = {htod, dtoh};
    for (int i = 0; i < 2; i++) {
        engine *each = both[i];
        if (!each->running) continue;
        each->left -= each->rate * (double)(now - each->since);
        if (each->left < 0) each->left = 0;
        each->since = now;
        each->rate = sim->cost[each->operation].rate;
        double half = sim->profile->both_rate / 1e3 / 2;
        if (htod->running && dtoh->running && half < each->rate) each->rate = half;
        int64_t end = now + lab_model_nanoseconds(each->left / each->rate);
        lab_model_push(sim, end, EVENT_END, each->operation, ++sim->version[each->operation]);
    }
}

/* Kernels that run together share the multiprocessors and the memory: they slow down if they need more than that. */
static void share_device(simulation *sim, engine *unit, int64_t now)
{
    double slowdown = unit->computing > unit->memory ? unit->computing : unit->memory;
    const double hair = 1e-9;
    if (slowdown < 1 + hair) slowdown = 1;
    if (fabs(slowdown - unit->slowdown) < hair) return;
    for (size_t op = unit->first; op != MODEL_NONE; op = sim->behind[op]) {
        sim->left[op] -= (double)(now - unit->since) / unit->slowdown;
        if (sim->left[op] < 0) sim->left[op] = 0;
        int64_t end = now + lab_model_nanoseconds(sim->left[op] * slowdown);
        lab_model_push(sim, end, EVENT_END, op, ++sim->version[op]);
    }
    unit->slowdown = slowdown;
    unit->since = now;
}

static double duration(const simulation *sim, size_t op)
{
    return sim->gone[op] ? sim->cost[op].uncached : sim->cost[op].cached;
}

/* Adds a kernel's needs to its engine's sums, or takes them away. */
static void count_needs(const simulation *sim, engine *unit, size_t op, int sign)
{
    const double time = duration(sim, op);
    unit->share += sign * sim->cost[op].share;
    unit->bytes += sign * sim->cost[op].bytes;
    if (time <= 0) return;
    unit->computing += sign * sim->cost[op].computing / time;
    if (sim->gone[op]) unit->memory += sign * sim->cost[op].traffic / time;
}

static void run_on_device(simulation *sim, engine *unit, size_t op, int64_t now)
{
    sim->gone[op] |= unit->bytes + sim->cost[op].bytes > sim->profile->cache_bytes;
    count_needs(sim, unit, op, 1);
    const double time = duration(sim, op);
    sim->left[op] = time + (double)(now - unit->since) / unit->slowdown;
    sim->behind[op] = unit->first;
    unit->first = op;
    lab_model_push(sim, now + lab_model_nanoseconds(time * unit->slowdown), EVENT_END, op, ++sim->version[op]);
    share_device(sim, unit, now);
}

static void leave_device(simulation *sim, engine *unit, size_t op, int64_t now)
{
    size_t *link = &unit->first;
    while (*link != op) link = &sim->behind[*link];
    *link = sim->behind[op];
    count_needs(sim, unit, op, -1);
    share_device(sim, unit, now);
}

static size_t buffer_at(const simulation *sim, uint64_t address)
{
    size_t low = 0, high = sim->buffers;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sim->buffer[middle] < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Whether the operation's memory has left the cache since its last use; notes this use. */
static bool use_memory(simulation *sim, size_t op)
{
    const lab_trace_op *each = &sim->trace->op[op];
    double *traffic = &sim->traffic[each->device];
    const double cache = sim->profile->cache_bytes;
    bool gone = false;
    *traffic += sim->cost[op].bytes;
    for (int a = 0; a < each->accesses; a++) {
        if (each->access[a].host) continue;
        size_t buffer = buffer_at(sim, each->access[a].address);
        gone |= sim->touched[buffer] < 0 || *traffic - sim->touched[buffer] > cache;
        sim->touched[buffer] = *traffic;
    }
    return gone;
}

static void start(simulation *sim, engine *unit, size_t op, int64_t now)
{
    sim->run->time[op].start = now;
    unit->running++;
    sim->gone[op] = use_memory(sim, op);
    if (unit->kind == ENGINE_HTOD || unit->kind == ENGINE_DTOH) {
        unit->operation = op;
        unit->left = sim->cost[op].bytes;
        unit->rate = 0;
        unit->since = now;
        share_bus(sim, (size_t)sim->trace->op[op].device, now);
    } else {
        run_on_device(sim, unit, op, now);
    }
}

static bool has_room(const simulation *sim, const engine *unit, size_t op)
{
    if (unit->kind == ENGINE_HOST) return true; /* those of one stream wait for each other by its order */
    if (unit->kind != ENGINE_COMPUTE) return unit->running == 0;
    const double hair = 1e-9; /* sums of shares are not exact */
    return unit->running == 0 ||
           (unit->running < (size_t)sim->profile->kernels_at_once && unit->share + sim->cost[op].share <= 1 + hair);
}

static bool waits_for_copy(const simulation *sim, size_t op)
{
    size_t moment = dependence_done(op);
    for (size_t e = sim->order->first[moment]; e < sim->order->first[moment + 1]; e++) {
        size_t before = dependence_op(sim->order->edge[e].source);
        if (!dependence_is_return(sim->order->edge[e].source) && !sim->done[before] &&
            sim->trace->op[before].kind == LAB_OP_COPY_HTOD)
            return true;
    }
    return false;
}

/* Whether a queue that was put aside is back. The engine looks at it from time to time, and after the time that its
 * kernel takes at the latest: short kernels make room soon. */
static bool is_back(simulation *sim, engine *unit, queue *fifo, int64_t now)
{
    if (fifo->aside_since < 0) return true;
    const double least = 1, most = fmin(sim->profile->queue_turn * 1e3, sim->cost[fifo->head].cached);
    const int64_t turn = lab_model_nanoseconds(fmax(most, least));
    if (fifo->aside_until < 0) {
        int64_t turns = (now - fifo->aside_since + turn - 1) / turn;
        fifo->aside_until = fifo->aside_since + (turns < 1 ? 1 : turns) * turn;
        lab_model_push(sim, fifo->aside_until, EVENT_LOOK, (size_t)(unit - sim->engine), 0);
    }
    if (now < fifo->aside_until) return false;
    fifo->aside_since = fifo->aside_until = -1;
    return true;
}

/* Whether the head of a queue can start; if it waits for its copy behind another kernel, the queue is put aside. */
static bool is_ready(simulation *sim, engine *unit, queue *fifo, int64_t now)
{
    if (fifo->head == MODEL_NONE) return false;
    if (sim->pending[dependence_done(fifo->head)] == 0)
        return sim->ready[fifo->head] <= now && is_back(sim, unit, fifo, now);
    bool aside = sim->profile->queue_turn * 1e3 >= 1 && fifo->aside_since < 0 && unit->kind == ENGINE_COMPUTE &&
                 sim->after_kernel[fifo->head] && waits_for_copy(sim, fifo->head);
    if (aside) fifo->aside_since = now;
    return false;
}

/* Notes why the operation starts now and not before: it was enqueued now; what it waited for ended now; it was ready,
 * and what ended now made room; or it was ready behind an operation that starts now, or in a queue that was put aside.
 * */
static void explain(simulation *sim, size_t op, int64_t now, size_t ended, size_t started)
{
    model_time *time = &sim->run->time[op];
    size_t last = sim->ready_cause[dependence_done(op)];
    if (time->enqueued == now) return;
    if (last != MODEL_NONE && (sim->run->time[last].end == now || sim->ready[op] == now)) {
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

int64_t lab_model_handed_over(const simulation *sim, size_t before, size_t op)
{
    const lab_trace_op *from = &sim->trace->op[before], *to = &sim->trace->op[op];
    const int left = lab_model_engine_of(from), entered = lab_model_engine_of(to);
    double gap = 0;
    if (left != ENGINE_HOST && entered != ENGINE_HOST)
        gap = left != entered ? sim->profile->hand_over : from->stream != to->stream ? sim->profile->stream_gap : 0;
    return sim->run->time[before].end + lab_model_nanoseconds(gap * 1e3);
}

/* The queue whose head can start, first that of the engine's last operation; -1 if no queue's can. No kernel starts
 * while one of a higher priority waits for room; copies ignore priorities. */
static int queue_to_start(simulation *sim, engine *unit, int64_t now)
{
    const int level = unit->kind == ENGINE_COMPUTE ? sim->profile->queues : unit->queues;
    bool waits = false;
    for (int first = 0; first < unit->queues && !waits; first += level)
        for (int turn = 0; turn < level; turn++) {
            const int index = first + (unit->at + turn) % level;
            queue *fifo = &unit->queue[index];
            if (!is_ready(sim, unit, fifo, now)) continue;
            if (has_room(sim, unit, fifo->head)) return index;
            waits = true;
        }
    return -1;
}

void lab_model_look(simulation *sim, engine *unit, int64_t now, size_t ended)
{
    size_t started = MODEL_NONE;
    for (int index; (index = queue_to_start(sim, unit, now)) >= 0;) {
        queue *fifo = &unit->queue[index];
        size_t op = fifo->head;
        explain(sim, op, now, ended, started);
        started = op;
        fifo->head = sim->behind[op];
        if (fifo->head == MODEL_NONE) fifo->tail = MODEL_NONE;
        unit->at = index;
        start(sim, unit, op, now);
    }
}

void lab_model_leave_engine(simulation *sim, size_t op, int64_t now)
{
    engine *unit = lab_model_engine_for(sim, op);
    unit->running--;
    if (unit->kind == ENGINE_HTOD || unit->kind == ENGINE_DTOH)
        share_bus(sim, (size_t)sim->trace->op[op].device, now);
    else
        leave_device(sim, unit, op, now);
    lab_model_look(sim, unit, now, op);
}

void lab_model_append(simulation *sim, size_t op)
{
    engine *unit = lab_model_engine_for(sim, op);
    int index = queue_for(sim, op);
    queue *fifo = &unit->queue[index];
    if (fifo->tail == MODEL_NONE)
        fifo->head = op;
    else
        sim->behind[fifo->tail] = op;
    fifo->tail = op;
    bool *kernel_last = &sim->kernel_last[(size_t)sim->trace->op[op].device * (size_t)unit->queues + (size_t)index];
    sim->after_kernel[op] = *kernel_last;
    *kernel_last = sim->trace->op[op].kind == LAB_OP_KERNEL;
}

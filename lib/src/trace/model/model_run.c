/*
 * List scheduling in simulated time: what happens, in the order of its moments. The host's threads make their calls one
 * after another; a call enqueues its operation; an operation that ends lets go on what waits for it. Knows the host
 * and the order; the engines are model_engine.c's.
 */
#include "model_simulation.h"
#include "base/status.h"

#include <math.h>
#include <stdlib.h>

/* Rounded up. No single thing lasts longer than 1000 seconds: so the sum of a record's times is a number. */
int64_t lab_model_nanoseconds(double time)
{
    const double most = 1e12;
    return (int64_t)ceil(time < most ? time : most);
}

/* --- Events: a binary heap -------------------------------------------------------------------------------------- */

static bool sooner(const event *a, const event *b)
{
    return a->when != b->when ? a->when < b->when : a->number < b->number;
}

void lab_model_push(simulation *of, int64_t when, event_kind kind, size_t subject, unsigned version)
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

event lab_model_pop(simulation *of)
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

/* --- Host threads and order ------------------------------------------------------------------------------------- */

/* A copy of pageable memory holds its caller, but for a small one to the device, which the host keeps aside. */
bool lab_model_is_held(const simulation *of, size_t op)
{
    const lab_trace_op *each = &of->trace->op[op];
    if (of->change.pinned || each->host_memory != LAB_HOST_PAGEABLE) return false;
    return each->kind == LAB_OP_COPY_DTOH ||
           (each->kind == LAB_OP_COPY_HTOD && (double)each->bytes * of->scale > of->profile->staging_bytes);
}

bool lab_model_waits(const simulation *of, size_t op)
{
    return lab_model_is_held(of, op) || (of->trace->op[op].host_waits && !of->change.no_wait);
}

static void resume(simulation *of, size_t op, int64_t now)
{
    of->into->time[op].returned = now;
    if (of->next_call[op] != MODEL_NONE) lab_model_push(of, now, EVENT_CALL, of->next_call[op], 0);
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
        resume(of, op, now + lab_model_nanoseconds(of->profile->wait_call * 1e3));
    } else if (of->enqueued[op]) {
        if (lab_dependence_is_work(&of->trace->op[op]) && lab_model_engine_of(&of->trace->op[op]) >= 0)
            lab_model_push(of, now, EVENT_LOOK, (size_t)(lab_model_engine_for(of, op) - of->engine), 0);
        else
            lab_model_push(of, now, EVENT_END, op, ++of->version[op]);
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
        if (lab_model_engine_of(each) < 0 && time->enqueued < now) {
            time->cause = of->ready_cause[dependence_done(op)];
            time->reason = LAB_MODEL_ORDER;
        }
    }
    size_t cause = work ? op : of->ready_cause[dependence_done(op)]; /* a join's is the last work it waited for */
    for (size_t a = of->first_after[dependence_done(op)]; a < of->first_after[dependence_done(op) + 1]; a++)
        settle(of, of->after[a], cause, now);
    if (lab_model_is_held(of, op) && !each->host_waits) settle(of, dependence_returned(op), op, now);
    if (!work || lab_model_engine_of(each) < 0) return;
    lab_model_leave_engine(of, op, now);
}

/* The call of an operation begins. Work may be enqueued only behind all that it waits for: another thread's call may
 * have to come first. */
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
    lab_model_push(of, now + lab_model_nanoseconds(lab_model_call_cost(&of->trace->op[op], of->profile)), EVENT_ENQUEUE,
                   op, 0);
}

static void enqueue(simulation *of, size_t op, int64_t now)
{
    const lab_trace_op *each = &of->trace->op[op];
    of->enqueued[op] = true;
    of->into->time[op].enqueued = now;
    bool work = lab_dependence_is_work(each);
    if (work && lab_model_engine_of(each) >= 0) {
        lab_model_append(of, op);
        lab_model_look(of, lab_model_engine_for(of, op), now, MODEL_NONE);
    } else if ((work || lab_dependence_is_join(each)) && of->pending[dependence_done(op)] == 0) {
        finish(of, op, now);
    }
    if (!lab_model_waits(of, op) || of->pending[dependence_returned(op)] == 0) {
        if (of->into->time[op].returned < 0) resume(of, op, now);
    }
    for (size_t p = 0; p < of->parked_count; p++) lab_model_push(of, now, EVENT_CALL, of->parked[p], 0);
    of->parked_count = 0; /* they look again */
}

/* --- The run ---------------------------------------------------------------------------------------------------- */

static void begin_threads(simulation *of)
{
    for (size_t op = 0; op < of->trace->ops; op++) {
        size_t previous = of->order->previous[op];
        if (previous < of->trace->ops)
            of->next_call[previous] = op;
        else
            lab_model_push(of, 0, EVENT_CALL, op, 0);
    }
}

static void run(simulation *of)
{
    while (of->events > 0 && !of->failed) {
        event now = lab_model_pop(of);
        switch (now.kind) {
        case EVENT_CALL: begin_call(of, now.subject, now.when); break;
        case EVENT_ENQUEUE: enqueue(of, now.subject, now.when); break;
        case EVENT_END:
            if (now.version == of->version[now.subject]) finish(of, now.subject, now.when);
            break;
        case EVENT_LOOK: lab_model_look(of, &of->engine[now.subject], now.when, MODEL_NONE); break;
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
        if (lab_model_engine_of(each) >= 0)
            into->serial += lab_model_nanoseconds(cost->rate > 0 ? cost->bytes / cost->rate : cost->cached);
    }
    into->makespan = any ? end - into->first : 0;
}

lab_status lab_model_simulate(model_run *out, const dependence *order, const lab_profile *profile, double scale,
                              model_change change)
{
    *out = (model_run){.last = MODEL_NONE};
    simulation of = {
        .order = order, .trace = order->trace, .profile = profile, .scale = scale, .change = change, .into = out};
    bool made = lab_model_make_tables(&of);
    if (made) {
        begin_threads(&of);
        run(&of);
        if (!of.failed) sum_up(&of);
    }
    lab_model_free_tables(&of);
    if (made && !of.failed) return LAB_SUCCESS;
    lab_model_run_clear(out);
    return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "not enough memory for the model");
}

void lab_model_run_clear(model_run *of)
{
    free(of->time);
    *of = (model_run){.last = MODEL_NONE};
}

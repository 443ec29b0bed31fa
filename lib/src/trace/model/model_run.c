/*
 * List scheduling in simulated time: handles events in the order of time. Each host thread makes its calls one after
 * another; a call enqueues its operation; an operation that ends releases what waits for it. This file simulates the
 * host and the order; model_engine.c simulates the engines.
 */
#include "model_simulation.h"
#include "base/status.h"

#include <stdlib.h>

/* --- Host threads and order ------------------------------------------------------------------------------------- */

/* What the host computed between two calls of a thread, in the record, if it counts. */
static int64_t host_work(const simulation *sim, size_t op, size_t next)
{
    const double gap = (double)sim->trace->op[next].call_ns - (double)sim->trace->op[op].return_ns;
    return sim->host_work > 0 && gap >= sim->host_work ? lab_model_nanoseconds(gap) : 0;
}

static void resume(simulation *sim, size_t op, int64_t now)
{
    const size_t next = sim->next_call[op];
    sim->run->time[op].returned = now;
    if (next != MODEL_NONE) lab_model_push(sim, now + host_work(sim, op, next), EVENT_CALL, next, 0);
}

static void finish(simulation *sim, size_t op, int64_t now);

/* Work of another engine or stream is handed over to this one; an event hands over the work behind it. A stream passes
 * one wait after another, also those whose events are done. */
static void note_cause(simulation *sim, size_t moment, size_t cause)
{
    const size_t op = dependence_op(moment);
    if (dependence_is_return(moment) || cause == MODEL_NONE || !lab_dependence_is_work(&sim->trace->op[op])) return;
    const size_t work = sim->root[cause];
    if (work == MODEL_NONE) return;
    const lab_trace_op *before = &sim->trace->op[cause];
    const bool in_row = before->kind == LAB_OP_EVENT_WAIT && before->stream == sim->trace->op[op].stream;
    const size_t waits = in_row ? sim->waits[cause] : 0;
    if (lab_model_engine_of(&sim->trace->op[op]) < 0) {
        sim->root[op] = work;
        sim->waits[op] = in_row ? waits + 1 : 0;
    } else {
        const double passed = (double)waits * sim->profile->stream_gap * 1e3;
        const int64_t ready = lab_model_handed_over(sim, work, op) + lab_model_nanoseconds(passed);
        if (ready > sim->ready[op]) sim->ready[op] = ready;
    }
}

/* The operation can run once it is its turn: lets its engine look at it, now or when it is handed over. */
static void look_when_ready(simulation *sim, size_t op, int64_t now)
{
    const int64_t when = sim->ready[op] > now ? sim->ready[op] : now;
    lab_model_push(sim, when, EVENT_LOOK, (size_t)(lab_model_engine_for(sim, op) - sim->engine), 0);
}

/* The moment has one wait less. */
static void settle(simulation *sim, size_t moment, size_t cause, int64_t now)
{
    size_t op = dependence_op(moment);
    sim->ready_cause[moment] = cause;
    note_cause(sim, moment, cause);
    if (--sim->pending[moment] > 0) return;
    if (dependence_is_return(moment)) {
        if (!sim->enqueued[op] || sim->run->time[op].returned >= 0) return;
        sim->run->time[op].call_cause = cause;
        resume(sim, op, now + lab_model_nanoseconds(sim->profile->wait_call * 1e3));
    } else if (sim->enqueued[op]) {
        if (lab_dependence_is_work(&sim->trace->op[op]) && lab_model_engine_of(&sim->trace->op[op]) >= 0)
            look_when_ready(sim, op, now);
        else
            lab_model_push(sim, now, EVENT_END, op, ++sim->version[op]);
    }
}

static void finish(simulation *sim, size_t op, int64_t now)
{
    const lab_trace_op *each = &sim->trace->op[op];
    bool work = lab_dependence_is_work(each);
    sim->done[op] = true;
    if (work) {
        model_time *time = &sim->run->time[op];
        time->end = now;
        if (time->start < 0) time->start = now;
        if (lab_model_engine_of(each) < 0 && time->enqueued < now) {
            time->cause = sim->ready_cause[dependence_done(op)];
            time->reason = LAB_MODEL_ORDER;
        }
    }
    size_t cause = work ? op : sim->ready_cause[dependence_done(op)]; /* for a join, the last work it waited for */
    for (size_t a = sim->first_after[dependence_done(op)]; a < sim->first_after[dependence_done(op) + 1]; a++)
        settle(sim, sim->after[a], cause, now);
    if (lab_model_is_held(sim, op) && !each->host_waits) settle(sim, dependence_returned(op), op, now);
    if (!work || lab_model_engine_of(each) < 0) return;
    lab_model_leave_engine(sim, op, now);
}

/* The call of an operation begins. Work may be enqueued only after everything it waits for: another thread's call may
 * have to come first. */
static void begin_call(simulation *sim, size_t op, int64_t now)
{
    for (size_t e = sim->order->first[dependence_done(op)]; e < sim->order->first[dependence_returned(op) + 1]; e++) {
        size_t before = dependence_op(sim->order->edge[e].source);
        if (before == op || sim->enqueued[before] || sim->trace->op[before].thread == sim->trace->op[op].thread)
            continue;
        sim->parked[sim->parked_count++] = op;
        sim->run->time[op].gate = before;
        return;
    }
    sim->run->time[op].call = now;
    lab_model_push(sim, now + lab_model_nanoseconds(lab_model_call_cost(&sim->trace->op[op], sim->profile)),
                   EVENT_ENQUEUE, op, 0);
}

static void enqueue(simulation *sim, size_t op, int64_t now)
{
    const lab_trace_op *each = &sim->trace->op[op];
    sim->enqueued[op] = true;
    sim->run->time[op].enqueued = now;
    bool work = lab_dependence_is_work(each);
    if (work && lab_model_engine_of(each) >= 0) {
        lab_model_append(sim, op);
        lab_model_look(sim, lab_model_engine_for(sim, op), now, MODEL_NONE);
        if (sim->pending[dependence_done(op)] == 0 && sim->ready[op] > now) look_when_ready(sim, op, now);
    } else if ((work || lab_dependence_is_join(each)) && sim->pending[dependence_done(op)] == 0) {
        finish(sim, op, now);
    }
    if (!lab_model_waits(sim, op) || sim->pending[dependence_returned(op)] == 0) {
        if (sim->run->time[op].returned < 0) resume(sim, op, now);
    }
    for (size_t p = 0; p < sim->parked_count; p++) lab_model_push(sim, now, EVENT_CALL, sim->parked[p], 0);
    sim->parked_count = 0; /* they try again */
}

/* --- The run ---------------------------------------------------------------------------------------------------- */

static void begin_threads(simulation *sim)
{
    for (size_t op = 0; op < sim->trace->ops; op++) {
        size_t previous = sim->order->previous[op];
        if (previous < sim->trace->ops)
            sim->next_call[previous] = op;
        else
            lab_model_push(sim, 0, EVENT_CALL, op, 0);
    }
}

static void run(simulation *sim)
{
    while (sim->events > 0 && !sim->failed) {
        event now = lab_model_pop(sim);
        switch (now.kind) {
        case EVENT_CALL: begin_call(sim, now.subject, now.when); break;
        case EVENT_ENQUEUE: enqueue(sim, now.subject, now.when); break;
        case EVENT_END:
            if (now.version == sim->version[now.subject]) finish(sim, now.subject, now.when);
            break;
        case EVENT_LOOK: lab_model_look(sim, &sim->engine[now.subject], now.when, MODEL_NONE); break;
        }
    }
}

static void sum_up(simulation *sim)
{
    model_run *result = sim->run;
    int64_t end = 0, returned = 0;
    bool any = false;
    result->last = MODEL_NONE;
    for (size_t op = 0; op < sim->trace->ops; op++) {
        const lab_trace_op *each = &sim->trace->op[op];
        const model_time *time = &result->time[op];
        if (time->returned > returned) returned = time->returned;
        if (!lab_dependence_is_work(each)) continue;
        if (!any || time->call < result->first) result->first = time->call;
        if (!any || time->end >= end) {
            end = time->end;
            result->last = op;
        }
        any = true;
        const model_cost *cost = &sim->cost[op];
        if (lab_model_engine_of(each) >= 0)
            result->serial += lab_model_nanoseconds(cost->rate > 0 ? cost->bytes / cost->rate : cost->cached);
    }
    result->makespan = any ? end - result->first : 0;
    result->total = any ? (returned > end ? returned : end) - result->first : 0;
}

lab_status lab_model_simulate(model_run *out, const dependence *order, const lab_profile *profile,
                              const lab_model_options *options, model_change change)
{
    *out = (model_run){.last = MODEL_NONE};
    simulation sim = {.order = order,
                      .trace = order->trace,
                      .profile = profile,
                      .scale = options->scale,
                      .host_work = options->host_work_us * 1e3,
                      .change = change,
                      .run = out};
    bool made = lab_model_make_tables(&sim);
    if (made) {
        begin_threads(&sim);
        run(&sim);
        if (!sim.failed) sum_up(&sim);
    }
    lab_model_free_tables(&sim);
    if (made && !sim.failed) return LAB_SUCCESS;
    lab_model_run_clear(out);
    return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "not enough memory for the model");
}

void lab_model_run_clear(model_run *run)
{
    free(run->time);
    *run = (model_run){.last = MODEL_NONE};
}

/*
 * What a modelled run means: its critical path, the same run with one thing changed, and which change to make first.
 * model_run.c computes the schedule.
 */
#include "model.h"
#include "trace/drawing/timeline.h"
#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lab_status no_memory(void) { return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "not enough memory for the model"); }

static double milliseconds(int64_t nanoseconds) { return (double)nanoseconds / 1e6; }

/* --- The record with modelled times ----------------------------------------------------------------------------- */

static uint64_t scaled(uint64_t bytes, double scale)
{
    const double most = 9e18;
    double larger = (double)bytes * scale;
    return (uint64_t)(larger < most ? larger : most);
}

static lab_status append_modelled(lab_trace *copy, const lab_trace *original, const model_run *run, double scale)
{
    for (size_t s = 0; s < original->streams; s++) LAB_TRY(lab_trace_append_stream(copy, &original->stream[s]));
    for (size_t i = 0; i < original->findings; i++) LAB_TRY(lab_trace_append_finding(copy, &original->finding[i]));
    for (size_t i = 0; i < original->ops; i++) {
        lab_trace_op op = original->op[i];
        const model_time *time = &run->time[i];
        op.call_ns = time->call < 0 ? 0 : time->call;
        op.return_ns = time->returned;
        op.start_ns = time->start;
        op.end_ns = time->end;
        op.bytes = scaled(op.bytes, scale);
        op.lane = -1;
        LAB_TRY(lab_trace_append(copy, &op));
        int64_t end = op.return_ns > op.end_ns ? op.return_ns : op.end_ns;
        if (end > copy->duration_ns) copy->duration_ns = end;
    }
    return LAB_SUCCESS;
}

static lab_status make_trace(lab_model *model, const lab_trace *original, const model_run *run,
                             const lab_profile *profile, double scale)
{
    LAB_TRY(lab_trace_create(&model->trace));
    lab_trace_set_device(model->trace, model->label, "model", (int)profile->multiprocessors);
    return append_modelled(model->trace, original, run, scale);
}

/* --- The critical path ------------------------------------------------------------------------------------------ */

typedef struct path {
    lab_model_step *step;
    size_t steps, capacity;
} path;

static lab_status add_step(path *steps, lab_model_step step)
{
    if (steps->steps == steps->capacity) {
        size_t larger = 2 * steps->capacity + 16;
        lab_model_step *grown = reallocarray(steps->step, larger, sizeof *grown);
        if (!grown) return no_memory();
        steps->step = grown;
        steps->capacity = larger;
    }
    steps->step[steps->steps++] = step;
    return LAB_SUCCESS;
}

static lab_status add_host_step(path *steps, size_t op, size_t calls, int64_t begin, int64_t end)
{
    if (begin == end) return LAB_SUCCESS;
    return add_step(steps, (lab_model_step){.op = op, .host = true, .calls = calls, .from_ns = begin, .to_ns = end});
}

/* Adds the host's calls that end with the enqueuing of *op, back to the call that had to wait. *op becomes what that
 * call waited for, or MODEL_NONE at the program's first work. */
static lab_status add_calls(path *steps, const dependence *order, const model_run *run, size_t *op)
{
    const model_time *time = run->time;
    size_t at = *op, calls = 1;
    int64_t until = time[at].enqueued;
    while (time[at].call > run->first) {
        size_t previous = order->previous[at];
        if (time[at].gate != MODEL_NONE && time[time[at].gate].enqueued == time[at].call) {
            previous = time[at].gate; /* continues in the other thread */
        } else if (time[previous].call_cause != MODEL_NONE) {
            *op = time[previous].call_cause;
            LAB_TRY(add_host_step(steps, at, calls, time[previous].returned, until));
            return add_host_step(steps, previous, 1, time[*op].end, time[previous].returned);
        }
        at = previous;
        calls++;
    }
    *op = MODEL_NONE;
    return add_host_step(steps, at, calls, time[at].call, until);
}

/* Finds the path from the end to the beginning, then reverses it. */
static lab_status find_path(lab_model *model, const dependence *order, const model_run *run)
{
    path found = {0};
    lab_status status = LAB_SUCCESS;
    int64_t until = run->last == MODEL_NONE ? 0 : run->time[run->last].end;
    for (size_t op = run->last; op != MODEL_NONE && status == LAB_SUCCESS;) {
        const model_time *time = &run->time[op];
        /* Usually, what held the work ended when the work began. A queue that was put aside keeps ready work longer:
         * that time counts as the work's. Work queued behind other work began with it: the path goes on to what held
         * the other. */
        int64_t begin = time->start;
        if (time->cause != MODEL_NONE && run->time[time->cause].end < begin) begin = run->time[time->cause].end;
        if (until > begin)
            status =
                add_step(&found, (lab_model_step){.op = op, .from_ns = begin, .to_ns = until, .reason = time->reason});
        until = begin;
        if (status == LAB_SUCCESS && time->cause == MODEL_NONE) {
            status = add_calls(&found, order, run, &op);
            if (op != MODEL_NONE) until = run->time[op].end;
        } else {
            op = time->cause;
        }
    }
    for (size_t i = 0; i < found.steps / 2; i++) {
        lab_model_step other = found.step[i];
        found.step[i] = found.step[found.steps - 1 - i];
        found.step[found.steps - 1 - i] = other;
    }
    model->step = found.step;
    model->steps = found.steps;
    return status;
}

/* --- What to change --------------------------------------------------------------------------------------------- */

enum { CHANGE_WAIT = 1, CHANGE_PIN = 2, CHANGE_STREAMS = 4, CHANGES = 8 };

static lab_status makespans(int64_t *out, const dependence *order, const lab_profile *profile,
                            const lab_model_options *options, const model_run *unchanged)
{
    dependence memory;
    bool with_streams = lab_model_memory_order(&memory, order) == LAB_SUCCESS;
    lab_status status = LAB_SUCCESS;
    for (int set = 0; set < CHANGES && status == LAB_SUCCESS; set++) {
        model_run run;
        out[set] = unchanged->makespan;
        if (set == 0 || (!with_streams && (set & CHANGE_STREAMS))) continue;
        model_change change = {
            .pinned = set & CHANGE_PIN, .no_wait = set & CHANGE_WAIT, .streams = set & CHANGE_STREAMS};
        status = lab_model_simulate(&run, change.streams ? &memory : order, profile, options, change);
        if (status != LAB_SUCCESS) break;
        out[set] = run.makespan;
        lab_model_run_clear(&run);
    }
    if (with_streams) lab_dependence_clear(&memory);
    return status;
}

static int size_of(int set) { return (set & 1) + (set >> 1 & 1) + (set >> 2 & 1); }

/* The fewest changes that achieve nearly the whole gain; 0 if the gain is small. */
static int choose(const int64_t *makespan, int64_t least)
{
    int64_t gain = makespan[0] - least;
    int chosen = 0;
    if (gain * 20 < makespan[0]) return 0;
    for (int set = 1; set < CHANGES; set++) {
        bool enough = (makespan[0] - makespan[set]) * 10 >= gain * 8;
        bool better = !chosen || size_of(set) < size_of(chosen) ||
                      (size_of(set) == size_of(chosen) && makespan[set] < makespan[chosen]);
        if (enough && better) chosen = set;
    }
    return chosen;
}

static bool share_memory(const lab_trace_op *a, const lab_trace_op *b)
{
    for (int i = 0; i < a->accesses; i++)
        for (int k = 0; k < b->accesses; k++) {
            const lab_trace_access *x = &a->access[i], *y = &b->access[k];
            if (x->host == y->host && x->address < y->address + y->bytes && y->address < x->address + x->bytes)
                return true;
        }
    return false;
}

/* Whether the step waited for the previous one although they share no memory. */
static bool waits_needlessly(const lab_model *model, size_t step)
{
    const lab_model_step *at = &model->step[step];
    return step > 0 && !at->host && at->reason == LAB_MODEL_ORDER && !at[-1].host &&
           !share_memory(&model->trace->op[at->op], &model->trace->op[at[-1].op]);
}

/* Where to make the change: the first place of its kind on the critical path, or else in the record. */
static const lab_trace_op *place_of(const lab_model *model, int change)
{
    const lab_trace *trace = model->trace;
    for (size_t i = 0; i < model->steps; i++) {
        const lab_trace_op *op = &trace->op[model->step[i].op];
        if (change == CHANGE_WAIT && model->step[i].host && op->host_waits) return op;
        if (change == CHANGE_PIN && op->host_memory == LAB_HOST_PAGEABLE) return op;
        if (change == CHANGE_STREAMS && waits_needlessly(model, i)) return op;
    }
    for (size_t i = 0; i < trace->ops; i++) {
        const lab_trace_op *op = &trace->op[i];
        if (change == CHANGE_WAIT && op->host_waits) return op;
        if (change == CHANGE_PIN && op->host_memory == LAB_HOST_PAGEABLE) return op;
    }
    return NULL;
}

static void name_place(char *out, size_t size, const lab_trace_op *op)
{
    *out = '\0';
    if (!op || !*op->file) return;
    const char *slash = strrchr(op->file, '/');
    snprintf(out, size, " (%.60s:%d)", slash ? slash + 1 : op->file, op->line);
}

static const char *phrase_of(int change)
{
    switch (change) {
    case CHANGE_WAIT: return "enqueue everything before the host waits for any of it";
    case CHANGE_PIN: return "pin the host memory of the copies";
    default:
        return "do not make work wait for work with which it shares no memory: use separate streams, and no "
               "event between them";
    }
}

/* The kind of work that makes up most of the critical path, and its share. */
static const char *largest_part(const lab_model *model, double *share)
{
    enum { PART_HTOD, PART_DTOH, PART_KERNEL, PART_HOST, PARTS };
    static const char *const names[] = {"copies to the device", "copies to the host", "kernels", "the host's calls"};
    double sum[PARTS] = {0}, all = 0;
    for (size_t i = 0; i < model->steps; i++) {
        const lab_model_step *step = &model->step[i];
        lab_op_kind kind = model->trace->op[step->op].kind;
        int part = step->host                 ? PART_HOST
                   : kind == LAB_OP_COPY_HTOD ? PART_HTOD
                   : kind == LAB_OP_COPY_DTOH ? PART_DTOH
                                              : PART_KERNEL;
        sum[part] += (double)(step->to_ns - step->from_ns);
        all += (double)(step->to_ns - step->from_ns);
    }
    int most = 0;
    for (int part = 1; part < PARTS; part++)
        if (sum[part] > sum[most]) most = part;
    *share = all > 0 ? sum[most] / all : 0;
    return names[most];
}

static void advise(lab_model *model, const int64_t *makespan, int64_t least)
{
    int set = choose(makespan, least);
    model->advised_ms = milliseconds(makespan[set]);
    if (model->steps == 0) {
        snprintf(model->advice, sizeof model->advice, "nothing ran on the device");
        return;
    }
    if (set == 0) {
        double share;
        const char *part = largest_part(model, &share);
        snprintf(model->advice, sizeof model->advice,
                 "streams, waits and pinned memory have little more to give: %s are %.0f%% of the critical path", part,
                 100 * share);
        return;
    }
    size_t used = 0;
    bool first = true;
    for (int change = 1; change < CHANGES; change *= 2) {
        char place[96];
        if (!(set & change)) continue;
        name_place(place, sizeof place, place_of(model, change));
        used += (size_t)snprintf(model->advice + used, sizeof model->advice - used, "%s%s%s", first ? "" : "; then ",
                                 phrase_of(change), place);
        first = false;
    }
    char now[32], then[32];
    lab_timeline_duration(now, sizeof now, model->makespan_ms * 1e6, true);
    lab_timeline_duration(then, sizeof then, model->advised_ms * 1e6, true);
    snprintf(model->advice + used, sizeof model->advice - used, ": %s instead of %s, %s", then, now, model->label);
}

/* --- What was measured ------------------------------------------------------------------------------------------ */

/* From the first call that enqueues work to the last return or end, as model_run has it in modelled time. */
static int64_t measured_total(const lab_trace *trace)
{
    int64_t first = 0, last = 0;
    bool any = false;
    for (size_t i = 0; i < trace->ops; i++) {
        const lab_trace_op *op = &trace->op[i];
        const bool work = lab_dependence_is_work(op);
        if (op->return_ns > last) last = op->return_ns;
        if (work && op->end_ns > last) last = op->end_ns;
        if (work && (!any || op->call_ns < first)) first = op->call_ns;
        any |= work;
    }
    return any ? last - first : 0;
}

/* --- Models ----------------------------------------------------------------------------------------------------- */

static lab_status fill(lab_model *model, const dependence *order, const lab_profile *profile,
                       const lab_model_options *options)
{
    model_run run;
    int64_t makespan[CHANGES];
    LAB_TRY(lab_model_simulate(&run, order, profile, options, (model_change){0}));
    model->makespan_ms = milliseconds(run.makespan);
    model->total_ms = milliseconds(run.total);
    model->measured_ms = milliseconds(measured_total(order->trace));
    model->serial_ms = milliseconds(run.serial);
    lab_status status = make_trace(model, order->trace, &run, profile, options->scale);
    if (status == LAB_SUCCESS) model->summary = lab_trace_summarize(model->trace);
    if (status == LAB_SUCCESS) status = find_path(model, order, &run);
    if (status == LAB_SUCCESS) status = makespans(makespan, order, profile, options, &run);
    if (status == LAB_SUCCESS) {
        int64_t least = makespan[0];
        for (int set = 1; set < CHANGES; set++)
            if (makespan[set] < least) least = makespan[set];
        model->best_ms = milliseconds(least);
        advise(model, makespan, least);
    }
    lab_model_run_clear(&run);
    return status;
}

lab_status lab_model_run(lab_model **out, const lab_trace *trace, const lab_profile *profile,
                         const lab_model_options *options)
{
    if (!out || !trace || !profile)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_model_run: %s is NULL",
                        !out     ? "out"
                        : !trace ? "trace"
                                 : "profile");
    *out = NULL;
    lab_model_options used = options ? *options : (lab_model_options){0};
    if (used.scale == 0) used.scale = 1;
    if (!(used.scale > 0 && used.scale <= 1e6))
        return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_model_run: the scale %g is not valid; it must be at most 1000000",
                        used.scale);
    if (!(used.host_work_us >= 0))
        return lab_fail(LAB_ERROR_INVALID_VALUE,
                        "lab_model_run: host_work_us is %g; it must be a number of microseconds, or 0 for none",
                        used.host_work_us);
    dependence order;
    LAB_TRY(lab_dependence_create(&order, trace));
    lab_model *model = calloc(1, sizeof *model);
    lab_status status = model ? LAB_SUCCESS : no_memory();
    if (model) {
        snprintf(model->label, sizeof model->label, "modelled on %s", profile->name);
        status = fill(model, &order, profile, &used);
    }
    lab_dependence_clear(&order);
    if (status == LAB_SUCCESS)
        *out = model;
    else
        lab_model_free(model);
    return status;
}

void lab_model_free(lab_model *model)
{
    if (!model) return;
    lab_trace_free(model->trace);
    free(model->step);
    free(model);
}

/*
 * How much ran at the same time: one sweep over the starts and ends of kernels and copies.
 */
#include "trace/trace.h"

#include <stdlib.h>

typedef enum work { WORK_KERNEL, WORK_HTOD, WORK_DTOH, WORKS } work;

/* A kernel or copy begins or ends. */
typedef struct turn {
    int64_t when;
    size_t stream; /* index; the number of streams if the work is on none */
    work what;
    int change; /* +1 or -1 */
} turn;

static bool work_of(const lab_trace_op *op, work *out)
{
    switch (op->kind) {
    case LAB_OP_KERNEL:
    case LAB_OP_GRAPH_LAUNCH: *out = WORK_KERNEL; break;
    case LAB_OP_COPY_HTOD: *out = WORK_HTOD; break;
    case LAB_OP_COPY_DTOH: *out = WORK_DTOH; break;
    default: return false;
    }
    return lab_trace_ran(op);
}

/* At the same moment beginnings come first, so that work of zero length begins before it ends. */
static int by_time(const void *left, const void *right)
{
    const turn *a = left;
    const turn *b = right;
    if (a->when != b->when) return a->when < b->when ? -1 : 1;
    return b->change - a->change;
}

static double milliseconds(int64_t nanoseconds) { return (double)nanoseconds / 1e6; }

/* Writes two turns for each kernel or copy; returns their number. */
static size_t collect(const lab_trace *trace, turn *turns)
{
    size_t count = 0;
    for (size_t i = 0; i < trace->ops; i++) {
        const lab_trace_op *op = &trace->op[i];
        work what;
        if (!work_of(op, &what)) continue;
        size_t stream = lab_trace_find_stream(trace, op->stream);
        turns[count++] = (turn){op->start_ns, stream, what, 1};
        turns[count++] = (turn){op->end_ns, stream, what, -1};
    }
    return count;
}

static void sweep(lab_trace_summary *sum, const turn *turns, size_t count, size_t *running_on, bool *used)
{
    size_t running[WORKS] = {0};
    size_t streams = 0; /* streams on which something runs */
    for (size_t i = 0; i < count; i++) {
        const turn *now = &turns[i];
        double since = i > 0 ? milliseconds(now->when - turns[i - 1].when) : 0;
        size_t copies = running[WORK_HTOD] + running[WORK_DTOH];
        /* With two or more busy streams, some copy and some kernel are on different streams. */
        if (copies > 0 && running[WORK_KERNEL] > 0 && streams > 1) sum->copy_kernel_overlap_ms += since;
        if (running[WORK_KERNEL] > 1) sum->kernel_kernel_overlap_ms += since;
        if (running[WORK_HTOD] > 0 && running[WORK_DTOH] > 0) sum->both_ways_ms += since;

        running[now->what] += (size_t)now->change;
        if (now->change > 0 && running_on[now->stream]++ == 0) streams++;
        if (now->change < 0 && --running_on[now->stream] == 0) streams--;
        if (!used[now->stream]) sum->streams_used++;
        used[now->stream] = true;
    }
    if (count > 0) sum->span_ms = milliseconds(turns[count - 1].when - turns[0].when);
}

lab_trace_summary lab_trace_summarize(const lab_trace *trace)
{
    lab_trace_summary sum = {0};
    turn *turns = malloc((trace->ops * 2 + 1) * sizeof *turns);
    size_t *running_on = calloc(trace->streams + 1, sizeof *running_on);
    bool *used = calloc(trace->streams + 1, sizeof *used);
    if (!turns || !running_on || !used) goto done; /* no memory: all figures are 0 */

    for (size_t i = 0; i < trace->ops; i++) {
        const lab_trace_op *op = &trace->op[i];
        work what;
        if (!work_of(op, &what)) continue;
        size_t *number[] = {&sum.kernels, &sum.copies_htod, &sum.copies_dtoh};
        double *duration[] = {&sum.kernel_ms, &sum.htod_ms, &sum.dtoh_ms};
        ++*number[what];
        *duration[what] += milliseconds(op->end_ns - op->start_ns);
    }
    size_t count = collect(trace, turns);
    qsort(turns, count, sizeof *turns, by_time);
    sweep(&sum, turns, count, running_on, used);

done:
    free(turns);
    free(running_on);
    free(used);
    return sum;
}

/*
 * A wait on a stream does no work: it takes effect at the next operation of the stream that the device runs. One pass
 * from the last operation to the first finds these operations.
 */
#include "arrows.h"
#include "base/op_kind.h"
#include "base/status.h"

#include <stdlib.h>

struct lab_arrows {
    const lab_trace *trace;
    size_t next_run[]; /* for each operation, the first at or after it on its stream that ran; ops if none */
};

lab_status lab_arrows_create(lab_arrows **out, const lab_trace *trace)
{
    lab_arrows *arrows = malloc(sizeof *arrows + trace->ops * sizeof *arrows->next_run);
    size_t *next = malloc((trace->streams + 1) * sizeof *next);
    if (!arrows || !next) {
        free(arrows);
        free(next);
        return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "not enough memory for the arrows of the record");
    }
    arrows->trace = trace;
    for (size_t s = 0; s <= trace->streams; s++) next[s] = trace->ops;
    for (size_t i = trace->ops; i-- > 0;) {
        size_t stream = lab_trace_find_stream(trace, trace->op[i].stream);
        if (lab_trace_ran(&trace->op[i])) next[stream] = i;
        arrows->next_run[i] = stream < trace->streams ? next[stream] : trace->ops;
    }
    free(next);
    *out = arrows;
    return LAB_SUCCESS;
}

void lab_arrows_free(lab_arrows *arrows) { free(arrows); }

bool lab_arrows_get(const lab_arrows *arrows, size_t index, int wait, lab_arrow *out)
{
    const lab_trace *trace = arrows->trace;
    const lab_trace_op *op = &trace->op[index];
    uint64_t id = op->waits_for[wait];
    if (id < 1 || id > trace->ops || !lab_trace_ran(&trace->op[id - 1]) || trace->op[id - 1].stream == 0) return false;

    int64_t done = trace->op[id - 1].end_ns;
    bool on_host = !lab_op_is_stream_work(op->kind) || op->stream == 0 || (op->host_waits && !lab_trace_ran(op));
    if (on_host) {
        *out = (lab_arrow){id - 1, index, true, done, done > op->call_ns ? done : op->call_ns};
        return true;
    }
    size_t target = arrows->next_run[index];
    if (target == trace->ops) return false;
    *out = (lab_arrow){id - 1, target, false, done, trace->op[target].start_ns};
    return true;
}

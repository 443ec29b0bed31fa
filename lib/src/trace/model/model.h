/*
 * One run of the model: a record's operations on a profile's device, in simulated time. Knows when each operation would
 * be called, run and done, and what held it; refuses to know what of that is worth telling.
 */
#ifndef LAB_TRACE_MODEL_MODEL_H
#define LAB_TRACE_MODEL_MODEL_H

#include "trace/dependence.h"
#include "profile.h"

#define MODEL_NONE SIZE_MAX

/* What of the program a run takes as changed. */
typedef struct model_change {
    bool pinned;  /* all host memory of copies is pinned */
    bool no_wait; /* no call waits before everything is enqueued */
    bool streams; /* only operations that use the same memory keep their order */
} model_change;

/* When, in nanoseconds from the first call, and why then. */
typedef struct model_time {
    int64_t call, returned; /* the host's call */
    int64_t enqueued;
    int64_t start, end; /* the device's work; -1 if it has none */
    size_t cause;       /* the operation that its start waited for last; MODEL_NONE: its own call */
    lab_model_reason reason;
    size_t call_cause; /* the operation that its call waited for; MODEL_NONE if for none */
    size_t gate;       /* the operation whose enqueuing, by another thread, its call had to await; MODEL_NONE if none */
} model_time;

typedef struct model_run {
    model_time *time; /* of each operation */
    int64_t makespan; /* from the call of the first work to the end of the last */
    int64_t first;    /* when that call was */
    int64_t serial;   /* all work, one operation after another */
    size_t last;      /* the work that ended last; MODEL_NONE if there is none */
} model_run;

/* To be cleared after success. */
lab_status lab_model_simulate(model_run *out, const dependence *order, const lab_profile *profile, double scale,
                              model_change change);
void lab_model_run_clear(model_run *of);

/* The order that the memory of the work alone asks for: as `order`, but an operation waits only for earlier ones that
 * use the same bytes, one of them writing. To be cleared after success. LAB_ERROR_NOT_SUPPORTED if that would take
 * too long to find. */
lab_status lab_model_memory_order(dependence *out, const dependence *order);

/* How the work is done on the device, times in nanoseconds. */
typedef struct model_cost {
    double bytes;            /* scaled */
    double rate;             /* copies: bytes a nanosecond, alone */
    double cached, uncached; /* everything else: duration */
    double share;            /* of the device's threads that a kernel takes */
} model_cost;
model_cost lab_model_cost(const lab_trace_op *op, const lab_profile *profile, double scale, bool pinned);

/* What the host's call costs before the work is enqueued. */
double lab_model_call_cost(const lab_trace_op *op, const lab_profile *profile);

#endif

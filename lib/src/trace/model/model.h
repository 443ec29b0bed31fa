/*
 * One run of the model: a record's operations on a profile's device, in simulated time. Computes when each operation is
 * called, runs and is done, and what held it; model.c interprets that.
 */
#ifndef LAB_TRACE_MODEL_MODEL_H
#define LAB_TRACE_MODEL_MODEL_H

#include "trace/dependence.h"
#include "profile.h"

#define MODEL_NONE SIZE_MAX

/* The changes to the program that a run assumes. */
typedef struct model_change {
    bool pinned;  /* copies use only pinned host memory */
    bool no_wait; /* no call waits before everything is enqueued */
    bool streams; /* only operations that use the same memory keep their order */
} model_change;

/* An operation's times, in nanoseconds from the first call, and their causes. */
typedef struct model_time {
    int64_t call, returned; /* the host's call */
    int64_t enqueued;
    int64_t start, end; /* the device's work; -1 if it has none */
    size_t cause;       /* the operation that its start waited for last; MODEL_NONE: its own call */
    lab_model_reason reason;
    size_t call_cause; /* the operation that its call waited for; MODEL_NONE if none */
    size_t gate;       /* the operation that another thread had to enqueue before this call; MODEL_NONE if none */
} model_time;

typedef struct model_run {
    model_time *time; /* for each operation */
    int64_t makespan; /* from the call of the first work to the end of the last */
    int64_t total;    /* from that call to the last moment of the host or the device */
    int64_t first;    /* the time of that call */
    int64_t serial;   /* all work, one operation after another */
    size_t last;      /* the work that ended last; MODEL_NONE if there is none */
} model_run;

/* To be cleared after success. */
lab_status lab_model_simulate(model_run *out, const dependence *order, const lab_profile *profile,
                              const lab_model_options *options, model_change change);
void lab_model_run_clear(model_run *run);

/* The order that memory alone requires: like `order`, but an operation waits only for earlier ones that use the same
 * bytes, if either writes them. To be cleared after success. LAB_ERROR_NOT_SUPPORTED if that would take too long to
 * find. */
lab_status lab_model_memory_order(dependence *out, const dependence *order);

/* The cost of the work on the device; times are nanoseconds. */
typedef struct model_cost {
    double bytes;            /* scaled */
    double rate;             /* copies: bytes per nanosecond, alone */
    double cached, uncached; /* everything else: duration alone */
    double share;            /* the share of the device's threads that a kernel takes */
    double computing;        /* how long it would compute if it had all multiprocessors */
    double traffic;          /* how long its memory traffic takes, outside the cache */
} model_cost;
model_cost lab_model_cost(const lab_trace_op *op, const lab_profile *profile, double scale, bool pinned);

/* The cost of the host's call before the work is enqueued. */
double lab_model_call_cost(const lab_trace_op *op, const lab_profile *profile);

#endif

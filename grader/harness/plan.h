/*
 * plan.h: the operations that a function must enqueue, and which of them wait for which; a part of check.h's manual.
 *
 *     check_plan plan = {.program = program, .trace = trace, .span = span, .threads = 128,
 *                        .stream = {{one, "`one`"}, {two, "`two`"}}};
 *     const int u = check_plan_add(&plan, (check_step){.name = "u", .stream = one, .block = block_of_u}, AFTER());
 *     check_plan_add(&plan, (check_step){.name = "p", .stream = two, .block = block_of_p}, AFTER(u));
 *     check_plan_find(&plan);
 *     check_plan_edges(&plan, NULL);
 *
 * Both functions end the check with one finding, in the same words for every lab, with its line and its cause. The
 * numbers, and what they came from, are the check's own to look at: check_flow.
 */
#ifndef GRADER_HARNESS_PLAN_H
#define GRADER_HARNESS_PLAN_H

#include "check.h"

enum { CHECK_PLAN_STEPS = 36, CHECK_PLAN_STREAMS = 3 };
#define CHECK_ANY_STREAM UINT64_MAX

/* An operation that must be there once. */
typedef struct check_step {
    const char *name; /* for messages: "u", "copy out of batch 2" */
    lab_op_kind kind;
    uint64_t stream; /* 0: any of the plan's; CHECK_ANY_STREAM: whichever */
    /* The operation is known by the pool block that it writes or, as a copy out, reads; without one by the name of its
     * kernel; without both by its kind. Of several that fit, by their streams. */
    const lab_trace_op *block;
    const char *kernel;
    const lab_trace_op *op; /* set by check_plan_find */
} check_step;

typedef struct check_plan {
    check_program *program;
    const lab_trace *trace;
    check_span span;
    uint64_t graph;   /* the plan is that of this captured graph, and its steps are nodes; 0: of operations that ran */
    unsigned threads; /* in each block of the kernels; 0: any number */
    bool pieces;      /* a copy may be made in several, of which the first is the step */
    struct {
        uint64_t id;
        const char *name; /* as the lab's header calls it: "`one`" */
    } stream[CHECK_PLAN_STREAMS];
    check_step step[CHECK_PLAN_STEPS];
    int steps;
    bool waits[CHECK_PLAN_STEPS][CHECK_PLAN_STEPS]; /* waits[later][earlier] */
} check_plan;

/* Adds a step, which waits for those in `after` and for what these wait for. Returns its number. Numbers below 0 in
 * `after` stand for no step. */
#define AFTER(...) ((const int[]){__VA_ARGS__ __VA_OPT__(, ) CHECK_PLAN_STEPS})
int check_plan_add(check_plan *plan, check_step step, const int *after);

/* Finds what it can of the steps in the record, and fails nothing: for the cause of something else. */
void check_plan_match(check_plan *plan);

/* Finds the steps in the record. Fails the check (kind rule) if one is missing, is there twice, is on another stream or
 * has other blocks, or if there is anything else. */
void check_plan_find(check_plan *plan);

/* Fails the check unless the steps that were found wait for each other as planned: for no fewer (race suspected) and
 * for no more (kind rule). A graph is drawn next to the one that was asked for, with the title; operations that ran
 * are not drawn and need none. */
void check_plan_edges(const check_plan *plan, const char *title);

/* Operations of one sort, where their number and stream are asked for and no edge. */
enum { CHECK_ANY_COUNT = -1 };
typedef struct check_work {
    lab_op_kind kind;
    const char *kernel; /* its name; NULL: any, or no kernel */
    int count;          /* CHECK_ANY_COUNT: as many as there are; 0: none, for the cause's sake */
    uint64_t stream;    /* 0: any */
    const char *on;     /* what the lab's header calls the stream: "`other`"; NULL: nothing */
    const char *cause;  /* why one too many or on another stream is there; NULL: not known */
} check_work;

/* Fails the check (kind rule) unless the call enqueued so many operations of each sort, each on its stream, and nothing
 * else. */
void check_enqueued(check_program *program, check_span span, const check_work *work, int sorts);

/* Fails the check (kind rule) unless the kernel was launched with at least `least` and at most `most` blocks, each of
 * `threads` threads; most: 0 for any number. `name` is what the lab calls this launch or its shape; NULL: nothing. */
void check_launched(check_span span, const lab_trace_op *kernel, unsigned least, unsigned most, unsigned threads,
                    const char *name);

/* Fails the check (kind rule) if the call used `given`, what program.c gives for other tasks, which sets this mark. */
void check_own_work(check_span span, const char *mark, const char *given);

/* What the call made and left, which must be at most one object of this noun of lab_lifetime, and nothing else: or the
 * check fails (kind leak). NULL if it left nothing. */
const lab_trace_op *check_leaves(const lab_trace *trace, check_span span, const char *noun);

/* Operation number `which` of this kind in the call, from 0, or from its end: -1 is the last. NULL if there are fewer.
 * And how many there are. */
const lab_trace_op *check_op_in(check_span span, lab_op_kind kind, int which);
int check_count_in(check_span span, lab_op_kind kind);

/* How often the host waits in the call with work enqueued since it last waited, for whatever stream or event; `wait`
 * gets the first two of these operations. */
int check_waits_in(check_span span, const lab_trace_op *wait[2]);

/* Fails the check (kind rule) if the longest chain of operations of the call, each of which waits for the one before,
 * has more than `most`, and names the edge that need not be. */
void check_chain(const lab_trace *trace, check_span span, int most);

/* Whether some operation of one kind in the span may run at the same time as some of the other. */
bool check_may_run_beside(const lab_trace *trace, check_span span, lab_op_kind one, lab_op_kind other);

/* Why something is missing, as far as calls that were refused, or not made, show it, and where; else `why`. */
check_finding check_explain_calls(check_program *program, check_span span, check_finding why);

/* Whether the operation writes to the pool block. */
bool check_writes_block(const lab_trace_op *op, const lab_trace_op *block);

/* The kernel of the call that wrote the pool block last, or without a block the last kernel; without one, the last work
 * of the call; NULL for none. */
const lab_trace_op *check_writer(check_span span, const lab_trace_op *block);

#endif

/* The rules of lab 03's contract; see checks_run.h. */
#include "checks_run.h"
#include "plan.h"

/* The last call that only waits after this operation; NULL for none. */
static const lab_trace_op *wait_after(const lab_trace *trace, const lab_trace_op *op)
{
    for (size_t i = trace->ops; i-- > op->id;)
        if (trace->op[i].host_waits && !check_is_work(&trace->op[i])) return &trace->op[i];
    return NULL;
}

static void check_waits(const passages *found)
{
    lab_relations *relations = check_relations(found->trace);
    const lab_trace_op *op = NULL;
    do op = run_next(found, op);
    while (op && (op->kind != LAB_OP_COPY_DTOH || lab_relations_waited_by(relations, op->id)));
    if (!op) return;
    const lab_trace_op *wait = wait_after(found->trace, op);
    check_fail(CHECK_RACE_SUSPECTED,
               check_text("%s returns while the copy of array %d to its output may still run", found->function,
                          found->owner[op->id - 1]),
               .at = check_at(wait ? wait : op),
               .expected = check_text("a wait of the host for each copy out, in %s", found->function),
               .found = check_text("none for the copy of array %d, at line %d", found->owner[op->id - 1], op->line),
               .cause = wait ? "this waits for other work: every one of the work->streams streams must be waited for"
                             : "nothing waits for this copy: add lab_stream_synchronize for its stream before the "
                               "return");
}

/* The line of the student's own loop: a kernel's is in the given function. */
static check_place place_in_loop(const passages *found, const lab_trace_op *op)
{
    return check_at(op->kind == LAB_OP_KERNEL ? found->array[found->owner[op->id - 1]].in : op);
}

static void check_streams(const passages *found)
{
    const passage *array = found->array;
    for (const lab_trace_op *op = NULL; (op = run_next(found, op));) {
        const int k = found->owner[op->id - 1], first = op->stream == array[k].in->stream ? k % FEW_STREAMS : k;
        CHECK_THAT(op->stream == array[first].in->stream, CHECK_RULE,
                   check_text("%s: the %s of array %d and the copy in of array %d are on different streams",
                              found->function, run_step(op), k, first),
                   .at = place_in_loop(found, op),
                   .expected =
                       check_text("one stream for both: all of array k on one of %d streams in turn", FEW_STREAMS),
                   .found = check_text("%s on stream %d, copy in on stream %d", run_step(op), (int)op->stream,
                                       (int)array[first].in->stream),
                   .cause = "all three calls of an array name stream_of(work, k), work->stream[k % work->streams]");
    }
    for (int k = 0; k < FEW_STREAMS; k++)
        for (int other = 0; other < k; other++)
            CHECK_THAT(array[other].in->stream != array[k].in->stream, CHECK_RULE,
                       check_text("%s: arrays %d and %d are on the same stream; with %d streams they must be on "
                                  "different ones",
                                  found->function, other, k, FEW_STREAMS),
                       .at = check_at(array[k].in), .expected = check_text("%d streams in turn", FEW_STREAMS),
                       .found = check_text("arrays %d and %d on the same stream", other, k),
                       .cause = "array k is to use work->stream[k % work->streams]");
}

/* The next operation that the same thread enqueued for an array. */
static const lab_trace_op *next_of_thread(const passages *found, const lab_trace_op *op)
{
    const uint64_t thread = op->thread;
    while ((op = run_next(found, op)) && op->thread != thread) continue;
    return op;
}

static void check_depth_first(const passages *found)
{
    for (const lab_trace_op *op = NULL; (op = run_next(found, op));) {
        const lab_trace_op *after = next_of_thread(found, op), *later = after;
        const int k = found->owner[op->id - 1];
        if (!after || found->owner[after->id - 1] == k) continue;
        while (later && found->owner[later->id - 1] != k) later = next_of_thread(found, later);
        if (!later) continue;
        check_fail(CHECK_RULE, check_text("%s does not enqueue one array after the other", found->function),
                   .at = place_in_loop(found, later),
                   .expected =
                       check_text("copy in, kernel and copy out of array %d before the calls for another array", k),
                   .found = check_text("the %s of array %d before the %s of array %d", run_step(after),
                                       found->owner[after->id - 1], run_step(later), k),
                   .cause = "depth first is one loop over the arrays with all three calls in it");
    }
}

static void check_breadth_first(const passages *found)
{
    static const lab_op_kind loop[] = {LAB_OP_COPY_HTOD, LAB_OP_KERNEL, LAB_OP_COPY_DTOH};
    for (int i = 0; i < 2; i++) {
        const lab_trace_op *early = NULL, *last = NULL;
        for (const lab_trace_op *op = NULL; (op = run_next(found, op));) {
            if (op->kind == loop[i + 1] && !early) early = op;
            if (op->kind == loop[i]) last = op;
        }
        CHECK_THAT(last->id < early->id, CHECK_RULE,
                   check_text("a %s was enqueued before the last %s", run_step(early), run_step(last)),
                   .at = place_in_loop(found, early),
                   .expected = "all copies in, then all kernels, then all copies out",
                   .found = check_text("the %s of array %d before the %s of array %d", run_step(early),
                                       found->owner[early->id - 1], run_step(last), found->owner[last->id - 1]),
                   .cause = "breadth first is three loops over the arrays, with one of the three calls in each");
    }
}

/* A thread must enqueue all of its work before it waits for any of it. */
static void check_no_wait_between(const passages *found)
{
    for (const lab_trace_op *first = NULL; (first = run_next(found, first));) {
        const lab_trace_op *next = next_of_thread(found, first);
        for (size_t i = first->id - 1; next && i < next->id - 1; i++) {
            const lab_trace_op *op = &found->trace->op[i];
            if (!op->host_waits || op->thread != first->thread) continue;
            check_fail(CHECK_RULE,
                       check_text("%s waits for the device (%s) in the middle of its work", found->function,
                                  lab_op_kind_name(op->kind)),
                       .at = check_at(op), .expected = "all arrays enqueued before the host waits",
                       .found = check_text("%s before the %s of array %d", lab_op_kind_name(op->kind), run_step(next),
                                           found->owner[next->id - 1]),
                       .cause =
                           "the host waits here before all arrays are enqueued, so that later ones cannot overlap with "
                           "earlier ones");
        }
    }
}

/* Some copy in must be able to run next to another array's kernel, and so must some copy out. The order of the calls
 * decides this, not the speed of this machine. */
static void check_may_overlap(const passages *found)
{
    const check_span span = check_whole(found->trace, found->function);
    const bool in = check_may_run_beside(found->trace, span, LAB_OP_COPY_HTOD, LAB_OP_KERNEL),
               out = check_may_run_beside(found->trace, span, LAB_OP_COPY_DTOH, LAB_OP_KERNEL);
    CHECK_THAT(
        in && out, CHECK_RULE,
        check_text("in %s no copy %s can run beside a kernel of another array", found->function, in ? "out" : "in"),
        .at = check_at(found->array[1].in), .expected = "copies of an array that may run beside the kernel of another",
        .found = check_text("every copy %s ordered before or after every other array's kernel", in ? "out" : "in"),
        .cause = "streams, events or the null stream put every array behind the one before it");
}

void run_check_rules(const passages *found, unsigned rules)
{
    if (rules & RULE_BREADTH_FIRST) check_breadth_first(found);
    if (rules & RULE_WAITS) check_waits(found);
    if (rules & RULE_STREAMS) check_streams(found);
    if (rules & RULE_DEPTH_FIRST) check_depth_first(found);
    if (rules & RULE_OVERLAP) check_no_wait_between(found);
    if (rules & RULE_OVERLAP) check_may_overlap(found);
}

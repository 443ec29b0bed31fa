/* The rules of lab 03's contract; see checks_rules.h. */
#include "checks_rules.h"

#include <stdlib.h>
#include <string.h>

const lab_trace *rule_given_back(run *this_run, const char *function)
{
    check_trace_begin(this_run->program);
    run_call_afresh(this_run, function);
    const lab_trace *trace = check_trace(this_run->program);
    check_keeps_nothing(trace, (check_span){trace->op, trace->op + trace->ops, function, NULL, NULL});
    run_check_outputs(this_run, trace, function);
    run_check_flow(this_run, trace, function);
    return trace;
}

void rule_closed(const lab_trace *trace, const char *noun, const char *made_by, const char *function)
{
    lab_lifetime *life;
    size_t lives, made = 0;
    const lab_trace_op *left = NULL;
    if (lab_trace_lifetimes(&life, &lives, trace) != LAB_SUCCESS) check_fault("%s", lab_error_message());
    for (size_t i = 0; i < lives; i++) {
        if (strcmp(life[i].noun, noun) != 0) continue;
        made++;
        if (!life[i].ended && !left) left = life[i].made;
    }
    free(life);
    CHECK_THAT(made, CHECK_RULE, check_text("%s makes no %s", made_by, noun), .at = check_at_name(made_by),
               .expected = check_text("%ss, which %s makes and %s releases", noun, made_by, function), .found = "none",
               .cause = check_text("%s is not written yet, or makes none in this call", made_by));
    CHECK_THAT(!left, CHECK_LEAK, check_text("%s does not release every %s", function, noun),
               .at = check_at_name(function),
               .expected = check_text("every %s of %s released by %s", noun, made_by, function),
               .found = check_text("one is left, made at line %d", left->line),
               .cause = check_text("%s releases all that %s made, in every call", function, made_by));
}

const char *step_of(const lab_trace_op *op)
{
    return op->kind == LAB_OP_KERNEL ? "kernel" : op->kind == LAB_OP_COPY_DTOH ? "copy out" : "copy in";
}

/* The last call that only waits after this operation; NULL for none. */
static const lab_trace_op *wait_after(const lab_trace *trace, const lab_trace_op *op)
{
    for (size_t i = trace->ops; i-- > op->id;)
        if (trace->op[i].host_waits && !check_is_work(&trace->op[i])) return &trace->op[i];
    return NULL;
}

void rule_waits(const passages *found, const char *function)
{
    lab_relations *relations = check_relations(found->trace);
    const lab_trace_op *op = NULL;
    do op = run_next(found, op);
    while (op && (op->kind != LAB_OP_COPY_DTOH || lab_relations_waited_by(relations, op->id)));
    if (!op) return;
    const lab_trace_op *wait = wait_after(found->trace, op);
    check_fail(CHECK_RACE_SUSPECTED,
               check_text("%s returns while the copy of array %d to its output may still run", function,
                          found->owner[op->id - 1]),
               .at = check_at(wait ? wait : op),
               .expected = check_text("a wait of the host for each copy out, in %s", function),
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

void rule_streams(const passages *found, const char *function)
{
    for (const lab_trace_op *op = NULL; (op = run_next(found, op));) {
        const int k = found->owner[op->id - 1];
        CHECK_THAT(
            op->stream == found->array[k].in->stream, CHECK_RULE,
            check_text("%s: array %d is copied in on one stream and its %s is on another", function, k, step_of(op)),
            .at = place_in_loop(found, op),
            .expected = check_text("copy in, kernel and copy out of array %d on one stream", k),
            .found = check_text("copy in on stream %d, %s on stream %d", (int)found->array[k].in->stream, step_of(op),
                                (int)op->stream),
            .cause = "all three calls of an array name stream_of(work, k)");
    }
    for (int k = 0; k < FEW_ARRAYS; k++) {
        for (int other = 0; other < k; other++) {
            bool same = found->array[other].in->stream == found->array[k].in->stream;
            bool must_be_same = other % FEW_STREAMS == k % FEW_STREAMS;
            CHECK_THAT(
                same == must_be_same, CHECK_RULE,
                check_text("%s: arrays %d and %d are on %s; with %d streams they must be on %s", function, other, k,
                           same ? "the same stream" : "different streams", FEW_STREAMS,
                           must_be_same ? "the same one" : "different ones"),
                .at = check_at(found->array[k].in), .expected = check_text("%d streams in turn", FEW_STREAMS),
                .found = check_text("arrays %d and %d on %s", other, k, same ? "the same stream" : "different streams"),
                .cause = "array k is to use work->stream[k % work->streams]");
        }
    }
}

/* The next operation that the same thread enqueued for an array. */
static const lab_trace_op *next_of_thread(const passages *found, const lab_trace_op *op)
{
    const uint64_t thread = op->thread;
    while ((op = run_next(found, op)) && op->thread != thread) continue;
    return op;
}

void rule_depth_first(const passages *found, const char *function)
{
    for (const lab_trace_op *op = NULL; (op = run_next(found, op));) {
        const lab_trace_op *after = next_of_thread(found, op), *later = after;
        const int k = found->owner[op->id - 1];
        if (!after || found->owner[after->id - 1] == k) continue;
        while (later && found->owner[later->id - 1] != k) later = next_of_thread(found, later);
        if (!later) continue;
        check_fail(CHECK_RULE, check_text("%s does not enqueue one array after the other", function),
                   .at = place_in_loop(found, later),
                   .expected =
                       check_text("copy in, kernel and copy out of array %d before the calls for another array", k),
                   .found = check_text("the %s of array %d before the %s of array %d", step_of(after),
                                       found->owner[after->id - 1], step_of(later), k),
                   .cause = "depth first is one loop over the arrays with all three calls in it");
    }
}

/* No operation of one kind may be enqueued before the last one of another kind. */
static void check_all_before(const passages *found, lab_op_kind first, lab_op_kind second)
{
    const lab_trace_op *early = NULL, *last = NULL;
    for (const lab_trace_op *op = NULL; (op = run_next(found, op));) {
        if (op->kind == second && !early) early = op;
        if (op->kind == first) last = op;
    }
    if (last->id < early->id) return;
    check_fail(CHECK_RULE, check_text("a %s was enqueued before the last %s", step_of(early), step_of(last)),
               .at = place_in_loop(found, early), .expected = "all copies in, then all kernels, then all copies out",
               .found = check_text("the %s of array %d before the %s of array %d", step_of(early),
                                   found->owner[early->id - 1], step_of(last), found->owner[last->id - 1]),
               .cause = "breadth first is three loops over the arrays, with one of the three calls in each");
}

void rule_breadth_first(const passages *found)
{
    check_all_before(found, LAB_OP_COPY_HTOD, LAB_OP_KERNEL);
    check_all_before(found, LAB_OP_KERNEL, LAB_OP_COPY_DTOH);
}

/* A thread must enqueue all of its work before it waits for any of it. */
static void check_no_wait_between(const passages *found, const char *function)
{
    for (const lab_trace_op *first = NULL; (first = run_next(found, first));) {
        const lab_trace_op *next = next_of_thread(found, first);
        for (size_t i = first->id - 1; next && i < next->id - 1; i++) {
            const lab_trace_op *op = &found->trace->op[i];
            if (!op->host_waits || op->thread != first->thread) continue;
            check_fail(CHECK_RULE,
                       check_text("%s waits for the device (%s) in the middle of its work", function,
                                  lab_op_kind_name(op->kind)),
                       .at = check_at(op), .expected = "all arrays enqueued before the host waits",
                       .found = check_text("%s before the %s of array %d", lab_op_kind_name(op->kind), step_of(next),
                                           found->owner[next->id - 1]),
                       .cause =
                           "the host waits here before all arrays are enqueued, so that later ones cannot overlap with "
                           "earlier ones");
        }
    }
}

/* Some copy in must be able to run next to another array's kernel, and so must some copy out. The order of the calls
 * decides this, not the speed of this machine. */
static void check_may_overlap(const passages *found, const char *function)
{
    static const lab_op_kind kinds[] = {LAB_OP_COPY_HTOD, LAB_OP_COPY_DTOH, LAB_OP_KERNEL};
    lab_op_set set[3] = {{0}};
    for (int i = 0; i < 3; i++) {
        uint64_t *id = check_alloc(found->trace->ops * sizeof *id);
        set[i].id = id;
        for (const lab_trace_op *op = NULL; (op = run_next(found, op));)
            if (op->kind == kinds[i]) id[set[i].count++] = op->id;
    }
    lab_relations *relations = check_relations(found->trace);
    bool in = lab_relations_sets_may_overlap(relations, set[0], set[2], NULL);
    bool out = lab_relations_sets_may_overlap(relations, set[1], set[2], NULL);
    if (in && out) return;
    check_fail(
        CHECK_RULE,
        check_text("in %s no copy %s can run beside a kernel of another array", function, in ? "out" : "in"),
        .at = check_at(found->array[1].in), .expected = "copies of an array that may run beside the kernel of another",
        .found = check_text("every copy %s ordered before or after every other array's kernel", in ? "out" : "in"),
        .cause = "streams, events or the null stream put every array behind the one before it");
}

void rule_overlap(const passages *found, const char *function)
{
    check_no_wait_between(found, function);
    check_may_overlap(found, function);
}

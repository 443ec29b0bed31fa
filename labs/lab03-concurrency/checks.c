/* The checks of lab 03, on the outputs and the record of a run. */
#include "checks_run.h"

#include <math.h>

CHECK_LAB("lab03", "200 arrays at once");

CHECK(streams_are_made, .points = 5, .title = "Task 1: lab03_open makes the streams",
      .hints = {"Task 1 is in lab03_open: who makes the streams that stream_of gives out?",
                "A loop over work->streams. lab_stream_create takes the place for the stream first, then its kind; "
                "lab.h says what the two kinds mean.",
                "For stream s: LAB_TRY(lab_stream_create(&work->stream[s], kind)). lab03_close does the same loop with "
                "lab_stream_destroy."})
{
    run small = run_begin(false, small_size());
    check_trace_begin(small.program);
    run_call(&small, "lab03_open");
    const lab_trace *trace = check_trace(small.program);
    int made = check_count_ops(trace, LAB_OP_STREAM_CREATE);
    check_expected("%d streams", FEW_STREAMS);
    check_found("%d stream%s", made, made == 1 ? "" : "s");
    if (made == 0) check_cause("lab03_open is not written yet");
    CHECK_THAT(made == FEW_STREAMS, CHECK_RULE, "lab03_open must make work->streams streams, here %d", FEW_STREAMS);
}

CHECK(arrays_are_right, .points = 20, .title = "Task 2: every array is right, each time",
      .hints = {
          "Task 2 is in lab03_depth_first: does each of the work->arrays arrays get all three of its steps?",
          "lab03_serial has the three calls in their waiting form; each has a form that only enqueues, on a stream.",
          "For each k, in this order: lab_array_set_async, launch, lab_array_get_async, the copies with "
          "stream_of(work, k) as their last argument. Then wait_for_streams."})
{
    run all = run_begin(false, short_arrays());
    run_call(&all, "lab03_open");
    for (int time = 0; time < 2; time++) {
        check_trace_begin(all.program);
        run_call_afresh(&all, "lab03_depth_first");
        run_check_outputs(&all, "lab03_depth_first");
        const lab_trace *trace = check_trace(all.program);
        run_follow_all(&all, trace, "lab03_depth_first");
        run_check_flow(&all, trace, "lab03_depth_first");
    }
}

/* Every copy out of a run must have been waited for. */
static void check_waits(const passages *found, const char *function)
{
    for (const lab_trace_op *op = NULL; (op = run_next(found, op));) {
        if (op->kind != LAB_OP_COPY_DTOH || check_is_waited_for(found->trace, op)) continue;
        check_locate(op);
        check_cause("nothing waits for this copy: add lab_stream_synchronize for its stream before the return");
        check_fail(CHECK_RACE_SUSPECTED, "%s returns while the copy of array %d to its output may still run", function,
                   found->owner[op->id - 1]);
    }
}

CHECK(waits_before_returning, .points = 10, .schedule = "adversarial", .seeds = 3, .any_order = true,
      .title = "Task 2: the work is done when the function returns, in every order",
      .hints = {"The caller reads the outputs as soon as lab03_depth_first returns. What has happened by then?",
                "The calls only enqueue: before the caller may read, every stream must be waited for. Look at "
                "wait_for_streams.",
                "In wait_for_streams, call lab_stream_synchronize on each of the work->streams streams, after "
                "everything is enqueued."})
{
    run small = run_begin(false, small_size());
    run_call(&small, "lab03_open");
    run_call(&small, "lab03_pin");
    check_trace_begin(small.program);
    run_call_afresh(&small, "lab03_depth_first");
    const char *unordered = check_unordered(small.program);
    run_check_outputs(&small, "lab03_depth_first");
    const lab_trace *trace = check_trace(small.program);
    const passages found = run_follow_all(&small, trace, "lab03_depth_first");
    check_waits(&found, "lab03_depth_first");
    if (unordered) check_cause("%s", unordered);
    CHECK_THAT(!unordered, CHECK_RACE_SUSPECTED, "nothing orders what must be ordered in lab03_depth_first");
    check_nothing_outstanding(trace, "lab03_depth_first");
    run_check_flow(&small, trace, "lab03_depth_first");
}

CHECK(each_array_on_its_stream, .points = 10, .title = "Task 2: array k works on stream k % streams",
      .hints = {
          "Which stream does each of the three calls name? An array must stay on one.",
          "All three calls of an array take the same stream, and different arrays different ones: stream_of(work, k) "
          "says which.",
          "launch(work, k) has its stream already; give both copies stream_of(work, k), not NULL and not stream 0."})
{
    run small = run_begin(false, small_size());
    run_call(&small, "lab03_open");
    check_trace_begin(small.program);
    run_call_afresh(&small, "lab03_depth_first");
    const lab_trace *trace = check_trace(small.program);
    const passages found = run_follow_all(&small, trace, "lab03_depth_first");
    for (const lab_trace_op *op = NULL; (op = run_next(&found, op));) {
        const int k = found.owner[op->id - 1];
        check_locate(op);
        CHECK_THAT(op->stream == found.array[k].in->stream, CHECK_RULE,
                   "array %d is copied in on one stream and its %s is on another", k,
                   op->kind == LAB_OP_KERNEL      ? "kernel"
                   : op->kind == LAB_OP_COPY_DTOH ? "copy out"
                                                  : "rest");
    }
    for (int k = 0; k < FEW_ARRAYS; k++) {
        for (int other = 0; other < k; other++) {
            bool same = found.array[other].in->stream == found.array[k].in->stream;
            bool must_be_same = other % FEW_STREAMS == k % FEW_STREAMS;
            check_locate(found.array[k].in);
            CHECK_THAT(same == must_be_same, CHECK_RULE,
                       "arrays %d and %d are on %s; with %d streams they must be on %s", other, k,
                       same ? "the same stream" : "different streams", FEW_STREAMS,
                       must_be_same ? "the same one" : "different ones");
        }
    }
    run_check_outputs(&small, "lab03_depth_first");
    run_check_flow(&small, trace, "lab03_depth_first");
}

CHECK(host_arrays_are_pinned, .points = 10, .title = "Task 3: the copies use pinned memory",
      .hints = {"Task 3 is in lab03_pin: both sides of every array, or only one?",
                "lab_host_register pins memory that is already there, in place; it needs an address and a size.",
                "For each k: lab_host_register(work->input[k], work->bytes), the same for work->output[k], and in "
                "lab03_unpin lab_host_unregister for both."})
{
    run small = run_begin(false, small_size());
    run_call(&small, "lab03_open");
    run_call(&small, "lab03_pin");
    check_trace_begin(small.program);
    run_call_afresh(&small, "lab03_depth_first");
    const lab_trace *trace = check_trace(small.program);
    const passages found = run_follow_all(&small, trace, "lab03_depth_first after lab03_pin");
    for (const lab_trace_op *op = NULL; (op = run_next(&found, op));) {
        if (op->kind == LAB_OP_KERNEL || op->host_memory == LAB_HOST_PINNED) continue;
        const char *side = op->kind == LAB_OP_COPY_HTOD ? "input" : "output";
        const int k = found.owner[op->id - 1];
        check_expected("pinned input and output of array %d", k);
        check_found("pageable %s", side);
        check_cause("lab03_pin left the %s of array %d pageable, or pinned a part of its work->bytes only, so its "
                    "copies are staged by the host and do not overlap",
                    side, k);
        check_fail(CHECK_RULE, "after lab03_pin an array's copy still used pageable memory");
    }
    run_call(&small, "lab03_unpin");
    run_check_outputs(&small, "lab03_depth_first");
    run_check_flow(&small, trace, "lab03_depth_first");
}

/* Everything must be enqueued before the host waits for any of it. */
static void check_no_wait_between(const passages *found, const char *function)
{
    const lab_trace_op *first = run_next(found, NULL), *last = first;
    for (const lab_trace_op *op = first; op; op = run_next(found, op)) last = op;
    for (size_t i = first->id; i < last->id - 1; i++) {
        const lab_trace_op *op = &found->trace->op[i];
        if (!op->host_waits) continue;
        check_locate(op);
        check_cause(
            "the host waits here before all arrays are enqueued, so that later ones cannot overlap with earlier ones");
        check_fail(CHECK_RULE, "%s waits for the device (%s) in the middle of its work", function,
                   lab_op_kind_name(op->kind));
    }
}

/* Some copy in must be able to run beside another array's kernel, and so must some copy out. The order of the calls
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
    lab_relations *relations;
    if (lab_relations_create(&relations, found->trace) != LAB_SUCCESS) check_fault("%s", lab_error_message());
    bool in = lab_relations_sets_may_overlap(relations, set[0], set[2], NULL);
    bool out = lab_relations_sets_may_overlap(relations, set[1], set[2], NULL);
    lab_relations_free(relations);
    if (in && out) return;
    check_locate(found->array[1].in);
    check_cause("streams, events or the null stream put every array behind the one before it");
    check_fail(CHECK_RULE, "in %s no copy %s can run beside a kernel of another array", function, in ? "out" : "in");
}

/* The record of a call with pinned memory, which must not keep copies and kernels apart. */
static const lab_trace *check_overlap(run *this_run, bool is_shown)
{
    const char *function = "lab03_depth_first";
    run_call(this_run, "lab03_open");
    run_call(this_run, "lab03_pin");
    if (is_shown) run_call_afresh(this_run, function); /* a first call is slower */
    check_trace_begin(this_run->program);
    run_call_afresh(this_run, function);
    const lab_trace *trace = check_trace(this_run->program);
    if (is_shown && lab_trace_summarize(trace).streams_used > 0)
        check_artifact_trace(trace, "lab03_depth_first after lab03_pin");
    const passages found = run_follow_all(this_run, trace, function);
    check_no_wait_between(&found, function);
    check_may_overlap(&found, function);
    return trace;
}

CHECK(copies_overlap_kernels, .points = 10, .title = "Task 3: copies overlap kernels",
      .hints = {"What stands between array 0 and array 1 in your code that makes one wait for the other?",
                "Enqueue everything first and wait once, at the end. With pinned memory and streams of their own, one "
                "array's copies run beside another's kernel.",
                "Inside the loop only calls that enqueue: no lab_stream_synchronize, no copy without _async. After the "
                "loop: wait_for_streams(work)."})
{
    run shown = run_begin(false, size_for_device()), proven = run_begin(false, short_arrays());
    check_overlap(&shown, true);
    const lab_trace *trace = check_overlap(&proven, false);
    run_check_outputs(&proven, "lab03_depth_first");
    run_check_flow(&proven, trace, "lab03_depth_first");
}

/* How many times larger the arrays of a full-size run are, for the model. */
static double full_size(const run *this_run) { return 1024.0 * 1024.0 / (double)this_run->size.length; }

/* The record of one call with new inputs, its outputs checked. */
static const lab_trace *record(run *this_run, const char *name, const char *function)
{
    check_trace_begin(this_run->program);
    run_call_afresh(this_run, name);
    run_check_outputs(this_run, function);
    const lab_trace *trace = check_trace(this_run->program);
    const passages found = run_follow_all(this_run, trace, function);
    check_waits(&found, function);
    return trace;
}

static check_modelled modelled(const run *this_run, const lab_trace *trace)
{
    return check_model(trace, "h200", full_size(this_run));
}

CHECK(near_the_best_order, .points = 10, .title = "Task 3: nearly the best order for a large GPU",
      .hints = {
          "The arrays have nothing to do with each other. Does anything in your code make one wait for another?",
          "The finding names a time: what the model of a large GPU gives for your calls, and for the best order. "
          "Look for waits, events and pageable memory that the work does not need.",
          "For each array three calls on its own stream, nothing between the arrays, one wait after the loop; both "
          "sides of every array pinned."})
{
    run yours = run_begin(false, short_arrays()), reference = run_begin(true, short_arrays());
    run_call(&yours, "lab03_open");
    run_call(&yours, "lab03_pin");
    run_call(&reference, "lab03_open");
    run_call(&reference, "lab03_pin");
    const lab_trace *your_record = record(&yours, "lab03_depth_first", "lab03_depth_first");
    run_check_flow(&yours, your_record, "lab03_depth_first");
    check_modelled your_model = modelled(&yours, your_record),
                   its_model = modelled(&reference, record(&reference, "lab03_depth_first", "the reference"));
    double best = your_model.best < its_model.makespan ? your_model.best : its_model.makespan;
    check_expected("at most %.1f ms: the best order of these calls takes %.1f ms, %s", best / 0.9, best,
                   its_model.label);
    check_found("%.1f ms, %s", your_model.makespan, your_model.label);
    check_cause("the first thing to change: %s", your_model.advice);
    CHECK_THAT(best / your_model.makespan >= 0.9, CHECK_RULE,
               "on a large GPU lab03_depth_first would take %.1f times as long as it needs to, %s",
               your_model.makespan / best, your_model.label);
}

CHECK(breadth_first_order, .points = 5, .title = "Task 4: breadth first is right, and in its order",
      .hints = {"Task 4 asks for the same calls in another order: what comes before any kernel?",
                "All copies in, then all kernels, then all copies out: three loops instead of one, then the same wait.",
                "Take the three calls of lab03_depth_first apart into three loops over k; the streams stay "
                "stream_of(work, k)."})
{
    run small = run_begin(false, small_size());
    run_call(&small, "lab03_open");
    run_call(&small, "lab03_pin");
    check_trace_begin(small.program);
    run_call_afresh(&small, "lab03_breadth_first");
    run_check_outputs(&small, "lab03_breadth_first");
    const lab_trace *trace = check_trace(small.program);
    const passages found = run_follow_all(&small, trace, "lab03_breadth_first");
    uint64_t last_in = 0, first_kernel = UINT64_MAX, last_kernel = 0, first_out = UINT64_MAX;
    for (const lab_trace_op *op = NULL; (op = run_next(&found, op));) {
        if (op->kind == LAB_OP_COPY_HTOD) last_in = op->id;
        if (op->kind == LAB_OP_KERNEL) last_kernel = op->id;
        if (op->kind == LAB_OP_KERNEL && op->id < first_kernel) first_kernel = op->id;
        if (op->kind == LAB_OP_COPY_DTOH && op->id < first_out) first_out = op->id;
    }
    CHECK_THAT(last_in < first_kernel, CHECK_RULE, "a kernel was enqueued before the last copy in");
    CHECK_THAT(last_kernel < first_out, CHECK_RULE, "a copy out was enqueued before the last kernel");
    check_waits(&found, "lab03_breadth_first");
    run_check_flow(&small, trace, "lab03_breadth_first");
}

/* The event record just before (or after) the operation on its stream; NULL if something else is there. */
static const lab_trace_op *record_beside(const lab_trace *trace, const lab_trace_op *op, int direction)
{
    const lab_trace_op *beside = check_beside(trace, op, direction);
    return beside && beside->kind == LAB_OP_EVENT_RECORD ? beside : NULL;
}

static double interval_ms(const lab_trace_op *start, const lab_trace_op *end)
{
    return (double)(end->end_ns - start->end_ns) / 1e6;
}

CHECK(
    kernel_times_match_the_record, .points = 10, .measures = true,
    .title = "Task 5: events measure the kernels, and only them",
    .hints = {
        "Task 5: what lies between your two events besides the kernel?",
        "An event notes the moment when its stream gets there, so both go on the kernel's own stream, just before and "
        "just after the launch; each array needs two of its own.",
        "In one loop over k: create both events, copy in, lab_event_record(work->start[k], stream_of(work, k)), "
        "launch, record work->end[k] on the same stream, copy out. After the wait: lab_event_elapsed_time for each k."})
{
    run small = run_begin(false, small_size());
    run_call(&small, "lab03_open");
    run_call(&small, "lab03_pin");
    run_fill(&small);
    check_trace_begin(small.program);
    lab03_statistics reported;
    check_call(small.program, "lab03_time_kernels", NULL, 0, &reported, sizeof reported);
    lab03_head head;
    check_snapshot(small.program, &head, 0, sizeof head);
    run_check_outputs(&small, "lab03_time_kernels");
    const lab_trace *trace = check_trace(small.program);
    const passages found = run_follow_all(&small, trace, "lab03_time_kernels");
    double sum = 0, squares = 0, recorded[FEW_ARRAYS];
    for (int k = 0; k < FEW_ARRAYS; k++) {
        const lab_trace_op *start = record_beside(trace, found.array[k].kernel, -1),
                           *end = record_beside(trace, found.array[k].kernel, 1);
        check_locate(found.array[k].kernel);
        if (!start || !end)
            check_cause("on the kernel's stream, the operation just %s the kernel of array %d is not an event record",
                        start ? "after" : "before", k);
        CHECK_THAT(start && end, CHECK_RULE,
                   "the events of array %d do not stand just before and just after its kernel", k);
        recorded[k] = interval_ms(start, end);
        check_expected("array %d: %.4f ms, as recorded", k, recorded[k]);
        check_found("array %d: %.4f ms", k, (double)head.milliseconds[k]);
        check_cause_event_time();
        CHECK_THAT(check_is_event_time(head.milliseconds[k], recorded[k]), CHECK_WRONG_RESULT,
                   "times->milliseconds[%d] is not the time between the kernel's two events", k);
        sum += recorded[k];
    }
    for (int k = 0; k < FEW_ARRAYS; k++) squares += pow(recorded[k] - sum / FEW_ARRAYS, 2);
    double mean = sum / FEW_ARRAYS, deviation = sqrt(squares / FEW_ARRAYS);
    check_expected("mean %.4f ms, standard deviation %.4f ms", mean, deviation);
    check_found("mean %.4f ms, standard deviation %.4f ms", (double)reported.mean, (double)reported.deviation);
    CHECK_THAT(check_is_event_time(reported.mean, mean) && check_is_event_time(reported.deviation, deviation),
               CHECK_WRONG_RESULT, "mean or standard deviation is not that of the kernels' times");
}

CHECK(nothing_is_left_behind, .points = 5, .title = "Streams, events and pinned memory are given back",
      .hints = {
          "Something that your functions make is never given back: the finding says which kind.",
          "What lab03_open makes, lab03_close gives back; the same for lab03_pin and lab03_unpin, and for every event.",
          "lab_stream_destroy in lab03_close, lab_host_unregister in lab03_unpin, lab_event_destroy for both events of "
          "each array once their time is read."})
{
    run small = run_begin(false, small_size());
    check_trace_begin(small.program);
    run_call(&small, "lab03_open");
    run_call(&small, "lab03_pin");
    run_fill(&small);
    check_call(small.program, "lab03_time_kernels", NULL, 0, NULL, 0);
    run_call(&small, "lab03_unpin");
    run_call(&small, "lab03_close");
    const lab_trace *trace = check_trace(small.program);
    check_given_back(trace, "stream");
    check_given_back(trace, "event");
    check_given_back(trace, "pinning");
}

/* One timed call with new inputs, its outputs checked. */
static double timed(run *this_run, const char *name, const char *function)
{
    run_fill(this_run);
    check_trace_begin(this_run->program);
    double milliseconds = run_call(this_run, name);
    run_check_outputs(this_run, function);
    return milliseconds;
}

/* Times the streams with pageable and then with pinned memory, and unpins the memory again. */
static void time_streams(run *this_run, double *pageable, double *pinned, const char *function)
{
    *pageable = timed(this_run, "lab03_depth_first", function);
    run_call(this_run, "lab03_pin");
    *pinned = timed(this_run, "lab03_depth_first", function);
    run_call(this_run, "lab03_unpin");
}

/* Adds the modelled times of a large GPU to the table. They do not depend on this machine. */
static void show_modelled(check_who who)
{
    run this_run = run_begin(who == CHECK_REFERENCE, short_arrays());
    run_call(&this_run, "lab03_open");
    check_modelled serial = modelled(&this_run, record(&this_run, "lab03_serial", "lab03_serial")),
                   pageable = modelled(&this_run, record(&this_run, "lab03_depth_first", "lab03_depth_first"));
    run_call(&this_run, "lab03_pin");
    check_modelled depth = modelled(&this_run, record(&this_run, "lab03_depth_first", "lab03_depth_first"));
    if (who == CHECK_YOURS) check_timing_modelled("serial", who, &serial);
    check_timing_modelled("pageable", who, &pageable);
    check_timing_modelled("pinned", who, &depth);
}

typedef struct two_runs {
    run yours, reference;
} two_runs;

/* One sample of each row of the table. */
static void time_round(void *user, double *milliseconds)
{
    two_runs *both = user;
    milliseconds[0] = timed(&both->yours, "lab03_serial", "lab03_serial");
    time_streams(&both->yours, &milliseconds[1], &milliseconds[2], "lab03_depth_first");
    time_streams(&both->reference, &milliseconds[3], &milliseconds[4], "the reference");
}

CHECK(timed_runs_are_right, .points = 5, .seconds = 120, .measures = true,
      .title = "Timed runs are right, with new numbers in every call",
      .hints = {"The first wrong array says which loop to look at: is it right only the first time?",
                "Every call gets new numbers. Nothing of an earlier call may be kept: no copied outputs, no event read "
                "too early.",
                "Each call of lab03_depth_first does all copies, kernels and the wait itself, whether the memory is "
                "pinned at the moment or not."})
{
    lab03_size size = size_for_device();
    const double bytes = (double)size.arrays * (double)size.length * sizeof(float); /* in, and as many out */
    const check_row rows[] = {{"serial, null stream", CHECK_YOURS, bytes},
                              {"streams, pageable", CHECK_YOURS, bytes},
                              {"streams, pinned", CHECK_YOURS, bytes},
                              {"streams, pageable", CHECK_REFERENCE, bytes},
                              {"streams, pinned", CHECK_REFERENCE, bytes}};
    enum { ROWS = sizeof rows / sizeof *rows };
    two_runs both = {run_begin(false, size), run_begin(true, size)};
    double median[ROWS];
    run_call(&both.yours, "lab03_open");
    run_call(&both.reference, "lab03_open");
    check_measure(median, rows, ROWS, time_round, &both);
    show_modelled(CHECK_YOURS);
    show_modelled(CHECK_REFERENCE);
    check_ratio("streams, pageable: times as fast as serial", median[0] / median[1], median[0] / median[3]);
    check_ratio("streams, pinned: times as fast as serial", median[0] / median[2], median[0] / median[4]);
}

/* The checks of lab 03, on the outputs and the record of a run. */
#include "checks_run.h"
#include "find.h"

#include <math.h>

CHECK_LAB("lab03", "200 arrays at once");

static run begin(lab03_size size) { return run_begin(check_start_kept(lab03_memory_bytes(&size)), false, size); }

static run begin_reference(lab03_size size)
{
    return run_begin(check_start_reference(lab03_memory_bytes(&size)), true, size);
}

/* A program with its streams. */
static run begin_opened(lab03_size size)
{
    run made = begin(size);
    run_call(&made, "lab03_open");
    return made;
}

/* And with host memory that is pinned by the program around the student's functions. A check that stands on this does
 * not fail because lab03_pin is not written. */
static run begin_pinned(bool reference, lab03_size size)
{
    check_builds_on(CHECK_TASK(3));
    run made = reference ? begin_reference(size) : begin(size);
    run_call(&made, "lab03_open");
    run_call(&made, "pin_all");
    return made;
}

CHECK(streams_are_made, .points = 5, .without_flow = "lab03_open only makes streams",
      .title = "Task 1: lab03_open makes the streams",
      .hints = {"Task 1 is in lab03_open: who makes the streams that stream_of gives out?",
                "A loop over work->streams. lab_stream_create takes the place for the stream first, then its kind; "
                "lab.h says what the two kinds mean.",
                "For stream s: LAB_TRY(lab_stream_create(&work->stream[s], kind)). lab03_close does the same loop with "
                "lab_stream_destroy."})
{
    run small = begin(small_size());
    const lab_trace *trace = check_recorded(small.program, "lab03_open", NULL, 0, NULL, 0);
    const int made = check_count_ops(trace, LAB_OP_STREAM_CREATE);
    CHECK_THAT(
        made == FEW_STREAMS, CHECK_RULE, check_text("lab03_open must make work->streams streams, here %d", FEW_STREAMS),
        .at = check_at(check_last_op(trace, LAB_OP_STREAM_CREATE)), .expected = check_text("%d streams", FEW_STREAMS),
        .found = check_text("%d", made),
        .cause = !made                ? "no stream is made: is lab03_open written yet?"
                 : made == FEW_ARRAYS ? "so many as there are arrays: work->arrays is another number than work->streams"
                                      : NULL);
}

CHECK(arrays_are_right, .points = 15, .any_order = true, .title = "Task 2: every array is right, each time",
      .hints = {
          "Task 2 is in lab03_depth_first: does each of the work->arrays arrays get all three of its steps?",
          "lab03_serial has the three calls in their waiting form; each has a form that only enqueues, on a stream.",
          "For each k, in this order: lab_array_set_async, launch, lab_array_get_async, the copies with "
          "stream_of(work, k) as their last argument. Then wait_for_streams."})
{
    run all = begin_opened(short_arrays());
    for (int time = 0; time < 2; time++) run_check(&all, "lab03_depth_first", 0);
}

CHECK(waits_before_returning, .points = 10, .schedule = "adversarial", .seeds = 3, .any_order = true,
      .title = "Task 2: the work is done when the function returns, in every order",
      .hints = {"The caller reads the outputs as soon as lab03_depth_first returns. What has happened by then?",
                "The calls only enqueue: before the caller may read, every stream must be waited for. Look at "
                "wait_for_streams.",
                "In wait_for_streams, call lab_stream_synchronize on each of the work->streams streams, after "
                "everything is enqueued."})
{
    run small = begin_pinned(false, small_size());
    const passages found = run_check(&small, "lab03_depth_first", RULE_WAITS);
    check_waits_for_all(found.trace, check_whole(found.trace, "lab03_depth_first"));
}

CHECK(each_array_on_its_stream, .points = 10, .title = "Task 2: depth first, and array k on stream k % streams",
      .hints = {
          "Which stream does each of the three calls name? An array must stay on one.",
          "All three calls of an array take the same stream, and different arrays different ones: stream_of(work, k) "
          "says which.",
          "launch(work, k) has its stream already; give both copies stream_of(work, k), not NULL and not stream 0."})
{
    run small = begin_opened(small_size());
    run_check(&small, "lab03_depth_first", RULE_STREAMS | RULE_DEPTH_FIRST);
}

/* Whether the record's pinnings that last cover all of the host array at this address. */
static bool is_pinned(const lab_trace *trace, uint64_t address, uint64_t bytes)
{
    const uint64_t end = address + bytes;
    for (size_t i = 0; i < trace->ops && address < end; i++) {
        const lab_trace_op *op = &trace->op[i];
        if (op->kind != LAB_OP_HOST_REGISTER || op->object > address || op->object + op->bytes <= address) continue;
        address = op->object + op->bytes;
        i = (size_t)-1; /* another may cover the rest, wherever it stands */
    }
    return address >= end;
}

/* The pinning that begins last of those at or before this address; NULL for none. */
static const lab_trace_op *pinning_before(const lab_trace *trace, uint64_t address)
{
    const lab_trace_op *found = NULL;
    for (const lab_trace_op *op = trace->op; op < trace->op + trace->ops; op++)
        if (op->kind == LAB_OP_HOST_REGISTER && op->object <= address && (!found || op->object > found->object))
            found = op;
    return found;
}

/* Fails the check unless lab03_pin pins all inputs and outputs. */
static void check_pins(run *this_run)
{
    const lab_trace *trace = check_recorded(this_run->program, "lab03_pin", NULL, 0, NULL, 0);
    const uint64_t bytes = (uint64_t)this_run->size.length * sizeof(float), memory = check_address(this_run->program);
    for (int k = 0; k < this_run->size.arrays; k++) {
        const bool in = is_pinned(trace, memory + lab03_input_offset(&this_run->size, k), bytes);
        if (in && is_pinned(trace, memory + lab03_output_offset(&this_run->size, k), bytes)) continue;
        const char *side = in ? "output" : "input";
        const uint64_t address =
            memory + (in ? lab03_output_offset(&this_run->size, k) : lab03_input_offset(&this_run->size, k));
        const lab_trace_op *before = pinning_before(trace, address);
        const bool part = before && address - before->object < before->bytes;
        check_fail(CHECK_RULE, "after lab03_pin an array is not pinned",
                   .at = check_at(before ? before : check_last_op(trace, LAB_OP_HOST_REGISTER)),
                   .expected = "work->input[k] and work->output[k] pinned for all k, work->bytes of each",
                   .found = check_text("the %s of array %d pageable%s", side, k,
                                       part                                           ? " in part"
                                       : check_count_ops(trace, LAB_OP_HOST_REGISTER) ? ""
                                                                                      : ": lab03_pin pins nothing"),
                   .cause = before && before->bytes > bytes
                                ? "this pins more than one array, and ends before that one does: the arrays do not lie "
                                  "side by side, and each is pinned by itself"
                            : part
                                ? "this pins a part of it only: the size is in bytes, work->bytes of each array"
                                : check_text("no call pins the %s of array %d: its copies are staged by the host and "
                                             "do not overlap",
                                             side, k));
    }
}

CHECK(host_arrays_are_pinned, .points = 10, .title = "Task 3: the copies use pinned memory",
      .hints = {"Task 3 is in lab03_pin: both sides of every array, or only one?",
                "lab_host_register pins memory that is already there, in place; it needs an address and a size.",
                "For each k: lab_host_register(work->input[k], work->bytes), the same for work->output[k], and in "
                "lab03_unpin lab_host_unregister for both."})
{
    run small = begin_opened(small_size());
    check_pins(&small);
    const passages found = run_check(&small, "lab03_depth_first", 0);
    for (const lab_trace_op *op = NULL; (op = run_next(&found, op));)
        CHECK_THAT(op->kind == LAB_OP_KERNEL || op->host_memory == LAB_HOST_PINNED, CHECK_RULE,
                   "after lab03_pin an array's copy still used pageable memory", .at = check_at(op),
                   .expected = "pinned memory",
                   .found =
                       check_text("the %s of array %d uses pageable memory", run_step(op), found.owner[op->id - 1]),
                   .cause = "the copy is not of work->input[k] and work->output[k], which lab03_pin has pinned");
}

CHECK(copies_overlap_kernels, .points = 10, .title = "Task 3: copies overlap kernels",
      .hints = {"What stands between array 0 and array 1 in your code that makes one wait for the other?",
                "Enqueue everything first and wait once, at the end. With pinned memory and streams of their own, one "
                "array's copies run beside another's kernel.",
                "Inside the loop only calls that enqueue: no lab_stream_synchronize, no copy without _async. After the "
                "loop: wait_for_streams(work)."})
{
    run shown = begin_opened(size_for_device()), proven = begin_opened(short_arrays());
    run_call(&shown, "lab03_pin");
    run_call(&proven, "lab03_pin");
    run_fill(&shown);
    run_call(&shown, "lab03_depth_first"); /* a first call is slower */
    const passages drawn = run_record(&shown, "lab03_depth_first", NULL, 0);
    check_artifact_trace(drawn.trace, "lab03_depth_first after lab03_pin");
    run_check_rules(&drawn, RULE_OVERLAP);
    run_check_flow(&shown, &drawn);
    run_check(&proven, "lab03_depth_first", RULE_OVERLAP);
}

/* How many times larger the arrays of a full-size run are, for the model. */
static double full_size(const run *this_run) { return 1024.0 * 1024.0 / (double)this_run->size.length; }

/* The modelled time of one call with new inputs, whose outputs came from them. */
static check_modelled modelled(run *this_run, const char *name)
{
    const passages found = run_record(this_run, name, NULL, 0);
    if (!this_run->reference) run_check_flow(this_run, &found);
    return check_model(found.trace, "h200", full_size(this_run));
}

/* Fails the check unless the function takes at most a ninth longer than it must. The model's own best knows no order of
 * calls; a task that prescribes one is compared with the reference alone. */
static void check_model_of(const char *function, bool any_order)
{
    run yours = begin_pinned(false, short_arrays()), reference = begin_pinned(true, short_arrays());
    check_modelled your_model = modelled(&yours, function), its_model = modelled(&reference, function);
    const bool better = any_order && your_model.best < its_model.makespan;
    check_near_best(&your_model, &its_model, better ? your_model.best : its_model.makespan, function,
                    check_at_no_line());
}

CHECK(near_the_best_order, .points = 10, .title = "Task 3: nearly the best order for a large GPU",
      .hints = {
          "The arrays have nothing to do with each other. Does anything in your code make one wait for another?",
          "The finding names a time: what the model of a large GPU gives for your calls, and for the best order. "
          "Look for waits, events and pageable memory that the work does not need.",
          "For each array three calls on its own stream, nothing between the arrays, one wait after the loop; both "
          "sides of every array pinned."})
{
    run yours = begin_pinned(false, short_arrays());
    run_check(&yours, "lab03_depth_first", RULE_WAITS);
    check_model_of("lab03_depth_first", true);
}

CHECK(breadth_first_order, .points = 5, .any_order = true,
      .title = "Task 4: breadth first is right, in its order, and overlaps",
      .hints = {"Task 4 asks for the same calls in another order: what comes before any kernel?",
                "All copies in, then all kernels, then all copies out: three loops instead of one, then the same wait.",
                "Take the three calls of lab03_depth_first apart into three loops over k; the streams stay "
                "stream_of(work, k)."})
{
    run small = begin_pinned(false, small_size());
    for (int time = 0; time < 2; time++)
        run_check(&small, "lab03_breadth_first", RULE_BREADTH_FIRST | RULE_WAITS | RULE_STREAMS | RULE_OVERLAP);
    check_model_of("lab03_breadth_first", false);
}

/* The events around the kernel of array k, whose launch is in the given function. */
static check_event_pair events_of(const passages *found, int k)
{
    return check_events_around(found->trace, found->array[k].kernel, check_text("the kernel of array %d", k),
                               check_at(NULL), check_at(NULL));
}

/* Fails the check unless this is the time between the events of array k. */
static void check_time(const passages *found, int k, double milliseconds)
{
    const check_event_pair pair = events_of(found, k);
    const char *cause = NULL;
    for (int other = 0; other < FEW_ARRAYS; other++) {
        const check_event_pair used = events_of(found, other);
        const bool shared = used.start->object == pair.start->object || used.end->object == pair.end->object;
        if (other != k && shared)
            cause = check_text("arrays %d and %d share an event, which stands for its latest record only", k, other);
    }
    check_reports_event_time(
        milliseconds, check_event_time(pair.start, pair.end), "lab03_time_kernels",
        (check_finding){.message =
                            check_text("times->milliseconds[%d] is not the time between the kernel's two events", k),
                        .at = check_at(pair.end),
                        .cause = cause});
}

/* Fails the check unless mean and deviation are those of these times, to a part of a thousand. */
static void check_statistics(const lab03_statistics *reported, const float milliseconds[FEW_ARRAYS])
{
    double sum = 0, squares = 0;
    for (int k = 0; k < FEW_ARRAYS; k++) sum += milliseconds[k];
    const double mean = sum / FEW_ARRAYS;
    for (int k = 0; k < FEW_ARRAYS; k++) squares += pow(milliseconds[k] - mean, 2);
    const double deviation = sqrt(squares / FEW_ARRAYS), bound = 1e-3 * deviation + 1e-4 * mean;
    CHECK_THAT(
        fabs(reported->mean - mean) <= bound && fabs(reported->deviation - deviation) <= bound, CHECK_WRONG_RESULT,
        "mean or standard deviation is not that of the kernels' times", .at = check_at_name("lab03_time_kernels"),
        .expected = check_text("mean %.5f ms, standard deviation %.5f ms, of times->milliseconds", mean, deviation),
        .found =
            check_text("mean %.5f ms, standard deviation %.5f ms", (double)reported->mean, (double)reported->deviation),
        .cause = "the given function summarize was changed, or called before all times are there");
}

CHECK(
    kernel_times_match_the_record, .points = 10, .measures = true, .any_order = true,
    .title = "Task 5: events measure the kernels, and only them",
    .hints = {
        "Task 5: what lies between your two events besides the kernel?",
        "An event notes the moment when its stream gets there, so both go on the kernel's own stream, just before and "
        "just after the launch; each array needs two of its own.",
        "In one loop over k: create both events, copy in, lab_event_record(work->start[k], stream_of(work, k)), "
        "launch, record work->end[k] on the same stream, copy out. After the wait: lab_event_elapsed_time for each k."})
{
    run small = begin_pinned(false, small_size());
    for (int time = 0; time < 2; time++) {
        lab03_statistics reported;
        lab03_head head;
        const passages found = run_record(&small, "lab03_time_kernels", &reported, sizeof reported);
        check_said(small.program, &head, 0, sizeof head, "times of events, which the record has too");
        for (int k = 0; k < FEW_ARRAYS; k++) check_time(&found, k, head.milliseconds[k]);
        check_statistics(&reported, head.milliseconds);
        run_check_rules(&found, RULE_WAITS | RULE_STREAMS | RULE_DEPTH_FIRST | RULE_OVERLAP);
        run_check_flow(&small, &found);
    }
    check_model_of("lab03_time_kernels", false);
}

CHECK(nothing_is_left_behind, .points = 5, .any_order = true, .title = "Streams, events and pinned memory are released",
      .hints = {
          "Something that your functions make is never released: the finding says which kind.",
          "What lab03_open makes, lab03_close releases; the same for lab03_pin and lab03_unpin, and for every event.",
          "lab_stream_destroy in lab03_close, lab_host_unregister in lab03_unpin, lab_event_destroy for both events of "
          "each array once their time is read."})
{
    static const char *const function[] = {"lab03_depth_first", "lab03_breadth_first", "lab03_time_kernels"};
    run small = begin(small_size());
    for (int time = 0; time < 2; time++) {
        check_trace_begin(small.program);
        run_call(&small, "lab03_open");
        run_call(&small, "lab03_pin");
        run_call(&small, "lab03_unpin");
        run_call(&small, "lab03_close");
        const lab_trace *trace = check_trace(small.program);
        check_released_by(trace, "stream", "lab03_open", "lab03_close");
        check_released_by(trace, "pinning", "lab03_pin", "lab03_unpin");
    }
    run_call(&small, "lab03_open");
    for (int f = 0; f < 3; f++) {
        check_trace_begin(small.program);
        run_fill(&small);
        run_call(&small, function[f]);
        const lab_trace *trace = check_trace(small.program);
        check_keeps_nothing(trace, check_whole(trace, function[f]));
        run_check_outputs(&small, trace, function[f]);
        run_check_flow(&small, &(passages){.function = function[f], .trace = trace});
        if (f == 2)
            check_given_back(trace, "event", NULL, "lab03_time_kernels makes its events itself, and releases them");
    }
}

/* Few arrays on few streams, ready for any function. */
static void make_ready(check_program *program, const void *user)
{
    check_call(program, "prepare", user, sizeof(lab03_size), NULL, 0);
    check_call(program, "unpin_all", NULL, 0, NULL, 0);
    check_call(program, "lab03_open", NULL, 0, NULL, 0);
}

CHECK(failures_are_returned, CHECK_OF_FAILURES, .points = 5,
      .after = "streams_are_made, arrays_are_right, host_arrays_are_pinned, breadth_first_order",
      .title = "A call that fails is not lost",
      .hints = {
          [2] = "Put LAB_TRY around each call of the library, also in wait_for_streams and in the loops that wait."})
{
    check_builds_on(CHECK_TASK(3));
    const int streams = check_draw(2, 4);
    const lab03_size few = {.arrays = streams + check_draw(1, 3),
                            .length = check_draw(50, 2000),
                            .steps = check_draw(2, 9),
                            .streams = streams};
    check_failures(&(check_failing){.functions = CHECK_FUNCTIONS("lab03_open", "lab03_depth_first", "lab03_pin",
                                                                 "lab03_breadth_first", "lab03_time_kernels"),
                                    .memory_bytes = lab03_memory_bytes(&few),
                                    .prepare = make_ready,
                                    .user = &few,
                                    .also = CHECK_FAIL_WAITS});
}

/* One timed call with new inputs, its outputs checked. */
static double timed(run *this_run, const char *name, const char *function)
{
    run_fill(this_run);
    check_trace_begin(this_run->program);
    double milliseconds = run_call(this_run, name);
    run_check_outputs(this_run, NULL, function);
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

/* Adds the modelled times of a large GPU to the table, and returns that of the serial run. They do not depend on this
 * machine. */
static check_modelled show_modelled(check_who who)
{
    run this_run = who == CHECK_REFERENCE ? begin_reference(short_arrays()) : begin(short_arrays());
    run_call(&this_run, "lab03_open");
    check_modelled serial = modelled(&this_run, "lab03_serial"), pageable = modelled(&this_run, "lab03_depth_first");
    run_call(&this_run, "lab03_pin");
    check_modelled depth = modelled(&this_run, "lab03_depth_first");
    if (who == CHECK_YOURS) check_timing_modelled("serial", who, &serial);
    check_timing_modelled("pageable", who, &pageable);
    check_timing_modelled("pinned", who, &depth);
    return serial;
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
    two_runs both = {run_begin(check_start(lab03_memory_bytes(&size)), false, size), begin_reference(size)};
    double median[ROWS];
    run_call(&both.yours, "lab03_open");
    run_call(&both.reference, "lab03_open");
    check_measure(median, rows, ROWS, time_round, &both);
    const check_modelled serial = show_modelled(CHECK_YOURS), given = show_modelled(CHECK_REFERENCE);
    check_ratio("streams, pageable: times as fast as serial", median[0] / median[1], median[0] / median[3]);
    check_ratio("streams, pinned: times as fast as serial", median[0] / median[2], median[0] / median[4]);
    CHECK_THAT(fabs(serial.makespan - given.makespan) < 0.01 * given.makespan, CHECK_RULE,
               "lab03_serial is not the serial run that lab03.h describes",
               .expected = check_text("%.1f ms for the serial run, %s", given.makespan, given.label),
               .found = check_text("%.1f ms", serial.makespan),
               .cause = "lab03_serial is given and was changed: the other rows are compared with it");
}

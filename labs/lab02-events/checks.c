/* The checks of lab 02: the numbers of a pipeline in the right order; and from the record what orders it, what an
 * interval spans, and which record each wait stands for. */
#include "case.h"
#include "find.h"
#include "shared.h"

#include <string.h>

CHECK_LAB("lab02", "Events");

enum { SHOWN = 16000 };

/* ---- Runs -------------------------------------------------------------------------------------------------------- */

/* The result of produce, and that of consume after it. */
static void produced(float *to, const float *const *from, const check_case_run *now)
{
    for (size_t i = 0; i < now->count; i++) to[i] = 2.0f * from[0][i] + (float)(i % 7);
}

static void consumed(float *to, const float *const *from, const check_case_run *now)
{
    produced(to, from, now);
    for (size_t i = 0; i < now->count; i++) to[i] = 4.0f * to[i] - (float)now->argument[0].value;
}

#define PRODUCER "work->producer"
#define CONSUMER "work->consumer"

#define CALL                                                                                                           \
    .memory_bytes = sizeof(lab02_memory), .most = LAB02_MOST, .pieces = true,                                          \
    .given = CHECK_CASE_GIVEN(lab02_arguments, count, {"shift", offsetof(lab02_arguments, shift), 1.0f, 2.0f, false}), \
    .kernel = {{"kernels.cu", "produce(float between[count], int count)"},                                             \
               {"kernels.cu", "consume(float result[count], const float between[count], int count, float shift)"}}
#define GIVES(what)                                                                                                    \
    .array = {{"the input", offsetof(lab02_memory, input), .low = 1.0f, .high = 2.0f},                                 \
              {"the output", offsetof(lab02_memory, output), .is = (what), .from = {"the input"}}}

static const check_case pipeline = {
    CALL, GIVES(consumed), .function = "lab02_pipeline",
    .stream = {{"the producer", PRODUCER}, {"the consumer", CONSUMER}},
    .step = {{"the copy in", .kind = LAB_OP_COPY_HTOD, .on = PRODUCER},
             {"produce", .on = PRODUCER, .after = {"the copy in"}},
             {"consume", .on = CONSUMER, .after = {"produce"}},
             {"the copy out", .kind = LAB_OP_COPY_DTOH, .on = CONSUMER, .after = {"consume"}}}};
static const check_case timed = {
    CALL,
    GIVES(produced),
    .function = "lab02_time_kernel",
    .result_bytes = sizeof(float),
    .stream = {{"the producer", PRODUCER}},
    .step = {{"the copy in", .kind = LAB_OP_COPY_HTOD, .on = PRODUCER},
             {"produce", .on = PRODUCER, .after = {"the copy in"}},
             {"the copy out", .kind = LAB_OP_COPY_DTOH, .on = PRODUCER, .after = {"produce"}}}};

/* ---- What the record shows --------------------------------------------------------------------------------------- */

/* The streams with these marks: non-blocking ones, each another. */
static void find_streams(uint64_t *stream, const lab_trace *trace, const char *const *mark, int count)
{
    for (int k = 0; k < count; k++) {
        stream[k] = check_mark(trace, mark[k])->stream;
        bool suits = check_stream(trace, stream[k])->non_blocking;
        for (int other = 0; other < k; other++) suits = suits && stream[other] != stream[k];
        CHECK_THAT(suits, CHECK_RULE,
                   check_text("the marks of %s and the other streams were not made by the lab", mark[k]));
    }
}

/* ---- Task 1 ------------------------------------------------------------------------------------------------------ */

CHECK(pipeline_is_right, .points = 10, .schedule = "fifo", .any_order = true,
      .title = "Task 1: the pipeline is right, at every size and each time",
      .hints = {"Task 1 is in lab02_pipeline: write down the four steps and on which stream each is.",
                "lab_array_set_async, launch_produce on work->producer; launch_consume, lab_array_get_async on "
                "work->consumer; an event between the two halves; a wait at the end.",
                "Between the halves: lab_event_record(produced, work->producer), then "
                "lab_stream_wait_event(work->consumer, produced)."})
{
    check_case_sizes(&pipeline);
}

/* The host must not wait between the first copy in and the last copy out. */
static void check_host_goes_on(const check_case_run *now)
{
    const lab_trace_op *in = check_op_in(now->span, LAB_OP_COPY_HTOD, 0),
                       *out = check_op_in(now->span, LAB_OP_COPY_DTOH, -1),
                       *wait = in && out ? lab_trace_host_wait_between(now->trace, in->id, out->id) : NULL;
    if (!wait) return;
    check_fail(CHECK_RULE, "lab02_pipeline waits on the host in the middle of its work", .at = check_at(wait),
               .expected = "a wait on the device",
               .found = check_text("the host waits (%s)", lab_op_kind_name(wait->kind)),
               .cause = "the host stands still here until the producer is done; lab_stream_wait_event lets it go on");
}

CHECK(ordered_by_an_event, .points = 15, .any_order = true,
      .title = "Task 1: an event orders consume after produce, and the host does not",
      .hints = {"What keeps consume from running before produce is done? The numbers may be right without it.",
                "Three things: an event, recorded on the producer after produce; a wait for it on the consumer before "
                "consume; no wait of the host before the last call.",
                "After launch_produce: lab_event_record(produced, work->producer). Before launch_consume: "
                "lab_stream_wait_event(work->consumer, produced). No lab_..._synchronize in between."})
{
    check_artifact_trace(check_case_at(&pipeline, NULL, SHOWN).trace, "lab02_pipeline");
    /* Whether a query is ready at once is luck there. */
    const check_case_run now = check_case_at(&pipeline, check_start_unkind(sizeof(lab02_memory)), SHOWN);
    check_host_goes_on(&now);
    check_case_keeps_plan(&now);
    check_case_prove(&now);
}

CHECK(pipeline_is_waited_for, .points = 5, .schedule = "fifo", .any_order = true,
      .title = "Task 1: the output is there when the function returns",
      .hints = {"When may the caller read work->output?", "The last step is on the consumer; who waits for it?",
                "lab_stream_synchronize(work->consumer), after the copy out."})
{
    const check_case_run now = check_case_at(&pipeline, NULL, SHOWN);
    check_waits_for_all(now.trace, now.span);
    check_case_prove(&now);
}

CHECK(pipeline_is_right_in_any_order, .points = 10, .schedule = "adversarial", .seeds = 3, .any_order = true,
      .title = "Tasks 1 and 2: right in every order that the rules allow",
      .hints = {"Here the later of two pieces of work that nothing orders runs first, and nothing runs before it must. "
                "What does consume read then?",
                "Follow one number through your calls: from each use of it to the next there must be the order of a "
                "stream, an event that is recorded after the first and waited for before the second, or the host's "
                "wait.",
                "On the producer: copy in, produce, lab_event_record. On the consumer: lab_stream_wait_event for that "
                "record, consume, copy out. Then lab_stream_synchronize(work->consumer)."})
{
    const check_case_run now = check_case_at(&pipeline, NULL, (size_t)check_draw(4000, 6000));
    check_case_ordered(&now);
    check_waits_for_all(now.trace, now.span);
    check_case_prove(&now);
    check_host_goes_on(&now);
    check_case_proven(&timed, now.program, &(lab02_arguments){.count = check_draw(4000, 6000)});
}

/* ---- Task 2 ------------------------------------------------------------------------------------------------------ */

/* One call of lab02_time_kernel: its work, the places of its events, the time, and the wait. */
static void check_interval(const check_case_run *now)
{
    const float milliseconds = *(const float *)now->result;
    check_case_keeps_plan(now);
    const check_event_pair events = check_events_around(now->trace, check_op_in(now->span, LAB_OP_KERNEL, 0),
                                                        "the kernel", check_at(NULL), check_at(NULL));
    const lab_trace_op *wait = lab_trace_host_wait_between(now->trace, events.start->id, events.end->id);
    CHECK_THAT(!wait, CHECK_RULE, "lab02_time_kernel waits between its two events", .at = check_at(wait),
               .cause = "until the host goes on, the device has nothing to do, and that time counts too");
    check_reports_event_time((double)milliseconds, check_event_time(events.start, events.end), "lab02_time_kernel",
                             (check_finding){.message = "*milliseconds is not the time between the two events"});
    check_waits_for_all(now->trace, check_whole(now->trace, "lab02_time_kernel"));
}

CHECK(interval_is_the_kernel, .points = 15, .measures = true,
      .title = "Task 2: the interval is the kernel's, nothing more",
      .hints = {
          "Task 2: what lies between your two events, on their stream?",
          "An event notes the moment when its stream gets there. Both belong on the kernel's stream, just before and "
          "just after the launch.",
          "set_async; lab_event_record(start, work->producer); launch_produce; lab_event_record(end, "
          "work->producer); get_async; synchronize; lab_event_elapsed_time."})
{
    /* Who asks for the time before the events are done has one by luck. */
    check_case_proven(&timed, check_start_unkind(sizeof(lab02_memory)), &(lab02_arguments){.count = SHOWN / 4});
    check_program *program = check_start_kept(sizeof(lab02_memory));
    for (int again = 0; again <= 1; again++) {
        const lab02_arguments given = {.count = again ? SHOWN / 4 : SHOWN};
        const check_case_run now = check_case_proven(&timed, program, &given);
        check_interval(&now);
    }
}

/* ---- Task 3 ------------------------------------------------------------------------------------------------------ */

/* Calls lab02_wait_usefully. The stream waits for a random number of chores: few, or more than before, so that no fixed
 * number suffices and is not far too many. */
static lab02_patience call_wait_usefully(check_program *program, bool many)
{
    const int more = (int)(check_random_u64(0, many) % 160);
    const lab02_patience needed = {(many ? 2 * LAB02_LATE_CHORES : 40) + more};
    check_trace_begin(program);
    check_call(program, "lab02_wait_usefully", &needed, sizeof needed, NULL, 0);
    return needed;
}

/* When the work on the stream ended, which waits for the chores; INT64_MAX for never. */
static int64_t end_of_work(const lab_trace *trace)
{
    const lab_trace_op *work = check_find(trace, (check_sought){.kind = LAB_OP_HOST_FUNCTION});
    return work && work->end_ns >= 0 ? work->end_ns : INT64_MAX;
}

/* The number of chores that were done before this moment. */
static int chores_before(const lab_trace *trace, int64_t ns)
{
    int count = 0;
    for (size_t i = 0; i < trace->ops; i++) {
        const lab_trace_op *op = &trace->op[i];
        if (check_is_mark(op, LAB02_CHORE_MARK) && op->call_ns < ns) count++;
    }
    return count;
}

/* The wait of the host that began before the stream's work was done, or that is for the whole device; NULL if there is
 * none. A query answers at once. The program's own wait comes later. */
static const lab_trace_op *find_wait(const lab_trace *trace, int64_t done)
{
    const uint64_t returned = check_mark(trace, "lab02_wait_usefully returned")->id;
    for (size_t i = 0; i < returned; i++) {
        const lab_trace_op *op = &trace->op[i];
        const bool asks = op->kind == LAB_OP_EVENT_QUERY || op->kind == LAB_OP_STREAM_QUERY;
        if (op->host_waits && !asks && (op->call_ns < done || op->kind == LAB_OP_DEVICE_SYNC)) return op;
    }
    return NULL;
}

/* The function must not return before the stream's work is done. */
static void check_not_early(const lab_trace *trace, int64_t done)
{
    CHECK_THAT(check_mark(trace, "lab02_wait_usefully returned")->call_ns >= done, CHECK_RACE_SUSPECTED,
               "lab02_wait_usefully returns before the stream is done",
               .at = check_at(check_last_op(trace, LAB_OP_EVENT_RECORD)), .expected = "the stream's work done",
               .found = "not done",
               .cause = "the function stops asking before the answer is LAB_SUCCESS, or asks for something else");
}

/* The line that asks first whether the stream is done. */
static check_place place_of_question(const lab_trace *trace)
{
    const lab_trace_op *asked = check_find(trace, (check_sought){.kind = LAB_OP_EVENT_QUERY});
    return check_at(asked ? asked : check_find(trace, (check_sought){.kind = LAB_OP_STREAM_QUERY}));
}

/* One call of lab02_wait_usefully, whose stream goes on after `needed` chores. */
static void check_chores(const lab_trace *trace, int needed)
{
    const int64_t done = end_of_work(trace), slack = check_clock_slack_ns();
    const int before = chores_before(trace, done + slack), all = chores_before(trace, INT64_MAX);
    const lab_trace_op *wait = find_wait(trace, done - slack);
    for (size_t i = 0; i < trace->ops; i++)
        CHECK_THAT(!check_is_mark(&trace->op[i], LAB02_STRANGE_CHORE_MARK), CHECK_WRONG_RESULT,
                   "lab02_wait_usefully does not pass chore.user to the chore", .expected = "chore.call(chore.user)",
                   .found = "another pointer than chore.user");
    if (!wait && all > 0) check_not_early(trace, done - slack);
    CHECK_THAT(before >= needed, CHECK_RULE, "lab02_wait_usefully does not do chores while the stream works",
               .at = wait ? check_at(wait) : place_of_question(trace), .expected = "chores while the stream was busy",
               .found = check_text("%d chore%s before its work could go on", before, before == 1 ? "" : "s"),
               .cause = wait  ? check_text("the host waits here (%s); lab_event_query asks without waiting",
                                           lab_op_kind_name(wait->kind))
                        : all ? "no fixed number of chores is enough: ask after each one whether the stream is done"
                              : "the chore was never called");
    check_not_early(trace, done - slack);
    if (wait)
        check_fail(CHECK_RULE, "lab02_wait_usefully stops doing chores and waits", .at = check_at(wait),
                   .expected = "chores until the stream's work is done",
                   .found = check_text("a wait (%s)", lab_op_kind_name(wait->kind)),
                   .cause = "the host waits here; lab_event_query asks without waiting");
    CHECK_THAT(all - before <= LAB02_LATE_CHORES / 2, CHECK_RULE,
               "lab02_wait_usefully goes on with chores when the stream is done", .at = check_at_no_line(),
               .expected = "chores until the stream's work is done",
               .found = check_text("%d more when it was done", all - before),
               .cause = "the function does not ask after each chore whether the stream is done");
}

CHECK(host_stays_useful, .points = 15,
      .without_flow = "nothing is computed: the stream waits for the chores of the host",
      .title = "Task 3: the host does chores until the stream is done",
      .hints = {
          "Task 3: what does the host do while the stream works, and how does it learn that it is done?",
          "An event after the work on the stream; lab_event_query answers at once, LAB_SUCCESS or "
          "LAB_ERROR_NOT_READY.",
          "record; while ((status = lab_event_query(done)) == LAB_ERROR_NOT_READY) chore.call(chore.user); destroy; "
          "return status."})
{
    check_program *program = check_start(0);
    for (int many = 0; many <= 1; many++) {
        const lab02_patience needed = call_wait_usefully(program, many);
        check_chores(check_trace(program), needed.chores);
    }
}

/* ---- Task 4 ------------------------------------------------------------------------------------------------------ */

static const char *const array_names[] = {"a", "b", "c", "d", NULL};

/* The plan of lab02_rerecord: four fills, each on its stream, and each but the first behind another. */
static check_plan plan_stage(check_program *program, const lab_trace *trace, const uint64_t stream[3])
{
    static const int stream_of[] = {0, 0, 1, 2}, behind[] = {-1, 0, 0, 1};
    check_plan plan = {.program = program,
                       .trace = trace,
                       .span = check_span_of(trace, "lab02_rerecord"),
                       .stream = {{stream[0], "`first`"}, {stream[1], "`second`"}, {stream[2], "`third`"}}};
    for (int k = 0; k < 4; k++) {
        const lab_trace_op *block = check_pool_block(trace, k);
        const bool by_kernel = check_find(trace, (check_sought){LAB_OP_KERNEL, .block = block});
        check_plan_add(&plan,
                       (check_step){.name = check_text("the fill of %s", array_names[k]),
                                    .kind = by_kernel ? LAB_OP_KERNEL : LAB_OP_FILL,
                                    .stream = stream[stream_of[k]],
                                    .block = block},
                       AFTER(behind[k]));
    }
    return plan;
}

/* All records must be those of the stage's event, which program.c made, on the stream `first`. */
static void check_records(const lab_trace *trace, uint64_t first)
{
    const lab_trace_op *made = NULL, *end = check_span_of(trace, "lab02_rerecord").ends;
    for (const lab_trace_op *op = trace->op; op < end; op++) {
        if (op->kind == LAB_OP_EVENT_CREATE && !made) made = op;
        if (op->kind != LAB_OP_EVENT_RECORD) continue;
        CHECK_THAT(made && op->object == made->object, CHECK_RULE,
                   "lab02_rerecord records another event than stage->event", .at = check_at(op));
        CHECK_THAT(op->stream == first, CHECK_RULE, "lab02_rerecord records the event on another stream than `first`",
                   .at = check_at(op));
    }
}

/* Calls lab02_rerecord, which must enqueue what the contract says and must not wait. */
static check_plan run_stage(void)
{
    static const char *const marks[] = {"the first stream", "the second stream", "the third stream"};
    uint64_t stream[3];
    check_program *program = check_start(sizeof(lab02_memory));
    const lab_trace *trace = check_call_twice(program, "lab02_rerecord", NULL, 0, NULL, 0).second;
    find_streams(stream, trace, marks, 3);
    check_plan plan = plan_stage(program, trace, stream);
    check_plan_find(&plan);
    check_returns_at_once(trace, plan.span);
    check_records(trace, stream[0]);
    check_filled(program, trace, "lab02_rerecord", array_names, offsetof(lab02_memory, filled), LAB02_FILLED);
    return plan;
}

CHECK(rerecord_is_predicted, .points = 10, .title = "Task 4: what a wait stands for when its event is recorded again",
      .hints = {
          "Task 4: what had been recorded when each of the two waits was enqueued?",
          "A wait means the event's latest record at the moment of the call. A later record does not change it.",
          "`second` waits between the records: for a, not for b. `third` waits after both: for everything on `first` "
          "up to the second record."})
{
    unsigned char predicted[2][2];
    const check_plan plan = run_stage();
    check_plan_edges(&plan, NULL);
    check_table(predicted, sizeof predicted, "lab02_waits");
    for (int later = 0; later < 2; later++) {
        for (int earlier = 0; earlier < 2; earlier++) {
            const bool waits = plan.waits[2 + later][earlier];
            CHECK_THAT((predicted[later][earlier] != 0) == waits, CHECK_WRONG_RESULT,
                       "lab02_waits is not what was recorded", .at = check_at_no_line(),
                       .expected = check_text("%s %s for %s", array_names[2 + later], waits ? "waits" : "does not wait",
                                              array_names[earlier]),
                       .found = check_text("lab02_waits says %s", waits ? "it does not" : "it waits"));
        }
    }
}

CHECK(never_recorded_is_predicted, .points = 10, .title = "Task 4: an event that was never recorded",
      .hints = {
          "Task 4: what work does an event stand for before its first record?",
          "It stands for no work at all, which is always done. But no moment was noted.",
          "Asking and waiting succeed at once; the time between nothing and something is no time: an invalid handle."})
{
    static const char *const calls[] = {"lab_event_query", "lab_event_synchronize", "lab_stream_wait_event",
                                        "lab_event_elapsed_time"};
    int predicted[4];
    lab02_statuses statuses;
    check_table(predicted, sizeof predicted, "lab02_never_recorded");
    run_stage();
    check_call(check_start_reference(0), "ask_never_recorded", NULL, 0, &statuses, sizeof statuses);
    for (int i = 0; i < 4; i++) {
        CHECK_THAT(predicted[i] == statuses.found[i], CHECK_WRONG_RESULT,
                   "lab02_never_recorded is not what the calls give",
                   .expected = check_text("%s gives %s", calls[i], lab_status_name((lab_status)statuses.found[i])),
                   .found = check_text("lab02_never_recorded says %s", lab_status_name((lab_status)predicted[i])));
    }
}

/* ---- At the end -------------------------------------------------------------------------------------------------- */

CHECK(events_are_given_back, .points = 5, .any_order = true, .title = "Events are released",
      .hints = {"An event that your function makes is still there when it returns.",
                "lab_event_destroy releases it; waits already enqueued keep their effect.",
                "One lab_event_destroy for every lab_event_create, after the event's last use."})
{
    check_program *program = check_start(sizeof(lab02_memory));
    const check_case *const each[] = {&pipeline, &timed};
    for (int k = 0; k < 2; k++)
        check_given_back(check_case_proven(each[k], program, &(lab02_arguments){.count = 1000}).trace, "event", NULL,
                         NULL);
    call_wait_usefully(program, false);
    const lab_trace *trace = check_trace(program);
    if (check_count_ops(trace, LAB_OP_EVENT_CREATE)) check_given_back(trace, "event", NULL, NULL);
}

CHECK(failures_are_not_hidden, CHECK_OF_FAILURES, .points = 5, .after = "pipeline_is_right, rerecord_is_predicted",
      .title = "A call that fails is not hidden",
      .hints = {
          [2] = "Put LAB_TRY around each call of the library, and around your own functions that return a status."})
{
    const lab02_arguments given = {.count = check_draw(1, 2000)};
    check_failures(
        &(check_failing){.functions = CHECK_FUNCTIONS("lab02_pipeline", "lab02_time_kernel", "lab02_rerecord"),
                         CHECK_GIVEN(given),
                         .memory_bytes = sizeof(lab02_memory),
                         .any_failure = true});
    check_failures(&(check_failing){.function = "lab02_wait_usefully",
                                    .arguments = &(lab02_patience){0},
                                    .argument_bytes = sizeof(lab02_patience),
                                    .also = CHECK_FAIL_QUERIES,
                                    .any_failure = true});
}

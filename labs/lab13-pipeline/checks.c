/* The checks of lab 13, on the results and the record of a run. */
#include "checks_folder.h"
#include "find.h"
#include "pictures.h"

#include <string.h>

CHECK_LAB("lab13", "A pipeline of pictures");

static folder begin(lab13_arguments size) { return folder_begin(check_start(lab13_memory_bytes(&size)), size); }

/* For lab13_run, on what the program makes of the other tasks. */
static folder begin_run(lab13_arguments size)
{
    check_builds_on(CHECK_TASK(1) | CHECK_TASK(2));
    return begin(size);
}

/* Small pictures; more of them than lanes, and an odd number in each row. */
static lab13_arguments few(void)
{
    return (lab13_arguments){
        .pictures = check_draw(8, 10), .width = 2 * check_draw(34, 40) + 1, .height = check_draw(35, 45), .lanes = 3};
}

/* ---- Tasks 1 and 2 ----------------------------------------------------------------------------------------------- */

/* Fails the check unless lab13_enqueue does the work of one picture on its lane's stream, that of the copy before the
 * call. The counts may become 0 by a memset or by a copy. */
static void check_work_of_picture(const folder *now)
{
    const lab_trace *trace = now->trace;
    const check_span span = now->span;
    const lab_trace_op *copy =
        check_op_in((check_span){.begins = trace->op, .ends = span.begins}, LAB_OP_COPY_HTOD, -1);
    const uint64_t lane = copy ? copy->stream : 0;
    const char *on = "lane->stream";
    const check_work work[] = {{LAB_OP_KERNEL, "blur", 1, lane, on, NULL},
                               {LAB_OP_KERNEL, "edge", 1, lane, on, NULL},
                               {LAB_OP_KERNEL, "histogram", 1, lane, on, NULL},
                               {LAB_OP_FILL, NULL, CHECK_ANY_COUNT, lane, on, NULL},
                               {LAB_OP_COPY_HTOD, NULL, CHECK_ANY_COUNT, lane, on, NULL},
                               {LAB_OP_COPY_DTOD, NULL, CHECK_ANY_COUNT, lane, on, NULL}};
    check_enqueued(now->program, span, work, sizeof work / sizeof *work);
    check_returns_at_once(trace, span);
    for (const lab_trace_op *op = span.begins; op < span.ends; op++) {
        const bool counts = op->kind == LAB_OP_KERNEL && strcmp(op->name, "histogram") == 0;
        const unsigned blocks = counts ? 64 : (unsigned)(folder_count(now) + 255) / 256;
        if (op->kind == LAB_OP_KERNEL)
            check_launched(span, op, blocks, blocks, 256, counts ? "LAB13_HISTOGRAM_GRID" : "LAB13_GRID(count)");
    }
}

/* Fails the check unless each of the three kernels is once in the graph of lab13_open. */
static void check_nodes(const lab_trace *trace)
{
    static const char *const name[] = {"blur", "edge", "histogram"};
    for (int i = 0; i < 3; i++) {
        int found = 0;
        for (const lab_trace_op *op = trace->op; op < trace->op + trace->ops; op++)
            found += op->kind == LAB_OP_GRAPH_NODE && strcmp(op->name, name[i]) == 0;
        CHECK_THAT(found == 1, CHECK_RULE, check_text("the kernel %s is not once in the graph of lab13_open", name[i]),
                   .at = check_at_name(found ? "enqueue in lab13_open" : "lab_stream_begin_capture in lab13_open"),
                   .expected = check_text("the kernel %s once for each picture", name[i]),
                   .found = check_text("%d times", found),
                   .cause = found ? NULL : "it is not enqueued between begin and end of the capture");
    }
}

CHECK(one_picture_is_right, .points = 15, .any_order = true, .title = "Task 1: the work on one picture",
      .hints = {"Task 1: what is in the counts before the histogram kernel adds to them?",
                "Four operations on lane->stream: a memset of the counts, then blur, edge and histogram. Each reads "
                "what the one before has written; the stream keeps the order.",
                "lab_memset_async(lane->histogram, 0, COUNTS, lane->stream); lab_launch(work->blur, "
                "LAB13_GRID(work->count), LAB13_BLOCK, 0, lane->stream, LAB_ARGS(lane->blurred, lane->picture, "
                "work->width, work->count)); edge the same way; histogram with LAB13_HISTOGRAM_GRID."})
{
    check_builds_on(CHECK_TASK(2));
    const int side[][2] = {{16, 16}, {2 * check_draw(34, 40) + 1, check_draw(35, 45)}, {130, 90}, {1, 1}};
    for (size_t s = 0; s < sizeof side / sizeof *side; s++) {
        folder now = begin((lab13_arguments){.pictures = 1, .width = side[s][0], .height = side[s][1], .lanes = 1});
        for (int time = 0; time < 2; time++) {
            folder_enqueue(&now);
            check_own_work(now.span, LAB13_ASKED, "work->enqueue");
            check_work_of_picture(&now);
            folder_check(&now);
        }
    }
}

/* Fails the check unless the lane has one non-blocking stream, a graph, and its blocks, each of its size and allocated
 * on that stream. */
static void check_lane(const folder *now)
{
    const size_t picture = folder_count(now);
    const struct {
        const char *name;
        uint64_t block;
        size_t bytes;
    } part[] = {{"picture", now->lane.picture, picture},
                {"blurred", now->lane.blurred, picture},
                {"edges", now->lane.edges, picture},
                {"histogram", now->lane.histogram, COUNT_BYTES}};
    enum { PARTS = sizeof part / sizeof *part };
    const check_span span = check_between(now->trace, LAB13_OPENS, LAB13_OPENED, "lab13_open");
    const lab_trace_op *made = check_op_in(span, LAB_OP_STREAM_CREATE, -1), *lost = NULL, *its[PARTS] = {0};
    for (const lab_trace_op *op = span.begins; op < span.ends; op++) {
        int i = 0;
        while (i < PARTS && part[i].block != op->object) i++;
        if (op->kind != LAB_OP_POOL_ALLOC) continue;
        *(i < PARTS ? &its[i] : &lost) = op;
        CHECK_THAT(made && made < op && op->stream == made->stream, CHECK_RULE,
                   "lab13_open allocates a block for a stream that is not the lane's", .at = check_at(op),
                   .expected = "a block for the lane's own stream, which is made before",
                   .found = "one for another stream",
                   .cause = "a pool hands a block out again in the order of the stream that it was allocated on");
    }
    for (int i = 0; i < PARTS; i++)
        CHECK_THAT(its[i] && its[i]->bytes == part[i].bytes, CHECK_RULE,
                   check_text("lab13_open leaves a lane without its block lane->%s", part[i].name),
                   .at = check_at(its[i] ? its[i] : lost),
                   .expected = check_text("a block of %zu bytes in lane->%s", part[i].bytes, part[i].name),
                   .found = its[i] ? check_text("one of %llu bytes", (unsigned long long)its[i]->bytes) : "none",
                   .cause =
                       its[i] ? "a picture has work->count bytes, and a histogram LAB13_LEVELS numbers of type unsigned"
                              : NULL);
    CHECK_THAT(made && check_stream(now->trace, made->stream)->non_blocking, CHECK_RULE,
               made ? "the lane's stream is blocking" : "lab13_open makes no stream", .at = check_at(made),
               .expected = "a non-blocking stream",
               .found = made ? "a blocking one, which waits for the null stream" : "none");
    CHECK_THAT(now->lane.graph, CHECK_RULE, "lab13_open leaves a lane without a graph",
               .at = check_at_name("graph in lab13_open"), .expected = "an executable graph in lane->graph",
               .found = "NULL");
}

CHECK(lane_has_what_it_needs, .points = 15, .any_order = true, .title = "Task 2: a lane: stream, blocks and graph",
      .hints = {"Task 2: what does the work on a picture need to be there before it is captured?",
                "The stream first, then four blocks of work->pool for that stream, then the capture: begin, "
                "work->enqueue, end. An executable graph is made of the graph, which may then go.",
                "lab_stream_begin_capture(lane->stream, LAB_CAPTURE_GLOBAL); work->enqueue(lane, work); "
                "lab_stream_end_capture(&graph, lane->stream); lab_graph_instantiate(&lane->graph, graph); "
                "lab_graph_destroy(graph)."})
{
    check_builds_on(CHECK_TASK(1) | CHECK_TASK(3));
    lab13_arguments size = few();
    size.pictures = size.lanes = 1;
    folder now = begin(size);
    folder_open(&now);
    check_lane(&now);
    for (int time = 0; time < 2; time++) {
        folder_replay(&now);
        check_lane(&now);
        check_nodes(now.trace);
        folder_check(&now);
        rule_replays(&now);
    }
}

/* ---- Tasks 3 and 4 ----------------------------------------------------------------------------------------------- */

/* Fails the check unless the saved files are those of the right edges. */
static void check_files(const folder *now)
{
    const size_t most = lab13_png_most((int)folder_count(now));
    unsigned char *expected = check_alloc(most), *found = check_alloc(most);
    lab13_head head;
    check_said(now->program, &head, 0, sizeof head, "the sizes of files that the host compresses");
    for (int k = 0; k < now->size.pictures; k++) {
        size_t bytes = most;
        if (!picture_write_png(expected, &bytes, now->edges + (size_t)k * folder_count(now), now->size.width,
                               now->size.height))
            check_fault("the edges of picture %d could not be written as a PNG file", k);
        check_said(now->program, found, lab13_offset(&now->size, k, LAB13_SAVED), most,
                   "the host compresses the edges");
        CHECK_THAT(head.saved_bytes[k] == bytes && memcmp(found, expected, bytes) == 0, CHECK_WRONG_RESULT,
                   check_text("the file that lab13_run saved of picture %d is wrong", k),
                   .at = check_at_name("lab13_run"),
                   .expected = check_text("a PNG file of the right edges of picture %d: %zu bytes", k, bytes),
                   .found = check_text(head.saved_bytes[k] ? "another one: %zu bytes" : "none: %zu bytes",
                                       head.saved_bytes[k]),
                   .cause = "work->save compresses what is in picture->edges when it is called");
    }
}

CHECK(folder_is_right, .points = 20, .any_order = true, .title = "Task 3: every picture of the folder, by replays",
      .hints = {"Task 3: the graph has the lane's addresses inside. How does a picture come to them, and its results "
                "away?",
                "For each picture three steps on the stream of lane k % work->lanes: a copy to own->picture, a launch "
                "of own->graph, copies from own->edges and own->histogram.",
                "lab_memcpy_htod_async(own->picture, picture->pixels, bytes, own->stream); "
                "lab_graph_launch(own->graph, own->stream); two lab_memcpy_dtoh_async, of bytes and COUNTS."})
{
    static const int shape[][2] = {{1, 4}, {5, 2}, {8, 3}, {6, 1}}; /* pictures, lanes */
    for (size_t s = 0; s < sizeof shape / sizeof *shape; s++) {
        lab13_arguments size = few();
        size.pictures = shape[s][0], size.lanes = shape[s][1];
        folder now = begin_run(size);
        for (int time = 0; time < 2; time++) {
            folder_run(&now);
            folder_check(&now);
            rule_replays(&now);
            rule_no_allocation(now.span);
        }
    }
}

CHECK(copies_and_kernels_overlap, .points = 10, .any_order = true,
      .title = "Task 3: copies both ways and kernels can run at once",
      .hints = {"Task 3: two pictures on two lanes have nothing to do with each other. What in your code ties them?",
                "Each picture uses the stream and the blocks of its own lane, and no lane waits for another.",
                "const lab13_lane *own = &lane[k % work->lanes], and own->stream in all four calls."})
{
    folder now = begin_run(few());
    folder_run(&now);
    check_artifact_trace(now.trace, "lab13_run");
    folder_check(&now);
    rule_lanes(&now);
    rule_overlap(&now);
    lab13_arguments size = few();
    size.lanes = 5;
    folder other = begin_run(size);
    folder_run(&other);
    rule_lanes(&other);
    folder_check(&other);
}

/* The run on a large GPU, with pictures of 12 million pixels. */
static check_modelled modelled(folder *now, bool reference)
{
    folder_run(now);
    if (!reference) folder_check(now);
    return check_model(now->trace, "h200", 12e6 / (double)folder_count(now));
}

CHECK(near_the_best, .points = 10, .any_order = true, .title = "Task 3: nearly the best that a large GPU can do",
      .hints = {"The finding names two times of the model. Does the host stop somewhere before all is enqueued?",
                "The pictures' memory is pinned, so every call in the first loop returns at once. Wait after that loop "
                "only.",
                "Two loops: the first enqueues all pictures, the second waits, saves and destroys events."})
{
    lab13_arguments size = few();
    size.pictures = check_draw(23, 26);
    folder now = begin_run(size), reference = folder_begin(check_start_reference(lab13_memory_bytes(&size)), size);
    const check_modelled yours = modelled(&now, false), its = modelled(&reference, true);
    check_timing_modelled("the folder", CHECK_YOURS, &yours);
    check_timing_modelled("the folder", CHECK_REFERENCE, &its);
    check_waits_at_the_end(now.trace, now.span);
    rule_copied_once(now.span);
    check_near_best(&yours, &its, its.makespan, "lab13_run", check_at_no_line());
}

CHECK(saved_as_they_come, .points = 10, .any_order = true, .title = "Task 4: each picture is saved when it is there",
      .hints = {"Task 4: what does the host wait for before it saves picture 0?",
                "An event stands for all that is on its stream when it is recorded. Record one behind each picture's "
                "last copy: an event of its own, since a second record would replace the first.",
                "First loop: lab_event_create(&work->done[k], LAB_EVENT_DISABLE_TIMING), lab_event_record. Second "
                "loop: lab_event_synchronize(work->done[k]), work->save(k), lab_event_destroy."})
{
    lab13_arguments size = few();
    size.compresses = true;
    folder now = begin_run(size);
    for (int time = 0; time < 2; time++) {
        folder_run(&now);
        rule_saves(&now);
        folder_check(&now);
        check_files(&now);
    }
}

CHECK(right_in_any_order, .points = 5, .schedule = "adversarial", .seeds = 3,
      .title = "Tasks 2 to 4: right in every order that the rules allow",
      .hints = {"Nothing orders two streams, and nothing orders the host after them, but what you say. Which result is "
                "used before it is sure to be there?",
                "All work of a picture is on its lane's stream. The host reads a result after a wait for it, and not "
                "before.",
                "own->stream in all calls of the first loop; lab_event_synchronize(work->done[k]) before "
                "work->save(k)."})
{
    lab13_arguments size = few();
    size.pictures = check_draw(17, 19); /* a program that waits for free lanes waits five times: more than by luck */
    size.compresses = true;
    folder now = begin_run(size);
    folder_run(&now);
    folder_check(&now);
    check_files(&now);
    rule_enqueued_first(now.span);
}

/* ---- At the end -------------------------------------------------------------------------------------------------- */

CHECK(nothing_is_left, .points = 5, .any_order = true, .title = "Streams, blocks and events are released",
      .after = "lane_has_what_it_needs, saved_as_they_come",
      .hints = {"Something that your functions make is never released: the finding says which kind.",
                "What lab13_open makes, lab13_close releases, and what lab13_run makes, lab13_run itself.",
                "lab13_close: lab_graph_exec_destroy, lab_mempool_free for each of the four blocks, lab_stream_destroy "
                "last. lab13_run: lab_event_destroy behind each save."})
{
    check_builds_on(CHECK_TASK(1));
    folder now = begin(few());
    folder_draw(&now);
    check_call(now.program, "refill", NULL, 0, NULL, 0);
    check_trace_begin(now.program);
    lab13_opened opened;
    check_call(now.program, "lab13_open", NULL, 0, &opened, sizeof opened);
    check_call(now.program, "lab13_run", NULL, 0, NULL, 0);
    check_call(now.program, "lab13_close", NULL, 0, NULL, 0);
    now.trace = check_trace(now.program);
    now.span = check_span_of(now.trace, "lab13_run");
    folder_check(&now);
    static const char *const noun[] = {"pool block", "stream", "executable graph"};
    for (int i = 0; i < 3; i++) check_released_by(now.trace, noun[i], "lab13_open", "lab13_close");
    check_given_back(now.trace, "event", NULL, NULL);
    check_given_back(now.trace, "graph", NULL, NULL);
}

static void make_ready(check_program *program, const void *user)
{
    folder_begin(program, *(const lab13_arguments *)user);
}

static void make_ready_with_lanes(check_program *program, const void *user)
{
    make_ready(program, user);
    check_call(program, "lanes_if_needed", NULL, 0, NULL, 0);
}

/* A save that fails ends lab13_run with its status. */
static void check_refused_save(void)
{
    folder now = begin(few());
    int returned;
    check_call(now.program, "give_lanes", NULL, 0, NULL, 0);
    const int saves = rule_count_saves(check_recorded(now.program, "run_refused", NULL, 0, &returned, sizeof returned));
    const char *expected = "after two saves, of which the second fails, its status",
               *found = check_text("%d saves, then %s", saves, lab_status_name((lab_status)returned));
    const check_place at = check_at_name("save in lab13_run");
    CHECK_THAT(returned == LAB_ERROR_FILE_NOT_FOUND, CHECK_WRONG_RESULT,
               "lab13_run does not pass on that a save failed", .at = at, .expected = expected, .found = found,
               .cause = "work->save says by its status whether the picture could be saved");
    CHECK_THAT(saves <= 2, CHECK_RULE, "lab13_run saves more pictures after a save has failed", .at = at,
               .expected = expected, .found = found,
               .cause = "the status is returned, but not at once: LAB_TRY around work->save ends the function");
    CHECK_THAT(saves == 2, CHECK_RULE, "lab13_run does not save the pictures before the one whose save fails", .at = at,
               .expected = expected, .found = found);
}

/* A work->enqueue that fails ends lab13_open with its status. */
static void check_refused_enqueue(void)
{
    int returned;
    check_call(begin(few()).program, "open_refused", NULL, 0, &returned, sizeof returned);
    CHECK_THAT(returned == LAB_ERROR_FILE_NOT_FOUND, CHECK_WRONG_RESULT,
               "lab13_open does not pass on that work->enqueue failed", .at = check_at_name("enqueue in lab13_open"),
               .expected = "its status", .found = lab_status_name((lab_status)returned),
               .cause = "work->enqueue says by its status whether the work could be enqueued: lab13_open captures what "
                        "work->enqueue enqueues, and nothing else");
}

CHECK(failures_are_passed_on, CHECK_OF_FAILURES, .points = 5,
      .after = "one_picture_is_right, lane_has_what_it_needs, folder_is_right",
      .hints = {[2] = "LAB_TRY around each call of the four functions, and around work->save."})
{
    lab13_arguments size = few();
    size.pictures = check_draw(3, 5);
    size.lanes = 2;
    static const struct {
        const char *function;
        unsigned builds_on;
        void (*prepare)(check_program *program, const void *user);
    } of[] = {{"lab13_enqueue", CHECK_TASK(2), make_ready},
              {"lab13_open", CHECK_TASK(1), make_ready},
              {"lab13_run", CHECK_TASK(1) | CHECK_TASK(2), make_ready_with_lanes}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        check_builds_on(of[i].builds_on);
        check_failures(&(check_failing){.function = of[i].function,
                                        .memory_bytes = lab13_memory_bytes(&size),
                                        .prepare = of[i].prepare,
                                        .user = &size,
                                        .also = CHECK_FAIL_WAITS,
                                        .at_once = true});
    }
    check_refused_save();
    check_builds_on(CHECK_TASK(1));
    check_refused_enqueue();
}

/* ---- Times ------------------------------------------------------------------------------------------------------- */

typedef struct two_runs {
    folder yours, reference;
} two_runs;

/* One sample of each row of the table. */
static void time_round(void *user, double *milliseconds)
{
    two_runs *both = user;
    folder_draw(&both->yours);
    check_call(both->yours.program, "refill", NULL, 0, NULL, 0);
    check_trace_begin(both->yours.program);
    milliseconds[0] = check_call(both->yours.program, "lab13_run", NULL, 0, NULL, 0);
    both->yours.trace = check_trace(both->yours.program);
    both->yours.span = check_whole(both->yours.trace, "lab13_run");
    folder_compare(&both->yours);
    milliseconds[1] = check_call(both->reference.program, "lab13_run", NULL, 0, NULL, 0);
    milliseconds[2] = check_call(both->reference.program, "copies", NULL, 0, NULL, 0);
}

CHECK(timed_runs_are_right, .points = 5, .seconds = 120, .measures = true, .any_order = true,
      .title = "Timed runs are right, with new pictures in every call",
      .hints = {"The first wrong picture says where to look: is it right only in the first run?",
                "Every call gets new pictures. Nothing of an earlier call may be kept.",
                "lab13_run does all copies, launches and waits itself, in every call."})
{
    check_builds_on(CHECK_TASK(1) | CHECK_TASK(2));
    const bool cuda = strcmp(check_device()->kind, "cuda") == 0;
    lab13_arguments size = {.pictures = 8, .width = 256, .height = 160, .lanes = 3};
    const lab13_arguments small = few();
    if (cuda) size = (lab13_arguments){.pictures = 16, .width = 1920, .height = 1080, .lanes = 4};
    folder followed = folder_begin(check_start_kept(lab13_memory_bytes(&small)), small);
    folder_run(&followed);
    folder_check(&followed);
    two_runs both = {begin(size), folder_begin(check_start_reference(lab13_memory_bytes(&size)), size)};
    const double bytes = (double)size.pictures * (double)folder_count(&both.yours);
    const check_row rows[] = {{"the folder", CHECK_YOURS, bytes},
                              {"the folder", CHECK_REFERENCE, bytes},
                              {"its copies alone, both ways", CHECK_REFERENCE, bytes}};
    double median[3];
    check_call(both.yours.program, "give_lanes", NULL, 0, NULL, 0);
    check_call(both.reference.program, "give_lanes", NULL, 0, NULL, 0);
    check_measure(median, rows, 3, time_round, &both);
    check_ratio("times as long as the copies alone", median[0] / median[2], median[1] / median[2]);
}

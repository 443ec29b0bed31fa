/* The checks of lab 04: threads at the same time, a context for each, and the one that is current at each step. */
#include "case.h"
#include "checks_causes.h"
#include "find.h"
#include "lab04.h"
#include "shared.h"

#include <stdio.h>
#include <string.h>

CHECK_LAB("lab04", "Contexts");

/* ---- Runs of ten jobs, each on a thread of its own --------------------------------------------------------------- */

static void shifted(float *to, const float *const *from, const check_case_run *now)
{
    for (size_t i = 0; i < now->count; i++) to[i] = 2.0f * from[0][i] + (float)now->argument[0].value;
}

#define JOBS                                                                                                           \
    .begins = LAB04_RUNS, .ends = LAB04_RAN, .block = "array", .memory_bytes = sizeof(lab04_memory),                   \
    .rows = LAB04_JOBS, .row = "job", .dealt = true, .waits = true,                                                    \
    .given = CHECK_CASE_GIVEN(lab04_arguments, count[0], {"by", offsetof(lab04_arguments, by), 1.0f, 9.0f, false}),    \
    .array = {{"its input", offsetof(lab04_memory, input), .low = 1.0f, .high = 2.0f,                                  \
               .stride = sizeof(float[LAB04_MOST])},                                                                   \
              {"its output", offsetof(lab04_memory, output), .stride = sizeof(float[LAB04_MOST]), .is = shifted,       \
               .from = {"its input"}}},                                                                                \
    .kernel = {{"kernels.cu", "shift(float x[count], int count, float by)"}}
static const check_case own_context = {JOBS, .function = "lab04_own_context"},
                        shared_context = {JOBS, .function = "lab04_shared_context"};

/* The number of elements of each job: below, at and above whole blocks, from one to the most; and the most of all.
 * Contexts are costly on some devices, so one call covers all sizes. */
static const lab04_arguments all_sizes = {.count = {5000, 1, 127, 128, 129, 1000, 8191, 12800, 19999, LAB04_MOST}},
                             the_most = {.count = {LAB04_MOST, LAB04_MOST, LAB04_MOST, LAB04_MOST, LAB04_MOST,
                                                   LAB04_MOST, LAB04_MOST, LAB04_MOST, LAB04_MOST, LAB04_MOST}};

/* The second of two calls in one program. */
static check_case_run record_jobs(const check_case *of, const lab04_arguments *given)
{
    check_program *program = check_start_kept(sizeof(lab04_memory));
    check_case_proven(of, program, given);
    const check_case_run now = check_case_proven(of, program, given);
    for (const lab_trace_op *op = now.span.begins; op < now.span.ends; op++)
        if (op->kind == LAB_OP_KERNEL) check_launched(now.span, op, 1, 0, 128, NULL);
    return now;
}

/* A job in the record: the marks around its operations. */
static check_span find_job(const check_case_run *now, int k)
{
    return check_between(now->trace, check_text(LAB04_BEGINS "%d", k), check_text(LAB04_ENDS "%d", k),
                         now->span.function);
}

/* The next operation of the job's thread after this one, or its first for NULL; NULL at the end. */
static const lab_trace_op *next_of(check_span job, const lab_trace_op *op)
{
    for (op = op ? op + 1 : job.begins + 1; op < job.ends; op++)
        if (!check_is_note(op) && op->thread == job.begins->thread) return op;
    return NULL;
}

/* Whether some job made its first call between the first and the last call of another. */
static bool are_together(const check_case_run *now)
{
    const lab_trace_op *first[LAB04_JOBS], *last[LAB04_JOBS];
    bool together = false;
    for (int k = 0; k < LAB04_JOBS; k++) {
        const check_span job = find_job(now, k);
        first[k] = last[k] = next_of(job, NULL);
        for (const lab_trace_op *op = first[k]; op; op = next_of(job, op)) last[k] = op;
    }
    for (int k = 0; k < LAB04_JOBS; k++)
        for (int o = 0; o < LAB04_JOBS; o++) together = together || (first[o] < first[k] && first[k] < last[o]);
    return together;
}

/* Fails the check if the threads waited for each other: no thread began its calls before another had ended its own. */
static void check_not_serial(const check_case *of)
{
    enum { TRIES = 5 }; /* threads that may run together can still take turns by chance */
    check_program *program = check_start_kept(sizeof(lab04_memory));
    for (int time = 0; time < TRIES; time++) {
        const check_case_run now = check_case_proven(of, program, &all_sizes);
        if (are_together(&now)) return;
    }
    check_fail(CHECK_RULE, check_text("in %s the threads wait for each other", of->function), .at = check_at_no_line(),
               .expected = check_text("%d threads at work at the same time", LAB04_JOBS),
               .found = check_text("one after the other, in each of %d calls", TRIES),
               .cause = "one thread is let in at a time, by a lock around the calls, for example");
}

/* Fails the check if something that was made in the span is still there, or a module, which no lifetime has. */
static void check_all_released(const lab_trace *trace, check_span span)
{
    CHECK_THAT(check_count_in(span, LAB_OP_MODULE_LOAD) <= check_count_in(span, LAB_OP_MODULE_UNLOAD), CHECK_LEAK,
               check_text("%s leaves a module behind", span.function),
               .at = check_at(check_op_in(span, LAB_OP_MODULE_LOAD, 0)),
               .expected = check_text("everything released when %s returns", span.function),
               .found = "a module that is not",
               .cause = "no call releases what is made here; a context should be empty when it is destroyed");
    check_keeps_nothing(trace, span);
}

/* ---- Task 1 ------------------------------------------------------------------------------------------------------ */

/* What the record of a run of all jobs shows. */
typedef struct meeting {
    int begun[LAB04_MOST_THREADS]; /* how often each job was */
    int now, together, waits;      /* threads in a job, at this moment and the most; waits for the device */
    const lab_trace_op *start;     /* the last beginning of a job; NULL for none */
    const lab_trace_op *wait[2];   /* the first of these */
    lab_status returned;           /* what lab04_run_threads returned, as the program says */
    uint64_t caller;               /* its thread */
} meeting;

static void see(meeting *seen, const lab_trace_op *op)
{
    const int begins = check_numbered(op, LAB04_BEGINS, LAB04_MOST_THREADS);
    if (check_numbered(op, LAB04_ENDS, LAB04_MOST_THREADS) >= 0) seen->now--;
    if (op->host_waits && seen->waits < 2) seen->wait[seen->waits++] = op;
    if (check_is_mark(op, LAB04_CALLS)) seen->caller = op->thread;
    if (begins < 0) return;
    CHECK_THAT(op->thread != seen->caller, CHECK_RULE, "lab04_run_threads runs a job itself",
               .at = check_at_name("lab04_run_threads"), .expected = "each job on a thread of its own",
               .found = check_text("job %d on the thread of the caller", begins),
               .cause = "pthread_create starts a thread for each job, also for the first and the last");
    seen->start = op;
    seen->begun[begins]++;
    if (++seen->now > seen->together) seen->together = seen->now;
}

static void check_each_once(const meeting *seen, int count)
{
    int begun = 0;
    for (int k = 0; k < count; k++) begun += seen->begun[k];
    for (int k = 0; k < count; k++)
        CHECK_THAT(seen->begun[k] == 1, CHECK_WRONG_RESULT, "lab04_run_threads does not run every job once",
                   .at = seen->start ? check_at(seen->start) : check_at_name("lab04_run_threads"),
                   .expected = check_text("each of %d jobs run once", count),
                   .found = check_text("job %d begun %d times", k, seen->begun[k]),
                   .cause = !seen->start ? "lab04_run_threads is not written yet, or starts no thread"
                            : count > 1 && seen->begun[0] == count
                                ? "each thread is told the first job: job k is &jobs[k]"
                            : begun == count ? "each thread needs a seat of its own while it runs"
                                             : "the loop that starts threads runs from 0 to count - 1");
}

/* Runs jobs that end like this. Fails the check unless each ran once, and no wait for the device, but one, held a start
 * back: then a thread starts when the work of those before it is done. */
static meeting meet(check_program *program, const lab04_endings *endings)
{
    meeting seen = {.together = 0};
    lab04_returned returned;
    check_trace_begin(program);
    check_call(program, "lab04_run_threads", endings, sizeof *endings, &returned, sizeof returned);
    seen.returned = (lab_status)returned.status;
    const lab_trace *trace = check_trace(program);
    for (size_t i = 0; i < trace->ops; i++) see(&seen, &trace->op[i]);
    check_each_once(&seen, endings->count);
    check_joins(trace, "lab04_run_threads");
    CHECK_THAT(seen.waits < 2 || seen.wait[1] > seen.start, CHECK_RULE,
               "lab04_run_threads waits for the device while it starts the threads", .at = check_at(seen.wait[1]),
               .expected = "all threads started, and only then a wait",
               .found = check_text("waits (%s) before the last job begins", lab_op_kind_name(seen.wait[1]->kind)),
               .cause = "a thread is started only when the device has done the work of those before it");
    return seen;
}

CHECK(threads_run_at_once, .points = 10,
      .without_flow = "the jobs compute nothing: the task is to run each on a thread",
      .title = "Task 1: all jobs run at once, each on its thread",
      .hints = {"Task 1 is in lab04_run_threads: when is the second thread started?",
                "pthread_create starts a thread, pthread_join waits for its end: first all of the one, then all of the "
                "other.",
                "Two loops over k. In the first, seats[k] = (seat){work, &jobs[k], LAB_SUCCESS} and "
                "pthread_create(&thread[k], NULL, sit, &seats[k]); in the second, pthread_join(thread[k], NULL)."})
{
    static const int counts[] = {LAB04_JOBS, 1, LAB04_MOST_THREADS, 2};
    enum { FEW = 4 };
    check_program *program = check_start(sizeof(lab04_memory));
    for (int k = 0; k < FEW; k++) {
        lab04_endings one_is_late = {.count = FEW};
        one_is_late.lingers[k] = true;
        meet(program, &one_is_late);
    }
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const meeting seen = meet(program, &(lab04_endings){.count = counts[i]});
        CHECK_THAT(seen.together == counts[i], CHECK_RULE, "the threads do not run at the same time",
                   .at = check_at(seen.start),
                   .expected = check_text("%d jobs in flight at the same time, each on a thread of its own", counts[i]),
                   .found = check_text("at most %d", seen.together),
                   .cause = seen.together == 1 ? "each thread is waited for before the next one is started"
                                               : "some threads are started only when others have ended");
    }
}

/* Makes the job `first` fail, every `step`th after it too, each with another status, and all jobs before it or after it
 * end late. */
static void check_failures_of(check_program *program, bool before, int count, int first, int step)
{
    static const lab_status status[] = {
        LAB_ERROR_NOT_READY,  LAB_ERROR_INVALID_VALUE,  LAB_ERROR_NOT_FOUND,     LAB_ERROR_FILE_NOT_FOUND,
        LAB_ERROR_IO,         LAB_ERROR_INVALID_HANDLE, LAB_ERROR_ILLEGAL_STATE, LAB_ERROR_OUT_OF_MEMORY,
        LAB_ERROR_NO_DEVICE,  LAB_ERROR_INVALID_DEVICE, LAB_ERROR_NOT_PERMITTED, LAB_ERROR_NOT_SUPPORTED,
        LAB_ERROR_NOT_ORDERED};
    enum { STATUSES = sizeof status / sizeof *status };
    lab04_endings endings = {.count = count};
    const int drawn = check_draw(0, STATUSES - 1);
    for (int k = first; k < count; k += step) endings.status[k] = (int)status[(drawn + k) % STATUSES];
    for (int k = 0; k < count; k++) endings.lingers[k] = before ? k < first : k > first;
    const meeting seen = meet(program, &endings);
    CHECK_THAT((int)seen.returned == endings.status[first], CHECK_WRONG_RESULT,
               "lab04_run_threads does not return how its jobs ended", .at = check_at_name("end of lab04_run_threads"),
               .expected = check_text("the status of job %d of %d, the first that failed: %s", first, count,
                                      lab_status_name((lab_status)endings.status[first])),
               .found = lab_status_name(seen.returned),
               .cause = seen.returned == LAB_SUCCESS
                            ? "seats[k].status is not looked at after the threads have ended"
                            : "the loop over seats[k].status must return the first that is not LAB_SUCCESS");
}

CHECK(failures_are_passed_on, .points = 5,
      .without_flow = "the jobs compute nothing: they return what the check has drawn",
      .title = "Task 1: a job that fails is not lost",
      .hints = {"Who learns that a job has failed?", "seats[k].status is how thread k ended, once it is joined.",
                "A third loop over k, after the joins: LAB_TRY(seats[k].status)."})
{
    static const int counts[] = {LAB04_JOBS, LAB04_MOST_THREADS, 3, LAB04_JOBS};
    check_program *program = check_start(sizeof(lab04_memory));
    for (int round = 0; round < (int)(sizeof counts / sizeof *counts); round++) {
        /* Two at least fail, so that the first is not also the last. */
        const int count = counts[round], step = 1 + round % 2;
        check_failures_of(program, round % 2, count, check_draw(0, count - step - 1), step);
        check_failures_of(program, round % 2, count, round % 2 ? count - 1 : 0, count);
    }
    check_failures_of(program, false, 1, 0, 1);
}

/* ---- Task 2 ------------------------------------------------------------------------------------------------------ */

CHECK(own_contexts_are_right, .points = 10, .failure_causes = why_own_contexts_fail,
      .title = "Task 2: ten contexts, ten compilations, every number right",
      .hints = {"Task 2 is in lab04_own_context: what belongs to a context and has to be made again in each?",
                "lab_context_create makes a context and makes it current; module, kernel and array made after that are "
                "in it.",
                "create; lab_module_load_file(&module, \"kernels.cu\"); lab_module_get_function(&shift, module, "
                "\"shift\"); run_job(job, shift, lab_stream_null()); unload; destroy."})
{
    record_jobs(&own_context, &all_sizes);
}

/* Fails the check unless the job's thread made one context, compiled once after that, and worked there alone. */
static void check_own_context(const check_case_run *now, int k)
{
    const check_span job = find_job(now, k);
    int made = 0, loaded = 0;
    uint64_t context = 0;
    for (const lab_trace_op *op = NULL; (op = next_of(job, op));) {
        if (op->kind == LAB_OP_CONTEXT_CREATE && made++ == 0) context = op->object;
        if (op->kind == LAB_OP_MODULE_LOAD) loaded += made > 0;
        CHECK_THAT(!check_is_work(op) || (made && check_stream(now->trace, op->stream)->context == context), CHECK_RULE,
                   "a thread of lab04_own_context works in a context that is not its own", .at = check_at(op),
                   .expected = check_text("the work of job %d in the context that its thread made", k),
                   .found = check_text("a %s in another context", lab_op_kind_name(op->kind)),
                   .cause = "the stream is of another context: lab_stream_null() is of the one that is current when it "
                            "is called");
    }
    CHECK_THAT(made == 1 && loaded == 1, CHECK_RULE,
               "lab04_own_context does not make a context and compile in it each time",
               .expected = check_text("a context made by the thread of job %d, and kernels.cu compiled there", k),
               .found = check_text("%d made, %d compilations after that", made, loaded),
               .cause = "each thread makes its own: nothing static, nothing global");
}

CHECK(each_thread_has_its_own, .points = 10, .title = "Task 2: each thread makes its context and works in it",
      .hints = {
          "Whose context does each thread use?", "Every thread makes one; none is passed on.",
          "lab_context_create stands in lab04_own_context, in a variable of its own: nothing static, nothing global."})
{
    const check_case_run now = record_jobs(&own_context, &all_sizes);
    check_artifact_trace(now.trace, "lab04_own_context on ten threads");
    for (int k = 0; k < LAB04_JOBS; k++) check_own_context(&now, k);
    check_not_serial(&own_context);
}

CHECK(contexts_are_destroyed, .points = 15, .title = "Task 2: all is released; contexts are destroyed, not only popped",
      .hints = {
          "Where is the context when the thread has ended?",
          "lab_context_pop takes it from the stack; it lives on with all that belongs to it. lab_context_destroy ends "
          "it, and pops it too if it is on top.",
          "lab_context_destroy(context), as the last call, after the module was unloaded."})
{
    const check_case_run now = record_jobs(&own_context, &all_sizes);
    check_given_back(now.trace, "context", NULL,
                     "a context lives on, with its memory, until it is destroyed: popping it does not end it");
    for (int k = 0; k < LAB04_JOBS; k++) {
        const check_span job = find_job(&now, k);
        const lab_trace_op *last = NULL;
        for (const lab_trace_op *op = NULL; (op = next_of(job, op));) last = op;
        CHECK_THAT(last && last->kind == LAB_OP_CONTEXT_DESTROY, CHECK_RULE, "lab04_own_context ends with another call",
                   .at = check_at(last), .expected = check_text("lab_context_destroy as the last call of job %d", k),
                   .found = last ? lab_op_kind_name(last->kind) : "no call",
                   .cause = "what belongs to a context is released before the context");
    }
    check_all_released(now.trace, now.span);
}

/* ---- Task 3 ------------------------------------------------------------------------------------------------------ */

/* The steps of the walk: what is current after each, and how many contexts are made and destroyed. */
static const struct {
    const char *name;
    lab04_which current;
    int made, destroyed;
} walk[LAB04_STEPS] = {{"before the walk", LAB04_PRIMARY, 0, 0}, {"after 1, make A", LAB04_A, 1, 0},
                       {"after 2, make B", LAB04_B, 2, 0},       {"after 3, pop", LAB04_A, 2, 0},
                       {"after 4, push B", LAB04_B, 2, 0},       {"after 5, pop", LAB04_A, 2, 0},
                       {"after 6, destroy B", LAB04_A, 2, 1},    {"after 7, destroy A", LAB04_PRIMARY, 2, 2}};

static const char *name_of(int which)
{
    static const char *const names[] = {"not looked", "the primary context", "A", "B", "none"};
    return which >= 0 && which <= LAB04_NONE ? names[which] : "?";
}

/* Fails the check unless the looks are there, and find this. A is the context made first, B the second. */
static void check_walk(const lab_trace *trace)
{
    const lab_trace_op *op = trace->op, *end = trace->op + trace->ops;
    uint64_t id[] = {[LAB04_B] = 0};
    int made = 0, destroyed = 0;
    for (int step = 0; step < LAB04_STEPS; step++) {
        const lab_trace_op *first = op < end ? op : NULL, *look = NULL;
        for (; op < end && !look; op++) {
            if (op->kind == LAB_OP_CONTEXT_CREATE && made++ < 2) id[made == 1 ? LAB04_A : LAB04_B] = op->object;
            destroyed += op->kind == LAB_OP_CONTEXT_DESTROY;
            if (check_numbered(op, LAB04_AFTER, LAB04_STEPS) == step) look = op;
        }
        int current = look ? LAB04_PRIMARY : 0;
        for (int which = LAB04_A; look && which <= LAB04_B; which++)
            if (look->object == id[which]) current = which;
        if (look && !look->object) current = LAB04_NONE;
        CHECK_THAT(current == (int)walk[step].current && made == walk[step].made && destroyed == walk[step].destroyed,
                   CHECK_RULE, "lab04_walk does not make the walk that lab04.h describes",
                   .at = check_at(look ? look : first),
                   .expected = check_text("%s: %s, with %d contexts made and %d destroyed", walk[step].name,
                                          name_of(walk[step].current), walk[step].made, walk[step].destroyed),
                   .found = check_text("%s, %d made, %d destroyed", name_of(current), made, destroyed),
                   .cause = !made   ? "lab04_walk is not written yet, or does nothing in a second call"
                            : !look ? "look.call is not called with look.user and this step's number"
                            : current == (int)walk[step].current
                                ? "a context is made or destroyed at another step"
                                : check_text("right before look %d only this is to be called: %s", step,
                                             strchr(walk[step].name, ',') + 2));
    }
}

CHECK(walk_is_predicted, .points = 15, .without_flow = "nothing is computed: the task is which context is current",
      .title = "Task 3: the stack of contexts, as predicted",
      .hints = {
          "Task 3: write down the stack after each step, its top on the right.",
          "Making pushes, popping uncovers what is below, pushing puts on top; below everything is the primary "
          "context. Destroying a context that is not current changes nothing you see.",
          "Before: primary. Then A; A B; A; A B; A; A; and, since destroying the current context pops it, nothing: "
          "primary again."})
{
    check_program *program = check_start(sizeof(lab04_memory));
    int predicted[LAB04_STEPS];
    check_walk(check_call_twice(program, "lab04_walk", NULL, 0, NULL, 0).second);
    check_table(predicted, sizeof predicted, "lab04_current");
    for (int step = 0; step < LAB04_STEPS; step++)
        CHECK_THAT(predicted[step] == (int)walk[step].current, CHECK_WRONG_RESULT, "lab04_current is not what was seen",
                   .at = check_at_name(check_text("lab04_current[%d]", step)),
                   .expected = check_text("%s: %s is current", walk[step].name, name_of(walk[step].current)),
                   .found = check_text("lab04_current says %s", name_of(predicted[step])),
                   .cause = walk[step].current == LAB04_PRIMARY && predicted[step] == LAB04_NONE
                                ? "a thread that has pushed no context, or popped all, works in the device's primary "
                                  "context"
                                : NULL);
}

/* ---- Task 4 ------------------------------------------------------------------------------------------------------ */

/* Fails the check unless the kernel is of the first context, and the array of the second. */
static void check_places(const lab_trace *trace)
{
    int made = 0;
    for (const lab_trace_op *op = trace->op; op < trace->op + trace->ops; op++) {
        const bool loads = op->kind == LAB_OP_MODULE_LOAD,
                   allocates = op->kind == LAB_OP_MEMORY_ALLOC || op->kind == LAB_OP_POOL_ALLOC;
        made += op->kind == LAB_OP_CONTEXT_CREATE;
        CHECK_THAT((!loads || made == 1) && (!allocates || made == 2), CHECK_RULE,
                   "lab04_foreign_launch does not make the experiment that lab04.h describes", .at = check_at(op),
                   .expected = "the kernel compiled in the first context, and the array made in the second",
                   .found = check_text("the %s with %d context%s made", loads ? "compilation" : "array", made,
                                       made == 1 ? "" : "s"),
                   .cause = "what is made belongs to the context that is current then");
    }
}

/* Whether a launch was refused because the kernel was of the first context made, and the stream of the second. */
static bool is_refused(check_span all, const char *failure)
{
    unsigned long long kernel, stream;
    return failure &&
           sscanf(failure,
                  "kernel 'shift' was loaded in context %llu on device %*d, stream %*u belongs to context %llu",
                  &kernel, &stream) == 2 &&
           kernel == check_op_in(all, LAB_OP_CONTEXT_CREATE, 0)->object &&
           stream == check_op_in(all, LAB_OP_CONTEXT_CREATE, 1)->object;
}

/* Fails the check unless two contexts were made and destroyed, and the launch was refused. */
static void check_experiment(check_program *program, const lab_trace *trace)
{
    const check_failed_call refused = check_failure(program, LAB_ERROR_INVALID_HANDLE);
    const char *failure = refused.message;
    check_span all = check_whole(trace, "lab04_foreign_launch");
    const lab_trace_op *array = check_last_op(trace, LAB_OP_POOL_ALLOC);
    const int made = check_count_ops(trace, LAB_OP_CONTEXT_CREATE),
              destroyed = check_count_ops(trace, LAB_OP_CONTEXT_DESTROY);
    const bool no_launch = !failure && array && !check_count_ops(trace, LAB_OP_KERNEL);
    if (made == 2 && destroyed < made) check_given_back(trace, "context", NULL, NULL);
    CHECK_THAT(
        made == 2 && destroyed == 2 && is_refused(all, failure), CHECK_RULE,
        "lab04_foreign_launch does not make the experiment that lab04.h describes",
        .at = made != 2   ? check_at(check_last_op(trace, LAB_OP_CONTEXT_CREATE))
              : no_launch ? check_at(array)
                          : refused.at,
        .expected = "two contexts made and destroyed, a launch refused",
        .found = check_text("%d made, %d destroyed, %s", made, destroyed, failure ? failure : "no launch refused"),
        .cause = made == 0   ? "no context is made: is lab04_foreign_launch written yet?"
                 : made != 2 ? "the kernel must be loaded in one context and launched in another, both made here"
                 : no_launch ? "nothing is launched once the array is made"
                 : failure   ? "the kernel is to be of the first context, stream and array of the second"
                             : "kernel, stream and array were all of one context: the second must be made after the "
                               "kernel is loaded, and the array after that");
    check_places(trace);
    CHECK_THAT(array, CHECK_RULE, "lab04_foreign_launch makes no array in the second context");
    all.block = "array";
    check_all_released(trace, all);
}

CHECK(
    foreign_launch_is_refused, .points = 10, .failure_causes = why_abroad_fails,
    .without_flow = "the launch is refused: there are no outputs",
    .title = "Task 4: a kernel in another context, as predicted",
    .hints = {
        "Task 4: to what does a kernel belong?",
        "The kernel does not exist in the context of the stream. lab.h has a status for an object that does not exist.",
        "The launch returns LAB_ERROR_INVALID_HANDLE; keep it in *found instead of returning it."})
{
    check_program *program = check_start(sizeof(lab04_memory));
    const lab04_arguments given = {.count = {check_draw(1000, LAB04_MOST)}, .by = {1}};
    lab04_returned returned;
    int predicted;
    /* For the second call the kernel of task 5 is loaded. */
    check_experiment(
        program,
        check_call_twice(program, "lab04_foreign_launch", &given, sizeof given, &returned, sizeof returned).second);
    CHECK_THAT(returned.status == LAB_ERROR_INVALID_HANDLE, CHECK_WRONG_RESULT,
               "lab04_foreign_launch does not keep what the launch returned",
               .at = check_failure(program, LAB_ERROR_INVALID_HANDLE).at,
               .expected = "LAB_ERROR_INVALID_HANDLE in *found", .found = lab_status_name((lab_status)returned.status),
               .cause = "*found is to be what the launch returned");
    check_table(&predicted, sizeof predicted, "lab04_foreign");
    CHECK_THAT(predicted == LAB_ERROR_INVALID_HANDLE, CHECK_WRONG_RESULT,
               "lab04_foreign is not what the launch returned", .expected = "LAB_ERROR_INVALID_HANDLE",
               .found = check_text("lab04_foreign says %s", lab_status_name((lab_status)predicted)),
               .cause = predicted == LAB_ERROR_INVALID_CONTEXT
                            ? "the kernel does not exist in the second context, so its handle is invalid there"
                            : "a kernel exists in the context in which it was loaded, and in no other");
}

/* ---- Task 5 ------------------------------------------------------------------------------------------------------ */

CHECK(shared_context_is_right, .points = 5, .title = "Task 5: ten threads in the primary context, every number right",
      .hints = {"Task 5 is in lab04_shared_context: what is there already?",
                "The primary context is current to every thread that pushed none; job->shift is loaded in it.",
                "run_job(job, job->shift, lab_stream_per_thread()) is all of it."})
{
    record_jobs(&shared_context, &all_sizes);
    record_jobs(&shared_context, &the_most);
}

CHECK(failures_are_returned, CHECK_OF_FAILURES, .points = 5,
      .after = "own_contexts_are_right, walk_is_predicted, foreign_launch_is_refused, shared_context_is_right",
      .title = "Tasks 2 to 5: a call that fails is not lost",
      .hints = {[2] = "Put LAB_TRY around each call of the library, and around run_job too."})
{
    const lab04_arguments two = {.count = {check_draw(1, 2000), check_draw(1, 2000)},
                                 .by = {(float)check_draw(1, 9), (float)check_draw(1, 9)}};
    check_failures(
        &(check_failing){.functions = CHECK_FUNCTIONS("lab04_own_context", "lab04_walk",
                                                      "lab04_foreign_launch or *found", "lab04_shared_context"),
                         CHECK_GIVEN(two),
                         .memory_bytes = sizeof(lab04_memory)});
}

/* One sample of each row of the table, with new numbers. */
static void time_round(check_program *program, double *milliseconds)
{
    milliseconds[0] = check_case_time(&own_context, program, &the_most);
    milliseconds[1] = check_case_time(&shared_context, program, &the_most);
}

/* Fails the check if this call makes what the primary context has, or waits for the work of all threads. */
static void check_shares(const lab_trace_op *op)
{
    const lab_op_kind kind = op->kind;
    CHECK_THAT(kind != LAB_OP_CONTEXT_CREATE && kind != LAB_OP_MODULE_LOAD && kind != LAB_OP_STREAM_CREATE, CHECK_RULE,
               "lab04_shared_context makes what is there already", .at = check_at(op),
               .expected = "no context and no stream made, nothing compiled", .found = lab_op_kind_name(kind),
               .cause =
                   kind == LAB_OP_STREAM_CREATE
                       ? "each thread has a default stream of its own: lab_stream_per_thread()"
                       : "the primary context is current in a thread that made none, and job->shift is loaded in it");
    CHECK_THAT(kind != LAB_OP_DEVICE_SYNC && kind != LAB_OP_CONTEXT_SYNC, CHECK_RULE,
               "a thread of lab04_shared_context waits for the work of all", .at = check_at(op),
               .expected = "threads that do not wait for each other",
               .found = check_text("a wait for all work of the context (%s)", lab_op_kind_name(kind)),
               .cause = "the other threads work in the same context; lab_stream_synchronize waits for one stream");
}

/* The one stream on which the job's thread worked. */
static uint64_t stream_of(const check_case_run *now, int k)
{
    const check_span job = find_job(now, k);
    const lab_trace_op *first = NULL;
    for (const lab_trace_op *op = NULL; (op = next_of(job, op));) {
        if (!check_is_work(op)) continue;
        if (!first) first = op;
        CHECK_THAT(
            op->stream == first->stream, CHECK_RULE, "a job of lab04_shared_context is on several streams",
            .at = check_at(op), .expected = check_text("the work of job %d on the thread's own default stream", k),
            .found = check_text("%s and %s on two streams", lab_op_kind_name(first->kind), lab_op_kind_name(op->kind)),
            .cause = "one of them names another stream than lab_stream_per_thread()");
    }
    CHECK_THAT(first, CHECK_RULE, check_text("the thread of job %d in lab04_shared_context does no work", k));
    return first->stream;
}

CHECK(shared_context_is_shared, .points = 15, .seconds = 120, .measures = true, .after = "own_contexts_are_right",
      .title = "Task 5: no context made, nothing compiled, a stream a thread",
      .hints = {"What does your function make that is there already?",
                "No context, no module. And each thread has a default stream of its own, so that threads do not queue "
                "behind each other.",
                "Use job->shift and lab_stream_per_thread(); compare the two rows of the table."})
{
    const check_case_run now = record_jobs(&shared_context, &all_sizes);
    uint64_t stream[LAB04_JOBS];
    for (const lab_trace_op *op = now.span.begins; op < now.span.ends; op++) check_shares(op);
    for (int k = 0; k < LAB04_JOBS; k++) {
        stream[k] = stream_of(&now, k);
        for (int other = 0; other < k; other++)
            CHECK_THAT(
                stream[other] != stream[k], CHECK_RULE, "lab04_shared_context does not use lab_stream_per_thread()",
                .at = check_at_name("end of lab04_shared_context"), .expected = "each thread on its own default stream",
                .found = check_text("jobs %d and %d on one stream", other, k),
                .cause = "on one stream the threads' work runs one after the other");
    }
    check_all_released(now.trace, now.span);
    check_not_serial(&shared_context);
    static const char *const rows[] = {"ten threads, own contexts", "ten threads, one context"};
    double median[4]; /* no points depend on them */
    check_measure_both(median, rows, 2, sizeof(lab04_memory), time_round);
}

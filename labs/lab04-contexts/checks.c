/* The checks of lab 04: threads that run at the same time, contexts that each thread makes and destroys, and the
 * current context at each step. */
#include "checks_jobs.h"
#include "find.h"

#include <stdio.h>

CHECK_LAB("lab04", "Contexts");

enum { PRIMARY = 1, A = 2, B = 3, NONE = 4 };

/* ---- Task 1 ------------------------------------------------------------------------------------------------------ */

/* What the record of a run of all jobs shows. */
typedef struct meeting {
    int begun[LAB04_MOST_THREADS], ended[LAB04_MOST_THREADS]; /* how often each job was, before the return */
    int together;                                             /* the most threads that were in a job at once */
    const lab_trace_op *start;                                /* a beginning of a job; NULL for none */
    lab_status returned;                                      /* what lab04_run_threads returned, as the program says */
} meeting;

/* Adds one operation of the record; `inside` has the thread that is in each job. */
static void see(meeting *seen, uint64_t inside[LAB04_MOST_THREADS], const lab_trace_op *op)
{
    const int begins = marked_number(op, LAB04_BEGINS), ends = marked_number(op, LAB04_ENDS);
    int threads = 0;
    if (begins >= 0) seen->start = op;
    if (begins >= 0 && begins < LAB04_MOST_THREADS && seen->begun[begins]++ == 0) inside[begins] = op->thread;
    if (ends >= 0 && ends < LAB04_MOST_THREADS && seen->ended[ends]++ == 0) inside[ends] = 0;
    for (int k = 0; k < LAB04_MOST_THREADS; k++) {
        bool another = inside[k];
        for (int j = 0; j < k; j++) another = another && inside[j] != inside[k];
        threads += another;
    }
    if (threads > seen->together) seen->together = threads;
}

/* What went wrong if these jobs did not run once each. */
static const char *cause_of(const meeting *seen, int count)
{
    int begun = 0, twice = 0;
    for (int k = 0; k < count; k++) begun += seen->begun[k], twice += seen->begun[k] > 1;
    if (begun == 0) return "lab04_run_threads is not written yet, or starts no thread";
    if (twice) return "threads share a seat: each needs its own, which nothing overwrites while the thread runs";
    return "the loop that starts threads must run from 0 to count - 1, whatever count is";
}

static void check_each_once(const meeting *seen, int count)
{
    for (int k = 0; k < count; k++) {
        const check_place at = seen->start ? check_at(seen->start) : check_at_name("lab04_run_threads");
        const char *expected = check_text("each of %d jobs run once, and ended when lab04_run_threads returns", count),
                   *found = check_text("job %d begun %d times, ended %d times", k, seen->begun[k], seen->ended[k]);
        CHECK_THAT(seen->begun[k] == 1, CHECK_WRONG_RESULT, "lab04_run_threads does not run every job once", .at = at,
                   .expected = expected, .found = found, .cause = cause_of(seen, count));
        CHECK_THAT(seen->ended[k] == 1, CHECK_RACE_SUSPECTED,
                   check_text("lab04_run_threads returns while job %d still runs", k), .at = at, .expected = expected,
                   .found = found,
                   .cause = "not every thread is joined: one that still runs writes to a seat that is gone");
    }
}

/* The calling thread may wait for the device, but not between two starts: then a thread starts when the work of those
 * before it is done. */
static void check_starts(const lab_trace *trace, int count)
{
    const lab_trace_op *wait = NULL;
    int waits = 0, begun = 0;
    for (size_t i = 0; i < trace->ops && begun < count; i++) {
        begun += marked_number(&trace->op[i], LAB04_BEGINS) >= 0;
        if (trace->op[i].host_waits && waits++ == 1) wait = &trace->op[i];
    }
    if (!wait || begun < count) return;
    check_fail(CHECK_RULE, "lab04_run_threads waits for the device while it starts the threads", .at = check_at(wait),
               .expected = "all threads started, and only then a wait",
               .found = check_text("%d waits (%s) before the last of %d jobs begins", waits,
                                   lab_op_kind_name(wait->kind), count),
               .cause = "a thread is started only when the device has done the work of those before it");
}

/* Runs jobs that end like this. Fails the check unless each ran once, and had ended when lab04_run_threads returned. */
static meeting meet(check_program *program, const lab04_endings *endings)
{
    meeting seen = {.together = 0};
    lab04_returned returned;
    uint64_t inside[LAB04_MOST_THREADS] = {0};
    check_trace_begin(program);
    check_call(program, "lab04_run_threads", endings, sizeof *endings, &returned, sizeof returned);
    seen.returned = (lab_status)returned.status;
    const lab_trace *trace = check_trace(program);
    for (size_t i = 0; i < trace->ops; i++) see(&seen, inside, &trace->op[i]);
    check_each_once(&seen, endings->count);
    check_joins(trace, "lab04_run_threads");
    check_starts(trace, endings->count);
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
        const int together = seen.together;
        CHECK_THAT(together == counts[i], CHECK_RULE, "the threads do not run at the same time",
                   .at = check_at(seen.start),
                   .expected = check_text("%d jobs in flight at the same time, each on a thread of its own", counts[i]),
                   .found = check_text("at most %d", together),
                   .cause = together == 1 ? "each thread is waited for before the next one is started"
                                          : "some threads are started only when others have ended");
    }
}

/* The status with which a job fails, one of several; every job of a round has another. */
static lab_status failure_of(int round, int job)
{
    static const lab_status failure[] = {
        LAB_ERROR_NOT_READY,  LAB_ERROR_INVALID_VALUE,  LAB_ERROR_NOT_FOUND,     LAB_ERROR_FILE_NOT_FOUND,
        LAB_ERROR_IO,         LAB_ERROR_INVALID_HANDLE, LAB_ERROR_ILLEGAL_STATE, LAB_ERROR_OUT_OF_MEMORY,
        LAB_ERROR_NO_DEVICE,  LAB_ERROR_INVALID_DEVICE, LAB_ERROR_NOT_PERMITTED, LAB_ERROR_NOT_SUPPORTED,
        LAB_ERROR_NOT_ORDERED};
    enum { FAILURES = sizeof failure / sizeof *failure };
    return failure[(check_random_u64(0, (uint64_t)round) + (uint64_t)job) % FAILURES];
}

/* Makes the job `first` fail, every `step`th after it too, and all jobs before it or after it end late. */
static void check_failures_of(check_program *program, int round, int count, int first, int step)
{
    lab04_endings endings = {.count = count};
    for (int k = first; k < count; k += step) endings.status[k] = (int)failure_of(round, k);
    for (int k = 0; k < count; k++) endings.lingers[k] = round % 2 ? k < first : k > first;
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
        check_failures_of(program, round, count, (int)(check_random_u64(1, (uint64_t)round) % (uint64_t)(count - step)),
                          step);
        check_failures_of(program, round, count, round % 2 ? count - 1 : 0, count);
    }
    check_failures_of(program, 0, 1, 0, 1);
}

/* ---- Task 2 ------------------------------------------------------------------------------------------------------ */

CHECK(own_contexts_are_right, .points = 10, .title = "Task 2: ten contexts, ten compilations, every number right",
      .hints = {"Task 2 is in lab04_own_context: what belongs to a context and has to be made again in each?",
                "lab_context_create makes a context and makes it current; module, kernel and array made after that are "
                "in it.",
                "create; lab_module_load_file(&module, \"kernels.cu\"); lab_module_get_function(&shift, module, "
                "\"shift\"); run_job(job, shift, lab_stream_null()); unload; destroy."})
{
    record_jobs("lab04_own_context", all_sizes);
}

/* Fails the check unless the job's thread made one context, compiled once after that, and worked there alone. */
static void check_own_context(const lab_trace *trace, const job_span *job)
{
    int made = 0, loaded = 0;
    uint64_t own = 0;
    for (const lab_trace_op *op = NULL; (op = next_of_job(trace, job, op));) {
        if (op->kind == LAB_OP_CONTEXT_CREATE && made++ == 0) own = op->object;
        if (op->kind == LAB_OP_MODULE_LOAD) loaded += made > 0;
        if (!check_is_work(op)) continue;
        CHECK_THAT(own && check_stream(trace, op->stream)->context == own, CHECK_RULE,
                   "a thread of lab04_own_context works in a context that is not its own", .at = check_at(op),
                   .expected = check_text("the work of job %d in the context that its thread made", job->number),
                   .found = check_text("a %s in another context", lab_op_kind_name(op->kind)),
                   .cause =
                       "the stream is of another context: lab_stream_null() is of the one that is current when it is "
                       "called");
    }
    CHECK_THAT(made == 1 && loaded == 1, CHECK_RULE,
               "lab04_own_context does not make a context and compile in it each time",
               .expected = check_text("one context made by the thread of job %d, and then kernels.cu compiled in it",
                                      job->number),
               .found = check_text("%d made, %d compilations after that", made, loaded),
               .cause = "each thread makes its own: nothing static, nothing global");
}

CHECK(each_thread_has_its_own, .points = 10, .title = "Task 2: each thread makes its context and works in it",
      .hints = {
          "Whose context does each thread use?", "Every thread makes one; none is passed on.",
          "lab_context_create stands in lab04_own_context, in a variable of its own: nothing static, nothing global."})
{
    const lab_trace *trace = record_jobs("lab04_own_context", all_sizes);
    check_artifact_trace(trace, "lab04_own_context on ten threads");
    job_span job[LAB04_JOBS];
    find_jobs(job, trace);
    for (int k = 0; k < LAB04_JOBS; k++) check_own_context(trace, &job[k]);
    check_not_serial("lab04_own_context");
}

CHECK(contexts_are_destroyed, .points = 15, .title = "Task 2: all is released; contexts are destroyed, not only popped",
      .hints = {
          "Where is the context when the thread has ended?",
          "lab_context_pop takes it from the stack; it lives on with all that belongs to it. lab_context_destroy ends "
          "it, and pops it too if it is on top.",
          "lab_context_destroy(context), as the last call, after the module was unloaded."})
{
    const lab_trace *trace = record_jobs("lab04_own_context", all_sizes);
    job_span job[LAB04_JOBS];
    find_jobs(job, trace);
    check_given_back(trace, "context", NULL,
                     "a context lives on, with its memory, until it is destroyed: popping it does not end it");
    for (int k = 0; k < LAB04_JOBS; k++) {
        const lab_trace_op *last = NULL;
        for (const lab_trace_op *op = NULL; (op = next_of_job(trace, &job[k], op));) last = op;
        CHECK_THAT(last, CHECK_RULE, check_text("the thread of job %d in lab04_own_context calls nothing", k));
        CHECK_THAT(last->kind == LAB_OP_CONTEXT_DESTROY, CHECK_RULE, "lab04_own_context ends with another call",
                   .at = check_at(last), .expected = check_text("lab_context_destroy as the last call of job %d", k),
                   .found = lab_op_kind_name(last->kind),
                   .cause = "what belongs to a context is released before the context");
        check_all_given_back(trace, &job[k], last->id, "lab04_own_context");
    }
}

/* ---- Tasks 3 and 4 ----------------------------------------------------------------------------------------------- */

static const char *which(int number)
{
    static const char *const names[] = {"not looked", "the primary context", "A", "B", "none"};
    return number >= 0 && number <= NONE ? names[number] : "?";
}

/* What the record shows at the look after a step. */
typedef struct look {
    int current;              /* PRIMARY, A, ...; 0 without a look */
    int made, destroyed;      /* contexts, until then */
    const lab_trace_op *last; /* the look, or the first call after those before it */
} look;

/* Reads the looks, which must be in the order of the steps. A is the context made first, B the second. */
static void read_walk(look seen[LAB04_LOOKS], const lab_trace *trace)
{
    uint64_t id[] = {[A] = 0, [B] = 0};
    look now = {0};
    int next = 0;
    for (size_t i = 0; i < trace->ops && next < LAB04_LOOKS; i++) {
        const lab_trace_op *op = &trace->op[i];
        if (op->kind == LAB_OP_CONTEXT_CREATE && now.made++ < 2) id[now.made == 1 ? A : B] = op->object;
        if (op->kind == LAB_OP_CONTEXT_DESTROY) now.destroyed++;
        if (!seen[next].last) seen[next].last = op;
        if (marked_number(op, LAB04_AFTER) != next) continue;
        now.current = op->object == 0 ? NONE : op->object == id[A] ? A : op->object == id[B] ? B : PRIMARY;
        now.last = op;
        seen[next++] = now;
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
    static const struct {
        int current, made, destroyed;
    } rule[] = {{PRIMARY, 0, 0}, {A, 1, 0}, {B, 2, 0}, {A, 2, 0}, {B, 2, 0}, {A, 2, 0}, {A, 2, 1}, {PRIMARY, 2, 2}};
    static const char *const steps[] = {"before the walk",    "after 1, make A",   "after 2, make B",
                                        "after 3, pop",       "after 4, push B",   "after 5, pop",
                                        "after 6, destroy B", "after 7, destroy A"};
    check_program *program = check_start(sizeof(lab04_memory));
    look seen[LAB04_LOOKS] = {{0}};
    int predicted[LAB04_LOOKS];
    const lab_trace *trace = check_call_twice(program, "lab04_walk", NULL, 0, NULL, 0).second;
    read_walk(seen, trace);
    for (int step = 0; step < LAB04_LOOKS; step++) {
        const look *is = &seen[step];
        CHECK_THAT(
            is->current == rule[step].current && is->made == rule[step].made && is->destroyed == rule[step].destroyed,
            CHECK_RULE, "lab04_walk does not make the walk that lab04.h describes", .at = check_at(is->last),
            .expected = check_text("%s: %s, with %d contexts made and %d destroyed", steps[step],
                                   which(rule[step].current), rule[step].made, rule[step].destroyed),
            .found = check_text("%s, %d made, %d destroyed", which(is->current), is->made, is->destroyed),
            .cause = !seen[1].current && !seen[2].current
                         ? "lab04_walk is not written yet, or does nothing in a second call"
                     : !is->current ? "look.call is not called with look.user and this step's number"
                     : is->current == rule[step].current ? "a context is made or destroyed at another step"
                                                         : "the stack of contexts is another one after this step");
    }
    check_table(predicted, sizeof predicted, "lab04_current");
    for (int step = 0; step < LAB04_LOOKS; step++) {
        CHECK_THAT(predicted[step] == rule[step].current, CHECK_WRONG_RESULT, "lab04_current is not what was seen",
                   .at = check_at_name(check_text("lab04_current[%d]", step)),
                   .expected = check_text("%s: %s is current", steps[step], which(rule[step].current)),
                   .found = check_text("lab04_current says %s", which(predicted[step])),
                   .cause = rule[step].current == PRIMARY && predicted[step] == NONE
                                ? "a thread that has pushed no context, or popped all, works in the device's primary "
                                  "context"
                                : "");
    }
}

/* Fails the check unless the kernel is of the first context, the array of the second, and everything is released. */
static void check_places(const lab_trace *trace)
{
    const job_span all = {.thread = 0, .begin = 0, .end = trace->ops + 1};
    int made = 0, arrays = 0;
    for (size_t i = 0; i < trace->ops; i++) {
        const lab_trace_op *op = &trace->op[i];
        if (op->kind == LAB_OP_CONTEXT_CREATE) made++;
        const bool loads = op->kind == LAB_OP_MODULE_LOAD,
                   allocates = op->kind == LAB_OP_MEMORY_ALLOC || op->kind == LAB_OP_POOL_ALLOC;
        arrays += allocates;
        if ((!loads || made == 1) && (!allocates || made == 2)) continue;
        check_fail(CHECK_RULE, "lab04_foreign_launch does not make the experiment that lab04.h describes",
                   .at = check_at(op),
                   .expected = "the kernel compiled in the first context, and the array made in the second",
                   .found = check_text("the %s with %d context%s made", loads ? "compilation" : "array", made,
                                       made == 1 ? "" : "s"),
                   .cause = "what is made belongs to the context that is current then");
    }
    CHECK_THAT(arrays > 0, CHECK_RULE, "lab04_foreign_launch makes no array in a second call",
               .expected = "an array made in the second context", .found = "none");
    check_all_given_back(trace, &all, trace->ops, "lab04_foreign_launch");
}

/* Whether a launch was refused because the kernel was of the first context made, and the stream of the second. */
static bool is_refused(const lab_trace *trace, const char *failure)
{
    unsigned long long kernel, stream, made[2] = {0, 0};
    int count = 0;
    for (size_t i = 0; i < trace->ops && count < 2; i++)
        if (trace->op[i].kind == LAB_OP_CONTEXT_CREATE) made[count++] = trace->op[i].object;
    return failure &&
           sscanf(failure,
                  "kernel 'shift' was loaded in context %llu on device %*d, stream %*u belongs to context %llu",
                  &kernel, &stream) == 2 &&
           kernel == made[0] && stream == made[1];
}

CHECK(
    foreign_launch_is_refused, .points = 10, .without_flow = "the launch is refused: there are no outputs",
    .title = "Task 4: a kernel in another context, as predicted",
    .hints = {
        "Task 4: to what does a kernel belong?",
        "The kernel does not exist in the context of the stream. lab.h has a status for an object that does not exist.",
        "The launch returns LAB_ERROR_INVALID_HANDLE; keep it in *found instead of returning it."})
{
    check_program *program = check_start(sizeof(lab04_memory));
    lab04_arguments given = fill_jobs(program, all_sizes, 0);
    lab04_returned returned;
    int predicted;
    /* For the second call the kernel of task 5 is loaded. */
    const lab_trace *trace =
        check_call_twice(program, "lab04_foreign_launch", &given, sizeof given, &returned, sizeof returned).second;
    const check_failed_call refused = check_failure(program, LAB_ERROR_INVALID_HANDLE);
    const char *failure = refused.message;
    const lab_trace_op *array = check_last_op(trace, LAB_OP_POOL_ALLOC);
    int made = check_count_ops(trace, LAB_OP_CONTEXT_CREATE),
        destroyed = check_count_ops(trace, LAB_OP_CONTEXT_DESTROY);
    if (made == 2 && destroyed < made) check_given_back(trace, "context", NULL, NULL);
    const bool no_launch = !failure && array && !check_count_ops(trace, LAB_OP_KERNEL);
    CHECK_THAT(made == 2 && destroyed == 2 && is_refused(trace, failure), CHECK_RULE,
               "lab04_foreign_launch does not make the experiment that lab04.h describes",
               .at = made != 2   ? check_at(check_last_op(trace, LAB_OP_CONTEXT_CREATE))
                     : no_launch ? check_at(array)
                                 : refused.at,
               .expected = "two contexts made and destroyed, and a launch that is refused",
               .found = check_text("%d made, %d destroyed, %s%s", made, destroyed,
                                   failure ? "the library said: " : "no launch refused", failure ? failure : ""),
               .cause = made == 0   ? "no context is made: is lab04_foreign_launch written yet?"
                        : made != 2 ? "the kernel must be loaded in one context and launched in another, both made here"
                        : no_launch ? "nothing is launched once the array is made"
                        : failure
                            ? "the kernel is to be of the first context, stream and array of the second"
                            : "kernel, stream and array were all of one context: the second must be made after the "
                              "kernel is loaded, and the array after that");
    check_places(trace);
    CHECK_THAT(returned.status == LAB_ERROR_INVALID_HANDLE, CHECK_WRONG_RESULT,
               "lab04_foreign_launch does not keep what the launch returned",
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
    record_jobs("lab04_shared_context", all_sizes);
    record_jobs("lab04_shared_context", most);
}

static void prepare_jobs(check_program *program, const void *user)
{
    (void)user;
    check_call(program, "prepare", NULL, 0, NULL, 0);
}

CHECK(failures_are_returned, .points = 5, .schedule = "fifo", .any_order = true,
      .after = "own_contexts_are_right, walk_is_predicted, foreign_launch_is_refused, shared_context_is_right",
      .title = "Tasks 2 to 5: a call that fails is not lost",
      .hints = CHECK_FAILURE_HINTS("Put LAB_TRY around each call of the library, and around run_job too."))
{
    const lab04_arguments two = {.count = {check_draw(1, 2000), check_draw(1, 2000)},
                                 .by = {(float)check_draw(1, 9), (float)check_draw(1, 9)}};
    check_failures(
        &(check_failing){.functions = CHECK_FUNCTIONS("lab04_own_context", "lab04_walk",
                                                      "lab04_foreign_launch or *found", "lab04_shared_context"),
                         .arguments = &two,
                         .argument_bytes = sizeof two,
                         .memory_bytes = sizeof(lab04_memory),
                         .prepare = prepare_jobs});
}

typedef struct two_programs {
    check_program *yours, *reference;
    uint64_t rounds;
} two_programs;

/* One sample of each row of the table, with new numbers. */
static void time_round(void *user, double *milliseconds)
{
    two_programs *both = user;
    uint64_t numbers = 2 + both->rounds++;
    milliseconds[0] = run_jobs(both->yours, "lab04_own_context", most, numbers, NULL);
    milliseconds[1] = run_jobs(both->yours, "lab04_shared_context", most, numbers, NULL);
    milliseconds[2] = run_jobs(both->reference, "lab04_own_context", most, numbers, NULL);
    milliseconds[3] = run_jobs(both->reference, "lab04_shared_context", most, numbers, NULL);
}

/* Adds the rows of the table. No points depend on them. */
static void compare_times(void)
{
    enum { ROWS = 4 };
    static const check_row rows[ROWS] = {{"ten threads, own contexts", CHECK_YOURS, 0},
                                         {"ten threads, one context", CHECK_YOURS, 0},
                                         {"ten threads, own contexts", CHECK_REFERENCE, 0},
                                         {"ten threads, one context", CHECK_REFERENCE, 0}};
    double median[ROWS];
    two_programs both = {.yours = check_start(sizeof(lab04_memory)),
                         .reference = check_start_reference(sizeof(lab04_memory))};
    check_measure(median, rows, ROWS, time_round, &both);
}

/* The one stream on which the job's thread worked, and where; fails the check unless it is one that existed. */
static uint64_t stream_of_job(const lab_trace *trace, const job_span *job)
{
    const lab_trace_op *first = NULL;
    for (const lab_trace_op *op = NULL; (op = next_of_job(trace, job, op));) {
        if (op->kind == LAB_OP_STREAM_CREATE) {
            check_fail(CHECK_RULE, "lab04_shared_context makes a stream that is there already", .at = check_at(op),
                       .expected = "each thread on lab_stream_per_thread(), which exists already",
                       .found = "a stream is made in each thread");
        }
        if (op->kind == LAB_OP_DEVICE_SYNC || op->kind == LAB_OP_CONTEXT_SYNC) {
            check_fail(CHECK_RULE, "a thread of lab04_shared_context waits for the work of all", .at = check_at(op),
                       .expected = "threads that do not wait for each other",
                       .found = check_text("a wait for all work of the context (%s)", lab_op_kind_name(op->kind)),
                       .cause =
                           "the other threads work in the same context; lab_stream_synchronize waits for one stream");
        }
        if (!check_is_work(op)) continue;
        if (!first) first = op;
        CHECK_THAT(
            op->stream == first->stream, CHECK_RULE, "a job of lab04_shared_context is on several streams",
            .at = check_at(op),
            .expected =
                check_text("the copies and the kernel of job %d on the thread's own default stream", job->number),
            .found = check_text("%s and %s on two streams", lab_op_kind_name(first->kind), lab_op_kind_name(op->kind)),
            .cause = "one of them names another stream than lab_stream_per_thread()");
    }
    CHECK_THAT(first, CHECK_RULE, check_text("the thread of job %d in lab04_shared_context does no work", job->number));
    return first->stream;
}

CHECK(shared_context_is_shared, .points = 15, .seconds = 120, .measures = true, .after = "own_contexts_are_right",
      .title = "Task 5: no context made, nothing compiled, a stream a thread",
      .hints = {"What does your function make that is there already?",
                "No context, no module. And each thread has a default stream of its own, so that threads do not queue "
                "behind each other.",
                "Use job->shift and lab_stream_per_thread(); compare the two rows of the table."})
{
    const lab_trace *trace = record_jobs("lab04_shared_context", all_sizes);
    const lab_trace_op *last = NULL;
    for (size_t i = 0; i < trace->ops; i++) {
        const lab_op_kind kind = trace->op[i].kind;
        if (kind == LAB_OP_CONTEXT_CREATE || kind == LAB_OP_MODULE_LOAD) last = &trace->op[i];
    }
    CHECK_THAT(check_count_ops(trace, LAB_OP_CONTEXT_CREATE) == 0 && check_count_ops(trace, LAB_OP_MODULE_LOAD) == 0,
               CHECK_RULE, "lab04_shared_context makes what the primary context has", .at = check_at(last),
               .expected = "no context made, nothing compiled",
               .found = check_text("%d contexts made, %d compilations", check_count_ops(trace, LAB_OP_CONTEXT_CREATE),
                                   check_count_ops(trace, LAB_OP_MODULE_LOAD)),
               .cause = "the primary context is current in a thread that made none, and job->shift is loaded in it");
    job_span job[LAB04_JOBS];
    uint64_t stream[LAB04_JOBS];
    find_jobs(job, trace);
    for (int k = 0; k < LAB04_JOBS; k++) {
        stream[k] = stream_of_job(trace, &job[k]);
        for (int other = 0; other < k; other++) {
            if (stream[other] != stream[k]) continue;
            check_fail(CHECK_RULE, "lab04_shared_context does not use lab_stream_per_thread()",
                       .at = check_at_name("end of lab04_shared_context"),
                       .expected = "each thread on its own default stream",
                       .found = check_text("jobs %d and %d on one stream", other, k),
                       .cause = "on one stream the threads' work runs one after the other");
        }
        check_all_given_back(trace, &job[k], job[k].end, "lab04_shared_context");
    }
    check_not_serial("lab04_shared_context");
    compare_times();
}

/* The checks of lab 04: threads that run at the same time, contexts that each thread makes and destroys, and the
 * current context at each step. */
#include "check.h"
#include "shared.h"

#include <stdlib.h>
#include <string.h>

CHECK_LAB("lab04", "Contexts");

enum { PRIMARY = 1, A = 2, B = 3, NONE = 4 };

/* The number in the name of a mark that begins like this; -1 for any other operation. */
static int marked_number(const lab_trace_op *op, const char *begin)
{
    size_t length = strlen(begin);
    char *end;
    if (op->kind != LAB_OP_MARK || strncmp(op->name, begin, length) != 0) return -1;
    long number = strtol(op->name + length, &end, 10);
    return end == op->name + length || *end || number < 0 || number > LAB04_JOBS ? -1 : (int)number;
}

/* ------------------------------------------------------------------------------------------------------
 * Runs of all jobs
 */

/* The number of elements of each job: below, at and above whole blocks, from one to the most. Contexts are costly on
 * some devices, so one call covers all sizes. */
static const int all_sizes[LAB04_JOBS] = {5000, 1, 127, 128, 129, 1000, 8191, 12800, 19999, LAB04_MOST};
static const int most[LAB04_JOBS] = {LAB04_MOST, LAB04_MOST, LAB04_MOST, LAB04_MOST, LAB04_MOST,
                                     LAB04_MOST, LAB04_MOST, LAB04_MOST, LAB04_MOST, LAB04_MOST};

static const char *const job_names[LAB04_JOBS] = {"job 0", "job 1", "job 2", "job 3", "job 4",
                                                  "job 5", "job 6", "job 7", "job 8", "job 9"};

/* New inputs for every job, each with its own number to shift by. */
static lab04_arguments fill(check_program *program, const int *count, uint64_t stream)
{
    lab04_memory *memory = check_memory(program);
    lab04_arguments given = {.count = {0}};
    for (int k = 0; k < LAB04_JOBS; k++) {
        given.count[k] = count[k];
        check_random_floats(memory->input[k], (size_t)count[k], stream * LAB04_JOBS + (uint64_t)k, 1.0f, 2.0f);
        given.by[k] = (float)(k + 1) + check_random_float(stream, (uint64_t)k);
    }
    check_poison(program, offsetof(lab04_memory, output), sizeof memory->output);
    return given;
}

/* Makes one call on new numbers, compares every output, and returns the milliseconds. `jobs` gets what check_flow
 * asks of each job, unless it is NULL. */
static double run_jobs(check_program *program, const char *function, const int *count, uint64_t stream,
                       check_passage jobs[LAB04_JOBS])
{
    lab04_arguments given = fill(program, count, stream);
    size_t most_bytes = LAB04_MOST * sizeof(float), total = 0;
    double milliseconds = check_call(program, function, &given, sizeof given, NULL, 0);
    float *expected = check_alloc(most_bytes);
    float(*input)[LAB04_MOST] = check_alloc(LAB04_JOBS * sizeof *input),
    (*found)[LAB04_MOST] = check_alloc(LAB04_JOBS * sizeof *found);
    check_difference difference = {.array = "job"};
    check_snapshot(program, found, offsetof(lab04_memory, output), LAB04_JOBS * sizeof *found);
    for (int k = 0; k < LAB04_JOBS; k++) {
        size_t numbers = (size_t)count[k], bytes = numbers * sizeof(float);
        check_random_floats(input[k], numbers, stream * LAB04_JOBS + (uint64_t)k, 1.0f, 2.0f);
        for (size_t i = 0; i < numbers; i++) expected[i] = 2.0f * input[k][i] + given.by[k];
        check_compare_floats(&difference, (size_t)k, expected, found[k], numbers);
        total += numbers;
        if (jobs)
            jobs[k] = (check_passage){.what = job_names[k],
                                      .output = {found[k], bytes},
                                      .input = {{input[k], bytes}},
                                      .argument = {{"by", (double)given.by[k]}}};
    }
    if (difference.unwritten == total) check_cause("no job wrote to its output");
    check_equal(&difference, "%s on %d threads left wrong numbers", function, LAB04_JOBS);
    return milliseconds;
}

/* The record of one call, with the kernel loaded before it. The device must have computed all jobs. */
static const lab_trace *record_jobs(const char *function, const int count[LAB04_JOBS])
{
    check_program *program = check_start_kept(sizeof(lab04_memory));
    check_passage jobs[LAB04_JOBS];
    check_call(program, "prepare", NULL, 0, NULL, 0);
    check_trace_begin(program);
    run_jobs(program, function, count, 0, jobs);
    const lab_trace *trace = check_trace(program);
    check_flow(program, trace,
               &(check_way){.function = function,
                            .passage = jobs,
                            .passages = LAB04_JOBS,
                            .kernel = {{"kernels.cu", "shift(float x[count], int count, float by)"}}});
    return trace;
}

/* ------------------------------------------------------------------------------------------------------
 * Task 1
 */

/* What the record of a run of all jobs shows. */
typedef struct meeting {
    int begun[LAB04_JOBS], ended[LAB04_JOBS]; /* how often each job was */
    int together;                             /* the most threads that were in a job at once */
    lab_status returned;                      /* what lab04_run_threads returned, as the program says */
} meeting;

static meeting meet(const lab04_endings *endings)
{
    check_program *program = check_start(sizeof(lab04_memory));
    meeting seen = {.together = 0};
    lab04_returned returned;
    uint64_t inside[LAB04_JOBS] = {0}; /* the thread that is in each job */
    check_trace_begin(program);
    check_call(program, "lab04_run_threads", endings, sizeof *endings, &returned, sizeof returned);
    seen.returned = (lab_status)returned.status;
    const lab_trace *trace = check_trace(program);
    for (size_t i = 0; i < trace->ops; i++) {
        const lab_trace_op *op = &trace->op[i];
        int begins = marked_number(op, LAB04_BEGINS), ends = marked_number(op, LAB04_ENDS), threads = 0;
        if (begins >= 0 && begins < LAB04_JOBS && seen.begun[begins]++ == 0) inside[begins] = op->thread;
        if (ends >= 0 && ends < LAB04_JOBS && seen.ended[ends]++ == 0) inside[ends] = 0;
        for (int k = 0; k < LAB04_JOBS; k++) {
            bool another = inside[k];
            for (int j = 0; j < k; j++) another = another && inside[j] != inside[k];
            threads += another;
        }
        if (threads > seen.together) seen.together = threads;
    }
    return seen;
}

/* How often each job was run; fails the check unless it was once. */
static void check_each_once(const meeting *seen)
{
    for (int k = 0; k < LAB04_JOBS; k++) {
        check_expected("each of the %d jobs run once", LAB04_JOBS);
        check_found("job %d run %d times", k, seen->begun[k]);
        if (seen->begun[k] == 0 && k == 0) check_cause("lab04_run_threads is not written yet");
        CHECK_THAT(seen->begun[k] == 1 && seen->ended[k] == 1, CHECK_WRONG_RESULT,
                   "lab04_run_threads does not run every job once");
    }
}

CHECK(threads_run_at_once, .points = 10, .title = "Task 1: all jobs run at once, each on its thread",
      .hints = {"Task 1 is in lab04_run_threads: when is the second thread started?",
                "pthread_create starts a thread, pthread_join waits for its end: first all of the one, then all of the "
                "other.",
                "Two loops over k. In the first, seats[k] = (seat){work, &jobs[k], LAB_SUCCESS} and "
                "pthread_create(&thread[k], NULL, sit, &seats[k]); in the second, pthread_join(thread[k], NULL)."})
{
    meeting seen = meet(&(lab04_endings){{LAB_SUCCESS}});
    check_each_once(&seen);
    check_expected("%d jobs in flight at the same time, each on a thread of its own", LAB04_JOBS);
    check_found("at most %d", seen.together);
    if (seen.together == 1) check_cause("each thread is waited for before the next one is started");
    CHECK_THAT(seen.together == LAB04_JOBS, CHECK_RULE, "the threads do not run at the same time");
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

CHECK(failures_are_passed_on, .points = 5, .title = "Task 1: a job that fails is not lost",
      .hints = {"Who learns that a job has failed?", "seats[k].status is how thread k ended, once it is joined.",
                "A third loop over k, after the joins: LAB_TRY(seats[k].status)."})
{
    enum { ROUNDS = 3 };
    for (int round = 0; round < ROUNDS; round++) {
        lab04_endings endings = {{LAB_SUCCESS}};
        int first = (int)(check_random_u64(1, (uint64_t)round) % LAB04_JOBS);
        for (int k = first; k < LAB04_JOBS; k += 1 + round) endings.status[k] = (int)failure_of(round, k);
        meeting seen = meet(&endings);
        check_each_once(&seen);
        check_expected("the status of job %d, the first that failed: %s", first,
                       lab_status_name((lab_status)endings.status[first]));
        check_found("%s", lab_status_name(seen.returned));
        if (seen.returned == LAB_SUCCESS) check_cause("seats[k].status is not looked at after the threads have ended");
        CHECK_THAT((int)seen.returned == endings.status[first], CHECK_WRONG_RESULT,
                   "lab04_run_threads does not return how its jobs ended");
        CHECK_THAT(seen.together == LAB04_JOBS, CHECK_WRONG_RESULT, "the other jobs did not run");
    }
}

/* ------------------------------------------------------------------------------------------------------
 * Task 2
 */

CHECK(own_contexts_are_right, .points = 15, .title = "Task 2: ten contexts, ten compilations, every number right",
      .hints = {"Task 2 is in lab04_own_context: what belongs to a context and has to be made again in each?",
                "lab_context_create makes a context and makes it current; module, kernel and array made after that are "
                "in it.",
                "create; lab_module_load_file(&module, \"kernels.cu\"); lab_module_get_function(&shift, module, "
                "\"shift\"); run_job(job, shift, lab_stream_null()); unload; destroy."})
{
    record_jobs("lab04_own_context", all_sizes);
}

CHECK(each_thread_has_its_own, .points = 10, .title = "Task 2: each thread makes its context and works in it",
      .hints = {
          "Whose context does each thread use?", "Every thread makes one; none is passed on.",
          "lab_context_create stands in lab04_own_context, in a variable of its own: nothing static, nothing global."})
{
    const lab_trace *trace = record_jobs("lab04_own_context", all_sizes);
    check_artifact_trace(trace, "lab04_own_context on ten threads");
    int made = check_count_ops(trace, LAB_OP_CONTEXT_CREATE), loaded = check_count_ops(trace, LAB_OP_MODULE_LOAD);
    check_expected("%d contexts made, and kernels.cu compiled in each", LAB04_JOBS);
    check_found("%d made, %d compilations", made, loaded);
    CHECK_THAT(made == LAB04_JOBS && loaded == LAB04_JOBS, CHECK_RULE,
               "lab04_own_context does not make a context and compile in it each time");
    for (size_t i = 0; i < trace->ops; i++) {
        const lab_trace_op *kernel = &trace->op[i];
        if (kernel->kind != LAB_OP_KERNEL) continue;
        for (size_t k = 0; k < i; k++) {
            const lab_trace_op *other = &trace->op[k];
            if (other->kind != LAB_OP_KERNEL || other->stream != kernel->stream) continue;
            check_locate(kernel);
            check_fail(CHECK_RULE, "two threads launched on the same stream, so in the same context");
        }
    }
}

CHECK(contexts_are_destroyed, .points = 15, .title = "Task 2: contexts are destroyed, not only popped",
      .hints = {
          "Where is the context when the thread has ended?",
          "lab_context_pop takes it from the stack; it lives on with all that belongs to it. lab_context_destroy ends "
          "it, and pops it too if it is on top.",
          "lab_context_destroy(context), as the last call, after the module was unloaded."})
{
    const lab_trace *trace = record_jobs("lab04_own_context", all_sizes);
    int made = 0, kept = 0;
    for (size_t i = 0; i < trace->ops; i++) {
        if (trace->op[i].kind != LAB_OP_CONTEXT_CREATE) continue;
        made++;
        bool destroyed = false;
        for (size_t k = i; k < trace->ops; k++)
            destroyed = destroyed ||
                        (trace->op[k].kind == LAB_OP_CONTEXT_DESTROY && trace->op[k].object == trace->op[i].object);
        if (!destroyed && !kept++) check_locate(&trace->op[i]);
    }
    CHECK_THAT(made > 0, CHECK_RULE, "no context was ever made");
    check_expected("as many destroyed as made: %d", made);
    check_found("%d destroyed", made - kept);
    check_cause("popping a context does not destroy it: it lives on, with its memory, and nothing can reach it");
    CHECK_THAT(kept == 0, CHECK_LEAK, "%d context%s never destroyed; the first was made here", kept,
               kept == 1 ? " was" : "s were");
}

/* ------------------------------------------------------------------------------------------------------
 * Tasks 3 and 4
 */

static const char *which(int number)
{
    static const char *const names[] = {"not looked", "the primary context", "A", "B", "none"};
    return number >= 0 && number <= NONE ? names[number] : "?";
}

/* What the record shows at the look after a step. */
typedef struct look {
    int current;         /* PRIMARY, A, ...; 0 without a look */
    int made, destroyed; /* contexts, until then */
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
        if (marked_number(op, LAB04_AFTER) != next) continue;
        now.current = op->object == 0 ? NONE : op->object == id[A] ? A : op->object == id[B] ? B : PRIMARY;
        seen[next++] = now;
    }
}

CHECK(walk_is_predicted, .points = 15, .title = "Task 3: the stack of contexts, as predicted",
      .hints = {
          "Task 3: write down the stack after each step, its top on the right.",
          "Making pushes, popping uncovers what is below, pushing puts on top; below everything is the primary "
          "context. Destroying a context that is not current changes nothing you see.",
          "Before: primary. Then A; A B; A; A B; A; A; and, since destroying the current context pops it, nothing: "
          "primary again."})
{
    static const look rule[] = {{PRIMARY, 0, 0}, {A, 1, 0}, {B, 2, 0}, {A, 2, 0},
                                {B, 2, 0},       {A, 2, 0}, {A, 2, 1}, {PRIMARY, 2, 2}};
    static const char *const steps[] = {"before the walk",    "after 1, make A",   "after 2, make B",
                                        "after 3, pop",       "after 4, push B",   "after 5, pop",
                                        "after 6, destroy B", "after 7, destroy A"};
    check_program *program = check_start(sizeof(lab04_memory));
    look seen[LAB04_LOOKS] = {{0}};
    int predicted[LAB04_LOOKS];
    check_trace_begin(program);
    check_call(program, "lab04_walk", NULL, 0, NULL, 0);
    read_walk(seen, check_trace(program));
    if (!seen[1].current) check_cause("lab04_walk is not written yet");
    for (int step = 0; step < LAB04_LOOKS; step++) {
        const look *is = &seen[step], *must = &rule[step];
        check_expected("%s: %s, with %d contexts made and %d destroyed", steps[step], which(must->current), must->made,
                       must->destroyed);
        check_found("%s, %d made, %d destroyed", which(is->current), is->made, is->destroyed);
        CHECK_THAT(is->current == must->current && is->made == must->made && is->destroyed == must->destroyed,
                   CHECK_RULE, "lab04_walk does not make the walk that lab04.h describes");
    }
    check_table(predicted, sizeof predicted, "lab04_current");
    for (int step = 0; step < LAB04_LOOKS; step++) {
        check_expected("%s: %s is current", steps[step], which(rule[step].current));
        check_found("lab04_current says %s", which(predicted[step]));
        check_cause("%s", rule[step].current == PRIMARY && predicted[step] == NONE
                              ? "a thread that has pushed no context, or popped all, works in the device's primary "
                                "context"
                              : "");
        CHECK_THAT(predicted[step] == rule[step].current, CHECK_WRONG_RESULT, "lab04_current is not what was seen");
    }
}

CHECK(
    foreign_launch_is_refused, .points = 10, .title = "Task 4: a kernel in another context, as predicted",
    .hints = {
        "Task 4: to what does a kernel belong?",
        "The kernel does not exist in the context of the stream. lab.h has a status for an object that does not exist.",
        "The launch returns LAB_ERROR_INVALID_HANDLE; keep it in *found instead of returning it."})
{
    static const char refused[] = "kernel 'shift' was loaded in ";
    check_program *program = check_start(sizeof(lab04_memory));
    lab04_arguments given = fill(program, all_sizes, 0);
    lab04_returned returned;
    int predicted;
    check_trace_begin(program);
    check_call(program, "lab04_foreign_launch", &given, sizeof given, &returned, sizeof returned);
    const char *failure = check_failure(program, LAB_ERROR_INVALID_HANDLE);
    bool is_refused = failure && strncmp(failure, refused, sizeof refused - 1) == 0;
    const lab_trace *trace = check_trace(program);
    int made = check_count_ops(trace, LAB_OP_CONTEXT_CREATE),
        destroyed = check_count_ops(trace, LAB_OP_CONTEXT_DESTROY);
    check_expected("two contexts made and destroyed, and a launch that is refused");
    check_found("%d made, %d destroyed, %s%s", made, destroyed, failure ? "the library said: " : "no launch refused",
                failure ? failure : "");
    if (made == 0)
        check_cause("lab04_foreign_launch is not written yet");
    else if (made != 2)
        check_cause("the kernel must be loaded in one context and launched in another, both made here");
    else if (destroyed < made)
        check_cause("a context that is not destroyed lives on, with all that belongs to it");
    else if (!failure)
        check_cause("kernel, stream and array were all of one context: the second must be made after the kernel is "
                    "loaded, and the array after that");
    else
        check_cause("the kernel is to be of the first context, stream and array of the second");
    CHECK_THAT(made == 2 && destroyed == 2 && is_refused, CHECK_RULE,
               "lab04_foreign_launch does not make the experiment that lab04.h describes");
    check_expected("LAB_ERROR_INVALID_HANDLE in *found");
    check_found("%s", lab_status_name((lab_status)returned.status));
    check_cause("*found is to be what the launch returned");
    CHECK_THAT(returned.status == LAB_ERROR_INVALID_HANDLE, CHECK_WRONG_RESULT,
               "lab04_foreign_launch does not keep what the launch returned");
    check_table(&predicted, sizeof predicted, "lab04_foreign");
    check_expected("LAB_ERROR_INVALID_HANDLE");
    check_found("lab04_foreign says %s", lab_status_name((lab_status)predicted));
    check_cause("%s", predicted == LAB_ERROR_INVALID_CONTEXT
                          ? "no context is wrong for the driver: the kernel's handle means nothing in this one"
                          : "a kernel exists in the context in which it was loaded, and in no other");
    CHECK_THAT(predicted == LAB_ERROR_INVALID_HANDLE, CHECK_WRONG_RESULT,
               "lab04_foreign is not what the launch returned");
}

/* ------------------------------------------------------------------------------------------------------
 * Task 5
 */

CHECK(shared_context_is_right, .points = 5, .title = "Task 5: ten threads in the primary context, every number right",
      .hints = {"Task 5 is in lab04_shared_context: what is there already?",
                "The primary context is current to every thread that pushed none; job->shift is loaded in it.",
                "run_job(job, job->shift, lab_stream_per_thread()) is all of it."})
{
    record_jobs("lab04_shared_context", all_sizes);
    record_jobs("lab04_shared_context", most);
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

CHECK(shared_context_is_shared, .points = 15, .seconds = 120, .measures = true,
      .title = "Task 5: no context made, nothing compiled, a stream a thread",
      .hints = {"What does your function make that is there already?",
                "No context, no module. And each thread has a default stream of its own, so that threads do not queue "
                "behind each other.",
                "Use job->shift and lab_stream_per_thread(); compare the two rows of the table."})
{
    const lab_trace *trace = record_jobs("lab04_shared_context", all_sizes);
    check_expected("no context made, nothing compiled");
    check_found("%d contexts made, %d compilations", check_count_ops(trace, LAB_OP_CONTEXT_CREATE),
                check_count_ops(trace, LAB_OP_MODULE_LOAD));
    CHECK_THAT(check_count_ops(trace, LAB_OP_CONTEXT_CREATE) == 0 && check_count_ops(trace, LAB_OP_MODULE_LOAD) == 0,
               CHECK_RULE, "lab04_shared_context makes what the primary context has");
    for (size_t i = 0; i < trace->ops; i++) {
        const lab_trace_op *kernel = &trace->op[i];
        for (size_t k = 0; kernel->kind == LAB_OP_KERNEL && k < i; k++) {
            if (trace->op[k].kind != LAB_OP_KERNEL || trace->op[k].stream != kernel->stream) continue;
            check_locate(kernel);
            check_expected("each thread on its own default stream");
            check_found("two threads on one stream");
            check_cause("on one stream the threads' work runs one after the other");
            check_fail(CHECK_RULE, "lab04_shared_context does not use lab_stream_per_thread()");
        }
    }
    for (size_t i = 0; i < trace->ops; i++) {
        if (trace->op[i].kind != LAB_OP_STREAM_CREATE) continue;
        check_locate(&trace->op[i]);
        check_expected("each thread on lab_stream_per_thread(), which exists already");
        check_found("a stream is made in each thread");
        check_fail(CHECK_RULE, "lab04_shared_context makes a stream that is there already");
    }
    compare_times();
}

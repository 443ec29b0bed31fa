/* Runs of all jobs of lab 04; see checks_jobs.h. */
#include "checks_jobs.h"
#include "plan.h"

#include <stdlib.h>
#include <string.h>

const int all_sizes[LAB04_JOBS] = {5000, 1, 127, 128, 129, 1000, 8191, 12800, 19999, LAB04_MOST};
const int most[LAB04_JOBS] = {LAB04_MOST, LAB04_MOST, LAB04_MOST, LAB04_MOST, LAB04_MOST,
                              LAB04_MOST, LAB04_MOST, LAB04_MOST, LAB04_MOST, LAB04_MOST};

static const char *const job_names[LAB04_JOBS] = {"job 0", "job 1", "job 2", "job 3", "job 4",
                                                  "job 5", "job 6", "job 7", "job 8", "job 9"};

lab04_arguments fill_jobs(check_program *program, const int *count, uint64_t stream)
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

double run_jobs(check_program *program, const char *function, const int *count, uint64_t stream,
                check_passage jobs[LAB04_JOBS])
{
    lab04_arguments given = fill_jobs(program, count, stream);
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
    check_equal(&difference, check_text("%s on %d threads left wrong numbers", function, LAB04_JOBS),
                .cause = difference.unwritten == total ? "no job wrote to its output" : NULL);
    return milliseconds;
}

/* Runs the jobs; their outputs must come from their inputs by the kernel. Returns the record. */
static const lab_trace *follow_jobs(check_program *program, const char *function, const int count[LAB04_JOBS],
                                    uint64_t numbers)
{
    check_passage jobs[LAB04_JOBS];
    check_trace_begin(program);
    run_jobs(program, function, count, numbers, jobs);
    const lab_trace *trace = check_trace(program);
    check_flow(program, trace,
               &(check_way){.function = function,
                            .passage = jobs,
                            .passages = LAB04_JOBS,
                            .kernel = {{"kernels.cu", "shift(float x[count], int count, float by)"}}});
    return trace;
}

const lab_trace *record_jobs(const char *function, const int count[LAB04_JOBS])
{
    check_program *program = check_start_kept(sizeof(lab04_memory));
    check_call(program, "prepare", NULL, 0, NULL, 0);
    follow_jobs(program, function, count, 1);
    const lab_trace *trace = follow_jobs(program, function, count, 0);
    for (const lab_trace_op *op = trace->op; op < trace->op + trace->ops; op++)
        if (op->kind == LAB_OP_KERNEL) check_launched(check_whole(trace, function), op, 1, 0, 128, NULL);
    check_waits_for_all(trace, check_whole(trace, function));
    return trace;
}

int marked_number(const lab_trace_op *op, const char *begin)
{
    size_t length = strlen(begin);
    char *end;
    if (op->kind != LAB_OP_MARK || strncmp(op->name, begin, length) != 0) return -1;
    long number = strtol(op->name + length, &end, 10);
    return end == op->name + length || *end || number < 0 || number > LAB04_MOST_THREADS ? -1 : (int)number;
}

void find_jobs(job_span job[LAB04_JOBS], const lab_trace *trace)
{
    for (int k = 0; k < LAB04_JOBS; k++) job[k] = (job_span){.number = k};
    for (size_t i = 0; i < trace->ops; i++) {
        const lab_trace_op *op = &trace->op[i];
        const int begins = marked_number(op, LAB04_BEGINS), ends = marked_number(op, LAB04_ENDS);
        if (begins >= 0 && begins < LAB04_JOBS && !job[begins].begin)
            job[begins].begin = op->id, job[begins].thread = op->thread;
        if (ends >= 0 && ends < LAB04_JOBS) job[ends].end = op->id;
    }
    for (int k = 0; k < LAB04_JOBS; k++)
        if (!job[k].begin || !job[k].end) check_fault("the record lacks the marks of job %d", k);
}

static bool is_of(const job_span *job, const lab_trace_op *op)
{
    const bool inside = op->id > job->begin && op->id < job->end;
    return inside && !check_is_note(op) && (!job->thread || op->thread == job->thread);
}

const lab_trace_op *next_of_job(const lab_trace *trace, const job_span *job, const lab_trace_op *op)
{
    for (size_t i = op ? op->id : job->begin; i + 1 < job->end; i++)
        if (is_of(job, &trace->op[i])) return &trace->op[i];
    return NULL;
}

/* The most jobs that were between their first and their last call at once. */
static int jobs_together(const lab_trace *trace)
{
    job_span job[LAB04_JOBS];
    uint64_t first[LAB04_JOBS] = {0}, last[LAB04_JOBS] = {0};
    int together = 0;
    find_jobs(job, trace);
    for (int k = 0; k < LAB04_JOBS; k++)
        for (const lab_trace_op *op = NULL; (op = next_of_job(trace, &job[k], op)); last[k] = op->id)
            if (!first[k]) first[k] = op->id;
    for (int k = 0; k < LAB04_JOBS; k++) {
        int beside = 0;
        for (int other = 0; other < LAB04_JOBS; other++) beside += first[other] <= first[k] && first[k] <= last[other];
        if (beside > together) together = beside;
    }
    return together;
}

void check_not_serial(const char *function)
{
    enum { TRIES = 5 }; /* threads that may run together can still take turns by chance */
    check_program *program = check_start_kept(sizeof(lab04_memory));
    check_call(program, "prepare", NULL, 0, NULL, 0);
    for (int time = 0; time < TRIES; time++)
        if (jobs_together(follow_jobs(program, function, all_sizes, (uint64_t)time)) > 1) return;
    check_fail(
        CHECK_RULE, check_text("in %s the threads wait for each other", function), .at = check_at_no_line(),
        .expected = check_text("%d threads at work at the same time", LAB04_JOBS),
        .found = check_text("one after the other, in each of %d calls", TRIES),
        .cause = check_text("something in %s lets one thread in at a time, such as a lock around its calls", function));
}

static void fail_left(const lab_trace_op *made, const char *noun, const char *function)
{
    check_fail(CHECK_LEAK, check_text("%s does not release what it made", function), .at = check_at(made),
               .expected = check_text("everything that %s makes released", function),
               .found = check_text("%s that is not", check_one(noun)),
               .cause = "no call releases what is made here; a context should be empty when it is destroyed");
}

void check_all_given_back(const lab_trace *trace, const job_span *job, uint64_t end, const char *function)
{
    const bool pools = check_count_ops(trace, LAB_OP_POOL_ALLOC) + check_count_ops(trace, LAB_OP_PINNED_POOL_ALLOC) > 0;
    const lab_trace_op *loaded = NULL;
    int modules = 0;
    for (const lab_trace_op *op = NULL; (op = next_of_job(trace, job, op)) && op->id <= end;) {
        if (op->kind == LAB_OP_MODULE_LOAD && modules++ == 0) loaded = op;
        if (op->kind == LAB_OP_MODULE_UNLOAD) modules--;
    }
    if (modules > 0) fail_left(loaded, "module", function);
    lab_lifetime *life;
    size_t lives, first = 0;
    if (lab_trace_lifetimes(&life, &lives, trace) != LAB_SUCCESS) check_fault("%s", lab_error_message());
    for (; first < lives; first++) {
        const lab_lifetime *each = &life[first];
        if (!is_of(job, each->made)) continue;
        if (!strcmp(each->noun, "context") || (pools && strstr(each->noun, "memory"))) continue;
        if (!each->ended || each->ended->id > end) break;
    }
    const lab_lifetime left = first < lives ? life[first] : (lab_lifetime){0};
    free(life);
    const bool array = left.made && left.made->kind == LAB_OP_POOL_ALLOC;
    if (left.made) fail_left(left.made, array ? "array" : left.noun, function);
}

/* Doing a grading's jobs and writing their results; see grading.h. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/folder.h"
#include "base/text.h"
#include "class_file.h"
#include "class_results.h"
#include "grading_internal.h"
#include "job_pool.h"
#include "judge/job.h"
#include "shared_result.h"
#include "student_seed.h"

enum { TRIES = 3 };

graded_lab *grading_find_lab(const grading *run, const char *name)
{
    for (size_t i = 0; i < run->labs; i++) {
        if (strcmp(run->lab[i].parts.name, name) == 0) return &run->lab[i];
    }
    return NULL;
}

/* ---- the results of one job -------------------------------------------------------------------------------------- */

content_key grading_result_key(const grading *run, const graded_lab *lab, const char *source, size_t bytes)
{
    content_key key = lab->key;
    content_key_add(&key, &lab->seed, sizeof lab->seed);
    content_key_add(&key, &run->seconds, sizeof run->seconds);
    content_key_add(&key, run->box.description, strlen(run->box.description));
    if (run->in_parts) content_key_add_text(&key, run->device);
    content_key_add(&key, source, bytes);
    return key;
}

static bool is_there(const graded_lab *lab, const char *path)
{
    if (!*path) return true;
    char *whole = folder_path(lab->out, path);
    bool there = whole && access(whole, R_OK) == 0;
    free(whole);
    return there;
}

bool grading_files_are_there(const graded_lab *lab, const char *directory, const char *json)
{
    json_t *result = json_loads(json, 0, NULL);
    const json_t *artifacts = json_object_get(result, "artifacts");
    text_buffer own = {0};
    text_format(&own, "%s/result.json", directory);
    bool there = result && !own.failed && is_there(lab, own.text) && is_there(lab, result_string(artifacts, "trace")) &&
                 is_there(lab, result_string(artifacts, "timeline_svg")) &&
                 is_there(lab, result_string(artifacts, "timeline_text"));
    free(own.text);
    json_decref(result);
    return there;
}

/* ---- doing jobs -------------------------------------------------------------------------------------------------- */

/* A job in the pool. */
typedef struct job_under_way {
    store_job job;
    bool used;
} job_under_way;

/* The folder of a submission's results, and in it the file as it is graded: OUT/ada/source/lab03.c. */
typedef struct job_paths {
    char *out, *source;
} job_paths;

static void free_paths(job_paths *paths)
{
    free(paths->out);
    free(paths->source);
}

/* Writes the submission's file to its place; the caller frees the paths, also after a failure. */
static bool place_source(job_paths *paths, const graded_lab *lab, const store_job *job, grader_fault *fault)
{
    paths->out = folder_path(lab->out, job->directory);
    char *folder = paths->out ? folder_path(paths->out, "source") : NULL;
    paths->source = folder ? folder_path(folder, lab->parts.file) : NULL;
    bool ok = paths->source ? folder_make(folder, fault) : fault_memory(fault, "the grading");
    free(folder);
    FAULT_TRY(ok);
    if (!job->refusal) return folder_write(paths->source, job->source, job->bytes, fault);
    unlink(paths->source);
    return true;
}

static grading_job describe(const grading *run, const graded_lab *lab, const store_job *job, const job_paths *paths)
{
    return (grading_job){
        .parts = &lab->parts,
        .source = paths->source,
        .refusal = job->refusal,
        .submission = job->name,
        .out = paths->out,
        .out_name = job->directory,
        .seed = student_seed(lab->seed, job->name, job->group),
        .seed_secret = lab->seed_secret,
        .seconds = run->seconds,
        .checks = job->check ? JOB_RERUN_CHECK : JOB_EVERY_CHECK,
        .check = job->check,
        .sandbox = run->use,
    };
}

/* Sets the key of the result to come. A result that keeps checks of an earlier one, made with other files of the lab,
 * is not a result of these files. */
static void set_key(const grading *run, const graded_lab *lab, store_job *job)
{
    content_key key = grading_result_key(run, lab, job->source, job->bytes);
    if (job->check && memcmp(&key, &job->key, sizeof key) != 0) content_key_add(&key, job->check, strlen(job->check));
    job->key = key;
}

static bool start_job(const grading *run, job_pool *pool, store_job *job, int64_t ticket, grader_fault *fault)
{
    const graded_lab *lab = grading_find_lab(run, job->lab);
    json_t *previous = job->previous ? json_loads(job->previous, 0, NULL) : NULL;
    job_paths paths = {0};
    bool ok = place_source(&paths, lab, job, fault);
    if (ok) {
        set_key(run, lab, job);
        grading_job described = describe(run, lab, job, &paths);
        described.previous = previous;
        ok = job_pool_start(pool, &described, ticket, fault);
    }
    json_decref(previous);
    free_paths(&paths);
    return ok;
}

/* The result as JSON; of a job whose process left none, a grader fault. NULL without memory. */
static json_t *read_result(const grading *run, const store_job *job, const job_pool_end *end)
{
    if (end->json) return json_loads(end->json, 0, NULL);
    char none[] = "";
    const job_paths paths = {.out = none, .source = none};
    grading_job described = describe(run, grading_find_lab(run, job->lab), job, &paths);
    grading_result result;
    job_conclude_fault(&result, &described, &end->why);
    json_t *json = result_json(&result);
    result_free(&result);
    return json;
}

bool grading_record_result(grading *run, const store_job *job, const json_t *json, grader_fault *fault)
{
    char *text = json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(9));
    if (!text) return fault_memory(fault, "the grading");
    const store_result result = {
        .verdict = result_string(json, "verdict"),
        .points = result_integer(json, "points"),
        .max_points = result_integer(json, "max_points"),
        .json = text,
    };
    bool ok = store_finish_job(run->store, job, &result, fault);
    free(text);
    if (ok) grading_page_result(&run->page, json);
    return ok;
}

static bool keep_result(grading *run, const store_job *job, const json_t *json, grader_fault *fault)
{
    return class_results_write(grading_find_lab(run, job->lab)->out, job->directory, json, fault) &&
           grading_record_result(run, job, json, fault);
}

/* Keeps the result of a job, or puts the job back after a grader fault, which may go away. */
static bool take_end(grading *run, const store_job *job, const job_pool_end *end, grader_fault *fault)
{
    json_t *json = read_result(run, job, end);
    if (!json) return fault_memory(fault, "the grading");
    bool ok, faulty = result_verdict_named(result_string(json, "verdict")) == RESULT_GRADER_FAULT;
    if (faulty && job->tries < TRIES) {
        grading_page_retry(&run->page, job->name, result_string(json, "summary"));
        ok = store_put_back(run->store, job->id, fault);
    } else {
        ok = keep_result(run, job, json, fault);
    }
    json_decref(json);
    return ok;
}

/* Makes the result in `directory` that of the job, whose student shared the submission. */
static bool copy_result(grading *run, store_job *job, json_t *result, const char *directory, grader_fault *fault)
{
    const graded_lab *lab = grading_find_lab(run, job->lab);
    job_paths paths = {0};
    bool ok = place_source(&paths, lab, job, fault) &&
              shared_result_give(result, lab->out, directory, job->directory, job->name, fault);
    free_paths(&paths);
    FAULT_TRY(ok);
    if (!run->in_parts) set_key(run, lab, job);
    return keep_result(run, job, result, fault);
}

bool grading_share_result(bool *shared, grading *run, store_job *job, grader_fault *fault)
{
    char *directory = NULL, *text = NULL;
    FAULT_TRY(store_find_shared(&directory, &text, run->store, job, fault));
    *shared = text && grading_files_are_there(grading_find_lab(run, job->lab), directory, text);
    json_t *result = *shared ? json_loads(text, 0, NULL) : NULL;
    bool ok = true;
    if (*shared) ok = result ? copy_result(run, job, result, directory, fault) : fault_memory(fault, "the grading");
    json_decref(result);
    free(directory);
    free(text);
    return ok;
}

/* Starts a job that was taken, or gives it a result at once; `started` says which. */
static bool begin_job(bool *started, grading *run, job_pool *pool, store_job *job, int64_t ticket, grader_fault *fault)
{
    bool shared;
    FAULT_TRY(grading_share_result(&shared, run, job, fault));
    *started = !shared;
    return shared || start_job(run, pool, job, ticket, fault);
}

/* Begins jobs that wait, until the pool is full. */
static bool fill_pool(grading *run, job_under_way *slot, job_pool *pool, grader_fault *fault)
{
    while (!job_pool_is_full(pool)) {
        size_t index = 0;
        while (slot[index].used) index++;
        job_under_way *taken = &slot[index];
        bool found;
        FAULT_TRY(store_take_job(run->store, run->id, &taken->job, &found, fault));
        if (!found) return true;
        taken->used = true;
        FAULT_TRY(begin_job(&taken->used, run, pool, &taken->job, (int64_t)index, fault));
        if (!taken->used) store_job_free(&taken->job);
    }
    return true;
}

static bool end_job(grading *run, job_under_way *ended, job_pool_end *end, grader_fault *fault)
{
    bool ok = take_end(run, &ended->job, end, fault);
    free(end->json);
    store_job_free(&ended->job);
    ended->used = false;
    return ok;
}

static bool do_jobs(grading *run, job_under_way *slot, job_pool *pool, grader_fault *fault)
{
    for (;;) {
        job_pool_end end;
        FAULT_TRY(fill_pool(run, slot, pool, fault));
        if (job_pool_busy(pool) == 0) return true;
        FAULT_TRY(job_pool_wait(pool, &end, fault));
        FAULT_TRY(end_job(run, &slot[end.ticket], &end, fault));
    }
}

/* One a core; but all jobs share one GPU, and the host's memory that its copies pass through. */
size_t grading_jobs_at_once(const grading *run)
{
    enum { ON_A_GPU = 4 };
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    long most = GRADING_MOST_JOBS;
    if (run->settings->jobs > 0) return run->settings->jobs;
    for (size_t i = 0; i < run->labs; i++)
        if (strcmp(run->lab[i].parts.device.kind, "cuda") == 0) most = ON_A_GPU;
    return (size_t)(cores < 1 ? 1 : cores < most ? cores : most);
}

static bool run_jobs(grading *run, grader_fault *fault)
{
    const size_t count = grading_jobs_at_once(run);
    job_pool *pool = NULL;
    job_under_way *slot = calloc(count, sizeof *slot);
    if (!slot) return fault_memory(fault, "the grading");
    bool ok = job_pool_create(&pool, count, fault) && do_jobs(run, slot, pool, fault);
    job_pool_free(pool);
    for (size_t i = 0; i < count; i++) {
        if (slot[i].used) store_job_free(&slot[i].job);
    }
    free(slot);
    return ok;
}

/* ---- results.json ------------------------------------------------------------------------------------------------ */

typedef struct class_writing {
    class_file *file;
    grader_fault *fault;
    size_t count, verdicts[RESULT_VERDICTS + 1];
    bool ok;
} class_writing;

static bool add_result(void *user, json_t *result)
{
    class_writing *writing = user;
    writing->count++;
    writing->verdicts[result_verdict_named(result_string(result, "verdict"))]++;
    writing->ok = class_file_add(writing->file, result, writing->fault);
    return writing->ok;
}

static void print_close(const grading_page *page, const graded_lab *lab, const class_writing *writing, double seconds)
{
    FILE *out = page->page.file;
    fprintf(out, "\n%zu submission%s of %s in %.1f s:", writing->count, writing->count == 1 ? "" : "s", lab->parts.name,
            seconds);
    const char *separator = " ";
    for (int verdict = RESULT_VERDICTS - 1; verdict >= 0; verdict--) {
        if (writing->verdicts[verdict] == 0) continue;
        fprintf(out, "%s%zu %s", separator, writing->verdicts[verdict], result_verdict_name((result_verdict)verdict));
        separator = ", ";
    }
    fprintf(out, "\n%s/results.json\n", lab->out);
    if (writing->verdicts[RESULT_GRADER_FAULT]) {
        fprintf(out, "A grader fault costs no student points: fix its cause and grade again.\n");
    }
}

static bool begin_class(class_file **out, const grading *run, const graded_lab *lab, const class_results *graded,
                        grader_fault *fault)
{
    char *path = folder_path(lab->out, "results.json");
    if (!path) return fault_memory(fault, "the grading");
    bool ok = class_file_begin(out, path, &lab->parts, run->folder, run->box.description, graded->facts, fault);
    free(path);
    return ok;
}

/* Writes the rows of a lab into the file, and ends it. */
static bool write_rows(class_writing *writing, const grading *run, const graded_lab *lab, const class_results *graded,
                       double seconds)
{
    FAULT_TRY(begin_class(&writing->file, run, lab, graded, writing->fault));
    if (class_results_each(graded, add_result, writing, writing->fault) && writing->ok)
        return class_file_finish(writing->file, seconds, writing->fault);
    class_file_abandon(writing->file);
    return false;
}

static bool write_class(const grading *run, const graded_lab *lab, double seconds, grader_fault *fault)
{
    class_writing writing = {.fault = fault, .ok = true};
    class_results graded = {.store = run->store, .grading = run->id, .lab = lab->parts.name, .out = lab->out};
    bool ok = class_results_open(&graded, fault) && write_rows(&writing, run, lab, &graded, seconds);
    class_results_close(&graded);
    if (ok) print_close(&run->page, lab, &writing, seconds);
    return ok;
}

bool grading_write_classes(grading *run, grader_fault *fault)
{
    store_grading row = {0};
    bool ok = store_find_grading(&row, run->store, run->id, fault);
    for (size_t i = 0; ok && i < run->labs; i++) ok = write_class(run, &run->lab[i], row.seconds, fault);
    store_grading_free(&row);
    return ok;
}

bool grading_carry_out(grading *run, grader_fault *fault)
{
    store_counts counts;
    run->page.several_labs = run->labs > 1;
    FAULT_TRY(store_count_jobs(run->store, run->id, &counts, fault));
    FAULT_TRY(grading_page_begin(&run->page, run->settings->out, run->id, counts.waiting, counts.kept, fault));
    if (counts.kept) printf("%lld kept as they were\n", (long long)counts.kept);
    bool ok = run_jobs(run, fault) && store_worked(run->store, run->id, clock_seconds() - run->begun, fault);
    grading_page_end(&run->page, ok ? "done" : fault->text);
    return ok && grading_write_classes(run, fault);
}

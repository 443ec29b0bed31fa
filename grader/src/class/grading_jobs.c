/* Doing a grading's jobs and writing their results; see grading.h. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "course/student_facts.h"
#include "course/attempts.h"
#include "class_file.h"
#include "base/clock.h"
#include "base/folder.h"
#include "grading_internal.h"
#include "judge/job.h"
#include "job_pool.h"
#include "shared_result.h"
#include "base/text.h"

enum { TRIES = 3 };

static bool no_memory(grader_fault *fault) { return fault_set(fault, "not enough memory for the grading"); }

static graded_lab *find_lab(const grading *of, const char *name)
{
    for (size_t i = 0; i < of->labs; i++) {
        if (strcmp(of->lab[i].parts.name, name) == 0) return &of->lab[i];
    }
    return NULL;
}

/* ---- the results of one job -------------------------------------------------------------------------------------- */

content_key grading_result_key(const grading *of, const graded_lab *lab, const char *source, size_t bytes)
{
    content_key key = lab->key;
    content_key_add(&key, &lab->seed, sizeof lab->seed);
    content_key_add(&key, &of->seconds, sizeof of->seconds);
    content_key_add(&key, of->box.description, strlen(of->box.description));
    content_key_add(&key, source, bytes);
    return key;
}

static bool is_there(const graded_lab *lab, const char *path)
{
    char *whole = *path ? folder_path(lab->out, path) : NULL;
    bool there = !*path || (whole && access(whole, R_OK) == 0);
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

static bool write_result(const graded_lab *lab, const char *directory, const json_t *result, grader_fault *fault)
{
    text_buffer path = {0};
    text_format(&path, "%s/%s/result.json", lab->out, directory);
    char *text = json_dumps(result, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
    bool ok = text && !path.failed ? folder_write(path.text, text, strlen(text), fault) : no_memory(fault);
    free(text);
    free(path.text);
    return ok;
}

/* ---- doing jobs -------------------------------------------------------------------------------------------------- */

/* A job in the pool. */
typedef struct job_under_way {
    store_job job;
    bool used;
} job_under_way;

/* The folder of a submission's results, and in it the file as it is graded: OUT/ada/source/lab03.c. */
static bool place_source(const graded_lab *lab, const store_job *job, char **out, char **source, grader_fault *fault)
{
    *out = folder_path(lab->out, job->directory);
    char *folder = *out ? folder_path(*out, "source") : NULL;
    *source = folder ? folder_path(folder, lab->parts.file) : NULL;
    bool ok = *source ? folder_make(folder, fault) : no_memory(fault);
    if (ok && job->refusal) unlink(*source);
    if (ok && !job->refusal) ok = folder_write(*source, job->source, job->bytes, fault);
    free(folder);
    return ok;
}

static grading_job describe(const grading *of, const graded_lab *lab, const store_job *job, const char *out,
                            const char *source)
{
    return (grading_job){
        .parts = &lab->parts,
        .source = source,
        .refusal = job->refusal,
        .submission = job->name,
        .out = out,
        .out_name = job->directory,
        .seed = lab->seed,
        .seed_secret = lab->seed_secret,
        .seconds = of->seconds,
        .sandbox = of->use,
        .checks = job->check ? JOB_RERUN_CHECK : JOB_EVERY_CHECK,
        .check = job->check,
        .policy = JOB_FOR_CLASS,
    };
}

/* The key of the result to come. One that keeps checks of an earlier result, made with other files of the lab, is no
 * result of these files. */
static void set_key(const grading *of, const graded_lab *lab, store_job *job)
{
    content_key key = grading_result_key(of, lab, job->source, job->bytes);
    if (job->check && memcmp(&key, &job->key, sizeof key) != 0) content_key_add(&key, job->check, strlen(job->check));
    job->key = key;
}

static bool start_job(grading *of, job_pool *pool, store_job *job, int64_t ticket, grader_fault *fault)
{
    const graded_lab *lab = find_lab(of, job->lab);
    char *out = NULL, *source = NULL;
    json_t *previous = job->previous ? json_loads(job->previous, 0, NULL) : NULL;
    bool ok = lab && place_source(lab, job, &out, &source, fault);
    if (ok) {
        set_key(of, lab, job);
        grading_job described = describe(of, lab, job, out, source);
        described.previous = previous;
        ok = job_pool_start(pool, &described, ticket, fault);
    }
    json_decref(previous);
    free(out);
    free(source);
    return ok;
}

/* The result as JSON, also of a job whose process left none. */
static json_t *result_of(const grading *of, const store_job *job, const job_pool_end *end)
{
    if (end->json) return json_loads(end->json, 0, NULL);
    const graded_lab *lab = find_lab(of, job->lab);
    grading_job described = describe(of, lab, job, "", "");
    grading_result result;
    job_conclude_fault(&result, &described, &end->why);
    json_t *json = result_json(&result);
    result_free(&result);
    return json;
}

static bool keep_result(grading *of, const store_job *job, const json_t *json, grader_fault *fault)
{
    const store_result result = {
        .verdict = result_string(json, "verdict"),
        .points = result_integer(json, "points"),
        .max_points = result_integer(json, "max_points"),
    };
    store_result whole = result;
    char *text = json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(9));
    whole.json = text;
    bool ok = text ? write_result(find_lab(of, job->lab), job->directory, json, fault) : no_memory(fault);
    ok = ok && store_finish_job(of->store, job, &whole, fault);
    free(text);
    if (ok) grading_page_result(&of->page, json);
    return ok;
}

/* What a job came to: a result to keep, or a fault of the grader that may go away. */
static bool take_end(grading *of, const store_job *job, const job_pool_end *end, grader_fault *fault)
{
    json_t *json = result_of(of, job, end);
    if (!json) return no_memory(fault);
    bool ok, faulty = strcmp(result_string(json, "verdict"), result_verdict_name(RESULT_GRADER_FAULT)) == 0;
    if (faulty && job->tries < TRIES) {
        grading_page_retry(&of->page, job->name, result_string(json, "summary"));
        ok = store_put_back(of->store, job->id, fault);
    } else {
        ok = keep_result(of, job, json, fault);
    }
    json_decref(json);
    return ok;
}

/* Who shares a submission with others gets the result that one of them has already, if there is one. */
static bool share_result(bool *shared, grading *of, store_job *job, grader_fault *fault)
{
    const graded_lab *lab = find_lab(of, job->lab);
    char *from = NULL, *text = NULL, *out = NULL, *source = NULL;
    bool ok = store_find_shared(&from, &text, of->store, job, fault);
    *shared = ok && lab && text && grading_files_are_there(lab, from, text);
    json_t *result = *shared ? json_loads(text, 0, NULL) : NULL;
    if (*shared) {
        ok = result ? place_source(lab, job, &out, &source, fault) &&
                          shared_result_give(result, lab->out, from, job->directory, job->name, fault)
                    : no_memory(fault);
        set_key(of, lab, job);
        ok = ok && keep_result(of, job, result, fault);
    }
    json_decref(result);
    free(from);
    free(text);
    free(out);
    free(source);
    return ok;
}

/* Starts a job that was taken, or gives it a result at once; `started` says which. */
static bool begin_job(bool *started, grading *of, job_pool *pool, store_job *job, int64_t ticket, grader_fault *fault)
{
    bool shared;
    if (!share_result(&shared, of, job, fault)) return false;
    *started = !shared;
    return shared || start_job(of, pool, job, ticket, fault);
}

static bool do_jobs(grading *of, job_under_way *slot, job_pool *pool, grader_fault *fault)
{
    bool ok = true, found = true;
    while (ok) {
        while (ok && !job_pool_is_full(pool)) {
            size_t free_slot = 0;
            while (slot[free_slot].used) free_slot++;
            job_under_way *taken = &slot[free_slot];
            ok = store_take_job(of->store, of->id, &taken->job, &found, fault);
            if (!ok || !found) break;
            taken->used = true;
            ok = begin_job(&taken->used, of, pool, &taken->job, (int64_t)free_slot, fault);
            if (!taken->used) store_job_free(&taken->job);
        }
        if (!ok || job_pool_busy(pool) == 0) break;
        job_pool_end end;
        if (!job_pool_wait(pool, &end, fault)) return false;
        job_under_way *ended = &slot[end.ticket];
        ok = take_end(of, &ended->job, &end, fault);
        free(end.json);
        store_job_free(&ended->job);
        ended->used = false;
    }
    return ok;
}

/* One a core; but a GPU is one for all, and so is the host's memory that its copies go through. */
static size_t jobs_at_once(const grading *of)
{
    enum { ON_A_GPU = 4 };
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    long most = GRADING_MOST_JOBS;
    if (of->settings->jobs > 0) return of->settings->jobs;
    for (size_t i = 0; i < of->labs; i++)
        if (strcmp(of->lab[i].parts.device.kind, "cuda") == 0) most = ON_A_GPU;
    return (size_t)(cores < 1 ? 1 : cores < most ? cores : most);
}

static bool run_jobs(grading *of, grader_fault *fault)
{
    const size_t count = jobs_at_once(of);
    job_pool *pool = NULL;
    job_under_way *slot = calloc(count, sizeof *slot);
    bool ok = slot ? job_pool_create(&pool, count, fault) : no_memory(fault);
    ok = ok && do_jobs(of, slot, pool, fault);
    job_pool_free(pool);
    for (size_t i = 0; slot && i < count; i++) {
        if (slot[i].used) store_job_free(&slot[i].job);
    }
    free(slot);
    return ok;
}

/* ---- results.json ------------------------------------------------------------------------------------------------ */

typedef struct class_writing {
    class_file *file;
    grader_fault *fault;
    size_t count, verdicts[RESULT_VERDICTS];
    json_t *results, *listed; /* the attempts of one student so far */
    bool ok;
} class_writing;

/* Writes the one that counts of a student's attempts. */
static bool add_student(class_writing *writing, course_attempts rule)
{
    json_t *counts;
    if (!attempts_choose(&counts, writing->results, writing->listed, rule)) return no_memory(writing->fault);
    writing->count++;
    for (int verdict = 0; verdict < RESULT_VERDICTS; verdict++) {
        const char *name = result_verdict_name((result_verdict)verdict);
        writing->verdicts[verdict] += strcmp(result_string(counts, "verdict"), name) == 0;
    }
    bool ok = class_file_add(writing->file, counts, writing->fault);
    json_array_clear(writing->results);
    json_array_clear(writing->listed);
    return ok;
}

/* Attempts of one student stand together, in their order. */
static bool add_row(void *user, const store_row *row)
{
    class_writing *writing = user;
    student_facts_attempt attempt = student_facts_read_attempt(row->about);
    json_t *result = row->kept_only ? json_null() : json_loads(row->json, 0, NULL);
    if (json_is_object(result)) student_facts_complete(result, row->about);
    json_t *listed = json_pack("{s:s, s:s, s:s}", "submitted", attempt.submitted, "group", attempt.group, "directory",
                               row->kept_only ? "" : row->directory);
    writing->ok = json_array_append(writing->results, result) == 0 && json_array_append(writing->listed, listed) == 0;
    json_decref(result);
    json_decref(listed);
    if (!writing->ok) return no_memory(writing->fault);
    if (attempt.number == attempt.of) writing->ok = add_student(writing, attempt.rule);
    return writing->ok;
}

static void print_close(const grading_page *page, const graded_lab *lab, const class_writing *writing, double seconds)
{
    FILE *to = page->page.to;
    fprintf(to, "\n%zu submission%s of %s in %.1f s:", writing->count, writing->count == 1 ? "" : "s", lab->parts.name,
            seconds);
    const char *separator = " ";
    for (int verdict = RESULT_VERDICTS - 1; verdict >= 0; verdict--) {
        if (writing->verdicts[verdict] == 0) continue;
        fprintf(to, "%s%zu %s", separator, writing->verdicts[verdict], result_verdict_name((result_verdict)verdict));
        separator = ", ";
    }
    fprintf(to, "\n%s/results.json\n", lab->out);
    if (writing->verdicts[RESULT_GRADER_FAULT]) {
        fprintf(to, "A grader fault is no student's zero: mend what it names and grade again.\n");
    }
}

static bool write_class(grading *of, const graded_lab *lab, double seconds, grader_fault *fault)
{
    class_writing writing = {.fault = fault, .ok = true, .results = json_array(), .listed = json_array()};
    char *path = folder_path(lab->out, "results.json");
    json_t *about = json_loads(lab->about, 0, NULL);
    bool ok = path ? class_file_begin(&writing.file, path, &lab->parts, of->folder, of->box.description, about, fault)
                   : no_memory(fault);
    json_decref(about);
    if (ok) {
        ok = store_each_row(of->store, of->id, lab->parts.name, add_row, &writing, fault) && writing.ok;
        if (ok)
            ok = class_file_finish(writing.file, seconds, fault);
        else
            class_file_abandon(writing.file);
    }
    json_decref(writing.results);
    json_decref(writing.listed);
    if (ok) print_close(&of->page, lab, &writing, seconds);
    free(path);
    return ok;
}

bool grading_carry_out(grading *of, grader_fault *fault)
{
    store_counts counts;
    store_grading row = {0};
    of->page.several_labs = of->labs > 1;
    if (!store_count_jobs(of->store, of->id, &counts, fault) ||
        !grading_page_begin(&of->page, of->settings->out, of->id, counts.waiting, counts.done, fault)) {
        return false;
    }
    if (counts.done) printf("%lld kept as they were\n", (long long)counts.done);
    bool ok = run_jobs(of, fault) && store_worked(of->store, of->id, clock_seconds() - of->begun, fault) &&
              store_find_grading(&row, of->store, of->id, fault);
    grading_page_end(&of->page, ok ? "done" : fault->text);
    for (size_t i = 0; ok && i < of->labs; i++) ok = write_class(of, &of->lab[i], row.seconds, fault);
    store_grading_free(&row);
    return ok;
}

/* Planning a grading for several machines; see grading_parts.h. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "grading_internal.h"
#include "grading_parts.h"
#include "plan/plan.h"
#include "student_seed.h"

/* ---- plan.json --------------------------------------------------------------------------------------------------- */

/* A seed itself is not in the plan: what tells it from another is. */
static json_t *describe_lab(const graded_lab *lab)
{
    char version_text[PLAN_KEY_DIGITS], seed_text[PLAN_KEY_DIGITS];
    content_key seed = content_key_of("the seed of a class", 19);
    content_key_add(&seed, &lab->seed, sizeof lab->seed);
    plan_key_text(version_text, &lab->version);
    plan_key_text(seed_text, &seed);
    return json_pack("{s:s, s:s, s:s}", "name", lab->parts.name, "version", version_text, "seed", seed_text);
}

static json_t *describe_plan(const grading *run)
{
    json_t *labs = json_array();
    for (size_t i = 0; i < run->labs; i++) json_array_append_new(labs, describe_lab(&run->lab[i]));
    return json_pack("{s:s, s:I, s:f, s:s, s:o}", "schema", "lab-plan/1", "grading", (json_int_t)run->id, "seconds",
                     run->seconds, "device", run->device, "labs", labs);
}

/* ---- submissions ------------------------------------------------------------------------------------------------- */

/* The key of a result: the same for the same submission, seed and version, whoever plans it. */
static content_key job_key(const grading *run, const graded_lab *lab, const store_job *job, uint64_t seed)
{
    content_key key = lab->version;
    content_key_add(&key, &seed, sizeof seed);
    content_key_add(&key, &run->seconds, sizeof run->seconds);
    content_key_add_text(&key, run->device);
    content_key_add_text(&key, lab->parts.name);
    content_key_add_text(&key, job->name);
    content_key_add_text(&key, job->refusal ? job->refusal : "");
    content_key_add(&key, job->source, job->bytes);
    return key;
}

static json_t *describe_job(const graded_lab *lab, const store_job *job, uint64_t seed)
{
    char *name = text_clean(job->name, strlen(job->name)), *digits = text_make("%llu", (unsigned long long)seed);
    json_t *described = NULL;
    if (name && digits) {
        described = json_pack("{s:s, s:s, s:s, s:s, s:b, s:s*}", "lab", job->lab, "name", name, "directory",
                              job->directory, "seed", digits, "seed_secret", lab->seed_secret, "refusal", job->refusal);
    }
    free(name);
    free(digits);
    return described;
}

static bool plan_job(const grading *run, work_plan *work, const store_job *job, grader_fault *fault)
{
    const graded_lab *lab = grading_find_lab(run, job->lab);
    const uint64_t seed = student_seed(lab->seed, job->name, job->group);
    const content_key key = job_key(run, lab, job, seed);
    return plan_add(work, describe_job(lab, job, seed), &key, job->refusal ? NULL : lab->parts.file, job->source,
                    job->bytes, fault);
}

/* Members of a group share a submission: the first one's is graded. */
static bool plan_jobs(const grading *run, work_plan *work, const store_waiting_job *jobs, size_t count,
                      grader_fault *fault)
{
    for (size_t i = 0; i < count; i++) {
        store_job job;
        if (!jobs[i].leads) continue;
        FAULT_TRY(store_read_job(run->store, jobs[i].id, &job, fault));
        bool ok = plan_job(run, work, &job, fault);
        store_job_free(&job);
        FAULT_TRY(ok);
    }
    return true;
}

static bool write_plan(const grading *run, const char *place, size_t *count, grader_fault *fault)
{
    work_plan work = {0};
    store_waiting_job *jobs = NULL;
    size_t waiting = 0;
    bool ok = plan_begin(&work, place, fault) && store_waiting(&jobs, &waiting, run->store, run->id, fault) &&
              plan_jobs(run, &work, jobs, waiting, fault) && plan_end(&work, describe_plan(run), fault);
    *count = plan_count(&work);
    store_waiting_free(jobs, waiting);
    plan_close(&work);
    return ok;
}

/* ---- planning ---------------------------------------------------------------------------------------------------- */

static bool set_versions(const grading *run, grader_fault *fault)
{
    for (size_t i = 0; i < run->labs; i++) {
        FAULT_TRY(lab_parts_version(&run->lab[i].version, &run->lab[i].parts, fault));
    }
    return true;
}

static bool plan_grading(grading *run, const grading_request *request, size_t *count, grader_fault *fault)
{
    FAULT_TRY(grading_begin(run, request, fault));
    FAULT_TRY(set_versions(run, fault));
    char *place = plan_place(run->settings->out);
    bool ok = place ? write_plan(run, place, count, fault) : fault_memory(fault, "the plan");
    free(place);
    return ok;
}

/* Merges what an earlier plan's machines have found. What does not fit any more is not worth keeping. */
static void merge_earlier(const grading_settings *settings)
{
    size_t left;
    grader_fault none;
    if (plan_is_there(settings->out)) grading_merge(settings, &(grading_merging){0}, &left, &none);
}

bool grading_plan(const grading_settings *settings, const grading_request *request, const char *device, size_t *count,
                  grader_fault *fault)
{
    grading run = {.settings = settings, .seconds = request->seconds, .in_parts = true, .device = device};
    run.begun = clock_seconds();
    merge_earlier(settings);
    bool ok = plan_grading(&run, request, count, fault);
    grading_close(&run);
    return ok;
}

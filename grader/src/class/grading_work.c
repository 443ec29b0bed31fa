/* Doing a part of a plan; see grading_parts.h. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/text.h"
#include "grading_internal.h"
#include "grading_parts.h"
#include "job_pool.h"
#include "judge/job.h"
#include "plan/outcome.h"
#include "plan/plan.h"

enum { TRIES = 3 };

/* A submission of this part. */
typedef struct part_job {
    size_t number;
    int begun; /* on any node, before */
    int tries; /* on this one */
    bool taken;
    json_t *about; /* while it runs: job.json */
    char *folder;  /* while it runs: of its files */
} part_job;

typedef struct part_work {
    grading run;
    work_plan plan;
    part_job *job;
    size_t count, left;
    char node[128];
    job_pool *pool;
} part_work;

/* ---- the submissions of the part --------------------------------------------------------------------------------- */

/* What ended a node before comes last: it may end this one too, but not the other submissions. */
static int by_begun_and_number(const void *a, const void *b)
{
    const part_job *x = a, *y = b;
    if (x->begun != y->begun) return x->begun < y->begun ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static bool list_jobs(part_work *work, const grading_part *part, grader_fault *fault)
{
    size_t first, last;
    plan_range(&first, &last, &work->plan, part->part, part->parts);
    work->job = calloc(last - first + 2, sizeof *work->job);
    if (!work->job) return fault_memory(fault, "the part");
    for (size_t number = first; number <= last; number++) {
        if (outcome_is_there(&work->plan, number)) continue;
        work->job[work->count++] = (part_job){.number = number, .begun = outcome_look_back(&work->plan, number).begun};
    }
    qsort(work->job, work->count, sizeof *work->job, by_begun_and_number);
    return true;
}

/* The next submission to begin: one that was tried least. NULL for none. */
static part_job *next_job(const part_work *work)
{
    part_job *next = NULL;
    for (size_t i = 0; i < work->count; i++) {
        part_job *job = &work->job[i];
        if (!job->taken && (!next || job->tries < next->tries)) next = job;
    }
    return next;
}

/* ---- labs -------------------------------------------------------------------------------------------------------- */

/* Refuses to grade with other files, or on another device, than was planned. */
static bool fits_plan(const part_work *work, graded_lab *lab, grader_fault *fault)
{
    char version[PLAN_KEY_DIGITS];
    const char *device = result_string(work->plan.head, "device"), *kind = lab->parts.device.kind;
    FAULT_TRY(lab_parts_version(&lab->version, &lab->parts, fault));
    plan_key_text(version, &lab->version);
    if (strcmp(version, result_string(plan_lab(&work->plan, lab->parts.name), "version")) != 0) {
        return fault_set(fault,
                         "%s is not the version here that was planned: the workbook, its build and the C compiler "
                         "must be the same on all machines",
                         lab->parts.name);
    }
    if (!*device || strcmp(device, kind) == 0) return true;
    return fault_set(fault, "%s was planned for the device %s, and this machine has %s (LAB_DEVICE chooses)",
                     lab->parts.name, device, kind);
}

static bool open_lab_of(part_work *work, size_t number, grader_fault *fault)
{
    json_t *about;
    FAULT_TRY(plan_read_job(&about, &work->plan, number, fault));
    const char *name = result_string(about, "lab");
    bool ok = grading_find_lab(&work->run, name) ||
              (grading_open_lab(&work->run, name, fault) && fits_plan(work, &work->run.lab[work->run.labs - 1], fault));
    json_decref(about);
    return ok;
}

static bool open_labs(part_work *work, grader_fault *fault)
{
    for (size_t i = 0; i < work->count; i++) FAULT_TRY(open_lab_of(work, work->job[i].number, fault));
    return true;
}

/* ---- grading ----------------------------------------------------------------------------------------------------- */

static void name_node(part_work *work)
{
    const char *slurm = getenv("SLURMD_NODENAME");
    if (slurm && *slurm)
        snprintf(work->node, sizeof work->node, "%s", slurm);
    else
        gethostname(work->node, sizeof work->node - 1);
}

static void forget(part_job *job)
{
    if (job->folder) folder_remove(job->folder);
    free(job->folder);
    json_decref(job->about);
    job->folder = NULL;
    job->about = NULL;
}

static bool start_in_pool(part_work *work, const part_job *job, char *source, grader_fault *fault)
{
    const graded_lab *lab = grading_find_lab(&work->run, result_string(job->about, "lab"));
    const char *refusal = json_string_value(json_object_get(job->about, "refusal"));
    const grading_job described = {
        .parts = &lab->parts,
        .source = source,
        .refusal = refusal,
        .submission = result_string(job->about, "name"),
        .out = job->folder,
        .out_name = result_string(job->about, "directory"),
        .seed = strtoull(result_string(job->about, "seed"), NULL, 10),
        .seed_secret = json_is_true(json_object_get(job->about, "seed_secret")),
        .seconds = work->run.seconds,
        .checks = JOB_EVERY_CHECK,
        .sandbox = work->run.use,
    };
    return job_pool_start(work->pool, &described, job - work->job, fault);
}

static bool start_job(part_work *work, part_job *job, grader_fault *fault)
{
    FAULT_TRY(plan_read_job(&job->about, &work->plan, job->number, fault));
    FAULT_TRY(outcome_begin(&job->folder, &work->plan, job->number, fault));
    outcome_note(&work->plan, job->number, work->node, "begins");
    char *file = text_make("%s.c", result_string(job->about, "lab"));
    char *source = file ? plan_path(&work->plan, job->number, file) : NULL;
    bool ok = source ? start_in_pool(work, job, source, fault) : fault_memory(fault, "the part");
    free(file);
    free(source);
    return ok;
}

/* Begins submissions until the pool is full. Another machine may have graded one in the meantime. */
static bool fill_pool(part_work *work, grader_fault *fault)
{
    part_job *job;
    while (!job_pool_is_full(work->pool) && (job = next_job(work))) {
        job->taken = true;
        job->tries++;
        if (outcome_is_there(&work->plan, job->number)) continue;
        FAULT_TRY(start_job(work, job, fault));
    }
    return true;
}

static json_t *read_result(const part_work *work, const part_job *job, const job_pool_end *end)
{
    json_t *json = end->json ? json_loads(end->json, 0, NULL) : NULL;
    if (!json) {
        const graded_lab *lab = grading_find_lab(&work->run, result_string(job->about, "lab"));
        const grading_job described = {.parts = &lab->parts,
                                       .submission = result_string(job->about, "name"),
                                       .out_name = result_string(job->about, "directory"),
                                       .seed_secret = true};
        grading_result result;
        job_conclude_fault(&result, &described, &end->why);
        json = result_json(&result);
        result_free(&result);
    }
    json_t *node = json_pack("{s:s, s:s}", "name", work->node, "sandbox", work->run.box.description);
    if (json) json_object_set_new(json, "node", node);
    return json;
}

static void print_line(const part_work *work, const part_job *job, const json_t *result)
{
    const char *name = result_string(job->about, "name");
    char *clean = text_clean_line(name, strlen(name));
    printf("%s: %s %s: %s %d/%d\n", work->node, result_string(job->about, "lab"), clean ? clean : "?",
           result_string(result, "verdict"), result_integer(result, "points"), result_integer(result, "max_points"));
    fflush(stdout);
    free(clean);
}

/* Publishes the result of a submission; after a grader fault, which may go away, it is tried again. */
static bool keep_end(part_work *work, part_job *job, const json_t *result, grader_fault *fault)
{
    const bool faulty = result_verdict_named(result_string(result, "verdict")) == RESULT_GRADER_FAULT;
    if (faulty && job->tries < TRIES) {
        job->taken = false;
        return true;
    }
    print_line(work, job, result);
    work->left += faulty;
    if (faulty) {
        fprintf(stderr, "labgrade: %s\n", result_string(result, "summary"));
        return outcome_publish_fault(&work->plan, job->number, result, fault);
    }
    FAULT_TRY(outcome_publish(&work->plan, job->number, job->folder, result, fault));
    outcome_note(&work->plan, job->number, work->node, "done");
    return true;
}

static bool take_end(part_work *work, part_job *job, job_pool_end *end, grader_fault *fault)
{
    json_t *result = read_result(work, job, end);
    bool ok = result ? keep_end(work, job, result, fault) : fault_memory(fault, "a result");
    json_decref(result);
    free(end->json);
    forget(job);
    return ok;
}

static bool do_jobs(part_work *work, grader_fault *fault)
{
    for (;;) {
        job_pool_end end;
        FAULT_TRY(fill_pool(work, fault));
        if (job_pool_busy(work->pool) == 0) return true;
        FAULT_TRY(job_pool_wait(work->pool, &end, fault));
        FAULT_TRY(take_end(work, &work->job[end.ticket], &end, fault));
    }
}

static bool do_part(part_work *work, const grading_part *part, grader_fault *fault)
{
    char *place = plan_place(work->run.settings->out);
    bool opened = place ? plan_open(&work->plan, place, fault) : fault_memory(fault, "the plan");
    free(place);
    FAULT_TRY(opened);
    work->run.seconds = json_number_value(json_object_get(work->plan.head, "seconds"));
    FAULT_TRY(list_jobs(work, part, fault));
    printf("%s: part %zu of %zu, %zu submissions to grade\n", work->node, part->part, part->parts, work->count);
    if (work->count == 0) return true;
    FAULT_TRY(open_labs(work, fault));
    FAULT_TRY(grading_open_sandbox(&work->run, fault));
    FAULT_TRY(grading_prove_kernels(&work->run, fault));
    printf("%s: sandbox: %s\n", work->node, work->run.box.description);
    FAULT_TRY(job_pool_create(&work->pool, grading_jobs_at_once(&work->run), fault));
    return do_jobs(work, fault);
}

bool grading_work(const grading_settings *settings, const grading_part *part, size_t *left, grader_fault *fault)
{
    part_work work = {.run = {.settings = settings}};
    name_node(&work);
    bool ok = do_part(&work, part, fault);
    job_pool_free(work.pool);
    for (size_t i = 0; i < work.count; i++) forget(&work.job[i]);
    *left = work.left;
    free(work.job);
    plan_close(&work.plan);
    grading_close(&work.run);
    return ok;
}
